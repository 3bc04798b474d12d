//! Catalogs of known sizes for the benches: real ones, repeated under other package names.

use crate::files::{files_below, read_text, write};
use crate::run;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The YAML catalogs: names, folders below the corpus, sizes in megabytes.
const YAML_CATALOGS: [(&str, &str, u64); 5] = [
    ("community, 15 MB", "community/v4.20", 15),
    ("community, 57 MB", "community/v4.20", 57),
    ("community, 347 MB", "community/v4.20", 347),
    ("operatorhub, 57 MB", "operatorhub", 57),
    ("operatorhub, 347 MB", "operatorhub", 347),
];

#[derive(Debug)]
pub struct Corpus {
    pub name: &'static str,
    pub folder: PathBuf,
    pub bytes: u64,
}

#[derive(Debug)]
pub struct PackageFile {
    package: String,
    text: String,
}

impl PackageFile {
    /// Returns a copy whose package has the number of the round in its name.
    fn renamed(&self, round: u32) -> Self {
        Self {
            package: format!("{}-{round}", self.package),
            text: rename_package(&self.text, round),
        }
    }
}

/// Returns the folder of real catalogs, if it exists.
pub fn shared_folder() -> Option<PathBuf> {
    Some(run::shared_folder().join("corpus")).filter(|corpus| {
        YAML_CATALOGS
            .iter()
            .all(|(_, source, _)| corpus.join(source).is_dir())
    })
}

/// Writes the YAML catalogs below `into`, and returns them with the JSON catalog of the corpus.
pub fn write_catalogs(corpus: &Path, into: &Path) -> Result<Vec<Corpus>, String> {
    let mut all = Vec::new();
    for (name, source, megabytes) in YAML_CATALOGS {
        let folder = into.join(format!("yaml-{}", all.len()));
        let sources = read_package_files(&corpus.join(source))?;
        let bytes = write_repeated(&sources, &folder, megabytes * 1_000_000)?;
        all.push(Corpus {
            name,
            folder,
            bytes,
        });
    }
    let folder = corpus.join("redhat");
    let bytes = read_package_files(&folder)?
        .iter()
        .map(|file| file.text.len() as u64)
        .sum();
    all.push(Corpus {
        name: "JSON, 31 MB",
        folder,
        bytes,
    });
    Ok(all)
}

/// Writes the catalogs and a list of them, `catalogs.json`, for benches in other languages.
pub fn write_catalogs_with_list(corpus: &Path, into: &Path) -> Result<(), String> {
    let list: Value = write_catalogs(corpus, into)?
        .into_iter()
        .map(
            |corpus| json!({ "name": corpus.name, "folder": corpus.folder, "bytes": corpus.bytes }),
        )
        .collect();
    write(&into.join("catalogs.json"), list.to_string())
}

/// Reads the files in the packages' folders of a catalog, sorted by path.
pub fn read_package_files(catalog: &Path) -> Result<Vec<PackageFile>, String> {
    files_below(catalog, &[])?
        .into_iter()
        .filter(|(path, _)| path.contains('/'))
        .map(|(path, file)| {
            let package = path.split('/').next().unwrap_or_default();
            Ok(PackageFile {
                package: package.to_owned(),
                text: read_text(&file)?,
            })
        })
        .collect()
}

/// Writes the sources, then renamed copies of them, until `size` bytes are reached. Returns the
/// number of bytes written.
fn write_repeated(sources: &[PackageFile], folder: &Path, size: u64) -> Result<u64, String> {
    let mut written = 0;
    for round in 0u32.. {
        for source in sources {
            if written >= size {
                return Ok(written);
            }
            let copy = match round {
                0 => source,
                _ => &source.renamed(round),
            };
            let path = folder.join(&copy.package).join("catalog.yaml");
            write(&path, &copy.text)?;
            written += copy.text.len() as u64;
        }
        if written == 0 {
            return Err("the catalog has no files".to_owned());
        }
    }
    Ok(written)
}

/// Renames the package in its own blob, in the blobs that belong to it, and in its bundles'
/// properties.
fn rename_package(text: &str, round: u32) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 100);
    for document in text.split_inclusive("\n---\n") {
        let is_package = document.lines().any(|line| line == "schema: olm.package");
        for line in document.split_inclusive('\n') {
            let content = line.trim_end();
            let has_package_name = content.starts_with("package: ")
                || content.starts_with("    packageName: ")
                || (is_package && content.starts_with("name: "));
            if has_package_name {
                out.extend([content, "-", &round.to_string(), &line[content.len()..]]);
            } else {
                out.push_str(line);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "---\nschema: olm.package\nname: yard\ndefaultChannel: yard\n---\nschema: olm.channel\nname: yard\n\
                        package: yard\n---\nname: yard.v1\npackage: yard\nproperties:\n- type: olm.package\n  value:\n    \
                        packageName: yard\n    version: 1.0.0\n- type: olm.package.required\n  value:\n    \
                        packageName: other\n";

    #[test]
    fn a_renamed_package_keeps_its_channel_names() {
        let text = rename_package(TEXT, 3);
        assert!(
            text.contains("schema: olm.package\nname: yard-3\ndefaultChannel: yard\n"),
            "{text}"
        );
        assert!(
            text.contains("schema: olm.channel\nname: yard\npackage: yard-3\n"),
            "{text}"
        );
        assert!(text.contains("name: yard.v1\npackage: yard-3\n"), "{text}");
        assert!(
            text.contains("    packageName: yard-3\n    version: 1.0.0\n"),
            "{text}"
        );
        assert_eq!(
            text.matches("-3\n").count(),
            5,
            "what it requires is of the same round: {text}"
        );
    }

    #[test]
    fn rounds_are_written_until_the_size_is_reached() {
        let folder = std::env::temp_dir().join(format!("switchyard-rounds-{}", std::process::id()));
        let source = |package: &str| PackageFile {
            package: package.to_owned(),
            text: TEXT.to_owned(),
        };
        let sources = vec![source("a"), source("b")];
        let written =
            write_repeated(&sources, &folder, TEXT.len() as u64 * 3).expect("a writable folder");
        let files = files_below(&folder, &[]).expect("a folder");
        let names: Vec<&str> = files.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            ["a-1/catalog.yaml", "a/catalog.yaml", "b/catalog.yaml"]
        );
        assert!(written > TEXT.len() as u64 * 3);
        let _ = std::fs::remove_dir_all(&folder);
    }
}
