//! An operator repository on disk: its root, and its files for the library. A link that leads out of the repository is not
//! followed.

use super::error::CliError;
use super::walk::words;
use fbc::repository::{Entry, EntryKind, Files, ReadFailure, layout};
use std::fs::FileType;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A repository on disk.
pub(super) struct RepositoryFiles {
    /// As it was named, or found.
    shown: PathBuf,
    /// Without links.
    root: PathBuf,
}

impl RepositoryFiles {
    /// The repository with this root; without one the nearest upward from the present folder.
    pub(super) fn open(root: Option<&Path>) -> Result<Self, CliError> {
        if let Some(shown) = root {
            let failed = |error: std::io::Error| CliError::new(format!("{}: {}", shown.display(), words(&error)));
            let opened = Self { root: shown.canonicalize().map_err(failed)?, shown: shown.to_path_buf() };
            return match layout::is_repository(&opened) {
                true => Ok(opened),
                false => Err(CliError::new(format!("{} is not an operator repository", shown.display()))
                    .hint("name the folder that contains `operators` and `catalogs`")),
            };
        }
        let here = std::env::current_dir().and_then(std::fs::canonicalize)?;
        let candidates = here.ancestors().map(|root| Self { shown: shown_from(&here, root), root: root.to_path_buf() });
        candidates.into_iter().find(|candidate| layout::is_repository(candidate)).ok_or_else(|| {
            CliError::new("neither the current folder nor one above it is an operator repository")
                .hint("name the folder that contains `operators` and `catalogs`, or run this in it")
        })
    }

    /// Without links.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// The folders in which files are written. What is made beside them meanwhile lies in the repository then.
    pub(super) fn written_folders(&self) -> Vec<PathBuf> {
        let parts = [layout::OPERATORS, layout::CATALOGS].map(|name| self.root.join(name));
        if parts.iter().all(|part| part.is_dir()) { parts.into() } else { vec![self.root.clone()] }
    }

    /// A path of the repository as a person finds it from the present folder.
    pub(super) fn shown(&self, path: &str) -> String {
        match self.shown == Path::new(".") {
            true => path.to_owned(),
            false => self.shown.join(path).display().to_string(),
        }
    }

    /// Where a path is, without links; why it is not read where it leads out.
    fn inside(&self, path: &str) -> Result<PathBuf, ReadFailure> {
        let place = self.root.join(path);
        let place = place.canonicalize().map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory if place.symlink_metadata().is_ok() => {
                ReadFailure::Refused("it is a broken link".to_owned())
            }
            ErrorKind::NotFound | ErrorKind::NotADirectory => ReadFailure::NotThere,
            _ => ReadFailure::Refused(words(&error)),
        })?;
        match place.starts_with(&self.root) {
            true => Ok(place),
            false => Err(ReadFailure::Refused(OUTWARD.to_owned())),
        }
    }

    fn target(&self, path: &str) -> EntryKind {
        let kind =
            self.inside(path).map(|place| std::fs::metadata(place).map(|metadata| kind_of(metadata.file_type())));
        match kind {
            Ok(Ok(kind)) => kind,
            Ok(Err(error)) => EntryKind::Unreadable(words(&error)),
            Err(failure) => EntryKind::Unreadable(failure.to_string()),
        }
    }
}

const OUTWARD: &str = "it is a link that leads out of the repository, and is not followed";

/// The way from a folder up to one above it.
fn shown_from(here: &Path, above: &Path) -> PathBuf {
    let steps = here.strip_prefix(above).map_or(0, |below| below.components().count());
    match steps {
        0 => PathBuf::from("."),
        steps => std::iter::repeat_n("..", steps).collect(),
    }
}

fn kind_of(kind: FileType) -> EntryKind {
    match kind {
        kind if kind.is_dir() => EntryKind::Folder,
        kind if kind.is_file() => EntryKind::File,
        _ => EntryKind::Unreadable("it is neither a file nor a folder, and is not read".to_owned()),
    }
}

impl Files for RepositoryFiles {
    fn entries(&self, folder: &str) -> Vec<Entry> {
        let Ok(place) = self.inside(folder) else { return Vec::new() };
        let Ok(found) = std::fs::read_dir(place) else { return Vec::new() };
        let entry = |found: std::fs::DirEntry| {
            let name = found.file_name().to_string_lossy().into_owned();
            let kind = match found.file_type() {
                Ok(_) if found.file_name().to_str().is_none() => {
                    EntryKind::Unreadable("its name is not UTF-8 text".to_owned())
                }
                Ok(kind) if kind.is_symlink() => {
                    self.target(&if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") })
                }
                Ok(kind) => kind_of(kind),
                Err(error) => EntryKind::Unreadable(words(&error)),
            };
            Entry { name, kind }
        };
        let mut entries: Vec<Entry> = found.flatten().map(entry).collect();
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        entries
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, ReadFailure> {
        let place = self.inside(path)?;
        let refused = |error: std::io::Error| ReadFailure::Refused(words(&error));
        match kind_of(std::fs::metadata(&place).map_err(refused)?.file_type()) {
            EntryKind::File => std::fs::read(place).map_err(refused),
            EntryKind::Folder => Err(ReadFailure::Refused("it is a folder".to_owned())),
            EntryKind::Unreadable(reason) => Err(ReadFailure::Refused(reason)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_repository_is_found_upward_and_links_out_of_it_are_not_followed() {
        let outer = tempfile::tempdir().expect("a folder");
        let root = outer.path().join("r");
        fs::create_dir_all(root.join("operators/o")).expect("made");
        fs::create_dir_all(root.join("catalogs")).expect("made");
        fs::write(outer.path().join("secret"), "x").expect("written");
        fs::write(root.join("operators/o/ci.yaml"), "fbc: {}\n").expect("written");
        let files = RepositoryFiles::open(Some(&root)).expect("a repository");
        assert_eq!(files.read("operators/o/ci.yaml").as_deref(), Ok(&b"fbc: {}\n"[..]));
        assert_eq!(files.read("operators/o/none.yaml"), Err(ReadFailure::NotThere));
        assert!(matches!(files.read("../secret"), Err(ReadFailure::Refused(_))));
        assert!(RepositoryFiles::open(Some(&root.join("operators"))).is_err());
        assert_eq!(shown_from(&root.join("operators/o"), &root), Path::new("../.."));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_told() {
        let outer = tempfile::tempdir().expect("a folder");
        let root = outer.path().join("r");
        fs::create_dir_all(root.join("operators/o")).expect("made");
        fs::create_dir_all(root.join("catalogs")).expect("made");
        fs::write(outer.path().join("secret"), "x").expect("written");
        std::os::unix::fs::symlink("../../../secret", root.join("operators/o/out")).expect("linked");
        std::os::unix::fs::symlink("nowhere", root.join("operators/o/broken")).expect("linked");
        std::os::unix::fs::symlink("o", root.join("operators/same")).expect("linked");
        let files = RepositoryFiles::open(Some(&root)).expect("a repository");
        assert_eq!(files.read("operators/o/out"), Err(ReadFailure::Refused(OUTWARD.to_owned())));
        let entries = files.entries("operators/o");
        assert!(entries.iter().all(|entry| matches!(entry.kind, EntryKind::Unreadable(_))), "{entries:?}");
        assert!(files.is_folder("operators/same"));
    }
}
