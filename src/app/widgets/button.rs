//! Buttons: native, so that Enter, Space and assistive technology work.

use super::icon::{Glyph, Icon};
use super::shortcuts::{spoken_keys, with_keys};
use leptos::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Look {
    #[default]
    Plain,
    /// The main action.
    Primary,
    /// Without a frame.
    Quiet,
}

impl Look {
    fn name(self) -> &'static str {
        match self {
            Look::Plain => "plain",
            Look::Primary => "primary",
            Look::Quiet => "quiet",
        }
    }
}

/// A button whose visible text is its accessible name.
#[component]
pub fn Button(
    #[prop(into)] label: Signal<String>,
    #[prop(into)] on_press: Callback<()>,
    #[prop(optional)] look: Look,
    #[prop(optional, into)] disabled: Signal<bool>,
    #[prop(optional)] icon: Option<Icon>,
    /// A tooltip for a button whose name does not explain it; shown on keyboard focus too.
    #[prop(optional)]
    tip: &'static str,
) -> impl IntoView {
    let tip = (!tip.is_empty()).then_some(tip);
    view! {
        <button
            type="button"
            class="button"
            data-look=look.name()
            title=tip
            data-tells=tip.map(|_| "")
            prop:disabled=move || disabled.get()
            on:click=move |_| on_press.run(())
        >
            {icon.map(|icon| view! { <Glyph icon=icon/> })}
            {move || label.get()}
        </button>
    }
}

/// A button with an icon; its name is also its tooltip, together with its keys.
#[component]
pub fn IconButton(
    #[prop(into)] label: Signal<String>,
    #[prop(into)] icon: Signal<Icon>,
    #[prop(into)] on_press: Callback<()>,
    #[prop(optional, into)] disabled: Signal<bool>,
    #[prop(optional)] quiet: bool,
    #[prop(optional)] keys: &'static str,
) -> impl IntoView {
    view! {
        <button
            type="button"
            class="button"
            data-look=if quiet { "quiet" } else { "icon" }
            aria-label=move || label.get()
            aria-keyshortcuts=spoken_keys(keys)
            title=move || with_keys(&label.get(), keys)
            prop:disabled=move || disabled.get()
            on:click=move |_| on_press.run(())
        >
            <Glyph icon=icon/>
        </button>
    }
}
