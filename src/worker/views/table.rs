//! The graph as a table: one row per entry, and one per name that an edge refers to but the channel lacks.

use super::marks::Marks;
use fbc::graph::by_version;
use fbc::graph::export::states;
use fbc::graph::{ChannelGraph, Node, PackageGraph};
use fbc::hashed::HashMap;
use fbc::model::{Entry, Package, day};
use fbc::order::SortSmall;
use fbc::place::{Spanned, Text};
use fbc::workspace::Root;
use protocol::diagnostic::Location;
use protocol::views::{EdgeLines, TableRow};
use std::cmp::Ordering;

/// Rows in lane order; within a lane, highest version first.
///
/// All rows are rebuilt with each edit of a package, so each is built once and no part of it twice.
pub(super) fn rows(
    root: &Root,
    package: &Package,
    graph: &PackageGraph,
    lanes: &[u32],
    marks: &Marks<'_>,
) -> Vec<TableRow> {
    let dates = package
        .bundles
        .iter()
        .map(|bundle| (bundle.name.as_str(), date(&bundle.created)))
        .collect();
    let input = TableInput {
        root,
        package,
        graph,
        dates,
        marks,
    };
    let count = graph
        .channels
        .iter()
        .map(|channel| channel.nodes.len())
        .sum();
    let mut rows = Vec::with_capacity(count);
    for channel in lanes
        .iter()
        .filter_map(|&lane| graph.channels.get(lane as usize))
    {
        input.channel(channel, &mut rows);
    }
    rows
}

/// A timestamp is shortened to its day; other text stays as written.
fn date(created: &Text) -> &str {
    day(created).unwrap_or(created)
}

/// The data that rows are built from.
struct TableInput<'a> {
    root: &'a Root,
    package: &'a Package,
    graph: &'a PackageGraph,
    /// Build dates of bundles, by name.
    dates: HashMap<&'a str, &'a str>,
    marks: &'a Marks<'a>,
}

impl TableInput<'_> {
    fn channel(&self, channel: &ChannelGraph, rows: &mut Vec<TableRow>) {
        let mut nodes: Vec<&Node> = channel.nodes.iter().collect();
        nodes.sort_small_by(|a, b| match (self.graph.facts(a), self.graph.facts(b)) {
            (Some(a), Some(b)) => by_version(b, a),
            _ => Ordering::Equal,
        });
        for node in nodes {
            self.node(channel, node, rows);
        }
    }

    /// An entry that is listed twice gets two rows; an absent one gets a row without fields.
    fn node(&self, channel: &ChannelGraph, node: &Node, rows: &mut Vec<TableRow>) {
        let blob = &channel.blob;
        let row = self.without_fields(channel, node);
        let Some((last, before)) = node.lines.split_last() else {
            rows.push(TableRow {
                location: self.channel_location(channel),
                ..row
            });
            return;
        };
        let entry = |line: u32| blob.entries.get(line as usize);
        rows.extend(
            before
                .iter()
                .filter_map(|&line| entry(line))
                .map(|entry| self.entry(channel, entry, row.clone())),
        );
        rows.extend(entry(*last).map(|entry| self.entry(channel, entry, row)));
    }

    /// A row for a name, listed or not.
    fn without_fields(&self, channel: &ChannelGraph, node: &Node) -> TableRow {
        let facts = self.graph.facts(node);
        let names = states(self.graph, node).into_iter().map(word_of);
        let default = channel.is_default.then_some("default channel");
        TableRow {
            channel: to_owned_text(&channel.name),
            entry: facts.map_or_else(String::new, |facts| to_owned_text(&facts.name)),
            version: facts.map_or_else(String::new, |facts| to_owned_text(&facts.text)),
            state: names.chain(default).map(str::to_owned).collect(),
            problem: facts.and_then(|facts| self.marks.entries(&channel.name, [&*facts.name])),
            date: facts
                .and_then(|facts| self.dates.get(&*facts.name))
                .map_or_else(String::new, |&date| date.to_owned()),
            ..TableRow::default()
        }
    }

    fn entry(&self, channel: &ChannelGraph, entry: &Entry, row: TableRow) -> TableRow {
        let location = self.entry_location(channel, entry);
        TableRow {
            replaces: to_owned_text(&entry.replaces.value),
            skips: entry
                .skips
                .iter()
                .map(|skip| to_owned_text(&skip.value))
                .collect(),
            skip_range: to_owned_text(&entry.skip_range.value),
            edge_lines: match self.root.rendering() {
                None => edge_lines(entry, |edge| {
                    location.line + edge.place.line.saturating_sub(entry.place.line)
                }),
                // In a rendered catalog, the template's line of the entry also produced its edges.
                Some(_) => edge_lines(entry, |_| location.line),
            },
            location,
            ..row
        }
    }

    /// The place of an entry; in a rendered catalog, the template's line that produced it.
    fn entry_location(&self, channel: &ChannelGraph, entry: &Entry) -> Location {
        let made = self
            .root
            .rendering()
            .and_then(|of| of.entry_line(&self.package.name, &channel.name, &entry.name.value));
        let blob = &channel.blob;
        made.unwrap_or_else(|| {
            self.root
                .catalog()
                .location(blob.file, blob.index, entry.place)
        })
    }

    fn channel_location(&self, channel: &ChannelGraph) -> Location {
        let made = self
            .root
            .rendering()
            .and_then(|of| of.channel_line(&self.package.name, &channel.name));
        let blob = &channel.blob;
        made.unwrap_or_else(|| {
            self.root
                .catalog()
                .location(blob.file, blob.index, blob.place)
        })
    }
}

/// Avoids `Display`, which is too slow for thousands of names at each edit.
fn to_owned_text(text: &Text) -> String {
    String::from(&**text)
}

/// Lines of the existing edges.
fn edge_lines(entry: &Entry, line: impl Fn(&Spanned<Text>) -> u32) -> EdgeLines {
    let at = |text: &Spanned<Text>| if text.is_empty() { 0 } else { line(text) };
    EdgeLines {
        replaces: at(&entry.replaces),
        skips: entry.skips.iter().map(at).collect(),
        skip_range: at(&entry.skip_range),
    }
}

/// The page's word for a state.
pub(super) fn word_of(state: &'static str) -> &'static str {
    match state {
        "absent" => "not in this channel",
        "no-bundle" => "no bundle",
        "duplicate" => "listed twice",
        "cycle" => "in a cycle",
        other => other,
    }
}
