//! Assigns a column and a y-stream to each name, and folds y-streams into one column.

use super::geometry::{self, Column, StreamHeading};
use super::{HEADER, LayoutRequest};
use crate::graph::{ChannelGraph, NameFacts, Node, PackageGraph, by_version};
use std::collections::BTreeMap;
use syntax::hashed::HashSet;
use syntax::order::SortSmall;

/// The older streams of a package with more columns fold.
const LARGE_PACKAGE_COLUMNS: usize = 24;
/// Maximum number of streams that remain open in a large package, and their total width: about what
/// is visible without panning.
const MAX_OPEN_STREAMS: usize = 3;
const MAX_OPEN_WIDTH: f32 = 720.0;

/// Space between two columns, in pixels.
const COLUMN_GAP: f32 = 10.0;
/// Width of a folded stream that shows only a count, and maximum number of characters if it shows a
/// version.
const STACK_WIDTH: f32 = 40.0;
const MAX_STACK_CHARACTERS: usize = 8;

/// Maximum number of columns of one version that an absent name may join, so that thousands of
/// names of one version do not take quadratic time.
const MAX_TRIED_COLUMNS: usize = 8;

/// The column of every name of the package.
pub struct ColumnPlan {
    pub columns: Vec<Column>,
    pub streams: Vec<StreamHeading>,
    /// Index into `columns`, by name.
    pub column_of: Vec<u32>,
    /// Position in column order, by name; sorts the members of a stack.
    pub rank: Vec<u32>,
    /// The shortened text of an entry in an open column, by name.
    pub texts: Vec<String>,
    /// The text before it was shortened, by name.
    pub full_texts: Vec<String>,
    pub width: f32,
}

pub fn plan(graph: &PackageGraph, request: &LayoutRequest) -> ColumnPlan {
    let slots = column_slots(graph);
    let order: Vec<u32> = slots
        .iter()
        .flat_map(|slot| slot.names.iter().copied())
        .collect();
    let facts: Vec<&NameFacts> = order.iter().map(|&n| &graph.names[n as usize]).collect();
    let names = graph.names.len();
    let mut plan = ColumnPlan {
        columns: Vec::with_capacity(slots.len()),
        streams: Vec::new(),
        column_of: vec![0; names],
        rank: vec![0; names],
        texts: vec![String::new(); names],
        full_texts: vec![String::new(); names],
        width: HEADER,
    };
    for (rank, (&name, (full_text, text))) in
        (0..).zip(order.iter().zip(geometry::entry_node_texts(&facts)))
    {
        plan.rank[name as usize] = rank;
        plan.full_texts[name as usize] = full_text;
        plan.texts[name as usize] = text;
    }
    let streams: Vec<StreamSlots> = slots
        .chunk_by(|a, b| a.stream == b.stream)
        .map(|slots| StreamSlots::new(slots, &plan.texts))
        .collect();
    let folded = folded_streams(&streams, request);
    let stack_widths = stack_widths(graph, &streams, &folded, &plan.full_texts);
    for ((stream, folded), stack_width) in streams.into_iter().zip(folded).zip(stack_widths) {
        let x = plan.width;
        if folded {
            plan.add_stack(stream.names().collect(), stack_width);
        } else {
            for (slot, width) in stream.slots.iter().zip(&stream.widths) {
                plan.add_column(graph, slot, *width);
            }
        }
        let width = plan.width - x;
        let label = if geometry::fits_heading(&stream.key, width) {
            stream.key.clone()
        } else {
            String::new()
        };
        plan.streams.push(StreamHeading {
            label,
            x,
            width,
            count: stream.names().count() as u32,
            folded,
            key: stream.key,
        });
    }
    plan
}

impl ColumnPlan {
    pub fn entry_node_width(&self, column: u32) -> f32 {
        self.columns[column as usize].width - COLUMN_GAP
    }

    fn add_column(&mut self, graph: &PackageGraph, slot: &Slot, width: f32) {
        let first = slot.names[0] as usize;
        let label = geometry::patch(&graph.names[first]);
        self.add(Column {
            label: geometry::shorten(&label, geometry::characters(width)),
            text: self.texts[first].clone(),
            folded: false,
            names: slot.names.clone(),
            stream: 0,
            x: 0.0,
            width,
        });
    }

    fn add_stack(&mut self, names: Vec<u32>, width: f32) {
        self.add(Column {
            label: names.len().to_string(),
            text: names.len().to_string(),
            folded: true,
            names,
            stream: 0,
            x: 0.0,
            width,
        });
    }

