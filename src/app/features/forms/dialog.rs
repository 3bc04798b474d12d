//! The dialog of an edit command: fields at the left, preview at the right.

use super::also_in::{AlsoIn, Others};
use super::apply_foot::ApplyFoot;
use super::apply_in_catalogs::{all_operations, refuse};
use super::form_heads::{from_files, selected};
use super::icon_field::IconField;
use super::packages_field::PackagesField;
use super::text_file_field::TextFileField;
use super::withdraw_head::WithdrawHead;
use crate::components::deprecation_preview::{DeprecationPreview, deprecation_text};
use crate::components::preview::{Live, PreviewPane, follow};
use crate::components::range_matches::{RangeMatches, purpose};
use crate::components::template_note::{FormNote, show_template};
use crate::context::{AppContext, app_context};
use crate::edits::bundle_forms::{REPLACE, shapes, turned};
use crate::edits::command::{EditCommand, Field};
use crate::edits::deprecation_messages::TEMPLATES;
use crate::edits::form_parts::FormParts;
use crate::edits::form_values::{FieldError, FormValues, PackageNames, link, operations};
use crate::edits::half_typed::{is_half_typed, names_something, takes_known_names};
use crate::edits::several_entries;
use crate::edits::step_title::title;
use crate::edits::suggestions::{
    FormContext, catalog_name, catalog_of, choices, hint, named_by_version, only_choice, prefilled,
};
use crate::widgets::dialog::{Dialog, Size};
use crate::widgets::dom;
use crate::widgets::field::{ComboField, SelectField, TextField};
use crate::widgets::press_guard::Press;
use crate::widgets::shortcuts::is_apply_key;
use leptos::html;
use leptos::prelude::*;
use protocol::operation::EditOp;
use protocol::request::PreviewScope;
use protocol::response::PackageView;
use protocol::templates::RenderedFrom;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use wasm_bindgen_futures::spawn_local;

/// What the parts of a form share.
#[derive(Clone, Copy)]
struct Form {
    app: AppContext,
    command: EditCommand,
    values: RwSignal<FormValues>,
    touched: RwSignal<BTreeSet<Field>>,
    known: RwSignal<FormContext>,
    /// Complaints are shown once the user tried to apply.
    tried: RwSignal<bool>,
    /// The field that is being typed in: not left yet, and no pause was made.
    typing: RwSignal<Option<Field>>,
    /// Counts what was typed, so that a pause is known as one.
    typed: StoredValue<u32>,
    press: Press,
}

/// Who types nothing for so long has made a pause.
const PAUSE: Duration = Duration::from_millis(1200);

/// What is said in place of the command's help while another way is shown.
const OTHER_WAY: &str =
    "Another way is chosen: what it does is shown beside, and is applied in place of what these fields say.";

type Meant = Result<Vec<EditOp>, Vec<FieldError>>;

impl Form {
    fn set(self, field: Field, text: String) {
        self.touched.update(|touched| {
            touched.insert(field);
            // What is chosen to begin from counts for more than what was typed before.
            match field {
                Field::Template => touched.remove(&Field::Message),
                Field::Shape => touched.remove(&Field::Value),
                _ => false,
            };
        });
        self.values.update(|values| {
            values.set(field, text);
            link(self.command, field, values);
        });
        self.fill();
    }

    /// A field that is typed in.
    fn type_in(self, field: Field, text: String) {
        self.typing.set(Some(field));
        self.typed.update_value(|typed| *typed += 1);
        let mine = self.typed.get_value();
        self.set(field, text);
        let rest = move || {
            if self.typed.try_get_value() == Some(mine) {
                self.typing.try_set(None);
            }
        };
        set_timeout(rest, PAUSE);
    }

    /// The field was left, or a suggestion taken. A version that one bundle has means that bundle.
    fn leave(self, field: Field) {
        if self.typing.try_set(None).is_some() || !matches!(field, Field::Bundle | Field::Entry | Field::By) {
            return;
        }
        let named = self.values.try_with_untracked(|values| {
            self.known.with_untracked(|known| named_by_version(values.get(field), known.view.as_deref()?))
        });
        if let Some(name) = named.flatten() {
            self.set(field, name);
        }
    }

    /// Whether a name is being typed that is not known yet and may become so.
    fn is_half_typed(self) -> bool {
        let Some(field) = self.typing.get().filter(|field| names_something(*field)) else { return false };
        self.known.with(|known| {
            self.values.with(|values| is_half_typed(values.raw(field), &choices(self.command, field, values, known)))
        })
    }

    /// Fills what the user has not touched, from what is known now.
    fn fill(self) {
        let filled = self.known.with_untracked(|known| {
            self.touched.with_untracked(|touched| {
                self.values.with_untracked(|values| prefilled(self.command, values, touched, known))
            })
        });
        if self.values.with_untracked(|values| *values != filled) {
            self.values.set(filled);
        }
    }

