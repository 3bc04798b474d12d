//! Keyboard navigation along edges: from an entry to what it replaces or skips, and to what
//! replaces or skips it. If there are several, the same key cycles through them; another key goes
//! back.

use super::GraphContext;
use super::actions::go_to;
use super::nodes::{self, NodeAt, names_of, node_at};
use leptos::ev;
use leptos::prelude::*;
use protocol::lanes::{EntryNode, EntryNodeKind, Lane, Lanes};
use protocol::views::{EntryRef, TableRow};
use std::collections::{HashMap, HashSet};

/// The kind and direction of edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EdgeDirection {
    /// What the entry replaces.
    Replaced,
    /// What replaces it.
    Replacing,
    /// What it skips, by name or range.
    Skipped,
    /// What skips it.
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

    fn nothing(self, name: &str) -> String {
        match self {
            EdgeDirection::Replaced => format!("{name} replaces nothing here"),
            EdgeDirection::Replacing => format!("nothing here replaces {name}"),
            EdgeDirection::Skipped => format!("{name} skips nothing here"),
            EdgeDirection::Skipping => format!("nothing here skips {name}"),
        }
    }
}

/// The result of a key: the target, if any, and the announcement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct WalkResult {
    to: Option<NodeAt>,
    sentence: String,
}

/// The followed edges, oldest first.
#[derive(Debug, Clone, Default)]
pub struct EdgeWalk {
    steps: Vec<WalkStep>,
}

