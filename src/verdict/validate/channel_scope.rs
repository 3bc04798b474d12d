//! A channel as seen by rules: its distinct entries, and the shape of its upgrade graph.

use super::findings::{Anchor, BlobRef, Finding};
use catalog::graph::{EntryReference, States};
use catalog::model::{ChannelBlob, Entry};
use syntax::hashed::HashMap;
use syntax::order::SortSmall;
use syntax::place::Place;

pub struct ChannelScope<'a> {
    pub nth: u32,
    pub blob: &'a ChannelBlob,
    /// Distinct entries in order; the first of each name counts.
    pub entries: Vec<&'a Entry>,
    by_name: HashMap<&'a str, usize>,
    states: States,
    pub graph: Graph,
}

/// The shape of a channel's upgrade graph. Numbers are positions in [`ChannelScope::entries`].
#[derive(Debug, PartialEq, Eq)]
pub enum Graph {
    Empty,
    Fine,
    NoHead,
    /// Several heads: [`ChannelScope::heads`].
    Heads,
    /// The entries of the cycle in the order of `replaces`, starting with the repeated one.
    Cycle(Vec<usize>),
    /// The single head, and the entries that cannot reach it, in order.
    Stranded(usize, Vec<usize>),
}

impl<'a> ChannelScope<'a> {
    pub fn new(nth: u32, blob: &'a ChannelBlob) -> Self {
        let mut entries = Vec::with_capacity(blob.entries.len());
        let mut by_name = HashMap::with_capacity_and_hasher(blob.entries.len(), Default::default());
        for entry in &blob.entries {
            if let std::collections::hash_map::Entry::Vacant(slot) =
                by_name.entry(entry.name.as_str())
            {
                slot.insert(entries.len());
                entries.push(entry);
            }
        }
        let position = |name: &str| by_name.get(name).copied();
        let references = entries
            .iter()
            .flat_map(|entry| EntryReference::from_entry(entry, position));
        let states = States::new(entries.len(), entries.len(), references, |entry| {
            position(entries[entry].replaces.as_str())
        });
        let graph = Graph::new(entries.len(), &states);
        Self {
            nth,
            blob,
            entries,
            by_name,
            states,
            graph,
        }
    }

    /// Returns the entries that no `replaces` or `skips` of the channel names, in order.
    pub fn heads(&self) -> &[usize] {
        &self.states.heads
    }

    /// Returns for each entry whether a `skips` of the channel names it.
    pub fn skipped_entries(&self) -> &[bool] {
        &self.states.skipped
    }

    /// Returns the entry where the walk from the only head ends; `None` unless there is exactly one
    /// head.
    pub fn end_of_walk(&self) -> Option<usize> {
        self.states.walk.last().copied()
    }

    pub fn position(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    pub fn anchor(&self, place: Place) -> Anchor {
        Anchor::new(BlobRef::Channel(self.nth), place)
    }

    pub fn finding(&self, place: Place, message: impl Into<String>) -> Finding {
        Finding::new(self.anchor(place), message).channel(&self.blob.name.value)
    }

    pub fn name_of(&self, entry: usize) -> &'a str {
        self.entries[entry].name.as_str()
    }

    /// Returns the names of entries, sorted and joined as in `opm`.
    pub fn sorted_names(&self, entries: &[usize]) -> String {
        let mut names: Vec<&str> = entries.iter().map(|&e| self.name_of(e)).collect();
        names.sort_small();
        names.join(", ")
    }
}

impl Graph {
    fn new(entries: usize, states: &States) -> Self {
        match states.heads[..] {
            _ if entries == 0 => Graph::Empty,
            [] => Graph::NoHead,
            [_] if !states.cycle.is_empty() => Graph::Cycle(states.cycle.clone()),
            [head] if !states.stranded.is_empty() => Graph::Stranded(head, states.stranded.clone()),
            [_] => Graph::Fine,
            _ => Graph::Heads,
        }
    }
}
