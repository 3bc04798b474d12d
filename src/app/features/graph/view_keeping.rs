//! Keeps the view and keyboard position when the lanes or their area change: a new package starts
//! at its head; within a package nothing moves unnecessarily, and the selection, edits and the path
//! of an installed version are scrolled into view once.

use super::channel_list::arrange;
use super::nodes::{self, NodeAt};
use super::viewport::{Area, Bounds, Viewport};
use super::{GraphContext, unfold};
use crate::reactive::effect;
use crate::state::layout::LaneCommand;
use leptos::prelude::*;
use protocol::lanes::{EntryNodeKind, Lanes};
use protocol::request::Target;
use protocol::response::PackageView;
use protocol::views::{EntryState, Lens, Origin, TableRow, UpgradeQuestion};
use std::collections::HashMap;
use std::sync::Arc;

#[derive(Default)]
struct LastView {
    lanes: Arc<Lanes>,
    is_sized: bool,
    bounds: Bounds,
    facts: Arc<PackageView>,
    /// The question that `facts` answer.
    question: UpgradeQuestion,
    /// The edited node in view.
    edited: Option<NodeAt>,
    revealed: Revealed,
}

/// How far a selection has been revealed.
#[derive(Default)]
struct Revealed {
    target: Option<Target>,
    is_in_view: bool,
    /// Number of times that its lane was shown or its stack opened.
    opened: u8,
}

/// An entry may be in a hidden lane, and there in a folded y-stream.
const MAX_OPENED: u8 = 2;

/// Keeps the view and keyboard position as lanes, selection and size change. Copies the `received`
/// lanes to `drawn` once the view is known, so that no nodes are drawn for the old view.
pub(super) fn keep_view(
    shared: GraphContext,
    received: Memo<Arc<Lanes>>,
    drawn: RwSignal<Arc<Lanes>>,
    size: RwSignal<(f64, f64)>,
) {
    // A single effect: each step builds on the previous one's result.
    effect(move |last: Option<LastView>| {
        let (lanes, selected) = (received.get(), shared.selected.get());
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
            bounds: old_bounds,
            facts: old_facts,
            mut question,
            mut edited,
            mut revealed,
        } = last.unwrap_or_default();
        let is_same = before.package == lanes.package;
        let is_new_view = is_sized && !(was_sized && is_same);
        let has_new_lanes = !Arc::ptr_eq(&before, &lanes);
        let bounds = shared.bounds.get_untracked();
        let changed = if Arc::ptr_eq(&old_facts, &facts) {
            Vec::new()
        } else {
            changed_rows(&old_facts.table, &facts.table)
        };
        if is_new_view {
            show_head(shared, &lanes);
            revealed.is_in_view = false;
        } else if is_same && is_sized && (has_new_lanes || old_bounds != bounds) {
            let has_other_rows = !changed.is_empty();
            keep_in_view(
                shared,
                (&before, old_bounds),
                &lanes,
                edited,
                has_other_rows,
            );
        }
        if has_new_lanes {
            let is_edit = is_same && !is_new_view && old_facts.root == facts.root;
            edited = is_edit
                .then(|| show_edit(shared, (&before, &lanes), &changed))
                .flatten();
            let asked = shared.app.store.question.get_untracked();
            if asked != question {
                // Backwards, so that its start is in view if not all of it fits.
                for at in path_nodes(&lanes, &facts, &asked).into_iter().rev() {
                    show(shared, &lanes, at);
                }
                question = asked;
            }
        }
        let is_other_target = revealed.target != selected;
        if is_other_target {
            revealed = Revealed {
                target: selected,
                ..Revealed::default()
            };
        }
        // The same lanes again, as after a resize, cannot show more.
        if !revealed.is_in_view && (is_other_target || has_new_lanes || is_new_view) {
            reveal(shared, &lanes, &mut revealed);
        }
        update_derived(shared, is_new_view);
        LastView {
            lanes,
            is_sized,
            bounds,
            facts,
            question,
            edited,
            revealed,
        }
    });
    effect(move |_| {
        shared.view.track();
        shared.bounds.track();
        update_derived(shared, false);
    });
}

/// Scrolls to a selection, or shows the hidden lane and opens the stack that it is in: lanes with
/// it follow.
fn reveal(shared: GraphContext, lanes: &Lanes, revealed: &mut Revealed) {
    let channel = match &revealed.target {
        Some(Target::Entry { channel, .. } | Target::Channel { channel }) => channel.as_str(),
        _ => "",
    };
    let is_hidden = shared
        .arranged
        .with_untracked(|arranged| arranged.is_hidden(channel));
    let can_open = revealed.opened < MAX_OPENED;
    if is_hidden {
        if can_open {
            revealed.opened += 1;
            arrange(shared, LaneCommand::ToggleHidden, channel);
        }
        return;
    }
    let (is_shown, at) = show_target(shared, lanes, revealed.target.as_ref());
    revealed.is_in_view = is_shown;
    let Some(at) = at else { return };
    shared.focus.set(Some(at));
    let is_stack = nodes::node_at(lanes, at).is_some_and(|node| !node.members.is_empty());
    revealed.is_in_view = !is_stack;
    if is_stack && can_open {
        revealed.opened += 1;
        unfold(shared, at);
    }
}

