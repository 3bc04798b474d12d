//! A modal dialog (APG *Dialog*): native `<dialog>`, so the page behind is inert and Tab stays
//! inside.
//!
//! | key | does |
//! |---|---|
//! | Tab, Shift+Tab | next and previous inside the dialog |
//! | Escape | asks to close |
//!
//! A dialog is open as long as it is in the page. When it is removed, the focus returns to where it
//! was.
//!
//! A tooltip for keyboard users: shows the full text of a shortened focused element, and the
//! description in `data-tells`. Pointers get the browser's own tooltip.
//!
//! | key | effect |
//! |---|---|
//! | Escape | hides the tooltip |

use super::buttons::IconButton;
use super::dom;
use super::icon::Icon;
use crate::reactive::effect;
use leptos::prelude::*;
use leptos::{ev, html};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Size {
    Small,
    #[default]
    Medium,
    Form,
    Wide,
}

impl Size {
    fn name(self) -> &'static str {
        match self {
            Size::Small => "small",
            Size::Medium => "medium",
            Size::Form => "form",
            Size::Wide => "wide",
        }
    }
}

/// A context: content shown in every dialog too, because everything else is inert.
#[derive(Clone)]
pub struct InEveryDialog(pub ViewFn);

/// A modal dialog. `title` is its accessible name; `bare` hides the heading.
#[component]
pub fn Dialog(
    #[prop(into)] title: Signal<String>,
    #[prop(into)] on_close: Callback<()>,
    #[prop(optional)] size: Size,
    #[prop(optional)] bare: bool,
    /// Whether a press outside closes it: for dialogs without input that could be lost.
    #[prop(optional)]
    light: bool,
    children: Children,
) -> impl IntoView {
    let node = NodeRef::<html::Dialog>::new();
    let came_from = StoredValue::new_local(dom::origin());
    let heading = dom::fresh_id("dialog-title");

    let opened = StoredValue::new_local(None::<web_sys::HtmlDialogElement>);
    // Selecting text from inside to outside ends in a click on the dialog itself.
    let pressed_outside = StoredValue::new_local(false);
    let is_outside = move |event: &web_sys::Event| {
        node.get_untracked()
            .is_some_and(|dialog| event.target().as_ref() == Some(dialog.as_ref()))
    };

    effect(move |_| {
        if let Some(dialog) = node.get()
            && !dialog.open()
        {
            // Fails only if the dialog has left the page again.
            let _ = dialog.show_modal();
            opened.set_value(Some(dialog));
        }
    });
    on_cleanup(move || {
        // Close it first: an open dialog prevents everything behind it from getting the focus.
        opened.try_with_value(|dialog| dialog.as_ref().map(web_sys::HtmlDialogElement::close));
        came_from.try_with_value(|origin| origin.as_ref().map(dom::Origin::give_back));
    });

    let name = move || bare.then(|| title.get());
    let labelled = if bare { None } else { Some(heading.clone()) };
    view! {
        <dialog
            node_ref=node
            class="dialog"
            data-size=size.name()
            data-place=if bare { "top" } else { "middle" }
            aria-label=name
            aria-labelledby=labelled
            on:cancel=move |event: web_sys::Event| {
                event.prevent_default();
                on_close.run(());
            }
            on:pointerdown=move |event| pressed_outside.set_value(is_outside(&event))
            on:click=move |event| {
                if light && pressed_outside.get_value() && is_outside(&event) {
                    on_close.run(());
                }
            }
        >
            {(!bare)
                .then(|| {
                    view! {
                        <div class="dialog-head">
                            <h2 class="dialog-title" id=heading>{title}</h2>
                            <IconButton label="Close" icon=Icon::Close quiet=true on_press=on_close/>
                        </div>
                    }
                })}
            {use_context::<InEveryDialog>().map(|note| note.0.run())}
            {children()}
        </dialog>
    }
    .into_any()
}

/// A dialog with a form: its fields, `side` beside them, and `foot` with its buttons. Ctrl+Enter submits
/// it from any field.
#[component]
pub fn FormDialog(
    #[prop(into)] title: Signal<String>,
    #[prop(into)] on_close: Callback<()>,
    #[prop(into)] on_submit: Callback<()>,
    /// Called with the form once the dialog has taken the focus.
    #[prop(optional, into)]
    on_open: Option<Callback<web_sys::HtmlFormElement>>,
    #[prop(optional)] node: NodeRef<html::Form>,
    side: AnyView,
    foot: AnyView,
    children: Children,
) -> impl IntoView {
    effect(move |_| {
        if let (Some(form), Some(open)) = (node.get(), on_open) {
            request_animation_frame(move || _ = open.try_run(form));
        }
    });
    view! {
        <Dialog title size=Size::Form on_close>
            <form
                node_ref=node
                class="form"
                novalidate
                on:keydown=move |event| {
                    if dom::is_apply_key(&event) {
                        event.prevent_default();
                        on_submit.run(());
                    }
                }
                on:submit=move |event| {
                    event.prevent_default();
                    on_submit.run(());
                }
            >
                <div class="form-fields">{children()}</div>
                {side}
                <div class="form-foot">{foot}</div>
            </form>
        </Dialog>
    }
    .into_any()
}

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

/// The tooltip, once per page. Hidden from screen readers, because its text is the element's name.
#[component]
pub fn FocusTip() -> impl IntoView {
    let tip = RwSignal::new(None::<Tip>);
    let focused = window_event_listener(ev::focusin, move |event| {
        let element = dom::element(event.target());
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
    let at = move |coordinate: fn(&Tip) -> f64| {
        move || tip.with(|tip| tip.as_ref().map(|tip| format!("{:.0}px", coordinate(tip))))
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
    let (width, height) = dom::window_size();
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

/// Returns the full text of the first shortened part of an element.
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
    let cut = own
        .into_iter()
        .chain(dom::elements_in(element, "[title]"))
        .find(is_cut);
    // Shortened text that cannot have the focus gets its tooltip from a focusable neighbour.
    let beside = || {
        let near = element.closest("[data-told-here]").ok().flatten()?;
        dom::elements_in(&near, "[title]").into_iter().find(is_cut)
    };
    cut.or_else(beside)
        .and_then(|cut| cut.get_attribute("title"))
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
