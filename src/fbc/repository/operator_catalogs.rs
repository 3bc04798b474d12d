//! The catalogs of one operator, read on demand, and their bundles by image.

use super::files::{Files, ReadFailure};
use super::finding::Problem;
use super::layout::{self, catalog_files};
use crate::bundle::{self, File, Image};
use crate::hashed::HashMap;
use crate::order::SortSmall;
use crate::roots::catalog_version;
use crate::template::freshness::migration_of;
use crate::template::render::Bundles;
use crate::template::render::known::is_called_after;
use serde_json::Value;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The catalogs that contain an operator.
pub(super) struct OperatorCatalogs<'f> {
    files: &'f dyn Files,
    operator: String,
    catalogs: Vec<OperatorCatalog>,
    /// Rendered bundle folders, by folder and image.
    rendered: RefCell<BTreeMap<(String, String), Result<Value, String>>>,
    folders: OnceCell<Vec<BundleFolder>>,
}

/// An operator in a catalog.
pub(super) struct OperatorCatalog {
    pub name: String,
    /// Files that may contain blobs, in walk order.
    pub paths: Vec<String>,
    content: OnceCell<Result<Content, Problem>>,
}

/// The content of an operator's files in a catalog.
pub(super) struct Content {
    /// The blobs of all files as written.
    pub blobs: Vec<Value>,
    /// Indices of bundles in `blobs`, by image; the first counts.
    images: HashMap<String, usize>,
    /// Loaded bundles by their index in `blobs`.
    loaded: RefCell<HashMap<usize, Rc<Value>>>,
}

/// The names of a bundle folder.
struct BundleFolder {
    folder: String,
    name: String,
    package: String,
    version: String,
}

impl<'f> OperatorCatalogs<'f> {
    /// All catalogs with a folder for the operator; reads none of them.
    pub(super) fn find(files: &'f dyn Files, operator: &str) -> Self {
        let of_catalog = |name: String| {
            let paths = catalog_files(files, &name, operator);
            (!paths.is_empty()).then(|| OperatorCatalog {
                name,
                paths,
                content: OnceCell::new(),
            })
        };
        let catalogs = layout::catalogs(files)
            .into_iter()
            .filter_map(of_catalog)
            .collect();
        Self {
            files,
            operator: operator.to_owned(),
            catalogs,
            rendered: RefCell::default(),
            folders: OnceCell::new(),
        }
    }

    pub(super) fn operator(&self) -> &str {
        &self.operator
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.catalogs.iter().map(|catalog| catalog.name.as_str())
    }

    pub(super) fn get(&self, name: &str) -> Option<&OperatorCatalog> {
        self.catalogs.iter().find(|catalog| catalog.name == name)
    }

    /// The content of a catalog, read once.
    pub(super) fn content<'c>(
        &'c self,
        catalog: &'c OperatorCatalog,
    ) -> Result<&'c Content, &'c Problem> {
        catalog
            .content
            .get_or_init(|| read_content(self.files, &self.operator, &catalog.paths))
            .as_ref()
    }

    /// The bundles for a catalog: its own, then those of the others, nearest version first.
    pub(super) fn bundles_for<'c>(&'c self, catalog: &str) -> CatalogBundles<'c> {
        let own_version = catalog_version(catalog);
        let mut order: Vec<&OperatorCatalog> = self.catalogs.iter().collect();
        order.sort_small_by_key(|other| {
            let other_version = catalog_version(&other.name);
            let apart = own_version
                .zip(other_version)
                .map(|(own, other)| own.0.abs_diff(other.0) * 1000 + own.1.abs_diff(other.1));
            (
                other.name != catalog,
                apart.unwrap_or(u64::MAX),
                layout::catalog_rank(&other.name),
            )
        });
        CatalogBundles {
            of: self,
            order,
            given: None,
            folders_too: false,
        }
    }

    /// The bundle in a folder, with this image.
    fn bundle_in_folder(&self, folder: &str, image: &str) -> Result<Value, String> {
        let key = (folder.to_owned(), image.to_owned());
        if let Some(known) = self.rendered.borrow().get(&key) {
            return known.clone();
        }
        let rendered = layout::bundle_files(self.files, folder)
            .map_err(|(path, reason)| format!("{path}: {reason}"))
            .and_then(|read| render_bundle(folder, &read, Image::Reference(image)));
        self.rendered.borrow_mut().insert(key, rendered.clone());
        rendered
    }

    /// The folder of a bundle whose package and version match the image's name.
    fn called_after(&self, image: &str) -> Option<&str> {
        let folders = self.folders.get_or_init(|| {
            let read_folder = |version: String| {
                let folder = layout::bundle_folder(&self.operator, &version);
                let read = layout::bundle_files(self.files, &folder).ok()?;
                let blob = bundle::render(&read, Image::Unknown).ok()?;
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let mut properties = blob["properties"].as_array().into_iter().flatten();
                let of_package = properties.find(|property| property["type"] == "olm.package");
                let version = of_package
                    .map(|property| text(&property["value"]["version"]))
                    .unwrap_or_default();
                Some(BundleFolder {
                    folder,
                    name: text(&blob["name"]),
                    package: text(&blob["package"]),
                    version,
                })
            };
            layout::bundles(self.files, &self.operator)
                .into_iter()
                .filter_map(read_folder)
                .collect()
        });
        let is_match = |folder: &&BundleFolder| {
            let packages = [
                folder.package.as_str(),
                self.operator.as_str(),
                folder.name.split('.').next().unwrap_or(""),
            ];
            packages
                .iter()
                .any(|package| is_called_after(image, package, &folder.version))
        };
        folders
            .iter()
            .find(is_match)
            .map(|found| found.folder.as_str())
    }
}

