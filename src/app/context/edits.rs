//! Edits started by panels: forms, steps, undo. The store applies them; event handlers cannot wait,
//! so its futures are spawned here. Unapplied text in inspector fields is kept when the selection
//! changes, until it is applied, reverted, or another folder is opened.

use super::{AppContext, EntrySelection, Notifications, Overlay, Overlays};
use crate::actions::Actions;
use crate::browser::time;
use crate::edits::applicable;
use crate::edits::command::{EditCommand, Field};
use crate::edits::entry_choices::stream_of_entry;
use crate::edits::form_values::{COMMANDS_FOR_SEVERAL, FormValues, values_for_entries};
use crate::state::layout::{Pane, in_place_field};
use crate::state::store::SessionStore;
use crate::widgets::dom;
use futures::future::select;
use leptos::prelude::*;
use protocol::Json;
use protocol::diagnostic::Fix;
use protocol::operation::EditOp;
use protocol::query::{Apply, ApplyToLastStep, FixAll, GoTo, Query, Redo, RevertFile, Undo};
use protocol::request::{PackageRequest, Target};
use protocol::response::{Applied, OperationRefusal};
use std::pin::pin;
use wasm_bindgen_futures::spawn_local;

/// A visible tab has painted by then.
const PAINTED_BY_MS: u32 = 200;

/// Applies edits as steps, with undo. A refusal that no form shows becomes a notice.
#[derive(Clone, Copy)]
pub struct Edits {
    store: SessionStore,
    actions: Actions,
    overlays: Overlays,
    notifications: Notifications,
    selected_entries: EntrySelection,
}

impl Edits {
    pub(super) fn new(
        actions: Actions,
        overlays: Overlays,
        notifications: Notifications,
        selected_entries: EntrySelection,
    ) -> Self {
        Self {
            store: actions.store,
            actions,
            overlays,
            notifications,
            selected_entries,
        }
    }

    /// Returns the operations of a fix, which name the catalog if several catalogs are open.
    pub fn fix_ops(self, fix: &Fix, catalog: &str) -> Vec<EditOp> {
        let mut ops = fix.ops.clone();
        if untrack(|| self.store.status.has_several_roots()) {
            for op in &mut ops {
                op.catalog_mut().get_or_insert_with(|| catalog.to_owned());
            }
        }
        ops
    }

    /// Confirms a fix with a preview.
    pub fn confirm(self, title: String, ops: Vec<EditOp>) {
        self.overlays.open(Overlay::Confirm { title, ops });
    }

    /// Records typed text that is not a step yet.
    pub fn note_typed(self, ops: Vec<EditOp>) {
        self.store.note_typed(!ops.is_empty());
        self.actions.client().log().note_typed(ops);
    }

    /// Applies operations as one step. `end` receives a refusal.
    pub fn apply(
        self,
        title: String,
        ops: Vec<EditOp>,
        end: impl FnOnce(Result<(), OperationRefusal>) + 'static,
    ) {
        spawn_local(async move {
            let query = Apply {
                ops: Json(ops),
                title,
                view: self.store.view_request(),
            };
            end(self.store.change(query, measured_edit()).await);
        });
    }

    /// Like [`Self::apply`], but extends the last step if possible.
    pub fn apply_to_last_step(
        self,
        title: String,
        ops: Vec<EditOp>,
        end: impl FnOnce(Result<(), OperationRefusal>) + 'static,
    ) {
        spawn_local(async move {
            let query = ApplyToLastStep {
                ops: Json(ops),
                title,
                view: self.store.view_request(),
            };
            end(self.store.change(query, measured_edit()).await);
        });
    }

    /// Applies a filled-in dialog. It closes only after the new lanes are painted, since closing
    /// makes the browser restyle the whole page. `on_shown` runs once the edit is
    /// visible, `on_refused` after a refusal.
    pub fn apply_and_close(
        self,
        title: String,
        ops: Vec<EditOp>,
        on_shown: impl FnOnce() + 'static,
        on_refused: impl FnOnce(OperationRefusal) + 'static,
    ) {
        let dialog = self.overlays.overlay.get_untracked();
        let close = move || {
            on_shown();
            spawn_local(async move {
                // A hidden tab paints nothing, but must close it anyway.
                select(pin!(time::mark_paint()), pin!(time::pause(PAINTED_BY_MS))).await;
                self.selected_entries.clear();
                // Another overlay may be open by now.
                if self.overlays.overlay.get_untracked() == dialog {
                    self.overlays.close();
                }
            });
        };
        spawn_local(async move {
            let query = Apply {
                ops: Json(ops),
                title,
                view: self.store.view_request(),
            };
            let measure = measured_edit();
            // Measure the paint before the dialog closes.
            let finish = || {
                measure();
                close();
            };
            if let Err(refusal) = self.store.change(query, finish).await {
                on_refused(refusal);
            }
        });
    }

