//! Keys of y-stream and chain headings: buttons that fold and unfold, with a menu.
//!
//! | key | effect |
//! |---|---|
//! | Enter, Space | folds or unfolds |
//! | Left, Right | neighbours of the same kind |
//! | Down | the nodes |
//! | Shift+F10 | the menu |

use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, SvgElement};

/// The action requested by a key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum HeadingKey {
    Toggle,
    Down,
    /// At a point of the window.
    Menu {
        x: f64,
        y: f64,
    },
}

/// Moves between headings with the same `kind` attribute, and reports other actions.
pub(super) fn on_key(event: &KeyboardEvent, kind: &str, tell: impl FnOnce(HeadingKey)) {
    // With modifiers the key belongs to others.
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let heading = event
        .current_target()
        .and_then(|target| target.dyn_into::<Element>().ok());
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
            let rect = heading.map(|heading| heading.get_bounding_client_rect());
            let (x, y) = rect.map_or((0.0, 0.0), |rect| (rect.left(), rect.bottom()));
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
        // Fails only if the element is gone, when there is nothing to focus.
        let _ = element.focus();
    }
}
