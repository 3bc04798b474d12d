//! Helpers on the document: unique ids, focus, events, sizes, and the text of fields.

use crate::reactive::effect;
use leptos::html;
use leptos::prelude::*;
use std::cell::Cell;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, Event, HtmlElement, SvgElement};

/// Elements that Tab can reach.
const STOPS: &str = "a[href], button, input, select, textarea, summary, [tabindex]";
/// Number of frames to wait for an element that will be drawn.
const MAX_FRAMES: u32 = 90;

thread_local! {
    static NEXT_ID: Cell<u32> = const { Cell::new(1) };
}

/// Returns a new id that is unique in the page and begins with `prefix`.
pub fn fresh_id(prefix: &str) -> String {
    let number = NEXT_ID.get();
    NEXT_ID.set(number + 1);
    format!("{prefix}-{number}")
}

pub fn focused_element() -> Option<HtmlElement> {
    document().active_element()?.dyn_into().ok()
}

/// Focuses an element that is still in the page.
pub fn focus(element: &HtmlElement) {
    if element.is_connected() {
        // Fails only if the element cannot have the focus, which then does not move.
        let _ = element.focus();
    }
}

/// Focuses an HTML or SVG element.
fn focus_element(element: Element) {
    // Fails only if the element cannot have the focus.
    let _ = match element.dyn_into::<HtmlElement>() {
        Ok(element) => element.focus(),
        Err(drawn) => drawn
            .dyn_into::<SvgElement>()
            .map_or(Ok(()), |drawn| drawn.focus()),
    };
}

pub fn elements_in(inside: &Element, selector: &str) -> Vec<HtmlElement> {
    let Ok(nodes) = inside.query_selector_all(selector) else {
        return Vec::new();
    };
    let node = |index| nodes.get(index)?.dyn_into::<HtmlElement>().ok();
    (0..nodes.length()).filter_map(node).collect()
}

/// The element that the focus returns to.
#[derive(Debug, Clone)]
pub struct Origin {
    element: Element,
    id: String,
}

/// Returns the focused element; `None` if that is the page itself.
pub fn origin() -> Option<Origin> {
    let element = document()
        .active_element()
        .filter(|element| element.tag_name() != "BODY")?;
    Some(Origin {
        id: element.id(),
        element,
    })
}

/// Remembers where the focus comes from when it enters `node`. Returns the remembered origin, and
/// the handler of `focusin`.
pub fn remember_origin<E>(
    node: NodeRef<E>,
) -> (
    StoredValue<Option<Origin>, LocalStorage>,
    impl Fn(web_sys::FocusEvent) + 'static,
)
where
    E: html::ElementType + 'static,
    E::Output: AsRef<web_sys::Node> + JsCast + Clone + 'static,
{
    let came_from = StoredValue::new_local(None::<Origin>);
    let on_focusin = move |event: web_sys::FocusEvent| {
        let before = event.related_target();
        let before = before.and_then(|before| before.dyn_into::<Element>().ok());
        let is_inside = node
            .get_untracked()
            .zip(before.as_ref())
            .is_some_and(|(node, before)| {
                AsRef::<web_sys::Node>::as_ref(&node).contains(Some(before))
            });
        if !is_inside {
            came_from.set_value(before.map(|element| Origin {
                id: element.id(),
                element,
            }));
        }
    };
    (came_from, on_focusin)
}

impl Origin {
    /// Returns the focus to the element, or to the one with its id that replaced it.
    pub fn restore_focus(&self) {
        if self.element.is_connected() {
            focus_element(self.element.clone());
        } else if !self.id.is_empty() {
            focus_id(&self.id);
        }
    }
}

/// Whether no element has the focus, as after the removal of the focused one.
pub fn is_focus_lost() -> bool {
    document()
        .active_element()
        .is_none_or(|element| element.tag_name() == "BODY")
}

/// Whether the focus is visible inside an element that `selector` matches, because a key moved it.
pub fn is_focus_visible_in(selector: &str) -> bool {
    let active = document().active_element();
    active.is_some_and(|active| {
        let is_inside = active.closest(selector).ok().flatten().is_some();
        is_inside && active.matches(":focus-visible").unwrap_or(false)
    })
}

pub fn has_focus(id: &str) -> bool {
    document()
        .active_element()
        .is_some_and(|element| element.id() == id)
}

/// Focuses the element with this id after the next redraw.
pub fn focus_id_later(id: String) {
    request_animation_frame(move || focus_id(&id));
}

