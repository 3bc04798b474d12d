//! Reverse edges: which entries update a given installed version.
//!
//! [`RangeLookup`] finds the numbered targets whose range contains a version, for all versions at
//! once. A list per version would hold one item for each pair of entries if ranges are wide.
//!
//! The range bounds divide the version axis into slots: one per bound and one between neighbouring
//! bounds. Between adjacent slots, some targets start or end. Each slot has a persistent binary
//! tree over its targets that shares unchanged nodes with the slot before. A target costs its
//! number of slot runs times the tree depth; a lookup costs one depth.

use super::answer::EdgeKind;
use super::index::{Entry, NameId, Origin, RangeId, UpgradeIndex};
use catalog::version::Version;
use catalog::version::version_line::{Cut, VersionLine};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range as Run;
use syntax::hashed::HashMap;
use syntax::order::SortSmall;

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
    ranged: Option<MatchingTargets<'i>>,
}

impl<'a> Incoming<'a> {
    /// Indexes edges to numbered entries. Several entries may share a number.
    pub fn new(
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

    /// Returns the targets with an edge from `origin`.
    pub fn from(&self, origin: &Origin<'_>) -> Edges<'_> {
        let by_name = origin.id.and_then(|id| self.by_name.get(&id));
        let mut by_name: Vec<(u32, EdgeKind)> = by_name.into_iter().flatten().copied().collect();
        by_name.sort_small_by_key(|(target, kind)| (*target, *kind != EdgeKind::Replaces));
        by_name.dedup_by_key(|(target, _)| *target);
        let version = origin.version().ok().filter(|_| !self.ranged.is_empty());
        let ranged = version.map(|version| self.ranges().matching(version));
        Edges { by_name, ranged }
    }

    /// Returns the first target reached by range alone, per stretch of the version axis.
    pub fn first_by_range(&self) -> Vec<(Cut, Option<u32>)> {
        self.ranges().first_targets()
    }

    fn ranges(&self) -> &RangeLookup<'a> {
        self.ranges
            .get_or_init(|| RangeLookup::new(self.index, &self.ranged, self.targets))
    }
}

impl Edges<'_> {
    pub fn iter(&self) -> impl Iterator<Item = (u32, EdgeKind)> {
        self.among(0..u32::MAX)
    }

    /// Iterates over the edges to targets in `run`, ascending, each with its strongest kind:
    /// `replaces`, `skips`, then a range. Each costs one binary search.
    pub fn among(&self, run: Run<u32>) -> impl Iterator<Item = (u32, EdgeKind)> {
        let mut start = run.start;
        std::iter::from_fn(move || {
            let by_name = self
                .by_name
                .get(self.by_name.partition_point(|(target, _)| *target < start))
                .copied();
            let ranged = self
                .ranged
                .and_then(|ranged| ranged.next(start))
                .map(|target| (target, EdgeKind::SkipRange));
            let next = match (by_name, ranged) {
                (Some(by_name), Some(ranged)) if ranged.0 < by_name.0 => ranged,
                (Some(by_name), _) => by_name,
                (None, ranged) => ranged?,
            };
            start = next.0 + 1;
            (next.0 < run.end).then_some(next)
        })
    }

    pub fn by_name(&self) -> impl Iterator<Item = (u32, EdgeKind)> {
        self.by_name.iter().copied()
    }
}

/// Targets indexed by their ranges.
pub(super) struct RangeLookup<'a> {
    line: VersionLine<'a>,
    /// The tree root from each slot on, ascending.
    roots: Vec<(usize, u32)>,
    nodes: Vec<Node>,
    targets: u32,
}

/// The targets with a range that contains a version.
#[derive(Clone, Copy)]
pub(super) struct MatchingTargets<'l> {
    lookup: &'l RangeLookup<'l>,
    root: u32,
}

/// Half of the targets below another node, or a single target.
#[derive(Debug, Clone, Copy)]
struct Node {
    left: u32,
    right: u32,
}

/// The node without targets, and the node of a single one.
const EMPTY: u32 = 0;
const SINGLE: u32 = 1;
const LEAF: Node = Node {
    left: EMPTY,
    right: EMPTY,
};

