//! Navigation: views, selection, open problems and context menus.

use super::{AppContext, EdgeMenu, MenuSubject, Overlay};
use crate::reactive::spawn_local;
use crate::state::element_ids::{COMPARE_WITH, SELECTED_NODE};
use crate::state::layout::Pane;
use crate::state::problems::rows::find_again;
use crate::state::store::{SourcePlace, Tab};
use crate::widgets::dom;
use leptos::prelude::*;
use protocol::diagnostic::{Diagnostic, Location};
use protocol::request::Target;
use protocol::upgrades::Baseline;
use protocol::views::{EntryRef, Hit, UpgradeQuestion};

impl AppContext {
    pub fn show_root(self, root: String) {
        spawn_local(async move {
            self.store.show_root(root.clone()).await;
            if self.store.root.get_untracked() == root {
                show_package_in_source(self).await;
            }
        });
    }

    /// Shows a package of the catalog in view. If it is in view, selects the package itself.
    pub fn show_package(self, package: String) {
        if self.current.package.get_untracked() == package {
            self.select(Target::Package);
        }
        self.comparison.removed_package.set(None);
        self.store.leave_source();
        spawn_local(async move {
            self.store.show_package(package.clone()).await;
            if self.current.package.get_untracked() == package {
                show_package_in_source(self).await;
            }
        });
    }

    /// Selects a single object of the package in view.
    pub fn select(self, target: Target) {
        let entry = target.clone().into_entry();
        self.selected_entries.start_at(entry);
        if self.current.target.get_untracked() != target {
            spawn_local(
                self.store
                    .select((target != Target::Package).then_some(target)),
            );
        }
    }

    /// Selects what contains the selection: the channel of an entry, or else the package.
    pub fn select_parent(self) {
        let is_multiple = self
            .selected_entries
            .picked
            .with_untracked(|picked| !picked.is_empty());
        self.select(match self.current.target.get_untracked() {
            Target::Entry { channel, .. } if !is_multiple => Target::Channel { channel },
            _ => Target::Package,
        });
    }

    /// Toggles an entry in the multiple selection; the inspector shows an added one.
    pub fn pick_entry(self, entry: EntryRef) {
        let picked = self.selected_entries.picked;
        picked.update(|picked| picked.toggle(entry.clone()));
        inspect_if_selected(self, entry);
    }

    /// Selects the range from the last entry to this one, as ordered in `order`.
    pub fn pick_entries_to(self, order: &[EntryRef], entry: EntryRef) {
        let picked = self.selected_entries.picked;
        picked.update(|picked| picked.extend_to(order, entry.clone()));
        inspect_if_selected(self, entry);
    }

    pub fn show_source(self, location: Location) {
        if !location.file.is_empty() {
            spawn_local(async move {
                self.store
                    .show_source(SourcePlace::new(&location), false)
                    .await;
            });
        }
    }

    /// Shows the source line of an entry, as listed in the table.
    pub fn show_source_of(self, entry: &EntryRef) {
        let location = self.current.view.with_untracked(|view| {
            let row = view.row(&entry.channel, &entry.name)?;
            Some(row.location.clone())
        });
        if let Some(location) = location {
            self.show_source(location);
        }
    }

    /// Shows the source lines of the selection.
    pub fn show_source_of_selected(self) {
        match selected_location(self) {
            Some(location) => self.show_source(location),
            None => self.store.tab.show(Tab::Source),
        }
    }

    /// Puts the caret at a location in the source, and selects what it belongs to. `root` is its
    /// catalog; `None` for the one in view.
    pub fn edit_as_text(self, root: Option<String>, location: Location) {
        self.edit_at(root, SourcePlace::new(&location));
    }

    /// Like [`Self::edit_as_text`], and selects the text of a match.
    pub fn edit_at(self, root: Option<String>, place: SourcePlace) {
        self.overlays.close();
        spawn_local(async move {
            if let Some(root) = root
                && !self.store.go_to_root(&root).await
            {
                return;
            }
            self.text_steps.focus.set_value(true);
            self.selected_entries.clear();
            self.store.show_source(place, true).await;
        });
    }

