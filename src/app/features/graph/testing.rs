//! Lanes for tests.

use protocol::lanes::{EntryNode, EntryNodeKind, HorizontalLine, Lane};
use std::sync::Arc;

pub(super) fn node(kind: EntryNodeKind, name: &str, x: f32, y: f32) -> EntryNode {
    EntryNode {
        kind,
        name: name.into(),
        text: name.into(),
        x,
        y,
        width: 50.0,
        height: 20.0,
        ..EntryNode::default()
    }
}

pub(super) fn lane(channel: &str, y: f32, nodes: Vec<EntryNode>) -> Arc<Lane> {
    Arc::new(Lane {
        channel: channel.into(),
        y,
        height: 60.0,
        is_default: channel == "stable",
        entries: nodes
            .iter()
            .filter(|node| node.kind != EntryNodeKind::Ghost && !node.marks.absent)
            .count() as u32,
        track: HorizontalLine {
            x1: 0.0,
            x2: 400.0,
            y: y + 30.0,
        },
        nodes,
        ..Lane::default()
    })
}
