//! A newer version of the page, which the browser has kept beside the one that runs here (`public/sw.js`). `boot.js` speaks
//! with it.

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

/// Calls `tell` when there is one, each time for another.
pub fn hear(tell: impl Fn() + 'static) {
    // For as long as the page lives.
    hear_of_newer(&Closure::<dyn Fn()>::new(tell).into_js_value());
}

/// Starts it if no other tab has the page open, which is then loaded anew. Returns how many other tabs have.
pub async fn start() -> u32 {
    let others = JsFuture::from(start_newer())
        .await
        .ok()
        .and_then(|others| others.as_f64());
    others.map_or(0, |others| others as u32)
}
