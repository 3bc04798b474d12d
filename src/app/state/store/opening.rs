//! Handles the progress and the result of opening files, the choice of a comparison, and events of
//! the worker's client.

use super::{Notice, Phase, Progress, SessionStore, StoreSignal, Tab, renderings};
use crate::state::journal::DroppedStep;
use crate::state::worker_api::Event;
use leptos::prelude::*;
use protocol::query::TreatAsOne;
use protocol::response::{AskError, Opened};
use protocol::upgrades::Baseline;
use protocol::views::Status;

#[derive(Clone, Copy)]
pub struct OpenProgress {
    status: StoreSignal<Status>,
    notices: StoreSignal<Vec<Notice>>,
    pub phase: StoreSignal<Phase>,
}

impl OpenProgress {
    pub(super) fn new(status: StoreSignal<Status>, notices: StoreSignal<Vec<Notice>>) -> Self {
        Self {
            status,
            notices,
            phase: StoreSignal::default(),
        }
    }

    /// Starts an open. The previous state remains visible until it ends.
    pub fn start(self) {
        // The failure of an earlier open is irrelevant now.
        self.notices
            .dismiss(|notice| matches!(notice, Notice::Failed(_)));
        self.phase.set(Phase::Opening(Progress::default()));
    }

    fn is_opening(self) -> bool {
        self.phase
            .with_untracked(|phase| matches!(phase, Phase::Opening(_)))
    }

    /// Updates the number of files found so far.
    pub fn note_found(self, files: u32) {
        if self.is_opening() {
            self.phase.set(Phase::Opening(Progress {
                files,
                ..Progress::default()
            }));
        }
    }

    /// Ends an open that found nothing to open. Keeps the previous state and reports the reason.
    pub fn give_up(self, reason: &str) {
        self.finish();
        self.notices.push(Notice::Failed(reason.to_owned()));
    }

    /// Replaces the progress by the session, or by the start page if nothing is open.
    pub fn finish(self) {
        self.phase.set(if self.status.is_anything_open_untracked() {
            Phase::Open
        } else {
            Phase::Empty
        });
    }
}

/// The user's choice of a baseline, which is compared with one catalog.
#[derive(Clone, Copy)]
pub struct ComparisonChoice {
    root: StoreSignal<String>,
    status: StoreSignal<Status>,
    /// Ends when another catalog is shown.
    chosen: StoreSignal<Option<Comparison>>,
}

/// A catalog, and the baseline it is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Comparison {
    root: String,
    baseline: Baseline,
}

impl ComparisonChoice {
    pub(super) fn new(root: StoreSignal<String>, status: StoreSignal<Status>) -> Self {
        Self {
            root,
            status,
            chosen: StoreSignal::default(),
        }
    }

    /// Compares the catalog in view; `None` ends the comparison.
    pub fn choose(self, baseline: Option<Baseline>) {
        let root = self.root.get_untracked();
        self.chosen
            .set(baseline.map(|baseline| Comparison { root, baseline }));
    }

    /// Compares a catalog that is about to be shown.
    pub fn choose_for(self, root: String, baseline: Baseline) {
        self.chosen.set(Some(Comparison { root, baseline }));
    }

    /// Ends a comparison whose catalog is no longer in view.
    pub fn end_elsewhere(self) {
        let root = self.root.get_untracked();
        let is_elsewhere = self.chosen.with_untracked(|chosen| {
            chosen
                .as_ref()
                .is_some_and(|comparison| comparison.root != root)
        });
        if is_elsewhere {
            self.chosen.set(None);
        }
    }

    /// Returns the baseline of the catalog in view, if it is open and differs from that catalog.
    pub fn baseline(self) -> Option<Baseline> {
        let root = self.root.get();
        let is_open = |name: &String| {
            self.status
                .with(|status| status.roots.iter().any(|row| row.root == *name))
        };
        let comparison = self
            .chosen
            .get()
            .filter(|comparison| comparison.root == root)?;
        Some(comparison.baseline).filter(|baseline| match baseline {
            Baseline::Disk => true,
            Baseline::Catalog(other) => *other != root && is_open(other),
        })
    }

    /// Whether the graph compares with another catalog; otherwise it marks unsaved changes.
    pub fn is_with_catalog(self) -> bool {
        matches!(self.baseline(), Some(Baseline::Catalog(_)))
    }
}

