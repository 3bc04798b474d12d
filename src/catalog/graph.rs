//! The upgrade graph of a package: entries, edges and states ([`PackageGraph`], [`query`]), its
//! drawing as lanes ([`layout`]) and as text ([`export`]).
//!
//! Pure functions over [`crate::model::Package`]. `validate` judges, `upgrade` decides; this module
//! does neither, and knows a file only by its number.
//!
//! The states follow `opm validate` (`opm-semantics` 2.3): names count, not positions, and a name
//! that is listed twice in a channel is one node. Any input gives a graph.

pub mod channel_order;
pub mod export;
pub mod layout;
pub mod query;
mod states;
#[cfg(test)]
mod tests;

use crate::model::blob::ChannelBlob;
use crate::model::{BundleBlob, Entry, Located, Package};
use crate::version::blang::Range;
use crate::version::{Version, version_in_name};
use std::cmp::Ordering;
use std::sync::Arc;
use syntax::hashed::{HashMap, HashSet};
use syntax::place::{Place, Text};

pub use states::{EntryReference, FunctionalGraph, States};

/// The line of an edge that only the old state has.
const NO_LINE: u32 = u32::MAX;

#[derive(Debug, Clone)]
pub struct PackageGraph {
    pub package: Text,
    /// The default channel of the first `olm.package` blob; may name a channel that does not exist;
    /// "" if unset.
    pub default_channel: Text,
    /// The message of a deprecation of the whole package.
    pub deprecated: Option<Text>,
    /// Every name that a channel lists or mentions, by first mention.
    pub names: Vec<NameFacts>,
    /// In load order; two channels may have equal names.
    pub channels: Vec<ChannelGraph>,
}

/// One channel blob as a graph.
#[derive(Debug, Clone)]
pub struct ChannelGraph {
    pub name: Text,
    pub is_default: bool,
    /// The message of a deprecation of the channel.
    pub deprecated: Option<Text>,
    /// Location of the channel blob, and its entries.
    pub blob: Located<ChannelBlob>,
    /// The entries in file order, then absent ones by first mention.
    pub nodes: Vec<Node>,
    /// Number of `nodes` that are entries of the channel.
    pub present: usize,
    /// `replaces` and `skips` in file order: per entry its `replaces`, then its `skips`.
    pub edges: Vec<Edge>,
    /// The entries with a `skipRange`, in file order.
    pub ranges: Vec<SkipRange>,
    /// Nodes that no `replaces` and no `skips` of the channel names, in file order. `opm` requires
    /// exactly one.
    pub heads: Vec<u32>,
    /// Whether only the other state of the package has this channel; all its nodes are then gone.
    pub gone: bool,
    /// The cycle on the only head's `replaces` chain, in walking order, without the repeated node.
    pub cycle: Vec<u32>,
    /// Index of a node by its index in [`PackageGraph::names`].
    by_name: HashMap<u32, u32>,
}

/// An entry, or a name that an edge mentions but the channel does not list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Node {
    /// Index into [`PackageGraph::names`].
    pub name: u32,
    /// Indices into [`ChannelBlob::entries`]: none for an absent entry, several for a duplicate.
    pub lines: Vec<u32>,
    pub head: bool,
    /// Whether a `skips` of the channel names it.
    pub skipped: bool,
    /// Whether it is on the `replaces` chain of the only head. The chain ends at the first skipped
    /// or absent entry.
    pub walked: bool,
    /// Whether it is neither walked nor skipped, in a channel with exactly one head.
    pub stranded: bool,
    /// Whether it is on [`ChannelGraph::cycle`].
    pub cycle: bool,
    /// Whether it is absent here but listed by this channel in the other state of the package.
    pub gone: bool,
}

/// An upgrade edge, old to new. Indices into [`ChannelGraph::nodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Edge {
    pub from: u32,
    pub to: u32,
    pub kind: EdgeKind,
    /// Index into [`ChannelBlob::entries`]: the line that contains the edge.
    pub line: u32,
    /// Index into the line's `skips`; 0 for other kinds.
    pub item: u32,
}

/// The field that defines an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    Replaces,
    Skips,
    SkipRange,
}

impl EdgeKind {
    pub fn field(self) -> &'static str {
        match self {
            EdgeKind::Replaces => "replaces",
            EdgeKind::Skips => "skips",
            EdgeKind::SkipRange => "skipRange",
        }
    }
}

