//! Delays, and formatting of times.

use futures::channel::oneshot;
use js_sys::{Date, Function, Object, Reflect};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};

/// Fallback delay after which a page that just started counts as idle.
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

/// Resolves when the page is idle, or soon if the browser does not tell.
pub async fn idle() {
    let (done, ended) = oneshot::channel::<()>();
    let on_idle = Closure::once_into_js(move || {
        let _ = done.send(());
    });
    let scheduled =
        web_sys::window().map(|window| window.request_idle_callback(on_idle.unchecked_ref()));
    match scheduled {
        Some(Ok(_)) => drop(ended.await),
        _ => pause(UNTOLD_IDLE_MS).await,
    }
}

/// Formats milliseconds since 1970 as date and time.
pub fn moment(ms: u64) -> String {
    let date = Date::new(&JsValue::from_f64(ms as f64));
    format_date(&date).unwrap_or_else(|| String::from(date.to_string()))
}

fn format_date(date: &Date) -> Option<String> {
    let options = Object::new();
    Reflect::set(&options, &"dateStyle".into(), &"medium".into()).ok()?;
    Reflect::set(&options, &"timeStyle".into(), &"short".into()).ok()?;
    // In English, like the page.
    let function: Function = Reflect::get(date, &"toLocaleString".into())
        .ok()?
        .dyn_into()
        .ok()?;
    function
        .call2(date, &"en-GB".into(), &options)
        .ok()?
        .as_string()
}
