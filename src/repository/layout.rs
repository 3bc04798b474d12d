//! The layout of a repository: `operators/O/VERSION` with bundles, `operators/O/catalog-templates`,
//! `ci.yaml`, and `catalogs/C/O` for each catalog. A catalog's name need not be a version.
//!
//! A repository is found among the opened paths by names alone; a host provides its files through
//! [`Files`].

use catalog::roots::catalog_version;
pub(super) use catalog::roots::join;
use catalog::walk_order;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use syntax::order::SortSmall;
use template::mapping;
use template::render::Bundles;

pub const OPERATORS: &str = "operators";
pub const CATALOGS: &str = "catalogs";
/// The configuration of the whole repository.
pub const CONFIG: &str = "config.yaml";
/// In a bundle folder: where the bundle is released to.
pub const RELEASE_CONFIG: &str = "release-config.yaml";
/// The rendered file in a catalog folder.
pub const CATALOG_FILE: &str = "catalog.yaml";

/// Extensions of files that may contain blobs.
const BLOB_EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// Whether the root is an operator repository: it has operators, and catalogs or the repository's
/// configuration.
pub fn is_repository(files: &dyn Files) -> bool {
    let entries = files.entries("");
    has_entry(&entries, OPERATORS, EntryKind::Folder)
        && (has_entry(&entries, CATALOGS, EntryKind::Folder)
            || has_entry(&entries, CONFIG, EntryKind::File))
}

pub fn operators(files: &dyn Files) -> Vec<String> {
    folders(files, OPERATORS)
}

/// Returns the names of all catalogs: versions in ascending order, then other names.
pub fn catalogs(files: &dyn Files) -> Vec<String> {
    let mut names = folders(files, CATALOGS);
    names.sort_small_by_key(|name| catalog_rank(name));
    names
}

/// Returns the sort key of a catalog: versions, then other names.
pub fn catalog_rank(name: &str) -> (bool, (u64, u64), String) {
    let version = catalog_version(name);
    (
        version.is_none(),
        version.unwrap_or_default(),
        name.to_owned(),
    )
}

/// Returns the likely name of a catalog that is named by a version without `v`: `v4.22` for `4.22`.
pub fn name_with_v(name: &str) -> Option<String> {
    let is_bare = name.starts_with(|c: char| c.is_ascii_digit()) && catalog_version(name).is_some();
    is_bare.then(|| format!("v{name}"))
}

/// Returns the names of an operator's bundle folders.
pub fn bundles(files: &dyn Files, operator: &str) -> Vec<String> {
    let folder = operator_folder(operator);
    folders(files, &folder)
        .into_iter()
        .filter(|name: &String| is_bundle(files, &join(&folder, name)))
        .collect()
}

/// Whether a folder contains a bundle, that is, folders `manifests` and `metadata`.
pub fn is_bundle(files: &dyn Files, folder: &str) -> bool {
    let entries = files.entries(folder);
    ["manifests", "metadata"]
        .iter()
        .all(|name| has_entry(&entries, name, EntryKind::Folder))
}

fn has_entry(entries: &[Entry], name: &str, kind: EntryKind) -> bool {
    entries
        .iter()
        .any(|entry| entry.name == name && entry.kind == kind)
}

pub fn operator_folder(operator: &str) -> String {
    join(OPERATORS, operator)
}

pub fn ci_path(operator: &str) -> String {
    join(&operator_folder(operator), mapping::FILE_NAME)
}

/// Returns the folder of a bundle, which is named after its version.
pub fn bundle_folder(operator: &str, version: &str) -> String {
    join(&operator_folder(operator), version)
}

pub fn templates_folder(operator: &str) -> String {
    join(&operator_folder(operator), mapping::FOLDER)
}

pub fn template_path(operator: &str, template: &str) -> String {
    join(&templates_folder(operator), template)
}

/// Returns the operator whose templates folder contains a path; `None` for other paths.
pub fn operator_of_template(path: &str) -> Option<&str> {
    let (operator, relative) = strip_folder(path, OPERATORS)?.split_once('/')?;
    strip_folder(relative, mapping::FOLDER).map(|_| operator)
}

pub fn catalog_folder(catalog: &str, operator: &str) -> String {
    join(&join(CATALOGS, catalog), operator)
}

/// Reads the files of a bundle folder that rendering needs. Their paths are relative to the folder.
///
/// # Errors
///
/// The path of a file that is unreadable, and the reason.
pub(super) fn bundle_files(
    files: &dyn Files,
    folder: &str,
) -> Result<Vec<bundle::File>, (String, String)> {
    let mut paths = Vec::new();
    for part in ["manifests", "metadata"] {
        for entry in files.entries(&join(folder, part)) {
            let path = join(part, &entry.name);
            let full_path = join(folder, &path);
            match &entry.kind {
                EntryKind::Folder => continue,
                EntryKind::Unreadable(reason) => return Err((full_path, reason.clone())),
                EntryKind::File => {}
            }
            let bytes = files
                .read(&full_path)
                .map_err(|failure| (full_path.clone(), failure.to_string()))?;
            paths.push(bundle::File { path, bytes });
        }
    }
    Ok(paths)
}

