//! Sends edits to the worker and shows their results. Nothing is shown before the worker has
//! applied it.
//!
//! An edit's `on_shown` is called when its verdict and lanes are in the page. The edit ends later,
//! when problem list, inspector and source are updated too.

use super::SessionStore;
use super::loading::refresh_selection;
use crate::state::journal::DroppedStep;
use crate::state::worker_api::{AnyQuery, failure_reason};
use futures::channel::oneshot;
use futures::future::join3;
use leptos::prelude::*;
use protocol::Json;
use protocol::operation::EditOp;
use protocol::query::{PreviewEdit, Query};
use protocol::request::PreviewScope;
use protocol::response::{Applied, AskError, OperationRefusal, OtherCatalog, Replayed};
use protocol::views::{Consequences, FileDiff, PackageRef};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Preview {
    /// The previewed operations: the requested ones, or those that the catalog lacks.
    pub ops: Vec<EditOp>,
    pub diffs: Vec<FileDiff>,
    pub consequences: Consequences,
    /// Alternatives, if a package would fail unnecessarily.
    pub instead: Vec<Vec<EditOp>>,
    /// The effects on the other catalogs, if they were requested.
    pub elsewhere: Vec<OtherCatalog>,
}

/// The change described by the consequence bar.
#[derive(Debug, Clone, PartialEq)]
pub enum LastChange {
    /// A step was applied or redone, with its consequences compared to the state before.
    Made {
        title: String,
        consequences: Box<Consequences>,
    },
    /// Steps were undone. Their consequences were reported when they were applied.
    Undone { title: String },
}

impl SessionStore {
    /// Previews operations on one catalog. Changes nothing.
    pub async fn preview(
        self,
        ops: Vec<EditOp>,
        scope: PreviewScope,
    ) -> Result<Preview, OperationRefusal> {
        let query = PreviewEdit {
            ops: Json(ops.clone()),
            scope,
        };
        let previewed = self.ask(query).await?;
        let instead = previewed.alternatives.into_iter();
        Ok(Preview {
            ops: previewed.lacking.map_or(ops, |lacking| lacking.0),
            diffs: previewed.diffs,
            consequences: previewed.consequences,
            instead: instead.map(|ops| ops.0).collect(),
            elsewhere: previewed.elsewhere,
        })
    }

    /// Returns the answer; `None` after a failure, which is reported.
    pub async fn ask_or_report<Q: Query>(self, query: Q) -> Option<Q::Answer> {
        let answer = self.ask(query).await;
        self.notices.ok_or_report(answer)
    }

    /// Whether an edit or undo is in progress; untracked.
    pub fn is_changing(self) -> bool {
        self.changing.get_untracked() > 0
    }

    /// Resolves when no edit is in progress: the view is then up to date.
    pub async fn wait_for_edits(self) {
        while self.is_changing() {
            let (sender, receiver) = oneshot::channel();
            self.waiting.update_value(|waiting| waiting.push(sender));
            // If the sender was dropped, check again.
            let _ = receiver.await;
        }
    }

    /// Makes an edit and shows the result; the query's answer must be [`Applied`]. A refusal
    /// changes nothing.
    pub async fn change(
        self,
        query: AnyQuery,
        on_shown: Box<dyn FnOnce()>,
    ) -> Result<(), OperationRefusal> {
        self.changing.update(|count| *count += 1);
        let request = self.package_request();
        let answer = self.worker.get_value().exchange(query).await;
        let result = match answer.decode_answer::<Applied>() {
            Ok(mut applied) => {
                // The package or its view may have changed.
                if self.package_request() != request {
                    applied.view = None;
                }
                self.take_applied(applied, on_shown).await;
                Ok(())
            }
            Err(error) => Err(error.into()),
        };
        self.changing
            .update(|count| *count = count.saturating_sub(1));
        if !self.is_changing() {
            let waiting = self.waiting.try_update_value(std::mem::take);
            for sender in waiting.into_iter().flatten() {
                // The caller may be gone.
                let _ = sender.send(());
            }
        }
        result
    }

    async fn take_applied(self, applied: Applied, on_shown: Box<dyn FnOnce()>) {
        let Applied {
            status,
            packages,
            gone,
            consequences,
            title,
            view,
            ..
        } = applied;
        let is_undo = self
            .status
            .with_untracked(|before| status.applied_steps < before.applied_steps);
        self.take_status(status);
        self.judged.set(
            packages
                .iter()
                .map(|(root, row)| PackageRef {
                    root: root.clone(),
                    package: row.name.clone(),
                })
                .collect(),
        );
        let root = self.root.get_untracked();
        let is_gone = |name: &String| {
            gone.iter()
                .any(|gone| gone.root == root && gone.package == *name)
        };
        self.packages.update(|rows| {
            rows.retain(|row| !is_gone(&row.name));
            for (_, new) in packages.into_iter().filter(|(catalog, _)| *catalog == root) {
                match rows.iter_mut().find(|row| row.name == new.name) {
                    Some(row) => *row = new,
                    // Rows are sorted by name.
                    None => rows.insert(rows.partition_point(|row| row.name < new.name), new),
                }
            }
        });
        self.last_change.set(Some(if is_undo {
            LastChange::Undone { title }
        } else {
            LastChange::Made {
                title,
                consequences: Box::new(consequences),
            }
        }));
        if self.package.get_untracked().as_ref().is_some_and(is_gone) {
            let lost = self.selected();
            // Shows another package, or none.
            self.show_root(root).await;
            self.note_lost(lost);
            on_shown();
            return;
        }
        if self.show_returned_package().await {
            on_shown();
            return self.refresh_problems().await;
        }
        let before = self.view.get_untracked();
        // The package in view may have changed before the answer arrived.
        match view {
            Some(view) if self.package.get_untracked().as_ref() == Some(&view.package) => {
                self.take_view(view)
            }
            _ => self.refresh_view().await,
        }
        on_shown();
        let needs_view = self.settle_selection(before.as_deref(), is_undo);
        // Sent together: the worker answers them without waiting for the page in between.
        join3(
            self.refresh_problems(),
            refresh_selection(self, needs_view),
            self.source.refresh(),
        )
        .await;
    }

    /// Shows the result of a merge, which may change everything. Returns the edits that did not
    /// apply.
    pub async fn show_merged(
        self,
        answer: Result<Replayed, AskError>,
    ) -> Result<Vec<DroppedStep>, String> {
        let set_aside = self.take_replayed(answer.map_err(failure_reason)?);
        self.last_change.set(None);
        self.restore_view().await;
        Ok(set_aside)
    }

    /// Takes over replayed steps. Returns the steps that could not be reapplied.
    pub(super) fn take_replayed(self, replayed: Replayed) -> Vec<DroppedStep> {
        self.take_status(replayed.status);
        self.notices.report_forgotten(&replayed.forgotten);
        let refused = replayed.refused.iter();
        refused.map(DroppedStep::from_refused).collect()
    }

    /// Shows the result of the step that drops the edits in a file.
    pub async fn show_dropped_edits(self, answer: Result<Applied, AskError>) -> Result<(), String> {
        let applied = answer.map_err(failure_reason)?;
        self.take_applied(applied, Box::new(|| ())).await;
        Ok(())
    }

    /// Updates the marks of unsaved changes after files were saved.
    pub async fn refresh_saved(self) {
        self.changed_on_disk.set(Vec::new());
        join3(
            self.refresh_packages(),
            self.refresh_view(),
            self.source.refresh(),
        )
        .await;
    }
}
