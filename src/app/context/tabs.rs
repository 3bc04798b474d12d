//! Package tabs, each with its view state, and the packages with unsaved edits.

use super::{AppContext, ContextSignal, CurrentView};
use crate::reactive::effect;
use crate::state::package_tabs::{EditedPackages, PackageRef, PackageTab, PackageTabs};
use crate::state::store::{SessionStore, ViewState};
use leptos::prelude::*;
use protocol::request::Target;
use wasm_bindgen_futures::spawn_local;

/// Package tabs; a tab that was never shown has no view state.
pub type OpenPackages = PackageTabs<Option<ViewState>>;

/// The tabs, and the packages of any catalog that have unsaved edits.
#[derive(Clone, Copy)]
pub struct TabState {
    pub(super) store: SessionStore,
    pub opened: ContextSignal<OpenPackages>,
    pub edited: ContextSignal<EditedPackages>,
}

impl TabState {
    pub(super) fn new(store: SessionStore) -> Self {
        Self {
            store,
            opened: ContextSignal::default(),
            edited: ContextSignal::default(),
        }
    }

    /// Keeps tabs in sync: the current tab is the view; tabs of removed catalogs and packages are
    /// closed.
    pub(super) fn keep_in_sync(self, current: CurrentView) {
        effect(move |_| {
            let place = current.place();
            if !place.package.is_empty() {
                self.opened
                    .update(|opened| opened.set_current_package(place));
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
                opened.retain_present(|place| roots.contains(&place.root) && is_known(place))
            });
        });
        self.track_edited();
    }

    /// Keeps the list of edited packages up to date.
    fn track_edited(self) {
        let change = move |change: &dyn Fn(&mut EditedPackages)| {
            let mut edited = self.edited.get_untracked();
            change(&mut edited);
            if self.edited.with_untracked(|before| *before != edited) {
                self.edited.set(edited);
            }
        };
        effect(move |_| {
            let root = self.store.root.get();
            self.store.packages.with(|rows| {
                if !rows.is_empty() {
                    change(&|edited| {
                        edited.replace_root(
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
                        .for_each(|(root, name, is_edited)| edited.set(root, name, *is_edited))
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
                edited.retain_roots(|root| edited_roots.iter().any(|edited| edited == root))
            });
        });
    }

    /// Moves the package in view to a new tab, which becomes current.
    pub fn branch(self) {
        let view_state = Some(self.store.view_state());
        self.opened
            .update(|opened| opened.move_to_new_tab(None, view_state));
    }
}

/// Opens a package of the catalog in view in a new tab.
pub fn open_in_tab(app: AppContext, package: String) {
    app.workbench.close_drawer();
    let place = PackageRef {
        root: app.store.root.get_untracked(),
        package,
    };
    let is_beside = app
        .second_graph
        .place
        .with_untracked(|beside| beside.as_ref() == Some(&place));
    if is_beside && untrack(|| app.current.place()) != place {
        return app.second_graph.swap_focus();
    }
    let view_state = Some(app.store.view_state());
    change_tabs(app, |opened| Some(opened.open(place, view_state)));
}

/// Runs [`TabState::branch`] from the context menu. If opening the menu brought the package
/// into view, its previous tab returns to what it showed before.
pub fn branch_tab_from_menu(app: AppContext) {
    let before = app.overlays.take_before_menu();
    let previous = before.map(|(place, view_state)| (place, Some(view_state)));
    let view_state = Some(app.store.view_state());
    app.tabs
        .opened
        .update(|opened| opened.move_to_new_tab(previous, view_state));
}

pub fn go_to_tab(app: AppContext, id: u32) {
    if app
        .tabs
        .opened
        .with_untracked(|opened| opened.second().is_some_and(|open| open.id == id))
    {
        return app.second_graph.swap_focus();
    }
    let view_state = Some(app.store.view_state());
    change_tabs(app, |opened| opened.switch_to(id, view_state));
}

/// Switches to the next tab (`1`) or the previous one (`-1`).
pub fn walk_tabs(app: AppContext, step: isize) {
    go_to_tab(
        app,
        app.tabs
            .opened
            .with_untracked(|opened| opened.neighbor(step)),
    );
}

pub fn close_tab(app: AppContext, id: u32) {
    change_tabs(app, |opened| opened.close(id));
}

pub fn close_current_tab(app: AppContext) {
    close_tab(
        app,
        app.tabs.opened.with_untracked(|opened| opened.current()),
    );
}

/// Opens the menu of a package in the list, which brings it into view.
pub fn open_package_menu(app: AppContext, package: String, position: (i32, i32)) {
    let place = untrack(|| app.current.place());
    let before = (place.package != package).then(|| (place, app.store.view_state()));
    if before.is_some() {
        app.show_package(package);
    }
    app.open_menu(Target::Package, position);
    app.overlays.note_before_menu(before);
}

/// Changes the tabs and shows the tab that `change` returns.
fn change_tabs(
    app: AppContext,
    change: impl FnOnce(&mut OpenPackages) -> Option<PackageTab<Option<ViewState>>>,
) {
    let shown = app.tabs.opened.signal.try_update(change);
    let Some(tab) = shown.flatten() else { return };
    let PackageRef { root, package } = tab.place;
    match tab.view {
        Some(view_state) => spawn_local(app.store.show_view_state(root, package, view_state)),
        None => app.show_package(package),
    }
}