/// Focuses the element with this id if it is in the page, or else after the next redraw.
pub fn focus_id_or_later(id: String) {
    match document().get_element_by_id(&id) {
        Some(element) => focus_element(element),
        None => focus_id_later(id),
    }
}

/// Focuses the element with this id once it is in the page; gives up after some frames.
pub fn focus_id_when_drawn(id: &str) {
    focus_when_drawn(format!("[id=\"{id}\"]"));
}

/// Focuses the first element of a selector once it is in the page; gives up after some frames. The
/// user did not move the focus there: no tooltip opens.
pub fn focus_when_drawn(selector: String) {
    let focus = |element: Element| {
        // Marked for the handlers of the focus, which run at once.
        let _ = element.set_attribute("data-focused-by-page", "");
        focus_element(element.clone());
        let _ = element.remove_attribute("data-focused-by-page");
    };
    when_drawn(selector, focus, MAX_FRAMES);
}

/// Returns an event's target if the user moved the focus there with the keyboard.
pub fn focused_by_key(event: &web_sys::FocusEvent) -> Option<Element> {
    let is_by_key = ":focus-visible:not([data-focused-by-page])";
    element(event.target()).filter(|element| element.matches(is_by_key).unwrap_or_default())
}

/// Focuses and presses the first element of a selector once it is in the page.
pub fn press_when_drawn(selector: &str) {
    let press = |element: Element| {
        focus_element(element.clone());
        if let Ok(button) = element.dyn_into::<HtmlElement>() {
            button.click();
        }
    };
    when_drawn(selector.to_owned(), press, MAX_FRAMES);
}

fn when_drawn(selector: String, act: fn(Element), frames: u32) {
    request_animation_frame(
        move || match document().query_selector(&selector).ok().flatten() {
            Some(element) => act(element),
            None if frames > 0 => when_drawn(selector, act, frames - 1),
            None => {}
        },
    );
}

/// Removes the focus from the focused field.
pub fn blur_focused() {
    if let Some(element) = focused_element() {
        // Fails only for a removed element.
        let _ = element.blur();
    }
}

/// Focuses the element with this id if it is in the page.
pub fn focus_id(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        focus_element(element);
    }
}

/// Focuses the first visible tab stop below the first element of a selector; false if there is
/// none.
pub fn focus_first(selector: &str) -> bool {
    let Some(inside) = document().query_selector(selector).ok().flatten() else {
        return false;
    };
    let stop = elements_in(&inside, STOPS).into_iter().find(|stop| {
        stop.tab_index() >= 0
            && !stop.has_attribute("disabled")
            && stop.get_bounding_client_rect().width() > 0.0
    });
    stop.as_ref().map(focus);
    stop.is_some()
}

/// Calls [`focus_first`] after the next redraw.
pub fn focus_first_later(selector: &'static str) {
    request_animation_frame(move || {
        focus_first(selector);
    });
}

/// Moves the focus to the next (`1`) or previous (`-1`) of the regions that `selectors` find,
/// wrapping around. A region inside another one comes after it.
pub fn focus_next_region(selectors: &[&str], step: isize) {
    let active = document().active_element();
    let contains_focus = |selector: &&str| {
        active
            .as_ref()
            .is_some_and(|active| active.closest(selector).ok().flatten().is_some())
    };
    let count = selectors.len() as isize;
    let start = match selectors.iter().rposition(contains_focus) {
        Some(index) => index as isize,
        None if step < 0 => count,
        None => -1,
    };
    for offset in 1..=count {
        let index = (start + step * offset).rem_euclid(count) as usize;
        if selectors
            .get(index)
            .is_some_and(|selector| focus_first(selector))
        {
            return;
        }
    }
}

/// Focuses the first empty text field inside, or else the submit button.
pub fn focus_first_empty(inside: &Element) {
    let is_empty = |field: &HtmlElement| {
        let input = field.dyn_ref::<web_sys::HtmlInputElement>();
        let area = field.dyn_ref::<web_sys::HtmlTextAreaElement>();
        let text = input
            .map(|input| input.value())
            .or(area.map(|area| area.value()));
        text.is_some_and(|text| text.is_empty())
    };
    let fields = elements_in(inside, "input[type=text], textarea");
    match fields.iter().find(|field| is_empty(field)) {
        Some(field) => focus(field),
        None => focus_first_in(inside, "[type=submit]"),
    }
}

pub fn focus_first_in(inside: &Element, selector: &str) {
    if let Some(element) = elements_in(inside, selector).first() {
        focus(element);
    }
}

