//! The input control of each form field.

use super::form::Form;
use super::icon_field::IconField;
use super::packages_field::PackagesField;
use super::text_file_field::TextFileField;
use crate::components::range_matches::RangeMatches;
use crate::edits::bundle_forms::{REPLACE, YES, shapes};
use crate::edits::command::{EditCommand, Field};
use crate::edits::deprecation_messages::TEMPLATES;
use crate::edits::form_values::{self, FieldError, FormValues};
use crate::edits::half_typed::takes_known_names;
use crate::edits::promoted_skips::{self, PromotedSkips};
use crate::edits::removal_choices;
use crate::edits::suggestions::{choices, hint};
use crate::reactive::memo;
use crate::widgets::buttons::Segmented;
use crate::widgets::dom;
use crate::widgets::fields::{ComboField, SelectField, TextField};
use leptos::prelude::*;
use protocol::counting::first_of;

pub(super) fn control(form: Form, field: Field, errors: Memo<Vec<FieldError>>) -> AnyView {
    let value = Signal::derive(move || form.values.with(|values| values.raw(field).to_owned()));
    let on_change = Callback::new(move |text: String| form.set(field, text));
    let hint_text = Signal::derive(move || {
        form.values
            .with(|values| hint(form.command, field, values).to_owned())
    });
    let error = Signal::derive(move || {
        errors.with(|errors| {
            errors
                .iter()
                .find(|(of, _)| *of == field)
                .map(|(_, text)| text.clone())
                .unwrap_or_default()
        })
    });
    let label = field.label();
    let pairs = |options: &[&str]| {
        options
            .iter()
            .map(|name| ((*name).to_owned(), (*name).to_owned()))
            .collect::<Vec<_>>()
    };
    match field {
        Field::Reference if form.command == EditCommand::Deprecate => reference(form, errors),
        Field::SkipsToo => skips_too(form),
        Field::OtherChannels => other_channels(form),
        Field::As => {
            let mut options = vec![(String::new(), "by version".to_owned())];
            options.extend(pairs(&["head", "chain", "skipped"]));
            view! { <SelectField label value options=Signal::stored(options) on_change hint=hint_text/> }
                .into_any()
        }
        Field::Then => {
            let options = Signal::derive(move || {
                form.known.with(|known| {
                    let table = known.view.as_ref().map_or(&[][..], |view| &view.table);
                    form.values
                        .with(|values| removal_choices::choices(form.command, values, table))
                })
            });
            view! { <SelectField label value options on_change hint=hint_text/> }.into_any()
        }
        Field::SkipOld => {
            let options = vec![
                (String::new(), "no".to_owned()),
                (YES.to_owned(), "yes".to_owned()),
            ];
            view! { <SelectField label value options=Signal::stored(options) on_change hint=hint_text/> }
                .into_any()
        }
        Field::Rule => {
            let options = pairs(&["replaces", "skip-patch", "z-stream", "skip-range"]);
            view! { <SelectField label value options=Signal::stored(options) on_change hint=hint_text/> }
                .into_any()
        }
        Field::Template => {
            let options: Vec<(String, String)> = TEMPLATES
                .iter()
                .map(|(key, name)| ((*key).to_owned(), (*name).to_owned()))
                .collect();
            view! { <SelectField label value options=Signal::stored(options) on_change hint=hint_text/> }
                .into_any()
        }
        Field::Shape => {
            let options = memo(move |_| {
                form.values.with(|values| {
                    pairs(
                        &shapes(values.get(Field::Type))
                            .iter()
                            .map(|s| s.0)
                            .collect::<Vec<_>>(),
                    )
                })
            });
            view! {
                <Show when=move || options.with(|options| !options.is_empty())>
                    <SelectField label value options on_change hint=hint_text/>
                </Show>
            }
            .into_any()
        }
        Field::IfExists => {
            let options = [("", "refuse"), (REPLACE, "replace it")]
                .map(|(key, text)| (key.to_owned(), text.to_owned()));
            view! { <SelectField label value options=Signal::stored(options.to_vec()) on_change hint=hint_text/> }.into_any()
        }
        Field::Package if form.command.is_copy() => {
            let to = Signal::derive(move || form.root());
            let from = Signal::derive(move || form.root_of(Field::From));
            view! { <PackagesField app=form.app from to value on_change error/> }.into_any()
        }
        Field::Icon => {
            let without = match form.command {
                EditCommand::AddPackage => "Without a file, the package has no icon.",
                _ => "Without a file, the icon is removed.",
            };
            view! { <IconField label without on_change/> }.into_any()
        }
        Field::Description => {
            view! { <TextFileField label value on_change hint=hint_text error/> }.into_any()
        }
        Field::Message | Field::Value => {
            view! { <TextField label value on_change hint=hint_text error/> }.into_any()
        }
        Field::Channel | Field::Bundle if form.command == EditCommand::Deprecate => {
            let is_selected = move || form.values.with(|values| kind(values) == kind_of(field));
            view! { <Show when=is_selected>{name_field(form, field, value, hint_text, error)}</Show> }
                .into_any()
        }
        _ => name_field(form, field, value, hint_text, error),
    }
}

