//! Output of a new catalog: printed as one stream, or written to a new folder, either all files or none.

use crate::error::CliError;
use crate::input::walk::io_reason;
use crate::output;
use crate::write::{self, FolderLocks, NewText};
use fbc::edit::concatenate::{ConcatenatedFile, concatenate};
use protocol::counting::count_of;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A file of a new catalog.
pub(crate) struct OutputFile {
    /// Relative to the folder. Not a `String`, since a file name need not be UTF-8.
    pub(crate) path: PathBuf,
    /// Whether it contains blobs of the catalog.
    pub(crate) counts: bool,
    pub(crate) bytes: Vec<u8>,
}

/// The catalog as one stream.
pub(crate) fn join(files: &[OutputFile]) -> Result<Vec<u8>, CliError> {
    let names: Vec<String> = files
        .iter()
        .map(|file| file.path.display().to_string())
        .collect();
    let counted = names.iter().zip(files).filter(|(_, file)| file.counts);
    let joined: Vec<ConcatenatedFile<'_>> = counted
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
            return Err(
                CliError::new(format!("{path} is a file")).hint("name a new folder with --out")
            );
        }
        Err(error) => return Err(CliError::new(format!("{path}: {}", io_reason(&error)))),
    };
    match entries.next() {
        None => Ok(()),
        Some(_) => {
            Err(CliError::new(format!("{path} is not empty")).hint("name a new folder with --out"))
        }
    }
}

/// Writes all files to the folder, or none. Creates the folder.
pub(crate) fn write(out: &Path, files: Vec<OutputFile>) -> Result<(), CliError> {
    let made = make(out)?;
    let folder = out.canonicalize().unwrap_or_else(|_| out.to_path_buf());
    let text = |file: OutputFile| {
        NewText::new(
            folder.join(&file.path),
            out.join(&file.path).display().to_string(),
            None,
            file.bytes,
        )
    };
    let count = files.len();
    let texts = files.into_iter().map(text).collect();
    let written = FolderLocks::wait(&[&folder]).and_then(|locks| write::write(texts, &locks));
    match written {
        Ok(()) => output::note(&format!(
            "wrote {} to {}",
            count_of(count, "file"),
            out.display()
        )),
        // Removes the created folders again; one that is not empty stays.
        Err(_) => made
            .iter()
            .rev()
            .for_each(|folder| drop(fs::remove_dir(folder))),
    }
    written
}

/// Creates a folder and its parents. Returns the created ones, topmost first.
fn make(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let above = folder
        .ancestors()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut missing: Vec<PathBuf> = above
        .take_while(|folder| !folder.exists())
        .map(Path::to_path_buf)
        .collect();
    missing.reverse();
    fs::create_dir_all(folder)
        .map_err(|error| CliError::new(format!("{}: {}", folder.display(), io_reason(&error))))?;
    Ok(missing)
}
