//! Pointer handling in the graph: panning, zooming, dragging, selecting. [`super::drag`] determines
//! the effect of a drop, which opens its form. A finger acts like any other pointer, and opens the
//! menu where it rests; further fingers are ignored.

use super::actions::existing_entries;
use super::drag::{self, Drag, DragSource, DropTarget, inside, point_in_lanes};
use super::explanation::{self, Card};
use super::nodes::NodeAt;
use super::viewport::{Area, Point};
use super::{GraphContext, entry_at, pick, pick_to};
use crate::browser::document::listen;
use crate::widgets::dom;
use leptos::ev;
use leptos::prelude::*;
use protocol::request::Target;
use std::time::Duration;

/// The bit of an event's `buttons` for a finger, a pen's tip, or the primary button.
const MAIN_BUTTON: u16 = 1;
/// Zoom per pixel of the wheel, as an exponent.
const WHEEL_ZOOM_RATE: f64 = 0.002;
const LONG_PRESS: Duration = Duration::from_millis(550);

pub fn on_wheel(shared: GraphContext, event: &ev::WheelEvent) {
    event.prevent_default();
    let bounds = shared.bounds.get_untracked();
    let (dx, dy) = (event.delta_x(), event.delta_y());
    let view = shared.view.get_untracked();
    shared.view.set(if event.ctrl_key() || event.meta_key() {
        let at = inside(shared, client_point(event));
        view.zoom((-dy * WHEEL_ZOOM_RATE).exp(), at.x, at.y, bounds)
    } else if event.shift_key() && dx == 0.0 {
        view.pan(dy, 0.0, bounds)
    } else {
        view.pan(dx, dy, bounds)
    });
}

pub fn on_pointer_down(shared: GraphContext, event: &ev::PointerEvent) {
    if event.button() != 0 || !event.is_primary() {
        return;
    }
    let at = client_point(event);
    let source = drag_source(shared, event);
    if event.pointer_type() == "touch" {
        start_long_press(shared, at, event.time_stamp());
    }
    if let Some(source) = source {
        shared.drag.set(Some(Drag::new(
            source,
            at,
            event.shift_key() || event.alt_key(),
        )));
    }
}

/// Returns what a press drags; `None` if the press has another meaning.
fn drag_source(shared: GraphContext, event: &ev::PointerEvent) -> Option<DragSource> {
    let is_on = |selector: &str| dom::closest(event.target(), selector).is_some();
    if is_on("[data-grip]") {
        return shared
            .gripped
            .get_untracked()
            .and_then(|at| entry_at(shared, at))
            .map(DragSource::Grip);
    }
    if is_on("[data-star]") {
        return Some(DragSource::Star);
    }
    match node_under(event).map(|at| entry_at(shared, at)) {
        Some(Some(entry)) => Some(DragSource::Node(entry)),
        Some(None) => None,
        None if is_on("[data-press]") => None,
        None if event.shift_key() => Some(DragSource::Frame(point_in_lanes(
            shared,
            client_point(event),
        ))),
        None => Some(DragSource::Ground),
    }
}

/// Handles a pointer that the browser took for scrolling, or whose window is gone.
pub fn on_pointer_cancel(shared: GraphContext, event: &ev::PointerEvent) {
    if event.is_primary() {
        shared.resting.set(None);
        end_drag(shared);
    }
}

/// Ends a drag when the area loses the capture. Ignores the capture of the element that a finger
/// first touched, which the area takes over once the finger moves.
pub fn on_lost_capture(shared: GraphContext, event: &ev::PointerEvent) {
    if event.target() == event.current_target() && event.is_primary() {
        end_drag(shared);
    }
}

pub fn on_pointer_move(shared: GraphContext, event: &ev::PointerEvent) {
    if !event.is_primary() {
        return;
    }
    let to = client_point(event);
    if shared
        .resting
        .get_untracked()
        .is_some_and(|(start, _)| drag::exceeds_click(start, to))
    {
        shared.resting.set(None);
    }
    let Some(drag) = shared.drag.get_untracked() else {
        return;
    };
    if event.buttons() & MAIN_BUTTON == 0 {
        // The button was released outside, before the drag captured the pointer.
        end_drag(shared);
        return;
    }
    if !drag.is_drag_to(to) {
        return;
    }
    if !drag.moved {
        // A drag captures the pointer. Fails only if the pointer is gone.
        if let Some(area) = shared.area.get_untracked() {
            let _ = area.set_pointer_capture(event.pointer_id());
        }
        shared.card.update(Card::close);
        if drag.source != DragSource::Ground {
            auto_scroll(shared);
        }
    }
    let has_modifier = event.shift_key() || event.alt_key();
    let now = Drag {
        at: to,
        moved: true,
        has_modifier,
        ..drag.clone()
    };
    if now.source != DragSource::Ground {
        shared.drag.set(Some(now));
        update_drop_target(shared);
        return;
    }
    let bounds = shared.bounds.get_untracked();
    shared
        .view
        .update(|v| *v = v.pan(drag.at.x - to.x, drag.at.y - to.y, bounds));
    // Panning has no drop target: only the movement matters.
    if drag.moved {
        shared.drag.update_untracked(|drag| *drag = Some(now));
    } else {
        shared.drag.set(Some(now));
    }
}

