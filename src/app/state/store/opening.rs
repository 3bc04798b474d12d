//! From opening files to the first view, and spontaneous events of the worker's client.

use super::{FirstLanes, Notice, Phase, Progress, WorkspaceStore};
use crate::state::journal::DroppedStep;
use crate::state::worker_api::Event;
use leptos::prelude::*;
use protocol::query::{ShowRendered, TreatAsOne};
use protocol::response::{AskError, Opened};
use protocol::templates::{rendered_name, template_of};
use protocol::views::Status;

/// The end of an open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenEnd {
    Opened,
    Cancelled,
    Failed,
}

impl WorkspaceStore {
    /// Starts an open. The previous state stays visible until it ends.
    pub fn begin_open(self) {
        // The failure of an earlier open is irrelevant now.
        self.notices
            .update(|notices| notices.retain(|notice| !matches!(notice, Notice::Failed(_))));
        self.first_lanes.set(None);
        self.phase.set(Phase::Opening(Progress::default()));
    }

    /// Reports the number of files found so far.
    pub fn note_found(self, files: u32) {
        if matches!(self.phase.get_untracked(), Phase::Opening(_)) {
            self.phase.set(Phase::Opening(Progress {
                files,
                ..Progress::default()
            }));
        }
    }

    /// There was nothing to open: keeps the previous state.
    pub fn give_up_open(self, reason: &str) {
        self.phase.set(self.phase_of_what_is_open());
        self.notify(Notice::Failed(reason.to_owned()));
    }

    /// The user cancelled before the worker was involved: keeps the previous state.
    pub fn cancelled_open(self) {
        self.phase.set(self.phase_of_what_is_open());
    }

    fn phase_of_what_is_open(self) -> Phase {
        let is_something = self.status.with_untracked(|status| {
            !status.roots.is_empty() || status.files > 0 || status.repository.is_some()
        });
        if is_something {
            Phase::Open
        } else {
            Phase::Empty
        }
    }

    /// Handles the end of an open: shows the first package of the first catalog, or the previous view.
    pub async fn end_open(self, answer: Result<Opened, AskError>) -> OpenEnd {
        let end = match answer {
            Ok(Opened::Anew(status)) => {
                self.take_status(*status);
                self.view.set(None);
                OpenEnd::Opened
            }
            Ok(Opened::Replayed(replayed)) => {
                let set_aside = self.take_replayed(*replayed);
                if !set_aside.is_empty() {
                    self.notify(Notice::Reloaded { set_aside });
                }
                OpenEnd::Opened
            }
            Err(AskError::Cancelled) => OpenEnd::Cancelled,
            Err(error) => {
                self.notify(Notice::Failed(error.into_reason()));
                OpenEnd::Failed
            }
        };
        self.first_lanes.set(None);
        self.phase.set(self.phase_of_what_is_open());
        if end == OpenEnd::Opened {
            self.changed_on_disk.set(Vec::new());
            self.last_change.set(None);
            self.show_what_is_there().await;
        }
        end
    }

    /// Takes over restored work, except for steps set aside.
    pub async fn take_resumed_work(self, status: Option<Status>, set_aside: Vec<DroppedStep>) {
        if !set_aside.is_empty() {
            self.notify(Notice::Resumed { set_aside });
        }
        if let Some(status) = status {
            self.take_status(status);
            self.last_change.set(None);
            self.show_what_is_there().await;
        }
    }

    /// Splits a folder into catalogs, or treats it as one.
    pub async fn treat_as_one(self, folder: String, as_one: bool) -> OpenEnd {
        let answer = self.ask(TreatAsOne { folder, as_one }).await;
        let opened = answer.map(|status| Opened::Anew(Box::new(status)));
        self.end_open(opened).await
    }

    /// Opens and shows the rendering of a template. One that is already open is only shown.
    pub async fn show_rendered(self, template: String) {
        let name = rendered_name(&template);
        let is_open = self
            .status
            .with_untracked(|status| status.roots.iter().any(|row| row.root == name));
        if is_open || self.set_rendered(template, true).await {
            self.show_root(name).await;
        }
    }

