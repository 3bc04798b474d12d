//! The upgrade graph as text: [`mod@mermaid`] as `opm` writes it, [`dot()`] for Graphviz,
//! [`mod@svg`] as a labelled picture, [`json()`] for scripts.

pub mod mermaid;
pub mod svg;
#[cfg(test)]
mod tests;

use super::{ChannelGraph, EdgeKind, Node, PackageGraph};
use protocol::views::EntryState;
use serde_json::{Value, json};
use std::fmt::Write;

pub use mermaid::{Mermaid, MermaidOptions, Names, mermaid};
pub use svg::svg;

/// Maximum number of edges in a drawing, about 100 MB of text. Drawings have an edge for each entry
/// that a skip range covers, as in `opm`: a few thousand entries with wide ranges would be
/// gigabytes.
pub const MAX_EDGES: usize = 1_000_000;

/// Maximum number of skip range edges of a channel that [`json()`] lists one by one.
const MAX_LISTED_EDGES: usize = 100_000;

/// Returns the states of a node in a fixed order.
pub fn states(graph: &PackageGraph, node: &Node) -> Vec<EntryState> {
    let facts = graph.facts(node);
    [
        (EntryState::Head, node.head),
        (EntryState::Skipped, node.skipped),
        (EntryState::Stranded, node.stranded),
        (EntryState::Cycle, node.cycle),
        (EntryState::Absent, node.is_absent()),
        (EntryState::NoBundle, facts.is_none_or(|f| !f.has_bundle)),
        (EntryState::Duplicate, node.lines.len() > 1),
        (
            EntryState::Deprecated,
            facts.is_some_and(|f| f.deprecated.is_some()),
        ),
    ]
    .into_iter()
    .filter_map(|(state, applies)| applies.then_some(state))
    .collect()
}

fn format_states(graph: &PackageGraph, node: &Node) -> String {
    let names: Vec<&str> = states(graph, node)
        .into_iter()
        .map(EntryState::name)
        .collect();
    names.join(", ")
}

/// A refusal to draw packages with too many edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the drawing would have {edges} edges; at most {MAX_EDGES} are drawn")]
pub struct TooManyEdges {
    pub edges: usize,
}

impl TooManyEdges {
    pub const HELP: &'static str = "each skip range becomes one edge for every entry it covers: draw one package, or write JSON, which lists each range once";
}

/// Counts the edges without creating them.
pub fn check_edges<'a>(
    graphs: impl IntoIterator<Item = &'a PackageGraph>,
) -> Result<(), TooManyEdges> {
    let edges = graphs.into_iter().map(edge_count).sum();
    if edges > MAX_EDGES {
        Err(TooManyEdges { edges })
    } else {
        Ok(())
    }
}

/// Counts the edges of a graph's channels, with one for each entry that a skip range covers.
fn edge_count(graph: &PackageGraph) -> usize {
    graph
        .channels
        .iter()
        .map(|channel| channel.edges.len() + graph.coverage(channel).edges())
        .sum()
}

/// `{"format":1,"packages":[{"package","default","deprecated","channels":[{"channel","head",
/// "deprecated","entries":[…],"edges":[…],"by_version":[…],"ranges":[…]}]}]}`.
///
/// `deprecated` is the message of a deprecation of the package or channel, or null; an entry's
/// state is that of its bundle alone.
///
/// Packages and channels keep the given order. `head` is null unless there is exactly one.
/// `entries` are the channel's in file order, then absent ones (state `absent`) that its edges
/// name; `version` is null if neither bundle nor name has one. Edges run from old to new. `ranges`
/// gives what a skip range covers as runs of `by_version`, the entries that have a version from
/// lowest to highest, without its own entry. `edges` also lists the edges of skip ranges, unless
/// the channel has more than [`MAX_LISTED_EDGES`] of them: their number grows with the square of
/// the entries.
pub fn json<'a>(graphs: impl IntoIterator<Item = &'a PackageGraph>) -> Value {
    json!({ "format": 1, "packages": graphs.into_iter().map(package_json).collect::<Vec<_>>() })
}

fn package_json(graph: &PackageGraph) -> Value {
    json!({
        "package": &*graph.package,
        "default": &*graph.default_channel,
        "deprecated": graph.deprecated.as_deref(),
        "channels": graph.channels.iter().map(|c| channel_json(graph, c)).collect::<Vec<_>>(),
    })
}

