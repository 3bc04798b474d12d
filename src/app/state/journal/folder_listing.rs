//! The open files as stored in a journal: names and sizes. Decides whether the files opened now are
//! the same.
//!
//! A catalog started in the page is in no folder that could be opened again, but its files can be
//! recreated from their paths, so they are not expected among the opened files.

use crate::state::catalogs;
use protocol::counting::first_of;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The files that edits were based on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FolderListing {
    /// Paths, starting with the opened folder's name, and sizes in bytes; in path order. A folder
    /// that is listed on demand appears by its name with a trailing `/`; nothing below it does,
    /// since the listed part differs between visits.
    files: Vec<(String, u64)>,
}

/// The comparison of the open files with earlier ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderMatch {
    /// The same paths and sizes.
    Same,
    /// At least half of the expected paths are the same.
    Similar(FolderDifferences),
    Different,
}

/// The paths that differ, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FolderDifferences {
    /// With a different size or content.
    pub changed: Vec<String>,
    pub missing: Vec<String>,
    pub added: Vec<String>,
}

impl FolderDifferences {
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.missing.is_empty() && self.added.is_empty()
    }
}

impl FolderListing {
    pub fn new(mut files: Vec<(String, u64)>) -> Self {
        files.sort();
        let mut folder: Option<String> = None;
        files.retain(|(path, _)| {
            let is_below = folder
                .as_deref()
                .is_some_and(|folder| path != folder && path.starts_with(folder));
            if path.ends_with('/') && !is_below {
                folder = Some(path.clone());
            }
            !is_below
        });
        Self { files }
    }

    /// Adds files, or updates their sizes.
    pub fn add(&mut self, files: impl IntoIterator<Item = (String, u64)>) {
        let mut all: BTreeMap<String, u64> = std::mem::take(&mut self.files).into_iter().collect();
        all.extend(files);
        *self = Self::new(all.into_iter().collect());
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the paths and sizes of the files.
    pub fn files(&self) -> impl Iterator<Item = (&str, u64)> {
        self.files.iter().map(|(path, size)| (path.as_str(), *size))
    }

    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(path, _)| path.as_str())
    }

    /// Returns the name of the single opened folder or file, or the first name with the number of
    /// others.
    pub fn name(&self) -> String {
        first_of(self.tops().iter(), 1)
    }

    /// Returns the names of the opened folders and files, in order.
    pub fn tops(&self) -> BTreeSet<&str> {
        self.paths().map(top).collect()
    }

    /// Returns only the files of catalogs started in the page. They were never on disk, or would be
    /// recreated with the same content.
    pub fn begun(&self) -> Self {
        let others: BTreeSet<&str> = self
            .files()
            .filter(|(path, size)| catalogs::text_of(path, *size).is_none())
            .map(|(path, _)| top(path))
            .collect();
        Self {
            files: self
                .files
                .iter()
                .filter(|(path, _)| !others.contains(top(path)))
                .cloned()
                .collect(),
        }
    }

    /// Returns the files that the user opened.
    pub fn on_disk(&self) -> Self {
        let begun = self.begun();
        let begun = begun.tops();
        Self {
            files: self
                .files
                .iter()
                .filter(|(path, _)| !begun.contains(top(path)))
                .cloned()
                .collect(),
        }
    }

    /// Whether it only contains catalogs started in the page.
    pub fn is_begun(&self) -> bool {
        !self.is_empty() && self.on_disk().is_empty()
    }

    /// Returns the files of catalogs started in the page whose folders are not open now, with their
    /// texts.
    pub fn to_make_again(&self, now: &Self) -> Vec<(String, &'static str)> {
        let open = now.tops();
        let begun = self.begun().files;
        let missing = begun
            .into_iter()
            .filter(|(path, _)| !open.contains(top(path)));
        missing
            .filter_map(|(path, size)| catalogs::text_of(&path, size).map(|text| (path, text)))
            .collect()
    }

    /// Returns a key that is equal for equal names and sizes, and short enough for the name of a
    /// lock.
    pub fn key(&self) -> String {
        let mut hasher = crc32fast::Hasher::new();
        for (path, size) in &self.files {
            hasher.update(path.as_bytes());
            hasher.update(b"\n");
            hasher.update(&size.to_le_bytes());
        }
        let bytes: u64 = self
            .files
            .iter()
            .fold(0, |sum, (_, size)| sum.wrapping_add(*size));
        format!(
            "{}/{}/{bytes}/{:08x}",
            self.name(),
            self.files.len(),
            hasher.finalize()
        )
    }

    /// Compares with the files open now, in time linear in the number of files.
    pub fn compare(&self, now: &Self) -> FolderMatch {
        let differences = self.differences(now);
        let wanted = self.files.len() - self.to_make_again(now).len();
        let common = wanted - differences.missing.len();
        if common == 0 {
            return FolderMatch::Different;
        }
        if differences.is_empty() {
            return FolderMatch::Same;
        }
        if common * 2 >= wanted.max(now.files.len()) {
            FolderMatch::Similar(differences)
        } else {
            FolderMatch::Different
        }
    }

    /// Returns the differences, however similar the two are. Recreatable files are not missing.
    pub fn differences(&self, now: &Self) -> FolderDifferences {
        let made_again: BTreeSet<String> = self
            .to_make_again(now)
            .into_iter()
            .map(|(path, _)| path)
            .collect();
        let map = |folder: &Self| {
            folder
                .files
                .iter()
                .cloned()
                .collect::<BTreeMap<String, u64>>()
        };
        let (then, now) = (map(self), map(now));
        let mut differences = FolderDifferences::default();
        for (path, size) in &then {
            match now.get(path) {
                None if made_again.contains(path) => {}
                None => differences.missing.push(path.clone()),
                Some(other) if other != size => differences.changed.push(path.clone()),
                Some(_) => {}
            }
        }
        differences.added = now
            .into_keys()
            .filter(|path| !then.contains_key(path))
            .collect();
        differences
    }
}