    /// Reports a refusal that no form shows.
    pub fn report_refusal(self, end: Result<(), OperationRefusal>) {
        if let Err(refusal) = end {
            self.notifications.toasts.error(refusal.reason);
        }
    }

    /// Applies a safe fix to all problems with this `rule` and `kind`. `on_success` is not called
    /// after a refusal.
    pub fn fix_all(self, rule: String, kind: String, on_success: impl FnOnce() + 'static) {
        spawn_local(async move {
            let query = FixAll {
                root: self.store.root.get_untracked(),
                rule,
                kind,
                package: None,
                view: self.store.view_request(),
            };
            match self.store.change(query, measured_edit()).await {
                Ok(()) => on_success(),
                Err(refusal) => self.notifications.toasts.error(refusal.reason),
            }
        });
    }

    pub fn undo(self) {
        if untrack(|| self.store.status.can_undo()) {
            self.travel(|view| Undo { view });
        }
    }

    pub fn redo(self) {
        if untrack(|| self.store.status.can_redo()) {
            self.travel(|view| Redo { view });
        }
    }

    /// Undoes or redoes until this number of steps is applied.
    pub fn go_to(self, steps: usize) {
        self.travel(move |view| GoTo { steps, view });
    }

    /// Reverts a file; `file` is its path in the session.
    pub fn revert_file(self, file: String) {
        spawn_local(async move {
            let view = self.store.view_request();
            let query = RevertFile { file, view };
            self.report_refusal(self.store.change(query, measured_edit()).await);
        });
    }

    /// Moves in the history once no file is being written.
    fn travel<Q: Query<Answer = Applied>>(
        self,
        query: impl FnOnce(Option<PackageRequest>) -> Q + 'static,
    ) {
        spawn_local(async move {
            self.actions.finish_writing().await;
            let query = query(self.store.view_request());
            self.report_refusal(self.store.change(query, measured_edit()).await);
        });
    }
}

/// Returns a function that measures the time from now until the next paint after its call.
fn measured_edit() -> impl FnOnce() {
    let start = time::now();
    move || {
        spawn_local(async move {
            time::mark_paint().await;
            time::measure("edit", start, &[]);
        });
    }
}

impl AppContext {
    /// Opens a command's form for the selection.
    pub fn open_form(self, command: EditCommand) {
        if let Err(why) = self
            .current
            .view
            .with_untracked(|view| applicable::in_package(command, view))
        {
            let name = command.label().trim_end_matches('…');
            self.notifications.toasts.note(format!("{name}: {why}."));
            return;
        }
        let picked = self
            .selected_entries
            .picked
            .with_untracked(|picked| picked.entries().to_vec());
        if picked.is_empty() || !COMMANDS_FOR_SEVERAL.contains(&command) {
            self.open_form_with(
                command,
                self.current.target.get_untracked(),
                FormValues::default(),
            );
        } else {
            let given = values_for_entries(command, FormValues::default(), &picked);
            self.open_form_with(command, Target::Package, given);
        }
    }

    /// Opens a command's form for the given target; values in `given` take precedence over those derived from the
    /// target.
    pub fn open_form_with(self, command: EditCommand, target: Target, given: FormValues) {
        if !self.current.is_open.get_untracked() {
            return;
        }
        let mut values = FormValues::default();
        let root = self.store.root.get_untracked();
        values.set(Field::Catalog, self.current.name_of_catalog(&root));
        match command {
            // A new package in an empty catalog uses the file chosen with the catalog.
            EditCommand::AddPackage => {
                values.set(Field::File, self.new_catalogs.first_file_of(&root))
            }
            _ => values.set(Field::Package, self.current.package.get_untracked()),
        }
        let default_channel = self
            .current
            .view
            .with_untracked(|view| view.default_channel.clone());
        values.fill_from(command, &target, &default_channel);
        if let (EditCommand::ReplaceStream, Target::Entry { name, .. }) = (command, &target) {
            let stream = self
                .current
                .view
                .with_untracked(|view| stream_of_entry(view, name));
            values.set(Field::Stream, stream.unwrap_or_default());
        }
        values.overlay(&given);
        self.overlays.open(Overlay::Form { command, values });
    }
}

/// A field of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldPlace {
    pub root: String,
    pub package: String,
    pub target: Target,
    pub field: &'static str,
}

