//! A row of buttons that is one stop of Tab (APG *Toolbar*).
//!
//! | key | effect |
//! |---|---|
//! | Left, Right | previous and next button, wrapping around |
//! | Home, End | first and last button |
//!
//! The stop is the button that had the focus last, or else the first that can have it.

use super::cursors::{self, Axis};
use super::dom;
use crate::reactive::effect;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, HtmlElement, MutationObserver, MutationObserverInit};

const BUTTONS: &str = "button:not(:disabled), summary";

/// A toolbar around buttons. `label` is its accessible name.
#[component]
pub fn Toolbar(
    label: &'static str,
    #[prop(optional)] class: &'static str,
    /// `group` for buttons that are spread over a text.
    #[prop(default = "toolbar")]
    role: &'static str,
    children: Children,
) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    effect(move |_| {
        if let Some(toolbar) = node.get() {
            follow_buttons(toolbar.into());
        }
    });
    view! {
        <div
            node_ref=node
            role=role
            aria-label=label
            class=class
            on:focusin=move |event| {
                if let (Some(toolbar), Some(focused)) = (node.get_untracked(), dom::element(event.target())) {
                    set_stop(&toolbar, &focused);
                }
            }
            on:keydown=move |event| cursors::rove(&event, BUTTONS, Axis::Horizontal)
        >
            {children()}
        </div>
    }
    .into_any()
}

/// Keeps exactly one stop while buttons come, go and change.
fn follow_buttons(toolbar: Element) {
    let keep_stop = {
        let toolbar = toolbar.clone();
        move || {
            let buttons = dom::elements_in(&toolbar, BUTTONS);
            let stop = buttons.iter().find(|button| button.tab_index() == 0);
            if let Some(stop) = stop.or(buttons.first()) {
                set_stop(&toolbar, stop);
            }
        }
    };
    // All buttons are stops at first: the first one stays.
    keep_stop();
    let on_change = Closure::<dyn FnMut()>::new(keep_stop);
    let Ok(observer) = MutationObserver::new(on_change.as_ref().unchecked_ref()) else {
        return;
    };
    let options = MutationObserverInit::new();
    options.set_child_list(true);
    options.set_subtree(true);
    options.set_attribute_filter(&js_sys::Array::of1(&"disabled".into()));
    // Fails only for options that contradict each other.
    let _ = observer.observe_with_options(&toolbar, &options);
    let observation = StoredValue::new_local(Some((observer, on_change)));
    on_cleanup(move || {
        observation.try_update_value(|observation| {
            if let Some((observer, _)) = observation.take() {
                observer.disconnect();
            }
        });
    });
}

fn set_stop(toolbar: &Element, stop: &Element) {
    for button in dom::elements_in(toolbar, "button, summary") {
        let element: &HtmlElement = &button;
        let index = if element.is_same_node(Some(stop)) {
            0
        } else {
            -1
        };
        if element.tab_index() != index || !element.has_attribute("tabindex") {
            element.set_tab_index(index);
        }
    }
}
