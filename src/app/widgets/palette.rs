//! A search with a list of results (APG *Combobox* with an always open list, in a dialog).
//!
//! | key | effect |
//! |---|---|
//! | letters | search |
//! | Down, Up | next and previous result, wrapping around |
//! | Page down, Page up | ten results forward or back |
//! | Enter | chooses; during a search, its first result when it arrives |
//! | Escape | closes |

use super::cursors::{Axis, next_item};
use super::dialog::Dialog;
use super::label_match::{Mark, split_at_marks};
use super::short_text::cut_text;
use super::{announce, dom};
use crate::reactive::{effect, spawn_local};
use crate::widgets::dom::field_text;
use leptos::html;
use leptos::prelude::*;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PaletteItem {
    pub label: String,
    /// The typed parts of the label, in order.
    pub marks: Vec<Mark>,
    /// The kind of the result in one word.
    pub kind: String,
    pub detail: String,
    pub keys: String,
    /// The heading of the result's group; "" for none.
    pub group: String,
}

impl PaletteItem {
    /// Returns the accessible name: the visible texts, separated by commas.
    fn name(&self) -> String {
        let parts = [&self.label, &self.kind, &self.detail, &self.keys];
        parts
            .into_iter()
            .filter(|part| !part.is_empty())
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// Results per Page down.
const PAGE: usize = 10;
/// Number of results drawn initially, more than are visible; further ones are drawn when scrolled
/// to.
const DRAWN: usize = 20;
/// Distance from the end of the list, in pixels, at which further results are drawn.
const AHEAD: i32 = 120;

/// `items` are the results for `text`; more may follow while `is_busy`. `on_choose` gets the index
/// of a pressed result, `on_enter` that of one chosen with Enter (0 if there is none yet).
#[component]
pub fn Palette(
    title: &'static str,
    placeholder: &'static str,
    text: RwSignal<String>,
    items: Signal<Vec<PaletteItem>>,
    #[prop(into)] is_busy: Signal<bool>,
    /// Summarizes the results, announced.
    count: Signal<String>,
    #[prop(into)] on_choose: Callback<usize>,
    #[prop(into)] on_enter: Callback<usize>,
    #[prop(into)] on_close: Callback<()>,
) -> impl IntoView {
    let node = NodeRef::<html::Input>::new();
    let list_id = dom::fresh_id("palette");
    let cursor = RwSignal::new(0usize);
    let drawn = RwSignal::new(DRAWN);
    let option_id = {
        let list_id = list_id.clone();
        move |index: usize| format!("{list_id}-{index}")
    };

    effect({
        let option_id = option_id.clone();
        move |_| {
            let current = cursor.get();
            if current + PAGE > drawn.get_untracked() {
                drawn.set(current + PAGE);
            }
            let option = option_id(current);
            // Scroll only once the option is drawn.
            spawn_local(async move { dom::reveal(&option) });
        }
    });
    let on_scroll = move |event: web_sys::Event| {
        let list = event_target::<web_sys::Element>(&event);
        let below = list.scroll_height() - list.scroll_top() - list.client_height();
        if below < AHEAD && drawn.get_untracked() < items.with_untracked(Vec::len) {
            drawn.update(|drawn| *drawn += DRAWN);
        }
    };

    let on_key = move |event: web_sys::KeyboardEvent| {
        // An input method handles these keys.
        if event.is_composing() {
            return;
        }
        let (key, count) = (event.key(), items.with_untracked(Vec::len));
        let current = cursor.get_untracked().min(count.saturating_sub(1));
        match key.as_str() {
            "ArrowDown" | "ArrowUp" => {
                cursor.set(next_item(&key, Some(current), count, Axis::Vertical).unwrap_or(0));
            }
            "PageDown" => cursor.set((current + PAGE).min(count.saturating_sub(1))),
            "PageUp" => cursor.set(current.saturating_sub(PAGE)),
            "Enter" => on_enter.run(current),
            _ => return,
        }
        event.prevent_default();
    };

    let active = {
        let option_id = option_id.clone();
        move || {
            let count = items.with(Vec::len);
            (count > 0).then(|| option_id(cursor.get().min(count - 1)))
        }
    };
    let summary = move || {
        if is_busy.get() {
            "Searching…".to_owned()
        } else {
            count.get()
        }
    };
    announce::follow(summary);
    view! {
        <Dialog title=title on_close=on_close bare=true closes_outside=true>
            // `autofocus`: the dialog focuses it when it opens.
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
                use:field_text=Signal::from(text)
                on:input=move |event| {
                    cursor.set(0);
                    drawn.set(DRAWN);
                    text.set(event_target_value(&event));
                }
                on:keydown=on_key
            />
            <ul class="palette-list" role="listbox" aria-label="Results" id=list_id.clone() tabindex="-1" on:scroll=on_scroll>
                {move || {
                    let (items, drawn) = (items.get(), drawn.get());
                    let all = items.len();
                    let option_id = option_id.clone();
                    let mut last_group = String::new();
                    let option = move |(index, item): (usize, PaletteItem)| {
                        let (name, label) = (item.name(), render_label(&item));
                        let group = (item.group != last_group).then(|| item.group.clone());
                        last_group.clone_from(&item.group);
                        view! {
                            {group.map(|group| view! { <li role="presentation" class="palette-group">{group}</li> })}
                            <li
                                role="option"
                                class="palette-item"
                                id=option_id(index)
                                aria-label=name
                                aria-setsize=all
                                aria-posinset=index + 1
                                aria-selected=move || (cursor.get() == index).to_string()
                                on:mousemove=move |_| if cursor.get_untracked() != index { cursor.set(index) }
                                on:mousedown=move |event| event.prevent_default()
                                on:click=move |_| on_choose.run(index)
                            >
                                <span class="palette-label" title=item.label.clone()>{label}</span>
                                <span class="palette-detail">{cut_text(&item.detail)}</span>
                                <span class="palette-kind">{item.kind}</span>
                                {(!item.keys.is_empty()).then(|| view! { <kbd>{item.keys}</kbd> })}
                            </li>
                        }
                    };
                    items.into_iter().enumerate().take(drawn).map(option).collect_view()
                }}
            </ul>
            <p class="palette-found">
                {summary}
            </p>
        </Dialog>
    }
    .into_any()
}

/// Renders the label with the typed parts marked.
fn render_label(item: &PaletteItem) -> impl IntoView + use<> {
    let part = |(text, is_marked): (String, bool)| {
        if is_marked {
            view! { <mark class="palette-mark">{text}</mark> }.into_any()
        } else {
            text.into_any()
        }
    };
    split_at_marks(&item.label, &item.marks)
        .into_iter()
        .map(part)
        .collect_view()
}
