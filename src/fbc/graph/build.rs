//! Builds the upgrade graph of a package from its blobs.
//!
//! The states follow `opm validate` (`opm-semantics` 2.3): names count, not positions, and a name
//! that is listed twice in a channel is one node. Any input gives a graph.

use super::channel_states::{EntryReference, States};
use super::names::{NameFacts, NameTable};
use crate::hashed::HashMap;
use crate::model::blob::{ChannelBlob, Entry};
use crate::model::{Located, Package};
use crate::place::{Place, Text};
use crate::version::blang::Range;

/// The upgrade graph of one package.
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
    /// In load order; two channels may have the same name.
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
    /// How many of `nodes` are entries of the channel.
    pub present: usize,
    /// `replaces` and `skips` in file order: per entry its `replaces`, then its `skips`.
    pub edges: Vec<Edge>,
    /// The entries with a `skipRange`, in file order.
    pub ranges: Vec<SkipRange>,
    /// Nodes that no `replaces` and no `skips` of the channel names, in file order. `opm` requires
    /// exactly one.
    pub heads: Vec<u32>,
    /// Only the other state of the package has this channel: all its nodes are gone.
    pub gone: bool,
    /// The cycle on the only head's `replaces` chain, in the order walked, without the repeated node.
    pub cycle: Vec<u32>,
    /// Index of a node by its index in [`PackageGraph::names`].
    pub(super) by_name: HashMap<u32, u32>,
}

/// An entry, or a name that an edge mentions but the channel does not list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Index into [`PackageGraph::names`].
    pub name: u32,
    /// Indices into [`ChannelBlob::entries`]: none for an absent entry, more than one for a duplicate.
    pub lines: Vec<u32>,
    pub head: bool,
    /// Named by a `skips` of the channel.
    pub skipped: bool,
    /// With exactly one head: on its `replaces` chain, which ends at the first skipped or absent one.
    pub walked: bool,
    /// With exactly one head: neither walked nor skipped.
    pub stranded: bool,
    /// On [`ChannelGraph::cycle`].
    pub cycle: bool,
    /// Absent here, and listed by this channel in the other state of the package.
    pub gone: bool,
}

/// An upgrade edge, old to new. Indices into [`ChannelGraph::nodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Edge {
    pub from: u32,
    pub to: u32,
    pub kind: EdgeKind,
    /// Index into [`ChannelBlob::entries`]: the line that made it.
    pub line: u32,
    /// Index into the line's `skips`; 0 for other kinds.
    pub item: u32,
}

/// The field that made an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    Replaces,
    Skips,
    SkipRange,
}

impl EdgeKind {
    /// The field's name.
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

    /// The graph of the channels that `is_wanted` accepts.
    pub fn from_channels(package: &Package, is_wanted: impl Fn(&Text) -> bool) -> Self {
        let mut names = NameTable::new(package);
        let mut graph = Self::build_without_names(package, &mut names, is_wanted);
        graph.names = names.facts;
        graph
    }

    /// The graph without its names.
    pub(super) fn build_without_names(
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
                let mut channel = channel_graph(blob, names);
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
    /// The graph of one channel alone. Names are numbered by first mention and have no facts of
    /// bundles.
    pub fn from_channel(blob: &Located<ChannelBlob>) -> Self {
        channel_graph(blob, &mut NameTable::new(&Package::default()))
    }

    /// Whether `opm` accepts the channel: exactly one head, from which every entry is reached or
    /// skipped, and no cycle.
    pub fn is_sound(&self) -> bool {
        self.heads.len() == 1
            && self.cycle.is_empty()
            && !self.nodes.iter().any(|node| node.stranded)
    }
}

pub(super) fn channel_graph(
    blob: &Located<ChannelBlob>,
    names: &mut NameTable<'_>,
) -> ChannelGraph {
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
        let node = channel.node(names.number(&entry.name.value));
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
    pub(super) fn node(&mut self, name: u32) -> u32 {
        *self.by_name.entry(name).or_insert_with(|| {
            let states = Node {
                name,
                lines: Vec::new(),
                head: false,
                skipped: false,
                walked: false,
                stranded: false,
                cycle: false,
                gone: false,
            };
            self.nodes.push(states);
            self.nodes.len() as u32 - 1
        })
    }

    /// An empty `replaces` counts as absent. An empty item of `skips` (which `opm` refuses) names
    /// the entry "", if there is one.
    fn add_edges(&mut self, line: u32, entry: &Entry, names: &mut NameTable<'_>) {
        let to = self.node(names.number(&entry.name.value));
        if !entry.replaces.is_empty() {
            let from = self.node(names.number(&entry.replaces.value));
            self.edges.push(Edge {
                from,
                to,
                kind: EdgeKind::Replaces,
                line,
                item: 0,
            });
        }
        for (item, skip) in entry.skips.iter().enumerate() {
            let from = match skip.is_empty() {
                false => self.node(names.number(&skip.value)),
                true => match names.find("").and_then(|name| self.by_name.get(&name)) {
                    Some(&node) => node,
                    None => continue,
                },
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
        let replaced = |node: usize| {
            let line = self
                .blob
                .data
                .entries
                .get(*self.nodes.get(node)?.lines.first()? as usize)?;
            self.by_name
                .get(&names.find(&line.replaces.value)?)
                .map(|&node| node as usize)
        };
        let states = States::new(self.nodes.len(), self.present, references, replaced);
        let number = |nodes: &[usize]| nodes.iter().map(|&node| node as u32).collect::<Vec<u32>>();
        (self.heads, self.cycle) = (number(&states.heads), number(&states.cycle));
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

    /// The line of the channel that made an edge.
    pub fn line(&self, edge: &Edge) -> Option<&Entry> {
        self.blob.data.entries.get(edge.line as usize)
    }

    /// Place of an edge in the channel's blob: the value of `replaces` or `skipRange`, or the item
    /// of `skips`.
    pub fn place(&self, edge: &Edge) -> Option<Place> {
        let line = self.line(edge)?;
        match edge.kind {
            EdgeKind::Replaces => Some(line.replaces.place),
            EdgeKind::Skips => line.skips.get(edge.item as usize).map(|s| s.place),
            EdgeKind::SkipRange => Some(line.skip_range.place),
        }
    }
}
