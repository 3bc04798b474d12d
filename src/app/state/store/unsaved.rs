//! Effects of a save on the store, and unsaved changes.

use super::WorkspaceStore;
use super::edits::Direction;
use crate::state::journal::JournalStep;
use futures::future::join3;
use leptos::prelude::*;
use protocol::counting::first_of;
use protocol::response::{Applied, AskError, Replayed};

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
    pub async fn merge_answer(
        self,
        answer: Result<Replayed, AskError>,
    ) -> Result<Vec<(JournalStep, String)>, String> {
        let set_aside = self.take_replayed(answer.map_err(reason)?);
        self.last_change.set(None);
        self.show_what_is_there().await;
        Ok(set_aside)
    }

    /// Returns the steps that could not be reapplied.
    pub(super) fn take_replayed(self, replayed: Replayed) -> Vec<(JournalStep, String)> {
        self.take_status(replayed.status);
        self.report_forgotten(&replayed.forgotten);
        let refused = replayed.refused.iter();
        refused
            .map(|(step, why)| (JournalStep::from_replay(step), why.clone()))
            .collect()
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
    pub async fn take_theirs_applied(
        self,
        answer: Result<Applied, AskError>,
    ) -> Result<(), String> {
        let applied = answer.map_err(reason)?;
        self.take_applied(applied, Direction::Forward, || ()).await;
        Ok(())
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

fn reason(error: AskError) -> String {
    match error {
        AskError::Refused(refusal) => refusal.reason,
        lost => format!("the worker stopped: {}", lost.into_reason()),
    }
}