/// A followed edge. Stores names, because indices in [`Lanes`] change with every edit.
#[derive(Debug, Clone)]
struct WalkStep {
    from: EntryRef,
    to: EntryRef,
    follow: EdgeDirection,
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
        follow: EdgeDirection,
    ) -> WalkResult {
        let Some(here) = entry_at(lanes, at) else {
            return WalkResult::default();
        };
        if let Some(last) = self
            .steps
            .last_mut()
            .filter(|s| !s.accepted && s.follow == follow && s.to == here)
        {
            let all = nodes::find(lanes, &last.from.channel, &last.from.name)
                .map(|from| edge_ends(lanes, table, from, follow))
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
        let all = edge_ends(lanes, table, at, follow);
        let followed = match all.is_empty() {
            true => WalkResult {
                to: None,
                sentence: follow.nothing(&node_at(lanes, at).map(node_name).unwrap_or_default()),
            },
            false => choose(&all, 0),
        };
        if let Some(to) = followed.to.and_then(|to| entry_at(lanes, to)) {
            self.steps.push(WalkStep {
                from: here,
                to,
                follow,
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

    /// Forgets the followed edges, because the focus moved in another way.
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
    follow: EdgeDirection,
) -> Vec<WalkResult> {
    let Some((lane, node)) = lanes.lanes.get(at.lane).zip(node_at(lanes, at)) else {
        return Vec::new();
    };
    let (places, names): (_, HashSet<&String>) = (places(lane), names_of(node).iter().collect());
    let place = |name: &String| places.get(name).copied();
    let rows = || table.iter().filter(|row| row.channel == lane.channel);
    let own = || rows().filter(|row| names.contains(&row.entry));
    let others = |leads_here: &dyn Fn(&TableRow) -> bool| -> Vec<usize> {
        rows()
            .filter(|row| leads_here(row))
            .filter_map(|row| place(&row.entry))
            .collect()
    };
    let mut by_name: Vec<usize> = match follow {
        EdgeDirection::Replaced => own().filter_map(|row| place(&row.replaces)).collect(),
        EdgeDirection::Replacing => others(&|row| names.contains(&row.replaces)),
        EdgeDirection::Skipped => own().flat_map(|row| &row.skips).filter_map(place).collect(),
        EdgeDirection::Skipping => others(&|row| row.skips.iter().any(|name| names.contains(name))),
    };
    let mut by_range: Vec<usize> = match follow {
        EdgeDirection::Skipped => {
            let own = lane
                .reaches
                .iter()
                .filter(|reach| reach.node as usize == at.node);
            let over = own
                .flat_map(|reach| &reach.over)
                .flat_map(|&(first, last)| first as usize..=last as usize);
            over.filter(|&covered| {
                lane.nodes
                    .get(covered)
                    .is_some_and(|node| !node.marks.absent)
            })
            .collect()
        }
        EdgeDirection::Skipping => {
            let holds =
                |&(first, last): &(u32, u32)| (first as usize..=last as usize).contains(&at.node);
            let over = lane
                .reaches
                .iter()
                .filter(|reach| !node.marks.absent && reach.over.iter().any(holds));
            over.map(|reach| reach.node as usize).collect()
        }
        EdgeDirection::Replaced | EdgeDirection::Replacing => Vec::new(),
    };
    for nodes in [&mut by_name, &mut by_range] {
        nodes.retain(|node| *node != at.node);
        nodes.sort_unstable_by_key(|node| (node.abs_diff(at.node), *node));
        nodes.dedup();
    }
    by_range.retain(|node| !by_name.contains(node));
    let way = |to: usize, is_range: bool| {
        let other = node_name(lane.nodes.get(to)?);
        let here = node_name(node);
        let description = match (follow, is_range) {
            (EdgeDirection::Replaced, _) => format!("{here}, replaces {other}"),
            (EdgeDirection::Replacing, _) => format!("{here}, replaced by {other}"),
            (EdgeDirection::Skipped, false) => format!("{here}, skips {other}"),
            (EdgeDirection::Skipped, true) => format!("{here}, skips {other} by its range"),
            (EdgeDirection::Skipping, false) => format!("{here}, skipped by {other}"),
            (EdgeDirection::Skipping, true) => format!("{here}, skipped by the range of {other}"),
        };
        Some(WalkResult {
            to: Some(NodeAt {
                lane: at.lane,
                node: to,
            }),
            sentence: description,
        })
    };
    let by_name = by_name.into_iter().filter_map(|to| way(to, false));
    by_name
        .chain(by_range.into_iter().filter_map(|to| way(to, true)))
        .collect()
}

/// Maps each name to its first node. Built once: a stack can skip as many names as its lane has
/// nodes.
fn places(lane: &Lane) -> HashMap<&String, usize> {
    let nodes = lane
        .nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| node.kind != EntryNodeKind::Removed);
    let mut places = HashMap::new();
    for (place, name) in
        nodes.flat_map(|(place, node)| names_of(node).iter().map(move |name| (place, name)))
    {
        places.entry(name).or_insert(place);
    }
    places
}

/// Returns a node's name for a sentence: its version, if known.
fn node_name(node: &EntryNode) -> String {
    match (node.kind, node.version.is_empty()) {
        (EntryNodeKind::Stack, _) if node.name.is_empty() => {
            format!("{} entries", node.members.len())
        }
        (EntryNodeKind::Stack, _) => format!("{} entries of {}", node.members.len(), node.name),
        (_, true) => node.name.clone(),
        (_, false) => node.version.clone(),
    }
}

/// Help text for keyboard navigation in the graph, for screen readers.
pub const KEYS: &str = "Arrows go along a lane and between lanes. \
    Brackets follow edges: [ to what an entry replaces, ] to what replaces it, \
    { to what it skips, } to what skips it; press again for the next one. \
    Enter selects, Space adds to the selection, Escape goes back.";

/// Handles a key that follows edges. Returns whether it was handled.
pub fn on_edge_key(shared: GraphContext, event: &ev::KeyboardEvent) -> bool {
    // Many keyboards need AltGr or Alt to type brackets.
    let is_plain = !event.meta_key() && (!event.ctrl_key() || event.get_modifier_state("AltGraph"));
    match (event.key().as_str(), shared.focus.get_untracked()) {
        (key, Some(at)) if is_plain && EdgeDirection::from_key(key).is_some() => {
            EdgeDirection::from_key(key).is_some_and(|follow| go(shared, along(shared, at, follow)))
        }
        ("Escape", Some(at)) if shared.drag.with_untracked(Option::is_none) => {
            back(shared, at).is_some_and(|followed| go(shared, followed))
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

fn along(shared: GraphContext, at: NodeAt, follow: EdgeDirection) -> WalkResult {
    let (lanes, facts) = (shared.lanes.get_untracked(), shared.facts.get_untracked());
    let followed = shared
        .trail
        .try_update_value(|trail| trail.follow(&lanes, &facts.table, at, follow));
    followed.unwrap_or_default()
}

fn back(shared: GraphContext, at: NodeAt) -> Option<WalkResult> {
    let lanes = shared.lanes.get_untracked();
    shared
        .trail
        .try_update_value(|trail| trail.back(&lanes, at))
        .flatten()
}

fn go(shared: GraphContext, followed: WalkResult) -> bool {
    shared.app.notifications.announcer.say(followed.sentence);
    if let Some(to) = followed.to {
        go_to(shared, to);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;
    use protocol::lanes::Reach;
    use std::sync::Arc;

    /// `stable`: 0 and 1 in a stack, 2 ← 3 ← 4, 5 replaces 3 too and skips 4 and 2; the range of 4
    /// covers the stack and 2.
    fn lanes() -> Lanes {
        let node = |name: &str| testing::node(EntryNodeKind::Entry, name, 0.0, 0.0);
        let mut stack = testing::node(EntryNodeKind::Stack, "0.x", 0.0, 0.0);
        stack.members = vec!["0".into(), "1".into()];
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

    fn describe(node: usize, follow: EdgeDirection) -> Vec<String> {
        edge_ends(&lanes(), &table(), at(node), follow)
            .into_iter()
            .map(|way| way.sentence)
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
        let ways = |node: usize, follow| {
            edge_ends(&lanes, &[], at(node), follow)
                .into_iter()
                .filter_map(|way| Some(way.to?.node))
                .collect::<Vec<usize>>()
        };
        assert_eq!(ways(3, EdgeDirection::Skipped), [2, 0]);
        assert_eq!(ways(1, EdgeDirection::Skipping), [0; 0]);
        assert_eq!(ways(2, EdgeDirection::Skipping), [3]);
    }

    #[test]
    fn the_same_key_cycles_and_another_key_walks_on() {
        let (lanes, table) = (lanes(), table());
        let mut trail = EdgeWalk::default();
        let mut here = at(1);
        let mut press = |trail: &mut EdgeWalk, follow: EdgeDirection| {
            let followed = trail.follow(&lanes, &table, here, follow);
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
    fn there_is_no_way_back_from_elsewhere() {
        let (lanes, table) = (lanes(), table());
        let mut trail = EdgeWalk::default();
        trail.follow(&lanes, &table, at(1), EdgeDirection::Replacing);
        trail.follow(&lanes, &table, at(2), EdgeDirection::Replaced);
        assert_eq!(trail.back(&lanes, at(4)), None);
        assert_eq!(trail.back(&lanes, at(1)), None, "and the rest is forgotten");
    }
}
