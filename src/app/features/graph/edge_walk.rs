//! Keyboard navigation along edges: from an entry to what it replaces or skips, and to what
//! replaces or skips it. If there are several, the same key cycles through them; another key goes
//! back.

use super::GraphContext;
use super::actions::go_to;
use super::nodes::{self, NodeAt, names_of, node_at};
use leptos::ev;
use leptos::prelude::*;
use protocol::counting::count_of;
use protocol::lanes::{EntryNode, EntryNodeKind, Lane, Lanes, Reach};
use protocol::views::{EntryRef, TableRow};
use std::collections::{HashMap, HashSet};

/// Help text for keyboard navigation in the graph, for screen readers.
pub const KEYBOARD_HELP: &str = "Arrows go along a lane and between lanes. \
    Brackets follow edges: [ to what an entry replaces, ] to what replaces it, \
    { to what it skips, } to what skips it; press again for the next one. \
    Enter selects, Space adds to the selection, Escape goes back.";

/// The kind and direction of edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EdgeDirection {
    /// To the entry that it replaces.
    Replaced,
    /// To the entries that replace it.
    Replacing,
    /// To the entries that it skips, by name or range.
    Skipped,
    /// To the entries that skip it.
    Skipping,
}

impl EdgeDirection {
    fn from_key(key: &str) -> Option<Self> {
        match key {
            "[" => Some(EdgeDirection::Replaced),
            "]" => Some(EdgeDirection::Replacing),
            "{" => Some(EdgeDirection::Skipped),
            "}" => Some(EdgeDirection::Skipping),
            _ => None,
        }
    }

    fn no_edge_message(self, name: &str) -> String {
        match self {
            EdgeDirection::Replaced => format!("{name} replaces nothing here"),
            EdgeDirection::Replacing => format!("nothing here replaces {name}"),
            EdgeDirection::Skipped => format!("{name} skips nothing here"),
            EdgeDirection::Skipping => format!("nothing here skips {name}"),
        }
    }
}

/// The result of a key press: the node to focus, if any, and the announcement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct WalkResult {
    to: Option<NodeAt>,
    sentence: String,
}

/// Oldest first.
#[derive(Debug, Clone, Default)]
pub struct EdgeWalk {
    steps: Vec<WalkStep>,
}

/// A followed edge. Stores names, because indices in [`Lanes`] change with every edit.
#[derive(Debug, Clone)]
struct WalkStep {
    from: EntryRef,
    to: EntryRef,
    direction: EdgeDirection,
    /// Index of the chosen edge.
    choice: usize,
    /// If set, the same key continues from `to` instead of cycling.
    accepted: bool,
}

impl EdgeWalk {
    /// Follows an edge of the node `at`. Cycles through the alternatives if the same key led here.
    fn follow(
        &mut self,
        lanes: &Lanes,
        table: &[TableRow],
        at: NodeAt,
        direction: EdgeDirection,
    ) -> WalkResult {
        let Some(here) = entry_at(lanes, at) else {
            return WalkResult::default();
        };
        if let Some(last) = self
            .steps
            .last_mut()
            .filter(|s| !s.accepted && s.direction == direction && s.to == here)
        {
            let all = nodes::find(lanes, &last.from.channel, &last.from.name)
                .map(|from| edge_ends(lanes, table, from, direction))
                .unwrap_or_default();
            if all.len() > 1 {
                last.choice = (last.choice + 1) % all.len();
                let followed = choose(&all, last.choice);
                last.to = followed
                    .to
                    .and_then(|to| entry_at(lanes, to))
                    .unwrap_or(here);
                return followed;
            }
        }
        let all = edge_ends(lanes, table, at, direction);
        let followed = if all.is_empty() {
            let name = node_at(lanes, at).map(node_name).unwrap_or_default();
            WalkResult {
                to: None,
                sentence: direction.no_edge_message(&name),
            }
        } else {
            choose(&all, 0)
        };
        if let Some(to) = followed.to.and_then(|to| entry_at(lanes, to)) {
            self.steps.push(WalkStep {
                from: here,
                to,
                direction,
                choice: 0,
                accepted: false,
            });
        }
        followed
    }

    /// Accepts the end of the last edge.
    fn accept(&mut self) {
        if let Some(last) = self.steps.last_mut() {
            last.accepted = true;
        }
    }

    /// Goes back along the last edge if the focus is still at its end.
    fn back(&mut self, lanes: &Lanes, at: NodeAt) -> Option<WalkResult> {
        let last = self.steps.pop()?;
        let from = nodes::find(lanes, &last.from.channel, &last.from.name)
            .filter(|_| entry_at(lanes, at).as_ref() == Some(&last.to));
        let Some((from, node)) = from.and_then(|from| Some((from, node_at(lanes, from)?))) else {
            self.clear();
            return None;
        };
        // Going back accepts this node, so the same key starts a new cycle.
        self.accept();
        Some(WalkResult {
            to: Some(from),
            sentence: format!("back at {}", node_name(node)),
        })
    }