/// Scrolls the first element inside that matches the selector to its top.
pub fn scroll_to_top(inside: &Element, selector: &str) {
    if let Some(element) = inside.query_selector(selector).ok().flatten() {
        element.set_scroll_top(0);
    }
}

pub fn element(target: Option<web_sys::EventTarget>) -> Option<Element> {
    target?.dyn_into().ok()
}

/// Returns the innermost element around an event's target that the selector matches.
pub fn closest(target: Option<web_sys::EventTarget>, selector: &str) -> Option<Element> {
    element(target)?.closest(selector).ok().flatten()
}

/// Whether Ctrl, Meta or Alt is pressed, which gives a key another meaning.
pub fn has_modifier(event: &web_sys::KeyboardEvent) -> bool {
    event.ctrl_key() || event.meta_key() || event.alt_key()
}

/// Whether the event happened in a text input, where single keys are not commands.
pub fn is_typing(event: &Event) -> bool {
    let Some(element) = element(event.target()) else {
        return false;
    };
    match element.tag_name().as_str() {
        "TEXTAREA" | "SELECT" => true,
        "INPUT" => !matches!(
            element.get_attribute("type").as_deref(),
            Some("checkbox" | "radio" | "button" | "file")
        ),
        _ => element.has_attribute("contenteditable"),
    }
}

/// Whether no text is selected, so that copying would copy none.
pub fn selected_text_is_empty() -> bool {
    window()
        .get_selection()
        .ok()
        .flatten()
        .is_none_or(|selection| selection.is_collapsed())
}

/// Whether a modal dialog is open, which disables commands of the page behind it.
pub fn dialog_is_open() -> bool {
    document()
        .query_selector("dialog[open]")
        .ok()
        .flatten()
        .is_some()
}

/// Scrolls an element just far enough to be visible.
pub fn reveal(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        let options = web_sys::ScrollIntoViewOptions::new();
        options.set_block(web_sys::ScrollLogicalPosition::Nearest);
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// Returns the size of the window in pixels.
pub fn window_size() -> (f64, f64) {
    let length = |value: Result<wasm_bindgen::JsValue, _>| {
        value
            .ok()
            .and_then(|value| value.as_f64())
            .unwrap_or_default()
    };
    (
        length(window().inner_width()),
        length(window().inner_height()),
    )
}

/// Returns the position of a menu below an element; the corner of the page without one.
pub fn below(element: Option<&Element>) -> (i32, i32) {
    element.map_or((0, 0), |element| {
        let rect = element.get_bounding_client_rect();
        (rect.left() as i32, rect.bottom() as i32)
    })
}

/// Keeps `size` equal to the size of an element.
pub fn follow_size(element: NodeRef<html::Div>, size: RwSignal<(f64, f64)>) {
    effect(move |_| {
        let Some(element) = element.get() else { return };
        let read = move |element: &Element| {
            let rect = element.get_bounding_client_rect();
            size.set((rect.width(), rect.height()));
        };
        read(&element);
        let observed: Element = element.into();
        let target = observed.clone();
        let on_resize = Closure::<dyn FnMut()>::new(move || read(&target));
        if let Ok(observer) = web_sys::ResizeObserver::new(on_resize.as_ref().unchecked_ref()) {
            observer.observe(&observed);
            let observation = StoredValue::new_local(Some((observer, on_resize)));
            on_cleanup(move || {
                observation.update_value(|observation| {
                    if let Some((observer, _)) = observation.take() {
                        observer.disconnect();
                    }
                });
            });
        }
    });
}

/// Keeps a field's text equal to `text`. Writes only a different text, so that the caret stays
/// while the signal repeats the typed text. It is a directive, because tachys 0.2.19 with
/// `erase_components` resets a `prop:value` to `undefined` on redraws, which loses the caret.
pub fn field_text(field: Element, text: Signal<String>) {
    let show = move |text: String| {
        if let Some(input) = field.dyn_ref::<web_sys::HtmlInputElement>() {
            if input.value() != text {
                input.set_value(&text);
            }
        } else if let Some(area) = field.dyn_ref::<web_sys::HtmlTextAreaElement>()
            && area.value() != text
        {
            area.set_value(&text);
        }
    };
    show(text.get_untracked());
    effect(move |_| {
        if let Some(text) = text.try_get() {
            show(text);
        }
    });
}

/// Whether the key is Ctrl+Enter, or Cmd+Enter on a Mac, which applies a form or a text from any of
/// its fields.
pub fn is_apply_key(event: &web_sys::KeyboardEvent) -> bool {
    event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) && !event.is_composing()
}
