//! The worker in a browser: carries messages and reads files. The worker's name selects its role (host or indexer).

mod blobs;
mod channel;
mod files_being_read;
mod indexer;
mod load;
mod read;

use protocol::response::Event;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::DedicatedWorkerGlobalScope;

/// Name of an indexer. A worker of any other name is the host, which owns the session.
const INDEXER: &str = "indexer";

/// Runs inside the worker's first message, so that its handler misses no later message.
pub fn main() {
    install_panic_hook();
    expose_memory();
    match scope().name().as_str() {
        INDEXER => indexer::serve(),
        _ => channel::serve(),
    }
}

/// Milliseconds since the worker's start.
fn now() -> f64 {
    scope()
        .performance()
        .map_or(0.0, |performance| performance.now())
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Only the hook's text has file and line; the trap that follows reaches the page as a bare `error` event.
fn install_panic_hook() {
    std::panic::set_hook(Box::new(|info| {
        // The page listens to the host only; an indexer's message is ignored.
        channel::post_event(Event::Panicked {
            message: info.to_string(),
        });
    }));
}

/// Performance tests read the size of the linear memory as `self.mem.buffer.byteLength`.
fn expose_memory() {
    // Without this global, only the measurement is missing.
    let _ = js_sys::Reflect::set(
        &js_sys::global(),
        &JsValue::from_str("mem"),
        &wasm_bindgen::memory(),
    );
}
