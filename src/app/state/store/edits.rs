//! Edits: send the request, take the answer, show it. Nothing is shown before the worker has
//! applied it.
//!
//! An edit's `shown` is called when its verdict and lanes are in the page. The edit ends later,
//! when problem list, inspector and source are updated too.

use super::{Notice, WorkspaceStore};
use futures::channel::oneshot;
use futures::future::join3;
use leptos::prelude::*;
use protocol::Json;
use protocol::inspection::IconView;
use protocol::operation::EditOp;
use protocol::query::{
    Apply, ApplyToLastStep, CheckPicture, FixAll, GoTo, PreviewEdit, Query, Redo, ReviewChanges,
    Undo,
};
use protocol::request::{Export, PreviewScope};
use protocol::response::{Applied, AskError, Exported, OperationRefusal, OtherCatalog, Review};
use protocol::views::{Consequences, FileDiff};

/// The effect of operations.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Preview {
    /// The previewed operations: the requested ones, or those that the catalog lacks.
    pub ops: Vec<EditOp>,
    pub diffs: Vec<FileDiff>,
    pub consequences: Consequences,
    /// Alternatives, if a package would fail unnecessarily.
    pub instead: Vec<Vec<EditOp>>,
    /// The other catalogs, if they were requested.
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

/// Direction through the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Back,
}

impl WorkspaceStore {
    /// Applies operations as one step. A refusal changes nothing.
    pub async fn apply(
        self,
        ops: Vec<EditOp>,
        title: String,
        shown: impl FnOnce(),
    ) -> Result<(), OperationRefusal> {
        let view = self.view_request();
        let ops = Json(ops);
        self.change(Apply { ops, title, view }, shown).await
    }

    /// Like `apply`, as a part of the last step if possible.
    pub async fn apply_to_last_step(
        self,
        ops: Vec<EditOp>,
        title: String,
        shown: impl FnOnce(),
    ) -> Result<(), OperationRefusal> {
        let view = self.view_request();
        let ops = Json(ops);
        let query = ApplyToLastStep { ops, title, view };
        self.change(query, shown).await
    }

    /// Applies the safe fix of a kind to every problem of a rule in the catalog in view, as one
    /// step.
    pub async fn fix_all(
        self,
        rule: String,
        kind: String,
        shown: impl FnOnce(),
    ) -> Result<(), OperationRefusal> {
        let query = FixAll {
            root: self.root.get_untracked(),
            rule,
            kind,
            package: None,
            view: self.view_request(),
        };
        self.change(query, shown).await
    }

    pub async fn undo(self, shown: impl FnOnce()) -> Result<(), OperationRefusal> {
        let view = self.view_request();
        self.travel(Undo { view }, Direction::Back, shown).await
    }

    pub async fn redo(self, shown: impl FnOnce()) -> Result<(), OperationRefusal> {
        let view = self.view_request();
        self.travel(Redo { view }, Direction::Forward, shown).await
    }

    /// Undoes or redoes until this number of steps is applied.
    pub async fn go_to(self, steps: usize, shown: impl FnOnce()) -> Result<(), OperationRefusal> {
        let view = self.view_request();
        let is_back = self
            .status
            .with_untracked(|status| steps < status.applied_steps);
        let direction = if is_back {
            Direction::Back
        } else {
            Direction::Forward
        };
        self.travel(GoTo { steps, view }, direction, shown).await
    }