/// A non-empty `skipRange`.
#[derive(Debug, Clone)]
pub struct SkipRange {
    /// Index into [`ChannelGraph::nodes`].
    pub node: u32,
    /// Index into [`ChannelBlob::entries`].
    pub line: u32,
    pub text: Text,
    /// `None` if it does not parse: OLM then ignores it.
    pub range: Option<Range>,
}

impl Node {
    pub fn is_absent(&self) -> bool {
        self.lines.is_empty()
    }
}

impl PackageGraph {
    pub fn build(package: &Package) -> Self {
        Self::from_channels(package, |_| true)
    }

    /// Builds the graph of the channels that `is_wanted` accepts.
    pub fn from_channels(package: &Package, is_wanted: impl Fn(&Text) -> bool) -> Self {
        let mut names = NameTable::new(package);
        let mut graph = Self::build_without_names(package, &mut names, is_wanted);
        graph.names = names.facts;
        graph
    }

    /// Builds the graph without its names.
    fn build_without_names(
        package: &Package,
        names: &mut NameTable<'_>,
        is_wanted: impl Fn(&Text) -> bool,
    ) -> Self {
        let default_channel: Text = package.default_channel().into();
        let channels = package
            .channels
            .iter()
            .filter(|blob| is_wanted(&blob.name.value))
            .map(|blob| {
                let mut channel = build_channel(blob, names);
                channel.is_default =
                    !default_channel.is_empty() && *channel.name == *default_channel;
                channel.deprecated = names.deprecation("olm.channel", &channel.name);
                channel
            })
            .collect();
        Self {
            package: package.name.clone(),
            deprecated: names.deprecation("olm.package", ""),
            default_channel,
            names: Vec::new(),
            channels,
        }
    }
}

impl ChannelGraph {
    /// Builds the graph of one channel alone. Names are numbered by first mention and have no facts
    /// of bundles.
    pub fn from_channel(blob: &Located<ChannelBlob>) -> Self {
        build_channel(blob, &mut NameTable::new(&Package::default()))
    }

    /// Whether `opm` accepts the channel: exactly one head, from which every entry is reached or
    /// skipped, and no cycle.
    pub fn is_sound(&self) -> bool {
        self.heads.len() == 1
            && self.cycle.is_empty()
            && !self.nodes.iter().any(|node| node.stranded)
    }
}

fn build_channel(blob: &Located<ChannelBlob>, names: &mut NameTable<'_>) -> ChannelGraph {
    let mut channel = ChannelGraph {
        name: blob.name.value.clone(),
        is_default: false,
        deprecated: None,
        blob: blob.clone(),
        nodes: Vec::with_capacity(blob.entries.len()),
        present: 0,
        edges: Vec::with_capacity(blob.entries.len()),
        ranges: Vec::new(),
        heads: Vec::new(),
        gone: false,
        cycle: Vec::new(),
        by_name: HashMap::with_capacity_and_hasher(blob.entries.len(), Default::default()),
    };
    for (line, entry) in blob.entries.iter().enumerate() {
        let node = channel.get_or_add_node(names.number(&entry.name.value));
        if let Some(node) = channel.nodes.get_mut(node as usize) {
            node.lines.push(line as u32);
        }
    }
    channel.present = channel.nodes.len();
    for (line, entry) in blob.entries.iter().enumerate() {
        channel.add_edges(line as u32, entry, names);
    }
    channel.mark_states(names);
    channel
}

impl ChannelGraph {
    fn get_or_add_node(&mut self, name: u32) -> u32 {
        *self.by_name.entry(name).or_insert_with(|| {
            self.nodes.push(Node {
                name,
                ..Node::default()
            });
            self.nodes.len() as u32 - 1
        })
    }

