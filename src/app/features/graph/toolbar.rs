//! Folding, channels and exports above the graph, zoom and fit below it. Plain buttons; each has its key in the graph.

use super::channel_chooser::Channels;
use super::exports::Exports;
use super::minimap::Toggle as MinimapToggle;
use super::{GraphContext, fit, overview, zoom};
use crate::reactive::memo;
use leptos::prelude::*;
use protocol::lanes::Zoom;

#[component]
pub(super) fn Toolbar(shared: GraphContext, fold: Signal<bool>, on_fold: Callback<bool>) -> impl IntoView {
    let far = memo(move |_| shared.lanes.with(|l| l.zoom == Zoom::Far));
    view! {
        <div class="graph-tools" role="group" aria-label="View of the graph">
            <button type="button" class="tool" aria-pressed=move || fold.get().to_string() title="Fold older versions and long chains into stacks"
                on:click=move |_| on_fold.run(!fold.get_untracked())>
                "Fold z-streams"
                <span class="tool-state" aria-hidden="true">{move || if fold.get() { " ✓" } else { "" }}</span>
            </button>
            <Channels shared/>
            <button type="button" class="tool" aria-pressed=move || far.get().to_string() title="Zoom out to the whole package (O)"
                on:click=move |_| overview(shared)>"Overview"</button>
            <Exports shared/>
        </div>
    }
    .into_any()
}

/// Beside the legend.
#[component]
pub(super) fn ZoomTools(shared: GraphContext) -> impl IntoView {
    let percent = move || format!("{:.0} %", shared.scale.get() * 100.0);
    view! {
        <div class="graph-zoom" role="group" aria-label="Zoom">
            <button type="button" class="tool" title="Fit the graph (F)" on:click=move |_| { fit(shared); }>"Fit"</button>
            <MinimapToggle shared/>
            <button type="button" class="tool" aria-label="Zoom out" title="Zoom out (-)" on:click=move |_| { zoom(shared, 0.8); }>"−"</button>
            <button type="button" class="tool tool-percent" aria-label=move || format!("Natural size, now {}", percent()) title="Natural size (0)"
                on:click=move |_| { zoom(shared, 1.0 / shared.view.get_untracked().scale); }>{percent}</button>
            <button type="button" class="tool" aria-label="Zoom in" title="Zoom in (+)" on:click=move |_| { zoom(shared, 1.25); }>"+"</button>
        </div>
    }
    .into_any()
}
