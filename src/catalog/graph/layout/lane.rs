//! Lays out one lane: its boxes, `replaces` lines and arcs, and the steps from the installed
//! version.

use super::columns::ColumnPlan;
use super::geometry::{
    self, Curve, EntryNode, EntryNodeKind, HorizontalLine, Lane, Layout, Link, Marks, Rect, Route,
    Shape,
};
use super::{COLLAPSED, HEADER, LANE, LayoutRequest, NODE, RouteRequest, Selection, below};
use crate::graph::{ChannelGraph, EdgeKind, Node, PackageGraph};
use syntax::hashed::HashMap;
use syntax::order::SortSmall;
use syntax::place::Text;

/// The input for the parts of a lane.
pub(super) struct LaneContext<'a> {
    pub(super) graph: &'a PackageGraph,
    pub(super) channel: &'a ChannelGraph,
    pub(super) plan: &'a ColumnPlan,
    pub(super) entry_nodes: &'a [EntryNode],
    /// Index into `entry_nodes`, by node.
    pub(super) entry_node_of: &'a [u32],
    /// The node whose edges are drawn in full.
    pub(super) selected: Option<u32>,
    /// The lane's top.
    pub(super) y: f32,
}

impl<'a> LaneContext<'a> {
    pub(super) fn entry_node(&self, node: u32) -> Option<(u32, &'a EntryNode)> {
        let index = *self.entry_node_of.get(node as usize)?;
        self.entry_nodes
            .get(index as usize)
            .map(|entry_node| (index, entry_node))
    }
}

pub(super) fn lay_out_lane(
    graph: &PackageGraph,
    channel: &ChannelGraph,
    request: &LayoutRequest,
    plan: &ColumnPlan,
    y: f32,
) -> Lane {
    let collapsed = request.collapsed.contains(&channel.name);
    let height = if collapsed { COLLAPSED } else { LANE };
    let entry_nodes = match collapsed {
        true => stack_of_all(graph, channel, request, plan, y + height / 2.0),
        false => entry_nodes(graph, channel, request, plan, y + height / 2.0),
    };
    let mut entry_node_of = vec![0; channel.nodes.len()];
    for (index, entry_node) in (0..).zip(&entry_nodes) {
        for &node in &entry_node.nodes {
            if let Some(entry_node) = entry_node_of.get_mut(node as usize) {
                *entry_node = index;
            }
        }
    }
    let mut lane = Lane {
        y,
        height,
        collapsed,
        edited: request
            .edited
            .contains(&(channel.name.clone(), Text::from("")))
            || entry_nodes.iter().any(|entry_node| entry_node.edited),
        track: HorizontalLine {
            x1: HEADER,
            x2: plan.width,
            y: y + height / 2.0,
        },
        ..Lane::default()
    };
    if !collapsed {
        let selected = request
            .selected
            .as_ref()
            .filter(|s| s.channel.as_ref().is_none_or(|c| *c == channel.name));
        let selected = selected.and_then(|s| graph.node_of(channel, &s.name));
        let context = LaneContext {
            graph,
            channel,
            plan,
            entry_nodes: &entry_nodes,
            entry_node_of: &entry_node_of,
            selected,
            y,
        };
        lane.links = lay_out_links(&context);
        lane.runs = below::runs(&context);
        lane.brackets = below::brackets(&context, request);
        lane.arrows = below::arrows(&context);
    }
    lane.entry_nodes = entry_nodes;
    lane
}

/// Returns a box for each node, or one for all nodes of the lane in a folded column.
fn entry_nodes(
    graph: &PackageGraph,
    channel: &ChannelGraph,
    request: &LayoutRequest,
    plan: &ColumnPlan,
    middle: f32,
) -> Vec<EntryNode> {
    let rank = |node: u32| {
        let name = channel
            .nodes
            .get(node as usize)
            .map_or(0, |n| n.name as usize);
        (
            plan.column_of.get(name).copied().unwrap_or_default(),
            plan.rank.get(name).copied().unwrap_or_default(),
        )
    };
    let mut nodes: Vec<u32> = (0..channel.nodes.len() as u32).collect();
    nodes.sort_small_by_key(|&node| rank(node));
    nodes
        .chunk_by(|&a, &b| rank(a).0 == rank(b).0)
        .map(|members| {
            let column = members.first().map_or(0, |&node| rank(node).0);
            entry_node(
                graph,
                channel,
                request,
                plan,
                members.to_vec(),
                column,
                middle,
            )
        })
        .collect()
}

