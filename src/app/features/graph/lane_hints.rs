//! Hints in lanes whose entries are all outside the view: each says where they are and scrolls
//! there. Otherwise the track would look like an empty channel.

use super::arrow_keys::{NodeAt, names_of};
use super::shared_actions::go_to;
use super::viewport::{Bounds, Viewport};
use super::{GraphContext, pinned_lanes::Pinned};
use crate::reactive::{memo, redrawn_whole};
use crate::words;
use leptos::prelude::*;
use protocol::lanes::{EntryNode, EntryNodeKind, Lane, Lanes};

/// Character width, padding, and distance from the edge, in pixels.
const CHARACTER: f64 = 6.0;
const PADDING: f64 = 8.0;
const INSET: f64 = 8.0;
const HEIGHT: f64 = 24.0;
/// Minimum visible width of a node.
const LEAST: f64 = 10.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

#[derive(Debug, Clone, PartialEq)]
struct Hint {
    channel: String,
    entries: usize,
    side: Side,
    /// The node nearest to the view.
    nearest: NodeAt,
    /// Center of the lane, in pixels below the top of the lane area.
    y: f64,
}

impl Hint {
    fn text(&self) -> String {
        let entries = words::count(self.entries as u32, "entry");
        match self.side {
            Side::Left => format!("← {entries} to the left"),
            Side::Right => format!("{entries} to the right →"),
        }
    }

    fn label(&self) -> String {
        let entries = words::count(self.entries as u32, "entry");
        let side = if self.side == Side::Left {
            "left"
        } else {
            "right"
        };
        format!("Show {entries} of {} to the {side}", self.channel)
    }
}

/// The hints of the visible lanes.
fn hints(lanes: &Lanes, view: Viewport, bounds: Bounds, pinned: Pinned) -> Vec<Hint> {
    let middle =
        |lane: &Lane| (f64::from(lane.y + lane.height / 2.0 - lanes.top) - view.y) * view.scale;
    let in_view = pinned.height * view.scale..bounds.view_height - HEIGHT / 2.0;
    let place = |index: usize, lane: &Lane| {
        let y = middle(lane);
        (index >= pinned.lanes
            && in_view.contains(&y)
            && f64::from(lane.height) * view.scale >= HEIGHT)
            .then_some(y)
    };
    let found = lanes.lanes.iter().enumerate().filter_map(|(index, lane)| {
        let y = place(index, lane)?;
        let (side, entries, node) = hidden_entries(lane, lanes.header, view, bounds)?;
        Some(Hint {
            channel: lane.channel.clone(),
            entries,
            side,
            nearest: NodeAt { lane: index, node },
            y,
        })
    });
    found.collect()
}

/// Where a lane's entries are, how many, and the nearest node; `None` if one is visible or there is
/// none.
fn hidden_entries(
    lane: &Lane,
    header: f32,
    view: Viewport,
    bounds: Bounds,
) -> Option<(Side, usize, usize)> {
    let (least, left) = (LEAST / view.scale, view.x);
    let right = left + bounds.view_width / view.scale;
    let is_left = |node: &EntryNode| f64::from(node.x + node.width - header) < left + least;
    let is_right = |node: &EntryNode| f64::from(node.x - header) > right - least;
    if lane
        .nodes
        .iter()
        .any(|node| !is_left(node) && !is_right(node))
    {
        return None;
    }
    let count = |is_there: &dyn Fn(&EntryNode) -> bool| {
        let nodes = lane.nodes.iter().filter(|node| {
            matches!(node.kind, EntryNodeKind::Entry | EntryNodeKind::Stack) && is_there(node)
        });
        // A name that the channel does not list is not an entry.
        nodes
            .filter(|node| !node.marks.absent)
            .map(|node| names_of(node).len())
            .sum::<usize>()
    };
    // If all are on one side, use the count of the lane's heading: a stack may contain absent
    // names.
    let all = lane.entries as usize;
    match (count(&is_left), count(&is_right)) {
        (0, 0) => None,
        (0, _) => Some((Side::Right, all, lane.nodes.iter().position(is_right)?)),
        (_, 0) => Some((Side::Left, all, lane.nodes.iter().rposition(is_left)?)),
        (entries, _) => Some((Side::Left, entries, lane.nodes.iter().rposition(is_left)?)),
    }
}

