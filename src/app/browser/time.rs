//! Delays, formatting of times, and performance marks.

use super::document::{method, object};
use crate::reactive::spawn_local;
use futures::channel::oneshot;
use futures::future::select;
use js_sys::{Date, Object, Reflect};
use leptos::prelude::window;
use std::pin::pin;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};

/// Delay after which the page counts as idle if the browser does not report idleness.
const ASSUMED_IDLE_MS: u32 = 300;
/// A page that has not painted by then is hidden, or too busy to wait for.
const PAINT_TIMEOUT_MS: u32 = 250;

/// Resolves after this many milliseconds.
pub async fn pause(ms: u32) {
    let (sender, receiver) = oneshot::channel::<()>();
    let timeout = gloo::timers::callback::Timeout::new(ms, move || {
        let _ = sender.send(());
    });
    let _ = receiver.await;
    drop(timeout);
}

/// Resolves when the page is idle, or soon if the browser does not report idleness.
pub async fn idle() {
    let (sender, receiver) = oneshot::channel::<()>();
    let on_idle = Closure::once_into_js(move || {
        let _ = sender.send(());
    });
    match window().request_idle_callback(on_idle.unchecked_ref()) {
        Ok(_) => drop(receiver.await),
        _ => pause(ASSUMED_IDLE_MS).await,
    }
}

/// Formats milliseconds since 1970 as local date and time.
pub fn format_timestamp(ms: u64) -> String {
    let date = Date::new(&JsValue::from_f64(ms as f64));
    format_date(&date).unwrap_or_else(|| String::from(date.to_string()))
}

fn format_date(date: &Date) -> Option<String> {
    let options = object([
        ("dateStyle", "medium".into()),
        ("timeStyle", "short".into()),
    ]);
    // The page is in English, whatever the browser's language.
    let formatted = method(date, "toLocaleString")?.call2(date, &"en-GB".into(), &options);
    formatted.ok()?.as_string()
}

/// Returns the milliseconds since the page started.
pub fn now() -> f64 {
    window()
        .performance()
        .map_or(0.0, |performance| performance.now())
}

/// Records a performance measure from `start`, a time of [`now`], until now.
pub fn measure(name: &str, start: f64, detail: &[(&str, f64)]) {
    // A failed measure has no other effect.
    let _ = try_measure(name, start, detail);
}

/// Records a performance measure from `start` until the current document is painted.
pub fn measure_paint(name: &'static str, start: f64, detail: Vec<(&'static str, f64)>) {
    spawn_local(async move {
        next_paint().await;
        measure(name, start, &detail);
    });
}

fn try_measure(name: &str, start: f64, detail: &[(&str, f64)]) -> Option<()> {
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
    // All browsers have `measure` with options, but in the bindings it is unstable.
    let measure = method(&performance, "measure")?;
    measure.call2(&performance, &name.into(), &options).ok()?;
    Some(())
}

/// Like [`next_paint`], but gives up after [`PAINT_TIMEOUT_MS`].
pub async fn next_paint_or_timeout() {
    select(pin!(next_paint()), pin!(pause(PAINT_TIMEOUT_MS))).await;
}

/// Resolves when the current document is painted. Never resolves in a hidden tab, which does not
/// paint.
pub async fn next_paint() {
    let (sender, receiver) = oneshot::channel::<()>();
    let on_frame = Closure::once_into_js(move || {
        // A frame's callbacks run before layout and paint; a separate task runs after them.
        gloo::timers::callback::Timeout::new(0, move || {
            let _ = sender.send(());
        })
        .forget();
    });
    if window()
        .request_animation_frame(on_frame.unchecked_ref())
        .is_ok()
    {
        let _ = receiver.await;
    }
}
