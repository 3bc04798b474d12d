//! Which folder is the catalog of a file that an editor has open. An editor opens files and repositories, while a catalog is
//! a folder in between, which nothing marks.

use fbc::roots::openshift_version;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// So much of a file tells whether it is of a catalog.
const LOOKED_AT: u64 = 64 * 1024;

/// The catalog of a file. `named` are the folders that the user named, of which the innermost counts; `top` is the folder
/// that the editor has open, beyond which nothing is looked for.
///
/// Where none is named, it is the nearest folder above that is called after an OpenShift version; else the highest in which
/// nothing but catalog files lie, in it and in the folders in it.
pub(super) fn of_file(file: &Path, named: &[PathBuf], top: Option<&Path>) -> PathBuf {
    let own = file.parent().unwrap_or(file);
    let holds = |folder: &&PathBuf| file.starts_with(folder);
    if let Some(named) = named
        .iter()
        .filter(holds)
        .max_by_key(|folder| folder.components().count())
    {
        return named.clone();
    }
    let inside: Vec<&Path> = own
        .ancestors()
        .take_while(|folder| top.is_none_or(|top| folder.starts_with(top)))
        .collect();
    let is_version = |folder: &&&Path| {
        folder
            .file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| openshift_version(name).is_some())
    };
    if let Some(version) = inside.iter().find(is_version) {
        return version.to_path_buf();
    }
    // Without a folder that is open, nothing says how far it goes.
    let above = inside.iter().skip(1).filter(|_| top.is_some());
    let mut catalog = own;
    for folder in above {
        if is_marked(catalog, folder) || !holds_only_catalogs(folder) {
            break;
        }
        catalog = folder;
    }
    catalog.to_path_buf()
}

/// Whether a text has a blob of OLM's, or of a template.
pub(super) fn is_of_catalog(text: &str) -> bool {
    [
        "olm.package",
        "olm.channel",
        "olm.bundle",
        "olm.deprecations",
        "olm.template",
        "olm.semver",
        "olm.composite",
    ]
    .iter()
    .any(|schema| text.contains(schema))
}

/// A repository, or a Dockerfile of this name beside the folder, tells that the catalog ends here.
fn is_marked(catalog: &Path, above: &Path) -> bool {
    let name = catalog.file_name().unwrap_or_default().to_string_lossy();
    above.join(".git").exists() || above.join(format!("{name}.Dockerfile")).exists()
}

/// Whether each folder in a folder has catalog files, and nothing beside them that `opm` would read and refuse.
fn holds_only_catalogs(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return false;
    };
    entries.flatten().all(|entry| {
        let path = entry.path();
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        if path.is_dir() {
            !is_hidden && has_catalog_file(&path)
        } else {
            is_hidden || is_catalog_file(&path)
        }
    })
}

fn has_catalog_file(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return false;
    };
    entries
        .flatten()
        .any(|entry| is_catalog_file(&entry.path()))
}

fn is_catalog_file(path: &Path) -> bool {
    let Ok(file) = File::open(path) else {
        return false;
    };
    let mut head = Vec::new();
    let is_read = path.is_file() && file.take(LOOKED_AT).read_to_end(&mut head).is_ok();
    is_read && is_of_catalog(&String::from_utf8_lossy(&head))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    const BLOB: &str = "schema: olm.package\nname: p\n";

    /// The catalog of `file` in a folder with these files, relative to it.
    fn found(files: &[&str], named: &[&str], file: &str) -> String {
        let top = TempDir::new().unwrap();
        for path in files {
            let (path, text) = path.split_once('=').unwrap_or((path, BLOB));
            let path = top.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let named: Vec<PathBuf> = named.iter().map(|folder| top.path().join(folder)).collect();
        let catalog = of_file(&top.path().join(file), &named, Some(top.path()));
        catalog
            .strip_prefix(top.path())
            .unwrap()
            .display()
            .to_string()
    }

    #[test]
    fn a_version_is_a_catalog() {
        let files = [
            "catalogs/v4.18/p/c.yaml",
            "catalogs/v4.19/p/c.yaml",
            "README.md=hello",
        ];
        assert_eq!(
            found(&files, &[], "catalogs/v4.18/p/c.yaml"),
            "catalogs/v4.18"
        );
        assert_eq!(
            found(&files, &["catalogs"], "catalogs/v4.18/p/c.yaml"),
            "catalogs"
        );
        assert_eq!(
            found(
                &files,
                &["catalogs", "catalogs/v4.18/p"],
                "catalogs/v4.18/p/c.yaml"
            ),
            "catalogs/v4.18/p"
        );
    }

    #[test]
    fn a_catalog_ends_where_other_files_are() {
        let files = [
            "catalog/p/c.yaml",
            "catalog/q/c.yaml",
            "config/x.yaml=kind: X",
            "Makefile=all:",
        ];
        assert_eq!(found(&files, &[], "catalog/p/c.yaml"), "catalog");
        assert_eq!(
            found(&["p/c.yaml", "q/c.yaml"], &[], "p/c.yaml"),
            "",
            "what is open is the catalog"
        );
        assert_eq!(
            found(&["p/c.yaml", "q/c.yaml", ".git/x=1"], &[], "p/c.yaml"),
            "p"
        );
        assert_eq!(
            found(&["c/a.yaml", "c.Dockerfile=FROM x"], &[], "c/a.yaml"),
            "c"
        );
        assert_eq!(
            found(
                &[
                    "c/a.yaml",
                    "c/.indexignore=x",
                    "c/p/a.yaml",
                    "README.md=hello"
                ],
                &[],
                "c/p/a.yaml"
            ),
            "c"
        );
    }

    #[test]
    fn without_a_folder_that_is_open_it_is_the_files_own() {
        assert_eq!(
            of_file(Path::new("/a/b/c.yaml"), &[], None),
            Path::new("/a/b")
        );
        assert_eq!(
            of_file(Path::new("/a/v4.19/b/c.yaml"), &[], None),
            Path::new("/a/v4.19")
        );
    }
}