    pub fn ask_upgrade(self, change: impl FnOnce(&mut UpgradeQuestion)) {
        let mut question = self.store.question.get_untracked();
        change(&mut question);
        if self
            .store
            .question
            .with_untracked(|current| *current != question)
        {
            spawn_local(self.store.set_question(question));
        }
    }

    /// Opens the menu of an object and selects only it.
    pub fn open_menu(self, target: Target, position: (i32, i32)) {
        self.select(target.clone());
        self.overlays
            .open_menu(MenuSubject::Object(target), position);
    }

    /// Opens the menu of an entry, or of the multiple selection that contains it.
    pub fn open_entry_menu(self, entry: EntryRef, position: (i32, i32)) {
        if self
            .selected_entries
            .picked
            .with_untracked(|picked| picked.has(&entry))
        {
            self.overlays
                .open_menu(MenuSubject::SelectedEntries, position);
        } else {
            self.open_menu(entry.into(), position);
        }
    }

    /// Opens the menu of an edge and selects its entry.
    pub fn open_edge_menu(self, edge: EdgeMenu, position: (i32, i32)) {
        self.select(edge.entry.clone().into());
        self.overlays.open_menu(MenuSubject::Edge(edge), position);
    }
}

/// Shows the effect of this tab's edits on users: compares the catalog in view, or else an
/// edited one, with the disk.
pub fn compare_with_disk(app: AppContext) {
    if !app.current.is_open.get_untracked() {
        return;
    }
    app.overlays.close();
    let in_view = app.store.root.get_untracked();
    let edited = app.store.status.with_untracked(|status| {
        let mut edited = status.roots.iter().filter(|row| row.edited);
        let first = edited.next()?.root.clone();
        (first != in_view && edited.all(|row| row.root != in_view)).then_some(first)
    });
    if let Some(root) = edited {
        app.show_root(root);
    }
    show_comparison_with_disk(app);
}

/// Like [`compare_with_disk`], for one package of one catalog.
pub fn compare_package_with_disk(app: AppContext, root: String, package: String) {
    app.overlays.close();
    spawn_local(async move {
        app.store.go_to(&root, &package).await;
        show_comparison_with_disk(app);
    });
}

fn show_comparison_with_disk(app: AppContext) {
    app.store.comparison.choose(Some(Baseline::Disk));
    app.store.tab.show(Tab::Compare);
    dom::focus_id_later(COMPARE_WITH.to_owned());
}

/// Shows the source of the package in view, if the source tab is open and nothing is selected.
pub(super) async fn show_package_in_source(app: AppContext) {
    if app.store.selection.with_untracked(Option::is_none)
        && app.store.tab.get_untracked() == Tab::Source
        && let Some(location) = selected_location(app)
    {
        let place = SourcePlace::new(&location);
        app.store.show_source(place, false).await;
    }
}

/// Returns the position of the selection in a file.
fn selected_location(app: AppContext) -> Option<Location> {
    let location = app
        .store
        .inspection
        .with_untracked(|inspection| inspection.as_ref()?.location.clone());
    location.filter(|location| !location.file.is_empty())
}

fn inspect_if_selected(app: AppContext, entry: EntryRef) {
    if !app
        .selected_entries
        .picked
        .with_untracked(|picked| picked.has(&entry))
    {
        return;
    }
    let target = Target::from(entry);
    if app.current.target.get_untracked() != target {
        spawn_local(app.store.select(Some(target)));
    }
}

/// Shows an omnibox result in the graph, or in the table if that is in view; a file in the source.
pub fn show_hit(app: AppContext, hit: Hit) {
    let store = app.store;
    if let Some(file) = hit.file {
        return app.edit_as_text(Some(hit.root), Location::start_of(file));
    }
    if let Some(problem) = hit.problem {
        spawn_local(async move {
            if store.go_to_root(&hit.root).await {
                focus_problem(app, problem as usize);
            }
        });
        return;
    }
    let target = match (hit.channel.is_empty(), hit.bundle.is_empty()) {
        (true, true) => Target::Package,
        (false, true) => Target::Channel {
            channel: hit.channel,
        },
        (false, false) => Target::Entry {
            channel: hit.channel,
            name: hit.bundle,
        },
        (true, false) => Target::Bundle { name: hit.bundle },
    };
    show_target(app, hit.root, hit.package, target);
}

