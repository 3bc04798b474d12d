//! Opens dropped, picked and newly created files: bundles open a form for their target,
//! Subscriptions and ClusterExtensions become questions, everything else is opened as catalogs. A
//! drop never discards a filled-in form: it is refused until the form is closed.

use super::comparison::{CatalogSummary, is_newer, last_component};
use super::{AppContext, Overlay, navigation};
use crate::browser::document::{self, FOLDER_INPUT};
use crate::browser::file_tree::{self, FileTree, PickedFile, in_memory_file};
use crate::browser::folder_access::{self, Access};
use crate::browser::start_page;
use crate::edits::bundle_form_values::default_bundle_target;
use crate::reactive::spawn_local;
use crate::state::catalogs::{self, NewCatalog};
use crate::state::file_names;
use crate::state::journal::FolderListing;
use crate::state::store::{Notice, Tab, renderings};
use crate::words::{self, manifest_heading, question_text};
use leptos::prelude::*;
use protocol::bundles::{BundlePlacement, DroppedBundles};
use protocol::manifests::{DroppedManifests, ManifestQuestion};
use protocol::operation::EditOp;
use protocol::request::OpenMode;
use protocol::response::OperationRefusal;
use protocol::upgrades::Baseline;
use protocol::views::{RootRow, UpgradeQuestion};
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::FileSystemHandle;

/// Folders with more files are not searched for bundles.
const MAX_WALKED_FILES: usize = 20_000;

/// Where on the page something was dropped; empty outside of a target.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DropPosition {
    pub package: String,
    pub channel: String,
}

/// Dropped and picked files that wait for something.
#[derive(Clone, Copy, Default)]
pub struct DropState {
    /// Files dropped over an open session, waiting for an answer.
    dropped: StoredValue<Option<FileTree>, LocalStorage>,
    /// The subject of the form for dropped bundles.
    bundles: StoredValue<Option<BundleDrop>, LocalStorage>,
    /// Path of the first package's file as chosen by the user, by root of a catalog that was
    /// started in the page.
    first_files: StoredValue<BTreeMap<String, String>>,
    /// How often files were added beside the open ones.
    pub additions: RwSignal<u32>,
}

impl DropState {
    pub fn dropped_names(self) -> Vec<String> {
        self.dropped.with_value(|dropped| {
            dropped
                .as_ref()
                .map(FileTree::display_names)
                .unwrap_or_default()
        })
    }

    /// Returns the files that wait for an answer and forgets them.
    fn take_dropped(self) -> Option<FileTree> {
        self.dropped.try_update_value(Option::take).flatten()
    }

    pub fn bundles(self) -> Option<BundleDrop> {
        self.bundles.get_value()
    }

    pub fn take_bundles(self) -> Option<BundleDrop> {
        self.bundles.try_update_value(Option::take).flatten()
    }

    /// Returns the path of a catalog's first package file, with `{{.Package}}`; "" if not chosen.
    pub fn first_package_file(self, root: &str) -> String {
        self.first_files
            .with_value(|first| first.get(root).cloned().unwrap_or_default())
    }
}

#[derive(Debug, Clone)]
pub struct BundleDrop {
    pub files: Rc<Vec<PickedFile>>,
    pub content: DroppedBundles,
    pub place: DropPosition,
    tree: FileTree,
}

/// The content of a drop that is not a catalog.
enum DropContent {
    Bundles(Box<BundleDrop>),
    Manifests(DroppedManifests),
}

pub fn offer(app: AppContext, tree: FileTree) {
    offer_at(app, tree, DropPosition::default());
}

pub fn offer_at(app: AppContext, tree: FileTree, place: DropPosition) {
    if tree.is_empty() {
        return;
    }
    if app.overlays.has_user_input() && !app.overlays.asks_for_bundle() {
        return refuse(app);
    }
    spawn_local(async move {
        let examination = examine_drop(app, &tree, &place);
        let Some(content) = app.session.await_examination(examination).await else {
            return;
        };
        if matches!(content, Some(DropContent::Bundles(_))) && app.overlays.asks_for_bundle() {
            app.overlays.close_for_files();
        }
        if app.overlays.has_user_input() {
            return refuse(app);
        }
        match content {
            Some(DropContent::Bundles(bundles)) => {
                if app.repository.in_view.get_untracked() {
                    return app.repository.release_dropped(*bundles).await;
                }
                // Without a catalog, the bundles need one first.
                let form = match catalog_for_bundles(app) {
                    Some(_) => Overlay::Bundles,
                    None => Overlay::NewCatalog,
                };
                app.drops.bundles.set_value(Some(*bundles));
                app.overlays.open(form);
            }
            Some(DropContent::Manifests(manifests)) => show_manifests(app, manifests),
            None => offer_catalogs(app, tree),
        }
    });
}

