//! Hints: if no entry of a lane is in view, a hint shows in which direction the entries are and
//! scrolls there; otherwise the lane would look empty.

use super::GraphContext;
use super::actions::go_to;
use super::nodes::NodeAt;
use super::viewport::{Bounds, Viewport};
use crate::reactive::{memo, redrawn_whole};
use leptos::prelude::*;
use protocol::lanes::{EntryNode, EntryNodeKind, Lane, Lanes};

/// Size of a hint, in pixels.
const CHARACTER: f64 = 6.0;
const PADDING: f64 = 8.0;
const HEIGHT: f64 = 24.0;
/// Distance of a hint from the edge of the view, in pixels.
const INSET: f64 = 8.0;
/// Minimum visible width of a node in pixels: less does not count as in view.
const MIN_VISIBLE: f64 = 10.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

#[derive(Debug, Clone, PartialEq)]
struct Hint {
    channel: String,
    side: Side,
    /// The node nearest to the view.
    nearest: NodeAt,
    /// Center of the lane, in pixels below the top of the lane area.
    y: f64,
}

impl Hint {
    fn text(&self) -> &'static str {
        match self.side {
            Side::Left => "← entries to the left",
            Side::Right => "entries to the right →",
        }
    }

    fn label(&self) -> String {
        let side = match self.side {
            Side::Left => "left",
            Side::Right => "right",
        };
        format!("Show the entries of {} to the {side}", self.channel)
    }
}

fn hints(lanes: &Lanes, view: Viewport, bounds: Bounds) -> Vec<Hint> {
    let visible = 0.0..bounds.view_height - HEIGHT / 2.0;
    // The position of a lane's hint, if the lane is visible and high enough.
    let hint_y = |lane: &Lane| {
        let middle = f64::from(lane.y + lane.height / 2.0 - lanes.top);
        let y = (middle - view.y) * view.scale;
        let has_room = f64::from(lane.height) * view.scale >= HEIGHT;
        (has_room && visible.contains(&y)).then_some(y)
    };
    let hints = lanes.lanes.iter().enumerate().filter_map(|(index, lane)| {
        let y = hint_y(lane)?;
        let (side, node) = hidden_entries(lane, lanes.header, view, bounds)?;
        Some(Hint {
            channel: lane.channel.clone(),
            side,
            nearest: NodeAt { lane: index, node },
            y,
        })
    });
    hints.collect()
}

/// Returns the side of a lane's entries and the index of the nearest one; `None` if a node is
/// visible or there are no entries.
fn hidden_entries(
    lane: &Lane,
    header: f32,
    view: Viewport,
    bounds: Bounds,
) -> Option<(Side, usize)> {
    let (min_width, left) = (MIN_VISIBLE / view.scale, view.x);
    let right = left + bounds.view_width / view.scale;
    let is_left = |node: &EntryNode| f64::from(node.x + node.width - header) < left + min_width;
    let is_right = |node: &EntryNode| f64::from(node.x - header) > right - min_width;
    if lane
        .nodes
        .iter()
        .any(|node| !is_left(node) && !is_right(node))
    {
        return None;
    }
    // A name that the channel does not list is not an entry.
    let is_entry = |node: &EntryNode| {
        matches!(node.kind, EntryNodeKind::Entry | EntryNodeKind::Stack) && !node.marks.absent
    };
    let mut nodes = lane.nodes.iter();
    if let Some(node) = nodes.rposition(|node| is_entry(node) && is_left(node)) {
        return Some((Side::Left, node));
    }
    let node = lane
        .nodes
        .iter()
        .position(|node| is_entry(node) && is_right(node))?;
    Some((Side::Right, node))
}

/// Hints, drawn above the lanes and below the headings. Their size does not depend on the scale.
#[component]
pub(super) fn LaneHints(shared: GraphContext) -> impl IntoView {
    let hints = memo(move |_| {
        let (view, bounds) = (shared.view.get(), shared.bounds.get());
        shared.lanes.with(|lanes| hints(lanes, view, bounds))
    });
    let count = memo(move |_| hints.with(Vec::len));
    view! {
        <For each=move || 0..count.get() key=|index| *index let:index>
            {hint_view(shared, hints, index)}
        </For>
    }
    .into_any()
}

/// Renders a hint. Its group is kept while the view moves, so that it keeps the focus.
fn hint_view(shared: GraphContext, all: Memo<Vec<Hint>>, index: usize) -> AnyView {
    let hint = memo(move |_| all.with(|all| all.get(index).cloned()));
    let show_entries = move || {
        if let Some(hint) = hint.get_untracked() {
            go_to(shared, hint.nearest);
        }
    };
    view! {
        <g class="lane-hint" data-press="" role="button" tabindex="0" aria-label=move || hint.with(|hint| hint.as_ref().map(Hint::label))
            on:click=move |_| show_entries()
            on:keydown=move |event| {
                if matches!(event.key().as_str(), "Enter" | " ") {
                    event.prevent_default();
                    event.stop_propagation();
                    show_entries();
                }
            }>
            {redrawn_whole(move || hint.with(|hint| hint.as_ref().map(|hint| draw_hint(shared, hint))).into_any())}
        </g>
    }
    .into_any()
}

fn draw_hint(shared: GraphContext, hint: &Hint) -> AnyView {
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
    use super::*;
    use crate::features::graph::testing::{lane, node};
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
        let all_lanes = vec![
            lane("old", 0.0, old),
            lane("new", 60.0, new),
            lane("none", 120.0, Vec::new()),
        ];
        let lanes = Lanes {
            lanes: all_lanes,
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
            let hints = hints(&lanes, view, bounds);
            hints
                .iter()
                .map(|hint| (hint.text(), hint.nearest.lane, hint.nearest.node))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            at(300.0),
            [
                ("← entries to the left", 0, 2),
                ("entries to the right →", 1, 1)
            ]
        );
        assert_eq!(
            at(0.0),
            [("entries to the right →", 1, 1)],
            "no hint for visible entries"
        );
        assert_eq!(at(600.0), [("← entries to the left", 0, 2)]);
    }

    #[test]
    fn lanes_out_of_view_and_low_lanes_have_no_hints() {
        let all_lanes = vec![lane(
            "old",
            500.0,
            vec![node(EntryNodeKind::Entry, "a", 0.0, 510.0)],
        )];
        let lanes = Lanes {
            lanes: all_lanes,
            ..Lanes::default()
        };
        let bounds = Bounds {
            view_width: 400.0,
            view_height: 400.0,
            ..Bounds::default()
        };
        let at = |y: f64, scale: f64| hints(&lanes, Viewport { x: 300.0, y, scale }, bounds).len();
        assert_eq!((at(0.0, 1.0), at(300.0, 1.0), at(0.0, 0.3)), (0, 1, 0));
    }
}
