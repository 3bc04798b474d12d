//! Actions shared by keys, pointers and buttons: selection, zoom, fit, focus, and the context menu.
//! Every element of the graph has a context menu; the background has the package's.

use super::explanation::{self, CardSubject, owner};
use super::nodes::{self, NodeAt, node_at};
use super::viewport::Viewport;
use super::{GraphContext, entry_at, pointer, view_keeping};
use crate::context::{EdgeMenu, MenuSubject};
use crate::widgets::dom;
use leptos::ev;
use leptos::prelude::*;
use protocol::lanes::EntryNodeKind;
use protocol::request::Target;
use protocol::views::EntryRef;
use std::collections::HashSet;
use wasm_bindgen::JsCast;

/// Factors of one zoom step.
pub(super) const ZOOM_IN: f64 = 1.25;
pub(super) const ZOOM_OUT: f64 = 0.8;

/// Returns the entries of a channel in lane order. Names that only an edge mentions are not
/// entries.
fn entries_in_channel(shared: GraphContext, channel: &str) -> Vec<EntryRef> {
    shared
        .lanes
        .with_untracked(|lanes| nodes::entries(lanes, |lane, _| lane.channel == channel))
}

pub(super) fn pick(shared: GraphContext, entry: EntryRef) {
    if entries_in_channel(shared, &entry.channel).contains(&entry) {
        shared.app.pick_entry(entry);
    }
}

/// Selects the range from the last picked entry to this one in its lane.
pub(super) fn pick_to(shared: GraphContext, entry: EntryRef) {
    let order = entries_in_channel(shared, &entry.channel);
    if order.contains(&entry) {
        let order = existing_entries(shared, order);
        shared.app.pick_entries_to(&order, entry);
    }
}

/// Keeps the entries that exist: stacks may contain removed ones.
pub(super) fn existing_entries(shared: GraphContext, mut entries: Vec<EntryRef>) -> Vec<EntryRef> {
    shared.facts.with_untracked(|facts| {
        let rows: HashSet<(&str, &str)> = facts
            .table
            .iter()
            .map(|row| (&*row.channel, &*row.entry))
            .collect();
        entries.retain(|entry| rows.contains(&(&*entry.channel, &*entry.name)));
    });
    entries
}

/// Opens the menu of a node below it. Returns `false` if the node is not drawn.
pub(super) fn open_menu_at(shared: GraphContext, at: NodeAt) -> bool {
    let Some(element) = node_element(shared, at) else {
        return false;
    };
    open_node_menu(shared, at, dom::below(Some(&element)))
}

pub(super) fn node_element(shared: GraphContext, at: NodeAt) -> Option<web_sys::Element> {
    shared
        .area
        .try_get_untracked()??
        .query_selector(&format!(
            "[data-lane=\"{}\"][data-node=\"{}\"]",
            at.lane, at.node
        ))
        .ok()
        .flatten()
}

pub(super) fn go_to(shared: GraphContext, at: NodeAt) {
    shared.focus.set(Some(at));
    shared
        .lanes
        .with_untracked(|lanes| view_keeping::show(shared, lanes, at));
    focus_element(shared, at);
}

/// Moves the browser's focus: immediately if the node is drawn, otherwise after it is.
pub(super) fn focus_element(shared: GraphContext, at: NodeAt) {
    let focus = move || {
        let element =
            node_element(shared, at).and_then(|e| e.dyn_into::<web_sys::SvgElement>().ok());
        // Fails only if the element is gone.
        element.is_some_and(|element| element.focus().is_ok())
    };
    let is_focused = focus();
    request_animation_frame(move || {
        if !is_focused || dom::is_focus_lost() {
            focus();
        }
    });
}

pub(super) fn zoom(shared: GraphContext, factor: f64) {
    let bounds = shared.bounds.get_untracked();
    let (x, y) = (bounds.view_width / 2.0, bounds.view_height / 2.0);
    shared
        .view
        .update(|view| *view = view.zoom(factor, x, y, bounds));
}

pub(super) fn zoom_to_natural_size(shared: GraphContext) {
    zoom(shared, 1.0 / shared.view.get_untracked().scale);
}

/// Fits the lanes into the view. If the nodes would not be legible, shows the selection, or else
/// the newest end.
pub(super) fn fit(shared: GraphContext) {
    let bounds = shared.bounds.get_untracked();
    shared.view.set(Viewport::fit(bounds));
    shared.lanes.with_untracked(|lanes| {
        let selected = shared.selected.get_untracked();
        view_keeping::show_target(shared, lanes, selected.as_ref())
    });
}

/// Opens the context menu of a node, an edge, a version above the columns, or the background.
/// Headings have their own handlers.
pub fn on_contextmenu(shared: GraphContext, event: &ev::MouseEvent) {
    if shared.resting.get_untracked().is_some() {
        // The browser has already reported the long press: do not report it again.
        shared.resting.set(None);
        pointer::end_drag(shared);
    }
    if event.default_prevented() {
        return;
    }
    event.prevent_default();
    let point = (event.client_x(), event.client_y());
    let column = dom::closest(event.target(), "[data-column]")
        .and_then(|column| column.get_attribute("data-column"));
    let subject = explanation::subject_at(event.target());
    if let Some(at) = subject.and_then(CardSubject::node) {
        open_node_menu(shared, at, point);
        return;
    }
    let edge = subject.and_then(|subject| edge_menu(shared, subject));
    match (column, edge) {
        (Some(name), _) => shared.app.open_menu(Target::Bundle { name }, point),
        (None, Some(edge)) => shared.app.open_edge_menu(edge, point),
        (None, None) => shared.app.open_menu(Target::Package, point),
    }
}

/// Returns the menu of an edge; `None` for a node.
fn edge_menu(shared: GraphContext, subject: CardSubject) -> Option<EdgeMenu> {
    let kind = subject.edge?;
    let entry = shared.lanes.with_untracked(|lanes| owner(lanes, subject))?;
    let edges = explanation::explanation(shared, subject)?.edges;
    let location = edges.into_iter().next()?.location;
    Some(EdgeMenu {
        kind,
        entry,
        location,
    })
}

/// Opens the menu of a node, or of the entries in a stack. Returns `false` if it no longer exists.
fn open_node_menu(shared: GraphContext, at: NodeAt, point: (i32, i32)) -> bool {
    if let Some(entry) = entry_at(shared, at) {
        shared.app.open_entry_menu(entry, point);
        return true;
    }
    let subject = shared.lanes.with_untracked(|lanes| {
        let (lane, node) = (lanes.lanes.get(at.lane)?, node_at(lanes, at)?);
        let (channel, name) = (lane.channel.clone(), node.name.clone());
        Some(match (node.kind, name.is_empty()) {
            (EntryNodeKind::Stack, true) => MenuSubject::Object(Target::Channel { channel }),
            (EntryNodeKind::Stack, false) => MenuSubject::Stream(name),
            _ => MenuSubject::Removed(EntryRef { channel, name }),
        })
    });
    match subject {
        Some(MenuSubject::Object(channel)) => shared.app.open_menu(channel, point),
        Some(subject) => shared.app.overlays.open_menu(subject, point),
        None => return false,
    }
    true
}
