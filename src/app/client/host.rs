//! The host worker and its indexers: starting, ending, and posting messages to them.
//!
//! Indexers are workers that exist while files are opened. The page only starts and ends them; each
//! gets a port to the host worker, which distributes the files.

use crate::browser::document::{Listener, listen, property};
use crate::browser::workers;
use crate::reactive::spawn_local;
use crate::state::worker_api::{AnyQuery, OfferedFiles};
use js_sys::{Array, Uint8Array};
use protocol::query::{Message, Request};
use protocol::wire;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use web_sys::{ErrorEvent, MessageChannel, MessageEvent, Worker};

/// Number of indexers started before the first drop: two cores are common.
const FIRST_INDEXERS: usize = 2;
/// More indexers gain little: the browser reads all files in a single process.
const MAX_INDEXERS: usize = 4;
/// After this number of consecutive failed starts, the host reads the files itself.
const MAX_FAILED_STARTS: usize = 4;
/// Maximum number of dead indexers during an open. A file that kills indexers is identified at the
/// second death, but anything else that kills them must not be retried endlessly.
const MAX_DEATHS: usize = 64;

/// The current host worker, which can be replaced; clones share it.
#[derive(Clone, Default)]
pub(super) struct Host(Rc<HostState>);

#[derive(Default)]
struct HostState {
    connection: RefCell<Option<Connection>>,
    /// Unanswered requests, including those whose answers are no longer needed.
    sent: RefCell<BTreeSet<u64>>,
}

/// A living worker and its handlers, which are dropped together.
struct Connection {
    worker: Worker,
    _listeners: [Listener; 2],
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

impl Host {
    pub(super) fn is_connected(&self) -> bool {
        self.0.connection.borrow().is_some()
    }

    /// Starts a host worker that replaces the previous one. Requests can be sent immediately; they
    /// wait in its queue. `on_death` receives the reason.
    pub(super) fn connect(
        &self,
        on_message: impl Fn(Vec<u8>) + 'static,
        on_death: impl Fn(String) + 'static,
    ) {
        self.0.sent.borrow_mut().clear();
        let Ok(worker) = workers::start(workers::HOST) else {
            self.end();
            return;
        };
        let message = listen(&worker, "message", move |event: MessageEvent| {
            on_message(Uint8Array::new(&event.data()).to_vec());
        });
        let error = listen(&worker, "error", move |event: ErrorEvent| {
            event.prevent_default();
            // A worker that failed to load reports an event without a message.
            let reason = property(&event, "message").as_string();
            on_death(reason.unwrap_or_else(|| "it could not be started".to_owned()));
        });
        *self.0.connection.borrow_mut() = Some(Connection {
            worker,
            _listeners: [message, error],
        });
    }

    pub(super) fn end(&self) {
        *self.0.connection.borrow_mut() = None;
    }

    pub(super) fn send_query(&self, id: u64, query: &AnyQuery) {
        self.send(id, query.request, &query.bytes, &query.files);
    }

    /// Posts a request; `id` 0 means that no answer is expected. Without a worker nothing is sent;
    /// the recovery sends it again.
    pub(super) fn send(&self, id: u64, request: Request, body: &[u8], offer: &OfferedFiles) {
        let connection = self.0.connection.borrow();
        let Some(connection) = connection.as_ref() else {
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
        let _ = connection
            .worker
            .post_message_with_transfer(&Array::of2(&bytes, &files), &transfer);
    }

    /// Posts a message about the workers themselves.
    pub(super) fn post(&self, message: &JsValue, transfer: &JsValue) -> Option<()> {
        self.0
            .connection
            .borrow()
            .as_ref()?
            .worker
            .post_message_with_transfer(message, transfer)
            .ok()
    }

    pub(super) fn note_answer(&self, id: u64) {
        self.0.sent.borrow_mut().remove(&id);
    }

    pub(super) fn is_idle(&self) -> bool {
        self.0.sent.borrow().is_empty()
    }
}

/// The indexers; clones share them.
#[derive(Clone)]
pub(super) struct IndexerPool {
    host: Host,
    state: Rc<RefCell<PoolState>>,
}

#[derive(Default)]
struct PoolState {
    indexers: Vec<Indexer>,
    next_number: u32,
    losses: Losses,
}

struct Indexer {
    number: u32,
    is_running: bool,
    _connection: Connection,
}

/// Counts lost indexers, to decide whether to start another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Losses {
    /// Consecutive indexers that never ran.
    failed_starts: usize,
    deaths: usize,
}

impl Losses {
    fn note_start(&mut self) {
        self.failed_starts = 0;
    }

