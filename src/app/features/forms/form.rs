//! The state of an edit command's form: its values, and the sources of suggestions.

use crate::edits::command::{EditCommand, Field};
use crate::edits::drafts::{bundle_name_error, is_half_typed, names_existing_object, typed_fields};
use crate::edits::form_values::{
    FieldError, FormContext, FormValues, PackageNames, find_catalog, update_reference,
};
use crate::edits::operations::operations;
use crate::edits::prefill::prefill;
use crate::edits::suggestions::{choices, find_bundle_by_version};
use crate::prelude::*;
use crate::reactive::Attempts;
use protocol::operation::EditOp;
use protocol::response::PackageView;
use protocol::templates::RenderedFrom;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Time without input that counts as a pause.
const PAUSE: Duration = Duration::from_millis(1200);

/// The operations of a form, or the errors of its fields.
pub(super) type FormOperations = Result<Vec<EditOp>, Vec<FieldError>>;

/// State shared by the parts of a form.
#[derive(Clone, Copy)]
pub(super) struct Form {
    pub(super) app: AppContext,
    pub(super) command: EditCommand,
    pub(super) values: RwSignal<FormValues>,
    /// The fields that the user has changed.
    pub(super) touched: RwSignal<BTreeSet<Field>>,
    /// The sources of suggestions.
    pub(super) known: RwSignal<FormContext>,
    /// Errors are shown after the first attempt to apply.
    pub(super) tried: RwSignal<bool>,
    /// The field that the user is typing in: it has the focus, and the last pause was short.
    pub(super) typing: RwSignal<Option<Field>>,
    /// Counts inputs, to detect pauses.
    pub(super) inputs: Attempts,
    pub(super) press: Press,
}

impl Form {
    pub(super) fn set(self, field: Field, text: String) {
        self.touched.update(|touched| {
            touched.insert(field);
        });
        self.values.update(|values| {
            values.set(field, text);
            update_reference(self.command, field, values);
        });
        self.fill();
    }

    pub(super) fn text(self, field: Field) -> String {
        self.values.with(|values| values.get(field).to_owned())
    }

    pub(super) fn type_in(self, field: Field, text: String) {
        self.typing.set(Some(field));
        let is_latest = self.inputs.begin();
        self.set(field, text);
        let end_typing = move || {
            if is_latest() {
                self.typing.try_set(None);
            }
        };
        set_timeout(end_typing, PAUSE);
    }

    /// Handles the end of typing: blur, or an accepted suggestion. A version that identifies a
    /// bundle selects it.
    pub(super) fn leave(self, field: Field) {
        if self.typing.try_set(None).is_some()
            || !matches!(field, Field::Bundle | Field::Entry | Field::By)
        {
            return;
        }
        let bundle = self.values.try_with_untracked(|values| {
            self.known.with_untracked(|known| {
                find_bundle_by_version(values.get(field), known.view.as_deref()?)
            })
        });
        if let Some(name) = bundle.flatten() {
            self.set(field, name);
        }
    }