/// Refuses a drop over an overlay with user input.
fn refuse(app: AppContext) {
    let message = "The files were not opened: close the dialog, then drop them again.".to_owned();
    app.store.notices.push(Notice::Failed(message));
}

/// Opens items dropped as bundles as a catalog instead.
pub fn open_bundles_as_catalog(app: AppContext) {
    app.overlays.close();
    if let Some(dropped) = app.drops.take_bundles() {
        offer_catalogs(app, dropped.tree);
    }
}

/// Opens the dropped bundles for rendering a template, without adding them.
pub fn use_bundles_for_rendering(app: AppContext, template: String) {
    app.overlays.close();
    if let Some(dropped) = app.drops.take_bundles() {
        spawn_local(render_with(app, template, dropped.tree));
    }
}

async fn render_with(app: AppContext, template: String, bundles: FileTree) {
    app.session.open_now(bundles, OpenMode::Add).await;
    renderings::show_rendered(app.store, template).await;
}

/// Applies operations that add bundles to a template. Opens the bundles too, so that the
/// template can be rendered with them, and shows the rendering. `refused` receives a refusal.
pub fn apply_to_template(
    app: AppContext,
    title: String,
    ops: Vec<EditOp>,
    template: String,
    refused: impl FnOnce(OperationRefusal) + 'static,
) {
    let bundles = app.drops.bundles().map(|dropped| dropped.tree);
    let render = move || {
        if let Some(bundles) = bundles {
            spawn_local(render_with(app, template, bundles));
        }
    };
    app.apply_and_close(title, ops, render, refused);
}

/// Reads dropped bundles again for the target `placement`. The error is the reason for a
/// failure.
pub async fn read_bundles(
    app: AppContext,
    files: &[PickedFile],
    placement: BundlePlacement,
) -> Result<DroppedBundles, String> {
    match app.session.client().read_bundles(files, placement).await {
        Ok(Some(content)) => Ok(content),
        Ok(None) => Err("the files are no longer bundles".to_owned()),
        Err(error) => Err(error.into_reason()),
    }
}

/// Applies operations that add bundles, and shows a package of the target catalog. `refused`
/// receives a refusal.
pub fn apply_and_show(
    app: AppContext,
    title: String,
    ops: Vec<EditOp>,
    (root, package): (String, String),
    refused: impl FnOnce(OperationRefusal) + 'static,
) {
    let show_package = move || {
        app.drops.take_bundles();
        spawn_local(async move {
            app.store.go_to(&root, &package).await;
            navigation::show_package_in_source(app).await;
        });
    };
    app.apply_and_close(title, ops, show_package, refused);
}

/// Returns the default target catalog or template of bundles, untracked; `None` if none is open.
pub fn catalog_for_bundles(app: AppContext) -> Option<String> {
    let root = app.store.root.get_untracked();
    app.store
        .status
        .with_untracked(|status| default_bundle_target(&status.roots, &root).map(str::to_owned))
}

/// Returns the bundles or upgrade questions in a drop; `None` if it contains something else.
async fn examine_drop(
    app: AppContext,
    tree: &FileTree,
    place: &DropPosition,
) -> Option<DropContent> {
    if !tree.may_hold_bundles().await {
        return read_manifests(app, &find_manifest_texts(tree).await?).await;
    }
    let mut files = tree
        .walk_while(|count| count <= MAX_WALKED_FILES)
        .await?
        .files;
    files.retain(|picked| file_names::may_belong_to_bundle(&picked.path));
    if !file_names::has_bundle_size(files.len(), total_bytes(&files)) {
        return None;
    }
    let root = catalog_for_bundles(app).unwrap_or_default();
    let placement = BundlePlacement {
        root,
        ..BundlePlacement::default()
    };
    if let Some(content) = app
        .session
        .client()
        .read_bundles(&files, placement)
        .await
        .ok()?
    {
        let drop = BundleDrop {
            files: Rc::new(files),
            content,
            place: place.clone(),
            tree: tree.clone(),
        };
        return Some(DropContent::Bundles(Box::new(drop)));
    }
    read_manifests(app, &files).await
}

async fn read_manifests(app: AppContext, files: &[PickedFile]) -> Option<DropContent> {
    let root = app.store.root.get_untracked();
    app.session
        .client()
        .read_manifests(files, root)
        .await
        .ok()?
        .map(DropContent::Manifests)
}

/// Opens dropped or picked catalog files. If a session is already open, the user is asked
/// what to do with them.
fn offer_catalogs(app: AppContext, tree: FileTree) {
    if app.current.is_open.get_untracked() {
        app.drops.dropped.set_value(Some(tree));
        app.overlays.open(Overlay::DropDialog);
    } else {
        app.session.open(tree, OpenMode::Replace);
    }
}

