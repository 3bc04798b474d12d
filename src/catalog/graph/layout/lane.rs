//! Lays out one lane (its boxes, `replaces` lines and arcs) and the routes over the lanes.

use super::columns::ColumnPlan;
use super::geometry::{
    self, Curve, EntryNode, EntryNodeKind, HorizontalLine, Lane, Link, Marks, Rect, Route, Shape,
};
use super::{HEADER, LayoutRequest, RouteRequest, Selection, below};
use crate::graph::{ChannelGraph, Edge, EdgeKind, Node, PackageGraph};
use syntax::hashed::HashMap;
use syntax::order::SortSmall;

/// Heights in pixels of a lane and its boxes.
const LANE_HEIGHT: f32 = 64.0;
const ENTRY_NODE_HEIGHT: f32 = 24.0;
/// Minimum distance between the boxes of adjacent lanes.
const LANE_GAP: f32 = LANE_HEIGHT - ENTRY_NODE_HEIGHT;

/// Height of the curve of a route, in pixels: above the arcs of a lane, so that it is not mistaken
/// for a `replaces`, and inside the lane.
const ROUTE_RISE: f32 = 18.0;

pub struct LaneContext<'a> {
    pub graph: &'a PackageGraph,
    pub channel: &'a ChannelGraph,
    pub request: &'a LayoutRequest,
    pub plan: &'a ColumnPlan,
    pub entry_nodes: Vec<EntryNode>,
    /// Index into `entry_nodes`, by node.
    pub entry_node_of: Vec<u32>,
    /// The node whose edges are drawn in full.
    pub selected: Option<u32>,
    /// The lane's top.
    pub y: f32,
    middle: f32,
}

/// Lays out the lane of the channel with this index, with its top at `y`.
pub fn lay_out_lane(
    graph: &PackageGraph,
    index: u32,
    request: &LayoutRequest,
    plan: &ColumnPlan,
    y: f32,
) -> Lane {
    let channel = &graph.channels[index as usize];
    let mut context = LaneContext {
        graph,
        channel,
        request,
        plan,
        entry_nodes: Vec::new(),
        entry_node_of: vec![0; channel.nodes.len()],
        selected: None,
        y,
        middle: y + LANE_HEIGHT / 2.0,
    };
    context.entry_nodes = context.entry_nodes_by_column();
    for (index, entry_node) in (0..).zip(&context.entry_nodes) {
        for &node in &entry_node.nodes {
            context.entry_node_of[node as usize] = index;
        }
    }
    let mut lane = Lane {
        channel: index,
        y,
        height: LANE_HEIGHT,
        edited: context.is_edited(),
        subtitle: subtitle(channel),
        track: HorizontalLine {
            x1: HEADER,
            x2: plan.width,
            y: context.middle,
        },
        ..Lane::default()
    };
    let selection = request.selected.as_ref();
    context.selected = selection
        .filter(|selection| selection.includes(channel))
        .and_then(|selection| graph.node_of(channel, &selection.name));
    lane.links = lay_out_links(&context);
    lane.runs = below::runs(&context);
    lane.brackets = below::brackets(&context);
    lane.arrows = below::arrows(&context);
    lane.entry_nodes = context.entry_nodes;
    lane
}

