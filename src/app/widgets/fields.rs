//! Form fields with a label, a control, a hint and an error. The label alone is the control's
//! accessible name. [`Checklist`] is a list of native checkboxes, with a filter if it is long.

use super::combobox::{Choice, Combobox};
use super::dom::{self, field_text};
use crate::reactive::{derived, memo};
use leptos::prelude::*;
use protocol::counting::and_more;
use std::collections::BTreeSet;

/// Maximum length of a list without a filter.
const MAX_UNFILTERED: usize = 8;
/// Maximum number of rows drawn; the filter finds the others.
const MAX_ROWS: usize = 300;

/// A text field with suggestions under a label.
#[component]
pub fn ComboField(
    label: &'static str,
    #[prop(into)] value: Signal<String>,
    choices: Signal<Vec<Choice>>,
    #[prop(into)] on_change: Callback<String>,
    /// Called when a suggestion is accepted, or the field loses the focus.
    #[prop(optional, into)]
    on_done: Option<Callback<()>>,
    #[prop(optional, into)] hint: Signal<String>,
    #[prop(optional, into)] error: Signal<String>,
    /// Whether the field accepts only suggestions.
    #[prop(optional)]
    completes: bool,
    #[prop(optional)] opens_on_focus: bool,
) -> impl IntoView {
    let (id, note) = (dom::fresh_id("field"), dom::fresh_id("note"));
    let control = view! {
        <Combobox
            opens_on_focus=opens_on_focus
            id=id.clone()
            value=value
            choices=choices
            on_change=on_change
            on_done=on_done
            completes=completes
            invalid=derived(move || !error.get().is_empty())
            described_by=note.clone()
        />
    };
    labelled(label, id, control.into_any(), note, hint, error)
}

/// `options` are pairs of key and visible text.
#[component]
pub fn SelectField(
    label: &'static str,
    #[prop(into)] value: Signal<String>,
    options: Signal<Vec<(String, String)>>,
    #[prop(into)] on_change: Callback<String>,
    #[prop(optional)] hint: Signal<String>,
) -> impl IntoView {
    let (id, note) = (dom::fresh_id("field"), dom::fresh_id("note"));
    let control = view! {
        <select
            class="field-input"
            id=id.clone()
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
    };
    labelled(label, id, control.into_any(), note, hint, Signal::default())
}

#[component]
pub fn LineField(
    label: &'static str,
    #[prop(into)] value: Signal<String>,
    #[prop(into)] on_change: Callback<String>,
    #[prop(optional, into)] hint: Signal<String>,
    #[prop(optional, into)] error: Signal<String>,
) -> impl IntoView {
    let choices: Signal<Vec<Choice>> = Signal::stored(Vec::new());
    view! { <ComboField label value choices on_change hint error/> }.into_any()
}

#[component]
pub fn TextField(
    label: &'static str,
    value: Signal<String>,
    on_change: Callback<String>,
    hint: Signal<String>,
    error: Signal<String>,
) -> impl IntoView {
    let (id, note) = (dom::fresh_id("field"), dom::fresh_id("note"));
    let control = view! {
        <textarea
            class="field-input"
            id=id.clone()
            rows="3"
            aria-describedby=note.clone()
            aria-invalid=move || (!error.get().is_empty()).then_some("true")
            use:field_text=value
            on:input=move |event| on_change.run(event_target_value(&event))
        ></textarea>
    };
    labelled(label, id, control.into_any(), note, hint, error)
}

/// Renders a control with its label, and its hint or error. `id` is the control's, `note` the
/// hint's.
fn labelled(
    label: &'static str,
    id: String,
    control: AnyView,
    note: String,
    hint: Signal<String>,
    error: Signal<String>,
) -> AnyView {
    view! {
        <div class="field">
            <label class="field-label" for=id>{label}</label>
            {control}
            <Note id=note hint=hint error=error/>
        </div>
    }
    .into_any()
}

/// Pairs of a key and its visible text, for a [`SelectField`].
pub fn select_options(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(key, text): &(&str, &str)| ((*key).to_owned(), (*text).to_owned());
    pairs.iter().map(owned).collect()
}

/// A checkbox; its children are its label.
#[component]
pub fn Check(
    checked: Signal<bool>,
    #[prop(into)] on_change: Callback<bool>,
    #[prop(optional)] disabled: bool,
    #[prop(optional)] described_by: Option<String>,
    children: Children,
) -> impl IntoView {
    view! {
        <label class="check">
            <input
                type="checkbox"
                disabled=disabled
                aria-describedby=described_by
                prop:checked=move || checked.get()
                on:change=move |event| on_change.run(event_target_checked(&event))
            />
            {children()}
        </label>
    }
    .into_any()
}

