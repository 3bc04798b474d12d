//! What the skip ranges of a channel cover, computed for all of them at once. Entries are sorted by version, so that a
//! range covers a few runs of them.

use super::build::{ChannelGraph, PackageGraph};
use crate::order::PutInOrder;
use crate::version::Version;

impl PackageGraph {
    /// For each skip range of the channel that covers an entry: its node, and the entries that it covers but itself, from
    /// the lowest version to the highest.
    pub fn reaches(&self, channel: &ChannelGraph) -> Vec<(u32, Vec<u32>)> {
        if channel.ranges.is_empty() {
            return Vec::new();
        }
        let present = channel.nodes.iter().take(channel.present).zip(0..);
        let mut ordered: Vec<(&Version, u32)> =
            present.filter_map(|(node, index)| Some((self.facts(node)?.version.as_ref()?, index))).collect();
        ordered.put_in_order_by(|(a, _), (b, _)| a.cmp_precedence(b));
        let ranges = channel.ranges.iter().filter_map(|range| {
            let runs = range.range.as_ref()?.runs(&ordered, |(version, _), bound| version.cmp_precedence(bound));
            let mut places: Vec<usize> = runs.into_iter().flatten().collect();
            places.put_in_order();
            places.dedup();
            let nodes = places.into_iter().filter_map(|at| ordered.get(at)).map(|(_, node)| *node);
            let covered: Vec<u32> = nodes.filter(|node| *node != range.node).collect();
            (!covered.is_empty()).then_some((range.node, covered))
        });
        ranges.collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::graph::PackageGraph;
    use crate::graph::testing::{any_package, package};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn all_ranges_cover_what_each_covers(package in any_package()) {
            let graph = PackageGraph::build(&package);
            for channel in &graph.channels {
                let each = channel.ranges.iter().map(|range| (range.node, graph.covered(channel, range).collect()));
                let each: Vec<(u32, BTreeSet<u32>)> = each.filter(|(_, nodes): &(u32, BTreeSet<u32>)| !nodes.is_empty()).collect();
                let all = graph.reaches(channel).into_iter().map(|(node, nodes)| (node, nodes.into_iter().collect()));
                prop_assert_eq!(all.collect::<Vec<_>>(), each);
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
            let lines = ["p.v1.0.0", "odd", "p.v1.1.0-rc.1", "p.v1.2.0 r:gone", "p.v1.1.0", &with_range];
            let graph = PackageGraph::build(&package(&[("a", &lines)]));
            let channel = &graph.channels[0];
            let one_by_one: BTreeSet<u32> = graph.covered(channel, &channel.ranges[0]).collect();
            let at_once = graph.reaches(channel);
            let found: BTreeSet<u32> = at_once.iter().flat_map(|(_, nodes)| nodes.iter().copied()).collect();
            assert_eq!(found, one_by_one, "{range}");
            assert_eq!(at_once.len(), usize::from(!one_by_one.is_empty()), "{range}");
            for (_, nodes) in at_once {
                let versions: Vec<_> = nodes
                    .iter()
                    .map(|n| graph.facts(&channel.nodes[*n as usize]).and_then(|f| f.version.clone()))
                    .collect();
                let versions: Vec<_> = versions.into_iter().flatten().collect();
                assert!(versions.windows(2).all(|pair| pair[0].cmp_precedence(&pair[1]).is_lt()), "{range}: in order");
            }
        }
    }
}