/// A text field for a name, with suggestions.
fn name_field(
    form: Form,
    field: Field,
    value: Signal<String>,
    hint: Signal<String>,
    error: Signal<String>,
) -> AnyView {
    let label = field.label();
    let offered = Signal::derive(move || {
        form.known.with(|known| {
            form.values
                .with(|values| choices(form.command, field, values, known))
        })
    });
    let caught = form.command.range_purpose(field).map(|purpose| {
        let (app, command, values) = (form.app, form.command, form.values);
        let root = Signal::derive(move || form.root());
        view! { <RangeMatches app command field purpose values root/> }
    });
    let on_change = Callback::new(move |text: String| form.type_in(field, text));
    let on_done = Callback::new(move |()| form.leave(field));
    let completes = takes_known_names(form.command, field);
    view! { <ComboField label value choices=offered on_change on_done hint error completes/> {caught} }.into_any()
}

/// What can be deprecated: the prefix of *Reference*, and the label.
const KINDS: &[(&str, &str)] = &[
    ("package", "Package"),
    ("channel", "Channel"),
    ("bundle", "Versions"),
];

/// The kind of deprecated object; "" while undecided.
fn kind(values: &FormValues) -> &'static str {
    let first = values
        .get(Field::Reference)
        .split(' ')
        .next()
        .unwrap_or_default();
    KINDS
        .iter()
        .map(|(kind, _)| *kind)
        .find(|kind| *kind == first)
        .unwrap_or_default()
}

fn kind_of(field: Field) -> &'static str {
    if field == Field::Channel {
        "channel"
    } else {
        "bundle"
    }
}

/// A choice between the package, a channel and versions, which determines the other fields.
fn reference(form: Form, errors: Memo<Vec<FieldError>>) -> AnyView {
    let selected = Signal::derive(move || form.values.with(kind));
    let error = move || {
        errors.with(|errors| {
            errors
                .iter()
                .find(|(of, _)| *of == Field::Reference)
                .map(|(_, text)| text.clone())
        })
    };
    let whole = move || {
        let package = form
            .values
            .with(|values| values.get(Field::Package).to_owned());
        format!("All of {package}, whichever version and channel.")
    };
    view! {
        <div class="field">
            <p class="field-label">{Field::Reference.label()}</p>
            <Segmented
                label=Field::Reference.label()
                hint="What the message is about"
                options=KINDS
                selected
                on_select=move |kind: &'static str| form.set(Field::Reference, kind.to_owned())
            />
            <p class="field-hint" hidden=move || selected.get() != "package">{whole}</p>
            {move || error().map(|text| view! { <p class="field-error">{text}</p> })}
        </div>
    }
    .into_any()
}

/// A checkbox that is checked if the field is not empty.
fn tick(form: Form, field: Field, label: Signal<String>, hint: Signal<String>) -> AnyView {
    let note = dom::fresh_id("note");
    view! {
        <div class="field">
            <label class="check">
                <input
                    type="checkbox"
                    aria-describedby=note.clone()
                    prop:checked=move || form.values.with(|values| !values.get(field).is_empty())
                    on:change=move |event| {
                        form.set(field, if event_target_checked(&event) { "yes".to_owned() } else { String::new() });
                    }
                />
                {label}
            </label>
            <p class="field-hint" id=note>{hint}</p>
        </div>
    }
    .into_any()
}

/// Other entries of the bundle also skip these.
fn skips_too(form: Form) -> AnyView {
    let found = memo(move |_| {
        form.known.with(|known| {
            let view = known.view.as_ref()?;
            form.values
                .with(|values| promoted_skips::promoted_skips(values, &view.table))
        })
    });
    let render = move |found: PromotedSkips| {
        let hint = found.hint();
        match found.label() {
            Some(label) => tick(
                form,
                Field::SkipsToo,
                Signal::stored(label),
                Signal::stored(hint.to_owned()),
            ),
            None => view! { <p class="field-hint">{hint}</p> }.into_any(),
        }
    };
    view! { {move || found.get().map(render)} }.into_any()
}

/// The other channels that list the entry.
fn other_channels(form: Form) -> AnyView {
    const NAMED: usize = 3;
    let found = memo(move |_| {
        form.known.with(|known| {
            let Some(view) = &known.view else {
                return Vec::new();
            };
            form.values.with(|values| {
                form_values::other_channels(values, &view.table)
                    .into_iter()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            })
        })
    });
    let label = Signal::derive(move || match found.with(Vec::len) {
        1 => "In the other channel too".to_owned(),
        many => format!("In the other {many} channels too"),
    });
    let hint = Signal::derive(move || {
        let list = if found.with(Vec::len) == 1 {
            "lists"
        } else {
            "list"
        };
        found.with(|names| format!("{} {list} this entry.", first_of(names.iter(), NAMED)))
    });
    view! {
        <Show when=move || found.with(|names| !names.is_empty())>{tick(form, Field::OtherChannels, label, hint)}</Show>
    }
    .into_any()
}