    /// The root that *Catalog* names.
    fn root(self) -> Option<String> {
        self.root_of(Field::Catalog)
    }

    fn root_of(self, field: Field) -> Option<String> {
        self.known
            .with(|known| self.values.with(|values| catalog_of(&known.roots, values.get(field)).map(str::to_owned)))
    }

    /// Whether what was asked about is what the form is about still.
    fn is_about(self, root: &str, package: &str) -> bool {
        untrack(|| {
            self.values.try_with_untracked(|values| values.get(Field::Package) == package) == Some(true)
                && self.root().as_deref() == Some(root)
        })
    }

    /// The template of the package that the form is for.
    fn rendered_from(self) -> Option<RenderedFrom> {
        let root = self.root()?;
        self.known.with(|known| {
            let view = known.view.as_ref().filter(|view| view.root == root)?;
            let package = self.values.with(|values| values.get(Field::Package) == view.package);
            let is_lost = !matches!(self.command, EditCommand::CopyPackage | EditCommand::Migrate);
            view.rendered_from.clone().filter(|_| package && is_lost)
        })
    }

    fn meant(self) -> Meant {
        let Some(root) = self.root() else {
            return Err(vec![(Field::Catalog, "no catalog of this name is open".to_owned())]);
        };
        self.known.with(|known| {
            let name = self.values.with(|values| values.get(Field::Package).to_owned());
            let is_there = known.packages.contains(&name) && self.app.store.root.with(|shown| *shown == root);
            if self.command == EditCommand::AddPackage && is_there {
                return Err(vec![(Field::Package, "the catalog has a package of this name".to_owned())]);
            }
            let catalog = (known.roots.len() > 1).then_some(root.as_str());
            let names = known.view.as_ref().map_or(PackageNames::default(), |view| PackageNames {
                channels: &view.channels,
                bundles: &view.bundles,
                table: &view.table,
            });
            self.values.with(|values| operations(self.command, values, catalog, names))
        })
    }
}

