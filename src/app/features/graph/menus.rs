//! Opens the menu for a right click or key: every element of the graph has one, the background that
//! of the package.

use super::arrow_keys::{NodeAt, node_at};
use super::explanation::{CardSubject, owner};
use super::{GraphContext, GraphEvent, entry_at, explanation_card, pointer};
use leptos::ev;
use leptos::prelude::*;
use protocol::lanes::EntryNodeKind;
use protocol::views::EntryRef;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// For nodes, edges, versions above the columns and the background; headings have their own
/// handlers.
pub fn on_contextmenu(shared: GraphContext, event: &ev::MouseEvent) {
    if shared.resting.get_untracked().is_some() {
        // The browser itself reported the long press, so it is no longer a press.
        shared.resting.set(None);
        pointer::end_drag(shared);
    }
    if event.default_prevented() {
        return;
    }
    event.prevent_default();
    let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
    let element = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok());
    let column = element.and_then(|element| {
        element
            .closest("[data-column]")
            .ok()
            .flatten()?
            .get_attribute("data-column")
    });
    let about = explanation_card::about(event.target());
    if let Some(CardSubject::Node(at)) = about {
        open_node_menu(shared, at, x, y);
        return;
    }
    let edge = about.and_then(|about| {
        let entry = shared.lanes.with_untracked(|lanes| owner(lanes, about))?;
        let location = explanation_card::explanation(shared, about)?
            .edges
            .into_iter()
            .next()?
            .location;
        Some(GraphEvent::EdgeMenu {
            kind: about.kind()?,
            entry,
            location,
            x,
            y,
        })
    });
    match (column, edge) {
        (Some(bundle), _) => shared.on.run(GraphEvent::BundleMenu { bundle, x, y }),
        (None, Some(edge)) => shared.on.run(edge),
        (None, None) => shared.on.run(GraphEvent::PackageMenu { x, y }),
    }
}

/// The menu of a node, or of the names in a stack. False if it does not exist any more.
pub fn open_node_menu(shared: GraphContext, at: NodeAt, x: f64, y: f64) -> bool {
    if let Some(entry) = entry_at(shared, at) {
        shared.on.run(GraphEvent::EntryMenu { entry, x, y });
        return true;
    }
    let menu = shared.lanes.with_untracked(|lanes| {
        let (lane, node) = (lanes.lanes.get(at.lane)?, node_at(lanes, at)?);
        let channel = lane.channel.clone();
        if let Some(chain) = super::chain_at(lanes, at) {
            return Some(GraphEvent::ChainMenu {
                names: chain.names.clone(),
                x,
                y,
            });
        }
        Some(match (node.kind, node.name.is_empty()) {
            (EntryNodeKind::Stack, true) => GraphEvent::ChannelMenu { channel, x, y },
            (EntryNodeKind::Stack, false) => GraphEvent::StreamMenu {
                stream: node.name.clone(),
                x,
                y,
            },
            _ => GraphEvent::RemovedMenu {
                entry: EntryRef {
                    channel,
                    name: node.name.clone(),
                },
                x,
                y,
            },
        })
    });
    menu.map(|menu| shared.on.run(menu)).is_some()
}
