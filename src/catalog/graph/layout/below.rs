//! Below the entries of a lane: `skips` as runs, skip ranges as brackets, and the single arrows of
//! the selected entry.

use super::geometry::{Arrow, Bracket, Curve, HorizontalLine, Run};
use super::lane::{JoinedEdge, LaneContext};
use super::{geometry, lane};
use crate::graph::{Edge, EdgeKind, SkipRange};
use syntax::order::SortSmall;

/// Heights of runs below the lane's top, in pixels. Overlapping runs use different rows; those
/// without a free row are merged in the last one.
const RUN_ROWS: [f32; 3] = [48.0, 51.5, 55.0];
const MERGED_RUN_ROW: f32 = 58.5;
/// Heights below the lane's top, in pixels: of bracket stubs, and of the full bracket below them.
const STUB_BRACKET_Y: f32 = 53.0;
const FULL_BRACKET_Y: f32 = 58.0;
/// Length of a bracket stub, in pixels.
const STUB_LENGTH: f32 = 30.0;
/// Minimum horizontal distance of two bars in a row, in pixels.
const MIN_BAR_DISTANCE: f32 = 4.0;

/// The bars of a row are sorted, except for the few of the selected entry: only the last ones can
/// overlap.
const MAX_COMPARED_BARS: usize = 8;

pub fn runs(context: &LaneContext<'_>) -> Vec<Run> {
    let mut runs = runs_by_entry(context);
    // Runs of the selected entry come first, so they are nearest to the entries.
    runs.sort_small_by(|a, b| {
        b.selected
            .cmp(&a.selected)
            .then(a.bar.x1.total_cmp(&b.bar.x1))
            .then(b.bar.x2.total_cmp(&a.bar.x2))
            .then(a.by.cmp(&b.by))
    });
    let mut rows: [Vec<HorizontalLine>; RUN_ROWS.len()] = Default::default();
    let (mut placed, mut crowded): (Vec<Run>, Vec<Run>) =
        (Vec::with_capacity(runs.len()), Vec::new());
    for mut run in runs {
        let free = rows.iter().position(|row| {
            row.iter().rev().take(MAX_COMPARED_BARS).all(|other| {
                run.bar.x1 > other.x2 + MIN_BAR_DISTANCE || run.bar.x2 < other.x1 - MIN_BAR_DISTANCE
            })
        });
        match free {
            Some(row) => {
                run.bar.y = context.y + RUN_ROWS[row];
                rows[row].push(run.bar);
                placed.push(run);
            }
            None => crowded.push(run),
        }
    }
    placed.extend(merge_runs(context, crowded));
    placed
        .iter_mut()
        .for_each(|run| set_ticks_and_label(context, run));
    placed.sort_small_by(|a, b| {
        a.bar
            .y
            .total_cmp(&b.bar.y)
            .then(a.bar.x1.total_cmp(&b.bar.x1))
    });
    placed
}

/// Returns one run for each group of neighbouring columns that an entry skips.
fn runs_by_entry(context: &LaneContext<'_>) -> Vec<Run> {
    let mut skips: Vec<Skip> = skips(context)
        .map(|(index, edge)| Skip {
            by: edge.to,
            entry_node: context.entry_node_of[edge.from as usize],
            node: edge.from,
            edge: index,
        })
        .collect();
    skips.sort_small();
    skips
        .chunk_by(|a, b| a.by == b.by && b.entry_node <= a.entry_node + 1)
        .map(|group| entry_run(context, group))
        .collect()
}

/// A `skips` of a lane, by index. The order of the fields is the order in which they are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Skip {
    /// The node with the `skips`.
    by: u32,
    /// The box of the skipped node.
    entry_node: u32,
    node: u32,
    edge: u32,
}

/// Returns the run of neighbouring nodes that an entry skips. Its row is not set yet.
fn entry_run(context: &LaneContext<'_>, group: &[Skip]) -> Run {
    let nodes: Vec<u32> = group.iter().map(|skip| skip.node).collect();
    let (first, last) = (group[0], group[group.len() - 1]);
    let is_selected = |selected| selected == first.by || nodes.contains(&selected);
    Run {
        bar: HorizontalLine {
            x1: context.entry_nodes[first.entry_node as usize].rect.x,
            x2: context.entry_nodes[last.entry_node as usize].rect.right(),
            y: 0.0,
        },
        ticks: Vec::new(),
        edges: group.iter().map(|skip| skip.edge).collect(),
        by: vec![first.by],
        label: String::new(),
        selected: context.selected.is_some_and(is_selected),
        nodes,
    }
}

fn skips<'a>(context: &LaneContext<'a>) -> impl Iterator<Item = (u32, &'a Edge)> {
    (0..)
        .zip(&context.channel.edges)
        .filter(|(_, edge)| edge.kind == EdgeKind::Skips)
}

/// Joins overlapping runs that found no row.
fn merge_runs(context: &LaneContext<'_>, crowded: Vec<Run>) -> Vec<Run> {
    let mut joined: Vec<Run> = Vec::new();
    for mut run in crowded {
        run.bar.y = context.y + MERGED_RUN_ROW;
        match joined.last_mut().filter(|last| {
            run.bar.x1 <= last.bar.x2 + MIN_BAR_DISTANCE && run.selected == last.selected
        }) {
            Some(last) => {
                last.bar.x2 = last.bar.x2.max(run.bar.x2);
                last.edges.append(&mut run.edges);
                last.nodes.append(&mut run.nodes);
                last.by.append(&mut run.by);
            }
            None => joined.push(run),
        }
    }
    for run in &mut joined {
        run.by.sort_small();
        run.by.dedup();
    }
    joined
}

