//! Recognizes dropped items by names and text alone: which may be bundles or cluster manifests, where
//! they were dropped, and unique names for what is opened. The worker decides.

use super::journal::FolderListing;
use std::collections::BTreeSet;

/// Where on the page something was dropped; empty outside of a target.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DropPlace {
    pub package: String,
    /// The lane.
    pub channel: String,
}

/// Larger folders are not bundles.
const MOST_FILES: usize = 2_000;
const MOST_BYTES: f64 = 32e6;

/// Maximum size of a folder of cluster manifests. Larger ones are opened as catalogs without this
/// check, since all of it would be read twice.
pub const MOST_MANIFESTS: usize = 200;
pub const MOST_MANIFEST_BYTES: f64 = 2e6;

/// Whether a folder with these entries is a bundle directory.
pub fn is_bundle<'n>(names: impl Iterator<Item = &'n str>) -> bool {
    let (mut manifests, mut metadata) = (false, false);
    for name in names {
        manifests |= name == "manifests";
        metadata |= name == "metadata";
    }
    manifests && metadata
}

/// Whether a folder with these entries is a package folder of a catalog: files with blobs.
pub fn is_package<'n>(mut names: impl Iterator<Item = &'n str>) -> bool {
    names.any(is_text)
}

/// Whether a single file may contain bundles: blobs, or a bundle archive.
pub fn may_be_bundle(name: &str) -> bool {
    is_text(name) || is_packed(name)
}

/// Whether picked files may contain bundles; each path starts with the picked folder. Every folder
/// and single file may.
pub fn may_hold_bundles(paths: &[&str]) -> bool {
    paths.iter().all(|path| match top(path) {
        (_, false) => may_be_bundle(path),
        (folder, true) => ["/manifests/", "/metadata/"].iter().all(|part| {
            paths.iter().any(|other| {
                other
                    .strip_prefix(folder)
                    .is_some_and(|rest| rest.contains(part))
            })
        }),
    })
}

/// Whether a path is examined for bundles: it may belong to one, or show that this is a catalog.
pub fn is_looked_at(path: &str) -> bool {
    let mut parts = path.rsplit('/').skip(1);
    let folder = parts.next();
    match folder {
        None => may_be_bundle(path),
        Some("manifests" | "metadata") => true,
        Some(_) => may_be_manifest(path),
    }
}

/// Whether a path may be a cluster manifest, or show that this is a catalog.
pub fn may_be_manifest(path: &str) -> bool {
    is_text(path) && !path.split('/').any(|part| part == ".git")
}

/// Whether a text may be a Subscription or ClusterExtension, judged by keywords alone.
pub fn may_ask(text: &str) -> bool {
    text.contains("Subscription") || text.contains("ClusterExtension")
}

/// Whether the amount is small enough to be read.
pub fn is_small(files: usize, bytes: f64) -> bool {
    files <= MOST_FILES && bytes <= MOST_BYTES
}

fn is_text(name: &str) -> bool {
    [".yaml", ".yml", ".json"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

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

/// Returns the first component of a path, and whether there are more.
pub fn top(path: &str) -> (&str, bool) {
    path.split_once('/')
        .map_or((path, false), |(top, _)| (top, true))
}

/// Reserved names at the top level of the open files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceNames(BTreeSet<String>);

impl SourceNames {
    /// Returns the names of open files, by path.
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

    /// Reserves a file's name and, for an archive, that of its folder.
    fn take_file(&mut self, name: &str) {
        self.0.insert(name.to_owned());
        self.0
            .extend(without_archive_ending(name).map(str::to_owned));
    }
}

/// Returns the folder name of an archive.
fn without_archive_ending(name: &str) -> Option<&str> {
    let (stem, ending) = split(name);
    PACKED
        .iter()
        .any(|packed| ending.eq_ignore_ascii_case(packed))
        .then_some(stem)
}

/// Splits a file name into name and extension; archives may have two extensions.
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
    fn a_text_that_names_no_question_is_not_put_to_the_worker() {
        assert!(
            may_ask("kind: Subscription\nspec: {}\n") && may_ask(r#"{"kind": "ClusterExtension"}"#)
        );
        assert!(!may_ask("schema: olm.package\nname: p\n"));
    }

    #[test]
    fn reads_files_that_may_belong_to_a_bundle() {
        for path in [
            "bundle.yaml",
            "image.tar",
            "b.tgz",
            "y/manifests/README",
            "y/metadata/a.yaml",
            "y/ci.yaml",
        ] {
            assert!(is_looked_at(path), "{path}");
        }
        for path in ["README.md", "y/README.md", "y/image.tar", "y/.git/a.yaml"] {
            assert!(!is_looked_at(path), "{path}");
        }
        assert!(may_be_manifest("deploy/sub.yaml") && !may_be_manifest("deploy/README.md"));
        assert!(may_hold_bundles(&[
            "y/1/manifests/a",
            "y/1/metadata/b",
            "b.yaml"
        ]));
        assert!(!may_hold_bundles(&["y/manifests/a", "z/metadata/b"]));
        assert!(!may_hold_bundles(&["README.md"]));
        assert!(is_bundle(["tests", "metadata", "manifests"].into_iter()));
        assert!(!is_bundle(["manifests"].into_iter()));
        assert!(is_small(10, 1e6) && !is_small(10, 1e9) && !is_small(10_000, 1e6));
    }

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
