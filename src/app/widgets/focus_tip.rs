//! A tooltip for keyboard users: shows the full text of a shortened focused element, and the
//! description in `data-tells`. Pointers get the browser's own tooltip.
//!
//! | key | effect |
//! |---|---|
//! | Escape | hides the tooltip |

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// Text and position: left and top in the window, in pixels.
#[derive(Debug, Clone, PartialEq)]
struct Tip {
    text: String,
    left: f64,
    top: f64,
}

/// Space that a tooltip keeps at the right edge of the window.
const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 30.0;

/// One for the whole page. It is hidden from screen readers, because its text is the element's
/// name.
#[component]
pub fn FocusTip() -> impl IntoView {
    let tip = RwSignal::new(None::<Tip>);
    let focused = window_event_listener(ev::focusin, move |event| {
        let element = event
            .target()
            .and_then(|target| target.dyn_into::<Element>().ok());
        let now = element.filter(|element| element.matches(":focus-visible").unwrap_or_default());
        tip.set(now.as_ref().and_then(tip_of));
    });
    let left = window_event_listener(ev::focusout, move |_| tip.set(None));
    let keyed = window_event_listener(ev::keydown, move |event| {
        if event.key() == "Escape" && tip.with_untracked(Option::is_some) {
            tip.set(None);
        }
    });
    on_cleanup(move || {
        [focused, left, keyed]
            .into_iter()
            .for_each(|listener| listener.remove())
    });
    let at = move |of: fn(&Tip) -> f64| {
        move || tip.with(|tip| tip.as_ref().map(|tip| format!("{:.0}px", of(tip))))
    };
    view! {
        <div
            class="focus-tip"
            aria-hidden="true"
            hidden=move || tip.with(Option::is_none)
            style=("--left", at(|tip| tip.left))
            style=("--top", at(|tip| tip.top))
        >
            {move || tip.with(|tip| tip.as_ref().map(|tip| tip.text.clone()))}
        </div>
    }
    .into_any()
}

fn tip_of(element: &Element) -> Option<Tip> {
    let text = cut_in(element)?;
    let rect = element.get_bounding_client_rect();
    let (width, height) = size_of_window();
    let below = rect.bottom() + 4.0;
    let top = if below + HEIGHT > height {
        rect.top() - HEIGHT - 4.0
    } else {
        below
    };
    Some(Tip {
        text,
        left: rect.left().min(width - WIDTH).max(4.0),
        top: top.max(4.0),
    })
}

fn size_of_window() -> (f64, f64) {
    let of = |value: Result<wasm_bindgen::JsValue, _>| {
        value
            .ok()
            .and_then(|value| value.as_f64())
            .unwrap_or_default()
    };
    (of(window().inner_width()), of(window().inner_height()))
}

/// The full text of the first shortened part of an element.
fn cut_in(element: &Element) -> Option<String> {
    if element.has_attribute("data-tells") {
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
        let rest = text.replacen(&title, "", 1);
        return (!rest.contains(&title)).then_some(title);
    }
    let own = element.clone().dyn_into::<HtmlElement>().ok();
    let cut = own.into_iter().chain(with_titles(element)).find(is_cut);
    // Text that cannot have the focus is shown with a focusable neighbour.
    let beside = || {
        with_titles(&element.closest("[data-told-here]").ok().flatten()?)
            .into_iter()
            .find(is_cut)
    };
    cut.or_else(beside)
        .and_then(|cut| cut.get_attribute("title"))
}

fn with_titles(element: &Element) -> Vec<HtmlElement> {
    let Ok(found) = element.query_selector_all("[title]") else {
        return Vec::new();
    };
    (0..found.length())
        .filter_map(|at| found.item(at)?.dyn_into::<HtmlElement>().ok())
        .collect()
}

/// Whether a text with a tooltip, or a part of it, is not fully visible.
fn is_cut(element: &HtmlElement) -> bool {
    // Ignore rounding; a text of several lines is cut by whole lines.
    const LINE: i32 = 8;
    let overflows = |element: &Element| {
        let is_wider = element.scroll_width() > element.client_width();
        let is_higher = element.scroll_height() > element.client_height() + LINE;
        (is_wider || is_higher) && element.client_width() > 0
    };
    let part = element.query_selector(".cut-start").ok().flatten();
    element.has_attribute("title") && (overflows(element) || part.as_ref().is_some_and(overflows))
}