pub fn on_pointer_up(shared: GraphContext, event: &ev::PointerEvent) {
    if !event.is_primary() {
        return;
    }
    shared.resting.set(None);
    let Some(drag) = shared.drag.get_untracked() else {
        return;
    };
    let target = shared.drop_target.get_untracked();
    end_drag(shared);
    match (drag.source, drag.moved) {
        (DragSource::Frame(from), true) => {
            let frame = Area::between(from, point_in_lanes(shared, client_point(event)));
            let entries = shared
                .lanes
                .with_untracked(|lanes| drag::entries_in(lanes, frame));
            let entries = existing_entries(shared, entries);
            shared.app.selected_entries.add(entries);
        }
        (_, true) => {
            if let DropTarget::Valid(gesture) = target {
                let (command, target, values) = gesture.form();
                shared.app.open_form_with(command, target, values);
            }
        }
        (DragSource::Node(entry), false) if event.shift_key() => pick_to(shared, entry),
        (DragSource::Node(entry), false) if event.ctrl_key() || event.meta_key() => {
            pick(shared, entry)
        }
        (DragSource::Node(entry) | DragSource::Grip(entry), false) => {
            shared.app.select(entry.into())
        }
        (DragSource::Ground, false) => shared.app.select(Target::Package),
        (DragSource::Frame(_) | DragSource::Star, false) => {}
    }
}

pub fn on_pointer_over(shared: GraphContext, event: &ev::PointerEvent) {
    if dom::closest(event.target(), "[data-grip]").is_none()
        && shared.drag.with_untracked(Option::is_none)
    {
        shared.hover.set(node_under(event));
    }
}

pub fn end_drag(shared: GraphContext) {
    shared.drag.set(None);
    set_drop_target(shared, DropTarget::Absent);
}

/// Handles Escape, Shift and Alt during a drag, regardless of the focus.
pub fn listen_to_keys(shared: GraphContext) {
    let on_key = move |event: &ev::KeyboardEvent, down: bool| {
        let is_dragging = shared
            .drag
            .try_with_untracked(|drag| drag.as_ref().is_some_and(|drag| drag.moved));
        if is_dragging != Some(true) {
            return;
        }
        match event.key().as_str() {
            "Escape" if down => end_drag(shared),
            "Shift" | "Alt" => {
                shared
                    .drag
                    .update(|drag| drag.iter_mut().for_each(|drag| drag.has_modifier = down));
                update_drop_target(shared);
            }
            _ => return,
        }
        event.prevent_default();
    };
    listen(&window(), "keydown", move |event| on_key(&event, true)).until_cleanup();
    listen(&window(), "keyup", move |event| on_key(&event, false)).until_cleanup();
}

fn update_drop_target(shared: GraphContext) {
    let Some(drag) = shared.drag.get_untracked() else {
        return;
    };
    // Elements beside the graph do not belong to its lanes.
    let is_outside = shared
        .area
        .try_get_untracked()
        .flatten()
        .is_some_and(|area| {
            let rect = area.get_bounding_client_rect();
            drag.at.x < rect.left() || drag.at.x > rect.right()
        });
    if is_outside {
        return set_drop_target(shared, DropTarget::Absent);
    }
    let at = point_in_lanes(shared, drag.at);
    let target = shared.lanes.with_untracked(|lanes| {
        shared.facts.with_untracked(|view| {
            drag::drop_target(lanes, view, &drag.source, drag.has_modifier, at)
        })
    });
    set_drop_target(shared, target);
}

fn set_drop_target(shared: GraphContext, drop_target: DropTarget) {
    // The capture may be lost because the graph is gone.
    if shared
        .drop_target
        .try_with_untracked(|before| *before != drop_target)
        .unwrap_or_default()
    {
        shared.drop_target.set(drop_target);
    }
}

/// Scrolls while something is dragged near the edges, frame by frame until the drag ends.
fn auto_scroll(shared: GraphContext) {
    request_animation_frame(move || {
        let Some(drag) = shared.drag.try_get_untracked().flatten() else {
            return;
        };
        let at = inside(shared, drag.at);
        let bounds = shared.bounds.get_untracked();
        let (dx, dy) = drag::edge_speed(at, bounds.view_width, bounds.view_height);
        let moved = shared.view.get_untracked().pan(dx, dy, bounds);
        if moved != shared.view.get_untracked() {
            shared.view.set(moved);
            update_drop_target(shared);
        }
        auto_scroll(shared);
    });
}

/// Opens the menu after a long press, like the right button.
fn start_long_press(shared: GraphContext, at: Point, since: f64) {
    shared.resting.set(Some((at, since)));
    set_timeout(
        move || {
            // Compare the time too: another press may be at the same position.
            let is_resting = shared.resting.try_get_untracked().flatten() == Some((at, since));
            let element = document().element_from_point(at.x as f32, at.y as f32);
            if let (true, Some(element), Ok(event)) =
                (is_resting, element, web_sys::MouseEvent::new("contextmenu"))
            {
                let (x, y) = (at.x as i32, at.y as i32);
                event.init_mouse_event_with_can_bubble_arg_and_cancelable_arg_and_view_arg_and_detail_arg_and_screen_x_arg_and_screen_y_arg_and_client_x_arg_and_client_y_arg(
                    "contextmenu", true, true, Some(&window()), 0, x, y, x, y,
                );
                shared.resting.set(None);
                end_drag(shared);
                // The result is only whether a handler canceled the event.
                let _ = element.dispatch_event(&event);
            }
        },
        LONG_PRESS,
    );
}

fn client_point(event: &ev::MouseEvent) -> Point {
    Point {
        x: event.client_x().into(),
        y: event.client_y().into(),
    }
}

fn node_under(event: &ev::PointerEvent) -> Option<NodeAt> {
    explanation::subject_at(event.target())?.node()
}
