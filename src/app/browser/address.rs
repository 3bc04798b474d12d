//! The address of the page and the steps of the browser's history, each with a number.

use super::document::listen;
use leptos::prelude::window;
use wasm_bindgen::JsValue;
use web_sys::Event;

/// Returns the fragment of the page's address with the `#`; "" if there is none.
pub fn address_fragment() -> String {
    window().location().hash().unwrap_or_default()
}

/// Adds a step with this number to the browser's history, unless the address already has this
/// fragment. Returns whether it was added.
pub fn push_address(fragment: &str, step: u32) -> bool {
    change_address(fragment, |history| {
        history.push_state_with_url(&step.into(), "", Some(fragment))
    })
}

/// Changes the address of the current history step, which has this number.
pub fn replace_address(fragment: &str, step: u32) {
    change_address(fragment, |history| {
        history.replace_state_with_url(&step.into(), "", Some(fragment))
    });
}

fn change_address(
    fragment: &str,
    change: impl Fn(&web_sys::History) -> Result<(), JsValue>,
) -> bool {
    if address_fragment() == fragment {
        return false;
    }
    // After too many steps in a short time the browser refuses, and keeps the old address.
    window()
        .history()
        .is_ok_and(|history| change(&history).is_ok())
}

/// Returns the number of the current history step; 0 for an address that the page did not set.
pub fn history_step() -> u32 {
    let state = window().history().and_then(|history| history.state());
    state
        .ok()
        .and_then(|state| state.as_f64())
        .unwrap_or_default() as u32
}

/// Moves by `steps` in the browser's history; [`on_history_navigation`] reports the new step.
pub fn go_in_history(steps: i32) {
    if let Ok(history) = window().history() {
        // Fails only in a document that is not shown.
        let _ = history.go_with_delta(steps);
    }
}

/// Listens for back and forward navigation for as long as the page lives.
pub fn on_history_navigation(callback: impl Fn() + 'static) {
    listen(&window(), "popstate", move |_: Event| callback()).permanently();
}