/// The start or end of a target's range.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RangeBound {
    slot: usize,
    target: u32,
    /// 1 at the start, -1 at the end.
    change: i32,
}

impl<'a> RangeLookup<'a> {
    /// Indexes the targets. `ranged` maps a range to the targets that have it; all are below
    /// `targets`.
    pub fn new(index: &'a UpgradeIndex, ranged: &BTreeMap<u32, Vec<u32>>, targets: u32) -> Self {
        let ranges = || {
            ranged
                .iter()
                .filter_map(|(&id, targets)| Some((index.range(RangeId(id))?, targets)))
        };
        let line = VersionLine::new(ranges().map(|(range, _)| range));
        let mut bounds: Vec<RangeBound> = Vec::new();
        for (range, targets) in ranges() {
            let runs = line.runs(range);
            for run in runs {
                let bound = |slot, target, change| RangeBound {
                    slot,
                    target,
                    change,
                };
                bounds.extend(
                    targets.iter().flat_map(|&target| {
                        [bound(run.start, target, 1), bound(run.end, target, -1)]
                    }),
                );
            }
        }
        bounds.sort_small();
        let mut lookup = Self {
            line,
            roots: Vec::new(),
            nodes: vec![LEAF; 2],
            targets,
        };
        lookup.add_roots(&bounds);
        lookup
    }

    /// Adds the tree of each slot at which some target starts or ends. `bounds` are sorted.
    fn add_roots(&mut self, bounds: &[RangeBound]) {
        // Number of ranges of each target that contain the current slot.
        let mut counts = vec![0; self.targets as usize];
        let mut root = EMPTY;
        for slot_bounds in bounds.chunk_by(|a, b| a.slot == b.slot) {
            let mut changes: Vec<(u32, bool)> = Vec::new();
            for target_bounds in slot_bounds.chunk_by(|a, b| a.target == b.target) {
                let target = target_bounds[0].target;
                let Some(count) = counts.get_mut(target as usize) else {
                    continue;
                };
                let was_contained = *count > 0;
                *count += target_bounds.iter().map(|bound| bound.change).sum::<i32>();
                if was_contained != (*count > 0) {
                    changes.push((target, *count > 0));
                }
            }
            root = self.copy_changed(root, 0..self.targets, &changes);
            self.roots.push((slot_bounds[0].slot, root));
        }
    }

    /// Returns a copy of the tree `node` over these targets with some added or removed.
    fn copy_changed(&mut self, node: u32, targets: Run<u32>, changes: &[(u32, bool)]) -> u32 {
        let Some(&(_, is_added)) = changes.first() else {
            return node;
        };
        if targets.len() <= 1 {
            return if is_added { SINGLE } else { EMPTY };
        }
        let middle = targets.start + (targets.end - targets.start) / 2;
        let (below, above) =
            changes.split_at(changes.partition_point(|(target, _)| *target < middle));
        let Node { left, right } = self.node(node);
        let left = self.copy_changed(left, targets.start..middle, below);
        let right = self.copy_changed(right, middle..targets.end, above);
        if left == EMPTY && right == EMPTY {
            return EMPTY;
        }
        self.nodes.push(Node { left, right });
        self.nodes.len() as u32 - 1
    }

    fn node(&self, number: u32) -> Node {
        self.nodes.get(number as usize).copied().unwrap_or(LEAF)
    }

    pub fn matching(&self, version: &Version) -> MatchingTargets<'_> {
        let slot = self.line.slot(version);
        let later = self.roots.partition_point(|(from, _)| *from <= slot);
        let root = later
            .checked_sub(1)
            .and_then(|index| self.roots.get(index))
            .map_or(EMPTY, |(_, root)| *root);
        MatchingTargets { lookup: self, root }
    }

    /// Returns the first matching target, per stretch of the version axis: each begins at its cut
    /// and ends at the next one. None is empty, and neighbours differ.
    pub fn first_targets(&self) -> Vec<(Cut, Option<u32>)> {
        let mut stretches: Vec<(Cut, Option<u32>)> = vec![(Cut::start(), None)];
        for &(slot, root) in &self.roots {
            let Some(cut) = self.line.cut_at(slot).filter(|cut| !cut.is_end()) else {
                continue;
            };
            let first = MatchingTargets { lookup: self, root }.next(0);
            // A stretch that starts at the same cut replaces the empty one before it.
            if let Some((from, target)) = stretches.last_mut()
                && from.compare(&cut).is_eq()
            {
                *target = first;
            } else {
                stretches.push((cut, first));
            }
        }
        stretches.dedup_by(|later, earlier| later.1 == earlier.1);
        stretches
    }
}

