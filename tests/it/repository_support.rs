//! Operator repositories for tests: those of `tests/data` on disk, and others in memory that record
//! reads.

use repository::{Entry, EntryKind, Files, ReadFailure};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;
use test_support::Folder;

/// A repository in memory.
#[derive(Default, Clone)]
pub(crate) struct Memory {
    files: BTreeMap<String, Rc<Vec<u8>>>,
    /// The paths of the files that were read.
    read: Rc<RefCell<BTreeSet<String>>>,
}

impl Memory {
    /// Everything below a folder on disk.
    pub(crate) fn below(folder: &Path) -> Self {
        let mut memory = Self::default();
        memory.add(folder, "");
        memory
    }

    fn add(&mut self, folder: &Path, above: &str) {
        for entry in
            std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        {
            let entry = entry.unwrap();
            let path = format!("{above}{}", entry.file_name().to_string_lossy());
            match entry.file_type().unwrap().is_dir() {
                true => self.add(&entry.path(), &format!("{path}/")),
                false => drop(
                    self.files
                        .insert(path, Rc::new(std::fs::read(entry.path()).unwrap())),
                ),
            }
        }
    }

    /// The files of these operators, and those of no operator.
    pub(crate) fn with_operators(&self, operators: &[&str]) -> Self {
        let is_included = |path: &str| {
            let mut parts = path.split('/');
            match parts.next() {
                Some("operators") => parts.next().is_some_and(|name| operators.contains(&name)),
                Some("catalogs") => parts.nth(1).is_some_and(|name| operators.contains(&name)),
                _ => true,
            }
        };
        let files = self.files.iter().filter(|(path, _)| is_included(path));
        Self {
            files: files
                .map(|(path, text)| (path.clone(), Rc::clone(text)))
                .collect(),
            read: Rc::default(),
        }
    }

    /// Writes a file; `None` removes the file or folder.
    pub(crate) fn put(&mut self, path: &str, text: Option<&[u8]>) {
        self.files
            .retain(|known, _| known != path && !known.starts_with(&format!("{path}/")));
        if let Some(text) = text {
            self.files.insert(path.to_owned(), Rc::new(text.to_vec()));
        }
    }

    /// Paths of the files read so far.
    pub(crate) fn read_paths(&self) -> Vec<String> {
        self.read.borrow().iter().cloned().collect()
    }
}

impl Files for Memory {
    fn entries(&self, folder: &str) -> Vec<Entry> {
        let start = if folder.is_empty() {
            String::new()
        } else {
            format!("{folder}/")
        };
        let below = self
            .files
            .range(start.clone()..)
            .take_while(|(path, _)| path.starts_with(&start));
        let mut entries: Vec<Entry> = Vec::new();
        for (path, _) in below {
            let (name, kind) = match path[start.len()..].split_once('/') {
                Some((name, _)) => (name, EntryKind::Folder),
                None => (&path[start.len()..], EntryKind::File),
            };
            if entries.iter().all(|known| known.name != name) {
                entries.push(Entry {
                    name: name.to_owned(),
                    kind,
                });
            }
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        entries
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, ReadFailure> {
        self.read.borrow_mut().insert(path.to_owned());
        self.files
            .get(path)
            .map(|text| text.to_vec())
            .ok_or(ReadFailure::NotThere)
    }
}

/// The repository of `tests/data`, on disk.
pub(crate) fn folder() -> Folder {
    let folder = Folder::new(&[]);
    write_into(&folder, "");
    folder
}

/// Copies the repository of `tests/data` into a folder, below a path.
pub(crate) fn write_into(folder: &Folder, above: &str) {
    for (path, text) in Memory::below(&test_support::project().join("tests/data/repository")).files
    {
        folder.write(
            &format!("{above}{path}"),
            std::str::from_utf8(&text).unwrap(),
        );
    }
}