impl LaneContext<'_> {
    /// Whether the channel or one of its entries has unsaved changes.
    fn is_edited(&self) -> bool {
        let channel = (self.channel.name.clone(), "".into());
        self.request.edited.contains(&channel)
            || self.entry_nodes.iter().any(|entry_node| entry_node.edited)
    }

    pub fn name(&self, node: u32) -> usize {
        self.channel.nodes[node as usize].name as usize
    }

    pub fn entry_node(&self, node: u32) -> &EntryNode {
        &self.entry_nodes[self.entry_node_of[node as usize] as usize]
    }

    pub fn join(&self, index: u32, edge: &Edge) -> JoinedEdge {
        let [from, to] = [edge.from, edge.to].map(|node| self.entry_node_of[node as usize]);
        JoinedEdge {
            from,
            to,
            edge: index,
        }
    }

    /// Returns a box for each node, or one for all nodes of the lane in a folded column.
    fn entry_nodes_by_column(&self) -> Vec<EntryNode> {
        let column = |node: u32| self.plan.column_of[self.name(node)];
        self.nodes_in_order()
            .chunk_by(|&a, &b| column(a) == column(b))
            .map(|members| self.lay_out_entry_node(members.to_vec(), column(members[0])))
            .collect()
    }

    fn nodes_in_order(&self) -> Vec<u32> {
        let mut nodes: Vec<u32> = (0..self.channel.nodes.len() as u32).collect();
        nodes.sort_small_by_key(|&node| self.plan.rank[self.name(node)]);
        nodes
    }

    fn lay_out_entry_node(&self, nodes: Vec<u32>, column: u32) -> EntryNode {
        let members: Vec<&Node> = nodes
            .iter()
            .map(|&node| &self.channel.nodes[node as usize])
            .collect();
        let has_name = |name: &str| {
            nodes
                .iter()
                .any(|&node| *self.graph.names[self.name(node)].name == *name)
        };
        let kind = match members[..] {
            [node] if node.gone => EntryNodeKind::Removed,
            [node] if node.is_absent() => EntryNodeKind::Ghost,
            [_] => EntryNodeKind::Entry,
            _ => EntryNodeKind::Stack,
        };
        let plan_column = &self.plan.columns[column as usize];
        let width = self.plan.entry_node_width(column);
        let selection = self.request.selected.as_ref();
        let selection = selection.filter(|selection| has_name(&selection.name));
        let selected = selection.is_some_and(|selection| selection.includes(self.channel));
        let mut edited = self.request.edited.iter();
        EntryNode {
            kind,
            text: self.entry_node_text(&members, column, width),
            count: stack_size(&members),
            column,
            rect: Rect {
                x: plan_column.x + (plan_column.width - width) / 2.0,
                y: self.middle - ENTRY_NODE_HEIGHT / 2.0,
                width,
                height: ENTRY_NODE_HEIGHT,
            },
            marks: self.marks(&members),
            selected,
            twin: selection.is_some() && !selected,
            edited: edited.any(|(channel, name)| *channel == self.channel.name && has_name(name)),
            nodes,
        }
    }

    /// Returns the text of a box. A stack shows its number of entries, or the version of its head;
    /// a single member of a folded column shows its own version.
    fn entry_node_text(&self, members: &[&Node], column: u32, width: f32) -> String {
        let tail = |node: &Node| {
            let full_texts = &self.plan.full_texts[node.name as usize];
            geometry::tail(full_texts, geometry::characters(width))
        };
        match members {
            [only] if !self.plan.columns[column as usize].folded => {
                self.plan.texts[only.name as usize].clone()
            }
            [only] => tail(only),
            _ => match members.iter().find(|node| node.head) {
                Some(head) => tail(head),
                None => stack_size(members).to_string(),
            },
        }
    }

    fn marks(&self, members: &[&Node]) -> Marks {
        let any = |state: &dyn Fn(&Node) -> bool| members.iter().any(|node| state(node));
        let facts = |node: &Node| &self.graph.names[node.name as usize];
        let present = any(&|node| !node.is_absent());
        Marks {
            head: any(&|node| node.head),
            skipped: members.iter().all(|node| node.skipped),
            stranded: any(&|node| node.stranded),
            absent: !present,
            no_bundle: any(&|node| !node.is_absent() && !facts(node).has_bundle),
            duplicate: any(&|node| node.lines.len() > 1),
            cycle: any(&|node| node.cycle),
            deprecated_bundle: any(&|node| facts(node).deprecated.is_some()),
            deprecated_channel: present && self.channel.deprecated.is_some(),
            deprecated_package: present && self.graph.deprecated.is_some(),
        }
    }
}

/// Returns the number of entries that the channel lists, or else of all names.
fn stack_size(members: &[&Node]) -> u32 {
    let listed = members.iter().filter(|node| !node.is_absent()).count();
    (if listed == 0 { members.len() } else { listed }) as u32
}

/// Returns the facts below a channel's name: size, wrong number of heads, and deprecation.
fn subtitle(channel: &ChannelGraph) -> String {
    if channel.gone {
        return "removed".to_owned();
    }
    let heads = match channel.heads.len() {
        1 => None,
        _ if channel.present == 0 => None,
        0 => Some("no head".to_owned()),
        many => Some(format!("{many} heads")),
    };
    let deprecated = channel.deprecated.as_ref().map(|_| "deprecated".to_owned());
    let notes: Vec<String> = heads.into_iter().chain(deprecated).collect();
    match (notes.is_empty(), channel.blob.entries.len()) {
        (true, 1) => "1 entry".to_owned(),
        (true, many) => format!("{many} entries"),
        (false, many) => format!("{many} · {}", notes.join(" · ")),
    }
}

/// An edge with the boxes that it joins, old to new, by index. The order of the fields is the order
/// in which edges are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct JoinedEdge {
    pub from: u32,
    pub to: u32,
    pub edge: u32,
}

fn lay_out_links(context: &LaneContext<'_>) -> Vec<Link> {
    let mut edges: Vec<JoinedEdge> = (0..)
        .zip(&context.channel.edges)
        .filter(|(_, edge)| edge.kind == EdgeKind::Replaces)
        .map(|(index, edge)| (context.join(index, edge), edge.from == edge.to))
        // Edges inside a stack are not drawn, except an entry that replaces itself.
        .filter(|(joined, to_itself)| joined.from != joined.to || *to_itself)
        .map(|(joined, _)| joined)
        .collect();
    edges.sort_small();
    edges
        .chunk_by(|a, b| (a.from, a.to) == (b.from, b.to))
        .map(|group| link(context, group))
        .collect()
}

