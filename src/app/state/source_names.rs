//! Unique names for opened folders, archives and files, so that a path identifies its source.

use super::file_names::{split_extension, top, without_archive_ending};
use super::journal::FolderListing;
use std::collections::BTreeSet;

/// Reserved names at the top level of the open files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceNames(BTreeSet<String>);

impl SourceNames {
    pub fn from_paths<'a>(paths: impl IntoIterator<Item = &'a str>) -> Self {
        let mut names = Self::default();
        for path in paths {
            match top(path) {
                (folder, true) => drop(names.0.insert(folder.to_owned())),
                (file, false) => names.claim_file(file),
            }
        }
        names
    }

    /// Adds the names of the files in a journal's folder.
    pub fn with(mut self, folder: &FolderListing) -> Self {
        self.0.extend(Self::from_paths(folder.paths()).0);
        self
    }

    /// Reserves a name for a new source and returns it: `preferred` if it is free, otherwise with a
    /// number.
    pub fn claim(&mut self, preferred: &str, is_folder: bool) -> String {
        let (stem, ending) = if is_folder {
            (preferred, "")
        } else {
            split_extension(preferred)
        };
        let numbered = (2..).map(|number| format!("{stem} ({number}){ending}"));
        let is_free = |name: &String| {
            !self.0.contains(name)
                && (is_folder
                    || without_archive_ending(name).is_none_or(|folder| !self.0.contains(folder)))
        };
        let name = std::iter::once(preferred.to_owned())
            .chain(numbered)
            .find(is_free)
            .unwrap_or_default();
        if is_folder {
            self.0.insert(name.clone());
        } else {
            self.claim_file(&name);
        }
        name
    }

    /// Reserves a file's name and, for an archive, that of its folder.
    fn claim_file(&mut self, name: &str) {
        self.0.insert(name.to_owned());
        self.0
            .extend(without_archive_ending(name).map(str::to_owned));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_folders_of_one_name_are_distinct() {
        let mut names = SourceNames::from_paths(["good/a.yaml", "good/b/c.yaml", "other/x"]);
        assert_eq!(
            [names.claim("good", true), names.claim("good", true)],
            ["good (2)", "good (3)"]
        );
        assert_eq!(names.claim("v4.19", true), "v4.19");
        assert_eq!(names.claim("v4.19", true), "v4.19 (2)");
    }

    #[test]
    fn an_archive_and_a_folder_of_its_name_are_distinct() {
        let mut names = SourceNames::from_paths(["good/a.yaml"]);
        assert_eq!(names.claim("good.zip", false), "good (2).zip");
        assert_eq!(names.claim("good.tar.gz", false), "good (3).tar.gz");
        let mut names = SourceNames::default();
        assert_eq!(names.claim("good.zip", false), "good.zip");
        assert_eq!(
            [names.claim("good", true), names.claim("good.tgz", false)],
            ["good (2)", "good (3).tgz"]
        );
        assert_eq!(
            SourceNames::from_paths(["good.zip"]).claim("good", true),
            "good (2)"
        );
    }

    #[test]
    fn files_keep_their_extension() {
        let mut names = SourceNames::from_paths(["catalog.yaml"]);
        assert_eq!(names.claim("catalog.yaml", false), "catalog (2).yaml");
        assert_eq!(
            [names.claim("catalog", true), names.claim("Makefile", false)],
            ["catalog", "Makefile"]
        );
        assert_eq!(
            [
                names.claim("Makefile", false),
                names.claim(".indexignore", false)
            ],
            ["Makefile (2)", ".indexignore"]
        );
    }
}