    /// The stream that is pushed next gets the column.
    fn add(&mut self, column: Column) {
        for &name in &column.names {
            self.column_of[name as usize] = self.columns.len() as u32;
        }
        let x = self.width;
        self.width += column.width;
        self.columns.push(Column {
            stream: self.streams.len() as u32,
            x,
            ..column
        });
    }
}

/// Neighbouring columns of one y-stream.
struct StreamSlots<'a> {
    /// `1.29`; "" for names without a version.
    key: String,
    slots: &'a [Slot],
    /// Widths of the open columns.
    widths: Vec<f32>,
}

impl<'a> StreamSlots<'a> {
    fn new(slots: &'a [Slot], texts: &[String]) -> Self {
        let width =
            |slot: &Slot| geometry::entry_node_width(&texts[slot.names[0] as usize]) + COLUMN_GAP;
        Self {
            key: slots[0]
                .stream
                .map_or_else(String::new, |(major, minor)| format!("{major}.{minor}")),
            slots,
            widths: slots.iter().map(width).collect(),
        }
    }

    fn names(&self) -> impl Iterator<Item = u32> {
        self.slots
            .iter()
            .flat_map(|slot| slot.names.iter().copied())
    }
}

/// Returns, for each stream, whether it folds: in a large package all but the newest few, unless
/// toggled. A stream of one column is open unless toggled, because folding gains nothing; one that
/// is too wide by itself folds too, unless nothing else would be open.
fn folded_streams(streams: &[StreamSlots<'_>], request: &LayoutRequest) -> Vec<bool> {
    let columns: usize = streams.iter().map(|stream| stream.slots.len()).sum();
    let mut folded = vec![false; streams.len()];
    if request.fold && columns > LARGE_PACKAGE_COLUMNS {
        let newest_first = (0..streams.len()).rev();
        let foldable: Vec<usize> = newest_first
            .filter(|&at| streams[at].slots.len() > 1)
            .collect();
        let mut open = Vec::new();
        let mut remaining = MAX_OPEN_WIDTH;
        for &at in foldable.iter().take(MAX_OPEN_STREAMS) {
            let width: f32 = streams[at].widths.iter().sum();
            if width > MAX_OPEN_WIDTH {
                continue;
            }
            if width > remaining {
                break;
            }
            remaining -= width;
            open.push(at);
        }
        if open.is_empty() {
            open.extend(foldable.first());
        }
        for at in foldable {
            folded[at] = !open.contains(&at);
        }
    }
    for (folded, stream) in folded.iter_mut().zip(streams) {
        *folded ^= request.toggled.contains(&stream.key);
    }
    folded
}

/// Returns the widths of the streams if folded. A stack is wider if a lane has its head there, or
/// only one member, because it then shows a version.
fn stack_widths(
    graph: &PackageGraph,
    streams: &[StreamSlots<'_>],
    folded: &[bool],
    full_texts: &[String],
) -> Vec<f32> {
    let mut widths = vec![STACK_WIDTH + COLUMN_GAP; streams.len()];
    if !folded.contains(&true) {
        return widths;
    }
    let mut stream_of = vec![0; graph.names.len()];
    for (index, stream) in streams.iter().enumerate() {
        for name in stream.names() {
            stream_of[name as usize] = index;
        }
    }
    for channel in &graph.channels {
        let mut members: BTreeMap<usize, Vec<&Node>> = BTreeMap::new();
        for node in &channel.nodes {
            let stream = stream_of[node.name as usize];
            members.entry(stream).or_default().push(node);
        }
        for (stream, nodes) in members {
            let head = nodes.iter().find(|node| node.head);
            let only = nodes.first().filter(|_| nodes.len() == 1);
            if let Some(node) = head.or(only) {
                let text = geometry::tail(&full_texts[node.name as usize], MAX_STACK_CHARACTERS);
                widths[stream] = widths[stream].max(geometry::entry_node_width(&text) + COLUMN_GAP);
            }
        }
    }
    widths
}

/// The channels that mention a name, and whether as an entry.
struct Mentions {
    /// Indices of channels, ascending, by name.
    channels: Vec<Vec<u32>>,
    present: Vec<bool>,
}

impl Mentions {
    fn from_graph(graph: &PackageGraph) -> Self {
        let mut mentions = Self {
            channels: vec![Vec::new(); graph.names.len()],
            present: vec![false; graph.names.len()],
        };
        for (index, channel) in (0..).zip(&graph.channels) {
            for node in &channel.nodes {
                mentions.channels[node.name as usize].push(index);
                mentions.present[node.name as usize] |= !node.is_absent() || node.gone;
            }
        }
        mentions
    }

    fn lanes(&self, name: u32) -> impl Iterator<Item = u32> {
        self.channels[name as usize].iter().copied()
    }

    fn is_present(&self, name: u32) -> bool {
        self.present[name as usize]
    }
}

/// A column before folding.
struct Slot {
    /// Not empty.
    names: Vec<u32>,
    stream: Option<(u64, u64)>,
}

/// Returns all names in column order. A name that no channel lists and that has no version goes
/// directly left of the lowest entry that refers to it; one with a version shares the column of
/// that version unless some lane would then have two entries there.
fn column_slots(graph: &PackageGraph) -> Vec<Slot> {
    let mentions = Mentions::from_graph(graph);
    let facts = |name: u32| &graph.names[name as usize];
    let (mut placed, unplaced): (Vec<u32>, Vec<u32>) = (0..graph.names.len() as u32)
        .partition(|&name| mentions.is_present(name) || facts(name).version.is_some());
    placed.sort_small_by(|&a, &b| by_version(facts(a), facts(b)));
    let mut left_names = names_left_of(graph, &placed, &unplaced);
    let mut slots: Vec<Slot> = Vec::with_capacity(graph.names.len());
    for equal in
        placed.chunk_by(|&a, &b| facts(a).version.is_some() && facts(a).version == facts(b).version)
    {
        let stream = facts(equal[0]).stream();
        for names in join_names(equal, &mentions) {
            for absent in names
                .iter()
                .flat_map(|name| left_names.remove(name))
                .flatten()
            {
                slots.push(Slot {
                    names: vec![absent],
                    stream,
                });
            }
            slots.push(Slot { names, stream });
        }
    }
    slots
}

/// Distributes names of one version over columns: each entry has its own; a name that is absent
/// everywhere joins the first column in which no lane has both.
fn join_names(names: &[u32], mentions: &Mentions) -> Vec<Vec<u32>> {
    if let [only] = names {
        // Nearly every version has one name: skip the lanes.
        return vec![vec![*only]];
    }
    let (entries, absent_names): (Vec<u32>, Vec<u32>) =
        names.iter().partition(|&&name| mentions.is_present(name));
    let mut columns: Vec<(Vec<u32>, HashSet<u32>)> = entries
        .into_iter()
        .map(|name| (vec![name], mentions.lanes(name).collect()))
        .collect();
    for absent in absent_names {
        match columns
            .iter_mut()
            .take(MAX_TRIED_COLUMNS)
            .find(|(_, lanes)| mentions.lanes(absent).all(|lane| !lanes.contains(&lane)))
        {
            Some((names, lanes)) => {
                names.push(absent);
                lanes.extend(mentions.lanes(absent));
            }
            None => columns.push((vec![absent], mentions.lanes(absent).collect())),
        }
    }
    columns.into_iter().map(|(names, _)| names).collect()
}

/// Finds, for each placed name, the absent names without a version directly left of it, by name.
fn names_left_of(
    graph: &PackageGraph,
    placed: &[u32],
    unplaced: &[u32],
) -> BTreeMap<u32, Vec<u32>> {
    let mut rank = vec![u32::MAX; graph.names.len()];
    for (position, &name) in (0..).zip(placed) {
        rank[name as usize] = position;
    }
    let name_of = |channel: &ChannelGraph, node: u32| channel.nodes[node as usize].name as usize;
    let mut lowest = vec![u32::MAX; graph.names.len()];
    for channel in &graph.channels {
        for edge in &channel.edges {
            let lowest = &mut lowest[name_of(channel, edge.from)];
            *lowest = rank[name_of(channel, edge.to)].min(*lowest);
        }
    }
    let mut by_referrer: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for &absent in unplaced {
        // A name that only another such name refers to has no rank.
        if let Some(&referrer) = placed.get(lowest[absent as usize] as usize) {
            by_referrer.entry(referrer).or_default().push(absent);
        }
    }
    for absent_names in by_referrer.values_mut() {
        absent_names.sort_small_by_key(|&absent| graph.names[absent as usize].name.clone());
    }
    by_referrer
}
