//! The state of one client: its buffers, their catalogs, and the problems shown.

use crate::buffer::{Buffer, Buffers};
use crate::catalog::{
    self, Catalog, Client, Document, DocumentContext, Documents, Extent, Files, Host, OpenError,
};
use crate::problems;
use lsp_types::{Diagnostic, PublishDiagnosticsParams, TextDocumentContentChangeEvent, Uri};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub(crate) struct Editor {
    pub client: Client,
    /// The catalogs that the user named.
    named_folders: Vec<PathBuf>,
    buffers: Buffers,
    documents: Documents,
    catalogs: Vec<OpenCatalog>,
    /// Folders that exceed a limit: their files are catalogs of their own.
    too_large: BTreeSet<PathBuf>,
    pub host: Box<dyn Host>,
}

struct OpenCatalog {
    catalog: Catalog,
    /// Whether it must be read again.
    is_stale: bool,
    /// Whether its latest problems are not published yet.
    is_unpublished: bool,
    /// Whether its folder is being read.
    is_reading: bool,
    /// Why it could not be read.
    failure: Option<String>,
    /// A remark about a catalog that is smaller than its folder.
    remark: Option<String>,
    /// Files with published problems.
    published: BTreeSet<PathBuf>,
}

impl Editor {
    pub fn new(named_folders: Vec<PathBuf>, host: Box<dyn Host>) -> Self {
        Self {
            client: Client::default(),
            named_folders,
            buffers: Buffers::new(),
            documents: Documents::new(),
            catalogs: Vec::new(),
            too_large: BTreeSet::new(),
            host,
        }
    }

    /// Opens the catalogs that the user named, regardless of open documents.
    pub fn open_named_folders(&mut self) {
        for folder in self.named_folders.clone() {
            self.add(folder, Extent::Folder);
        }
    }

    pub fn open(&mut self, uri: Uri, version: i32, text: String) {
        let Some(path) = self.host.path(&uri) else {
            return;
        };
        self.documents
            .insert(path.clone(), Document { uri, version });
        self.buffers.insert(path.clone(), Buffer::new(text));
        self.handle_change(&path);
    }

    pub fn change(&mut self, uri: &Uri, version: i32, changes: &[TextDocumentContentChangeEvent]) {
        let Some(path) = self.host.path(uri) else {
            return;
        };
        let Some(buffer) = self.buffers.get_mut(&path) else {
            return;
        };
        for change in changes {
            *buffer = buffer.apply_change(change);
        }
        if let Some(document) = self.documents.get_mut(&path) {
            document.version = version;
        }
        self.handle_change(&path);
    }

    pub fn close(&mut self, uri: &Uri) {
        let Some(path) = self.host.path(uri) else {
            return;
        };
        self.buffers.remove(&path);
        self.documents.remove(&path);
        self.handle_change(&path);
    }

    pub fn handle_change_on_disk(&mut self, uri: &Uri) {
        if let Some(path) = self.host.path(uri) {
            self.mark_stale(&path);
        }
    }