/// Returns the files of an operator in a catalog that may contain blobs.
pub(super) fn catalog_files(files: &dyn Files, catalog: &str, operator: &str) -> Vec<String> {
    let mut paths = files_below(files, &catalog_folder(catalog, operator));
    paths.retain(|path| may_contain_blobs(path));
    paths
}

fn may_contain_blobs(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    BLOB_EXTENSIONS
        .iter()
        .any(|expected| extension.eq_ignore_ascii_case(expected))
}

/// Returns the names of a folder's subfolders, without hidden ones.
pub(super) fn folders(files: &dyn Files, folder: &str) -> Vec<String> {
    let entries = files.entries(folder).into_iter();
    let folders =
        entries.filter(|entry| entry.kind == EntryKind::Folder && !entry.name.starts_with('.'));
    folders.map(|entry| entry.name).collect()
}

/// The files of a repository. Paths are relative to its root and use `/`.
pub trait Files {
    /// Returns the entries of a folder, sorted by name; empty if it does not exist.
    fn entries(&self, folder: &str) -> Vec<Entry>;

    /// Returns the bytes of a file.
    ///
    /// # Errors
    ///
    /// Why they are unavailable.
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadFailure>;

    /// Returns the bundles available in addition to those in catalogs.
    fn additional_bundles(&self) -> Option<&dyn Bundles> {
        None
    }

    /// Whether the folder is a symbolic link, which `opm` does not follow.
    fn is_link(&self, _folder: &str) -> bool {
        false
    }

    fn is_folder(&self, path: &str) -> bool {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        self.entries(above)
            .iter()
            .any(|entry| entry.name == name && entry.kind == EntryKind::Folder)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub kind: EntryKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    Folder,
    File,
    Unreadable(String),
}

/// Why a file is unreadable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadFailure {
    NotThere,
    /// It exists; the reason.
    Refused(String),
}

impl fmt::Display for ReadFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadFailure::NotThere => f.write_str("there is no such file"),
            ReadFailure::Refused(reason) => f.write_str(reason),
        }
    }
}

/// Returns the repository paths of all files in or below a folder, including hidden ones, in walk
/// order.
pub(super) fn files_below(files: &dyn Files, folder: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in files.entries(&folder) {
            let path = join(&folder, &entry.name);
            match entry.kind {
                EntryKind::Folder => waiting.push(path),
                EntryKind::File | EntryKind::Unreadable(_) => paths.push(path),
            }
        }
    }
    paths.sort_small_by(|a, b| walk_order(a, b));
    paths
}

/// The location of a repository among the opened paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The folder with `operators` and `catalogs`; "" if these two were opened themselves.
    Whole { root: String },
    /// The folder of one operator, with `catalogs` beside it.
    Operator { above: String, operator: String },
}

/// Evidence that a folder is a repository, from the paths below it.
#[derive(Default)]
struct LayoutSigns<'a> {
    has_operators: bool,
    has_catalogs: bool,
    has_config: bool,
    /// Folders with a `ci.yaml`.
    with_mapping: BTreeSet<&'a str>,
    /// Folders with templates or bundles.
    with_content: BTreeSet<&'a str>,
    catalog_operators: BTreeSet<&'a str>,
}

impl Place {
    /// Finds a repository: the top folder of the paths, or the items that were opened together.
    pub fn find<'a>(paths: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let mut signs: BTreeMap<&str, LayoutSigns<'a>> = BTreeMap::new();
        for path in paths {
            record_path(signs.entry("").or_default(), path);
            if let Some((top, rest)) = path.split_once('/') {
                record_path(signs.entry(top).or_default(), rest);
            }
        }
        let complete = signs
            .iter()
            .find(|(_, signs)| signs.has_operators && (signs.has_catalogs || signs.has_config));
        if let Some((root, _)) = complete {
            return Some(Self::Whole {
                root: (*root).to_owned(),
            });
        }
        signs.into_iter().find_map(|(above, signs)| {
            let operator = signs.with_mapping.iter().find(|name: &&&str| {
                signs.with_content.contains(**name)
                    && signs.catalog_operators.contains(**name)
                    && **name != OPERATORS
            })?;
            Some(Self::Operator {
                above: above.to_owned(),
                operator: (*operator).to_owned(),
            })
        })
    }

    /// Returns the opened folder; "" if there were several.
    pub fn name(&self) -> &str {
        match self {
            Self::Whole { root } => root,
            Self::Operator { above, .. } => above,
        }
    }

    /// Returns the repository path of an opened path; `None` if it is outside.
    pub fn repository_path(&self, opened: &str) -> Option<String> {
        match self {
            Self::Whole { root } => strip_folder(opened, root).map(str::to_owned),
            Self::Operator { above, operator } => {
                let path = strip_folder(opened, above)?;
                if path == CATALOGS || strip_folder(path, CATALOGS).is_some() {
                    return Some(path.to_owned());
                }
                let relative = strip_folder(path, operator)?;
                Some(join(&join(OPERATORS, operator), relative))
            }
        }
    }

    /// Returns the opened path of a repository path.
    pub fn opened_path(&self, path: &str) -> String {
        match self {
            Self::Whole { root } => join(root, path),
            Self::Operator { above, .. } => {
                let relative = strip_folder(path, OPERATORS).unwrap_or(path);
                join(above, relative)
            }
        }
    }

    /// Returns the folder of the catalog that contains an opened path.
    pub fn catalog_folder(&self, opened: &str) -> Option<String> {
        let path = self.repository_path(opened)?;
        let (name, _) = strip_folder(&path, CATALOGS)?.split_once('/')?;
        Some(self.opened_path(&join(CATALOGS, name)))
    }

    /// Returns the operator that an opened path belongs to.
    pub fn operator_of(&self, opened: &str) -> Option<String> {
        let path = self.repository_path(opened)?;
        let relative = strip_folder(&path, OPERATORS).or_else(|| {
            strip_folder(&path, CATALOGS)?
                .split_once('/')
                .map(|(_, rest)| rest)
        })?;
        relative
            .split_once('/')
            .map(|(operator, _)| operator.to_owned())
    }
}

