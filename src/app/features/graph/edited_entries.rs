//! Finds the entries that an edit changed, so that the smallest movement can bring one into view.

use super::arrow_keys::{self, NodeAt};
use protocol::lanes::{EntryNodeKind, Lanes};
use protocol::views::TableRow;
use std::collections::HashMap;

/// Nodes of entries that were edited between two tables. Mere consequences, such as a new head,
/// only count if there are no others.
pub(super) fn edited_nodes(before: &[TableRow], now: &[TableRow], lanes: &Lanes) -> Vec<NodeAt> {
    let own = nodes(changed_rows(before, now, file_content), lanes);
    if own.is_empty() {
        nodes(changed_rows(before, now, |row| row.state.clone()), lanes)
    } else {
        own
    }
}

/// The first new lane.
pub(super) fn new_lane(before: &Lanes, lanes: &Lanes) -> Option<usize> {
    let is_known = |channel: &str| before.lanes.iter().any(|lane| lane.channel == channel);
    lanes
        .lanes
        .iter()
        .position(|lane| lane.edited && !is_known(&lane.channel))
}

/// Line numbers change with every edit above them, so they do not count.
fn file_content(row: &TableRow) -> Vec<String> {
    let is_file_state =
        |word: &&String| word.as_str() == "deprecated" || word.as_str() == "not in this channel";
    let edges = [row.replaces.clone(), row.skip_range.clone()].into_iter();
    edges
        .chain(row.skips.iter().cloned())
        .chain(row.state.iter().filter(is_file_state).cloned())
        .collect()
}

/// Channels and names of changed, added or removed rows.
fn changed_rows<'r>(
    before: &'r [TableRow],
    now: &'r [TableRow],
    describe: impl Fn(&TableRow) -> Vec<String>,
) -> Vec<(&'r str, &'r str)> {
    fn name(row: &TableRow) -> (&str, &str) {
        (row.channel.as_str(), row.entry.as_str())
    }
    let mut were: HashMap<_, _> = before.iter().map(|row| (name(row), row)).collect();
    let mut found = Vec::new();
    for row in now {
        if were
            .remove(&name(row))
            .is_none_or(|was| describe(was) != describe(row))
        {
            found.push(name(row));
        }
    }
    found.extend(
        before
            .iter()
            .map(name)
            .filter(|gone| were.contains_key(gone)),
    );
    found
}

/// The nodes of unsaved changes: changes on disk do not move the view.
fn nodes(changed: Vec<(&str, &str)>, lanes: &Lanes) -> Vec<NodeAt> {
    let found = changed
        .into_iter()
        .filter_map(|(channel, name)| arrow_keys::find(lanes, channel, name));
    let is_edited = |at: &NodeAt| {
        let lane_is = lanes.lanes.get(at.lane).is_some_and(|lane| lane.edited);
        lane_is
            || arrow_keys::node_at(lanes, *at)
                .is_some_and(|node| node.edited || node.kind == EntryNodeKind::Removed)
    };
    found.filter(is_edited).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{lane, node};
    use super::*;
    use std::sync::Arc;

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
        // Its consequence.
        now[1].state = vec!["stranded".into()];
        now[0].location.line = 7;
        assert_eq!(
            edited_nodes(&before, &now, &lanes(true)),
            [NodeAt { lane: 0, node: 2 }]
        );
        assert_eq!(edited_nodes(&before, &before, &lanes(true)), []);
        assert_eq!(
            edited_nodes(&before, &now, &lanes(false)),
            [],
            "it changed on disk"
        );
    }

    #[test]
    fn finds_added_entries_and_changed_dependents() {
        let before = [row("v1", ""), row("v2", "v1")];
        let now = [row("v1", ""), row("v2", "v1"), row("v3", "v2")];
        assert_eq!(
            edited_nodes(&before, &now, &lanes(true)),
            [NodeAt { lane: 0, node: 2 }]
        );
        assert_eq!(
            edited_nodes(&now, &before, &lanes(true)),
            [NodeAt { lane: 0, node: 2 }],
            "as long as it is drawn"
        );
        let mut head = before.clone();
        head[1].state = vec!["default channel".into()];
        assert_eq!(
            edited_nodes(&before, &head, &lanes(true)),
            [NodeAt { lane: 0, node: 1 }]
        );
    }

    #[test]
    fn an_added_lane_is_new_unless_it_came_from_disk() {
        assert_eq!(new_lane(&Lanes::default(), &lanes(true)), Some(0));
        assert_eq!(new_lane(&Lanes::default(), &lanes(false)), None);
        assert_eq!(new_lane(&lanes(true), &lanes(true)), None);
    }
}
