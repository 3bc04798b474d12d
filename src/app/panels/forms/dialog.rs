//! The dialog of an edit command: fields at the left, preview at the right.

use super::command::{EditCommand, Field};
use super::content::turned;
use super::icon_field::IconField;
use super::preview::{Preview, PreviewPane, follow};
use super::suggest::{Known, catalog_name, catalog_of, choices, hint, prefilled};
use super::values::{Complaint, FormValues, link, operations, title};
use crate::app::desk::{Desk, desk};
use crate::app::widgets::button::{Button, Look};
use crate::app::widgets::dialog::{Dialog, Size};
use crate::app::widgets::dom;
use crate::app::widgets::field::{ComboField, SelectField, TextField};
use crate::fbc::edit::op::EditOp;
use crate::protocol::response::Refusal;
use leptos::html;
use leptos::prelude::*;
use std::collections::BTreeSet;
use wasm_bindgen_futures::spawn_local;

/// What the parts of a form share.
#[derive(Clone, Copy)]
struct Form {
    desk: Desk,
    command: EditCommand,
    values: RwSignal<FormValues>,
    touched: RwSignal<BTreeSet<Field>>,
    known: RwSignal<Known>,
    /// Other catalogs that have the package: roots, and which of them are ticked.
    others: RwSignal<Vec<String>>,
    also_in: RwSignal<BTreeSet<String>>,
    /// Complaints are shown once the user tried to apply.
    tried: RwSignal<bool>,
}

type Meant = Result<Vec<EditOp>, Vec<Complaint>>;

impl Form {
    fn set(self, field: Field, text: String) {
        self.touched.update(|touched| {
            touched.insert(field);
        });
        self.values.update(|values| {
            values.set(field, text);
            link(self.command, field, values);
        });
        self.fill();
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
        self.known.with(|known| {
            self.values.with(|values| catalog_of(&known.roots, values.get(Field::Catalog)).map(str::to_owned))
        })
    }

    fn meant(self) -> Meant {
        let Some(root) = self.root() else {
            return Err(vec![(Field::Catalog, "no catalog of this name is open".to_owned())]);
        };
        let also: Vec<String> =
            self.also_in.with(|also| also.iter().filter(|other| **other != root).cloned().collect());
        self.known.with(|known| {
            let catalog = (known.roots.len() > 1).then_some(root.as_str());
            let (channels, bundles) =
                known.view.as_ref().map(|view| (view.channels.clone(), view.bundles.clone())).unwrap_or_default();
            self.values.with(|values| operations(self.command, values, catalog, &also, &channels, &bundles))
        })
    }
}

#[component]
pub fn CommandForm(command: EditCommand, values: FormValues) -> impl IntoView {
    let desk = desk();
    let known = Known {
        roots: desk.session.status.with_untracked(|status| status.roots.clone()),
        packages: desk.session.packages.with_untracked(|rows| rows.iter().map(|row| row.name.clone()).collect()),
        view: Some((*desk.view.get_untracked()).clone()),
        description: String::new(),
    };
    let values = if command == EditCommand::CopyPackage { turned(values, &known) } else { values };
    let form = Form {
        desk,
        command,
        values: RwSignal::new(values),
        touched: RwSignal::new(BTreeSet::new()),
        known: RwSignal::new(known),
        others: RwSignal::new(Vec::new()),
        also_in: RwSignal::new(BTreeSet::new()),
        tried: RwSignal::new(false),
    };
    form.fill();
    know(form);
    let meant = Memo::new(move |_| form.meant());
    let preview = follow(desk, Signal::derive(move || meant.with(|meant| meant.as_ref().ok().cloned())));
    let apply = move || {
        form.tried.set(true);
        if let Ok(ops) = meant.get_untracked() {
            let name = title(&ops);
            desk.apply(name, ops, move |end| ended(desk, preview, end));
        }
    };
    let node = NodeRef::<html::Form>::new();
    Effect::new(move |_| {
        if let Some(form) = node.get() {
            // After the dialog has taken the focus itself.
            request_animation_frame(move || dom::focus_first_empty(&form));
        }
    });
    let errors = Memo::new(move |_| match (form.tried.get(), meant.get()) {
        (true, Err(complaints)) => complaints,
        _ => Vec::new(),
    });
    view! {
        <Dialog title=command.label() size=Size::Form on_close=move |()| desk.close_overlay()>
            <form
                node_ref=node
                class="form"
                novalidate
                on:submit=move |event| {
                    event.prevent_default();
                    apply();
                }
            >
                <div class="form-fields">
                    <p class="form-help">{command.help()}</p>
                    {command.fields().iter().map(|field| control(form, *field, errors)).collect_view()}
                    {(command != EditCommand::CopyPackage).then(|| view! { <AlsoIn form/> })}
                </div>
                <PreviewPane preview/>
                <div class="form-foot">
                    <Button label="Cancel" on_press=move |()| desk.close_overlay()/>
                    <button type="submit" class="button" data-look="primary">"Apply"</button>
                </div>
            </form>
        </Dialog>
    }
    .into_any()
}