    /// Adds the edges of a line. An empty `replaces` counts as absent. An empty item of `skips`
    /// (which `opm` refuses) names the entry "" if it exists.
    fn add_edges(&mut self, line: u32, entry: &Entry, names: &mut NameTable<'_>) {
        let to = self.get_or_add_node(names.number(&entry.name.value));
        if !entry.replaces.is_empty() {
            let from = self.get_or_add_node(names.number(&entry.replaces.value));
            self.edges.push(Edge {
                from,
                to,
                kind: EdgeKind::Replaces,
                line,
                item: 0,
            });
        }
        for (item, skip) in entry.skips.iter().enumerate() {
            let from = if skip.is_empty() {
                let unnamed = names.find("").and_then(|name| self.by_name.get(&name));
                let Some(&node) = unnamed else { continue };
                node
            } else {
                self.get_or_add_node(names.number(&skip.value))
            };
            self.edges.push(Edge {
                from,
                to,
                kind: EdgeKind::Skips,
                line,
                item: item as u32,
            });
        }
        if !entry.skip_range.is_empty() {
            let text = entry.skip_range.value.clone();
            self.ranges.push(SkipRange {
                node: to,
                line,
                range: Range::parse(&text).ok(),
                text,
            });
        }
    }

    /// Sets the states of the nodes. `opm` builds no graph if a name is listed twice; here its
    /// first line represents it.
    fn mark_states(&mut self, names: &NameTable<'_>) {
        let references = self.edges.iter().map(|edge| match edge.kind {
            EdgeKind::Skips => EntryReference::Skipped(edge.from as usize),
            EdgeKind::Replaces | EdgeKind::SkipRange => {
                EntryReference::Replaced(edge.from as usize)
            }
        });
        let states = States::new(self.nodes.len(), self.present, references, |node: usize| {
            let line = self
                .blob
                .data
                .entries
                .get(*self.nodes.get(node)?.lines.first()? as usize)?;
            self.by_name
                .get(&names.find(&line.replaces.value)?)
                .map(|&node| node as usize)
        });
        [self.heads, self.cycle] = [&states.heads, &states.cycle]
            .map(|nodes| nodes.iter().map(|&node| node as u32).collect());
        let mut mark = |nodes: &[usize], mark: fn(&mut Node)| {
            for &node in nodes {
                self.nodes.get_mut(node).into_iter().for_each(mark);
            }
        };
        mark(&states.heads, |node| node.head = true);
        mark(&states.walk, |node| node.walked = true);
        mark(&states.cycle, |node| node.cycle = true);
        mark(&states.stranded, |node| node.stranded = true);
        for (node, skipped) in self.nodes.iter_mut().zip(states.skipped) {
            node.skipped = skipped;
        }
    }

    /// Returns the line of the channel that contains an edge.
    pub fn line(&self, edge: &Edge) -> Option<&Entry> {
        self.blob.data.entries.get(edge.line as usize)
    }

    /// Returns the position of an edge in the channel's blob: the value of `replaces` or
    /// `skipRange`, or the item of `skips`.
    pub fn place(&self, edge: &Edge) -> Option<Place> {
        let line = self.line(edge)?;
        match edge.kind {
            EdgeKind::Replaces => Some(line.replaces.place),
            EdgeKind::Skips => line.skips.get(edge.item as usize).map(|s| s.place),
            EdgeKind::SkipRange => Some(line.skip_range.place),
        }
    }
}

/// Facts of a name, independent of channels.
#[derive(Debug, Clone, PartialEq)]
pub struct NameFacts {
    pub name: Text,
    /// The version as written in the bundle, or at the end of the name; "" if neither has one.
    pub text: Text,
    /// `text` if it is a strict semantic version.
    pub version: Option<Version>,
    /// The bundle's `release`; "" for none.
    pub release: Text,
    /// Whether the package has an `olm.bundle` blob of this name.
    pub has_bundle: bool,
    /// The message of a deprecation of this bundle.
    pub deprecated: Option<Text>,
}

impl NameFacts {
    /// Returns the y-stream, `(major, minor)`.
    pub fn stream(&self) -> Option<(u64, u64)> {
        self.version.as_ref().map(|v| (v.major(), v.minor()))
    }
}

/// Compares names in column order: by precedence, then build metadata, release and name, so that
/// equal versions have a fixed order. Names without a version come first, by name.
pub fn by_version(a: &NameFacts, b: &NameFacts) -> Ordering {
    let [a_build, b_build] = [a, b].map(|facts| facts.version.as_ref().map(Version::build));
    Version::compare_optional(&a.version, &b.version)
        .then(a_build.cmp(&b_build))
        .then_with(|| a.release.cmp(&b.release))
        .then_with(|| a.name.cmp(&b.name))
}

/// Numbers all names that the channels of a package mention.
#[derive(Debug, Default)]
struct NameTable<'a> {
    facts: Vec<NameFacts>,
    numbers: HashMap<Text, u32>,
    bundles: HashMap<&'a str, &'a Located<BundleBlob>>,
    /// Messages by schema and name; the first of a reference counts.
    deprecated: HashMap<(&'a str, &'a str), &'a Text>,
}

