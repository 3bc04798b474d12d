//! Draws lanes as SVG with presentation attributes and classes only, since the CSP forbids style
//! attributes.

use super::drag_view::DragLayer;
use super::edges::SoftEdges;
use super::headings::ColumnHeadings;
use super::lane_headings::{LaneHeading, problem_mark};
use super::lane_hints::LaneHints;
use super::nodes::names_of;
use super::viewport::Window;
use super::{GraphContext, HATCH, NodeAt, TIP, accessible_names, edges, explanation};
use crate::reactive::{derived, memo, redrawn_whole};
use crate::state::entries::Changes;
use leptos::prelude::*;
use protocol::lanes::{Curve, EntryNode, EntryNodeKind, Lane};
use protocol::request::Target;
use protocol::upgrades::ComparedKind;
use protocol::views::EntryRef;
use std::sync::Arc;

/// The whole picture: the scrolled part, and the headings, which stay in view.
#[component]
pub(super) fn Canvas(shared: GraphContext) -> impl IntoView {
    let frame = memo(move |_| shared.lanes.with(|l| (l.header, l.top, l.width, l.height)));
    let lane_count = memo(move |_| shared.lanes.with(|l| l.lanes.len()));
    // Position of the lanes' origin, and their scale. Headings move with it but keep their size.
    let origin = move || {
        let ((header, top, ..), view) = (frame.get(), shared.view.get());
        (
            f64::from(header) - (view.x + f64::from(header)) * view.scale,
            f64::from(top) - (view.y + f64::from(top)) * view.scale,
            view.scale,
        )
    };
    let scrolled = move || {
        let (x, y, scale) = origin();
        format!("translate({x:.2} {y:.2}) scale({scale:.4})")
    };
    let left = move || frame.get().0.to_string();
    let top = move || frame.get().1.to_string();
    let columns_shift = move || format!("translate({:.2} 0)", origin().0);
    let headings_shift =
        move || format!("translate(0 {:.2})", origin().1 - f64::from(frame.get().1));
    view! {
        <svg class="graph-svg" width="100%" height="100%">
            <defs>
                <pattern id=HATCH width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <rect width="6" height="6" class="hatch-ground"/>
                    <line x1="0" y1="0" x2="0" y2="6" class="hatch-line"/>
                </pattern>
                <marker id=TIP viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
                    <path d="M0 0L8 4L0 8z" class="tip"/>
                </marker>
            </defs>
            <g transform=scrolled>
                <Bands shared/>
                <Routes shared/>
                <For each=move || 0..lane_count.get() key=|i| *i let:index>
                    <LaneView shared index/>
                </For>
                <DragLayer shared/>
            </g>
            <SoftEdges shared left=derived(move || frame.get().0)/>
            <LaneHints shared/>
            <rect class="graph-cover" x="0" y="0" width="100%" height=top/>
            <g transform=columns_shift><ColumnHeadings shared/></g>
            <rect class="graph-cover" x="0" y="0" width=left height="100%"/>
            <line class="graph-rule" x1=left x2=left y1=top y2="100%"/>
            <line class="graph-rule" x1="0" x2="100%" y1=top y2=top/>
            <svg x="0" y=top width=left height="100%" class="lane-headings">
                <g transform=headings_shift>
                    <For each=move || 0..lane_count.get() key=|i| *i let:index>
                        <LaneHeading shared index/>
                    </For>
                </g>
            </svg>
        </svg>
    }
}

/// Alternating bands behind the y-streams and lanes.
#[component]
fn Bands(shared: GraphContext) -> impl IntoView {
    let bands = memo(move |_| {
        shared.lanes.with(|l| {
            let odd = l.streams.iter().skip(1).step_by(2);
            let visible = odd.filter(|stream| stream.width > 0.0);
            let streams: Vec<_> = visible.map(|stream| (stream.x, stream.width)).collect();
            (streams, l.top, l.height - l.top)
        })
    });
    redrawn_whole(move || {
        let (streams, top, height) = bands.get();
        streams
            .into_iter()
            .map(|(x, width)| view! { <rect class="band" x=x.to_string() y=top.to_string() width=width.to_string() height=height.to_string() rx="8"/> })
            .collect_view()
            .into_any()
    })
}

