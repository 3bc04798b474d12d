//! Computes the states of a channel's entries from its references: heads, the walk from the only
//! head, cycles, and skipped or stranded entries.

use crate::model::Entry;
use petgraph::graph::DiGraph;
use petgraph::visit::{Dfs, GraphBase, IntoNeighbors, VisitMap, Visitable};

/// An entry, by number, that a line of its channel refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryReference {
    Replaced(usize),
    Skipped(usize),
}

impl EntryReference {
    /// Returns the references of a line to names with a `position`. An empty `replaces` is no
    /// reference; an empty item of `skips` refers to the entry without a name.
    pub fn from_entry<'e>(
        entry: &'e Entry,
        position: impl Fn(&str) -> Option<usize> + Copy + 'e,
    ) -> impl Iterator<Item = Self> + 'e {
        let replaces = Some(entry.replaces.as_str()).filter(|name| !name.is_empty());
        let replaced = replaces.and_then(position).map(EntryReference::Replaced);
        replaced.into_iter().chain(
            entry
                .skips
                .iter()
                .filter_map(move |s| position(s.as_str()))
                .map(EntryReference::Skipped),
        )
    }
}

/// The states of a channel's entries.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct States {
    /// Entries that nothing refers to, in order. `opm` requires exactly one.
    pub heads: Vec<usize>,
    /// For each entry, whether some `skips` names it.
    pub skipped: Vec<bool>,
    /// With exactly one head: its `replaces` chain, which ends before a skipped or absent entry.
    pub walk: Vec<usize>,
    /// The cycle at the end of the walk, starting with the entry that is visited twice.
    pub cycle: Vec<usize>,
    /// With exactly one head: entries neither walked nor skipped, in order.
    pub stranded: Vec<usize>,
}

impl States {
    /// Computes the states of `names` names; the first `present` ones are entries. `replaced`
    /// returns the name that an entry's line replaces; `opm` looks it up even if it is empty, so an
    /// entry without a name can be on the walk.
    pub fn new(
        names: usize,
        present: usize,
        references: impl IntoIterator<Item = EntryReference>,
        replaced: impl Fn(usize) -> Option<usize>,
    ) -> Self {
        let (incoming, skipped) = mark_references(names, references);
        let heads = unmarked_entries(&incoming[..present]);
        let [head] = heads[..] else {
            return Self {
                heads,
                skipped,
                ..Self::default()
            };
        };
        let functional_graph = FunctionalGraph::new(present, |entry| {
            replaced(entry).filter(|&next| next < present && !skipped[next])
        });
        let mut search = Dfs::new(&functional_graph, head);
        let mut walk = Vec::new();
        while let Some(entry) = search.next(&functional_graph) {
            walk.push(entry);
        }
        // If the last entry has a successor, it was visited before.
        let repeated = walk.last().and_then(|&end| functional_graph.next(end));
        let cycle = repeated.map_or_else(Vec::new, |repeated| {
            let walk = walk.iter().copied();
            walk.skip_while(|&entry| entry != repeated).collect()
        });
        let stranded = (0..present)
            .filter(|&entry| !search.discovered.is_visited(&entry) && !skipped[entry])
            .collect();
        Self {
            heads,
            walk,
            cycle,
            stranded,
            skipped,
        }
    }
}

/// Returns the numbers of the entries that are not marked. Counts them first to allocate once: a
/// channel without edges may have thousands, and each trial of a fix calls this.
fn unmarked_entries(marked: &[bool]) -> Vec<usize> {
    let unmarked = (0..marked.len()).filter(|&entry| !marked[entry]);
    let mut entries = Vec::with_capacity(unmarked.clone().count());
    entries.extend(unmarked);
    entries
}

/// Returns, for each name, whether a line refers to it and whether a line skips it.
fn mark_references(
    names: usize,
    references: impl IntoIterator<Item = EntryReference>,
) -> (Vec<bool>, Vec<bool>) {
    let (mut incoming, mut skipped) = (vec![false; names], vec![false; names]);
    for reference in references {
        let (EntryReference::Replaced(at) | EntryReference::Skipped(at)) = reference;
        if let (Some(incoming), Some(skipped)) = (incoming.get_mut(at), skipped.get_mut(at)) {
            *incoming = true;
            *skipped |= matches!(reference, EntryReference::Skipped(_));
        }
    }
    (incoming, skipped)
}

/// A graph in which each node has at most one successor: the number of nodes and the successor
/// function.
pub struct FunctionalGraph<F> {
    nodes: usize,
    next: F,
}

impl<F: Fn(usize) -> Option<usize>> FunctionalGraph<F> {
    /// `next` must return numbers below `nodes`.
    pub fn new(nodes: usize, next: F) -> Self {
        Self { nodes, next }
    }

    pub fn next(&self, node: usize) -> Option<usize> {
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
