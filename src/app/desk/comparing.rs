//! What users have now against the catalog in view: another catalog, or the same one as it is on disk.

use super::latest;
use crate::state::kept::Kept;
use crate::state::opened::Place;
use crate::state::session::Session;
use leptos::prelude::*;
use protocol::upgrades::{Baseline, ComparedKind, Comparison, EntryChange, PackageComparison};
use std::sync::Arc;
use wasm_bindgen_futures::spawn_local;

#[derive(Clone, Copy)]
pub struct Comparing {
    /// As [`Session::against`].
    pub old: Kept<Option<Baseline>>,
    /// A package that only the other catalog has and that is looked at; else the one in view is.
    pub gone: RwSignal<Option<String>>,
    pub catalogs: ReadSignal<Option<Arc<Comparison>>>,
    /// The package looked at, in both.
    pub package: ReadSignal<Option<Arc<PackageComparison>>>,
    /// Entries of the package in view that are not as they are on disk; asked for a moment after an edit, so that none
    /// waits for it.
    pub unsaved: ReadSignal<Option<Unsaved>>,
}

/// What is not saved of a package.
#[derive(Debug, Clone, PartialEq)]
pub struct Unsaved {
    pub root: String,
    pub package: String,
    pub entries: Vec<EntryChange>,
}

impl Unsaved {
    pub fn is_of(&self, place: &Place) -> bool {
        place.is(&self.root, &self.package)
    }

    pub fn has_removed(&self) -> bool {
        self.entries.iter().any(|entry| entry.kind == ComparedKind::Removed)
    }
}

impl Comparing {
    pub fn new(session: Session) -> Self {
        let old = session.against;
        let wanted = Memo::new(move |_| session.compared_with());
        // What is gone is drawn in the lanes.
        Effect::new(move |before: Option<Option<Baseline>>| {
            let wanted = wanted.get();
            if before.is_some_and(|before| before != wanted) {
                spawn_local(session.refresh_view());
            }
            wanted
        });
        let roots = move || Some((wanted.get()?, session.root.get(), session.status.with(|status| status.revision)));
        let catalogs = latest(Signal::derive(roots), move |(old, new, _)| session.compare(old, new));
        let gone = RwSignal::new(None::<String>);
        Effect::new(move |_| {
            session.package.track();
            gone.set(None);
        });
        let wanted = Signal::derive(move || Some((roots()?, gone.get().or_else(|| session.package.get())?)));
        let package = latest(wanted, move |((old, new, _), package)| session.compare_package(old, new, package));
        let is_edited =
            move |name: &String| session.packages.with(|rows| rows.iter().any(|row| row.name == *name && row.edited));
        let edited = Signal::derive(move || {
            let name = session.package.get().filter(is_edited)?;
            Some((session.root.get(), name, session.status.with(|status| status.revision)))
        });
        let unsaved = latest(edited, move |(root, package, _)| async move {
            let entries = session.unsaved(root.clone(), package.clone()).await?;
            Some(Unsaved { root, package, entries })
        });
        Effect::new(move |_| {
            let of = unsaved.with(|found| {
                let found = found.as_ref().filter(|found| found.has_removed())?;
                Some((found.root.clone(), found.package.clone()))
            });
            spawn_local(session.draw_removed(of));
        });
        Self { old, gone, catalogs, package, unsaved }
    }
}
