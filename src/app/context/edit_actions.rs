//! Edits started by panels: forms, steps, undo. The store does the work; handlers cannot wait, so
//! it is spawned here.

use super::{AppContext, EntrySelection, Notifications, Overlay, Overlays};
use crate::actions::Actions;
use crate::browser::{performance_marks, time};
use crate::edits::applicable;
use crate::edits::command::{EditCommand, Field};
use crate::edits::form_values::FormValues;
use crate::edits::several_entries;
use crate::edits::suggestions::catalog_name;
use crate::edits::y_stream::stream_of_entry;
use crate::state::store::WorkspaceStore;
use futures::future::select;
use leptos::prelude::*;
use protocol::diagnostic::Fix;
use protocol::operation::EditOp;
use protocol::request::Target;
use protocol::response::OperationRefusal;
use std::future::Future;
use std::pin::pin;
use wasm_bindgen_futures::spawn_local;

/// By then a visible tab has painted.
const PAINTED_BY_MS: u32 = 200;

/// Edits as steps, with undo. A refusal that no form shows becomes a notice.
#[derive(Clone, Copy)]
pub struct Edits {
    store: WorkspaceStore,
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

    /// Operations of a fix with the catalog's name if several catalogs are open.
    pub fn fix_ops(self, fix: &Fix, catalog: &str) -> Vec<EditOp> {
        let mut ops = fix.ops.clone();
        if self
            .store
            .status
            .with_untracked(|status| status.roots.len() > 1)
        {
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
        self.actions.client().note_typed(ops);
    }

    /// Applies operations as one step. `end` receives a refusal.
    pub fn apply(
        self,
        title: String,
        ops: Vec<EditOp>,
        end: impl FnOnce(Result<(), OperationRefusal>) + 'static,
    ) {
        spawn_local(async move { end(self.actions.apply(ops, title, || ()).await) });
    }

    /// Like `apply`, as a part of the last step if possible.
    pub fn apply_to_last_step(
        self,
        title: String,
        ops: Vec<EditOp>,
        end: impl FnOnce(Result<(), OperationRefusal>) + 'static,
    ) {
        spawn_local(async move { end(self.actions.apply_to_last_step(ops, title).await) });
    }

    /// Applies a filled-in dialog. It closes only after the new lanes are painted, since closing
    /// makes the browser restyle the whole page. `shown` is called when the edit is in the page;
    /// `refused` receives a refusal.
    pub fn apply_and_close(
        self,
        title: String,
        ops: Vec<EditOp>,
        shown: impl FnOnce() + 'static,
        refused: impl FnOnce(OperationRefusal) + 'static,
    ) {
        let dialog = self.overlays.overlay().get_untracked();
        let close = move || {
            shown();
            spawn_local(async move {
                // A hidden tab paints nothing, but must close it anyway.
                select(
                    pin!(performance_marks::mark_paint()),
                    pin!(time::pause(PAINTED_BY_MS)),
                )
                .await;
                self.selected_entries.clear();
                // Another one may be open by now.
                if self.overlays.overlay().get_untracked() == dialog {
                    self.overlays.close();
                }
            });
        };
        spawn_local(async move {
            if let Err(refusal) = self.actions.apply(ops, title, close).await {
                refused(refusal);
            }
        });
    }

    /// Reports a refusal that no form shows.
    pub fn report_refusal(self, end: Result<(), OperationRefusal>) {
        if let Err(refusal) = end {
            self.notifications.toasts.error(refusal.reason);
        }
    }

    /// Applies a safe fix to all problems of its kind. `end` is called when it is done.
    pub fn fix_all(self, rule: String, kind: String, end: impl FnOnce() + 'static) {
        spawn_local(async move {
            match self.actions.fix_all(rule, kind).await {
                Ok(()) => end(),
                Err(refusal) => self.notifications.toasts.error(refusal.reason),
            }
        });
    }

    pub fn undo(self) {
        if untrack(|| self.store.can_undo()) {
            self.change(self.actions.undo());
        }
    }

    pub fn redo(self) {
        if untrack(|| self.store.can_redo()) {
            self.change(self.actions.redo());
        }
    }

    /// Undoes or redoes until this number of steps is applied.
    pub fn go_to(self, steps: usize) {
        self.change(self.actions.go_to(steps));
    }

    /// `file` is its path in the workspace.
    pub fn revert_file(self, file: String) {
        self.change(self.actions.revert_file(file));
    }

    fn change(self, change: impl Future<Output = Result<(), OperationRefusal>> + 'static) {
        spawn_local(async move { self.report_refusal(change.await) });
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
            .now()
            .with_untracked(|picked| picked.entries().to_vec());
        if picked.is_empty() || !several_entries::COMMANDS.contains(&command) {
            self.open_form_with(
                command,
                self.current.target.get_untracked(),
                FormValues::default(),
            );
        } else {
            let given = several_entries::prepare(command, FormValues::default(), &picked);
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
        values.set(
            Field::Catalog,
            self.store
                .status
                .with_untracked(|status| catalog_name(&status.roots, &root)),
        );
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
