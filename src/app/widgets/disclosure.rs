//! Content that opens below its button (APG *Disclosure*) and is scrolled into view. Unlike
//! `<details>` it has no group role, because groups have a meaning in our lists.
//!
//! | key | does |
//! |---|---|
//! | Enter, Space | opens and closes it |

use super::dom;
use super::icon::{Glyph, Icon};
use leptos::prelude::*;

#[component]
pub fn Disclosure(
    /// Class of the wrapper.
    class: &'static str,
    /// Content of the button.
    label: AnyView,
    /// Whether it is open initially.
    #[prop(optional)]
    open: bool,
    children: Children,
) -> impl IntoView {
    let is_open = RwSignal::new(open);
    let id = dom::fresh_id("disclosure");
    let (body, whole) = (id.clone(), format!("{id}-whole"));
    let opened = whole.clone();
    let press = move |_| {
        is_open.update(|open| *open = !*open);
        if is_open.get_untracked() {
            let opened = opened.clone();
            // After it has its height.
            request_animation_frame(move || dom::reveal(&opened));
        }
    };
    view! {
        <div class=class id=whole data-open=move || is_open.get().to_string()>
            <button
                type="button"
                class="disclosure"
                aria-expanded=move || is_open.get().to_string()
                aria-controls=id
                on:click=press
            >
                {move || {
                    let icon = if is_open.get() { Icon::ChevronUp } else { Icon::ChevronDown };
                    view! { <Glyph icon/> }
                }}
                <span>{label}</span>
            </button>
            <div class="disclosure-body" id=body hidden=move || !is_open.get()>{children()}</div>
        </div>
    }
    .into_any()
}
