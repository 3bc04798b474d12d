//! Two states of a package in one picture: the graph of the new one, with the entries that only the
//! old one has as absent nodes.

use super::build::{ChannelGraph, Edge, EdgeKind, PackageGraph, channel_graph};
use super::names::NameTable;
use crate::hashed::{HashMap, HashSet};
use crate::model::blob::ChannelBlob;
use crate::model::{Located, Package};
use crate::place::Text;
use std::sync::Arc;

/// The line of an edge that only the old state has.
const NO_LINE: u32 = u32::MAX;

impl PackageGraph {
    /// [`PackageGraph::build`] of `new`, plus the entries that only `old` lists: absent nodes that
    /// are [`gone`](super::Node::gone), with their old `replaces`, which have no line. Channels
    /// that only `old` has come last. Heads and all other states are those of `new`.
    pub fn build_with_removed(new: &Package, old: &Package) -> Self {
        let mut names = NameTable::new(new);
        names.add_bundles(old);
        let mut graph = Self::build_without_names(new, &mut names, |_| true);
        let mut by_name: HashMap<Text, usize> = HashMap::default();
        for (at, channel) in graph.channels.iter().enumerate() {
            by_name.entry(channel.name.clone()).or_insert(at);
        }
        let mut seen = HashSet::default();
        for blob in old
            .channels
            .iter()
            .filter(|blob| seen.insert(&blob.name.value))
        {
            let at = *by_name.entry(blob.name.value.clone()).or_insert_with(|| {
                let empty = ChannelBlob {
                    entries: Vec::new(),
                    ..ChannelBlob::clone(&blob.data)
                };
                let mut channel = channel_graph(
                    &Located {
                        data: Arc::new(empty),
                        ..blob.clone()
                    },
                    &mut names,
                );
                channel.gone = true;
                graph.channels.push(channel);
                graph.channels.len() - 1
            });
            if let Some(channel) = graph.channels.get_mut(at) {
                channel.add_gone(blob, &mut names);
            }
        }
        graph.names = names.facts;
        graph
    }
}

impl ChannelGraph {
    fn add_gone(&mut self, old: &ChannelBlob, names: &mut NameTable<'_>) {
        let mut gone: HashSet<u32> = HashSet::default();
        for entry in &old.entries {
            let node = self.node(names.number(&entry.name.value));
            if let Some(of) = self
                .nodes
                .get_mut(node as usize)
                .filter(|of| of.is_absent())
            {
                of.gone = true;
                gone.insert(node);
            }
        }
        for entry in old
            .entries
            .iter()
            .filter(|entry| !entry.replaces.is_empty())
        {
            let to = self.node(names.number(&entry.name.value));
            if gone.contains(&to) {
                let from = self.node(names.number(&entry.replaces.value));
                self.edges.push(Edge {
                    from,
                    to,
                    kind: EdgeKind::Replaces,
                    line: NO_LINE,
                    item: 0,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::graph::PackageGraph;
    use crate::graph::layout::{EntryNodeKind, LayoutRequest, layout};
    use crate::graph::testing::{any_package, package};
    use proptest::prelude::*;

    #[test]
    fn removed_entries_are_placed_among_the_others() {
        let old = package(&[
            (
                "a",
                &["p.v1.0.0", "p.v1.1.0 r:p.v1.0.0", "p.v1.2.0 r:p.v1.1.0"],
            ),
            ("b", &["p.v1.0.0"]),
        ]);
        let new = package(&[("a", &["p.v1.1.0 r:p.v1.0.0", "p.v1.3.0 r:p.v1.1.0"])]);
        let graph = PackageGraph::build_with_removed(&new, &old);
        let (a, b) = (&graph.channels[0], &graph.channels[1]);
        let gone = |channel: &crate::graph::ChannelGraph| -> Vec<String> {
            (0..)
                .zip(&channel.nodes)
                .filter(|(_, n)| n.gone)
                .map(|(i, _)| graph.name_at(channel, i).to_owned())
                .collect()
        };
        // 1.0.0 is removed although an entry mentions it.
        assert_eq!(
            (gone(a), gone(b)),
            (
                vec!["p.v1.0.0".to_owned(), "p.v1.2.0".to_owned()],
                vec!["p.v1.0.0".to_owned()]
            )
        );
        assert_eq!(
            (a.gone, b.gone, a.heads.len(), a.present),
            (false, true, 1, 2)
        );
        let laid = layout(&graph, &LayoutRequest::default());
        let kinds: Vec<EntryNodeKind> = laid.lanes[0]
            .entry_nodes
            .iter()
            .map(|entry_node| entry_node.kind)
            .collect();
        assert_eq!(
            kinds,
            [
                EntryNodeKind::Gone,
                EntryNodeKind::Entry,
                EntryNodeKind::Gone,
                EntryNodeKind::Entry
            ]
        );
        assert_eq!(
            laid.lanes[0].links.len(),
            3,
            "two present entries and a removed one"
        );
        assert_eq!(laid.lanes[1].entry_nodes.len(), 1);
    }

    #[test]
    fn the_lane_of_a_removed_channel_keeps_its_position() {
        let old = package(&[
            ("a", &["p.v1.0.0"]),
            ("b", &["p.v3.0.0"]),
            ("c", &["p.v2.0.0"]),
        ]);
        let new = package(&[("a", &["p.v1.0.0"]), ("c", &["p.v2.0.0"])]);
        let graph = PackageGraph::build_with_removed(&new, &old);
        let laid = layout(&graph, &LayoutRequest::default());
        let names: Vec<&str> = laid
            .lanes
            .iter()
            .map(|lane| &*graph.channels[lane.channel as usize].name)
            .collect();
        assert_eq!(names, ["a", "b", "c"]);
    }

    proptest! {
        #[test]
        fn any_two_states_can_be_drawn(new in any_package(), old in any_package()) {
            let (graph, plain) = (PackageGraph::build_with_removed(&new, &old), PackageGraph::build(&new));
            for (beside, alone) in graph.channels.iter().zip(&plain.channels) {
                prop_assert_eq!((&beside.heads, beside.present), (&alone.heads, alone.present));
                prop_assert_eq!(&beside.nodes[..beside.present], &alone.nodes[..alone.present]);
            }
            let laid = layout(&graph, &LayoutRequest::default());
            let entry_nodes: usize = laid.lanes.iter().flat_map(|lane| &lane.entry_nodes).map(|entry_node| entry_node.nodes.len()).sum();
            prop_assert_eq!(entry_nodes, graph.channels.iter().map(|channel| channel.nodes.len()).sum::<usize>());
        }
    }
}
