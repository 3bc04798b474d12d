//! What is in view: the package, its selected entries and lanes, the progress of an open, and the
//! upgrade question being typed.

use super::ContextSignal;
use crate::edits::form_values::catalog_name;
use crate::reactive::{derived, effect, memo, spawn_local};
use crate::state::layout::{LaneArrangement, toggle};
use crate::state::store::{Phase, Progress, SessionStore};
use leptos::prelude::*;
use protocol::request::{LaneOptions, Target};
use protocol::response::PackageView;
use protocol::views::{EntryRef, UpgradeQuestion};
use std::sync::Arc;

#[derive(Clone, Copy)]
pub struct CurrentView {
    store: SessionStore,
    /// Whether a session is open, including while another session is being opened.
    pub is_open: Memo<bool>,
    /// The progress of an open; `None` if there is none.
    pub progress: Memo<Option<Progress>>,
    /// Name of the package in view; "" if there is none.
    pub package: Memo<String>,
    /// The package in view; empty until loaded.
    pub view: Signal<Arc<PackageView>>,
    /// The selection; defaults to the package itself.
    pub target: Memo<Target>,
}

impl CurrentView {
    pub(super) fn new(store: SessionStore) -> Self {
        let progress = memo(move |_| match store.opening.phase.get() {
            Phase::Opening(progress) => Some(progress),
            Phase::Empty | Phase::Open => None,
        });
        Self {
            store,
            is_open: memo(move |_| {
                store.opening.phase.with(|phase| *phase == Phase::Open)
                    || store.status.with(|status| {
                        status.files > 0 || !status.roots.is_empty() || status.repository.is_some()
                    })
            }),
            progress,
            package: memo(move |_| store.package.get().unwrap_or_default()),
            view: derived(move || store.view.get().unwrap_or_default()),
            target: memo(move |_| store.selection.get().unwrap_or(Target::Package)),
        }
    }

    /// Returns a catalog's name in forms; untracked.
    pub fn name_of_catalog(self, root: &str) -> String {
        self.store
            .status
            .with_untracked(|status| catalog_name(&status.roots, root))
    }

    /// Whether a file-based catalog is in view: templates and renderings cannot be saved in parts,
    /// and no image is built from them.
    pub fn is_catalog(self) -> bool {
        self.store.root_row().is_some_and(|row| row.is_catalog())
    }

    pub fn selected_entry(self) -> Option<EntryRef> {
        self.target.get().into_entry()
    }

    pub fn change_lanes(self, change: impl FnOnce(&mut LaneOptions)) {
        let mut lanes = self.store.lanes.get_untracked();
        change(&mut lanes);
        spawn_local(self.store.set_lanes(lanes));
    }

    /// Returns the arrangement of lanes of the package in view.
    pub fn lane_arrangement(self) -> LaneArrangement {
        self.view.with(|view| {
            self.store
                .lanes
                .with(|options| LaneArrangement::new(&view.channels, options))
        })
    }

    pub fn arrange_lanes(self, arrangement: LaneArrangement) {
        self.change_lanes(|options| {
            options.order = arrangement.channels;
            options.hidden_channels = arrangement.hidden;
        });
    }

    pub fn toggle_stream(self, stream: String) {
        self.change_lanes(|options| toggle(&mut options.toggled_streams, stream));
    }
}

/// Entries of the package in view, in the order of selection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SelectedEntries {
    entries: Vec<EntryRef>,
    /// The start of a range: the last selected or clicked entry.
    anchor: Option<EntryRef>,
}

