//! A package as OLM v1 sees it in one request: its candidates in order of preference, and the edges
//! to them. Independent of the installed bundle, so a path prepares it once.

use super::answer::{EdgeKind, Options, Policy};
use super::incoming::Incoming;
use super::index::{Bundle, Channel, Entry, NameId, Origin, UpgradeIndex};
use super::installed_set::{Assignment, Claim, InstalledSet};
use super::subscription;
use catalog::version::VersionRelease;
use catalog::version::masterminds::Constraint;
use catalog::version::version_line::Cut;
use std::cell::OnceCell;
use std::cmp::Ordering;
use std::ops::Range as Run;
use syntax::hashed::{HashMap, HashSet};
use syntax::order::SortSmall;

/// A bundle, and how it relates to the installed one.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub bundle: &'a Bundle,
    pub channel: Option<&'a Channel>,
    pub edge: EdgeKind,
    /// Whether it has the version and release of the installed bundle.
    pub same: bool,
}

/// A package as seen by a request with given channels and range.
pub(super) struct PackageView<'a> {
    pub index: &'a UpgradeIndex,
    pub channels: Vec<&'a Channel>,
    /// In order of preference.
    pub candidates: Vec<&'a Bundle>,
    /// The entries of each name in the visible channels.
    entries: HashMap<NameId, Vec<(&'a Channel, &'a Entry)>>,
    /// Built on first use: only some questions need it.
    successors: OnceCell<Successors<'a>>,
    skippers: OnceCell<Skippers<'a>>,
    /// Entries with a skip range that cannot be read, and the first position of their candidates.
    unreadable: OnceCell<Vec<(usize, &'a Entry)>>,
}

/// Finds the candidates that may follow an installed version.
struct Successors<'a> {
    /// The positions of the candidates with each name, ascending.
    positions: HashMap<NameId, Vec<u32>>,
    /// Edges to the candidates, by position.
    incoming: Incoming<'a>,
}

/// The first entry with a bundle that skips a name, by channel.
type Skippers<'a> = HashMap<(*const Channel, NameId), &'a Entry>;

/// Returns only the first candidate of a request.
pub(super) fn newest<'a>(
    index: &'a UpgradeIndex,
    range: Option<&Constraint>,
    options: &Options,
) -> Option<&'a Bundle> {
    if !options.channels.is_empty() {
        let view = PackageView::new(index, range, options);
        return view.candidates.first().copied();
    }
    let bundles = index.bundles.iter();
    bundles
        .filter(|bundle| is_in_range(bundle, range))
        .min_by(|a, b| preference(a, b))
}

fn is_in_range(bundle: &Bundle, range: Option<&Constraint>) -> bool {
    range.is_none_or(|range| {
        bundle
            .version
            .as_ref()
            .is_ok_and(|version| range.check(version))
    })
}

impl<'a> PackageView<'a> {
    pub fn new(index: &'a UpgradeIndex, range: Option<&Constraint>, options: &Options) -> Self {
        let channels = channels_of(index, options);
        let mut entries: HashMap<NameId, Vec<(&Channel, &Entry)>> = HashMap::default();
        for channel in &channels {
            for entry in &channel.entries {
                entries.entry(entry.id).or_default().push((channel, entry));
            }
        }
        let is_in_range = |bundle: &&Bundle| is_in_range(bundle, range);
        let mut candidates: Vec<&Bundle> = if options.channels.is_empty() {
            index.bundles.iter().filter(is_in_range).collect()
        } else {
            // Visit the listed bundles only: a package may have a thousand channels.
            let mut listed: Vec<u32> = entries
                .keys()
                .flat_map(|&name| index.bundles_named(name))
                .collect();
            listed.sort_small();
            listed
                .iter()
                .filter_map(|&position| index.bundles.get(position as usize))
                .filter(is_in_range)
                .collect()
        };
        candidates.sort_small_by(|a, b| preference(a, b));
        Self {
            index,
            channels,
            candidates,
            entries,
            successors: OnceCell::new(),
            skippers: OnceCell::new(),
            unreadable: OnceCell::new(),
        }
    }