/// Drawn above the lanes and below the headings, with constant size at any scale.
#[component]
pub(super) fn LaneHints(shared: GraphContext) -> impl IntoView {
    let found = memo(move |_| {
        let (view, bounds, pinned) = (shared.view.get(), shared.bounds.get(), shared.pinned.get());
        shared
            .lanes
            .with(|lanes| hints(lanes, view, bounds, pinned))
    });
    let count = memo(move |_| found.with(Vec::len));
    view! {
        <For each=move || 0..count.get() key=|index| *index let:index>
            {hint_view(shared, found, index)}
        </For>
    }
    .into_any()
}

/// The group is kept while the view moves, so that it keeps the focus.
fn hint_view(shared: GraphContext, all: Memo<Vec<Hint>>, index: usize) -> AnyView {
    let hint = memo(move |_| all.with(|all| all.get(index).cloned()));
    let go = move || {
        if let Some(hint) = hint.get_untracked() {
            go_to(shared, hint.nearest);
        }
    };
    view! {
        <g class="lane-hint" data-press="" role="button" tabindex="0" aria-label=move || hint.with(|hint| hint.as_ref().map(Hint::label))
            on:click=move |_| go()
            on:keydown=move |event| {
                if matches!(event.key().as_str(), "Enter" | " ") {
                    event.prevent_default();
                    event.stop_propagation();
                    go();
                }
            }>
            {redrawn_whole(move || hint.with(|hint| hint.as_ref().map(|hint| draw(shared, hint))).into_any())}
        </g>
    }
    .into_any()
}

fn draw(shared: GraphContext, hint: &Hint) -> AnyView {
    let text = hint.text();
    let width = text.chars().count() as f64 * CHARACTER + 2.0 * PADDING;
    let (header, top) = shared
        .lanes
        .with_untracked(|lanes| (f64::from(lanes.header), f64::from(lanes.top)));
    let x = match hint.side {
        Side::Left => header + INSET,
        Side::Right => header + shared.bounds.get_untracked().view_width - width - INSET,
    };
    let y = top + hint.y;
    view! {
        <rect class="lane-hint-ground" x=x.to_string() y=(y - HEIGHT / 2.0).to_string() width=width.to_string() height=HEIGHT.to_string() rx="6"/>
        <text class="lane-hint-text" x=(x + width / 2.0).to_string() y=(y + 4.0).to_string() text-anchor="middle">{text}</text>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{lane, node};
    use super::*;

    #[test]
    fn a_lane_without_visible_entries_points_to_them() {
        let mut absent = node(EntryNodeKind::Entry, "not in this channel", 50.0, 10.0);
        absent.marks.absent = true;
        let old = vec![
            node(EntryNodeKind::Entry, "a", 0.0, 10.0),
            absent,
            node(EntryNodeKind::Entry, "b", 100.0, 10.0),
        ];
        let new = vec![
            node(EntryNodeKind::Ghost, "b", 700.0, 70.0),
            node(EntryNodeKind::Entry, "c", 900.0, 70.0),
        ];
        let made = vec![
            lane("old", 0.0, old),
            lane("new", 60.0, new),
            lane("none", 120.0, Vec::new()),
        ];
        let lanes = Lanes {
            lanes: made,
            ..Lanes::default()
        };
        let bounds = Bounds {
            view_width: 400.0,
            view_height: 400.0,
            ..Bounds::default()
        };
        let at = |x: f64| {
            let view = Viewport {
                x,
                y: 0.0,
                scale: 1.0,
            };
            let found = hints(&lanes, view, bounds, Pinned::default());
            found
                .iter()
                .map(|hint| (hint.text(), hint.nearest.lane, hint.nearest.node))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            at(300.0),
            [
                ("← 2 entries to the left".to_owned(), 0, 2),
                ("1 entry to the right →".to_owned(), 1, 0)
            ]
        );
        assert_eq!(
            at(0.0),
            [("1 entry to the right →".to_owned(), 1, 0)],
            "what is in view needs none"
        );
        assert_eq!(at(600.0), [("← 2 entries to the left".to_owned(), 0, 2)]);
    }

    #[test]
    fn lanes_out_of_view_and_lanes_too_low_for_it_have_none() {
        let made = vec![lane(
            "old",
            500.0,
            vec![node(EntryNodeKind::Entry, "a", 0.0, 510.0)],
        )];
        let lanes = Lanes {
            lanes: made,
            ..Lanes::default()
        };
        let bounds = Bounds {
            view_width: 400.0,
            view_height: 400.0,
            ..Bounds::default()
        };
        let at = |y: f64, scale: f64| {
            hints(
                &lanes,
                Viewport { x: 300.0, y, scale },
                bounds,
                Pinned::default(),
            )
            .len()
        };
        assert_eq!((at(0.0, 1.0), at(300.0, 1.0), at(0.0, 0.3)), (0, 1, 0));
    }
}
