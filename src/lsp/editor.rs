//! The state of one client: its buffers, their catalogs, and the problems shown.

use crate::buffer::{Buffer, Buffers};
use crate::catalog::{self, Catalog, Extent, Files, Host, NotRead};
use crate::features::{Client, DocumentContext};
use crate::problems;
use lsp_types::{Diagnostic, PublishDiagnosticsParams, TextDocumentContentChangeEvent, Uri};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub(crate) struct Editor {
    pub(crate) client: Client,
    /// The catalogs given by the user.
    named: Vec<PathBuf>,
    buffers: Buffers,
    /// The client's URI and version of each document.
    documents: BTreeMap<PathBuf, (Uri, i32)>,
    catalogs: Vec<OpenCatalog>,
    /// Folders that exceed a limit: their files are catalogs of their own.
    too_large: BTreeSet<PathBuf>,
    pub(crate) host: Box<dyn Host>,
}

struct OpenCatalog {
    catalog: Catalog,
    /// It must be read again.
    is_stale: bool,
    /// Its latest problems are not shown yet.
    is_unshown: bool,
    /// Its folder is being read.
    is_reading: bool,
    /// Why it could not be read.
    failure: Option<String>,
    /// A remark about a catalog that is smaller than its folder.
    remark: Option<String>,
    /// Files with shown problems.
    shown: BTreeSet<PathBuf>,
}

impl Editor {
    pub(crate) fn new(catalogs: Vec<PathBuf>, host: Box<dyn Host>) -> Self {
        Self {
            client: Client::default(),
            named: catalogs,
            buffers: Buffers::new(),
            documents: BTreeMap::new(),
            catalogs: Vec::new(),
            too_large: BTreeSet::new(),
            host,
        }
    }

    /// Opens the catalogs given by the user, regardless of open documents.
    pub(crate) fn start(&mut self) {
        for place in self.named.clone() {
            self.add(place, Extent::Folder);
        }
    }

    pub(crate) fn open(&mut self, uri: Uri, version: i32, text: String) {
        let Some(path) = self.host.path(&uri) else {
            return;
        };
        self.documents.insert(path.clone(), (uri, version));
        self.buffers.insert(path.clone(), Buffer::new(text));
        self.handle_change(&path);
    }

    pub(crate) fn change(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: &[TextDocumentContentChangeEvent],
    ) {
        let Some(path) = self.host.path(uri) else {
            return;
        };
        let Some(buffer) = self.buffers.get_mut(&path) else {
            return;
        };
        for change in changes {
            *buffer = buffer.apply_change(change);
        }
        if let Some((_, known)) = self.documents.get_mut(&path) {
            *known = version;
        }
        self.handle_change(&path);
    }

    pub(crate) fn close(&mut self, uri: &Uri) {
        let Some(path) = self.host.path(uri) else {
            return;
        };
        self.buffers.remove(&path);
        self.documents.remove(&path);
        self.handle_change(&path);
    }

    /// Handles a change of a file on disk.
    pub(crate) fn changed_on_disk(&mut self, uri: &Uri) {
        if let Some(path) = self.host.path(uri) {
            self.mark(&path);
        }
    }

