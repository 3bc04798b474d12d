//! Actions shared by keys, pointers and buttons: selection, zoom, fit, focus, menus.

use super::arrow_keys::{self, NodeAt};
use super::viewport::{Viewport, is_legible};
use super::{GraphContext, GraphEvent, menus, view_keeping};
use crate::widgets::dom;
use leptos::html;
use leptos::prelude::*;
use protocol::lanes::Zoom;
use protocol::views::EntryRef;
use wasm_bindgen::JsCast;

/// Toggles an entry in the multiple selection. Names that only an edge mentions are not entries.
pub(super) fn pick(shared: GraphContext, entry: EntryRef) {
    if shared
        .lanes
        .with_untracked(|l| arrow_keys::entries_of(l, &entry.channel))
        .contains(&entry)
    {
        shared.on.run(GraphEvent::Pick(entry));
    }
}

/// Selects the range from the last entry to this one in its lane.
pub(super) fn pick_to(shared: GraphContext, entry: EntryRef) {
    let order = shared
        .lanes
        .with_untracked(|l| arrow_keys::entries_of(l, &entry.channel));
    if order.contains(&entry) {
        shared.on.run(GraphEvent::PickTo { order, entry });
    }
}

pub(super) fn menu_at(shared: GraphContext, area: NodeRef<html::Div>, at: NodeAt) -> bool {
    let Some(element) = element_of(area, at) else {
        return false;
    };
    let rect = element.get_bounding_client_rect();
    menus::open_node_menu(shared, at, rect.left(), rect.bottom())
}

pub(super) fn element_of(area: NodeRef<html::Div>, at: NodeAt) -> Option<web_sys::Element> {
    area.try_get_untracked()??
        .query_selector(&format!(
            "[data-lane=\"{}\"][data-node=\"{}\"]",
            at.lane, at.node
        ))
        .ok()
        .flatten()
}

/// Scrolls to a node and focuses it.
pub(super) fn go_to(shared: GraphContext, at: NodeAt) {
    shared.focus.set(Some(at));
    shared
        .lanes
        .with_untracked(|lanes| view_keeping::show(shared, lanes, at));
    focus_element(shared.area, at);
}

/// Moves the browser's focus: immediately if the node is drawn, otherwise after it is.
pub(super) fn focus_element(area: NodeRef<html::Div>, at: NodeAt) {
    let focus = move || {
        let element = element_of(area, at).and_then(|e| e.dyn_into::<web_sys::SvgElement>().ok());
        // Fails only if the element is gone, when there is nothing to focus.
        element.is_some_and(|element| element.focus().is_ok())
    };
    let has_it = focus();
    request_animation_frame(move || {
        if !has_it || dom::is_focus_lost() {
            focus();
        }
    });
}

pub(super) fn zoom(shared: GraphContext, factor: f64) -> bool {
    let bounds = shared.bounds.get_untracked();
    shared.view.update(|v| {
        *v = v.zoom(
            factor,
            bounds.view_width / 2.0,
            bounds.view_height / 2.0,
            bounds,
        )
    });
    true
}

/// Toggles between overview and details.
pub(super) fn overview(shared: GraphContext) {
    let far = shared.lanes.with_untracked(|l| l.zoom == Zoom::Far);
    shared.on.run(GraphEvent::Overview(!far));
}

/// Fits everything into the view. If nodes would be illegible, switches to the overview, whose
/// marks are legible.
pub(super) fn fit(shared: GraphContext) -> bool {
    let bounds = shared.bounds.get_untracked();
    let near = shared
        .lanes
        .with_untracked(|lanes| lanes.zoom == Zoom::Near);
    if near && !is_legible(bounds) {
        shared.on.run(GraphEvent::Overview(true));
    } else {
        shared.view.set(Viewport::fit(bounds));
    }
    true
}
