//! Recognizes dropped items that may be bundles or cluster manifests: where they were dropped, and
//! which files are worth reading. Judges by names and text alone; the worker decides.

use super::source_names::{is_packed, top};

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
}