    /// Returns a document's text and its catalog in their present state; `None` if it is not part of a catalog.
    pub(crate) fn context(&mut self, uri: &Uri) -> Option<DocumentContext<'_>> {
        let path = self.host.path(uri)?;
        let at = self
            .catalogs
            .iter()
            .position(|open| open.catalog.holds(&path))?;
        self.refresh(at);
        let files = Files::new(&*self.host, &self.buffers, &self.documents);
        Some(DocumentContext {
            path,
            files,
            catalog: &mut self.catalogs.get_mut(at)?.catalog,
            client: &self.client,
        })
    }

    /// Validates the changed catalogs. Returns the diagnostics to publish.
    pub(crate) fn settle(&mut self) -> Vec<PublishDiagnosticsParams> {
        let mut published = Vec::new();
        let (is_held, buffers) = (&self.named, &self.buffers);
        let (kept, left): (Vec<OpenCatalog>, Vec<OpenCatalog>) = std::mem::take(&mut self.catalogs)
            .into_iter()
            .partition(|open| {
                is_held.iter().any(|given| given == open.catalog.place())
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
            if !self.catalogs[at].is_unshown {
                continue;
            }
            self.refresh(at);
            if self.catalogs[at].is_reading {
                continue;
            }
            self.catalogs[at].is_unshown = false;
            let mut files = Files::new(&*self.host, &self.buffers, &self.documents);
            let open = &mut self.catalogs[at];
            let mut found = catalog_problems(open, &mut files);
            if !open.catalog.is_template() {
                // A template's own problems are published with the template.
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
        let still_shown: BTreeSet<&PathBuf> =
            self.catalogs.iter().flat_map(|open| &open.shown).collect();
        let files = Files::new(&*self.host, &self.buffers, &self.documents);
        for path in gone.iter().filter(|path| !still_shown.contains(path)) {
            let Some(uri) = files.uri(path) else { continue };
            published.push(PublishDiagnosticsParams {
                uri,
                diagnostics: Vec::new(),
                version: files.version(path),
            });
        }
        published
    }

    /// Handles a change of a document, which may now belong to another catalog.
    fn handle_change(&mut self, path: &Path) {
        self.mark(path);
        let Some(text) = self.buffers.get(path).map(|buffer| buffer.text().clone()) else {
            return;
        };
        let is_template = catalog::is_of_catalog(&text) && catalog::is_template(&text);
        // As in `validate`, a template inside a folder given by the user is a file of that catalog.
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
            // It may stop being a template while the user types. The next catalog takes over its published problems.
            let published = self.catalogs.remove(at).shown;
            self.adopt(path, is_template, published);
        } else if is_template || catalog::is_of_catalog(&text) {
            self.adopt(path, is_template, BTreeSet::new());
        }
    }

    fn adopt(&mut self, path: &Path, is_template: bool, published: BTreeSet<PathBuf>) {
        let top = self
            .client
            .folders
            .iter()
            .filter(|folder| path.starts_with(folder));
        let top = top.max_by_key(|folder| folder.components().count());
        let folder = || {
            self.host
                .find_folder(path, &self.named, top.map(PathBuf::as_path))
                .filter(|folder| !self.too_large.contains(folder))
        };
        match is_template && !self.is_named(path) {
            true => self.add(path.to_path_buf(), Extent::Template),
            false => match folder() {
                Some(folder) => self.add(folder, Extent::Folder),
                None => self.add(path.to_path_buf(), Extent::File),
            },
        }
        if let Some(open) = self
            .catalogs
            .iter_mut()
            .find(|open| open.catalog.holds(path))
        {
            open.shown.extend(published);
        }
    }

    fn is_named(&self, path: &Path) -> bool {
        self.named.iter().any(|given| path.starts_with(given))
    }

    fn add(&mut self, place: PathBuf, extent: Extent) {
        if self
            .catalogs
            .iter()
            .any(|open| open.catalog.place() == place)
        {
            return;
        }
        let is_named = self.named.contains(&place);
        let open = OpenCatalog::new(Catalog::new(&*self.host, place, extent, is_named));
        // `context` must find a template before the folder around it.
        if extent == Extent::Template {
            self.catalogs.insert(0, open)
        } else {
            self.catalogs.push(open)
        }
    }

    /// Marks the catalogs that a file belongs to, or may configure, for validation.
    fn mark(&mut self, path: &Path) {
        let is_config = path
            .file_name()
            .is_some_and(|name| name == verdict::validate::config::FILE_NAME);
        let folder = path.parent().unwrap_or(path);
        for open in &mut self.catalogs {
            if open.catalog.holds(path) || (is_config && open.catalog.place().starts_with(folder)) {
                (open.is_stale, open.is_unshown) = (true, true);
            }
        }
    }

    /// Reopens a catalog in its present state. If that takes long, the catalog has no content until the host lets the
    /// server settle again.
    fn refresh(&mut self, at: usize) {
        while let Some(open) = self.catalogs.get_mut(at) {
            if !open.is_reading {
                if !std::mem::take(&mut open.is_stale) {
                    return;
                }
                open.catalog.source.reopen(&self.buffers);
                open.is_reading = true;
            }
            let Some(result) = open.catalog.source.wait(&self.buffers) else {
                return;
            };
            open.is_reading = false;
            match result {
                Ok(()) => open.failure = None,
                Err(NotRead::Failed(reason)) => open.failure = Some(reason),
                Err(NotRead::TooLarge(reason)) => self.split(at, &reason),
            }
        }
    }

    /// Turns each open file of a folder that is too large into a catalog of its own.
    fn split(&mut self, at: usize, reason: &str) {
        let Some(open) = self.catalogs.get_mut(at) else {
            return;
        };
        let folder = open.catalog.place().to_path_buf();
        let remark = format!(
            "only this file is checked, without the rest of {}: {reason}; to check the folder, name it: switchyard lsp DIR",
            folder.display()
        );
        let files = self
            .buffers
            .iter()
            .filter(|(path, buffer): &(&PathBuf, &Buffer)| {
                path.starts_with(&folder)
                    && catalog::is_of_catalog(buffer.text())
                    && !catalog::is_template(buffer.text())
            });
        let mut catalogs = files.map(|(path, _)| OpenCatalog {
            remark: Some(remark.clone()),
            ..OpenCatalog::new(Catalog::new(&*self.host, path.clone(), Extent::File, false))
        });
        if let Some(first) = catalogs.next() {
            let published = std::mem::take(&mut open.shown);
            *open = OpenCatalog {
                shown: published,
                ..first
            };
        }
        let others: Vec<OpenCatalog> = catalogs.collect();
        self.catalogs.extend(others);
        self.too_large.insert(folder);
    }
}

impl OpenCatalog {
    fn new(catalog: Catalog) -> Self {
        Self {
            catalog,
            is_stale: true,
            is_unshown: true,
            is_reading: false,
            failure: None,
            remark: None,
            shown: BTreeSet::new(),
        }
    }
}

/// Returns the problems of a catalog, or the reason why it could not be read.
fn catalog_problems(
    open: &OpenCatalog,
    files: &mut Files<'_>,
) -> BTreeMap<PathBuf, Vec<Diagnostic>> {
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
    if let Some(failure) = &open.failure {
        return BTreeMap::from([(first, vec![problems::message_diagnostic(failure)])]);
    }
    let mut found = problems::catalog_problems(&open.catalog, files, &first);
    if let Some(remark) = &open.remark {
        let remarks = found.entry(first).or_default();
        remarks.push(problems::remark_diagnostic(remark));
    }
    found
}
