//! The layout of a repository: `operators/O/VERSION` with bundles, `operators/O/catalog-templates`,
//! `ci.yaml`, and `catalogs/C/O` for each catalog. A catalog's name need not be a version.

use super::files::{EntryKind, Files, files_below, join};
use crate::order::SortSmall;
use crate::roots::catalog_version;
use crate::template::mapping;

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
    let is_there = |name: &str, kind: EntryKind| {
        entries
            .iter()
            .any(|entry| entry.name == name && entry.kind == kind)
    };
    is_there(OPERATORS, EntryKind::Folder)
        && (is_there(CATALOGS, EntryKind::Folder) || is_there(CONFIG, EntryKind::File))
}

/// Names of all operator folders.
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
    let is_bundle = |name: &String| is_bundle(files, &join(&folder, name));
    folders(files, &folder)
        .into_iter()
        .filter(is_bundle)
        .collect()
}

/// Whether a folder contains a bundle, that is, folders `manifests` and `metadata`.
pub fn is_bundle(files: &dyn Files, folder: &str) -> bool {
    let entries = files.entries(folder);
    let has = |name: &str| {
        entries
            .iter()
            .any(|entry| entry.name == name && entry.kind == EntryKind::Folder)
    };
    has("manifests") && has("metadata")
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

/// The files of a bundle folder that rendering needs, with relative paths; or why one is
/// unreadable.
pub(super) fn bundle_files(
    files: &dyn Files,
    folder: &str,
) -> Result<Vec<crate::bundle::File>, (String, String)> {
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
            found.push(crate::bundle::File { path, bytes });
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
