//! Numbers the installed versions of a package, so that several catalogs can be resolved for the
//! same numbers.
//!
//! These are the published versions: the catalog's bundles, and names that entries mention without
//! a bundle, which somebody may still run. The version of the latter is read from the name.

use super::answer::Installed;
use super::index::{Bundle, Entry, UpgradeIndex};
use crate::hashed::{HashMap, HashSet};
use crate::order::SortSmall;
use crate::place::Text;
use crate::version::version_in_name;
use crate::version::version_line::{Cut, Interval};
use crate::version::{Version, VersionError};
use std::cell::OnceCell;
use std::collections::BTreeSet;

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
    /// Position in `order`, by number; [`NO_PLACE`] for those without a version.
    pub place: Vec<u32>,
}

/// Marks the absence of a position.
pub(super) const NO_PLACE: u32 = u32::MAX;

impl Ranking {
    pub fn new<'a>(installed: impl IntoIterator<Item = &'a Installed>) -> Self {
        let parsed: Vec<_> = installed
            .into_iter()
            .map(|of| Version::parse(&of.version))
            .collect();
        let mut ranked: Vec<(&Version, u32)> = parsed
            .iter()
            .zip(0..)
            .filter_map(|(version, i)| Some((version.as_ref().ok()?, i)))
            .collect();
        ranked.sort_small_by(|(a, _), (b, _)| a.cmp_precedence(b));
        let order: Vec<u32> = ranked.into_iter().map(|(_, i)| i).collect();
        let mut place = vec![NO_PLACE; parsed.len()];
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
    /// The bundles of all indexes, then the names that they only mention.
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

    /// The parsed versions in sorted order.
    pub(super) fn ranking(&self) -> &Ranking {
        self.ranking.get_or_init(|| Ranking::new(&self.versions))
    }

    /// The parsed version; `None` if it is invalid.
    pub(crate) fn version(&self, number: u32) -> Option<&Version> {
        self.ranking().parsed.get(number as usize)?.as_ref().ok()
    }

    /// The versions of an interval, lowest first.
    pub(crate) fn within(&self, interval: &Interval) -> Vec<u32> {
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

    /// Numbers whose versions differ from this one in build metadata at most, including itself.
    pub(crate) fn same_version(&self, number: u32) -> Vec<u32> {
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

    /// All versions with this name.
    pub fn by_name(&self, name: &str) -> &[u32] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    pub fn all(&self) -> Vec<u32> {
        (0..self.versions.len() as u32).collect()
    }

    /// Versions of the package's bundles, in catalog order.
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

    /// Versions that `channel` lists with a bundle; ascending.
    pub fn listed_in(&self, index: &UpgradeIndex, channel: &str) -> Vec<u32> {
        let entries = index.channels_named(channel).flat_map(|c| &c.entries);
        let number = |entry: &Entry| {
            let bundle = index.bundles.get(entry.bundle?)?;
            self.number(&bundle.as_installed())
        };
        entries
            .filter_map(number)
            .collect::<BTreeSet<u32>>()
            .into_iter()
            .collect()
    }

    /// Versions that `channel` lists or mentions, in any of `indexes`; ascending.
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
