//! Graphs in which every node has at most one successor, walked by `petgraph`: a channel along
//! `replaces`, versions along their next steps. The successor of a node is computed on demand; no
//! graph is copied.

use petgraph::graph::DiGraph;
use petgraph::visit::{GraphBase, IntoNeighbors, Visitable};

/// A number of nodes and their successor function.
pub(crate) struct FunctionalGraph<F> {
    nodes: usize,
    next: F,
}

impl<F: Fn(usize) -> Option<usize>> FunctionalGraph<F> {
    /// `next` returns numbers below `nodes`.
    pub(crate) fn new(nodes: usize, next: F) -> Self {
        Self { nodes, next }
    }

    pub(crate) fn next(&self, node: usize) -> Option<usize> {
        (self.next)(node).filter(|&next| next < self.nodes)
    }
}

impl<F> GraphBase for FunctionalGraph<F> {
    type NodeId = usize;
    type EdgeId = usize;
}

impl<F: Fn(usize) -> Option<usize>> IntoNeighbors for &FunctionalGraph<F> {
    type Neighbors = std::option::IntoIter<usize>;

    fn neighbors(self, node: usize) -> Self::Neighbors {
        self.next(node).into_iter()
    }
}

impl<F> Visitable for FunctionalGraph<F> {
    /// A bit per node, as in every `petgraph` graph with numbered nodes.
    type Map = <DiGraph<(), ()> as Visitable>::Map;

    fn visit_map(&self) -> Self::Map {
        Self::Map::with_capacity(self.nodes)
    }

    fn reset_map(&self, map: &mut Self::Map) {
        map.clear();
        map.grow(self.nodes);
    }
}
