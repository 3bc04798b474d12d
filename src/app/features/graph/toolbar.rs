//! The toolbar: folding, channels and exports above the graph, zoom and fit below it. Each button
//! has a key in the graph. The legend explains lines and shapes.

use super::GraphContext;
use super::actions::{ZOOM_IN, ZOOM_OUT, fit, zoom, zoom_to_natural_size};
use super::channel_lanes::Channels;
use super::headings::problem_mark;
use crate::context::saving;
use crate::reactive::memo;
use crate::state::entries::{ChangeKind, Changes};
use crate::widgets::menu::{MenuButton, MenuItem};
use leptos::prelude::*;
use protocol::lanes::{EntryNode, EntryNodeKind, Lanes};
use protocol::request::{GraphFormat, LaneOptions};
use protocol::views::ProblemMark;

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
        Folding::Nothing => "Nothing to fold: there are too few older versions",
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
                data-tells=move || (folding.get() == Folding::Nothing).then_some("")
                title=title
                on:click=toggle>
                "Fold z-streams"
                <span class="tool-state" aria-hidden="true">{move || if folding.get() == Folding::On { " ✓" } else { "" }}</span>
            </button>
            <Channels shared/>
            <Exports shared/>
        </div>
    }
    .into_any()
}

/// The zoom buttons, beside the legend.
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

