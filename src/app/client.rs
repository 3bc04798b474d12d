//! The page's end of the line to the host worker: asks, matches answers, and survives the worker's death.
//!
//! A trap ends a worker (there is no unwinding, and a trapped instance goes on answering, wrongly). At its first `error`
//! event it is ended, a new one starts, the files are opened again, the applied steps are replayed one by one, and what
//! was under way is asked again. A step or request that kills two workers is set aside and reported.

use super::browser::workers;
use super::state::journal::Journal;
use super::state::pending::Pending;
use crate::protocol::{Request, RequestBody, Response, ResponseBody, wire};
use futures::channel::oneshot;
use js_sys::{Array, Uint8Array};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ErrorEvent, MessageEvent, Worker};

/// What the client tells unasked.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    Progress {
        bytes: u64,
        total_bytes: u64,
        files: u32,
        total_files: u32,
    },
    /// The worker died with these words; a new one is being made.
    Crashed {
        message: String,
    },
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lost {
    /// The request killed the worker twice.
    SetAside { message: String },
    /// No worker can be had at all.
    NoWorker { message: String },
}

type Reply = oneshot::Sender<Result<ResponseBody, Lost>>;

/// A handle; clones talk to the same worker.
#[derive(Clone)]
pub struct Client(Rc<Inner>);

struct Inner {
    line: RefCell<Option<Line>>,
    pending: RefCell<Pending<Reply>>,
    #[expect(dead_code, reason = "filled by the recovery")]
    journal: RefCell<Journal>,
    on_event: Box<dyn Fn(Event)>,
}

/// A living worker and its handlers, which go when it goes.
struct Line {
    worker: Worker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl Client {
    /// Starts the host worker. `on_event` hears what comes unasked.
    pub fn start(on_event: impl Fn(Event) + 'static) -> Self {
        let client = Self(Rc::new(Inner {
            line: RefCell::default(),
            pending: RefCell::default(),
            journal: RefCell::default(),
            on_event: Box::new(on_event),
        }));
        client.connect();
        client
    }

    /// Asks the worker; answers come in the order of the requests.
    pub async fn ask(&self, body: RequestBody) -> Result<ResponseBody, Lost> {
        let (reply, answer) = oneshot::channel();
        let id = self.0.pending.borrow_mut().add(body.clone(), reply);
        self.send(id, body, &Array::new());
        answer.await.unwrap_or_else(|_| Err(Lost::NoWorker { message: "the worker is gone".into() }))
    }

    fn send(&self, id: u64, body: RequestBody, files: &Array) {
        let line = self.0.line.borrow();
        let (Some(line), Some(bytes)) = (line.as_ref(), wire::encode(&Request { id, body })) else { return };
        let bytes = Uint8Array::from(bytes.as_slice());
        let transfer = Array::of1(&JsValue::from(bytes.buffer()));
        let _ = line.worker.post_message_with_transfer(&Array::of2(&bytes, files), &transfer);
    }

    fn connect(&self) {
        let Ok(worker) = workers::start("host") else { return };
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new({
            let client = self.clone();
            move |event: MessageEvent| {
                if let Some(response) = wire::decode(&Uint8Array::new(&event.data()).to_vec()) {
                    client.receive(response);
                }
            }
        });
        let on_error = Closure::<dyn FnMut(ErrorEvent)>::new({
            let client = self.clone();
            move |event: ErrorEvent| {
                event.prevent_default();
                (client.0.on_event)(Event::Crashed { message: event.message() });
            }
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        *self.0.line.borrow_mut() = Some(Line { worker, _on_message: on_message, _on_error: on_error });
    }

    fn receive(&self, response: Response) {
        let Response { id, body, .. } = response;
        if let Some(waiting) = self.0.pending.borrow_mut().take(id) {
            // The asker may have gone; then nobody misses the answer.
            let _ = waiting.reply.send(Ok(body));
        }
    }
}
