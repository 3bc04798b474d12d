//! Pointer handling in the graph: panning, zooming, dragging, selecting. [`super::drag`] determines
//! the effect of a drop, which opens its form. Two fingers zoom and pan at once;
//! one finger acts like any pointer.

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
use wasm_bindgen::JsCast;
use web_sys::Element;

/// The bit of an event's `buttons` for a finger, a pen's tip, or the primary button.
const MAIN_BUTTON: u16 = 1;
/// Duration of a long press.
const LONG_PRESS: Duration = Duration::from_millis(550);

pub fn on_wheel(shared: GraphContext, event: &ev::WheelEvent) {
    event.prevent_default();
    let bounds = shared.bounds.get_untracked();
    let (dx, dy) = (event.delta_x(), event.delta_y());
    let view = shared.view.get_untracked();
    shared.view.set(if event.ctrl_key() || event.meta_key() {
        let pointer = Point {
            x: event.client_x().into(),
            y: event.client_y().into(),
        };
        let at = inside(shared, pointer);
        view.zoom((-dy * 0.002).exp(), at.x, at.y, bounds)
    } else if event.shift_key() && dx == 0.0 {
        view.pan(dy, 0.0, bounds)
    } else {
        view.pan(dx, dy, bounds)
    });
}

pub fn on_pointer_down(shared: GraphContext, event: &ev::PointerEvent) {
    if event.button() != 0 {
        return;
    }
    let at = point(event);
    if is_touch(event) {
        shared
            .fingers
            .update_value(|fingers| fingers.down(event.pointer_id(), at));
        if shared.fingers.with_value(TouchPoints::are_several) {
            begin_pinch(shared);
            return;
        }
    } else if !event.is_primary() {
        return;
    }
    let held = drag_source(shared, event);
    if is_touch(event) {
        open_menu_by_resting(shared, at, event.time_stamp());
    }
    if let Some(held) = held {
        shared.drag.set(Some(Drag::new(
            held,
            at,
            event.shift_key() || event.alt_key(),
        )));
    }
}

/// Returns what a press drags; `None` if the press has another meaning.
fn drag_source(shared: GraphContext, event: &ev::PointerEvent) -> Option<DragSource> {
    let on = |what: &str| -> Option<Element> {
        event
            .target()?
            .dyn_into::<Element>()
            .ok()?
            .closest(what)
            .ok()
            .flatten()
    };
    if on("[data-grip]").is_some() {
        return shared
            .gripped
            .get_untracked()
            .and_then(|at| entry_at(shared, at))
            .map(DragSource::Grip);
    }
    if on("[data-star]").is_some() {
        return Some(DragSource::Star);
    }
    match node_of(event).map(|at| entry_at(shared, at)) {
        Some(Some(entry)) => Some(DragSource::Node(entry)),
        Some(None) => None,
        None if on("[data-press]").is_some() => None,
        None if event.shift_key() => Some(DragSource::Frame(point_in_lanes(shared, point(event)))),
        None => Some(DragSource::Ground),
    }
}

/// Starts a pinch. The second finger cancels any drag or long press.
fn begin_pinch(shared: GraphContext) {
    shared.resting.set(None);
    shared.card.update(Card::close);
    end_drag(shared);
    if let Some(area) = shared.area.get_untracked() {
        // Fails only if the finger is gone.
        let capture = |id: i32| drop(area.set_pointer_capture(id));
        shared
            .fingers
            .with_value(|fingers| fingers.ids().for_each(capture));
    }
}

/// Zooms and pans. Returns `true` while two fingers are down.
fn pinch(shared: GraphContext, event: &ev::PointerEvent) -> bool {
    if !is_touch(event) {
        return false;
    }
    let moved = shared
        .fingers
        .try_update_value(|fingers| fingers.move_touch(event.pointer_id(), point(event)))
        .flatten();
    if let Some(Pinch { from, to, factor }) = moved {
        let (bounds, at) = (shared.bounds.get_untracked(), inside(shared, to));
        let (dx, dy) = (from.x - to.x, from.y - to.y);
        shared
            .view
            .update(|view| *view = view.pan(dx, dy, bounds).zoom(factor, at.x, at.y, bounds));
    }
    shared.fingers.with_value(TouchPoints::are_several)
}

/// Handles a lifted finger. The remaining one continues panning.
fn lift(shared: GraphContext, event: &ev::PointerEvent) -> bool {
    let left = shared
        .fingers
        .try_update_value(|fingers| fingers.up(event.pointer_id()))
        .flatten();
    if let Some(left) = left {
        let drag = Drag::new(DragSource::Ground, left, false);
        shared.drag.set(Some(Drag {
            moved: true,
            ..drag
        }));
    }
    left.is_some() || shared.fingers.with_value(TouchPoints::are_several)
}

fn is_touch(event: &ev::PointerEvent) -> bool {
    event.pointer_type() == "touch"
}

/// Handles a pointer that the browser took for scrolling, or whose window is gone.
pub fn on_pointer_cancel(shared: GraphContext, event: &ev::PointerEvent) {
    shared.resting.set(None);
    lift(shared, event);
    end_drag(shared);
}