/// Lays out a collapsed lane: one stack of all nodes, in the column of the head.
fn stack_of_all(
    graph: &PackageGraph,
    channel: &ChannelGraph,
    request: &LayoutRequest,
    plan: &ColumnPlan,
    middle: f32,
) -> Vec<EntryNode> {
    let mut nodes: Vec<u32> = (0..channel.nodes.len() as u32).collect();
    let name = |node: u32| {
        channel
            .nodes
            .get(node as usize)
            .map_or(0, |n| n.name as usize)
    };
    nodes.sort_small_by_key(|&node| plan.rank.get(name(node)).copied());
    let Some(&at) = channel.heads.last().or(nodes.last()) else {
        return Vec::new();
    };
    let column = plan.column_of.get(name(at)).copied().unwrap_or_default();
    let mut entry_node = entry_node(graph, channel, request, plan, nodes, column, middle);
    (entry_node.rect.y, entry_node.rect.height) = (middle - 10.0, 20.0);
    vec![entry_node]
}

fn entry_node(
    graph: &PackageGraph,
    channel: &ChannelGraph,
    request: &LayoutRequest,
    plan: &ColumnPlan,
    nodes: Vec<u32>,
    column: u32,
    middle: f32,
) -> EntryNode {
    let members: Vec<&Node> = nodes
        .iter()
        .filter_map(|&n| channel.nodes.get(n as usize))
        .collect();
    let kind = match members[..] {
        [node] if node.gone => EntryNodeKind::Removed,
        [node] if node.is_absent() => EntryNodeKind::Ghost,
        [_] => EntryNodeKind::Entry,
        _ => EntryNodeKind::Stack,
    };
    let place = plan.columns.get(column as usize);
    let width = plan.entry_node_width(column);
    let x = place.map_or(0.0, |c| c.x + (c.width - width) / 2.0);
    let selection = request.selected.as_ref().filter(|selected| {
        let mut facts = members.iter().filter_map(|node| graph.facts(node));
        facts.any(|facts| facts.name == selected.name)
    });
    let selected = selection.is_some_and(|s| s.channel.as_ref().is_none_or(|c| *c == channel.name));
    let edited = !request.edited.is_empty()
        && members
            .iter()
            .filter_map(|node| graph.facts(node))
            .any(|facts| {
                request
                    .edited
                    .contains(&(channel.name.clone(), facts.name.clone()))
            });
    EntryNode {
        kind,
        text: entry_node_text(plan, &members, column, width),
        column,
        rect: Rect {
            x,
            y: middle - NODE / 2.0,
            width,
            height: NODE,
        },
        marks: marks(graph, channel, &members),
        selected,
        twin: selection.is_some() && !selected,
        edited,
        nodes,
    }
}

/// Returns the text of a box. A stack shows its number of members, or the version of its head; a
/// single member of a folded column shows its own version.
fn entry_node_text(plan: &ColumnPlan, members: &[&Node], column: u32, width: f32) -> String {
    let place = plan.columns.get(column as usize);
    let folded = place.is_some_and(|c| c.folded);
    let tail = |node: &Node| {
        let whole = plan.whole.get(node.name as usize);
        geometry::tail(
            whole.map_or("", String::as_str),
            geometry::characters(width),
        )
    };
    match members {
        [only] if !folded => plan
            .texts
            .get(only.name as usize)
            .cloned()
            .unwrap_or_default(),
        [only] => tail(only),
        _ if place.is_some_and(|c| c.chain.is_some()) => geometry::more(members.len()),
        _ => match members.iter().find(|node| node.head) {
            Some(head) => tail(head),
            None => members.len().to_string(),
        },
    }
}

fn marks(graph: &PackageGraph, channel: &ChannelGraph, members: &[&Node]) -> Marks {
    let any = |state: &dyn Fn(&Node) -> bool| members.iter().any(|node| state(node));
    let facts = |node: &Node| {
        graph
            .facts(node)
            .map(|f| (f.has_bundle, f.deprecated.is_some()))
            .unwrap_or_default()
    };
    let present = any(&|n| !n.is_absent());
    Marks {
        head: any(&|n| n.head),
        skipped: members.iter().all(|n| n.skipped),
        stranded: any(&|n| n.stranded),
        absent: !present,
        no_bundle: any(&|n| !facts(n).0),
        duplicate: any(&|n| n.lines.len() > 1),
        cycle: any(&|n| n.cycle),
        deprecated_bundle: any(&|n| facts(n).1),
        deprecated_channel: present && channel.deprecated.is_some(),
        deprecated_package: present && graph.deprecated.is_some(),
    }
}

