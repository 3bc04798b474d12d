//! Preferences between visits, and the question before leaving the page.

use super::event_listener::listen;
use web_sys::{BeforeUnloadEvent, Storage};

/// Prefix of our keys: other pages may share the origin.
const PREFIX: &str = "switchyard.";

/// A preference; `None` if it was never set or the browser stores nothing.
pub fn preference(key: &str) -> Option<String> {
    storage()?.get_item(&format!("{PREFIX}{key}")).ok()?
}

/// Sets a preference. A browser that stores nothing forgets it with the page.
pub fn set_preference(key: &str, value: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(&format!("{PREFIX}{key}"), value);
    }
}

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok()?
}

/// Asks for confirmation before the page is left while `unsaved` returns true.
pub fn ask_before_leaving(unsaved: impl Fn() -> bool + 'static) {
    let Some(window) = web_sys::window() else {
        return;
    };
    listen(&window, "beforeunload", move |event: BeforeUnloadEvent| {
        if unsaved() {
            event.prevent_default();
            // Some browsers only ask if this is set.
            event.set_return_value("unsaved");
        }
    })
    .for_good();
}

/// Calls back when the page may be terminated at any moment: it is hidden, or left.
pub fn on_hide(mut hide: impl FnMut() + Clone + 'static) {
    let Some(window) = web_sys::window() else {
        return;
    };
    let mut left = hide.clone();
    listen(&window, "pagehide", move |_: web_sys::Event| left()).for_good();
    if let Some(document) = window.document() {
        listen(
            &document.clone(),
            "visibilitychange",
            move |_: web_sys::Event| {
                if document.hidden() {
                    hide();
                }
            },
        )
        .for_good();
    }
}

/// Calls back when the user returns to the page: the window is focused, or the tab is shown.
pub fn on_return(mut back: impl FnMut() + 'static) {
    let Some(window) = web_sys::window() else {
        return;
    };
    listen(&window, "focus", move |_: web_sys::Event| back()).for_good();
}