/// Ends a drag when the area loses the capture, unless a finger was lifted. Ignores the capture of
/// the element that a finger first touched, which the area takes over once the finger moves.
pub fn on_lost_capture(shared: GraphContext, event: &ev::PointerEvent) {
    let is_down = shared
        .fingers
        .try_with_value(|fingers| fingers.ids().any(|id| id == event.pointer_id()));
    if event.target() == event.current_target() && (!is_touch(event) || is_down == Some(true)) {
        end_drag(shared);
    }
}

pub fn on_pointer_move(shared: GraphContext, event: &ev::PointerEvent) {
    if pinch(shared, event) {
        return;
    }
    let to = point(event);
    if shared
        .resting
        .get_untracked()
        .is_some_and(|(rests, _)| drag::is_far(rests, to))
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
    if !drag.goes_far(to) {
        return;
    }
    if !drag.moved {
        // A drag captures the pointer. Fails only if the pointer is gone.
        if let Some(area) = shared.area.get_untracked() {
            let _ = area.set_pointer_capture(event.pointer_id());
        }
        shared.card.update(Card::close);
        if drag.held != DragSource::Ground {
            follow_edges(shared);
        }
    }
    let other = event.shift_key() || event.alt_key();
    let now = Drag {
        at: to,
        moved: true,
        other,
        ..drag.clone()
    };
    if now.held != DragSource::Ground {
        shared.drag.set(Some(now));
        aim(shared);
        return;
    }
    let bounds = shared.bounds.get_untracked();
    shared
        .view
        .update(|v| *v = v.pan(drag.at.x - to.x, drag.at.y - to.y, bounds));
    // Panning has no drop target: only the movement matters.
    match drag.moved {
        true => shared.drag.update_untracked(|drag| *drag = Some(now)),
        false => shared.drag.set(Some(now)),
    }
}

