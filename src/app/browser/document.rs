//! Access to the document: events, JavaScript objects, file inputs, panics and the data-saver
//! setting.

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

pub fn object<const N: usize>(properties: [(&str, JsValue); N]) -> Object {
    let object = Object::new();
    for (name, value) in properties {
        // Cannot fail for a new object.
        let _ = Reflect::set(&object, &name.into(), &value);
    }
    object
}

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