    /// Whether the text being typed is the beginning of a known name.
    pub(super) fn is_half_typed(self) -> bool {
        let Some(field) = self
            .typing
            .get()
            .filter(|field| names_existing_object(*field))
        else {
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

    /// Returns another reason why the form cannot be applied: the bundle to promote does not exist
    /// yet. Returns "" if there is none.
    pub(super) fn not_chosen(self) -> String {
        if self.command != EditCommand::Promote {
            return String::new();
        }
        let error = self.view().and_then(|view| {
            self.values
                .with(|values| bundle_name_error(values.get(Field::Bundle), &view))
        });
        error.unwrap_or_default()
    }

    /// Returns the form's package, once it is loaded.
    pub(super) fn view(self) -> Option<Arc<PackageView>> {
        let (root, package) = (self.root()?, self.text(Field::Package));
        let view = self.known.with(|known| known.view.clone());
        view.filter(|view| view.root == root && view.package == package)
    }

    /// Fills untouched fields from what is known.
    pub(super) fn fill(self) {
        let filled = self.known.with_untracked(|known| {
            self.touched.with_untracked(|touched| {
                self.values
                    .with_untracked(|values| prefill(self.command, values, touched, known))
            })
        });
        if self.values.with_untracked(|values| *values != filled) {
            self.values.set(filled);
        }
    }

    /// Stores the input of a form that is closed without applying it.
    pub(super) fn keep(self, opened: StoredValue<FormValues>) {
        let (now, touched) = (self.values.get_untracked(), self.touched.get_untracked());
        let typed = opened.with_value(|opened| typed_fields(opened, &now, &touched));
        let key = (self.command, opened.get_value());
        self.app
            .overlays
            .kept
            .update_value(|kept| kept.forms.keep(key, typed));
    }

    /// Restores the input of an earlier unfinished form. Returns whether one existed.
    pub(super) fn take_kept(self, opened: StoredValue<FormValues>) -> bool {
        let key = (self.command, opened.get_value());
        let typed = self
            .app
            .overlays
            .kept
            .try_update_value(|kept| kept.forms.take(&key));
        let Some(typed) = typed.flatten() else {
            return false;
        };
        self.touched
            .update(|touched| touched.extend(typed.iter().map(|(field, _)| *field)));
        self.values.update(|values| {
            for (field, text) in typed {
                values.set(field, text);
            }
        });
        self.fill();
        true
    }

    /// Resets the form to its initial values.
    pub(super) fn start_again(self, opened: FormValues, given: BTreeSet<Field>) {
        self.touched.set(given);
        self.values.set(opened);
        self.tried.set(false);
        self.fill();
    }

    /// Whether the form asks for no edges, since the package's template computes them.
    pub(super) fn computes_edges(self) -> bool {
        self.known.with(|known| {
            known
                .view
                .as_ref()
                .is_some_and(|view| view.computes_edges())
        })
    }

    pub(super) fn root(self) -> Option<String> {
        self.root_of(Field::Catalog)
    }

    pub(super) fn root_of(self, field: Field) -> Option<String> {
        self.known.with(|known| {
            self.values
                .with(|values| find_catalog(&known.roots, values.get(field)).map(str::to_owned))
        })
    }

    /// Whether the form still concerns this package.
    pub(super) fn concerns(self, root: &str, package: &str) -> bool {
        untrack(|| {
            self.values
                .try_with_untracked(|values| values.get(Field::Package) == package)
                == Some(true)
                && self.root().as_deref() == Some(root)
        })
    }

    pub(super) fn rendered_from(self) -> Option<RenderedFrom> {
        let view = self.view()?;
        let is_lost = self.command.is_lost_by_rendering();
        view.rendered_from.clone().filter(|_| is_lost)
    }

    pub(super) fn operations(self) -> FormOperations {
        let Some(root) = self.root() else {
            return Err(vec![FieldError::new(
                Field::Catalog,
                "no catalog of this name is open",
            )]);
        };
        self.known.with(|known| {
            let name = self.text(Field::Package);
            let has_package = known.packages.contains(&name)
                && self.app.store.root.with(|current| *current == root);
            if self.command == EditCommand::AddPackage && has_package {
                return Err(vec![FieldError::new(
                    Field::Package,
                    "the catalog has a package of this name",
                )]);
            }
            let needs_name =
                known.roots.len() > 1 || known.roots.iter().any(|row| row.is_template());
            let catalog = needs_name.then_some(root.as_str());
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

/// Renders the note that the fields show earlier input, not the object's current values.
pub(super) fn typed_before_note(start_again: Callback<()>) -> impl IntoView {
    view! {
        <div class="form-files" role="group" aria-label="Typed before">
            <p>"The fields contain what you typed before."</p>
            <Button label="Start again" on_press=start_again/>
        </div>
    }
}
