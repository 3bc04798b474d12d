//! Queries of a built graph: edges, coverage of skip ranges, heads. Results are in file order
//! unless documented otherwise.
//!
//! Coverage by skip ranges is reported as runs of entries in version order, or of places in a lane:
//! a list of all pairs of ranges and entries ([`PackageGraph::covered_entries`]) would be quadratic
//! for wide ranges.

use super::{ChannelGraph, Edge, EdgeKind, NameFacts, Node, PackageGraph, SkipRange};
use crate::model::Entry;
use crate::version::Version;
use std::ops::Range as Run;
use syntax::order::SortSmall;

impl PackageGraph {
    pub fn channel(&self, name: &str) -> Option<&ChannelGraph> {
        self.channels.iter().find(|c| &*c.name == name)
    }

    pub fn facts(&self, node: &Node) -> Option<&NameFacts> {
        self.names.get(node.name as usize)
    }

    /// Returns the name of the node of `channel` at this index; "" beyond the last.
    pub fn name_at<'a>(&'a self, channel: &ChannelGraph, node: u32) -> &'a str {
        channel
            .nodes
            .get(node as usize)
            .and_then(|n| self.facts(n))
            .map_or("", |f| &f.name)
    }

    /// Whether the entry has a version and the range contains it. A range that does not parse
    /// contains nothing.
    pub fn in_range(&self, range: &SkipRange, node: &Node) -> bool {
        self.facts(node).is_some_and(|facts| range.covers(facts))
    }

    /// Iterates over the entries of the channel that a `skipRange` covers, except its own.
    /// Evaluates the range once per entry: use it for the entry in view and for output, never for
    /// all entries while drawing.
    pub fn covered_entries<'a>(
        &'a self,
        channel: &'a ChannelGraph,
        range: &'a SkipRange,
    ) -> impl Iterator<Item = u32> + 'a {
        let present = channel.nodes.iter().take(channel.present).zip(0..);
        present
            .filter(|&(node, index)| index != range.node && self.in_range(range, node))
            .map(|(_, index)| index)
    }

    /// Returns all edges of a channel including those of skip ranges: per line `replaces`, `skips`,
    /// `skipRange`.
    pub fn all_edges(&self, channel: &ChannelGraph) -> Vec<Edge> {
        let mut edges = channel.edges.clone();
        for range in &channel.ranges {
            edges.extend(self.covered_entries(channel, range).map(|from| Edge {
                from,
                to: range.node,
                kind: EdgeKind::SkipRange,
                line: range.line,
                item: 0,
            }));
        }
        edges.sort_small_by_key(|e| (e.line, e.kind, e.item));
        edges
    }

    /// Returns the node of a name in a channel, entry or absent.
    pub fn node_of(&self, channel: &ChannelGraph, name: &str) -> Option<u32> {
        let found = channel
            .nodes
            .iter()
            .position(|n| self.facts(n).is_some_and(|f| &*f.name == name));
        found.map(|index| index as u32)
    }
}

impl SkipRange {
    pub(super) fn covers(&self, facts: &NameFacts) -> bool {
        let range = self.range.as_ref().zip(facts.version.as_ref());
        range.is_some_and(|(range, version)| range.contains(version))
    }
}

impl ChannelGraph {
    /// Returns the head, if there is exactly one.
    pub fn head(&self) -> Option<u32> {
        match self.heads[..] {
            [head] => Some(head),
            _ => None,
        }
    }

    /// Returns the line of a node, if it has exactly one.
    pub fn only_line(&self, node: &Node) -> Option<&Entry> {
        match node.lines[..] {
            [line] => self.blob.data.entries.get(line as usize),
            _ => None,
        }
    }
}

/// The coverage of all skip ranges of a channel.
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
    /// Returns the number of edges that the ranges represent.
    pub fn edges(&self) -> usize {
        self.ranges
            .iter()
            .flatten()
            .map(ExactSizeIterator::len)
            .sum()
    }
}

/// The coverage of a channel's skip ranges, including their own entries.
pub(super) struct CoveredVersions<'g> {
    /// Like [`Coverage::by_version`].
    pub by_version: Vec<(u32, &'g Version)>,
    /// For each range, the runs of `by_version` that it covers, ascending and disjoint. A run never
    /// separates entries of equal versions.
    pub ranges: Vec<Vec<Run<usize>>>,
}

impl PackageGraph {
    pub fn coverage(&self, channel: &ChannelGraph) -> Coverage {
        let CoveredVersions { by_version, ranges } = self.covered_versions(channel);
        let mut positions: Vec<Option<usize>> = vec![None; channel.present];
        for (position, (node, _)) in by_version.iter().enumerate() {
            positions[*node as usize] = Some(position);
        }
        let ranges = channel.ranges.iter().zip(ranges);
        let ranges = ranges
            .map(|(range, runs)| remove_position(runs, positions[range.node as usize]))
            .collect();
        Coverage {
            by_version: by_version.into_iter().map(|(node, _)| node).collect(),
            ranges,
        }
    }

    pub(super) fn covered_versions(&self, channel: &ChannelGraph) -> CoveredVersions<'_> {
        let mut by_version: Vec<(u32, &Version)> = (0..channel.present as u32)
            .filter_map(|node| {
                let facts = self.facts(channel.nodes.get(node as usize)?)?;
                Some((node, facts.version.as_ref()?))
            })
            .collect();
        by_version.sort_small_by(|a, b| a.1.cmp_precedence(b.1));
        let ranges = channel
            .ranges
            .iter()
            .map(|range: &SkipRange| {
                let runs = range.range.as_ref().map(|range| {
                    range.runs(&by_version, |(_, at), bound| at.cmp_precedence(bound))
                });
                join_runs(runs.unwrap_or_default())
            })
            .collect();
        CoveredVersions { by_version, ranges }
    }
}

