//! Text in little space. A name is shortened in its middle, because similar names differ at their
//! ends; the full text stays in the document and in the tooltip. Text without blanks wraps after
//! its parts, never within a word. Also the tooltip with the full text of a focused element.

use super::dom;
use leptos::ev;
use leptos::prelude::*;
use protocol::counting::and_more;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// Number of characters that are always visible at the end of a name, and of a version, whose end
/// is a date or number.
const NAME_END: usize = 12;
const VERSION_END: usize = 5;
/// Space that a tooltip needs, in pixels.
const TIP_WIDTH: f64 = 320.0;
const TIP_HEIGHT: f64 = 30.0;
/// Distance of a tooltip from its element and from the edges of the window, in pixels.
const TIP_GAP: f64 = 4.0;
/// Overflow in pixels that is due to rounding: a text of several lines is cut by whole lines.
const ROUNDING: i32 = 8;

/// Splits a text of at least `min_length` characters before its last `end_length` characters. A
/// shorter text has an empty end.
fn split_end(text: &str, end_length: usize, min_length: usize) -> (&str, &str) {
    let count = text.chars().count();
    if count < min_length {
        return (text, "");
    }
    let start = text.char_indices().nth(count - end_length);
    text.split_at(start.map_or(text.len(), |(offset, _)| offset))
}

/// Renders a name as one line.
pub fn cut_text(text: &str) -> impl IntoView + use<> {
    shortened_view(text, NAME_END, NAME_END * 2)
}

/// Renders a name as one line in a table cell. Shorter names are split too, because the cell has
/// the full name for assistive technology. In a copied text there is a line break between the two
/// parts, which are boxes.
pub fn cut_cell(name: &str) -> impl IntoView + use<> {
    shortened_view(name, NAME_END, NAME_END + NAME_END / 2)
}

/// Renders a version as one line, for narrow columns.
pub fn cut_version(text: &str) -> impl IntoView + use<> {
    shortened_view(text, VERSION_END, VERSION_END * 2)
}

fn shortened_view(text: &str, end_length: usize, min_length: usize) -> impl IntoView + use<> {
    let (start, end) = split_end(text, end_length, min_length);
    let (start, end) = (start.to_owned(), end.to_owned());
    view! {
        <span class="cut" title=text.to_owned()>
            <span class="cut-start">{start}</span>
            {(!end.is_empty()).then(|| view! { <span class="cut-end">{end}</span> })}
        </span>
    }
}

/// Renders a path that wraps after its slashes.
pub fn breakable(path: &str) -> impl IntoView + use<> {
    breakable_after(path, '/')
}

/// Renders a name such as `olm.package.required` that wraps after its dots.
pub fn breakable_name(name: &str) -> impl IntoView + use<> {
    breakable_after(name, '.')
}

fn breakable_after(text: &str, end: char) -> impl IntoView + use<> {
    text.split_inclusive(end)
        .map(|part| view! { {part.to_owned()} {part.ends_with(end).then(|| view! { <wbr/> })} })
        .collect_view()
}

/// Renders a text with the names in backticks in a monospaced font.
pub fn in_code(text: &str) -> impl IntoView + use<> {
    text.split('`')
        .enumerate()
        .map(|(index, part)| {
            let part = part.to_owned();
            match index % 2 {
                1 if part.contains('/') => view! { <code>{breakable(&part)}</code> }.into_any(),
                1 => view! { <code>{part}</code> }.into_any(),
                _ => part.into_any(),
            }
        })
        .collect_view()
}

/// Renders the last item of a shortened list, such as *and 3 more*; `None` if `rest` is 0.
pub fn rest_item(rest: usize) -> Option<AnyView> {
    (rest > 0).then(|| view! { <li class="dim">{and_more(rest)}</li> }.into_any())
}

/// The text of a tooltip, and its left and top in pixels of the window.
#[derive(Debug, Clone, PartialEq)]
struct Tip {
    text: String,
    left: f64,
    top: f64,
}

/// A tooltip for keyboard users, once per page: the full text of the focused element if it is
/// shortened, or its description if it has `data-tells`. Pointers get the browser's own tooltip.
/// Hidden from screen readers, because its text is the element's name. Escape hides it.
#[component]
pub fn FocusTip() -> impl IntoView {
    let tip = RwSignal::new(None::<Tip>);
    let on_focusin = window_event_listener(ev::focusin, move |event| {
        let element = dom::element(event.target());
        let focused =
            element.filter(|element| element.matches(":focus-visible").unwrap_or_default());
        tip.set(focused.as_ref().and_then(find_tip));
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
        let container = element.closest("[data-told-here]").ok().flatten()?;
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
    element.has_attribute("title") && (overflows(element) || part.as_ref().is_some_and(overflows))
}

#[cfg(test)]
mod tests {
    use super::{NAME_END, VERSION_END, split_end};
    #[test]
    fn the_end_of_a_long_name_stays() {
        assert_eq!(
            split_end("short.v1.0.0", NAME_END, 18),
            ("short.v1.0.0", "")
        );
        assert_eq!(
            split_end("skupper-operator.v1.8.1", NAME_END, 18),
            ("skupper-ope", "rator.v1.8.1")
        );
        assert_eq!(
            split_end("elasticsearch-operator.v5.8.12", NAME_END, 24),
            ("elasticsearch-oper", "ator.v5.8.12")
        );
        assert_eq!(
            split_end("ö".repeat(30).as_str(), NAME_END, 24)
                .1
                .chars()
                .count(),
            12
        );
        assert_eq!(
            split_end("1.31.0-nightly-2026-08-22", VERSION_END, 10),
            ("1.31.0-nightly-2026-", "08-22")
        );
    }
}
