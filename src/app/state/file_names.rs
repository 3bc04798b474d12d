//! Classifies files by their names and by keywords: possible bundles, cluster manifests and
//! archives, and names that a browser cannot write. The worker decides what a file contains.

/// Maximum size of a folder of bundles.
const MAX_BUNDLE_FILES: usize = 2_000;
const MAX_BUNDLE_BYTES: f64 = 32e6;

/// Maximum size of a folder of cluster manifests. Larger folders are opened as catalogs without a
/// check, which would read all of their files a second time.
pub const MAX_MANIFESTS: usize = 200;
pub const MAX_MANIFEST_BYTES: f64 = 2e6;

/// Extensions of archives, which are opened like folders.
const ARCHIVE_EXTENSIONS: [&str; 10] = [
    ".tar.gz", ".tar.xz", ".tar.bz2", ".tar.zst", ".tgz", ".tar", ".zip", ".gz", ".xz", ".bz2",
];

/// Why a file with a refused name is not saved, and the alternative.
pub const REFUSED_NAME: &str =
    "the browser cannot write a file with this name; download the changed files as a zip instead";
/// Names of Windows devices, which cannot be files; those with a number are not listed.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "clock$", "conin$"];

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
    is_text(name) || is_archive(name)
}

/// Whether every folder and single file among these paths may contain bundles. A path starts with
/// the picked folder.
pub fn may_hold_bundles(paths: &[&str]) -> bool {
    paths.iter().all(|path| match top(path) {
        (_, false) => may_be_bundle(path),
        (folder, true) => ["/manifests/", "/metadata/"].iter().all(|part| {
            paths.iter().any(|other| {
                other
                    .strip_prefix(folder)
                    .is_some_and(|below| below.contains(part))
            })
        }),
    })
}

/// Whether a file is examined for bundles: it may belong to one, or show that this is a catalog.
pub fn may_belong_to_bundle(path: &str) -> bool {
    match path.rsplit('/').nth(1) {
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
pub fn may_be_install_request(text: &str) -> bool {
    text.contains("Subscription") || text.contains("ClusterExtension")
}

/// Whether a folder of this size may consist of bundles.
pub fn has_bundle_size(files: usize, bytes: f64) -> bool {
    files <= MAX_BUNDLE_FILES && bytes <= MAX_BUNDLE_BYTES
}

/// Whether a file may have blobs, judged by its extension.
pub fn is_text(name: &str) -> bool {
    [".yaml", ".yml", ".json"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

fn is_archive(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ARCHIVE_EXTENSIONS
        .iter()
        .any(|ending| name.len() > ending.len() && name.ends_with(ending))
}

/// Returns the name of an archive without its extension; `None` for other files.
pub(super) fn without_archive_ending(name: &str) -> Option<&str> {
    let (stem, ending) = split_extension(name);
    ARCHIVE_EXTENSIONS
        .iter()
        .any(|extension| ending.eq_ignore_ascii_case(extension))
        .then_some(stem)
}

/// Splits a file name into name and extension; archives may have two extensions.
pub(super) fn split_extension(name: &str) -> (&str, &str) {
    let archive = ARCHIVE_EXTENSIONS.iter().find_map(|extension| {
        let end = name
            .len()
            .checked_sub(extension.len())
            .filter(|end| *end > 0)?;
        name.get(end..)?
            .eq_ignore_ascii_case(extension)
            .then_some(end)
    });
    let stem_len = archive
        .or_else(|| name.rfind('.').filter(|end| *end > 0))
        .unwrap_or(name.len());
    name.split_at(stem_len)
}

/// Returns the first component of a path, and whether there are more.
pub fn top(path: &str) -> (&str, bool) {
    path.split_once('/')
        .map_or((path, false), |(top, _)| (top, true))
}

/// Whether a browser refuses to write a file or folder of this name, even if the user's system
/// accepts it: Chromium refuses names that are invalid on any system.
pub fn is_refused_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    let is_port = |kind: &str| {
        let number = stem.strip_prefix(kind).map(str::as_bytes);
        matches!(number, Some([b'1'..=b'9']))
    };
    name.chars()
        .any(|c| "\"*:<>?\\|".contains(c) || c.is_control())
        || name.ends_with(['.', ' '])
        || name.starts_with(' ')
        || DEVICES.contains(&stem.as_str())
        || is_port("com")
        || is_port("lpt")
}

/// Returns the paths with a refused name below the opened folder, whose own name does not matter.
pub fn refused_names(paths: &[String]) -> Vec<String> {
    paths
        .iter()
        .filter(|path| path.split('/').skip(1).any(is_refused_name))
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_a_question_is_not_sent_to_the_worker() {
        assert!(
            may_be_install_request("kind: Subscription\nspec: {}\n")
                && may_be_install_request(r#"{"kind": "ClusterExtension"}"#)
        );
        assert!(!may_be_install_request("schema: olm.package\nname: p\n"));
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
            assert!(may_belong_to_bundle(path), "{path}");
        }
        for path in ["README.md", "y/README.md", "y/image.tar", "y/.git/a.yaml"] {
            assert!(!may_belong_to_bundle(path), "{path}");
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
        assert!(
            has_bundle_size(10, 1e6) && !has_bundle_size(10, 1e9) && !has_bundle_size(10_000, 1e6)
        );
    }

    #[test]
    fn names_that_a_browser_refuses_are_recognized() {
        for name in [
            "a\"b.yaml",
            "a:b.yaml",
            "what?.json",
            "a*.yaml",
            "a|b",
            "a\\b",
            "<a>",
            "end.",
            "end ",
            "nul.yaml",
            "COM1",
        ] {
            assert!(is_refused_name(name), "{name}");
        }
        for name in [
            ".indexignore",
            "catalog.yaml",
            "a b.yaml",
            "com10.yaml",
            "console.yaml",
            "é.yaml",
            "a'b",
        ] {
            assert!(!is_refused_name(name), "{name}");
        }
        // The user granted access to the folder itself, whatever its name.
        let paths = ["a:b/c.yaml", "top/a:b/c.yaml"].map(str::to_owned);
        assert_eq!(refused_names(&paths), paths[1..]);
    }
}
