//! Finds the templates of catalogs and renders them.

use super::disk::Disk;
use super::{is_dash, read_file};
use crate::args::BundlesArgs;
use crate::error::CliError;
use crate::output;
use ::catalog::index::index_bytes;
use ::catalog::model::FileIndex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use template::fault::TemplateFault;
use template::mapping::{self, FILE_NAME, FOLDER};
use template::origin::{self, FolderMapping, OriginReason, Source};
use template::render::{Missing, Options, render};
use template::{self, may_be_template, template_of_file};

/// Number of ancestors that are searched for templates.
const MAX_ANCESTORS: usize = 4;
/// Larger files, in bytes, are not templates.
const MAX_TEMPLATE_BYTES: u64 = 4 << 20;
/// At most this many files of a folder are read.
const MAX_FILES: usize = 200;
/// Usual folders for templates beside a catalog.
const TEMPLATE_FOLDERS: [&str; 4] = [FOLDER, "templates", "template", "veneer"];

/// A package that is rendered from a template.
pub(crate) struct Rendered {
    pub package: String,
    pub template: PathBuf,
    /// Whether the template has entries, so that operations can change it.
    pub has_entries: bool,
    /// Whether a `ci.yaml` or the bundles' images prove the origin.
    pub certain: bool,
}

/// Finds the packages among these that are rendered from a template near the folder.
pub(crate) fn render_nearby(
    disk: &Disk,
    folder: &Path,
    packages: &BTreeSet<String>,
) -> Result<Vec<Rendered>, CliError> {
    let Ok(folder) = fs::canonicalize(folder) else {
        return Ok(Vec::new());
    };
    let ancestors = ancestors_in_repository(&folder);
    let Some(base) = ancestors.last() else {
        return Ok(Vec::new());
    };
    let files = read_nearby_templates(&ancestors, base, packages);
    let sources: Vec<Source<'_>> = files
        .iter()
        .filter_map(|(path, index)| {
            Some(Source {
                path,
                template: template_of_file(index)?,
            })
        })
        .collect();
    let mapped = map_sources(base, &sources);
    let catalog = disk.root()?.catalog();
    let folder_path = relative(&folder, base);
    let mut found = Vec::new();
    for package in packages.iter().filter_map(|name| catalog.package(name)) {
        let package_blob = package.packages.first().map(|blob| blob.file);
        let file_id = package_blob.or_else(|| Some(package.channels.first()?.file));
        let Some(file) = file_id.and_then(|id| catalog.file(id)) else {
            continue;
        };
        let path = if folder_path.is_empty() {
            file.path.clone()
        } else {
            format!("{folder_path}/{}", file.path)
        };
        if let Some(origin) = origin::find_origin(package, &path, &sources, &mapped) {
            let template = sources
                .iter()
                .find(|source| source.path == origin.template)
                .map(|source| source.template);
            found.push(Rendered {
                has_entries: template.is_some_and(|template| !template.items().is_empty()),
                package: package.name.to_string(),
                template: base.join(origin.template),
                certain: origin.reason != OriginReason::Beside,
            });
        }
    }
    Ok(found)
}

/// Returns the folder and its ancestors, up to the top of a repository.
fn ancestors_in_repository(folder: &Path) -> Vec<PathBuf> {
    let mut ancestors = Vec::new();
    for ancestor in folder.ancestors().take(MAX_ANCESTORS + 1) {
        ancestors.push(ancestor.to_path_buf());
        if ancestor.join(".git").exists() {
            break;
        }
    }
    ancestors
}

/// Reads the files that may be templates, by path below `base`.
fn read_nearby_templates(
    ancestors: &[PathBuf],
    base: &Path,
    packages: &BTreeSet<String>,
) -> BTreeMap<String, FileIndex> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for ancestor in ancestors {
        folders.push(ancestor.clone());
        folders.extend(TEMPLATE_FOLDERS.iter().map(|name| ancestor.join(name)));
        let operators = ancestor.join("operators");
        folders.extend(
            packages
                .iter()
                .map(|package| operators.join(package).join(FOLDER)),
        );
    }
    let mut files = BTreeMap::new();
    for path in folders.iter().flat_map(|folder| template_paths(folder)) {
        if let Ok(text) = fs::read(&path)
            && may_be_template(&text)
        {
            files.insert(relative(&path, base), index_bytes(&text));
        }
    }
    files
}

