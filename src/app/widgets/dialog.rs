//! A modal dialog (APG *Dialog*): native `<dialog>`, so the page behind is inert and Tab stays
//! inside.
//!
//! | key | does |
//! |---|---|
//! | Tab, Shift+Tab | next and previous inside the dialog |
//! | Escape | asks to close |
//! | Ctrl+Enter | applies, wherever the focus is in the dialog |
//!
//! A dialog is open as long as it is in the page. When it is removed, the focus returns to where it
//! was.
use super::buttons::IconButton;
use super::dom;
use super::icon::Icon;
use crate::reactive::effect;
use leptos::html;
use leptos::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Size {
    Small,
    #[default]
    Medium,
    Form,
    /// A form with a single field.
    SmallForm,
    Wide,
}

impl Size {
    fn name(self) -> &'static str {
        match self {
            Size::Small => "small",
            Size::Medium => "medium",
            Size::Form => "form",
            Size::SmallForm => "small-form",
            Size::Wide => "wide",
        }
    }
}

/// A context with content that every dialog shows too, because everything outside is inert.
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
    closes_outside: bool,
    #[prop(optional, into)] on_apply: Option<Callback<()>>,
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
        came_from.try_with_value(|origin| origin.as_ref().map(dom::Origin::restore_focus));
    });

    let name = move || bare.then(|| title.get());
    let labelled = (!bare).then(|| heading.clone());
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
            on:keydown=move |event| {
                if let Some(apply) = on_apply.filter(|_| dom::is_apply_key(&event)) {
                    event.prevent_default();
                    apply.run(());
                }
            }
            on:pointerdown=move |event| pressed_outside.set_value(is_outside(&event))
            on:click=move |event| {
                if closes_outside && pressed_outside.get_value() && is_outside(&event) {
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

/// A dialog with a form: its fields, `side` beside them, and `foot` with its buttons.
#[component]
pub fn FormDialog(
    #[prop(into)] title: Signal<String>,
    #[prop(into)] on_close: Callback<()>,
    #[prop(into)] on_submit: Callback<()>,
    /// Called with the form once the dialog has taken the focus.
    #[prop(optional, into)]
    on_open: Option<Callback<web_sys::HtmlFormElement>>,
    #[prop(optional)] node: NodeRef<html::Form>,
    #[prop(default = Size::Form)] size: Size,
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
        <Dialog title size on_close on_apply=on_submit>
            <form
                node_ref=node
                class="form"
                novalidate
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
