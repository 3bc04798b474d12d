//! Reverse edges: which entries update a given installed version.

use super::answer::EdgeKind;
use super::index::{Entry, NameId, Origin, UpgradeIndex};
use super::range_lookup::{HoldingTargets, RangeLookup};
use crate::hashed::HashMap;
use crate::order::SortSmall;
use crate::version::version_line::Cut;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range as Run;

/// Edges to numbered targets, indexed by their source. Building costs as much as reading the
/// entries.
pub(super) struct Incoming<'a> {
    index: &'a UpgradeIndex,
    by_name: HashMap<NameId, Vec<(u32, EdgeKind)>>,
    /// By range number. Contains only ranges of some target: each of a thousand channels builds its
    /// own index.
    ranged: BTreeMap<u32, Vec<u32>>,
    /// Exclusive upper bound of the target numbers.
    targets: u32,
    /// Built on the first lookup of a version.
    ranges: OnceCell<RangeLookup<'a>>,
}

/// The edges from one installed version. Targets reached by a range are not materialized: for each
/// version of a path that could be all of them.
pub(super) struct Edges<'i> {
    /// Ascending; each target once, with its strongest kind.
    by_name: Vec<(u32, EdgeKind)>,
    ranged: Option<HoldingTargets<'i>>,
}

impl<'a> Incoming<'a> {
    /// Several entries may share a number.
    pub(super) fn new(
        index: &'a UpgradeIndex,
        entries: impl IntoIterator<Item = (u32, &'a Entry)>,
    ) -> Self {
        let mut by_name: HashMap<NameId, Vec<(u32, EdgeKind)>> = HashMap::default();
        let mut ranged: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut targets = 0;
        for (target, entry) in entries {
            targets = targets.max(target + 1);
            if let Some(name) = entry.replaces {
                by_name
                    .entry(name)
                    .or_default()
                    .push((target, EdgeKind::Replaces));
            }
            for &name in &entry.skips {
                by_name
                    .entry(name)
                    .or_default()
                    .push((target, EdgeKind::Skips));
            }
            if let Some(range) = entry.range {
                ranged.entry(range.0).or_default().push(target);
            }
        }
        Self {
            index,
            by_name,
            ranged,
            targets,
            ranges: OnceCell::new(),
        }
    }

    /// The targets with an edge from `origin`.
    pub(super) fn from(&self, origin: &Origin<'_>) -> Edges<'_> {
        let by_name = origin.id.and_then(|id| self.by_name.get(&id));
        let mut by_name: Vec<(u32, EdgeKind)> = by_name.into_iter().flatten().copied().collect();
        by_name.sort_small_by_key(|(target, kind)| (*target, *kind != EdgeKind::Replaces));
        by_name.dedup_by_key(|(target, _)| *target);
        let version = origin.version().ok().filter(|_| !self.ranged.is_empty());
        let ranged = version.map(|version| self.ranges().holding(version));
        Edges { by_name, ranged }
    }

    /// The first target reached by range alone, per stretch of the version axis.
    pub(super) fn first_by_range(&self) -> Vec<(Cut, Option<u32>)> {
        self.ranges().first_targets()
    }

    fn ranges(&self) -> &RangeLookup<'a> {
        self.ranges
            .get_or_init(|| RangeLookup::new(self.index, &self.ranged, self.targets))
    }
}

impl Edges<'_> {
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, EdgeKind)> {
        self.among(0..u32::MAX)
    }

    /// Edges to targets in `run`, ascending, each with its strongest kind: `replaces`, `skips`,
    /// then a range. Each costs one binary search.
    pub(super) fn among(&self, run: Run<u32>) -> impl Iterator<Item = (u32, EdgeKind)> {
        let mut from = run.start;
        std::iter::from_fn(move || {
            let by_name = self
                .by_name
                .get(self.by_name.partition_point(|(target, _)| *target < from))
                .copied();
            let ranged = self
                .ranged
                .and_then(|ranged| ranged.next(from))
                .map(|target| (target, EdgeKind::SkipRange));
            let next = match (by_name, ranged) {
                (Some(by_name), Some(ranged)) if ranged.0 < by_name.0 => ranged,
                (Some(by_name), _) => by_name,
                (None, ranged) => ranged?,
            };
            from = next.0 + 1;
            (next.0 < run.end).then_some(next)
        })
    }

    /// Number of targets in `run` with an edge. The cost grows only with the edges by name.
    pub(super) fn count(&self, run: &Run<u32>) -> usize {
        let is_ranged = |target: u32| self.ranged.is_some_and(|ranged| ranged.has(target));
        let by_name = self
            .by_name
            .iter()
            .filter(|(target, _)| run.contains(target) && !is_ranged(*target));
        self.ranged.map_or(0, |ranged| ranged.count(run)) + by_name.count()
    }

    pub(super) fn has(&self, target: u32) -> bool {
        self.among(target..target + 1).next().is_some()
    }

    pub(super) fn by_name(&self) -> impl Iterator<Item = (u32, EdgeKind)> {
        self.by_name.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::super::answer::Installed;
    use super::super::subscription::edge;
    use super::super::testing::package;
    use super::*;
    use proptest::prelude::*;

    const NAMES: [&str; 5] = ["a@1.0.0", "b@1.1.0", "c@1.2.0", "d@2.0.0", "e@oops"];
    const EDGES: [&str; 8] = [
        "r:a",
        "r:b",
        "s:a",
        "s:c",
        "sr:<2.0.0",
        "sr:>=1.1.0",
        "sr:<1.1.0_||_>=2.0.0",
        "sr:nonsense",
    ];

    proptest! {
        #[test]
        fn edges_are_those_that_each_entry_has(
            entries in prop::collection::vec((0..NAMES.len(), prop::collection::vec(0..EDGES.len(), 0..3)), 1..10),
            run in (0..11u32, 0..11u32),
        ) {
            let line = |(name, edges): &(usize, Vec<usize>)| {
                let fields: Vec<&str> = edges.iter().map(|&edge| EDGES[edge]).collect();
                format!("{} {}", NAMES[*name], fields.join(" ")).trim().to_owned()
            };
            let lines: Vec<String> = entries.iter().map(line).collect();
            let index = UpgradeIndex::new(&package(&format!("x: {}", lines.join("; "))));
            let listed = || (0u32..).zip(&index.channels[0].entries);
            let incoming = Incoming::new(&index, listed());
            let run = run.0..run.1;
            for installed in ["a@1.0.0", "b@1.1.0", "c@1.2.0", "d@2.0.0", "e@oops", "gone@1.0.5"] {
                let (name, version) = installed.split_once('@').unwrap();
                let installed = Installed::new(name, version);
                let origin = index.origin(&installed);
                let edges = incoming.from(&origin);
                let each: Vec<(u32, EdgeKind)> =
                    listed().filter_map(|(at, entry)| Some((at, edge(&index, entry, &origin)?))).collect();
                let within = each.iter().filter(|(target, _)| run.contains(target)).count();
                prop_assert_eq!((edges.count(&run), edges.among(run.clone()).count()), (within, within));
                prop_assert!((0..11).all(|target| edges.has(target) == each.iter().any(|(known, _)| *known == target)));
                prop_assert_eq!(edges.iter().collect::<Vec<_>>(), each);
            }
        }
    }
}
