//! An operator as the pipeline sees it: its catalogs, read on demand, with their bundles by image;
//! its bundle folders; and its `ci.yaml`, which maps templates to catalogs.

use super::document::{self, Document, Kind, Node};
use super::layout::{self, EntryKind, Files, ReadFailure, catalog_files, ci_path, join};
use super::rules::{Finding, Problem};
use bundle::{self, File, Image};
use catalog::roots::catalog_version;
use protocol::counting::quoted;
use serde_json::Value;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use syntax::hashed::HashMap;
use syntax::order::SortSmall;
use template::freshness::migration_for;
use template::mapping::{self, Mapping};
use template::render::Bundles;
use template::render::known::{BundleIdentity, is_called_after};

/// The catalogs that contain an operator.
pub(super) struct OperatorCatalogs<'f> {
    pub files: &'f dyn Files,
    operator: String,
    catalogs: Vec<OperatorCatalog>,
    /// Rendered bundle folders, by folder and image.
    rendered: RefCell<BTreeMap<(String, String), Result<Value, String>>>,
    folders: OnceCell<Vec<BundleFolder>>,
}

pub(super) struct OperatorCatalog {
    pub name: String,
    /// Files that may contain blobs, in walk order.
    pub paths: Vec<String>,
    content: OnceCell<Result<CatalogContent, Problem>>,
}

/// The content of an operator's files in a catalog.
pub(super) struct CatalogContent {
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
    bundle: BundleIdentity,
}

impl<'f> OperatorCatalogs<'f> {
    /// Finds all catalogs with a folder for the operator; reads none of them.
    pub(super) fn find(files: &'f dyn Files, operator: &str) -> Self {
        let catalogs = layout::catalogs(files)
            .into_iter()
            .filter_map(|name: String| {
                let paths = catalog_files(files, &name, operator);
                (!paths.is_empty()).then(|| OperatorCatalog {
                    name,
                    paths,
                    content: OnceCell::new(),
                })
            })
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

    /// Returns the content of a catalog. It is read once.
    pub(super) fn content<'c>(
        &'c self,
        catalog: &'c OperatorCatalog,
    ) -> Result<&'c CatalogContent, &'c Problem> {
        catalog
            .content
            .get_or_init(|| read_content(self.files, &self.operator, &catalog.paths))
            .as_ref()
    }

    /// Returns the bundles for rendering a catalog: its own, then those of the others, nearest
    /// version first.
    pub(super) fn bundles_for<'c>(&'c self, catalog: &str) -> CatalogBundles<'c> {
        let target_version = catalog_version(catalog);
        let mut order: Vec<&OperatorCatalog> = self.catalogs.iter().collect();
        order.sort_small_by_key(|other| {
            let other_version = catalog_version(&other.name);
            let distance = target_version.zip(other_version).map(|(target, other)| {
                target.0.abs_diff(other.0) * 1000 + target.1.abs_diff(other.1)
            });
            (
                other.name != catalog,
                distance.unwrap_or(u64::MAX),
                layout::catalog_rank(&other.name),
            )
        });
        CatalogBundles {
            catalogs: self,
            order,
            override_folder: None,
            uses_folders: false,
        }
    }

    fn bundle_in_folder(&self, folder: &str, image: &str) -> Result<Value, String> {
        let key = (folder.to_owned(), image.to_owned());
        if let Some(cached) = self.rendered.borrow().get(&key) {
            return cached.clone();
        }
        let rendered = layout::bundle_files(self.files, folder)
            .map_err(|(path, reason)| format!("{path}: {reason}"))
            .and_then(|read| render_bundle(folder, &read, Image::Reference(image)));
        self.rendered.borrow_mut().insert(key, rendered.clone());
        rendered
    }

    /// Finds the folder of a bundle whose package and version match the image's name.
    fn find_matching_folder(&self, image: &str) -> Option<&str> {
        let folders = self.folders.get_or_init(|| {
            layout::bundles(self.files, &self.operator)
                .into_iter()
                .filter_map(|version: String| {
                    let folder = layout::bundle_folder(&self.operator, &version);
                    let read = layout::bundle_files(self.files, &folder).ok()?;
                    let bundle = BundleIdentity::from_files(&read).ok()?;
                    Some(BundleFolder { folder, bundle })
                })
                .collect()
        });
        folders
            .iter()
            .find(|BundleFolder { bundle, .. }| {
                let packages = [
                    bundle.package.as_str(),
                    self.operator.as_str(),
                    bundle.name.split('.').next().unwrap_or(""),
                ];
                packages
                    .iter()
                    .any(|package| is_called_after(image, package, &bundle.version))
            })
            .map(|named| named.folder.as_str())
    }
}

