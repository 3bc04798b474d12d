//! A tooltip with the full text of the focused element, for users without a pointer.

use super::dom;
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// Space that a tooltip needs, in pixels.
const TIP_WIDTH: f64 = 320.0;
const TIP_HEIGHT: f64 = 30.0;
/// Distance of a tooltip from its element and from the edges of the window, in pixels.
const TIP_GAP: f64 = 4.0;
/// Overflow in pixels that is due to rounding: a text of several lines is cut by whole lines.
const ROUNDING: i32 = 8;

/// The text of a tooltip, and its left and top in pixels of the window.
#[derive(Debug, Clone, PartialEq)]
struct Tip {
    text: String,
    left: f64,
    top: f64,
}

/// A tooltip for keyboard users, once per page: the full text of the focused element if it is
/// shortened, or its description if it has `data-description`. Pointers get the browser's own
/// tooltip. Hidden from screen readers, because its text is the element's name. Escape hides it.
#[component]
pub fn FocusTip() -> impl IntoView {
    let tip = RwSignal::new(None::<Tip>);
    let on_focusin = window_event_listener(ev::focusin, move |event| {
        tip.set(dom::focused_by_key(&event).as_ref().and_then(find_tip));
    });
    let on_focusout = window_event_listener(ev::focusout, move |_| tip.set(None));
    let on_keydown = window_event_listener(ev::keydown, move |event| {
        if event.key() == "Escape" && tip.with_untracked(Option::is_some) {
            tip.set(None);
        }
    });
    on_cleanup(move || {
        [on_focusin, on_focusout, on_keydown]
            .into_iter()
            .for_each(|listener| listener.remove())
    });
    let pixels = move |coordinate: fn(&Tip) -> f64| {
        move || tip.with(|tip| tip.as_ref().map(|tip| format!("{:.0}px", coordinate(tip))))
    };
    view! {
        <div
            class="focus-tip"
            aria-hidden="true"
            hidden=move || tip.with(Option::is_none)
            style=("--left", pixels(|tip| tip.left))
            style=("--top", pixels(|tip| tip.top))
        >
            {move || tip.with(|tip| tip.as_ref().map(|tip| tip.text.clone()))}
        </div>
    }
    .into_any()
}

fn find_tip(element: &Element) -> Option<Tip> {
    let text = find_cut_text(element)?;
    let rect = element.get_bounding_client_rect();
    let (width, height) = dom::window_size();
    let below = rect.bottom() + TIP_GAP;
    let top = if below + TIP_HEIGHT > height {
        rect.top() - TIP_HEIGHT - TIP_GAP
    } else {
        below
    };
    Some(Tip {
        text,
        left: rect.left().min(width - TIP_WIDTH).max(TIP_GAP),
        top: top.max(TIP_GAP),
    })
}

/// Returns the full text of the first shortened part of an element.
fn find_cut_text(element: &Element) -> Option<String> {
    if element.has_attribute("data-description") {
        return element.get_attribute("title");
    }
    // In an SVG the title has the full name.
    if let Some(title) = element
        .query_selector(":scope > title")
        .ok()
        .flatten()
        .and_then(|title| title.text_content())
    {
        let text = element.text_content().unwrap_or_default();
        let visible = text.replacen(&title, "", 1);
        return (!visible.contains(&title)).then_some(title);
    }
    let cut = element
        .clone()
        .dyn_into::<HtmlElement>()
        .into_iter()
        .chain(dom::elements_in(element, "[title]"))
        .find(is_cut);
    // A focused neighbour shows the tooltip of shortened text that cannot have the focus.
    let find_neighbour = || {
        let container = element.closest("[data-has-tip]").ok().flatten()?;
        dom::elements_in(&container, "[title]")
            .into_iter()
            .find(is_cut)
    };
    cut.or_else(find_neighbour)?.get_attribute("title")
}

/// Whether a text with a tooltip, or a part of it, is not fully visible.
fn is_cut(element: &HtmlElement) -> bool {
    let overflows = |element: &Element| {
        let is_wider = element.scroll_width() > element.client_width();
        let is_higher = element.scroll_height() > element.client_height() + ROUNDING;
        (is_wider || is_higher) && element.client_width() > 0
    };
    let part = element.query_selector(".cut-start").ok().flatten();
    let has_title = element
        .get_attribute("title")
        .is_some_and(|title| !title.is_empty());
    has_title && (overflows(element) || part.as_ref().is_some_and(overflows))
}