/// One lane, while it is near the view. Scrolling only adds and removes nodes and edges; an edit
/// only redraws those that changed.
#[component]
fn LaneView(shared: GraphContext, index: usize) -> impl IntoView {
    let lane = memo(move |_| {
        let lane = shared.lanes.with(|l| l.lanes.get(index).cloned());
        lane.unwrap_or_default()
    });
    let channel = memo(move |_| lane.with(|lane| lane.channel.clone()));
    let is_near = memo(move |_| {
        let window = shared.window.get();
        shared.lanes.with(|l| {
            l.lanes.get(index).is_some_and(|lane| {
                let y = lane.y - l.top;
                window.meets_y(y.into(), (y + lane.height).into())
            })
        })
    });
    let near_nodes = memo(move |_| {
        let window = shared.window.get();
        shared.lanes.with(|l| {
            l.lanes
                .get(index)
                .map(|lane| nodes_in(lane, l.header, window))
                .unwrap_or_default()
        })
    });
    let draw = move || {
        view! {
            <g class="lane" data-channel=move || channel.get()
                class:lane-target=move || channel.with(|channel| shared.drop_target.with(|drop_target| drop_target.lane() == Some(channel)))
                role="group" aria-label=move || lane.with(|lane| accessible_names::lane(lane))>
                {lane_background(shared, lane)}
                {edges::edges(shared, lane, index)}
                // Above the edges, so that no line crosses a node's text.
                <For each=move || near_nodes.get() key=|node| *node let:node>
                    {node_view(shared, lane, index, node)}
                </For>
            </g>
        }
    };
    move || is_near.get().then(draw).into_any()
}

/// Key of a node: an entry and a removed entry have different attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct NodeKey {
    index: usize,
    is_removed: bool,
}

fn nodes_in(lane: &Lane, header: f32, window: Window) -> Vec<NodeKey> {
    let meets = |node: &EntryNode| {
        let x = node.x - header;
        window.meets_x(x.into(), (x + node.width).into())
    };
    lane.nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| meets(node))
        .map(|(index, node)| NodeKey {
            index,
            is_removed: node.kind == EntryNodeKind::Removed,
        })
        .collect()
}

fn lane_background(shared: GraphContext, lane: Memo<Arc<Lane>>) -> AnyView {
    let position = memo(move |_| lane.with(|lane| (lane.y, lane.height, lane.track)));
    let extent = memo(move |_| shared.lanes.with(|l| (l.header, l.width)));
    redrawn_whole(move || {
        let (y, height, track) = position.get();
        let (header, width) = extent.get();
        view! {
            <rect class="lane-ground" x=header.to_string() y=y.to_string() width=(width - header).to_string() height=height.to_string()/>
            <line class="track" x1=track.x1.to_string() x2=track.x2.to_string() y1=track.y.to_string() y2=track.y.to_string()/>
        }
        .into_any()
    })
}

/// The content of a node's group.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NodeDrawing {
    /// Without the selection, which only changes the classes of the group.
    node: EntryNode,
    /// The difference from the other catalog, shown below the node, where it covers no neighbor and
    /// few lines: style sheet class, and symbols.
    change: Option<(&'static str, String)>,
}

impl NodeDrawing {
    pub(super) fn new(node: &EntryNode, channel: &str, changes: &Changes) -> Self {
        let is_removed = node.kind == EntryNodeKind::Removed;
        // A removed entry has no problems.
        let problem = node.problem.clone().filter(|_| !is_removed);
        let change = match change_kind(node, channel, changes) {
            Some(change) => Some((change.label(), change.glyph().to_owned())),
            None => accessible_names::stack(changes, node, channel)
                .map(|changes| ("several", changes.symbols)),
        };
        let node = EntryNode {
            edited: node.edited && !is_removed,
            problem,
            selected: false,
            twin: false,
            ..node.clone()
        };
        Self { node, change }
    }

    pub(super) fn draw(&self) -> AnyView {
        let node = &self.node;
        let (x, y, w, h) = (node.x, node.y, node.width, node.height);
        let behind = if node.kind == EntryNodeKind::Stack {
            3.0
        } else {
            0.0
        };
        // In a cycle or listed twice, without a problem that reports it.
        let is_broken = node.problem.is_none() && (node.marks.cycle || node.marks.duplicate);
        // Only what the node has: a list costs fewer DOM nodes than optional parts.
        let parts: Vec<AnyView> = [
            (node.kind == EntryNodeKind::Stack).then(|| view! { <rect class="node-behind" x=(x + 3.0).to_string() y=(y + 3.0).to_string() width=w.to_string() height=h.to_string() rx="6"/> }.into_any()),
            Some(view! { <rect class="node-box" x=x.to_string() y=y.to_string() width=w.to_string() height=h.to_string() rx=if h < 16.0 { "3" } else { "6" }/> }.into_any()),
            node.marks.stranded.then(|| view! { <path class="stranded-mark" d=format!("M{:.1} {:.1}l5 9h-10z", x + 2.0, y - 5.0)/> }.into_any()),
            node.marks.deprecated_bundle.then(|| deprecated_mark(f64::from(x), f64::from(y)).into_any()),
            is_broken.then(|| view! { <text class="error-mark" x=(x - 3.0).to_string() y=(y + 5.0).to_string() text-anchor="middle">"!"</text> }.into_any()),
            node.problem.as_ref().map(|problem| problem_mark(problem, f64::from(x), f64::from(y + h)).into_any()),
            node.edited.then(|| view! { <circle class="edited-mark" cx=(x + w).to_string() cy=(y + h).to_string() r="3.5"/> }.into_any()),
            node.marks.head.then(|| {
                let (fx, fy) = (x + w - 2.0, y - 8.0);
                view! { <path class="flag" d=format!("M{fx:.1} {:.1}V{fy:.1}l9 3.2l-9 3.2", y + 2.0)/> }.into_any()
            }),
            (node.kind == EntryNodeKind::Removed).then(|| view! { <path class="removed-mark" d=format!("M{:.1} {:.1}L{:.1} {:.1}", x + 3.0, y + h - 3.0, x + w - 3.0, y + 3.0)/> }.into_any()),
            self.change.clone().map(|(change, symbols)| view! {
                <text class="change-mark" data-change=change x=(x + 6.0).to_string() y=(y + h + behind + 11.0).to_string()>{symbols}</text>
            }.into_any()),
            Some(view! { <text class="node-text" x=(x + w / 2.0).to_string() y=(y + h / 2.0 + 4.0).to_string() text-anchor="middle">{node.text.clone()}</text> }.into_any()),
        ]
        .into_iter()
        .flatten()
        .collect();
        parts.into_any()
    }

