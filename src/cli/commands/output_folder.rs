//! The folder that a new catalog is written to: all files or none.

use crate::error::{CliError, io_reason};
use crate::output;
use crate::write::{self, FolderLocks, NewText};
use ::edit::concatenate::{ConcatenatedFile, concatenate};
use protocol::counting::count_of;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A file of a new catalog.
pub(crate) struct OutputFile {
    /// Relative to the folder. Not a `String`, since a file name need not be UTF-8.
    pub path: PathBuf,
    /// Whether it contains blobs of the catalog.
    pub has_blobs: bool,
    pub bytes: Vec<u8>,
}

/// Joins the files with blobs to one stream.
pub(crate) fn join(files: &[OutputFile]) -> Result<Vec<u8>, CliError> {
    let names: Vec<String> = files
        .iter()
        .map(|file| file.path.display().to_string())
        .collect();
    let joined: Vec<ConcatenatedFile<'_>> = names
        .iter()
        .zip(files)
        .filter(|(_, file)| file.has_blobs)
        .map(|(path, file)| ConcatenatedFile {
            path,
            text: &file.bytes,
        })
        .collect();
    Ok(concatenate(&joined)?)
}

/// Refuses a folder that is not empty.
pub(crate) fn require_empty(out: &Path) -> Result<(), CliError> {
    let path = out.display();
    let mut entries = match fs::read_dir(out) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Err(cli_error!("{path} is a file").hint("name a new folder with --out"));
        }
        Err(error) => return Err(cli_error!("{path}: {}", io_reason(&error))),
    };
    if entries.next().is_some() {
        return Err(cli_error!("{path} is not empty").hint("name a new folder with --out"));
    }
    Ok(())
}

/// Writes all files to the folder, or none. Creates the folder.
pub(crate) fn write_new(out: &Path, files: Vec<OutputFile>) -> Result<(), CliError> {
    let created_folders = create_folder(out)?;
    let folder = out.canonicalize().unwrap_or_else(|_| out.to_path_buf());
    let count = files.len();
    let texts = files
        .into_iter()
        .map(|file| {
            let display_path = out.join(&file.path).display().to_string();
            NewText::new(folder.join(&file.path), display_path, None, file.bytes)
        })
        .collect();
    let result = FolderLocks::wait(&[&folder]).and_then(|locks| write::write(texts, &locks));
    if result.is_err() {
        for folder in created_folders.iter().rev() {
            // Fails if another process put something in it.
            let _ = fs::remove_dir(folder);
        }
        return result;
    }
    let files = count_of(count, "file");
    output::print_note(&format!("wrote {files} to {}", out.display()));
    Ok(())
}

/// Creates a folder and its parents. Returns the created ones, topmost first.
fn create_folder(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let mut missing: Vec<PathBuf> = folder
        .ancestors()
        .filter(|folder| !folder.as_os_str().is_empty())
        .take_while(|folder| !folder.exists())
        .map(Path::to_path_buf)
        .collect();
    missing.reverse();
    fs::create_dir_all(folder).map_err(|error| CliError::io(folder, &error))?;
    Ok(missing)
}
