//! Reads bundles and catalogs from disk into memory, including the bundles that options name.

use super::walk::{self, FoundFile};
use super::{STDIN_NAME, is_dash, read_file, read_stdin};
use crate::args::BundlesArgs;
use crate::error::{CliError, io_reason};
use crate::output;
use ::catalog::archive::{self, ImageContent, Limits, Memory, Part};
use ::catalog::ignore::{FILE_NAME, IgnoreRules};
use bundle::{self, File};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use template::render::known::Known;

/// The content of a reference.
#[derive(Debug)]
pub(crate) enum Source {
    /// The files of `manifests` and `metadata`.
    Bundle(Vec<File>),
    Catalog(CatalogFiles),
}

#[derive(Debug)]
pub(crate) struct CatalogFiles {
    pub files: Vec<File>,
    /// The first reason why a file cannot be read. It is reported only if nothing else is wrong,
    /// because `opm` reads several files at a time.
    pub obstacle: Option<String>,
}

impl Source {
    fn catalog(files: Vec<File>) -> Self {
        Source::Catalog(CatalogFiles {
            files,
            obstacle: None,
        })
    }
}

/// Reads a reference. The error is worded as in `opm`.
pub(crate) fn read(path: &Path) -> Result<Source, CliError> {
    if is_dash(path) {
        let bytes = read_stdin()?;
        let path = STDIN_NAME.to_owned();
        return Ok(Source::catalog(vec![File { path, bytes }]));
    }
    let metadata = std::fs::metadata(path)
        .map_err(|error| cli_error!("stat {}: {}", path.display(), io_reason(&error)))?;
    if !metadata.is_dir() {
        return read_single_file(path);
    }
    if is_bundle(path) {
        return read_bundle(path).map(Source::Bundle);
    }
    read_catalog(path).map(Source::Catalog)
}

fn read_single_file(path: &Path) -> Result<Source, CliError> {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    if archive::is_archive(&name) {
        return read_archive(path, &name);
    }
    Ok(Source::catalog(vec![File {
        path: name,
        bytes: read_bytes(path)?,
    }]))
}

/// Reads a file, with an error worded as in `opm`.
fn read_bytes(path: &Path) -> Result<Vec<u8>, CliError> {
    std::fs::read(path)
        .map_err(|error| cli_error!("open {}: {}", path.display(), io_reason(&error)))
}

/// Reads an archive: the image of a bundle or a catalog, or a folder with one.
fn read_archive(path: &Path, name: &str) -> Result<Source, CliError> {
    let limits = Limits::default();
    let unpacked = archive::unpack_content(
        &Memory,
        &Part::new(read_bytes(path)?),
        name,
        &limits,
        ImageContent::CatalogOrBundle,
    )
    .map_err(|refused| cli_error!("{}: {refused}", path.display()))?;
    let members = unpacked.members.into_iter();
    let files: Vec<File> = members
        .filter_map(|member| {
            Some(File {
                path: member.path,
                bytes: member.bytes?.bytes().to_vec(),
            })
        })
        .collect();
    // The two folders of a bundle may be inside a folder of the archive.
    let bundles = bundle::bundle_directories(files.iter().map(|file| file.path.as_str()));
    Ok(match bundles.first() {
        Some(folder) => Source::Bundle(bundle::files_of(&files, folder)),
        None => Source::catalog(files),
    })
}

/// Whether a folder contains real folders `manifests` and `metadata`; links do not count.
pub(crate) fn is_bundle(folder: &Path) -> bool {
    let is_folder = |name: &str| {
        folder
            .join(name)
            .symlink_metadata()
            .is_ok_and(|metadata| metadata.is_dir())
    };
    is_folder("manifests") && is_folder("metadata")
}