    /// Returns a document and its catalog in their current state; `None` if it is not part of a
    /// catalog.
    pub fn context(&mut self, uri: &Uri) -> Option<DocumentContext<'_>> {
        let path = self.host.path(uri)?;
        let index = self
            .catalogs
            .iter()
            .position(|open| open.catalog.contains(&path))?;
        self.refresh(index);
        let files = Files::new(&*self.host, &self.buffers, &self.documents);
        Some(DocumentContext {
            path,
            files,
            catalog: &mut self.catalogs.get_mut(index)?.catalog,
            client: &self.client,
        })
    }

    /// Validates the changed catalogs. Returns the diagnostics to publish.
    pub fn publish_problems(&mut self) -> Vec<PublishDiagnosticsParams> {
        let mut messages = Vec::new();
        let mut resolved = self.close_unused_catalogs();
        let templates: BTreeSet<PathBuf> = self
            .catalogs
            .iter()
            .filter(|open| open.catalog.is_template())
            .map(|open| open.catalog.path().into())
            .collect();
        for index in 0..self.catalogs.len() {
            if !self.catalogs[index].is_unpublished {
                continue;
            }
            self.refresh(index);
            if self.catalogs[index].is_reading {
                continue;
            }
            let mut files = Files::new(&*self.host, &self.buffers, &self.documents);
            let open = &mut self.catalogs[index];
            open.is_unpublished = false;
            let mut problems = catalog_problems(open, &mut files);
            if !open.catalog.is_template() {
                // A template's own problems are published with the template.
                problems.retain(|path, _| !templates.contains(path));
            }
            let with_problems: BTreeSet<PathBuf> = problems.keys().cloned().collect();
            resolved.extend(open.published.difference(&with_problems).cloned());
            open.published = with_problems;
            for (path, diagnostics) in problems {
                messages.extend(publish(&files, &path, diagnostics));
            }
        }
        // Another catalog may have published problems in the same file.
        for open in &self.catalogs {
            resolved.retain(|path| !open.published.contains(path));
        }
        let files = Files::new(&*self.host, &self.buffers, &self.documents);
        let clearings = resolved.iter();
        messages.extend(clearings.filter_map(|path| publish(&files, path, Vec::new())));
        messages
    }

    /// Closes the catalogs that the user did not name and that have no open document. Returns the
    /// files with problems of these catalogs.
    fn close_unused_catalogs(&mut self) -> BTreeSet<PathBuf> {
        let (named_folders, buffers) = (&self.named_folders, &self.buffers);
        let is_unused = |open: &mut OpenCatalog| {
            !named_folders
                .iter()
                .any(|folder| folder == open.catalog.path())
                && !buffers.keys().any(|path| open.catalog.contains(path))
        };
        let closed = self.catalogs.extract_if(.., is_unused);
        closed.flat_map(|open| open.published).collect()
    }

    /// Handles a change of a document, which may now belong to another catalog.
    fn handle_change(&mut self, path: &Path) {
        self.mark_stale(path);
        let Some(buffer) = self.buffers.get(path) else {
            return;
        };
        let has_schema = catalog::has_catalog_schema(buffer.text());
        let is_template = has_schema && catalog::is_template(buffer.text());
        let owner = self
            .catalogs
            .iter()
            .position(|open| open.catalog.contains(path));
        if let Some(index) = owner {
            let was_template = self.catalogs[index].catalog.is_template();
            // As in `validate`, a template inside a folder that the user named is a file of that
            // catalog.
            let keeps_owner =
                was_template == is_template || (!was_template && self.is_in_named_folder(path));
            if keeps_owner {
                return;
            }
            if was_template {
                // It may stop being a template while the user types. The next catalog takes over
                // its published problems.
                let published = self.catalogs.remove(index).published;
                self.open_catalog_of(path, is_template, published);
                return;
            }
        }
        if has_schema {
            self.open_catalog_of(path, is_template, BTreeSet::new());
        }
    }

    /// Opens the catalog that a document belongs to. `published` are files whose problems it takes
    /// over.
    fn open_catalog_of(&mut self, path: &Path, is_template: bool, published: BTreeSet<PathBuf>) {
        if is_template && !self.is_in_named_folder(path) {
            self.add(path.to_path_buf(), Extent::Template);
        } else if let Some(folder) = self.find_catalog_folder(path) {
            self.add(folder, Extent::Folder);
        } else {
            self.add(path.to_path_buf(), Extent::File);
        }
        let mut catalogs = self.catalogs.iter_mut();
        if let Some(open) = catalogs.find(|open| open.catalog.contains(path)) {
            open.published.extend(published);
        }
    }

    fn find_catalog_folder(&self, path: &Path) -> Option<PathBuf> {
        let workspace = self
            .client
            .folders
            .iter()
            .filter(|folder| path.starts_with(folder))
            .max_by_key(|folder| folder.components().count());
        self.host
            .find_folder(path, &self.named_folders, workspace.map(PathBuf::as_path))
            .filter(|folder| !self.too_large.contains(folder))
    }

    fn is_in_named_folder(&self, path: &Path) -> bool {
        self.named_folders
            .iter()
            .any(|folder| path.starts_with(folder))
    }

    /// Adds a catalog or template unless it is open.
    fn add(&mut self, path: PathBuf, extent: Extent) {
        if self.catalogs.iter().any(|open| open.catalog.path() == path) {
            return;
        }
        let is_named = self.named_folders.contains(&path);
        let open = OpenCatalog::new(Catalog::new(&*self.host, path, extent, is_named));
        // `context` must find a template before the folder around it.
        if extent == Extent::Template {
            self.catalogs.insert(0, open)
        } else {
            self.catalogs.push(open)
        }
    }

    /// Marks the catalogs that a file belongs to, or may configure, for validation.
    fn mark_stale(&mut self, path: &Path) {
        let is_config = path
            .file_name()
            .is_some_and(|name| name == verdict::validate::config::FILE_NAME);
        let folder = path.parent().unwrap_or(path);
        for open in &mut self.catalogs {
            if open.catalog.contains(path) || (is_config && open.catalog.path().starts_with(folder))
            {
                (open.is_stale, open.is_unpublished) = (true, true);
            }
        }
    }

    /// Reopens a catalog in its current state. If that takes long, the catalog has no content until
    /// the host has read it.
    fn refresh(&mut self, index: usize) {
        while let Some(open) = self.catalogs.get_mut(index) {
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
                Err(OpenError::Failed(reason)) => open.failure = Some(reason),
                Err(OpenError::TooLarge(reason)) => self.split_into_files(index, &reason),
            }
        }
    }

    /// Turns each open file of a folder that is too large into a catalog of its own.
    fn split_into_files(&mut self, index: usize, reason: &str) {
        let Some(open) = self.catalogs.get_mut(index) else {
            return;
        };
        let folder = open.catalog.path().to_path_buf();
        let remark = format!(
            "only this file is checked, without the rest of {}: {reason}; to check the folder, name it: switchyard lsp DIR",
            folder.display()
        );
        let files = self
            .buffers
            .iter()
            .filter(|(path, buffer): &(&PathBuf, &Buffer)| {
                path.starts_with(&folder)
                    && catalog::has_catalog_schema(buffer.text())
                    && !catalog::is_template(buffer.text())
            });
        let mut catalogs = files.map(|(path, _)| OpenCatalog {
            remark: Some(remark.clone()),
            ..OpenCatalog::new(Catalog::new(&*self.host, path.clone(), Extent::File, false))
        });
        if let Some(first) = catalogs.next() {
            let published = std::mem::take(&mut open.published);
            *open = OpenCatalog { published, ..first };
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
            is_unpublished: true,
            is_reading: false,
            failure: None,
            remark: None,
            published: BTreeSet::new(),
        }
    }
}