impl<'a> NameTable<'a> {
    fn new(package: &'a Package) -> Self {
        let mut table = Self::default();
        for bundle in &package.bundles {
            table.bundles.entry(bundle.name.as_str()).or_insert(bundle);
        }
        for entry in package.deprecations.iter().flat_map(|d| &d.data.entries) {
            // A package's deprecation has no name.
            let name = if entry.schema.as_str() == "olm.package" {
                ""
            } else {
                entry.name.as_str()
            };
            table
                .deprecated
                .entry((entry.schema.as_str(), name))
                .or_insert(&entry.message.value);
        }
        table
    }

    /// Adds bundles of the other state of the package for names that have none here.
    fn add_bundles(&mut self, other: &'a Package) {
        for bundle in &other.bundles {
            self.bundles.entry(bundle.name.as_str()).or_insert(bundle);
        }
    }

    fn deprecation(&self, schema: &str, name: &str) -> Option<Text> {
        self.deprecated
            .get(&(schema, name))
            .map(|&message| message.clone())
    }

    /// Returns the number of a known name.
    fn find(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// Returns the number of a name; assigns one if it is new.
    fn number(&mut self, name: &Text) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.facts.len() as u32;
        self.facts.push(self.look_up(name));
        self.numbers.insert(name.clone(), number);
        number
    }

    fn look_up(&self, name: &Text) -> NameFacts {
        let bundle = self.bundles.get(&**name).copied();
        let (text, version): (Text, _) = match bundle.map(|b| b.version()).filter(|v| !v.is_empty())
        {
            Some(text) => (text.into(), Version::parse(text).ok()),
            None => version_in_name(name).map_or_else(
                || ("".into(), None),
                |(text, version)| (text.into(), Some(version)),
            ),
        };
        NameFacts {
            name: name.clone(),
            text,
            version,
            release: bundle.map_or("", |b| b.release()).into(),
            has_bundle: bundle.is_some(),
            deprecated: self.deprecation("olm.bundle", name),
        }
    }
}

impl PackageGraph {
    /// Builds the graph of `new` as [`PackageGraph::build`] does, plus the entries that only `old`
    /// lists: absent nodes that are [`gone`](Node::gone), with their old `replaces`, which have no
    /// line. Channels that only `old` has come last. Heads and all other states are those of `new`.
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
                graph.channels.push(removed_channel(blob, &mut names));
                graph.channels.len() - 1
            });
            if let Some(channel) = graph.channels.get_mut(at) {
                channel.add_removed_entries(blob, &mut names);
            }
        }
        graph.names = names.facts;
        graph
    }
}

/// Builds a channel without entries that only the old state has.
fn removed_channel(blob: &Located<ChannelBlob>, names: &mut NameTable<'_>) -> ChannelGraph {
    let empty = ChannelBlob {
        entries: Vec::new(),
        ..ChannelBlob::clone(&blob.data)
    };
    let blob = Located {
        data: Arc::new(empty),
        ..blob.clone()
    };
    let mut channel = build_channel(&blob, names);
    channel.gone = true;
    channel
}

impl ChannelGraph {
    fn add_removed_entries(&mut self, old: &ChannelBlob, names: &mut NameTable<'_>) {
        let mut gone: HashSet<u32> = HashSet::default();
        for entry in &old.entries {
            let node = self.get_or_add_node(names.number(&entry.name.value));
            if let Some(absent) = self
                .nodes
                .get_mut(node as usize)
                .filter(|absent| absent.is_absent())
            {
                absent.gone = true;
                gone.insert(node);
            }
        }
        for entry in old
            .entries
            .iter()
            .filter(|entry| !entry.replaces.is_empty())
        {
            let to = self.get_or_add_node(names.number(&entry.name.value));
            if gone.contains(&to) {
                let from = self.get_or_add_node(names.number(&entry.replaces.value));
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
mod with_removed_tests {
    use super::PackageGraph;
    use super::layout::{EntryNodeKind, LayoutRequest, layout};
    use crate::testing::{any_versioned_package as any_package, versioned_package as package};
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
                EntryNodeKind::Removed,
                EntryNodeKind::Entry,
                EntryNodeKind::Removed,
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
