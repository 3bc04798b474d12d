//! What skip ranges reach in a row of entries, such as a lane, as runs of places. A list of places
//! would grow with the square of the entries if ranges are wide.

use super::build::{ChannelGraph, PackageGraph, SkipRange};
use super::coverage::CoveredVersions;
use crate::order::SortSmall;
use std::ops::Range as Run;

/// What a skip range reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// Place of its own entry, which is in no run.
    pub place: u32,
    /// Ascending runs as first and last place. Between the two, every place with an entry that has
    /// a version is covered.
    pub over: Vec<(u32, u32)>,
}

impl PackageGraph {
    /// One item for each skip range that covers an entry at another place than its own. `places`
    /// gives the place of each node; several nodes may share one, and a higher version never comes
    /// before a lower one.
    pub fn reaches(&self, channel: &ChannelGraph, places: &[u32]) -> Vec<Reach> {
        if channel.ranges.is_empty() {
            return Vec::new();
        }
        let CoveredVersions { by_version, ranges } = self.covered_versions(channel);
        // Entries of one version may be in another order, but they are together, and no run
        // separates them.
        let mut row: Vec<u32> = by_version
            .iter()
            .filter_map(|(node, _)| places.get(*node as usize).copied())
            .collect();
        row.sort_small();
        let reach = |(range, runs): (&SkipRange, Vec<Run<usize>>)| {
            let place = *places.get(range.node as usize)?;
            let mut over: Vec<(u32, u32)> = Vec::with_capacity(runs.len() + 1);
            for run in runs {
                let (Some(&first), Some(&last)) = (
                    row.get(run.start),
                    row.get(..run.end).and_then(<[u32]>::last),
                ) else {
                    continue;
                };
                match over.last_mut() {
                    Some(known) if first <= known.1 + 1 => known.1 = known.1.max(last),
                    _ => over.push((first, last)),
                }
            }
            let over = without(over, place);
            (!over.is_empty()).then_some(Reach { place, over })
        };
        channel
            .ranges
            .iter()
            .zip(ranges)
            .filter_map(reach)
            .collect()
    }
}

fn without(mut over: Vec<(u32, u32)>, place: u32) -> Vec<(u32, u32)> {
    if let Some(at) = over
        .iter()
        .position(|&(first, last)| (first..=last).contains(&place))
    {
        let (first, last) = over[at];
        let before = (first < place).then(|| (first, place - 1));
        let behind = (place < last).then(|| (place + 1, last));
        over.splice(at..=at, before.into_iter().chain(behind));
    }
    over
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::layout::{EntryNodeKind, Lane, LayoutRequest, layout};
    use crate::graph::testing::{any_package, package};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// By node of the channel, the index of the entry node that draws it.
    fn entry_nodes(channel: &ChannelGraph, lane: &Lane) -> Vec<u32> {
        let mut entry_nodes = vec![u32::MAX; channel.nodes.len()];
        for (number, entry_node) in (0..).zip(&lane.entry_nodes) {
            entry_node
                .nodes
                .iter()
                .for_each(|&node| entry_nodes[node as usize] = number);
        }
        entry_nodes
    }

    proptest! {
        #[test]
        fn runs_of_entry_nodes_are_those_of_the_entries_that_are_covered_one_by_one(
            package in any_package(),
            is_folded in any::<bool>(),
            toggled in prop::collection::btree_set("1[.][012]", 0..3),
            is_collapsed in any::<bool>(),
        ) {
            let graph = PackageGraph::build(&package);
            let collapsed = if is_collapsed { std::iter::once("a".into()).collect() } else { Default::default() };
            let request = LayoutRequest { fold: is_folded, toggled, collapsed, ..LayoutRequest::default() };
            for lane in &layout(&graph, &request).lanes {
                let channel = &graph.channels[lane.channel as usize];
                let entry_nodes = entry_nodes(channel, lane);
                let mut one_by_one: Vec<(u32, BTreeSet<u32>)> = Vec::new();
                for range in &channel.ranges {
                    let own = entry_nodes[range.node as usize];
                    let covered = graph.covered_entries(channel, range).map(|node| entry_nodes[node as usize]);
                    one_by_one.push((own, covered.filter(|entry_node| *entry_node != own).collect()));
                }
                one_by_one.retain(|(_, covered)| !covered.is_empty());
                let is_entry = |entry_node: &u32| !lane.entry_nodes[*entry_node as usize].marks.absent;
                let reaches = graph.reaches(channel, &entry_nodes);
                let found = reaches.iter().map(|reach| {
                    let runs = reach.over.iter().flat_map(|&(first, last)| first..=last);
                    (reach.place, runs.filter(is_entry).collect::<BTreeSet<u32>>())
                });
                prop_assert_eq!(found.collect::<Vec<_>>(), one_by_one);
                for reach in &reaches {
                    prop_assert!(reach.over.windows(2).all(|two| two[0].1 < two[1].0), "{:?}", reach);
                }
            }
        }
    }

    #[test]
    fn bisection_covers_what_looking_at_each_covers() {
        let ranges = [
            ">=1.0.0_<1.2.0",
            "<1.1.0||>1.2.0",
            ">=1.0.0_!=1.1.0_<1.3.0",
            "1.1.0",
            ">2.0.0",
            ">=1.2.0_<1.0.0",
            "<=1.2.0||1.1.0",
            "nonsense",
        ];
        for range in ranges {
            let with_range = format!("p.v1.3.0 r:p.v1.2.0 sr:{range}");
            let lines = [
                "p.v1.0.0",
                "odd",
                "p.v1.1.0-rc.1",
                "p.v1.2.0 r:gone",
                "p.v1.1.0",
                &with_range,
            ];
            let graph = PackageGraph::build(&package(&[("a", &lines)]));
            let channel = &graph.channels[0];
            let laid = layout(&graph, &LayoutRequest::default());
            let (lane, entry_nodes) = (&laid.lanes[0], entry_nodes(channel, &laid.lanes[0]));
            let covered = graph.covered_entries(channel, &channel.ranges[0]);
            let one_by_one: BTreeSet<u32> =
                covered.map(|node| entry_nodes[node as usize]).collect();
            let at_once = graph.reaches(channel, &entry_nodes);
            let runs = at_once
                .iter()
                .flat_map(|reach| &reach.over)
                .flat_map(|&(first, last)| first..=last);
            let found: BTreeSet<u32> = runs
                .filter(|&entry_node| {
                    lane.entry_nodes[entry_node as usize].kind == EntryNodeKind::Entry
                })
                .collect();
            assert_eq!(found, one_by_one, "{range}");
            assert_eq!(
                at_once.len(),
                usize::from(!one_by_one.is_empty()),
                "{range}"
            );
        }
    }

    #[test]
    fn entries_that_all_cover_all_are_two_runs_each() {
        let lines: Vec<String> = (0..50).map(|i| format!("p.v1.{i}.0 sr:<2.0.0")).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let graph = PackageGraph::build(&package(&[("a", &lines)]));
        let places: Vec<u32> = (0..50).collect();
        let reaches = graph.reaches(&graph.channels[0], &places);
        assert_eq!(reaches.len(), 50);
        assert_eq!(
            reaches[20],
            Reach {
                place: 20,
                over: vec![(0, 19), (21, 49)]
            }
        );
        assert_eq!(
            reaches[49],
            Reach {
                place: 49,
                over: vec![(0, 48)]
            }
        );
    }
}
