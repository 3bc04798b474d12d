//! Finds the versions in a sorted list that a range contains: a few runs of positions, found by
//! binary search. Testing each version against each range would be quadratic, and real packages
//! have a thousand skip ranges.

use super::blang::{Comparison, Operator, Range};
use super::semantic::Version;
use crate::order::SortSmall;
use std::cmp::Ordering;
use std::ops::Range as Run;

impl Range {
    /// The positions in `ordered` (lowest version first) that the range contains: per alternative
    /// its ascending disjoint runs. `compare` compares an element with a bound. An alternative
    /// without comparisons contains nothing.
    pub fn runs<T>(
        &self,
        ordered: &[T],
        compare: impl Fn(&T, &Version) -> Ordering,
    ) -> Vec<Run<usize>> {
        let alternatives = self.alternatives().iter().filter(|all| !all.is_empty());
        alternatives
            .flat_map(|all| runs_of(all, ordered, &compare))
            .collect()
    }
}

/// Where all comparisons hold.
fn runs_of<T>(
    all: &[Comparison],
    ordered: &[T],
    compare: impl Fn(&T, &Version) -> Ordering,
) -> Vec<Run<usize>> {
    let mut whole = 0..ordered.len();
    let mut holes: Vec<Run<usize>> = Vec::new();
    for comparison in all {
        let until = |keep: fn(Ordering) -> bool| {
            ordered.partition_point(|at| keep(compare(at, &comparison.version)))
        };
        // The number of versions below the bound, and not above it.
        let (below, through) = (|| until(Ordering::is_lt), || until(Ordering::is_le));
        match comparison.operator {
            Operator::Equal => whole = whole.start.max(below())..whole.end.min(through()),
            Operator::Greater => whole.start = whole.start.max(through()),
            Operator::GreaterOrEqual => whole.start = whole.start.max(below()),
            Operator::Less => whole.end = whole.end.min(below()),
            Operator::LessOrEqual => whole.end = whole.end.min(through()),
            Operator::NotEqual => holes.push(below()..through()),
        }
    }
    holes.sort_small_by_key(|hole| hole.start);
    let mut runs = Vec::with_capacity(holes.len() + 1);
    for hole in holes {
        runs.push(whole.start..hole.start.min(whole.end));
        whole.start = whole.start.max(hole.end);
    }
    runs.push(whole);
    runs.retain(|run| run.start < run.end);
    runs
}
