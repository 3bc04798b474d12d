//! A labelled form field: label, control, hint, error. The label alone is the control's accessible
//! name.

use super::combobox::{Choice, Combobox};
use super::dom;
use crate::widgets::field_text::field_text;
use leptos::prelude::*;

/// A text field with suggestions under a label.
#[component]
pub fn ComboField(
    label: &'static str,
    #[prop(into)] value: Signal<String>,
    #[prop(into)] choices: Signal<Vec<Choice>>,
    #[prop(into)] on_change: Callback<String>,
    /// A suggestion was taken, or the field lost the focus.
    #[prop(into)]
    on_done: Callback<()>,
    #[prop(optional, into)] hint: Signal<String>,
    #[prop(optional, into)] error: Signal<String>,
    #[prop(optional)] placeholder: &'static str,
    /// The field accepts only suggestions.
    #[prop(optional)]
    completes: bool,
) -> impl IntoView {
    let (id, note) = (dom::fresh_id("field"), dom::fresh_id("note"));
    view! {
        <div class="field">
            <label class="field-label" for=id.clone()>{label}</label>
            <Combobox
                id=id
                value=value
                choices=choices
                on_change=on_change
                on_done=on_done
                placeholder=placeholder
                completes=completes
                invalid=Signal::derive(move || !error.get().is_empty())
                described_by=note.clone()
            />
            <Note id=note hint=hint error=error/>
        </div>
    }
    .into_any()
}

/// A native select. `options` are pairs of key and visible text.
#[component]
pub fn SelectField(
    label: &'static str,
    #[prop(into)] value: Signal<String>,
    #[prop(into)] options: Signal<Vec<(String, String)>>,
    #[prop(into)] on_change: Callback<String>,
    #[prop(optional, into)] hint: Signal<String>,
) -> impl IntoView {
    let (id, note) = (dom::fresh_id("field"), dom::fresh_id("note"));
    view! {
        <div class="field">
            <label class="field-label" for=id.clone()>{label}</label>
            <select
                class="field-input"
                id=id
                aria-describedby=note.clone()
                on:change=move |event| on_change.run(event_target_value(&event))
            >
                {move || {
                    options
                        .get()
                        .into_iter()
                        .map(|(key, text)| {
                            let own = key.clone();
                            view! { <option value=key prop:selected=move || value.get() == own>{text}</option> }
                        })
                        .collect_view()
                }}
            </select>
            <Note id=note hint=hint error=Signal::derive(String::new)/>
        </div>
    }
    .into_any()
}

/// One line of text without suggestions.
#[component]
pub fn LineField(
    label: &'static str,
    #[prop(into)] value: Signal<String>,
    #[prop(into)] on_change: Callback<String>,
    #[prop(optional, into)] hint: Signal<String>,
    #[prop(optional, into)] error: Signal<String>,
) -> impl IntoView {
    let choices: Signal<Vec<Choice>> = Signal::stored(Vec::new());
    view! { <ComboField label value choices on_change on_done=|()| () hint error/> }.into_any()
}

/// Several lines of text.
#[component]
pub fn TextField(
    label: &'static str,
    #[prop(into)] value: Signal<String>,
    #[prop(into)] on_change: Callback<String>,
    #[prop(optional, into)] hint: Signal<String>,
    #[prop(optional, into)] error: Signal<String>,
) -> impl IntoView {
    let (id, note) = (dom::fresh_id("field"), dom::fresh_id("note"));
    view! {
        <div class="field">
            <label class="field-label" for=id.clone()>{label}</label>
            <textarea
                class="field-input"
                id=id
                rows="3"
                aria-describedby=note.clone()
                aria-invalid=move || (!error.get().is_empty()).then_some("true")
                use:field_text=value
                on:input=move |event| on_change.run(event_target_value(&event))
            ></textarea>
            <Note id=note hint=hint error=error/>
        </div>
    }
    .into_any()
}

#[component]
fn Note(id: String, hint: Signal<String>, error: Signal<String>) -> impl IntoView {
    view! {
        <div id=id>
            {move || {
                let error = error.get();
                if error.is_empty() {
                    let hint = hint.get();
                    (!hint.is_empty()).then(|| view! { <p class="field-hint">{hint}</p> }).into_any()
                } else {
                    view! { <p class="field-error">{error}</p> }.into_any()
                }
            }}
        </div>
    }
}
