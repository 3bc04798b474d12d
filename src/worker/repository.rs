//! The open operator repository: its files by name, read on demand, with the edits of the workspace. Pure.

mod files;
mod listing;
mod plan;

pub use files::{RepositoryFiles, WithTexts};
pub use listing::{Listed, ListedFile, Listing};
pub use plan::{Planned, PlannedFile, configuration_fix, dropped_texts, fix_words, plan};

use fbc::catalog::Content;
use fbc::index::index_bytes;
use fbc::repository::layout::Place;
use fbc::repository::{EntryKind, Files, layout};
use fbc::source::bytes::ByteSource;
use fbc::validate::Verdict;
use fbc::workspace::NewFile;
use protocol::operation::EditOp;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The open repository.
#[derive(Debug)]
pub struct Repository {
    pub place: Place,
    pub listing: Listing,
    /// Operators whose files were all opened.
    pub operators: BTreeSet<String>,
    /// Paths in the repository of the files in the workspace.
    opened: BTreeSet<String>,
    known: RefCell<KnownCatalogs>,
}

/// Caches for whole catalogs, so that each file is read once.
#[derive(Debug, Default)]
struct KnownCatalogs {
    /// Content on disk, by path in the repository.
    files: HashMap<String, Content>,
    /// Verdicts, each with the revision of the workspace that it is valid for.
    verdicts: HashMap<String, (u64, Arc<Verdict>)>,
    /// Total size of the catalogs' files in bytes.
    bytes: Option<u64>,
}

/// The page validates whole catalogs only if all of them together have at most this many bytes.
const MOST_JUDGED: u64 = 64 << 20;

/// The configuration of advice, which applies to everything below its folder.
const OWN_CONFIG: &str = ".switchyard.yaml";

impl Repository {
    pub fn new(place: Place, files: Vec<ListedFile>) -> Self {
        let listing = Listing::new(&place, files);
        Self {
            place,
            listing,
            operators: BTreeSet::new(),
            opened: BTreeSet::new(),
            known: RefCell::default(),
        }
    }

    /// Adds files by name that were not known before.
    pub fn list(&mut self, files: Vec<ListedFile>) {
        self.known.take();
        self.listing.add_files(&self.place, files);
    }

    /// Rereads the files that the previous instance had read of the same folder.
    pub fn read_again(&mut self, before: &Repository, source: &dyn ByteSource) -> Vec<NewFile> {
        self.operators.clone_from(&before.operators);
        let paths: Vec<String> = before.opened.iter().cloned().collect();
        self.read_files(paths, source)
    }

    /// The files for viewing and editing an operator that are not open yet.
    pub fn read_operator(&mut self, operator: &str, source: &dyn ByteSource) -> Vec<NewFile> {
        if !self.operators.insert(operator.to_owned()) {
            return Vec::new();
        }
        let paths = self.paths_of(operator);
        self.read_files(paths, source)
    }

    /// Those of these files that exist and are not open yet.
    pub fn read_files(&mut self, paths: Vec<String>, source: &dyn ByteSource) -> Vec<NewFile> {
        let mut read = Vec::new();
        for path in paths {
            let Some(listed) = self.listing.get(&path) else {
                continue;
            };
            if !self.opened.insert(path.clone()) {
                continue;
            }
            read.push(NewFile {
                id: listed.id(),
                path: self.place.opened_path(&path),
                content: content(&path, listed, source),
            });
        }
        read
    }

    /// Whether all files of every operator in a catalog are known, not only its folders.
    fn has_all_files(&self, catalog: &str) -> bool {
        let root = format!("{}/{catalog}", layout::CATALOGS);
        let entries = self.listing.entries(&root).iter();
        let mut folders = entries.filter(|entry| entry.kind == EntryKind::Folder);
        folders.all(|entry| {
            let folder = format!("{root}/{}", entry.name);
            !self.listing.entries(&folder).is_empty()
        })
    }

    /// Total size of the catalogs' files in bytes.
    fn catalog_bytes(&self) -> u64 {
        if let Some(bytes) = self.known.borrow().bytes {
            return bytes;
        }
        let paths = self.listing.below(layout::CATALOGS);
        let size = |path: &String| match self.listing.get(path) {
            Some(Listed::File { size, .. }) => *size,
            _ => 0,
        };
        let bytes = paths.iter().map(size).sum();
        self.known.borrow_mut().bytes = Some(bytes);
        bytes
    }

    fn paths_of(&self, operator: &str) -> Vec<String> {
        let names = Names {
            listing: &self.listing,
        };
        let own = layout::operator_folder(operator);
        let mut paths = vec![
            OWN_CONFIG.to_owned(),
            format!("{own}/{OWN_CONFIG}"),
            layout::ci_path(operator),
            format!("{own}/{}", layout::RELEASE_CONFIG),
        ];
        for entry in names
            .entries(&own)
            .into_iter()
            .filter(|entry| entry.kind == EntryKind::Folder)
        {
            paths.push(format!("{own}/{}/{}", entry.name, layout::RELEASE_CONFIG));
        }
        paths.extend(self.listing.below(&layout::templates_folder(operator)));
        for catalog in layout::catalogs(&names) {
            paths.push(format!("{}/{catalog}/.indexignore", layout::CATALOGS));
            paths.extend(
                self.listing
                    .below(&layout::catalog_folder(&catalog, operator)),
            );
        }
        paths
    }

    /// The operators whose files an operation concerns, and the file that it names.
    pub fn touched_by(&self, op: &EditOp) -> Option<Touched> {
        let catalog = op.catalog().unwrap_or_default();
        if let EditOp::ReplaceText { file, .. } = op {
            // A template is a root of its own, named by its path.
            let template = self
                .place
                .inside(catalog)
                .filter(|path| self.listing.get(path).is_some());
            if let Some(path) = template {
                return Some(Touched::File(path));
            }
            let whole = if catalog.is_empty() {
                file.clone()
            } else {
                format!("{catalog}/{file}")
            };
            return self.place.inside(&whole).map(Touched::File);
        }
        if let Some(operator) = self.place.operator_of(catalog) {
            return Some(Touched::Operator(operator));
        }
        let package = op.package()?;
        let is_there = self.listing.is_folder(&layout::operator_folder(package));
        is_there.then(|| Touched::Operator(package.to_owned()))
    }
}

/// What must be open for an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Touched {
    Operator(String),
    /// Path in the repository.
    File(String),
}

/// Serves names only.
struct Names<'a> {
    listing: &'a Listing,
}

impl Files for Names<'_> {
    fn entries(&self, folder: &str) -> Vec<fbc::repository::Entry> {
        self.listing.entries(folder).to_vec()
    }

    fn read(&self, _: &str) -> Result<Vec<u8>, fbc::repository::ReadFailure> {
        Err(fbc::repository::ReadFailure::NotThere)
    }
}

fn content(path: &str, listed: &Listed, source: &dyn ByteSource) -> Content {
    match (listed.read(source), path.ends_with(".indexignore")) {
        (Err(reason), _) => Content::Unreadable(reason),
        (Ok(bytes), true) => Content::Ignore(bytes.into()),
        (Ok(bytes), false) => Content::Indexed(Arc::new(index_bytes(&bytes))),
    }
}