impl FieldPlace {
    /// Describes the field, such as `Deprecation of channel fast`.
    pub fn describe(&self) -> String {
        let (field, package) = (self.field, &self.package);
        match &self.target {
            Target::Package | Target::Problem { .. } => format!("{field} of package {package}"),
            Target::Channel { channel } => format!("{field} of channel {channel} of {package}"),
            Target::Entry { channel, name } => format!("{field} of {name} in {channel}"),
            Target::Bundle { name } => format!("{field} of bundle {name}"),
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub struct UnfinishedFields {
    texts: RwSignal<Texts>,
    /// The field whose text was discarded outside of the inspector.
    discarded: RwSignal<Option<FieldPlace>>,
}

#[derive(Debug, Default)]
struct Texts(Vec<(FieldPlace, String)>);

impl Texts {
    fn get(&self, place: &FieldPlace) -> Option<&String> {
        self.0
            .iter()
            .find(|(known, _)| known == place)
            .map(|(_, text)| text)
    }

    fn keep(&mut self, place: FieldPlace, text: Option<String>) {
        self.0.retain(|(known, _)| *known != place);
        self.0.extend(text.map(|text| (place, text)));
    }
}

impl UnfinishedFields {
    pub fn get(self, place: &FieldPlace) -> Option<String> {
        self.texts.with_untracked(|texts| texts.get(place).cloned())
    }

    /// Returns all fields with unapplied text, oldest first.
    pub fn places(self) -> Vec<FieldPlace> {
        self.texts
            .with(|texts| texts.0.iter().map(|(place, _)| place.clone()).collect())
    }

    /// Keeps a field's unapplied text; `None` if it was applied or reverted.
    pub fn keep(self, place: FieldPlace, text: Option<String>) {
        if text.is_some() && self.is_discarded_untracked(&place) {
            self.discarded.set(None);
        }
        self.texts.update(|texts| texts.keep(place, text));
    }

    /// Discards a field's text from outside of the inspector.
    pub fn discard(self, place: FieldPlace) {
        self.keep(place.clone(), None);
        self.discarded.set(Some(place));
    }

    pub fn is_discarded(self, place: &FieldPlace) -> bool {
        self.discarded
            .with(|discarded| discarded.as_ref() == Some(place))
    }

    fn is_discarded_untracked(self, place: &FieldPlace) -> bool {
        untrack(|| self.is_discarded(place))
    }

    pub(super) fn forget_all(self) {
        self.texts.update(|texts| texts.0.clear());
    }
}

impl AppContext {
    /// Shows and focuses an inspector field.
    pub fn show_field(self, place: FieldPlace) {
        self.overlays.close();
        spawn_local(async move {
            let FieldPlace {
                root,
                package,
                target,
                field,
            } = place;
            if self.store.root.get_untracked() != root {
                self.store.show_root(root).await;
            }
            if self.current.package.get_untracked() != package {
                self.store.show_package(package).await;
            }
            self.selected_entries.start_at(None);
            self.store
                .select((target != Target::Package).then_some(target))
                .await;
            self.workbench.show_pane(Pane::Inspector);
            dom::focus_id_when_there(&in_place_field(field));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(target: Target, field: &'static str) -> FieldPlace {
        FieldPlace {
            root: "c".into(),
            package: "p".into(),
            target,
            field,
        }
    }

    #[test]
    fn each_field_of_each_object_keeps_its_own_text() {
        let place = |name: &str, field| place(Target::Bundle { name: name.into() }, field);
        let mut texts = Texts::default();
        texts.keep(place("p.v1", "Deprecation"), Some("Move".into()));
        texts.keep(place("p.v1", "Deprecation"), Some("Move on".into()));
        assert_eq!(
            texts.get(&place("p.v1", "Deprecation")).map(String::as_str),
            Some("Move on")
        );
        assert_eq!(texts.get(&place("p.v2", "Deprecation")), None);
        assert_eq!(texts.get(&place("p.v1", "Replaces")), None);
        texts.keep(place("p.v1", "Deprecation"), None);
        assert!(texts.0.is_empty());
    }

    #[test]
    fn a_field_is_named_with_its_thing() {
        let (channel, name) = (String::from("fast"), String::from("p.v1"));
        let name_of = |target| place(target, "Deprecation").describe();
        assert_eq!(name_of(Target::Package), "Deprecation of package p");
        assert_eq!(
            name_of(Target::Channel {
                channel: channel.clone()
            }),
            "Deprecation of channel fast of p"
        );
        assert_eq!(
            name_of(Target::Bundle { name: name.clone() }),
            "Deprecation of bundle p.v1"
        );
        assert_eq!(
            name_of(Target::Entry { channel, name }),
            "Deprecation of p.v1 in fast"
        );
    }
}