fn link(context: &LaneContext<'_>, group: &[JoinedEdge]) -> Link {
    let JoinedEdge { from, to, .. } = group[0];
    let [a, b] = [from, to].map(|index| context.entry_nodes[index as usize].rect);
    let edges = || {
        group
            .iter()
            .map(|joined| &context.channel.edges[joined.edge as usize])
    };
    // An edge to the left is always an arc, so that two entries that replace each other do not
    // share a line.
    let shape = if to == from + 1 {
        Shape::Straight(HorizontalLine {
            x1: a.right(),
            x2: b.x,
            y: a.center_y(),
        })
    } else {
        let reach = if to == from { a.width / 3.0 } else { 0.0 };
        Shape::Arc(Curve::swing(
            (a.center_x() - reach, a.y),
            (b.center_x() + reach, b.y),
            -rise(from.abs_diff(to)),
        ))
    };
    Link {
        from,
        to,
        shape,
        edges: group.iter().map(|joined| joined.edge).collect(),
        ghost: edges().all(|edge| context.channel.nodes[edge.from as usize].is_absent()),
        backwards: to < from,
        selected: edges()
            .any(|edge| context.selected == Some(edge.from) || context.selected == Some(edge.to)),
    }
}

/// Returns the height of an arc over `jump` boxes: grows with `jump` within the lane.
pub fn rise(jump: u32) -> f32 {
    (8.0 + 2.0 * (jump.max(1) as f32).log2()).min(17.0)
}

/// Lays out the requested routes. Those with an end that no lane has are omitted.
pub fn lay_out_routes(
    graph: &PackageGraph,
    lanes: &[Lane],
    requests: &[RouteRequest],
) -> Vec<Route> {
    if requests.is_empty() {
        return Vec::new();
    }
    let nodes_by_name = NodeIndex::new(graph, lanes);
    let routes = (0..).zip(requests);
    routes
        .filter_map(|(index, request)| {
            // Each end prefers the other's lane; without a preference the target decides.
            let to = nodes_by_name.find(&request.to, request.from.channel.as_deref())?;
            let from = nodes_by_name.find(&request.from, Some(lane_name(graph, to.0)))?;
            Some(Route {
                request: index,
                curve: curve(from, to)?,
                chosen: request.chosen,
            })
        })
        .collect()
}

fn lane_name<'a>(graph: &'a PackageGraph, lane: &Lane) -> &'a str {
    &graph.channels[lane.channel as usize].name
}

/// The boxes by name. A search would be slow: a path may have as many steps as a channel has
/// entries.
struct NodeIndex<'a> {
    graph: &'a PackageGraph,
    /// By name, in lane order: the lane, the box, and whether the name is absent there.
    by_name: HashMap<&'a str, Vec<(&'a Lane, &'a EntryNode, bool)>>,
}

impl<'a> NodeIndex<'a> {
    fn new(graph: &'a PackageGraph, lanes: &'a [Lane]) -> Self {
        let mut by_name: HashMap<&str, Vec<_>> = HashMap::default();
        for lane in lanes {
            let channel = &graph.channels[lane.channel as usize];
            for entry_node in &lane.entry_nodes {
                for &node in &entry_node.nodes {
                    let absent = channel.nodes[node as usize].is_absent();
                    let nodes_by_name = by_name.entry(graph.name_at(channel, node)).or_default();
                    nodes_by_name.push((lane, entry_node, absent));
                }
            }
        }
        Self { graph, by_name }
    }

    /// Finds the box of a name: in its channel; else in `near`; else in the first lane that has it,
    /// preferably as an entry.
    fn find(&self, selection: &Selection, near: Option<&str>) -> Option<(&'a Lane, &'a EntryNode)> {
        let all = self.by_name.get(&*selection.name)?;
        let in_lane = |name: &str| {
            all.iter()
                .find(|(lane, ..)| lane_name(self.graph, lane) == name)
        };
        let place = match &selection.channel {
            Some(name) => in_lane(name),
            None => near
                .and_then(in_lane)
                .or_else(|| all.iter().min_by_key(|(.., absent)| *absent)),
        };
        place.map(|&(lane, entry_node, _)| (lane, entry_node))
    }
}

/// Returns the curve of a route; `None` within one box.
fn curve((lane, from): (&Lane, &EntryNode), (other, to): (&Lane, &EntryNode)) -> Option<Curve> {
    let (from, to) = (from.rect, to.rect);
    if lane.channel == other.channel {
        let [start, end] = [from, to].map(|rect| (rect.center_x(), rect.y));
        return (start != end).then(|| Curve::swing(start, end, -ROUTE_RISE));
    }
    let (start_y, end_y, approach) = if other.y > lane.y {
        (from.bottom(), to.y, -LANE_GAP / 2.0)
    } else {
        (from.y, to.bottom(), LANE_GAP / 2.0)
    };
    // Cross other lanes steeply, then follow the gap beside the target's lane, so that few boxes
    // hide the line.
    let (start_x, end_x) = (from.center_x(), to.center_x());
    Some(Curve {
        from: (start_x, start_y),
        control1: (start_x, end_y + approach),
        control2: (end_x, end_y + approach),
        to: (end_x, end_y),
    })
}