    /// Forgets the followed edges. Call it when the focus moves by other keys.
    fn clear(&mut self) {
        self.steps.clear();
    }
}

fn entry_at(lanes: &Lanes, at: NodeAt) -> Option<EntryRef> {
    let channel = lanes.lanes.get(at.lane)?.channel.clone();
    Some(EntryRef {
        channel,
        name: node_at(lanes, at)?.name.clone(),
    })
}

fn choose(all: &[WalkResult], choice: usize) -> WalkResult {
    let mut chosen = all.get(choice).cloned().unwrap_or_default();
    if all.len() > 1 {
        chosen.sentence += &format!(", {} of {}", choice + 1, all.len());
    }
    chosen
}

/// Returns the edges of a node within its lane: edges by name before edges by range, nearest first.
fn edge_ends(
    lanes: &Lanes,
    table: &[TableRow],
    at: NodeAt,
    direction: EdgeDirection,
) -> Vec<WalkResult> {
    let Some((lane, node)) = lanes.lanes.get(at.lane).zip(node_at(lanes, at)) else {
        return Vec::new();
    };
    let by_name = nearest_first(ends_by_name(lane, node, table, direction), at.node);
    let mut by_range = nearest_first(ends_by_range(lane, at.node, direction), at.node);
    by_range.retain(|index| !by_name.contains(index));
    let mut results = Vec::new();
    for (ends, is_range) in [(by_name, false), (by_range, true)] {
        for index in ends {
            let Some(end) = lane.nodes.get(index) else {
                continue;
            };
            results.push(WalkResult {
                to: Some(NodeAt {
                    lane: at.lane,
                    node: index,
                }),
                sentence: describe_edge(node, end, direction, is_range),
            });
        }
    }
    results
}

/// Returns the indices of the nodes that `node` replaces or skips by name, or that do so to it.
fn ends_by_name(
    lane: &Lane,
    node: &EntryNode,
    table: &[TableRow],
    direction: EdgeDirection,
) -> Vec<usize> {
    let names: HashSet<&String> = names_of(node).iter().collect();
    let mut ends: Vec<&String> = Vec::new();
    for row in table.iter().filter(|row| row.channel == lane.channel) {
        let is_of_node = names.contains(&row.entry);
        match direction {
            EdgeDirection::Replaced if is_of_node => ends.push(&row.replaces),
            EdgeDirection::Skipped if is_of_node => ends.extend(&row.skips),
            EdgeDirection::Replacing if names.contains(&row.replaces) => ends.push(&row.entry),
            EdgeDirection::Skipping if row.skips.iter().any(|name| names.contains(name)) => {
                ends.push(&row.entry);
            }
            _ => {}
        }
    }
    let indices = first_node_by_name(lane);
    ends.into_iter()
        .filter_map(|name| indices.get(name).copied())
        .collect()
}

/// Returns the indices of the nodes that the range of a node covers, or whose range covers it.
fn ends_by_range(lane: &Lane, index: usize, direction: EdgeDirection) -> Vec<usize> {
    let is_present = |index: usize| lane.nodes.get(index).is_some_and(|node| !node.marks.absent);
    let covered = |reach: &Reach| -> Vec<usize> {
        let spans = reach.over.iter();
        spans
            .flat_map(|&(first, last)| first as usize..=last as usize)
            .collect()
    };
    let reaches = lane.reaches.iter();
    match direction {
        EdgeDirection::Skipped => reaches
            .filter(|reach| reach.node as usize == index)
            .flat_map(covered)
            .filter(|covered| is_present(*covered))
            .collect(),
        EdgeDirection::Skipping if is_present(index) => reaches
            .filter(|reach| covered(reach).contains(&index))
            .map(|reach| reach.node as usize)
            .collect(),
        _ => Vec::new(),
    }
}

/// Sorts node indices by their distance from `start`, and removes `start` and duplicates.
fn nearest_first(mut indices: Vec<usize>, start: usize) -> Vec<usize> {
    indices.retain(|index| *index != start);
    indices.sort_unstable_by_key(|index| (index.abs_diff(start), *index));
    indices.dedup();
    indices
}

fn describe_edge(
    from: &EntryNode,
    to: &EntryNode,
    direction: EdgeDirection,
    is_range: bool,
) -> String {
    let (from, to) = (node_name(from), node_name(to));
    match (direction, is_range) {
        (EdgeDirection::Replaced, _) => format!("{from}, replaces {to}"),
        (EdgeDirection::Replacing, _) => format!("{from}, replaced by {to}"),
        (EdgeDirection::Skipped, false) => format!("{from}, skips {to}"),
        (EdgeDirection::Skipped, true) => format!("{from}, skips {to} by its range"),
        (EdgeDirection::Skipping, false) => format!("{from}, skipped by {to}"),
        (EdgeDirection::Skipping, true) => format!("{from}, skipped by the range of {to}"),
    }
}

