//! Opening files and reloading them from disk, for the panels.

use super::AppContext;
use crate::browser::file_input_ids::click_folder;
use crate::browser::file_tree::{self, FileTree};
use crate::browser::sample;
use crate::edits::suggestions::catalog_name;
use crate::state::older_catalog::is_newer;
use crate::state::store::Tab;
use crate::words;
use leptos::prelude::*;
use protocol::request::OpenMode;
use protocol::upgrades::Baseline;
use wasm_bindgen_futures::spawn_local;

impl AppContext {
    /// Opens dropped or picked catalog files. If a workspace is already open, the user is asked
    /// what to do with them.
    pub fn offer_catalogs(self, mut tree: FileTree) {
        if self.current.is_open.get_untracked() {
            // The answer may take any time.
            tree.forget_listings();
            self.overlays.ask_of(tree);
        } else {
            self.actions.open(tree, OpenMode::Replace);
        }
    }

    /// The answer to the question of [`AppContext::offer_catalogs`]; `None` discards the files.
    pub fn take_dropped(self, mode: Option<OpenMode>) {
        self.overlays.close();
        let tree = self.overlays.take_dropped();
        match (tree, mode) {
            (Some(tree), Some(OpenMode::Add)) => spawn_local(self.add(tree)),
            (Some(tree), Some(mode)) => self.actions.open(tree, mode),
            _ => {}
        }
    }

    /// Opens files beside the others and reports new catalogs: the view stays.
    async fn add(self, tree: FileTree) {
        let names = |known: &[String]| {
            self.store.status.with_untracked(|status| {
                let added = status
                    .roots
                    .iter()
                    .filter(|row| row.is_catalog() && !known.contains(&row.root));
                added
                    .map(|row| catalog_name(&status.roots, &row.root))
                    .collect::<Vec<_>>()
            })
        };
        let known: Vec<String> = self
            .store
            .status
            .with_untracked(|status| status.roots.iter().map(|row| row.root.clone()).collect());
        self.actions.open_now(tree, OpenMode::Add).await;
        let added = names(&known);
        if !added.is_empty() {
            self.notifications
                .toasts
                .note(format!("Added {}.", words::list_names(&added)));
        }
    }

    /// Opens dropped files beside the others and compares them with the catalog in view: users move
    /// from the older to the newer one.
    pub fn compare_dropped(self) {
        self.overlays.close();
        let Some(tree) = self.overlays.take_dropped() else {
            return;
        };
        let roots = move || {
            self.store
                .status
                .with_untracked(|status| status.roots.clone())
        };
        let known: Vec<String> = roots().into_iter().map(|row| row.root).collect();
        let (in_view, names) = (self.store.root.get_untracked(), tree.shown_names());
        spawn_local(async move {
            self.actions.open_now(tree, OpenMode::Add).await;
            let added: Vec<String> = roots()
                .into_iter()
                .map(|row| row.root)
                .filter(|row| !known.contains(row))
                .collect();
            // Among several catalogs, the one with the same name, as for the same version on
            // another branch.
            let last = |root: &str| root.rsplit('/').next().unwrap_or_default().to_owned();
            let same = added
                .iter()
                .find(|root| last(root) == last(&in_view))
                .or(added.first());
            if let Some(dropped) = same.cloned() {
                let own = self.store.packages_of(in_view.clone()).await;
                let others = self.store.packages_of(dropped.clone()).await;
                let is_dropped_newer = is_newer((&dropped, &others), (&in_view, &own));
                let old = if is_dropped_newer {
                    in_view
                } else {
                    dropped.clone()
                };
                if is_dropped_newer {
                    self.store
                        .compare_catalog(dropped.clone(), Baseline::Catalog(old));
                    self.show_root(dropped);
                } else {
                    self.store.compare_with(Some(Baseline::Catalog(old)));
                }
                self.store.show_tab(Tab::Compare);
            } else {
                let what = words::list_names(&names);
                self.notifications.toasts.error(format!(
                    "Nothing to compare: {what} has no catalog that was not open."
                ));
            }
        });
    }

    /// Asks for a folder: with the browser's picker if it provides handles, else with the input.
    pub fn open_folder(self) {
        if !file_tree::can_pick_folder() {
            return click_folder();
        }
        spawn_local(async move {
            if let Some(tree) = file_tree::pick_folder().await {
                self.offer(tree);
            }
        });
    }

    pub fn open_sample(self) {
        spawn_local(async move {
            match sample::fetch().await {
                Ok(tree) => {
                    self.offer(tree);
                }
                Err(error) => self.notifications.toasts.error(format!(
                    "The sample cannot be read: {}",
                    file_tree::error_message(&error)
                )),
            }
        });
    }

    /// Cancels waiting for pending worker requests.
    pub fn give_up(self) {
        self.actions.client().give_up();
    }

    /// Restarts the worker, whatever it is doing; the new one gets the files and edits.
    pub fn restart_worker(self) {
        self.actions.client().restart();
    }

    /// The user picked the folder again, because the browser has no handle to the disk.
    pub fn reload_from(self, mut tree: FileTree) {
        tree.extend(self.new_catalogs.begun_beside(&tree));
        self.actions.open(tree, OpenMode::Reload);
    }

    pub fn treat_as_one(self, folder: String, as_one: bool) {
        spawn_local(async move {
            self.store.treat_as_one(folder, as_one).await;
        });
    }
}
