//! The open operator repository: lists its files by name, reads them on demand, and applies the
//! session's edits.

mod listing;
mod plan;

pub use listing::{Listed, ListedFile, Listing};
pub use plan::{
    CatalogChange, Plan, PlannedPullRequest, configuration_fix, dropped_texts, fix_title, plan,
    rendering_failure,
};

use ::repository::layout::{self, Place};
use ::repository::whole_catalog::{self, WholeCatalog};
use ::repository::{Entry, EntryKind, Files, ReadFailure};
use catalog::source::ByteSource;
use catalog::{Content, TreeEntry};
use protocol::operation::EditOp;
use session::Session;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use verdict::validate::Verdict;

/// The page validates whole catalogs only if their total size is at most this many bytes.
const MAX_VALIDATED_BYTES: u64 = 64 << 20;

/// The configuration of advice, which applies to its folder and everything below.
const ADVICE_CONFIG: &str = ".switchyard.yaml";

#[derive(Debug)]
pub struct Repository {
    pub place: Place,
    pub listing: Listing,
    /// Operators whose files were all read.
    pub operators: BTreeSet<String>,
    /// Paths in the repository of the files that the session contains.
    opened: BTreeSet<String>,
    cache: RefCell<CatalogCache>,
}

/// Caches of whole catalogs, so that each file is read only once.
#[derive(Debug, Default)]
struct CatalogCache {
    /// Content on disk, by path in the repository.
    files: HashMap<String, Content>,
    verdicts: HashMap<String, CachedVerdict>,
    /// Total size of the catalogs' files in bytes.
    bytes: Option<u64>,
}

#[derive(Debug)]
struct CachedVerdict {
    /// The session revision that it is valid for.
    revision: u64,
    verdict: Arc<Verdict>,
}

impl Repository {
    pub fn new(place: Place, files: Vec<ListedFile>) -> Self {
        let listing = Listing::new(&place, files);
        Self {
            place,
            listing,
            operators: BTreeSet::new(),
            opened: BTreeSet::new(),
            cache: RefCell::default(),
        }
    }

    /// Adds files by name and clears the caches.
    pub fn add_listed(&mut self, files: Vec<ListedFile>) {
        self.cache.take();
        self.listing.add_files(&self.place, files);
    }

    /// Adopts the open operators of `before`, an earlier instance of this repository, and rereads
    /// its files.
    pub fn reopen_files(&mut self, before: &Repository, source: &dyn ByteSource) -> Vec<TreeEntry> {
        self.operators.clone_from(&before.operators);
        let paths: Vec<String> = before.opened.iter().cloned().collect();
        self.read_files(paths, source)
    }

    /// Reads those files of an operator that are not open yet.
    pub fn read_operator(&mut self, operator: &str, source: &dyn ByteSource) -> Vec<TreeEntry> {
        if !self.operators.insert(operator.to_owned()) {
            return Vec::new();
        }
        let paths = self.operator_paths(operator);
        self.read_files(paths, source)
    }

    /// Reads those of these files that exist and are not open yet. `paths` are paths in the
    /// repository.
    pub fn read_files(&mut self, paths: Vec<String>, source: &dyn ByteSource) -> Vec<TreeEntry> {
        let mut read = Vec::new();
        for path in paths {
            let Some(listed) = self.listing.get(&path) else {
                continue;
            };
            if !self.opened.insert(path.clone()) {
                continue;
            }
            read.push(TreeEntry {
                id: listed.id(),
                path: self.place.opened_path(&path),
                content: match listed.read(source) {
                    Ok(bytes) => whole_catalog::content(&path, bytes),
                    Err(reason) => Content::Unreadable(reason),
                },
            });
        }
        read
    }

    /// Returns the versions of an operator's bundle folders; empty if no template makes its
    /// catalogs.
    pub fn bundle_versions(&self, operator: &str) -> Vec<String> {
        let names = NamesOnly(&self.listing);
        if self
            .listing
            .below(&layout::templates_folder(operator))
            .is_empty()
        {
            return Vec::new();
        }
        layout::bundles(&names, operator)
    }

