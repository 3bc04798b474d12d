//! Search, then choose (APG *Combobox* with its list always open, in a dialog).
//!
//! | key | does |
//! |---|---|
//! | letters | search |
//! | Down, Up | next and previous, going round |
//! | Enter | chooses |
//! | Escape | closes |

use super::dialog::Dialog;
use super::dom;
use super::list_cursor::{Axis, moved};
use leptos::html;
use leptos::prelude::*;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PaletteItem {
    pub label: String,
    pub detail: String,
    pub keys: String,
}

/// `items` answer `text`; `on_choose` gets the index of one.
#[component]
pub fn Palette(
    title: &'static str,
    placeholder: &'static str,
    text: RwSignal<String>,
    #[prop(into)] items: Signal<Vec<PaletteItem>>,
    #[prop(into)] on_choose: Callback<usize>,
    #[prop(into)] on_close: Callback<()>,
) -> impl IntoView {
    let node = NodeRef::<html::Input>::new();
    let list_id = dom::fresh_id("palette");
    let cursor = RwSignal::new(0usize);
    let option_id = {
        let list_id = list_id.clone();
        move |index: usize| format!("{list_id}-{index}")
    };

    Effect::new(move |_| {
        if let Some(input) = node.get() {
            request_animation_frame(move || dom::focus(&input));
        }
    });
    Effect::new({
        let option_id = option_id.clone();
        move |_| dom::reveal(&option_id(cursor.get()))
    });

    let on_key = move |event: web_sys::KeyboardEvent| match event.key().as_str() {
        key @ ("ArrowDown" | "ArrowUp") => {
            event.prevent_default();
            let count = items.with(Vec::len);
            cursor.set(moved(key, Some(cursor.get_untracked()), count, Axis::Vertical).unwrap_or(0));
        }
        "Enter" => {
            event.prevent_default();
            let index = cursor.get_untracked();
            if index < items.with(Vec::len) {
                on_choose.run(index);
            }
        }
        _ => {}
    };

    let active = {
        let option_id = option_id.clone();
        move || items.with(|items| !items.is_empty()).then(|| option_id(cursor.get()))
    };
    view! {
        <Dialog title=title on_close=on_close bare=true light=true>
            <input
                node_ref=node
                class="palette-input"
                type="text"
                role="combobox"
                autofocus
                autocomplete="off"
                spellcheck="false"
                aria-label=title
                aria-expanded="true"
                aria-autocomplete="list"
                aria-controls=list_id.clone()
                aria-activedescendant=active
                placeholder=placeholder
                prop:value=move || text.get()
                on:input=move |event| {
                    cursor.set(0);
                    text.set(event_target_value(&event));
                }
                on:keydown=on_key
            />
            <ul class="palette-list" role="listbox" aria-label="Results" id=list_id.clone() tabindex="-1">
                {move || {
                    let option_id = option_id.clone();
                    items
                        .get()
                        .into_iter()
                        .enumerate()
                        .map(|(index, item)| {
                            view! {
                                <li
                                    role="option"
                                    class="palette-item"
                                    id=option_id(index)
                                    aria-selected=move || (cursor.get() == index).to_string()
                                    on:mousemove=move |_| if cursor.get_untracked() != index { cursor.set(index) }
                                    on:mousedown=move |event| event.prevent_default()
                                    on:click=move |_| on_choose.run(index)
                                >
                                    <span class="palette-label">{item.label}</span>
                                    <span class="palette-detail">{item.detail}</span>
                                    {(!item.keys.is_empty()).then(|| view! { <kbd>{item.keys}</kbd> })}
                                </li>
                            }
                        })
                        .collect_view()
                }}
            </ul>
            <p class="palette-empty" role="status" hidden=move || items.with(|items| !items.is_empty())>
                {move || if items.with(Vec::is_empty) { "Nothing found" } else { "" }}
            </p>
        </Dialog>
    }
    .into_any()
}
