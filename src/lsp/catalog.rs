//! The interface of the server to its host, and the catalogs and templates that the host has opened with the editor's
//! buffers.

use crate::buffer::{self, Buffer, Buffers};
use ::catalog::index::index_bytes;
use ::catalog::model::FileIndex;
use lsp_types::Uri;
use session::{Root, Session};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The files of the machine where the editor runs.
pub trait Host {
    /// Returns the path of a URI; `None` if it does not refer to a file, such as for an unnamed buffer.
    fn path(&self, uri: &Uri) -> Option<PathBuf>;

    /// Returns the text of a file of ordinary size; `None` for anything else.
    fn text(&self, path: &Path) -> Option<String>;

    /// Finds the catalog folder of a file; `None` if the file is a catalog by itself. `given` are folders given by the
    /// user; the innermost takes precedence. `top` is the folder that the editor has open, the outermost candidate.
    fn find_folder(&self, file: &Path, given: &[PathBuf], top: Option<&Path>) -> Option<PathBuf>;

    /// Creates a catalog that is not open yet. `is_named`: the user named its folder, so it is read without limits.
    fn catalog(&self, place: &Path, extent: Extent, is_named: bool) -> Box<dyn Source>;
}

/// A catalog as the host opens it.
pub trait Source {
    /// Begins to open the catalog in its present state, with buffers in place of their files. The session exists only
    /// after [`Source::wait`] has returned a result.
    fn reopen(&mut self, buffers: &Buffers);

    /// Waits until the catalog is open; `None` if that takes too long. The host then lets the server settle once it is
    /// read.
    fn wait(&mut self, buffers: &Buffers) -> Option<Result<(), NotRead>>;

    /// Returns the session; `None` before the catalog is read, or if it cannot be read.
    fn session(&self) -> Option<&Session>;

    fn session_mut(&mut self) -> Option<&mut Session>;

    /// Returns the index of a template's file.
    fn template(&self) -> Option<&FileIndex>;

    /// Returns the path on disk of a file of the session.
    fn place(&self, file: &str) -> Option<PathBuf>;
}

/// Whether a catalog is a folder or a single file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    Folder,
    /// One file: its folder holds other things, or is too large.
    File,
    /// The file of a template.
    Template,
}

/// Why a catalog was not read.
pub enum NotRead {
    /// It exceeds a limit, described as in "it has more than 3 files".
    TooLarge(String),
    Failed(String),
}

/// An open catalog.
pub(crate) struct Catalog {
    /// The folder or file.
    place: PathBuf,
    extent: Extent,
    pub(crate) source: Box<dyn Source>,
}

impl Catalog {
    pub(crate) fn new(host: &dyn Host, place: PathBuf, extent: Extent, is_named: bool) -> Self {
        let source = host.catalog(&place, extent, is_named);
        Self {
            place,
            extent,
            source,
        }
    }

    pub(crate) fn place(&self) -> &Path {
        &self.place
    }

    pub(crate) fn is_template(&self) -> bool {
        self.extent == Extent::Template
    }

    /// Whether a file is part of the catalog.
    pub(crate) fn holds(&self, file: &Path) -> bool {
        match self.extent {
            Extent::Folder => file.starts_with(&self.place),
            Extent::File | Extent::Template => file == self.place,
        }
    }

    /// Returns the open catalog; `None` before it is read, or if it cannot be read.
    pub(crate) fn root(&self) -> Option<&Root> {
        self.source.session()?.roots().first()
    }

    /// Returns the index of a file.
    pub(crate) fn index_of(&self, path: &Path) -> Option<&FileIndex> {
        if self.is_template() {
            return self.source.template();
        }
        let name = name_in(self.extent.folder(&self.place), path)?;
        let file = self.root()?.catalog().file_at(&name)?;
        file.index().map(|index| &**index)
    }

    /// Returns the path on disk of a file that a problem names.
    pub(crate) fn path_of(&self, file: &str) -> Option<PathBuf> {
        Some(buffer::plain(&self.source.place(file)?))
    }
}

impl Extent {
    /// Returns the folder of a catalog at this place.
    pub fn folder(self, place: &Path) -> &Path {
        match self {
            Extent::Folder => place,
            Extent::File | Extent::Template => place.parent().unwrap_or(place),
        }
    }
}

/// Returns the name of a file on disk in the session of a folder.
pub fn name_in(folder: &Path, path: &Path) -> Option<String> {
    let relative = path.strip_prefix(folder).ok()?.to_str()?;
    Some(relative.replace(std::path::MAIN_SEPARATOR, "/"))
}

/// Whether a text is a template.
pub(crate) fn is_template(text: &str) -> bool {
    template::template_of_file(&index_bytes(text.as_bytes())).is_some()
}

/// Whether a text seems to contain a blob of a catalog or a template.
pub fn is_of_catalog(text: &str) -> bool {
    [
        "olm.package",
        "olm.channel",
        "olm.bundle",
        "olm.deprecations",
        "olm.template",
        "olm.semver",
        "olm.composite",
    ]
    .iter()
    .any(|schema| text.contains(schema))
}

/// Texts and URIs of files: the client's buffers, and files read from disk as needed.
pub(crate) struct Files<'a> {
    host: &'a dyn Host,
    pub(crate) buffers: &'a Buffers,
    documents: &'a BTreeMap<PathBuf, (Uri, i32)>,
    read: BTreeMap<PathBuf, Option<Buffer>>,
}

impl<'a> Files<'a> {
    pub(crate) fn new(
        host: &'a dyn Host,
        buffers: &'a Buffers,
        documents: &'a BTreeMap<PathBuf, (Uri, i32)>,
    ) -> Self {
        Self {
            host,
            buffers,
            documents,
            read: BTreeMap::new(),
        }
    }

    /// Returns the text of a file; `None` if it does not exist.
    pub(crate) fn buffer(&mut self, path: &Path) -> Option<&Buffer> {
        if let Some(buffer) = self.buffers.get(path) {
            return Some(buffer);
        }
        let host = self.host;
        self.read
            .entry(path.to_path_buf())
            .or_insert_with(|| Some(Buffer::new(host.text(path)?)))
            .as_ref()
    }

    /// Returns the client's URI of a file.
    pub(crate) fn uri(&self, path: &Path) -> Option<Uri> {
        match self.documents.get(path) {
            Some((uri, _)) => Some(uri.clone()),
            None => buffer::from_path(path),
        }
    }

    /// Returns the version of a document that the client has open.
    pub(crate) fn version(&self, path: &Path) -> Option<i32> {
        self.documents.get(path).map(|(_, version)| *version)
    }
}
