//! Columns: the position and y-stream of each name, and which columns are folded into one.
//!
//! Long plain chains fold. In these, every lane that uses their columns only steps from one to the
//! next.

use super::geometry::{self, Chain, Column, Stream};
use super::{HEADER, LayoutRequest, NODE};
use crate::graph::{ChannelGraph, EdgeKind, NameFacts, Node, PackageGraph, by_version};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Range;
use syntax::hashed::HashSet;
use syntax::order::SortSmall;
use syntax::place::Text;

/// A package with more columns is large: its older streams fold.
pub(super) const LARGE: usize = 24;
/// In a large package, up to this many of the newest streams remain open, as many as fit into
/// `OPEN_WIDTH` (about what is visible without panning).
const OPEN: usize = 3;
const OPEN_WIDTH: f32 = 720.0;

/// Space between two columns.
const GAP: f32 = 10.0;
/// Width of a folded stream that shows only a count, and the maximum of characters if it shows a
/// version.
const STACK: f32 = 40.0;
const STACK_CHARACTERS: usize = 8;

/// The column of every name of the package.
pub(super) struct ColumnPlan {
    pub(super) columns: Vec<Column>,
    pub(super) streams: Vec<Stream>,
    pub(super) chains: Vec<Chain>,
    /// Index into `columns`, by name.
    pub(super) column_of: Vec<u32>,
    /// Position in column order, by name; sorts the members of a stack.
    pub(super) rank: Vec<u32>,
    /// The text of an entry in an open column, by name.
    pub(super) texts: Vec<String>,
    /// The uncut text, by name.
    pub(super) whole: Vec<String>,
    pub(super) width: f32,
}

impl ColumnPlan {
    /// Returns the width of the entries of a column.
    pub(super) fn entry_node_width(&self, column: u32) -> f32 {
        let column = self.columns.get(column as usize);
        column.map_or(NODE, |column| column.width - GAP)
    }
}

pub(super) fn plan(graph: &PackageGraph, request: &LayoutRequest) -> ColumnPlan {
    let mentions = Mentions::from_graph(graph);
    let slots = slots(graph, &mentions);
    let streams = streams(&slots);

    let order: Vec<u32> = slots
        .iter()
        .flat_map(|slot| slot.names.iter().copied())
        .collect();
    let (mut whole, mut texts) = (
        vec![String::new(); graph.names.len()],
        vec![String::new(); graph.names.len()],
    );
    let facts: Vec<&NameFacts> = order
        .iter()
        .filter_map(|&n| graph.names.get(n as usize))
        .collect();
    for (&name, (full, cut)) in order.iter().zip(geometry::entry_node_texts(&facts)) {
        set(&mut whole, name, full);
        set(&mut texts, name, cut);
    }
    let widths: Vec<f32> = slots.iter().map(|slot| width(slot, &texts)).collect();
    let folded = folded_streams(&streams, &widths, request);
    let chains = find(graph, request, &slots, &streams, &folded);
    let mut pieces = pieces(&streams, &folded, &chains);
    widen(&mut pieces, graph, &slots, &widths, &whole);
    let mut plan = ColumnPlan {
        columns: Vec::with_capacity(pieces.len()),
        streams: Vec::with_capacity(streams.len()),
        chains: Vec::with_capacity(chains.len()),
        column_of: vec![0; graph.names.len()],
        rank: vec![0; graph.names.len()],
        texts,
        whole,
        width: HEADER,
    };
    for (rank, &name) in (0..).zip(&order) {
        set(&mut plan.rank, name, rank);
    }
    for group in pieces.chunk_by(|a, b| a.stream == b.stream) {
        let (x, first) = (plan.width, plan.columns.len() as u32);
        for piece in group {
            plan.add(
                graph,
                piece,
                slots.get(piece.slots.clone()).unwrap_or_default(),
            );
        }
        let Some(begins) = group.first() else {
            continue;
        };
        let stream = begins.stream.and_then(|stream| streams.get(stream));
        let width = plan.width - x;
        let key = stream.map_or_else(String::new, |stream| stream.key.clone());
        let label = if geometry::fits_heading(&key, width) {
            key.clone()
        } else {
            String::new()
        };
        let own = slots
            .get(stream.map_or(begins.slots.clone(), |stream| stream.slots.clone()))
            .unwrap_or_default();
        plan.streams.push(Stream {
            key,
            label,
            x,
            width,
            count: own.iter().map(|slot| slot.names.len() as u32).sum(),
            folded: begins
                .stream
                .is_none_or(|stream| folded.get(stream) == Some(&true)),
            columns: first..plan.columns.len() as u32,
        });
    }
    for chain in &chains {
        plan.add_chain(chain, slots.get(chain.slots.clone()).unwrap_or_default());
    }
    plan
}