    /// Whether the files of every operator in a catalog are known, rather than only the names of
    /// their folders.
    fn has_all_files(&self, catalog: &str) -> bool {
        let root = format!("{}/{catalog}", layout::CATALOGS);
        let entries = self.listing.entries(&root).iter();
        let mut folders = entries.filter(|entry| entry.kind == EntryKind::Folder);
        folders.all(|entry| {
            let folder = format!("{root}/{}", entry.name);
            !self.listing.entries(&folder).is_empty()
        })
    }

    /// Returns the total size of all catalogs' files in bytes.
    fn catalog_bytes(&self) -> u64 {
        if let Some(bytes) = self.cache.borrow().bytes {
            return bytes;
        }
        let bytes = self.listing.bytes_below(layout::CATALOGS);
        self.cache.borrow_mut().bytes = Some(bytes);
        bytes
    }

    /// Returns the paths of an operator's files, and of configuration files that may not exist.
    fn operator_paths(&self, operator: &str) -> Vec<String> {
        let names = NamesOnly(&self.listing);
        let folder = layout::operator_folder(operator);
        let mut paths = vec![
            ADVICE_CONFIG.to_owned(),
            format!("{folder}/{ADVICE_CONFIG}"),
            layout::ci_path(operator),
            format!("{folder}/{}", layout::RELEASE_CONFIG),
        ];
        let entries = self.listing.entries(&folder).iter();
        for bundle in entries.filter(|entry| entry.kind == EntryKind::Folder) {
            paths.push(format!(
                "{folder}/{}/{}",
                bundle.name,
                layout::RELEASE_CONFIG
            ));
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

    /// Returns the operator or the file that must be open before applying an operation; `None` if
    /// it concerns no part of the repository.
    pub fn required_part(&self, op: &EditOp) -> Option<RequiredPart> {
        let catalog = op.catalog().unwrap_or_default();
        if let EditOp::ReplaceText { file, .. } = op {
            return self.edited_file(catalog, file).map(RequiredPart::File);
        }
        if let Some(operator) = self.place.operator_of(catalog) {
            return Some(RequiredPart::Operator(operator));
        }
        let package = op.package()?;
        let has_operator = self.listing.is_folder(&layout::operator_folder(package));
        has_operator.then(|| RequiredPart::Operator(package.to_owned()))
    }

    /// Returns the path in the repository of a file whose text an operation replaces.
    fn edited_file(&self, catalog: &str, file: &str) -> Option<String> {
        // A template is its own root, named by its path.
        let template = self
            .place
            .repository_path(catalog)
            .filter(|path| self.listing.get(path).is_some());
        if template.is_some() {
            return template;
        }
        if catalog.is_empty() {
            self.place.repository_path(file)
        } else {
            self.place.repository_path(&format!("{catalog}/{file}"))
        }
    }
}

/// The part of the repository that must be open before an operation is applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequiredPart {
    Operator(String),
    /// Path in the repository.
    File(String),
}

/// The names of files, without their content.
struct NamesOnly<'a>(&'a Listing);

impl Files for NamesOnly<'_> {
    fn entries(&self, folder: &str) -> Vec<Entry> {
        self.0.entries(folder).to_vec()
    }

    fn read(&self, _: &str) -> Result<Vec<u8>, ReadFailure> {
        Err(ReadFailure::NotThere)
    }
}

/// The repository's files with the session's edits.
pub struct RepositoryFiles<'a> {
    repository: &'a Repository,
    session: &'a Session,
    source: &'a dyn ByteSource,
    /// Names created by edits, by folder.
    created: BTreeMap<String, Vec<Entry>>,
}

impl<'a> RepositoryFiles<'a> {
    pub fn new(
        repository: &'a Repository,
        session: &'a Session,
        source: &'a dyn ByteSource,
    ) -> Self {
        let paths = session
            .files()
            .paths()
            .filter_map(|path| repository.place.repository_path(path));
        let created = paths.filter(|path| repository.listing.get(path).is_none());
        Self {
            repository,
            session,
            source,
            created: names_by_folder(created),
        }
    }
}

