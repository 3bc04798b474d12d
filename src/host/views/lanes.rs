//! Converts the library's lane layout to the protocol: replaces indices by names, and adds the
//! catalog's facts.

use crate::views::problems::Marks;
use catalog::graph::layout::{self as laid, Layout, LayoutRequest, RouteRequest, Selection};
use catalog::graph::{ChannelGraph, PackageGraph};
use protocol::lanes as page;
use protocol::request::LaneOptions;
use std::sync::Arc;
use syntax::place::Text;

/// Converts the page's request to the library's types; the session adds `edited` and `routes`.
pub(crate) fn request(options: &LaneOptions) -> LayoutRequest {
    fn texts<T: FromIterator<Text>>(names: &[String]) -> T {
        names.iter().map(|name| name.as_str().into()).collect()
    }
    LayoutRequest {
        fold: options.fold,
        toggled: options.toggled_streams.iter().cloned().collect(),
        order: texts(&options.order),
        settled: texts(&options.default_order),
        hidden: texts(&options.hidden_channels),
        selected: options.selected.as_ref().map(|entry| Selection {
            channel: (!entry.channel.is_empty()).then(|| entry.channel.as_str().into()),
            name: entry.name.as_str().into(),
        }),
        ..LayoutRequest::default()
    }
}

/// Converts a layout for the page to draw. `routes` are those of its request.
pub(super) fn lanes(
    graph: &PackageGraph,
    layout: &Layout,
    routes: &[RouteRequest],
    marks: &Marks<'_>,
) -> page::Lanes {
    page::Lanes {
        package: graph.package.to_string(),
        width: layout.width,
        height: layout.height,
        header: layout.header,
        top: layout.top,
        streams: layout.streams.clone(),
        columns: layout
            .columns
            .iter()
            .map(|c| column(graph, layout, c))
            .collect(),
        lanes: layout
            .lanes
            .iter()
            .filter_map(|l| lane(graph, layout, l, marks))
            .map(Arc::new)
            .collect(),
        routes: layout
            .routes
            .iter()
            .filter_map(|r| route(r, routes))
            .collect(),
    }
}

fn column(graph: &PackageGraph, layout: &Layout, column: &laid::Column) -> page::Column {
    let facts = column
        .names
        .first()
        .and_then(|&name| graph.names.get(name as usize))
        .filter(|_| !column.folded);
    let stream = || {
        layout
            .streams
            .get(column.stream as usize)
            .map_or(String::new(), |s| s.key.clone())
    };
    page::Column {
        key: facts.map_or_else(stream, |f| f.name.to_string()),
        label: column.label.clone(),
        version: facts.map_or(String::new(), |f| f.text.to_string()),
        stream: column.stream,
        x: column.x,
        width: column.width,
        folded: if column.folded {
            column.names.len() as u32
        } else {
            0
        },
    }
}

fn lane(
    graph: &PackageGraph,
    layout: &Layout,
    lane: &laid::Lane,
    marks: &Marks<'_>,
) -> Option<page::Lane> {
    let channel = graph.channels.get(lane.channel as usize)?;
    Some(page::Lane {
        channel: channel.name.to_string(),
        index: lane.channel,
        y: lane.y,
        height: lane.height,
        is_default: channel.is_default,
        deprecated: channel.deprecated.is_some(),
        edited: lane.edited,
        entries: channel.blob.entries.len() as u32,
        problem: marks.channel(&channel.name),
        removed: channel.gone,
        subtitle: lane.subtitle.clone(),
        track: lane.track,
        nodes: lane
            .entry_nodes
            .iter()
            .map(|node| entry_node(graph, channel, layout, node, marks))
            .collect(),
        links: lane.links.iter().map(|l| link(graph, channel, l)).collect(),
        runs: lane.runs.iter().map(|r| run(graph, channel, r)).collect(),
        brackets: lane
            .brackets
            .iter()
            .filter_map(|b| bracket(graph, channel, b))
            .collect(),
        arrows: lane
            .arrows
            .iter()
            .filter_map(|a| arrow(graph, channel, a))
            .collect(),
        reaches: reaches(graph, channel, &lane.entry_nodes),
    })
}

