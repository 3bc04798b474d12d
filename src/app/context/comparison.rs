//! What users have now against the catalog in view: another catalog, or the same one as it is on disk.

use super::debounced_query;
use crate::reactive::{effect, memo};
use crate::state::package_tabs::PackageRef;
use crate::state::store::WorkspaceStore;
use crate::state::store_signal::StoreSignal;
use leptos::prelude::*;
use protocol::upgrades::{Baseline, ComparedKind, Comparison, EntryChange, PackageComparison};
use std::sync::Arc;
use wasm_bindgen_futures::spawn_local;

#[derive(Clone, Copy)]
pub struct ComparisonState {
    /// As [`WorkspaceStore::against`].
    pub old: StoreSignal<Option<Baseline>>,
    /// A package that only the other catalog has and that is looked at; else the one in view is.
    pub gone: RwSignal<Option<String>>,
    pub catalogs: ReadSignal<Option<Arc<Comparison>>>,
    /// The package looked at, in both.
    pub package: ReadSignal<Option<Arc<PackageComparison>>>,
    /// Entries of the package in view that differ from the disk; requested a moment after an edit, so that no edit
    /// waits for it.
    pub unsaved: ReadSignal<Option<UnsavedEntries>>,
}

/// The unsaved changes of a package.
#[derive(Debug, Clone, PartialEq)]
pub struct UnsavedEntries {
    pub root: String,
    pub package: String,
    pub entries: Vec<EntryChange>,
}

impl UnsavedEntries {
    pub fn is_of(&self, place: &PackageRef) -> bool {
        place.is(&self.root, &self.package)
    }

    pub fn has_removed(&self) -> bool {
        self.entries.iter().any(|entry| entry.kind == ComparedKind::Removed)
    }
}

impl ComparisonState {
    pub fn new(store: WorkspaceStore) -> Self {
        let old = store.against;
        let wanted = memo(move |_| store.compared_with());
        // Removed entries are drawn in the lanes.
        effect(move |before: Option<Option<Baseline>>| {
            let wanted = wanted.get();
            if before.is_some_and(|before| before != wanted) {
                spawn_local(store.refresh_view());
            }
            wanted
        });
        let roots = move || Some((wanted.get()?, store.root.get(), store.status.with(|status| status.revision)));
        let catalogs = debounced_query(Signal::derive(roots), move |(old, new, _)| store.compare(old, new));
        let gone = RwSignal::new(None::<String>);
        effect(move |_| {
            store.package.track();
            gone.set(None);
        });
        let cluster = memo(move |_| store.question.with(|question| question.cluster.clone()));
        let wanted =
            Signal::derive(move || Some((roots()?, gone.get().or_else(|| store.package.get())?, cluster.get())));
        let package = debounced_query(wanted, move |((old, new, _), package, cluster)| {
            store.compare_package((old, new), package, cluster)
        });
        let is_edited =
            move |name: &String| store.packages.with(|rows| rows.iter().any(|row| row.name == *name && row.edited));
        let edited = Signal::derive(move || {
            let name = store.package.get().filter(is_edited)?;
            Some((store.root.get(), name, store.status.with(|status| status.revision)))
        });
        let unsaved = debounced_query(edited, move |(root, package, _)| async move {
            let entries = store.unsaved(root.clone(), package.clone()).await?;
            Some(UnsavedEntries { root, package, entries })
        });
        effect(move |_| {
            let of = unsaved.with(|found| {
                let found = found.as_ref().filter(|found| found.has_removed())?;
                Some((found.root.clone(), found.package.clone()))
            });
            spawn_local(store.draw_removed(of));
        });
        Self { old, gone, catalogs, package, unsaved }
    }
}