    /// Returns the first candidate that the policy allows from `origin`.
    pub fn best(&self, origin: Option<&Origin<'_>>, policy: Policy) -> Option<Candidate<'a>> {
        let Some(origin) = origin else {
            let bundle = *self.candidates.first()?;
            return Some(Candidate {
                bundle,
                channel: self.channel_listing(bundle),
                edge: EdgeKind::None,
                same: false,
            });
        };
        let rank = origin.rank();
        let position = match policy {
            Policy::SelfCertified => 0,
            Policy::CatalogProvided => {
                let successors = self.all_successors().incoming.from(origin);
                let successor = successors
                    .iter()
                    .next()
                    .map(|(position, _)| position as usize);
                let same = rank.as_ref().and_then(|rank| self.position_of(rank));
                successor.into_iter().chain(same).min()?
            }
        };
        let bundle = *self.candidates.get(position)?;
        Some(self.candidate(bundle, rank, self.edge(bundle, origin)))
    }

    /// Describes the choice of a bundle. `rank` is that of the installed one.
    fn candidate(
        &self,
        bundle: &'a Bundle,
        rank: Option<VersionRelease>,
        edge: Option<(&'a Channel, EdgeKind)>,
    ) -> Candidate<'a> {
        let ranks = rank.as_ref().zip(bundle.rank.as_ref());
        Candidate {
            bundle,
            channel: edge.map_or_else(
                || self.channel_listing(bundle),
                |(channel, _)| Some(channel),
            ),
            edge: edge.map_or(EdgeKind::Version, |(_, kind)| kind),
            same: ranks.is_some_and(|(a, b)| a.compare(b).is_eq()),
        }
    }

    /// Returns the first candidate reached by range alone, per stretch of the version axis.
    pub fn first_by_range(&self) -> Vec<(Cut, Option<u32>)> {
        self.all_successors().incoming.first_by_range()
    }

    /// Returns the first `limit` candidates in `among` that have an edge and are not named in
    /// `without`.
    pub fn successors_among(
        &self,
        origin: &Origin<'_>,
        among: Run<usize>,
        without: &[Option<NameId>],
        limit: usize,
    ) -> Vec<&'a Bundle> {
        let edges = self.all_successors().incoming.from(origin);
        let run = among.start as u32..among.end.max(among.start) as u32;
        let bundles = edges.among(run);
        let bundles = bundles.filter_map(|(at, _)| self.candidates.get(at as usize).copied());
        let bundles = bundles.filter(|bundle| !without.contains(&Some(bundle.id)));
        bundles.take(limit).collect()
    }

