//! State of the page that does not involve the worker: the visible tab, notices, save progress,
//! changes on disk, typed text.

use super::{Comparing, Notice, Tab, WorkspaceStore};
use crate::state::save_state::{ConflictChoice, SaveState};
use leptos::prelude::*;
use protocol::upgrades::Baseline;

impl WorkspaceStore {
    /// Shows a tab of the center. A visible one is not redrawn.
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

    /// The user has read the last change's consequences.
    pub fn dismiss_last_change(self) {
        self.last_change.set(None);
    }

    /// Updates the progress or result of a save.
    pub fn note_saving(self, saving: SaveState) {
        self.saving.set(saving);
    }

    /// Sets the choice for a conflicting file, by index.
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

    /// Records whether there is typed text that is not a step yet.
    pub fn note_typed(self, is_typed: bool) {
        self.typed.set(is_typed);
    }

    /// Compares the catalog in view with the users' current one; `None` ends the comparison.
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

    /// Ends a comparison whose catalog is no longer in view.
    pub fn end_comparison_elsewhere(self) {
        let root = self.root.get_untracked();
        let is_elsewhere = |comparing: &Comparing| comparing.root != root;
        if self
            .comparing
            .with_untracked(|of| of.as_ref().is_some_and(is_elsewhere))
        {
            self.comparing.set(None);
        }
    }

    /// Draws the unsaved removals of this catalog and package.
    pub fn note_removed(self, of: Option<(String, String)>) {
        self.with_removed.set(of);
    }
}