/// Reads the files directly in `manifests` and `metadata`. Skips unreadable files, such as dangling
/// links.
fn read_bundle(folder: &Path) -> Result<Vec<File>, CliError> {
    let mut files = Vec::new();
    for name in ["manifests", "metadata"] {
        for entry in std::fs::read_dir(folder.join(name))? {
            let entry = entry?;
            let path = format!("{name}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_file()
                && let Ok(bytes) = std::fs::read(entry.path())
            {
                files.push(File { path, bytes });
            }
        }
    }
    Ok(files)
}

fn read_catalog(folder: &Path) -> Result<CatalogFiles, CliError> {
    let found = walk::walk(folder)?;
    let rules = ignore_rules(&found);
    let mut files = Vec::new();
    let mut obstacle = None;
    let (ignore_files, others): (Vec<&FoundFile>, Vec<&FoundFile>) =
        found.iter().partition(|file| is_ignore_file(&file.path));
    for file in ignore_files {
        files.push(read_found(file)?);
    }
    for file in others {
        match file.obstacle(folder) {
            _ if rules.ignores(&file.path) => {}
            Some(reason) => obstacle = obstacle.or(Some(reason)),
            None => files.push(read_found(file)?),
        }
    }
    Ok(CatalogFiles { files, obstacle })
}

fn read_found(file: &FoundFile) -> Result<File, CliError> {
    Ok(File {
        path: file.path.clone(),
        bytes: read_bytes(&file.on_disk)?,
    })
}

/// Reads the ignore rules of a folder. Skips unreadable files and lines that are too long, which
/// reading the catalog reports.
fn ignore_rules(found: &[FoundFile]) -> IgnoreRules {
    let mut rules = IgnoreRules::default();
    for file in found.iter().filter(|file| is_ignore_file(&file.path)) {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        if let Ok(text) = std::fs::read(&file.on_disk) {
            let _ = rules.add(folder, &text);
        }
    }
    rules
}

fn is_ignore_file(path: &str) -> bool {
    path.rsplit('/').next() == Some(FILE_NAME)
}

impl BundlesArgs {
    /// Reads the bundles. Reports and skips files that belong to no catalog or bundle.
    pub(crate) fn read(&self) -> Result<Known, CliError> {
        let mut known = Known::default();
        for path in &self.bundles {
            add_path(&mut known, path)?;
        }
        for (image, folder) in self.read_bundle_map()? {
            known.add_folder_of(&image, read_bundle_folder(&folder)?);
        }
        Ok(known)
    }

    fn read_bundle_map(&self) -> Result<BTreeMap<String, PathBuf>, CliError> {
        let Some(path) = &self.bundle_map else {
            return Ok(BTreeMap::new());
        };
        let text = read_file(path)?;
        let map: BTreeMap<String, PathBuf> = serde_json::from_slice(&text).map_err(|error| {
            cli_error!("{}: {error}", path.display())
                .hint("write a JSON object: {\"quay.io/x/y:v1\": \"path/to/the/bundle/folder\"}")
        })?;
        // Folders are relative to the file that names them.
        let base = path.parent().unwrap_or(Path::new(""));
        Ok(map
            .into_iter()
            .map(|(image, folder)| (image, base.join(folder)))
            .collect())
    }
}

fn add_path(known: &mut Known, path: &Path) -> Result<(), CliError> {
    let metadata = std::fs::metadata(path).map_err(|error| CliError::io(path, &error))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if is_bundle(path) || (!metadata.is_dir() && archive::is_archive(&name)) {
        match read(path)? {
            Source::Bundle(files) => known
                .add_folder(files)
                .map_err(|message| cli_error!("{}: {message}", path.display()))?,
            Source::Catalog(catalog) => catalog
                .files
                .into_iter()
                .filter(|file| is_data(&file.path))
                .for_each(|file| add_blobs(known, file)),
        }
        return Ok(());
    }
    if !metadata.is_dir() {
        return add_file(known, path);
    }
    add_folder(known, path)
}

/// Adds all bundle folders and catalog files below a folder.
fn add_folder(known: &mut Known, path: &Path) -> Result<(), CliError> {
    let found = walk::walk(path)?;
    let rules = ignore_rules(&found);
    let mut bundle_folders: Vec<&str> = Vec::new();
    for file in &found {
        if bundle_folders
            .iter()
            .any(|folder| file.path.starts_with(folder))
        {
            continue;
        }
        // The first file of a bundle folder identifies it.
        let parent = file.path.split_once("manifests/").map(|(parent, _)| parent);
        if let Some(parent) = parent.filter(|parent| is_bundle(&path.join(parent))) {
            bundle_folders.push(parent);
            let folder = path.join(parent);
            if let Err(message) = known.add_folder(read_bundle_folder(&folder)?) {
                output::print_note(&format!("skipped {}: {message}", folder.display()));
            }
        } else if is_data(&file.path) && !rules.ignores(&file.path) {
            add_file(known, &file.on_disk)?;
        }
    }
    Ok(())
}

fn is_data(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["yaml", "yml", "json"]
        .iter()
        .any(|known| ending.eq_ignore_ascii_case(known))
}

fn add_file(known: &mut Known, path: &Path) -> Result<(), CliError> {
    let bytes = read_file(path)?;
    let path = path.display().to_string();
    add_blobs(known, File { path, bytes });
    Ok(())
}

fn add_blobs(known: &mut Known, file: File) {
    if let Some(reason) = known.add_catalog(file) {
        output::print_note(&format!("{reason}; skipped that part"));
    }
}

/// Reads the files of a bundle folder. Refuses other folders.
fn read_bundle_folder(folder: &Path) -> Result<Vec<File>, CliError> {
    match read(folder)? {
        Source::Bundle(files) => Ok(files),
        Source::Catalog(_) => Err(cli_error!("{} is not a bundle directory", folder.display())
            .hint("a bundle directory has the folders `manifests` and `metadata`")),
    }
}
