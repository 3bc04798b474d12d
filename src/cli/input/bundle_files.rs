//! The files behind a reference to render: a bundle directory, a catalog, an archive or a file of blobs.

use crate::error::CliError;
use crate::input::walk;
use fbc::archive::{self, ImageContent, Limits, Memory, Part};
use fbc::bundle::{self, File};
use fbc::ignore::{FILE_NAME, IgnoreRules};
use std::path::Path;

/// The content of a reference.
#[derive(Debug)]
pub(crate) enum Source {
    /// The files of `manifests` and `metadata`.
    Bundle(Vec<File>),
    /// Blobs, and a read error. It is reported only if nothing else is wrong, since `opm` reads several files at a time.
    Catalog(Vec<File>, Option<String>),
}

/// Reads a reference. The error is worded as in `opm`.
pub(crate) fn read(path: &Path) -> Result<Source, CliError> {
    if crate::input::standard_input::is_dash(path) {
        let bytes = crate::input::standard_input::Input::read()?.into_bytes();
        return Ok(Source::Catalog(
            vec![File {
                path: crate::input::standard_input::NAME.to_owned(),
                bytes,
            }],
            None,
        ));
    }
    let metadata = std::fs::metadata(path).map_err(|error| {
        CliError::new(format!(
            "stat {}: {}",
            path.display(),
            walk::io_reason(&error)
        ))
    })?;
    if !metadata.is_dir() {
        return file(path);
    }
    match is_bundle(path) {
        true => bundle(path).map(Source::Bundle),
        false => catalog(path).map(|(files, obstacle)| Source::Catalog(files, obstacle)),
    }
}

fn file(path: &Path) -> Result<Source, CliError> {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    if archive::is_archive(&name) {
        return read_archive(path, &name);
    }
    Ok(Source::Catalog(
        vec![File {
            path: name,
            bytes: bytes(path)?,
        }],
        None,
    ))
}

fn bytes(path: &Path) -> Result<Vec<u8>, CliError> {
    std::fs::read(path).map_err(|error| {
        CliError::new(format!(
            "open {}: {}",
            path.display(),
            walk::io_reason(&error)
        ))
    })
}

/// The content of an archive: the image of a bundle or a catalog, or a folder with one.
fn read_archive(path: &Path, name: &str) -> Result<Source, CliError> {
    let limits = Limits::default();
    let unpacked = archive::unpack_wanted(
        &Memory,
        &Part::new(bytes(path)?),
        name,
        &limits,
        ImageContent::CatalogOrBundle,
    )
    .map_err(|refused| CliError::new(format!("{}: {refused}", path.display())))?;
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
    let bundle = bundle::bundle_directories(files.iter().map(|file| file.path.as_str()))
        .first()
        .map(|folder| bundle::files_of(&files, folder));
    Ok(bundle.map_or(Source::Catalog(files, None), Source::Bundle))
}

/// Whether it contains real folders `manifests` and `metadata`; links do not count.
pub(crate) fn is_bundle(folder: &Path) -> bool {
    let is_folder = |name: &str| {
        folder
            .join(name)
            .symlink_metadata()
            .is_ok_and(|metadata| metadata.is_dir())
    };
    is_folder("manifests") && is_folder("metadata")
}

/// The files directly in the two folders. Unreadable files are skipped, like dangling links.
fn bundle(folder: &Path) -> Result<Vec<File>, CliError> {
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

/// The files of a catalog, without ignored ones.
fn catalog(folder: &Path) -> Result<(Vec<File>, Option<String>), CliError> {
    let found = walk::walk(folder)?;
    let mut rules = IgnoreRules::default();
    let mut files = Vec::new();
    let mut obstacle = None;
    let is_ignore_file = |path: &str| path.rsplit('/').next() == Some(FILE_NAME);
    for file in found.iter().filter(|file| is_ignore_file(&file.path)) {
        let bytes = bytes(&file.on_disk)?;
        let parent = file.path.rsplit_once('/').map_or("", |(parent, _)| parent);
        // Reading the catalog reports a line that is too long.
        let _ = rules.add(parent, &bytes);
        files.push(File {
            path: file.path.clone(),
            bytes,
        });
    }
    for file in found
        .iter()
        .filter(|file| !is_ignore_file(&file.path) && !rules.ignores(&file.path))
    {
        match file.obstacle(folder) {
            Some(reason) => drop(obstacle.get_or_insert(reason)),
            None => files.push(File {
                path: file.path.clone(),
                bytes: bytes(&file.on_disk)?,
            }),
        }
    }
    Ok((files, obstacle))
}
