//! The operations on whole packages: add, copy and remove one, and set its description.

use super::Refused;
use super::catalog_view::{NewBlobPlace, package_of};
use super::replace_text::is_relative_path;
use super::{CatalogView, PlanResult, PlanStep, icon};
use crate::patch::{Patch, path};
use catalog::CatalogFile;
use catalog::index::index_bytes;
use catalog::model::{Blob, Body, FileId, FileIndex};
use protocol::operation::{IfExists, TextFile};
use serde_json::json;
use std::collections::HashSet;
use syntax::tree::Format;

/// The fields of `add-package`, which adds a package as `opm init` prints it, in a file laid out
/// like the catalog's other packages.
pub(super) struct NewPackage<'a> {
    pub name: &'a str,
    /// "" if not given yet.
    pub default_channel: &'a str,
    pub description: Option<&'a str>,
    /// In base64.
    pub icon: Option<&'a str>,
    /// The file for the first package of a catalog.
    pub file: Option<&'a str>,
}

pub(super) fn add(view: &CatalogView<'_>, new: &NewPackage<'_>) -> PlanResult {
    if new.name.is_empty() || new.name.contains(['/', '\\']) || matches!(new.name, "." | "..") {
        return Err(refused!("`{}` is not a valid package name", new.name)
            .help("use lower-case letters, digits and `-`"));
    }
    if let Some(present) = view
        .catalog
        .package(new.name)
        .and_then(|package| view.locate_definition(package))
    {
        return Err(
            refused!("package `{}` is already in this catalog", new.name)
                .help("change it with `set-description`, `set-icon` and `set-default-channel`")
                .at(present),
        );
    }
    let mut value = json!({
        "schema": "olm.package",
        "name": new.name,
        "defaultChannel": new.default_channel,
    });
    if let Some(data) = new.icon {
        value["icon"] = icon::decode_base64(data)?.value();
    }
    if let Some(description) = new.description.filter(|text| !text.is_empty()) {
        value["description"] = description.into();
    }
    Ok(vec![choose_place(view, new)?.add(value)])
}

/// Returns the place of the new package. It follows the catalog's layout: a folder or file named
/// after each package, or one file with all of them. In a catalog without packages: the operation's
/// file, an existing empty file, or a new folder for the package.
fn choose_place(view: &CatalogView<'_>, new: &NewPackage<'_>) -> Result<NewBlobPlace, Refused> {
    let mut shared = None;
    for file in view.catalog.included_files() {
        for blob in file.blobs() {
            let Body::Package(package) = &blob.body else {
                continue;
            };
            let (other, format) = (package.name.as_str(), blob.format);
            let path = named_after(&file.path, other, new.name);
            if let Some(place) = path.and_then(|path| NewBlobPlace::free_file(view, path, format)) {
                return Ok(place);
            }
            shared.get_or_insert(NewBlobPlace::In {
                file: file.id,
                after: None,
                format,
            });
        }
    }
    if let Some(shared) = shared {
        return Ok(shared);
    }
    if let Some(path) = new.file {
        let format = format_by_extension(path).filter(|_| is_relative_path(path));
        let format = format.ok_or_else(|| {
            refused!("`{path}` is not a catalog file").help(
                "name a path below the catalog's folder that ends in `.yaml`, `.yml` or `.json`",
            )
        })?;
        return NewBlobPlace::free_file(view, path.to_owned(), format).ok_or_else(|| {
            refused!(
                "the package cannot be written to `{path}`: it is not empty, or `.indexignore` ignores it"
            )
            .help("name another file")
        });
    }
    let mut empty = view
        .catalog
        .included_files()
        .filter(|file| !file.path.contains('/'))
        .filter_map(|file| Some((file.path.clone(), format_by_extension(&file.path)?)));
    Ok(empty
        .find_map(|(path, format)| NewBlobPlace::free_file(view, path, format))
        .unwrap_or_else(|| NewBlobPlace::NewFile {
            path: format!("{}/catalog.yaml", new.name),
            format: Format::Yaml,
        }))
}

