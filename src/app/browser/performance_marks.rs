//! Marks for measuring, on the browser's own performance timeline: `open`, `first-graph`, `verdict`,
//! `edit`, `workbench` (building it before anything is open), `answer` (what the worker was at an edit), `search` (what it was at a search), `journal` (one write of it).

use super::time;
use futures::channel::oneshot;
use futures::future::select;
use js_sys::{Function, Object, Reflect};
use std::pin::pin;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};

/// Milliseconds since the page's start.
pub fn now() -> f64 {
    web_sys::window()
        .and_then(|window| window.performance())
        .map_or(0.0, |performance| performance.now())
}

/// Writes a measure from `start` (of [`now`]) to this moment, with numbers beside it.
pub fn measure(name: &str, start: f64, detail: &[(&str, f64)]) {
    // A measure that cannot be written is only not measured.
    let _ = try_measure(name, start, detail);
}

fn try_measure(name: &str, start: f64, detail: &[(&str, f64)]) -> Option<JsValue> {
    let performance = web_sys::window()?.performance()?;
    let numbers = Object::new();
    for (key, value) in detail {
        Reflect::set(&numbers, &(*key).into(), &(*value).into()).ok()?;
    }
    let options = Object::new();
    Reflect::set(&options, &"start".into(), &start.into()).ok()?;
    Reflect::set(&options, &"end".into(), &performance.now().into()).ok()?;
    Reflect::set(&options, &"detail".into(), &numbers).ok()?;
    // The bindings have `measure` with options only as unstable; the function itself exists everywhere.
    let function: Function = Reflect::get(&performance, &"measure".into())
        .ok()?
        .dyn_into()
        .ok()?;
    function.call2(&performance, &name.into(), &options).ok()
}

/// A page that has not painted for so long is hidden, or so busy that nobody is to wait for it.
const PAINTED_BY_MS: u32 = 250;

/// As [`painted`], but soon in any case.
pub async fn painted_soon() {
    select(pin!(painted()), pin!(time::pause(PAINTED_BY_MS))).await;
}

/// Resolves when what is in the document now has been painted. In a hidden tab, which paints nothing, never.
pub async fn painted() {
    let Some(window) = web_sys::window() else {
        return;
    };
    let (done, ended) = oneshot::channel::<()>();
    let on_frame = Closure::once_into_js(move || {
        // A frame's callbacks run before its layout and paint; a separate task runs after them.
        gloo::timers::callback::Timeout::new(0, move || {
            let _ = done.send(());
        })
        .forget();
    });
    if window
        .request_animation_frame(on_frame.unchecked_ref())
        .is_ok()
    {
        let _ = ended.await;
    }
}
