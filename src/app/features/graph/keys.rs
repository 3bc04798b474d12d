//! Keys that follow edges: they move the focus and announce the edge. Also the keys of y-stream and
//! chain headings, which are buttons with a menu.
//!
//! | key | effect |
//! |---|---|
//! | Enter, Space | folds or unfolds |
//! | Left, Right | neighbours of the same kind |
//! | Down | the nodes |
//! | Shift+F10 | the menu |

use super::actions::go_to;
use super::edge_walk::{EdgeDirection, WalkResult};
use super::nodes::NodeAt;
use super::{GraphContext, GraphEvent};
use crate::widgets::dom;
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, SvgElement};

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
    shared.on.run(GraphEvent::Announce(followed.sentence));
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
    /// Open the menu at a point of the window.
    Menu {
        x: f64,
        y: f64,
    },
}

/// Moves between headings with the same `kind` attribute. Reports other actions to `tell`.
pub(super) fn on_heading_key(event: &KeyboardEvent, kind: &str, tell: impl FnOnce(HeadingKey)) {
    // Keys with modifiers have another meaning.
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
        // Fails only if the element is gone.
        let _ = element.focus();
    }
}