/// Joins runs that overlap or touch; the result is ascending.
pub fn join_runs<T: Ord + Copy>(mut runs: Vec<Run<T>>) -> Vec<Run<T>> {
    runs.sort_small_by_key(|run| run.start);
    let mut joined: Vec<Run<T>> = Vec::with_capacity(runs.len() + 1);
    for run in runs {
        match joined.last_mut() {
            Some(last) if run.start <= last.end => last.end = last.end.max(run.end),
            _ => joined.push(run),
        }
    }
    joined
}

/// Removes a position from joined runs.
fn remove_position(mut joined: Vec<Run<usize>>, position: Option<usize>) -> Vec<Run<usize>> {
    let Some(position) = position else {
        return joined;
    };
    if let Some(at) = joined.iter().position(|run| run.contains(&position)) {
        let run = joined[at].clone();
        let halves = [run.start..position, position + 1..run.end];
        joined.splice(at..=at, halves.into_iter().filter(|half| !half.is_empty()));
    }
    joined
}

/// The places in a lane that a skip range covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// Place of its own entry, which is in no run.
    pub place: u32,
    /// Ascending runs of places. In each, every place with an entry that has a version is covered.
    pub over: Vec<Run<usize>>,
}

impl PackageGraph {
    /// Returns one item for each skip range that covers an entry at another place than its own.
    /// `places` gives the place of each node; several nodes may share one, and a higher version
    /// never comes before a lower one.
    pub fn reaches(&self, channel: &ChannelGraph, places: &[u32]) -> Vec<Reach> {
        if channel.ranges.is_empty() {
            return Vec::new();
        }
        let CoveredVersions { by_version, ranges } = self.covered_versions(channel);
        // Entries of equal version may be ordered differently here, but they are adjacent and no
        // run separates them.
        let mut row: Vec<usize> = by_version
            .iter()
            .map(|(node, _)| places[*node as usize] as usize)
            .collect();
        row.sort_small();
        channel
            .ranges
            .iter()
            .zip(ranges)
            .filter_map(|(range, runs): (&SkipRange, Vec<Run<usize>>)| {
                let place = places[range.node as usize];
                let over = runs.iter().map(|run| row[run.start]..row[run.end - 1] + 1);
                let over = remove_position(join_runs(over.collect()), Some(place as usize));
                (!over.is_empty()).then_some(Reach { place, over })
            })
            .collect()
    }
}

#[cfg(test)]
mod coverage_tests {
    use super::*;
    use crate::testing::versioned_package as package;
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
        fn runs_equal_the_individually_covered_entries(
            picked in prop::collection::vec((0..NAMES.len(), 0..RANGES.len()), 1..8),
        ) {
            let lines: Vec<String> =
                picked.iter().map(|&(name, range)| format!("{} sr:{}", NAMES[name], RANGES[range])).collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let graph = PackageGraph::build(&package(&[("c", &lines)]));
            let channel = &graph.channels[0];
            let coverage = graph.coverage(channel);
            let mut edges = 0;
            for (range, runs) in channel.ranges.iter().zip(&coverage.ranges) {
                let mut found: Vec<u32> =
                    runs.iter().flat_map(|run| &coverage.by_version[run.clone()]).copied().collect();
                found.sort_unstable();
                let one_by_one: Vec<u32> = graph.covered_entries(channel, range).collect();
                edges += one_by_one.len();
                prop_assert_eq!(found, one_by_one);
                prop_assert!(runs.windows(2).all(|two| two[0].end < two[1].start || two[0].end + 1 == two[1].start));
            }
            prop_assert_eq!(coverage.edges(), edges);
        }
    }
}

#[cfg(test)]
mod reach_tests {
    use super::*;
    use crate::graph::layout::{EntryNodeKind, Lane, LayoutRequest, layout};
    use crate::testing::{any_versioned_package as any_package, versioned_package as package};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Returns, by node of the channel, the index of the entry node that draws it.
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
        fn runs_of_entry_nodes_equal_the_individually_covered_entries(
            package in any_package(),
            is_folded in any::<bool>(),
            toggled in prop::collection::btree_set("1[.][012]", 0..3),
        ) {
            let graph = PackageGraph::build(&package);
            let request = LayoutRequest { fold: is_folded, toggled, ..LayoutRequest::default() };
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
                    let runs = reach.over.iter().cloned().flatten().map(|place| place as u32);
                    (reach.place, runs.filter(is_entry).collect::<BTreeSet<u32>>())
                });
                prop_assert_eq!(found.collect::<Vec<_>>(), one_by_one);
                for reach in &reaches {
                    prop_assert!(reach.over.windows(2).all(|two| two[0].end < two[1].start), "{:?}", reach);
                }
            }
        }
    }

    #[test]
    fn bisection_matches_a_check_of_each_entry() {
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
            let runs = at_once.iter().flat_map(|reach| reach.over.iter().cloned());
            let found: BTreeSet<u32> = runs
                .flatten()
                .map(|place| place as u32)
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
                over: vec![0..20, 21..50]
            }
        );
        assert_eq!(
            reaches[49],
            Reach {
                place: 49,
                over: std::iter::once(0..49).collect()
            }
        );
    }
}
