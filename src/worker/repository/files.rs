//! The files of a repository in their present state, for the library: from the workspace if it has the file, else from
//! disk.

use super::{Listed, MOST_JUDGED, Repository};
use fbc::repository::whole_catalog::{self, WholeCatalog};
use fbc::repository::{Entry, EntryKind, Files, ReadFailure};
use fbc::source::bytes::ByteSource;
use fbc::validate::Verdict;
use fbc::workspace::Workspace;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A repository with the edits of the workspace.
pub struct RepositoryFiles<'a> {
    repository: &'a Repository,
    workspace: &'a Workspace,
    source: &'a dyn ByteSource,
    /// Names that edits created, by folder.
    made: BTreeMap<String, Vec<Entry>>,
}

impl<'a> RepositoryFiles<'a> {
    pub fn new(
        repository: &'a Repository,
        workspace: &'a Workspace,
        source: &'a dyn ByteSource,
    ) -> Self {
        let inside = workspace
            .files()
            .paths()
            .filter_map(|path| repository.place.inside(path));
        let made = inside.filter(|path| repository.listing.get(path).is_none());
        Self {
            repository,
            workspace,
            source,
            made: names_of(made),
        }
    }
}

impl RepositoryFiles<'_> {
    /// A whole catalog with the edits of the workspace; `None` if the page has not sent all of its files, or the
    /// catalogs are too large for a browser tab.
    pub fn whole_catalog(&self, name: &str) -> Option<WholeCatalog> {
        if !self.repository.has_all_files(name) || self.repository.catalog_bytes() > MOST_JUDGED {
            return None;
        }
        let mut known = self.repository.known.borrow_mut();
        let mut read = |path: &str| {
            let opened = self.repository.place.opened_path(path);
            let index = || match self.read(path) {
                Ok(bytes) => whole_catalog::content(path, bytes),
                Err(failure) => whole_catalog::unreadable(failure),
            };
            match self.workspace.files().knows(&opened) {
                true => index(),
                false => known
                    .files
                    .entry(path.to_owned())
                    .or_insert_with(index)
                    .clone(),
            }
        };
        Some(WholeCatalog::read_with(name, self, &mut read))
    }

    /// The verdict of a whole catalog; `None` as above.
    pub fn whole_verdict(&self, name: &str) -> Option<Arc<Verdict>> {
        let revision = self.workspace.revision();
        if let Some((of, verdict)) = self.repository.known.borrow().verdicts.get(name)
            && *of == revision
        {
            return Some(Arc::clone(verdict));
        }
        let verdict = Arc::new(self.whole_catalog(name)?.verdict(&[]));
        let mut known = self.repository.known.borrow_mut();
        known
            .verdicts
            .insert(name.to_owned(), (revision, Arc::clone(&verdict)));
        Some(verdict)
    }
}

impl Files for RepositoryFiles<'_> {
    fn entries(&self, folder: &str) -> Vec<Entry> {
        with_names(
            self.repository.listing.entries(folder).to_vec(),
            self.made.get(folder),
        )
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, ReadFailure> {
        let Repository { place, listing, .. } = self.repository;
        let listed = listing.get(path);
        if let Some(Listed::Unreadable { reason, .. }) = listed {
            return Err(ReadFailure::Refused(reason.clone()));
        }
        let opened = place.opened_path(path);
        if self.workspace.files().knows(&opened) {
            return self
                .workspace
                .files()
                .bytes(&opened)
                .map_err(|_| ReadFailure::NotThere);
        }
        match listed {
            Some(listed) => listed.read(self.source).map_err(ReadFailure::Refused),
            None if self.is_folder(path) => Err(ReadFailure::Refused("it is a folder".to_owned())),
            None => Err(ReadFailure::NotThere),
        }
    }
}

/// Files with replaced texts. The replaced files need not exist.
pub struct WithTexts<'a> {
    files: &'a dyn Files,
    texts: BTreeMap<String, Vec<u8>>,
    made: BTreeMap<String, Vec<Entry>>,
}

impl<'a> WithTexts<'a> {
    pub fn new(files: &'a dyn Files, texts: BTreeMap<String, Vec<u8>>) -> Self {
        let made = names_of(texts.keys().cloned());
        Self { files, texts, made }
    }
}

impl Files for WithTexts<'_> {
    fn entries(&self, folder: &str) -> Vec<Entry> {
        with_names(self.files.entries(folder), self.made.get(folder))
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, ReadFailure> {
        self.texts
            .get(path)
            .map_or_else(|| self.files.read(path), |text| Ok(text.clone()))
    }
}

/// Files and the folders above them, by parent folder.
fn names_of(paths: impl Iterator<Item = String>) -> BTreeMap<String, Vec<Entry>> {
    let mut names: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
    for path in paths {
        let (mut rest, mut kind) = (path.as_str(), EntryKind::File);
        loop {
            let (above, name) = rest.rsplit_once('/').unwrap_or(("", rest));
            let entry = Entry {
                name: name.to_owned(),
                kind,
            };
            let entries = names.entry(above.to_owned()).or_default();
            if entries.contains(&entry) {
                break;
            }
            entries.push(entry);
            if above.is_empty() {
                break;
            }
            (rest, kind) = (above, EntryKind::Folder);
        }
    }
    names
}

fn with_names(mut entries: Vec<Entry>, made: Option<&Vec<Entry>>) -> Vec<Entry> {
    let Some(made) = made else { return entries };
    for entry in made {
        if entries.iter().all(|known| known.name != entry.name) {
            entries.push(entry.clone());
        }
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    entries
}
