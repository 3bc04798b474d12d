//! The drop target under dragged files: a package of the list, or a lane of the graph. Found by the
//! elements' data attributes.

use crate::context::AppContext;
use crate::state::bundle_file_names::DropPlace;
use crate::state::package_tabs::Half;
use leptos::ev::DragEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// The target of dragged files, and the effect of a drop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DropHover {
    pub place: DropPlace,
    pub words: String,
}

/// Selector of elements that accept a bundle.
const TARGET: &str = ".row[data-package], .lane[data-channel], .lane-heading[data-channel]";
/// Attribute of the element under dragged files.
const MARK: &str = "data-held-over";

impl DropHover {
    /// The target of the event; marks it.
    pub fn from_event(app: AppContext, event: &DragEvent) -> Self {
        if !app.current.is_open.get_untracked() {
            return Self {
                place: DropPlace::default(),
                words: "Drop to open".to_owned(),
            };
        }
        let target = element(event)
            .and_then(|element| element.closest(TARGET).ok().flatten())
            .or_else(|| lane(event));
        let attribute = |name: &str| {
            target
                .as_ref()
                .and_then(|target| target.get_attribute(name))
        };
        let channel = attribute("data-channel").filter(|_| !is_removed(target.as_ref()));
        let place = match (attribute("data-package"), channel) {
            (Some(package), _) => DropPlace {
                package,
                channel: String::new(),
            },
            (None, Some(channel)) => DropPlace {
                package: package_at(app, event),
                channel,
            },
            (None, None) => DropPlace::default(),
        };
        mark(target.filter(|_| !place.package.is_empty()));
        let words = match (place.package.as_str(), place.channel.as_str()) {
            ("", _) => "Drop a catalog to open it, or a bundle to add it".to_owned(),
            (package, "") => format!("Drop a bundle to add it to {package}"),
            (_, channel) => format!("Drop a bundle to add it to channel {channel}"),
        };
        Self { place, words }
    }
}

/// Marks this element only.
pub fn mark(target: Option<Element>) {
    let marked = document()
        .query_selector(&format!("[{MARK}]"))
        .ok()
        .flatten();
    if marked == target {
        return;
    }
    if let Some(marked) = marked {
        // Neither can fail for a valid attribute name.
        let _ = marked.remove_attribute(MARK);
    }
    if let Some(target) = target {
        let _ = target.set_attribute(MARK, "");
    }
}

/// A drop on the other graph focuses it.
pub fn focus(app: AppContext, event: &DragEvent) {
    if let Some(half) = half(event) {
        app.second_graph.focus_half(half);
    }
}

fn element(event: &DragEvent) -> Option<Element> {
    event.target()?.dyn_into().ok()
}

/// The lane at the height of an event beyond the lane's end.
fn lane(event: &DragEvent) -> Option<Element> {
    let area = element(event)?.closest(".graph-area").ok().flatten()?;
    let headings = area
        .query_selector_all(".lane-heading[data-channel] > .lane-hit")
        .ok()?;
    let y = f64::from(event.client_y());
    let hit = (0..headings.length()).find_map(|index| {
        let hit: Element = headings.get(index)?.dyn_into().ok()?;
        let rect = hit.get_bounding_client_rect();
        (rect.top() <= y && y < rect.bottom()).then_some(hit)
    });
    hit?.parent_element()
}

fn half(event: &DragEvent) -> Option<Half> {
    let pane = element(event)?
        .closest(".graph-pane[data-half]")
        .ok()
        .flatten()?;
    Some(
        if pane.get_attribute("data-half").as_deref() == Some("right") {
            Half::Right
        } else {
            Half::Left
        },
    )
}

/// The package of the graph that contains an event.
fn package_at(app: AppContext, event: &DragEvent) -> String {
    let other = app.second_graph.place.get_untracked().filter(|_| {
        let is_here = app
            .tabs
            .opened()
            .with_untracked(|opened| Some(opened.half()) == half(event));
        !is_here && half(event).is_some()
    });
    other.map_or_else(
        || app.current.package.get_untracked(),
        |place| place.package,
    )
}

fn is_removed(target: Option<&Element>) -> bool {
    target.is_some_and(|target| target.class_list().contains("lane-removed"))
}
