//! Assigns many installed versions to entries at once.
//!
//! Testing every entry against every version would be quadratic, and real packages have a thousand
//! skip ranges. Here the versions are sorted, so a range covers a few runs of positions, found by
//! binary search. Entries claim positions in order of preference, and a claimed position is never
//! visited again.
//!
//! [`InstalledVersions`] numbers them, so that several catalogs can be resolved for equal numbers.
//! These are the published versions: the catalog's bundles, and names that entries mention without
//! a bundle, which somebody may still run. The version of the latter is read from the name.

use super::answer::{EdgeKind, Installed};
use super::index::{Bundle, Entry, NameId, Origin, RangeId, UpgradeIndex};
use catalog::graph::query::join_runs;
use catalog::version::version_line::{Cut, Interval};
use catalog::version::{Version, VersionError, version_in_name};
use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::Range;
use syntax::hashed::{HashMap, HashSet};
use syntax::order::SortSmall;
use syntax::place::Text;

/// Marks the absence of a member.
const NONE: u32 = u32::MAX;

/// Installed versions resolved against one index.
pub struct InstalledSet<'a> {
    pub(super) index: &'a UpgradeIndex,
    pub(super) origins: Vec<Origin<'a>>,
    /// Indices of the members with a version, lowest first.
    order: Cow<'a, [u32]>,
    /// Position in `order`, by origin.
    place: Cow<'a, [u32]>,
    /// By range: the runs of positions that it covers.
    runs: Vec<OnceCell<Vec<Range<u32>>>>,
    /// Number of comparisons with range bounds.
    comparisons: Cell<u64>,
}

/// Some of the installed versions, and the entry that updates each of them.
pub(super) struct Assignment<'c, 'a> {
    installed_set: &'c InstalledSet<'a>,
    claims: Vec<Option<Claim>>,
    /// Index of the first member with a name, and of the next one with the same name.
    by_name: HashMap<NameId, u32>,
    next_named: Vec<u32>,
    /// Members with a version, by position.
    ranked: Vec<(u32, u32)>,
    /// For each of `ranked`: the next unclaimed one, possibly itself.
    free: Vec<u32>,
    /// Ranges that have claimed already: other channels may repeat a range many times.
    claimed_ranges: HashSet<RangeId>,
}

/// The entry that updates an installed version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Claim {
    /// The entry's rank in the order of preference.
    pub position: usize,
    /// Index among the entries of that name.
    pub entry: usize,
    pub edge: EdgeKind,
}

impl<'a> InstalledSet<'a> {
    pub fn new(
        index: &'a UpgradeIndex,
        installed: impl IntoIterator<Item = &'a Installed>,
    ) -> Self {
        let origins: Vec<Origin<'a>> = installed.into_iter().map(|i| index.origin(i)).collect();
        let Ranking { order, place, .. } =
            Ranking::new(origins.iter().map(|origin| origin.installed));
        Self::with(index, origins, Cow::Owned(order), Cow::Owned(place))
    }

    /// Like `new`, for versions that are already sorted.
    pub fn from_sorted(index: &'a UpgradeIndex, versions: &'a InstalledVersions) -> Self {
        let Ranking {
            parsed,
            order,
            place,
        } = versions.ranking();
        let origins = versions
            .iter()
            .zip(parsed)
            .map(|((_, installed), version)| {
                index.parsed_origin(installed, Cow::Borrowed(version))
            });
        Self::with(
            index,
            origins.collect(),
            Cow::Borrowed(order),
            Cow::Borrowed(place),
        )
    }

    fn with(
        index: &'a UpgradeIndex,
        origins: Vec<Origin<'a>>,
        order: Cow<'a, [u32]>,
        place: Cow<'a, [u32]>,
    ) -> Self {
        let runs = index.ranges.iter().map(|_| OnceCell::new()).collect();
        Self {
            index,
            origins,
            order,
            place,
            runs,
            comparisons: Cell::new(0),
        }
    }

    /// Returns the number of comparisons with range bounds; lets tests check the cost of a
    /// question.
    #[cfg(test)]
    pub fn comparisons(&self) -> u64 {
        self.comparisons.get()
    }

