//! A Classic subscription's view of one package: entries in chain order, head first
//! (`olm-resolution` 2.2), and the edges to them. Independent of the installed bundle, so a path
//! prepares it once.

use super::answer::{EdgeKind, ErrorKind, Installed, Options, Successor, UpgradeError};
use super::incoming::{Edges, Incoming};
use super::index::{Bundle, Channel, Entry, NameId, Origin, UpgradeIndex};
use catalog::graph::FunctionalGraph;
use catalog::version::version_line::Cut;
use petgraph::visit::Dfs;
use std::cell::OnceCell;
use syntax::go_text::quote;
use syntax::hashed::{HashMap, HashSet};
use syntax::order::SortSmall;

/// Entries in order of preference, independent of the installed bundle.
pub(super) struct Subscription<'a> {
    pub index: &'a UpgradeIndex,
    /// Name of the Subscription, for OLM's messages.
    name: String,
    pub listed: Vec<Listed<'a>>,
    /// The head of each channel, as an index into `listed`.
    heads: HashMap<&'a str, usize>,
    /// Edges to `listed`, built for the first installed version: to installable bundles and to
    /// prohibited ones.
    allowed: OnceCell<Incoming<'a>>,
    prohibited: OnceCell<Incoming<'a>>,
    groups: OnceCell<Vec<Group<'a>>>,
}

/// All entries of the channels with one name, including skipped ones and those without a bundle.
pub(super) struct Group<'a> {
    pub channel: &'a str,
    pub entries: Vec<&'a Entry>,
    /// Edges to those entries with a bundle that are skipped.
    pub skipped: Incoming<'a>,
    /// The first entry with a bundle that skips a name.
    pub skipped_by: HashMap<NameId, &'a Entry>,
}

/// An entry of a chain. It has a bundle.
#[derive(Clone, Copy)]
pub(super) struct Listed<'a> {
    pub channel: &'a Channel,
    pub entry: &'a Entry,
    pub bundle: &'a Bundle,
}

/// A chosen entry, and the edge to it.
#[derive(Clone, Copy)]
pub(super) struct ChannelCandidate<'a> {
    pub listed: Listed<'a>,
    pub edge: EdgeKind,
}

/// Returns the subscribed channel; "" means any.
pub(super) fn channel_of(options: &Options) -> &str {
    options.channels.first().map_or("", String::as_str)
}

/// Returns the subscribed channels, default first, then by name; blobs with one name count as one
/// channel.
pub(super) fn subscribed_channels<'a>(
    index: &'a UpgradeIndex,
    channel: &str,
) -> Vec<Vec<&'a Channel>> {
    let mut channels: Vec<&Channel> = if channel.is_empty() {
        index.channels.iter().collect()
    } else {
        index.channels_named(channel).collect()
    };
    channels.sort_small_by_key(|c| (c.name != index.default_channel, c.name.clone()));
    channels
        .chunk_by(|a, b| a.name == b.name)
        .map(<[_]>::to_vec)
        .collect()
}

impl<'a> Subscription<'a> {
    pub(super) fn new(
        index: &'a UpgradeIndex,
        is_fresh: bool,
        options: &Options,
    ) -> Result<Self, UpgradeError> {
        let channel = channel_of(options);
        let starting = options
            .starting_csv
            .as_deref()
            .filter(|name| is_fresh && !name.is_empty());
        let mut listed = Vec::new();
        let mut heads = HashMap::default();
        let mut has_record = false;
        for group in subscribed_channels(index, channel) {
            let records: Vec<(&Channel, &Entry, &Bundle)> = group
                .iter()
                .flat_map(|c| c.entries.iter().map(move |e| (*c, e)))
                .filter_map(|(c, e)| Some((c, e, index.bundles.get(e.bundle?)?)))
                .collect();
            has_record |= !records.is_empty();
            let records: Vec<_> = records
                .into_iter()
                .filter(|(_, e, _)| starting.is_none_or(|name| name == &*e.name))
                .collect();
            if records.is_empty() {
                continue;
            }
            let entries: Vec<&Entry> = records.iter().map(|(_, e, _)| *e).collect();
            let order =
                chain(&entries).map_err(|e| e.explain(&records[0].0.name, index.package()))?;
            heads.entry(&*records[0].0.name).or_insert(listed.len());
            listed.extend(order.into_iter().map(|i| {
                let (channel, entry, bundle) = records[i];
                Listed {
                    channel,
                    entry,
                    bundle,
                }
            }));
        }
        if listed.is_empty() {
            return Err(no_candidate_error(index, has_record, options, starting));
        }
        Ok(Self {
            index,
            name: options.subscription_name(index.package()).to_owned(),
            listed,
            heads,
            allowed: OnceCell::new(),
            prohibited: OnceCell::new(),
            groups: OnceCell::new(),
        })
    }

