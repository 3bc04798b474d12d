//! Delays, formatting of times, and performance marks.

use super::document::{method, object};
use futures::channel::oneshot;
use futures::future::select;
use js_sys::{Date, Object, Reflect};
use leptos::prelude::window;
use std::pin::pin;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;

/// Delay after which the page counts as idle if the browser does not report idleness.
const UNTOLD_IDLE_MS: u32 = 300;

/// Resolves after this many milliseconds.
pub async fn pause(ms: u32) {
    let (done, ended) = oneshot::channel::<()>();
    let timeout = gloo::timers::callback::Timeout::new(ms, move || {
        let _ = done.send(());
    });
    let _ = ended.await;
    drop(timeout);
}

/// Resolves when the page is idle, or soon if the browser does not report idleness.
pub async fn idle() {
    let (done, ended) = oneshot::channel::<()>();
    let on_idle = Closure::once_into_js(move || {
        let _ = done.send(());
    });
    match window().request_idle_callback(on_idle.unchecked_ref()) {
        Ok(_) => drop(ended.await),
        _ => pause(UNTOLD_IDLE_MS).await,
    }
}

/// Formats milliseconds since 1970 as date and time.
pub fn moment(ms: u64) -> String {
    let date = Date::new(&JsValue::from_f64(ms as f64));
    format_date(&date).unwrap_or_else(|| String::from(date.to_string()))
}

fn format_date(date: &Date) -> Option<String> {
    let options = object([
        ("dateStyle", "medium".into()),
        ("timeStyle", "short".into()),
    ]);
    // In English, like the page.
    let formatted = method(date, "toLocaleString")?.call2(date, &"en-GB".into(), &options);
    formatted.ok()?.as_string()
}

/// Returns the milliseconds since the page started.
pub fn now() -> f64 {
    window()
        .performance()
        .map_or(0.0, |performance| performance.now())
}

/// Writes a measure from `start` (as from [`now`]) until now, with numbers as details.
pub fn measure(name: &str, start: f64, detail: &[(&str, f64)]) {
    // A failed measure has no other effect.
    let _ = try_measure(name, start, detail);
}

/// Like [`measure`], until the current document is painted.
pub fn measure_paint(name: &'static str, start: f64, detail: Vec<(&'static str, f64)>) {
    spawn_local(async move {
        mark_paint().await;
        measure(name, start, &detail);
    });
}

fn try_measure(name: &str, start: f64, detail: &[(&str, f64)]) -> Option<JsValue> {
    let performance = window().performance()?;
    let numbers = Object::new();
    for (key, value) in detail {
        Reflect::set(&numbers, &(*key).into(), &(*value).into()).ok()?;
    }
    let options = object([
        ("start", start.into()),
        ("end", performance.now().into()),
        ("detail", numbers.into()),
    ]);
    // The bindings have `measure` with options only as unstable; the function itself exists everywhere.
    let measured = method(&performance, "measure")?.call2(&performance, &name.into(), &options);
    measured.ok()
}

/// A page that has not painted by then is hidden, or too busy to wait for.
const PAINTED_BY_MS: u32 = 250;

/// Like [`mark_paint`], with a timeout.
pub async fn mark_next_paint() {
    select(pin!(mark_paint()), pin!(pause(PAINTED_BY_MS))).await;
}

/// Resolves when the current document is painted. Never resolves in a hidden tab, which does not
/// paint.
pub async fn mark_paint() {
    let (done, ended) = oneshot::channel::<()>();
    let on_frame = Closure::once_into_js(move || {
        // A frame's callbacks run before layout and paint; a separate task runs after them.
        gloo::timers::callback::Timeout::new(0, move || {
            let _ = done.send(());
        })
        .forget();
    });
    if window()
        .request_animation_frame(on_frame.unchecked_ref())
        .is_ok()
    {
        let _ = ended.await;
    }
}
