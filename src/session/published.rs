//! Bundles of a catalog that differ from the opened files.

use super::file::{FileState, Version};
use super::root::Root;
use super::{Changes, OpenFiles};
use catalog::model::{Body, BundleBlob, FileIndex, Package};
use std::sync::Arc;
use syntax::hashed::HashSet;
use syntax::place::Text;
use verdict::compare::Unpublished;
use verdict::validate::PublishedBundles;

impl Root {
    /// Compares the catalog's bundles with the opened files. Its verdict must be updated
    /// afterwards.
    pub(super) fn update_published(&mut self, files: &OpenFiles) {
        if !self.is_catalog() {
            return;
        }
        let mut published = PublishedBundles::new();
        for file in files.by_id.values() {
            let current = file.current.as_ref().and_then(Version::index);
            let changed = bundles_only_in(file.opened.as_ref(), current);
            if changed.is_empty() || !self.contains_file(&file.path) {
                continue;
            }
            for bundle in changed {
                let bundles = published.entry(bundle.package.value.clone()).or_default();
                bundles
                    .entry(bundle.name.value.clone())
                    .or_insert_with(|| bundle.clone());
            }
        }
        self.set_published(published);
    }
}

impl Changes<'_> {
    /// Returns the bundles of these packages that were not in the opened files, each with its
    /// package. If the opened files have no bundles, as in a new catalog or a rendering, all count as
    /// published: otherwise no edit would affect anybody.
    pub fn find_unpublished<'a>(
        &self,
        root: &Root,
        packages: impl Iterator<Item = &'a Arc<Package>>,
    ) -> Unpublished {
        let mut unpublished = Unpublished::default();
        let files = &self.session.files.by_id;
        let own_files = || files.values().filter(|file| root.contains_file(&file.path));
        let mut opened = own_files().flat_map(|file| &file.opened);
        if !opened.any(|index| bundles(index).next().is_some()) {
            return unpublished;
        }
        let opened: HashSet<&Text> = own_files()
            .filter(|file| !file.is_as_opened())
            .flat_map(|file| &file.opened)
            .flat_map(|index| bundles(index))
            .map(|bundle| &bundle.name.value)
            .collect();
        for package in packages {
            let new = package.bundles.iter().filter(|bundle| {
                !files.get(&bundle.file).is_some_and(FileState::is_as_opened)
                    && !opened.contains(&bundle.name.value)
            });
            unpublished
                .0
                .extend(new.map(|bundle| (package.name.clone(), bundle.name.value.clone())));
        }
        unpublished
    }
}

/// Returns the bundles of one version of a file that another one lacks. All versions share unedited
/// blobs.
pub(super) fn bundles_only_in<'i>(
    index: Option<&'i Arc<FileIndex>>,
    other: Option<&Arc<FileIndex>>,
) -> Vec<&'i Arc<BundleBlob>> {
    let Some(index) = index else {
        return Vec::new();
    };
    if other.is_some_and(|other| Arc::ptr_eq(index, other)) {
        return Vec::new();
    }
    let others = other.into_iter().flat_map(|other| bundles(other));
    let shared: HashSet<*const BundleBlob> = others.map(Arc::as_ptr).collect();
    bundles(index)
        .filter(|bundle| !shared.contains(&Arc::as_ptr(bundle)))
        .collect()
}

fn bundles(index: &FileIndex) -> impl Iterator<Item = &Arc<BundleBlob>> {
    index.blobs.iter().filter_map(|blob| match &blob.body {
        Body::Bundle(bundle) => Some(bundle),
        _ => None,
    })
}
