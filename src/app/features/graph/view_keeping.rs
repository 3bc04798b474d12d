//! Keeps the view and keyboard position when lanes change: a new package starts at its head; within
//! a package nothing moves unnecessarily, and the selection is scrolled into view once.

use super::channel_lanes::Pinned;
use super::edges::{edited_nodes, new_lane};
use super::nodes::{self, NodeAt};
use super::viewport::{Area, Bounds, Viewport};
use super::{BEYOND, GraphContext};
use crate::reactive::effect;
use leptos::prelude::*;
use protocol::lanes::{EntryNodeKind, Lanes};
use protocol::response::PackageView;
use protocol::views::{EntryRef, TableRow};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The previous state.
#[derive(Default)]
struct LastView {
    lanes: Arc<Lanes>,
    is_sized: bool,
    /// The package's facts.
    facts: Arc<PackageView>,
    /// The selection that was last scrolled into view.
    scrolled_to: Option<EntryRef>,
}

/// Keeps the view and keyboard position as lanes, selection and size change. Copies `given` lanes
/// to `drawn` once the view is known, so that no nodes are drawn for the old view.
pub(super) fn follow(
    shared: GraphContext,
    given: Memo<Arc<Lanes>>,
    drawn: RwSignal<Arc<Lanes>>,
    size: RwSignal<(f64, f64)>,
) {
    // A single effect: each step builds on the previous one's result.
    effect(move |last: Option<LastView>| {
        let (lanes, selected) = (given.get(), shared.selected.get());
        let is_sized = size.get().0 > 0.0;
        if !is_sized && last.is_none() {
            return LastView::default();
        }
        if drawn.with_untracked(|drawn| !Arc::ptr_eq(drawn, &lanes)) {
            drawn.set(lanes.clone());
        }
        let facts = shared.facts.get_untracked();
        let LastView {
            lanes: before,
            is_sized: was_sized,
            facts: old_facts,
            mut scrolled_to,
        } = last.unwrap_or_default();
        let is_same = before.package == lanes.package;
        let begins = is_sized && !(was_sized && is_same);
        if begins {
            begin(shared, &lanes);
            scrolled_to = None;
        } else if is_same && !Arc::ptr_eq(&before, &lanes) {
            keep(shared, &before, &lanes);
            if old_facts.root == facts.root
                && old_facts.package == facts.package
                && !Arc::ptr_eq(&old_facts, &facts)
            {
                show_edit(shared, (&before, &lanes), (&old_facts.table, &facts.table));
            }
        }
        let at = selected
            .as_ref()
            .and_then(|s| nodes::find(&lanes, &s.channel, &s.name));
        if let Some(at) = at.filter(|_| scrolled_to != selected) {
            shared.focus.set(Some(at));
            show(shared, &lanes, at);
        }
        settle(shared, begins);
        // An entry inside a stack is not visible itself: lanes that unfold it may follow.
        let is_itself = at
            .and_then(|at| nodes::node_at(&lanes, at))
            .is_some_and(|node| node.members.is_empty());
        LastView {
            lanes,
            is_sized,
            facts,
            scrolled_to: selected.filter(|_| is_itself),
        }
    });
    effect(move |_| {
        shared.view.track();
        shared.bounds.track();
        settle(shared, false);
    });
}

/// Scrolls as little as possible to show an edit, unless part of it is already visible.
fn show_edit(
    shared: GraphContext,
    (before, lanes): (&Lanes, &Lanes),
    (old_rows, new_rows): (&[TableRow], &[TableRow]),
) {
    let nodes = edited_nodes(old_rows, new_rows, lanes);
    let view = shared.view.get_untracked();
    if nodes.iter().any(|at| is_in_view(shared, lanes, *at)) {
        return;
    }
    let way = |at: &NodeAt| {
        let to = showing(shared, lanes, *at).unwrap_or(view);
        (to.x - view.x).abs() + (to.y - view.y).abs()
    };
    if let Some(at) = nodes.into_iter().min_by(|a, b| way(a).total_cmp(&way(b))) {
        show(shared, lanes, at);
    } else if let Some(lane) = new_lane(before, lanes) {
        show_lane(shared, lane);
    }
}

/// Whether any part of a node is in view.
fn is_in_view(shared: GraphContext, lanes: &Lanes, at: NodeAt) -> bool {
    let Some(node) = nodes::node_at(lanes, at) else {
        return false;
    };
    let pinned = shared.pinned.get_untracked();
    let view = shared
        .view
        .get_untracked()
        .area(shared.bounds.get_untracked());
    let area = Area::in_content(lanes, node);
    match at.lane < pinned.lanes {
        true => Area { y: view.y, ..area }.meets(view),
        // Pinned lanes hide what is below them.
        false => area.y + area.height > view.y + pinned.height && area.meets(view),
    }
}

