//! The worker in a browser: carries messages and reads files. The worker's name selects its role,
//! host or indexer.

mod blobs;
mod channel;
mod files_being_read;
mod indexer;
mod load;
mod read;

use protocol::response::Event;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::DedicatedWorkerGlobalScope;

/// Name of an indexer. A worker with any other name is the host, which owns the session.
const INDEXER: &str = "indexer";

/// Starts the worker's role. Runs while the worker handles its first message, so that no later
/// message is lost.
pub fn main() {
    install_panic_hook();
    expose_memory();
    match scope().name().as_str() {
        INDEXER => indexer::serve(),
        _ => channel::serve(),
    }
}

/// Returns the milliseconds since the worker's start.
fn now() -> f64 {
    scope()
        .performance()
        .map_or(0.0, |performance| performance.now())
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Reports panics to the page. Only the hook knows file and line: the trap that follows reaches the
/// page as a bare `error` event.
fn install_panic_hook() {
    std::panic::set_hook(Box::new(|info| {
        // The page listens to the host only; an indexer's message is ignored.
        channel::post_event(Event::Panicked {
            message: info.to_string(),
        });
    }));
}

/// Exposes the memory to performance tests, which read its size as `self.mem.buffer.byteLength`.
fn expose_memory() {
    // Without this global, only the measurement fails.
    let _ = js_sys::Reflect::set(
        &js_sys::global(),
        &JsValue::from_str("mem"),
        &wasm_bindgen::memory(),
    );
}
