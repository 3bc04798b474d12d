//! The upgrade graph as text: [`mod@mermaid`] as `opm` writes it, [`mod@dot`] for Graphviz,
//! [`mod@svg`] as a labelled picture, [`mod@json`] for scripts.

pub mod dot;
mod drawing_limit;
pub mod json;
pub mod mermaid;
mod mermaid_lanes;
pub mod svg;

pub use dot::dot;
pub use drawing_limit::{MOST_EDGES, TooManyEdges, check_edges};
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
