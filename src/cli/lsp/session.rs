//! What one client has open: its buffers, the catalogs that they are of, and what it was shown.

use super::buffer::Buffer;
use super::catalog::{self, Buffers, Catalog};
use super::catalog_folder;
use super::file_uri;
use super::problems;
use lsp_types::{Diagnostic, PublishDiagnosticsParams, TextDocumentContentChangeEvent, Uri};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What the client said of itself.
#[derive(Debug, Default)]
pub(super) struct Client {
    /// The folders that it has open.
    pub(super) folders: Vec<PathBuf>,
    /// It can make files as part of an edit.
    pub(super) makes_files: bool,
    /// It takes edits by version of a document.
    pub(super) takes_versions: bool,
    /// It tells of files that change on disk when it is asked to.
    pub(super) watches_files: bool,
}

#[derive(Debug, Default)]
pub(super) struct Session {
    pub(super) client: Client,
    /// The catalogs that the user named.
    named: Vec<PathBuf>,
    buffers: Buffers,
    /// How the client calls its documents, and which version it has.
    documents: BTreeMap<PathBuf, (Uri, i32)>,
    catalogs: Vec<OpenCatalog>,
}

struct OpenCatalog {
    catalog: Catalog,
    /// It is to be read again.
    is_stale: bool,
    /// What was found last is to be shown.
    is_unshown: bool,
    /// Why it could not be read.
    failure: Option<String>,
    /// Files for which problems were shown.
    shown: BTreeSet<PathBuf>,
}

impl std::fmt::Debug for OpenCatalog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenCatalog")
            .field("place", &self.catalog.place())
            .finish_non_exhaustive()
    }
}

/// Texts and URIs of files: buffers, and what is read of the disk meanwhile.
pub(super) struct Files<'a> {
    buffers: &'a Buffers,
    documents: &'a BTreeMap<PathBuf, (Uri, i32)>,
    read: BTreeMap<PathBuf, Option<Buffer>>,
}

impl Files<'_> {
    /// The text of a file; `None` where there is none.
    pub(super) fn buffer(&mut self, path: &Path) -> Option<&Buffer> {
        if let Some(buffer) = self.buffers.get(path) {
            return Some(buffer);
        }
        let read = || {
            let bytes = std::fs::read(path).ok()?;
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
            Some(Buffer::new(String::from_utf8_lossy(bytes)))
        };
        self.read
            .entry(path.to_path_buf())
            .or_insert_with(read)
            .as_ref()
    }

    /// How the client calls a file.
    pub(super) fn uri(&self, path: &Path) -> Option<Uri> {
        match self.documents.get(path) {
            Some((uri, _)) => Some(uri.clone()),
            None => file_uri::of_path(path),
        }
    }

    /// The version of a document that the client has open.
    pub(super) fn version(&self, path: &Path) -> Option<i32> {
        self.documents.get(path).map(|(_, version)| *version)
    }
}

impl Session {
    pub(super) fn new(named: Vec<PathBuf>) -> Self {
        Self {
            named,
            ..Self::default()
        }
    }

    /// Opens the catalogs that were named, whatever the client has open.
    pub(super) fn start(&mut self) {
        for place in self.named.clone() {
            self.add(place, false);
        }
    }

    pub(super) fn open(&mut self, uri: Uri, version: i32, text: String) {
        let Some(path) = file_uri::to_path(&uri) else {
            return;
        };
        self.documents.insert(path.clone(), (uri, version));
        self.buffers.insert(path.clone(), Buffer::new(text));
        self.changed(&path);
    }

    pub(super) fn change(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: &[TextDocumentContentChangeEvent],
    ) {
        let Some(path) = file_uri::to_path(uri) else {
            return;
        };
        let Some(buffer) = self.buffers.get_mut(&path) else {
            return;
        };
        for change in changes {
            *buffer = buffer.changed(change);
        }
        if let Some((_, known)) = self.documents.get_mut(&path) {
            *known = version;
        }
        self.changed(&path);
    }

