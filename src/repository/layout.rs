//! The layout of a repository: `operators/O/VERSION` with bundles, `operators/O/catalog-templates`,
//! `ci.yaml`, and `catalogs/C/O` for each catalog. A catalog's name need not be a version.
//!
//! A repository is found among the opened paths by names alone; a host provides its files through
//! [`Files`].

use catalog::roots::catalog_version;
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

/// Names of all catalogs: versions in ascending order, then other names.
pub fn catalogs(files: &dyn Files) -> Vec<String> {
    let mut names = folders(files, CATALOGS);
    names.sort_small_by_key(|name| catalog_rank(name));
    names
}

/// Sort key of catalogs: versions, then other names.
pub fn catalog_rank(name: &str) -> (bool, (u64, u64), String) {
    let version = catalog_version(name);
    (
        version.is_none(),
        version.unwrap_or_default(),
        name.to_owned(),
    )
}

/// The probable name of a catalog given by its bare version: `v4.22` for `4.22`.
pub fn with_v(name: &str) -> Option<String> {
    let is_bare = name.starts_with(|c: char| c.is_ascii_digit()) && catalog_version(name).is_some();
    is_bare.then(|| format!("v{name}"))
}

/// Names of an operator's bundle folders.
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

/// The folder of a bundle, named after its version.
pub fn bundle_folder(operator: &str, version: &str) -> String {
    join(&operator_folder(operator), version)
}

pub fn templates_folder(operator: &str) -> String {
    join(&operator_folder(operator), mapping::FOLDER)
}

pub fn template_path(operator: &str, template: &str) -> String {
    join(&templates_folder(operator), template)
}

/// The folder of an operator in a catalog.
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
    let mut found = Vec::new();
    for part in ["manifests", "metadata"] {
        for entry in files.entries(&join(folder, part)) {
            let path = join(part, &entry.name);
            let whole = join(folder, &path);
            match &entry.kind {
                EntryKind::Folder => continue,
                EntryKind::Unreadable(reason) => return Err((whole, reason.clone())),
                EntryKind::File => {}
            }
            let bytes = files
                .read(&whole)
                .map_err(|failure| (whole.clone(), failure.to_string()))?;
            found.push(bundle::File { path, bytes });
        }
    }
    Ok(found)
}

/// The files of an operator in a catalog that may contain blobs.
pub(super) fn catalog_files(files: &dyn Files, catalog: &str, operator: &str) -> Vec<String> {
    let mut found = files_below(files, &catalog_folder(catalog, operator));
    found.retain(|path| is_data(path));
    found
}

fn is_data(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["yaml", "yml", "json"]
        .iter()
        .any(|known| ending.eq_ignore_ascii_case(known))
}

/// Names of the subfolders of a folder, without hidden ones.
pub(super) fn folders(files: &dyn Files, folder: &str) -> Vec<String> {
    let entries = files.entries(folder).into_iter();
    let folders =
        entries.filter(|entry| entry.kind == EntryKind::Folder && !entry.name.starts_with('.'));
    folders.map(|entry| entry.name).collect()
}

/// The files of a repository. Paths are relative to its root and use `/`.
pub trait Files {
    /// The entries of a folder, sorted by name; empty if it does not exist.
    fn entries(&self, folder: &str) -> Vec<Entry>;

    /// The bytes of a file.
    ///
    /// # Errors
    ///
    /// Why they are unavailable.
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadFailure>;

    /// Bundles available in addition to those in catalogs.
    fn given_bundles(&self) -> Option<&dyn Bundles> {
        None
    }

    /// Whether the folder is a symbolic link, which `opm` does not follow.
    fn is_link(&self, _folder: &str) -> bool {
        false
    }

    /// Whether the folder exists.
    fn is_folder(&self, path: &str) -> bool {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        self.entries(above)
            .iter()
            .any(|entry| entry.name == name && entry.kind == EntryKind::Folder)
    }
}

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub kind: EntryKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    Folder,
    File,
    /// Unreadable, with the reason.
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

/// All files in or below a folder, including hidden ones, as repository paths in walk order.
pub(super) fn files_below(files: &dyn Files, folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in files.entries(&folder) {
            let path = join(&folder, &entry.name);
            match entry.kind {
                EntryKind::Folder => waiting.push(path),
                EntryKind::File | EntryKind::Unreadable(_) => found.push(path),
            }
        }
    }
    found.sort_small_by(|a, b| walk_order(a, b));
    found
}

/// Appends a name to a folder's path. The root is "".
pub(super) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

/// Where a repository is among the opened paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The folder with `operators` and `catalogs`; "" if these two were opened themselves.
    Whole { root: String },
    /// The folder of one operator, with `catalogs` beside it.
    Operator { above: String, operator: String },
}

