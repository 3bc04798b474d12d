//! The order in which the channels of a package are listed: the default channel, then newest first.
//!
//! Names decide before entries, so that an edit of a channel seldom moves it.

use super::{ChannelGraph, PackageGraph, by_version};
use crate::model::blob::ChannelBlob;
use crate::model::{Located, Package};
use crate::version::Version;
use std::cmp::Ordering;
use syntax::order::SortSmall;

/// Major, minor and patch version.
type Numbers = [u64; 3];

/// Returns the indices of the channels: the default channel, then the others by the version in
/// their names, highest first, then by their newest entries, then by name. A channel without a
/// version in its name is placed by its newest entry's version.
pub fn channel_order(graph: &PackageGraph) -> Vec<u32> {
    let mut ranks: Vec<ChannelRank<'_>> = (0..)
        .zip(&graph.channels)
        .map(|(index, channel)| ChannelRank::new(graph, channel, index))
        .collect();
    ranks.sort_small_by(ChannelRank::compare);
    ranks.into_iter().map(|rank| rank.index).collect()
}

/// Returns the channels of a package in the order of [`channel_order`].
pub fn channels_in_order(package: &Package) -> Vec<&Located<ChannelBlob>> {
    let order = channel_order(&PackageGraph::build(package)).into_iter();
    order
        .filter_map(|index| package.channels.get(index as usize))
        .collect()
}

struct ChannelRank<'a> {
    is_default: bool,
    numbers: Option<Numbers>,
    newest: Option<Version>,
    name: &'a str,
    index: u32,
}

impl<'a> ChannelRank<'a> {
    fn new(graph: &'a PackageGraph, channel: &'a ChannelGraph, index: u32) -> Self {
        let newest = newest_version(graph, channel).cloned();
        Self {
            is_default: channel.is_default,
            numbers: numbers_in_name(&channel.name)
                .or_else(|| newest.as_ref().map(|v| [v.major(), v.minor(), v.patch()])),
            newest,
            name: &channel.name,
            index,
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        let newest = Version::compare_optional(&other.newest, &self.newest);
        other
            .is_default
            .cmp(&self.is_default)
            .then(other.numbers.cmp(&self.numbers))
            .then(newest)
            .then_with(|| self.name.cmp(other.name))
            .then(self.index.cmp(&other.index))
    }
}

/// Returns the highest version of a channel's entries. A removed channel keeps its position.
fn newest_version<'a>(graph: &'a PackageGraph, channel: &ChannelGraph) -> Option<&'a Version> {
    let entries = channel.nodes.iter().filter(|node| {
        if channel.gone {
            node.gone
        } else {
            !node.is_absent()
        }
    });
    let facts = entries.filter_map(|node| graph.facts(node));
    facts.max_by(|a, b| by_version(a, b))?.version.as_ref()
}

/// Returns the version in a channel's name: `stable-3.17`, `v0.45.x`, `release4.19`; the one with
/// the most numbers if there are several. `stable-3` precedes `stable-3.17`: it is usually its
/// superset.
fn numbers_in_name(name: &str) -> Option<Numbers> {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    let mut longest: Vec<u64> = Vec::new();
    for word in words {
        let version = word.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let numbers: Vec<u64> = version
            .split('.')
            .map_while(|part| part.parse().ok())
            .collect();
        if numbers.len() > longest.len() {
            longest = numbers;
        }
    }
    let mut numbers = [u64::MAX; 3];
    for (slot, number) in numbers.iter_mut().zip(&longest) {
        *slot = *number;
    }
    (!longest.is_empty()).then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::versioned_package as package;
    use proptest::prelude::*;

    fn names(channels: &[(&str, &[&str])]) -> Vec<String> {
        let package = package(channels);
        let ordered = channels_in_order(&package).into_iter();
        ordered
            .map(|channel| channel.name.value.to_string())
            .collect()
    }

    fn empty(channels: &[&'static str]) -> Vec<String> {
        let channels: Vec<(&str, &[&str])> = channels.iter().map(|name| (*name, &[][..])).collect();
        names(&channels)
    }

    #[test]
    fn versions_in_names_are_compared_as_numbers() {
        assert_eq!(
            empty(&[
                "stable",
                "stable-3.10",
                "stable-3.6",
                "preview-3.4",
                "stable-3.17"
            ]),
            [
                "stable",
                "stable-3.17",
                "stable-3.10",
                "stable-3.6",
                "preview-3.4"
            ]
        );
    }

    #[test]
    fn the_default_channel_is_first() {
        assert_eq!(
            empty(&["stable", "v9.0", "v10.0"]),
            ["stable", "v10.0", "v9.0"]
        );
    }

    #[test]
    fn newest_entries_decide_between_equal_names_and_place_names_without_a_version() {
        let channels: [(&str, &[&str]); 7] = [
            ("stable", &["p.v1.0.0"]),
            ("none", &["x"]),
            ("fast-2.1", &["p.v2.1.3", "p.v2.1.1"]),
            ("slow-2.1", &["p.v2.1.0"]),
            ("candidate", &["p.v2.2.0"]),
            ("eus-2.1", &["p.v2.1.3"]),
            ("old", &["p.v0.1.0"]),
        ];
        assert_eq!(
            names(&channels),
            [
                "stable",
                "candidate",
                "eus-2.1",
                "fast-2.1",
                "slow-2.1",
                "old",
                "none"
            ]
        );
    }

    #[test]
    fn finds_the_version_in_a_name() {
        let max = u64::MAX;
        for (name, numbers) in [
            ("stable-3.17", Some([3, 17, max])),
            ("v0.45.x", Some([0, 45, max])),
            ("release4.19", Some([4, 19, max])),
            ("3scale-mas", None),
            ("2022-v3.1", Some([3, 1, max])),
            ("stable-v1", Some([1, max, max])),
            ("v2beta1", None),
            ("1.2.3.4-rc", Some([1, 2, 3])),
            ("alpha", None),
            ("99999999999999999999999", None),
            ("", None),
        ] {
            assert_eq!(numbers_in_name(name), numbers, "{name}");
        }
    }

    proptest! {
        #[test]
        fn the_order_is_total_and_complete(package in crate::testing::any_versioned_package()) {
            let graph = PackageGraph::build(&package);
            let order = channel_order(&graph);
            let mut all = order.clone();
            all.sort_unstable();
            prop_assert_eq!(all, (0..graph.channels.len() as u32).collect::<Vec<_>>());
            let ranks: Vec<_> = order
                .iter()
                .map(|&index| ChannelRank::new(&graph, &graph.channels[index as usize], index))
                .collect();
            prop_assert!(ranks.windows(2).all(|two| two[0].compare(&two[1]).is_lt()));
        }
    }
}
