//! Arrow keys: along the nodes of a lane, and between the lanes of a column.
//!
//! Keys that follow edges: they move the focus and announce the edge.
//!
//! Keys of y-stream and chain headings: buttons that fold and unfold, with a menu.
//!
//! | key | effect |
//! |---|---|
//! | Enter, Space | folds or unfolds |
//! | Left, Right | neighbours of the same kind |
//! | Down | the nodes |
//! | Shift+F10 | the menu |

use super::actions::go_to;
use super::edge_walk::{EdgeDirection, WalkResult};
use super::{GraphContext, GraphEvent};
use crate::widgets::dom;
use leptos::ev;
use leptos::prelude::*;
use protocol::lanes::{EntryNode, EntryNodeKind, Lanes};
use protocol::views::EntryRef;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, SvgElement};

/// A node by its indices in [`Lanes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeAt {
    pub lane: usize,
    pub node: usize,
}

/// The direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrowMove {
    Left,
    Right,
    Up,
    Down,
    First,
    Last,
}

pub fn node_at(lanes: &Lanes, at: NodeAt) -> Option<&EntryNode> {
    lanes.lanes.get(at.lane)?.nodes.get(at.node)
}

/// The first node with a name in a channel.
pub fn find(lanes: &Lanes, channel: &str, name: &str) -> Option<NodeAt> {
    lanes
        .lanes
        .iter()
        .enumerate()
        .filter(|(_, lane)| lane.channel == channel)
        .find_map(|(l, lane)| {
            let node = lane.nodes.iter().position(|c| c.name == name).or_else(|| {
                lane.nodes
                    .iter()
                    .position(|c| c.members.iter().any(|m| m == name))
            })?;
            Some(NodeAt { lane: l, node })
        })
}

/// The entries of a channel in lane order, including those in stacks.
pub fn entries_of(lanes: &Lanes, channel: &str) -> Vec<EntryRef> {
    let nodes = lanes
        .lanes
        .iter()
        .filter(|lane| lane.channel == channel)
        .flat_map(|lane| &lane.nodes);
    let names = nodes
        .filter(|node| matches!(node.kind, EntryNodeKind::Entry | EntryNodeKind::Stack))
        .flat_map(names_of);
    names
        .map(|name| EntryRef {
            channel: channel.to_owned(),
            name: name.clone(),
        })
        .collect()
}

/// The names represented by a node: its own, or those of a stack.
pub fn names_of(node: &EntryNode) -> &[String] {
    if node.members.is_empty() {
        std::slice::from_ref(&node.name)
    } else {
        &node.members
    }
}

/// The y-stream above a node.
pub fn stream_over(lanes: &Lanes, at: NodeAt) -> Option<&str> {
    let node = node_at(lanes, at)?;
    let middle = node.x + node.width / 2.0;
    let stream = lanes
        .streams
        .iter()
        .find(|s| !s.label.is_empty() && (s.x..s.x + s.width).contains(&middle))?;
    Some(&stream.key)
}

/// The initial focus: the default lane's head, else the last node of the first non-empty lane.
pub fn start(lanes: &Lanes) -> Option<NodeAt> {
    let (lane, nodes) = lanes
        .lanes
        .iter()
        .enumerate()
        .find(|(_, l)| !l.nodes.is_empty())?;
    let head = nodes
        .nodes
        .iter()
        .position(|c| c.marks.head)
        .unwrap_or(nodes.nodes.len() - 1);
    Some(NodeAt { lane, node: head })
}

