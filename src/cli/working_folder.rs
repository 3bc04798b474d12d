//! Where the program was started, which `-C` goes away from: commands that are told are for there.

use fbc::edit::command_line::{quoted, quoted_bytes};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Set once, from the command line.
static CHANGED_TO: OnceLock<PathBuf> = OnceLock::new();

/// Goes to each of these folders, each seen from the one before. An error comes with its folder.
pub(super) fn go(folders: &[PathBuf]) -> Result<(), (PathBuf, io::Error)> {
    for folder in folders {
        std::env::set_current_dir(folder).map_err(|error| (folder.clone(), error))?;
    }
    let _ = CHANGED_TO.set(folders.iter().collect());
    Ok(())
}

/// A path as a word of the shell where the program was started.
pub(super) fn word(path: &Path) -> String {
    let path = CHANGED_TO
        .get()
        .map_or_else(|| path.to_path_buf(), |gone_to| gone_to.join(path));
    match path.to_str() {
        Some(text) => quoted(text),
        None => quoted_bytes(path.as_os_str().as_encoded_bytes()),
    }
}
