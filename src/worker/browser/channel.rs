//! Messages of the host worker: postcard bytes in transferred buffers, files beside them; and the ports to the
//! indexers.

use super::files_being_read::Load;
use super::list_files;
use super::load;
use super::prefetch;
use super::read_ahead;
use super::scope::{now, scope};
use super::source::{self, FileSource};
use crate::git_index::HiddenPaths;
use crate::host::{DiskFile, Host};
use crate::request_queue::RequestQueue;
use crate::warm_up;
use js_sys::{Array, Uint8Array};
use protocol::request::InputFile;
use protocol::{Request, RequestBody, Response, ResponseBody, wire};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{File, MessageChannel, MessageEvent, MessagePort};

/// The host worker's state, shared by its handlers. Never borrowed across an `await`.
pub(super) type Shared = Rc<RefCell<Server>>;

pub(super) struct Server {
    pub(super) host: Host,
    pub(super) source: Rc<FileSource>,
    /// Pending requests, and the files beside them.
    queue: RequestQueue<(Request, Array)>,
    /// Indexers that the page has started and not ended.
    pub(super) indexers: BTreeMap<u32, IndexerPort>,
    pub(super) load: Option<Load>,
    /// Number of loads so far, to recognize a late answer to an old one.
    pub(super) loads: u32,
    /// Arrival of the page's last request, in milliseconds since the worker's start.
    pub(super) asked: f64,
    /// Paths that the Git indices of the open files name but a browser does not show, by the folders of their work
    /// trees.
    pub(super) links: Vec<(String, HiddenPaths)>,
}

/// A port to an indexer, and its message handler.
pub(super) struct IndexerPort {
    pub(super) port: MessagePort,
    /// The indexer has reported that it runs.
    pub(super) runs: bool,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
}

impl Drop for IndexerPort {
    fn drop(&mut self) {
        self.port.set_onmessage(None);
        self.port.close();
    }
}

/// Starts to handle requests.
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
        asked: 0.0,
        links: Vec::new(),
    };
    let shared: Shared = Rc::new(RefCell::new(server));
    let turns = take_turns(&shared);
    let handler = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        if let Ok(parts) = event.data().dyn_into::<Array>() {
            receive(&shared, &turns, &parts);
        }
    });
    scope().set_onmessage(Some(handler.as_ref().unchecked_ref()));
    handler.forget();
    post(&Response::unasked(ResponseBody::Ready));
}

/// Serves one request of the queue for each message to the returned port. Messages that the page sent before it are
/// handled first: they may cancel the request.
fn take_turns(shared: &Shared) -> Option<MessagePort> {
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
    if let Some((request, files)) = next {
        serve_request(shared, request, &files);
    }
}

fn receive(shared: &Shared, turns: &Option<MessagePort>, parts: &Array) {
    let number = || parts.get(1).as_f64().map_or(0, |number| number as u32);
    match parts.get(0).as_string().as_deref() {
        Some("indexer") => add_indexer(shared, number(), parts.get(2).unchecked_into()),
        Some("indexer-lost") => load::indexer_lost(shared, number()),
        Some("warm-up") => post(&Response::unasked(ResponseBody::WarmedUp {
            answers: warm_up::answers(),
        })),
        Some("indexers-ended") => load::indexers_ended(shared),
        _ => {
            let bytes: Uint8Array = parts.get(0).unchecked_into();
            let Some(request) = wire::decode::<Request>(&bytes.to_vec()) else {
                return;
            };
            shared.borrow_mut().asked = now();
            match request.body {
                // Handled at once, ahead of the queue.
                RequestBody::CancelOpen => load::cancel(shared),
                RequestBody::ReadAhead { files } => {
                    let beside: &Array = &parts.get(1).unchecked_into();
                    read_ahead::take(
                        shared,
                        files
                            .into_iter()
                            .zip(beside.iter().map(|file| file.dyn_into().ok())),
                    );
                }
                RequestBody::StopReadingAhead => read_ahead::stop(shared),
                RequestBody::CancelRequests { ids } => {
                    let dropped = shared.borrow_mut().queue.forget(&ids);
                    dropped
                        .into_iter()
                        .for_each(|id| post_answer(shared, id, ResponseBody::Cancelled, 0.0));
                }
                _ => {
                    shared
                        .borrow_mut()
                        .queue
                        .push(request.id, (request, parts.get(1).unchecked_into()));
                    let is_told = turns
                        .as_ref()
                        .is_some_and(|turns| turns.post_message(&JsValue::NULL).is_ok());
                    if !is_told {
                        serve_next(shared);
                    }
                }
            }
        }
    }
}

