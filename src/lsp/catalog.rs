//! The interface of the server to its client and its host, and the catalogs and templates that the
//! host has opened with the editor's buffers.

use crate::buffer::{Buffer, Buffers, normalize, uri_from_path};
use ::catalog::index::index_bytes;
use ::catalog::model::FileIndex;
use lsp_types::Uri;
use session::{Root, Session};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Schemas of catalogs and templates.
const SCHEMAS: [&str; 7] = [
    "olm.package",
    "olm.channel",
    "olm.bundle",
    "olm.deprecations",
    "olm.template",
    "olm.semver",
    "olm.composite",
];

/// The client's capabilities and folders.
#[derive(Debug, Default)]
pub(crate) struct Client {
    pub folders: Vec<PathBuf>,
    pub can_create_files: bool,
    pub supports_versioned_edits: bool,
    /// Whether it can report changes of files on disk.
    pub watches_files: bool,
}

/// A document and its catalog in their current state.
pub(crate) struct DocumentContext<'a> {
    pub path: PathBuf,
    pub files: Files<'a>,
    pub catalog: &'a mut Catalog,
    pub client: &'a Client,
}

/// The files of the machine where the editor runs.
pub trait Host {
    /// Returns the path of a URI; `None` if it does not refer to a file, such as for an unnamed
    /// buffer.
    fn path(&self, uri: &Uri) -> Option<PathBuf>;

    /// Returns the text of a file of ordinary size; `None` for anything else.
    fn read_text(&self, path: &Path) -> Option<String>;

    /// Finds the catalog folder of a file; `None` if the file is a catalog by itself. The innermost
    /// of the folders that the user named takes precedence. `workspace` is the folder that the
    /// editor has open, the outermost candidate.
    fn find_folder(
        &self,
        file: &Path,
        named_folders: &[PathBuf],
        workspace: Option<&Path>,
    ) -> Option<PathBuf>;

    /// Creates a catalog that is not open yet. If the user named its folder, it is read without
    /// limits.
    fn create_catalog(&self, path: &Path, extent: Extent, is_named: bool) -> Box<dyn Source>;
}

/// A catalog or template that the host opens.
pub trait Source {
    /// Starts to open the catalog in its current state, with buffers in place of their files. The
    /// session exists only after [`Source::wait`] has returned a result.
    fn reopen(&mut self, buffers: &Buffers);

    /// Waits until the catalog is open; `None` if that takes too long. The host then calls
    /// [`publish_problems`](crate::Server::publish_problems) once it is read.
    fn wait(&mut self, buffers: &Buffers) -> Option<Result<(), OpenError>>;

    /// Returns the session; `None` before the catalog is read, or if it cannot be read.
    fn session(&self) -> Option<&Session>;

    fn session_mut(&mut self) -> Option<&mut Session>;

    fn template_index(&self) -> Option<&FileIndex>;

    /// Returns the path on disk of a file of the session.
    fn path_on_disk(&self, file: &str) -> Option<PathBuf>;
}

/// What the path of a catalog or template denotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    Folder,
    /// A catalog of one file, because its folder has other files or is too large.
    File,
    Template,
}

/// Why a catalog could not be opened.
pub enum OpenError {
    /// It exceeds a limit. The text is like "it has more than 3 files".
    TooLarge(String),
    Failed(String),
}

/// An open catalog or template.
pub(crate) struct Catalog {
    path: PathBuf,
    extent: Extent,
    pub source: Box<dyn Source>,
}

impl Catalog {
    pub fn new(host: &dyn Host, path: PathBuf, extent: Extent, is_named: bool) -> Self {
        let source = host.create_catalog(&path, extent, is_named);
        Self {
            path,
            extent,
            source,
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn is_template(&self) -> bool {
        self.extent == Extent::Template
    }

    /// Whether a file is part of the catalog.
    pub fn contains(&self, file: &Path) -> bool {
        match self.extent {
            Extent::Folder => file.starts_with(&self.path),
            Extent::File | Extent::Template => file == self.path,
        }
    }

    /// Returns the open catalog; `None` before it is read, or if it cannot be read.
    pub fn root(&self) -> Option<&Root> {
        self.source.session()?.roots().first()
    }

    pub fn index_of(&self, path: &Path) -> Option<&FileIndex> {
        if self.is_template() {
            return self.source.template_index();
        }
        let name = session_path(self.extent.folder(&self.path), path)?;
        let file = self.root()?.catalog().file_at(&name)?;
        file.index().map(|index| &**index)
    }

    /// Returns the path on disk of a file of the session.
    pub fn path_on_disk(&self, file: &str) -> Option<PathBuf> {
        Some(normalize(&self.source.path_on_disk(file)?))
    }
}

impl Extent {
    pub fn folder(self, path: &Path) -> &Path {
        match self {
            Extent::Folder => path,
            Extent::File | Extent::Template => path.parent().unwrap_or(path),
        }
    }
}

/// Converts a path on disk to the path in the session of a folder; `None` if it is outside.
pub fn session_path(folder: &Path, path: &Path) -> Option<String> {
    let relative = path.strip_prefix(folder).ok()?.to_str()?;
    Some(relative.replace(std::path::MAIN_SEPARATOR, "/"))
}

pub(crate) fn is_template(text: &str) -> bool {
    template::template_of_file(&index_bytes(text.as_bytes())).is_some()
}

/// Whether a text mentions a schema of a catalog or a template. A quick test before the text is
/// parsed.
pub fn has_catalog_schema(text: &str) -> bool {
    SCHEMAS.iter().any(|schema| text.contains(schema))
}

/// A document that the client has open.
pub(crate) struct Document {
    pub uri: Uri,
    pub version: i32,
}

pub(crate) type Documents = BTreeMap<PathBuf, Document>;

/// Texts and URIs of files: the client's buffers, and files read from disk as needed.
pub(crate) struct Files<'a> {
    host: &'a dyn Host,
    pub buffers: &'a Buffers,
    documents: &'a Documents,
    /// Files read from disk; `None` for unreadable ones.
    from_disk: BTreeMap<PathBuf, Option<Buffer>>,
}

impl<'a> Files<'a> {
    pub fn new(host: &'a dyn Host, buffers: &'a Buffers, documents: &'a Documents) -> Self {
        Self {
            host,
            buffers,
            documents,
            from_disk: BTreeMap::new(),
        }
    }

    /// Returns the text of a file; `None` if it does not exist.
    pub fn buffer(&mut self, path: &Path) -> Option<&Buffer> {
        if let Some(buffer) = self.buffers.get(path) {
            return Some(buffer);
        }
        let host = self.host;
        self.from_disk
            .entry(path.to_path_buf())
            .or_insert_with(|| Some(Buffer::new(host.read_text(path)?)))
            .as_ref()
    }

    /// Returns the client's URI of a file.
    pub fn uri(&self, path: &Path) -> Option<Uri> {
        match self.documents.get(path) {
            Some(document) => Some(document.uri.clone()),
            None => uri_from_path(path),
        }
    }

    /// Returns the version of a document that the client has open.
    pub fn version(&self, path: &Path) -> Option<i32> {
        Some(self.documents.get(path)?.version)
    }
}
