//! An operator repository on disk: its root, and its files for the library. Links that lead out of the repository are
//! not followed.

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

/// A repository on disk. Its parts may be in different places: an operator's folder in one, the catalogs in another.
pub(crate) struct RepositoryFiles {
    /// Longest paths first.
    parts: Vec<Part>,
    /// The operator whose folder was given.
    only_operator: Option<String>,
    bundles: Option<Known>,
}

/// A folder with the content for a path of the repository.
struct Part {
    path: String,
    /// As given on the command line, or as found.
    shown: PathBuf,
    /// With links resolved.
    place: PathBuf,
}

impl RepositoryFiles {
    /// Opens the given repository; without one, the nearest upward from the current folder.
    pub(crate) fn open(args: &RepositoryArgs) -> Result<Self, CliError> {
        let opened = match &args.root {
            Some(root) => Self::open_at(root, args.catalogs.as_deref())?,
            None => Self::nearest()?,
        };
        match &args.catalogs {
            Some(catalogs) => opened.with_part(layout::CATALOGS, catalogs),
            None => Ok(opened),
        }
    }

    /// Adds bundles besides those of the catalogs.
    pub(crate) fn with_bundles(self, bundles: Known) -> Self {
        Self {
            bundles: Some(bundles),
            ..self
        }
    }

    /// Opens the repository with this root, or the one of the operator in this folder. `catalogs` is the folder of its
    /// catalogs if they are elsewhere.
    pub(crate) fn open_at(root: &Path, catalogs: Option<&Path>) -> Result<Self, CliError> {
        let whole = Self::nothing().with_part("", root)?;
        let is_there = |name: &str| whole.is_folder(name);
        if layout::is_repository(&whole) || (catalogs.is_some() && is_there(layout::OPERATORS)) {
            return Ok(whole);
        }
        if catalogs.is_none() && is_there(layout::OPERATORS) {
            return Err(CliError::new(format!(
                "{} has `operators`, and no `catalogs`",
                root.display()
            ))
            .hint(CATALOGS_ELSEWHERE));
        }
        let place = whole.place("");
        if !place.join(mapping::FILE_NAME).is_file() {
            return Err(CliError::new(format!("{} is not an operator repository", root.display())).hint(
                "name the folder that contains `operators` and `catalogs`, or an operator's folder, with its `ci.yaml`",
            ));
        }
        let name = place.file_name().map_or_else(
            || "operator".to_owned(),
            |name| name.to_string_lossy().into_owned(),
        );
        let only_operator = Some(name.clone());
        // The operator's folder may be inside a repository.
        if let (None, Some(above)) = (catalogs, place.parent().and_then(Path::parent))
            && place
                .parent()
                .is_some_and(|parent| parent.ends_with(layout::OPERATORS))
        {
            let around = Self::nothing().with_part("", &shown_above(root, above))?;
            if layout::is_repository(&around) {
                return Ok(Self {
                    only_operator,
                    ..around
                });
            }
        }
        let own = Self {
            only_operator,
            ..Self::nothing().with_part(&layout::operator_folder(&name), root)?
        };
        match catalogs {
            Some(_) => Ok(own),
            None if is_there(layout::CATALOGS) => {
                own.with_part(layout::CATALOGS, &root.join(layout::CATALOGS))
            }
            None => Err(CliError::new(format!(
                "{} has a `ci.yaml`, and no `catalogs`",
                root.display()
            ))
            .hint(CATALOGS_ELSEWHERE)),
        }
    }