fn serve_request(shared: &Shared, request: Request, files: &Array) {
    let Request { id, body } = request;
    match body {
        RequestBody::Open {
            mode,
            files: offered,
        } => {
            let files = files.iter().map(|file| file.dyn_into::<File>().ok());
            load::begin(shared, id, mode, offered.into_iter().zip(files).collect());
        }
        RequestBody::ListFiles {
            operators,
            files: offered,
        } => {
            let files = files.iter().map(|file| file.dyn_into::<File>().ok());
            list_files::list(
                shared,
                id,
                &operators,
                offered.into_iter().zip(files).collect(),
            );
        }
        RequestBody::CheckDisk { files: named } => {
            with_disk(shared, id, on_disk(named, files), |host, files| {
                host.check_disk(files)
            });
        }
        RequestBody::Merge { files: named } => {
            with_disk(shared, id, on_disk(named, files), |host, files| {
                host.rebase(files)
            });
        }
        RequestBody::Saved { files: named } => {
            with_disk(shared, id, on_disk(named, files), |host, files| {
                host.saved(files)
            });
        }
        RequestBody::TakeTheirs { file, view } => {
            let files = on_disk(vec![file], files);
            with_disk(shared, id, files, |host, mut files| match files.pop() {
                Some(file) => host.take_theirs(file, view),
                None => ResponseBody::Failed {
                    message: "the request has no file".into(),
                },
            });
        }
        RequestBody::ReadBundles {
            files: named,
            placement,
        } => {
            with_disk(shared, id, on_disk(named, files), |host, files| {
                host.read_bundles(files, &placement)
            });
        }
        RequestBody::ReadManifests { files: named, root } => {
            with_disk(shared, id, on_disk(named, files), |host, files| {
                host.read_manifests(files, &root)
            });
        }
        body => {
            let tries = matches!(
                body,
                RequestBody::Preview { .. } | RequestBody::Everyone { .. }
            );
            let start = now();
            let answer = shared.borrow_mut().host.answer(body);
            post_answer(shared, id, answer, now() - start);
            if tries {
                prefetch::later(shared);
            }
        }
    }
}

fn with_disk(
    shared: &Shared,
    id: u64,
    files: Vec<DiskFile>,
    answer: impl FnOnce(&mut Host, Vec<DiskFile>) -> ResponseBody,
) {
    let start = now();
    let answer = answer(&mut shared.borrow_mut().host, files);
    post_answer(shared, id, answer, now() - start);
}

/// Reads whole files synchronously, so that no other request runs between the comparison and the answer.
fn on_disk(named: Vec<InputFile>, files: &Array) -> Vec<DiskFile> {
    let read = |(named, file): (InputFile, JsValue)| {
        let bytes = file
            .dyn_into::<File>()
            .ok()
            .map(|file| source::read_whole(&file))
            .transpose();
        DiskFile {
            path: named.path,
            bytes,
        }
    };
    named.into_iter().zip(files.iter()).map(read).collect()
}

/// Sends an answer, preceded by the files that were found to have changed on disk.
pub(super) fn post_answer(shared: &Shared, id: u64, body: ResponseBody, took: f64) {
    let server = shared.borrow();
    let revision = server.host.revision();
    let changed = server.source.take_changed();
    if !changed.is_empty() {
        post(&Response {
            revision,
            ..Response::unasked(ResponseBody::ChangedOnDisk { paths: changed })
        });
    }
    post(&Response {
        id,
        revision,
        took,
        body,
    });
}

fn add_indexer(shared: &Shared, number: u32, port: MessagePort) {
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new({
        let shared = shared.clone();
        move |event: MessageEvent| {
            if let Some(message) = wire::decode(&Uint8Array::new(&event.data()).to_vec()) {
                load::hear(&shared, number, message);
            }
        }
    });
    // Setting the handler starts the port.
    port.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    shared.borrow_mut().indexers.insert(
        number,
        IndexerPort {
            port,
            runs: false,
            _on_message: on_message,
        },
    );
    load::indexer_added(shared, number);
}

/// Sends to the page. If that fails, there is nobody to report it to.
pub(super) fn post(response: &Response) {
    if let Some(bytes) = wire::encode(response) {
        let bytes = Uint8Array::from(bytes.as_slice());
        let _ =
            scope().post_message_with_transfer(&bytes, &Array::of1(&JsValue::from(bytes.buffer())));
    }
}
