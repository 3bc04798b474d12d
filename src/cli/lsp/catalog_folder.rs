//! Finds the catalog folder of an open file. Editors open files and repositories; a catalog is a folder in between,
//! without any marker.

use fbc::roots::openshift_version;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Bytes at the start of a file that suffice to recognize a catalog's file.
const HEAD: u64 = 64 * 1024;

/// The catalog folder of a file; `None` if the file is a catalog by itself. `given` are folders given by the user, of
/// which the innermost takes precedence. `top` is the folder that the editor has open, the outermost candidate.
///
/// Without a named folder, it is the nearest ancestor named after an OpenShift version; else the highest that holds
/// only catalog files, directly or in subfolders. Without `top`, the file may be anywhere, such as in a home or system
/// folder, so a folder counts only if all files below it are catalog files.
pub(super) fn find_folder(file: &Path, given: &[PathBuf], top: Option<&Path>) -> Option<PathBuf> {
    let mut search = Search::start();
    let own = file.parent().unwrap_or(file);
    let holds = |folder: &&PathBuf| file.starts_with(folder);
    if let Some(given) = given
        .iter()
        .filter(holds)
        .max_by_key(|folder| folder.components().count())
    {
        return Some(given.clone());
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
    let version = inside.iter().find(is_version).copied();
    if top.is_none() {
        let mut candidates = version.into_iter().chain([own]);
        return candidates
            .find(|folder| search.is_all_catalogs(folder))
            .map(Path::to_path_buf);
    }
    if let Some(version) = version {
        return Some(version.to_path_buf());
    }
    let mut catalog = own;
    for folder in inside.into_iter().skip(1) {
        if is_marked(catalog, folder) || !search.holds_only_catalogs(folder) {
            break;
        }
        catalog = folder;
    }
    Some(catalog.to_path_buf())
}

/// Whether a text contains a blob of OLM's, or of a template.
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

/// Whether a repository, or a Dockerfile of this name beside the folder, marks the end of the catalog.
fn is_marked(catalog: &Path, above: &Path) -> bool {
    let name = catalog.file_name().unwrap_or_default().to_string_lossy();
    above.join(".git").exists() || above.join(format!("{name}.Dockerfile")).exists()
}

/// Looks into folders, within limits: it runs on the thread that answers.
struct Search {
    /// Number of files and folders that may still be visited.
    left: usize,
    until: Instant,
}

impl Search {
    fn start() -> Self {
        Self {
            left: 10_000,
            until: Instant::now() + Duration::from_secs(2),
        }
    }

    /// Whether the folder holds nothing that `opm` would read and refuse, and each subfolder has catalog files.
    fn holds_only_catalogs(&mut self, folder: &Path) -> bool {
        self.all_entries(
            folder,
            |search, path, is_folder, is_hidden| match is_folder {
                true => !is_hidden && search.has_catalog_file(path),
                false => is_hidden || is_catalog_file(path),
            },
        )
    }

    /// Whether a folder holds only catalog files, at any depth.
    fn is_all_catalogs(&mut self, folder: &Path) -> bool {
        self.all_entries(
            folder,
            |search, path, is_folder, is_hidden| match is_folder {
                true => !is_hidden && search.is_all_catalogs(path),
                false => is_hidden || is_catalog_file(path),
            },
        )
    }

    fn has_catalog_file(&mut self, folder: &Path) -> bool {
        let mut found = false;
        self.all_entries(folder, |_, path, _, _| {
            found = is_catalog_file(path);
            !found
        });
        found
    }

    /// Whether all entries of a folder satisfy a condition on their path, and on whether they are folders and hidden.
    /// `false` if that would exceed the limits.
    fn all_entries(
        &mut self,
        folder: &Path,
        mut condition: impl FnMut(&mut Self, &Path, bool, bool) -> bool,
    ) -> bool {
        let Ok(entries) = std::fs::read_dir(folder) else {
            return false;
        };
        for entry in entries {
            self.left = self.left.saturating_sub(1);
            let Ok(entry) = entry else { return false };
            if self.left == 0 || Instant::now() > self.until {
                return false;
            }
            // Links to folders are not followed, as in `opm`.
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            if !condition(self, &entry.path(), is_folder, is_hidden) {
                return false;
            }
        }
        true
    }
}

fn is_catalog_file(path: &Path) -> bool {
    // Opening a pipe would block until another program writes to it.
    if !path
        .metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0)
    {
        return false;
    }
    let mut head = Vec::new();
    File::open(path).is_ok_and(|file| file.take(HEAD).read_to_end(&mut head).is_ok())
        && is_of_catalog(&String::from_utf8_lossy(&head))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    const BLOB: &str = "schema: olm.package\nname: p\n";

    /// The catalog of `file` in a folder with these files, relative to it.
    fn found(files: &[&str], given: &[&str], file: &str) -> String {
        let top = TempDir::new().unwrap();
        for path in files {
            let (path, text) = path.split_once('=').unwrap_or((path, BLOB));
            let path = top.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let given: Vec<PathBuf> = given.iter().map(|folder| top.path().join(folder)).collect();
        let catalog = find_folder(&top.path().join(file), &given, Some(top.path())).unwrap();
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
    fn without_an_open_folder_only_a_folder_of_nothing_but_catalogs_is_read() {
        let find = |files: &[&str], file: &str| {
            let top = TempDir::new().unwrap();
            for path in files {
                let (path, text) = path.split_once('=').unwrap_or((path, BLOB));
                let path = top.path().join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            let folder = find_folder(&top.path().join(file), &[], None)?;
            let relative = folder.strip_prefix(top.path()).unwrap();
            Some(relative.display().to_string())
        };
        let some = |folder: &str| Some(folder.to_owned());
        assert_eq!(find(&["b/c.yaml", "x=1"], "b/c.yaml"), some("b"));
        assert_eq!(
            find(&["b/c.yaml", "b/.indexignore=x"], "b/c.yaml"),
            some("b")
        );
        assert_eq!(
            find(&["v4.19/b/c.yaml", "x=1"], "v4.19/b/c.yaml"),
            some("v4.19")
        );
        // A home folder.
        assert_eq!(find(&["b/c.yaml", "b/notes.txt=x"], "b/c.yaml"), None);
        assert_eq!(
            find(&["b/c.yaml", "b/p/d.yaml", "b/p/q/photo=x"], "b/c.yaml"),
            None
        );
        assert_eq!(find(&["b/c.yaml", "b/.cache/x=1"], "b/c.yaml"), None);
        assert_eq!(
            find(&["v4.19/b/c.yaml", "v4.19/x=1"], "v4.19/b/c.yaml"),
            some("v4.19/b")
        );
    }
}
