//! `opm`'s view of a channel (`opm-semantics` 2.3): heads, the walk from the only one, a cycle on it, stranded
//! entries. Entries are numbers here; names, and which line of a name counts, are the caller's business.

use super::functional_graph::FunctionalGraph;
use crate::model::Entry;
use petgraph::visit::{Dfs, VisitMap};

/// An entry, by number, that a line of its channel names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryReference {
    Replaced(usize),
    Skipped(usize),
}

impl EntryReference {
    /// The names in a line, as far as `position` knows them. An empty `replaces` names nothing; an empty item of
    /// `skips` names the entry without a name.
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

/// What is so of the entries of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct States {
    /// Entries that nothing names, in order. `opm` wants exactly one.
    pub(crate) heads: Vec<usize>,
    /// By entry: some `skips` names it.
    pub(crate) skipped: Vec<bool>,
    /// With exactly one head: its chain of `replaces` from it on, which ends before one that is skipped or absent.
    pub(crate) walk: Vec<usize>,
    /// The end of the walk that leads back onto it, from the entry that is met twice.
    pub(crate) cycle: Vec<usize>,
    /// With exactly one head: what is neither walked nor skipped, in order.
    pub(crate) stranded: Vec<usize>,
}

impl States {
    /// Of so many names, of which the first `present` are entries. `replaced` is what the line of an entry replaces;
    /// `opm` looks that up by name even where it is empty, so that an entry without a name can be on the walk.
    pub(crate) fn of(
        names: usize,
        present: usize,
        named: impl IntoIterator<Item = EntryReference>,
        replaced: impl Fn(usize) -> Option<usize>,
    ) -> Self {
        let (incoming, skipped) = marked(names, named);
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
        // If the end still has a successor, it is one that was visited before.
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

/// The entries that are not marked, counted first: in a channel without edges they are all of thousands, and edits that
/// are only tried ask again and again.
fn not_in(marked: &[bool]) -> Vec<usize> {
    let is_in = |&entry: &usize| !marked[entry];
    let mut entries = Vec::with_capacity((0..marked.len()).filter(is_in).count());
    entries.extend((0..marked.len()).filter(is_in));
    entries
}

/// By name: whether a line names it, and whether it skips it.
fn marked(names: usize, named: impl IntoIterator<Item = EntryReference>) -> (Vec<bool>, Vec<bool>) {
    let (mut incoming, mut skipped) = (vec![false; names], vec![false; names]);
    for name in named {
        let (EntryReference::Replaced(at) | EntryReference::Skipped(at)) = name;
        if let (Some(incoming), Some(skipped)) = (incoming.get_mut(at), skipped.get_mut(at)) {
            *incoming = true;
            *skipped |= matches!(name, EntryReference::Skipped(_));
        }
    }
    (incoming, skipped)
}
