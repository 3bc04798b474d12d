//! Unique names for opened items. A file belongs to its source: a folder, an archive or a single
//! file. Unique source names keep paths from colliding.

use super::journal::FolderListing;
use std::collections::BTreeSet;

/// Extensions of archives, which are opened like folders.
const PACKED: [&str; 10] = [
    ".tar.gz", ".tar.xz", ".tar.bz2", ".tar.zst", ".tgz", ".tar", ".zip", ".gz", ".xz", ".bz2",
];

/// Whether a file name is that of an archive.
pub fn is_packed(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    PACKED
        .iter()
        .any(|ending| name.len() > ending.len() && name.ends_with(ending))
}

/// The first component of a path, and whether there are more.
pub fn top(path: &str) -> (&str, bool) {
    path.split_once('/')
        .map_or((path, false), |(top, _)| (top, true))
}

/// Reserved names at the top level of the open files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceNames(BTreeSet<String>);

impl SourceNames {
    /// The names of open files, by path.
    pub fn from_paths<'a>(paths: impl IntoIterator<Item = &'a str>) -> Self {
        let mut names = Self::default();
        for path in paths {
            match top(path) {
                (folder, true) => drop(names.0.insert(folder.to_owned())),
                (file, false) => names.take_file(file),
            }
        }
        names
    }

    /// Adds all files of a folder in a journal.
    pub fn with(mut self, folder: &FolderListing) -> Self {
        self.0.extend(Self::from_paths(folder.paths()).0);
        self
    }

    /// Reserves a name for another source, `wanted` if it is free.
    pub fn give(&mut self, wanted: &str, is_folder: bool) -> String {
        let (stem, ending) = if is_folder {
            (wanted, "")
        } else {
            split(wanted)
        };
        let numbered = (2..).map(|number| format!("{stem} ({number}){ending}"));
        let is_free = |name: &String| {
            !self.0.contains(name)
                && (is_folder
                    || without_archive_ending(name).is_none_or(|folder| !self.0.contains(folder)))
        };
        let name = std::iter::once(wanted.to_owned())
            .chain(numbered)
            .find(is_free)
            .unwrap_or_default();
        if is_folder {
            self.0.insert(name.clone());
        } else {
            self.take_file(&name);
        }
        name
    }

    /// An archive reserves its own name and that of its folder.
    fn take_file(&mut self, name: &str) {
        self.0.insert(name.to_owned());
        self.0
            .extend(without_archive_ending(name).map(str::to_owned));
    }
}

/// The folder name of an archive.
fn without_archive_ending(name: &str) -> Option<&str> {
    let (stem, ending) = split(name);
    PACKED
        .iter()
        .any(|packed| ending.eq_ignore_ascii_case(packed))
        .then_some(stem)
}

/// A file's name and extension; archives may have two.
fn split(name: &str) -> (&str, &str) {
    let packed = PACKED.iter().find_map(|packed| {
        let at = name.len().checked_sub(packed.len()).filter(|at| *at > 0)?;
        name.get(at..)?.eq_ignore_ascii_case(packed).then_some(at)
    });
    let at = packed
        .or_else(|| name.rfind('.').filter(|at| *at > 0))
        .unwrap_or(name.len());
    name.split_at(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_folders_of_one_name_are_two() {
        let mut names = SourceNames::from_paths(["good/a.yaml", "good/b/c.yaml", "other/x"]);
        assert_eq!(
            [names.give("good", true), names.give("good", true)],
            ["good (2)", "good (3)"]
        );
        assert_eq!(names.give("v4.19", true), "v4.19");
        assert_eq!(names.give("v4.19", true), "v4.19 (2)");
    }

    #[test]
    fn an_archive_and_a_folder_of_its_name_are_two() {
        let mut names = SourceNames::from_paths(["good/a.yaml"]);
        assert_eq!(names.give("good.zip", false), "good (2).zip");
        assert_eq!(names.give("good.tar.gz", false), "good (3).tar.gz");
        let mut names = SourceNames::default();
        assert_eq!(names.give("good.zip", false), "good.zip");
        assert_eq!(
            [names.give("good", true), names.give("good.tgz", false)],
            ["good (2)", "good (3).tgz"]
        );
        assert_eq!(
            SourceNames::from_paths(["good.zip"]).give("good", true),
            "good (2)"
        );
    }

    #[test]
    fn files_keep_their_ending() {
        let mut names = SourceNames::from_paths(["catalog.yaml"]);
        assert_eq!(names.give("catalog.yaml", false), "catalog (2).yaml");
        assert_eq!(
            [names.give("catalog", true), names.give("Makefile", false)],
            ["catalog", "Makefile"]
        );
        assert_eq!(
            [
                names.give("Makefile", false),
                names.give(".indexignore", false)
            ],
            ["Makefile (2)", ".indexignore"]
        );
    }
}