/// What the paths below a folder say about it being a repository.
#[derive(Default)]
struct Signs<'a> {
    has_operators: bool,
    has_catalogs: bool,
    has_config: bool,
    /// Folders with a `ci.yaml`.
    mapped: BTreeSet<&'a str>,
    /// Folders with templates or bundles.
    filled: BTreeSet<&'a str>,
    catalog_operators: BTreeSet<&'a str>,
}

impl Place {
    /// Finds a repository: the top folder of the paths, or the items that were opened together.
    pub fn find<'a>(paths: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let mut signs: BTreeMap<&str, Signs<'a>> = BTreeMap::new();
        for path in paths {
            note(signs.entry("").or_default(), path);
            if let Some((top, rest)) = path.split_once('/') {
                note(signs.entry(top).or_default(), rest);
            }
        }
        let whole = signs
            .iter()
            .find(|(_, signs)| signs.has_operators && (signs.has_catalogs || signs.has_config));
        if let Some((root, _)) = whole {
            return Some(Self::Whole {
                root: (*root).to_owned(),
            });
        }
        signs.into_iter().find_map(|(above, signs)| {
            let operator = signs.mapped.iter().find(|name: &&&str| {
                signs.filled.contains(**name)
                    && signs.catalog_operators.contains(**name)
                    && **name != OPERATORS
            })?;
            Some(Self::Operator {
                above: above.to_owned(),
                operator: (*operator).to_owned(),
            })
        })
    }

    /// The opened folder; "" if there were several.
    pub fn name(&self) -> &str {
        match self {
            Self::Whole { root } => root,
            Self::Operator { above, .. } => above,
        }
    }

    /// The repository path of an opened path; `None` if it is outside.
    pub fn inside(&self, opened: &str) -> Option<String> {
        match self {
            Self::Whole { root } => below(opened, root).map(str::to_owned),
            Self::Operator { above, operator } => {
                let path = below(opened, above)?;
                if path == CATALOGS || below(path, CATALOGS).is_some() {
                    return Some(path.to_owned());
                }
                let own = below(path, operator)?;
                Some(join(&join(OPERATORS, operator), own))
            }
        }
    }

    /// The opened path of a repository path.
    pub fn opened_path(&self, path: &str) -> String {
        match self {
            Self::Whole { root } => join(root, path),
            Self::Operator { above, .. } => {
                let own = below(path, OPERATORS).unwrap_or(path);
                join(above, own)
            }
        }
    }

    /// The folder of the catalog that contains an opened path.
    pub fn catalog_folder(&self, opened: &str) -> Option<String> {
        let path = self.inside(opened)?;
        let (name, _) = below(&path, CATALOGS)?.split_once('/')?;
        Some(self.opened_path(&join(CATALOGS, name)))
    }

    /// The operator that an opened path belongs to.
    pub fn operator_of(&self, opened: &str) -> Option<String> {
        let path = self.inside(opened)?;
        let own = below(&path, OPERATORS).or_else(|| {
            below(&path, CATALOGS)?
                .split_once('/')
                .map(|(_, rest)| rest)
        })?;
        own.split_once('/').map(|(operator, _)| operator.to_owned())
    }
}

fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    match folder {
        "" => Some(path),
        folder => path.strip_prefix(folder)?.strip_prefix('/'),
    }
}

/// Adds what a path below a candidate folder shows.
fn note<'a>(signs: &mut Signs<'a>, path: &'a str) {
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
        (folder, Some(mapping::FILE_NAME), None) => drop(signs.mapped.insert(folder)),
        (folder, Some(mapping::FOLDER), Some(_)) => drop(signs.filled.insert(folder)),
        (folder, Some(_), Some("manifests")) if is_deeper => drop(signs.filled.insert(folder)),
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
    fn an_operator_with_its_catalogs_beside_it_is_one() {
        for above in ["", "top/"] {
            let paths = [
                format!("{above}o/ci.yaml"),
                format!("{above}o/catalog-templates/basic.yaml"),
                format!("{above}catalogs/v4.18/o/catalog.yaml"),
            ];
            let place = Place::find(paths.iter().map(String::as_str)).expect("a repository");
            assert_eq!(
                place.inside(&paths[1]).as_deref(),
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
        assert_eq!(place.inside("r2/operators/o/ci.yaml"), None);
        assert_eq!(
            place.operator_of("r/operators/o/ci.yaml").as_deref(),
            Some("o")
        );
        assert_eq!(place.operator_of("r/config.yaml"), None);
        assert_eq!(place.catalog_folder("r/operators/o/ci.yaml"), None);
    }
}
