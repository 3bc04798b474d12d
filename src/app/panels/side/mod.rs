//! The panel at the left: catalogs with their verdicts, what is no catalog, and the packages of the one in view.

mod catalogs;
mod filter;
pub mod packages;

use crate::app::widgets::dom;
use crate::app::widgets::list_cursor::{Axis, moved};
use catalogs::Catalogs;
use leptos::prelude::*;
use packages::Packages;
use wasm_bindgen::JsCast;

#[component]
pub fn Side() -> impl IntoView {
    view! {
        <nav class="side" aria-label="Catalogs and packages">
            <Catalogs/>
            <Packages/>
        </nav>
    }
}

/// Arrow keys move the focus between the buttons of a list, which is one stop for Tab.
fn rove(event: &web_sys::KeyboardEvent) {
    let Some(list) = event.current_target().and_then(|target| target.dyn_into::<web_sys::Element>().ok()) else {
        return;
    };
    let Ok(buttons) = list.query_selector_all("button") else { return };
    let active = document().active_element();
    let button = |index: u32| buttons.get(index).and_then(|node| node.dyn_into::<web_sys::HtmlElement>().ok());
    let at = (0..buttons.length()).find(|index| {
        button(*index).as_deref().zip(active.as_ref()).is_some_and(|(button, active)| button.is_same_node(Some(active)))
    });
    let next = moved(&event.key(), at.map(|index| index as usize), buttons.length() as usize, Axis::Vertical);
    if let Some(element) = next.and_then(|index| button(index as u32)) {
        event.prevent_default();
        dom::focus(&element);
    }
}
