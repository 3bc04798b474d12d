//! The input control of each form field.

use super::form::Form;
use crate::components::picture::Picture;
use crate::components::range_matches::RangeMatches;
use crate::edits::bundle_forms::{REPLACE, YES};
use crate::edits::command::{EditCommand, Field};
use crate::edits::drafts::accepts_only_existing_names;
use crate::edits::entry_choices::{removal_choices, removal_hint};
use crate::edits::form_values::{FieldError, FormValues, find_error, parse_names};
use crate::edits::hints::hint;
use crate::edits::suggestions::{choices, opens_on_focus};
use crate::prelude::*;
use crate::widgets::buttons::Segmented;
use crate::widgets::fields::{
    Checklist, ChecklistItem, ComboField, SelectField, TextField, error_note, select_options,
};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use protocol::inspection::IconView;
use protocol::query::CheckPicture;
use protocol::response::OperationRefusal;
use protocol::views::RootRow;
use std::collections::BTreeSet;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, HtmlInputElement};

/// The choices of *As*.
pub(super) const PLACEMENTS: &[(&str, &str)] = &[
    ("", "by version"),
    ("head", "head"),
    ("chain", "chain"),
    ("skipped", "skipped"),
];

/// The kinds of objects that can be deprecated: the prefix in *Reference*, and the label.
const KINDS: &[(&str, &str)] = &[
    ("package", "Package"),
    ("channel", "Channel"),
    ("bundle", "Versions"),
];

pub(super) fn control(form: Form, field: Field, errors: Memo<Vec<FieldError>>) -> AnyView {
    let value = derived(move || form.values.with(|values| values.raw(field).to_owned()));
    let on_change = Callback::new(move |text: String| form.set(field, text));
    let hint_text = derived(move || match field {
        Field::Then => then_hint(form),
        _ => form
            .values
            .with(|values| hint(form.command, field, values).to_owned()),
    });
    let error = derived(move || errors.with(|errors| find_error(errors, field)));
    let label = form.command.field_label(field);
    let select = |options: &[(&str, &str)]| {
        let options = Signal::stored(select_options(options));
        view! { <SelectField label value options on_change hint=hint_text/> }.into_any()
    };
    match field {
        Field::Reference if form.command == EditCommand::Deprecate => {
            deprecation_subject(form, errors)
        }
        Field::As => select(PLACEMENTS),
        Field::SkipOld => select(&[("", "no"), (YES, "yes")]),
        Field::Rule => {
            select(&["replaces", "skip-patch", "z-stream", "skip-range"].map(|rule| (rule, rule)))
        }
        Field::IfExists => select(&[("", "refuse"), (REPLACE, "replace it")]),
        Field::Then => select(&removal_choices(form.command)),
        Field::Package if form.command.is_copy() => {
            let to = derived(move || form.root());
            let from = derived(move || form.root_of(Field::From));
            view! { <PackagesField app=form.app from to value on_change error/> }.into_any()
        }
        Field::Icon => {
            let no_file_hint = match form.command {
                EditCommand::AddPackage => "Without a file, the package has no icon.",
                _ => "Without a file, the icon is removed.",
            };
            view! { <IconField label no_file_hint on_change/> }.into_any()
        }
        Field::Description | Field::Message | Field::Value => {
            view! { <TextField label value on_change hint=hint_text error/> }.into_any()
        }
        Field::Channel | Field::Bundle if form.command == EditCommand::Deprecate => {
            let is_selected = move || {
                form.values
                    .with(|values| deprecated_kind(values) == field_kind(field))
            };
            view! { <Show when=is_selected>{name_field(form, field, value, hint_text, error)}</Show> }
                .into_any()
        }
        Field::SkipRange if form.command == EditCommand::AddBundle => {
            let is_possible = move || !form.computes_edges();
            view! { <Show when=is_possible>{name_field(form, field, value, hint_text, error)}</Show> }
                .into_any()
        }
        _ => name_field(form, field, value, hint_text, error),
    }
}

/// Describes the choice of *Then*. What it does to the users of a template depends on its
/// rendering, which only the preview knows.
fn then_hint(form: Form) -> String {
    let root = form.root();
    let is_in_template = form.known.with(|known| {
        let mut rows = known.roots.iter();
        let is_template = |row: &RootRow| row.is_template() || row.rendered.is_some();
        rows.any(|row| is_template(row) && Some(&row.root) == root.as_ref())
    });
    if is_in_template {
        return "The preview shows what this does to users.".to_owned();
    }
    let view = form.view();
    let table = view.as_ref().map_or(&[][..], |view| &view.table);
    form.values
        .with(|values| removal_hint(form.command, values, table))
}

fn name_field(
    form: Form,
    field: Field,
    value: Signal<String>,
    hint: Signal<String>,
    error: Signal<String>,
) -> AnyView {
    let label = form.command.field_label(field);
    let suggestions = derived(move || {
        form.known.with(|known| {
            form.values
                .with(|values| choices(form.command, field, values, known))
        })
    });
    let matches = form.command.range_purpose(field).map(|purpose| {
        let (app, command, values) = (form.app, form.command, form.values);
        let root = derived(move || form.root());
        view! { <RangeMatches app command field purpose values root/> }
    });
    let on_change = Callback::new(move |text: String| form.type_in(field, text));
    let on_done = Callback::new(move |()| form.leave(field));
    let completes = accepts_only_existing_names(form.command, field);
    let opens_on_focus = opens_on_focus(form.command, field);
    view! {
        <ComboField label value choices=suggestions on_change on_done hint error completes opens_on_focus/>
        {matches}
    }
    .into_any()
}

