//! Compares the catalog in view with what users have now: another catalog, or the same one on disk.

use super::debounced_query;
use crate::reactive::{effect, memo};
use crate::state::package_tabs::PackageRef;
use crate::state::store::SessionStore;
use leptos::prelude::*;
use protocol::query::{Compare, ComparePackage, Unsaved};
use protocol::upgrades::{Baseline, ComparedKind, Comparison, EntryChange, PackageComparison};
use std::sync::Arc;
use wasm_bindgen_futures::spawn_local;

#[derive(Clone, Copy)]
pub struct ComparisonState {
    /// The baseline of the comparison.
    pub old: Memo<Option<Baseline>>,
    /// A package that only the other catalog has, if it is being viewed instead of the one in view.
    pub gone: RwSignal<Option<String>>,
    pub catalogs: ReadSignal<Option<Arc<Comparison>>>,
    /// The viewed package in both catalogs.
    pub package: ReadSignal<Option<Arc<PackageComparison>>>,
    /// Entries of the package in view that differ from the disk.
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
        self.entries
            .iter()
            .any(|entry| entry.kind == ComparedKind::Removed)
    }
}

/// Queries the unsaved changes of a package, given with its root and the session's revision. The
/// query is sent shortly after an edit, so that edits do not wait for it.
pub(super) fn unsaved_entries(
    store: SessionStore,
    edited: Signal<Option<(String, String, u64)>>,
) -> ReadSignal<Option<UnsavedEntries>> {
    debounced_query(edited, move |(root, package, _)| async move {
        let query = Unsaved {
            root: root.clone(),
            package: package.clone(),
        };
        let entries = store.ask(query).await.ok()?;
        Some(UnsavedEntries {
            root,
            package,
            entries,
        })
    })
}

impl ComparisonState {
    pub(super) fn new(store: SessionStore) -> Self {
        let old = memo(move |_| store.comparison.baseline());
        let wanted = old;
        effect(move |before: Option<String>| {
            let root = store.root.get();
            if before.is_some_and(|before| before != root) {
                store.comparison.end_elsewhere();
            }
            root
        });
        // Removed entries are drawn in the lanes.
        effect(move |before: Option<Option<Baseline>>| {
            let wanted = wanted.get();
            if before.is_some_and(|before| before != wanted) {
                spawn_local(store.refresh_view());
            }
            wanted
        });
        let roots = move || {
            Some((
                wanted.get()?,
                store.root.get(),
                store.status.with(|status| status.revision),
            ))
        };
        let catalogs = debounced_query(Signal::derive(roots), move |(old, root, _)| async move {
            store.ask(Compare { old, root }).await.ok().map(Arc::new)
        });
        let gone = RwSignal::new(None::<String>);
        effect(move |_| {
            store.package.track();
            gone.set(None);
        });
        let cluster = memo(move |_| store.question.with(|question| question.cluster.clone()));
        let wanted = Signal::derive(move || {
            Some((
                roots()?,
                gone.get().or_else(|| store.package.get())?,
                cluster.get(),
            ))
        });
        let package = debounced_query(wanted, move |((old, root, _), package, cluster)| {
            let query = ComparePackage {
                old,
                root,
                package,
                cluster,
            };
            async move { store.ask(query).await.ok().map(Arc::new) }
        });
        let is_edited = move |name: &String| {
            store
                .packages
                .with(|rows| rows.iter().any(|row| row.name == *name && row.edited))
        };
        let edited = Signal::derive(move || {
            let name = store.package.get().filter(is_edited)?;
            Some((
                store.root.get(),
                name,
                store.status.with(|status| status.revision),
            ))
        });
        let unsaved = unsaved_entries(store, edited);
        effect(move |_| {
            let removed = unsaved.with(|entries| {
                let entries = entries.as_ref().filter(|entries| entries.has_removed())?;
                Some((entries.root.clone(), entries.package.clone()))
            });
            spawn_local(store.draw_removed(removed));
        });
        Self {
            old,
            gone,
            catalogs,
            package,
            unsaved,
        }
    }
}
