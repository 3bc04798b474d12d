//! The graph of the package in view, or two side by side. The rest of the page concerns the focused
//! one, which is determined by pointer, focus, or any action in it.

use crate::commands::Command;
use crate::context::{AppContext, GRAPH, SECOND_GRAPH_WIDTH};
use crate::edits::form_values::catalog_name;
use crate::features::graph::GraphPanel;
use crate::features::upgrade::graph_changes;
use crate::reactive::memo;
use crate::state::entries::Changes;
use crate::state::package_tabs::{Half, PackageRef};
use crate::widgets::buttons::{Button, IconButton};
use crate::widgets::dom;
use crate::widgets::icon::Icon;
use crate::widgets::splitter::{Edge, Splitter};
use leptos::html;
use leptos::prelude::*;
use protocol::response::PackageView;
use std::sync::Arc;

/// The id of the right graph.
const RIGHT_ID: &str = "graph-right";
/// Minimum width for two graphs side by side, in pixels.
const MIN_WIDTH_FOR_TWO: f64 = 2.0 * SECOND_GRAPH_WIDTH[0] as f64;

#[component]
pub fn GraphPanes(app: AppContext) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let size = RwSignal::new((0.0, 0.0));
    dom::follow_size(node, size);
    let is_split = memo(move |_| app.second_graph.is_split());
    let is_narrow = memo(move |_| {
        is_split.get() && size.with(|(width, _)| *width > 0.0 && *width < MIN_WIDTH_FOR_TWO)
    });
    let width = Signal::derive(move || app.second_graph.width(size.get().0));
    view! {
        <div class="graphs">
        <Show when=move || is_narrow.get()>
            <PaneChooser app/>
        </Show>
        <div
            class="graph-panes"
            node_ref=node
            data-split=move || is_split.get().to_string()
            data-tight=move || is_narrow.get().to_string()
            style=("--beside", move || app.second_graph.width_style())
        >
            <Pane app half=Half::Left is_split/>
            <Show when=move || is_split.get()>
                <Splitter
                    label="Width of the graph on the right"
                    controls=RIGHT_ID
                    edge=Edge::Left
                    bounds=SECOND_GRAPH_WIDTH
                    size=width
                    is_hidden=false
                    on_resize=move |request| app.second_graph.resize(request)
                    on_done=move |()| app.second_graph.store_width()
                />
                <Pane app half=Half::Right is_split/>
            </Show>
        </div>
        </div>
    }
    .into_any()
}

/// Names the hidden graph and switches to it, if two do not fit.
#[component]
fn PaneChooser(app: AppContext) -> impl IntoView {
    let package = move || {
        app.second_graph
            .place
            .with(|place| place.as_ref().map(|place| place.package.clone()))
    };
    view! {
        <div class="pane-tight">
            <span>"There is no room for two graphs here."</span>
            <Button label="Show the other graph" on_press=move |()| app.second_graph.swap_focus()/>
            <span class="dim">{package}</span>
        </div>
    }
    .into_any()
}

