//! Package tabs. Each keeps its view state while another one is shown.

use super::context_signal::ContextSignal;
use super::{AppContext, CurrentView};
use crate::reactive::effect;
use crate::state::package_tabs::{EditedPackages, PackageRef, PackageTab, PackageTabs};
use crate::state::store::{ViewState, WorkspaceStore};
use leptos::prelude::*;
use protocol::request::Target;
use wasm_bindgen_futures::spawn_local;

/// Package tabs; a tab that was never shown has no view state.
pub type OpenPackages = PackageTabs<Option<ViewState>>;

/// The tabs, and the packages of any catalog that have unsaved edits.
#[derive(Clone, Copy)]
pub struct TabState {
    pub(super) store: WorkspaceStore,
    pub(super) opened: ContextSignal<OpenPackages>,
    pub(super) edited: ContextSignal<EditedPackages>,
}

impl TabState {
    pub(super) fn new(store: WorkspaceStore) -> Self {
        Self {
            store,
            opened: ContextSignal::default(),
            edited: ContextSignal::default(),
        }
    }

    pub fn opened(self) -> ReadSignal<OpenPackages> {
        self.opened.reader()
    }

    pub fn edited(self) -> ReadSignal<EditedPackages> {
        self.edited.reader()
    }

    /// Keeps tabs in sync: the current tab is the view; tabs of removed catalogs and packages are
    /// closed.
    pub(super) fn follow(self, current: CurrentView) {
        effect(move |_| {
            let place = current.place();
            if !place.package.is_empty() {
                self.opened.update(|opened| opened.follow(place));
            }
        });
        effect(move |_| {
            let roots: Vec<String> = self
                .store
                .status
                .with(|status| status.roots.iter().map(|row| row.root.clone()).collect());
            let here = self.store.root.get();
            let packages: Vec<String> = self
                .store
                .packages
                .with(|rows| rows.iter().map(|row| row.name.clone()).collect());
            // While a catalog is being read again, its packages are unknown.
            let is_known = |place: &PackageRef| {
                place.root != here || packages.is_empty() || packages.contains(&place.package)
            };
            self.opened.update(|opened| {
                opened.keep(|place| roots.contains(&place.root) && is_known(place))
            });
        });
        self.follow_edited();
    }

    fn follow_edited(self) {
        let change = move |change: &dyn Fn(&mut EditedPackages)| {
            let mut edited = self.edited.get_untracked();
            change(&mut edited);
            if self.edited.with_untracked(|known| *known != edited) {
                self.edited.set(edited);
            }
        };
        effect(move |_| {
            let root = self.store.root.get();
            self.store.packages.with(|rows| {
                if !rows.is_empty() {
                    change(&|edited| {
                        edited.keep_root(
                            &root,
                            rows.iter().map(|row| (row.name.as_str(), row.edited)),
                        )
                    });
                }
            });
        });
        effect(move |_| {
            self.store.judged.with(|judged| {
                change(&|edited| {
                    judged
                        .iter()
                        .for_each(|(root, name, is)| edited.set(root, name, *is))
                });
            });
        });
        effect(move |_| {
            let edited_roots: Vec<String> = self.store.status.with(|status| {
                status
                    .roots
                    .iter()
                    .filter(|row| row.edited)
                    .map(|row| row.root.clone())
                    .collect()
            });
            change(&|edited| {
                edited.keep_roots(|root| edited_roots.iter().any(|known| known == root))
            });
        });
    }

    /// Moves the package in view to a new tab, which becomes current.
    pub fn branch(self) {
        let left = Some(self.store.view_state());
        self.opened.update(|opened| opened.branch(None, left));
    }
}

impl AppContext {
    /// Opens a package of the catalog in view in a new tab.
    pub fn open_in_tab(self, package: String) {
        self.workbench.close_drawer();
        let place = PackageRef {
            root: self.store.root.get_untracked(),
            package,
        };
        let is_beside = self
            .second_graph
            .place
            .with_untracked(|beside| beside.as_ref() == Some(&place));
        if is_beside && untrack(|| self.current.place()) != place {
            return self.second_graph.swap_focus();
        }
        let left = Some(self.store.view_state());
        if let Some(open) = self
            .tabs
            .opened
            .try_update(|opened| opened.open(place, left))
        {
            self.show_open(open);
        }
    }

    /// [`TabState::branch`] from its context menu. If opening the menu brought the package into view, its
    /// previous tab returns to what it showed before.
    pub fn branch_tab_from_menu(self) {
        let before = self.overlays.take_before_menu();
        let left = Some(self.store.view_state());
        self.tabs
            .opened
            .update(|opened| opened.branch(before.map(|(place, look)| (place, Some(look))), left));
    }

    pub fn go_to_tab(self, id: u32) {
        if self
            .tabs
            .opened
            .with_untracked(|opened| opened.second().is_some_and(|open| open.id == id))
        {
            return self.second_graph.swap_focus();
        }
        let left = Some(self.store.view_state());
        if let Some(open) = self
            .tabs
            .opened
            .try_update(|opened| opened.go(id, left))
            .flatten()
        {
            self.show_open(open);
        }
    }

    /// Switches to the next tab (`1`) or the previous one (`-1`).
    pub fn walk_tabs(self, step: isize) {
        self.go_to_tab(
            self.tabs
                .opened
                .with_untracked(|opened| opened.beside(step)),
        );
    }

    pub fn close_tab(self, id: u32) {
        if let Some(open) = self
            .tabs
            .opened
            .try_update(|opened| opened.close(id))
            .flatten()
        {
            self.show_open(open);
        }
    }

    pub fn close_current_tab(self) {
        self.close_tab(self.tabs.opened.with_untracked(|opened| opened.current()));
    }

    /// Opens the menu of a package in the list, which brings it into view.
    pub fn open_package_menu(self, package: String, at: (i32, i32)) {
        let place = untrack(|| self.current.place());
        let before = (place.package != package).then(|| (place, self.store.view_state()));
        if before.is_some() {
            self.show_package(package);
        }
        self.open_menu(Target::Package, at);
        self.overlays.note_before_menu(before);
    }

    fn show_open(self, open: PackageTab<Option<ViewState>>) {
        let PackageTab {
            place: PackageRef { root, package },
            look,
            ..
        } = open;
        match look {
            Some(look) => spawn_local(self.store.show_view_state(root, package, look)),
            None => self.show_package(package),
        }
    }
}