pub(super) fn is_migrated(catalog: &str) -> bool {
    migration_for(catalog) != bundle::Migration::None
}

/// Renders a bundle folder. The error names the file and line.
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

impl CatalogContent {
    fn bundle(&self, image: &str) -> Result<Option<Rc<Value>>, String> {
        let Some(&index) = self.images.get(image) else {
            return Ok(None);
        };
        if let Some(cached) = self.loaded.borrow().get(&index) {
            return Ok(Some(Rc::clone(cached)));
        }
        let loaded = Rc::new(bundle::as_loaded(&self.blobs[index])?);
        self.loaded.borrow_mut().insert(index, Rc::clone(&loaded));
        Ok(Some(loaded))
    }
}

fn read_content(
    files: &dyn Files,
    operator: &str,
    paths: &[String],
) -> Result<CatalogContent, Problem> {
    let mut blobs = Vec::new();
    for path in paths {
        let problem = |message: String| Problem::new(operator, path, message);
        let bytes = files.read(path).map_err(|failure| match failure {
            ReadFailure::NotThere => {
                problem("the file is no longer there".to_owned()).help("try again")
            }
            ReadFailure::Refused(reason) => problem(reason),
        })?;
        let read = bundle::read_documents(&bytes).map_err(|refusal| {
            problem(refusal.message)
                .on_line(refusal.line)
                .help(refusal.help)
        });
        blobs.extend(read?);
    }
    let mut images = HashMap::default();
    for (index, blob) in blobs
        .iter()
        .enumerate()
        .filter(|(_, blob)| blob["schema"] == "olm.bundle")
    {
        if let Some(image) = blob["image"].as_str().filter(|image| !image.is_empty()) {
            images.entry(image.to_owned()).or_insert(index);
        }
    }
    Ok(CatalogContent {
        blobs,
        images,
        loaded: RefCell::default(),
    })
}

/// The bundles that rendering one catalog may use.
pub(super) struct CatalogBundles<'c> {
    catalogs: &'c OperatorCatalogs<'c>,
    order: Vec<&'c OperatorCatalog>,
    /// The folder that overrides an image.
    override_folder: Option<(String, String)>,
    uses_folders: bool,
}

impl CatalogBundles<'_> {
    /// Uses the bundle in a folder for this image, whatever catalogs contain.
    pub(super) fn with_folder(mut self, image: &str, folder: &str) -> Self {
        self.override_folder = Some((image.to_owned(), folder.to_owned()));
        self
    }

    /// Uses bundle folders with a matching name for images that no catalog contains.
    pub(super) fn with_matching_folders(mut self) -> Self {
        self.uses_folders = true;
        self
    }
}

impl Bundles for CatalogBundles<'_> {
    fn bundle(&self, reference: &str) -> Result<Option<Value>, String> {
        if reference.is_empty() {
            return Ok(None);
        }
        if let Some((_, folder)) = self
            .override_folder
            .as_ref()
            .filter(|(image, _)| image == reference)
        {
            return self.catalogs.bundle_in_folder(folder, reference).map(Some);
        }
        for catalog in &self.order {
            // An unreadable catalog has no bundles here; its own status reports it.
            let Ok(content) = self.catalogs.content(catalog) else {
                continue;
            };
            if let Some(blob) = content.bundle(reference)? {
                return Ok(Some((*blob).clone()));
            }
        }
        if let Some(additional) = self.catalogs.files.additional_bundles()
            && let Some(blob) = additional.bundle(reference)?
        {
            return Ok(Some(blob));
        }
        match self
            .catalogs
            .find_matching_folder(reference)
            .filter(|_| self.uses_folders)
        {
            Some(folder) => self.catalogs.bundle_in_folder(folder, reference).map(Some),
            None => Ok(None),
        }
    }
}

/// Why part of a bundle is unavailable, which makes the pipeline crash.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    pub file: String,
    pub line: Option<u32>,
    pub reason: String,
}

impl Failure {
    pub(super) fn new(
        file: impl Into<String>,
        line: impl Into<Option<u32>>,
        reason: impl Into<String>,
    ) -> Self {
        Self {
            file: file.into(),
            line: line.into(),
            reason: reason.into(),
        }
    }

    pub(super) fn into_problem(self, operator: &str) -> Problem {
        Problem::new(operator, self.file, self.reason).on_line(self.line)
    }
}