/// Maps each name to the index of its first node. Built once: a stack can skip as many names as its
/// lane has nodes.
fn first_node_by_name(lane: &Lane) -> HashMap<&String, usize> {
    let mut indices = HashMap::new();
    for (index, node) in lane.nodes.iter().enumerate() {
        if node.kind == EntryNodeKind::Removed {
            continue;
        }
        for name in names_of(node) {
            indices.entry(name).or_insert(index);
        }
    }
    indices
}

/// Returns a node's name for a sentence: its version, if known.
fn node_name(node: &EntryNode) -> String {
    let count = || count_of(node.count as usize, "entry");
    match (node.kind, node.version.is_empty()) {
        (EntryNodeKind::Stack, _) if node.name.is_empty() => count(),
        (EntryNodeKind::Stack, _) => format!("{} of {}", count(), node.name),
        (_, true) => node.name.clone(),
        (_, false) => node.version.clone(),
    }
}

/// Handles a key that follows edges. Returns whether it was handled.
pub fn on_edge_key(shared: GraphContext, event: &ev::KeyboardEvent) -> bool {
    // Many keyboards need AltGr or Alt to type brackets.
    let is_plain = !event.meta_key() && (!event.ctrl_key() || event.get_modifier_state("AltGraph"));
    let key = event.key();
    let focus = shared.focus.get_untracked();
    let direction = EdgeDirection::from_key(&key).filter(|_| is_plain);
    if let Some((direction, at)) = direction.zip(focus) {
        return apply(shared, follow(shared, at, direction));
    }
    match (key.as_str(), focus) {
        ("Escape", Some(at)) if shared.drag.with_untracked(Option::is_none) => {
            back(shared, at).is_some_and(|result| apply(shared, result))
        }
        ("ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown" | "Home" | "End", _) => {
            shared.trail.update_value(EdgeWalk::clear);
            false
        }
        ("Enter" | " ", _) => {
            shared.trail.update_value(EdgeWalk::accept);
            false
        }
        _ => false,
    }
}

fn follow(shared: GraphContext, at: NodeAt, direction: EdgeDirection) -> WalkResult {
    let (lanes, facts) = (shared.lanes.get_untracked(), shared.facts.get_untracked());
    let followed = shared
        .trail
        .try_update_value(|trail| trail.follow(&lanes, &facts.table, at, direction));
    followed.unwrap_or_default()
}

fn back(shared: GraphContext, at: NodeAt) -> Option<WalkResult> {
    let lanes = shared.lanes.get_untracked();
    shared
        .trail
        .try_update_value(|trail| trail.back(&lanes, at))
        .flatten()
}