#[component]
fn Pane(app: AppContext, half: Half, is_split: Memo<bool>) -> impl IntoView {
    let beside = app.second_graph;
    let is_here = memo(move |_| app.tabs.opened.with(|opened| opened.half() == half));
    // A single memo for both cases, so that moving the focus redraws nothing.
    let view = Memo::new_with_compare(
        move |_| {
            if is_here.get() {
                app.store.view.get()
            } else {
                beside.view.get()
            }
            .unwrap_or_default()
        },
        |old: Option<&Arc<PackageView>>, new| {
            !old.zip(new).is_some_and(|(old, new)| Arc::ptr_eq(old, new))
        },
    );
    let options = memo(move |_| {
        if is_here.get() {
            app.store.lanes.get()
        } else {
            beside.view_state.with(|state| state.lanes().clone())
        }
    });
    let selected = memo(move |_| {
        if is_here.get() {
            app.current.selected_entry()
        } else {
            beside.view_state.with(|state| state.entry())
        }
    });
    let place = memo(move |_| package_in_pane(app, is_here.get()));
    // Comparison and multiple selection belong to the package in view.
    let is_in_view = memo(move |_| is_here.get() || place.get() == package_in_pane(app, true));
    let is_compared =
        Signal::derive(move || is_in_view.get() && app.store.comparison.is_with_catalog());
    let picked = Signal::derive(move || {
        let picked = app.selected_entries.picked;
        if is_in_view.get() {
            picked.with(|picked| picked.entries().to_vec())
        } else {
            Vec::new()
        }
    });
    view! {
        <div
            class="graph-pane"
            id=(half == Half::Right).then_some(RIGHT_ID)
            data-half=if half == Half::Left { "left" } else { "right" }
            data-here=move || is_here.get().to_string()
            on:pointerdown=move |_| app.second_graph.focus_half(half)
            // Assistive technology clicks without the pointer and the focus.
            on:click:capture=move |_| app.second_graph.focus_half(half)
            on:focusin=move |_| app.second_graph.focus_half(half)
        >
            <Show when=move || is_split.get()>
                <Head app half is_here place view/>
            </Show>
            <GraphPanel
                app
                half
                view
                options
                selected
                picked
                changes=memo(move |_| changes_in_view(app, is_in_view.get(), place.get()))
                is_compared
            />
        </div>
    }
    .into_any()
}

/// The heading of a graph: its package, and why it is empty.
#[component]
fn Head(
    app: AppContext,
    half: Half,
    is_here: Memo<bool>,
    place: Memo<PackageRef>,
    view: Memo<Arc<PackageView>>,
) -> impl IntoView {
    let catalog = move || {
        let roots = app.store.status.with(|status| status.roots.clone());
        (roots.len() > 1).then(|| format!(" · {}", catalog_name(&roots, &place.get().root)))
    };
    let empty_reason = move || {
        let is_loaded = view.with(|view| !view.package.is_empty());
        match (is_here.get() || is_loaded, app.second_graph.failure.get()) {
            (true, _) => None,
            (false, None) => Some("Reading…".to_owned()),
            (false, Some(why)) => Some(format!("This graph cannot be shown: {why}")),
        }
    };
    let close = move || {
        app.second_graph.close_half(half);
        dom::focus_first(GRAPH);
    };
    let label = Signal::derive(move || format!("Close the graph of {}", place.get().package));
    view! {
        <div class="pane-head">
            <span class="pane-name" title="The inspector and all commands apply to the graph whose name is marked">
                <span class="pane-mark" aria-hidden="true">{move || if is_here.get() { "▸ " } else { "" }}</span>
                {move || place.get().package}
                <span class="dim">{catalog}</span>
                <span class="visually-hidden">{move || if is_here.get() { ", in view" } else { ", beside" }}</span>
            </span>
            <span class="pane-nothing">{empty_reason}</span>
            <IconButton label icon=Icon::Close quiet=true keys=Command::CloseBeside.keys() on_press=move |()| close()/>
        </div>
    }
    .into_any()
}

/// Returns the package in view, or the one of the other graph.
fn package_in_pane(app: AppContext, is_here: bool) -> PackageRef {
    if is_here {
        PackageRef {
            root: app.store.root.get(),
            package: app.current.package.get(),
        }
    } else {
        app.second_graph.place.get().unwrap_or_default()
    }
}

/// Returns the differences from the compared catalog, or else unsaved changes.
fn changes_in_view(app: AppContext, is_in_view: bool, place: PackageRef) -> Arc<Changes> {
    match app.comparison.package.get().filter(|_| is_in_view) {
        Some(comparison) => graph_changes(&comparison.entries),
        None => graph_changes(
            app.second_graph
                .unsaved_entries(&place)
                .as_ref()
                .map_or(&[], |comparison| &comparison.entries),
        ),
    }
}
