//! Lays out one lane: its boxes and everything around them.

use super::columns::ColumnPlan;
use super::geometry::{EntryNode, EntryNodeKind, HorizontalLine, Lane, Marks, Rect, Zoom};
use super::{LayoutRequest, Sizes, below, links, text};
use crate::graph::build::{ChannelGraph, Node, PackageGraph};
use crate::order::SortSmall;
use crate::place::Text;

/// The input of a lane's parts.
pub(super) struct LaneContext<'a> {
    pub(super) graph: &'a PackageGraph,
    pub(super) channel: &'a ChannelGraph,
    pub(super) plan: &'a ColumnPlan,
    pub(super) zoom: Zoom,
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

pub(super) fn lay(
    graph: &PackageGraph,
    channel: &ChannelGraph,
    request: &LayoutRequest,
    plan: &ColumnPlan,
    y: f32,
) -> Lane {
    let collapsed = request.collapsed.contains(&channel.name);
    let size = Sizes::for_zoom(request.zoom);
    let height = if collapsed { size.collapsed } else { size.lane };
    let entry_nodes = match collapsed {
        true => stack_of_all(graph, channel, request, plan, y + height / 2.0),
        false => entry_nodes(graph, channel, request, plan, y + height / 2.0),
    };
    let mut entry_node_of = vec![0; channel.nodes.len()];
    for (index, entry_node) in (0..).zip(&entry_nodes) {
        for &node in &entry_node.nodes {
            if let Some(of) = entry_node_of.get_mut(node as usize) {
                *of = index;
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
            x1: size.header,
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
        let zoom = request.zoom;
        let context = LaneContext {
            graph,
            channel,
            plan,
            zoom,
            entry_nodes: &entry_nodes,
            entry_node_of: &entry_node_of,
            selected,
            y,
        };
        lane.links = links::lay(&context);
        lane.runs = below::runs(&context);
        lane.brackets = below::brackets(&context, request);
        lane.arrows = below::arrows(&context);
    }
    lane.entry_nodes = entry_nodes;
    lane
}

/// A box for each node, or one for all nodes of the lane in a folded column.
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

/// A collapsed lane: one stack of everything, in the column of the head.
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
    if request.zoom == Zoom::Near {
        (entry_node.rect.y, entry_node.rect.height) = (middle - 10.0, 20.0);
    }
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
        [node] if node.gone => EntryNodeKind::Gone,
        [node] if node.is_absent() => EntryNodeKind::Ghost,
        [_] => EntryNodeKind::Entry,
        _ => EntryNodeKind::Stack,
    };
    let place = plan.columns.get(column as usize);
    let width = plan.entry_node_width(column, request.zoom);
    let height = Sizes::for_zoom(request.zoom).entry_node;
    let x = place.map_or(0.0, |c| c.x + (c.width - width) / 2.0);
    let is_named = |name: &str| {
        members
            .iter()
            .any(|node| graph.facts(node).is_some_and(|f| &*f.name == name))
    };
    let selection = request.selected.as_ref().filter(|s| is_named(&s.name));
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
        text: if request.zoom == Zoom::Near {
            entry_node_text(plan, &members, column, width)
        } else {
            String::new()
        },
        column,
        rect: Rect {
            x,
            y: middle - height / 2.0,
            width,
            height,
        },
        marks: marks(graph, channel, &members),
        selected,
        twin: selection.is_some() && !selected,
        edited,
        nodes,
    }
}

/// A stack shows its number of members, or the version of its head; a single member of a folded
/// column shows its own version.
fn entry_node_text(plan: &ColumnPlan, members: &[&Node], column: u32, width: f32) -> String {
    let place = plan.columns.get(column as usize);
    let folded = place.is_some_and(|c| c.folded);
    let full = |node: &Node| {
        plan.whole
            .get(node.name as usize)
            .map_or("", String::as_str)
    };
    match members {
        [only] if !folded => plan
            .texts
            .get(only.name as usize)
            .cloned()
            .unwrap_or_default(),
        [only] => text::tail(full(only), text::characters(width)),
        _ if place.is_some_and(|c| c.chain.is_some()) => text::more(members.len()),
        _ => match members.iter().find(|node| node.head) {
            Some(head) => text::tail(full(head), text::characters(width)),
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

/// The facts below a channel's name: size, wrong number of heads, deprecation, and the channel it
/// repeats.
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
