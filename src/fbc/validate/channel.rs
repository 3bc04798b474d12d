//! A channel as rules see it: its distinct entries, and what its upgrade graph is like.

use super::finding::{Anchor, BlobRef};
use crate::hashed::HashMap;
use crate::model::{ChannelBlob, Entry};
use crate::place::{Place, Spanned, Text};

/// One channel.
pub(super) struct ChannelScope<'a> {
    pub(super) nth: u32,
    pub(super) blob: &'a ChannelBlob,
    /// Distinct entries in order: the first of each name counts.
    pub(super) entries: Vec<&'a Entry>,
    by_name: HashMap<&'a str, usize>,
    pub(super) graph: Graph,
}

/// What the upgrade graph of a channel is like. Numbers are positions in [`ChannelScope::entries`].
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Graph {
    /// No entries.
    Empty,
    Fine,
    NoHead,
    /// Heads, in order.
    Heads(Vec<usize>),
    /// The entries of the cycle in the order of `replaces`, from the one that is met twice.
    Cycle(Vec<usize>),
    /// The one head, and the entries that cannot reach it, in order.
    Stranded(usize, Vec<usize>),
}

impl<'a> ChannelScope<'a> {
    pub(super) fn new(nth: u32, blob: &'a ChannelBlob) -> Self {
        let mut entries = Vec::with_capacity(blob.entries.len());
        let mut by_name = HashMap::with_capacity_and_hasher(blob.entries.len(), Default::default());
        for entry in &blob.entries {
            if let std::collections::hash_map::Entry::Vacant(slot) = by_name.entry(entry.name.as_str()) {
                slot.insert(entries.len());
                entries.push(entry);
            }
        }
        let graph = Graph::of(&entries, &by_name);
        Self { nth, blob, entries, by_name, graph }
    }

    /// Entries that no `replaces` and no `skips` of the channel names, in order.
    pub(super) fn heads(&self) -> Vec<usize> {
        Graph::heads(&self.entries, &self.by_name)
    }

    /// Position of the entry of that name.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    pub(super) fn anchor(&self, place: Place) -> Anchor {
        Anchor::new(BlobRef::Channel(self.nth), place)
    }

    pub(super) fn name_of(&self, entry: usize) -> &'a str {
        self.entries[entry].name.as_str()
    }

    /// Names of entries, sorted and joined as `opm` does.
    pub(super) fn sorted_names(&self, entries: &[usize]) -> String {
        let mut names: Vec<&str> = entries.iter().map(|&e| self.name_of(e)).collect();
        names.sort_unstable();
        names.join(", ")
    }
}

impl Graph {
    fn heads(entries: &[&Entry], by_name: &HashMap<&str, usize>) -> Vec<usize> {
        let incoming = Self::named(entries, by_name, |entry| {
            std::iter::once(&entry.replaces).filter(|r| !r.is_empty()).chain(&entry.skips)
        });
        (0..entries.len()).filter(|&e| !incoming[e]).collect()
    }

    /// Which entries others name, as `names` reads them.
    fn named<'e, I: Iterator<Item = &'e Spanned<Text>>>(
        entries: &[&'e Entry],
        by_name: &HashMap<&str, usize>,
        names: impl Fn(&'e Entry) -> I,
    ) -> Vec<bool> {
        let mut named = vec![false; entries.len()];
        for name in entries.iter().flat_map(|entry| names(entry)) {
            if let Some(&target) = by_name.get(name.as_str()) {
                named[target] = true;
            }
        }
        named
    }

    /// The rules of `opm-semantics` 2.3, linear in entries and skips.
    fn of(entries: &[&Entry], by_name: &HashMap<&str, usize>) -> Self {
        if entries.is_empty() {
            return Graph::Empty;
        }
        let heads = Self::heads(entries, by_name);
        let [head] = heads[..] else {
            return if heads.is_empty() { Graph::NoHead } else { Graph::Heads(heads) };
        };
        let skipped = Self::named(entries, by_name, |entry| entry.skips.iter());
        let mut walk = vec![head];
        let mut walked = vec![false; entries.len()];
        walked[head] = true;
        let mut at = head;
        // An entry without `replaces` names "", which is an entry of its own when the channel has one of that name.
        while let Some(&target) = by_name.get(entries[at].replaces.as_str()) {
            if skipped[target] {
                break;
            }
            if walked[target] {
                let start = walk.iter().position(|&e| e == target).unwrap_or(0);
                return Graph::Cycle(walk.split_off(start));
            }
            walked[target] = true;
            walk.push(target);
            at = target;
        }
        let stranded: Vec<usize> = (0..entries.len()).filter(|&e| !walked[e] && !skipped[e]).collect();
        if stranded.is_empty() { Graph::Fine } else { Graph::Stranded(head, stranded) }
    }
}
