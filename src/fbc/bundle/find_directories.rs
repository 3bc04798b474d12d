//! Finds bundle directories among files, by their paths.

use super::File;
use std::collections::BTreeSet;

/// Folders with files directly in `manifests` and in `metadata`: "", or with a trailing `/`;
/// sorted.
pub fn bundle_directories<'p>(paths: impl IntoIterator<Item = &'p str>) -> Vec<&'p str> {
    let (mut manifests, mut metadata) = (BTreeSet::new(), BTreeSet::new());
    for path in paths {
        let Some((folder, name)) = path.rsplit_once('/') else {
            continue;
        };
        let above = |which: &str| {
            folder
                .strip_suffix(which)
                .filter(|above| above.is_empty() || above.ends_with('/'))
        };
        if name.is_empty() {
            continue;
        }
        if let Some(above) = above("manifests") {
            manifests.insert(above);
        } else if let Some(above) = above("metadata") {
            metadata.insert(above);
        }
    }
    manifests.intersection(&metadata).copied().collect()
}

/// The files of a directory found by [`bundle_directories`], with relative paths.
pub fn files_of(files: &[File], folder: &str) -> Vec<File> {
    let below = |file: &File| {
        let path = file.path.strip_prefix(folder)?;
        let is_its = path.starts_with("manifests/") || path.starts_with("metadata/");
        is_its.then(|| File {
            path: path.to_owned(),
            bytes: file.bytes.clone(),
        })
    };
    files.iter().filter_map(below).collect()
}

#[cfg(test)]
mod tests {
    use super::bundle_directories;

    #[test]
    fn a_bundle_has_both_folders() {
        assert_eq!(
            bundle_directories(["manifests/a.yaml", "metadata/b.yaml"]),
            [""]
        );
        assert_eq!(
            bundle_directories([
                "y/1.0.0/manifests/a.yaml",
                "y/1.0.0/metadata/b.yaml",
                "y/1.1.0/manifests/a.yaml"
            ]),
            ["y/1.0.0/"]
        );
        let nested = [
            "b/manifests/a.yaml",
            "b/metadata/b.yaml",
            "a/manifests/x",
            "a/metadata/y",
        ];
        assert_eq!(bundle_directories(nested), ["a/", "b/"]);
        assert!(bundle_directories(["manifests/a.yaml", "metadata.yaml"]).is_empty());
        assert!(bundle_directories(["a/my-manifests/a.yaml", "a/my-metadata/a.yaml"]).is_empty());
        assert!(bundle_directories(["manifests/deep/a.yaml", "metadata/b.yaml"]).is_empty());
    }
}