/// Reads a file of one document; `None` if the file does not exist.
pub(super) fn read_document(files: &dyn Files, path: &str) -> Result<Option<Document>, Failure> {
    match files.read(path) {
        Ok(text) => Document::read(text)
            .map(Some)
            .map_err(|error| Failure::new(path, error.line, error.message)),
        Err(ReadFailure::NotThere) => Ok(None),
        Err(ReadFailure::Refused(reason)) => Err(Failure::new(path, None, reason)),
    }
}

/// Like [`read_document`]. `help` is the remedy if the text has a fault.
pub(super) fn read_operator_document(
    files: &dyn Files,
    operator: &str,
    path: &str,
    help: &str,
) -> Result<Option<Document>, Problem> {
    read_document(files, path).map_err(|failure| match failure.line {
        Some(_) => failure.into_problem(operator).help(help),
        None => failure.into_problem(operator),
    })
}

const PACKAGE: &str = "operators.operatorframework.io.bundle.package.v1";

/// A bundle of an operator. Reads its files on demand.
pub(super) struct Bundle<'a> {
    pub files: &'a dyn Files,
    pub operator: &'a str,
    pub version: String,
    pub folder: String,
    csv: OnceCell<Result<(String, Document), Failure>>,
    release_config: OnceCell<Result<Option<Document>, Failure>>,
}

impl<'a> Bundle<'a> {
    /// Opens a folder of an operator as a bundle. The error is the finding that it is none.
    pub(super) fn open(
        files: &'a dyn Files,
        operator: &'a str,
        version: &str,
    ) -> Result<Self, Finding> {
        let bundle = Self::at(files, operator, version);
        let entries = files.entries(&bundle.folder);
        let missing: Vec<&str> = ["manifests", "metadata"]
            .into_iter()
            .filter(|name: &&str| {
                !entries
                    .iter()
                    .any(|entry| entry.name == *name && entry.kind == EntryKind::Folder)
            })
            .collect();
        if missing.is_empty() {
            return Ok(bundle);
        }
        let missing = quoted(missing).join(" and no ");
        let message = format!(
            "the folder has no {missing}, so it is not a bundle and the pipeline ignores it"
        );
        Err(Finding::error("bundle-incomplete", bundle.folder, message)
            .help("put the folders `manifests` and `metadata` directly in it"))
    }

    pub(super) fn at(files: &'a dyn Files, operator: &'a str, version: &str) -> Self {
        let folder = layout::bundle_folder(operator, version);
        let version = version.to_owned();
        Self {
            files,
            operator,
            version,
            folder,
            csv: OnceCell::new(),
            release_config: OnceCell::new(),
        }
    }

    /// Returns the pipeline's name for it.
    pub(super) fn display_name(&self) -> String {
        format!("Bundle({}/{})", self.operator, self.version)
    }

    pub(super) fn release_config_path(&self) -> String {
        join(&self.folder, layout::RELEASE_CONFIG)
    }

