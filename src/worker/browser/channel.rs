//! The host worker's messages, as postcard bytes in transferred buffers with files beside them; and
//! its ports to the indexers.

use super::blobs::InputFiles;
use super::files_being_read::Load;
use super::read::{self, FileSource};
use super::{load, now, scope};
use crate::git_index::HiddenPaths;
use crate::request_queue::RequestQueue;
use crate::warm_up;
use host::Host;
use js_sys::{Array, Uint8Array};
use protocol::disk_check::DiskFile;
use protocol::query::{EncodedQuery, ListFiles, Message, Open, Request};
use protocol::request::InputFile;
use protocol::response::{AskError, Event, OperationRefusal, Response};
use protocol::wire;
use serde::Serialize;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{File, MessageChannel, MessageEvent, MessagePort};

/// The host worker's state, shared by its handlers. Never borrowed across an `await`.
pub(super) type Shared = Rc<RefCell<Server>>;

pub(super) struct Server {
    pub host: Host,
    pub source: Rc<FileSource>,
    queue: RequestQueue<PendingRequest>,
    /// The indexers that the page has started and not yet ended, by number.
    pub indexers: BTreeMap<u32, IndexerPort>,
    pub load: Option<Load>,
    /// Number of loads so far, for recognizing late answers to an old load.
    pub loads: u32,
    /// Paths that a browser does not show but the Git indices of the open files contain, by the
    /// folder of the work tree.
    pub hidden_paths: Vec<(String, HiddenPaths)>,
}

struct PendingRequest {
    id: u64,
    request: Request,
    body: Vec<u8>,
    files: InputFiles,
}

/// A port to an indexer, and its message handler.
pub(super) struct IndexerPort {
    pub port: MessagePort,
    /// Whether the indexer has reported that it runs.
    pub is_running: bool,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
}

impl Drop for IndexerPort {
    fn drop(&mut self) {
        self.port.set_onmessage(None);
        self.port.close();
    }
}

/// Starts to handle the page's requests.
pub(super) fn serve() {
    let source = Rc::new(FileSource::default());
    let host = Host::new(source.clone());
    let server = Server {
        host,
        source,
        queue: RequestQueue::default(),
        indexers: BTreeMap::new(),
        load: None,
        loads: 0,
        hidden_paths: Vec::new(),
    };
    let shared: Shared = Rc::new(RefCell::new(server));
    let turn_port = open_turn_port(&shared);
    let handler = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        if let Ok(parts) = event.data().dyn_into::<Array>() {
            receive(&shared, &turn_port, &parts);
        }
    });
    scope().set_onmessage(Some(handler.as_ref().unchecked_ref()));
    handler.forget();
    post_event(Event::Ready);
}

/// Opens a port on which each message serves one request of the queue. Messages that the page has
/// already sent are handled first, because they may cancel the request.
fn open_turn_port(shared: &Shared) -> Option<MessagePort> {
    let channel = MessageChannel::new().ok()?;
    let shared = shared.clone();
    let serve = Closure::<dyn FnMut(MessageEvent)>::new(move |_| serve_next(&shared));
    channel
        .port1()
        .set_onmessage(Some(serve.as_ref().unchecked_ref()));
    serve.forget();
    Some(channel.port2())
}

fn serve_next(shared: &Shared) {
    let next = shared.borrow_mut().queue.take_first();
    if let Some(pending) = next {
        serve_request(shared, pending);
    }
}