/// Returns the first component of a path.
fn top(path: &str) -> &str {
    path.split('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, u64)]) -> FolderListing {
        FolderListing::new(
            files
                .iter()
                .map(|(path, size)| ((*path).to_owned(), *size))
                .collect(),
        )
    }

    #[test]
    fn the_same_names_and_sizes_are_the_same_folder_in_any_order() {
        let (a, b) = (
            folder(&[("c/a", 1), ("c/b", 2)]),
            folder(&[("c/b", 2), ("c/a", 1)]),
        );
        assert_eq!(
            (a.compare(&b), a.key(), a.name().as_str()),
            (FolderMatch::Same, b.key(), "c")
        );
        for other in [
            folder(&[("c/a", 2), ("c/b", 1)]),
            folder(&[("c/a", 1)]),
            folder(&[("d/a", 1), ("d/b", 2)]),
        ] {
            assert_ne!(a.key(), other.key());
            assert_ne!(a.compare(&other), FolderMatch::Same);
        }
    }

    #[test]
    fn a_catalog_created_in_the_page_is_not_searched_in_a_folder() {
        let mark = catalogs::NewCatalog {
            name: "new".into(),
            ..catalogs::NewCatalog::default()
        };
        let begun: Vec<(String, u64)> = mark
            .files()
            .into_iter()
            .map(|(path, text)| (path, text.len() as u64))
            .collect();
        let alone = FolderListing::new(begun.clone());
        let opened = folder(&[("c/a.yaml", 1)]);
        let both = FolderListing::new([opened.files.clone(), begun.clone()].concat());
        assert_eq!(
            (both.begun(), both.on_disk()),
            (alone.clone(), opened.clone())
        );
        assert_eq!(
            (both.is_begun(), alone.is_begun(), opened.is_begun()),
            (false, true, false)
        );
        // Beside a folder, only the folder has to be opened again.
        assert_eq!(both.compare(&opened), FolderMatch::Same);
        assert_eq!(both.differences(&opened), FolderDifferences::default());
        assert_eq!(both.to_make_again(&opened), mark.files());
        assert_eq!(
            (both.compare(&both), both.to_make_again(&both)),
            (FolderMatch::Same, Vec::new())
        );
        // Alone it is in no folder, but in the same catalog after that is started again.
        assert_eq!(alone.compare(&opened), FolderMatch::Different);
        assert_eq!(
            alone.compare(&FolderListing::default()),
            FolderMatch::Different
        );
        assert_eq!(alone.compare(&alone), FolderMatch::Same);
        // A folder with that name is open, so it is not recreated.
        let taken = folder(&[("c/a.yaml", 1), ("new/b.yaml", 1)]);
        assert!(both.to_make_again(&taken).is_empty());
        assert_eq!(both.differences(&taken).missing, [begun[0].0.clone()]);
        // On disk by now, with other files.
        let saved = FolderListing::new([begun, vec![("new/p/catalog.yaml".into(), 5)]].concat());
        assert_eq!(
            (saved.begun().is_empty(), saved.on_disk()),
            (true, saved.clone())
        );
    }

    #[test]
    fn differences_are_named_and_another_folder_is_known() {
        let then = folder(&[("c/a", 1), ("c/b", 2), ("c/d", 3)]);
        let now = folder(&[("c/a", 1), ("c/b", 9), ("c/e", 3)]);
        let paths_of = |paths: &[&str]| {
            paths
                .iter()
                .map(|path| (*path).to_owned())
                .collect::<Vec<_>>()
        };
        let differences = FolderDifferences {
            changed: paths_of(&["c/b"]),
            missing: paths_of(&["c/d"]),
            added: paths_of(&["c/e"]),
        };
        assert_eq!(then.compare(&now), FolderMatch::Similar(differences));
        assert_eq!(
            then.compare(&folder(&[("x/a", 1), ("x/b", 2), ("x/d", 3)])),
            FolderMatch::Different
        );
        assert_eq!(
            then.compare(&FolderListing::default()),
            FolderMatch::Different
        );
        let large: Vec<(String, u64)> = (0..100).map(|n| (format!("c/{n}"), n)).collect();
        assert_eq!(
            then.compare(&FolderListing::new(large)),
            FolderMatch::Different
        );
    }

    #[test]
    fn a_folder_stays_the_same_while_its_files_are_found() {
        let outline = folder(&[("r/a-b", 1), ("r/a/", 0), ("r/b/", 0), ("r/c", 2)]);
        let mut later = folder(&[
            ("r/a-b", 1),
            ("r/a/", 0),
            ("r/a/x", 3),
            ("r/b/", 0),
            ("r/c", 2),
        ]);
        assert_eq!(outline.compare(&later), FolderMatch::Same);
        later.add([("r/b/y/z".to_owned(), 7), ("r/c".to_owned(), 2)]);
        assert_eq!(outline.key(), later.key());
        later.add([("r/c".to_owned(), 5)]);
        assert_ne!(outline.compare(&later), FolderMatch::Same);
    }

    #[test]
    fn several_things_that_were_opened_have_a_name() {
        assert_eq!(folder(&[("a.yaml", 1)]).name(), "a.yaml");
        assert_eq!(
            folder(&[("a/x", 1), ("b/x", 1), ("b/y", 1), ("c", 1)]).name(),
            "a and 2 more"
        );
    }
}
