//! Handles dropped or picked items: bundles open a form for their target, Subscriptions and
//! ClusterExtensions become questions, everything else is opened as catalogs. Drops never discard a
//! filled-in form: they wait.

use super::AppContext;
use crate::browser::file_tree::{FileTree, PickedFile};
use crate::edits::bundle_form_values::target_of_bundles;
use crate::edits::suggestions::catalog_name;
use crate::reactive::effect;
use crate::state::bundle_file_names::{self, DropPlace};
use leptos::prelude::*;
use protocol::bundles::{BundlePlacement, DroppedBundles};
use protocol::manifests::DroppedManifests;
use protocol::operation::EditOp;
use protocol::request::OpenMode;
use protocol::response::OperationRefusal;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Larger folders are not searched for bundles completely.
const MOST_WALKED: usize = 20_000;

/// Dropped bundles.
#[derive(Debug, Clone)]
pub struct BundleDrop {
    pub files: Rc<Vec<PickedFile>>,
    /// As read from the bundles.
    pub read: DroppedBundles,
    pub place: DropPlace,
    tree: FileTree,
}

/// The content of a drop.
enum DropContent {
    Bundles(Box<BundleDrop>),
    Manifests(DroppedManifests),
    /// Anything else.
    Catalogs,
}

impl BundleDrop {
    /// The dropped files.
    pub(super) fn into_tree(self) -> FileTree {
        self.tree
    }
}

impl AppContext {
    /// Handles dropped or picked files.
    pub fn offer(self, tree: FileTree) {
        self.offer_at(tree, DropPlace::default());
    }

    /// Handles files dropped on a target.
    pub fn offer_at(self, mut tree: FileTree, place: DropPlace) {
        if tree.is_empty() {
            return;
        }
        if self.overlays.holds_work() && !self.overlays.asks_for_bundle() {
            self.overlays.let_wait(tree, place);
            return;
        }
        tree.keep_listings();
        spawn_local(async move {
            let Some(found) = self.actions.look_into(self.found_in(&tree, &place)).await else {
                return;
            };
            if matches!(found, DropContent::Bundles(_)) && self.overlays.asks_for_bundle() {
                self.overlays.give_way_to_files();
            }
            if self.overlays.holds_work() {
                tree.forget_listings();
                self.overlays.let_wait(tree, place);
                return;
            }
            match found {
                DropContent::Bundles(found) if self.repository.is_shown().get_untracked() => {
                    self.repository.release_dropped(*found).await
                }
                DropContent::Bundles(found) if self.catalog_for_bundles().is_some() => {
                    self.overlays.ask_where(*found)
                }
                DropContent::Bundles(found) => self.overlays.ask_for_catalog(*found),
                DropContent::Manifests(found) => self.show_manifests(found),
                DropContent::Catalogs => self.offer_catalogs(tree),
            }
        });
    }

    /// Opens items dropped as bundles as a catalog instead.
    pub fn open_bundles_as_catalog(self) {
        self.overlays.close();
        if let Some(dropped) = self.overlays.take_bundles() {
            self.offer_catalogs(dropped.tree);
        }
    }

    /// Opens the dropped bundles for rendering a template, without adding them.
    pub fn use_bundles_for_rendering(self, template: String) {
        self.overlays.close();
        if let Some(dropped) = self.overlays.take_bundles() {
            spawn_local(self.render_with(template, dropped.tree));
        }
    }

    async fn render_with(self, template: String, bundles: FileTree) {
        self.actions.open_now(bundles, OpenMode::Add).await;
        self.store.show_rendered(template).await;
    }

    /// Applies operations that add bundles to a template. Opens the bundles too, so that the
    /// template can be rendered with them, and shows the rendering. `refused` receives a refusal.
    pub fn apply_to_template(
        self,
        title: String,
        ops: Vec<EditOp>,
        template: String,
        refused: impl FnOnce(OperationRefusal) + 'static,
    ) {
        let bundles = self.overlays.dropped_bundles().map(BundleDrop::into_tree);
        let shown = move || {
            if let Some(bundles) = bundles {
                spawn_local(self.render_with(template, bundles));
            }
        };
        self.edits.apply_and_close(title, ops, shown, refused);
    }

    /// Discards the dropped bundles.
    pub fn forget_bundles(self) {
        self.overlays.take_bundles();
    }

    /// Reads dropped bundles again for the target `placement`. The error is why this failed.
    pub async fn read_bundles(
        self,
        files: &[PickedFile],
        placement: BundlePlacement,
    ) -> Result<DroppedBundles, String> {
        match self.actions.client().read_bundles(files, placement).await {
            Ok(Some(read)) => Ok(read),
            Ok(None) => Err("the files are no longer bundles".to_owned()),
            Err(lost) => Err(lost.into_reason()),
        }
    }

