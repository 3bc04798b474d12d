//! The catalogs that an operator's templates are rendered into, according to its `ci.yaml`, each freshly rendered. In a
//! repository, bundles come from its committed catalogs; in a separate folder, from the given bundles.

use crate::error::CliError;
use crate::input::disk::Disk;
use crate::input::repository_files::RepositoryFiles;
use crate::input::template_bundles::BundlesArgs;
use crate::input::walk;
use crate::output;
use fbc::bundle;
use fbc::repository::render::{Request, render_operator};
use fbc::template::freshness::{ForCatalog, render_for};
use fbc::template::mapping::{self, FILE_NAME, FOLDER};
use fbc::template::render::known::Known;
use std::path::{Path, PathBuf};

/// A catalog by its name in the mapping, and its text or the reason why there is none.
type Rendered = (String, Result<Vec<u8>, String>);

/// The operator's folder if `path` is a folder with a mapping, or its `ci.yaml`.
pub(crate) fn folder(path: &Path) -> Option<PathBuf> {
    if path.is_file() && path.file_name().is_some_and(|name| name == FILE_NAME) {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        return Some(folder.unwrap_or(Path::new(".")).to_path_buf());
    }
    (path.join(FILE_NAME).is_file() && path.join(FOLDER).is_dir()).then(|| path.to_path_buf())
}

/// All catalogs in the order of the mapping. With `partial`, catalogs that cannot be rendered are reported and skipped.
pub(crate) fn open(
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
            Err(reason) if partial => output::note(&format!("left out {name}: {reason}")),
            Err(reason) => {
                return Err(CliError::new(format!("{name} cannot be rendered: {reason}"))
                    .hint("--bundles names catalogs or bundle folders with its bundles; --partial leaves it out"));
            }
        }
    }
    Ok(catalogs)
}

fn find_in_repository(files: &RepositoryFiles) -> Vec<Rendered> {
    let request = Request {
        operator: files.only_operator().unwrap_or_default(),
        catalogs: &[],
        stale_only: false,
    };
    let rendering = render_operator(files, &request);
    let text = |outcome: Result<fbc::repository::FileChange, fbc::repository::Problem>| {
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

fn alone(folder: &Path, known: &Known) -> Result<Vec<Rendered>, CliError> {
    let read = |path: PathBuf| {
        std::fs::read(&path).map_err(|error| {
            CliError::new(format!("{}: {}", path.display(), walk::io_reason(&error)))
        })
    };
    let mut rendered = Vec::new();
    for line in mapping::read(&read(folder.join(FILE_NAME))?) {
        let template = read(folder.join(FOLDER).join(&line.template))?;
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