/// Sorts the nodes of a run and sets its ticks and label.
fn set_ticks_and_label(context: &LaneContext<'_>, run: &mut Run) {
    run.nodes.sort_small_by_key(|&node| {
        let column = context.entry_node_of[node as usize];
        (column, context.plan.rank[context.name(node)], node)
    });
    run.nodes.dedup();
    run.ticks = centers(context, &run.nodes);
    let [first, last] = [run.nodes[0], run.nodes[run.nodes.len() - 1]]
        .map(|node| &*context.plan.texts[context.name(node)]);
    run.label = geometry::run_label(first, last, run.nodes.len(), run.by.len());
}

/// Returns the centers of the boxes of nodes in drawing order.
fn centers(context: &LaneContext<'_>, nodes: &[u32]) -> Vec<f32> {
    let mut centers: Vec<f32> = nodes
        .iter()
        .map(|&node| context.entry_node(node).rect.center_x())
        .collect();
    centers.dedup();
    centers
}

/// A stub for each entry with skip ranges, and a full bracket for the selected entry.
pub fn brackets(context: &LaneContext<'_>) -> Vec<Bracket> {
    let mut ranges: Vec<(u32, u32)> = (0..)
        .zip(&context.channel.ranges)
        .map(|(index, range)| (context.entry_node_of[range.node as usize], index))
        .collect();
    ranges.sort_small();
    let mut brackets: Vec<Bracket> = Vec::new();
    for group in ranges.chunk_by(|a, b| a.0 == b.0) {
        let (full, stubs): (Vec<_>, Vec<_>) = group
            .iter()
            .map(|&(_, index)| (index, &context.channel.ranges[index as usize]))
            .partition(|(_, range)| context.selected == Some(range.node));
        brackets.extend(
            full.into_iter()
                .map(|(index, range)| full_bracket(context, index, range)),
        );
        if !stubs.is_empty() {
            brackets.push(stub_bracket(context, &stubs));
        }
    }
    brackets
}

fn stub_bracket(context: &LaneContext<'_>, ranges: &[(u32, &SkipRange)]) -> Bracket {
    let entry_node = context.entry_node_of[ranges[0].1.node as usize];
    let x = context.entry_nodes[entry_node as usize].rect.center_x();
    let selected = context.request.selected.as_ref();
    let selected = selected.and_then(|selected| {
        let mut names = context.graph.names.iter();
        names.find(|facts| facts.name == selected.name)
    });
    Bracket {
        entry_node,
        ranges: ranges.iter().map(|&(index, _)| index).collect(),
        bar: HorizontalLine {
            x1: x - STUB_LENGTH,
            x2: x,
            y: context.y + STUB_BRACKET_Y,
        },
        arrow: x,
        full: false,
        ticks: Vec::new(),
        covers: 0,
        covers_selected: selected
            .is_some_and(|facts| ranges.iter().any(|(_, range)| range.covers(facts))),
        invalid: ranges.iter().any(|(_, range)| range.range.is_none()),
    }
}

fn full_bracket(context: &LaneContext<'_>, index: u32, range: &SkipRange) -> Bracket {
    let arrow = context.entry_node(range.node).rect.center_x();
    let invalid = range.range.is_none();
    let (mut x1, mut x2) = (if invalid { arrow - STUB_LENGTH } else { arrow }, arrow);
    for column in &context.plan.columns {
        let mut names = column.names.iter();
        if names.any(|&name| range.covers(&context.graph.names[name as usize])) {
            x1 = x1.min(column.x + 4.0);
            x2 = x2.max(column.x + column.width - 4.0);
        }
    }
    let mut nodes: Vec<u32> = context
        .graph
        .covered_entries(context.channel, range)
        .collect();
    nodes.sort_small_by_key(|&node| context.entry_node_of[node as usize]);
    Bracket {
        entry_node: context.entry_node_of[range.node as usize],
        ranges: vec![index],
        bar: HorizontalLine {
            x1,
            x2,
            y: context.y + FULL_BRACKET_Y,
        },
        arrow,
        full: true,
        ticks: centers(context, &nodes),
        covers: nodes.len() as u32,
        covers_selected: false,
        invalid,
    }
}

/// Returns the arrows for all `skips` that begin or end at the selected entry, one for each pair of
/// columns.
pub fn arrows(context: &LaneContext<'_>) -> Vec<Arrow> {
    let Some(selected) = context.selected else {
        return Vec::new();
    };
    let mut edges: Vec<JoinedEdge> = skips(context)
        .filter(|(_, edge)| edge.from == selected || edge.to == selected)
        .map(|(index, edge)| context.join(index, edge))
        .filter(|joined| joined.from != joined.to)
        .collect();
    edges.sort_small();
    edges
        .chunk_by(|a, b| (a.from, a.to) == (b.from, b.to))
        .map(|group| arrow(context, group))
        .collect()
}

fn arrow(context: &LaneContext<'_>, group: &[JoinedEdge]) -> Arrow {
    let JoinedEdge { from, to, .. } = group[0];
    let rise = lane::rise(from.abs_diff(to));
    let [from, to] = [from, to].map(|index| {
        let rect = context.entry_nodes[index as usize].rect;
        (rect.center_x(), rect.bottom())
    });
    Arrow {
        edges: group.iter().map(|joined| joined.edge).collect(),
        curve: Curve::swing(from, to, rise),
    }
}