/// Returns the facts below a channel's name: size, wrong number of heads, deprecation, and the
/// channel it repeats.
pub(super) fn subtitle(
    graph: &PackageGraph,
    channel: &ChannelGraph,
    repeats: Option<u32>,
) -> String {
    if channel.gone {
        return "removed".to_owned();
    }
    let heads = match channel.heads.len() {
        _ if channel.present == 0 => String::new(),
        0 => "no head".to_owned(),
        1 => String::new(),
        many => format!("{many} heads"),
    };
    let deprecated = if channel.deprecated.is_some() {
        "deprecated"
    } else {
        ""
    };
    let repeats = repeats.and_then(|other| graph.channels.get(other as usize));
    let repeats = repeats.map_or(String::new(), |other| format!("repeats {}", other.name));
    let notes = [heads.as_str(), deprecated, &repeats]
        .into_iter()
        .filter(|note| !note.is_empty())
        .collect::<Vec<_>>();
    match (notes.is_empty(), channel.present) {
        (true, 1) => "1 entry".to_owned(),
        (true, many) => format!("{many} entries"),
        (false, many) => format!("{many} · {}", notes.join(" · ")),
    }
}

pub(super) fn lay_out_links(context: &LaneContext<'_>) -> Vec<Link> {
    let entry_node = |node: u32| {
        context
            .entry_node_of
            .get(node as usize)
            .copied()
            .unwrap_or_default()
    };
    let mut edges: Vec<(u32, u32, u32)> = (0..)
        .zip(&context.channel.edges)
        .filter(|(_, edge)| edge.kind == EdgeKind::Replaces)
        // Edges inside a stack are not drawn, except an entry that replaces itself.
        .filter(|(_, edge)| edge.from == edge.to || entry_node(edge.from) != entry_node(edge.to))
        .map(|(index, edge)| (entry_node(edge.from), entry_node(edge.to), index))
        .collect();
    edges.sort_small();
    edges
        .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
        .filter_map(|group| link(context, group))
        .collect()
}

fn link(context: &LaneContext<'_>, group: &[(u32, u32, u32)]) -> Option<Link> {
    let &(from, to, _) = group.first()?;
    let (a, b) = (
        context.entry_nodes.get(from as usize)?,
        context.entry_nodes.get(to as usize)?,
    );
    let mut edges = group
        .iter()
        .filter_map(|&(.., edge)| context.channel.edges.get(edge as usize));
    // An edge to the left is always an arc, so that two entries that replace each other do not
    // share a line.
    let shape = if to == from + 1 {
        Shape::Straight(HorizontalLine {
            x1: a.rect.right(),
            x2: b.rect.x,
            y: a.rect.center_y(),
        })
    } else if to == from {
        let (x, y) = (a.rect.center_x(), a.rect.y);
        let reach = a.rect.width / 3.0;
        Shape::Arc(Curve::swing((x - reach, y), (x + reach, y), -rise(1)))
    } else {
        let (from, to) = ((a.rect.center_x(), a.rect.y), (b.rect.center_x(), b.rect.y));
        Shape::Arc(Curve::swing(from, to, -rise(a_to_b(group))))
    };
    Some(Link {
        from,
        to,
        shape,
        edges: group.iter().map(|&(.., edge)| edge).collect(),
        ghost: edges.clone().all(|edge| {
            let node = context.channel.nodes.get(edge.from as usize);
            node.is_some_and(Node::is_absent)
        }),
        backwards: to < from,
        selected: edges.any(|edge| {
            context
                .selected
                .is_some_and(|s| s == edge.from || s == edge.to)
        }),
    })
}

fn a_to_b(group: &[(u32, u32, u32)]) -> u32 {
    group.first().map_or(1, |&(from, to, _)| from.abs_diff(to))
}

