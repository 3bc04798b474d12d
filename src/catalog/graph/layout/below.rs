//! Below the entries of a lane: `skips` as runs, skip ranges as brackets, and the single arrows of
//! the selected entry.

use super::geometry::{Arrow, Bracket, Curve, HorizontalLine, Run};
use super::lane::{JoinedEdge, LaneContext};
use super::{geometry, lane};
use crate::graph::{Edge, EdgeKind, SkipRange};
use syntax::order::SortSmall;

/// Heights below the lane's top. Overlapping runs use different rows; a run without a free row is
/// merged into the last one.
const ROWS: [f32; 3] = [48.0, 51.5, 55.0];
const LAST_ROW: f32 = 58.5;
const BRACKET: f32 = 53.0;
/// Height of a whole bracket, below the stubs.
const WHOLE: f32 = 58.0;
/// Length of a stub.
const STUB: f32 = 30.0;
/// Minimum distance of two bars in a row.
const APART: f32 = 4.0;

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
    let mut rows: [Vec<HorizontalLine>; ROWS.len()] = Default::default();
    let (mut placed, mut crowded): (Vec<Run>, Vec<Run>) =
        (Vec::with_capacity(runs.len()), Vec::new());
    for mut run in runs {
        // The bars of a row are in order, except for the few selected ones.
        let free = rows.iter().position(|row| {
            row.iter()
                .rev()
                .take(8)
                .all(|other| run.bar.x1 > other.x2 + APART || run.bar.x2 < other.x1 - APART)
        });
        match free {
            Some(row) => {
                run.bar.y = context.y + ROWS[row];
                rows[row].push(run.bar);
                placed.push(run);
            }
            None => crowded.push(run),
        }
    }
    placed.extend(merge_runs(context, crowded));
    placed.iter_mut().for_each(|run| finish(context, run));
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
    let mut skips: Vec<(u32, u32, u32, u32)> = skips(context)
        .map(|(index, edge)| {
            let entry_node = context.entry_node_of[edge.from as usize];
            (edge.to, entry_node, edge.from, index)
        })
        .collect();
    skips.sort_small();
    skips
        .chunk_by(|a, b| a.0 == b.0 && b.1 <= a.1 + 1)
        .map(|group| {
            let nodes: Vec<u32> = group.iter().map(|&(_, _, node, _)| node).collect();
            let [(by, first, ..), (_, last, ..)] = [group[0], group[group.len() - 1]];
            Run {
                bar: HorizontalLine {
                    x1: context.entry_nodes[first as usize].rect.x,
                    x2: context.entry_nodes[last as usize].rect.right(),
                    y: 0.0,
                },
                ticks: Vec::new(),
                edges: group.iter().map(|&(.., edge)| edge).collect(),
                by: vec![by],
                label: String::new(),
                selected: context
                    .selected
                    .is_some_and(|selected| selected == by || nodes.contains(&selected)),
                nodes,
            }
        })
        .collect()
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
        run.bar.y = context.y + LAST_ROW;
        match joined
            .last_mut()
            .filter(|last| run.bar.x1 <= last.bar.x2 + APART && run.selected == last.selected)
        {
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

/// Sorts the nodes, then sets ticks and label.
fn finish(context: &LaneContext<'_>, run: &mut Run) {
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

/// Returns a stub for each entry with skip ranges, and the whole reach for the selected entry.
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
                .map(|(index, range)| whole_bracket(context, index, range)),
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
            x1: x - STUB,
            x2: x,
            y: context.y + BRACKET,
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

fn whole_bracket(context: &LaneContext<'_>, index: u32, range: &SkipRange) -> Bracket {
    let arrow = context.entry_node(range.node).rect.center_x();
    let invalid = range.range.is_none();
    let (mut x1, mut x2) = (if invalid { arrow - STUB } else { arrow }, arrow);
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
            y: context.y + WHOLE,
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
        .filter(|(from, to, _)| from != to)
        .collect();
    edges.sort_small();
    edges
        .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
        .map(|group| arrow(context, group))
        .collect()
}

fn arrow(context: &LaneContext<'_>, group: &[JoinedEdge]) -> Arrow {
    let (a, b, _) = group[0];
    let [from, to] = [a, b].map(|index| {
        let rect = context.entry_nodes[index as usize].rect;
        (rect.center_x(), rect.bottom())
    });
    Arrow {
        edges: group.iter().map(|&(.., edge)| edge).collect(),
        curve: Curve::swing(from, to, lane::rise(a.abs_diff(b))),
    }
}
