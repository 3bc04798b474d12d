//! The signal of the multiple selection. Entries that leave the package in view leave the
//! selection.

use super::context_signal::ContextSignal;
use super::{CurrentView, SelectedEntries};
use crate::reactive::{effect, memo};
use crate::state::store::WorkspaceStore;
use leptos::prelude::*;
use protocol::views::EntryRef;

#[derive(Clone, Copy, Default)]
pub struct EntrySelection(ContextSignal<SelectedEntries>);

impl EntrySelection {
    pub fn now(self) -> ReadSignal<SelectedEntries> {
        self.0.reader()
    }

    pub fn clear(self) {
        self.0.update(SelectedEntries::clear);
    }

    /// Adds entries.
    pub fn add(self, entries: Vec<EntryRef>) {
        self.0.update(|picked| picked.add(entries));
    }

    /// Toggles an entry.
    pub fn toggle(self, entry: EntryRef) {
        self.0.update(|picked| picked.toggle(entry));
    }

    /// Selects the range from the last entry to this one, in the order of `order`.
    pub fn extend_to(self, order: &[EntryRef], entry: EntryRef) {
        self.0.update(|picked| picked.extend_to(order, entry));
    }

    /// A single entry was selected: it starts a range.
    pub(super) fn start_at(self, entry: Option<EntryRef>) {
        self.0.update(|picked| picked.start_at(entry));
    }

    /// Keeps the selection within the existing entries of the package in view.
    pub(super) fn follow(self, store: WorkspaceStore, current: CurrentView) {
        let place = memo(move |_| (store.root.get(), current.package.get()));
        effect(move |before: Option<(String, String)>| {
            let place = place.get();
            if before.as_ref().is_some_and(|before| *before != place) {
                self.clear();
            }
            place
        });
        effect(move |_| {
            let view = current.view.get();
            if self.0.with_untracked(SelectedEntries::is_empty) {
                return;
            }
            let is_there = |entry: &EntryRef| {
                view.table
                    .iter()
                    .any(|row| row.channel == entry.channel && row.entry == entry.name)
            };
            let mut kept = self.0.get_untracked();
            if kept.keep(is_there) {
                self.0.set(kept);
            }
        });
    }
}
