//! The catalogs for comparison, generated from real ones, so that they have any size and a realistic mix.
//!
//! A catalog repeats the packages of a real catalog, sorted by name, in whole files, until the size is reached. From
//! the second round on, a package's name includes the number of the round, so that all packages are distinct. JSON is
//! used unchanged.
//!
//! Two source catalogs, since the cost per byte differs: bundles of the community catalog are mostly long texts;
//! operatorhub.io has more than three times as many bundles for the same bytes, with short properties.

use crate::tools::project;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The YAML catalogs: names, folders below the corpus, sizes in megabytes.
const YAML: [(&str, &str, u64); 5] = [
    ("community, 15 MB", "community/v4.20", 15),
    ("community, 57 MB", "community/v4.20", 57),
    ("community, 347 MB", "community/v4.20", 347),
    ("operatorhub, 57 MB", "operatorhub", 57),
    ("operatorhub, 347 MB", "operatorhub", 347),
];

#[derive(Debug)]
pub(crate) struct Corpus {
    pub(crate) name: &'static str,
    pub(crate) folder: PathBuf,
    pub(crate) bytes: u64,
}

/// The folder of real catalogs, if it is here.
pub(crate) fn shared_folder() -> Option<PathBuf> {
    let folder = std::env::var_os("SWITCHYARD_SHARED")
        .map_or_else(|| project().join("../shared"), PathBuf::from);
    Some(folder.join("corpus")).filter(|corpus| {
        YAML.iter()
            .all(|(_, source, _)| corpus.join(source).is_dir())
    })
}

/// Writes the catalogs below `into`.
pub(crate) fn make(corpus: &Path, into: &Path) -> Result<Vec<Corpus>, String> {
    let mut all = Vec::new();
    for (name, source, megabytes) in YAML {
        let folder = into.join(format!("yaml-{}", all.len()));
        let sources = files(&corpus.join(source))?;
        let bytes = repeat(&sources, &folder, megabytes * 1_000_000)?;
        all.push(Corpus {
            name,
            folder,
            bytes,
        });
    }
    let folder = corpus.join("redhat");
    let bytes = files(&folder)?
        .iter()
        .map(|(_, text)| text.len() as u64)
        .sum();
    all.push(Corpus {
        name: "JSON, 31 MB",
        folder,
        bytes,
    });
    Ok(all)
}

/// The same, listed in `catalogs.json` beside them, for benches in other languages.
pub(crate) fn make_with_list(corpus: &Path, into: &Path) -> Result<(), String> {
    let text = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let line = |one: Corpus| {
        let (name, folder) = (text(one.name), text(&one.folder.to_string_lossy()));
        format!(
            "{{\"name\": {name}, \"folder\": {folder}, \"bytes\": {}}}",
            one.bytes
        )
    };
    let lines: Vec<String> = make(corpus, into)?.into_iter().map(line).collect();
    let file = into.join("catalogs.json");
    std::fs::write(&file, format!("[{}]", lines.join(",\n")))
        .map_err(|e| format!("cannot write {}: {e}", file.display()))
}

/// All files of a catalog as the package's folder and the text, sorted by name.
fn files(catalog: &Path) -> Result<Vec<(String, String)>, String> {
    let mut found = Vec::new();
    for folder in list_files(catalog)?
        .into_iter()
        .filter(|path| path.is_dir())
    {
        let package = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        for file in list_files(&folder)?
            .into_iter()
            .filter(|path| path.is_file())
        {
            let text = std::fs::read_to_string(&file)
                .map_err(|e| format!("cannot read {}: {e}", file.display()))?;
            found.push((package.clone(), text));
        }
    }
    Ok(found)
}

fn list_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries =
        std::fs::read_dir(folder).map_err(|e| format!("cannot list {}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

/// Writes rounds of the sources until `size` bytes are reached; returns the number of bytes written.
fn repeat(sources: &[(String, String)], folder: &Path, size: u64) -> Result<u64, String> {
    let mut written = 0;
    for round in 0u32.. {
        for (package, text) in sources {
            if written >= size {
                return Ok(written);
            }
            let (package, text) = match round {
                0 => (
                    Cow::Borrowed(package.as_str()),
                    Cow::Borrowed(text.as_str()),
                ),
                _ => (
                    Cow::Owned(format!("{package}-{round}")),
                    Cow::Owned(rename(text, round)),
                ),
            };
            let file = folder.join(&*package).join("catalog.yaml");
            let cannot = |e| format!("cannot write {}: {e}", file.display());
            std::fs::create_dir_all(folder.join(&*package)).map_err(cannot)?;
            std::fs::write(&file, text.as_bytes()).map_err(cannot)?;
            written += text.len() as u64;
        }
        if written == 0 {
            return Err("the catalog has no files".to_owned());
        }
    }
    Ok(written)
}

/// Renames the package of a file: in the package, in blobs that belong to it, and in its bundles' properties.
fn rename(text: &str, round: u32) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 100);
    for document in text.split_inclusive("\n---\n") {
        let is_package = document.lines().any(|line| line == "schema: olm.package");
        for line in document.split_inclusive('\n') {
            let content = line.trim_end();
            let names_it = content.starts_with("package: ")
                || content.starts_with("    packageName: ")
                || (is_package && content.starts_with("name: "));
            match names_it {
                true => out.extend([content, "-", &round.to_string(), &line[content.len()..]]),
                false => out.push_str(line),
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
    fn a_package_gets_another_name_and_its_channels_keep_theirs() {
        let text = rename(TEXT, 3);
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
        let sources = vec![
            ("a".to_owned(), TEXT.to_owned()),
            ("b".to_owned(), TEXT.to_owned()),
        ];
        let written = repeat(&sources, &folder, TEXT.len() as u64 * 3).expect("it can be written");
        let names: Vec<_> = list_files(&folder)
            .expect("it is there")
            .iter()
            .map(|path| path.ends_with("a-1"))
            .collect();
        assert_eq!(names, [false, true, false]);
        assert!(written > TEXT.len() as u64 * 3);
        let _ = std::fs::remove_dir_all(&folder);
    }
}
