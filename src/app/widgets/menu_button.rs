//! A button with a menu (APG *Menu Button*).
//!
//! | key | does |
//! |---|---|
//! | Enter, Space, Down | opens the menu at its first item |
//! | Up | opens it at its last item |
//!
//! In the menu the keys of [`ContextMenu`] hold.

use super::icon::{Glyph, Icon};
use super::menu::{ContextMenu, MenuItem, MenuPlace};
use leptos::html;
use leptos::prelude::*;

/// `items` is called when the menu opens; `on_choose` gets the index into these items.
#[component]
pub fn MenuButton(
    label: &'static str,
    /// The menu's name, if it differs from the button's.
    #[prop(default = label)]
    menu: &'static str,
    #[prop(default = "button")] class: &'static str,
    #[prop(optional)] tip: Option<&'static str>,
    items: Callback<(), Vec<MenuItem>>,
    #[prop(into)] on_choose: Callback<usize>,
) -> impl IntoView {
    let place = RwSignal::new(None::<MenuPlace>);
    let opener = NodeRef::<html::Button>::new();
    // A press on the button takes the focus from an open menu, which closes it; the same press must
    // not reopen it.
    let pressed_open = StoredValue::new(false);
    let open = move |at_last: bool| {
        let rect = opener
            .get_untracked()
            .map(|button| button.get_bounding_client_rect());
        place.set(rect.map(|rect| MenuPlace {
            at: (rect.left() as i32, rect.bottom() as i32 + GAP),
            above: Some(rect.top() as i32 - GAP),
            at_last,
        }));
    };
    let on_click = move |_| {
        if pressed_open.try_update_value(std::mem::take) != Some(true) {
            open(false);
        }
    };
    let on_key = move |event: web_sys::KeyboardEvent| {
        let key = event.key();
        if key == "ArrowDown" || key == "ArrowUp" {
            event.prevent_default();
            open(key == "ArrowUp");
        }
    };
    let choose = move |index: usize| {
        place.set(None);
        on_choose.run(index);
    };
    view! {
        <button
            type="button"
            class=class
            title=tip
            node_ref=opener
            aria-haspopup="menu"
            aria-expanded=move || place.with(Option::is_some).to_string()
            on:pointerdown=move |_| pressed_open.set_value(place.with_untracked(Option::is_some))
            on:click=on_click
            on:keydown=on_key
        >
            {label}
            <Glyph icon=Icon::ChevronDown/>
        </button>
        {move || {
            place
                .get()
                .map(|place_now| {
                    let close = move |()| {
                        place.try_set(None);
                    };
                    view! {
                        <ContextMenu title=menu.to_owned() items=items.run(()) place=place_now on_choose=choose on_close=close/>
                    }
                })
        }}
    }
    .into_any()
}

/// Pixels between the button and its menu.
const GAP: i32 = 4;
