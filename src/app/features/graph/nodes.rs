//! Finds nodes: by name, by index, and the next one for an arrow key.

use protocol::lanes::{EntryNode, EntryNodeKind, Lane, Lanes};
use protocol::views::EntryRef;

/// A node by its indices in [`Lanes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeAt {
    pub lane: usize,
    pub node: usize,
}

/// The direction of an arrow key, Home or End.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrowMove {
    Left,
    Right,
    Up,
    Down,
    First,
    Last,
}

impl ArrowMove {
    pub fn from_key(key: &str) -> Option<Self> {
        match key {
            "ArrowLeft" => Some(ArrowMove::Left),
            "ArrowRight" => Some(ArrowMove::Right),
            "ArrowUp" => Some(ArrowMove::Up),
            "ArrowDown" => Some(ArrowMove::Down),
            "Home" => Some(ArrowMove::First),
            "End" => Some(ArrowMove::Last),
            _ => None,
        }
    }
}

pub fn node_at(lanes: &Lanes, at: NodeAt) -> Option<&EntryNode> {
    lanes.lanes.get(at.lane)?.nodes.get(at.node)
}

pub fn find(lanes: &Lanes, channel: &str, name: &str) -> Option<NodeAt> {
    lanes
        .lanes
        .iter()
        .enumerate()
        .filter(|(_, lane)| lane.channel == channel)
        .find_map(|(index, lane)| {
            let mut nodes = lane.nodes.iter();
            let node = nodes.position(|node| node.name == name).or_else(|| {
                let mut stacks = lane.nodes.iter();
                stacks.position(|stack| stack.members.iter().any(|member| member == name))
            })?;
            Some(NodeAt { lane: index, node })
        })
}

/// Returns the entries of the nodes that `accepts` selects in lane order, including those in
/// stacks.
pub fn entries(lanes: &Lanes, accepts: impl Fn(&Lane, &EntryNode) -> bool) -> Vec<EntryRef> {
    let mut entries = Vec::new();
    for lane in &lanes.lanes {
        let nodes = lane.nodes.iter().filter(|node| {
            matches!(node.kind, EntryNodeKind::Entry | EntryNodeKind::Stack) && accepts(lane, node)
        });
        entries.extend(nodes.flat_map(names_of).map(|name| EntryRef {
            channel: lane.channel.clone(),
            name: name.clone(),
        }));
    }
    entries
}

/// Returns the names represented by a node: its own, or those of a stack.
pub fn names_of(node: &EntryNode) -> &[String] {
    if node.members.is_empty() {
        std::slice::from_ref(&node.name)
    } else {
        &node.members
    }
}

pub fn stream_over(lanes: &Lanes, at: NodeAt) -> Option<&str> {
    let node = node_at(lanes, at)?;
    let middle = node.x + node.width / 2.0;
    let stream = lanes
        .streams
        .iter()
        .find(|s| !s.label.is_empty() && (s.x..s.x + s.width).contains(&middle))?;
    Some(&stream.key)
}

/// Returns the initial focus: the head of the default lane, or else the last node of the first
/// non-empty lane.
pub fn initial_focus(lanes: &Lanes) -> Option<NodeAt> {
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

/// Finds a node again after the lanes were replaced: its new position, or the stack that contains
/// it, or else the node at its old position.
pub fn find_again(before: &Lanes, at: NodeAt, after: &Lanes) -> Option<NodeAt> {
    let lane = before.lanes.get(at.lane)?;
    let node = lane.nodes.get(at.node)?;
    // Members of a stack stay together: the first one is enough.
    let moved = names_of(node)
        .first()
        .and_then(|name| find(after, &lane.channel, name));
    let at_old_position = || {
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
    moved
        .or_else(at_old_position)
        .or_else(|| initial_focus(after))
}

/// Returns the next node in a direction; `None` at the edge. Up and down move to the node nearest
/// in x.
pub fn step(lanes: &Lanes, at: NodeAt, direction: ArrowMove) -> Option<NodeAt> {
    let lane = lanes.lanes.get(at.lane)?;
    let in_lane = |node: usize| {
        (node < lane.nodes.len()).then_some(NodeAt {
            lane: at.lane,
            node,
        })
    };
    match direction {
        ArrowMove::Left => at.node.checked_sub(1).and_then(in_lane),
        ArrowMove::Right => in_lane(at.node + 1),
        ArrowMove::First => in_lane(0),
        ArrowMove::Last => lane.nodes.len().checked_sub(1).and_then(in_lane),
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