/// Announces the result and focuses its node. Returns `true`: the key is handled.
fn apply(shared: GraphContext, result: WalkResult) -> bool {
    shared.app.notifications.announcer.say(result.sentence);
    if let Some(to) = result.to {
        go_to(shared, to);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;
    use std::sync::Arc;

    /// `stable`: 0 and 1 in a stack, 2 ← 3 ← 4, 5 replaces 3 too and skips 4 and 2; the range of 4
    /// covers the stack and 2.
    fn lanes() -> Lanes {
        let node = |name: &str| testing::node(EntryNodeKind::Entry, name, 0.0, 0.0);
        let mut stack = testing::node(EntryNodeKind::Stack, "0.x", 0.0, 0.0);
        stack.members = vec!["0".into(), "1".into()];
        stack.count = 2;
        let mut lane = testing::lane(
            "stable",
            0.0,
            vec![stack, node("2"), node("3"), node("4"), node("5")],
        );
        let changed = Arc::make_mut(&mut lane);
        changed.nodes[3].version = "4.0.0".into();
        changed.reaches = vec![Reach {
            node: 3,
            over: vec![(0, 1)],
        }];
        Lanes {
            lanes: vec![testing::lane("fast", 0.0, vec![node("2")]), lane],
            ..Lanes::default()
        }
    }

    fn table() -> Vec<TableRow> {
        let row = |entry: &str, replaces: &str, skips: &[&str]| TableRow {
            channel: "stable".into(),
            entry: entry.into(),
            replaces: replaces.into(),
            skips: skips.iter().map(ToString::to_string).collect(),
            ..TableRow::default()
        };
        let other = TableRow {
            channel: "fast".into(),
            ..row("2", "5", &["5"])
        };
        vec![
            other,
            row("0", "", &[]),
            row("1", "0", &[]),
            row("2", "1", &[]),
            row("3", "2", &[]),
            row("4", "3", &[]),
            row("5", "3", &["4", "2", "gone"]),
        ]
    }

    fn at(node: usize) -> NodeAt {
        NodeAt { lane: 1, node }
    }

    fn describe(node: usize, direction: EdgeDirection) -> Vec<String> {
        edge_ends(&lanes(), &table(), at(node), direction)
            .into_iter()
            .map(|end| end.sentence)
            .collect()
    }

    #[test]
    fn each_key_has_its_edges() {
        assert_eq!(describe(3, EdgeDirection::Replaced), ["4.0.0, replaces 3"]);
        assert_eq!(
            describe(2, EdgeDirection::Replacing),
            ["3, replaced by 4.0.0", "3, replaced by 5"]
        );
        assert_eq!(
            describe(4, EdgeDirection::Skipped),
            ["5, skips 4.0.0", "5, skips 2"]
        );
        assert_eq!(
            describe(3, EdgeDirection::Skipped),
            [
                "4.0.0, skips 2 by its range",
                "4.0.0, skips 2 entries of 0.x by its range"
            ]
        );
        assert_eq!(
            describe(1, EdgeDirection::Skipping),
            ["2, skipped by 5", "2, skipped by the range of 4.0.0"]
        );
        assert_eq!(
            describe(1, EdgeDirection::Replaced),
            ["2, replaces 2 entries of 0.x"]
        );
        assert_eq!(
            describe(0, EdgeDirection::Replaced),
            [""; 0],
            "edges inside a stack lead nowhere"
        );
        assert_eq!(describe(9, EdgeDirection::Replaced), [""; 0]);
    }

    #[test]
    fn a_range_does_not_skip_absent_entries() {
        let mut lanes = lanes();
        let lane = Arc::make_mut(&mut lanes.lanes[1]);
        lane.nodes[1].marks.absent = true;
        lane.reaches = vec![Reach {
            node: 3,
            over: vec![(0, 2)],
        }];
        let ends = |node: usize, follow| {
            edge_ends(&lanes, &[], at(node), follow)
                .into_iter()
                .filter_map(|end| Some(end.to?.node))
                .collect::<Vec<usize>>()
        };
        assert_eq!(ends(3, EdgeDirection::Skipped), [2, 0]);
        assert_eq!(ends(1, EdgeDirection::Skipping), [0; 0]);
        assert_eq!(ends(2, EdgeDirection::Skipping), [3]);
    }

    #[test]
    fn the_same_key_cycles_and_another_key_walks_on() {
        let (lanes, table) = (lanes(), table());
        let mut trail = EdgeWalk::default();
        let mut here = at(1);
        let mut press = |trail: &mut EdgeWalk, direction: EdgeDirection| {
            let followed = trail.follow(&lanes, &table, here, direction);
            here = followed.to.unwrap_or(here);
            (here.node, followed.sentence)
        };
        assert_eq!(
            press(&mut trail, EdgeDirection::Replacing),
            (2, "2, replaced by 3".into())
        );
        assert_eq!(
            press(&mut trail, EdgeDirection::Replacing),
            (3, "3, replaced by 4.0.0, 1 of 2".into())
        );
        assert_eq!(
            press(&mut trail, EdgeDirection::Replacing),
            (4, "3, replaced by 5, 2 of 2".into())
        );
        assert_eq!(
            press(&mut trail, EdgeDirection::Replacing),
            (3, "3, replaced by 4.0.0, 1 of 2".into()),
            "round"
        );
        trail.accept();
        assert_eq!(
            press(&mut trail, EdgeDirection::Replacing),
            (3, "nothing here replaces 4.0.0".into())
        );
        assert_eq!(
            press(&mut trail, EdgeDirection::Skipping),
            (4, "4.0.0, skipped by 5".into())
        );
        let mut back = || {
            let followed = trail.back(&lanes, here)?;
            here = followed.to?;
            Some((here.node, followed.sentence))
        };
        assert_eq!(back(), Some((3, "back at 4.0.0".into())));
        assert_eq!(back(), Some((2, "back at 3".into())));
        assert_eq!(back(), Some((1, "back at 2".into())));
        assert_eq!(back(), None);
    }

    #[test]
    fn there_is_no_way_back_from_an_unrelated_node() {
        let (lanes, table) = (lanes(), table());
        let mut trail = EdgeWalk::default();
        trail.follow(&lanes, &table, at(1), EdgeDirection::Replacing);
        trail.follow(&lanes, &table, at(2), EdgeDirection::Replaced);
        assert_eq!(trail.back(&lanes, at(4)), None);
        assert_eq!(trail.back(&lanes, at(1)), None, "and the rest is forgotten");
    }
}