impl RepositoryFiles<'_> {
    /// Returns a whole catalog with the session's edits; `None` if the page has not sent all of its
    /// files, or if the catalogs are too large for a browser tab.
    pub fn whole_catalog(&self, name: &str) -> Option<WholeCatalog> {
        if !self.repository.has_all_files(name)
            || self.repository.catalog_bytes() > MAX_VALIDATED_BYTES
        {
            return None;
        }
        let mut cache = self.repository.cache.borrow_mut();
        let mut read = |path: &str| {
            let opened = self.repository.place.opened_path(path);
            let index = || match self.read(path) {
                Ok(bytes) => whole_catalog::content(path, bytes),
                Err(failure) => whole_catalog::unreadable(failure),
            };
            if self.session.files().has_path(&opened) {
                return index();
            }
            let cached = cache.files.entry(path.to_owned());
            cached.or_insert_with(index).clone()
        };
        Some(WholeCatalog::read_with(name, self, &mut read))
    }

    /// Returns the verdict of a whole catalog; `None` in the same cases as [`Self::whole_catalog`].
    pub fn whole_verdict(&self, name: &str) -> Option<Arc<Verdict>> {
        let revision = self.session.revision();
        let cache = &self.repository.cache;
        if let Some(cached) = cache.borrow().verdicts.get(name)
            && cached.revision == revision
        {
            return Some(Arc::clone(&cached.verdict));
        }
        let verdict = Arc::new(self.whole_catalog(name)?.verdict(&[]));
        let cached = CachedVerdict {
            revision,
            verdict: Arc::clone(&verdict),
        };
        cache.borrow_mut().verdicts.insert(name.to_owned(), cached);
        Some(verdict)
    }
}

impl Files for RepositoryFiles<'_> {
    fn entries(&self, folder: &str) -> Vec<Entry> {
        merge_names(
            self.repository.listing.entries(folder).to_vec(),
            self.created.get(folder),
        )
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, ReadFailure> {
        let Repository { place, listing, .. } = self.repository;
        let listed = listing.get(path);
        if let Some(Listed::Unreadable { reason, .. }) = listed {
            return Err(ReadFailure::Refused(reason.clone()));
        }
        let opened = place.opened_path(path);
        if self.session.files().has_path(&opened) {
            // An edit may have deleted it.
            let text = self.session.files().text_now(&opened);
            let text = text.map_err(|_| ReadFailure::NotThere)?;
            return text
                .whole()
                .map_err(|refused| ReadFailure::Refused(refused.reason));
        }
        match listed {
            Some(listed) => listed.read(self.source).map_err(ReadFailure::Refused),
            None if self.is_folder(path) => Err(ReadFailure::Refused("it is a folder".to_owned())),
            None => Err(ReadFailure::NotThere),
        }
    }
}

/// Files, some replaced by texts. The replaced files need not exist.
pub struct OverlaidFiles<'a> {
    files: &'a dyn Files,
    /// Replacement texts, by path.
    texts: BTreeMap<String, Vec<u8>>,
    /// Names of the replaced files, by folder.
    names: BTreeMap<String, Vec<Entry>>,
}

impl<'a> OverlaidFiles<'a> {
    pub fn new(files: &'a dyn Files, texts: BTreeMap<String, Vec<u8>>) -> Self {
        let names = names_by_folder(texts.keys().cloned());
        Self {
            files,
            texts,
            names,
        }
    }
}

impl Files for OverlaidFiles<'_> {
    fn entries(&self, folder: &str) -> Vec<Entry> {
        merge_names(self.files.entries(folder), self.names.get(folder))
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, ReadFailure> {
        self.texts
            .get(path)
            .map_or_else(|| self.files.read(path), |text| Ok(text.clone()))
    }
}

/// Returns the names of files and of the folders above them, by parent folder.
fn names_by_folder(paths: impl Iterator<Item = String>) -> BTreeMap<String, Vec<Entry>> {
    let mut names: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
    for path in paths {
        let (mut path, mut kind) = (path.as_str(), EntryKind::File);
        loop {
            let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
            let entry = Entry {
                name: name.to_owned(),
                kind,
            };
            let entries = names.entry(parent.to_owned()).or_default();
            if entries.contains(&entry) {
                break;
            }
            entries.push(entry);
            if parent.is_empty() {
                break;
            }
            (path, kind) = (parent, EntryKind::Folder);
        }
    }
    names
}

/// Adds those entries whose name is new, and sorts all by name.
fn merge_names(mut entries: Vec<Entry>, added: Option<&Vec<Entry>>) -> Vec<Entry> {
    let Some(added) = added else { return entries };
    for entry in added {
        if entries.iter().all(|known| known.name != entry.name) {
            entries.push(entry.clone());
        }
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    entries
}
