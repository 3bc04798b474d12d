//! In a narrow window: a button per panel, which opens it over the center.

use crate::context::{app_context, drawer_button};
use crate::state::panel_layout::Pane;
use leptos::prelude::*;

#[component]
pub fn Drawers() -> impl IntoView {
    let app = app_context();
    let problems = move || app.store.problems.with(Vec::len);
    view! {
        <nav class="drawers" aria-label="Panels">
            {Pane::EACH
                .into_iter()
                .map(|pane| {
                    let label = match pane {
                        Pane::Side => "Packages",
                        Pane::Inspector => "Inspector",
                        Pane::Below => "Problems",
                    };
                    let is_over = move || app.workbench.drawer().get() == Some(pane);
                    view! {
                        <button
                            type="button"
                            class="drawer-button"
                            id=drawer_button(pane)
                            aria-expanded=move || is_over().to_string()
                            on:click=move |_| app.workbench.toggle_pane(pane)
                        >
                            {label}
                            {(pane == Pane::Below)
                                .then(|| view! { <span class="chip-count">{move || format!(" {}", problems())}</span> })}
                        </button>
                    }
                })
                .collect_view()}
        </nav>
    }
    .into_any()
}
