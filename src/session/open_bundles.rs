//! Open bundles as a source for rendering: blobs of catalogs, by image and name, and bundle
//! folders.
//!
//! Knows no templates. Values are cached while their blob is unchanged, so that rendering again
//! reads only changes.

use super::file::Version;
use super::{OpenFiles, Refused, Session, Templates};
use bundle::{self, File, Image};
use catalog::Content;
use catalog::model::{BundleBlob, Located};
use serde_json::Value;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use syntax::hashed::HashMap;
use template::edit::BundleImage;
use template::render::Bundles;
use template::render::known::BundleIdentity;

/// Maximum number of bundle folders opened whose name does not match the reference.
const MAX_OPENED_FOLDERS: usize = 64;

/// Cached bundles by reference.
pub(super) type ReadBundles = HashMap<String, ReadBundle>;

/// A bundle's blob as a value.
#[derive(Debug, Clone)]
pub(super) struct ReadBundle {
    source: BundleSource,
    value: Rc<Value>,
}

#[derive(Debug, Clone)]
enum BundleSource {
    /// A blob of a catalog, with the catalog's name. Equal facts imply equal text.
    Blob {
        catalog: String,
        facts: Arc<BundleBlob>,
    },
    /// A folder and its files.
    Folder { folder: String, files: Vec<Version> },
}

/// A bundle of one of the catalogs.
#[derive(Clone, Copy)]
struct CatalogBundle<'w> {
    root: usize,
    blob: &'w Located<BundleBlob>,
}

/// A folder with `manifests` and `metadata`.
struct BundleFolder {
    folder: String,
    files: Vec<(String, Version)>,
    /// The bundle's name, computed on demand; `None` if it cannot be rendered.
    identity: OnceCell<Option<BundleIdentity>>,
}

/// All open bundles in order of preference.
pub(super) struct OpenBundles<'w> {
    session: &'w Session,
    images: HashMap<&'w str, CatalogBundle<'w>>,
    names: HashMap<&'w str, CatalogBundle<'w>>,
    folders: OnceCell<Vec<BundleFolder>>,
    cache: &'w ReadBundles,
    read: RefCell<ReadBundles>,
}

impl<'w> OpenBundles<'w> {
    /// Collects the bundles of the catalogs at these indices in order, then bundle folders. `cache`
    /// is the earlier cache.
    pub(super) fn new(session: &'w Session, catalogs: &[usize], cache: &'w ReadBundles) -> Self {
        let (mut images, mut names) = (HashMap::default(), HashMap::default());
        for &root in catalogs {
            for blob in session.roots[root]
                .catalog
                .packages()
                .flat_map(|package| &package.bundles)
            {
                let bundle = CatalogBundle { root, blob };
                if !blob.image.is_empty() {
                    images.entry(blob.image.as_str()).or_insert(bundle);
                }
                if !blob.name.is_empty() {
                    names.entry(blob.name.as_str()).or_insert(bundle);
                }
            }
        }
        Self {
            session,
            images,
            names,
            folders: OnceCell::new(),
            cache,
            read: RefCell::default(),
        }
    }

    /// Finds a bundle of the catalog by its name. `None` also if it has no image.
    pub(super) fn find_bundle(&self, name: &str) -> Option<BundleImage> {
        let bundle = self.names.get(name)?;
        let image = bundle.blob.image.as_str();
        (!image.is_empty()).then(|| BundleImage {
            image: image.to_owned(),
            version: bundle.blob.version().to_owned(),
        })
    }

    /// Returns the updated cache.
    pub(super) fn into_read(self) -> ReadBundles {
        self.read.into_inner()
    }

    fn bundle_in_catalog(
        &self,
        reference: &str,
        found: CatalogBundle<'w>,
    ) -> Result<Option<ReadBundle>, String> {
        let root = &self.session.roots[found.root];
        if let Some(read) = self.cache.get(reference).filter(|read| match &read.source {
            BundleSource::Blob { catalog, facts } => {
                *catalog == root.name && Arc::ptr_eq(facts, &found.blob.data)
            }
            BundleSource::Folder { .. } => false,
        }) {
            return Ok(Some(read.clone()));
        }
        let text = self
            .session
            .files
            .blob_text(root, found.blob.file, found.blob.index)
            .map_err(|error| error.reason)?;
        let path = root
            .catalog
            .file(found.blob.file)
            .map_or_else(String::new, |file| file.path.clone());
        let read = bundle::read_catalog(&[File {
            path,
            bytes: text.bytes,
        }])
        .map_err(|refusal| refusal.message)?;
        let Some(value) = read.into_iter().next() else {
            return Ok(None);
        };
        let source = BundleSource::Blob {
            catalog: root.name.clone(),
            facts: Arc::clone(&found.blob.data),
        };
        Ok(Some(ReadBundle {
            source,
            value: Rc::new(value),
        }))
    }

