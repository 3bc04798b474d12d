//! Editing: forms, operations, undo and redo.

use super::{Desk, LastEdit, Overlay};
use crate::app::browser::marks;
use crate::app::panels::forms::command::{EditCommand, Field};
use crate::app::panels::forms::suggest::catalog_name;
use crate::app::panels::forms::values::FormValues;
use crate::fbc::edit::op::EditOp;
use crate::protocol::request::Target;
use crate::protocol::response::{Applied, Refusal};
use crate::protocol::{Json, RequestBody, ResponseBody};
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

impl Desk {
    /// Opens a command's form, filled in from what is selected.
    pub fn open_form(self, command: EditCommand) {
        self.open_form_with(command, self.target.get_untracked(), FormValues::default());
    }

    /// Opens a command's form for a thing; what `given` holds goes before what follows from the thing.
    pub fn open_form_with(self, command: EditCommand, target: Target, given: FormValues) {
        if !self.is_open.get_untracked() {
            return;
        }
        let mut values = FormValues::default();
        let catalog = self.status.with_untracked(|status| catalog_name(&status.roots, &self.root.get_untracked()));
        values.set(Field::Catalog, catalog);
        values.set(Field::Package, self.package.get_untracked());
        let default_channel = self.view.with_untracked(|view| view.default_channel.clone());
        values.fill_from(command, &target, &default_channel);
        values.overlay(&given);
        self.overlay.set(Some(Overlay::Form { command, values }));
    }

    /// Asks before a fix is applied, with its preview.
    pub fn confirm(self, title: String, ops: Vec<EditOp>) {
        self.overlay.set(Some(Overlay::Confirm { title, ops }));
    }

    /// Applies operations as one step. `refused` is called when nothing changed.
    pub fn apply(self, title: String, ops: Vec<EditOp>, refused: impl FnOnce(Refusal) + 'static) {
        let view = self.package_request();
        self.edit(RequestBody::Apply { ops: Json(ops), title, view }, true, refused);
    }

    pub fn undo(self) {
        if self.status.with_untracked(|status| status.applied_steps > 0) {
            self.edit(RequestBody::Undo { view: self.package_request() }, false, |_| {});
        }
    }

    pub fn redo(self) {
        if self.status.with_untracked(|status| status.applied_steps < status.history.len()) {
            self.edit(RequestBody::Redo { view: self.package_request() }, false, |_| {});
        }
    }

    /// Undoes or redoes until so many steps are applied.
    pub fn go_to(self, steps: usize) {
        self.edit(RequestBody::GoTo { steps, view: self.package_request() }, false, |_| {});
    }

    pub fn revert_file(self, root: String, file: String) {
        self.edit(RequestBody::RevertFile { root, file, view: self.package_request() }, true, |_| {});
    }

    fn edit(self, body: RequestBody, can_undo: bool, refused: impl FnOnce(Refusal) + 'static) {
        let start = marks::now();
        spawn_local(async move {
            let Some(answer) = self.ask(body).await else {
                refused(Refusal { reason: "no answer from the worker".into(), ..Refusal::default() });
                return;
            };
            match answer.body {
                ResponseBody::Applied(applied) => {
                    self.take_applied(*applied, can_undo);
                    marks::painted().await;
                    marks::measure("edit", start, &[]);
                }
                ResponseBody::Refused(refusal) => {
                    self.toasts.error(format!("Refused: {}", refusal.reason));
                    refused(refusal);
                }
                ResponseBody::Failed { message } => {
                    self.toasts.error(message.clone());
                    refused(Refusal { reason: message, ..Refusal::default() });
                }
                _ => {}
            }
        });
    }

    fn take_applied(self, applied: Applied, can_undo: bool) {
        let Applied { status, packages, consequences, title, view, .. } = applied;
        let root = self.root.get_untracked();
        self.status.set(status);
        let touched: Vec<_> = packages.into_iter().filter(|(of, _)| *of == root).map(|(_, row)| row).collect();
        if !touched.is_empty() {
            self.rows.update(|rows| {
                let rows = std::sync::Arc::make_mut(rows);
                for row in touched {
                    match rows.iter_mut().find(|known| known.name == row.name) {
                        Some(known) => *known = row,
                        None => rows.push(row),
                    }
                }
                rows.sort_by(|a, b| a.name.cmp(&b.name));
            });
        }
        match view {
            Some(view) if view.root == root && view.package == self.package.get_untracked() => self.take_view(view),
            _ => self.refresh_view(),
        }
        self.last_edit.set(Some(LastEdit { title, consequences, can_undo }));
        self.refresh_inspection();
        self.refresh_problems();
    }
}