/// Scrolls as little as possible to show a node.
pub(super) fn show(shared: GraphContext, lanes: &Lanes, at: NodeAt) {
    if let Some(moved) = showing(shared, lanes, at) {
        move_to(shared, moved);
    }
}

fn showing(shared: GraphContext, lanes: &Lanes, at: NodeAt) -> Option<Viewport> {
    let node = nodes::node_at(lanes, at)?;
    let area = Area::in_content(lanes, node);
    let (view, bounds) = (shared.view.get_untracked(), shared.bounds.get_untracked());
    let pinned = shared.pinned.get_untracked();
    // Pinned lanes are on top and need no scrolling.
    Some(match at.lane < pinned.lanes {
        true => Viewport {
            y: view.y,
            ..view.showing(area, bounds)
        },
        false => view.showing(below_pinned(area, pinned), bounds),
    })
}

/// Extends an area upwards, so that it is shown below the pinned lanes.
fn below_pinned(area: Area, pinned: Pinned) -> Area {
    Area {
        y: area.y - pinned.height,
        height: area.height + pinned.height,
        ..area
    }
}

/// Scrolls up or down as little as possible to show a lane.
pub(super) fn show_lane(shared: GraphContext, index: usize) {
    let pinned = shared.pinned.get_untracked();
    let (view, bounds) = (shared.view.get_untracked(), shared.bounds.get_untracked());
    let area = shared.lanes.with_untracked(|lanes| {
        let lane = lanes.lanes.get(index).filter(|_| index >= pinned.lanes)?;
        Some(Area {
            x: view.x,
            y: f64::from(lane.y - lanes.top),
            width: 0.0,
            height: lane.height.into(),
        })
    });
    if let Some(area) = area {
        let shown = view.showing(below_pinned(area, pinned), bounds);
        move_to(shared, Viewport { x: view.x, ..shown });
    }
}

/// Updates the state derived from the view, which must not change with every movement. `is_new`
/// discards the area drawn for the previous view.
fn settle(shared: GraphContext, is_new: bool) {
    let view = shared.view.get_untracked();
    if shared.scale.get_untracked() != view.scale {
        shared.scale.set(view.scale);
    }
    let before = shared.near.get_untracked();
    let near = view.window(shared.bounds.get_untracked(), (!is_new).then_some(before));
    if near != before {
        shared.near.set(near);
    }
}

fn begin(shared: GraphContext, lanes: &Lanes) {
    let bounds = shared.bounds.get_untracked();
    let head = nodes::start(lanes);
    let end = head.and_then(|at| nodes::node_at(lanes, at));
    let end = end.map_or(f64::MAX, |node| {
        f64::from(node.x + node.width - lanes.header)
    });
    shared.view.set(Viewport::opening(end, bounds));
    shared.focus.set(head);
}

/// Keeps the keyboard position on its node, and keeps that node in view if it was.
fn keep(shared: GraphContext, before: &Lanes, lanes: &Lanes) {
    let (focus, bounds, view) = (
        shared.focus.get_untracked(),
        shared.bounds.get_untracked(),
        shared.view.get_untracked(),
    );
    let at = focus.and_then(|at| nodes::find_again(before, at, lanes));
    if at != focus {
        shared.focus.set(at);
    }
    let was_in_view = focus
        .and_then(|at| nodes::node_at(before, at))
        .is_some_and(|node| view.holds(Area::in_content(before, node), bounds));
    if has_other_entries(before, lanes) {
        move_to(shared, view.refit(bounds_of(before, bounds), bounds));
    }
    match at {
        Some(at) if was_in_view => show(shared, lanes, at),
        // The content may be smaller than before.
        _ => move_to(shared, shared.view.get_untracked().pan(0.0, 0.0, bounds)),
    }
}

/// Returns the bounds for these lanes.
fn bounds_of(lanes: &Lanes, bounds: Bounds) -> Bounds {
    Bounds {
        content_width: f64::from(lanes.width - lanes.header) + BEYOND,
        content_height: f64::from(lanes.height - lanes.top),
        ..bounds
    }
}

/// Whether the lanes have other entries, which means an edit: folding keeps the entries.
fn has_other_entries(before: &Lanes, lanes: &Lanes) -> bool {
    let entries = |lanes: &Lanes| {
        let nodes = lanes
            .lanes
            .iter()
            .flat_map(|lane| lane.nodes.iter().map(move |node| (lane, node)));
        let entries = nodes.flat_map(|(lane, node)| {
            nodes::names_of(node).iter().map(move |name| {
                (
                    lane.channel.clone(),
                    name.clone(),
                    node.kind == EntryNodeKind::Removed,
                )
            })
        });
        entries.collect::<BTreeSet<_>>()
    };
    entries(before) != entries(lanes)
}

fn move_to(shared: GraphContext, view: Viewport) {
    if view != shared.view.get_untracked() {
        shared.view.set(view);
    }
}