pub fn on_pointer_up(shared: GraphContext, event: &ev::PointerEvent) {
    shared.resting.set(None);
    if lift(shared, event) {
        return;
    }
    let Some(drag) = shared.drag.get_untracked() else {
        return;
    };
    let target = shared.aim.get_untracked();
    end_drag(shared);
    match (drag.held, drag.moved) {
        (DragSource::Frame(from), true) => {
            let frame = Area::between(from, point_in_lanes(shared, point(event)));
            let entries = shared
                .lanes
                .with_untracked(|lanes| drag::entries_in(lanes, frame));
            let entries = existing_entries(shared, entries);
            shared.app.selected_entries.add(entries);
        }
        (_, true) => {
            if let DropTarget::Does(gesture) = target {
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

/// Updates the node whose grip is shown.
pub fn on_pointer_over(shared: GraphContext, event: &ev::PointerEvent) {
    let element = dom::element(event.target());
    let is_grip =
        element.is_some_and(|element| element.closest("[data-grip]").ok().flatten().is_some());
    if !is_grip && shared.drag.with_untracked(Option::is_none) {
        shared.hover.set(node_of(event));
    }
}

pub fn end_drag(shared: GraphContext) {
    shared.drag.set(None);
    set_aim(shared, DropTarget::Nothing);
}

/// Handles Escape, Shift and Alt during a drag, regardless of the focus.
pub fn listen_to_keys(shared: GraphContext) {
    let change = move |event: &ev::KeyboardEvent, down: bool| {
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
                    .update(|drag| drag.iter_mut().for_each(|drag| drag.other = down));
                aim(shared);
            }
            _ => return,
        }
        event.prevent_default();
    };
    listen(&window(), "keydown", move |event| change(&event, true)).until_cleanup();
    listen(&window(), "keyup", move |event| change(&event, false)).until_cleanup();
}

/// Updates the drop target and reports changes.
fn aim(shared: GraphContext) {
    let Some(drag) = shared.drag.get_untracked() else {
        return;
    };
    // Elements beside the graph do not belong to its lanes.
    let is_beside = shared
        .area
        .try_get_untracked()
        .flatten()
        .is_some_and(|area| {
            let rect = area.get_bounding_client_rect();
            drag.at.x < rect.left() || drag.at.x > rect.right()
        });
    if is_beside {
        return set_aim(shared, DropTarget::Nothing);
    }
    let at = point_in_lanes(shared, drag.at);
    set_aim(
        shared,
        shared
            .lanes
            .with_untracked(|lanes| drag::aim(lanes, &drag.held, drag.other, at)),
    );
}

fn set_aim(shared: GraphContext, aim: DropTarget) {
    // The capture may be lost because the graph is gone.
    if shared
        .aim
        .try_with_untracked(|before| *before != aim)
        .unwrap_or_default()
    {
        shared.aim.set(aim);
    }
}

/// Scrolls while something is dragged near the edges, frame by frame until the drag ends.
fn follow_edges(shared: GraphContext) {
    request_animation_frame(move || {
        // Panning with the remaining finger is another drag.
        let drag = shared
            .drag
            .try_get_untracked()
            .flatten()
            .filter(|drag| drag.held != DragSource::Ground);
        let Some(drag) = drag else { return };
        let at = inside(shared, drag.at);
        let bounds = shared.bounds.get_untracked();
        let (dx, dy) = drag::edge_speed(at, bounds.view_width, bounds.view_height);
        let moved = shared.view.get_untracked().pan(dx, dy, bounds);
        if moved != shared.view.get_untracked() {
            shared.view.set(moved);
            aim(shared);
        }
        follow_edges(shared);
    });
}

/// Opens the menu after a long press, like the right button.
fn open_menu_by_resting(shared: GraphContext, at: Point, since: f64) {
    shared.resting.set(Some((at, since)));
    set_timeout(
        move || {
            // Compare the time too: another press may be at the same position.
            let rests = shared.resting.try_get_untracked().flatten() == Some((at, since));
            let element = document().element_from_point(at.x as f32, at.y as f32);
            if let (true, Some(element), Ok(event)) =
                (rests, element, web_sys::MouseEvent::new("contextmenu"))
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

fn point(event: &ev::PointerEvent) -> Point {
    Point {
        x: event.client_x().into(),
        y: event.client_y().into(),
    }
}

fn node_of(event: &ev::PointerEvent) -> Option<NodeAt> {
    explanation::subject_at(event.target())?.node()
}

/// The fingers that are down, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TouchPoints {
    down: Vec<(i32, Point)>,
}

/// A movement of two fingers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pinch {
    /// The previous and current midpoint.
    pub from: Point,
    pub to: Point,
    pub factor: f64,
}

/// Minimum distance for measuring zoom.
const LEAST: f64 = 8.0;

impl TouchPoints {
    pub fn down(&mut self, id: i32, at: Point) {
        self.up(id);
        self.down.push((id, at));
    }

    /// Removes a lifted finger. Returns the position of the remaining one, if exactly one remains.
    pub fn up(&mut self, id: i32) -> Option<Point> {
        let before = self.down.len();
        self.down.retain(|(known, _)| *known != id);
        match (before, self.down.as_slice()) {
            (2, [(_, left)]) => Some(*left),
            _ => None,
        }
    }

    /// Whether several fingers are down.
    pub fn are_several(&self) -> bool {
        self.down.len() > 1
    }

    /// Returns the pointer ids of all fingers.
    pub fn ids(&self) -> impl Iterator<Item = i32> + '_ {
        self.down.iter().map(|(id, _)| *id)
    }

    /// Moves a finger. Returns `None` if it is the only one, or not among the first two.
    pub fn move_touch(&mut self, id: i32, to: Point) -> Option<Pinch> {
        let before = self.pair();
        self.down
            .iter_mut()
            .filter(|(known, _)| *known == id)
            .for_each(|(_, at)| *at = to);
        let ((from, length), (to, now)) = (before?, self.pair()?);
        let factor = if length < LEAST || now < LEAST {
            1.0
        } else {
            now / length
        };
        (from != to || length != now).then_some(Pinch { from, to, factor })
    }

    /// Returns the midpoint and the distance of the first two fingers.
    fn pair(&self) -> Option<(Point, f64)> {
        let [(_, a), (_, b), ..] = self.down.as_slice() else {
            return None;
        };
        Some((
            Point {
                x: (a.x + b.x) / 2.0,
                y: (a.y + b.y) / 2.0,
            },
            (a.x - b.x).hypot(a.y - b.y),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn at(x: f64, y: f64) -> Point {
        Point { x, y }
    }

    #[test]
    fn two_fingers_zoom_around_their_middle() {
        let mut fingers = TouchPoints::default();
        fingers.down(1, at(100.0, 100.0));
        assert_eq!(
            fingers.move_touch(1, at(110.0, 100.0)),
            None,
            "one is a pointer"
        );
        fingers.down(2, at(210.0, 100.0));
        assert!(fingers.are_several());
        let pinch = fingers.move_touch(2, at(310.0, 100.0));
        assert_eq!(
            pinch,
            Some(Pinch {
                from: at(160.0, 100.0),
                to: at(210.0, 100.0),
                factor: 2.0
            })
        );
        fingers.down(3, at(0.0, 0.0));
        assert_eq!(
            fingers.move_touch(3, at(5.0, 5.0)),
            None,
            "a third one does not count"
        );
        assert_eq!(fingers.up(3), None);
        assert_eq!(
            fingers.up(1),
            Some(at(310.0, 100.0)),
            "the other finger continues"
        );
        assert!(!fingers.are_several());
        assert_eq!(fingers.up(2), None);
    }

    #[test]
    fn fingers_on_one_spot_do_not_zoom() {
        let mut fingers = TouchPoints::default();
        fingers.down(1, at(0.0, 0.0));
        fingers.down(2, at(0.0, 0.0));
        assert_eq!(
            fingers
                .move_touch(2, at(4.0, 0.0))
                .map(|pinch| pinch.factor),
            Some(1.0)
        );
    }
}
