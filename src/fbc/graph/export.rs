//! The upgrade graph as text: [`mod@mermaid`] as `opm` writes it, [`mod@dot`] for Graphviz,
//! [`mod@svg`] as a labelled picture, [`mod@json`] for scripts.

pub mod dot;
pub mod json;
pub mod mermaid;
mod mermaid_lanes;
pub mod svg;

pub use dot::dot;
pub use json::json;
pub use mermaid::{Mermaid, MermaidOptions, Names, mermaid};
pub use mermaid_lanes::mermaid_lanes;
pub use svg::svg;

use super::{Node, PackageGraph};

#[cfg(test)]
mod tests;

/// The states of a node as words, in a fixed order: JSON lists them and DOT and SVG show them.
///
/// `head`, `skipped`, `stranded`, `cycle`, `absent` (not in this channel), `no-bundle`, `duplicate`, `deprecated` (the
/// bundle itself; deprecations of its channel or package are listed with those).
pub fn states(graph: &PackageGraph, node: &Node) -> Vec<&'static str> {
    let facts = graph.facts(node);
    [
        ("head", node.head),
        ("skipped", node.skipped),
        ("stranded", node.stranded),
        ("cycle", node.cycle),
        ("absent", node.is_absent()),
        ("no-bundle", facts.is_none_or(|f| !f.has_bundle)),
        ("duplicate", node.lines.len() > 1),
        ("deprecated", facts.is_some_and(|f| f.deprecated.is_some())),
    ]
    .into_iter()
    .filter_map(|(word, holds)| holds.then_some(word))
    .collect()
}

/// About 100 MB of text. Drawings have an edge for each entry that a skip range covers, as `opm`'s
/// do: a few thousand entries with wide ranges would be gigabytes, which no viewer opens.
pub const MOST_EDGES: usize = 1_000_000;

/// Why packages are not drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the drawing would have {edges} edges; at most {MOST_EDGES} are drawn")]
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
    if edges > MOST_EDGES {
        Err(TooManyEdges { edges })
    } else {
        Ok(())
    }
}

/// The edges of a graph's channels, with one for each entry that a skip range covers.
fn edge_count(graph: &PackageGraph) -> usize {
    graph
        .channels
        .iter()
        .map(|channel| channel.edges.len() + graph.coverage(channel).edges())
        .sum()
}