/// Opens the files that [`offer_catalogs`] asked about; `None` discards them.
pub fn open_dropped(app: AppContext, mode: Option<OpenMode>) {
    app.overlays.close();
    let tree = app.drops.take_dropped();
    match (tree, mode) {
        (Some(tree), Some(OpenMode::Add)) => spawn_local(add_beside(app, tree)),
        (Some(tree), Some(mode)) => app.session.open(tree, mode),
        _ => {}
    }
}

/// Opens files beside the others. Returns the roots that were not open before.
async fn open_beside(app: AppContext, tree: FileTree) -> Vec<RootRow> {
    let roots = || {
        app.store
            .status
            .with_untracked(|status| status.roots.clone())
    };
    let before = roots();
    app.session.open_now(tree, OpenMode::Add).await;
    let mut added = roots();
    added.retain(|row| before.iter().all(|open| open.root != row.root));
    added
}

/// Opens files beside the others without changing the view, and reports new catalogs.
async fn add_beside(app: AppContext, tree: FileTree) {
    let added = open_beside(app, tree).await;
    app.drops.additions.update(|count| *count += 1);
    let added: Vec<String> = added
        .iter()
        .filter(|row| row.is_catalog())
        .map(|row| app.current.name_of_catalog(&row.root))
        .collect();
    if !added.is_empty() {
        app.notifications
            .toasts
            .note(format!("Added {}.", words::list_names(&added)));
    }
}

/// Opens dropped files beside the others and compares them with the catalog in view: users move
/// from the older to the newer one.
pub fn compare_dropped(app: AppContext) {
    app.overlays.close();
    let Some(tree) = app.drops.take_dropped() else {
        return;
    };
    let (in_view, names) = (app.store.root.get_untracked(), tree.display_names());
    spawn_local(async move {
        let added = open_beside(app, tree).await;
        // Among several catalogs, the one with the same name, as for the same version on
        // another branch.
        let namesake = added
            .iter()
            .find(|row| last_component(&row.root) == last_component(&in_view))
            .or(added.first());
        let Some(dropped) = namesake.map(|row| row.root.clone()) else {
            let names = words::list_names(&names);
            return app
                .notifications
                .toasts
                .error(format!("Nothing to compare: no new catalog in {names}."));
        };
        let packages_in_view = app.store.fetch_packages(in_view.clone()).await;
        let dropped_packages = app.store.fetch_packages(dropped.clone()).await;
        let comparison = app.store.comparison;
        let is_dropped_newer = is_newer(
            CatalogSummary {
                root: &dropped,
                packages: &dropped_packages,
            },
            CatalogSummary {
                root: &in_view,
                packages: &packages_in_view,
            },
        );
        if is_dropped_newer {
            comparison.choose_for(dropped.clone(), Baseline::Catalog(in_view));
            spawn_local(app.store.show_root(dropped));
        } else {
            comparison.choose(Some(Baseline::Catalog(dropped)));
        }
        app.store.tab.show(Tab::Compare);
    });
}

/// Asks for a folder: with the browser's picker if it provides handles, else with the input.
pub fn open_folder(app: AppContext) {
    if !file_tree::can_pick_folder() {
        return document::open_input(FOLDER_INPUT);
    }
    spawn_local(async move {
        if let Some(handle) = file_tree::pick_handle("read").await {
            offer(app, FileTree::from_handle(&handle));
        }
    });
}

pub fn open_sample(app: AppContext) {
    spawn_local(async move {
        match start_page::fetch_sample().await {
            Ok(tree) => offer(app, tree),
            Err(error) => app.notifications.toasts.error(format!(
                "The sample cannot be read: {}",
                file_tree::error_message(&error)
            )),
        }
    });
}

/// Reloads from a folder that the user picked again, because the browser has no handle to the
/// disk.
pub fn reload_from(app: AppContext, mut tree: FileTree) {
    tree.extend(new_files_beside(app, &tree));
    app.session.open(tree, OpenMode::Reload);
}

/// Opens a recent folder. The browser may ask for permission again.
pub fn open_recent(app: AppContext, handle: FileSystemHandle) {
    spawn_local(async move {
        match folder_access::request_permission(&handle, Access::Read).await {
            Ok(true) => offer(app, FileTree::from_handle(handle.unchecked_ref())),
            Ok(false) => app.notifications.toasts.error(
                "The browser does not let the page read this folder. Open it with Open folder…, or drop it here.",
            ),
            Err(why) => app.notifications.toasts.error(format!("The folder cannot be opened: {why}")),
        }
    });
}

/// Asks for the layout of a new catalog. Earlier dropped files are not added to it.
pub fn new_catalog(app: AppContext) {
    if !app.overlays.has_user_input() {
        app.drops.take_bundles();
        app.overlays.open(Overlay::NewCatalog);
    }
}

