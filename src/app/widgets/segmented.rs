//! A choice of a few, side by side (APG *Radio group*). The group's name finds it for assistive
//! technology.
//!
//! | key | does |
//! |---|---|
//! | Left, Right | chooses the previous and the next, wrapping around |
//! | Space, Enter | chooses the focused |

use super::dom;
use super::list_cursor::{Axis, next_item};
use leptos::prelude::*;

/// `options` are pairs of key and visible name.
#[component]
pub fn Segmented(
    /// Name of the group.
    label: &'static str,
    /// What the choice concerns, as a tooltip and a description.
    #[prop(optional)]
    hint: &'static str,
    options: &'static [(&'static str, &'static str)],
    #[prop(into)] selected: Signal<&'static str>,
    #[prop(into)] on_select: Callback<&'static str>,
) -> impl IntoView {
    let prefix = dom::fresh_id("segment");
    let on_key = {
        let prefix = prefix.clone();
        move |event: web_sys::KeyboardEvent| {
            let at = options
                .iter()
                .position(|(key, _)| *key == selected.get_untracked());
            if let Some((key, _)) = next_item(&event.key(), at, options.len(), Axis::Horizontal)
                .and_then(|index| options.get(index))
            {
                event.prevent_default();
                on_select.run(key);
                dom::focus_id_later(format!("{prefix}-{key}"));
            }
        }
    };
    view! {
        <div class="segments-group" role="group" aria-label=label>
        <div
            class="segments"
            role="radiogroup"
            aria-label=label
            aria-description=(!hint.is_empty()).then_some(hint)
            title=(!hint.is_empty()).then_some(hint)
            on:keydown=on_key
        >
            {options
                .iter()
                .map(|(key, name)| {
                    let is_selected = move || selected.get() == *key;
                    view! {
                        <button
                            type="button"
                            role="radio"
                            class="segment"
                            id=format!("{prefix}-{key}")
                            aria-checked=move || is_selected().to_string()
                            tabindex=move || if is_selected() { "0" } else { "-1" }
                            on:click=move |_| on_select.run(key)
                        >
                            {*name}
                        </button>
                    }
                })
                .collect_view()}
        </div>
        </div>
    }
    .into_any()
}
