//! An operator repository on disk: its root, and its files for the library. Links that lead out of
//! the repository are not followed.

use crate::args::author::RepositoryArgs;
use crate::error::{CliError, io_reason};
use ::repository::{Entry, EntryKind, Files, ReadFailure, layout};
use std::fs::FileType;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use syntax::did_you_mean::did_you_mean;
use template::mapping;
use template::render::Bundles;
use template::render::known::Known;

const CATALOGS_ELSEWHERE: &str =
    "name the folder that holds the catalogs, such as v4.21, with --catalogs";
const OUTWARD_LINK: &str = "it is a link that leads out of the repository, and is not followed";

/// A repository on disk. Its parts may be in different folders: an operator in one, the catalogs in
/// another.
#[derive(Default)]
pub(crate) struct RepositoryFiles {
    /// Sorted by path length, longest first.
    parts: Vec<Part>,
    /// The operator whose folder the user named.
    only_operator: Option<String>,
    bundles: Option<Known>,
}

/// A folder with the content for a path of the repository.
struct Part {
    path: String,
    /// The folder as on the command line, or as found.
    display_path: PathBuf,
    /// The folder with links resolved.
    folder: PathBuf,
}

impl RepositoryFiles {
    /// Opens the repository that the arguments name; by default the nearest upward from the current
    /// folder.
    pub fn open(args: &RepositoryArgs) -> Result<Self, CliError> {
        let opened = match &args.root {
            Some(root) => Self::open_at(root, args.catalogs.as_deref())?,
            None => Self::find_nearest()?,
        };
        match &args.catalogs {
            Some(catalogs) => opened.with_part(layout::CATALOGS, catalogs),
            None => Ok(opened),
        }
    }

    /// Adds bundles besides those of the catalogs.
    pub fn with_bundles(self, bundles: Known) -> Self {
        Self {
            bundles: Some(bundles),
            ..self
        }
    }

    /// Opens the repository with this root, or the one of the operator in this folder. `catalogs`
    /// is the folder of its catalogs if they are elsewhere.
    pub fn open_at(root: &Path, catalogs: Option<&Path>) -> Result<Self, CliError> {
        let repository = Self::default().with_part("", root)?;
        let has_operators = repository.is_folder(layout::OPERATORS);
        if layout::is_repository(&repository) || (catalogs.is_some() && has_operators) {
            return Ok(repository);
        }
        if catalogs.is_none() && has_operators {
            return Err(
                cli_error!("{} has `operators`, and no `catalogs`", root.display())
                    .hint(CATALOGS_ELSEWHERE),
            );
        }
        let folder = repository.path_on_disk("");
        if !folder.join(mapping::FILE_NAME).is_file() {
            return Err(cli_error!("{} is not an operator repository", root.display()).hint(
                "name the folder that contains `operators` and `catalogs`, or an operator's folder, with its `ci.yaml`",
            ));
        }
        let name = folder.file_name().map_or_else(
            || "operator".to_owned(),
            |name| name.to_string_lossy().into_owned(),
        );
        let only_operator = Some(name.clone());
        // The operator's folder may be inside a repository.
        if catalogs.is_none()
            && let Some(operators) = folder.parent()
            && operators.ends_with(layout::OPERATORS)
            && let Some(top) = operators.parent()
        {
            let enclosing = Self::default().with_part("", &grandparent_path(root, top))?;
            if layout::is_repository(&enclosing) {
                return Ok(Self {
                    only_operator,
                    ..enclosing
                });
            }
        }
        let operator = Self {
            only_operator,
            ..Self::default().with_part(&layout::operator_folder(&name), root)?
        };
        match catalogs {
            Some(_) => Ok(operator),
            None if repository.is_folder(layout::CATALOGS) => {
                operator.with_part(layout::CATALOGS, &root.join(layout::CATALOGS))
            }
            None => Err(
                cli_error!("{} has a `ci.yaml`, and no `catalogs`", root.display())
                    .hint(CATALOGS_ELSEWHERE),
            ),
        }
    }

    fn find_nearest() -> Result<Self, CliError> {
        let current_dir = std::env::current_dir().and_then(std::fs::canonicalize)?;
        for root in current_dir.ancestors() {
            let part = Part {
                path: String::new(),
                display_path: path_to_ancestor(&current_dir, root),
                folder: root.to_path_buf(),
            };
            let candidate = Self {
                parts: vec![part],
                ..Self::default()
            };
            if layout::is_repository(&candidate) {
                return Ok(candidate);
            }
        }
        Err(
            CliError::new("neither the current folder nor one above it is an operator repository")
                .hint(
                    "name the folder that contains `operators` and `catalogs`, or run this in it",
                ),
        )
    }

