//! A bundle folder as seen by the pipeline.

use super::document::{Document, Kind, Node};
use super::files::{EntryKind, Files, ReadFailure, join};
use super::finding::Finding;
use super::layout;
use super::python;
use std::cell::OnceCell;

/// Why part of a bundle is unavailable, which makes the pipeline crash.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    pub file: String,
    pub line: Option<u32>,
    pub why: String,
}

impl Failure {
    pub(super) fn new(
        file: impl Into<String>,
        line: impl Into<Option<u32>>,
        why: impl Into<String>,
    ) -> Self {
        Self {
            file: file.into(),
            line: line.into(),
            why: why.into(),
        }
    }
}

/// The single document of a file; `None` if the file does not exist.
pub(super) fn read_document(files: &dyn Files, path: &str) -> Result<Option<Document>, Failure> {
    match files.read(path) {
        Ok(text) => Document::read(text)
            .map(Some)
            .map_err(|wrong| Failure::new(path, wrong.line, wrong.message)),
        Err(ReadFailure::NotThere) => Ok(None),
        Err(ReadFailure::Refused(reason)) => Err(Failure::new(path, None, reason)),
    }
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
    /// Opens a folder of an operator as a bundle; the finding says why it is none.
    pub(super) fn open(
        files: &'a dyn Files,
        operator: &'a str,
        version: &str,
    ) -> Result<Self, Finding> {
        let bundle = Self::at(files, operator, version);
        let entries = files.entries(&bundle.folder);
        let lacks = |name: &&str| {
            !entries
                .iter()
                .any(|entry| entry.name == *name && entry.kind == EntryKind::Folder)
        };
        let missing: Vec<&str> = ["manifests", "metadata"]
            .into_iter()
            .filter(lacks)
            .collect();
        if missing.is_empty() {
            return Ok(bundle);
        }
        let missing = missing
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(" and no ");
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

    /// The pipeline's name for it.
    pub(super) fn display_name(&self) -> String {
        format!("Bundle({}/{})", self.operator, self.version)
    }

    pub(super) fn release_config_path(&self) -> String {
        join(&self.folder, layout::RELEASE_CONFIG)
    }

    /// The release configuration, if it is not empty.
    pub(super) fn release_config(&self) -> Result<Option<Node<'_>>, Failure> {
        let read = self
            .release_config
            .get_or_init(|| read_document(self.files, &self.release_config_path()));
        let document = read.as_ref().map_err(Clone::clone)?;
        Ok(document
            .as_ref()
            .and_then(Document::root)
            .filter(|root| python::is_true(*root)))
    }

    /// The path of the ClusterServiceVersion.
    fn csv_path(&self) -> Option<String> {
        let folder = join(&self.folder, "manifests");
        let names = self.files.entries(&folder);
        let ending = |ending: &str| {
            names
                .iter()
                .find(|entry| entry.name.ends_with(ending) && entry.kind != EntryKind::Folder)
        };
        let found = ending(".clusterserviceversion.yaml")
            .or_else(|| ending(".clusterserviceversion.yml"))?;
        Some(join(&folder, &found.name))
    }

    /// The ClusterServiceVersion, which must be a mapping, and its path.
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

    /// The annotations with the path of their file; `None` if there are none.
    pub(super) fn with_annotations<T>(
        &self,
        ask: impl FnOnce(&str, Node<'_>) -> T,
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
                .filter(|value| python::is_true(*value))
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
            return Ok(Some(ask(&path, annotations)));
        }
        Ok(None)
    }

    /// The operator name in the annotations; "" if absent.
    pub(super) fn annotated_name(&self) -> Result<String, Failure> {
        let name = self.with_annotations(|_, annotations| {
            annotations
                .get(PACKAGE)
                .map_or_else(String::new, python::text)
        })?;
        Ok(name.unwrap_or_default())
    }

    /// The name of the ClusterServiceVersion and thus of the bundle.
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

    /// The operator name in the ClusterServiceVersion's name: the part before the first dot.
    pub(super) fn csv_name(&self) -> Result<String, Failure> {
        let (path, csv) = self.csv()?;
        let name = csv
            .get("metadata")
            .and_then(|metadata| metadata.get("name"))
            .and_then(Node::text);
        let invalid = || {
            Failure::new(
                path,
                1,
                "`metadata.name` must be a name and a version separated by a dot",
            )
        };
        let name = name.ok_or_else(invalid)?;
        name.split_once('.')
            .map(|(name, _)| name.to_owned())
            .ok_or_else(invalid)
    }
}
