//! Catalogs started in the page: created, opened, and recreated when work on them is continued.

use super::{AppContext, Overlay};
use crate::actions::Actions;
use crate::browser::file_tree::{self, FileTree, PickedFile};
use crate::browser::in_memory_files::in_memory_file;
use crate::state::journal::{FolderListing, StoredWork};
use crate::state::new_catalog::{self, NewCatalog};
use crate::state::store::Tab;
use leptos::prelude::*;
use protocol::request::OpenMode;
use std::collections::BTreeMap;
use wasm_bindgen_futures::spawn_local;

/// The catalogs started in the page.
#[derive(Clone, Copy)]
pub struct NewCatalogs {
    actions: Actions,
    /// Path of the first package's file, by root, as chosen by the user.
    first_files: StoredValue<BTreeMap<String, String>>,
}

impl NewCatalogs {
    pub(super) fn new(actions: Actions) -> Self {
        Self {
            actions,
            first_files: StoredValue::default(),
        }
    }

    /// The open paths.
    pub fn open_paths(self) -> Vec<String> {
        self.actions
            .client()
            .folder()
            .paths()
            .map(str::to_owned)
            .collect()
    }

    /// The path of a catalog's first package file, with `{{.Package}}`; "" if not chosen.
    pub fn first_file_of(self, root: &str) -> String {
        self.first_files
            .with_value(|first| first.get(root).cloned().unwrap_or_default())
    }

    /// Whether a catalog was started in the page, so that its folder needs no explanation.
    pub fn is_unsaved_new(self, root: &str) -> bool {
        let folder = self.actions.client().folder();
        folder.files().any(|(path, size)| {
            path.rsplit_once('/').is_some_and(|(of, _)| of == root)
                && new_catalog::text_of(path, size).is_some()
        })
    }

    /// Recreates the never saved files of earlier work, replacing what is open.
    pub(super) fn restore_new(self, kept: &StoredWork) {
        let tree = FileTree::from_files(made_again(&kept.folder, &FolderListing::default()));
        self.actions.open(tree, OpenMode::Replace);
    }

    /// The open files started in the page, to be added to a reload: they are in no folder that
    /// could be picked.
    pub(super) fn begun_beside(self, tree: &FileTree) -> FileTree {
        let names = FolderListing::new(
            tree.shown_names()
                .into_iter()
                .map(|name| (name, 0))
                .collect(),
        );
        FileTree::from_files(made_again(&self.actions.client().folder(), &names))
    }

    /// Recreates missing files of earlier work beside those opened from disk. False if some are
    /// still missing.
    pub(super) async fn restore_new_beside(self, kept: &StoredWork) -> bool {
        let missing = made_again(&kept.folder, &self.actions.client().folder());
        if !missing.is_empty() {
            self.actions
                .open_now(FileTree::from_files(missing), OpenMode::Add)
                .await;
        }
        kept.folder
            .to_make_again(&self.actions.client().folder())
            .is_empty()
    }
}

impl AppContext {
    /// Asks for the layout of a new catalog. Earlier dropped files are not added to it.
    pub fn new_catalog(self) {
        if !self.overlays.holds_work() {
            self.forget_bundles();
            self.overlays.open(Overlay::NewCatalog);
        }
    }

    /// Creates catalogs, beside or instead of the open ones, and shows the first.
    pub fn create_catalogs(self, new: NewCatalog, mode: OpenMode) {
        let files: Result<Vec<PickedFile>, _> = new
            .files()
            .into_iter()
            .map(|(path, text)| in_memory_file(path, text))
            .collect();
        let files = match files {
            Ok(files) => files,
            Err(error) => {
                let why = file_tree::error_message(&error);
                return self
                    .notifications
                    .toasts
                    .error(format!("The catalog cannot be created: {why}."));
            }
        };
        spawn_local(async move {
            self.actions
                .open_now(FileTree::from_files(files), mode)
                .await;
            let roots = new.roots();
            // A single one is a catalog by itself.
            if mode == OpenMode::Add || roots.len() > 1 {
                for root in &roots {
                    self.store.treat_as_one(root.clone(), true).await;
                }
            }
            self.new_catalogs.first_files.update_value(|first| {
                first.extend(roots.iter().map(|root| (root.clone(), new.first_file())));
            });
            if let Some(root) = roots.into_iter().next() {
                self.store.show_root(root).await;
                // The graph tab shows the next steps.
                self.store.show_tab(Tab::Graph);
            }
            // Dropped bundles have waited for one of these.
            let waiting = self.overlays.take_bundles();
            self.overlays.close();
            if let Some(dropped) = waiting {
                self.offer_at(dropped.into_tree(), Default::default());
            }
        });
    }
}

/// The files of catalogs started in the page that are not open.
fn made_again(folder: &FolderListing, open: &FolderListing) -> Vec<PickedFile> {
    folder
        .to_make_again(open)
        .into_iter()
        .filter_map(|(path, text)| in_memory_file(path, text).ok())
        .collect()
}