    /// Chooses the next entry; `Ok(None)` if the installed bundle remains.
    pub(super) fn choose(
        &self,
        origin: Option<&Origin<'_>>,
    ) -> Result<Option<ChannelCandidate<'a>>, UpgradeError> {
        match origin {
            None => match self.listed.iter().find(|listed| !listed.bundle.prohibited) {
                Some(&listed) => Ok(Some(ChannelCandidate {
                    listed,
                    edge: EdgeKind::None,
                })),
                None => Err(self.all_prohibited()),
            },
            Some(origin) => Ok(self.candidates(&self.allowed_edges(origin)).next()),
        }
    }

    /// Returns the edges to installable entries; the first one is the choice.
    pub(super) fn allowed_edges(&self, origin: &Origin<'_>) -> Edges<'_> {
        self.allowed
            .get_or_init(|| self.incoming(false))
            .from(origin)
    }

    /// Returns the indices in `listed` reached by range alone, per stretch of the version axis.
    pub(super) fn first_by_range(&self) -> Vec<(Cut, Option<u32>)> {
        self.allowed
            .get_or_init(|| self.incoming(false))
            .first_by_range()
    }

    /// Returns the edges to entries that are never installed.
    pub(super) fn prohibited_edges(&self, origin: &Origin<'_>) -> Edges<'_> {
        self.prohibited
            .get_or_init(|| self.incoming(true))
            .from(origin)
    }

    fn incoming(&self, prohibited: bool) -> Incoming<'a> {
        let entries = (0..)
            .zip(&self.listed)
            .filter(|(_, listed)| listed.bundle.prohibited == prohibited);
        Incoming::new(self.index, entries.map(|(at, listed)| (at, listed.entry)))
    }

    /// Iterates over the targets of these edges, in order of preference.
    pub(super) fn candidates<'e>(
        &'e self,
        edges: &'e Edges<'_>,
    ) -> impl Iterator<Item = ChannelCandidate<'a>> + use<'e, 'a> {
        edges.iter().filter_map(|(at, edge)| {
            Some(ChannelCandidate {
                listed: *self.listed.get(at as usize)?,
                edge,
            })
        })
    }

    pub(super) fn has_several_channels(&self) -> bool {
        self.heads.len() > 1
    }

    pub(super) fn head(&self, channel: &str) -> Option<Listed<'a>> {
        self.listed.get(*self.heads.get(channel)?).copied()
    }

    /// Iterates over the subscribed channels; "" means all.
    pub(super) fn groups(
        &self,
        channel: &str,
        options: &Options,
    ) -> impl Iterator<Item = &Group<'a>> {
        let groups = self.groups.get_or_init(|| {
            subscribed_channels(self.index, channel_of(options))
                .into_iter()
                .map(|channels: Vec<&'a Channel>| Group::new(self.index, channels))
                .collect()
        });
        groups
            .iter()
            .filter(move |group| channel.is_empty() || group.channel == channel)
    }

    fn all_prohibited(&self) -> UpgradeError {
        let name = &self.name;
        let names: Vec<String> = self
            .listed
            .iter()
            .map(|l| format!("{}/{}", l.channel.name, l.entry.name))
            .collect();
        let deprecated: Vec<String> = names
            .iter()
            .map(|n| format!("bundle {n} is deprecated"))
            .collect();
        let requires = match names.split_last() {
            Some((last, others)) if !others.is_empty() => {
                format!("at least one of {} or {last}", others.join(", "))
            }
            _ => names.concat(),
        };
        UpgradeError::new(
            ErrorKind::Unsatisfiable,
            format!(
                "constraints not satisfiable: {}, subscription {name} exists, subscription {name} requires {requires}",
                deprecated.join(", ")
            ),
        )
    }
}

