//! The part of a channel that a problem concerns, as chains from the newest entry down, for
//! explanations.

use super::channel_scope::ChannelScope;
use super::scope::Scope;
use protocol::diagnostic::{Chain, ChainEntry, ChainLink, ChainMark};
use std::collections::BTreeMap;
use syntax::hashed::HashMap;

/// Maximum number of chains side by side.
pub const SIDE_BY_SIDE: usize = 3;
/// Longer chains are folded.
const MAX_UNFOLDED: usize = 9;
/// Entries shown at the top of a folded chain.
const FOLDED_TOP: usize = 5;
/// Entries shown at the bottom of a folded chain.
const FOLDED_BOTTOM: usize = 3;
/// Maximum number of links of one chain.
const MAX_LINKS: usize = 4 * MAX_UNFOLDED;

/// Adds a link to those folded at the end.
pub fn fold_one(links: &mut Vec<ChainLink>) {
    match links.last_mut() {
        Some(ChainLink::Folded(more)) => *more += 1,
        _ => links.push(ChainLink::Folded(1)),
    }
}

/// Builds the chains of one channel, with marks on its entries.
pub struct ExplanationChains<'s, 'a> {
    scope: &'s Scope<'a>,
    channel: &'s ChannelScope<'a>,
    marks: BTreeMap<usize, Vec<ChainMark>>,
}

impl<'s, 'a> ExplanationChains<'s, 'a> {
    pub fn new(scope: &'s Scope<'a>, channel: &'s ChannelScope<'a>) -> Self {
        Self {
            scope,
            channel,
            marks: BTreeMap::new(),
        }
    }

    pub fn mark(mut self, entries: &[usize], mark: ChainMark) -> Self {
        for &entry in entries {
            self.marks.entry(entry).or_default().push(mark);
        }
        self
    }

    /// Builds the `replaces` chains from these entries. Each ends at its last entry, or where it
    /// meets an earlier chain; that entry is marked in both.
    pub fn side_by_side(&self, tops: &[usize], title: impl Fn(&str) -> String) -> Vec<Chain> {
        let mut seen: HashMap<usize, (usize, usize)> = HashMap::default();
        let mut chains: Vec<Vec<ChainPosition>> = Vec::new();
        for (nth, &top) in tops.iter().take(SIDE_BY_SIDE).enumerate() {
            let mut chain = Vec::new();
            let mut next = Some(top);
            while let Some(at) = next {
                if let Some(&(other, position)) = seen.get(&at) {
                    if other != nth {
                        chain.push(ChainPosition {
                            meets: true,
                            ..self.position(at)
                        });
                        if let Some(position) =
                            chains.get_mut(other).and_then(|c| c.get_mut(position))
                        {
                            position.meets = true;
                        }
                    }
                    break;
                }
                seen.insert(at, (nth, chain.len()));
                chain.push(self.position(at));
                next = self
                    .channel
                    .position(&self.channel.entries[at].replaces.value);
            }
            chains.push(chain);
        }
        let titled = chains.into_iter().zip(tops).map(|(pieces, &top)| Chain {
            title: title(self.channel.name_of(top)),
            links: self.links(pieces),
        });
        titled.collect()
    }

    /// Builds the chain of a cycle, with its first entry repeated at the end.
    pub fn cycle_chain(&self, title: &str, cycle: &[usize]) -> Chain {
        let mut links = self.links(cycle.iter().map(|&at| self.position(at)).collect());
        if let Some(&first) = cycle.first() {
            links.push(ChainLink::Entry(ChainEntry {
                edge: String::new(),
                ..self.entry(self.position(first))
            }));
        }
        Chain {
            title: title.to_owned(),
            links,
        }
    }

    fn position(&self, at: usize) -> ChainPosition {
        ChainPosition { at, meets: false }
    }

    /// Folds long chains and appends absent names.
    fn links(&self, pieces: Vec<ChainPosition>) -> Vec<ChainLink> {
        let mut links: Vec<ChainLink> = Vec::new();
        let count = pieces.len();
        let folded = count > MAX_UNFOLDED;
        for (i, position) in pieces.iter().enumerate() {
            let is_shown = !folded
                || i < FOLDED_TOP
                || i + FOLDED_BOTTOM >= count
                || position.meets
                || self.marks.contains_key(&position.at);
            // Show marked entries at any position, up to a limit.
            if is_shown && links.len() < MAX_LINKS {
                links.push(ChainLink::Entry(self.entry(*position)));
            } else {
                fold_one(&mut links);
            }
        }
        let Some(last) = pieces.last() else {
            return links;
        };
        if last.meets {
            // Below the meeting point the chains are equal and shown once.
            if let Some(ChainLink::Entry(entry)) = links.last_mut() {
                entry.edge.clear();
            }
            return links;
        }
        let entry = self.channel.entries[last.at];
        if !entry.replaces.is_empty() && self.channel.position(&entry.replaces.value).is_none() {
            links.push(ChainLink::Entry(self.absent(&entry.replaces.value)));
        } else if entry.replaces.is_empty()
            && let [first, more @ ..] = &entry.skips[..]
        {
            let target = self.channel.position(first.as_str());
            let skipped = target.map_or_else(
                || self.absent(first.as_str()),
                |at| self.entry(self.position(at)),
            );
            links.push(ChainLink::Entry(ChainEntry {
                edge: String::new(),
                ..skipped
            }));
            if !more.is_empty() {
                links.push(ChainLink::Folded(more.len() as u32));
            }
        }
        links
    }

    fn entry(&self, position: ChainPosition) -> ChainEntry {
        let entry = self.channel.entries[position.at];
        let mut marks = self.marks.get(&position.at).cloned().unwrap_or_default();
        if self.channel.skipped_entries().get(position.at) == Some(&true) {
            marks.push(ChainMark::Skipped);
        }
        if self.scope.bundle(entry.name.as_str()).is_none() {
            marks.push(ChainMark::NoBundle);
        }
        if position.meets {
            marks.push(ChainMark::Meets);
        }
        let edge = match (entry.replaces.is_empty(), entry.skips.is_empty()) {
            (false, _) => "replaces",
            (true, false) => "skips",
            (true, true) => "",
        };
        ChainEntry {
            name: entry.name.value.to_string(),
            version: self.version(entry.name.as_str()),
            marks,
            edge: edge.to_owned(),
        }
    }

    fn absent(&self, name: &str) -> ChainEntry {
        ChainEntry {
            name: name.to_owned(),
            version: self.version(name),
            marks: vec![ChainMark::Absent],
            edge: String::new(),
        }
    }

    fn version(&self, name: &str) -> String {
        self.scope
            .bundle(name)
            .map_or_else(String::new, |(_, bundle)| bundle.version().to_owned())
    }
}

#[derive(Debug, Clone, Copy)]
struct ChainPosition {
    at: usize,
    meets: bool,
}