/// Returns the YAML and JSON files of a folder, sorted by name.
fn template_paths(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let extension = path.extension().and_then(|extension| extension.to_str());
            let is_small_file =
                |metadata: fs::Metadata| metadata.is_file() && metadata.len() <= MAX_TEMPLATE_BYTES;
            matches!(extension, Some("yaml" | "yml" | "json"))
                && fs::metadata(path).is_ok_and(is_small_file)
        })
        .collect();
    files.sort();
    files.truncate(MAX_FILES);
    files
}

/// Reads the mappings in the `ci.yaml` files of the templates.
fn map_sources(base: &Path, sources: &[Source<'_>]) -> Vec<FolderMapping> {
    let paths: BTreeSet<String> = sources
        .iter()
        .flat_map(|source| origin::mapping_paths(source.path))
        .collect();
    let read = |path: &String| {
        let text = fs::read(base.join(path))
            .ok()
            .filter(|text| text.len() as u64 <= mapping::MAX_BYTES)?;
        let folder = path
            .strip_suffix(FILE_NAME)?
            .trim_end_matches('/')
            .to_owned();
        Some(FolderMapping {
            folder,
            mappings: mapping::read(&text),
        })
    };
    paths.iter().filter_map(read).collect()
}

/// Returns the part of a path below a folder, with `/`.
fn relative(path: &Path, folder: &Path) -> String {
    path.strip_prefix(folder)
        .unwrap_or(path)
        .iter()
        .map(|part| part.to_string_lossy())
        .collect::<Vec<_>>()
        .join("/")
}

/// Opens a catalog like [`open`], but no bundle may be missing. `None` if the file is not a
/// template.
pub(crate) fn open_catalog(path: &Path, bundles: &BundlesArgs) -> Result<Option<Disk>, CliError> {
    if path.is_file() && !is_dash(path) && !is_template(&read_file(path)?) {
        return Ok(None);
    }
    open(path, bundles, false).map(Some)
}

/// Opens a folder as one catalog, or renders a template's file. With `partial`, unknown bundles are
/// reported and skipped.
pub(crate) fn open(path: &Path, bundles: &BundlesArgs, partial: bool) -> Result<Disk, CliError> {
    if !path.is_file() {
        return Disk::open(path);
    }
    let name = path.display();
    let text = read_file(path)?;
    if !is_template(&text) {
        return Disk::open(path);
    }
    let known = bundles.read()?;
    let options = Options {
        missing: Missing::LeftOut,
        ..Options::default()
    };
    let rendered = render(&text, &known, options).map_err(|refused| {
        if let Some(fault) = TemplateFault::from_error(&refused.message, &name.to_string(), &text) {
            let message = format!("{name} cannot be rendered: {}", fault.message);
            return CliError::new(message).at(fault.place()).hint(fault.help);
        }
        let hint = if refused.missing.is_empty() {
            String::new()
        } else {
            let missing = refused.missing.join(", ");
            format!("pass the bundles with --bundles; missing: {missing}")
        };
        cli_error!("{name}: {}", refused.message).hint(hint)
    })?;
    if !rendered.missing.is_empty() {
        let missing = rendered.missing.join(", ");
        if !partial {
            return Err(
                cli_error!("{name} cannot be rendered: missing bundles: {missing}")
                    .hint("--bundles names the catalogs or bundle folders that have them"),
            );
        }
        output::print_note(&format!("{name}: left out missing bundles: {missing}"));
    }
    Ok(Disk::from_text(
        path,
        bundle::to_json(&rendered.blobs_in_order()).into_bytes(),
    ))
}

fn is_template(text: &[u8]) -> bool {
    template::template_of_file(&index_bytes(text)).is_some()
}
