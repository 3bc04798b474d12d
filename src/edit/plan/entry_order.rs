//! The order of a channel's entries: by version, and as listed.

use catalog::graph::FunctionalGraph;
use catalog::model::{BundleBlob, ChannelBlob, Entry, Package};
use catalog::version::{PackageVersion, VersionRelease, version_in_name};
use petgraph::visit::Dfs;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// Returns the version at the end of a name, for a bundle without a blob.
pub(super) fn parse_name_version(name: &str) -> Option<VersionRelease> {
    let (version, _) = version_in_name(name)?;
    PackageVersion {
        version,
        release: "",
        substitutes_for: false,
    }
    .parse(name)
    .ok()
}

/// A package's bundles by name, for repeated version lookups.
pub(super) struct Bundles<'a>(HashMap<&'a str, (&'a BundleBlob, usize)>);

impl<'a> Bundles<'a> {
    pub fn new(package: &'a Package) -> Self {
        let mut by_name: HashMap<&str, (&BundleBlob, usize)> =
            HashMap::with_capacity(package.bundles.len());
        for bundle in &package.bundles {
            by_name.entry(bundle.name.as_str()).or_insert((bundle, 0)).1 += 1;
        }
        Self(by_name)
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Returns version and release of a bundle; `None` unless there is exactly one such bundle and
    /// it parses. In a package without bundles, the names determine the versions.
    pub fn version(&self, name: &str) -> Option<VersionRelease> {
        if self.0.is_empty() {
            return parse_name_version(name);
        }
        self.0
            .get(name)
            .filter(|(_, count)| *count == 1)
            .and_then(|(bundle, _)| bundle_version(bundle))
    }
}

fn bundle_version(bundle: &BundleBlob) -> Option<VersionRelease> {
    PackageVersion {
        version: bundle.version(),
        release: bundle.release(),
        substitutes_for: bundle.substitutes_for,
    }
    .parse(bundle.name.as_str())
    .ok()
}

/// Returns the versions of a channel's entries, by position.
pub(super) fn versions(package: &Package, channel: &ChannelBlob) -> Vec<Option<VersionRelease>> {
    let bundles = Bundles::new(package);
    channel
        .entries
        .iter()
        .map(|e| bundles.version(e.name.as_str()))
        .collect()
}

/// Returns the entry with the lowest version above `version`; the first of several.
pub(super) fn next_higher(
    versions: &[Option<VersionRelease>],
    version: &VersionRelease,
) -> Option<usize> {
    versions
        .iter()
        .enumerate()
        .filter_map(|(i, v)| Some((i, v.as_ref()?)))
        .filter(|(_, v)| v.compare(version).is_gt())
        .min_by(|(_, a), (_, b)| a.compare(b))
        .map(|(i, _)| i)
}

/// Whether an entry replaces `name`. An empty `replaces` does not mean the entry without a name.
pub(super) fn replaces(entry: &Entry, name: &str) -> bool {
    !name.is_empty() && entry.replaces.as_str() == name
}

/// Returns the entries that no entry of the channel replaces or skips, as `opm` counts (self-edges
/// count, an empty `replaces` does not). Contains both lines of an entry listed twice, unlike the
/// graph's `states`, which numbers distinct entries.
pub(super) fn heads(channel: &ChannelBlob) -> Vec<usize> {
    let replaced = channel
        .entries
        .iter()
        .map(|entry| entry.replaces.as_str())
        .filter(|name| !name.is_empty());
    let skipped = channel
        .entries
        .iter()
        .flat_map(|entry| &entry.skips)
        .map(|name| name.as_str());
    let targets: HashSet<&str> = replaced.chain(skipped).collect();
    (0..channel.entries.len())
        .filter(|&i| !targets.contains(channel.entries[i].name.as_str()))
        .collect()
}

/// Returns the position of the first listing of each name.
fn positions(channel: &ChannelBlob) -> HashMap<&str, usize> {
    let mut by_name: HashMap<&str, usize> = HashMap::with_capacity(channel.entries.len());
    for (i, entry) in channel.entries.iter().enumerate() {
        by_name.entry(entry.name.as_str()).or_insert(i);
    }
    by_name
}

/// Returns the entry that a new head replaces: the head; the one with the highest version among
/// several heads; or without a head, the entry with the highest version. Unparsable versions come
/// last.
pub(super) fn present_head(
    channel: &ChannelBlob,
    versions: &[Option<VersionRelease>],
) -> Option<usize> {
    let heads = heads(channel);
    let candidates = if heads.is_empty() {
        (0..channel.entries.len()).collect()
    } else {
        heads
    };
    candidates
        .into_iter()
        .max_by(|&a, &b| VersionRelease::compare_optional(&versions[a], &versions[b]))
}

/// Follows `replaces` from a head, until an entry is missing or repeated.
pub(super) fn replaces_chain(channel: &ChannelBlob, head: usize) -> Vec<usize> {
    let positions = positions(channel);
    let graph = FunctionalGraph::new(channel.entries.len(), |at| {
        let replaced = channel.entries.get(at)?.replaces.as_str();
        let position = positions.get(replaced).copied();
        position.filter(|_| !replaced.is_empty())
    });
    let mut search = Dfs::new(&graph, head);
    std::iter::from_fn(|| search.next(&graph)).collect()
}

/// Returns the position of a new entry that keeps the list's order.
///
/// Channels are listed by version or name, ascending or descending. Among the orders that this list
/// satisfies, picks the one that most channels of the package satisfy too; a list without an order
/// (or too short to show one) counts as ascending by version.
pub(super) fn list_position(
    package: &Package,
    channel: &ChannelBlob,
    name: &str,
    version: Option<&VersionRelease>,
) -> usize {
    let channel_versions = versions(package, channel);
    let order = detect_list_order(package, channel, &channel_versions);
    let version = version.cloned();
    let entries = &channel.entries;
    let place = match order {
        // In an unordered list, the new entry follows its predecessor in the chain, and nothing
        // else moves.
        ListOrder::VersionUp if version.is_none() => None,
        ListOrder::VersionUp => {
            Some(highest_below(&channel_versions, &version).map_or(0, |i| i + 1))
        }
        ListOrder::VersionDown if version.is_none() => Some(0),
        ListOrder::VersionDown => highest_below(&channel_versions, &version),
        ListOrder::NameUp => entries.iter().position(|entry| entry.name.as_str() >= name),
        ListOrder::NameDown => entries.iter().position(|entry| entry.name.as_str() <= name),
    };
    place.unwrap_or(entries.len())
}

/// Returns the last entry with the highest version not above `version`.
fn highest_below(
    versions: &[Option<VersionRelease>],
    version: &Option<VersionRelease>,
) -> Option<usize> {
    (0..versions.len())
        .filter(|&i| VersionRelease::compare_optional(&versions[i], version) != Ordering::Greater)
        .max_by(|&a, &b| VersionRelease::compare_optional(&versions[a], &versions[b]))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListOrder {
    VersionUp,
    NameUp,
    VersionDown,
    NameDown,
}

impl ListOrder {
    /// In order of preference.
    const ALL: [ListOrder; 4] = [
        ListOrder::VersionUp,
        ListOrder::NameUp,
        ListOrder::VersionDown,
        ListOrder::NameDown,
    ];

    fn is_satisfied_by(self, entries: &[Entry], versions: &[Option<VersionRelease>]) -> bool {
        let names = || entries.iter().map(|entry| &entry.name.value);
        // An unknown version is in no order.
        let is_sorted = |is_in_order: fn(Ordering) -> bool| {
            versions.is_sorted_by(|a, b| {
                let mut known = a.iter().zip(b);
                known.any(|(a, b)| is_in_order(a.compare(b)))
            })
        };
        entries.len() > 1
            && match self {
                ListOrder::VersionUp => is_sorted(Ordering::is_le),
                ListOrder::VersionDown => is_sorted(Ordering::is_ge),
                ListOrder::NameUp => names().is_sorted(),
                ListOrder::NameDown => names().rev().is_sorted(),
            }
    }
}

fn detect_list_order(
    package: &Package,
    channel: &ChannelBlob,
    channel_versions: &[Option<VersionRelease>],
) -> ListOrder {
    let others: Vec<(&[Entry], Vec<Option<VersionRelease>>)> = package
        .channels
        .iter()
        .map(|c| (c.entries.as_slice(), versions(package, c)))
        .collect();
    let mut best = None;
    for order in ListOrder::ALL.into_iter().filter(|order| {
        channel.entries.len() < 2 || order.is_satisfied_by(&channel.entries, channel_versions)
    }) {
        let count = others
            .iter()
            .filter(|(entries, versions)| order.is_satisfied_by(entries, versions))
            .count();
        if best.is_none_or(|(_, highest)| count > highest) {
            best = Some((order, count));
        }
    }
    best.map_or(ListOrder::VersionUp, |(order, _)| order)
}