impl ColumnPlan {
    /// Appends the column of a group to the stream that is pushed next.
    fn add(&mut self, graph: &PackageGraph, piece: &ColumnGroup, slots: &[Slot]) {
        let names: Vec<u32> = slots
            .iter()
            .flat_map(|slot| slot.names.iter().copied())
            .collect();
        let first = names.first().copied();
        let (text, label, chain) = match piece.fold {
            Fold::Not => {
                let text = first
                    .and_then(|n| self.texts.get(n as usize))
                    .cloned()
                    .unwrap_or_default();
                let facts = first.and_then(|n| graph.names.get(n as usize));
                let label = facts.map_or_else(String::new, |facts| {
                    geometry::shorten(&geometry::patch(facts), geometry::characters(piece.width))
                });
                (text, label, None)
            }
            Fold::Stream => (names.len().to_string(), names.len().to_string(), None),
            Fold::Chain(chain) => (
                geometry::more(names.len()),
                names.len().to_string(),
                Some(chain),
            ),
        };
        let at = self.columns.len() as u32;
        for &name in &names {
            set(&mut self.column_of, name, at);
        }
        let (x, width) = (self.width, piece.width);
        self.width += width;
        let (stream, folded) = (self.streams.len() as u32, piece.fold != Fold::Not);
        self.columns.push(Column {
            names,
            label,
            text,
            stream,
            x,
            width,
            folded,
            chain,
        });
    }

    /// Appends a chain whose columns exist.
    fn add_chain(&mut self, chain: &FoldableChain, slots: &[Slot]) {
        let names: Vec<u32> = slots
            .iter()
            .flat_map(|slot| slot.names.iter().copied())
            .collect();
        let (Some(&first), Some(&last)) = (names.first(), names.last()) else {
            return;
        };
        let [Some(from), Some(to)] = [first, last].map(|name| {
            self.columns
                .get(*self.column_of.get(name as usize)? as usize)
        }) else {
            return;
        };
        let (x, width) = (from.x, to.x + to.width - from.x);
        let ends = [first, last]
            .map(|name| self.whole.get(name as usize).cloned().unwrap_or_default())
            .into();
        self.chains.push(Chain {
            names,
            ends,
            x,
            width,
            folded: chain.folded,
        });
    }
}

fn set<T>(list: &mut [T], index: u32, value: T) {
    if let Some(place) = list.get_mut(index as usize) {
        *place = value;
    }
}

/// Returns the width of an open column, from the texts of its entries.
fn width(slot: &Slot, texts: &[String]) -> f32 {
    let text = slot
        .names
        .first()
        .and_then(|&name| texts.get(name as usize));
    geometry::entry_node_width(text.map_or("", String::as_str)) + GAP
}