    /// Uses a folder as the content of a path.
    fn with_part(mut self, path: &str, folder: &Path) -> Result<Self, CliError> {
        let canonical = folder
            .canonicalize()
            .map_err(|error| CliError::io(folder, &error))?;
        if !canonical.is_dir() {
            return Err(cli_error!("{} is not a folder", folder.display()));
        }
        self.parts.push(Part {
            path: path.to_owned(),
            display_path: folder.to_path_buf(),
            folder: canonical,
        });
        self.parts
            .sort_by_key(|part| std::cmp::Reverse(part.path.len()));
        Ok(self)
    }

    /// Returns the operator whose folder the user named; `None` for a whole repository.
    pub fn only_operator(&self) -> Option<&str> {
        self.only_operator.as_deref()
    }

    /// Returns the operators of these names, each once. Without names, returns the one whose folder
    /// the user named, else all. Fails for an unknown operator.
    pub fn operators(&self, names: &[String]) -> Result<Vec<String>, CliError> {
        let all = layout::operators(self);
        if names.is_empty() {
            return Ok(match self.only_operator() {
                Some(operator) => vec![operator.to_owned()],
                None => all,
            });
        }
        let mut operators: Vec<String> = Vec::new();
        for name in names {
            if !all.contains(name) {
                return Err(unknown_operator(name, &all));
            }
            if !operators.contains(name) {
                operators.push(name.clone());
            }
        }
        Ok(operators)
    }

    /// Refuses an operator without a folder.
    pub fn require_operator(&self, name: &str) -> Result<(), CliError> {
        if name.is_empty() || !self.is_folder(&layout::operator_folder(name)) {
            return Err(unknown_operator(name, &layout::operators(self)));
        }
        Ok(())
    }

    /// Returns the folders of all parts, with links resolved.
    pub fn folders(&self) -> Vec<PathBuf> {
        self.parts.iter().map(|part| part.folder.clone()).collect()
    }

    /// Returns the folders to write to, chosen so that temporary files beside them are inside the
    /// repository.
    pub fn written_folders(&self) -> Vec<PathBuf> {
        let folder = |path: &str| {
            let (part, rest) = self.split_path(path)?;
            Some(part.folder.join(rest)).filter(|folder| folder.is_dir())
        };
        match (folder(layout::OPERATORS), folder(layout::CATALOGS)) {
            (Some(operators), Some(catalogs)) => vec![operators, catalogs],
            _ => self.folders(),
        }
    }

    /// Returns the path on disk of an existing or new file.
    pub fn path_on_disk(&self, path: &str) -> PathBuf {
        match self.split_path(path) {
            Some((part, rest)) => part.folder.join(rest),
            None => PathBuf::from(path),
        }
    }

    /// Returns a path of the repository as it is printed: relative to the current folder if
    /// possible.
    pub fn display_path(&self, path: &str) -> String {
        match self.split_path(path) {
            Some((part, "")) => part.display_path.display().to_string(),
            Some((part, rest)) if part.display_path != Path::new(".") => {
                part.display_path.join(rest).display().to_string()
            }
            Some((_, rest)) => rest.to_owned(),
            None => path.to_owned(),
        }
    }