fn strip_folder<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    match folder {
        "" => Some(path),
        folder => path.strip_prefix(folder)?.strip_prefix('/'),
    }
}

/// Adds the evidence of a path below a folder.
fn record_path<'a>(signs: &mut LayoutSigns<'a>, path: &'a str) {
    let mut parts = path.split('/');
    let (first, second, third) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
    let is_deeper = parts.next().is_some();
    match (first, second, third) {
        (CONFIG, None, _) => signs.has_config = true,
        (OPERATORS, Some(_), Some(_)) => signs.has_operators = true,
        (CATALOGS, Some(_), Some(operator)) if is_deeper => {
            signs.has_catalogs = true;
            signs.catalog_operators.insert(operator);
        }
        (folder, Some(mapping::FILE_NAME), None) => {
            signs.with_mapping.insert(folder);
        }
        (folder, Some(mapping::FOLDER), Some(_)) => {
            signs.with_content.insert(folder);
        }
        (folder, Some(_), Some("manifests")) if is_deeper => {
            signs.with_content.insert(folder);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(root: &str) -> Option<Place> {
        Some(Place::Whole {
            root: root.to_owned(),
        })
    }

    #[test]
    fn a_repository_is_recognised_by_names() {
        let operators = "r/operators/o/1.0.0/manifests/csv.yaml";
        assert_eq!(
            Place::find([operators, "r/catalogs/v4.18/o/catalog.yaml"]),
            whole("r")
        );
        assert_eq!(Place::find([operators, "r/config.yaml"]), whole("r"));
        assert_eq!(
            Place::find(["operators/o/ci.yaml", "catalogs/latest/o/catalog.yaml"]),
            whole("")
        );
        assert_eq!(
            Place::find([operators]),
            None,
            "`operators` alone is ambiguous"
        );
        assert_eq!(
            Place::find([
                "r/catalogs/v4.18/o/catalog.yaml",
                "r/catalogs/v4.19/o/catalog.yaml"
            ]),
            None
        );
    }

    #[test]
    fn an_operator_with_catalogs_beside_it_is_a_repository() {
        for above in ["", "top/"] {
            let paths = [
                format!("{above}o/ci.yaml"),
                format!("{above}o/catalog-templates/basic.yaml"),
                format!("{above}catalogs/v4.18/o/catalog.yaml"),
            ];
            let place = Place::find(paths.iter().map(String::as_str)).expect("a repository");
            assert_eq!(
                place.repository_path(&paths[1]).as_deref(),
                Some("operators/o/catalog-templates/basic.yaml")
            );
            assert_eq!(place.opened_path("operators/o/ci.yaml"), paths[0]);
            assert_eq!(place.opened_path("catalogs/v4.18/o/catalog.yaml"), paths[2]);
            assert_eq!(
                place.catalog_folder(&paths[2]),
                Some(format!("{above}catalogs/v4.18"))
            );
            assert_eq!(place.operator_of(&paths[2]).as_deref(), Some("o"));
        }
    }

    #[test]
    fn paths_elsewhere_are_not_inside() {
        let place = Place::Whole {
            root: "r".to_owned(),
        };
        assert_eq!(place.repository_path("r2/operators/o/ci.yaml"), None);
        assert_eq!(
            place.operator_of("r/operators/o/ci.yaml").as_deref(),
            Some("o")
        );
        assert_eq!(place.operator_of("r/config.yaml"), None);
        assert_eq!(place.catalog_folder("r/operators/o/ci.yaml"), None);
    }
}
