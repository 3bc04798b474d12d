//! Finds the templates of catalogs and renders them.

use super::disk::Disk;
use super::repository_files::RepositoryFiles;
use super::{is_dash, read_file};
use crate::args::BundlesArgs;
use crate::error::CliError;
use crate::output;
use ::catalog::index::index_bytes;
use ::catalog::model::FileIndex;
use ::repository::render::{Request, render_operator};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use template::fault::TemplateFault;
use template::freshness::{ForCatalog, render_for};
use template::mapping::{self, FILE_NAME, FOLDER};
use template::origin::{self, Mapped, Source, Why};
use template::render::known::Known;
use template::render::{Missing, Options, render};
use template::{self, may_be_template, template_of_file};

/// A catalog by its name in the mapping, and its text or the reason why there is none.
type RenderedCatalog = (String, Result<Vec<u8>, String>);

/// Returns the operator's folder if `path` is a folder with a mapping, or its `ci.yaml`.
pub(crate) fn folder(path: &Path) -> Option<PathBuf> {
    if path.is_file() && path.file_name().is_some_and(|name| name == FILE_NAME) {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        return Some(folder.unwrap_or(Path::new(".")).to_path_buf());
    }
    (path.join(FILE_NAME).is_file() && path.join(FOLDER).is_dir()).then(|| path.to_path_buf())
}

/// Opens all catalogs in the order of the mapping. With `partial`, reports and skips those that cannot be rendered.
pub(crate) fn open_mapped(
    folder: &Path,
    bundles: &BundlesArgs,
    partial: bool,
) -> Result<Vec<(String, Disk)>, CliError> {
    let known = bundles.read()?;
    let rendered = match RepositoryFiles::open_at(folder, None) {
        Ok(files) => find_in_repository(&files.with_bundles(known)),
        Err(_) => alone(folder, &known)?,
    };
    if rendered.is_empty() {
        return Err(CliError::new(format!(
            "{} maps no template to a catalog",
            folder.join(FILE_NAME).display()
        ))
        .hint("write a `catalog_mapping` below `fbc`"));
    }
    let mut catalogs = Vec::new();
    for (name, outcome) in rendered {
        match outcome {
            Ok(text) => {
                let disk = Disk::from_text(&folder.join(&name), text);
                catalogs.push((name, disk));
            }
            Err(reason) if partial => output::print_note(&format!("left out {name}: {reason}")),
            Err(reason) => {
                return Err(CliError::new(format!("{name} cannot be rendered: {reason}"))
                    .hint("--bundles names catalogs or bundle folders with its bundles; --partial leaves it out"));
            }
        }
    }
    Ok(catalogs)
}

fn find_in_repository(files: &RepositoryFiles) -> Vec<RenderedCatalog> {
    let request = Request {
        operator: files.only_operator().unwrap_or_default(),
        catalogs: &[],
        stale_only: false,
    };
    let rendering = render_operator(files, &request);
    let text = |outcome: Result<::repository::FileChange, ::repository::Problem>| {
        outcome
            .map(|change| change.after)
            .map_err(|problem| problem.message)
    };
    rendering
        .catalogs
        .into_iter()
        .map(|catalog| (catalog.name, text(catalog.outcome)))
        .collect()
}

fn alone(folder: &Path, known: &Known) -> Result<Vec<RenderedCatalog>, CliError> {
    let mut rendered = Vec::new();
    for line in mapping::read(&read_file(&folder.join(FILE_NAME))?) {
        let template = read_file(&folder.join(FOLDER).join(&line.template))?;
        for name in line.catalogs {
            let text = match render_for(&name, &template, line.kind, known) {
                ForCatalog::Rendered(blobs) => Ok(bundle::to_json(&blobs).into_bytes()),
                ForCatalog::UnknownBundles(missing) => {
                    Err(format!("missing bundles: {}", missing.join(", ")))
                }
                ForCatalog::Refused(message) => Err(message),
            };
            rendered.push((name, text));
        }
    }
    Ok(rendered)
}

/// Number of ancestors that are searched.
const ABOVE: usize = 4;
/// Larger files, in bytes, are not templates.
const LONGEST: u64 = 4 << 20;
/// Most files of a folder that are read.
const MOST: usize = 200;
/// Usual folders for templates beside a catalog.
const KEPT_IN: [&str; 4] = [FOLDER, "templates", "template", "veneer"];