/// The position of a node after the lanes are replaced: where it is now, or the stack that contains
/// it, or else what is at its old position.
pub fn find_again(before: &Lanes, at: NodeAt, after: &Lanes) -> Option<NodeAt> {
    let lane = before.lanes.get(at.lane)?;
    let node = lane.nodes.get(at.node)?;
    // Members of a stack stay together, so the first one is enough.
    let same = names_of(node)
        .first()
        .and_then(|name| find(after, &lane.channel, name));
    let beside = || {
        let (index, lane) = after
            .lanes
            .iter()
            .enumerate()
            .find(|(_, other)| other.channel == lane.channel)?;
        Some(NodeAt {
            lane: index,
            node: at.node.min(lane.nodes.len().checked_sub(1)?),
        })
    };
    same.or_else(beside).or_else(|| start(after))
}

/// The next node in a direction; `None` at the edge. Up and down go to the node nearest in x.
pub fn step(lanes: &Lanes, at: NodeAt, go: ArrowMove) -> Option<NodeAt> {
    let lane = lanes.lanes.get(at.lane)?;
    let same = |node: usize| {
        (node < lane.nodes.len()).then_some(NodeAt {
            lane: at.lane,
            node,
        })
    };
    match go {
        ArrowMove::Left => at.node.checked_sub(1).and_then(same),
        ArrowMove::Right => same(at.node + 1),
        ArrowMove::First => same(0),
        ArrowMove::Last => lane.nodes.len().checked_sub(1).and_then(same),
        ArrowMove::Up => (0..at.lane).rev().find_map(|l| nearest(lanes, at, l)),
        ArrowMove::Down => (at.lane + 1..lanes.lanes.len()).find_map(|l| nearest(lanes, at, l)),
    }
}

fn nearest(lanes: &Lanes, from: NodeAt, lane: usize) -> Option<NodeAt> {
    let x = node_at(lanes, from)?.x;
    let nodes = &lanes.lanes.get(lane)?.nodes;
    let (node, _) = nodes
        .iter()
        .enumerate()
        .min_by(|(_, a), (_, b)| (a.x - x).abs().total_cmp(&(b.x - x).abs()))?;
    Some(NodeAt { lane, node })
}

/// Help text for keyboard navigation in the graph, for screen readers.
pub const KEYS: &str = "Arrows go along a lane and between lanes. \
    Brackets follow edges: [ to what an entry replaces, ] to what replaces it, \
    { to what it skips, } to what skips it; press again for the next one. \
    Enter selects, Space adds to the selection, Escape goes back.";

/// True if the key was handled.
pub fn on_edge_key(shared: GraphContext, event: &ev::KeyboardEvent) -> bool {
    // Brackets require AltGr or Alt on many keyboards.
    let is_plain = !event.meta_key() && (!event.ctrl_key() || event.get_modifier_state("AltGraph"));
    match (event.key().as_str(), shared.focus.get_untracked()) {
        (key, Some(at)) if is_plain && EdgeDirection::from_key(key).is_some() => {
            EdgeDirection::from_key(key).is_some_and(|follow| go(shared, along(shared, at, follow)))
        }
        ("Escape", Some(at)) if shared.drag.with_untracked(Option::is_none) => {
            back(shared, at).is_some_and(|followed| go(shared, followed))
        }
        ("ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown" | "Home" | "End", _) => {
            shared.trail.update_value(super::edge_walk::EdgeWalk::clear);
            false
        }
        ("Enter" | " ", _) => {
            shared
                .trail
                .update_value(super::edge_walk::EdgeWalk::accept);
            false
        }
        _ => false,
    }
}

fn along(shared: GraphContext, at: NodeAt, follow: EdgeDirection) -> WalkResult {
    let (lanes, facts) = (shared.lanes.get_untracked(), shared.facts.get_untracked());
    let followed = shared
        .trail
        .try_update_value(|trail| trail.follow(&lanes, &facts.table, at, follow));
    followed.unwrap_or(WalkResult {
        to: None,
        says: String::new(),
    })
}

fn back(shared: GraphContext, at: NodeAt) -> Option<WalkResult> {
    let lanes = shared.lanes.get_untracked();
    shared
        .trail
        .try_update_value(|trail| trail.back(&lanes, at))
        .flatten()
}

