//! A list that is one stop for Tab: arrow keys move the focus between its items.

use super::dom;
use super::list_cursor::{Axis, next_item};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent};

/// Moves the focus among the elements that `items` (a CSS selector) matches in the element with the
/// listener.
pub fn rove(event: &KeyboardEvent, items: &str, axis: Axis) {
    let Some(list) = event
        .current_target()
        .and_then(|target| target.dyn_into::<Element>().ok())
    else {
        return;
    };
    let Ok(found) = list.query_selector_all(items) else {
        return;
    };
    let active = document().active_element();
    let item = |index: u32| {
        found
            .get(index)
            .and_then(|node| node.dyn_into::<HtmlElement>().ok())
    };
    let at = (0..found.length()).find(|index| {
        item(*index)
            .as_deref()
            .zip(active.as_ref())
            .is_some_and(|(item, active)| item.is_same_node(Some(active)))
    });
    let next = next_item(
        &event.key(),
        at.map(|index| index as usize),
        found.length() as usize,
        axis,
    );
    if let Some(element) = next.and_then(|index| item(index as u32)) {
        event.prevent_default();
        dom::focus(&element);
    }
}
