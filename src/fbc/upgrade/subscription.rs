//! What a subscription of OLM Classic looks at within one package: entries in chain order, and the edges that lead to them.
//! None of it depends on what is installed, so that a path looks at it once.

use super::answer::{EdgeKind, ErrorKind, Installed, Options, Successor, UpgradeError};
use super::chain::chain;
use super::incoming::Incoming;
use super::index::{Bundle, Channel, Entry, NameId, Origin, UpgradeIndex};
use crate::hashed::HashMap;
use crate::order::PutInOrder;
use std::cell::OnceCell;

/// What a subscription looks at: entries in order of preference, without regard to what is installed.
pub(super) struct Subscription<'a> {
    pub index: &'a UpgradeIndex,
    pub listed: Vec<Listed<'a>>,
    /// The head of each channel, by its place in `listed`.
    heads: HashMap<&'a str, usize>,
    /// Edges to `listed`, made for the first installed version that is asked about.
    incoming: OnceCell<Incoming<'a>>,
    groups: OnceCell<Vec<Group<'a>>>,
}

/// All entries of the channels of one name, skipped ones and those without a bundle too.
pub(super) struct Group<'a> {
    pub channel: &'a str,
    pub entries: Vec<&'a Entry>,
    pub incoming: Incoming<'a>,
    /// The first entry with a bundle that skips a name.
    pub skipped_by: HashMap<NameId, &'a Entry>,
}

/// An entry of a chain. The entry has a bundle.
#[derive(Clone, Copy)]
pub(super) struct Listed<'a> {
    pub channel: &'a Channel,
    pub entry: &'a Entry,
    pub bundle: &'a Bundle,
}

/// A choice and the edge that leads to it.
#[derive(Clone, Copy)]
pub(super) struct ChannelCandidate<'a> {
    pub listed: Listed<'a>,
    pub edge: EdgeKind,
}

/// The channel subscribed to; "" is any.
pub(super) fn channel_of(options: &Options) -> &str {
    options.channels.first().map_or("", String::as_str)
}

/// The channels a subscription looks at, default first, then by name; blobs of one name count as one channel.
pub(super) fn subscribed<'a>(index: &'a UpgradeIndex, channel: &str) -> Vec<Vec<&'a Channel>> {
    let mut channels: Vec<&Channel> =
        index.channels.iter().filter(|c| channel.is_empty() || &*c.name == channel).collect();
    channels.put_in_order_by_key(|c| (c.name != index.default_channel, c.name.clone()));
    channels.chunk_by(|a, b| a.name == b.name).map(<[_]>::to_vec).collect()
}

impl<'a> Subscription<'a> {
    pub(super) fn new(index: &'a UpgradeIndex, fresh: bool, options: &Options) -> Result<Self, UpgradeError> {
        let channel = channel_of(options);
        let starting = options.starting_csv.as_deref().filter(|name| fresh && !name.is_empty());
        let mut listed = Vec::new();
        let mut heads = HashMap::default();
        let mut any_record = false;
        for group in subscribed(index, channel) {
            let records: Vec<(&Channel, &Entry, &Bundle)> = group
                .iter()
                .flat_map(|c| c.entries.iter().map(move |e| (*c, e)))
                .filter_map(|(c, e)| Some((c, e, index.bundles.get(e.bundle?)?)))
                .collect();
            any_record |= !records.is_empty();
            let records: Vec<_> =
                records.into_iter().filter(|(_, e, _)| starting.is_none_or(|name| name == &*e.name)).collect();
            if records.is_empty() {
                continue;
            }
            let entries: Vec<&Entry> = records.iter().map(|(_, e, _)| *e).collect();
            let order = chain(&entries).map_err(|e| e.explain(&records[0].0.name, index.package()))?;
            heads.entry(&*records[0].0.name).or_insert(listed.len());
            listed.extend(order.into_iter().map(|i| {
                let (channel, entry, bundle) = records[i];
                Listed { channel, entry, bundle }
            }));
        }
        if listed.is_empty() {
            return Err(nothing_there(index, any_record, channel, starting));
        }
        Ok(Self { index, listed, heads, incoming: OnceCell::new(), groups: OnceCell::new() })
    }

