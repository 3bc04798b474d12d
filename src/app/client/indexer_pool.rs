//! The indexers: workers that exist while files are opened. The page only starts and ends them;
//! each gets a port to the host worker, which distributes the files.

use super::Client;
use crate::browser::event_listener::{Listener, listen};
use crate::browser::workers;
use js_sys::Array;
use wasm_bindgen::JsValue;
use web_sys::{ErrorEvent, MessageChannel, MessageEvent, Worker};

/// Number of indexers started before the first drop: two cores are common.
const AT_FIRST: usize = 2;
/// More indexers gain little: the browser reads all files in a single process.
const MOST: usize = 4;
/// After this number of consecutive failed starts, the host reads the files itself.
const FAILED_STARTS: usize = 4;
/// A file that kills indexers is identified at the second death, so those deaths stop by themselves; anything else
/// that kills them must not be retried endlessly.
const DEATHS: usize = 64;

#[derive(Default)]
pub(super) struct IndexerPool {
    indexers: Vec<Indexer>,
    next: u32,
    losses: Losses,
}

struct Indexer {
    number: u32,
    worker: Worker,
    runs: bool,
    _heard: [Listener; 2],
}

impl Drop for Indexer {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

/// Lost indexers, to decide whether to start another.
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

    /// Whether to start a replacement.
    fn note_loss(&mut self, ran: bool) -> bool {
        if ran {
            self.deaths += 1;
        } else {
            self.failed_starts += 1;
        }
        self.failed_starts < FAILED_STARTS && self.deaths < DEATHS
    }
}

/// Number of indexers during an open: one core is for the host and page.
fn indexer_count(cores: usize) -> usize {
    cores.saturating_sub(1).clamp(AT_FIRST, MOST)
}

impl Client {
    /// Starts the indexers before the first drop.
    pub(super) fn prepare_pool(&self) {
        self.start_indexers(AT_FIRST);
    }

    /// Ensures that the indexers run and that the host has a port to each.
    pub(super) fn start_pool(&self) {
        self.start_indexers(indexer_count(workers::cores()));
    }

    fn start_indexers(&self, wanted: usize) {
        while self.0.pool.borrow().indexers.len() < wanted && self.start_indexer().is_some() {}
    }

    /// Ends all indexers, which frees their memory. Notifies the host, which would otherwise keep
    /// sending them files.
    pub(super) fn end_pool(&self) {
        let ended = {
            let mut pool = self.0.pool.borrow_mut();
            let next = pool.next;
            std::mem::replace(
                &mut *pool,
                IndexerPool {
                    next,
                    ..IndexerPool::default()
                },
            )
        };
        drop(ended);
        self.post_to_host(&Array::of1(&"indexers-ended".into()), &Array::new());
    }

    fn start_indexer(&self) -> Option<()> {
        let number = self.0.pool.borrow().next;
        let worker = workers::start(workers::INDEXER).ok()?;
        let channel = MessageChannel::new().ok()?;
        let on_message = listen(&worker, "message", {
            let client = self.clone();
            // Its first message reports that it runs; later ones are irrelevant to the page.
            move |_: MessageEvent| client.indexer_runs(number)
        });
        let on_error = listen(&worker, "error", {
            let client = self.clone();
            move |event: ErrorEvent| {
                event.prevent_default();
                // Not within its own handler, which is dropped with it.
                wasm_bindgen_futures::spawn_local(client.clone().replace_indexer(number));
            }
        });
        let (ours, theirs) = (channel.port1(), channel.port2());
        worker
            .post_message_with_transfer(&theirs, &Array::of1(&theirs))
            .ok()?;
        let number_value = JsValue::from_f64(f64::from(number));
        self.post_to_host(
            &Array::of3(&"indexer".into(), &number_value, &ours),
            &Array::of1(&ours),
        )?;
        let mut pool = self.0.pool.borrow_mut();
        pool.next += 1;
        pool.indexers.push(Indexer {
            number,
            worker,
            runs: false,
            _heard: [on_message, on_error],
        });
        Some(())
    }

    fn indexer_runs(&self, number: u32) {
        let mut pool = self.0.pool.borrow_mut();
        if let Some(indexer) = pool
            .indexers
            .iter_mut()
            .find(|indexer| indexer.number == number)
        {
            indexer.runs = true;
            pool.losses.note_start();
        }
    }

    async fn replace_indexer(self, number: u32) {
        let is_replaced = {
            let mut pool = self.0.pool.borrow_mut();
            let Some(at) = pool
                .indexers
                .iter()
                .position(|indexer| indexer.number == number)
            else {
                return;
            };
            let lost = pool.indexers.remove(at);
            pool.losses.note_loss(lost.runs)
        };
        if is_replaced {
            self.start_pool();
        }
        let number = JsValue::from_f64(f64::from(number));
        self.post_to_host(&Array::of2(&"indexer-lost".into(), &number), &Array::new());
    }

    pub(super) fn post_to_host(&self, message: &JsValue, transfer: &JsValue) -> Option<()> {
        self.0
            .host
            .borrow()
            .as_ref()?
            .worker
            .post_message_with_transfer(message, transfer)
            .ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_core_is_left_to_the_others() {
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 64].map(indexer_count),
            [2, 2, 2, 2, 3, 4, 4]
        );
    }

    #[test]
    fn a_failing_start_is_not_retried_forever() {
        let mut losses = Losses::default();
        assert!((1..FAILED_STARTS).all(|_| losses.note_loss(false)));
        assert!(!losses.note_loss(false));
    }

    #[test]
    fn deaths_of_some_that_ran_do_not_count_as_failed_starts() {
        let mut losses = Losses::default();
        for _ in 0..DEATHS - 1 {
            assert!(losses.note_loss(false));
            losses.note_start();
            assert!(losses.note_loss(true));
        }
        assert!(!losses.note_loss(true), "but they end, too");
    }
}
