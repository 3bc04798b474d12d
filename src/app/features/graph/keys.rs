//! Keys that follow edges: they move the focus and announce the edge.

use super::GraphContext;
use super::actions::go_to;
use super::edge_walk::{EdgeDirection, WalkResult};
use super::nodes::NodeAt;
use leptos::ev;
use leptos::prelude::*;

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
        sentence: String::new(),
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
    shared.app.notifications.announcer.say(followed.sentence);
    if let Some(to) = followed.to {
        go_to(shared, to);
    }
    true
}