/// Scrolls as little as possible to show a selection. Returns whether it is drawn, and its node.
pub(super) fn show_target(
    shared: GraphContext,
    lanes: &Lanes,
    target: Option<&Target>,
) -> (bool, Option<NodeAt>) {
    let at = match target {
        Some(Target::Entry { channel, name }) => nodes::find(lanes, channel, name),
        Some(Target::Bundle { name }) => find_in_any_lane(lanes, name),
        Some(Target::Channel { channel }) => {
            let index = lanes.lanes.iter().position(|lane| lane.channel == *channel);
            if let Some(index) = index {
                show_channel(shared, lanes, index);
            }
            return (index.is_some(), None);
        }
        _ => None,
    };
    if let Some(at) = at {
        show(shared, lanes, at);
    }
    (at.is_some(), at)
}

fn find_in_any_lane(lanes: &Lanes, name: &str) -> Option<NodeAt> {
    let mut all = lanes.lanes.iter();
    all.find_map(|lane| nodes::find(lanes, &lane.channel, name))
}

/// Returns the nodes of the path from the installed version, which is in the lane of its next step.
fn path_nodes(lanes: &Lanes, facts: &PackageView, question: &UpgradeQuestion) -> Vec<NodeAt> {
    let Origin::Installed(installed) = &question.origin else {
        return Vec::new();
    };
    let path = match question.lens {
        Lens::V0 => &facts.answer.v0,
        Lens::V1 => &facts.answer.v1,
    };
    let subscribed = [&question.channel, &facts.default_channel];
    let subscribed = subscribed.into_iter().find(|channel| !channel.is_empty());
    let steps = path.steps.iter();
    let steps = steps.map(|step| (step.channel.as_ref(), &step.name));
    let next = path.steps.first().and_then(|step| step.channel.as_ref());
    std::iter::once((next.or(subscribed), installed))
        .chain(steps)
        .filter_map(|(channel, name)| {
            let in_lane = channel.and_then(|channel| nodes::find(lanes, channel, name));
            in_lane.or_else(|| find_in_any_lane(lanes, name))
        })
        .collect()
}

/// Scrolls as little as possible to show a lane and one of its entries.
fn show_channel(shared: GraphContext, lanes: &Lanes, index: usize) {
    show_lane(shared, index);
    let nodes = lanes.lanes.get(index).map_or(0, |lane| lane.nodes.len());
    let all = || (0..nodes).map(|node| NodeAt { lane: index, node });
    if !all().any(|at| is_in_view(shared, lanes, at))
        && let Some(newest) = all().next_back()
    {
        show(shared, lanes, newest);
    }
}

/// Scrolls as little as possible to show an edit, unless part of it is already visible. Returns the
/// edited node in view.
fn show_edit(
    shared: GraphContext,
    (before, lanes): (&Lanes, &Lanes),
    changed: &[(&str, &str)],
) -> Option<NodeAt> {
    let nodes = edited_nodes(changed, lanes);
    let visible = nodes.iter().find(|at| is_in_view(shared, lanes, **at));
    if visible.is_some() {
        return visible.copied();
    }
    let view = shared.view.get_untracked();
    let distance = |at: &NodeAt| {
        let to = view_of(shared, lanes, *at).unwrap_or(view);
        (to.x - view.x).abs() + (to.y - view.y).abs()
    };
    let nearest = nodes
        .into_iter()
        .min_by(|a, b| distance(a).total_cmp(&distance(b)));
    if let Some(at) = nearest {
        show(shared, lanes, at);
    } else if let Some(lane) = edited_lane(before, lanes) {
        show_lane(shared, lane);
    }
    nearest
}

fn is_in_view(shared: GraphContext, lanes: &Lanes, at: NodeAt) -> bool {
    let Some(node) = nodes::node_at(lanes, at) else {
        return false;
    };
    let view = shared.view.get_untracked();
    Area::in_content(lanes, node).meets(view.area(shared.bounds.get_untracked()))
}

/// Scrolls as little as possible to show a node.
pub(super) fn show(shared: GraphContext, lanes: &Lanes, at: NodeAt) {
    if let Some(moved) = view_of(shared, lanes, at) {
        move_to(shared, moved);
    }
}

