//! What the server needs of its host, and a catalog or a template that the host has opened in the editor's state.

use crate::buffer::{self, Buffer, Buffers};
use ::catalog::index::index_bytes;
use ::catalog::model::FileIndex;
use lsp_types::Uri;
use session::{Root, Session};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The files of the machine where the editor runs.
pub trait Host {
    /// The path of a URI; `None` if it does not refer to a file, such as for an unnamed buffer.
    fn path(&self, uri: &Uri) -> Option<PathBuf>;

    /// The text of a file of ordinary size; `None` for anything else.
    fn text(&self, path: &Path) -> Option<String>;

    /// The catalog folder of a file; `None` if the file is a catalog by itself. `given` are folders given by the user, of
    /// which the innermost takes precedence. `top` is the folder that the editor has open, the outermost candidate.
    fn find_folder(&self, file: &Path, given: &[PathBuf], top: Option<&Path>) -> Option<PathBuf>;

    /// A catalog that is not open yet. `is_named`: the user named its folder, so it is read without limits.
    fn catalog(&self, place: &Path, extent: Extent, is_named: bool) -> Box<dyn Source>;
}

/// A catalog as the host opens it.
pub trait Source {
    /// Begins to open it in its present state, with buffers in place of their files. Until [`Source::wait`] has
    /// returned a result, there is no session.
    fn reopen(&mut self, buffers: &Buffers);

    /// Waits until it is open; `None` if that takes too long. Then the host lets the server settle once it is read.
    fn wait(&mut self, buffers: &Buffers) -> Option<Result<(), NotRead>>;

    /// `None` before it is read, or if it cannot be read.
    fn session(&self) -> Option<&Session>;

    fn session_mut(&mut self) -> Option<&mut Session>;

    /// For a template: the content of its file.
    fn template(&self) -> Option<&FileIndex>;

    /// The path on disk of a file of the session.
    fn place(&self, file: &str) -> Option<PathBuf>;
}

/// The extent of a catalog.
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

    /// The open catalog; `None` before it is read, or if it cannot be read.
    pub(crate) fn root(&self) -> Option<&Root> {
        self.source.session()?.roots().first()
    }

    /// The index of a file.
    pub(crate) fn index_of(&self, path: &Path) -> Option<&FileIndex> {
        if self.is_template() {
            return self.source.template();
        }
        let name = name_in(self.extent.folder(&self.place), path)?;
        let file = self.root()?.catalog().file_at(&name)?;
        file.index().map(|index| &**index)
    }

    /// The path on disk of a file that a problem names.
    pub(crate) fn path_of(&self, file: &str) -> Option<PathBuf> {
        Some(buffer::plain(&self.source.place(file)?))
    }
}

impl Extent {
    /// The folder of a catalog at this place.
    pub fn folder(self, place: &Path) -> &Path {
        match self {
            Extent::Folder => place,
            Extent::File | Extent::Template => place.parent().unwrap_or(place),
        }
    }
}

/// The name of a file on disk in the session of a folder.
pub fn name_in(folder: &Path, path: &Path) -> Option<String> {
    let relative = path.strip_prefix(folder).ok()?.to_str()?;
    Some(relative.replace(std::path::MAIN_SEPARATOR, "/"))
}

/// Whether a text is a template.
pub(crate) fn is_template(text: &str) -> bool {
    template::template_of_file(&index_bytes(text.as_bytes())).is_some()
}

/// Whether a text contains a blob of OLM's, or of a template.
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

    /// The text of a file; `None` if it does not exist.
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

    /// The client's URI of a file.
    pub(crate) fn uri(&self, path: &Path) -> Option<Uri> {
        match self.documents.get(path) {
            Some((uri, _)) => Some(uri.clone()),
            None => buffer::from_path(path),
        }
    }

    /// The version of a document that the client has open.
    pub(crate) fn version(&self, path: &Path) -> Option<i32> {
        self.documents.get(path).map(|(_, version)| *version)
    }
}