    /// `Ok(None)`: stays.
    pub(super) fn choose(&self, origin: Option<&Origin<'_>>) -> Result<Option<ChannelCandidate<'a>>, UpgradeError> {
        let mut allowed = self.candidates(origin).filter(|c| !c.listed.bundle.prohibited);
        match allowed.next() {
            None if origin.is_none() => Err(self.all_prohibited()),
            choice => Ok(choice),
        }
    }

    /// In order of preference, prohibited ones too.
    pub(super) fn candidates(&self, origin: Option<&Origin<'_>>) -> impl Iterator<Item = ChannelCandidate<'a>> {
        let (fresh, following) = match origin {
            None => (self.listed.iter(), Vec::new()),
            Some(origin) => {
                let entries = || (0..).zip(&self.listed).map(|(at, listed)| (at, listed.entry));
                let incoming = self.incoming.get_or_init(|| Incoming::new(self.index, entries()));
                (Default::default(), incoming.from(origin))
            }
        };
        let following = following.into_iter().filter_map(|(at, edge)| Some((self.listed.get(at as usize)?, edge)));
        let fresh = fresh.map(|listed| (listed, EdgeKind::None));
        fresh.chain(following).map(|(&listed, edge)| ChannelCandidate { listed, edge })
    }

    /// Entries of more than one channel are looked at.
    pub(super) fn several_channels(&self) -> bool {
        self.heads.len() > 1
    }

    /// The first entry of a channel.
    pub(super) fn head(&self, channel: &str) -> Option<Listed<'a>> {
        self.listed.get(*self.heads.get(channel)?).copied()
    }

    /// The channels subscribed to; "" is all of them.
    pub(super) fn groups(&self, channel: &str, options: &Options) -> impl Iterator<Item = &Group<'a>> {
        let groups = self.groups.get_or_init(|| {
            let group = |channels: Vec<&'a Channel>| Group::new(self.index, channels);
            subscribed(self.index, channel_of(options)).into_iter().map(group).collect()
        });
        groups.iter().filter(move |group| channel.is_empty() || group.channel == channel)
    }

    fn all_prohibited(&self) -> UpgradeError {
        let package = self.index.package();
        let names: Vec<String> = self.listed.iter().map(|l| format!("{}/{}", l.channel.name, l.entry.name)).collect();
        let deprecated: Vec<String> = names.iter().map(|n| format!("bundle {n} is deprecated")).collect();
        let requires = match names.split_last() {
            Some((last, others)) if !others.is_empty() => format!("at least one of {} or {last}", others.join(", ")),
            _ => names.concat(),
        };
        UpgradeError::new(
            ErrorKind::Unsatisfiable,
            format!(
                "constraints not satisfiable: {}, subscription {package} exists, subscription {package} requires {requires}",
                deprecated.join(", ")
            ),
        )
    }
}

impl<'a> Group<'a> {
    fn new(index: &'a UpgradeIndex, channels: Vec<&'a Channel>) -> Self {
        let entries: Vec<&Entry> = channels.iter().flat_map(|channel| &channel.entries).collect();
        let mut skipped_by = HashMap::default();
        for entry in entries.iter().filter(|entry| entry.bundle.is_some()) {
            for &skipped in &entry.skips {
                skipped_by.entry(skipped).or_insert(*entry);
            }
        }
        let incoming = Incoming::new(index, (0..).zip(entries.iter().copied()));
        Self { channel: channels.first().map_or("", |channel| &channel.name), entries, incoming, skipped_by }
    }
}

impl ChannelCandidate<'_> {
    /// `None` when the choice is what is installed already: nothing changes then.
    pub(super) fn successor(&self, origin: Option<&Origin<'_>>) -> Option<Successor> {
        let Listed { channel, entry, bundle } = self.listed;
        let stays = origin.is_some_and(|o| o.installed.name == entry.name);
        (!stays).then(|| Successor {
            name: entry.name.clone(),
            version: bundle.version_text.clone(),
            channel: channel.name.clone(),
            edge: self.edge,
            catalog: "".into(),
        })
    }
}

/// The edge of `entry` that takes what is installed, if any.
pub(super) fn edge(index: &UpgradeIndex, entry: &Entry, origin: &Origin<'_>) -> Option<EdgeKind> {
    if origin.id.is_some() {
        if entry.replaces == origin.id {
            return Some(EdgeKind::Replaces);
        }
        if entry.skips.iter().any(|&s| Some(s) == origin.id) {
            return Some(EdgeKind::Skips);
        }
    }
    entry.range.is_some_and(|r| index.range_contains(r, origin)).then_some(EdgeKind::SkipRange)
}

impl UpgradeIndex {
    /// The edge of the entry `name` of `channel` that takes what is installed.
    pub(super) fn edge_between(&self, installed: &Installed, name: &str, channel: &str) -> EdgeKind {
        let origin = self.origin(installed);
        let entries = self.channels.iter().filter(|c| &*c.name == channel).flat_map(|c| &c.entries);
        entries.filter(|e| &*e.name == name).find_map(|e| edge(self, e, &origin)).unwrap_or(EdgeKind::None)
    }
}

fn nothing_there(index: &UpgradeIndex, any_record: bool, channel: &str, starting: Option<&str>) -> UpgradeError {
    let package = index.package();
    let in_package = !index.channels.iter().all(|c| c.entries.iter().all(|e| e.bundle.is_none()));
    let what = match starting {
        Some(name) if any_record => format!("with name {name} in channel {channel} of package {package}"),
        _ if in_package => format!("in channel {channel} of package {package}"),
        _ => format!("in package {package}"),
    };
    UpgradeError::new(
        ErrorKind::Unsatisfiable,
        format!(
            "constraints not satisfiable: no operators found {what} in the catalog referenced by subscription \
             {package}, subscription {package} exists"
        ),
    )
}