/// A package that is rendered from a template.
pub(crate) struct Rendered {
    pub(crate) package: String,
    pub(crate) template: PathBuf,
    /// Whether the template holds entries, so that operations can change it.
    pub(crate) holds_entries: bool,
    /// Whether a `ci.yaml` or the bundles' images prove the origin.
    pub(crate) certain: bool,
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
    let above = above(&folder);
    let Some(base) = above.last() else {
        return Ok(Vec::new());
    };
    let files = near(&above, base, packages);
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
    let inside = relative(&folder, base);
    let mut found = Vec::new();
    for package in packages.iter().filter_map(|name| catalog.package(name)) {
        let own = package
            .packages
            .first()
            .map(|blob| blob.file)
            .or_else(|| package.channels.first().map(|c| c.file));
        let Some(file) = own.and_then(|id| catalog.file(id)) else {
            continue;
        };
        let path = [&inside, file.path.as_str()]
            .iter()
            .filter(|part| !part.is_empty())
            .copied()
            .collect::<Vec<_>>();
        if let Some(origin) = origin::find_origin(package, &path.join("/"), &sources, &mapped) {
            let template = sources
                .iter()
                .find(|source| source.path == origin.template)
                .map(|source| source.template);
            found.push(Rendered {
                holds_entries: template.is_some_and(|template| !template.items().is_empty()),
                package: package.name.to_string(),
                template: base.join(origin.template),
                certain: origin.why != Why::Beside,
            });
        }
    }
    Ok(found)
}

/// Returns the folder and its ancestors, up to a repository.
fn above(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for at in folder.ancestors().take(ABOVE + 1) {
        found.push(at.to_path_buf());
        if at.join(".git").exists() {
            break;
        }
    }
    found
}

/// Reads the files that may be templates, by path below `base`.
fn near(
    above: &[PathBuf],
    base: &Path,
    packages: &BTreeSet<String>,
) -> BTreeMap<String, FileIndex> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for at in above {
        folders.push(at.clone());
        folders.extend(KEPT_IN.iter().map(|name| at.join(name)));
        folders.extend(
            packages
                .iter()
                .map(|package| at.join("operators").join(package).join(FOLDER)),
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
        .filter(|path: &PathBuf| {
            let ending = path.extension().and_then(|ending| ending.to_str());
            matches!(ending, Some("yaml" | "yml" | "json"))
                && fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= LONGEST)
        })
        .collect();
    files.sort();
    files.truncate(MOST);
    files
}

fn map_sources(base: &Path, sources: &[Source<'_>]) -> Vec<Mapped> {
    let paths: BTreeSet<String> = sources
        .iter()
        .flat_map(|source| origin::mapping_paths(source.path))
        .collect();
    let read = |path: &String| {
        let text = fs::read(base.join(path))
            .ok()
            .filter(|text| text.len() as u64 <= mapping::LIMIT)?;
        let folder = path
            .strip_suffix(FILE_NAME)?
            .trim_end_matches('/')
            .to_owned();
        Some(Mapped {
            folder,
            mappings: mapping::read(&text),
        })
    };
    paths.iter().filter_map(read).collect()
}

/// Returns the part of a path below a folder, with `/`.
fn relative(path: &Path, folder: &Path) -> String {
    let below = path.strip_prefix(folder).unwrap_or(path);
    below
        .iter()
        .map(|part| part.to_string_lossy())
        .collect::<Vec<_>>()
        .join("/")
}

/// Opens a catalog like [`open`], but no bundle may be missing. `None` if the file is not a template.
pub(crate) fn open_catalog(path: &Path, bundles: &BundlesArgs) -> Result<Option<Disk>, CliError> {
    let is_other_file = path.is_file() && !is_dash(path) && !is_template(&read_file(path)?);
    if is_other_file {
        Ok(None)
    } else {
        open(path, bundles, false).map(Some)
    }
}

/// Opens a folder as one catalog, or renders a template's file. With `partial`, unknown bundles are reported and
/// skipped.
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
        if let Some(fault) = TemplateFault::behind(&refused.message, &name.to_string(), &text) {
            let message = format!("{name} cannot be rendered: {}", fault.message);
            return CliError::new(message).at(fault.place()).hint(fault.help);
        }
        let hint = match refused.missing.is_empty() {
            true => String::new(),
            false => format!(
                "pass the bundles with --bundles; missing: {}",
                refused.missing.join(", ")
            ),
        };
        CliError::new(format!("{name}: {}", refused.message)).hint(hint)
    })?;
    if !rendered.missing.is_empty() {
        let missing = rendered.missing.join(", ");
        if !partial {
            return Err(CliError::new(format!(
                "{name} cannot be rendered: missing bundles: {missing}"
            ))
            .hint("--bundles names the catalogs or bundle folders that have them"));
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