/// Returns the problems of a catalog, or the reason why it could not be read.
fn catalog_problems(
    open: &OpenCatalog,
    files: &mut Files<'_>,
) -> BTreeMap<PathBuf, Vec<Diagnostic>> {
    let open_file = files
        .buffers
        .keys()
        .find(|path| open.catalog.contains(path))
        .cloned();
    // Problems without a file are shown in an open file, or else in the first one.
    let fallback = open_file.or_else(|| {
        let file = open.catalog.root()?.catalog().files().first()?;
        open.catalog.path_on_disk(&file.path)
    });
    let Some(fallback) = fallback else {
        return BTreeMap::new();
    };
    if let Some(failure) = &open.failure {
        return BTreeMap::from([(fallback, vec![problems::message_diagnostic(failure)])]);
    }
    let mut by_file = problems::catalog_problems(&open.catalog, files, &fallback);
    if let Some(remark) = &open.remark {
        let diagnostics = by_file.entry(fallback).or_default();
        diagnostics.push(problems::remark_diagnostic(remark));
    }
    by_file
}

/// Creates the message with a file's diagnostics; `None` if the file has no URI.
fn publish(
    files: &Files<'_>,
    path: &Path,
    diagnostics: Vec<Diagnostic>,
) -> Option<PublishDiagnosticsParams> {
    Some(PublishDiagnosticsParams {
        uri: files.uri(path)?,
        diagnostics,
        version: files.version(path),
    })
}