fn receive(shared: &Shared, turn_port: &Option<MessagePort>, parts: &Array) {
    let number = || parts.get(1).as_f64().map_or(0, |number| number as u32);
    match parts.get(0).as_string().as_deref() {
        Some("indexer") => add_indexer(shared, number(), parts.get(2).unchecked_into()),
        Some("indexer-lost") => load::indexer_lost(shared, number()),
        Some("warm-up") => post_event(Event::WarmedUp {
            answers: warm_up::answers(),
        }),
        Some("indexers-ended") => load::indexers_ended(shared),
        _ => {
            let bytes: Uint8Array = parts.get(0).unchecked_into();
            let bytes = bytes.to_vec();
            let Some((message, body)) = wire::split::<Message>(&bytes) else {
                return;
            };
            // `None` for a file that the browser could not open.
            let files: Array = parts.get(1).unchecked_into();
            let files = files.iter().map(|file| file.dyn_into::<File>().ok());
            let files: InputFiles = message.files.into_iter().zip(files).collect();
            match message.request {
                // Handle these at once, ahead of the queue.
                Request::CancelOpen => load::cancel(shared),
                Request::ReadAhead => load::read_ahead(shared, files),
                Request::StopReadingAhead => load::stop_reading_ahead(shared),
                Request::CancelRequests => {
                    let ids: Vec<u64> = wire::decode(body).unwrap_or_default();
                    let dropped = shared.borrow_mut().queue.forget(&ids);
                    for id in dropped {
                        post_answer(shared, id, Err(AskError::Cancelled), 0.0);
                    }
                }
                Request::Query(_) | Request::Open | Request::ListFiles => {
                    let pending = PendingRequest {
                        id: message.id,
                        request: message.request,
                        body: body.to_vec(),
                        files,
                    };
                    shared.borrow_mut().queue.push(message.id, pending);
                    let is_posted = turn_port
                        .as_ref()
                        .is_some_and(|turn_port| turn_port.post_message(&JsValue::NULL).is_ok());
                    if !is_posted {
                        serve_next(shared);
                    }
                }
            }
        }
    }
}

fn serve_request(shared: &Shared, pending: PendingRequest) {
    let PendingRequest {
        id,
        request,
        body,
        files,
    } = pending;
    let tag = match request {
        Request::Query(tag) => tag,
        Request::Open => {
            if let Some(Open { mode }) = wire::decode(&body) {
                load::start_open(shared, id, mode, files);
            }
            return;
        }
        Request::ListFiles => {
            if let Some(ListFiles { operators }) = wire::decode(&body) {
                load::list_files(shared, id, &operators, files);
            }
            return;
        }
        _ => return,
    };
    let start = now();
    let query = EncodedQuery { tag, bytes: body };
    let answer = shared.borrow_mut().host.serve(&query, read_files(files));
    post_answer(shared, id, answer.map_err(AskError::Refused), now() - start);
}

/// Reads whole files synchronously, so that no other request runs between comparison and answer.
fn read_files(files: InputFiles) -> Vec<DiskFile> {
    let read = |(described, file): (InputFile, Option<File>)| DiskFile {
        path: described.path,
        bytes: file.map(|file| read::read_whole(&file)).transpose(),
    };
    files.into_iter().map(read).collect()
}

/// Encodes the answer of a task for [`post_answer`].
pub(super) fn encode_answer<A: Serialize>(
    answer: Result<A, OperationRefusal>,
) -> Result<Vec<u8>, AskError> {
    answer
        .map(|answer| wire::encode(&answer))
        .map_err(AskError::Refused)
}

/// Sends an answer, preceded by a report of files that have changed on disk.
pub(super) fn post_answer(shared: &Shared, id: u64, answer: Result<Vec<u8>, AskError>, took: f64) {
    let server = shared.borrow();
    let changed = server.source.take_changed();
    if !changed.is_empty() {
        post_event(Event::ChangedOnDisk { paths: changed });
    }
    let (body, error) = match answer {
        Ok(body) => (body, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    let head = Response::Answer {
        id,
        revision: server.host.revision(),
        took,
        error,
    };
    post(&head, &body);
}

fn add_indexer(shared: &Shared, number: u32, port: MessagePort) {
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new({
        let shared = shared.clone();
        move |event: MessageEvent| {
            if let Some(message) = wire::decode(&Uint8Array::new(&event.data()).to_vec()) {
                load::handle_message(&shared, number, message);
            }
        }
    });
    // Setting the handler starts the port.
    port.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    shared.borrow_mut().indexers.insert(
        number,
        IndexerPort {
            port,
            is_running: false,
            _on_message: on_message,
        },
    );
    load::indexer_added(shared, number);
}

/// Sends a message that answers no request.
pub(super) fn post_event(event: Event) {
    post(&Response::Event(event), &[]);
}

/// Sends a message to the page. A failure could not be reported either.
pub(super) fn post(head: &Response, body: &[u8]) {
    let bytes = Uint8Array::from(wire::join(head, body).as_slice());
    let _ = scope().post_message_with_transfer(&bytes, &Array::of1(&JsValue::from(bytes.buffer())));
}
