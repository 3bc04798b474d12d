//! Event listeners on the window, the document or a worker; the caller decides how long they live.

use leptos::prelude::{StoredValue, UpdateValue, on_cleanup};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Event, EventTarget};

/// Listens until it is dropped.
#[derive(Debug)]
#[must_use = "nothing is heard once it is dropped"]
pub struct Listener {
    target: EventTarget,
    kind: &'static str,
    /// `None` once the listener is permanent.
    handler: Option<Closure<dyn FnMut(Event)>>,
}

/// Listens for events of one kind. `E` is their type, which is not checked.
pub fn listen<E: JsCast>(
    target: &EventTarget,
    kind: &'static str,
    mut handler: impl FnMut(E) + 'static,
) -> Listener {
    let handler =
        Closure::<dyn FnMut(Event)>::new(move |event: Event| handler(event.unchecked_into()));
    // Fails only for a removed target, which has no events.
    let _ = target.add_event_listener_with_callback(kind, handler.as_ref().unchecked_ref());
    Listener {
        target: target.clone(),
        kind,
        handler: Some(handler),
    }
}

impl Listener {
    /// Listens for as long as the page lives.
    pub fn for_good(mut self) {
        if let Some(handler) = self.handler.take() {
            handler.forget();
        }
    }

    /// Listens for the lifetime of the current reactive owner.
    pub fn while_drawn(self) {
        let kept = StoredValue::new_local(Some(self));
        on_cleanup(move || {
            kept.try_update_value(|kept| drop(kept.take()));
        });
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Some(handler) = &self.handler {
            // Fails only for a removed target.
            let _ = self
                .target
                .remove_event_listener_with_callback(self.kind, handler.as_ref().unchecked_ref());
        }
    }
}