    /// Returns the positions of the members in version order, ascending; members without a version
    /// have none.
    pub fn places(&self, members: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut places: Vec<u32> = members
            .into_iter()
            .filter_map(|member| self.place_of(member))
            .collect();
        places.sort_small();
        places
    }

    fn place_of(&self, member: u32) -> Option<u32> {
        let place = self.place.get(member as usize).copied();
        place.filter(|&place| place != NO_RANK)
    }

    /// Returns the highest installed version at these positions that a skip range of the index
    /// covers.
    pub fn highest_in(&self, range: &str, places: &[u32]) -> Option<(&'a Installed, &Version)> {
        let highest = |run: &Range<u32>| {
            let below = places.partition_point(|place| *place < run.end);
            places
                .get(..below)?
                .last()
                .copied()
                .filter(|place| *place >= run.start)
        };
        let last = self
            .runs(self.index.range_named(range)?)
            .iter()
            .filter_map(highest)
            .max()?;
        let origin = self.origins.get(*self.order.get(last as usize)? as usize)?;
        Some((origin.installed, origin.version().ok()?))
    }

    /// Returns the positions in version order that `range` covers, as ascending disjoint runs.
    pub fn covered_places(&self, range: &str) -> Vec<Range<u32>> {
        let runs = self.index.range_named(range).map(|id| self.runs(id));
        join_runs(runs.unwrap_or_default().to_vec())
    }

    /// Returns the members whose version one of the ranges contains.
    pub(super) fn covered_by(&self, ranges: impl Iterator<Item = RangeId>) -> Vec<u32> {
        let runs = ranges.flat_map(|id| self.runs(id)).cloned().collect();
        let places = join_runs(runs).into_iter().flatten();
        places
            .filter_map(|place| self.order.get(place as usize).copied())
            .collect()
    }

    fn runs(&self, id: RangeId) -> &[Range<u32>] {
        let Some(cell) = self.runs.get(id.0 as usize) else {
            return &[];
        };
        cell.get_or_init(|| {
            let runs = self.index.range(id).map_or(Vec::new(), |range| {
                range.runs(&self.order, |&origin: &u32, bound: &Version| {
                    self.comparisons.set(self.comparisons.get() + 1);
                    let version = self
                        .origins
                        .get(origin as usize)
                        .and_then(|o| o.version().ok());
                    version.map_or(Ordering::Greater, |version| version.cmp_precedence(bound))
                })
            });
            runs.into_iter()
                .map(|run| run.start as u32..run.end as u32)
                .collect()
        })
    }
}

/// Whether `outer` covers every run of `inner`; both as returned by
/// [`InstalledSet::covered_places`].
pub fn is_within(inner: &[Range<u32>], outer: &[Range<u32>]) -> bool {
    inner.iter().all(|run| {
        let at = outer.partition_point(|outer| outer.end < run.end);
        outer.get(at).is_some_and(|outer| outer.start <= run.start)
    })
}

impl<'c, 'a> Assignment<'c, 'a> {
    /// Starts without claims. `members` are indices of origins.
    pub fn new(installed_set: &'c InstalledSet<'a>, members: &[u32]) -> Self {
        let mut by_name = HashMap::default();
        let mut next_named = vec![NONE; members.len()];
        let mut ranked = Vec::with_capacity(members.len());
        for (&member, at) in members.iter().zip(0..) {
            let Some(origin) = installed_set.origins.get(member as usize) else {
                continue;
            };
            if let Some(id) = origin.id {
                next_named[at as usize] = by_name.insert(id, at).unwrap_or(NONE);
            }
            ranked.extend(installed_set.place_of(member).map(|place| (place, at)));
        }
        ranked.sort_small();
        Self {
            installed_set,
            claims: vec![None; members.len()],
            by_name,
            next_named,
            free: (0..=ranked.len() as u32).collect(),
            ranked,
            claimed_ranges: HashSet::default(),
        }
    }

