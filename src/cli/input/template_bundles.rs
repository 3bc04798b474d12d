//! The bundles for a template: catalogs and bundle folders on disk.

use crate::error::CliError;
use crate::input::bundle_files::{self, Source};
use crate::input::walk;
use crate::output;
use clap::Args;
use fbc::archive;
use fbc::bundle::File;
use fbc::ignore::{FILE_NAME, IgnoreRules};
use fbc::template::render::known::Known;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The options that provide bundles. In `edit` they may follow the operation.
#[derive(Debug, Args)]
pub(crate) struct BundlesArgs {
    /// Where to find the bundles of a template: a catalog or one of its files, a bundle directory, a folder of either,
    /// or an archive of a bundle or catalog; repeatable
    #[arg(long, value_name = "DIR|FILE", global = true)]
    pub(crate) bundles: Vec<PathBuf>,
    /// A file with a JSON object that maps each image to its bundle directory
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) bundle_map: Option<PathBuf>,
}

impl BundlesArgs {
    pub(crate) fn is_empty(&self) -> bool {
        self.bundles.is_empty() && self.bundle_map.is_none()
    }

    /// Reads the given bundles. Files that belong to no catalog or bundle are reported and skipped.
    pub(crate) fn read(&self) -> Result<Known, CliError> {
        let mut known = Known::default();
        for path in &self.bundles {
            add(&mut known, path)?;
        }
        for (image, folder) in self.map()? {
            known.add_folder_of(&image, files_of(&folder)?);
        }
        Ok(known)
    }

    fn map(&self) -> Result<BTreeMap<String, PathBuf>, CliError> {
        let Some(path) = &self.bundle_map else {
            return Ok(BTreeMap::new());
        };
        let text = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
        let map: BTreeMap<String, PathBuf> = serde_json::from_slice(&text).map_err(|error| {
            CliError::new(format!("{}: {error}", path.display()))
                .hint("write a JSON object: {\"quay.io/x/y:v1\": \"path/to/the/bundle/folder\"}")
        })?;
        // Folders are relative to the file that names them.
        let beside = path.parent().unwrap_or(Path::new(""));
        Ok(map
            .into_iter()
            .map(|(image, folder)| (image, beside.join(folder)))
            .collect())
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> CliError {
    CliError::new(format!("{}: {}", path.display(), walk::io_reason(error)))
}

fn add(known: &mut Known, path: &Path) -> Result<(), CliError> {
    if bundle_files::is_bundle(path) {
        return known
            .add_folder(files_of(path)?)
            .map_err(|message| CliError::new(format!("{}: {message}", path.display())));
    }
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    if !metadata.is_dir() {
        let is_archive = path
            .file_name()
            .is_some_and(|name| archive::is_archive(&name.to_string_lossy()));
        return match is_archive {
            true => add_archive(known, path),
            false => add_catalog(known, path),
        };
    }
    let found = walk::walk(path)?;
    let mut rules = IgnoreRules::default();
    for file in found
        .iter()
        .filter(|file| file.path.rsplit('/').next() == Some(FILE_NAME))
    {
        if let Ok(text) = std::fs::read(&file.on_disk) {
            let _ = rules.add(
                file.path.rsplit_once('/').map_or("", |(folder, _)| folder),
                &text,
            );
        }
    }
    let mut folders: Vec<String> = Vec::new();
    for file in &found {
        if folders
            .iter()
            .any(|folder| file.path.starts_with(folder.as_str()))
        {
            continue;
        }
        // The first file of a bundle folder identifies it.
        let above = file.path.split_once("manifests/").map(|(above, _)| above);
        if let Some(above) = above.filter(|above| bundle_files::is_bundle(&path.join(above))) {
            folders.push(above.to_owned());
            let folder = path.join(above);
            if let Err(message) = known.add_folder(files_of(&folder)?) {
                output::note(&format!("skipped {}: {message}", folder.display()));
            }
        } else if is_data(&file.path) && !rules.ignores(&file.path) {
            add_catalog(known, &file.on_disk)?;
        }
    }
    Ok(())
}

/// Adds the image of a bundle or a catalog, or a compressed folder of one.
fn add_archive(known: &mut Known, path: &Path) -> Result<(), CliError> {
    match bundle_files::read(path)? {
        Source::Bundle(files) => known
            .add_folder(files)
            .map_err(|message| CliError::new(format!("{}: {message}", path.display()))),
        Source::Catalog(files, _) => {
            for file in files.into_iter().filter(|file| is_data(&file.path)) {
                if let Some(reason) = known.add_catalog(file) {
                    output::note(&format!("{reason}; skipped that part"));
                }
            }
            Ok(())
        }
    }
}

fn is_data(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["yaml", "yml", "json"]
        .iter()
        .any(|known| ending.eq_ignore_ascii_case(known))
}

fn add_catalog(known: &mut Known, path: &Path) -> Result<(), CliError> {
    let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
    if let Some(reason) = known.add_catalog(File {
        path: path.display().to_string(),
        bytes,
    }) {
        output::note(&format!("{reason}; skipped that part"));
    }
    Ok(())
}

/// The files of a bundle folder.
fn files_of(folder: &Path) -> Result<Vec<File>, CliError> {
    match bundle_files::read(folder)? {
        Source::Bundle(files) => Ok(files),
        Source::Catalog(..) => Err(CliError::new(format!(
            "{} is not a bundle directory",
            folder.display()
        ))
        .hint("a bundle directory has the folders `manifests` and `metadata`")),
    }
}