fn go(shared: GraphContext, followed: WalkResult) -> bool {
    shared.on.run(GraphEvent::Said(followed.says));
    if let Some(to) = followed.to {
        go_to(shared, to);
    }
    true
}

/// The action requested by a key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum HeadingKey {
    Toggle,
    Down,
    /// At a point of the window.
    Menu {
        x: f64,
        y: f64,
    },
}

/// Moves between headings with the same `kind` attribute, and reports other actions.
pub(super) fn on_heading_key(event: &KeyboardEvent, kind: &str, tell: impl FnOnce(HeadingKey)) {
    // With modifiers the key belongs to others.
    if dom::has_modifier(event) {
        return;
    }
    let heading = dom::element(event.current_target());
    match event.key().as_str() {
        "Enter" | " " => tell(HeadingKey::Toggle),
        "ArrowDown" => tell(HeadingKey::Down),
        "ArrowLeft" => focus_of(
            kind,
            heading.and_then(|heading| heading.previous_element_sibling()),
        ),
        "ArrowRight" => focus_of(
            kind,
            heading.and_then(|heading| heading.next_element_sibling()),
        ),
        "ContextMenu" | "F10" if event.key() == "ContextMenu" || event.shift_key() => {
            let (x, y) = dom::below(heading.as_ref());
            tell(HeadingKey::Menu { x, y });
        }
        _ => return,
    }
    event.prevent_default();
    event.stop_propagation();
}

fn focus_of(kind: &str, element: Option<Element>) {
    focus(
        element
            .filter(|element| element.has_attribute(kind))
            .and_then(|element| element.dyn_into().ok()),
    );
}

pub(super) fn focus(element: Option<SvgElement>) {
    if let Some(element) = element {
        // Fails only if the element is gone, when there is nothing to focus.
        let _ = element.focus();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::graph::testing::{lane, node};
    fn lanes(channels: &[(&str, &[&str])]) -> Lanes {
        let one = |name: &&str| match name.split_once('=') {
            Some((stack, members)) => EntryNode {
                members: members.split(',').map(str::to_owned).collect(),
                ..node(EntryNodeKind::Stack, stack, 0.0, 0.0)
            },
            None => node(EntryNodeKind::Entry, name, 0.0, 0.0),
        };
        let lanes = channels
            .iter()
            .map(|(channel, nodes)| lane(channel, 0.0, nodes.iter().map(one).collect()));
        Lanes {
            lanes: lanes.collect(),
            ..Lanes::default()
        }
    }

    #[test]
    fn a_place_stays_with_its_node() {
        let before = lanes(&[("stable", &["0.x=a,b", "c", "d"]), ("fast", &["d"])]);
        let kept = |lane: usize, node: usize, after: &[(&str, &[&str])]| {
            find_again(&before, NodeAt { lane, node }, &lanes(after)).map(|at| (at.lane, at.node))
        };
        assert_eq!(
            kept(
                0,
                2,
                &[("fast", &["d"]), ("stable", &["0.x=a,b", "c", "new", "d"])]
            ),
            Some((1, 3))
        );
        assert_eq!(
            kept(0, 0, &[("stable", &["a", "b", "c", "d"])]),
            Some((0, 0)),
            "its stack was opened"
        );
        assert_eq!(
            kept(0, 1, &[("stable", &["0.x=a,b,c", "d"])]),
            Some((0, 0)),
            "it is in a stack now"
        );
        assert_eq!(
            kept(0, 2, &[("stable", &["a", "c"])]),
            Some((0, 1)),
            "it is gone: the nearest"
        );
        assert_eq!(
            kept(1, 0, &[("fast", &[]), ("stable", &["a", "c"])]),
            Some((1, 1)),
            "so is its lane"
        );
        assert_eq!(kept(0, 0, &[]), None);
        assert_eq!(kept(5, 0, &[("stable", &["a"])]), None);
    }
}
