//! Lists a repository's files by name, as a directory walk finds them. Must not know their content.

use ::repository::layout::Place;
use ::repository::{Entry, EntryKind};
use catalog::model::FileId;
use catalog::source::ByteSource;
use std::collections::{BTreeSet, HashMap};

/// A file of the page's directory walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedFile {
    /// Path as sent by the page.
    pub path: String,
    pub listed: Listed,
}

/// A listed path: a file, or a folder whose files are listed later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listed {
    File {
        id: FileId,
        size: u64,
    },
    /// A file that cannot be read, with the reason.
    Unreadable {
        id: FileId,
        reason: String,
    },
    /// A folder that is not listed yet. Its path ends in `/`.
    Folder {
        id: FileId,
    },
}

impl Listed {
    pub fn id(&self) -> FileId {
        match self {
            Self::File { id, .. } | Self::Unreadable { id, .. } | Self::Folder { id } => *id,
        }
    }

    /// Reads the bytes; the error is the reason why they cannot be read.
    pub fn read(&self, source: &dyn ByteSource) -> Result<Vec<u8>, String> {
        match self {
            Self::Unreadable { reason, .. } => Err(reason.clone()),
            Self::Folder { .. } => Err("it is a folder".to_owned()),
            Self::File { size: 0, .. } => Ok(Vec::new()),
            Self::File { id, size } => {
                let read = source
                    .read(&[(*id, 0..*size)])
                    .map_err(|error| error.to_string())?;
                Ok(read.into_iter().next().unwrap_or_default())
            }
        }
    }
}

/// Files and folders, by paths in the repository.
#[derive(Debug, Default)]
pub struct Listing {
    files: HashMap<String, Listed>,
    folders: HashMap<String, Vec<Entry>>,
}

impl Listing {
    pub fn new(place: &Place, files: Vec<ListedFile>) -> Self {
        let mut listing = Self::default();
        listing.add_files(place, files);
        listing
    }

    /// Adds files; a file replaces a known one with the same path.
    pub fn add_files(&mut self, place: &Place, files: Vec<ListedFile>) {
        let mut changed_folders: BTreeSet<String> = BTreeSet::new();
        for ListedFile { path, listed } in files {
            let Some(path) = place.repository_path(&path) else {
                continue;
            };
            let kind = match &listed {
                Listed::File { .. } => EntryKind::File,
                Listed::Unreadable { reason, .. } => EntryKind::Unreadable(reason.clone()),
                Listed::Folder { .. } => {
                    let folder = path.trim_end_matches('/');
                    if !self.folders.contains_key(folder) {
                        self.folders.insert(folder.to_owned(), Vec::new());
                        self.add_name(folder, EntryKind::Folder, &mut changed_folders);
                    }
                    continue;
                }
            };
            match self.files.insert(path.clone(), listed) {
                None => self.add_name(&path, kind, &mut changed_folders),
                Some(_) => self.set_kind(&path, kind),
            }
        }
        for folder in changed_folders {
            if let Some(entries) = self.folders.get_mut(&folder) {
                entries.sort_by(|a, b| a.name.cmp(&b.name));
            }
        }
    }

    fn set_kind(&mut self, path: &str, kind: EntryKind) {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let entries = self.folders.get_mut(parent).into_iter().flatten();
        entries
            .filter(|entry| entry.name == name)
            .for_each(|entry| entry.kind = kind.clone());
    }

    /// Adds a name to its folder, and a new folder to its parent; records the folders in
    /// `changed_folders`.
    fn add_name(&mut self, path: &str, kind: EntryKind, changed_folders: &mut BTreeSet<String>) {
        let (mut path, mut kind) = (path, kind);
        loop {
            let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
            let entry = Entry {
                name: name.to_owned(),
                kind,
            };
            changed_folders.insert(parent.to_owned());
            if let Some(entries) = self.folders.get_mut(parent) {
                return entries.push(entry);
            }
            self.folders.insert(parent.to_owned(), vec![entry]);
            if parent.is_empty() {
                return;
            }
            (path, kind) = (parent, EntryKind::Folder);
        }
    }

