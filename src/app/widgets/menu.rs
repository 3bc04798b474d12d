//! A context menu (APG *Menu*).
//!
//! | key | does |
//! |---|---|
//! | Down, Up | next and previous item, going round |
//! | Home, End | first and last item |
//! | a letter | the next item that begins with it |
//! | Enter, Space | chooses the item and closes |
//! | Escape, Tab | closes; focus returns |

use super::dom;
use super::list_cursor::{Axis, moved, typed};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MenuItem {
    pub label: String,
    pub keys: &'static str,
}

/// `at` is where it was asked for, in pixels of the window. `on_choose` gets the index of the item.
#[component]
pub fn ContextMenu(
    title: String,
    items: Vec<MenuItem>,
    at: (i32, i32),
    #[prop(into)] on_choose: Callback<usize>,
    #[prop(into)] on_close: Callback<()>,
) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let came_from = StoredValue::new_local(dom::origin());
    let labels: Vec<String> = items.iter().map(|item| item.label.clone()).collect();
    // Follows the focus, whoever moved it: the keys below, a screen reader, a finger.
    let cursor = RwSignal::new(0usize);
    let place = RwSignal::new(at);

    Effect::new(move |_| {
        let Some(menu) = node.get() else { return };
        let size = menu.get_bounding_client_rect();
        place.set(kept_inside(at, (size.width(), size.height()), window_size()));
        focus_item(&menu, 0);
    });
    on_cleanup(move || {
        came_from.try_with_value(|origin| origin.as_ref().map(dom::Origin::give_back));
    });

    let on_key = move |event: web_sys::KeyboardEvent| {
        let key = event.key();
        if key == "Escape" || key == "Tab" {
            event.prevent_default();
            on_close.run(());
            return;
        }
        // A key of the browser is no letter of a name.
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            event.stop_propagation();
            return;
        }
        let at = Some(cursor.get_untracked());
        if let Some(index) = moved(&key, at, labels.len(), Axis::Vertical).or_else(|| typed(&key, at, &labels)) {
            event.prevent_default();
            if let Some(menu) = node.get_untracked() {
                focus_item(&menu, index);
            }
        }
        event.stop_propagation();
    };
    // The focus also leaves a menu that is being taken away, with its signals gone.
    let on_focusout = move |event: web_sys::FocusEvent| {
        let Some(menu) = node.try_get_untracked() else { return };
        let inside = event
            .related_target()
            .and_then(|target| target.dyn_into::<web_sys::Node>().ok())
            .zip(menu)
            .is_some_and(|(target, menu)| menu.contains(Some(&target)));
        if !inside {
            on_close.try_run(());
        }
    };
    view! {
        <div
            node_ref=node
            class="menu"
            style:left=move || format!("{}px", place.get().0)
            style:top=move || format!("{}px", place.get().1)
            on:keydown=on_key
            on:focusout=on_focusout
        >
            <div class="menu-title" aria-hidden="true">{title.clone()}</div>
            <div role="menu" aria-label=title>
                {items
                    .into_iter()
                    .enumerate()
                    .map(|(index, item)| {
                        view! {
                            <button
                                type="button"
                                role="menuitem"
                                class="menu-item"
                                tabindex=move || if cursor.get() == index { "0" } else { "-1" }
                                on:focus=move |_| cursor.set(index)
                                on:click=move |_| on_choose.run(index)
                            >
                                <span>{item.label}</span>
                                {(!item.keys.is_empty()).then(|| view! { <kbd aria-hidden="true">{item.keys}</kbd> })}
                            </button>
                        }
                    })
                    .collect_view()}
            </div>
        </div>
    }
    .into_any()
}

fn focus_item(menu: &web_sys::HtmlElement, index: usize) {
    let items = menu.query_selector_all("[role=menuitem]").ok();
    let item = items.and_then(|items| items.get(index as u32)).and_then(|item| item.dyn_into().ok());
    item.as_ref().map(dom::focus);
}

fn window_size() -> (f64, f64) {
    let side = |value: Result<wasm_bindgen::JsValue, _>| value.ok().and_then(|value| value.as_f64()).unwrap_or(0.0);
    (side(window().inner_width()), side(window().inner_height()))
}

/// Moves a box of `size` at `at` so that it stays inside a window, eight pixels from its edge.
fn kept_inside(at: (i32, i32), size: (f64, f64), window: (f64, f64)) -> (i32, i32) {
    let fit = |start: i32, length: f64, room: f64| (start as f64).min(room - length - 8.0).max(8.0) as i32;
    (fit(at.0, size.0, window.0), fit(at.1, size.1, window.1))
}

#[cfg(test)]
mod tests {
    use super::kept_inside;

    #[test]
    fn a_menu_at_the_edge_stays_in_view() {
        assert_eq!(kept_inside((100, 100), (200.0, 300.0), (1000.0, 800.0)), (100, 100));
        assert_eq!(kept_inside((990, 790), (200.0, 300.0), (1000.0, 800.0)), (792, 492));
        assert_eq!(kept_inside((5, 5), (200.0, 900.0), (1000.0, 800.0)), (8, 8));
    }
}
