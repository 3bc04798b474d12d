//! The text of an input or textarea.

use crate::reactive::effect;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, HtmlTextAreaElement};

/// Makes a field show `text`. It writes only what differs, so the caret stays while a signal repeats what was typed. To
/// redraw an element in place, tachys 0.2.19 built with `erase_components` sets a `prop:value` to `undefined` first, which
/// loses the caret; a directive is not reset.
pub fn field_text(field: Element, text: Signal<String>) {
    let show = move |text: String| {
        if let Some(input) = field.dyn_ref::<HtmlInputElement>() {
            if input.value() != text {
                input.set_value(&text);
            }
        } else if let Some(area) = field.dyn_ref::<HtmlTextAreaElement>()
            && area.value() != text
        {
            area.set_value(&text);
        }
    };
    show(text.get_untracked());
    effect(move |_| {
        if let Some(text) = text.try_get() {
            show(text);
        }
    });
}
