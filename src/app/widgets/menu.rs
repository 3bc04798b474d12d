//! Menus: [`ContextMenu`] (APG *Menu*), and [`MenuButton`], a button with a menu (APG *Menu
//! Button*).
//!
//! In a menu:
//!
//! | key | effect |
//! |---|---|
//! | Down, Up | next and previous item, wrapping around |
//! | Home, End | first and last item |
//! | a letter | the next item that starts with it |
//! | Enter, Space | chooses the item and closes, or toggles a checkbox |
//! | Escape, Tab | closes; the focus returns |
//!
//! On the button:
//!
//! | key | does |
//! |---|---|
//! | Enter, Space, Down | opens the menu at its first item |
//! | Up | opens it at its last item |

use super::cursors::{Axis, find_by_letter, next_item};
use super::dom;
use super::icon::{Glyph, Icon};
use crate::reactive::effect;
use leptos::html;
use leptos::prelude::*;

/// Pixels between a button and its menu.
const GAP: i32 = 4;
/// Minimum distance of a menu from the edges of the window, in pixels.
const MARGIN: f64 = 8.0;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MenuItem {
    pub label: String,
    pub keys: &'static str,
    /// A remark below the name that distinguishes it from its neighbours; "" for none.
    pub note: &'static str,
    /// Whether a checkbox is on; `None` if the item is none. Choosing a checkbox keeps the menu
    /// open.
    pub is_checked: Option<Signal<bool>>,
}

impl MenuItem {
    pub fn new(label: impl Into<String>, keys: &'static str) -> Self {
        Self {
            label: label.into(),
            keys,
            note: "",
            is_checked: None,
        }
    }
}

/// Where a menu opens, in pixels of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MenuPosition {
    /// The menu's upper left corner, if it fits there.
    pub corner: (i32, i32),
    /// The menu's lower edge if it does not fit below.
    pub bottom: Option<i32>,
    /// Whether the last item gets the focus instead of the first.
    pub focuses_last: bool,
}

impl MenuPosition {
    pub fn at(pointer: (i32, i32)) -> Self {
        Self {
            corner: pointer,
            bottom: None,
            focuses_last: false,
        }
    }
}

/// A context menu. `on_choose` receives the index of the item.
#[component]
pub fn ContextMenu(
    title: String,
    items: Vec<MenuItem>,
    position: MenuPosition,
    #[prop(into)] on_choose: Callback<usize>,
    #[prop(into)] on_close: Callback<()>,
) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let came_from = StoredValue::new_local(dom::origin());
    let labels: Vec<String> = items.iter().map(|item| item.label.clone()).collect();
    // Follows the focus, whether moved by the keys below, a screen reader or a finger.
    let cursor = RwSignal::new(0usize);
    let corner = RwSignal::new(position.corner);
    let first = if position.focuses_last {
        items.len().saturating_sub(1)
    } else {
        0
    };

    effect(move |_| {
        let Some(menu) = node.get() else { return };
        // The top layer covers the page; a browser without it shows the menu in place.
        let _ = menu.show_popover();
        let size = menu.get_bounding_client_rect();
        corner.set(fit_in_window(
            position,
            (size.width(), size.height()),
            dom::window_size(),
        ));
        focus_item(&menu, first);
    });
    on_cleanup(move || {
        came_from.try_with_value(|origin| origin.as_ref().map(dom::Origin::restore_focus));
    });

    let on_key = move |event: web_sys::KeyboardEvent| {
        event.stop_propagation();
        let key = event.key();
        if key == "Escape" || key == "Tab" {
            event.prevent_default();
            on_close.run(());
        } else if !dom::has_modifier(&event)
            && let Some(index) = item_for_key(&key, cursor.get_untracked(), &labels)
            && let Some(menu) = node.get_untracked()
        {
            event.prevent_default();
            focus_item(&menu, index);
        }
    };
    // A menu that is being removed loses the focus after its signals are gone.
    let on_focusout = move |event: web_sys::FocusEvent| {
        let Some(menu) = node.try_get_untracked() else {
            return;
        };
        let target = dom::element(event.related_target());
        let is_inside =
            menu.is_some_and(|menu| target.is_some_and(|target| menu.contains(Some(&target))));
        if !is_inside {
            on_close.try_run(());
        }
    };
    view! {
        <div
            node_ref=node
            class="menu"
            popover="manual"
            style:left=move || format!("{}px", corner.get().0)
            style:top=move || format!("{}px", corner.get().1)
            on:keydown=on_key
            on:focusout=on_focusout
        >
            <div class="menu-title" aria-hidden="true">{title.clone()}</div>
            <div role="menu" aria-label=title>
                {items
                    .into_iter()
                    .enumerate()
                    .map(|(index, item)| item_view(index, item, cursor, on_choose))
                    .collect_view()}
            </div>
        </div>
    }
    .into_any()
}