/// Returns the entries that skip ranges cover, by the index of the entry node that draws each.
fn reaches(
    graph: &PackageGraph,
    channel: &ChannelGraph,
    entry_nodes: &[laid::EntryNode],
) -> Vec<page::Reach> {
    let mut drawn_by = vec![0; channel.nodes.len()];
    for (index, entry_node) in (0u32..).zip(entry_nodes) {
        for &node in &entry_node.nodes {
            if let Some(drawing) = drawn_by.get_mut(node as usize) {
                *drawing = index;
            }
        }
    }
    let reaches = graph.reaches(channel, &drawn_by).into_iter();
    reaches
        .map(|reach| page::Reach {
            node: reach.place,
            over: reach
                .over
                .iter()
                .map(|run| (run.start as u32, run.end as u32 - 1))
                .collect(),
        })
        .collect()
}

fn entry_node(
    graph: &PackageGraph,
    channel: &ChannelGraph,
    layout: &Layout,
    entry_node: &laid::EntryNode,
    marks: &Marks<'_>,
) -> page::EntryNode {
    let names = || {
        let nodes = entry_node.nodes.iter();
        nodes.map(|&node| graph.name_at(channel, node))
    };
    let stream_key = || {
        layout
            .columns
            .get(entry_node.column as usize)
            .and_then(|c| layout.streams.get(c.stream as usize))
            .map_or(String::new(), |s| s.key.clone())
    };
    let is_stack = entry_node.kind == page::EntryNodeKind::Stack;
    let entry = entry_node
        .nodes
        .first()
        .and_then(|&node| graph.facts(channel.nodes.get(node as usize)?))
        .filter(|_| !is_stack);
    page::EntryNode {
        kind: entry_node.kind,
        name: entry.map_or_else(stream_key, |entry| entry.name.to_string()),
        text: entry_node.text.clone(),
        version: entry.map_or(String::new(), |entry| entry.text.to_string()),
        column: entry_node.column,
        x: entry_node.rect.x,
        y: entry_node.rect.y,
        width: entry_node.rect.width,
        height: entry_node.rect.height,
        marks: entry_node.marks,
        members: if is_stack {
            names().map(str::to_owned).collect()
        } else {
            Vec::new()
        },
        count: entry_node.count,
        selected: entry_node.selected,
        twin: entry_node.twin,
        edited: entry_node.edited,
        problem: marks.entries(&channel.name, names()),
    }
}

fn link(graph: &PackageGraph, channel: &ChannelGraph, link: &laid::Link) -> page::Link {
    let name = |node: u32| graph.name_at(channel, node).to_owned();
    let edges = link
        .edges
        .iter()
        .filter_map(|&edge| channel.edges.get(edge as usize));
    page::Link {
        from: link.from,
        to: link.to,
        shape: link.shape,
        edges: edges.map(|edge| (name(edge.from), name(edge.to))).collect(),
        ghost: link.ghost,
        backwards: link.backwards,
        selected: link.selected,
    }
}

fn run(graph: &PackageGraph, channel: &ChannelGraph, run: &laid::Run) -> page::Run {
    let names = |nodes: &[u32]| {
        let names = nodes.iter().map(|&node| graph.name_at(channel, node));
        names.map(str::to_owned).collect()
    };
    page::Run {
        bar: run.bar,
        ticks: run.ticks.clone(),
        names: names(&run.nodes),
        by: names(&run.by),
        label: run.label.clone(),
        selected: run.selected,
    }
}

fn bracket(
    graph: &PackageGraph,
    channel: &ChannelGraph,
    bracket: &laid::Bracket,
) -> Option<page::Bracket> {
    let range = bracket
        .ranges
        .last()
        .and_then(|&range| channel.ranges.get(range as usize))?;
    Some(page::Bracket {
        node: bracket.entry_node,
        entry: graph.name_at(channel, range.node).to_owned(),
        range: range.text.to_string(),
        more: bracket.ranges.len() as u32 - 1,
        bar: bracket.bar,
        arrow: bracket.arrow,
        full: bracket.full,
        ticks: bracket.ticks.clone(),
        covers: bracket.covers,
        covers_selected: bracket.covers_selected,
        invalid: bracket.invalid,
    })
}

fn arrow(graph: &PackageGraph, channel: &ChannelGraph, arrow: &laid::Arrow) -> Option<page::Arrow> {
    let edge = channel.edges.get(*arrow.edges.first()? as usize)?;
    Some(page::Arrow {
        from: graph.name_at(channel, edge.from).to_owned(),
        to: graph.name_at(channel, edge.to).to_owned(),
        more: arrow.edges.len() as u32 - 1,
        curve: arrow.curve,
    })
}

fn route(route: &laid::Route, requests: &[RouteRequest]) -> Option<page::Route> {
    let request = requests.get(route.request as usize)?;
    Some(page::Route {
        from: request.from.name.to_string(),
        to: request.to.name.to_string(),
        curve: route.curve,
        chosen: route.chosen,
    })
}
