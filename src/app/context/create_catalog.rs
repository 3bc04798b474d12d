//! Catalogs that begin in the page: made, opened, and made again when work on them is gone on with.

use super::{AppContext, Overlay};
use crate::browser::file_tree::{self, FileTree, PickedFile};
use crate::browser::in_memory_files::in_memory_file;
use crate::state::journal::{FolderListing, StoredWork};
use crate::state::new_catalog::{self, NewCatalog};
use crate::state::store::Tab;
use leptos::prelude::*;
use protocol::request::OpenMode;
use std::collections::BTreeMap;
use wasm_bindgen_futures::spawn_local;

/// Where the first package of catalogs that begin is written, by root: what their makers chose.
pub(super) type FirstFiles = StoredValue<BTreeMap<String, String>>;

impl AppContext {
    /// Asks for the layout of a catalog that begins. It is for itself: what was dropped before is added to no catalog now.
    pub fn new_catalog(self) {
        if !self.overlays.holds_work() {
            self.forget_bundles();
            self.overlays.open(Overlay::NewCatalog);
        }
    }

    /// Paths of what is open.
    pub fn open_paths(self) -> Vec<String> {
        self.actions
            .client()
            .folder()
            .paths()
            .map(str::to_owned)
            .collect()
    }

    /// Makes catalogs, beside what is open or in place of it, and shows the first.
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
            // One alone is a catalog by itself.
            if mode == OpenMode::Add || roots.len() > 1 {
                for root in &roots {
                    self.store.treat_as_one(root.clone(), true).await;
                }
            }
            self.first_files.update_value(|first| {
                first.extend(roots.iter().map(|root| (root.clone(), new.first_file())));
            });
            if let Some(root) = roots.into_iter().next() {
                self.store.show_root(root).await;
                // What leads on from there.
                self.store.show_tab(Tab::Graph);
            }
            // Until now what is dropped waits: it is to be added to one of these.
            let waiting = self.overlays.take_bundles();
            self.overlays.close();
            if let Some(dropped) = waiting {
                self.offer_at(dropped.into_tree(), Default::default());
            }
        });
    }

    /// Where the first package of a catalog is written, with `{{.Package}}`; "" where nobody chose.
    pub fn first_file_of(self, root: &str) -> String {
        self.first_files
            .with_value(|first| first.get(root).cloned().unwrap_or_default())
    }

    /// Whether a catalog was begun in the page, and its folder need not be told to be one.
    pub fn is_unsaved_new(self, root: &str) -> bool {
        let folder = self.actions.client().folder();
        folder.files().any(|(path, size)| {
            path.rsplit_once('/').is_some_and(|(of, _)| of == root)
                && new_catalog::text_of(path, size).is_some()
        })
    }

    /// Makes again what earlier work began with and was never on disk: as a whole, in place of what is open.
    pub(super) fn restore_new(self, kept: &StoredWork) {
        let tree = FileTree::from_files(made_again(&kept.folder, &FolderListing::default()));
        self.actions.open(tree, OpenMode::Replace);
    }

    /// What was begun in the page and is open, beside what is read again: it lies in no folder that could be picked.
    pub(super) fn begun_beside(self, tree: &FileTree) -> FileTree {
        let names = FolderListing::new(
            tree.shown_names()
                .into_iter()
                .map(|name| (name, 0))
                .collect(),
        );
        FileTree::from_files(made_again(&self.actions.client().folder(), &names))
    }

    /// Makes again what is missing of earlier work beside what was opened from disk. False if it is still missing.
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

/// The files of catalogs that were begun in the page and are not open.
fn made_again(folder: &FolderListing, open: &FolderListing) -> Vec<PickedFile> {
    folder
        .to_make_again(open)
        .into_iter()
        .filter_map(|(path, text)| in_memory_file(path, text).ok())
        .collect()
}