fn item_view(
    index: usize,
    item: MenuItem,
    cursor: RwSignal<usize>,
    on_choose: Callback<usize>,
) -> AnyView {
    // The note describes the item and is not part of its name.
    let (name, note_id) = match item.note {
        "" => (None, None),
        _ => (Some(item.label.clone()), Some(dom::fresh_id("menu-note"))),
    };
    let note = note_id
        .clone()
        .map(|id| view! { <span class="menu-item-note" id=id>{item.note}</span> });
    view! {
        <button
            type="button"
            role=if item.is_checked.is_some() { "menuitemcheckbox" } else { "menuitem" }
            aria-checked=move || item.is_checked.map(|is_checked| is_checked.get().to_string())
            class="menu-item"
            aria-label=name
            aria-describedby=note_id
            tabindex=move || if cursor.get() == index { "0" } else { "-1" }
            on:focus=move |_| cursor.set(index)
            on:click=move |_| on_choose.run(index)
        >
            <span>{item.label}</span>
            {(!item.keys.is_empty()).then(|| view! { <kbd aria-hidden="true">{item.keys}</kbd> })}
            {note}
        </button>
    }
    .into_any()
}

fn item_for_key(key: &str, current: usize, labels: &[String]) -> Option<usize> {
    next_item(key, Some(current), labels.len(), Axis::Vertical)
        .or_else(|| find_by_letter(key, Some(current), labels))
}

fn focus_item(menu: &web_sys::HtmlElement, index: usize) {
    if let Some(item) = dom::elements_in(menu, "[role^=menuitem]").get(index) {
        dom::focus(item);
    }
}

/// Returns the corner of a menu of `size` that keeps it inside the window.
fn fit_in_window(position: MenuPosition, size: (f64, f64), window: (f64, f64)) -> (i32, i32) {
    let fit = |start: i32, length: f64, room: f64| {
        f64::from(start).min(room - length - MARGIN).max(MARGIN) as i32
    };
    let (left, top) = position.corner;
    let is_too_low = f64::from(top) + size.1 + MARGIN > window.1;
    let top = position
        .bottom
        .map(|bottom| bottom - size.1 as i32)
        .filter(|top| is_too_low && f64::from(*top) >= MARGIN)
        .unwrap_or(top);
    (fit(left, size.0, window.0), fit(top, size.1, window.1))
}

/// `items` is called when the menu opens; `on_choose` gets the index into these items.
#[component]
pub fn MenuButton(
    label: &'static str,
    /// The menu's name, if it differs from the button's.
    #[prop(default = label)]
    menu: &'static str,
    #[prop(default = "button")] class: &'static str,
    #[prop(optional)] tip: Option<&'static str>,
    /// The number of active choices, shown on the button unless it is 0.
    #[prop(optional)]
    count: Option<Signal<usize>>,
    items: Callback<(), Vec<MenuItem>>,
    #[prop(into)] on_choose: Callback<usize>,
) -> impl IntoView {
    let position = RwSignal::new(None::<MenuPosition>);
    let opener = NodeRef::<html::Button>::new();
    // A press on the button takes the focus from an open menu, which closes it; the same press must
    // not reopen it.
    let pressed_open = StoredValue::new(false);
    // Whether each item of the open menu is a checkbox.
    let checkboxes = StoredValue::new(Vec::new());
    let open = move |focuses_last: bool| {
        let rect = opener
            .get_untracked()
            .map(|button| button.get_bounding_client_rect());
        position.set(rect.map(|rect| MenuPosition {
            corner: (rect.left() as i32, rect.bottom() as i32 + GAP),
            bottom: Some(rect.top() as i32 - GAP),
            focuses_last,
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
        if checkboxes.with_value(|checkboxes: &Vec<bool>| checkboxes.get(index) != Some(&true)) {
            position.set(None);
        }
        on_choose.run(index);
    };
    view! {
        <button
            type="button"
            class=class
            title=tip
            node_ref=opener
            aria-haspopup="menu"
            aria-expanded=move || position.with(Option::is_some).to_string()
            on:pointerdown=move |_| pressed_open.set_value(position.with_untracked(Option::is_some))
            on:click=on_click
            on:keydown=on_key
        >
            {label}
            {move || {
                let count = count.map_or(0, |count| count.get());
                (count > 0).then(|| {
                    view! { <span class="chip-count">{count}<span class="visually-hidden">" active"</span></span> }
                })
            }}
            <Glyph icon=Icon::ChevronDown/>
        </button>
        {move || {
            position
                .get()
                .map(|open_position| {
                    let close = move |()| {
                        position.try_set(None);
                    };
                    let items = items.run(());
                    checkboxes.set_value(items.iter().map(|item| item.is_checked.is_some()).collect());
                    view! {
                        <ContextMenu title=menu.to_owned() items position=open_position on_choose=choose on_close=close/>
                    }
                })
        }}
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::{MenuPosition, fit_in_window};
    #[test]
    fn a_menu_at_the_edge_stays_in_view() {
        let kept =
            |at, height| fit_in_window(MenuPosition::at(at), (200.0, height), (1000.0, 800.0));
        assert_eq!(kept((100, 100), 300.0), (100, 100));
        assert_eq!(kept((990, 790), 300.0), (792, 492));
        assert_eq!(kept((5, 5), 900.0), (8, 8));
    }

    #[test]
    fn the_menu_of_a_button_does_not_cover_it() {
        let place = |bottom: i32, above: i32| MenuPosition {
            corner: (100, bottom),
            bottom: Some(above),
            focuses_last: false,
        };
        let kept = |place| fit_in_window(place, (200.0, 300.0), (1000.0, 800.0));
        assert_eq!(kept(place(134, 96)), (100, 134), "below, where it fits");
        assert_eq!(kept(place(774, 736)), (100, 436), "else above");
        assert_eq!(
            kept(place(574, 200)),
            (100, 492),
            "and where it fits nowhere, inside the window"
        );
    }
}
