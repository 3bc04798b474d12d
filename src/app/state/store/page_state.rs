//! The page's own state, which does not involve the worker: the tab in view, notices, the progress of a save, changes
//! on disk, typed text.

use super::{Comparing, Notice, Tab, WorkspaceStore};
use crate::state::save_state::{ConflictChoice, SaveState};
use leptos::prelude::*;
use protocol::upgrades::Baseline;

impl WorkspaceStore {
    /// Shows a tab of the centre. One that is already shown is not drawn again.
    pub fn show_tab(self, tab: Tab) {
        if self.tab.get_untracked() != tab {
            self.tab.set(tab);
        }
    }

    pub fn notify(self, notice: Notice) {
        self.notices.update(|notices| notices.push(notice));
    }

    /// Removes the notices for which `is_read` returns true.
    pub fn dismiss(self, is_read: impl Fn(&Notice) -> bool) {
        self.notices
            .update(|notices| notices.retain(|notice| !is_read(notice)));
    }

    /// What the last change came to was read.
    pub fn dismiss_last_change(self) {
        self.last_change.set(None);
    }

    /// How far the save is, or how it ended.
    pub fn note_saving(self, saving: SaveState) {
        self.saving.set(saving);
    }

    /// Decides what to do with a file that somebody else changed, by its position in the list.
    pub fn choose_resolution(self, index: usize, way: ConflictChoice) {
        self.saving.update(|saving| {
            if let SaveState::Deciding(conflicts) = saving
                && let Some(conflict) = conflicts.get_mut(index)
            {
                conflict.way = Some(way);
            }
        });
    }

    /// Files that changed on disk since they were opened; an empty list removes the banner.
    pub fn note_changed_on_disk(self, paths: Vec<String>) {
        self.changed_on_disk.set(paths);
    }

    /// Whether there is typed text that is not a step yet.
    pub fn note_typed(self, is_typed: bool) {
        self.typed.set(is_typed);
    }

    /// Compares the catalog in view with the one that users have now; `None` ends the comparison.
    pub fn compare_with(self, old: Option<Baseline>) {
        match old {
            Some(old) => self.compare_catalog(self.root.get_untracked(), old),
            None => self.comparing.set(None),
        }
    }

    /// Compares a catalog that is about to be shown.
    pub fn compare_catalog(self, root: String, old: Baseline) {
        self.comparing.set(Some(Comparing { root, old }));
    }

    /// Ends the comparison of a catalog that is no longer in view.
    pub fn end_comparison_elsewhere(self) {
        let root = self.root.get_untracked();
        let is_elsewhere = |of: &Comparing| of.root != root;
        if self
            .comparing
            .with_untracked(|of| of.as_ref().is_some_and(is_elsewhere))
        {
            self.comparing.set(None);
        }
    }

    /// Of what is removed and not saved, that of this catalog and package is drawn from now on.
    pub fn note_removed(self, of: Option<(String, String)>) {
        self.with_removed.set(of);
    }
}