    fn nearest() -> Result<Self, CliError> {
        let here = std::env::current_dir().and_then(std::fs::canonicalize)?;
        for root in here.ancestors() {
            let part = Part {
                path: String::new(),
                shown: shown_from(&here, root),
                place: root.to_path_buf(),
            };
            let candidate = Self {
                parts: vec![part],
                ..Self::nothing()
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

    fn nothing() -> Self {
        Self {
            parts: Vec::new(),
            only_operator: None,
            bundles: None,
        }
    }

    /// Uses a folder as the content of a path.
    fn with_part(mut self, path: &str, folder: &Path) -> Result<Self, CliError> {
        let place = folder
            .canonicalize()
            .map_err(|error: std::io::Error| CliError::io(folder, &error))?;
        if !place.is_dir() {
            return Err(CliError::new(format!(
                "{} is not a folder",
                folder.display()
            )));
        }
        self.parts.push(Part {
            path: path.to_owned(),
            shown: folder.to_path_buf(),
            place,
        });
        self.parts
            .sort_by_key(|part| std::cmp::Reverse(part.path.len()));
        Ok(self)
    }

    /// Returns the operator whose folder was given; `None` if a repository was given.
    pub(crate) fn only_operator(&self) -> Option<&str> {
        self.only_operator.as_deref()
    }

    /// Returns the given operators, each once; without any, the one whose folder was given, else all. Fails for an
    /// unknown operator.
    pub(crate) fn operators(&self, given: &[String]) -> Result<Vec<String>, CliError> {
        let all = layout::operators(self);
        if given.is_empty() {
            return Ok(self
                .only_operator()
                .map_or(all, |only| vec![only.to_owned()]));
        }
        let mut operators: Vec<String> = Vec::new();
        for name in given {
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
    pub(crate) fn require_operator(&self, name: &str) -> Result<(), CliError> {
        match !name.is_empty() && self.is_folder(&layout::operator_folder(name)) {
            true => Ok(()),
            false => Err(unknown_operator(name, &layout::operators(self))),
        }
    }

    /// Returns the folders of all parts, with links resolved.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        self.parts.iter().map(|part| part.place.clone()).collect()
    }

    /// Returns the folders to write to, chosen so that temporary files beside them are inside the repository.
    pub(crate) fn written_folders(&self) -> Vec<PathBuf> {
        let part = |path: &str| self.part_of(path).map(|(part, rest)| part.place.join(rest));
        let parts: Vec<PathBuf> = [layout::OPERATORS, layout::CATALOGS]
            .into_iter()
            .filter_map(part)
            .collect();
        match parts.len() == 2 && parts.iter().all(|part| part.is_dir()) {
            true => parts,
            false => self.folders(),
        }
    }

    /// Returns the path on disk of an existing or new file.
    pub(crate) fn place(&self, path: &str) -> PathBuf {
        self.part_of(path)
            .map_or_else(|| PathBuf::from(path), |(part, rest)| part.place.join(rest))
    }

    /// Returns a path of the repository as it is printed: relative to the current folder if possible.
    pub(crate) fn display_path(&self, path: &str) -> String {
        match self.part_of(path) {
            Some((part, "")) => part.shown.display().to_string(),
            Some((part, rest)) if part.shown != Path::new(".") => {
                part.shown.join(rest).display().to_string()
            }
            Some((_, rest)) => rest.to_owned(),
            None => path.to_owned(),
        }
    }

    /// Returns the part that contains a path, and the rest of the path.
    fn part_of<'p>(&self, path: &'p str) -> Option<(&Part, &'p str)> {
        self.parts.iter().find_map(|part| match part.path.as_str() {
            "" => Some((part, path)),
            of if path == of => Some((part, "")),
            of => Some((part, path.strip_prefix(of)?.strip_prefix('/')?)),
        })
    }

    /// Returns the subfolders that exist because parts are below them.
    fn parts_in(&self, folder: &str) -> Vec<Entry> {
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
    fn inside(&self, path: &str) -> Result<PathBuf, ReadFailure> {
        let (part, rest) = self.part_of(path).ok_or(ReadFailure::NotThere)?;
        let place = part.place.join(rest);
        let place = place.canonicalize().map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory if place.symlink_metadata().is_ok() => {
                ReadFailure::Refused("it is a broken link".to_owned())
            }
            ErrorKind::NotFound | ErrorKind::NotADirectory => ReadFailure::NotThere,
            _ => ReadFailure::Refused(io_reason(&error)),
        })?;
        match place.starts_with(&part.place) {
            true => Ok(place),
            false => Err(ReadFailure::Refused(OUTWARD.to_owned())),
        }
    }

    fn target(&self, path: &str) -> EntryKind {
        let kind = self
            .inside(path)
            .map(|place| std::fs::metadata(place).map(|metadata| kind_of(metadata.file_type())));
        match kind {
            Ok(Ok(kind)) => kind,
            Ok(Err(error)) => EntryKind::Unreadable(io_reason(&error)),
            Err(failure) => EntryKind::Unreadable(failure.to_string()),
        }
    }
}

fn unknown_operator(name: &str, all: &[String]) -> CliError {
    let hint = did_you_mean(
        name,
        all.iter().map(String::as_str),
        "each operator has a folder in `operators`",
    );
    CliError::new(format!("operator \"{name}\" not found")).hint(hint)
}

const CATALOGS_ELSEWHERE: &str =
    "name the folder that holds the catalogs, such as v4.21, with --catalogs";
const OUTWARD: &str = "it is a link that leads out of the repository, and is not followed";

/// Returns the printed path of the folder two levels above an operator's folder.
fn shown_above(operator: &Path, above: &Path) -> PathBuf {
    let grandparent = operator.parent().and_then(Path::parent).map(|folder| {
        match folder.as_os_str().is_empty() {
            true => Path::new("."),
            false => folder,
        }
    });
    grandparent
        .filter(|folder: &&Path| folder.canonicalize().is_ok_and(|folder| folder == above))
        .map_or_else(|| operator.join("../.."), Path::to_path_buf)
}

/// Returns the relative path from a folder up to an ancestor.
fn shown_from(here: &Path, above: &Path) -> PathBuf {
    let steps = here
        .strip_prefix(above)
        .map_or(0, |below| below.components().count());
    match steps {
        0 => PathBuf::from("."),
        steps => std::iter::repeat_n("..", steps).collect(),
    }
}

fn kind_of(kind: FileType) -> EntryKind {
    match kind {
        kind if kind.is_dir() => EntryKind::Folder,
        kind if kind.is_file() => EntryKind::File,
        _ => EntryKind::Unreadable("it is neither a file nor a folder, and is not read".to_owned()),
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
                Ok(kind) if kind.is_symlink() => self.target(&if folder.is_empty() {
                    name.clone()
                } else {
                    format!("{folder}/{name}")
                }),
                Ok(kind) => kind_of(kind),
                Err(error) => EntryKind::Unreadable(io_reason(&error)),
            };
            Entry { name, kind }
        };
        let mut entries = self.parts_in(folder);
        if let Some(found) = self
            .inside(folder)
            .ok()
            .and_then(|place| std::fs::read_dir(place).ok())
        {
            entries.extend(found.flatten().map(entry));
        }
        // A part takes precedence over an entry in its place.
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        entries.dedup_by(|second, first| second.name == first.name);
        entries
    }

