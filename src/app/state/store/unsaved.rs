//! Effects of a save on the store, and unsaved changes.

use super::WorkspaceStore;
use super::edits::Direction;
use crate::state::journal::JournalStep;
use crate::state::worker_api::{Answer, NoAnswer};
use futures::future::join3;
use leptos::prelude::*;
use protocol::ResponseBody;
use protocol::counting::first_of;

impl WorkspaceStore {
    /// Number of edits between the disk and the view; 0 if they are equal.
    pub fn unsaved_edits(self) -> u32 {
        self.status.with(
            |status| match (status.changed_files.is_empty(), status.saved_steps) {
                (true, _) => 0,
                (false, Some(saved)) => (saved.abs_diff(status.applied_steps) as u32).max(1),
                (false, None) => (status.applied_steps as u32).max(1),
            },
        )
    }

    /// Handles a merge, which may change everything. Returns the edits that did not apply.
    pub async fn merged(
        self,
        answer: Result<Answer, NoAnswer>,
    ) -> Result<Vec<(JournalStep, String)>, String> {
        match answer.map(|answer| answer.body) {
            Ok(ResponseBody::Replayed {
                status,
                refused,
                forgotten,
                ..
            }) => {
                self.take_status(*status);
                self.report_forgotten(&forgotten);
                self.last_change.set(None);
                self.show_what_is_there().await;
                Ok(refused
                    .iter()
                    .map(|(step, why)| (JournalStep::from_replay(step), why.clone()))
                    .collect())
            }
            other => Err(unexpected(other)),
        }
    }

    /// Reports saved or undone steps that can no longer be undone or redone, because their files
    /// changed.
    pub(super) fn report_forgotten(self, titles: &[String]) {
        if !titles.is_empty() {
            // The last one is the next that an undo would have reverted.
            let titles = first_of(titles.iter().rev(), 1);
            let message = format!(
                "Files changed on disk, so earlier steps can no longer be undone: {titles}. Their saved changes are still \
                 on disk."
            );
            self.notify(super::Notice::Failed(message));
        }
    }

    /// Takes over the step that drops the edits in a file.
    pub async fn take_theirs_applied(self, answer: Result<Answer, NoAnswer>) -> Result<(), String> {
        match answer.map(|answer| answer.body) {
            Ok(ResponseBody::Applied(applied)) => {
                self.take_applied(*applied, Direction::Forward, || ()).await;
                Ok(())
            }
            Ok(ResponseBody::Refused(refusal)) => Err(refusal.reason),
            other => Err(unexpected(other)),
        }
    }

    /// Files were saved: updates the marks of unsaved changes.
    pub async fn refresh_saved(self) {
        self.changed_on_disk.set(Vec::new());
        join3(
            self.refresh_packages(),
            self.refresh_view(),
            self.refresh_source(),
        )
        .await;
    }
}

fn unexpected(answer: Result<ResponseBody, NoAnswer>) -> String {
    match answer {
        Ok(ResponseBody::Failed { message }) => message,
        Ok(_) => "the worker sent an unexpected answer".to_owned(),
        Err(lost) => format!("the worker stopped: {}", lost.message()),
    }
}