/// How the legend draws an example.
enum Sample {
    /// A line of this class.
    Line(&'static str),
    Skips,
    SkipRange,
    /// A node of this class.
    Node(&'static str),
    Change(ChangeKind),
    Problem(ProblemMark),
}

const fn problem(errors: u32, warnings: u32) -> Sample {
    Sample::Problem(ProblemMark {
        errors,
        warnings,
        worst: String::new(),
    })
}

type IsInLanes = fn(&Lanes) -> bool;

/// The items of the legend: example, label, and whether the graph has it. Changes are not in the
/// lanes.
const LEGEND: [(Sample, &str, IsInLanes); 16] = [
    (Sample::Line("link-line"), "replaces", |lanes| {
        lanes.lanes.iter().any(|lane| !lane.links.is_empty())
    }),
    (Sample::Skips, "skips", |lanes| {
        let mut lanes = lanes.lanes.iter();
        lanes.any(|lane| !lane.runs.is_empty() || !lane.arrows.is_empty())
    }),
    (Sample::SkipRange, "skip range", |lanes| {
        lanes.lanes.iter().any(|lane| !lane.brackets.is_empty())
    }),
    (Sample::Line("route-line"), "next step", |lanes| {
        lanes.routes.iter().any(|route| route.chosen)
    }),
    (
        Sample::Line("route-line other"),
        "next step, other OLM",
        |lanes| lanes.routes.iter().any(|route| !route.chosen),
    ),
    (Sample::Node("head"), "head", |lanes| {
        has_node(lanes, |node| node.marks.head)
    }),
    (Sample::Node("skipped"), "skipped", |lanes| {
        has_node(lanes, |node| node.marks.skipped)
    }),
    (Sample::Node("ghost"), "not in this channel", |lanes| {
        has_node(lanes, |node| {
            node.kind == EntryNodeKind::Ghost || node.marks.absent
        })
    }),
    (Sample::Node("deprecated"), "deprecated", |lanes| {
        has_node(lanes, |node| {
            let marks = &node.marks;
            marks.deprecated_bundle || marks.deprecated_channel || marks.deprecated_package
        })
    }),
    (Sample::Node("stranded"), "stranded", |lanes| {
        has_node(lanes, |node| node.marks.stranded)
    }),
    (Sample::Change(ChangeKind::Added), "added", |_| false),
    (Sample::Change(ChangeKind::Moved), "moved", |_| false),
    (Sample::Change(ChangeKind::Changed), "changed", |_| false),
    (Sample::Change(ChangeKind::Removed), "removed", |_| false),
    (problem(1, 0), "error", |lanes| {
        has_problem(lanes, |problem| problem.errors > 0)
    }),
    (problem(0, 1), "warning", |lanes| {
        has_problem(lanes, |problem| problem.errors == 0)
    }),
];

fn has_node(lanes: &Lanes, is_match: fn(&EntryNode) -> bool) -> bool {
    let mut nodes = lanes.lanes.iter().flat_map(|lane| &lane.nodes);
    nodes.any(is_match)
}

fn has_problem(lanes: &Lanes, is_match: fn(&ProblemMark) -> bool) -> bool {
    let mut lanes = lanes.lanes.iter();
    lanes.any(|lane| {
        let on_nodes = lane.nodes.iter().filter_map(|node| node.problem.as_ref());
        on_nodes.chain(&lane.problem).any(is_match)
    })
}

/// Returns the indices of the items that explain something in the graph.
fn legend_items(lanes: &Lanes, changes: &Changes) -> Vec<usize> {
    let has_change = |kind: ChangeKind| changes.values().any(|(change, _)| *change == kind);
    let is_drawn = |index: &usize| match &LEGEND[*index] {
        (Sample::Change(kind), ..) => has_change(*kind),
        (_, _, is_drawn) => is_drawn(lanes),
    };
    (0..LEGEND.len()).filter(is_drawn).collect()
}

#[component]
pub(super) fn Legend(shared: GraphContext) -> impl IntoView {
    let items = memo(move |_| {
        let lanes = shared.lanes.get();
        shared.changes.with(|changes| legend_items(&lanes, changes))
    });
    let item = |index: usize| {
        let (sample, label, _) = &LEGEND[index];
        view! { <li class="legend-item">{draw_sample(sample)} {*label}</li> }
    };
    view! {
        // In a low window the legend scrolls, which needs the focus.
        <ul class="legend" aria-label="Legend" tabindex="0">
            <For each=move || items.get() key=|index| *index let:index>{item(index)}</For>
        </ul>
    }
    .into_any()
}

fn draw_sample(sample: &Sample) -> AnyView {
    let node = |class: &'static str, is_crossed: bool| {
        view! {
            <svg class="legend-sample" width="20" height="12" aria-hidden="true">
                <g class=format!("node {class}")>
                    <rect class="node-box" x="1" y="1" width="18" height="10" rx="3"/>
                    {is_crossed.then(|| view! { <path class="removed-mark" d="M3 10L17 2"/> })}
                </g>
            </svg>
        }
        .into_any()
    };
    match sample {
        Sample::Line(class) => view! {
            <svg class="legend-sample" width="24" height="10" aria-hidden="true">
                <line class=*class x1="1" y1="5" x2="23" y2="5"/>
            </svg>
        }
        .into_any(),
        // Drawn as below the nodes: a bar with a tick for each skipped entry.
        Sample::Skips => view! {
            <svg class="legend-sample" width="24" height="12" aria-hidden="true">
                <line class="run-bar" x1="1" y1="6" x2="23" y2="6"/>
                <path class="run-ticks" d="M3 2V9M12 2V9M21 2V9"/>
            </svg>
        }
        .into_any(),
        Sample::SkipRange => view! {
            <svg class="legend-sample" width="24" height="12" aria-hidden="true">
                <path class="bracket-line" d="M1 4V9H20V5"/>
                <path class="bracket-tip" d="M16.5 6L20 1L23.5 6z"/>
            </svg>
        }
        .into_any(),
        Sample::Node(class) => node(class, false),
        Sample::Change(ChangeKind::Removed) => node("removed", true),
        Sample::Change(kind) => view! {
            <strong class="change-sample" data-change=kind.label() aria-hidden="true">{kind.glyph()}</strong>
        }
        .into_any(),
        Sample::Problem(problem) => view! {
            <svg class="legend-sample" width="14" height="14" aria-hidden="true">{problem_mark(problem, 7.0, 7.0)}</svg>
        }
        .into_any(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::lanes::Route;

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

    #[test]
    fn explains_only_what_is_drawn() {
        let labels = |lanes: &Lanes, changes: &Changes| {
            let items = legend_items(lanes, changes).into_iter();
            items.map(|index| LEGEND[index].1).collect::<Vec<_>>()
        };
        assert_eq!(labels(&Lanes::default(), &Changes::new()), [""; 0]);
        let route = Route {
            from: "a".into(),
            to: "b".into(),
            curve: Default::default(),
            chosen: false,
        };
        let lanes = Lanes {
            routes: vec![route],
            ..Lanes::default()
        };
        let moved = (ChangeKind::Moved, String::new());
        let changes = Changes::from([(("stable".into(), "a".into()), moved)]);
        assert_eq!(labels(&lanes, &changes), ["next step, other OLM", "moved"]);
    }
}
