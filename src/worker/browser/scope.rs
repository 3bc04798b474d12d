//! The worker's global scope: its start, its name, its panic hook.

use super::{channel, indexer};
use protocol::response::Event;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::DedicatedWorkerGlobalScope;

/// Name of a worker that indexes files. Any other is the host, which owns the workspace.
const INDEXER: &str = "indexer";

/// Runs inside the worker's first message, so the handler that it sets loses no later one.
pub fn main() {
    install_panic_hook();
    expose_memory();
    match scope().name().as_str() {
        INDEXER => indexer::serve(),
        _ => channel::serve(),
    }
}

/// Milliseconds since the worker's start.
pub(super) fn now() -> f64 {
    scope()
        .performance()
        .map_or(0.0, |performance| performance.now())
}

pub(super) fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// The hook's text is the only one with file and line; the trap that follows reaches the page as a bare `error` event.
fn install_panic_hook() {
    std::panic::set_hook(Box::new(|info| {
        // The page listens to the host alone; an indexer's words reach no one, and do no harm.
        channel::post_event(Event::Panicked {
            message: info.to_string(),
        });
    }));
}

/// Measurements read the size of the linear memory as `self.mem.buffer.byteLength`.
fn expose_memory() {
    // A global that cannot be written only loses the measurement.
    let _ = js_sys::Reflect::set(
        &js_sys::global(),
        &JsValue::from_str("mem"),
        &wasm_bindgen::memory(),
    );
}