#[component]
pub fn CommandForm(command: EditCommand, values: FormValues) -> impl IntoView {
    let app = app_context();
    let known = FormContext {
        roots: app.store.status.with_untracked(|status| status.roots.clone()),
        packages: app.store.packages.with_untracked(|rows| rows.iter().map(|row| row.name.clone()).collect()),
        view: Some(app.current.view.get_untracked()),
        description: String::new(),
    };
    let values = if command == EditCommand::CopyPackage { turned(values, &known) } else { values };
    let given = values.filled();
    let form = Form {
        app,
        command,
        // What was said when it was asked for counts as typed.
        touched: RwSignal::new(given.clone()),
        values: RwSignal::new(values),
        known: RwSignal::new(known),
        tried: RwSignal::new(false),
        typing: RwSignal::new(None),
        typed: StoredValue::new(0),
        press: Press::new(),
    };
    form.fill();
    know(form);
    let meant = Memo::new(move |_| form.meant());
    let is_half_typed = Memo::new(move |_| form.is_half_typed());
    let judged = move || meant.with(|meant| meant.as_ref().ok().filter(|_| !is_half_typed.get()).cloned());
    // Elsewhere a package is begun only where it is not there.
    let scope = if command == EditCommand::AddPackage { PreviewScope::Lacking } else { PreviewScope::All };
    let live = follow(app, scope, Signal::derive(judged));
    let others = Others::follow(live, Signal::derive(move || form.root()));
    let errors = Memo::new(move |_| match (form.tried.get(), meant.get()) {
        (true, Err(complaints)) => complaints,
        _ => Vec::new(),
    });
    let missing = Signal::derive(move || {
        let empty = |field: &Field| form.values.with(|values| values.get(*field).is_empty());
        let names = meant.with(|meant| match meant {
            Err(complaints) => {
                complaints.iter().map(|(field, _)| *field).filter(empty).map(Field::label).collect::<Vec<_>>()
            }
            Ok(_) => Vec::new(),
        });
        match names.as_slice() {
            [] => String::new(),
            [only] => (*only).to_owned(),
            [first @ .., last] => format!("{} and {last}", first.join(", ")),
        }
    });
    let apply = move || {
        form.tried.set(true);
        if let Ok(ops) = live.other_way().map_or_else(|| meant.get_untracked(), Ok)
            && form.press.begin()
        {
            apply_everywhere(app, live, others, form.press, ops);
        }
    };
    let entries = form.values.with_untracked(|values| several_entries::names(command, values.several()));
    let is_for_several = !entries.is_empty();
    let channels = form.known.with_untracked(|known| known.view.as_ref().map_or(0, |view| view.channels.len()));
    let mut parts = form.values.with_untracked(|values| FormParts::new(command, &given, values, channels));
    parts.asked.retain(|field| !(is_for_several && several_entries::answers(command, *field)));
    let is_asked_alone = parts.asked.len() == 1 && parts.asked.iter().all(|field| only_choice(command, *field));
    let FormParts { known, asked, more } = parts;
    let controls =
        move |fields: Vec<Field>| fields.into_iter().map(|field| control(form, field, errors)).collect_view();
    let node = NodeRef::<html::Form>::new();
    let stays_here = RwSignal::new(false);
    let rendered_from = Signal::derive(move || form.rendered_from().filter(|_| !stays_here.get()));
    // The button that was pressed goes, and the focus with it.
    let go_on = move || {
        request_animation_frame(move || {
            if let Some(form) = node.get_untracked() {
                dom::focus_first_empty(&form);
            }
        });
    };
    let to_template = Callback::new(move |from: RenderedFrom| {
        let package = form.values.with_untracked(|values| values.get(Field::Package).to_owned());
        if from.holds_entries {
            let template = form.known.with_untracked(|known| catalog_name(&known.roots, &from.template));
            form.set(Field::Catalog, template);
            go_on();
        } else {
            app.overlays.close();
        }
        show_template(app, from, package);
    });
    let stay = Callback::new(move |()| {
        stays_here.set(true);
        go_on();
    });
    let typing = form.typing;
    Effect::new(move |_| {
        if let Some(form) = node.get() {
            // After the dialog has taken the focus itself. A field that is filled with the only choice is still the question.
            request_animation_frame(move || {
                // Whoever types already is not interrupted.
                if typing.try_get_untracked() != Some(None) {
                    return;
                }
                match is_asked_alone {
                    true => dom::focus_first_in(&form, ".form-asked input"),
                    false => dom::focus_first_empty(&form),
                }
                // That the files of a bundle say all of it stands above the field, and is read first.
                if command == EditCommand::AddBundle {
                    dom::scroll_to_top(&form, ".form-fields");
                }
            });
        }
    });
    view! {
        <Dialog title=command.label() size=Size::Form on_close=move |()| app.overlays.close()>
            <form
                node_ref=node
                class="form"
                novalidate
                on:keydown=move |event| {
                    live.on_key(&event);
                    if is_apply_key(&event) {
                        event.prevent_default();
                        if !live.is_refused() {
                            apply();
                        }
                    }
                }
                on:submit=move |event| {
                    event.prevent_default();
                    apply();
                }
            >
                <div class="form-fields">
                    <p class="form-help">
                        {move || if live.is_of_another_way() { OTHER_WAY } else { command.help() }}
                    </p>
                    {(command == EditCommand::AddBundle).then(|| from_files(app))}
                    <div class="form-known" prop:inert=move || live.is_of_another_way()>{controls(known)}</div>
                    <AlsoIn app others/>
                    <div class="form-asked" prop:inert=move || live.is_of_another_way()>
                        <FormNote app from=rendered_from on_template=to_template on_here=stay/>
                        {is_for_several.then(|| selected(entries))}
                        {controls(asked)}
                        {(!more.is_empty()).then(|| view! {
                            <details class="form-more" open>
                                <summary>"More"</summary>
                                <div class="form-asked">{controls(more)}</div>
                            </details>
                        })}
                    </div>
                </div>
                <PreviewPane app live also=Signal::derive(move || others.ticked()) missing>
                    {(command == EditCommand::Deprecate).then(|| {
                        let deprecation_text = Signal::derive(move || {
                            form.known.with(|known| form.values.with(|values| deprecation_text(values, known.view.as_deref()?)))
                        });
                        view! { <DeprecationPreview deprecation_text/> }
                    })}
                    {(command == EditCommand::Withdraw).then(|| view! { <WithdrawHead app live values=form.values/> })}
                </PreviewPane>
                <ApplyFoot app live others/>
            </form>
        </Dialog>
    }
    .into_any()
}

/// Applies the operations here and in the catalogs that are ticked, as one step.
fn apply_everywhere(app: AppContext, live: Live, others: Others, press: Press, ops: Vec<EditOp>) {
    spawn_local(async move {
        let Some((all, others)) = all_operations(app, live, others, press, ops.clone()).await else { return };
        let (title, refused) = (title(&ops, others), move |refusal| refuse(live, press, refusal));
        match ops.as_slice() {
            // What was made is looked at.
            [EditOp::AddPackage { catalog, package, .. }] => {
                let root = catalog.clone().unwrap_or_else(|| app.store.root.get_untracked());
                app.apply_and_show(title, all, (root, package.clone()), refused);
            }
            _ => app.apply_and_close(title, all, refused),
        }
    });
}

