//! `opm`'s view of a channel (`opm-semantics` 2.3): heads, the walk from the only head, a cycle on
//! it, stranded entries. Entries are numbers here; the caller decides which line of a duplicate
//! name counts.

use super::functional_graph::FunctionalGraph;
use crate::model::Entry;
use petgraph::visit::{Dfs, VisitMap};

/// An entry, by number, that a line of its channel refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryReference {
    Replaced(usize),
    Skipped(usize),
}

impl EntryReference {
    /// The references of a line, as far as `position` knows the names. An empty `replaces` refers
    /// to nothing; an empty item of `skips` refers to the entry without a name.
    pub(crate) fn by<'e>(
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
pub(crate) struct States {
    /// Entries that nothing refers to, in order. `opm` requires exactly one.
    pub(crate) heads: Vec<usize>,
    /// For each entry, whether some `skips` names it.
    pub(crate) skipped: Vec<bool>,
    /// With exactly one head: its `replaces` chain, which ends before a skipped or absent entry.
    pub(crate) walk: Vec<usize>,
    /// The cycle at the end of the walk, starting with the entry that is visited twice.
    pub(crate) cycle: Vec<usize>,
    /// With exactly one head: entries neither walked nor skipped, in order.
    pub(crate) stranded: Vec<usize>,
}

impl States {
    /// `names` names; the first `present` are entries. `replaced` is what the line of an
    /// entry replaces; `opm` looks it up by name even if it is empty, so an entry without a name
    /// can be on the walk.
    pub(crate) fn new(
        names: usize,
        present: usize,
        references: impl IntoIterator<Item = EntryReference>,
        replaced: impl Fn(usize) -> Option<usize>,
    ) -> Self {
        let (incoming, skipped) = mark_references(names, references);
        let heads = not_in(&incoming[..present]);
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
        let again = walk.last().and_then(|&end| functional_graph.next(end));
        let cycle = again.map_or_else(Vec::new, |again| {
            walk.iter().copied().skip_while(|&e| e != again).collect()
        });
        let stranded = |&entry: &usize| !search.discovered.is_visited(&entry) && !skipped[entry];
        let stranded = (0..present).filter(stranded).collect();
        Self {
            heads,
            walk,
            cycle,
            stranded,
            skipped,
        }
    }
}

/// The entries that are not marked. Counted first to allocate once: a channel without edges may
/// have thousands, and fixes that are tried ask often.
fn not_in(marked: &[bool]) -> Vec<usize> {
    let is_in = |&entry: &usize| !marked[entry];
    let mut entries = Vec::with_capacity((0..marked.len()).filter(is_in).count());
    entries.extend((0..marked.len()).filter(is_in));
    entries
}

/// For each name, whether a line refers to it, and whether a line skips it.
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
