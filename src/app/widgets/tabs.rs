//! Rows of tabs (APG *Tabs*, activated with the focus): [`TabRow`] with fixed tabs, and
//! [`ClosableTabs`], which the user opens and closes.
//!
//! | key | effect |
//! |---|---|
//! | Left, Right | previous and next tab, wrapping around |
//! | Home, End | first and last tab |
//! | Delete | closes a closable tab, like a middle click |
//! | Tab | leaves the row |

use super::buttons::{spoken_keys, with_keys};
use super::cursors::{Axis, next_item};
use super::dom;
use crate::reactive::memo;
use leptos::prelude::*;

/// One tab. Its element has the id `PREFIX-tab-KEY`, and its panel must have the id
/// `PREFIX-panel-KEY`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tab {
    pub key: &'static str,
    pub label: &'static str,
    /// The keys that open it from anywhere; "" for none.
    pub keys: &'static str,
}

#[component]
pub fn TabRow(
    /// Name of the tab list.
    label: &'static str,
    /// Prefix of the ids.
    prefix: &'static str,
    tabs: &'static [Tab],
    #[prop(into)] selected: Signal<&'static str>,
    #[prop(into)] on_select: Callback<&'static str>,
    /// A count for each tab, by key; `None` for no count.
    #[prop(optional, into)]
    count: Option<Callback<&'static str, Option<u32>>>,
) -> impl IntoView {
    let on_key = move |event: web_sys::KeyboardEvent| {
        let current = tabs
            .iter()
            .position(|tab| tab.key == selected.get_untracked());
        if let Some(tab) = next_item(&event.key(), current, tabs.len(), Axis::Horizontal)
            .and_then(|index| tabs.get(index))
        {
            event.prevent_default();
            on_select.run(tab.key);
            dom::focus_id_later(format!("{prefix}-tab-{}", tab.key));
        }
    };
    view! {
        <div class="tabs" role="tablist" aria-label=label on:keydown=on_key>
            {tabs
                .iter()
                .map(|tab| {
                    let key = tab.key;
                    let is_selected = move || selected.get() == key;
                    view! {
                        <button
                            type="button"
                            role="tab"
                            class="tab"
                            id=format!("{prefix}-tab-{key}")
                            aria-controls=move || is_selected().then(|| format!("{prefix}-panel-{key}"))
                            aria-keyshortcuts=spoken_keys(tab.keys)
                            title=with_keys(tab.label, tab.keys)
                            aria-selected=move || is_selected().to_string()
                            tabindex=move || if is_selected() { "0" } else { "-1" }
                            on:click=move |_| on_select.run(key)
                        >
                            {tab.label}
                            {move || {
                                let count = count.and_then(|count| count.run(key));
                                count.map(|count| view! { " " <span class="tab-count">{count}</span> })
                            }}
                        </button>
                    }
                })
                .collect_view()}
        </div>
    }
    .into_any()
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ClosableTab {
    pub id: u32,
    pub label: String,
    pub hint: String,
}

fn element_id(id: u32) -> String {
    format!("closable-tab-{id}")
}

/// `label` names the row, `controls` is the id of the panel that all tabs share, `marked` lists the
/// tabs with a dot, which is announced as `mark`. If a key closed a tab, the tab that `selected`
/// names after `on_close` gets the focus.
#[component]
pub fn ClosableTabs(
    label: &'static str,
    controls: &'static str,
    #[prop(into)] tabs: Signal<Vec<ClosableTab>>,
    #[prop(into)] selected: Signal<u32>,
    mark: &'static str,
    #[prop(into)] marked: Signal<Vec<u32>>,
    /// The tab that is visible beside the selected one.
    #[prop(into)]
    second: Signal<Option<u32>>,
    #[prop(into)] on_select: Callback<u32>,
    #[prop(into)] on_close: Callback<u32>,
) -> impl IntoView {
    let on_key = move |event: web_sys::KeyboardEvent| {
        let current = selected.get_untracked();
        if event.key() == "Delete" {
            event.prevent_default();
            // Elsewhere the key may be a command.
            event.stop_propagation();
            on_close.run(current);
            // A row with a single tab disappears: its owner moves the focus.
            if tabs.with_untracked(Vec::len) > 1 {
                dom::focus_id(&element_id(selected.get_untracked()));
            }
            return;
        }
        let ids: Vec<u32> = tabs.with_untracked(|tabs| tabs.iter().map(|tab| tab.id).collect());
        let index = ids.iter().position(|id| *id == current);
        if let Some(id) = next_item(&event.key(), index, ids.len(), Axis::Horizontal)
            .and_then(|next| ids.get(next))
        {
            event.prevent_default();
            dom::focus_id(&element_id(*id));
            on_select.run(*id);
        }
    };
    view! {
        <div class="closable-tabs" role="tablist" aria-label=label on:keydown=on_key>
            <For each=move || tabs.get() key=|tab| tab.clone() let:tab>
                {
                    let ClosableTab { id, label, hint } = tab;
                    let is_selected = move || selected.get() == id;
                    let is_second = memo(move |_| second.get() == Some(id));
                    let is_marked = move || marked.with(|marked| marked.contains(&id));
                    view! {
                        <button
                            type="button"
                            role="tab"
                            class="closable-tab"
                            id=element_id(id)
                            title=hint
                            data-second=move || is_second.get().to_string()
                            aria-controls=move || is_selected().then_some(controls)
                            aria-selected=move || is_selected().to_string()
                            aria-keyshortcuts="Delete"
                            tabindex=move || if is_selected() { "0" } else { "-1" }
                            on:click=move |_| on_select.run(id)
                            on:auxclick=move |event| {
                                if event.button() == 1 {
                                    event.prevent_default();
                                    on_close.run(id);
                                }
                            }
                        >
                            <span class="closable-tab-label">{label}</span>
                            <span class="visually-hidden">{move || if is_second.get() { ", shown beside" } else { "" }}</span>
                            {move || {
                                is_marked()
                                    .then(|| {
                                        view! {
                                            <span class="closable-tab-mark" title=mark>
                                                <span class="visually-hidden">{mark}</span>
                                            </span>
                                        }
                                    })
                            }}
                            // For the pointer only, because a tab may contain no other control; the
                            // keyboard has Delete.
                            <span
                                class="closable-tab-close"
                                aria-hidden="true"
                                on:click=move |event| {
                                    event.stop_propagation();
                                    on_close.run(id);
                                }
                            >
                                "×"
                            </span>
                        </button>
                    }
                }
            </For>
        </div>
    }
    .into_any()
}
