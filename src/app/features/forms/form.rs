//! What a form of an edit command knows: its values, what they are taken from, and what they mean.

use crate::context::AppContext;
use crate::edits::command::{EditCommand, Field};
use crate::edits::form_values::{FieldError, FormValues, PackageNames, link, operations};
use crate::edits::half_typed::{is_half_typed, names_something, not_a_bundle};
use crate::edits::kept_forms::KeptForms;
use crate::edits::suggestions::{FormContext, catalog_of, choices, named_by_version, prefilled};
use crate::widgets::press_guard::Press;
use leptos::prelude::*;
use protocol::operation::EditOp;
use protocol::templates::RenderedFrom;
use std::collections::BTreeSet;
use std::time::Duration;

/// What the parts of a form share.
#[derive(Clone, Copy)]
pub(super) struct Form {
    pub(super) app: AppContext,
    pub(super) command: EditCommand,
    pub(super) values: RwSignal<FormValues>,
    pub(super) touched: RwSignal<BTreeSet<Field>>,
    pub(super) known: RwSignal<FormContext>,
    /// Complaints are shown once the user tried to apply.
    pub(super) tried: RwSignal<bool>,
    /// The field that is being typed in: not left yet, and no pause was made.
    pub(super) typing: RwSignal<Option<Field>>,
    /// Counts what was typed, so that a pause is known as one.
    pub(super) typed: StoredValue<u32>,
    pub(super) press: Press,
}

/// Who types nothing for so long has made a pause.
const PAUSE: Duration = Duration::from_millis(1200);

pub(super) type Meant = Result<Vec<EditOp>, Vec<FieldError>>;

impl Form {
    pub(super) fn set(self, field: Field, text: String) {
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
    pub(super) fn type_in(self, field: Field, text: String) {
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
    pub(super) fn leave(self, field: Field) {
        if self.typing.try_set(None).is_some()
            || !matches!(field, Field::Bundle | Field::Entry | Field::By)
        {
            return;
        }
        let named = self.values.try_with_untracked(|values| {
            self.known
                .with_untracked(|known| named_by_version(values.get(field), known.view.as_deref()?))
        });
        if let Some(name) = named.flatten() {
            self.set(field, name);
        }
    }

    /// Whether a name is being typed that is not known yet and may become so.
    pub(super) fn is_half_typed(self) -> bool {
        let Some(field) = self.typing.get().filter(|field| names_something(*field)) else {
            return false;
        };
        self.known.with(|known| {
            self.values.with(|values| {
                is_half_typed(
                    values.raw(field),
                    &choices(self.command, field, values, known),
                )
            })
        })
    }

    /// What keeps the form from being applied though no field is empty: a bundle to promote that is none yet. "" where nothing
    /// does.
    pub(super) fn not_chosen(self) -> String {
        if self.command != EditCommand::Promote {
            return String::new();
        }
        self.known.with(|known| {
            self.values.with(|values| {
                let view = known
                    .view
                    .as_deref()
                    .filter(|view| view.package == values.get(Field::Package));
                view.and_then(|view| not_a_bundle(values.get(Field::Bundle), view))
                    .unwrap_or_default()
            })
        })
    }

    /// Fills what the user has not touched, from what is known now.
    pub(super) fn fill(self) {
        let filled = self.known.with_untracked(|known| {
            self.touched.with_untracked(|touched| {
                self.values
                    .with_untracked(|values| prefilled(self.command, values, touched, known))
            })
        });
        if self.values.with_untracked(|values| *values != filled) {
            self.values.set(filled);
        }
    }

    /// Keeps what was typed, as the form is closed and not applied.
    pub(super) fn keep(self, opened: StoredValue<FormValues>) {
        let (now, touched) = (self.values.get_untracked(), self.touched.get_untracked());
        self.app
            .overlays
            .kept_forms()
            .update_value(|forms| forms.keep(self.command, opened.get_value(), &now, &touched));
    }

    /// Fills in what was typed when it was closed. Whether there was anything.
    pub(super) fn take_kept(self, opened: StoredValue<FormValues>) -> bool {
        let take =
            |forms: &mut KeptForms| opened.with_value(|opened| forms.take(self.command, opened));
        let typed = self
            .app
            .overlays
            .kept_forms()
            .try_update_value(take)
            .unwrap_or_default();
        if typed.is_empty() {
            return false;
        }
        self.touched
            .update(|touched| touched.extend(typed.iter().map(|(field, _)| *field)));
        self.values.update(|values| {
            typed
                .into_iter()
                .for_each(|(field, text)| values.set(field, text))
        });
        self.fill();
        true
    }

    /// As it was opened.
    pub(super) fn start_again(self, opened: FormValues, given: BTreeSet<Field>) {
        self.touched.set(given);
        self.values.set(opened);
        self.tried.set(false);
        self.fill();
    }

    /// The root that *Catalog* names.
    pub(super) fn root(self) -> Option<String> {
        self.root_of(Field::Catalog)
    }

    pub(super) fn root_of(self, field: Field) -> Option<String> {
        self.known.with(|known| {
            self.values
                .with(|values| catalog_of(&known.roots, values.get(field)).map(str::to_owned))
        })
    }

    /// Whether what was asked about is what the form is about still.
    pub(super) fn is_about(self, root: &str, package: &str) -> bool {
        untrack(|| {
            self.values
                .try_with_untracked(|values| values.get(Field::Package) == package)
                == Some(true)
                && self.root().as_deref() == Some(root)
        })
    }

    /// The template of the package that the form is for.
    pub(super) fn rendered_from(self) -> Option<RenderedFrom> {
        let root = self.root()?;
        self.known.with(|known| {
            let view = known.view.as_ref().filter(|view| view.root == root)?;
            let package = self
                .values
                .with(|values| values.get(Field::Package) == view.package);
            let is_lost = !matches!(
                self.command,
                EditCommand::CopyPackage | EditCommand::Migrate
            );
            view.rendered_from.clone().filter(|_| package && is_lost)
        })
    }

    pub(super) fn meant(self) -> Meant {
        let Some(root) = self.root() else {
            return Err(vec![(
                Field::Catalog,
                "no catalog of this name is open".to_owned(),
            )]);
        };
        self.known.with(|known| {
            let name = self
                .values
                .with(|values| values.get(Field::Package).to_owned());
            let is_there =
                known.packages.contains(&name) && self.app.store.root.with(|shown| *shown == root);
            if self.command == EditCommand::AddPackage && is_there {
                return Err(vec![(
                    Field::Package,
                    "the catalog has a package of this name".to_owned(),
                )]);
            }
            let catalog = (known.roots.len() > 1).then_some(root.as_str());
            let names = known
                .view
                .as_ref()
                .map_or(PackageNames::default(), |view| PackageNames {
                    channels: &view.channels,
                    bundles: &view.bundles,
                    table: &view.table,
                });
            self.values
                .with(|values| operations(self.command, values, catalog, names))
        })
    }
}
