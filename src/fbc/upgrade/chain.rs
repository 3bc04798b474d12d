//! The order of a channel's entries under Classic: its single replacement chain, head first
//! (`olm-resolution` 2.2).

use super::answer::{ErrorKind, UpgradeError};
use super::index::{Entry, NameId};
use crate::go_text::quote;
use crate::graph::functional_graph::FunctionalGraph;
use crate::hashed::{HashMap, HashSet};
use petgraph::visit::Dfs;

/// Why a channel has no order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChainError {
    NoHead,
    /// `replaces` forms a cycle behind this head.
    Cycle {
        head: String,
    },
    /// First and last name of each chain.
    Many(Vec<(String, String)>),
}

/// Indices into `entries`, head first. Entries without a bundle have no record in a catalog and are
/// ignored; the chain passes through skipped entries without listing them.
pub(super) fn chain(entries: &[&Entry]) -> Result<Vec<usize>, ChainError> {
    let mut by_name = HashMap::default();
    for (i, entry) in entries.iter().enumerate() {
        if entry.bundle.is_some() {
            by_name.entry(entry.id).or_insert(i);
        }
    }
    // List order; the first of several duplicates counts.
    let present: Vec<usize> = (0..entries.len())
        .filter(|i| by_name.get(&entries[*i].id) == Some(i))
        .collect();
    let mut skipped: HashSet<NameId> = HashSet::default();
    let mut replaced: HashSet<NameId> = HashSet::default();
    for &i in &present {
        skipped.extend(entries[i].skips.iter().copied());
        replaced.extend(entries[i].replaces);
    }
    let heads: Vec<usize> = present
        .into_iter()
        .filter(|&i| !skipped.contains(&entries[i].id) && !replaced.contains(&entries[i].id))
        .collect();
    let functional_graph = FunctionalGraph::new(entries.len(), |i| {
        entries[i].replaces.and_then(|r| by_name.get(&r).copied())
    });
    let mut chains = Vec::with_capacity(heads.len());
    for head in heads {
        // A set instead of a bitmap: with many heads, most chains are short.
        let mut search = Dfs::from_parts(vec![head], HashSet::<usize>::default());
        let (mut chain, mut end) = (Vec::new(), head);
        while let Some(i) = search.next(&functional_graph) {
            if !skipped.contains(&entries[i].id) {
                chain.push(i);
            }
            end = i;
        }
        // An end that still leads on leads to a visited entry: a cycle.
        if functional_graph.next(end).is_some() {
            return Err(ChainError::Cycle {
                head: entries[head].name.to_string(),
            });
        }
        chains.push(chain);
    }
    match chains.len() {
        0 => Err(ChainError::NoHead),
        1 => Ok(chains.swap_remove(0)),
        _ => {
            let name =
                |i: Option<&usize>| i.map_or_else(String::new, |&i| entries[i].name.to_string());
            Err(ChainError::Many(
                chains
                    .iter()
                    .map(|c| (name(c.first()), name(c.last())))
                    .collect(),
            ))
        }
    }
}

impl ChainError {
    /// In OLM's wording.
    pub fn explain(&self, channel: &str, package: &str) -> UpgradeError {
        let place = format!(
            "in channel {} of package {}",
            quote(channel),
            quote(package)
        );
        match self {
            ChainError::NoHead => UpgradeError::new(
                ErrorKind::ChainNoHead,
                format!("no channel heads (entries not replaced by another entry) found {place}"),
            ),
            ChainError::Cycle { head } => UpgradeError::new(
                ErrorKind::ChainCycle,
                format!(
                    "a cycle exists in the chain of replacement beginning with {} {place}",
                    quote(head)
                ),
            ),
            ChainError::Many(chains) => {
                let chains: Vec<String> = chains
                    .iter()
                    .map(|(first, last)| {
                        if first == last {
                            first.clone()
                        } else {
                            format!("{first}...{last}")
                        }
                    })
                    .collect();
                UpgradeError::new(
                    ErrorKind::ChainMany,
                    format!(
                        "a unique replacement chain within a channel is required to determine the relative order \
                         between channel entries, but {} replacement chains were found {place}: {}",
                        chains.len(),
                        chains.join(", ")
                    ),
                )
            }
        }
    }
}