    /// What operations on one catalog would change. Changes nothing.
    pub async fn preview(
        self,
        ops: Vec<EditOp>,
        scope: PreviewScope,
    ) -> Result<Preview, OperationRefusal> {
        let query = PreviewEdit {
            ops: Json(ops.clone()),
            scope,
            view: self.view_request(),
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

    /// Whether a picture (base64) is safe to show.
    pub async fn picture(self, media_type: String, data: String) -> IconView {
        let found = self.ask(CheckPicture { media_type, data }).await;
        found.unwrap_or_else(|error| IconView::Refused(OperationRefusal::from(error).reason))
    }

    /// The changed files with their diffs; empty after a failure, which is reported.
    pub async fn review(self) -> Review {
        let found = self.ask(ReviewChanges {}).await;
        self.report_failed(found).unwrap_or_default()
    }

    pub async fn export(self, what: Export) -> Option<Exported> {
        let found = self.ask(what).await;
        self.report_failed(found)
    }

    /// Whether an edit, undo or the like is in progress.
    pub fn is_changing(self) -> bool {
        self.changing.get_untracked() > 0
    }

    /// Resolves when no edit is in progress: the view is then up to date.
    pub async fn edits_done(self) {
        while self.is_changing() {
            let (done, ended) = oneshot::channel();
            self.waiting.update_value(|waiting| waiting.push(done));
            // Waiters are always notified; otherwise check again.
            let _ = ended.await;
        }
    }

    /// Makes an edit and shows the result.
    pub async fn change<Q: Query<Answer = Applied>>(
        self,
        query: Q,
        shown: impl FnOnce(),
    ) -> Result<(), OperationRefusal> {
        self.travel(query, Direction::Forward, shown).await
    }

    async fn travel<Q: Query<Answer = Applied>>(
        self,
        query: Q,
        direction: Direction,
        shown: impl FnOnce(),
    ) -> Result<(), OperationRefusal> {
        let answer = self.ask(query);
        self.take_change(answer, direction, shown).await
    }

    async fn take_change(
        self,
        answer: impl Future<Output = Result<Applied, AskError>>,
        direction: Direction,
        shown: impl FnOnce(),
    ) -> Result<(), OperationRefusal> {
        self.changing.update(|count| *count += 1);
        let wanted = self.package_request();
        let end = match answer.await {
            Ok(mut applied) => {
                // The package or its view may have changed.
                if self.package_request() != wanted {
                    applied.view = None;
                }
                self.take_applied(applied, direction, shown).await;
                Ok(())
            }
            Err(error) => Err(error.into()),
        };
        self.changing
            .update(|count| *count = count.saturating_sub(1));
        if !self.is_changing() {
            for waiting in self
                .waiting
                .try_update_value(std::mem::take)
                .unwrap_or_default()
            {
                // The caller may be gone.
                let _ = waiting.send(());
            }
        }
        end
    }

    pub(super) async fn take_applied(
        self,
        applied: Applied,
        direction: Direction,
        shown: impl FnOnce(),
    ) {
        let Applied {
            status,
            packages,
            gone,
            consequences,
            title,
            view,
            ..
        } = applied;
        self.take_status(status);
        self.judged.set(
            packages
                .iter()
                .map(|(of, row)| (of.clone(), row.name.clone(), row.edited))
                .collect(),
        );
        let root = self.root.get_untracked();
        let is_gone = |name: &String| {
            gone.iter()
                .any(|(of, package)| *of == root && package == name)
        };
        self.packages.update(|rows| {
            rows.retain(|row| !is_gone(&row.name));
            for (_, new) in packages.into_iter().filter(|(of, _)| *of == root) {
                match rows.iter_mut().find(|row| row.name == new.name) {
                    Some(row) => *row = new,
                    // The worker lists them by name.
                    None => rows.insert(rows.partition_point(|row| row.name < new.name), new),
                }
            }
        });
        self.last_change.set(Some(match direction {
            Direction::Forward => LastChange::Made {
                title,
                consequences: Box::new(consequences),
            },
            Direction::Back => LastChange::Undone { title },
        }));
        if self.package.get_untracked().as_ref().is_some_and(is_gone) {
            // Shows another package, or none.
            self.show_root(root).await;
            shown();
            return;
        }
        // The package in view may have changed before the answer arrived.
        match view {
            Some(view) if self.package.get_untracked().as_ref() == Some(&view.package) => {
                self.take_view(view)
            }
            _ => self.refresh_view().await,
        }
        shown();
        // Sent together: the worker answers them without waiting for the page in between.
        join3(
            self.refresh_problems(),
            self.refresh_inspection(),
            self.refresh_source(),
        )
        .await;
    }

    fn report_failed<T>(self, found: Result<T, AskError>) -> Option<T> {
        found
            .map_err(|error| {
                let OperationRefusal { reason, help, .. } = error.into();
                self.notify(Notice::Failed(if help.is_empty() {
                    reason
                } else {
                    format!("{reason}: {help}")
                }));
            })
            .ok()
    }
}
