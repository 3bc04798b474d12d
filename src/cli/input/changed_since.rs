//! Selects the catalogs that differ from a git revision, by the paths of changed files that `git`
//! lists.

use super::{config_file, is_dash, walk};
use crate::args::ChangedArgs;
use crate::error::{CliError, CliResult, io_reason};
use crate::output;
use ::catalog::index::index_bytes;
use ::catalog::model::Body;
use ::catalog::roots::openshift_version;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Catalogs, divided into changed and unchanged ones, in the order of the arguments.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    pub changed: Vec<PathBuf>,
    pub unchanged: Vec<PathBuf>,
    /// Why the comparison is with the revision itself and not with the commit where the branch left
    /// it; else `""`.
    pub remark: String,
}

/// Selects the catalogs among `dirs` whose files differ from `revision`. That is a range, or a
/// commit to compare with the current branch and the working folder. A folder that has only
/// catalogs of OpenShift versions selects all of them. A catalog also counts as changed if its
/// configuration changed.
pub(crate) fn select(
    dirs: &[PathBuf],
    revision: &str,
    config: Option<&Path>,
) -> Result<Selection, CliError> {
    let mut selection = Selection::default();
    let mut files_by_repository: BTreeMap<PathBuf, BTreeSet<PathBuf>> = BTreeMap::new();
    for dir in dirs {
        if is_dash(dir) {
            return Err(CliError::new("standard input is not in a git repository")
                .hint("name catalog folders instead of `-`"));
        }
        let folder = if dir.is_dir() {
            dir
        } else {
            dir.parent().unwrap_or(Path::new(""))
        };
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        if let Err(error) = std::fs::metadata(dir) {
            return Err(cli_error!("stat {}: {}", dir.display(), io_reason(&error))
                .hint("name the folder of one catalog, or of the catalogs of several versions"));
        }
        let top =
            PathBuf::from(git(folder, &["rev-parse", "--show-toplevel"])?.trim_end_matches('\n'));
        let changed_files = match files_by_repository.entry(top) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let (files, remark) = find_changed_files(entry.key(), revision)?;
                if !remark.is_empty() {
                    selection.remark = remark;
                }
                entry.insert(files)
            }
        };
        for catalog in catalogs_in(dir) {
            let list = if is_changed(&catalog, changed_files, config)? {
                &mut selection.changed
            } else {
                &mut selection.unchanged
            };
            if !list.contains(&catalog) {
                list.push(catalog);
            }
        }
    }
    Ok(selection)
}

pub(crate) fn is_openshift_version(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| openshift_version(name).is_some())
}

/// Returns the catalogs of OpenShift versions in a folder without blobs of its own; else the
/// folder.
fn catalogs_in(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return vec![dir.to_path_buf()];
    };
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = entries
        .flatten()
        .map(|entry| entry.path())
        .partition(|path| path.is_dir());
    let mut versions: Vec<PathBuf> = folders
        .into_iter()
        .filter(|path| is_openshift_version(path))
        .collect();
    if versions.is_empty() || files.iter().any(|file| has_blobs(file)) {
        return vec![dir.to_path_buf()];
    }
    versions.sort();
    versions
}

fn has_blobs(file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str());
    if !matches!(extension, Some("yaml" | "yml" | "json")) {
        return false;
    }
    let Ok(text) = std::fs::read(file) else {
        return false;
    };
    index_bytes(&text)
        .blobs
        .iter()
        .any(|blob| !matches!(blob.body, Body::Other(_) | Body::Unreadable))
}

/// Whether any of these files belongs to the catalog, is the target of a link in it, or configures
/// it.
fn is_changed(
    catalog: &Path,
    changed: &BTreeSet<PathBuf>,
    config: Option<&Path>,
) -> Result<bool, CliError> {
    let catalog = canonical(catalog);
    if changed
        .range(catalog.clone()..)
        .next()
        .is_some_and(|file| file.starts_with(&catalog))
    {
        return Ok(true);
    }
    let folder = if catalog.is_dir() {
        catalog.as_path()
    } else {
        catalog.parent().unwrap_or(&catalog)
    };
    if config_file::path(folder, config).is_some_and(|config| changed.contains(&canonical(&config)))
    {
        return Ok(true);
    }
    if !catalog.is_dir() {
        return Ok(false);
    }
    let files = walk::walk(&catalog)?;
    let mut links = files.iter().filter(|file| file.on_disk.is_symlink());
    Ok(links.any(|link| changed.contains(&canonical(&link.on_disk))))
}