fn format_by_extension(path: &str) -> Option<Format> {
    match path.rsplit_once('.')?.1 {
        "yaml" | "yml" => Some(Format::Yaml),
        "json" => Some(Format::Json),
        _ => None,
    }
}

/// Returns the path with the other package's name replaced, if a folder or the file is named after
/// it.
fn named_after(path: &str, other: &str, name: &str) -> Option<String> {
    let mut is_named = false;
    let parts: Vec<String> = path
        .split('/')
        .map(|part| match part.rsplit_once('.') {
            _ if part == other => {
                is_named = true;
                name.to_owned()
            }
            Some((stem, extension)) if !other.is_empty() && stem == other => {
                is_named = true;
                format!("{name}.{extension}")
            }
            _ => part.to_owned(),
        })
        .collect();
    is_named.then(|| parts.join("/"))
}

/// The fields of `copy-package`, which copies a package from another catalog byte for byte.
///
/// Each file keeps its path in the catalog folder. If a file with that path exists (a single-file
/// catalog), the blobs are appended to it; if that file has the other format, YAML or JSON, they
/// are written to a file of that name in the package's own folder. An existing package is never
/// merged: the operation is refused, or all of its blobs are removed first. Then the new blobs
/// replace the old ones in place, if both catalogs have them in one file.
pub(super) struct PackageCopy<'a> {
    pub name: &'a str,
    pub from: &'a str,
    pub files: &'a [TextFile],
    pub if_there: IfExists,
}

pub(super) fn copy(view: &CatalogView<'_>, copy: &PackageCopy<'_>) -> PlanResult {
    let &PackageCopy {
        name,
        from,
        files,
        if_there,
    } = copy;
    let mut steps = match (view.catalog.package(name), if_there) {
        (None, _) => Vec::new(),
        (Some(present), IfExists::Refuse) => {
            let help = format!("use `--replace` to replace it with the one from `{from}`");
            return Err(refused!("package `{name}` is already in this catalog")
                .help(help)
                .at(view.locate_definition(present)));
        }
        (Some(_), IfExists::Replace) => remove(view, name)?,
    };
    if files.is_empty() {
        return Err(refused!("there are no files of package `{name}` to copy")
            .help("use `--from` to name the catalog that has it"));
    }
    let replaced_file = single_file(&steps).filter(|_| files.len() == 1);
    let new = files
        .iter()
        .map(|file| copy_step(view, name, replaced_file, file))
        .collect::<Result<Vec<_>, _>>()?;
    // Each step starts from the current text of a file; a second step for the same file would
    // overwrite the first.
    let (mut created, mut filled) = (HashSet::new(), HashSet::new());
    for (step, TextFile { path, .. }) in new.iter().zip(files) {
        let is_only = match step {
            PlanStep::CreateText { path, .. } => created.insert(path.clone()),
            PlanStep::AppendText { file, .. } => filled.insert(*file),
            _ => true,
        };
        if !is_only {
            return Err(refused!(
                "`{path}` and another file of package `{name}` would be written to the same file"
            )
            .help("copy the files by hand"));
        }
    }
    steps.extend(new);
    Ok(steps)
}

/// Returns the single file that loses blobs.
fn single_file(removals: &[PlanStep]) -> Option<FileId> {
    let mut files = removals.iter().filter_map(|step| match step {
        PlanStep::RemoveBlob { file, .. } => Some(*file),
        _ => None,
    });
    let first = files.next()?;
    files.all(|file| file == first).then_some(first)
}