    /// Draws what a class of the group cannot show.
    pub(super) fn draw_state(&self, state: NodeState) -> AnyView {
        let (x, y, w, h) = (self.node.x, self.node.y, self.node.width, self.node.height);
        let installed = state.installed.map(|_| view! { <circle class="installed-mark" cx=(x - 2.0).to_string() cy=(y + h / 2.0).to_string() r="5"/> }.into_any());
        let picked = state.picked.then(|| view! {
            <rect class="pick-frame" x=(x - 3.0).to_string() y=(y - 3.0).to_string() width=(w + 6.0).to_string() height=(h + 6.0).to_string() rx="8"/>
            <path class="pick-mark" d=format!("M{:.1} {:.1}l3 3l5 -6", x - 4.0, y + h - 1.0)/>
        }.into_any());
        let parts: Vec<AnyView> = [installed, picked].into_iter().flatten().collect();
        parts.into_any()
    }
}

fn change_kind(node: &EntryNode, channel: &str, changes: &Changes) -> Option<ComparedKind> {
    let change = changes.get(&(channel.to_owned(), node.name.clone()));
    change
        .filter(|_| node.members.is_empty())
        .map(|(change, _)| *change)
}

fn accessible_label(node: &EntryNode, lane: &Lane, changes: &Changes) -> String {
    let label = accessible_names::node(node, lane);
    let change = match change_kind(node, &lane.channel, changes) {
        Some(_) if node.kind == EntryNodeKind::Removed => None,
        Some(change) => Some(change.label().to_owned()),
        None => accessible_names::stack(changes, node, &lane.channel).map(|changes| changes.text),
    };
    match change {
        Some(change) => format!("{label}, {change}"),
        None => label,
    }
}

/// Renders a node. Its group is kept as long as its lane has a node at this index, so that it keeps
/// the focus: the attributes follow the data, and only the content is replaced.
fn node_view(
    shared: GraphContext,
    lane: Memo<Arc<Lane>>,
    lane_index: usize,
    NodeKey { index, is_removed }: NodeKey,
) -> AnyView {
    let at = NodeAt {
        lane: lane_index,
        node: index,
    };
    let drawing = memo(move |_| {
        shared.changes.with(|changes| {
            lane.with(|lane| {
                let node = lane.nodes.get(index)?;
                Some(NodeDrawing::new(node, &lane.channel, changes))
            })
        })
    });
    // Use a single memo, because there are many nodes.
    let state = memo(move |_| {
        let node_state = lane.with(|lane| {
            let node = lane.nodes.get(index)?;
            let is_this_node =
                |entry: &EntryRef| entry.channel == lane.channel && entry.name == node.name;
            let is_entry = node.kind != EntryNodeKind::Stack && !is_removed;
            Some(NodeState {
                selected: !is_removed
                    && shared
                        .selected
                        .with(|selected| selects(selected.as_ref(), lane, node)),
                focused: shared.focus.get() == Some(at),
                picked: is_entry && shared.picked.with(|picked| picked.iter().any(is_this_node)),
                installed: shared.installed.with(|name| {
                    let is_here = names_of(node).contains(name.as_ref()?);
                    is_here.then_some(if node.members.is_empty() {
                        ", installed"
                    } else {
                        ", with the installed version"
                    })
                }),
                dragged: shared
                    .dragged_entry
                    .with(|dragged_entry| dragged_entry.as_ref().is_some_and(is_this_node)),
            })
        });
        node_state.unwrap_or_default()
    });
    let label = move || {
        let label = shared.changes.with(|changes| {
            lane.with(|lane| Some(accessible_label(lane.nodes.get(index)?, lane, changes)))
        });
        let NodeState {
            installed, picked, ..
        } = state.get();
        let picked = picked.then_some(", selected with others");
        label.unwrap_or_default() + installed.unwrap_or_default() + picked.unwrap_or_default()
    };
    // One string instead of a toggle per class: Leptos elements take at most 26 attributes.
    let class = move || {
        lane.with(|lane| {
            let node = lane.nodes.get(index);
            node.map(|node| classes(node, state.get()))
                .unwrap_or_default()
        })
    };
    let id = format!("graph-node-{}-{index}", at.lane);
    view! {
        <g class=class id=id data-lane=at.lane.to_string() data-node=index.to_string() role="button" aria-label=label
            tabindex=move || if state.get().focused { "0" } else { "-1" }
            aria-describedby=move || state.get().focused.then_some(explanation::DESCRIPTION)
            aria-pressed=move || (!is_removed).then(|| state.get().selected.to_string())
            aria-haspopup=is_removed.then_some("menu")>
            {redrawn_whole(move || drawing.with(|drawing| drawing.as_ref().map(NodeDrawing::draw)).into_any())}
            {redrawn_whole(move || drawing.with(|drawing| drawing.as_ref().map(|drawing| drawing.draw_state(state.get()))).into_any())}
        </g>
    }
    .into_any()
}

