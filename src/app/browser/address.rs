//! The fragment of the page's address, and the browser's history.

use super::event_listener::listen;
use wasm_bindgen::JsValue;

/// With the `#`; "" if there is none.
pub fn fragment() -> String {
    web_sys::window()
        .and_then(|window| window.location().hash().ok())
        .unwrap_or_default()
}

/// Adds a step to the history, unless the address is already this one.
pub fn push(fragment: &str) {
    write(fragment, |history| {
        history.push_state_with_url(&JsValue::NULL, "", Some(fragment))
    });
}

/// Changes the address of the current step.
pub fn replace(fragment: &str) {
    write(fragment, |history| {
        history.replace_state_with_url(&JsValue::NULL, "", Some(fragment))
    });
}

fn write(new: &str, write: impl Fn(&web_sys::History) -> Result<(), JsValue>) {
    if fragment() == new {
        return;
    }
    // A browser that refuses (too many steps in a short time) keeps the old address; nothing else
    // is lost.
    if let Some(history) = web_sys::window().and_then(|window| window.history().ok()) {
        let _ = write(&history);
    }
}

/// Listens for back and forward navigation for as long as the page lives.
pub fn on_travel(travel: impl Fn() + 'static) {
    if let Some(window) = web_sys::window() {
        listen(&window, "popstate", move |_: web_sys::Event| travel()).for_good();
    }
}