    /// Claims the unclaimed versions that the entry's edges of the claim's kind lead from.
    pub fn claim(&mut self, entry: &Entry, claim: Claim) {
        match claim.edge {
            EdgeKind::Replaces => entry
                .replaces
                .iter()
                .for_each(|&id| self.claim_name(id, claim)),
            EdgeKind::Skips => entry
                .skips
                .iter()
                .for_each(|&id| self.claim_name(id, claim)),
            _ => entry
                .range
                .iter()
                .for_each(|&id| self.claim_range(id, claim)),
        }
    }

    fn claim_name(&mut self, id: NameId, claim: Claim) {
        let mut at = self.by_name.get(&id).copied().unwrap_or(NONE);
        while let Some(slot) = self.claims.get_mut(at as usize) {
            slot.get_or_insert(claim);
            at = self.next_named[at as usize];
        }
    }

    fn claim_range(&mut self, id: RangeId, claim: Claim) {
        // A repeated range has nothing left to claim.
        if !self.claimed_ranges.insert(id) {
            return;
        }
        for run in self.installed_set.runs(id) {
            let mut at = self.ranked.partition_point(|(place, _)| *place < run.start);
            loop {
                at = self.next_free(at);
                let Some(&(_, member)) = self.ranked.get(at).filter(|(place, _)| *place < run.end)
                else {
                    break;
                };
                self.free[at] = at as u32 + 1;
                if let Some(slot) = self.claims.get_mut(member as usize) {
                    slot.get_or_insert(claim);
                }
            }
        }
    }

    /// Returns the claim of each member, in the order given to `new`.
    pub fn claims(self) -> Vec<Option<Claim>> {
        self.claims
    }

    /// Returns the first unclaimed position at or after `at`; compresses the path for later
    /// lookups.
    fn next_free(&mut self, at: usize) -> usize {
        let mut end = at;
        while self.free[end] as usize != end {
            end = self.free[end] as usize;
        }
        let mut walk = at;
        while self.free[walk] as usize != walk {
            walk = std::mem::replace(&mut self.free[walk], end as u32) as usize;
        }
        end
    }
}

/// Distinct installed versions, numbered; path summaries refer to them by number.
#[derive(Debug, Clone, Default)]
pub struct InstalledVersions {
    versions: Vec<Installed>,
    numbers: HashMap<Installed, u32>,
    by_name: HashMap<Text, Vec<u32>>,
    ranking: OnceCell<Ranking>,
}

/// Installed versions in sorted order; shared by all indexes.
#[derive(Debug, Clone, Default)]
pub(super) struct Ranking {
    /// Indexed by number.
    pub parsed: Vec<Result<Version, VersionError>>,
    /// Numbers of those with a version, lowest first.
    pub order: Vec<u32>,
    /// Position in `order`, by number; [`NO_RANK`] for those without a version.
    pub place: Vec<u32>,
}

/// Marks the absence of a position.
pub(super) const NO_RANK: u32 = u32::MAX;

impl Ranking {
    pub fn new<'a>(installed: impl IntoIterator<Item = &'a Installed>) -> Self {
        let parsed: Vec<_> = installed
            .into_iter()
            .map(|installed| Version::parse(&installed.version))
            .collect();
        let mut ranked: Vec<(&Version, u32)> = parsed
            .iter()
            .zip(0..)
            .filter_map(|(version, i)| Some((version.as_ref().ok()?, i)))
            .collect();
        ranked.sort_small_by(|(a, _), (b, _)| a.cmp_precedence(b));
        let order: Vec<u32> = ranked.into_iter().map(|(_, i)| i).collect();
        let mut place = vec![NO_RANK; parsed.len()];
        for (&number, at) in order.iter().zip(0..) {
            place[number as usize] = at;
        }
        Self {
            parsed,
            order,
            place,
        }
    }
}

