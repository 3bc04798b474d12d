//! Below the entries of a lane: `skips` as runs, skip ranges as brackets, and the single arrows of
//! the selected entry.

use super::geometry::{Arrow, Bracket, Curve, HorizontalLine, Run};
use super::lane::LaneContext;
use super::{LayoutRequest, geometry, lane};
use crate::graph::{EdgeKind, SkipRange};
use syntax::hashed::HashSet;
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

pub(super) fn runs(context: &LaneContext<'_>) -> Vec<Run> {
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
                run.bar.y = context.y + ROWS.get(row).copied().unwrap_or(LAST_ROW);
                rows[row].push(run.bar);
                placed.push(run);
            }
            None => crowded.push(run),
        }
    }
    placed.extend(merge_runs(context, crowded));
    for run in &mut placed {
        finish(context, run);
    }
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
    let mut skips: Vec<(u32, u32, u32, u32)> = (0..)
        .zip(&context.channel.edges)
        .filter(|(_, edge)| edge.kind == EdgeKind::Skips)
        .filter_map(|(index, edge)| {
            context
                .entry_node_of
                .get(edge.from as usize)
                .map(|&entry_node| (edge.to, entry_node, edge.from, index))
        })
        .collect();
    skips.sort_small();
    skips
        .chunk_by(|a, b| a.0 == b.0 && b.1 <= a.1 + 1)
        .filter_map(|group| {
            let (&(by, first, ..), &(_, last, ..)) = (group.first()?, group.last()?);
            let (first, last) = (
                context.entry_nodes.get(first as usize)?,
                context.entry_nodes.get(last as usize)?,
            );
            Some(Run {
                bar: HorizontalLine {
                    x1: first.rect.x,
                    x2: last.rect.right(),
                    y: 0.0,
                },
                ticks: Vec::new(),
                edges: group.iter().map(|&(.., edge)| edge).collect(),
                nodes: group.iter().map(|&(_, _, node, _)| node).collect(),
                by: vec![by],
                label: String::new(),
                selected: context
                    .selected
                    .is_some_and(|s| s == by || group.iter().any(|&(_, _, node, _)| node == s)),
            })
        })
        .collect()
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
    let name = |node: u32| {
        context
            .channel
            .nodes
            .get(node as usize)
            .map_or(0, |n| n.name as usize)
    };
    run.nodes.sort_small_by_key(|&node| {
        (
            context.entry_node_of.get(node as usize),
            context.plan.rank.get(name(node)),
            node,
        )
    });
    run.nodes.dedup();
    run.ticks = run
        .nodes
        .iter()
        .filter_map(|&node| context.entry_node(node))
        .map(|(_, entry_node)| entry_node.rect.center_x())
        .collect();
    run.ticks.dedup();
    let [first, last] = [run.nodes.first(), run.nodes.last()].map(|node| {
        node.and_then(|&n| context.plan.texts.get(name(n)))
            .map_or("", String::as_str)
    });
    run.label = geometry::run_label(first, last, run.nodes.len(), run.by.len());
}

/// Returns a stub for each entry with skip ranges, and the whole reach for the selected entry.
pub(super) fn brackets(context: &LaneContext<'_>, request: &LayoutRequest) -> Vec<Bracket> {
    let selected_name = request
        .selected
        .as_ref()
        .and_then(|s| context.graph.names.iter().find(|f| f.name == s.name));
    let mut ranges: Vec<(u32, u32)> = (0..)
        .zip(&context.channel.ranges)
        .filter_map(|(index, range)| {
            context
                .entry_node_of
                .get(range.node as usize)
                .map(|&entry_node| (entry_node, index))
        })
        .collect();
    ranges.sort_small();
    let mut brackets: Vec<Bracket> = Vec::new();
    for group in ranges.chunk_by(|a, b| a.0 == b.0) {
        let (full, stubs): (Vec<_>, Vec<_>) = group
            .iter()
            .filter_map(|&(_, index)| {
                context
                    .channel
                    .ranges
                    .get(index as usize)
                    .map(|range| (index, range))
            })
            .partition(|(_, range)| context.selected == Some(range.node));
        brackets.extend(
            full.into_iter()
                .filter_map(|(index, range)| whole(context, index, range)),
        );
        let covers_selected = stubs.iter().any(|(_, range)| {
            let version = selected_name.and_then(|f| f.version.as_ref());
            range
                .range
                .as_ref()
                .zip(version)
                .is_some_and(|(range, version)| range.contains(version))
        });
        brackets.extend(stub(context, &stubs, covers_selected));
    }
    brackets
}