/// Renders the error of a group of fields, if any.
pub fn error_note(error: Signal<String>) -> impl IntoView {
    move || {
        let error = error.get();
        (!error.is_empty()).then(|| view! { <p class="field-error">{error}</p> })
    }
}

#[component]
fn Note(id: String, hint: Signal<String>, error: Signal<String>) -> impl IntoView {
    view! {
        <div id=id>
            {move || {
                let (class, text) = match error.get() {
                    error if error.is_empty() => ("field-hint", hint.get()),
                    error => ("field-error", error),
                };
                (!text.is_empty()).then(|| view! { <p class=class>{text}</p> }.into_any())
            }}
        </div>
    }
}

/// A checkbox with its name and remark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChecklistItem {
    pub name: String,
    pub note: String,
}

/// Returns the items whose name contains the text, case-insensitively.
fn filter_items(items: &[ChecklistItem], text: &str) -> Vec<ChecklistItem> {
    let text = text.trim().to_lowercase();
    items
        .iter()
        .filter(|item| item.name.to_lowercase().contains(&text))
        .cloned()
        .collect()
}

#[component]
pub fn Checklist(
    label: &'static str,
    #[prop(into)] items: Signal<Vec<ChecklistItem>>,
    ticked: Signal<BTreeSet<String>>,
    #[prop(into)] on_change: Callback<BTreeSet<String>>,
    #[prop(optional)] error: Signal<String>,
) -> impl IntoView {
    let note = dom::fresh_id("note");
    let described = note.clone();
    let filter = RwSignal::new(String::new());
    let visible = memo(move |_| items.with(|items| filter.with(|text| filter_items(items, text))));
    let tick = move |names: Vec<String>, is_ticked: bool| {
        let mut all = ticked.get_untracked();
        for name in names {
            if is_ticked {
                all.insert(name);
            } else {
                all.remove(&name);
            }
        }
        on_change.run(all);
    };
    let tick_shown = move |is_ticked: bool| {
        tick(
            visible
                .with_untracked(|visible| visible.iter().map(|item| item.name.clone()).collect()),
            is_ticked,
        );
    };
    let has_many = memo(move |_| items.with(|items| items.len() > MAX_UNFILTERED));
    let tally = move || {
        let ticked_count = items.with(|items| {
            ticked.with(|ticked| items.iter().filter(|i| ticked.contains(&i.name)).count())
        });
        format!(" {ticked_count} of {}", items.with(Vec::len))
    };
    view! {
        <fieldset class="checklist" aria-describedby=described>
            <legend class="field-label">{label}<span class="dim">{tally}</span></legend>
            <Show when=move || has_many.get()>
                <div class="checklist-bar">
                    <input
                        type="search"
                        class="field-input"
                        aria-label=format!("Filter {}", label.to_lowercase())
                        placeholder="Filter"
                        use:field_text=Signal::from(filter)
                        on:input=move |event| filter.set(event_target_value(&event))
                    />
                    <button type="button" class="button" data-look="quiet" on:click=move |_| tick_shown(true)>"All"</button>
                    <button type="button" class="button" data-look="quiet" on:click=move |_| tick_shown(false)>"None"</button>
                </div>
            </Show>
            <ul class="checklist-items">
                {move || {
                    let rows = visible.get();
                    rows.into_iter()
                        .take(MAX_ROWS)
                        .map(|item| {
                            let ChecklistItem { name, note } = item;
                            let (own, ticked_name) = (name.clone(), name.clone());
                            view! {
                                <li>
                                    <Check
                                        checked=derived(move || ticked.with(|ticked| ticked.contains(&own)))
                                        on_change=move |is_ticked| tick(vec![ticked_name.clone()], is_ticked)
                                    >
                                        <span class="checklist-name">{name}</span>
                                        {(!note.is_empty()).then(|| view! { <span class="dim">{note}</span> })}
                                    </Check>
                                </li>
                            }
                        })
                        .collect_view()
                }}
            </ul>
            {move || {
                let more = visible.with(Vec::len).saturating_sub(MAX_ROWS);
                (more > 0).then(|| view! { <p class="field-hint">{format!("{}: filter to find them", and_more(more))}</p> })
            }}
            <Note id=note hint=Signal::default() error/>
        </fieldset>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_filter_keeps_items_that_contain_the_text() {
        let item = |name: &str| ChecklistItem {
            name: name.into(),
            note: String::new(),
        };
        let all = [
            item("anchor-operator"),
            item("Buoy"),
            item("crane-operator"),
        ];
        let names = |text: &str| {
            filter_items(&all, text)
                .into_iter()
                .map(|item| item.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(names(" OPERATOR "), ["anchor-operator", "crane-operator"]);
        assert_eq!(names("").len(), 3);
        assert!(names("none").is_empty());
    }
}