    /// Counts a lost indexer. Returns whether to start a replacement.
    fn note_loss(&mut self, was_running: bool) -> bool {
        if was_running {
            self.deaths += 1;
        } else {
            self.failed_starts += 1;
        }
        self.failed_starts < MAX_FAILED_STARTS && self.deaths < MAX_DEATHS
    }
}

/// Returns the number of indexers during an open: one core is for the host and page.
fn indexer_count(cores: usize) -> usize {
    cores.saturating_sub(1).clamp(FIRST_INDEXERS, MAX_INDEXERS)
}

impl IndexerPool {
    pub(super) fn new(host: Host) -> Self {
        Self {
            host,
            state: Rc::default(),
        }
    }

    /// Starts the first indexers before the first drop.
    pub(super) fn prepare(&self) {
        self.start_indexers(FIRST_INDEXERS);
    }

    /// Ensures that the indexers run and that the host has a port to each.
    pub(super) fn start(&self) {
        self.start_indexers(indexer_count(workers::cores()));
    }

    fn start_indexers(&self, count: usize) {
        while self.state.borrow().indexers.len() < count && self.start_indexer().is_some() {}
    }

    /// Ends all indexers, which frees their memory. Notifies the host, which would otherwise keep
    /// sending them files.
    pub(super) fn end(&self) {
        let ended = {
            let mut state = self.state.borrow_mut();
            state.losses = Losses::default();
            std::mem::take(&mut state.indexers)
        };
        drop(ended);
        self.host
            .post(&Array::of1(&"indexers-ended".into()), &Array::new());
    }

    fn start_indexer(&self) -> Option<()> {
        let number = self.state.borrow().next_number;
        let worker = workers::start(workers::INDEXER).ok()?;
        let channel = MessageChannel::new().ok()?;
        let on_message = listen(&worker, "message", {
            let pool = self.clone();
            // The first message reports that the indexer runs; later ones have no effect.
            move |_: MessageEvent| pool.note_running(number)
        });
        let on_error = listen(&worker, "error", {
            let pool = self.clone();
            move |event: ErrorEvent| {
                event.prevent_default();
                let pool = pool.clone();
                // Run this outside of the indexer's own handler, which is dropped with the indexer.
                spawn_local(async move { pool.replace_indexer(number) });
            }
        });
        let (host_port, indexer_port) = (channel.port1(), channel.port2());
        worker
            .post_message_with_transfer(&indexer_port, &Array::of1(&indexer_port))
            .ok()?;
        let number_value = JsValue::from_f64(f64::from(number));
        self.host.post(
            &Array::of3(&"indexer".into(), &number_value, &host_port),
            &Array::of1(&host_port),
        )?;
        let mut state = self.state.borrow_mut();
        state.next_number += 1;
        state.indexers.push(Indexer {
            number,
            is_running: false,
            _connection: Connection {
                worker,
                _listeners: [on_message, on_error],
            },
        });
        Some(())
    }

    fn note_running(&self, number: u32) {
        let mut state = self.state.borrow_mut();
        let indexer = state
            .indexers
            .iter_mut()
            .find(|indexer| indexer.number == number);
        if let Some(indexer) = indexer {
            indexer.is_running = true;
            state.losses.note_start();
        }
    }

    fn replace_indexer(&self, number: u32) {
        let should_replace = {
            let mut state = self.state.borrow_mut();
            let lost = state
                .indexers
                .extract_if(.., |indexer| indexer.number == number)
                .next();
            let Some(lost) = lost else { return };
            state.losses.note_loss(lost.is_running)
        };
        if should_replace {
            self.start();
        }
        let number = JsValue::from_f64(f64::from(number));
        self.host
            .post(&Array::of2(&"indexer-lost".into(), &number), &Array::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_core_is_left_for_other_programs() {
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 64].map(indexer_count),
            [2, 2, 2, 2, 3, 4, 4]
        );
    }

    #[test]
    fn a_failing_start_is_not_retried_forever() {
        let mut losses = Losses::default();
        assert!((1..MAX_FAILED_STARTS).all(|_| losses.note_loss(false)));
        assert!(!losses.note_loss(false));
    }

    #[test]
    fn deaths_after_a_start_do_not_count_as_failed_starts() {
        let mut losses = Losses::default();
        for _ in 0..MAX_DEATHS - 1 {
            assert!(losses.note_loss(false));
            losses.note_start();
            assert!(losses.note_loss(true));
        }
        assert!(!losses.note_loss(true), "but they end, too");
    }
}