    pub fn get(&self, path: &str) -> Option<&Listed> {
        self.files.get(path)
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub fn is_folder(&self, path: &str) -> bool {
        self.folders.contains_key(path)
    }

    /// Returns the direct children of a folder, sorted by name.
    pub fn entries(&self, folder: &str) -> &[Entry] {
        self.folders.get(folder).map_or(&[], Vec::as_slice)
    }

    /// Returns the total size in bytes of all files in or below a folder.
    pub(super) fn bytes_below(&self, folder: &str) -> u64 {
        let size = |path: String| match self.get(&path) {
            Some(Listed::File { size, .. }) => *size,
            _ => 0,
        };
        self.below(folder).into_iter().map(size).sum()
    }

    /// Returns the paths of all files in or below a folder.
    pub fn below(&self, folder: &str) -> Vec<String> {
        let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
        while let Some(folder) = folders.pop() {
            for entry in self.entries(&folder) {
                let path = if folder.is_empty() {
                    entry.name.clone()
                } else {
                    format!("{folder}/{}", entry.name)
                };
                match entry.kind {
                    EntryKind::Folder => folders.push(path),
                    EntryKind::File | EntryKind::Unreadable(_) => files.push(path),
                }
            }
        }
        files.sort();
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_recognized_by_their_files() {
        let file = |path: &str| ListedFile {
            path: path.to_owned(),
            listed: Listed::File {
                id: FileId(1),
                size: 1,
            },
        };
        let files = vec![
            file("r/a/c/1"),
            file("r/a/b/2"),
            file("r/a/3"),
            file("other/4"),
        ];
        let listing = Listing::new(
            &Place::Whole {
                root: "r".to_owned(),
            },
            files,
        );
        let names = |folder: &str| {
            listing
                .entries(folder)
                .iter()
                .map(|entry| entry.name.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(names(""), ["a"]);
        assert_eq!(names("a"), ["3", "b", "c"]);
        assert_eq!(listing.below("a"), ["a/3", "a/b/2", "a/c/1"]);
        assert_eq!(
            (
                listing.len(),
                listing.is_folder("a/b"),
                listing.is_folder("a/3")
            ),
            (3, true, false)
        );
    }

    #[test]
    fn a_listed_name_gets_its_files_later() {
        let place = Place::Whole {
            root: "r".to_owned(),
        };
        let file = |path: &str| ListedFile {
            path: path.to_owned(),
            listed: Listed::File {
                id: FileId(1),
                size: 1,
            },
        };
        let folder = |path: &str| ListedFile {
            path: path.to_owned(),
            listed: Listed::Folder { id: FileId(2) },
        };
        let reason = "a link".to_owned();
        let link = |path: &str| ListedFile {
            path: path.to_owned(),
            listed: Listed::Unreadable {
                id: FileId(3),
                reason: reason.clone(),
            },
        };
        let mut listing = Listing::new(
            &place,
            vec![
                folder("r/operators/b/"),
                folder("r/operators/a/"),
                link("r/operators/a/x"),
            ],
        );
        assert_eq!(
            (listing.entries("operators/b"), listing.len()),
            (&[][..], 1)
        );
        listing.add_files(
            &place,
            vec![
                file("r/operators/b/ci.yaml"),
                file("r/operators/a/x"),
                file("r/operators/a/1/y"),
            ],
        );
        let names = |folder: &str| {
            listing
                .entries(folder)
                .iter()
                .map(|entry| entry.name.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            (names("operators"), names("operators/b")),
            (vec!["a".into(), "b".into()], vec!["ci.yaml".into()])
        );
        assert_eq!(names("operators/a"), ["1", "x"]);
        assert!(
            listing
                .entries("operators/a")
                .iter()
                .all(|entry| !matches!(entry.kind, EntryKind::Unreadable(_)))
        );
    }
}