fn copy_step(
    view: &CatalogView<'_>,
    name: &str,
    replaced_file: Option<FileId>,
    TextFile { path, text }: &TextFile,
) -> Result<PlanStep, Refused> {
    if !is_relative_path(path) {
        return Err(
            refused!("`{path}` is not a path inside the catalog's folder")
                .help("use names joined by `/`"),
        );
    }
    let index = index_bytes(text.as_bytes());
    let Some(format) = common_format(&index) else {
        return Err(refused!(
            "the text for `{path}` must be blobs of one package, all YAML or all JSON"
        )
        .help("copy the files by hand"));
    };
    if let Some(other) = index
        .blobs
        .iter()
        .filter_map(package_of)
        .find(|other| *other != name)
    {
        return Err(
            refused!("the text for `{path}` contains a blob of package `{other}`")
                .help("copy each package separately"),
        );
    }
    let append = |file: &CatalogFile| {
        let count = index.blobs.len();
        PlanStep::AppendText {
            file: file.id,
            format,
            text: text.clone(),
            count,
        }
    };
    if let Some(file) = replaced_file
        .and_then(|file| view.catalog.file(file))
        .filter(|file| can_append(file, name, format))
    {
        return Ok(append(file));
    }
    let below = format!("{name}/{}", path.rsplit('/').next().unwrap_or(path));
    let mut taken = None;
    for path in [path, &below] {
        if view.catalog.ignore_rules().ignores(path) {
            return Err(
                refused!("`.indexignore` excludes `{path}` from this catalog")
                    .help("change `.indexignore` first"),
            );
        }
        let Some(file) = view.catalog.file_at(path) else {
            return Ok(PlanStep::CreateText {
                path: path.clone(),
                text: text.clone(),
            });
        };
        if can_append(file, name, format) {
            return Ok(append(file));
        }
        taken.get_or_insert(path);
    }
    let path = taken.unwrap_or(path);
    Err(
        refused!("`{path}` and `{below}` already exist and cannot hold the package")
            .help("move one of them, or copy the files by hand"),
    )
}

/// Whether blobs of this format can be appended to a file after the package's blobs are removed.
fn can_append(file: &CatalogFile, name: &str, format: Format) -> bool {
    file.index().is_some_and(|index| {
        index.blobs.iter().all(|blob| match package_of(blob) {
            Some(package) => package == name || blob.format == format,
            None => false,
        })
    })
}

/// Returns the format of all blobs; `None` if there are none, formats are mixed, or a blob is
/// unreadable.
fn common_format(index: &FileIndex) -> Option<Format> {
    let format = index.blobs.first()?.format;
    index
        .blobs
        .iter()
        .all(|blob| blob.format == format && package_of(blob).is_some())
        .then_some(format)
}

/// `remove-package`: removes all blobs of a package, including unknown schemas.
pub(super) fn remove(view: &CatalogView<'_>, package: &str) -> PlanResult {
    let name = &*view.package(package)?.name;
    Ok(remove_blobs(view, |blob| package_of(blob) == Some(name)))
}

/// Removes the blobs of the catalog that satisfy a condition.
pub(super) fn remove_blobs(
    view: &CatalogView<'_>,
    is_removed: impl Fn(&Blob) -> bool,
) -> Vec<PlanStep> {
    let mut steps = Vec::new();
    for file in view.catalog.included_files() {
        let removed = (0..).zip(file.blobs()).filter(|(_, blob)| is_removed(blob));
        steps.extend(removed.map(|(index, _)| PlanStep::RemoveBlob {
            file: file.id,
            index,
        }));
    }
    steps
}

/// `set-description`: sets the package description that consoles show.
pub(super) fn set_description(view: &CatalogView<'_>, package: &str, text: &str) -> PlanResult {
    let definition = view.definition(view.package(package)?)?;
    let path = path!["description"];
    let patch = if !text.is_empty() {
        Patch::put(path, text, &["schema", "name", "defaultChannel", "icon"])
    } else if definition.has_description {
        Patch::remove(path)
    } else {
        return Ok(Vec::new());
    };
    Ok(vec![PlanStep::patch(definition, vec![patch])])
}

#[cfg(test)]
mod add_package_tests {
    use super::*;

    #[test]
    fn the_format_follows_the_extension() {
        assert_eq!(format_by_extension("a/catalog.json"), Some(Format::Json));
        assert_eq!(format_by_extension("a/catalog"), None);
    }

    #[test]
    fn a_copied_package_gets_a_path_with_its_name() {
        let new_path = |path| named_after(path, "a", "b");
        assert_eq!(
            new_path("a/catalog.yaml").as_deref(),
            Some("b/catalog.yaml")
        );
        assert_eq!(
            new_path("packages/a.json").as_deref(),
            Some("packages/b.json")
        );
        assert_eq!(new_path("catalog.yaml"), None);
    }
}
