//! Edits: send the request, take the answer, show it. Nothing is shown before the worker has
//! applied it.
//!
//! An edit's `shown` is called when its verdict and lanes are in the page. The edit ends later,
//! when problem list, inspector and source are updated too.

use super::{Notice, WorkspaceStore};
use crate::state::worker_api::NoAnswer;
use futures::channel::oneshot;
use futures::future::join3;
use leptos::prelude::*;
use protocol::inspection::IconView;
use protocol::install::{InstallManifests, InstallRefusal, InstallRequest};
use protocol::operation::EditOp;
use protocol::request::{Export, PreviewScope};
use protocol::response::{Applied, OperationRefusal, OtherCatalog, StepInEffect};
use protocol::subset::{SavedSubset, Selection, SubsetView};
use protocol::views::{Consequences, FileDiff, Hit};
use protocol::{Json, RequestBody, ResponseBody};

/// The content of a file for download.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exported {
    pub name: String,
    pub mime: String,
    pub bytes: Vec<u8>,
}

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

/// All differences from the disk.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Review {
    pub files: Vec<FileDiff>,
    /// The steps with a remaining effect.
    pub steps: Vec<StepInEffect>,
    /// The folder in the git repository from which the patch names its paths; `None`: no repository
    /// was found.
    pub git_folder: Option<String>,
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
        self.change(
            RequestBody::Apply {
                ops: Json(ops),
                title,
                view: self.view_request(),
            },
            shown,
        )
        .await
    }

    /// Like `apply`, as a part of the last step if possible.
    pub async fn apply_to_last_step(
        self,
        ops: Vec<EditOp>,
        title: String,
        shown: impl FnOnce(),
    ) -> Result<(), OperationRefusal> {
        self.change(
            RequestBody::ApplyToLastStep {
                ops: Json(ops),
                title,
                view: self.view_request(),
            },
            shown,
        )
        .await
    }

    /// Applies the safe fix of a kind to every problem of a rule in the catalog in view, as one
    /// step.
    pub async fn fix_all(
        self,
        rule: String,
        kind: String,
        shown: impl FnOnce(),
    ) -> Result<(), OperationRefusal> {
        let root = self.root.get_untracked();
        let view = self.view_request();
        self.change(
            RequestBody::FixAll {
                root,
                rule,
                kind,
                package: None,
                view,
            },
            shown,
        )
        .await
    }

    pub async fn undo(self, shown: impl FnOnce()) -> Result<(), OperationRefusal> {
        self.change(
            RequestBody::Undo {
                view: self.view_request(),
            },
            shown,
        )
        .await
    }

    pub async fn redo(self, shown: impl FnOnce()) -> Result<(), OperationRefusal> {
        self.change(
            RequestBody::Redo {
                view: self.view_request(),
            },
            shown,
        )
        .await
    }

    /// Undoes or redoes until this number of steps is applied.
    pub async fn go_to(self, steps: usize, shown: impl FnOnce()) -> Result<(), OperationRefusal> {
        self.change(
            RequestBody::GoTo {
                steps,
                view: self.view_request(),
            },
            shown,
        )
        .await
    }

    /// Restores a file's original text, as an undoable step. `file` is its path in the workspace.
    pub async fn revert_file(
        self,
        root: String,
        file: String,
        shown: impl FnOnce(),
    ) -> Result<(), OperationRefusal> {
        self.change(
            RequestBody::RevertFile {
                root,
                file,
                view: self.view_request(),
            },
            shown,
        )
        .await
    }

    /// What operations on one catalog would change. Changes nothing.
    pub async fn preview(
        self,
        ops: Vec<EditOp>,
        scope: PreviewScope,
    ) -> Result<Preview, OperationRefusal> {
        let request = RequestBody::Preview {
            ops: Json(ops.clone()),
            scope,
            view: self.view_request(),
        };
        match self.request(request).await? {
            ResponseBody::Previewed {
                lacking,
                diffs,
                consequences,
                alternatives,
                elsewhere,
            } => {
                let instead = alternatives.into_iter().map(|ops| ops.0).collect();
                let ops = lacking.map_or(ops, |lacking| lacking.0);
                Ok(Preview {
                    ops,
                    diffs,
                    consequences: *consequences,
                    instead,
                    elsewhere,
                })
            }
            other => Err(unexpected(other)),
        }
    }

    /// Whether a picture (base64) is safe to show. The error is why this is unknown.
    pub async fn picture(
        self,
        media_type: String,
        data: String,
    ) -> Result<IconView, OperationRefusal> {
        match self
            .request(RequestBody::Picture { media_type, data })
            .await?
        {
            ResponseBody::Picture(picture) => Ok(picture),
            other => Err(unexpected(other)),
        }
    }

    /// The changed files with their diffs, and text about all of them.
    pub async fn review(self) -> Review {
        match self.request(RequestBody::Review).await {
            Ok(ResponseBody::Review {
                files,
                steps,
                git_folder,
            }) => Review {
                files,
                steps,
                git_folder,
            },
            Ok(other) => self.failed(unexpected(other)),
            Err(refusal) => self.failed(refusal),
        }
    }

    pub async fn export(self, what: Export) -> Option<Exported> {
        match self.request(RequestBody::Export(what)).await {
            Ok(ResponseBody::Exported { name, mime, bytes }) => {
                Some(Exported { name, mime, bytes })
            }
            Ok(other) => self.failed(unexpected(other)),
            Err(refusal) => self.failed(refusal),
        }
    }

    /// The content of a part of a catalog, or why there is none.
    pub async fn subset(
        self,
        root: String,
        selection: Selection,
    ) -> Result<SubsetView, OperationRefusal> {
        match self
            .request(RequestBody::Subset { root, selection })
            .await?
        {
            ResponseBody::Subset(view) => Ok(*view),
            other => Err(unexpected(other)),
        }
    }

    /// The files of a part of a catalog.
    pub async fn subset_files(
        self,
        wanted: SavedSubset,
    ) -> Result<Vec<(String, Vec<u8>)>, OperationRefusal> {
        match self.request(RequestBody::SubsetFiles(wanted)).await? {
            ResponseBody::SubsetFiles { files } => Ok(files),
            other => Err(unexpected(other)),
        }
    }

    /// The manifests that install a package on a cluster, or why there are none.
    pub async fn install_manifests(
        self,
        request: InstallRequest,
    ) -> Result<InstallManifests, InstallRefusal> {
        let lost = |refusal: OperationRefusal| InstallRefusal {
            value: None,
            reason: refusal.reason,
            help: refusal.help,
        };
        match self
            .request(RequestBody::InstallRequest(request))
            .await
            .map_err(lost)?
        {
            ResponseBody::InstallManifests(written) => Ok(*written),
            ResponseBody::NoInstallManifests(refusal) => Err(*refusal),
            other => Err(lost(unexpected(other))),
        }
    }

    /// Matching names for the omnibox, and their total number.
    pub async fn find(self, text: String, limit: u32) -> (Vec<Hit>, u32) {
        match self.request(RequestBody::Find { text, limit }).await {
            Ok(ResponseBody::Found { hits, total }) => (hits, total),
            _ => Default::default(),
        }
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

    pub(super) async fn change(
        self,
        request: RequestBody,
        shown: impl FnOnce(),
    ) -> Result<(), OperationRefusal> {
        self.changing.update(|count| *count += 1);
        let end = self.change_now(request, shown).await;
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

    async fn change_now(
        self,
        request: RequestBody,
        shown: impl FnOnce(),
    ) -> Result<(), OperationRefusal> {
        let wanted = self.package_request();
        let direction = match request {
            RequestBody::Undo { .. } => Direction::Back,
            RequestBody::GoTo { steps, .. }
                if self
                    .status
                    .with_untracked(|status| steps < status.applied_steps) =>
            {
                Direction::Back
            }
            _ => Direction::Forward,
        };
        match self.request(request).await? {
            ResponseBody::Applied(mut applied) => {
                // The package or its view may have changed.
                if self.package_request() != wanted {
                    applied.view = None;
                }
                self.take_applied(*applied, direction, shown).await;
                Ok(())
            }
            other => Err(unexpected(other)),
        }
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

    pub(super) async fn request(
        self,
        request: RequestBody,
    ) -> Result<ResponseBody, OperationRefusal> {
        match self.worker().ask(request).await {
            Ok(answer) => match answer.body {
                ResponseBody::Refused(refusal) => Err(refusal),
                ResponseBody::ChangedOnDisk { paths } => Err(OperationRefusal {
                    reason: format!("{} changed on disk since it was opened", paths.join(", ")),
                    help: "reload the files first; edits are kept".into(),
                    ..OperationRefusal::default()
                }),
                body => Ok(body),
            },
            Err(NoAnswer::GivenUp) => Err(OperationRefusal {
                reason: "it was cancelled; nothing was changed".into(),
                ..OperationRefusal::default()
            }),
            Err(lost) => Err(OperationRefusal {
                reason: format!("the worker stopped: {}", lost.message()),
                help: "edits applied so far are kept".into(),
                ..OperationRefusal::default()
            }),
        }
    }

    fn failed<T: Default>(self, refusal: OperationRefusal) -> T {
        let OperationRefusal { reason, help, .. } = refusal;
        self.notify(Notice::Failed(if help.is_empty() {
            reason
        } else {
            format!("{reason}: {help}")
        }));
        T::default()
    }
}

pub(super) fn unexpected(answer: ResponseBody) -> OperationRefusal {
    let reason = match answer {
        ResponseBody::Failed { message } => message,
        _ => "the worker sent an unexpected answer".into(),
    };
    OperationRefusal {
        reason,
        ..OperationRefusal::default()
    }
}
