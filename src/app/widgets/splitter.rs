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

/// The edge of its panel.
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
    /// Visible, with this size.
    Size(u32),
    Away(bool),
    /// Visible, with its default size.
    Usual,
}

const STEP: i32 = 16;
const LARGE_STEP: i32 = 96;

/// Returns the request of a key for a panel of `size` pixels; `bounds` are its smallest, default
/// and largest size.
fn size_after_key(
    edge: Edge,
    key: &str,
    shift: bool,
    size: u32,
    is_away: bool,
    bounds: [u32; 3],
) -> Option<ResizeRequest> {
    let [least, _, most] = bounds;
    let step = if shift { LARGE_STEP } else { STEP };
    let growth = match (edge, key) {
        (Edge::Right | Edge::Left, "ArrowRight") => edge.growth(step, 0),
        (Edge::Right | Edge::Left, "ArrowLeft") => edge.growth(-step, 0),
        (Edge::Top, "ArrowUp") => edge.growth(0, -step),
        (Edge::Top, "ArrowDown") => edge.growth(0, step),
        (_, "Home") => return Some(ResizeRequest::Size(least)),
        (_, "End") => return Some(ResizeRequest::Size(most)),
        (_, "Enter") => return Some(ResizeRequest::Away(!is_away)),
        _ => return None,
    };
    match (is_away, growth > 0) {
        // A hidden panel returns as it was, and cannot shrink.
        (true, true) => Some(ResizeRequest::Away(false)),
        (true, false) => None,
        (false, _) => Some(ResizeRequest::Size(
            size.saturating_add_signed(growth).clamp(least, most),
        )),
    }
}

/// A drag in progress: the pointer's start, and the panel's size at that time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Drag {
    at: (i32, i32),
    size: u32,
    was_away: bool,
}

impl Drag {
    fn to(self, edge: Edge, at: (i32, i32), bounds: [u32; 3]) -> ResizeRequest {
        let [least, _, most] = bounds;
        let from = if self.was_away { 0 } else { self.size };
        let size = from.saturating_add_signed(edge.growth(at.0 - self.at.0, at.1 - self.at.1));
        if size < least / 2 {
            ResizeRequest::Away(true)
        } else {
            ResizeRequest::Size(size.clamp(least, most))
        }
    }

    fn back(self) -> ResizeRequest {
        if self.was_away {
            ResizeRequest::Away(true)
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
    bounds: [u32; 3],
    #[prop(into)] size: Signal<u32>,
    #[prop(into)] is_away: Signal<bool>,
    #[prop(into)] on_resize: Callback<ResizeRequest>,
    #[prop(into)] on_done: Callback<()>,
) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let drag = StoredValue::new(None::<Drag>);
    let is_dragged = RwSignal::new(false);
    let place = |event: &web_sys::PointerEvent| (event.client_x(), event.client_y());
    let finish = move || {
        drag.set_value(None);
        is_dragged.set(false);
        on_done.run(());
    };
    let on_key = move |event: web_sys::KeyboardEvent| {
        let key = event.key();
        if key == "Escape"
            && let Some(known) = drag.get_value()
        {
            event.prevent_default();
            on_resize.run(known.back());
            finish();
            return;
        }
        if dom::has_modifier(&event) {
            return;
        }
        let (size, is_away) = (size.get_untracked(), is_away.get_untracked());
        if let Some(wish) = size_after_key(edge, &key, event.shift_key(), size, is_away, bounds) {
            event.prevent_default();
            event.stop_propagation();
            on_resize.run(wish);
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
        let (size, was_away) = (size.get_untracked(), is_away.get_untracked());
        drag.set_value(Some(Drag {
            at: place(&event),
            size,
            was_away,
        }));
    };
    let on_move = move |event: web_sys::PointerEvent| {
        let Some(known) = drag.get_value() else {
            return;
        };
        let at = place(&event);
        // Ignore the small movement of a press.
        if is_dragged.get_untracked()
            || (at.0 - known.at.0).abs().max((at.1 - known.at.1).abs()) > 3
        {
            is_dragged.set(true);
            on_resize.run(known.to(edge, at, bounds));
        }
    };
    let on_up = move |_: web_sys::PointerEvent| {
        let Some(known) = drag.get_value() else {
            return;
        };
        if !is_dragged.get_untracked() && known.was_away {
            on_resize.run(ResizeRequest::Away(false));
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
            aria-valuemax=bounds[2].to_string()
            aria-valuenow=move || if is_away.get() { 0 } else { size.get() }.to_string()
            aria-valuetext=move || {
                if is_away.get() { "hidden".to_owned() } else { format!("{} pixels", size.get()) }
            }
            data-edge=edge.name()
            data-away=move || is_away.get().to_string()
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
                on_resize.run(ResizeRequest::Usual);
                on_done.run(());
            }
        ></div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: [u32; 3] = [100, 200, 400];

    fn key(edge: Edge, key: &str, size: u32) -> Option<ResizeRequest> {
        size_after_key(edge, key, false, size, false, BOUNDS)
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
            size_after_key(Edge::Right, "ArrowRight", true, 390, false, BOUNDS),
            Some(ResizeRequest::Size(400))
        );
    }

    #[test]
    fn home_end_and_enter() {
        assert_eq!(key(Edge::Left, "Home", 200), Some(ResizeRequest::Size(100)));
        assert_eq!(key(Edge::Left, "End", 200), Some(ResizeRequest::Size(400)));
        assert_eq!(
            key(Edge::Left, "Enter", 200),
            Some(ResizeRequest::Away(true))
        );
        assert_eq!(
            size_after_key(Edge::Left, "Enter", false, 200, true, BOUNDS),
            Some(ResizeRequest::Away(false))
        );
        assert_eq!(key(Edge::Left, "x", 200), None);
    }

    #[test]
    fn a_hidden_panel_returns_only_by_growing() {
        let away = |key| size_after_key(Edge::Right, key, false, 200, true, BOUNDS);
        assert_eq!(away("ArrowRight"), Some(ResizeRequest::Away(false)));
        assert_eq!(away("ArrowLeft"), None);
    }

    #[test]
    fn a_drag_follows_the_pointer_and_puts_away_at_the_edge() {
        let drag = Drag {
            at: (300, 50),
            size: 200,
            was_away: false,
        };
        assert_eq!(
            drag.to(Edge::Right, (350, 90), BOUNDS),
            ResizeRequest::Size(250)
        );
        assert_eq!(
            drag.to(Edge::Right, (190, 50), BOUNDS),
            ResizeRequest::Size(100)
        );
        assert_eq!(
            drag.to(Edge::Right, (100, 50), BOUNDS),
            ResizeRequest::Away(true)
        );
        assert_eq!(
            drag.to(Edge::Right, (9000, 50), BOUNDS),
            ResizeRequest::Size(400)
        );
        assert_eq!(drag.back(), ResizeRequest::Size(200));
        let opened = Drag {
            was_away: true,
            ..drag
        };
        assert_eq!(
            opened.to(Edge::Right, (450, 50), BOUNDS),
            ResizeRequest::Size(150)
        );
        assert_eq!(opened.back(), ResizeRequest::Away(true));
    }
}