    fn bundle_in_folder(&self, reference: &str) -> Result<Option<ReadBundle>, String> {
        let folders = self
            .folders
            .get_or_init(|| self.session.templates().bundle_folders());
        let Some(bundle_folder) = find_folder(self.session, folders, reference) else {
            return Ok(None);
        };
        let files: Vec<Version> = bundle_folder
            .files
            .iter()
            .map(|(_, version)| version.clone())
            .collect();
        if let Some(read) = self.cache.get(reference).filter(|read| match &read.source {
            BundleSource::Folder {
                folder,
                files: before,
            } => {
                *folder == bundle_folder.folder
                    && before.len() == files.len()
                    && before.iter().zip(&files).all(|(a, b)| a.same_text(b))
            }
            BundleSource::Blob { .. } => false,
        }) {
            return Ok(Some(read.clone()));
        }
        let texts = self
            .session
            .files
            .texts(&bundle_folder.files)
            .map_err(|error| error.reason)?;
        let value = bundle::render(&texts, Image::Reference(reference))
            .map_err(|refusal| refusal.message)?;
        let source = BundleSource::Folder {
            folder: bundle_folder.folder.clone(),
            files,
        };
        Ok(Some(ReadBundle {
            source,
            value: Rc::new(value),
        }))
    }
}

impl Bundles for OpenBundles<'_> {
    fn bundle(&self, reference: &str) -> Result<Option<Value>, String> {
        if reference.is_empty() {
            return Ok(None);
        }
        let in_catalog = self
            .images
            .get(reference)
            .or_else(|| self.names.get(reference));
        let read = match in_catalog {
            Some(bundle) => self.bundle_in_catalog(reference, *bundle)?,
            None => self.bundle_in_folder(reference)?,
        };
        Ok(read.map(|read| {
            let value = (*read.value).clone();
            self.read.borrow_mut().insert(reference.to_owned(), read);
            value
        }))
    }
}

impl ReadBundle {
    /// Returns the bundle's catalog or folder, by its path in the session.
    pub(super) fn source_path(&self) -> &str {
        match &self.source {
            BundleSource::Blob { catalog, .. } => catalog,
            BundleSource::Folder { folder, .. } => folder,
        }
    }
}

impl Templates<'_> {
    /// Returns the bundle folders among the open files, sorted by path.
    fn bundle_folders(&self) -> Vec<BundleFolder> {
        let mut folders: BTreeMap<&str, Vec<(String, Version)>> = BTreeMap::new();
        for (path, id) in &self.session.files.by_path {
            let Some(above) = bundle_folder_of(path) else {
                continue;
            };
            let Some(version) = self
                .session
                .files
                .version(*id)
                .filter(|version| matches!(version.content, Content::Indexed(_)))
            else {
                continue;
            };
            let relative = path
                .get(above.len()..)
                .unwrap_or_default()
                .trim_start_matches('/')
                .to_owned();
            folders
                .entry(above)
                .or_default()
                .push((relative, version.clone()));
        }
        folders.retain(|_, files| {
            bundle::bundle_directories(files.iter().map(|(path, _)| path.as_str())) == [""]
        });
        folders
            .into_iter()
            .map(|(folder, files)| BundleFolder {
                folder: folder.to_owned(),
                files,
                identity: OnceCell::new(),
            })
            .collect()
    }
}

impl OpenFiles {
    fn texts(&self, files: &[(String, Version)]) -> Result<Vec<File>, Refused> {
        files
            .iter()
            .map(|(path, version)| {
                let bytes = self.text_of(version)?;
                Ok(File {
                    path: path.clone(),
                    bytes,
                })
            })
            .collect()
    }
}

/// Returns the folder whose `manifests` or `metadata` directly contains a file.
pub(super) fn bundle_folder_of(path: &str) -> Option<&str> {
    let (folder, _) = path.rsplit_once('/')?;
    let (above, name) = folder.rsplit_once('/').unwrap_or(("", folder));
    matches!(name, "manifests" | "metadata").then_some(above)
}

/// Finds the folder of a bundle. Opens those named after the reference's tag first, and a limited
/// number of others.
fn find_folder<'f>(
    session: &Session,
    folders: &'f [BundleFolder],
    reference: &str,
) -> Option<&'f BundleFolder> {
    let tag = reference
        .rsplit('/')
        .next()
        .and_then(|last| last.split('@').next()?.split_once(':'))
        .map(|(_, tag)| tag);
    let tag = tag.unwrap_or_default();
    let tag_version = tag.strip_prefix('v').unwrap_or(tag);
    let (named_after_tag, others): (Vec<&BundleFolder>, Vec<_>) =
        folders.iter().partition(|folder| {
            let name = folder.folder.rsplit('/').next().unwrap_or_default();
            !tag_version.is_empty()
                && (name.strip_prefix('v').unwrap_or(name) == tag_version
                    || name.ends_with(&format!(".v{tag_version}")))
        });
    let others = others.into_iter().take(MAX_OPENED_FOLDERS);
    named_after_tag.into_iter().chain(others).find(|folder| {
        let identity = folder.identity.get_or_init(|| {
            BundleIdentity::from_files(&session.files.texts(&folder.files).ok()?).ok()
        });
        identity
            .as_ref()
            .is_some_and(|bundle| bundle.is_called(reference))
    })
}