/// Returns the height of an arc over `jump` boxes: grows with `jump` within the lane.
pub(super) fn rise(jump: u32) -> f32 {
    (8.0 + 2.0 * (jump.max(1) as f32).log2()).min(17.0)
}

/// Height of a step: above the arcs of a lane, so that it is not mistaken for a `replaces`, and
/// inside the lane.
const RISE: f32 = 18.0;

pub(super) fn lay_out_routes(
    graph: &PackageGraph,
    layout: &Layout,
    requests: &[RouteRequest],
) -> Vec<Route> {
    if requests.is_empty() {
        return Vec::new();
    }
    let places = Places::new(graph, layout);
    let routes = (0..).zip(requests);
    routes
        .filter_map(|(index, request)| {
            // Each end prefers the other's lane; without a preference the target decides.
            let to = places.find(&request.to, request.from.channel.as_deref())?;
            let from = places.find(&request.from, Some(lane_name(graph, to.0)))?;
            Some(Route {
                request: index,
                curve: curve(from, to)?,
                chosen: request.chosen,
            })
        })
        .collect()
}

fn lane_name<'a>(graph: &'a PackageGraph, lane: &Lane) -> &'a str {
    graph
        .channels
        .get(lane.channel as usize)
        .map_or("", |c| &c.name)
}

/// Index of the boxes by name. A search would be slow: a path has as many steps as a channel has
/// entries.
struct Places<'a> {
    graph: &'a PackageGraph,
    /// By name, in lane order.
    by_name: HashMap<&'a str, Vec<PlaceInLane<'a>>>,
}

#[derive(Clone, Copy)]
struct PlaceInLane<'a> {
    lane: &'a Lane,
    entry_node: &'a EntryNode,
    absent: bool,
}

impl<'a> Places<'a> {
    fn new(graph: &'a PackageGraph, layout: &'a Layout) -> Self {
        let mut by_name: HashMap<&str, Vec<PlaceInLane<'_>>> = HashMap::default();
        for lane in &layout.lanes {
            let Some(channel) = graph.channels.get(lane.channel as usize) else {
                continue;
            };
            for (entry_node, &node) in lane
                .entry_nodes
                .iter()
                .flat_map(|entry_node| entry_node.nodes.iter().map(move |node| (entry_node, node)))
            {
                let absent = channel
                    .nodes
                    .get(node as usize)
                    .is_none_or(|n| n.is_absent());
                by_name
                    .entry(graph.name_at(channel, node))
                    .or_default()
                    .push(PlaceInLane {
                        lane,
                        entry_node,
                        absent,
                    });
            }
        }
        Self { graph, by_name }
    }

    /// Finds the box of a name: in its channel; else in `near`; else in the first lane that has it,
    /// preferably as an entry.
    fn find(&self, what: &Selection, near: Option<&str>) -> Option<(&'a Lane, &'a EntryNode)> {
        let all = self.by_name.get(&*what.name)?;
        let in_lane = |name: &str| {
            all.iter()
                .find(|place| lane_name(self.graph, place.lane) == name)
        };
        let place = match &what.channel {
            Some(name) => in_lane(name),
            None => near
                .and_then(in_lane)
                .or_else(|| all.iter().min_by_key(|place| place.absent)),
        };
        place.map(|place| (place.lane, place.entry_node))
    }
}

fn curve((lane, from): (&Lane, &EntryNode), (other, to): (&Lane, &EntryNode)) -> Option<Curve> {
    if lane.channel == other.channel {
        let ends = (
            (from.rect.center_x(), from.rect.y),
            (to.rect.center_x(), to.rect.y),
        );
        return (ends.0 != ends.1).then(|| Curve::swing(ends.0, ends.1, -RISE));
    }
    let down = other.y > lane.y;
    let start = (
        from.rect.center_x(),
        if down {
            from.rect.bottom()
        } else {
            from.rect.y
        },
    );
    let from_left = to.rect.center_x() >= from.rect.center_x();
    let end = (
        if from_left {
            to.rect.x
        } else {
            to.rect.right()
        },
        to.rect.center_y(),
    );
    let bend = (end.0 - start.0).abs().max(40.0) * if from_left { 0.4 } else { -0.4 };
    let control1 = (start.0, start.1 + (end.1 - start.1) * 0.8);
    Some(Curve {
        from: start,
        control1,
        control2: (end.0 - bend, end.1),
        to: end,
    })
}
