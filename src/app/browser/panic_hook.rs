//! Handles a panic of the page.

use wasm_bindgen::JsValue;

/// Passes a panic's message to `boot.js`, which shows it: the instance is unusable afterwards.
pub fn install_panic_hook() {
    std::panic::set_hook(Box::new(|info| {
        let init = web_sys::CustomEventInit::new();
        init.set_detail(&JsValue::from_str(&info.to_string()));
        if let (Some(window), Ok(event)) = (
            web_sys::window(),
            web_sys::CustomEvent::new_with_event_init_dict("switchyard-fatal", &init),
        ) {
            let _ = window.dispatch_event(&event);
        }
    }));
}
