//! Keys of the headings over the columns, y-streams and long chains: buttons that fold and open and have a menu.
//!
//! | key | does |
//! |---|---|
//! | Enter, Space | folds or opens it |
//! | Left, Right | to its neighbors of the same kind |
//! | Down | to the cars |
//! | Shift+F10 | its menu |

use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, SvgElement};

/// What a key asks of a heading.
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

/// Goes to the neighbors, which have the attribute `kind` as well, and tells what else is asked.
pub(super) fn on_key(event: &KeyboardEvent, kind: &str, tell: impl FnOnce(HeadingKey)) {
    // With these it is somebody else's.
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
        // Fails only for an element that is gone; then there is nothing to focus.
        let _ = element.focus();
    }
}
