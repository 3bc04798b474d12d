//! The line between two panels that resizes one of them (APG *Window Splitter*).
//!
//! | key | does |
//! |---|---|
//! | arrows along its movement | moves it by a step, with Shift by a larger one |
//! | Home, End | smallest and largest size of the panel |
//! | Enter | hides the panel; shows it again |
//! | Escape, during a drag | restores the size |
//!
//! A double press restores the default size, a press shows a hidden panel, and a drag to nearly
//! nothing hides it.

use super::dom;
use leptos::html;
use leptos::prelude::*;
use std::ops::RangeInclusive;

/// The edge of the panel where the splitter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// The right edge of a panel at the left.
    Right,
    /// The left edge of a panel at the right.
    Left,
    /// The upper edge of a panel at the bottom.
    Top,
}

impl Edge {
    fn name(self) -> &'static str {
        match self {
            Edge::Right => "right",
            Edge::Left => "left",
            Edge::Top => "top",
        }
    }

    /// Returns the growth of the panel when the pointer moves this far right and down.
    fn growth(self, right: i32, down: i32) -> i32 {
        match self {
            Edge::Right => right,
            Edge::Left => -right,
            Edge::Top => -down,
        }
    }
}

/// A requested state of the panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResizeRequest {
    Size(u32),
    Hidden(bool),
    /// Visible, with its default size.
    DefaultSize,
}

/// Growth of the panel by an arrow key, and together with Shift, in pixels.
const STEP: i32 = 16;
const LARGE_STEP: i32 = 96;
/// Movement of the pointer in pixels that is still a press.
const PRESS_TOLERANCE: i32 = 3;

/// Returns the request of a key for a panel of `size` pixels; `range` are its possible sizes.
fn size_after_key(
    edge: Edge,
    key: &str,
    shift: bool,
    size: u32,
    is_hidden: bool,
    range: &RangeInclusive<u32>,
) -> Option<ResizeRequest> {
    let (min, max) = (*range.start(), *range.end());
    let step = if shift { LARGE_STEP } else { STEP };
    let growth = match (edge, key) {
        (Edge::Right | Edge::Left, "ArrowRight") => edge.growth(step, 0),
        (Edge::Right | Edge::Left, "ArrowLeft") => edge.growth(-step, 0),
        (Edge::Top, "ArrowUp") => edge.growth(0, -step),
        (Edge::Top, "ArrowDown") => edge.growth(0, step),
        (_, "Home") => return Some(ResizeRequest::Size(min)),
        (_, "End") => return Some(ResizeRequest::Size(max)),
        (_, "Enter") => return Some(ResizeRequest::Hidden(!is_hidden)),
        _ => return None,
    };
    match (is_hidden, growth > 0) {
        // A hidden panel returns as it was, and cannot shrink.
        (true, true) => Some(ResizeRequest::Hidden(false)),
        (true, false) => None,
        (false, _) => Some(ResizeRequest::Size(
            size.saturating_add_signed(growth).clamp(min, max),
        )),
    }
}

/// A drag in progress: the pointer's position and the panel's state when it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Drag {
    start: (i32, i32),
    size: u32,
    was_hidden: bool,
}

impl Drag {
    /// Returns the request when the pointer is at `pointer`.
    fn resize_to(
        self,
        edge: Edge,
        pointer: (i32, i32),
        range: &RangeInclusive<u32>,
    ) -> ResizeRequest {
        let (min, max) = (*range.start(), *range.end());
        let initial = if self.was_hidden { 0 } else { self.size };
        let growth = edge.growth(pointer.0 - self.start.0, pointer.1 - self.start.1);
        let size = initial.saturating_add_signed(growth);
        if size < min / 2 {
            ResizeRequest::Hidden(true)
        } else {
            ResizeRequest::Size(size.clamp(min, max))
        }
    }

    /// Returns the request for the state before the drag.
    fn restore(self) -> ResizeRequest {
        if self.was_hidden {
            ResizeRequest::Hidden(true)
        } else {
            ResizeRequest::Size(self.size)
        }
    }
}