/// Operations that need no fields: a fix. Named by its title.
#[component]
pub fn Confirm(title: String, ops: Vec<EditOp>) -> impl IntoView {
    let desk = desk();
    let asked = ops.clone();
    let preview = follow(desk, Signal::derive(move || Some(asked.clone())));
    let name = title.clone();
    let apply = move |()| {
        desk.apply(name.clone(), ops.clone(), move |end| ended(desk, preview, end));
    };
    view! {
        <Dialog title=title on_close=move |()| desk.close_overlay()>
            <div class="dialog-body" tabindex="-1">
                <PreviewPane preview/>
            </div>
            <div class="dialog-foot">
                <Button label="Cancel" on_press=move |()| desk.close_overlay()/>
                <Button label="Apply" look=Look::Primary on_press=apply/>
            </div>
        </Dialog>
    }
    .into_any()
}

/// An applied form goes; a refused one says why.
fn ended(desk: Desk, preview: RwSignal<Preview>, end: Result<(), Refusal>) {
    match end {
        Ok(()) => desk.close_overlay(),
        Err(refusal) => {
            preview.try_set(Preview::Refused(refusal));
        }
    }
}

/// Keeps what the suggestions are taken from up to date with *Catalog* and *Package*.
fn know(form: Form) {
    let root = Memo::new(move |_| form.root());
    let package = Memo::new(move |_| form.values.with(|values| values.get(Field::Package).to_owned()));
    let desk = form.desk;
    Effect::new(move |_| {
        let (Some(root), package) = (root.get(), package.get()) else { return };
        let shown = desk.session.root.get_untracked() == root && desk.package.get_untracked() == package;
        spawn_local(async move {
            if !shown {
                let view = desk.session.package_of(root, package).await;
                form.known.try_update(|known| known.view = view);
            } else {
                form.known.try_update(|known| known.view = Some((*desk.view.get_untracked()).clone()));
            }
            if form.values.try_with_untracked(|_| ()).is_some() {
                form.fill();
            }
        });
    });
    if form.command == EditCommand::SetDescription {
        Effect::new(move |_| {
            let (Some(root), package) = (root.get(), package.get()) else { return };
            spawn_local(async move {
                let description = desk.session.description_of(root, package).await;
                if form.known.try_update(|known| known.description = description).is_some() {
                    form.fill();
                }
            });
        });
    }
    Effect::new(move |_| {
        let (Some(root), package) = (root.get(), package.get()) else { return };
        let roots = desk
            .session
            .status
            .with_untracked(|status| status.roots.iter().map(|row| row.root.clone()).collect::<Vec<_>>());
        spawn_local(async move {
            let mut others = Vec::new();
            for other in roots.into_iter().filter(|other| *other != root) {
                if desk.session.packages_of(other.clone()).await.iter().any(|row| row.name == package) {
                    others.push(other);
                }
            }
            form.others.try_set(others);
        });
    });
}

fn control(form: Form, field: Field, errors: Memo<Vec<Complaint>>) -> AnyView {
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
            let options = pairs(&["replaces", "skip-patch", "skip-range"]);
            view! { <SelectField label value options=Signal::stored(options) on_change hint=told/> }.into_any()
        }
        Field::Icon => view! { <IconField label on_change/> }.into_any(),
        Field::NewName | Field::Message | Field::Description | Field::Value => {
            view! { <TextField label value on_change hint=told error/> }.into_any()
        }
        _ => {
            let offered = Signal::derive(move || {
                form.known.with(|known| form.values.with(|values| choices(form.command, field, values, known)))
            });
            view! { <ComboField label value choices=offered on_change hint=told error/> }.into_any()
        }
    }
}

/// *Also in*: the other catalogs that have the package.
#[component]
fn AlsoIn(form: Form) -> impl IntoView {
    let id = dom::fresh_id("also-in");
    let name = move |root: &str| form.known.with_untracked(|known| catalog_name(&known.roots, root));
    view! {
        <Show when=move || form.others.with(|others| !others.is_empty())>
            <fieldset aria-labelledby=id.clone()>
                <legend class="field-label" id=id.clone()>"Also in"</legend>
                <div class="checks">
                    {move || {
                        form.others
                            .get()
                            .into_iter()
                            .map(|root| {
                                let shown = name(&root);
                                let ticked = root.clone();
                                view! {
                                    <label class="check">
                                        <input
                                            type="checkbox"
                                            prop:checked={
                                                let root = root.clone();
                                                move || form.also_in.with(|also| also.contains(&root))
                                            }
                                            on:change=move |event| {
                                                let is_on = event_target_checked(&event);
                                                form.also_in
                                                    .update(|also| {
                                                        if is_on {
                                                            also.insert(ticked.clone());
                                                        } else {
                                                            also.remove(&ticked);
                                                        }
                                                    });
                                            }
                                        />
                                        {shown}
                                    </label>
                                }
                            })
                            .collect_view()
                    }}
                </div>
            </fieldset>
        </Show>
    }
    .into_any()
}
