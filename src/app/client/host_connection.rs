//! The connection to a living host worker: outgoing messages, incoming messages, and its death.

use super::{Client, OfferedFiles};
use crate::browser::event_listener::{Listener, listen};
use crate::browser::workers;
use js_sys::{Array, Reflect, Uint8Array};
use protocol::request::{Message, Request};
use protocol::wire;
use wasm_bindgen::JsValue;
use web_sys::{ErrorEvent, MessageEvent, Worker};

/// The worker and its handlers, which are dropped together.
pub(super) struct HostConnection {
    pub(super) worker: Worker,
    _heard: [Listener; 2],
}

impl Drop for HostConnection {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

impl Client {
    pub(super) fn is_connected(&self) -> bool {
        self.0.host.borrow().is_some()
    }

    /// Starts a host worker that replaces the previous one. Requests can be sent immediately; they
    /// wait in its queue.
    pub(super) fn connect(&self) {
        self.0.sent.borrow_mut().clear();
        let Ok(worker) = workers::start(workers::HOST) else {
            *self.0.host.borrow_mut() = None;
            return;
        };
        let on_message = listen(&worker, "message", {
            let client = self.clone();
            move |event: MessageEvent| {
                client.receive(Uint8Array::new(&event.data()).to_vec());
            }
        });
        let on_error = listen(&worker, "error", {
            let client = self.clone();
            move |event: ErrorEvent| {
                event.prevent_default();
                // A worker that failed to load reports an event without a message.
                let words = Reflect::get(&event, &"message".into())
                    .ok()
                    .and_then(|words| words.as_string());
                client.handle_death(words.unwrap_or_else(|| "it could not be started".to_owned()));
            }
        });
        *self.0.host.borrow_mut() = Some(HostConnection {
            worker,
            _heard: [on_message, on_error],
        });
    }

    /// Sends a message without an answer.
    pub(super) fn signal(&self, request: Request, body: &[u8]) {
        self.send(0, request, body, &OfferedFiles::new());
    }

    /// Posts a request. Without a worker nothing is sent; the recovery sends it again.
    pub(super) fn send(&self, id: u64, request: Request, body: &[u8], offer: &OfferedFiles) {
        let line = self.0.host.borrow();
        let Some(line) = line.as_ref() else {
            return;
        };
        let message = Message {
            id,
            request,
            files: offer.iter().map(|(file, _)| file.clone()).collect(),
        };
        if id != 0 {
            self.0.sent.borrow_mut().insert(id);
        }
        let bytes = Uint8Array::from(wire::join(&message, body).as_slice());
        let files: Array = offer
            .iter()
            .map(|(_, file)| file.as_ref().map_or(JsValue::NULL, JsValue::from))
            .collect();
        let transfer = Array::of1(&JsValue::from(bytes.buffer()));
        // Cloning cannot fail: it only contains files and buffers.
        let _ = line
            .worker
            .post_message_with_transfer(&Array::of2(&bytes, &files), &transfer);
    }
}