/// One column, or several that fold into one.
struct ColumnGroup {
    slots: Range<usize>,
    /// Index of its y-stream; `None` for a chain that spans several.
    stream: Option<usize>,
    fold: Fold,
    width: f32,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fold {
    Not,
    Stream,
    /// Index of the chain.
    Chain(u32),
}

fn pieces(streams: &[StreamRun], folded: &[bool], chains: &[FoldableChain]) -> Vec<ColumnGroup> {
    let mut pieces = Vec::new();
    let mut chains = (0..)
        .zip(chains)
        .filter(|(_, chain)| chain.folded)
        .peekable();
    let mut done = 0;
    for (index, (stream, &folded)) in streams.iter().zip(folded).enumerate() {
        done = done.max(stream.slots.start);
        while done < stream.slots.end {
            let chain = chains.next_if(|(_, chain)| chain.slots.start == done);
            let (slots, fold) = match chain {
                Some((number, chain)) => (chain.slots.clone(), Fold::Chain(number)),
                None if folded => (done..stream.slots.end, Fold::Stream),
                None => (done..done + 1, Fold::Not),
            };
            done = slots.end;
            let within = slots.end <= stream.slots.end;
            pieces.push(ColumnGroup {
                slots,
                stream: within.then_some(index),
                fold,
                width: 0.0,
            });
        }
    }
    pieces
}

/// Sets the widths of the columns. A folded column is wider if a lane has its head there, or only
/// one member, because it then shows a version.
fn widen(
    pieces: &mut [ColumnGroup],
    graph: &PackageGraph,
    slots: &[Slot],
    widths: &[f32],
    whole: &[String],
) {
    let mut piece_of = vec![0; graph.names.len()];
    for (index, piece) in pieces.iter_mut().enumerate() {
        let slots = slots.get(piece.slots.clone()).unwrap_or_default();
        for &name in slots.iter().flat_map(|slot| &slot.names) {
            set(&mut piece_of, name, index);
        }
        piece.width = match piece.fold {
            Fold::Not => widths
                .get(piece.slots.start)
                .copied()
                .unwrap_or(STACK + GAP),
            Fold::Stream => STACK + GAP,
            Fold::Chain(_) => geometry::entry_node_width(&geometry::more(slots.len())) + GAP,
        };
    }
    for channel in &graph.channels {
        // The number of members, and the one whose version is shown: the first head, or else the
        // first member.
        let mut members: BTreeMap<usize, (u32, bool, u32)> = BTreeMap::new();
        for node in &channel.nodes {
            let piece = piece_of
                .get(node.name as usize)
                .copied()
                .unwrap_or_default();
            let (count, has_head, name) = members.entry(piece).or_insert((0, false, node.name));
            if node.head && !*has_head {
                *name = node.name;
            }
            *count += 1;
            *has_head |= node.head;
        }
        for (piece, (.., name)) in members
            .into_iter()
            .filter(|&(_, (count, head, _))| head || count == 1)
        {
            let text = whole.get(name as usize).map_or("", String::as_str);
            let needed = geometry::entry_node_width(&geometry::tail(text, STACK_CHARACTERS)) + GAP;
            if let Some(piece) = pieces
                .get_mut(piece)
                .filter(|piece| piece.fold != Fold::Not)
            {
                piece.width = piece.width.max(needed);
            }
        }
    }
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
                if let Some(channels) = mentions.channels.get_mut(node.name as usize) {
                    channels.push(index);
                }
                if !node.is_absent() || node.gone {
                    set(&mut mentions.present, node.name, true);
                }
            }
        }
        mentions
    }

    fn lanes(&self, name: u32) -> impl Iterator<Item = u32> {
        let channels = self.channels.get(name as usize);
        channels.into_iter().flatten().copied()
    }

    fn is_present(&self, name: u32) -> bool {
        self.present.get(name as usize).copied().unwrap_or_default()
    }
}

/// A column before folding.
pub(super) struct Slot {
    pub(super) names: Vec<u32>,
    stream: Option<(u64, u64)>,
}

