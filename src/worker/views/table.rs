//! The graph as a table: one row an entry, and one for each name that an edge mentions but the channel lacks.

use super::marks::Marks;
use crate::fbc::catalog::Catalog;
use crate::fbc::graph::export::states;
use crate::fbc::graph::names::by_version;
use crate::fbc::graph::{ChannelGraph, Node, PackageGraph};
use crate::fbc::hashed::HashMap;
use crate::fbc::model::{Entry, Package, day};
use crate::fbc::place::{Spanned, Text};
use crate::protocol::views::{EdgeLines, TableRow};
use std::cmp::Ordering;

/// Rows in lane order, within a lane the highest version first.
pub(super) fn rows(
    catalog: &Catalog,
    package: &Package,
    graph: &PackageGraph,
    lanes: &[u32],
    marks: &Marks<'_>,
) -> Vec<TableRow> {
    let channels = lanes.iter().filter_map(|&lane| graph.channels.get(lane as usize));
    let mut rows: Vec<TableRow> = channels.flat_map(|channel| channel_rows(catalog, graph, channel, marks)).collect();
    let dates: HashMap<&str, &str> = package.bundles.iter().map(|of| (of.name.as_str(), date(&of.created))).collect();
    for row in &mut rows {
        row.date = dates.get(row.entry.as_str()).map_or_else(String::new, |date| (*date).to_owned());
    }
    rows
}

/// A date is known by its day; what is none, by what is written.
fn date(created: &Text) -> &str {
    day(created).unwrap_or(created)
}

fn channel_rows(catalog: &Catalog, graph: &PackageGraph, channel: &ChannelGraph, marks: &Marks<'_>) -> Vec<TableRow> {
    let mut nodes: Vec<&Node> = channel.nodes.iter().collect();
    nodes.sort_by(|a, b| match (graph.facts(a), graph.facts(b)) {
        (Some(a), Some(b)) => by_version(b, a),
        _ => Ordering::Equal,
    });
    nodes.into_iter().flat_map(|node| node_rows(catalog, graph, channel, node, marks)).collect()
}

/// An entry that is listed twice has two rows; an absent one has a row without fields.
fn node_rows(
    catalog: &Catalog,
    graph: &PackageGraph,
    channel: &ChannelGraph,
    node: &Node,
    marks: &Marks<'_>,
) -> Vec<TableRow> {
    let facts = graph.facts(node);
    let mut state: Vec<String> =
        states(graph, channel, node).into_iter().map(|word| word_of(word).to_owned()).collect();
    if channel.is_default {
        state.push("default channel".to_owned());
    }
    let problem = facts.and_then(|facts| marks.entries(&channel.name, [&*facts.name]));
    let row = TableRow {
        channel: owned(&channel.name),
        entry: facts.map_or_else(String::new, |facts| owned(&facts.name)),
        version: facts.map_or_else(String::new, |facts| owned(&facts.text)),
        state,
        problem,
        ..TableRow::default()
    };
    let blob = &channel.blob;
    let lines = node.lines.iter().filter_map(|&line| blob.entries.get(line as usize));
    let rows: Vec<TableRow> = lines
        .map(|entry| {
            let location = catalog.location(blob.file, blob.index, entry.place);
            TableRow {
                replaces: owned(&entry.replaces.value),
                skips: entry.skips.iter().map(|skip| owned(&skip.value)).collect(),
                skip_range: owned(&entry.skip_range.value),
                edge_lines: edge_lines(entry, location.line),
                location,
                ..row.clone()
            }
        })
        .collect();
    if rows.is_empty() {
        return vec![TableRow { location: catalog.location(blob.file, blob.index, blob.place), ..row }];
    }
    rows
}

/// Without the detour over `Display`, which thousands of names would pay for at each edit.
fn owned(text: &Text) -> String {
    String::from(&**text)
}

/// `line` is where the entry begins.
fn edge_lines(entry: &Entry, line: u32) -> EdgeLines {
    let at = |text: &Spanned<Text>| match text.is_empty() {
        true => 0,
        false => line + text.place.line.saturating_sub(entry.place.line),
    };
    EdgeLines {
        replaces: at(&entry.replaces),
        skips: entry.skips.iter().map(at).collect(),
        skip_range: at(&entry.skip_range),
    }
}

/// The page's words for a state.
pub(super) fn word_of(state: &'static str) -> &'static str {
    match state {
        "absent" => "not in this channel",
        "no-bundle" => "no bundle",
        "duplicate" => "listed twice",
        "cycle" => "in a cycle",
        other => other,
    }
}