fn channel_json(graph: &PackageGraph, channel: &ChannelGraph) -> Value {
    let entries = channel.nodes.iter().map(|node| {
        let facts = graph.facts(node);
        json!({
            "name": facts.map_or("", |f| &f.name),
            "version": facts.map(|f| &*f.text).filter(|text| !text.is_empty()),
            "state": states(graph, node),
        })
    });
    let coverage = graph.coverage(channel);
    let listed = if coverage.edges() <= MAX_LISTED_EDGES {
        graph.all_edges(channel)
    } else {
        channel.edges.clone()
    };
    let edges = listed.iter().map(|edge| {
        json!({
            "from": graph.name_at(channel, edge.from),
            "to": graph.name_at(channel, edge.to),
            "kind": edge.kind.field(),
        })
    });
    let name = |position: usize| {
        coverage
            .by_version
            .get(position)
            .map(|&node| graph.name_at(channel, node))
    };
    let run_json = |run: &std::ops::Range<usize>| {
        json!({
            "from": name(run.start),
            "to": name(run.end.saturating_sub(1)),
            "entries": run.len(),
        })
    };
    let ranges = channel.ranges.iter().zip(&coverage.ranges);
    let ranges = ranges.map(|(range, runs)| {
        json!({
            "to": graph.name_at(channel, range.node),
            "skipRange": &*range.text,
            "covers": runs.iter().map(run_json).collect::<Vec<_>>(),
        })
    });
    json!({
        "channel": &*channel.name,
        "head": channel.head().map(|head| graph.name_at(channel, head)),
        "deprecated": channel.deprecated.as_deref(),
        "entries": entries.collect::<Vec<_>>(),
        "edges": edges.collect::<Vec<_>>(),
        "by_version": (0..coverage.by_version.len()).map(name).collect::<Vec<_>>(),
        "ranges": ranges.collect::<Vec<_>>(),
    })
}

/// Writes a `digraph`. Labels of packages and channels include their deprecation. Heads have a bold
/// outline, absent entries a dotted one and skipped ones a dashed one; deprecated ones are crossed
/// by a diagonal. Skip ranges are dashed edges.
pub fn dot<'a>(graphs: impl IntoIterator<Item = &'a PackageGraph>) -> String {
    let mut out = String::from(
        "digraph upgrades {\n  rankdir=LR;\n  node [shape=box, fontname=\"monospace\", fontsize=11];\n",
    );
    for (number, graph) in graphs.into_iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "  subgraph \"cluster_{number}\" {{\n    label={};",
            quote(&title(&graph.package, graph.deprecated.is_some()))
        );
        for (index, channel) in graph.channels.iter().enumerate() {
            write_channel(&mut out, graph, channel, &format!("{number}_{index}"));
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

fn write_channel(out: &mut String, graph: &PackageGraph, channel: &ChannelGraph, id: &str) {
    let star = if channel.is_default { "★ " } else { "" };
    let _ = writeln!(out, "    subgraph \"cluster_{id}\" {{");
    let _ = writeln!(
        out,
        "      label={};",
        quote(&format!(
            "{star}{}",
            title(&channel.name, channel.deprecated.is_some())
        ))
    );
    for (index, node) in channel.nodes.iter().enumerate() {
        let name = graph.facts(node).map_or("", |f| &f.name);
        let labels = format_states(graph, node);
        let label = if labels.is_empty() {
            name.to_owned()
        } else {
            format!("{name}\n{labels}")
        };
        let style = style(node, labels.contains("deprecated"));
        let _ = writeln!(
            out,
            "      \"{id}_{index}\" [label={}{style}];",
            quote(&label)
        );
    }
    for edge in graph.all_edges(channel) {
        let style = match edge.kind {
            EdgeKind::Replaces => "",
            EdgeKind::Skips => ", color=\"#9a5b00\"",
            EdgeKind::SkipRange => ", style=dashed, color=\"#666b73\"",
        };
        let (from, to, field) = (edge.from, edge.to, edge.kind.field());
        let _ = writeln!(
            out,
            "      \"{id}_{from}\" -> \"{id}_{to}\" [label=\"{field}\"{style}];"
        );
    }
    out.push_str("    }\n");
}

fn title(name: &str, is_deprecated: bool) -> String {
    if is_deprecated {
        format!("{name} (deprecated)")
    } else {
        name.to_owned()
    }
}

fn style(node: &Node, is_deprecated: bool) -> String {
    let mut styles = Vec::new();
    if node.is_absent() {
        styles.push("dotted");
    } else if node.skipped {
        styles.push("dashed");
    }
    if node.head {
        styles.push("bold");
    }
    if is_deprecated {
        styles.push("diagonals");
    }
    if styles.is_empty() {
        String::new()
    } else {
        format!(", style=\"{}\"", styles.join(","))
    }
}

/// Writes a DOT string: only quotes and backslashes are special; a line break becomes its escape.
fn quote(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", text.replace('\n', "\\n"))
}

/// Escapes text for an XML attribute in double quotes or between tags. A carriage return is written as
/// a reference, since parsers would read a line feed. Other control characters, which XML forbids
/// or discourages, become U+FFFD.
pub fn escape_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\r' => out.push_str("&#13;"),
            '\t' | '\n' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                out.push(char::REPLACEMENT_CHARACTER)
            }
            c => out.push(c),
        }
    }
    out
}