    /// Returns the part that contains a path, and the rest of the path.
    fn split_path<'p>(&self, path: &'p str) -> Option<(&Part, &'p str)> {
        self.parts.iter().find_map(|part| match part.path.as_str() {
            "" => Some((part, path)),
            prefix if path == prefix => Some((part, "")),
            prefix => Some((part, path.strip_prefix(prefix)?.strip_prefix('/')?)),
        })
    }

    /// Returns the subfolders that exist because parts are below them.
    fn folders_of_parts(&self, folder: &str) -> Vec<Entry> {
        let below = self.parts.iter().filter_map(|part| match folder {
            "" => Some(part.path.as_str()),
            folder => part.path.strip_prefix(folder)?.strip_prefix('/'),
        });
        let names = below
            .filter_map(|rest| rest.split('/').next())
            .filter(|name| !name.is_empty());
        names
            .map(|name| Entry {
                name: name.to_owned(),
                kind: EntryKind::Folder,
            })
            .collect()
    }

    /// Returns the path on disk with links resolved. Fails if it is outside of the repository.
    fn resolve(&self, path: &str) -> Result<PathBuf, ReadFailure> {
        let (part, rest) = self.split_path(path).ok_or(ReadFailure::NotThere)?;
        let joined = part.folder.join(rest);
        let resolved = joined.canonicalize().map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory if joined.symlink_metadata().is_ok() => {
                ReadFailure::Refused("it is a broken link".to_owned())
            }
            ErrorKind::NotFound | ErrorKind::NotADirectory => ReadFailure::NotThere,
            _ => read_refused(error),
        })?;
        if !resolved.starts_with(&part.folder) {
            return Err(ReadFailure::Refused(OUTWARD_LINK.to_owned()));
        }
        Ok(resolved)
    }

    fn link_kind(&self, path: &str) -> EntryKind {
        let target = match self.resolve(path) {
            Ok(target) => target,
            Err(failure) => return EntryKind::Unreadable(failure.to_string()),
        };
        match std::fs::metadata(target) {
            Ok(metadata) => entry_kind(metadata.file_type()),
            Err(error) => EntryKind::Unreadable(io_reason(&error)),
        }
    }
}

fn unknown_operator(name: &str, all: &[String]) -> CliError {
    let hint = did_you_mean(
        name,
        all.iter().map(String::as_str),
        "each operator has a folder in `operators`",
    );
    cli_error!("operator \"{name}\" not found").hint(hint)
}

/// Returns the path of `grandparent`, the folder two levels above an operator's folder, as it is
/// printed.
fn grandparent_path(operator: &Path, grandparent: &Path) -> PathBuf {
    let printed = match operator.parent().and_then(Path::parent) {
        Some(folder) if folder.as_os_str().is_empty() => Some(Path::new(".")),
        folder => folder,
    };
    // The path may lead through links.
    printed
        .filter(|folder| {
            folder
                .canonicalize()
                .is_ok_and(|folder| folder == grandparent)
        })
        .map_or_else(|| operator.join("../.."), Path::to_path_buf)
}

fn path_to_ancestor(folder: &Path, ancestor: &Path) -> PathBuf {
    let steps = folder
        .strip_prefix(ancestor)
        .map_or(0, |below| below.components().count());
    match steps {
        0 => PathBuf::from("."),
        steps => std::iter::repeat_n("..", steps).collect(),
    }
}

fn entry_kind(file_type: FileType) -> EntryKind {
    if file_type.is_dir() {
        EntryKind::Folder
    } else if file_type.is_file() {
        EntryKind::File
    } else {
        EntryKind::Unreadable("it is neither a file nor a folder, and is not read".to_owned())
    }
}

impl Files for RepositoryFiles {
    fn entries(&self, folder: &str) -> Vec<Entry> {
        let entry = |found: std::fs::DirEntry| {
            let name = found.file_name().to_string_lossy().into_owned();
            let kind = match found.file_type() {
                Ok(_) if found.file_name().to_str().is_none() => {
                    EntryKind::Unreadable("its name is not UTF-8 text".to_owned())
                }
                Ok(file_type) if file_type.is_symlink() => self.link_kind(&if folder.is_empty() {
                    name.clone()
                } else {
                    format!("{folder}/{name}")
                }),
                Ok(file_type) => entry_kind(file_type),
                Err(error) => EntryKind::Unreadable(io_reason(&error)),
            };
            Entry { name, kind }
        };
        let mut entries = self.folders_of_parts(folder);
        if let Some(found) = self
            .resolve(folder)
            .ok()
            .and_then(|resolved| std::fs::read_dir(resolved).ok())
        {
            entries.extend(found.flatten().map(entry));
        }
        // A part takes precedence over an entry of the same name.
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        entries.dedup_by(|second, first| second.name == first.name);
        entries
    }

    fn additional_bundles(&self) -> Option<&dyn Bundles> {
        self.bundles.as_ref().map(|known| known as &dyn Bundles)
    }

