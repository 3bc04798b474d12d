//! Queries and updates of single signals of the store.

use super::{LastChange, Notice, StoreSignal, Tab};
use crate::state::save_state::{ConflictChoice, SaveState};
use leptos::prelude::*;
use protocol::counting::first_of;
use protocol::response::{AskError, OperationRefusal};
use protocol::views::{RootRow, Status};

impl StoreSignal<Status> {
    pub fn revision(self) -> u64 {
        self.with(|status| status.revision)
    }

    pub fn can_undo(self) -> bool {
        self.with(|status| status.applied_steps > 0)
    }

    pub fn can_redo(self) -> bool {
        self.with(|status| status.applied_steps < status.history.len())
    }

    pub fn has_unsaved_edits_untracked(self) -> bool {
        self.with_untracked(|status| !status.changed_files.is_empty())
    }

    /// Returns the number of edits between the disk and the view; 0 if they are equal.
    pub fn unsaved_edit_count(self) -> u32 {
        self.with(|status| {
            if status.changed_files.is_empty() {
                return 0;
            }
            let edits = match status.saved_steps {
                Some(saved) => saved.abs_diff(status.applied_steps),
                None => status.applied_steps,
            };
            (edits as u32).max(1)
        })
    }

    /// Whether operations must name their catalog. A single template may get a catalog beside it.
    pub fn has_several_roots(self) -> bool {
        self.with(|status| status.roots.len() > 1 || status.roots.iter().any(RootRow::is_template))
    }

    /// Whether there are catalogs to compare.
    pub fn has_several_catalogs(self) -> bool {
        self.with(|status| status.roots.iter().filter(|row| row.is_catalog()).count() > 1)
    }

    /// Whether a catalog or template is open.
    pub fn is_root_open_untracked(self, root: &str) -> bool {
        self.with_untracked(|status| status.roots.iter().any(|row| row.root == root))
    }

    pub fn repository_name(self) -> Option<String> {
        self.with(|status| Some(status.repository.as_ref()?.name.clone()))
    }

    pub(super) fn is_anything_open_untracked(self) -> bool {
        self.with_untracked(|status| {
            !status.roots.is_empty() || status.files > 0 || status.repository.is_some()
        })
    }
}

impl StoreSignal<Vec<Notice>> {
    /// Adds a notice. A failed request replaces the previous one; other notices are not repeated.
    pub fn push(self, notice: Notice) {
        let is_failed = matches!(notice, Notice::Failed(_));
        self.update(|notices| {
            notices.retain(|earlier| {
                *earlier != notice && !(is_failed && matches!(earlier, Notice::Failed(_)))
            });
            notices.push(notice);
        });
    }

    pub fn dismiss(self, condition: impl Fn(&Notice) -> bool) {
        self.update(|notices| notices.retain(|notice| !condition(notice)));
    }

    /// Removes notices about views that failed, now that another view is shown.
    pub(super) fn forget_not_shown(self) {
        let is_not_shown = |notice: &Notice| matches!(notice, Notice::NotShown { .. });
        if self.with_untracked(|notices| notices.iter().any(is_not_shown)) {
            self.dismiss(is_not_shown);
        }
    }

    /// Returns the value of a successful answer. Reports a failure and returns `None`.
    pub(super) fn ok_or_report<T>(self, answer: Result<T, AskError>) -> Option<T> {
        answer
            .map_err(|error| {
                let OperationRefusal { reason, help, .. } = error.into();
                self.push(Notice::Failed(if help.is_empty() {
                    reason
                } else {
                    format!("{reason}: {help}")
                }));
            })
            .ok()
    }

    /// Reports the titles of saved or undone steps that can no longer be undone or redone, because
    /// their files changed.
    pub(super) fn report_forgotten(self, titles: &[String]) {
        if !titles.is_empty() {
            // The latest step is the one that the user would have undone first.
            self.push(Notice::Forgotten(first_of(titles.iter().rev(), 1)));
        }
    }
}

impl StoreSignal<Tab> {
    /// Keeps the current tab without redrawing it.
    pub fn show(self, tab: Tab) {
        if self.get_untracked() != tab {
            self.set(tab);
        }
    }
}

impl StoreSignal<Option<LastChange>> {
    /// The user has read the consequences of the last change.
    pub fn dismiss(self) {
        self.set(None);
    }
}

impl StoreSignal<SaveState> {
    pub fn report(self, saving: SaveState) {
        self.set(saving);
    }

    /// Sets the choice for a conflicting file, by index.
    pub fn choose_resolution(self, index: usize, choice: ConflictChoice) {
        self.update(|saving| {
            if let SaveState::Deciding(conflicts) = saving
                && let Some(conflict) = conflicts.get_mut(index)
            {
                conflict.choice = Some(choice);
            }
        });
    }
}
