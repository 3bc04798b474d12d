//! A newer version of the page, which the browser stores beside the running one (`public/sw.js`).
//! `boot.js` communicates with it.

use js_sys::Promise;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = switchyard, js_name = hearOfNewer)]
    fn hear_of_newer(tell: &JsValue);

    #[wasm_bindgen(js_namespace = switchyard, js_name = startNewer)]
    fn start_newer() -> Promise;
}

/// Calls `tell` for each newer version.
pub fn hear(tell: impl Fn() + 'static) {
    // For the page's lifetime.
    hear_of_newer(&Closure::<dyn Fn()>::new(tell).into_js_value());
}

/// Starts the new version by reloading the page, unless other tabs have it open. Returns the number
/// of other tabs.
pub async fn start() -> u32 {
    let others = JsFuture::from(start_newer())
        .await
        .ok()
        .and_then(|others| others.as_f64());
    others.map_or(0, |others| others as u32)
}
