//! The graph for Graphviz: a cluster for each package, and within it one for each channel.

use super::states;
use crate::graph::{ChannelGraph, EdgeKind, Node, PackageGraph};
use std::fmt::Write;

/// A `digraph`. Deprecated packages and channels have it in their labels. Heads have a bold outline, absent entries a
/// dotted one, skipped ones a dashed one, deprecated ones are crossed by a diagonal; skip ranges are dashed edges.
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
        let labels = states(graph, node).join(", ");
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

fn title(name: &str, deprecated: bool) -> String {
    if deprecated {
        format!("{name} (deprecated)")
    } else {
        name.to_owned()
    }
}

fn style(node: &Node, deprecated: bool) -> String {
    let mut styles = Vec::new();
    if node.is_absent() {
        styles.push("dotted");
    } else if node.skipped {
        styles.push("dashed");
    }
    if node.head {
        styles.push("bold");
    }
    if deprecated {
        styles.push("diagonals");
    }
    if styles.is_empty() {
        String::new()
    } else {
        format!(", style=\"{}\"", styles.join(","))
    }
}

/// A DOT string: only quote and backslash are special; a line break is written as its escape.
fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}