/// Returns the kind of the deprecated object; "" while undecided.
fn deprecated_kind(values: &FormValues) -> &'static str {
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

fn field_kind(field: Field) -> &'static str {
    if field == Field::Channel {
        "channel"
    } else {
        "bundle"
    }
}

/// Renders a choice between package, channel and versions, which determines the other fields.
fn deprecation_subject(form: Form, errors: Memo<Vec<FieldError>>) -> AnyView {
    let selected = derived(move || form.values.with(deprecated_kind));
    let error = derived(move || errors.with(|errors| find_error(errors, Field::Reference)));
    let package_hint = move || {
        let package = form.text(Field::Package);
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
            <p class="field-hint" hidden=move || selected.get() != "package">{package_hint}</p>
            {error_note(error)}
        </div>
    }
    .into_any()
}

/// A checklist of the packages. `value` is the form's text: names separated by commas.
#[component]
fn PackagesField(
    app: AppContext,
    /// The roots of the source and target catalogs.
    from: Signal<Option<String>>,
    to: Signal<Option<String>>,
    value: Signal<String>,
    on_change: Callback<String>,
    error: Signal<String>,
) -> impl IntoView {
    let (source_packages, target_packages) = (packages_in(app, from), packages_in(app, to));
    let items = memo(move |_| {
        let present: BTreeSet<String> = target_packages.get().into_iter().collect();
        let item = |name: String| {
            let note = if present.contains(&name) {
                "there already"
            } else {
                ""
            };
            ChecklistItem {
                note: note.to_owned(),
                name,
            }
        };
        source_packages
            .get()
            .into_iter()
            .map(item)
            .collect::<Vec<_>>()
    });
    let ticked =
        derived(move || value.with(|text| parse_names(text).into_iter().collect::<BTreeSet<_>>()));
    let set_ticked =
        move |all: BTreeSet<String>| on_change.run(all.into_iter().collect::<Vec<_>>().join(", "));
    view! { <Checklist label="Packages" items ticked on_change=set_ticked error/> }
}

/// Returns the names of a catalog's packages and keeps them up to date.
fn packages_in(app: AppContext, root: Signal<Option<String>>) -> Signal<Vec<String>> {
    let names = debounced_query(root, move |root| async move {
        let rows = app.store.fetch_packages(root).await;
        Some(rows.into_iter().map(|row| row.name).collect::<Vec<_>>())
    });
    derived(move || names.get().unwrap_or_default())
}

/// A file field for an icon. `on_change` receives the image in base64; "" if none is chosen.
#[component]
fn IconField(
    label: &'static str,
    /// The text shown if no file is chosen.
    no_file_hint: &'static str,
    on_change: Callback<String>,
) -> impl IntoView {
    let app = app_context();
    let (id, note) = (dom::fresh_id("field"), dom::fresh_id("note"));
    let chosen = RwSignal::new(None::<IconFile>);
    let choose_file = move |event: leptos::ev::Event| {
        let Some(file) = chosen_file(&event) else {
            chosen.set(None);
            on_change.run(String::new());
            return;
        };
        spawn_local(async move {
            let icon = IconFile::read(app, &file).await;
            let data = icon
                .as_ref()
                .map_or_else(String::new, |chosen| chosen.data.clone());
            if chosen.try_set(icon).is_none() {
                on_change.run(data);
            }
        });
    };
    view! {
        <div class="field">
            <label class="field-label" for=id.clone()>{label}</label>
            <input
                class="field-input"
                id=id
                type="file"
                accept=".svg,.png,.jpg,.jpeg,.gif,image/svg+xml,image/png,image/jpeg,image/gif"
                aria-describedby=note.clone()
                on:change=choose_file
            />
            <div id=note>
                {move || match chosen.get() {
                    Some(IconFile { caption, picture, .. }) => {
                        view! {
                            <p class="field-hint">{caption}</p>
                            <Picture picture class="field-icon"/>
                        }
                            .into_any()
                    }
                    None => {
                        view! { <p class="field-hint">{format!("SVG, PNG, JPEG or GIF. {no_file_hint}")}</p> }
                            .into_any()
                    }
                }}
            </div>
        </div>
    }
    .into_any()
}

fn chosen_file(event: &leptos::ev::Event) -> Option<File> {
    let input: HtmlInputElement = event.target()?.dyn_into().ok()?;
    input.files()?.get(0)
}

#[derive(Debug, Clone)]
struct IconFile {
    data: String,
    /// The name and size of the file.
    caption: String,
    picture: IconView,
}

impl IconFile {
    async fn read(app: AppContext, file: &File) -> Option<Self> {
        let buffer = JsFuture::from(file.array_buffer()).await.ok()?;
        let bytes = js_sys::Uint8Array::new(&buffer).to_vec();
        let data = STANDARD.encode(&bytes);
        // Do not preview pictures that the catalog view would refuse: they may freeze the page.
        let picture = check_picture(app, file.type_(), data.clone()).await;
        let caption = format!("{}: {} bytes", file.name(), bytes.len());
        Some(Self {
            data,
            caption,
            picture,
        })
    }
}

/// Checks a picture in base64. Returns it for display, or why it is not safe to show.
pub(super) async fn check_picture(app: AppContext, media_type: String, data: String) -> IconView {
    let checked = app.store.ask(CheckPicture { media_type, data }).await;
    checked.unwrap_or_else(|error| IconView::Refused(OperationRefusal::from(error).reason))
}