    pub(super) fn close(&mut self, uri: &Uri) {
        let Some(path) = file_uri::to_path(uri) else {
            return;
        };
        self.buffers.remove(&path);
        self.documents.remove(&path);
        self.changed(&path);
    }

    /// A file on disk is not what it was.
    pub(super) fn changed_on_disk(&mut self, uri: &Uri) {
        if let Some(path) = file_uri::to_path(uri) {
            self.mark(&path);
        }
    }

    /// What a document says and what it belongs to, as it is now; `None` where it is no part of a catalog.
    pub(super) fn look(
        &mut self,
        uri: &Uri,
    ) -> Option<(PathBuf, Files<'_>, &mut Catalog, &Client)> {
        let path = file_uri::to_path(uri)?;
        let at = self
            .catalogs
            .iter()
            .position(|open| open.catalog.holds(&path))?;
        self.refresh(at);
        let files = Files {
            buffers: &self.buffers,
            documents: &self.documents,
            read: BTreeMap::new(),
        };
        Some((
            path,
            files,
            &mut self.catalogs.get_mut(at)?.catalog,
            &self.client,
        ))
    }

    /// Judges what changed. The answer is what the client is to show now.
    pub(super) fn settle(&mut self) -> Vec<PublishDiagnosticsParams> {
        let mut published = Vec::new();
        let (is_held, buffers) = (&self.named, &self.buffers);
        let (kept, left): (Vec<OpenCatalog>, Vec<OpenCatalog>) = std::mem::take(&mut self.catalogs)
            .into_iter()
            .partition(|open| {
                is_held.iter().any(|named| named == open.catalog.place())
                    || buffers.keys().any(|path| open.catalog.holds(path))
            });
        self.catalogs = kept;
        let mut gone: BTreeSet<PathBuf> = left.into_iter().flat_map(|open| open.shown).collect();
        let templates: Vec<PathBuf> = self
            .catalogs
            .iter()
            .filter(|open| open.catalog.is_template())
            .map(|open| open.catalog.place().into())
            .collect();
        for at in 0..self.catalogs.len() {
            if !std::mem::take(&mut self.catalogs[at].is_unshown) {
                continue;
            }
            self.refresh(at);
            let mut files = Files {
                buffers: &self.buffers,
                documents: &self.documents,
                read: BTreeMap::new(),
            };
            let open = &mut self.catalogs[at];
            let mut found = found(open, &mut files);
            if !open.catalog.is_template() {
                // A template's own problems are shown in its file.
                found.retain(|path, _| !templates.contains(path));
            }
            let now: BTreeSet<PathBuf> = found.keys().cloned().collect();
            gone.extend(open.shown.difference(&now).cloned());
            gone.retain(|path| !now.contains(path));
            open.shown = now;
            for (path, diagnostics) in found {
                let Some(uri) = files.uri(&path) else {
                    continue;
                };
                published.push(PublishDiagnosticsParams {
                    uri,
                    diagnostics,
                    version: files.version(&path),
                });
            }
        }
        let shown: BTreeSet<&PathBuf> = self.catalogs.iter().flat_map(|open| &open.shown).collect();
        let files = Files {
            buffers: &self.buffers,
            documents: &self.documents,
            read: BTreeMap::new(),
        };
        for path in gone.iter().filter(|path| !shown.contains(path)) {
            let Some(uri) = files.uri(path) else { continue };
            published.push(PublishDiagnosticsParams {
                uri,
                diagnostics: Vec::new(),
                version: files.version(path),
            });
        }
        published
    }

