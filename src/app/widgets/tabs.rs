//! A row of tabs (APG *Tabs*, activated with the focus).
//!
//! | key | effect |
//! |---|---|
//! | Left, Right | previous and next tab, wrapping around |
//! | Home, End | first and last tab |
//! | Tab | leaves the row |

use super::buttons::{spoken_keys, with_keys};
use super::cursors::{Axis, next_item};
use super::dom;
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
    #[prop(optional)]
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
