//! What the pointer does in the graph: panning, zooming, dragging cars, selecting. Knows no catalog: what a gesture means
//! is said as a [`GraphEvent`].

use super::keys::CarAt;
use super::{GraphEvent, Shared, entry_at, pick, pick_to};
use crate::protocol::views::EntryRef;
use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// A drag shorter than this many pixels is a click.
const CLICK: f64 = 4.0;

/// What the pointer is doing.
#[derive(Debug, Clone, PartialEq)]
pub enum Drag {
    Pan { x: f64, y: f64, moved: bool },
    Car { entry: EntryRef, x: f64, y: f64, moved: bool },
}

pub fn on_wheel(shared: Shared, area: NodeRef<html::Div>, event: &ev::WheelEvent) {
    event.prevent_default();
    let bounds = shared.bounds.get_untracked();
    if event.ctrl_key() || event.meta_key() {
        let (x, y) = inside(shared, area, f64::from(event.client_x()), f64::from(event.client_y()));
        let factor = (-event.delta_y() * 0.002).exp();
        shared.view.update(|v| *v = v.zoomed(factor, x, y, bounds));
    } else if event.shift_key() && event.delta_x() == 0.0 {
        shared.view.update(|v| *v = v.panned(event.delta_y(), 0.0, bounds));
    } else {
        shared.view.update(|v| *v = v.panned(event.delta_x(), event.delta_y(), bounds));
    }
}

pub fn on_pointer_down(shared: Shared, event: &ev::PointerEvent) {
    if event.button() != 0 {
        return;
    }
    let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
    let interactive = event
        .target()
        .and_then(|t| t.dyn_into::<web_sys::Element>().ok())
        .and_then(|e| e.closest("[data-press]").ok().flatten());
    let drag = match car_of(event).and_then(|at| entry_at(shared, at)) {
        Some(entry) => Drag::Car { entry, x, y, moved: false },
        None if interactive.is_some() || car_of(event).is_some() => return,
        None => Drag::Pan { x, y, moved: false },
    };
    shared.drag.set(Some(drag));
}

pub fn on_pointer_move(shared: Shared, area: NodeRef<html::Div>, event: &ev::PointerEvent) {
    let (to_x, to_y) = (f64::from(event.client_x()), f64::from(event.client_y()));
    let far = |x: f64, y: f64| (to_x - x).abs() + (to_y - y).abs() > CLICK;
    match shared.drag.get_untracked() {
        Some(Drag::Pan { x, y, moved }) if moved || far(x, y) => {
            let bounds = shared.bounds.get_untracked();
            shared.view.update(|v| *v = v.panned(x - to_x, y - to_y, bounds));
            shared.drag.set(Some(Drag::Pan { x: to_x, y: to_y, moved: true }));
        }
        Some(Drag::Car { entry, x, y, moved }) if moved || far(x, y) => {
            let over = lane_at(shared, area, to_x, to_y).filter(|channel| *channel != entry.channel);
            if shared.over.get_untracked() != over {
                shared.on.run(GraphEvent::Over(over.clone().map(|channel| (entry.name.clone(), channel))));
                shared.over.set(over);
            }
            shared.drag.set(Some(Drag::Car { entry, x: to_x, y: to_y, moved: true }));
        }
        _ => {}
    }
}

pub fn on_pointer_up(shared: Shared, area: NodeRef<html::Div>, event: &ev::PointerEvent) {
    let drag = shared.drag.get_untracked();
    end_drag(shared);
    match drag {
        Some(Drag::Car { entry, moved: true, .. }) => {
            let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
            if let Some(to) = lane_at(shared, area, x, y).filter(|channel| *channel != entry.channel) {
                shared.on.run(GraphEvent::Promote { bundle: entry.name, to });
            }
        }
        Some(Drag::Car { entry, .. }) if event.shift_key() => pick_to(shared, entry),
        Some(Drag::Car { entry, .. }) if event.ctrl_key() || event.meta_key() => {
            pick(shared, entry);
        }
        Some(Drag::Car { entry, .. }) => shared.on.run(GraphEvent::Select(Some(entry))),
        Some(Drag::Pan { moved: false, .. }) => shared.on.run(GraphEvent::Select(None)),
        _ => {}
    }
}

pub fn end_drag(shared: Shared) {
    shared.drag.set(None);
    if shared.over.get_untracked().is_some() {
        shared.over.set(None);
        shared.on.run(GraphEvent::Over(None));
    }
}

/// A point of the window in the area right of the lane headings and below the column headings.
fn inside(shared: Shared, area: NodeRef<html::Div>, client_x: f64, client_y: f64) -> (f64, f64) {
    let (left, top) = area.get_untracked().map_or((0.0, 0.0), |a| {
        let rect = a.get_bounding_client_rect();
        (rect.left(), rect.top())
    });
    shared.lanes.with_untracked(|l| (client_x - left - f64::from(l.header), client_y - top - f64::from(l.top)))
}

/// The car under an event, by the indices its element carries.
fn car_of(event: &ev::PointerEvent) -> Option<CarAt> {
    let element: web_sys::Element = event.target()?.dyn_into().ok()?;
    let car = element.closest("[data-car]").ok()??;
    Some(CarAt {
        lane: car.get_attribute("data-lane")?.parse().ok()?,
        car: car.get_attribute("data-car")?.parse().ok()?,
    })
}

/// The channel whose lane is at a point of the window.
fn lane_at(shared: Shared, area: NodeRef<html::Div>, client_x: f64, client_y: f64) -> Option<String> {
    let (_, y) = inside(shared, area, client_x, client_y);
    let view = shared.view.get_untracked();
    shared.lanes.with_untracked(|l| {
        let at = view.y + y / view.scale + f64::from(l.top);
        l.lanes
            .iter()
            .filter(|lane| !lane.removed)
            .find(|lane| (f64::from(lane.y)..f64::from(lane.y + lane.height)).contains(&at))
            .map(|lane| lane.channel.clone())
    })
}
