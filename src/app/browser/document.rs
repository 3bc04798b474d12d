//! The page in the browser: events, JavaScript objects, the address and its history, file inputs,
//! panics, and the user's wish to save data.

use js_sys::{Function, Object, Promise, Reflect};
use leptos::prelude::{
    RwSignal, Set, Signal, StoredValue, UpdateValue, document, on_cleanup, window,
};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Event, EventTarget, HtmlInputElement};

/// Ids of the inputs in `index.html`.
pub const FOLDER_INPUT: &str = "catalog-folder";
pub const FILE_INPUT: &str = "catalog-files";

/// An event listener, active until it is dropped.
#[derive(Debug)]
#[must_use = "dropping it stops listening"]
pub struct Listener {
    target: EventTarget,
    kind: &'static str,
    /// `None` once the listener is permanent.
    handler: Option<Closure<dyn FnMut(Event)>>,
}

/// Listens for events named `kind`. `E` is their type, which is not checked.
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
    pub fn permanently(mut self) {
        if let Some(handler) = self.handler.take() {
            handler.forget();
        }
    }

    /// Listens for the lifetime of the current reactive owner.
    pub fn until_cleanup(self) {
        let listener = StoredValue::new_local(Some(self));
        on_cleanup(move || {
            listener.try_update_value(|listener| drop(listener.take()));
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

/// Whether the window has at least this width in pixels, until the current owner ends.
pub fn is_window_wide(width: u32) -> Signal<bool> {
    let query = window().match_media(&format!("(width >= {width}px)"));
    let Some(list) = query.ok().flatten() else {
        return Signal::stored(false);
    };
    let is_wide = RwSignal::new(list.matches());
    listen(&list.clone(), "change", move |_: Event| {
        is_wide.try_set(list.matches());
    })
    .until_cleanup();
    is_wide.into()
}

/// Returns a property of a JavaScript object; `undefined` if it has none.
pub fn property(target: &JsValue, name: &str) -> JsValue {
    Reflect::get(target, &name.into()).unwrap_or_default()
}

/// Returns a method that not all browsers have, or that the bindings lack.
pub fn method(target: &JsValue, name: &str) -> Option<Function> {
    property(target, name).dyn_into().ok()
}

/// Calls a method and returns its promise; `None` if the method is missing or fails.
pub fn promise(target: &JsValue, name: &str, argument: &JsValue) -> Option<Promise> {
    let promise = method(target, name)?.call1(target, argument);
    promise.ok()?.dyn_into().ok()
}

/// Creates a JavaScript object.
pub fn object<const N: usize>(properties: [(&str, JsValue); N]) -> Object {
    let object = Object::new();
    for (name, value) in properties {
        // Cannot fail for a new object.
        let _ = Reflect::set(&object, &name.into(), &value);
    }
    object
}

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

/// Moves by history steps. The page learns of it by [`on_history_navigation`].
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

/// Opens the folder or file input with this id.
pub fn open_input(id: &str) {
    if let Some(input) = document()
        .get_element_by_id(id)
        .and_then(|element| element.dyn_into::<HtmlInputElement>().ok())
    {
        input.click();
    }
}

/// Passes a panic's message to `boot.js`, which shows it: the instance is unusable afterwards.
pub fn install_panic_hook() {
    std::panic::set_hook(Box::new(|info| {
        let init = web_sys::CustomEventInit::new();
        init.set_detail(&JsValue::from_str(&info.to_string()));
        let event = web_sys::CustomEvent::new_with_event_init_dict("switchyard-fatal", &init);
        if let (Some(window), Ok(event)) = (web_sys::window(), event) {
            let _ = window.dispatch_event(&event);
        }
    }));
}

/// Whether the user asks to save data. False if the browser does not report it.
pub fn should_save_data() -> bool {
    let connection = property(&window().navigator(), "connection");
    property(&connection, "saveData").is_truthy()
}