impl<'a> Group<'a> {
    fn new(index: &'a UpgradeIndex, channels: Vec<&'a Channel>) -> Self {
        let entries: Vec<&Entry> = channels
            .iter()
            .flat_map(|channel| &channel.entries)
            .collect();
        let mut skipped_by = HashMap::default();
        for entry in entries.iter().filter(|entry| entry.bundle.is_some()) {
            for &skipped in &entry.skips {
                skipped_by.entry(skipped).or_insert(*entry);
            }
        }
        let is_skipped =
            |entry: &Entry| entry.bundle.is_some() && skipped_by.contains_key(&entry.id);
        let skipped = (0..)
            .zip(entries.iter().copied())
            .filter(|(_, entry)| is_skipped(entry));
        let skipped = Incoming::new(index, skipped);
        Self {
            channel: channels.first().map_or("", |channel| &channel.name),
            entries,
            skipped,
            skipped_by,
        }
    }
}

impl ChannelCandidate<'_> {
    /// Returns the upgrade to the choice; `None` if it is already installed.
    pub fn successor(&self, origin: Option<&Origin<'_>>) -> Option<Successor> {
        let Listed {
            channel,
            entry,
            bundle,
        } = self.listed;
        let stays = origin.is_some_and(|o| o.installed.name == entry.name);
        (!stays).then(|| Successor {
            name: entry.name.clone(),
            version: bundle.version_text.clone(),
            release: None,
            channel: channel.name.clone(),
            edge: self.edge,
            catalog: "".into(),
        })
    }
}

/// Returns the edge from the installed bundle to `entry`, if any.
pub(super) fn edge(index: &UpgradeIndex, entry: &Entry, origin: &Origin<'_>) -> Option<EdgeKind> {
    if origin.id.is_some() {
        if entry.replaces == origin.id {
            return Some(EdgeKind::Replaces);
        }
        if entry.skips.iter().any(|&s| Some(s) == origin.id) {
            return Some(EdgeKind::Skips);
        }
    }
    entry
        .range
        .is_some_and(|r| index.range_contains(r, origin))
        .then_some(EdgeKind::SkipRange)
}

impl UpgradeIndex {
    /// Returns the edge from the installed bundle to the entry `name` of `channel`.
    pub(super) fn edge_between(
        &self,
        installed: &Installed,
        name: &str,
        channel: &str,
    ) -> EdgeKind {
        let origin = self.origin(installed);
        let entries = self.channels_named(channel).flat_map(|c| &c.entries);
        entries
            .filter(|e| &*e.name == name)
            .find_map(|e| edge(self, e, &origin))
            .unwrap_or(EdgeKind::None)
    }
}

fn no_candidate_error(
    index: &UpgradeIndex,
    has_record: bool,
    options: &Options,
    starting: Option<&str>,
) -> UpgradeError {
    let package = index.package();
    let channel = channel_of(options);
    let subscription = options.subscription_name(package);
    let mut entries = index.channels.iter().flat_map(|channel| &channel.entries);
    let is_in_package = entries.any(|entry| entry.bundle.is_some());
    let criteria = match starting {
        Some(name) if has_record => {
            format!("with name {name} in channel {channel} of package {package}")
        }
        _ if is_in_package => format!("in channel {channel} of package {package}"),
        _ => format!("in package {package}"),
    };
    UpgradeError::new(
        ErrorKind::Unsatisfiable,
        format!(
            "constraints not satisfiable: no operators found {criteria} in the catalog referenced by subscription \
             {subscription}, subscription {subscription} exists"
        ),
    )
}

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

/// Orders entries: returns indices into `entries`, head first. Entries without a bundle have no
/// record in a catalog and are ignored; the chain passes through skipped entries without listing
/// them.
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
    /// Explains the error in OLM's wording.
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
