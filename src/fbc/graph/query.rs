//! Queries of a built graph: edges, coverage of skip ranges, heads. Results are in file order
//! unless documented otherwise.

use super::build::{ChannelGraph, Edge, EdgeKind, Node, PackageGraph, SkipRange};
use super::names::NameFacts;
use crate::hashed::HashSet;
use crate::model::Entry;
use crate::order::SortSmall;

impl PackageGraph {
    /// The first channel of a name.
    pub fn channel(&self, name: &str) -> Option<&ChannelGraph> {
        self.channels.iter().find(|c| &*c.name == name)
    }

    /// The facts of a node's name.
    pub fn facts(&self, node: &Node) -> Option<&NameFacts> {
        self.names.get(node.name as usize)
    }

    /// The name of a node of `channel`, by index.
    pub fn name_at<'a>(&'a self, channel: &ChannelGraph, node: u32) -> &'a str {
        channel
            .nodes
            .get(node as usize)
            .and_then(|n| self.facts(n))
            .map_or("", |f| &f.name)
    }

    /// Whether the entry has a version and the range contains it. A range that does not parse contains nothing.
    pub fn in_range(&self, range: &SkipRange, node: &Node) -> bool {
        let version = self.facts(node).and_then(|f| f.version.as_ref());
        range
            .range
            .as_ref()
            .zip(version)
            .is_some_and(|(range, version)| range.contains(version))
    }

    /// The entries of the channel that a `skipRange` covers, except its own. Evaluates the range
    /// once per entry: use it for the entry in view and for output, never for all entries while
    /// drawing.
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

    /// All edges of a channel including those of skip ranges: per line `replaces`, `skips`,
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

    /// The node of a name in a channel, entry or absent.
    pub fn node_of(&self, channel: &ChannelGraph, name: &str) -> Option<u32> {
        let found = channel
            .nodes
            .iter()
            .position(|n| self.facts(n).is_some_and(|f| &*f.name == name));
        found.map(|index| index as u32)
    }

    /// Whether every entry of `channel` is also in `other` with equal `replaces`, `skips` (in any
    /// order) and `skipRange`. False for a channel without entries.
    pub fn repeats(&self, channel: &ChannelGraph, other: &ChannelGraph) -> bool {
        if channel.present == 0 || channel.present > other.present {
            return false;
        }
        channel.nodes.iter().take(channel.present).all(|node| {
            let counterpart = other
                .by_name
                .get(&node.name)
                .and_then(|&i| other.nodes.get(i as usize));
            match (
                channel.only_line(node),
                counterpart.and_then(|n| other.only_line(n)),
            ) {
                (Some(a), Some(b)) => same_fields(a, b),
                _ => false,
            }
        })
    }
}

impl ChannelGraph {
    /// The head, if there is exactly one.
    pub fn head(&self) -> Option<u32> {
        match self.heads[..] {
            [head] => Some(head),
            _ => None,
        }
    }

    /// The line of a node, if it has exactly one.
    pub fn only_line(&self, node: &Node) -> Option<&Entry> {
        match node.lines[..] {
            [line] => self.blob.data.entries.get(line as usize),
            _ => None,
        }
    }
}

fn same_fields(a: &Entry, b: &Entry) -> bool {
    a.replaces.value == b.replaces.value
        && a.skip_range.value == b.skip_range.value
        && same_skips(a, b)
}

fn same_skips(a: &Entry, b: &Entry) -> bool {
    let names = |entry: &'_ Entry| {
        entry
            .skips
            .iter()
            .map(|s| s.value.clone())
            .collect::<HashSet<_>>()
    };
    a.skips.len() == b.skips.len()
        && (a
            .skips
            .iter()
            .map(|s| &s.value)
            .eq(b.skips.iter().map(|s| &s.value))
            || names(a) == names(b))
}
