//! Whether the browser suggests saving data or power.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Battery charge below which an unplugged battery is low.
const LOW_BATTERY: f64 = 0.2;

/// Whether to skip optional work. False if the browser does not tell.
pub async fn is_saving_wanted() -> bool {
    let Some(window) = web_sys::window() else {
        return false;
    };
    let navigator: JsValue = window.navigator().into();
    let asks = |query| {
        window
            .match_media(query)
            .ok()
            .flatten()
            .is_some_and(|list| list.matches())
    };
    saves_data(&navigator)
        || asks("(prefers-reduced-data: reduce)")
        || is_low(&navigator).await.unwrap_or(false)
}

fn saves_data(navigator: &JsValue) -> bool {
    let connection = Reflect::get(navigator, &"connection".into()).unwrap_or_default();
    Reflect::get(&connection, &"saveData".into()).is_ok_and(|saves| saves.is_truthy())
}

async fn is_low(navigator: &JsValue) -> Option<bool> {
    let get: Function = Reflect::get(navigator, &"getBattery".into())
        .ok()?
        .dyn_into()
        .ok()?;
    let promise: Promise = get.call0(navigator).ok()?.dyn_into().ok()?;
    let battery = JsFuture::from(promise).await.ok()?;
    let level = Reflect::get(&battery, &"level".into()).ok()?.as_f64()?;
    let is_charging = Reflect::get(&battery, &"charging".into()).ok()?.is_truthy();
    Some(!is_charging && level < LOW_BATTERY)
}
