//! The files of a repository, as whoever hosts them has them. Nothing here reads a disk.

use crate::catalog::walk_order;
use crate::order::PutInOrder;
use crate::template::render::Bundles;
use std::fmt;

/// Paths are below the root of the repository, parted by `/`.
pub trait Files {
    /// What lies directly in a folder, sorted by name; nothing where there is no such folder.
    fn entries(&self, folder: &str) -> Vec<Entry>;

    /// The bytes of a file.
    ///
    /// # Errors Why they cannot be had.
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadFailure>;

    /// Bundles that are at hand beside those of the catalogs.
    fn given_bundles(&self) -> Option<&dyn Bundles> {
        None
    }

    /// Whether a folder is a link to one, into which `opm` does not go.
    fn is_link(&self, _folder: &str) -> bool {
        false
    }

    /// Whether there is a folder.
    fn is_folder(&self, path: &str) -> bool {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        self.entries(above)
            .iter()
            .any(|entry| entry.name == name && entry.kind == EntryKind::Folder)
    }
}

/// A name in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub kind: EntryKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    Folder,
    File,
    /// Neither can be read; why.
    Unreadable(String),
}

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadFailure {
    NotThere,
    /// It is there; the reason.
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

/// The files directly in a folder or below it, as paths below the repository, in walk order; the hidden ones too.
pub(super) fn files_below(files: &dyn Files, folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    // The next folder is the last of these.
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
    found.put_in_order_by(|a, b| walk_order(a, b));
    found
}

/// A path below a folder; "" is the root.
pub(super) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}