    /// Applies operations that add bundles, and shows a package of the target catalog. `refused`
    /// receives a refusal.
    pub fn apply_and_show(
        self,
        title: String,
        ops: Vec<EditOp>,
        (root, package): (String, String),
        refused: impl FnOnce(OperationRefusal) + 'static,
    ) {
        let shown = move || {
            self.forget_bundles();
            spawn_local(async move {
                if self.store.root.get_untracked() != root {
                    self.store.show_root(root.clone()).await;
                }
                if self.store.root.get_untracked() == root
                    && self.current.package.get_untracked() != package
                {
                    self.store.show_package(package).await;
                }
            });
        };
        self.edits.apply_and_close(title, ops, shown, refused);
    }

    /// The default target catalog or template of bundles; `None` if none is open.
    pub fn catalog_for_bundles(self) -> Option<String> {
        let here = self.store.root.get_untracked();
        self.store
            .status
            .with_untracked(|status| target_of_bundles(&status.roots, &here).map(str::to_owned))
    }

    /// A catalog's name in forms.
    pub fn name_of_catalog(self, root: &str) -> String {
        self.store
            .status
            .with_untracked(|status| catalog_name(&status.roots, root))
    }

    /// Handles items dropped over a dialog after it is closed.
    pub(super) fn follow_waiting_drops(self) {
        effect(move |_| {
            let is_free = self.overlays.overlay().with(Option::is_none);
            if is_free && let Some((tree, place)) = self.overlays.next_waiting() {
                self.offer_at(tree, place);
            }
        });
    }

    async fn found_in(self, tree: &FileTree, place: &DropPlace) -> DropContent {
        self.small_drop_in(tree, place)
            .await
            .unwrap_or(DropContent::Catalogs)
    }

    /// The bundles or questions in a drop; `None` if it is something else.
    async fn small_drop_in(self, tree: &FileTree, place: &DropPlace) -> Option<DropContent> {
        if !tree.may_hold_bundles().await {
            return self.manifests_in(&few_texts(tree).await?).await;
        }
        let mut files = tree.walk_while(|found| found <= MOST_WALKED).await?.files;
        files.retain(|picked| bundle_file_names::is_looked_at(&picked.path));
        if !bundle_file_names::is_small(files.len(), bytes_of(&files)) {
            return None;
        }
        let root = self.catalog_for_bundles().unwrap_or_default();
        let placement = BundlePlacement {
            root,
            ..BundlePlacement::default()
        };
        if let Some(read) = self
            .actions
            .client()
            .read_bundles(&files, placement)
            .await
            .ok()?
        {
            let (place, mut tree) = (place.clone(), tree.clone());
            tree.forget_listings();
            let drop = BundleDrop {
                files: Rc::new(files),
                read,
                place,
                tree,
            };
            return Some(DropContent::Bundles(Box::new(drop)));
        }
        self.manifests_in(&files).await
    }

    async fn manifests_in(self, files: &[PickedFile]) -> Option<DropContent> {
        let here = self.store.root.get_untracked();
        self.actions
            .client()
            .read_manifests(files, here)
            .await
            .ok()?
            .map(DropContent::Manifests)
    }
}

/// The texts of a small folder that may contain cluster manifests. Other folders are not sent to
/// the worker: a busy one must not delay opening a catalog.
async fn few_texts(tree: &FileTree) -> Option<Vec<PickedFile>> {
    let bytes = Cell::new(0.0);
    let is_small = |found| {
        found <= bundle_file_names::MOST_MANIFESTS
            && bytes.get() <= bundle_file_names::MOST_MANIFEST_BYTES
    };
    let found = |files: &[PickedFile]| {
        let may_be = files
            .iter()
            .filter(|picked| bundle_file_names::may_be_manifest(&picked.path));
        bytes.set(bytes.get() + bytes_of(may_be));
    };
    let mut files = tree.walk_hearing(is_small, found).await?.files;
    files.retain(|picked| bundle_file_names::may_be_manifest(&picked.path));
    for picked in &files {
        let text = JsFuture::from(picked.file.text()).await.ok()?.as_string()?;
        if bundle_file_names::may_ask(&text) {
            return Some(files);
        }
    }
    None
}

fn bytes_of<'f>(files: impl IntoIterator<Item = &'f PickedFile>) -> f64 {
    files.into_iter().map(|picked| picked.file.size()).sum()
}