/// `label` is the panel's name, `controls` its id. `on_resize` is called during a drag too;
/// `on_done` at its end.
#[component]
pub fn Splitter(
    label: &'static str,
    controls: &'static str,
    edge: Edge,
    range: RangeInclusive<u32>,
    size: Signal<u32>,
    is_hidden: Signal<bool>,
    #[prop(into)] on_resize: Callback<ResizeRequest>,
    #[prop(into)] on_done: Callback<()>,
) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let drag = StoredValue::new(None::<Drag>);
    let is_dragged = RwSignal::new(false);
    let (max, key_range) = (*range.end(), range.clone());
    let pointer = |event: &web_sys::PointerEvent| (event.client_x(), event.client_y());
    let finish = move || {
        drag.set_value(None);
        is_dragged.set(false);
        on_done.run(());
    };
    let on_key = move |event: web_sys::KeyboardEvent| {
        let key = event.key();
        if key == "Escape"
            && let Some(current) = drag.get_value()
        {
            event.prevent_default();
            on_resize.run(current.restore());
            finish();
            return;
        }
        if dom::has_modifier(&event) {
            return;
        }
        let (size, is_hidden) = (size.get_untracked(), is_hidden.get_untracked());
        let request = size_after_key(edge, &key, event.shift_key(), size, is_hidden, &key_range);
        if let Some(request) = request {
            event.prevent_default();
            event.stop_propagation();
            on_resize.run(request);
            on_done.run(());
        }
    };
    let on_down = move |event: web_sys::PointerEvent| {
        if event.button() != 0 {
            return;
        }
        if let Some(element) = node.get_untracked() {
            // Without capture the drag only ends earlier.
            let _ = element.set_pointer_capture(event.pointer_id());
        }
        let (size, was_hidden) = (size.get_untracked(), is_hidden.get_untracked());
        drag.set_value(Some(Drag {
            start: pointer(&event),
            size,
            was_hidden,
        }));
    };
    let on_move = move |event: web_sys::PointerEvent| {
        let Some(current) = drag.get_value() else {
            return;
        };
        let (x, y) = pointer(&event);
        let distance = (x - current.start.0).abs().max((y - current.start.1).abs());
        if is_dragged.get_untracked() || distance > PRESS_TOLERANCE {
            is_dragged.set(true);
            on_resize.run(current.resize_to(edge, (x, y), &range));
        }
    };
    let on_up = move |_: web_sys::PointerEvent| {
        let Some(current) = drag.get_value() else {
            return;
        };
        if !is_dragged.get_untracked() && current.was_hidden {
            on_resize.run(ResizeRequest::Hidden(false));
        }
        finish();
    };
    view! {
        <div
            node_ref=node
            class="splitter"
            role="separator"
            tabindex="0"
            title=format!("{label}: drag to resize, double-click for the default size")
            aria-label=label
            aria-controls=controls
            aria-orientation=if edge == Edge::Top { "horizontal" } else { "vertical" }
            aria-valuemin="0"
            aria-valuemax=max.to_string()
            aria-valuenow=move || if is_hidden.get() { 0 } else { size.get() }.to_string()
            aria-valuetext=move || {
                if is_hidden.get() { "hidden".to_owned() } else { format!("{} pixels", size.get()) }
            }
            data-edge=edge.name()
            data-away=move || is_hidden.get().to_string()
            data-dragged=move || is_dragged.get().to_string()
            on:keydown=on_key
            on:pointerdown=on_down
            on:pointermove=on_move
            on:pointerup=on_up
            on:pointercancel=move |_| {
                if drag.get_value().is_some() {
                    finish();
                }
            }
            on:dblclick=move |_| {
                on_resize.run(ResizeRequest::DefaultSize);
                on_done.run(());
            }
        ></div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: &RangeInclusive<u32> = &(100..=400);

    fn key(edge: Edge, key: &str, size: u32) -> Option<ResizeRequest> {
        size_after_key(edge, key, false, size, false, RANGE)
    }

    #[test]
    fn an_arrow_moves_the_line_and_the_panel_follows() {
        assert_eq!(
            key(Edge::Right, "ArrowRight", 200),
            Some(ResizeRequest::Size(216))
        );
        assert_eq!(
            key(Edge::Left, "ArrowRight", 200),
            Some(ResizeRequest::Size(184))
        );
        assert_eq!(
            key(Edge::Top, "ArrowUp", 200),
            Some(ResizeRequest::Size(216))
        );
        assert_eq!(
            key(Edge::Top, "ArrowLeft", 200),
            None,
            "not along its movement"
        );
        assert_eq!(
            key(Edge::Right, "ArrowLeft", 105),
            Some(ResizeRequest::Size(100))
        );
        assert_eq!(
            size_after_key(Edge::Right, "ArrowRight", true, 390, false, RANGE),
            Some(ResizeRequest::Size(400))
        );
    }

    #[test]
    fn home_end_and_enter() {
        assert_eq!(key(Edge::Left, "Home", 200), Some(ResizeRequest::Size(100)));
        assert_eq!(key(Edge::Left, "End", 200), Some(ResizeRequest::Size(400)));
        assert_eq!(
            key(Edge::Left, "Enter", 200),
            Some(ResizeRequest::Hidden(true))
        );
        assert_eq!(
            size_after_key(Edge::Left, "Enter", false, 200, true, RANGE),
            Some(ResizeRequest::Hidden(false))
        );
        assert_eq!(key(Edge::Left, "x", 200), None);
    }

    #[test]
    fn a_hidden_panel_returns_only_by_growing() {
        let away = |key| size_after_key(Edge::Right, key, false, 200, true, RANGE);
        assert_eq!(away("ArrowRight"), Some(ResizeRequest::Hidden(false)));
        assert_eq!(away("ArrowLeft"), None);
    }

    #[test]
    fn a_drag_follows_the_pointer_and_hides_the_panel_at_the_edge() {
        let drag = Drag {
            start: (300, 50),
            size: 200,
            was_hidden: false,
        };
        assert_eq!(
            drag.resize_to(Edge::Right, (350, 90), RANGE),
            ResizeRequest::Size(250)
        );
        assert_eq!(
            drag.resize_to(Edge::Right, (190, 50), RANGE),
            ResizeRequest::Size(100)
        );
        assert_eq!(
            drag.resize_to(Edge::Right, (100, 50), RANGE),
            ResizeRequest::Hidden(true)
        );
        assert_eq!(
            drag.resize_to(Edge::Right, (9000, 50), RANGE),
            ResizeRequest::Size(400)
        );
        assert_eq!(drag.restore(), ResizeRequest::Size(200));
        let opened = Drag {
            was_hidden: true,
            ..drag
        };
        assert_eq!(
            opened.resize_to(Edge::Right, (450, 50), RANGE),
            ResizeRequest::Size(150)
        );
        assert_eq!(opened.restore(), ResizeRequest::Hidden(true));
    }
}
