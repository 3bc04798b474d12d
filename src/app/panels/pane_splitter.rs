//! The splitters between panels.

use crate::context::{Workbench, app_context};
use crate::state::panel_layout::Pane;
use crate::widgets::splitter::{Edge, Splitter};
use leptos::prelude::*;

/// The width of a panel for the style sheet; `None` for the default, which depends on the window.
pub fn pane_width(
    workbench: Workbench,
    pane: Pane,
) -> impl Fn() -> Option<String> + Send + Sync + 'static {
    move || {
        workbench
            .frame()
            .with(|frame| frame.extent(pane).size.map(|size| format!("{size}px")))
    }
}

#[component]
pub fn PaneSplitter(pane: Pane) -> impl IntoView {
    let app = app_context();
    let (label, controls, edge) = match pane {
        Pane::Side => ("Width of packages", "pane-side", Edge::Right),
        Pane::Inspector => ("Width of the inspector", "pane-inspector", Edge::Left),
        Pane::Below => ("Height of problems", "pane-below", Edge::Top),
    };
    view! {
        <Splitter
            label=label
            controls=controls
            edge=edge
            bounds=pane.bounds()
            size=Signal::derive(move || app.workbench.frame().with(|frame| frame.size(pane)))
            is_away=Signal::derive(move || app.workbench.frame().with(|frame| frame.is_away(pane)))
            on_resize=move |wish| app.workbench.resize(pane, wish)
            on_done=move |()| app.workbench.keep_frame()
        />
    }
    .into_any()
}
