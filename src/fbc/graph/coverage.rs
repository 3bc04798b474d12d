//! What the skip ranges of a channel cover, as runs of its entries in version order. A list of all
//! pairs, as [`PackageGraph::covered_entries`] makes it, would cost entries times ranges if ranges are
//! wide.

use super::build::{ChannelGraph, PackageGraph, SkipRange};
use crate::order::SortSmall;
use crate::version::Version;
use std::ops::Range as Run;

/// What all skip ranges of a channel cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage {
    /// The entries that have a version, lowest first; equal versions in file order. Indices into
    /// [`ChannelGraph::nodes`].
    pub by_version: Vec<u32>,
    /// For each of [`ChannelGraph::ranges`], the runs of `by_version` that it covers, ascending and
    /// disjoint, without its own entry.
    pub ranges: Vec<Vec<Run<usize>>>,
}

impl Coverage {
    /// Number of edges that the ranges represent.
    pub fn edges(&self) -> usize {
        self.ranges
            .iter()
            .flatten()
            .map(ExactSizeIterator::len)
            .sum()
    }

    /// For each range, the first entry in file order that it covers.
    pub fn firsts(&self) -> Vec<Option<u32>> {
        let minima = Minima::new(&self.by_version);
        let first = |runs: &Vec<Run<usize>>| {
            runs.iter()
                .filter_map(|run| minima.least(run.clone()))
                .min()
        };
        self.ranges.iter().map(first).collect()
    }
}

/// Finds the least number of any run of a list in logarithmic time.
struct Minima {
    /// A binary tree: the second half holds the numbers, every other place the lesser of its two
    /// children.
    tree: Vec<u32>,
}

impl Minima {
    fn new(numbers: &[u32]) -> Self {
        let mut tree = vec![u32::MAX; numbers.len()];
        tree.extend_from_slice(numbers);
        for place in (1..numbers.len()).rev() {
            tree[place] = tree[2 * place].min(tree[2 * place + 1]);
        }
        Self { tree }
    }

    fn least(&self, run: Run<usize>) -> Option<u32> {
        let leaves = self.tree.len() / 2;
        let (mut from, mut to) = (run.start + leaves, run.end.min(leaves) + leaves);
        let mut least = None;
        let mut look = |place: usize| {
            let number = self.tree[place];
            least = Some(least.map_or(number, |least: u32| least.min(number)));
        };
        while from < to {
            if from % 2 == 1 {
                look(from);
                from += 1;
            }
            if to % 2 == 1 {
                to -= 1;
                look(to);
            }
            (from, to) = (from / 2, to / 2);
        }
        least
    }
}

/// What the skip ranges of a channel cover, including their own entries.
pub(super) struct CoveredVersions<'g> {
    /// Like [`Coverage::by_version`].
    pub(super) by_version: Vec<(u32, &'g Version)>,
    /// For each range, the runs of `by_version` that it covers, ascending and disjoint. A run never
    /// separates entries of equal versions.
    pub(super) ranges: Vec<Vec<Run<usize>>>,
}

impl PackageGraph {
    /// What the skip ranges of a channel cover.
    pub fn coverage(&self, channel: &ChannelGraph) -> Coverage {
        let CoveredVersions { by_version, ranges } = self.covered_versions(channel);
        let mut places: Vec<Option<usize>> = vec![None; channel.present];
        for (place, (node, _)) in by_version.iter().enumerate() {
            if let Some(of) = places.get_mut(*node as usize) {
                *of = Some(place);
            }
        }
        let own = |node: u32| places.get(node as usize).copied().flatten();
        let ranges = channel
            .ranges
            .iter()
            .zip(ranges)
            .map(|(range, runs)| without(runs, own(range.node)));
        let ranges = ranges.collect();
        Coverage {
            by_version: by_version.into_iter().map(|(node, _)| node).collect(),
            ranges,
        }
    }

    pub(super) fn covered_versions(&self, channel: &ChannelGraph) -> CoveredVersions<'_> {
        let version = |node: u32| {
            self.facts(channel.nodes.get(node as usize)?)?
                .version
                .as_ref()
        };
        let mut by_version: Vec<(u32, &Version)> = (0..channel.present as u32)
            .filter_map(|node| Some((node, version(node)?)))
            .collect();
        by_version.sort_small_by(|a, b| a.1.cmp_precedence(b.1));
        let runs = |range: &SkipRange| {
            let runs = range
                .range
                .as_ref()
                .map(|range| range.runs(&by_version, |(_, at), bound| at.cmp_precedence(bound)));
            join_runs(runs.unwrap_or_default())
        };
        let ranges = channel.ranges.iter().map(runs).collect();
        CoveredVersions { by_version, ranges }
    }
}

/// Joins the runs of all alternatives.
fn join_runs(mut runs: Vec<Run<usize>>) -> Vec<Run<usize>> {
    runs.sort_small_by_key(|run| run.start);
    let mut joined: Vec<Run<usize>> = Vec::with_capacity(runs.len() + 1);
    for run in runs {
        match joined.last_mut() {
            Some(last) if run.start <= last.end => last.end = last.end.max(run.end),
            _ => joined.push(run),
        }
    }
    joined
}

/// Removes the place `own` from joined runs.
fn without(mut joined: Vec<Run<usize>>, own: Option<usize>) -> Vec<Run<usize>> {
    let Some(own) = own else { return joined };
    if let Some(at) = joined.iter().position(|run| run.contains(&own)) {
        let run = joined[at].clone();
        let halves = [run.start..own, own + 1..run.end];
        joined.splice(at..=at, halves.into_iter().filter(|half| !half.is_empty()));
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::testing::package;
    use proptest::prelude::*;

    const RANGES: [&str; 7] = [
        "<2.0.0",
        ">=1.0.0_<1.2.0",
        "!=1.1.0",
        "1.0.0_||_>1.1.0_||_<=1.1.0",
        ">=1.1.0_||_>=1.0.0_<1.2.0",
        "<1.0.0",
        "not",
    ];
    const NAMES: [&str; 6] = [
        "p.v1.1.0",
        "p.v1.0.0",
        "p.v3.0.0",
        "odd",
        "p.v1.1.0-rc.1",
        "p.v2.0.0",
    ];

    proptest! {
        #[test]
        fn runs_are_the_entries_that_are_covered_one_by_one(
            picked in prop::collection::vec((0..NAMES.len(), 0..RANGES.len()), 1..8),
        ) {
            let lines: Vec<String> =
                picked.iter().map(|&(name, range)| format!("{} sr:{}", NAMES[name], RANGES[range])).collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let graph = PackageGraph::build(&package(&[("c", &lines)]));
            let channel = &graph.channels[0];
            let coverage = graph.coverage(channel);
            let mut edges = 0;
            for ((range, runs), first) in channel.ranges.iter().zip(&coverage.ranges).zip(coverage.firsts()) {
                let mut found: Vec<u32> =
                    runs.iter().flat_map(|run| &coverage.by_version[run.clone()]).copied().collect();
                found.sort_unstable();
                let one_by_one: Vec<u32> = graph.covered_entries(channel, range).collect();
                edges += one_by_one.len();
                prop_assert_eq!(first, one_by_one.first().copied());
                prop_assert_eq!(found, one_by_one);
                prop_assert!(runs.windows(2).all(|two| two[0].end < two[1].start || two[0].end + 1 == two[1].start));
            }
            prop_assert_eq!(coverage.edges(), edges);
        }
    }
}
