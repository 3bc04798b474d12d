//! The indexer worker: receives files on a port, returns their indices, and keeps no state.

use super::read::{Buffers, stream};
use super::{channel, scope};
use crate::indexing::BoundedIndexer;
use catalog::model::FileIndex;
use js_sys::{Array, Uint8Array};
use protocol::response::Event;
use protocol::wire;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{File, MessageEvent, MessagePort};

/// Bytes between progress reports: often enough for a smooth progress bar, without many messages.
const REPORT_BYTES: u64 = 1 << 20;

/// An indexer's messages to the host, as postcard bytes. Both run the same program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum IndexerMessage {
    /// The indexer runs and accepts files.
    Runs,
    /// More bytes were read since the last report.
    Bytes { load: u32, bytes: u64 },
    /// A file's index, or why the file is unreadable; `bytes` were read since the last report.
    Done {
        load: u32,
        file: u32,
        bytes: u64,
        result: Result<FileIndex, String>,
    },
}

/// Waits for the port to the host and then serves it.
pub(super) fn serve() {
    let handler = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| {
        if let Ok(port) = event.data().dyn_into::<MessagePort>() {
            serve_port(port);
        }
    });
    scope().set_onmessage(Some(handler.as_ref().unchecked_ref()));
    handler.forget();
}

fn serve_port(port: MessagePort) {
    let buffers = Rc::new(RefCell::new(Buffers::default()));
    let handler = Closure::<dyn FnMut(MessageEvent)>::new({
        let port = port.clone();
        move |event: MessageEvent| {
            if let Some(job) = Job::from_message(&event.data()) {
                wasm_bindgen_futures::spawn_local(run(job, port.clone(), buffers.clone()));
            }
        }
    });
    // Setting the handler starts the port.
    port.set_onmessage(Some(handler.as_ref().unchecked_ref()));
    handler.forget();
    send(&port, &IndexerMessage::Runs);
    // The page must know which of the dead indexers have ever run.
    channel::post_event(Event::Ready);
}

/// A file to index, with its load and its number in that load.
pub(super) struct Job {
    pub load: u32,
    pub file: u32,
    pub source: File,
}

impl Job {
    pub fn to_message(&self) -> Array {
        Array::of3(&self.load.into(), &self.file.into(), &self.source)
    }

    fn from_message(message: &JsValue) -> Option<Self> {
        let parts: &Array = message.dyn_ref()?;
        let number = |index| parts.get(index).as_f64().map(|number| number as u32);
        Some(Self {
            load: number(0)?,
            file: number(1)?,
            source: parts.get(2).dyn_into().ok()?,
        })
    }
}

async fn run(job: Job, port: MessagePort, buffers: Rc<RefCell<Buffers>>) {
    let (load, file) = (job.load, job.file);
    let on_bytes = |bytes| send(&port, &IndexerMessage::Bytes { load, bytes });
    let (bytes, result) = index(&job, &buffers, on_bytes).await;
    let message = IndexerMessage::Done {
        load,
        file,
        bytes,
        result,
    };
    send(&port, &message);
}

/// Indexes one file, calling `on_bytes` after each [`REPORT_BYTES`] with the number of newly read
/// bytes. Returns the number of bytes read since the last call, and the index or why the file is
/// unreadable.
pub(super) async fn index(
    job: &Job,
    buffers: &RefCell<Buffers>,
    on_bytes: impl Fn(u64),
) -> (u64, Result<FileIndex, String>) {
    let mut indexer = BoundedIndexer::default();
    let mut bytes = 0;
    let read = stream(buffers, &job.source, |chunk| {
        bytes += chunk.len() as u64;
        if bytes >= REPORT_BYTES {
            on_bytes(std::mem::take(&mut bytes));
        }
        indexer.feed(chunk)
    });
    let result = match read.await {
        Ok(()) => indexer.finish(),
        Err(failure) => Err(failure.to_string()),
    };
    (bytes, result)
}

fn send(port: &MessagePort, message: &IndexerMessage) {
    let bytes = Uint8Array::from(wire::encode(message).as_slice());
    // If the host has closed its end, it no longer needs the result.
    let _ = port.post_message_with_transferable(&bytes, &Array::of1(&bytes.buffer()));
}