/// Creates catalogs, beside or instead of the open ones, and shows the first.
pub fn create_catalogs(app: AppContext, new: NewCatalog, mode: OpenMode) {
    let files: Result<Vec<PickedFile>, _> = new
        .files()
        .into_iter()
        .map(|(path, text)| in_memory_file(path, text))
        .collect();
    let files = match files {
        Ok(files) => files,
        Err(error) => {
            let why = file_tree::error_message(&error);
            return app
                .notifications
                .toasts
                .error(format!("The catalog cannot be created: {why}."));
        }
    };
    spawn_local(async move {
        app.session
            .open_now(FileTree::from_files(files), mode)
            .await;
        let roots = new.roots();
        // A single folder is a catalog by itself.
        if mode == OpenMode::Add || roots.len() > 1 {
            for root in &roots {
                app.store.treat_as_one(root.clone(), true).await;
            }
        }
        app.drops.first_files.update_value(|first| {
            first.extend(roots.iter().map(|root| (root.clone(), new.first_file())));
        });
        if let Some(root) = roots.into_iter().next() {
            app.store.show_root(root).await;
            // The graph tab shows the next steps.
            app.store.tab.show(Tab::Graph);
        }
        // Dropped bundles were waiting for one of these catalogs.
        let waiting = app.drops.take_bundles();
        app.overlays.close();
        if let Some(dropped) = waiting {
            offer_at(app, dropped.tree, Default::default());
        }
    });
}

/// Shows dropped questions: a single one without remarks directly, others as a list.
fn show_manifests(app: AppContext, dropped: DroppedManifests) {
    match (&dropped.questions[..], &dropped.refused[..]) {
        ([only], []) if only.remarks.is_empty() && !only.roots.is_empty() => {
            let message = format!("{}: {}", manifest_heading(only), question_text(only));
            app.notifications.toasts.note(message);
            ask_manifest(app, only.clone());
        }
        _ => app.overlays.open(Overlay::Manifests(dropped)),
    }
}

/// Shows the package of a question, with the question filled in.
pub fn ask_manifest(app: AppContext, manifest: ManifestQuestion) {
    app.overlays.close();
    let Some(root) = manifest.roots.into_iter().next() else {
        return;
    };
    let store = app.store;
    if matches!(store.tab.get_untracked(), Tab::Source | Tab::Compare) {
        store.tab.show(Tab::Graph);
    }
    spawn_local(async move {
        if store.go_to(&root, &manifest.package).await {
            let cluster = store
                .question
                .with_untracked(|question| question.cluster.clone());
            store
                .set_question(UpgradeQuestion {
                    cluster,
                    ..manifest.question
                })
                .await;
        }
    });
}

pub fn open_paths(app: AppContext) -> Vec<String> {
    app.session.folder().paths().map(str::to_owned).collect()
}

/// Whether a catalog was started in the page, so that its folder needs no explanation.
pub fn is_unsaved_new(app: AppContext, root: &str) -> bool {
    let folder = app.session.folder();
    folder.files().any(|(path, size)| {
        path.rsplit_once('/')
            .is_some_and(|(folder, _)| folder == root)
            && catalogs::placeholder_text(path, size).is_some()
    })
}

/// Returns the open files started in the page, to be added to a reload: they are in no folder
/// that could be picked.
fn new_files_beside(app: AppContext, tree: &FileTree) -> FileTree {
    let names = FolderListing::new(
        tree.display_names()
            .into_iter()
            .map(|name| (name, 0))
            .collect(),
    );
    FileTree::from_files(recreate_files(&app.session.folder(), &names))
}

/// Returns the texts of a small folder that may contain cluster manifests. Other folders are not
/// sent to the worker: a busy worker must not delay opening a catalog.
async fn find_manifest_texts(tree: &FileTree) -> Option<Vec<PickedFile>> {
    let is_small = |count| count <= file_names::MAX_MANIFESTS;
    let mut files = tree.walk_while(is_small).await?.files;
    files.retain(|picked| file_names::may_be_manifest(&picked.path));
    if total_bytes(&files) > file_names::MAX_MANIFEST_BYTES {
        return None;
    }
    for picked in &files {
        if file_names::may_be_install_request(&file_tree::read_text(&picked.file).await?) {
            return Some(files);
        }
    }
    None
}

fn total_bytes(files: &[PickedFile]) -> f64 {
    files.iter().map(|picked| picked.file.size()).sum()
}

/// Recreates the files of catalogs started in the page that are not open.
pub(super) fn recreate_files(folder: &FolderListing, open: &FolderListing) -> Vec<PickedFile> {
    folder
        .files_to_recreate(open)
        .into_iter()
        .filter_map(|(path, text)| in_memory_file(path, text).ok())
        .collect()
}
