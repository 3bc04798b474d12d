//! The open files as stored in a journal: paths and sizes. Compares them with the files that are
//! open now.
//!
//! A catalog that was created in the page is in no folder that could be opened again. Its
//! placeholder files are not expected among the open files, because they can be recreated from
//! their paths.

use crate::state::catalogs;
use protocol::counting::first_of;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The files that edits were based on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FolderListing {
    /// Paths, starting with the opened folder's name, and sizes in bytes; in path order. A folder
    /// that is listed on demand ends in `/` and has no files here, since the listed part differs
    /// between visits.
    files: Vec<(String, u64)>,
}

/// The comparison of the open files with earlier ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderMatch {
    /// The same paths and sizes.
    Same,
    /// At least half of the expected paths are the same, in the folders that are open.
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
    /// Names of folders and files that are not open now.
    pub unopened: Vec<String>,
}

impl FolderDifferences {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the path is in a folder that is not open.
    pub fn is_unopened(&self, path: &str) -> bool {
        self.unopened.iter().any(|name| name == top(path))
    }

    /// Whether the open files differ, apart from folders that are not open.
    pub fn has_changes(&self) -> bool {
        !(self.changed.is_empty() && self.missing.is_empty() && self.added.is_empty())
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

    pub fn add(&mut self, files: impl IntoIterator<Item = (String, u64)>) {
        let mut all: BTreeMap<String, u64> = std::mem::take(&mut self.files).into_iter().collect();
        all.extend(files);
        *self = Self::new(all.into_iter().collect());
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the paths of the files, and their sizes in bytes.
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

    /// Returns only the files of catalogs that were created in the page and have no other files.
    pub fn created_in_page(&self) -> Self {
        let on_disk: BTreeSet<&str> = self
            .files()
            .filter(|(path, size)| catalogs::placeholder_text(path, *size).is_none())
            .map(|(path, _)| top(path))
            .collect();
        Self {
            files: self
                .files
                .iter()
                .filter(|(path, _)| !on_disk.contains(top(path)))
                .cloned()
                .collect(),
        }
    }

    /// Returns the listing without the catalogs that were created in the page.
    pub fn on_disk(&self) -> Self {
        let created = self.created_in_page();
        let created = created.tops();
        Self {
            files: self
                .files
                .iter()
                .filter(|(path, _)| !created.contains(top(path)))
                .cloned()
                .collect(),
        }
    }

    /// Whether all of its catalogs were created in the page.
    pub fn is_created_in_page(&self) -> bool {
        !self.is_empty() && self.on_disk().is_empty()
    }

    /// Returns the files of catalogs created in the page whose folders are not open now, with their
    /// texts.
    pub fn files_to_recreate(&self, now: &Self) -> Vec<(String, &'static str)> {
        let open = now.tops();
        let created = self.created_in_page().files.into_iter();
        created
            .filter(|(path, _)| !open.contains(top(path)))
            .filter_map(|(path, size)| {
                let text = catalogs::placeholder_text(&path, size)?;
                Some((path, text))
            })
            .collect()
    }

    /// Returns a key for the name of a lock: the same for equal paths and sizes.
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
        let open = now.tops();
        let expected = self.paths().filter(|path| open.contains(top(path))).count();
        let common = expected - differences.missing.len();
        if common == 0 {
            return FolderMatch::Different;
        }
        if differences.is_empty() {
            return FolderMatch::Same;
        }
        if common * 2 >= expected.max(now.files.len()) {
            FolderMatch::Similar(differences)
        } else {
            FolderMatch::Different
        }
    }

    /// Lists all differences. Files that can be recreated are not missing.
    pub fn differences(&self, now: &Self) -> FolderDifferences {
        let recreated: BTreeSet<String> = self
            .files_to_recreate(now)
            .into_iter()
            .map(|(path, _)| path)
            .collect();
        let before: BTreeMap<&str, u64> = self.files().collect();
        let open = now.tops();
        let now: BTreeMap<&str, u64> = now.files().collect();
        let mut differences = FolderDifferences::default();
        for (&path, size) in &before {
            match now.get(path) {
                None if recreated.contains(path) || differences.is_unopened(path) => {}
                None if !open.contains(top(path)) => {
                    differences.unopened.push(top(path).to_owned())
                }
                None => differences.missing.push(path.to_owned()),
                Some(other) if other != size => differences.changed.push(path.to_owned()),
                Some(_) => {}
            }
        }
        differences.added = now
            .into_keys()
            .filter(|path| !before.contains_key(path))
            .map(str::to_owned)
            .collect();
        differences
    }
}

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
    fn equal_names_and_sizes_in_any_order_are_the_same_folder() {
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
    fn a_catalog_created_in_the_page_is_not_expected_in_a_folder() {
        let mark = catalogs::NewCatalog {
            name: "new".into(),
            ..catalogs::NewCatalog::default()
        };
        let created_in_page: Vec<(String, u64)> = mark
            .files()
            .into_iter()
            .map(|(path, text)| (path, text.len() as u64))
            .collect();
        let alone = FolderListing::new(created_in_page.clone());
        let opened = folder(&[("c/a.yaml", 1)]);
        let both = FolderListing::new([opened.files.clone(), created_in_page.clone()].concat());
        assert_eq!(
            (both.created_in_page(), both.on_disk()),
            (alone.clone(), opened.clone())
        );
        assert_eq!(
            (
                both.is_created_in_page(),
                alone.is_created_in_page(),
                opened.is_created_in_page()
            ),
            (false, true, false)
        );
        // Beside a folder, only the folder has to be opened again.
        assert_eq!(both.compare(&opened), FolderMatch::Same);
        assert_eq!(both.differences(&opened), FolderDifferences::default());
        assert_eq!(both.files_to_recreate(&opened), mark.files());
        assert_eq!(
            (both.compare(&both), both.files_to_recreate(&both)),
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
        assert!(both.files_to_recreate(&taken).is_empty());
        assert_eq!(
            both.differences(&taken).missing,
            [created_in_page[0].0.clone()]
        );
        // On disk by now, with other files.
        let saved =
            FolderListing::new([created_in_page, vec![("new/p/catalog.yaml".into(), 5)]].concat());
        assert_eq!(
            (saved.created_in_page().is_empty(), saved.on_disk()),
            (true, saved.clone())
        );
    }

    #[test]
    fn differences_are_named_and_another_folder_is_recognized() {
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
            unopened: Vec::new(),
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
    fn folders_that_are_not_open_are_named_and_not_missing() {
        let then = folder(&[("a/x", 1), ("a/y", 2), ("b/x", 1), ("b/y", 1), ("c/x", 1)]);
        let differences = FolderDifferences {
            unopened: vec!["b".into(), "c".into()],
            ..FolderDifferences::default()
        };
        let now = folder(&[("a/x", 1), ("a/y", 2)]);
        assert!(!differences.has_changes() && differences.is_unopened("b/y"));
        assert_eq!(then.compare(&now), FolderMatch::Similar(differences));
        assert_eq!(then.compare(&then), FolderMatch::Same);
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
    fn several_opened_items_have_a_common_name() {
        assert_eq!(folder(&[("a.yaml", 1)]).name(), "a.yaml");
        assert_eq!(
            folder(&[("a/x", 1), ("b/x", 1), ("b/y", 1), ("c", 1)]).name(),
            "a and 2 more"
        );
    }
}
