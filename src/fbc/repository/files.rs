//! Access to the files of a repository, provided by a host. Nothing here reads a disk.

use crate::catalog::walk_order;
use crate::order::SortSmall;
use crate::template::render::Bundles;
use std::fmt;

/// Paths are relative to the repository's root and use `/`.
pub trait Files {
    /// The entries of a folder, sorted by name; empty if it does not exist.
    fn entries(&self, folder: &str) -> Vec<Entry>;

    /// The bytes of a file.
    ///
    /// # Errors
    ///
    /// Why they are unavailable.
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadFailure>;

    /// Bundles available in addition to those in catalogs.
    fn given_bundles(&self) -> Option<&dyn Bundles> {
        None
    }

    /// Whether the folder is a symbolic link, which `opm` does not follow.
    fn is_link(&self, _folder: &str) -> bool {
        false
    }

    /// Whether the folder exists.
    fn is_folder(&self, path: &str) -> bool {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        self.entries(above)
            .iter()
            .any(|entry| entry.name == name && entry.kind == EntryKind::Folder)
    }
}

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub kind: EntryKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    Folder,
    File,
    /// Unreadable, with the reason.
    Unreadable(String),
}

/// Why a file is unreadable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadFailure {
    NotThere,
    /// It exists; the reason.
    Refused(String),
}

impl fmt::Display for ReadFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadFailure::NotThere => f.write_str("there is no such file"),
            ReadFailure::Refused(reason) => f.write_str(reason),
        }
    }
}

/// All files in or below a folder, including hidden ones, as repository paths in walk order.
pub(super) fn files_below(files: &dyn Files, folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    // The last one is visited next.
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in files.entries(&folder) {
            let path = join(&folder, &entry.name);
            match entry.kind {
                EntryKind::Folder => waiting.push(path),
                EntryKind::File | EntryKind::Unreadable(_) => found.push(path),
            }
        }
    }
    found.sort_small_by(|a, b| walk_order(a, b));
    found
}

/// A path in a folder; "" is the root.
pub(super) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}
