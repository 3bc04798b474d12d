//! Which of many ranges hold a version. Asking each range would make a path cost its steps times the ranges.
//!
//! The bounds of all ranges cut the versions into slots: one for each bound, and one between two neighbours. A range is a
//! few runs of slots, kept in a tree of intervals, so that a question costs what it finds and a bisection.

use super::index::{RangeId, UpgradeIndex};
use crate::order::PutInOrder;
use crate::version::Version;
use std::cmp::Ordering;

/// The skip ranges of a package, by what they hold.
pub(super) struct RangeLookup<'a> {
    /// Ascending and distinct. The slot `2 * i + 1` is the bound `i`, and `2 * i` is what lies below it.
    bounds: Vec<&'a Version>,
    /// The leaf of a slot is `slot + leaves`; the parent of a node is half of it. Each range is at the topmost nodes
    /// that lie in one of its runs.
    nodes: Vec<Vec<RangeId>>,
    leaves: usize,
}

impl<'a> RangeLookup<'a> {
    pub(super) fn new(index: &'a UpgradeIndex) -> Self {
        let ranges = || index.ranges.iter().zip(0..).filter_map(|(range, id)| Some((range.as_ref()?, RangeId(id))));
        let comparisons = ranges().flat_map(|(range, _)| range.alternatives()).flatten();
        let mut bounds: Vec<&Version> = comparisons.map(|comparison| &comparison.version).collect();
        bounds.put_in_order_by(|a, b| a.cmp_precedence(b));
        bounds.dedup_by(|a, b| a.cmp_precedence(b).is_eq());
        let slots: Vec<usize> = (0..2 * bounds.len() + 1).collect();
        let leaves = slots.len();
        let mut nodes = vec![Vec::new(); 2 * leaves];
        for (range, id) in ranges() {
            let runs = range.runs(&slots, |&slot, bound| match bounds.get(slot / 2) {
                None => Ordering::Greater,
                Some(at) => at.cmp_precedence(bound).then(if slot % 2 == 0 { Ordering::Less } else { Ordering::Equal }),
            });
            for run in runs {
                let (mut from, mut to) = (run.start + leaves, run.end + leaves);
                while from < to {
                    if from % 2 == 1 {
                        nodes[from].push(id);
                        from += 1;
                    }
                    if to % 2 == 1 {
                        to -= 1;
                        nodes[to].push(id);
                    }
                    (from, to) = (from / 2, to / 2);
                }
            }
        }
        Self { bounds, nodes, leaves }
    }

    /// The ranges that hold the version; one with alternatives may come twice.
    pub(super) fn holding(&self, version: &Version) -> impl Iterator<Item = RangeId> {
        let below = self.bounds.partition_point(|bound| bound.cmp_precedence(version).is_lt());
        let is_bound = self.bounds.get(below).is_some_and(|bound| bound.cmp_precedence(version).is_eq());
        let leaf = 2 * below + usize::from(is_bound) + self.leaves;
        let path = std::iter::successors(Some(leaf), |node| Some(node / 2).filter(|&node| node > 0));
        path.flat_map(|node| self.nodes.get(node).into_iter().flatten().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::package;
    use super::*;
    use proptest::prelude::*;

    const COMPARISONS: [&str; 8] =
        ["<1.0.0", ">=1.0.0", "<=1.1.0-rc.1", ">1.1.0-rc.1", "1.2.0", "!=1.1.0", "<2.0.0", ">=0.5.0"];

    proptest! {
        #[test]
        fn what_is_found_holds_the_version(
            texts in prop::collection::vec(prop::collection::vec(0..COMPARISONS.len(), 1..4), 1..8),
            or in any::<bool>(),
        ) {
            let between = if or { "_||_" } else { "_" };
            let text = |parts: &Vec<usize>| parts.iter().map(|&i| COMPARISONS[i]).collect::<Vec<_>>().join(between);
            let entries = texts.iter().zip(0..).map(|(parts, i)| format!("e{i}@1.0.0 sr:{}", text(parts)));
            let index = UpgradeIndex::new(&package(&format!("c: {}", entries.collect::<Vec<_>>().join("; "))));
            let lookup = RangeLookup::new(&index);
            for version in ["0.1.0", "0.5.0", "0.9.9", "1.0.0", "1.1.0-alpha", "1.1.0-rc.1", "1.1.0", "1.2.0", "3.0.0"] {
                let version = Version::parse(version).unwrap();
                let mut found: Vec<u32> = lookup.holding(&version).map(|id| id.0).collect();
                found.sort();
                found.dedup();
                let held = |range: &&(Option<crate::version::blang::Range>, u32)| {
                    range.0.as_ref().is_some_and(|range| range.contains(&version))
                };
                let ranges: Vec<_> = index.ranges.iter().cloned().zip(0..).collect();
                let asked: Vec<u32> = ranges.iter().filter(held).map(|(_, id)| *id).collect();
                prop_assert_eq!(found, asked);
            }
        }
    }
}