    fn is_link(&self, folder: &str) -> bool {
        self.path_on_disk(folder).is_symlink()
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, ReadFailure> {
        let resolved = self.resolve(path)?;
        let metadata = std::fs::metadata(&resolved).map_err(read_refused)?;
        match entry_kind(metadata.file_type()) {
            EntryKind::File => std::fs::read(resolved).map_err(read_refused),
            EntryKind::Folder => Err(ReadFailure::Refused("it is a folder".to_owned())),
            EntryKind::Unreadable(reason) => Err(ReadFailure::Refused(reason)),
        }
    }
}

fn read_refused(error: std::io::Error) -> ReadFailure {
    ReadFailure::Refused(io_reason(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_repository_is_found_upward_and_links_out_of_it_are_not_followed() {
        let outer = tempfile::tempdir().expect("a folder");
        let root = outer.path().join("r");
        fs::create_dir_all(root.join("operators/o")).expect("made");
        fs::create_dir_all(root.join("catalogs")).expect("made");
        fs::write(outer.path().join("secret"), "x").expect("written");
        fs::write(root.join("operators/o/ci.yaml"), "fbc: {}\n").expect("written");
        let files = RepositoryFiles::open_at(&root, None).expect("a repository");
        assert_eq!(
            files.read("operators/o/ci.yaml").as_deref(),
            Ok(&b"fbc: {}\n"[..])
        );
        assert_eq!(
            files.read("operators/o/none.yaml"),
            Err(ReadFailure::NotThere)
        );
        assert!(matches!(
            files.read("../secret"),
            Err(ReadFailure::Refused(_))
        ));
        assert!(RepositoryFiles::open_at(&root.join("operators"), None).is_err());
        assert_eq!(
            path_to_ancestor(&root.join("operators/o"), &root),
            Path::new("../..")
        );
    }

    #[test]
    fn parts_of_a_repository_may_be_in_different_places() {
        let outer = tempfile::tempdir().expect("a folder");
        let write = |path: &str| {
            let path = outer.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, "x").expect("written");
        };
        write("mine/o/ci.yaml");
        write("served/v4.19/o/catalog.yaml");
        write("r/operators/o/ci.yaml");
        write("r/catalogs/v4.18/o/catalog.yaml");
        let (own, served) = (outer.path().join("mine/o"), outer.path().join("served"));
        assert!(RepositoryFiles::open_at(&own, None).is_err());
        let repository = RepositoryFiles::open_at(&own, Some(&served))
            .and_then(|of| of.with_part(layout::CATALOGS, &served));
        let repository = repository.expect("a repository");
        assert_eq!(
            (
                layout::operators(&repository),
                layout::catalogs(&repository)
            ),
            (vec!["o".to_owned()], vec!["v4.19".to_owned()])
        );
        assert_eq!(
            repository.read("operators/o/ci.yaml").as_deref(),
            Ok(&b"x"[..])
        );
        assert_eq!(
            repository.read("operators/other/ci.yaml"),
            Err(ReadFailure::NotThere)
        );
        assert_eq!(
            repository.path_on_disk("catalogs/v4.20/o/catalog.yaml"),
            served
                .canonicalize()
                .expect("there")
                .join("v4.20/o/catalog.yaml")
        );
        // Inside a repository, the whole repository is opened.
        let within = RepositoryFiles::open_at(&outer.path().join("r/operators/o"), None)
            .expect("a repository");
        assert_eq!(
            (within.only_operator(), layout::catalogs(&within)),
            (Some("o"), vec!["v4.18".to_owned()])
        );
    }

    #[cfg(unix)]
    #[test]
    fn reports_links() {
        let outer = tempfile::tempdir().expect("a folder");
        let root = outer.path().join("r");
        fs::create_dir_all(root.join("operators/o")).expect("made");
        fs::create_dir_all(root.join("catalogs")).expect("made");
        fs::write(outer.path().join("secret"), "x").expect("written");
        std::os::unix::fs::symlink("../../../secret", root.join("operators/o/out"))
            .expect("linked");
        std::os::unix::fs::symlink("nowhere", root.join("operators/o/broken")).expect("linked");
        std::os::unix::fs::symlink("o", root.join("operators/same")).expect("linked");
        let files = RepositoryFiles::open_at(&root, None).expect("a repository");
        assert_eq!(
            files.read("operators/o/out"),
            Err(ReadFailure::Refused(OUTWARD_LINK.to_owned()))
        );
        let entries = files.entries("operators/o");
        assert!(
            entries
                .iter()
                .all(|entry| matches!(entry.kind, EntryKind::Unreadable(_))),
            "{entries:?}"
        );
        assert!(files.is_folder("operators/same"));
    }
}