impl SelectedEntries {
    pub fn entries(&self) -> &[EntryRef] {
        &self.entries
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn has(&self, entry: &EntryRef) -> bool {
        self.entries.contains(entry)
    }

    /// Clears the selection and the start of a range.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Clears the selection and starts a range at a single selected entry.
    pub fn start_at(&mut self, entry: Option<EntryRef>) {
        *self = Self {
            entries: Vec::new(),
            anchor: entry,
        };
    }

    /// Toggles an entry. A previous single selection becomes the first of several.
    pub fn toggle(&mut self, entry: EntryRef) {
        if self.entries.is_empty() {
            self.entries
                .extend(self.anchor.take().filter(|anchor| *anchor != entry));
        }
        toggle(&mut self.entries, entry.clone());
        self.anchor = Some(entry).filter(|_| !self.entries.is_empty());
    }

    /// Selects the range from its start to an entry, as ordered in `order`; only the entry, if
    /// `order` does not contain both.
    pub fn extend_to(&mut self, order: &[EntryRef], entry: EntryRef) {
        let position = |entry: &EntryRef| order.iter().position(|listed| listed == entry);
        let anchor = self.anchor.as_ref().and_then(position);
        let ends = anchor.zip(position(&entry));
        match ends {
            Some((from, to)) => {
                let range = order
                    .get(from.min(to)..=from.max(to))
                    .unwrap_or_default()
                    .to_vec();
                self.add(range);
            }
            None => {
                self.add(
                    self.anchor
                        .clone()
                        .filter(|_| self.entries.is_empty())
                        .into_iter()
                        .chain([entry.clone()])
                        .collect(),
                );
                self.anchor = Some(entry);
            }
        }
    }

    /// Adds the entries that are not selected yet.
    pub fn add(&mut self, entries: Vec<EntryRef>) {
        for entry in entries {
            if !self.entries.contains(&entry) {
                self.entries.push(entry);
            }
        }
    }

    /// Drops entries, and a range start, that no longer exist. Returns whether anything changed.
    pub fn keep(&mut self, exists: impl Fn(&EntryRef) -> bool) -> bool {
        let before = self.entries.len();
        self.entries.retain(&exists);
        let anchor_is_gone = self.anchor.as_ref().is_some_and(|anchor| !exists(anchor));
        if anchor_is_gone {
            self.anchor = None;
        }
        anchor_is_gone || self.entries.len() != before
    }
}

#[derive(Clone, Copy, Default)]
pub struct EntrySelection {
    pub picked: ContextSignal<SelectedEntries>,
}

impl EntrySelection {
    pub fn clear(self) {
        self.picked.update(SelectedEntries::clear);
    }

    pub fn add(self, entries: Vec<EntryRef>) {
        self.picked.update(|picked| picked.add(entries));
    }

    /// Starts a range at a single selected entry.
    pub(super) fn start_at(self, entry: Option<EntryRef>) {
        self.picked.update(|picked| picked.start_at(entry));
    }

    /// Keeps the selection within the existing entries of the package in view.
    pub(super) fn keep_within_view(self, store: SessionStore, current: CurrentView) {
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
            let exists = |entry: &EntryRef| view.row(&entry.channel, &entry.name).is_some();
            let mut selected = self.picked.get_untracked();
            if selected.keep(exists) {
                self.picked.set(selected);
            }
        });
    }
}

#[derive(Clone, Copy)]
pub struct DraftQuery {
    /// The text in the field *Version range* that is not submitted yet.
    pub range: ContextSignal<Option<String>>,
    /// The upgrade question with the range being typed.
    pub question: Memo<UpgradeQuestion>,
}

impl DraftQuery {
    pub(super) fn new(store: SessionStore) -> Self {
        let range = ContextSignal::new(None::<String>);
        let question = memo(move |_| {
            let question = store.question.get();
            match range.get() {
                Some(range) => UpgradeQuestion {
                    range: range.trim().to_owned(),
                    ..question
                },
                None => question,
            }
        });
        Self { range, question }
    }

    pub fn type_range(self, text: Option<String>) {
        self.range.set(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str) -> EntryRef {
        EntryRef {
            channel: "c".into(),
            name: name.into(),
        }
    }

    fn names(picked: &SelectedEntries) -> String {
        picked
            .entries()
            .iter()
            .map(|entry| entry.name.as_str())
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn the_first_selected_entry_stays_first_of_several() {
        let mut picked = SelectedEntries::default();
        picked.start_at(Some(entry("a")));
        assert!(picked.is_empty());
        picked.toggle(entry("b"));
        assert_eq!(names(&picked), "a b");
        picked.toggle(entry("a"));
        assert_eq!(names(&picked), "b");
        picked.toggle(entry("b"));
        assert!(picked.is_empty());
        picked.toggle(entry("c"));
        assert_eq!(names(&picked), "c", "what was taken out stays out");
    }

    #[test]
    fn a_range_extends_from_the_last_selected_entry_in_both_directions() {
        let order: Vec<EntryRef> = ["a", "b", "c", "d"].map(entry).to_vec();
        let mut picked = SelectedEntries::default();
        picked.start_at(Some(entry("c")));
        picked.extend_to(&order, entry("a"));
        assert_eq!(names(&picked), "a b c");
        picked.extend_to(&order, entry("d"));
        assert_eq!(names(&picked), "a b c d", "it begins where it began");
        picked.extend_to(&order[..2], entry("x"));
        assert_eq!(names(&picked), "a b c d x");
    }

    #[test]
    fn removed_entries_leave_the_selection() {
        let mut picked = SelectedEntries::default();
        picked.add(vec![entry("a"), entry("b"), entry("a")]);
        assert!(picked.keep(|entry| entry.name == "b"));
        assert_eq!(names(&picked), "b");
        assert!(!picked.keep(|_| true));
    }
}
