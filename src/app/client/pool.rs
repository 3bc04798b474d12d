//! The indexers: workers that live while files are opened. The page only starts and ends them; each gets a port to the
//! host worker, which deals the files.

use super::Client;
use crate::app::browser::workers;
use js_sys::Array;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ErrorEvent, MessageChannel, Worker};

/// Two cores are everywhere; reading and a trivial index gain nothing from a third.
const INDEXERS: usize = 2;
/// A pool that keeps dying is given up; the host then says which files could not be read.
const REPLACEMENTS: usize = 8;

#[derive(Default)]
pub(super) struct Pool {
    indexers: Vec<Indexer>,
    next: u32,
    replaced: usize,
}

struct Indexer {
    number: u32,
    worker: Worker,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl Drop for Indexer {
    fn drop(&mut self) {
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

impl Pool {
    /// Ends all indexers: their memory goes with them.
    pub(super) fn end(&mut self) {
        *self = Self { next: self.next, ..Self::default() };
    }
}

impl Client {
    /// Makes sure that the indexers run and that the host has a port to each.
    pub(super) fn start_pool(&self) {
        while self.0.pool.borrow().indexers.len() < INDEXERS && self.start_indexer().is_some() {}
    }

    fn start_indexer(&self) -> Option<()> {
        let number = self.0.pool.borrow().next;
        let worker = workers::start(workers::INDEXER).ok()?;
        let channel = MessageChannel::new().ok()?;
        let on_error = Closure::<dyn FnMut(ErrorEvent)>::new({
            let client = self.clone();
            move |event: ErrorEvent| {
                event.prevent_default();
                // Not from within its own handler, which goes with it.
                wasm_bindgen_futures::spawn_local(client.clone().replace_indexer(number));
            }
        });
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        let (ours, theirs) = (channel.port1(), channel.port2());
        worker.post_message_with_transfer(&theirs, &Array::of1(&theirs)).ok()?;
        let number_value = JsValue::from_f64(f64::from(number));
        self.post_to_host(&Array::of3(&"indexer".into(), &number_value, &ours), &Array::of1(&ours))?;
        let mut pool = self.0.pool.borrow_mut();
        pool.next += 1;
        pool.indexers.push(Indexer { number, worker, _on_error: on_error });
        Some(())
    }

    async fn replace_indexer(self, number: u32) {
        {
            let mut pool = self.0.pool.borrow_mut();
            pool.indexers.retain(|indexer| indexer.number != number);
            pool.replaced += 1;
        }
        if self.0.pool.borrow().replaced <= REPLACEMENTS {
            self.start_pool();
        }
        let number = JsValue::from_f64(f64::from(number));
        self.post_to_host(&Array::of2(&"indexer-lost".into(), &number), &Array::new());
    }

    fn post_to_host(&self, message: &JsValue, transfer: &JsValue) -> Option<()> {
        self.0.line.borrow().as_ref()?.worker.post_message_with_transfer(message, transfer).ok()
    }
}