fn stub(
    context: &LaneContext<'_>,
    ranges: &[(u32, &SkipRange)],
    covers_selected: bool,
) -> Option<Bracket> {
    let (entry_node, place) = context.entry_node(ranges.first()?.1.node)?;
    let x = place.rect.center_x();
    Some(Bracket {
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
        covers_selected,
        invalid: ranges.iter().any(|(_, range)| range.range.is_none()),
    })
}

fn whole(context: &LaneContext<'_>, index: u32, range: &SkipRange) -> Option<Bracket> {
    let (entry_node, place) = context.entry_node(range.node)?;
    let arrow = place.rect.center_x();
    let (mut x1, mut x2) = (arrow, arrow);
    for column in context.plan.columns.iter().filter(|column| {
        column.names.iter().any(|name| {
            let version = context
                .graph
                .names
                .get(*name as usize)
                .and_then(|f| f.version.as_ref());
            range
                .range
                .as_ref()
                .zip(version)
                .is_some_and(|(range, version)| range.contains(version))
        })
    }) {
        x1 = x1.min(column.x + 4.0);
        x2 = x2.max(column.x + column.width - 4.0);
    }
    if range.range.is_none() {
        x1 = arrow - STUB;
    }
    let nodes: Vec<u32> = context
        .graph
        .covered_entries(context.channel, range)
        .collect();
    let entry_nodes: HashSet<u32> = nodes
        .iter()
        .filter_map(|&node| context.entry_node(node))
        .map(|(entry_node, _)| entry_node)
        .collect();
    let mut ticks: Vec<f32> = entry_nodes
        .iter()
        .filter_map(|&entry_node| context.entry_nodes.get(entry_node as usize))
        .map(|c| c.rect.center_x())
        .collect();
    ticks.sort_small_by(f32::total_cmp);
    let y = context.y + WHOLE;
    Some(Bracket {
        entry_node,
        ranges: vec![index],
        bar: HorizontalLine { x1, x2, y },
        arrow,
        full: true,
        ticks,
        covers: nodes.len() as u32,
        covers_selected: false,
        invalid: range.range.is_none(),
    })
}

/// Returns the arrows for all `skips` that begin or end at the selected entry, one for each pair of
/// columns.
pub(super) fn arrows(context: &LaneContext<'_>) -> Vec<Arrow> {
    let Some(selected) = context.selected else {
        return Vec::new();
    };
    let mut edges: Vec<(u32, u32, u32)> = (0..)
        .zip(&context.channel.edges)
        .filter(|(_, edge)| {
            edge.kind == EdgeKind::Skips && (edge.from == selected || edge.to == selected)
        })
        .filter_map(|(index, edge)| {
            Some((
                context.entry_node(edge.from)?.0,
                context.entry_node(edge.to)?.0,
                index,
            ))
        })
        .filter(|(from, to, _)| from != to)
        .collect();
    edges.sort_small();
    edges
        .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
        .filter_map(|group| arrow(context, group))
        .collect()
}

fn arrow(context: &LaneContext<'_>, group: &[(u32, u32, u32)]) -> Option<Arrow> {
    let &(a, b, _) = group.first()?;
    let (from, to) = (
        context.entry_nodes.get(a as usize)?.rect,
        context.entry_nodes.get(b as usize)?.rect,
    );
    let rise = lane::rise(a.abs_diff(b));
    Some(Arrow {
        edges: group.iter().map(|&(.., edge)| edge).collect(),
        curve: Curve::swing(
            (from.center_x(), from.bottom()),
            (to.center_x(), to.bottom()),
            rise,
        ),
    })
}
