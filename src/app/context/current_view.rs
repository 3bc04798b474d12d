//! The store's view for panels: the package in view, its selection, and the progress of an open.

use crate::browser::performance_marks;
use crate::edits::suggestions::catalog_name;
use crate::reactive::{effect, memo};
use crate::state::package_tabs::PackageRef;
use crate::state::store::{Phase, Progress, WorkspaceStore};
use leptos::prelude::*;
use protocol::lanes::Lanes;
use protocol::request::Target;
use protocol::response::PackageView;
use protocol::views::EntryRef;
use std::sync::Arc;

#[derive(Clone, Copy)]
pub struct CurrentView {
    store: WorkspaceStore,
    /// Whether a workspace is open, also while another one is being opened.
    pub is_open: Memo<bool>,
    /// The progress of an open; `None` if there is none.
    pub progress: Memo<Option<Progress>>,
    /// Duration of the last open.
    pub open_ms: ReadSignal<f64>,
    /// Name of the package in view; "" if there is none.
    pub package: Memo<String>,
    /// The package in view; empty until loaded.
    pub view: Signal<Arc<PackageView>>,
    pub lanes: Memo<Arc<Lanes>>,
    /// The selection; defaults to the package itself.
    pub target: Memo<Target>,
}

impl CurrentView {
    pub(super) fn new(store: WorkspaceStore) -> Self {
        let progress = memo(move |_| match store.phase.get() {
            Phase::Opening(progress) => Some(progress),
            Phase::Empty | Phase::Open => None,
        });
        Self {
            store,
            is_open: memo(move |_| {
                store.phase.with(|phase| *phase == Phase::Open)
                    || store.status.with(|status| {
                        status.files > 0 || !status.roots.is_empty() || status.repository.is_some()
                    })
            }),
            progress,
            open_ms: elapsed_seconds(progress),
            package: memo(move |_| store.package.get().unwrap_or_default()),
            view: Signal::derive(move || store.view.get().unwrap_or_default()),
            // Lanes are replaced once per view; comparing them would cost more than redrawing.
            lanes: Memo::new_with_compare(
                move |_| {
                    store.view.with(|view| {
                        view.as_ref()
                            .map(|view| view.lanes.clone())
                            .unwrap_or_default()
                    })
                },
                |_, _| true,
            ),
            target: memo(move |_| store.selection.get().unwrap_or(Target::Package)),
        }
    }

    /// Catalog and package in view.
    pub(super) fn place(self) -> PackageRef {
        PackageRef {
            root: self.store.root.get(),
            package: self.package.get(),
        }
    }

    /// A catalog's name in forms.
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

    /// The selected entry for lanes and table.
    pub fn selected_entry(self) -> Option<EntryRef> {
        match self.target.get() {
            Target::Entry { channel, name } => Some(EntryRef { channel, name }),
            _ => None,
        }
    }
}

/// Measures from the start to the end of progress.
fn elapsed_seconds(progress: Memo<Option<Progress>>) -> ReadSignal<f64> {
    let (took, set_took) = signal(0.0);
    effect(move |started: Option<Option<f64>>| {
        let is_opening = progress.with(Option::is_some);
        match (started.flatten(), is_opening) {
            (None, true) => Some(performance_marks::now()),
            (Some(start), false) => {
                set_took.set(performance_marks::now() - start);
                None
            }
            (started, _) => started,
        }
    });
    took
}