impl MatchingTargets<'_> {
    /// Returns the first match at or after `target`.
    pub fn next(&self, target: u32) -> Option<u32> {
        self.first(self.root, 0..self.lookup.targets, target)
    }

    fn first(&self, node: u32, targets: Run<u32>, from: u32) -> Option<u32> {
        if node == EMPTY || targets.end <= from {
            return None;
        }
        if targets.len() == 1 {
            return Some(targets.start);
        }
        let middle = targets.start + (targets.end - targets.start) / 2;
        let Node { left, right } = self.lookup.node(node);
        let in_left = self.first(left, targets.start..middle, from);
        in_left.or_else(|| self.first(right, middle..targets.end, from))
    }
}

#[cfg(test)]
mod incoming_tests {
    use super::super::answer::Installed;
    use super::super::subscription::edge;
    use super::*;
    use catalog::testing::package;
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
        fn incoming_edges_match_the_entries(
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
                prop_assert_eq!(edges.among(run.clone()).count(), within);
                prop_assert_eq!(edges.iter().collect::<Vec<_>>(), each);
            }
        }
    }
}

#[cfg(test)]
mod range_lookup_tests {
    use super::*;
    use catalog::testing::package;
    use proptest::prelude::*;

    const COMPARISONS: [&str; 8] = [
        "<1.0.0",
        ">=1.0.0",
        "<=1.1.0-rc.1",
        ">1.1.0-rc.1",
        "1.2.0",
        "!=1.1.0",
        "<2.0.0",
        ">=0.5.0",
    ];

    proptest! {
        #[test]
        fn found_ranges_contain_the_version(
            texts in prop::collection::vec(prop::collection::vec(0..COMPARISONS.len(), 1..4), 1..12),
            or in any::<bool>(),
            targets in prop::collection::vec(0..9u32, 12),
        ) {
            let between = if or { "_||_" } else { "_" };
            let text = |parts: &Vec<usize>| parts.iter().map(|&i| COMPARISONS[i]).collect::<Vec<_>>().join(between);
            let entries = texts.iter().zip(0..).map(|(parts, i)| format!("e{i}@1.0.0 sr:{}", text(parts)));
            let index = UpgradeIndex::new(&package(&format!("c: {}", entries.collect::<Vec<_>>().join("; "))));
            let entries = || index.channels[0].entries.iter().zip(&targets);
            let mut ranged: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            entries().for_each(|(entry, &target)| ranged.entry(entry.range.unwrap().0).or_default().push(target));
            let lookup = RangeLookup::new(&index, &ranged, 9);
            for version in ["0.1.0", "0.5.0", "0.9.9", "1.0.0", "1.1.0-alpha", "1.1.0-rc.1", "1.1.0", "1.2.0", "3.0.0"] {
                let version = Version::parse(version).unwrap();
                let held = lookup.matching(&version);
                let found: Vec<u32> = std::iter::successors(held.next(0), |&target| held.next(target + 1)).collect();
                let holds = |(entry, _): &(&crate::index::Entry, &u32)| {
                    index.range(entry.range.unwrap()).unwrap().contains(&version)
                };
                let mut expected: Vec<u32> = entries().filter(holds).map(|(_, &target)| target).collect();
                expected.sort();
                expected.dedup();
                prop_assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn one_range_of_many_targets_is_one_tree() {
        let index = UpgradeIndex::new(&package("c: a@1.0.0 sr:<2.0.0"));
        let lookup = RangeLookup::new(&index, &BTreeMap::from([(0, (0..1000).collect())]), 1000);
        assert_eq!(lookup.nodes.len(), 2 + 999);
        let version = Version::parse("1.0.0").unwrap();
        assert_eq!(lookup.matching(&version).next(999), Some(999));
        assert_eq!(
            lookup.matching(&Version::parse("2.0.0").unwrap()).next(0),
            None
        );
    }
}