    /// A document is another one than it was: it may be of another catalog now.
    fn changed(&mut self, path: &Path) {
        self.mark(path);
        let Some(text) = self.buffers.get(path).map(|buffer| buffer.text().clone()) else {
            return;
        };
        let is_template = catalog_folder::is_of_catalog(&text) && catalog::is_template(&text);
        // A template inside of a folder that was named is a file of the catalog, as it is for `validate`.
        let known = self.catalogs.iter().find(|open| open.catalog.holds(path));
        if known.is_some_and(|open| {
            !open.catalog.is_template() && (!is_template || self.is_named(path))
        }) {
            return;
        }
        if known.is_some_and(|open| open.catalog.is_template() == is_template) {
            return;
        }
        let was_template =
            |open: &OpenCatalog| open.catalog.is_template() && open.catalog.holds(path);
        if let Some(at) = self.catalogs.iter().position(was_template) {
            // It is no template any more, for as long as it is typed; what was shown of it goes with the next catalog.
            let shown = self.catalogs.remove(at).shown;
            self.adopt(path, is_template, shown);
        } else if is_template || catalog_folder::is_of_catalog(&text) {
            self.adopt(path, is_template, BTreeSet::new());
        }
    }

    fn adopt(&mut self, path: &Path, is_template: bool, shown: BTreeSet<PathBuf>) {
        let place = match is_template && !self.is_named(path) {
            true => path.to_path_buf(),
            false => {
                let top = self
                    .client
                    .folders
                    .iter()
                    .filter(|folder| path.starts_with(folder));
                let top = top.max_by_key(|folder| folder.components().count());
                catalog_folder::of_file(path, &self.named, top.map(PathBuf::as_path))
            }
        };
        self.add(place, is_template && !self.is_named(path));
        if let Some(open) = self
            .catalogs
            .iter_mut()
            .find(|open| open.catalog.holds(path))
        {
            open.shown.extend(shown);
        }
    }

    fn is_named(&self, path: &Path) -> bool {
        self.named.iter().any(|named| path.starts_with(named))
    }

    fn add(&mut self, place: PathBuf, is_template: bool) {
        if self
            .catalogs
            .iter()
            .any(|open| open.catalog.place() == place)
        {
            return;
        }
        let open = OpenCatalog {
            catalog: Catalog::new(place, is_template),
            is_stale: true,
            is_unshown: true,
            failure: None,
            shown: BTreeSet::new(),
        };
        // A template is looked at before the folder that it is in.
        if is_template {
            self.catalogs.insert(0, open)
        } else {
            self.catalogs.push(open)
        }
    }

    /// What a file belongs to, or may configure, is judged again.
    fn mark(&mut self, path: &Path) {
        let is_config = path
            .file_name()
            .is_some_and(|name| name == fbc::validate::config::FILE_NAME);
        let folder = path.parent().unwrap_or(path);
        for open in &mut self.catalogs {
            if open.catalog.holds(path) || (is_config && open.catalog.place().starts_with(folder)) {
                (open.is_stale, open.is_unshown) = (true, true);
            }
        }
    }

    fn refresh(&mut self, at: usize) {
        let Some(open) = self.catalogs.get_mut(at) else {
            return;
        };
        if std::mem::take(&mut open.is_stale) {
            open.failure = open
                .catalog
                .refresh(&self.buffers)
                .err()
                .map(|error| error.message());
        }
    }
}

/// The problems of a catalog, or why it has none.
fn found(open: &OpenCatalog, files: &mut Files<'_>) -> BTreeMap<PathBuf, Vec<Diagnostic>> {
    let first = files
        .buffers
        .keys()
        .find(|path| open.catalog.holds(path))
        .cloned();
    let first = first.or_else(|| {
        let file = open.catalog.root()?.catalog().files().first()?;
        open.catalog.path_of(&file.path)
    });
    let Some(first) = first else {
        return BTreeMap::new();
    };
    match &open.failure {
        Some(failure) => BTreeMap::from([(first, vec![problems::of_message(failure)])]),
        None => problems::of_catalog(&open.catalog, files, &first),
    }
}
