//! The page as the browser sees it: events, the address and its history, file inputs, panics.

use js_sys::{Function, Promise, Reflect};
use leptos::prelude::{StoredValue, UpdateValue, document, on_cleanup};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Event, EventTarget, HtmlInputElement};

/// An event listener, active until it is dropped.
#[derive(Debug)]
#[must_use = "nothing is heard once it is dropped"]
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

/// Returns the fragment of the page's address with the `#`; "" if there is none.
pub fn address_fragment() -> String {
    web_sys::window()
        .and_then(|window| window.location().hash().ok())
        .unwrap_or_default()
}

/// Adds a step to the browser's history, unless the address already has this fragment.
pub fn push_address(fragment: &str) {
    write(fragment, |history| {
        history.push_state_with_url(&JsValue::NULL, "", Some(fragment))
    });
}

/// Changes the address of the current history step.
pub fn replace_address(fragment: &str) {
    write(fragment, |history| {
        history.replace_state_with_url(&JsValue::NULL, "", Some(fragment))
    });
}

fn write(new: &str, write: impl Fn(&web_sys::History) -> Result<(), JsValue>) {
    if address_fragment() == new {
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

pub const FOLDER: &str = "catalog-folder";
pub const FILES: &str = "catalog-files";

/// Opens the folder input.
pub fn click_folder() {
    click(FOLDER);
}

/// Opens the file input.
pub fn click_files() {
    click(FILES);
}

fn click(id: &str) {
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
        if let (Some(window), Ok(event)) = (
            web_sys::window(),
            web_sys::CustomEvent::new_with_event_init_dict("switchyard-fatal", &init),
        ) {
            let _ = window.dispatch_event(&event);
        }
    }));
}

/// Battery charge below which an unplugged battery is low.
const LOW_BATTERY: f64 = 0.2;

/// Whether to skip optional work to save data or power. False if the browser does not report it.
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
