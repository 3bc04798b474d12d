//! What the server answers from: the client's abilities, and a document with its catalog.

use crate::catalog::{Catalog, Files};
use std::path::PathBuf;

/// The client's capabilities and folders.
#[derive(Debug, Default)]
pub(crate) struct Client {
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) can_create_files: bool,
    pub(crate) supports_versioned_edits: bool,
    /// Whether it can report changes of files on disk.
    pub(crate) watches_files: bool,
}

/// A document and its catalog in their current state.
pub(crate) struct DocumentContext<'a> {
    pub(crate) path: PathBuf,
    pub(crate) files: Files<'a>,
    pub(crate) catalog: &'a mut Catalog,
    pub(crate) client: &'a Client,
}