    fn additional_bundles(&self) -> Option<&dyn Bundles> {
        self.bundles.as_ref().map(|known| known as &dyn Bundles)
    }

    fn is_link(&self, folder: &str) -> bool {
        self.place(folder).is_symlink()
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, ReadFailure> {
        let place = self.inside(path)?;
        match kind_of(std::fs::metadata(&place).map_err(read_refused)?.file_type()) {
            EntryKind::File => std::fs::read(place).map_err(read_refused),
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
            shown_from(&root.join("operators/o"), &root),
            Path::new("../..")
        );
    }

    #[test]
    fn parts_may_lie_apart() {
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
        let apart = RepositoryFiles::open_at(&own, Some(&served))
            .and_then(|of| of.with_part(layout::CATALOGS, &served));
        let apart = apart.expect("a repository");
        assert_eq!(
            (layout::operators(&apart), layout::catalogs(&apart)),
            (vec!["o".to_owned()], vec!["v4.19".to_owned()])
        );
        assert_eq!(apart.read("operators/o/ci.yaml").as_deref(), Ok(&b"x"[..]));
        assert_eq!(
            apart.read("operators/other/ci.yaml"),
            Err(ReadFailure::NotThere)
        );
        assert_eq!(
            apart.place("catalogs/v4.20/o/catalog.yaml"),
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
            Err(ReadFailure::Refused(OUTWARD.to_owned()))
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