    /// Iterates over the entries of the visible channels.
    pub fn visible_entries(&self) -> impl Iterator<Item = &'a Entry> {
        self.channels.iter().flat_map(|channel| &channel.entries)
    }

    /// Iterates over the positions of the candidates with this name, ascending.
    pub fn positions(&self, name: NameId) -> impl Iterator<Item = usize> {
        let positions = self.all_successors().positions.get(&name);
        positions
            .into_iter()
            .flatten()
            .map(|&position| position as usize)
    }

    fn all_successors(&self) -> &Successors<'a> {
        self.successors.get_or_init(|| {
            let mut positions: HashMap<NameId, Vec<u32>> = HashMap::default();
            for (bundle, position) in self.candidates.iter().zip(0..) {
                positions.entry(bundle.id).or_default().push(position);
            }
            let incoming = Incoming::new(
                self.index,
                self.visible_entries().flat_map(|entry: &'a Entry| {
                    positions
                        .get(&entry.id)
                        .into_iter()
                        .flatten()
                        .map(move |&position| (position, entry))
                }),
            );
            Successors {
                positions,
                incoming,
            }
        })
    }

    /// Iterates over the entries of the first `above` candidates whose skip range does not parse.
    pub fn unreadable_above(&self, above: usize) -> impl Iterator<Item = &'a Entry> {
        let unreadable = self.unreadable.get_or_init(|| {
            self.visible_entries()
                .filter(|entry| entry.range.is_none() && !entry.range_text.is_empty())
                .filter_map(|entry| Some((self.positions(entry.id).next()?, entry)))
                .collect()
        });
        unreadable
            .iter()
            .filter(move |(first, _)| *first < above)
            .map(|(_, entry)| *entry)
    }

    /// Returns the number of candidates that are not deprecated; they come first.
    pub fn count_not_deprecated(&self) -> usize {
        self.candidates.partition_point(|bundle| !bundle.deprecated)
    }

    /// Counts the candidates that are not deprecated and whose version OLM v1 can read; they come
    /// first.
    pub fn count_readable(&self) -> usize {
        self.candidates
            .partition_point(|bundle| !bundle.deprecated && bundle.rank.is_some())
    }

    /// Counts the candidates that are not deprecated and higher than `bundle`; they come first.
    pub fn count_above(&self, bundle: &Bundle) -> usize {
        let Some(rank) = &bundle.rank else { return 0 };
        let kept = self.candidates.get(..self.count_not_deprecated());
        kept.map_or(0, |kept| count_higher(kept, rank))
    }

    /// Returns the deprecated candidates that are higher than `bundle`.
    pub fn deprecated_above(&self, bundle: &Bundle) -> Run<usize> {
        let kept = self.count_not_deprecated();
        let Some(rank) = &bundle.rank else {
            return kept..kept;
        };
        let deprecated = self.candidates.get(kept..);
        let higher = deprecated.map_or(0, |deprecated| count_higher(deprecated, rank));
        kept..kept + higher
    }

    /// Computes [`PackageView::best`] for each of `members`. Time grows with candidates plus
    /// members, not with their product.
    pub fn best_of_all(
        &self,
        installed_set: &InstalledSet<'a>,
        members: &[u32],
        policy: Policy,
    ) -> Vec<Option<Candidate<'a>>> {
        let mut assignment = Assignment::new(installed_set, members);
        // With `SelfCertified` the first candidate wins regardless of edges.
        let limit = match policy {
            Policy::CatalogProvided => self.candidates.len(),
            Policy::SelfCertified => self.candidates.len().min(1),
        };
        let mut seen = HashSet::default();
        for (position, bundle) in self.candidates.iter().take(limit).enumerate() {
            let entries = self.entries.get(&bundle.id);
            let Some(entries) = entries.filter(|_| seen.insert(bundle.id)) else {
                continue;
            };
            // Order by the strongest kind of edge, then by channel, as in `PackageView::edge`.
            for edge in [EdgeKind::Replaces, EdgeKind::Skips, EdgeKind::SkipRange] {
                for (index, (_, entry)) in entries.iter().enumerate() {
                    let claim = Claim {
                        position,
                        entry: index,
                        edge,
                    };
                    assignment.claim(entry, claim);
                }
            }
        }
        let choose = |(&member, claim): (&u32, Option<Claim>)| {
            let rank = installed_set.origins.get(member as usize)?.rank();
            let same_position = rank.as_ref().and_then(|rank| self.position_of(rank));
            let position = match policy {
                Policy::SelfCertified => 0,
                Policy::CatalogProvided => claim
                    .iter()
                    .map(|c| c.position)
                    .chain(same_position)
                    .min()?,
            };
            let bundle = *self.candidates.get(position)?;
            let edge = claim.filter(|c| c.position == position).and_then(|c| {
                let (channel, _) = self.entries.get(&bundle.id)?.get(c.entry)?;
                Some((*channel, c.edge))
            });
            Some(self.candidate(bundle, rank, edge))
        };
        members
            .iter()
            .zip(assignment.claims())
            .map(choose)
            .collect()
    }

    /// Returns the first candidate with this version and release.
    fn position_of(&self, rank: &VersionRelease) -> Option<usize> {
        let (kept, deprecated) = self.candidates.split_at(self.count_not_deprecated());
        find_rank(kept, rank).or_else(|| Some(find_rank(deprecated, rank)? + kept.len()))
    }

    /// Returns the strongest edge from `origin` to `bundle`, and the first channel with it.
    pub fn edge(&self, bundle: &Bundle, origin: &Origin<'_>) -> Option<(&'a Channel, EdgeKind)> {
        let entries = self.entries.get(&bundle.id)?.iter();
        let kinds = entries.filter_map(|&(channel, entry)| {
            subscription::edge(self.index, entry, origin).map(|kind| (channel, kind))
        });
        // `min_by_key` returns the first minimum.
        kinds.min_by_key(|(_, kind)| match kind {
            EdgeKind::Replaces => 0,
            EdgeKind::Skips => 1,
            _ => 2,
        })
    }

    /// Returns the first entry that skips the bundle, if every visible channel that lists the
    /// bundle skips it; only then Classic avoids it.
    pub fn skipped_by(&self, bundle: &Bundle) -> Option<&'a str> {
        let skippers = self.skippers.get_or_init(|| {
            let mut skippers = Skippers::default();
            for &channel in &self.channels {
                for entry in channel
                    .entries
                    .iter()
                    .filter(|entry| entry.bundle.is_some())
                {
                    for &skipped in &entry.skips {
                        skippers
                            .entry((std::ptr::from_ref(channel), skipped))
                            .or_insert(entry);
                    }
                }
            }
            skippers
        });
        let mut skipper = None;
        for (channel, _) in self.entries.get(&bundle.id)? {
            let by = skippers.get(&(std::ptr::from_ref(*channel), bundle.id))?;
            skipper = skipper.or(Some(&*by.name));
        }
        skipper
    }

    pub fn is_listed(&self, bundle: &Bundle) -> bool {
        self.entries.contains_key(&bundle.id)
    }

    fn channel_listing(&self, bundle: &Bundle) -> Option<&'a Channel> {
        self.entries
            .get(&bundle.id)
            .and_then(|entries| entries.first())
            .map(|(channel, _)| *channel)
    }

    /// Returns the entry of the channel with an edge of this kind from the installed bundle.
    pub fn entry(
        &self,
        bundle: &Bundle,
        channel: &Channel,
        origin: &Origin<'_>,
        kind: EdgeKind,
    ) -> Option<&'a Entry> {
        let mut here = self
            .entries
            .get(&bundle.id)?
            .iter()
            .filter(|(c, _)| std::ptr::eq(*c, channel));
        here.find(|(_, entry)| subscription::edge(self.index, entry, origin) == Some(kind))
            .map(|(_, entry)| *entry)
    }
}

