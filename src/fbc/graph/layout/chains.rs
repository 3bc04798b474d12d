//! Long plain chains: neighbouring columns that fold into one because every lane that uses them
//! only steps from each to the next.

use super::LayoutRequest;
use super::columns::{LARGE, Slot, StreamRun};
use super::geometry::Zoom;
use crate::graph::build::{ChannelGraph, EdgeKind, Node, PackageGraph};
use crate::hashed::HashSet;
use crate::order::SortSmall;
use crate::place::Text;
use std::ops::Range;

/// Fewer columns are not folded.
const LEAST: usize = 6;
/// The newest columns stay open.
const NEWEST: usize = 6;

/// A chain of slots that folds.
pub(super) struct Chain {
    pub(super) slots: Range<usize>,
    /// False if it was opened by hand, or holds the selection.
    pub(super) folded: bool,
}

/// The chains from left to right. A folded y-stream belongs to a chain as a whole or not at all.
pub(super) fn find(
    graph: &PackageGraph,
    request: &LayoutRequest,
    slots: &[Slot],
    streams: &[StreamRun],
    folded: &[bool],
) -> Vec<Chain> {
    if !request.fold || request.zoom == Zoom::Far || slots.len() <= LARGE {
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
        let Some(of) = plain.get_mut(stream.slots.clone()) else {
            continue;
        };
        // Never fold again what the user opened.
        if request.toggled.contains(&stream.key) || (folded && of.contains(&false)) {
            of.fill(false);
        }
        if folded && let Some(open) = open.get_mut(stream.slots.clone()) {
            open.fill(false);
        }
    }
    let name_of = |slot: &Slot| {
        slot.names
            .first()
            .and_then(|&name| graph.names.get(name as usize))
            .map(|f| &f.name)
    };
    let is_opened = |slot: &Slot| {
        let is_selected = |name: &Text| {
            request
                .selected
                .as_ref()
                .is_some_and(|selected| selected.name == *name)
        };
        name_of(slot).is_some_and(|name| request.unfolded.contains(name) || is_selected(name))
    };
    let indexed: Vec<(usize, bool)> = plain.into_iter().enumerate().collect();
    let runs = indexed
        .chunk_by(|a, b| a.1 && b.1)
        .filter_map(|run| match run {
            [(first, true), .., (last, _)] => Some(*first..last + 1),
            _ => None,
        });
    let is_long = |run: &Range<usize>| {
        let open = open.get(run.clone()).unwrap_or_default();
        open.iter().filter(|open| **open).count() >= LEAST
    };
    runs.filter(is_long)
        .map(|slots_of| {
            let folded = !slots
                .get(slots_of.clone())
                .unwrap_or_default()
                .iter()
                .any(is_opened);
            Chain {
                slots: slots_of,
                folded,
            }
        })
        .collect()
}

/// For each slot, whether folding it hides nothing but a count.
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
            let Some(of) = slot_of.get_mut(name as usize) else {
                continue;
            };
            *of = index;
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
        let is_edited = |node: &Node| {
            let name = graph.facts(node).map(|facts| facts.name.clone());
            name.is_some_and(|name| request.edited.contains(&(channel.name.clone(), name)))
        };
        let chained = find_chained(channel, slot);
        for (node, chained) in channel.nodes.iter().zip(chained) {
            let is_plain = chained && (request.edited.is_empty() || !is_edited(node));
            if let Some(plain) = plain.get_mut(slot(node) as usize).filter(|_| !is_plain) {
                *plain = false;
            }
        }
    }
    plain
}

/// For each node, whether it is an entry that only replaces its left neighbour and is only replaced
/// by its right one.
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
            if let Some(of) = neighbors.get_mut(left as usize) {
                of.1 = Some(right);
            }
            if let Some(of) = neighbors.get_mut(right as usize) {
                of.0 = Some(left);
            }
        }
    }
    let (mut older, mut newer) = (
        vec![Ends::default(); channel.nodes.len()],
        vec![Ends::default(); channel.nodes.len()],
    );
    for edge in &channel.edges {
        let other = |other| (edge.kind == EdgeKind::Replaces).then_some(other);
        if let Some(of) = older.get_mut(edge.to as usize) {
            *of = Ends {
                count: of.count + 1,
                other: other(edge.from),
            };
        }
        if let Some(of) = newer.get_mut(edge.from as usize) {
            *of = Ends {
                count: of.count + 1,
                other: other(edge.to),
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
            let goes_on = |ends: Ends, neighbor: Option<u32>| {
                ends.count == 1 && ends.other.is_some() && ends.other == neighbor
            };
            has_no_mark && goes_on(older, left) && goes_on(newer, right)
        })
        .collect()
}