    pub(super) fn release_config(&self) -> Result<Option<Node<'_>>, Failure> {
        let read = self
            .release_config
            .get_or_init(|| read_document(self.files, &self.release_config_path()));
        let document = read.as_ref().map_err(Clone::clone)?;
        Ok(document
            .as_ref()
            .and_then(Document::root)
            .filter(|root| document::is_true(*root)))
    }

    /// Returns the path of the ClusterServiceVersion.
    fn csv_path(&self) -> Option<String> {
        let folder = join(&self.folder, "manifests");
        let names = self.files.entries(&folder);
        let csv = [".clusterserviceversion.yaml", ".clusterserviceversion.yml"]
            .into_iter()
            .find_map(|ending| {
                names
                    .iter()
                    .find(|entry| entry.name.ends_with(ending) && entry.kind != EntryKind::Folder)
            });
        Some(join(&folder, &csv?.name))
    }

    /// Returns the path of the ClusterServiceVersion and its root, which must be a mapping.
    pub(super) fn csv(&self) -> Result<(&str, Node<'_>), Failure> {
        let read = self.csv.get_or_init(|| {
            let folder = join(&self.folder, "manifests");
            let path = self.csv_path().ok_or_else(|| {
                Failure::new(
                    &*folder,
                    None,
                    "there is no `*.clusterserviceversion.yaml` in it",
                )
            })?;
            let document = read_document(self.files, &path)?;
            let document =
                document.ok_or_else(|| Failure::new(&*path, None, "there is no such file"))?;
            Ok((path, document))
        });
        let (path, document) = read.as_ref().map_err(Clone::clone)?;
        let root = document.root().filter(|root| root.is_map());
        let root = root.ok_or_else(|| {
            Failure::new(&**path, 1, "the ClusterServiceVersion is not a mapping")
        })?;
        Ok((path, root))
    }

    /// Calls `inspect` with the annotations and the path of their file; `None` if there are none.
    pub(super) fn with_annotations<T>(
        &self,
        inspect: impl FnOnce(&str, Node<'_>) -> T,
    ) -> Result<Option<T>, Failure> {
        let folder = join(&self.folder, "metadata");
        for name in ["annotations.yaml", "annotations.yml"] {
            let path = join(&folder, name);
            let Some(document) = read_document(self.files, &path)? else {
                continue;
            };
            let Some(root) = document.root().filter(|root| root.kind() != Kind::Null) else {
                return Ok(None);
            };
            if !root.is_map() {
                return Err(Failure::new(path, 1, "the file is not a mapping"));
            }
            let Some(annotations) = root
                .get("annotations")
                .filter(|value| document::is_true(*value))
            else {
                return Ok(None);
            };
            if !annotations.is_map() {
                return Err(Failure::new(
                    path,
                    annotations.line(),
                    "`annotations` is not a mapping",
                ));
            }
            return Ok(Some(inspect(&path, annotations)));
        }
        Ok(None)
    }

    /// Returns the operator name in the annotations; "" if absent.
    pub(super) fn annotated_name(&self) -> Result<String, Failure> {
        let name = self.with_annotations(|_, annotations| {
            annotations
                .get(PACKAGE)
                .map_or_else(String::new, document::text)
        })?;
        Ok(name.unwrap_or_default())
    }

    /// Returns the name of the ClusterServiceVersion, which is that of the bundle.
    pub(super) fn name(&self) -> Result<String, Failure> {
        let (path, csv) = self.csv()?;
        let metadata = csv.get("metadata");
        let name = metadata
            .and_then(|metadata| metadata.get("name"))
            .and_then(Node::text);
        let line = metadata.map(Node::line);
        name.map(|name| name.into_owned())
            .ok_or_else(|| Failure::new(path, line, "it has no `metadata.name`"))
    }

    /// Returns the operator name in the ClusterServiceVersion's name: the part before the first
    /// dot.
    pub(super) fn csv_name(&self) -> Result<String, Failure> {
        let (path, csv) = self.csv()?;
        let name = csv
            .get("metadata")
            .and_then(|metadata| metadata.get("name"))
            .and_then(Node::text);
        let name = name.and_then(|name| Some(name.split_once('.')?.0.to_owned()));
        name.ok_or_else(|| {
            Failure::new(
                path,
                1,
                "`metadata.name` must be a name and a version separated by a dot",
            )
        })
    }
}

/// A readable `ci.yaml`.
#[derive(Debug)]
pub(super) struct Ci {
    pub path: String,
    pub document: Document,
    /// The readable items of `fbc.catalog_mapping`, each with its index.
    pub mappings: Vec<(usize, Mapping)>,
}

impl Ci {
    /// Reads the operator's file; `None` if it does not exist.
    pub(super) fn read(files: &dyn Files, operator: &str) -> Result<Option<Self>, Problem> {
        let path = ci_path(operator);
        let problem = |message: String| Problem::new(operator, path.clone(), message);
        let text = match files.read(&path) {
            Ok(text) => text,
            Err(ReadFailure::NotThere) => return Ok(None),
            Err(ReadFailure::Refused(reason)) => return Err(problem(reason)),
        };
        if text.len() as u64 > mapping::MAX_BYTES {
            let message = format!(
                "it has {} bytes; a `ci.yaml` may have at most {}",
                text.len(),
                mapping::MAX_BYTES
            );
            return Err(problem(message));
        }
        let mappings = mapping::read_all(&text);
        let document = Document::read(text).map_err(|error| {
            problem(error.message)
                .on_line(error.line)
                .help("correct the text of the file")
        })?;
        Ok(Some(Self {
            path,
            document,
            mappings,
        }))
    }

    /// Returns `fbc.catalog_mapping` as written.
    pub(super) fn mapping(&self) -> Option<Node<'_>> {
        self.document.root()?.get("fbc")?.get("catalog_mapping")
    }

    /// Returns the line of a catalog's name in a mapping item.
    pub(super) fn line_of_catalog(&self, index: usize, catalog: &str) -> Option<u32> {
        let item = *self.mapping()?.items().get(index)?;
        let names = item.get("catalog_names")?.items();
        let name = names
            .into_iter()
            .find(|name| name.text().as_deref() == Some(catalog));
        name.map(Node::line)
    }

    /// Returns the first line of a mapping item.
    pub(super) fn line_of_mapping(&self, index: usize) -> Option<u32> {
        self.mapping()?.items().get(index).map(|item| item.line())
    }
}
