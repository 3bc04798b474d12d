//! `replaces`: a line on the track between neighbours, an arc over the boxes it jumps.

use super::geometry::{Curve, HorizontalLine, Link, Shape, Zoom};
use super::lane::LaneContext;
use crate::graph::build::{EdgeKind, Node};
use crate::order::SortSmall;

pub(super) fn lay(context: &LaneContext<'_>) -> Vec<Link> {
    let entry_node = |node: u32| {
        context
            .entry_node_of
            .get(node as usize)
            .copied()
            .unwrap_or_default()
    };
    let mut edges: Vec<(u32, u32, u32)> = (0..)
        .zip(&context.channel.edges)
        .filter(|(_, edge)| edge.kind == EdgeKind::Replaces)
        // Edges inside a stack are not drawn, except an entry that replaces itself.
        .filter(|(_, edge)| edge.from == edge.to || entry_node(edge.from) != entry_node(edge.to))
        .map(|(index, edge)| (entry_node(edge.from), entry_node(edge.to), index))
        .collect();
    edges.sort_small();
    edges
        .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
        .filter_map(|group| link(context, group))
        .collect()
}

fn link(context: &LaneContext<'_>, group: &[(u32, u32, u32)]) -> Option<Link> {
    let &(from, to, _) = group.first()?;
    let (a, b) = (
        context.entry_nodes.get(from as usize)?,
        context.entry_nodes.get(to as usize)?,
    );
    let ends = || {
        group
            .iter()
            .filter_map(|&(.., edge)| context.channel.edges.get(edge as usize))
    };
    let is_absent = |node: u32| {
        context
            .channel
            .nodes
            .get(node as usize)
            .is_some_and(Node::is_absent)
    };
    // An edge to the left is always an arc, so that two entries that replace each other do not
    // share a line.
    let shape = if to == from + 1 {
        Shape::Straight(HorizontalLine {
            x1: a.rect.right(),
            x2: b.rect.x,
            y: a.rect.center_y(),
        })
    } else if to == from {
        let (x, y) = (a.rect.center_x(), a.rect.y);
        let reach = a.rect.width / 3.0;
        Shape::Arc(Curve::swing(
            (x - reach, y),
            (x + reach, y),
            -rise(context.zoom, 1),
        ))
    } else {
        let (from, to) = ((a.rect.center_x(), a.rect.y), (b.rect.center_x(), b.rect.y));
        Shape::Arc(Curve::swing(from, to, -rise(context.zoom, a_to_b(group))))
    };
    Some(Link {
        from,
        to,
        shape,
        edges: group.iter().map(|&(.., edge)| edge).collect(),
        ghost: ends().all(|edge| is_absent(edge.from)),
        backwards: to < from,
        selected: ends().any(|edge| {
            context
                .selected
                .is_some_and(|s| s == edge.from || s == edge.to)
        }),
    })
}

fn a_to_b(group: &[(u32, u32, u32)]) -> u32 {
    group.first().map_or(1, |&(from, to, _)| from.abs_diff(to))
}

/// Height of an arc over `jump` boxes: grows with `jump`, but stays within the lane.
pub(super) fn rise(zoom: Zoom, jump: u32) -> f32 {
    let (least, step, most) = match zoom {
        Zoom::Near => (8.0, 2.0, 17.0),
        Zoom::Far => (3.0, 0.8, 7.0),
    };
    (least + step * (jump.max(1) as f32).log2()).min(most)
}