/// Whether a node is selected; a selected bundle is in several lanes.
fn selects(selected: Option<&Target>, lane: &Lane, node: &EntryNode) -> bool {
    match selected {
        Some(Target::Entry { channel, name }) => *channel == lane.channel && *name == node.name,
        Some(Target::Bundle { name }) => *name == node.name,
        _ => false,
    }
}

/// How pointer, keyboard and selection mark a node.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct NodeState {
    pub selected: bool,
    pub focused: bool,
    pub picked: bool,
    /// What the name of the installed version's node, or stack, ends with.
    pub installed: Option<&'static str>,
    pub dragged: bool,
}

pub(super) fn classes(node: &EntryNode, state: NodeState) -> String {
    let marks = &node.marks;
    let is_removed = node.kind == EntryNodeKind::Removed;
    // A stack of absent entries looks like one of them.
    let is_ghost =
        node.kind == EntryNodeKind::Ghost || (node.kind == EntryNodeKind::Stack && marks.absent);
    let states = [
        (true, "node"),
        (node.twin && !is_removed, "twin"),
        (marks.head, "head"),
        (marks.skipped, "skipped"),
        (is_ghost, "ghost"),
        (marks.stranded, "stranded"),
        (marks.deprecated_bundle, "deprecated"),
        (node.kind == EntryNodeKind::Stack, "stack"),
        (is_removed, "removed"),
        (node.edited, "edited"),
        (marks.no_bundle, "no-bundle"),
        (state.picked, "picked"),
        (state.selected, "selected"),
        (state.dragged, "dragged"),
    ];
    states
        .into_iter()
        .filter(|(applies, _)| *applies)
        .map(|(_, word)| word)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Renders a crossed circle around a center. It is opaque, since lines run behind it.
fn deprecated_mark(x: f64, y: f64) -> impl IntoView + use<> {
    view! {
        <g class="deprecated-mark" transform=format!("translate({x:.1} {y:.1})")>
            <path class="deprecated-ground" d="M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z"/>
            <path class="deprecated-sign" d="M-3 3L3 -3"/>
        </g>
    }
}

/// The upgrade paths from the installed version under both lenses. They pass behind nodes.
#[component]
fn Routes(shared: GraphContext) -> impl IntoView {
    let routes = memo(move |_| shared.lanes.with(|l| l.routes.clone()));
    redrawn_whole(move || {
        routes
            .get()
            .into_iter()
            .map(|r| {
                let step = if r.chosen { "next step" } else { "next step under the other OLM" };
                let title = format!("{step}: {} to {}", r.from, r.to);
                view! { <g class="route" class:other=!r.chosen><title>{title}</title>{route_paths(r.curve)}</g> }
            })
            .collect_view()
            .into_any()
    })
}

/// Draws a route and its arrowhead. Routes reach their target vertically.
pub(super) fn route_paths(curve: Curve) -> impl IntoView {
    let (x, y) = curve.to;
    let back = 8_f32.copysign(curve.control2.1 - y);
    let to = (x, y + back);
    let line = Curve { to, ..curve };
    view! {
        <path class="route-line" d=line.path()/>
        <path class="route-tip" d=format!("M{x:.1} {y:.1}l-5 {back}h10z")/>
    }
}
