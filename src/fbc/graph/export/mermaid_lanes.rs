//! The graph as Mermaid, including what `opm`'s drawing omits: heads, the default channel, names
//! that the channel does not list, and each skip range as one arrow with its count.

use super::states;
use crate::graph::{ChannelGraph, EdgeKind, PackageGraph};
use std::fmt::Write;

/// A flow chart with a subgraph for each channel and versions as labels. States are given as words
/// below the version and as classes.
pub fn mermaid_lanes(graph: &PackageGraph) -> String {
    let mut out = String::from("flowchart LR\n");
    for (number, channel) in graph.channels.iter().enumerate() {
        write_channel(&mut out, graph, channel, number);
    }
    out.push_str(
        "  classDef head stroke-width:3px\n  classDef absent stroke-dasharray:2 3\n  classDef skipped stroke-dasharray:6 2\n  \
         classDef deprecated stroke:#9a5b00\n  classDef stranded stroke:#a3262a\n",
    );
    out
}

fn write_channel(out: &mut String, graph: &PackageGraph, channel: &ChannelGraph, number: usize) {
    let star = if channel.is_default { "★ " } else { "" };
    // Writing to a string cannot fail.
    let old = if channel.deprecated.is_some() {
        " (deprecated)"
    } else {
        ""
    };
    let _ = writeln!(
        out,
        "  subgraph c{number}[\"{star}{}{old}\"]",
        escape(&channel.name)
    );
    for (index, node) in channel.nodes.iter().enumerate() {
        let Some(facts) = graph.facts(node) else {
            continue;
        };
        let label = if facts.text.is_empty() {
            &facts.name
        } else {
            &facts.text
        };
        let labels = states(graph, node);
        let suffix = if labels.is_empty() {
            String::new()
        } else {
            format!("<br/>{}", labels.join(", "))
        };
        let _ = writeln!(out, "    c{number}n{index}[\"{}{suffix}\"]", escape(label));
        for class in ["head", "skipped", "absent", "stranded", "deprecated"] {
            if labels.contains(&class) {
                let _ = writeln!(out, "    class c{number}n{index} {class}");
            }
        }
    }
    for edge in &channel.edges {
        let (from, to) = (edge.from, edge.to);
        let arrow = match edge.kind {
            EdgeKind::Replaces => "-->",
            EdgeKind::Skips | EdgeKind::SkipRange => "-. skips .->",
        };
        let _ = writeln!(out, "    c{number}n{from} {arrow} c{number}n{to}");
    }
    let coverage = graph.coverage(channel);
    for ((range, runs), first) in channel
        .ranges
        .iter()
        .zip(&coverage.ranges)
        .zip(coverage.firsts())
    {
        let Some(first) = first else { continue };
        let (text, to) = (escape(&range.text), range.node);
        let count: usize = runs.iter().map(ExactSizeIterator::len).sum();
        let more = if count > 1 {
            format!(", {count} entries")
        } else {
            String::new()
        };
        let _ = writeln!(
            out,
            "    c{number}n{first} -. \"skipRange {text}{more}\" .-> c{number}n{to}"
        );
    }
    out.push_str("  end\n");
}

/// Text inside the quotes of a label, with special characters as entities.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '#' | '<' | '>' | '&' | '`' => {
                let _ = write!(out, "#{};", c as u32);
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::mermaid_lanes;
    use crate::graph::PackageGraph;
    use crate::graph::testing::package;

    #[test]
    fn heads_ranges_and_absent_entries_are_drawn() {
        let of = package(&[(
            "a\"b",
            &[
                "p.v1.0.0 r:p.v0.9.0",
                "p.v1.1.0 r:p.v1.0.0 sr:>=1.0.0_<1.1.0",
            ],
        )]);
        let text = mermaid_lanes(&PackageGraph::build(&of));
        assert!(
            text.contains("subgraph c0[\"a#34;b\"]") || text.contains("subgraph c0[\"★ a#34;b\"]"),
            "{text}"
        );
        assert!(text.contains("[\"1.1.0<br/>head"), "{text}");
        assert!(
            text.contains("c0n2[\"0.9.0<br/>absent, no-bundle\"]"),
            "{text}"
        );
        assert!(text.contains("c0n0 --> c0n1"), "{text}");
        assert!(
            text.contains("c0n0 -. \"skipRange #62;=1.0.0 #60;1.1.0\" .-> c0n1"),
            "{text}"
        );
    }
}
