//! Folding, channels and exports above the graph, zoom and fit below it. Plain buttons; each has a
//! key in the graph.
//!
//! *Export…* in the toolbar: requests the graph as a file; the owner of the graph creates it.

use super::channel_lanes::Channels;
use super::minimap::Toggle as MinimapToggle;
use super::{GraphContext, GraphEvent, fit, overview, zoom};
use crate::reactive::memo;
use crate::widgets::menu::{MenuButton, MenuItem};
use leptos::prelude::*;
use protocol::lanes::{Lanes, Zoom};
use protocol::request::{GraphFormat, LaneOptions};

/// Whether older versions and long chains are folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Folding {
    Off,
    #[default]
    On,
    /// Enabled, but there is nothing to fold.
    Nothing,
}

impl Folding {
    /// From the requested and received lanes.
    pub fn new(options: &LaneOptions, lanes: &Lanes) -> Self {
        let by_hand = !(options.toggled_streams.is_empty() && options.unfolded.is_empty());
        let is_any =
            by_hand || !lanes.chains.is_empty() || lanes.streams.iter().any(|stream| stream.folded);
        match (options.fold, is_any) {
            (false, _) => Folding::Off,
            (true, true) => Folding::On,
            (true, false) => Folding::Nothing,
        }
    }
}

#[component]
pub(super) fn Toolbar(
    shared: GraphContext,
    fold: Signal<Folding>,
    on_fold: Callback<bool>,
) -> impl IntoView {
    let far = memo(move |_| shared.lanes.with(|l| l.zoom == Zoom::Far));
    let why = move || match (fold.get(), far.get()) {
        (Folding::Nothing, true) => "Nothing to fold: seen from far, all versions are dots",
        (Folding::Nothing, false) => {
            "Nothing to fold: there are too few older versions, and no long chain"
        }
        _ => "Fold older versions and long chains into stacks",
    };
    let press = move |_| {
        if fold.get_untracked() != Folding::Nothing {
            on_fold.run(fold.get_untracked() == Folding::Off);
        }
    };
    view! {
        <div class="graph-tools" role="group" aria-label="View of the graph">
            <button type="button" class="tool"
                aria-pressed=move || (fold.get() == Folding::On).to_string()
                aria-disabled=move || (fold.get() == Folding::Nothing).to_string()
                data-tells=move || (fold.get() == Folding::Nothing).then_some("")
                title=why
                on:click=press>
                "Fold z-streams"
                <span class="tool-state" aria-hidden="true">{move || if fold.get() == Folding::On { " ✓" } else { "" }}</span>
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

const FORMS: [(&str, GraphEvent); 6] = [
    ("Picture (SVG)", GraphEvent::Export(GraphFormat::Svg)),
    ("Picture (PNG, 2x)", GraphEvent::ExportPixels),
    ("Mermaid", GraphEvent::Export(GraphFormat::Mermaid)),
    (
        "Mermaid as opm writes it",
        GraphEvent::Export(GraphFormat::OpmMermaid),
    ),
    ("Graphviz (DOT)", GraphEvent::Export(GraphFormat::Dot)),
    ("JSON", GraphEvent::Export(GraphFormat::Json)),
];

#[component]
pub(super) fn Exports(shared: GraphContext) -> impl IntoView {
    let items = || {
        FORMS
            .iter()
            .map(|(label, _)| MenuItem::new(*label, ""))
            .collect::<Vec<_>>()
    };
    let choose = move |index: usize| {
        if let Some((_, event)) = FORMS.get(index) {
            shared.on.run(event.clone());
        }
    };
    view! {
        <MenuButton
            label="Export…"
            menu="Export the graph"
            class="tool"
            tip="Export the graph as a file"
            items=Callback::new(move |()| items())
            on_choose=choose
        />
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn folding_is_disabled_if_it_has_no_effect() {
        let on = LaneOptions {
            fold: true,
            ..LaneOptions::default()
        };
        assert_eq!(Folding::new(&on, &Lanes::default()), Folding::Nothing);
        let opened = LaneOptions {
            toggled_streams: vec!["1.29".into()],
            ..on.clone()
        };
        assert_eq!(
            Folding::new(&opened, &Lanes::default()),
            Folding::On,
            "it can be folded again"
        );
        let off = LaneOptions { fold: false, ..on };
        assert_eq!(Folding::new(&off, &Lanes::default()), Folding::Off);
    }
}