/// Selects an object in the graph, or in the table if that is in view, and focuses its node.
pub fn show_target(app: AppContext, root: String, package: String, target: Target) {
    if app.store.tab.get_untracked() != Tab::Table {
        app.store.tab.show(Tab::Graph);
    }
    let is_drawn = matches!(target, Target::Entry { .. } | Target::Bundle { .. })
        && app.store.tab.get_untracked() == Tab::Graph;
    app.selected_entries.start_at(target.clone().into_entry());
    spawn_local(async move {
        let is_shown = app.store.show_target(&root, &package, target).await;
        // Focus the chosen object rather than the previously focused one.
        if is_shown && is_drawn {
            dom::focus_when_drawn(SELECTED_NODE.to_owned());
        }
    });
}

/// Opens a problem in the list and shows its subject: package, entry, line.
pub fn open_problem(app: AppContext, index: usize) {
    let Some(problem) = app
        .store
        .problems
        .with_untracked(|problems| problems.get(index).cloned())
    else {
        return;
    };
    let is_wanted = app.problem_list.show(problem.clone(), index);
    spawn_local(async move { app.store.show_problem(problem, is_wanted).await });
}

/// Opens and focuses the next problem (`1`) or the previous one (`-1`).
pub fn walk_problems(app: AppContext, step: isize) {
    match app.problem_list.step_from(step) {
        Some(index) => focus_problem(app, index),
        None => app.notifications.toasts.note("No problems in the list."),
    }
}

/// Shows the problem list with the focus on a problem, of the package in view if it has any.
pub fn show_problems(app: AppContext) {
    app.workbench.show_pane(Pane::Below);
    let package = app.current.package.get_untracked();
    let stop = app.problem_list.stop.get_untracked();
    let listing = app.problem_list.listing.get_untracked();
    let problems = app.store.problems;
    let listed =
        problems.with_untracked(|problems| listing.first_to_show(problems, &package, stop));
    app.problem_list.wanted.set(listed);
}

/// Opens and focuses the listed problem that equals one shown elsewhere.
pub fn open_same_problem(app: AppContext, problem: &Diagnostic) {
    let index = app
        .store
        .problems
        .with_untracked(|problems| find_again(problems, problem));
    if let Some(index) = index {
        focus_problem(app, index);
    }
}

/// Opens a problem of the list, scrolls to it and focuses it.
fn focus_problem(app: AppContext, index: usize) {
    open_problem(app, index);
    app.workbench.show_drawer(Pane::Below);
    app.problem_list.wanted.set(Some(index));
}

/// Shows a package chosen in the list and closes the list's drawer.
pub fn choose_package(app: AppContext, package: String) {
    if app.workbench.drawer.get_untracked() == Some(Pane::Side) {
        app.workbench.close_drawer();
    }
    app.show_package(package);
}

/// Opens the menu of a package in the list, which brings it into view.
pub fn open_package_menu(app: AppContext, package: String, position: (i32, i32)) {
    if app.current.package.get_untracked() != package {
        app.show_package(package);
    }
    app.open_menu(Target::Package, position);
}

/// Focuses the next visible panel (`1`) or the previous one (`-1`).
pub fn walk_panes(step: isize) {
    const PANES: [&str; 6] = [
        ".header",
        ".side",
        ".centre",
        ".below",
        ".inspector",
        ".status",
    ];
    dom::focus_next_region(&PANES, step);
}

/// Whether the package in view is in a catalog that a cluster can use, that is, not in a
/// template.
pub fn can_try_on_cluster(app: AppContext) -> bool {
    app.current.package.with(|package| !package.is_empty())
        && app.store.root_row().is_some_and(|row| !row.is_template())
}

/// Opens *Try on a cluster…* for the selection.
pub fn try_on_cluster(app: AppContext) {
    if untrack(|| can_try_on_cluster(app)) {
        app.overlays.open(Overlay::TryOnCluster);
    }
}
