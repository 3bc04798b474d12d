//! Lanes for tests.

use protocol::lanes::{EntryNode, EntryNodeKind, HorizontalLine, Lane, Marks};
use std::sync::Arc;

pub(super) fn node(kind: EntryNodeKind, name: &str, x: f32, y: f32) -> EntryNode {
    EntryNode {
        kind,
        name: name.into(),
        text: name.into(),
        version: String::new(),
        column: 0,
        x,
        y,
        width: 50.0,
        height: 20.0,
        marks: Marks::default(),
        members: Vec::new(),
        selected: false,
        twin: false,
        edited: false,
        problem: None,
    }
}

pub(super) fn lane(channel: &str, y: f32, nodes: Vec<EntryNode>) -> Arc<Lane> {
    Arc::new(Lane {
        channel: channel.into(),
        index: 0,
        y,
        height: 60.0,
        is_default: channel == "stable",
        deprecated: false,
        edited: false,
        entries: nodes
            .iter()
            .filter(|node| node.kind != EntryNodeKind::Ghost && !node.marks.absent)
            .count() as u32,
        problem: None,
        removed: false,
        subtitle: String::new(),
        track: HorizontalLine {
            x1: 0.0,
            x2: 400.0,
            y: y + 30.0,
        },
        nodes,
        links: vec![],
        runs: vec![],
        brackets: vec![],
        arrows: vec![],
        reaches: vec![],
    })
}