/// Returns the nearest view that shows a node.
fn view_of(shared: GraphContext, lanes: &Lanes, at: NodeAt) -> Option<Viewport> {
    let node = nodes::node_at(lanes, at)?;
    let area = Area::in_content(lanes, node);
    let (view, bounds) = (shared.view.get_untracked(), shared.bounds.get_untracked());
    Some(view.scroll_to(area, bounds))
}

/// Scrolls up or down as little as possible to show a lane.
pub(super) fn show_lane(shared: GraphContext, index: usize) {
    let (view, bounds) = (shared.view.get_untracked(), shared.bounds.get_untracked());
    let area = shared.lanes.with_untracked(|lanes| {
        let lane = lanes.lanes.get(index)?;
        Some(Area {
            x: view.x,
            y: f64::from(lane.y - lanes.top),
            width: 0.0,
            height: lane.height.into(),
        })
    });
    if let Some(area) = area
        && !view.holds(area, bounds)
    {
        let scrolled = view.scroll_to(area, bounds);
        move_to(
            shared,
            Viewport {
                x: view.x,
                ..scrolled
            },
        );
    }
}

/// Updates the state derived from the view, which must not change with every movement. `is_new`
/// discards the area drawn for the previous view.
fn update_derived(shared: GraphContext, is_new: bool) {
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

/// Shows the head of a new package, and moves the keyboard position there.
fn show_head(shared: GraphContext, lanes: &Lanes) {
    let bounds = shared.bounds.get_untracked();
    let head = nodes::initial_focus(lanes);
    let end = head.and_then(|at| nodes::node_at(lanes, at));
    let end = end.map_or(f64::MAX, |node| {
        f64::from(node.x + node.width - lanes.header)
    });
    shared.view.set(Viewport::opening(end, bounds));
    shared.focus.set(head);
}

/// Keeps the keyboard position on its node, and keeps what was in view: that node and the edited
/// one, and as in [`Viewport::refit`].
fn keep_in_view(
    shared: GraphContext,
    (before, old_bounds): (&Lanes, Bounds),
    lanes: &Lanes,
    edited: Option<NodeAt>,
    has_other_rows: bool,
) {
    let (focus, bounds, view) = (
        shared.focus.get_untracked(),
        shared.bounds.get_untracked(),
        shared.view.get_untracked(),
    );
    let find_again = |at: NodeAt| nodes::find_again(before, at, lanes);
    let at = focus.and_then(find_again);
    if at != focus {
        shared.focus.set(at);
    }
    let kept = if bounds.is_resized(old_bounds) || has_other_rows {
        view.refit(old_bounds, bounds)
    } else {
        // The content may be smaller than before.
        view.pan(0.0, 0.0, bounds)
    };
    move_to(shared, kept);
    let holds = |lanes: &Lanes, at: NodeAt, view: Viewport, bounds: Bounds| {
        let node = nodes::node_at(lanes, at);
        node.is_some_and(|node| view.holds(Area::in_content(lanes, node), bounds))
    };
    for old in [edited, focus].into_iter().flatten() {
        if holds(before, old, view, old_bounds)
            && let Some(at) = find_again(old)
            && !holds(lanes, at, shared.view.get_untracked(), bounds)
        {
            show(shared, lanes, at);
        }
    }
}

fn move_to(shared: GraphContext, view: Viewport) {
    if view != shared.view.get_untracked() {
        shared.view.set(view);
    }
}

/// Returns the nodes of the changed rows that were edited.
fn edited_nodes(changed: &[(&str, &str)], lanes: &Lanes) -> Vec<NodeAt> {
    let nodes = changed
        .iter()
        .filter_map(|(channel, name)| nodes::find(lanes, channel, name));
    // Ignore changes on disk, which must not move the view.
    let is_edited = |at: &NodeAt| {
        let is_lane_edited = lanes.lanes.get(at.lane).is_some_and(|lane| lane.edited);
        is_lane_edited
            || nodes::node_at(lanes, *at)
                .is_some_and(|node| node.edited || node.kind == EntryNodeKind::Removed)
    };
    nodes.filter(is_edited).collect()
}

/// Returns the index of the first lane that is new, or whose deprecation was edited.
fn edited_lane(before: &Lanes, lanes: &Lanes) -> Option<usize> {
    lanes.lanes.iter().position(|lane| {
        let mut known = before.lanes.iter();
        let known = known.find(|known| known.channel == lane.channel);
        lane.edited && known.is_none_or(|known| known.deprecated != lane.deprecated)
    })
}

/// Returns the parts of a row that are in the file. Line numbers do not count: they change with
/// every edit above them.
fn file_content(row: &TableRow) -> Vec<String> {
    let is_file_state =
        |state: &&EntryState| matches!(state, EntryState::Deprecated | EntryState::Absent);
    let states = row.states.iter().filter(is_file_state);
    let edges = [row.replaces.clone(), row.skip_range.clone()].into_iter();
    edges
        .chain(row.skips.iter().cloned())
        .chain(states.map(|state| state.name().to_owned()))
        .collect()
}

/// Returns the channel and name of each changed, added or removed row. Consequences of an edit,
/// such as a new head, do not count.
fn changed_rows<'r>(before: &'r [TableRow], now: &'r [TableRow]) -> Vec<(&'r str, &'r str)> {
    fn name(row: &TableRow) -> (&str, &str) {
        (row.channel.as_str(), row.entry.as_str())
    }
    let mut removed: HashMap<_, _> = before.iter().map(|row| (name(row), row)).collect();
    let mut changed = Vec::new();
    for row in now {
        let old = removed.remove(&name(row));
        if old.is_none_or(|old| file_content(old) != file_content(row)) {
            changed.push(name(row));
        }
    }
    let names = before.iter().map(name);
    changed.extend(names.filter(|name| removed.contains_key(name)));
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::graph::testing::{lane, node};
    use protocol::views::PathStep;

    fn row(entry: &str, replaces: &str) -> TableRow {
        TableRow {
            channel: "stable".into(),
            entry: entry.into(),
            replaces: replaces.into(),
            ..TableRow::default()
        }
    }

    fn lanes(edited: bool) -> Lanes {
        let nodes = ["v1", "v2", "v3"].map(|name| node(EntryNodeKind::Entry, name, 0.0, 0.0));
        let mut lane = (*lane("stable", 0.0, nodes.to_vec())).clone();
        lane.edited = edited;
        Lanes {
            lanes: vec![Arc::new(lane)],
            ..Lanes::default()
        }
    }

    #[test]
    fn finds_the_entries_that_an_edit_changed() {
        let before = [row("v1", ""), row("v2", "v1"), row("v3", "v2")];
        let mut now = before.clone();
        now[2].replaces = "v1".into();
        // A consequence of the edit.
        now[1].states = vec![EntryState::Stranded];
        now[0].location.line = 7;
        assert_eq!(
            edited_nodes(&changed_rows(&before, &now), &lanes(true)),
            [NodeAt { lane: 0, node: 2 }]
        );
        assert_eq!(
            edited_nodes(&changed_rows(&before, &before), &lanes(true)),
            []
        );
        assert_eq!(
            edited_nodes(&changed_rows(&before, &now), &lanes(false)),
            [],
            "the disk changed"
        );
    }

    #[test]
    fn finds_added_entries_and_changed_dependents() {
        let before = [row("v1", ""), row("v2", "v1")];
        let now = [row("v1", ""), row("v2", "v1"), row("v3", "v2")];
        assert_eq!(
            edited_nodes(&changed_rows(&before, &now), &lanes(true)),
            [NodeAt { lane: 0, node: 2 }]
        );
        assert_eq!(
            edited_nodes(&changed_rows(&now, &before), &lanes(true)),
            [NodeAt { lane: 0, node: 2 }],
            "while it is drawn"
        );
    }

    #[test]
    fn a_path_starts_in_the_lane_of_its_next_step() {
        let nodes = |names: &[&str]| {
            let nodes = names.iter();
            let nodes = nodes.map(|name| node(EntryNodeKind::Entry, name, 0.0, 0.0));
            nodes.collect::<Vec<_>>()
        };
        let lanes = Lanes {
            lanes: vec![
                lane("fast", 0.0, nodes(&["v1", "v2"])),
                lane("stable", 60.0, nodes(&["v1", "v2", "v3"])),
            ],
            ..Lanes::default()
        };
        let path = |installed: &str, steps: &[&str]| {
            let step = |name: &&str| PathStep {
                name: (*name).into(),
                channel: Some("stable".into()),
                ..PathStep::default()
            };
            let mut facts = PackageView {
                default_channel: "fast".into(),
                ..PackageView::default()
            };
            facts.answer.v0.steps = steps.iter().map(step).collect();
            let question = UpgradeQuestion {
                origin: Origin::Installed(installed.into()),
                ..UpgradeQuestion::default()
            };
            let nodes = path_nodes(&lanes, &facts, &question).into_iter();
            nodes.map(|at| (at.lane, at.node)).collect::<Vec<_>>()
        };
        assert_eq!(path("v1", &["v2", "v3"]), [(1, 0), (1, 1), (1, 2)]);
        assert_eq!(path("v2", &[]), [(0, 1)], "no step: the subscribed channel");
        assert_eq!(path("v3", &[]), [(1, 2)], "only another lane has it");
    }

    #[test]
    fn an_added_lane_is_new_unless_it_is_on_disk() {
        assert_eq!(edited_lane(&Lanes::default(), &lanes(true)), Some(0));
        assert_eq!(edited_lane(&Lanes::default(), &lanes(false)), None);
        assert_eq!(edited_lane(&lanes(true), &lanes(true)), None);
    }
}