impl InstalledVersions {
    /// Numbers the bundles of all indexes, then the names that they only mention.
    pub fn from_indexes<'a>(indexes: impl IntoIterator<Item = &'a UpgradeIndex> + Clone) -> Self {
        let mut versions = Self::default();
        for index in indexes.clone() {
            for bundle in &index.bundles {
                versions.add(bundle.as_installed());
            }
        }
        for name in indexes.into_iter().flat_map(|index| &index.name_of) {
            if !name.is_empty() && !versions.by_name.contains_key(name) {
                let version = version_in_name(name).map_or("", |(text, _)| text);
                versions.add(Installed::new(name.clone(), version));
            }
        }
        versions
    }

    fn add(&mut self, installed: Installed) {
        let number = self.versions.len() as u32;
        if self.numbers.contains_key(&installed) {
            return;
        }
        self.by_name
            .entry(installed.name.clone())
            .or_default()
            .push(number);
        self.numbers.insert(installed.clone(), number);
        self.versions.push(installed);
    }

    /// Returns the parsed versions in sorted order.
    pub(super) fn ranking(&self) -> &Ranking {
        self.ranking.get_or_init(|| Ranking::new(&self.versions))
    }

    /// `None` if the version is invalid.
    pub fn version(&self, number: u32) -> Option<&Version> {
        self.ranking().parsed.get(number as usize)?.as_ref().ok()
    }

    /// Returns the versions of an interval, lowest first.
    pub fn within(&self, interval: &Interval) -> Vec<u32> {
        let order = &self.ranking().order;
        let below = |cut: &Cut| {
            order.partition_point(|&number| {
                let version = self.version(number);
                let above = cut.above();
                above.is_none_or(|above| {
                    version.is_some_and(|version| version.cmp_precedence(above).is_lt())
                })
            })
        };
        let inside = below(&interval.lower)..below(&interval.upper);
        order.get(inside).unwrap_or_default().to_vec()
    }

    /// Returns the numbers whose versions differ from this one in build metadata at most, including
    /// itself.
    pub fn same_version(&self, number: u32) -> Vec<u32> {
        self.version(number).map_or_else(Vec::new, |version| {
            self.within(&Interval {
                lower: Cut::before(version),
                upper: Cut::after(version),
            })
        })
    }

    pub fn len(&self) -> usize {
        self.versions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.versions.is_empty()
    }

    pub fn get(&self, number: u32) -> Option<&Installed> {
        self.versions.get(number as usize)
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, &Installed)> {
        (0..).zip(&self.versions)
    }

    pub fn number(&self, installed: &Installed) -> Option<u32> {
        self.numbers.get(installed).copied()
    }

    pub fn by_name(&self, name: &str) -> &[u32] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    pub fn all(&self) -> Vec<u32> {
        (0..self.versions.len() as u32).collect()
    }

    /// Returns the versions of the package's bundles, in catalog order.
    pub fn bundles(&self, index: &UpgradeIndex) -> Vec<u32> {
        let mut seen = HashSet::default();
        let number = |bundle: &Bundle| self.number(&bundle.as_installed());
        index
            .bundles
            .iter()
            .filter_map(number)
            .filter(|&number| seen.insert(number))
            .collect()
    }

    /// Returns the versions that `channel` lists with a bundle; ascending.
    pub fn listed_in(&self, index: &UpgradeIndex, channel: &str) -> Vec<u32> {
        let entries = index.channels_named(channel).flat_map(|c| &c.entries);
        entries
            .filter_map(|entry: &Entry| {
                let bundle = index.bundles.get(entry.bundle?)?;
                self.number(&bundle.as_installed())
            })
            .collect::<BTreeSet<u32>>()
            .into_iter()
            .collect()
    }

    /// Returns the versions that `channel` lists or mentions, in any of `indexes`; ascending.
    pub fn members<'a>(
        &self,
        indexes: impl IntoIterator<Item = &'a UpgradeIndex>,
        channel: &str,
    ) -> Vec<u32> {
        let mut members = BTreeSet::new();
        for index in indexes {
            let mut add = |name: &str| members.extend(self.by_name(name).iter().copied());
            for entry in index.channels_named(channel).flat_map(|c| &c.entries) {
                add(&entry.name);
                add(&entry.replaces_text);
                entry
                    .skips
                    .iter()
                    .filter_map(|id| index.name_of.get(id.0 as usize))
                    .for_each(|name| add(name));
            }
        }
        members.into_iter().collect()
    }
}