impl SessionStore {
    /// Handles the end of an open: shows the first package of the first catalog, or the previous
    /// view. Returns false if nothing was opened.
    pub async fn end_open(self, answer: Result<Opened, AskError>) -> bool {
        let is_opened = answer.is_ok();
        match answer {
            Ok(Opened::Anew(status)) => {
                self.take_status(*status);
                self.view.set(None);
            }
            Ok(Opened::Replayed(replayed)) => {
                let set_aside = self.take_replayed(*replayed);
                if !set_aside.is_empty() {
                    self.notices.push(Notice::Reloaded { set_aside });
                }
            }
            Err(AskError::Cancelled) => {}
            Err(error) => self.notices.push(Notice::Failed(error.into_reason())),
        }
        self.opening.finish();
        if is_opened {
            self.changed_on_disk.set(Vec::new());
            self.last_change.set(None);
            self.restore_view().await;
        }
        is_opened
    }

    /// Takes over restored work, except for steps set aside.
    pub async fn take_resumed_work(self, status: Option<Status>, set_aside: Vec<DroppedStep>) {
        if !set_aside.is_empty() {
            self.notices.push(Notice::Resumed { set_aside });
        }
        if let Some(status) = status {
            self.take_status(status);
            self.last_change.set(None);
            self.restore_view().await;
        }
    }

    /// Splits a folder into catalogs, or treats it as one.
    pub async fn treat_as_one(self, folder: String, as_one: bool) {
        let answer = self.ask(TreatAsOne { folder, as_one }).await;
        self.end_open(answer.map(|status| Opened::Anew(Box::new(status))))
            .await;
    }

    /// Handles an event of the worker's client. After `Restored`, it requests the views again.
    pub async fn handle_event(self, event: Event) {
        match event {
            Event::Progress(progress) => {
                if self.opening.is_opening() {
                    self.opening.phase.set(Phase::Opening(progress));
                }
            }
            Event::Busy(busy) => self.busy.set(busy),
            Event::Restarting => self.recovering.set(true),
            Event::Crashed => {
                self.recovering.set(true);
                self.has_crashed.set_value(true);
            }
            Event::Restored { status, set_aside } => {
                self.recovering.set(false);
                // Nothing to report if the user restarted the worker and no step was lost.
                let has_crashed = self.has_crashed.get_value();
                self.has_crashed.set_value(false);
                if has_crashed || !set_aside.is_empty() {
                    self.notices.push(Notice::Recovered { set_aside });
                }
                if let Some(status) = status {
                    self.take_status(*status);
                    self.restore_view().await;
                }
            }
            Event::DroppedStep(set_aside) => self.notices.push(Notice::DroppedStep(set_aside)),
            Event::ChangedOnDisk { paths } => self.changed_on_disk.update(|known| {
                known.extend(paths);
                known.sort();
                known.dedup();
            }),
            Event::NotStored { reason } => self.notices.push(Notice::NotStored(reason)),
            Event::OpenElsewhere => self.notices.push(Notice::OpenElsewhere),
            Event::Dead { message, steps } => {
                self.recovering.set(false);
                self.has_crashed.set_value(false);
                self.notices.push(Notice::Dead { message, steps });
            }
        }
    }

    /// Updates the session's status. Keeps the list of unused files if the new status has none.
    pub fn take_status(self, mut status: Status) {
        if status.unused_files.is_none() {
            status.unused_files = self
                .status
                .with_untracked(|known| known.unused_files.clone());
        }
        self.status.set(status);
    }

    /// Shows the catalog and package that were in view, or the first ones.
    pub(super) async fn restore_view(self) {
        let root = self.root.get_untracked();
        let root = self.status.with_untracked(|status| {
            let same = status.roots.iter().find(|row| row.root == root);
            // Templates come before a catalog of all files that has no packages.
            let same = same.filter(|row| row.packages > 0 || !row.root.is_empty());
            let first = status.roots.iter().find(|row| row.packages > 0);
            let template = status.roots.iter().find(|row| row.is_template());
            same.or(first)
                .or(template)
                .or(status.roots.first())
                .map(|row| row.root.clone())
        });
        match root {
            // The text of a template stays in view.
            Some(root) if self.tab.get_untracked() == Tab::Source => self.show_root(root).await,
            Some(root) => renderings::show_drawn(self, root).await,
            None => self.clear_view(),
        }
    }

    /// Records the files that changed on disk since they were opened; an empty list removes the
    /// banner.
    pub fn note_changed_on_disk(self, paths: Vec<String>) {
        self.changed_on_disk.set(paths);
    }

    /// Records whether there is typed text that is not a step yet.
    pub fn note_typed(self, is_typed: bool) {
        self.typed.set(is_typed);
    }
}
