//! *Installed*: the version on the cluster, the start for both lenses.

use crate::context::app_context;
use crate::reactive::{effect, memo};
use crate::state::installed::{EVERYONE, FRESH, field_text, resolve};
use crate::widgets::combobox::{Choice, Combobox};
use leptos::prelude::*;
use protocol::views::Origin;

/// Unsubmitted text in the field.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Typed {
    /// Catalog and package in view when it was typed: discarded for another one.
    place: (String, String),
    text: String,
    /// Submitted by Enter, a suggestion, or blur.
    is_done: bool,
}

#[component]
pub(super) fn Installed() -> impl IntoView {
    let app = app_context();
    // Unsubmitted text, which answers must not overwrite.
    let typed = RwSignal::new(None::<Typed>);
    let current = memo(move |_| {
        let origin = app.store.question.with(|question| question.origin.clone());
        app.current
            .view
            .with(|view| field_text(&origin, &view.bundles))
    });
    let place = memo(move |_| (app.store.root.get(), app.current.package.get()));
    let typed_here = move || {
        typed
            .get()
            .filter(|typed| place.with(|place| typed.place == *place))
    };
    let text =
        Signal::derive(move || typed_here().map_or_else(|| current.get(), |typed| typed.text));
    let choices = Signal::derive(move || {
        let mut choices = vec![
            Choice::new(FRESH, "nothing is installed"),
            Choice::new(EVERYONE, "every published version"),
        ];
        app.current.view.with(|view| {
            let name = |name: &String| field_text(&Origin::Installed(name.clone()), &view.bundles);
            choices.extend(
                view.bundles
                    .iter()
                    .map(|(bundle, _)| Choice::new(name(bundle), bundle.as_str())),
            );
        });
        choices
    });
    let typed_origin =
        move || text.with(|text| app.current.view.with(|view| resolve(text, &view.bundles)));
    let wrong = Signal::derive(move || {
        let typed_origin = typed_origin();
        app.current
            .view
            .with(|view| !view.answer.unknown.is_empty() && view.answer.origin == typed_origin)
    });
    // A version refers to a bundle of the package in view: text typed before it is loaded is
    // submitted afterwards.
    effect(move |_| {
        let is_there = app.current.view.with(|view| {
            place.with(|(root, package)| view.root == *root && view.package == *package)
        });
        if is_there && typed_here().is_some_and(|typed| typed.is_done) {
            let origin = untrack(typed_origin);
            typed.set(None);
            app.ask_upgrade(|question| question.origin = origin);
        }
    });
    let done = move |()| {
        typed.update(|typed| {
            if let Some(typed) = typed {
                typed.is_done = true;
            }
        });
    };
    view! {
        <div class="installed">
            <label class="installed-label" for="installed-field">"Installed"</label>
            <Combobox
                id="installed-field"
                value=text
                choices=choices
                on_change=move |text| {
                    typed.set(Some(Typed { place: place.get_untracked(), text, is_done: false }));
                }
                on_done=Callback::new(done)
                completes=true
                invalid=wrong
            />
        </div>
    }
    .into_any()
}