/// Whether bundles are migrated for a catalog.
pub(super) fn is_migrated(catalog: &str) -> bool {
    migration_of(catalog) != bundle::Migration::None
}

/// The blob of a bundle folder; the error says where rendering failed.
pub(super) fn render_bundle(
    folder: &str,
    files: &[File],
    image: Image<'_>,
) -> Result<Value, String> {
    bundle::render(files, image).map_err(|refusal| {
        let line = refusal
            .line
            .map_or_else(String::new, |line| format!(":{line}"));
        match refusal.file {
            Some(file) => format!("{folder}/{file}{line}: {}", refusal.message),
            None => format!("{folder}: {}", refusal.message),
        }
    })
}

impl Content {
    /// A loaded bundle by its image.
    fn bundle(&self, image: &str) -> Result<Option<Rc<Value>>, String> {
        let Some(&at) = self.images.get(image) else {
            return Ok(None);
        };
        if let Some(known) = self.loaded.borrow().get(&at) {
            return Ok(Some(Rc::clone(known)));
        }
        let loaded = Rc::new(bundle::as_loaded(&self.blobs[at])?);
        self.loaded.borrow_mut().insert(at, Rc::clone(&loaded));
        Ok(Some(loaded))
    }
}

fn read_content(files: &dyn Files, operator: &str, paths: &[String]) -> Result<Content, Problem> {
    let mut blobs = Vec::new();
    for path in paths {
        let problem = |line: Option<u32>, message: String, help: &str| Problem {
            operator: operator.to_owned(),
            file: path.clone(),
            line,
            message,
            help: help.to_owned(),
        };
        let bytes = files.read(path).map_err(|failure| match failure {
            ReadFailure::NotThere => {
                problem(None, "the file is no longer there".to_owned(), "try again")
            }
            ReadFailure::Refused(reason) => problem(None, reason, ""),
        })?;
        let read = bundle::read_documents(&bytes);
        blobs
            .extend(read.map_err(|refusal| problem(refusal.line, refusal.message, &refusal.help))?);
    }
    let mut images = HashMap::default();
    for (at, blob) in blobs
        .iter()
        .enumerate()
        .filter(|(_, blob)| blob["schema"] == "olm.bundle")
    {
        if let Some(image) = blob["image"].as_str().filter(|image| !image.is_empty()) {
            images.entry(image.to_owned()).or_insert(at);
        }
    }
    Ok(Content {
        blobs,
        images,
        loaded: RefCell::default(),
    })
}

/// The bundles for one catalog.
pub(super) struct CatalogBundles<'c> {
    of: &'c OperatorCatalogs<'c>,
    order: Vec<&'c OperatorCatalog>,
    /// The folder that overrides an image.
    given: Option<(String, String)>,
    folders_too: bool,
}

impl CatalogBundles<'_> {
    /// Uses the bundle in a folder for this image, whatever catalogs contain.
    pub(super) fn with_folder(mut self, image: &str, folder: &str) -> Self {
        self.given = Some((image.to_owned(), folder.to_owned()));
        self
    }

    /// Uses bundle folders with a matching name for images that no catalog contains.
    pub(super) fn or_folders(mut self) -> Self {
        self.folders_too = true;
        self
    }
}

impl Bundles for CatalogBundles<'_> {
    fn bundle(&self, reference: &str) -> Result<Option<Value>, String> {
        if reference.is_empty() {
            return Ok(None);
        }
        if let Some((_, folder)) = self.given.as_ref().filter(|(image, _)| image == reference) {
            return self.of.bundle_in_folder(folder, reference).map(Some);
        }
        for catalog in &self.order {
            // An unreadable catalog has no bundles here; its own status reports it.
            let Ok(content) = self.of.content(catalog) else {
                continue;
            };
            if let Some(found) = content.bundle(reference)? {
                return Ok(Some((*found).clone()));
            }
        }
        if let Some(given) = self.of.files.given_bundles()
            && let Some(found) = given.bundle(reference)?
        {
            return Ok(Some(found));
        }
        match self.of.called_after(reference).filter(|_| self.folders_too) {
            Some(folder) => self.of.bundle_in_folder(folder, reference).map(Some),
            None => Ok(None),
        }
    }
}
