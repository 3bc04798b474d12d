//! Limits drawings that have an edge for each entry that a skip range covers, as `opm`'s do: a few
//! thousand entries with wide ranges are gigabytes of text, which no viewer opens.

use crate::graph::PackageGraph;

/// About 100 MB of text.
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
    let of_graph = |graph: &PackageGraph| -> usize {
        graph
            .channels
            .iter()
            .map(|channel| channel.edges.len() + graph.coverage(channel).edges())
            .sum()
    };
    let edges = graphs.into_iter().map(of_graph).sum();
    if edges > MOST_EDGES {
        Err(TooManyEdges { edges })
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::testing::package;

    #[test]
    fn wide_ranges_are_counted_before_they_are_drawn() {
        let graph = |count: usize| {
            let lines: Vec<String> = (0..count)
                .map(|i| format!("p.v1.{i}.0 sr:<2.0.0"))
                .collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            PackageGraph::build(&package(&[("c", &lines)]))
        };
        assert_eq!(check_edges(&[graph(1000)]), Ok(()));
        assert_eq!(
            check_edges(&[graph(1001)]),
            Err(TooManyEdges { edges: 1001 * 1000 })
        );
    }
}