    /// Opens a rendered catalog by its own name, if its template is open and it is not.
    pub async fn open_rendered_root(self, root: &str) {
        let Some(template) = template_of(root) else {
            return;
        };
        let is_wanted = self.status.with_untracked(|status| {
            let is_open = |name: &str| status.roots.iter().any(|row| row.root == name);
            is_open(template) && !is_open(root)
        });
        if is_wanted {
            self.set_rendered(template.to_owned(), true).await;
        }
    }

    /// Closes the rendering of a template; shows the template if the rendering was in view.
    pub async fn hide_rendered(self, template: String) {
        let was_shown = self.root.get_untracked() == rendered_name(&template);
        if self.set_rendered(template.clone(), false).await && was_shown {
            self.show_root(template).await;
        }
    }

    /// Returns whether it succeeded; reports the reason otherwise.
    pub(super) async fn set_rendered(self, template: String, shown: bool) -> bool {
        match self.ask(ShowRendered { template, shown }).await {
            Ok(status) => {
                self.take_status(status);
                true
            }
            Err(AskError::Refused(refusal)) => {
                self.notify(Notice::Failed(refusal.reason));
                false
            }
            Err(_) => false,
        }
    }

    /// Handles spontaneous events of the client. After `Restored`, the future requests the views
    /// again.
    pub async fn hear(self, event: Event) {
        match event {
            Event::Progress(progress) => {
                if matches!(self.phase.get_untracked(), Phase::Opening(_)) {
                    self.phase.set(Phase::Opening(progress));
                }
            }
            Event::FirstLanes { package, svg } => {
                if matches!(self.phase.get_untracked(), Phase::Opening(_)) {
                    self.first_lanes.set(Some(FirstLanes {
                        package,
                        svg: svg.into(),
                    }));
                }
            }
            Event::Busy(busy) => self.busy.set(busy),
            Event::Restarting => self.recovering.set(true),
            Event::Crashed { message } => {
                self.recovering.set(true);
                self.died_of.set_value(Some(message));
            }
            Event::Restored { status, set_aside } => {
                self.recovering.set(false);
                self.report_restored(set_aside);
                if let Some(status) = status {
                    self.take_status(*status);
                    self.show_what_is_there().await;
                }
            }
            Event::DroppedStep(set_aside) => self.notify(Notice::DroppedStep(set_aside)),
            Event::ChangedOnDisk { paths } => self.changed_on_disk.update(|known| {
                known.extend(paths);
                known.sort();
                known.dedup();
            }),
            Event::Unkept { reason } => self.notify(Notice::Unkept(reason)),
            Event::OpenElsewhere => self.notify(Notice::OpenElsewhere),
            Event::Dead { message, steps } => {
                self.recovering.set(false);
                self.died_of.set_value(None);
                self.notify(Notice::Dead { message, steps });
            }
        }
    }

    /// Reports a restored worker without these steps. Silent if the user restarted it and nothing
    /// was lost.
    fn report_restored(self, set_aside: Vec<DroppedStep>) {
        let died_of = self.died_of.try_update_value(Option::take).flatten();
        if died_of.is_some() || !set_aside.is_empty() {
            self.notify(Notice::Recovered {
                message: died_of.unwrap_or_default(),
                set_aside,
            });
        }
    }

    /// Takes over the global state.
    pub fn take_status(self, mut status: Status) {
        if status.unused_files.is_none() {
            status.unused_files = self
                .status
                .with_untracked(|known| known.unused_files.clone());
        }
        self.status.set(status);
    }

    /// Shows the catalog and package that were in view, or the first ones.
    pub(super) async fn show_what_is_there(self) {
        let root = self.root.get_untracked();
        let root = self.status.with_untracked(|status| {
            let known = status.roots.iter().find(|row| row.root == root);
            // A folder of templates is itself a catalog without packages.
            let known = known.filter(|row| row.packages > 0 || !row.root.is_empty());
            let first = status.roots.iter().find(|row| row.packages > 0);
            known
                .or(first)
                .or(status.roots.first())
                .map(|row| row.root.clone())
        });
        match root {
            Some(root) => self.show_root(root).await,
            None => self.clear_view(),
        }
    }
}