/// Returns all names in column order. A name that no channel lists and that has no version goes
/// directly left of the lowest entry that refers to it; one with a version shares the column of
/// that version unless some lane would then have two entries there.
fn slots(graph: &PackageGraph, mentions: &Mentions) -> Vec<Slot> {
    let facts = |name: u32| graph.names.get(name as usize);
    let (mut placed, led): (Vec<u32>, Vec<u32>) =
        (0..graph.names.len() as u32).partition(|&name| {
            mentions.is_present(name) || facts(name).is_some_and(|f| f.version.is_some())
        });
    placed.sort_small_by(|&a, &b| match (facts(a), facts(b)) {
        (Some(a), Some(b)) => by_version(a, b),
        _ => Ordering::Equal,
    });
    let mut left_of = left_of(graph, &placed, &led);
    let mut slots: Vec<Slot> = Vec::with_capacity(graph.names.len());
    let mut start = 0;
    while let Some(&first) = placed.get(start) {
        let rest = placed.get(start..).unwrap_or_default();
        let equal = rest
            .iter()
            .take_while(|&&name: &&u32| match (facts(first), facts(name)) {
                (Some(a), Some(b)) => {
                    a.version.is_some()
                        && a.version == b.version
                        && a.version.as_ref().map(|v| v.build())
                            == b.version.as_ref().map(|v| v.build())
                }
                _ => false,
            })
            .count()
            .max(1);
        let stream = facts(first).and_then(NameFacts::stream);
        for names in join_names(rest.get(..equal).unwrap_or_default(), mentions) {
            for ghost in names.iter().flat_map(|name| left_of.remove(name)).flatten() {
                slots.push(Slot {
                    names: vec![ghost],
                    stream,
                });
            }
            slots.push(Slot { names, stream });
        }
        start += equal;
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
    let (entries, ghosts): (Vec<u32>, Vec<u32>) =
        names.iter().partition(|&&name| mentions.is_present(name));
    let mut columns: Vec<(Vec<u32>, HashSet<u32>)> = entries
        .into_iter()
        .map(|name| (vec![name], mentions.lanes(name).collect()))
        .collect();
    for ghost in ghosts {
        // Only a few columns are tried, so that thousands of names of one version do not cost their
        // square.
        match columns
            .iter_mut()
            .take(8)
            .find(|(_, taken)| mentions.lanes(ghost).all(|lane| !taken.contains(&lane)))
        {
            Some((names, taken)) => {
                names.push(ghost);
                taken.extend(mentions.lanes(ghost));
            }
            None => columns.push((vec![ghost], mentions.lanes(ghost).collect())),
        }
    }
    columns.into_iter().map(|(names, _)| names).collect()
}

/// Finds, for each placed name, the absent names without a version directly left of it, by name.
fn left_of(graph: &PackageGraph, placed: &[u32], led: &[u32]) -> BTreeMap<u32, Vec<u32>> {
    let mut rank = vec![u32::MAX; graph.names.len()];
    for (position, &name) in (0..).zip(placed) {
        set(&mut rank, name, position);
    }
    let name_of =
        |channel: &ChannelGraph, node: u32| channel.nodes.get(node as usize).map(|n| n.name);
    let mut lowest = vec![u32::MAX; graph.names.len()];
    for channel in &graph.channels {
        for edge in &channel.edges {
            let lowest_of_target =
                name_of(channel, edge.from).and_then(|from| lowest.get_mut(from as usize));
            if let (Some(lowest), Some(namer)) = (lowest_of_target, name_of(channel, edge.to)) {
                *lowest = rank
                    .get(namer as usize)
                    .copied()
                    .unwrap_or(u32::MAX)
                    .min(*lowest);
            }
        }
    }
    let mut by_namer: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for &ghost in led {
        let namer = lowest
            .get(ghost as usize)
            .and_then(|&position| placed.get(position as usize));
        if let Some(&namer) = namer {
            by_namer.entry(namer).or_default().push(ghost);
        }
    }
    for ghosts in by_namer.values_mut() {
        ghosts.sort_small_by_key(|&ghost| graph.names.get(ghost as usize).map(|f| f.name.clone()));
    }
    by_namer
}

/// Neighbouring slots of one y-stream.
pub(super) struct StreamRun {
    pub(super) key: String,
    pub(super) slots: Range<usize>,
}

fn streams(slots: &[Slot]) -> Vec<StreamRun> {
    let mut runs: Vec<StreamRun> = Vec::new();
    let mut last = None;
    for (index, slot) in slots.iter().enumerate() {
        match runs.last_mut().filter(|_| last == Some(slot.stream)) {
            Some(run) => run.slots.end = index + 1,
            None => {
                let key = slot
                    .stream
                    .map_or(String::new(), |(major, minor)| format!("{major}.{minor}"));
                runs.push(StreamRun {
                    key,
                    slots: index..index + 1,
                });
            }
        }
        last = Some(slot.stream);
    }
    runs
}

/// Returns the folded streams: in a large package all but the newest few, unless toggled. A stream
/// of one column is open unless toggled, because folding gains nothing; one that is too wide by
/// itself folds too, unless nothing else would be open.
fn folded_streams(streams: &[StreamRun], widths: &[f32], request: &LayoutRequest) -> Vec<bool> {
    let mut folded = vec![false; streams.len()];
    if request.fold && widths.len() > LARGE {
        let mut room = OPEN_WIDTH;
        let mut open: Vec<&str> = Vec::new();
        for stream in streams
            .iter()
            .rev()
            .filter(|stream| stream.slots.len() > 1)
            .take(OPEN)
        {
            match widths
                .get(stream.slots.clone())
                .unwrap_or_default()
                .iter()
                .sum::<f32>()
            {
                wide if wide > OPEN_WIDTH => {}
                wide if wide > room => break,
                wide => {
                    room -= wide;
                    open.push(&stream.key);
                }
            }
        }
        if open.is_empty() {
            open.extend(
                streams
                    .iter()
                    .rev()
                    .find(|stream| stream.slots.len() > 1)
                    .map(|stream| stream.key.as_str()),
            );
        }
        for (folded, stream) in folded.iter_mut().zip(streams) {
            *folded = stream.slots.len() > 1 && !open.contains(&stream.key.as_str());
        }
    }
    for (folded, stream) in folded.iter_mut().zip(streams) {
        *folded ^= request.toggled.contains(&stream.key);
    }
    folded
}

/// Minimum number of columns that fold.
const LEAST: usize = 6;
/// Number of newest columns that are never folded.
const NEWEST: usize = 6;

/// A chain of slots that can fold.
pub(super) struct FoldableChain {
    pub(super) slots: Range<usize>,
    /// False if the user opened it, or if it contains the selection.
    pub(super) folded: bool,
}

/// Returns the chains from left to right. A folded y-stream belongs to a chain as a whole or not at
/// all.
pub(super) fn find(
    graph: &PackageGraph,
    request: &LayoutRequest,
    slots: &[Slot],
    streams: &[StreamRun],
    folded: &[bool],
) -> Vec<FoldableChain> {
    if !request.fold || slots.len() <= LARGE {
        return Vec::new();
    }
    let mut plain = plain_slots(graph, request, slots);
    let newest = plain.len().saturating_sub(NEWEST);
    plain
        .iter_mut()
        .skip(newest)
        .for_each(|plain| *plain = false);
    let mut open = vec![true; slots.len()];
    for (stream, &folded) in streams.iter().zip(folded) {
        let Some(plain) = plain.get_mut(stream.slots.clone()) else {
            continue;
        };
        // Never fold again what the user opened.
        if request.toggled.contains(&stream.key) || (folded && plain.contains(&false)) {
            plain.fill(false);
        }
        if folded && let Some(open) = open.get_mut(stream.slots.clone()) {
            open.fill(false);
        }
    }
    let indexed: Vec<(usize, bool)> = plain.into_iter().enumerate().collect();
    let runs = indexed
        .chunk_by(|a, b| a.1 && b.1)
        .filter_map(|run| match run {
            [(first, true), .., (last, _)] => Some(*first..last + 1),
            _ => None,
        });
    runs.filter(|run: &Range<usize>| {
        let open = open.get(run.clone()).unwrap_or_default();
        open.iter().filter(|open| **open).count() >= LEAST
    })
    .map(|slots_of| {
        let folded = !slots
            .get(slots_of.clone())
            .unwrap_or_default()
            .iter()
            .any(|slot: &Slot| {
                slot.names
                    .first()
                    .and_then(|&name| graph.names.get(name as usize))
                    .map(|f| &f.name)
                    .is_some_and(|name| {
                        let selected = request.selected.as_ref();
                        request.unfolded.contains(name)
                            || selected.is_some_and(|selected| selected.name == *name)
                    })
            });
        FoldableChain {
            slots: slots_of,
            folded,
        }
    })
    .collect()
}

/// Returns, for each slot, whether folding it hides only a count.
fn plain_slots(graph: &PackageGraph, request: &LayoutRequest, slots: &[Slot]) -> Vec<bool> {
    let on_a_route: HashSet<&Text> = request
        .routes
        .iter()
        .flat_map(|route| [&route.from.name, &route.to.name])
        .collect();
    let mut slot_of = vec![0u32; graph.names.len()];
    let mut plain: Vec<bool> = slots.iter().map(|slot| slot.names.len() == 1).collect();
    for (index, slot) in (0..).zip(slots) {
        for &name in &slot.names {
            let Some(slot) = slot_of.get_mut(name as usize) else {
                continue;
            };
            *slot = index;
            let facts = graph.names.get(name as usize);
            let is_bare = facts.is_some_and(|facts| {
                facts.has_bundle
                    && facts.deprecated.is_none()
                    && !request.kept.contains(&facts.name)
                    && !on_a_route.contains(&facts.name)
            });
            if let Some(plain) = plain.get_mut(index as usize).filter(|_| !is_bare) {
                *plain = false;
            }
        }
    }
    for channel in &graph.channels {
        let slot = |node: &Node| slot_of.get(node.name as usize).copied().unwrap_or_default();
        let chained = find_chained(channel, slot);
        for (node, chained) in channel.nodes.iter().zip(chained) {
            let is_edited = !request.edited.is_empty()
                && graph.facts(node).is_some_and(|facts| {
                    let name = facts.name.clone();
                    request.edited.contains(&(channel.name.clone(), name))
                });
            let is_plain = chained && !is_edited;
            if let Some(plain) = plain.get_mut(slot(node) as usize).filter(|_| !is_plain) {
                *plain = false;
            }
        }
    }
    plain
}

/// Returns, for each node, whether it is an entry that only replaces its left neighbour and is only
/// replaced by its right one.
fn find_chained(channel: &ChannelGraph, slot: impl Fn(&Node) -> u32) -> Vec<bool> {
    #[derive(Clone, Copy, Default)]
    struct Ends {
        count: u32,
        other: Option<u32>,
    }
    let mut order: Vec<u32> = (0..channel.nodes.len() as u32).collect();
    order.sort_small_by_key(|&node| channel.nodes.get(node as usize).map(&slot));
    let mut neighbors: Vec<(Option<u32>, Option<u32>)> = vec![(None, None); channel.nodes.len()];
    for pair in order.windows(2) {
        if let [left, right] = *pair {
            if let Some(neighbors) = neighbors.get_mut(left as usize) {
                neighbors.1 = Some(right);
            }
            if let Some(neighbors) = neighbors.get_mut(right as usize) {
                neighbors.0 = Some(left);
            }
        }
    }
    let (mut older, mut newer) = (
        vec![Ends::default(); channel.nodes.len()],
        vec![Ends::default(); channel.nodes.len()],
    );
    for edge in &channel.edges {
        let is_replaces = edge.kind == EdgeKind::Replaces;
        if let Some(ends) = older.get_mut(edge.to as usize) {
            *ends = Ends {
                count: ends.count + 1,
                other: is_replaces.then_some(edge.from),
            };
        }
        if let Some(ends) = newer.get_mut(edge.from as usize) {
            *ends = Ends {
                count: ends.count + 1,
                other: is_replaces.then_some(edge.to),
            };
        }
    }
    let nodes = channel
        .nodes
        .iter()
        .zip(neighbors)
        .zip(older.into_iter().zip(newer));
    nodes
        .map(|((node, (left, right)), (older, newer))| {
            let has_no_mark = node.lines.len() == 1
                && !(node.head
                    || node.skipped
                    || node.stranded
                    || node.cycle
                    || node.gone
                    || node.is_absent());
            has_no_mark
                && [(older, left), (newer, right)]
                    .iter()
                    .all(|(ends, neighbor)| {
                        ends.count == 1 && ends.other.is_some() && ends.other == *neighbor
                    })
        })
        .collect()
}