/// Returns the requested channels in catalog order; all if none is named.
fn channels_of<'a>(index: &'a UpgradeIndex, options: &Options) -> Vec<&'a Channel> {
    match options.channels.as_slice() {
        [] => index.channels.iter().collect(),
        [only] => index.channels_named(only).collect(),
        several => index
            .channels
            .iter()
            .filter(|channel| several.iter().any(|name| **name == *channel.name))
            .collect(),
    }
}

/// Orders candidates: non-deprecated first, then the highest version and release; unparsable
/// versions last; otherwise catalog order.
fn preference(a: &Bundle, b: &Bundle) -> Ordering {
    let by_rank = match (&a.rank, &b.rank) {
        (Some(a), Some(b)) => b.compare(a),
        (a, b) => a.is_none().cmp(&b.is_none()),
    };
    a.deprecated.cmp(&b.deprecated).then(by_rank)
}

/// Counts the `bundles`, highest first, with a higher version or release.
fn count_higher(bundles: &[&Bundle], rank: &VersionRelease) -> usize {
    bundles.partition_point(|bundle| {
        let other = bundle.rank.as_ref();
        other.is_some_and(|other| other.compare(rank).is_gt())
    })
}

fn find_rank(bundles: &[&Bundle], rank: &VersionRelease) -> Option<usize> {
    let position = count_higher(bundles, rank);
    let other = bundles.get(position)?.rank.as_ref()?;
    other.compare(rank).is_eq().then_some(position)
}