fn canonical(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Returns the absolute paths of all files of a repository that differ from a revision, and
/// [`Selection::remark`].
fn find_changed_files(top: &Path, revision: &str) -> Result<(BTreeSet<PathBuf>, String), CliError> {
    let unknown = |reason: &str| {
        cli_error!("git does not know the revision `{revision}`{reason}")
            .hint("fetch it first; a CI job with a shallow clone must fetch more commits")
    };
    if revision.is_empty() || revision.starts_with('-') {
        return Err(unknown(""));
    }
    let mut remark = String::new();
    let is_range = revision.contains("..");
    let from = if is_range {
        revision.to_owned()
    } else {
        let commit = run_git(
            top,
            &[
                "rev-parse",
                "--verify",
                "--quiet",
                &format!("{revision}^{{commit}}"),
            ],
        )?;
        let commit = commit.map_err(|_| unknown(""))?;
        match run_git(top, &["merge-base", commit.trim(), "HEAD"])? {
            Ok(base) => base.trim().to_owned(),
            Err(_) => {
                remark = format!(
                    "`{revision}` and HEAD have no common ancestor, so files are compared with `{revision}` itself"
                );
                commit.trim().to_owned()
            }
        }
    };
    let args = [
        "diff",
        "--name-only",
        "-z",
        "--no-renames",
        "--no-ext-diff",
        &from,
        "--",
    ];
    let mut names = run_git(top, &args)?.map_err(|error| unknown(&format!(": {error}")))?;
    if !is_range {
        // New files count as changes before they are added to git.
        names.push_str(&git(
            top,
            &["ls-files", "--others", "--exclude-standard", "-z"],
        )?);
    }
    let files = names
        .split('\0')
        .filter(|name| !name.is_empty())
        .map(|name| top.join(name))
        .collect();
    Ok((files, remark))
}

/// Runs git in a folder and returns its output. The error contains git's message.
fn git(folder: &Path, args: &[&str]) -> Result<String, CliError> {
    run_git(folder, args)?.map_err(|error| {
        cli_error!("{}: {error}", folder.display()).hint("--changed-since needs a git repository")
    })
}

/// Runs git in a folder. The inner error is git's message, the outer one that git could not be
/// started.
fn run_git(folder: &Path, args: &[&str]) -> Result<Result<String, String>, CliError> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(args)
        .env("LC_ALL", "C")
        .output();
    let output = output.map_err(|error| match error.kind() {
        ErrorKind::NotFound => CliError::new(
            "git is not installed, and --changed-since needs it to find the changed files",
        )
        .hint("install git, or name the changed catalogs without --changed-since"),
        _ => cli_error!("git could not be started: {error}"),
    })?;
    if output.status.success() {
        return Ok(Ok(String::from_utf8_lossy(&output.stdout).into_owned()));
    }
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut lines = stderr.lines().map(str::trim);
    let message = lines.find(|line| !line.is_empty()).unwrap_or("git failed");
    let message = message.strip_prefix("fatal: ").unwrap_or(message);
    Ok(Err(message.to_owned()))
}

/// Prints one line per changed catalog.
pub(crate) fn run(args: &ChangedArgs) -> CliResult {
    let selection = select(&args.dirs, &args.since, args.config.as_deref())?;
    if !selection.remark.is_empty() {
        output::print_note(&selection.remark);
    }
    for catalog in &selection.changed {
        output::print_raw(format!("{}\n", catalog.display()).as_bytes())?;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    const PACKAGE: &str = "schema: olm.package\nname: p\n";

    fn folder(files: &[(&str, &str)]) -> TempDir {
        let folder = TempDir::new().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    fn names(folder: &TempDir) -> Vec<String> {
        let name = |path: &PathBuf| {
            path.strip_prefix(folder.path())
                .unwrap()
                .display()
                .to_string()
        };
        catalogs_in(folder.path()).iter().map(name).collect()
    }

    #[test]
    fn a_folder_of_versions_means_its_catalogs() {
        let versions = folder(&[
            ("README.md", "hello\n"),
            ("ci.yaml", "reviewers: []\n"),
            ("templates/p.yaml", PACKAGE),
            ("v4.18/p/catalog.yaml", PACKAGE),
            ("v4.9/p/catalog.yaml", PACKAGE),
            ("v4.19/broken.yaml", "'\n"),
        ]);
        assert_eq!(names(&versions), ["v4.18", "v4.19", "v4.9"]);
    }

    #[test]
    fn a_folder_with_blobs_or_with_packages_is_one_catalog() {
        assert_eq!(
            names(&folder(&[
                ("catalog.yaml", PACKAGE),
                ("v4.18/more.yaml", PACKAGE)
            ])),
            [""]
        );
        assert_eq!(
            names(&folder(&[
                ("p/catalog.yaml", PACKAGE),
                ("q/catalog.yaml", PACKAGE)
            ])),
            [""]
        );
        assert_eq!(
            names(&folder(&[("1.2/catalog.yaml", PACKAGE)])),
            [""],
            "a version of an operator"
        );
    }
}
