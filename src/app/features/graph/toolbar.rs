//! The toolbar: folding, channels, legend and exports above the graph; zoom and fit in its corner.

use super::GraphContext;
use super::actions::{ZOOM_IN, ZOOM_OUT, fit, zoom, zoom_to_natural_size};
use super::channel_list::Channels;
use super::legend::Legend;
use crate::context::saving;
use crate::widgets::dom;
use crate::widgets::menu::{MenuButton, MenuItem};
use leptos::prelude::*;
use leptos::{ev, html};
use protocol::lanes::Lanes;
use protocol::request::{GraphFormat, LaneOptions};

/// Whether older versions are folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Folding {
    Off,
    #[default]
    On,
    /// Enabled, but there is nothing to fold.
    Nothing,
}

impl Folding {
    /// Compares the requested with the received lanes.
    pub(super) fn new(options: &LaneOptions, lanes: &Lanes) -> Self {
        let can_fold =
            !options.toggled_streams.is_empty() || lanes.streams.iter().any(|stream| stream.folded);
        if !options.fold {
            Folding::Off
        } else if can_fold {
            Folding::On
        } else {
            Folding::Nothing
        }
    }
}

#[component]
pub(super) fn Toolbar(shared: GraphContext, folding: Memo<Folding>) -> impl IntoView {
    let title = move || match folding.get() {
        Folding::Nothing => "Too few older versions to fold",
        _ => "Fold older versions into stacks",
    };
    let toggle = move |_| {
        let folding = folding.get_untracked();
        if folding != Folding::Nothing {
            shared.app.current.change_lanes(|options| {
                options.fold = folding == Folding::Off;
                options.toggled_streams.clear();
            });
        }
    };
    view! {
        <div class="graph-tools" role="group" aria-label="View of the graph">
            <button type="button" class="tool"
                aria-pressed=move || (folding.get() == Folding::On).to_string()
                aria-disabled=move || (folding.get() == Folding::Nothing).to_string()
                data-description=move || (folding.get() == Folding::Nothing).then_some("")
                title=title
                on:click=toggle>
                "Fold z-streams"
                <span class="tool-state" aria-hidden="true">{move || if folding.get() == Folding::On { " ✓" } else { "" }}</span>
            </button>
            <Channels shared/>
            <Legend/>
            <Exports shared/>
        </div>
    }
    .into_any()
}

/// The zoom buttons, in the corner between the headings.
#[component]
pub(super) fn ZoomTools(shared: GraphContext) -> impl IntoView {
    let percent = move || format!("{:.0} %", shared.scale.get() * 100.0);
    view! {
        <div class="graph-zoom" role="group" aria-label="Zoom">
            <button type="button" class="tool" title="Fit the graph (F)" on:click=move |_| fit(shared)>"Fit"</button>
            <button type="button" class="tool" aria-label="Zoom out" title="Zoom out (-)" on:click=move |_| zoom(shared, ZOOM_OUT)>"−"</button>
            <button type="button" class="tool tool-percent" aria-label=move || format!("Natural size, now {}", percent()) title="Natural size (0)"
                on:click=move |_| zoom_to_natural_size(shared)>{percent}</button>
            <button type="button" class="tool" aria-label="Zoom in" title="Zoom in (+)" on:click=move |_| zoom(shared, ZOOM_IN)>"+"</button>
        </div>
    }
    .into_any()
}

/// The export formats; `None` for a bitmap.
const FORMATS: [(&str, Option<GraphFormat>); 5] = [
    ("Picture (SVG)", Some(GraphFormat::Svg)),
    ("Picture (PNG, 2x)", None),
    ("Mermaid", Some(GraphFormat::Mermaid)),
    ("Graphviz (DOT)", Some(GraphFormat::Dot)),
    ("JSON", Some(GraphFormat::Json)),
];

#[component]
fn Exports(shared: GraphContext) -> impl IntoView {
    let items = |()| FORMATS.map(|(label, _)| MenuItem::new(label, "")).into();
    let app = shared.app;
    let choose = move |index: usize| match FORMATS.get(index) {
        Some((_, Some(format))) => saving::download_graph(app, *format),
        Some((_, None)) => saving::download_picture(app),
        None => {}
    };
    view! {
        <MenuButton
            label="Export…"
            menu="Export the graph"
            class="tool"
            tip="Export the graph as a file"
            items=Callback::new(items)
            on_choose=choose
        />
    }
    .into_any()
}

/// A button that opens a small non-modal dialog below it. Escape closes the dialog and restores the
/// focus.
#[component]
pub(super) fn SheetButton(
    text: &'static str,
    name: Signal<String>,
    /// Follows the text; not read aloud.
    state: Signal<String>,
    tip: &'static str,
    /// Name of the dialog.
    dialog: &'static str,
    content: Callback<(), AnyView>,
) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let opener = NodeRef::<html::Button>::new();
    let close_on_escape = move |event: ev::KeyboardEvent| {
        if event.key() == "Escape" && is_open.get_untracked() {
            event.prevent_default();
            event.stop_propagation();
            is_open.set(false);
            if let Some(button) = opener.get_untracked() {
                dom::focus(&button);
            }
        }
    };
    view! {
        <div on:keydown=close_on_escape>
            <button
                type="button"
                class="tool"
                node_ref=opener
                title=tip
                aria-label=move || name.get()
                aria-haspopup="dialog"
                aria-expanded=move || is_open.get().to_string()
                on:click=move |_| is_open.update(|open| *open = !*open)
            >
                {text}
                <span class="tool-state" aria-hidden="true">{move || state.get()}</span>
            </button>
            {move || {
                let sheet = || view! { <div class="tool-sheet" role="dialog" aria-label=dialog>{content.run(())}</div> };
                is_open.get().then(sheet)
            }}
        </div>
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