/// Keeps what the suggestions are taken from up to date with *Catalog* and *Package*.
fn know(form: Form) {
    let root = Memo::new(move |_| form.root());
    let package = Memo::new(move |_| form.values.with(|values| values.get(Field::Package).to_owned()));
    let app = form.app;
    let take = move |view: Option<Arc<PackageView>>| {
        if form.known.try_update(|known| known.view = view).is_some() {
            form.fill();
        }
    };
    Effect::new(move |_| {
        let (Some(root), package) = (root.get(), package.get()) else { return };
        if app.store.root.get() == root && app.current.package.get() == package {
            // What is in view may be the package before still: the form takes it once it has come. It does not follow what
            // it has done itself.
            let view = Some(app.current.view.get()).filter(|view| view.root == root && view.package == package);
            if !form.press.is_under_way() {
                take(view);
            }
            return;
        }
        spawn_local(async move {
            let view = app.store.package_of(root.clone(), package.clone()).await;
            if form.is_about(&root, &package) {
                take(view.map(Arc::new));
            }
        });
    });
    if form.command == EditCommand::SetDescription {
        Effect::new(move |_| {
            let (Some(root), package) = (root.get(), package.get()) else { return };
            spawn_local(async move {
                let description = app.store.description_of(root, package).await;
                if form.known.try_update(|known| known.description = description).is_some() {
                    form.fill();
                }
            });
        });
    }
}

fn control(form: Form, field: Field, errors: Memo<Vec<FieldError>>) -> AnyView {
    let value = Signal::derive(move || form.values.with(|values| values.raw(field).to_owned()));
    let on_change = Callback::new(move |text: String| form.set(field, text));
    let told = Signal::derive(move || form.values.with(|values| hint(form.command, field, values).to_owned()));
    let error = Signal::derive(move || {
        errors
            .with(|errors| errors.iter().find(|(of, _)| *of == field).map(|(_, text)| text.clone()).unwrap_or_default())
    });
    let label = field.label();
    let pairs =
        |options: &[&str]| options.iter().map(|name| ((*name).to_owned(), (*name).to_owned())).collect::<Vec<_>>();
    match field {
        Field::As => {
            let mut options = vec![(String::new(), "by version".to_owned())];
            options.extend(pairs(&["head", "chain", "skipped"]));
            view! { <SelectField label value options=Signal::stored(options) on_change hint=told/> }.into_any()
        }
        Field::Then => {
            let options = pairs(&["relink", "skip", "leave"]);
            view! { <SelectField label value options=Signal::stored(options) on_change hint=told/> }.into_any()
        }
        Field::Rule => {
            let options = pairs(&["replaces", "skip-patch", "z-stream", "skip-range"]);
            view! { <SelectField label value options=Signal::stored(options) on_change hint=told/> }.into_any()
        }
        Field::Template => {
            let options: Vec<(String, String)> =
                TEMPLATES.iter().map(|(key, name)| ((*key).to_owned(), (*name).to_owned())).collect();
            view! { <SelectField label value options=Signal::stored(options) on_change hint=told/> }.into_any()
        }
        Field::Shape => {
            let options = Memo::new(move |_| {
                form.values
                    .with(|values| pairs(&shapes(values.get(Field::Type)).iter().map(|s| s.0).collect::<Vec<_>>()))
            });
            view! {
                <Show when=move || options.with(|options| !options.is_empty())>
                    <SelectField label value options on_change hint=told/>
                </Show>
            }
            .into_any()
        }
        Field::IfThere => {
            let options =
                [("", "refuse"), (REPLACE, "replace it")].map(|(key, text)| (key.to_owned(), text.to_owned()));
            view! { <SelectField label value options=Signal::stored(options.to_vec()) on_change hint=told/> }.into_any()
        }
        Field::Package if form.command == EditCommand::CopyPackage => {
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
        Field::Description => view! { <TextFileField label value on_change hint=told error/> }.into_any(),
        Field::NewName | Field::Message | Field::Value => {
            view! { <TextField label value on_change hint=told error/> }.into_any()
        }
        _ => {
            let offered = Signal::derive(move || {
                form.known.with(|known| form.values.with(|values| choices(form.command, field, values, known)))
            });
            let caught = purpose(form.command, field).map(|purpose| {
                let (app, command, values) = (form.app, form.command, form.values);
                let root = Signal::derive(move || form.root());
                view! { <RangeMatches app command field purpose values root/> }
            });
            let on_change = Callback::new(move |text: String| form.type_in(field, text));
            let on_done = Callback::new(move |()| form.leave(field));
            let completes = takes_known_names(form.command, field);
            view! { <ComboField label value choices=offered on_change on_done hint=told error completes/> {caught} }
                .into_any()
        }
    }
}
