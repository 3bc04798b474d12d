//! Reports the staging folders of runs that were killed.

use super::staging::{LIST_NAME, PREFIX};
use crate::output;
use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Folders that this process has reported already: catalogs beside each other share their
/// leftovers.
static REPORTED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Warns about leftovers beside a folder, in it, and around the given files below it.
pub(crate) fn report_leftovers<P: AsRef<Path>>(folder: &Path, files: impl IntoIterator<Item = P>) {
    let Ok(folder) = folder.canonicalize() else {
        return;
    };
    let searched = folder.parent().into_iter().chain([folder.as_path()]);
    let candidates = searched
        .flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten())
        .map(|entry| entry.path());
    let below = files
        .into_iter()
        .filter_map(|file| file.as_ref().parent().map(Path::to_path_buf))
        .filter(|folder| has_prefix(folder))
        .filter_map(|folder| folder.canonicalize().ok());
    for path in candidates.chain(below).filter(|path| is_leftover(path)) {
        let is_new = REPORTED
            .lock()
            .is_ok_and(|mut reported| reported.insert(path.clone()));
        if is_new {
            output::print_diagnostic(
                "warning",
                &format!(
                    "{} was left by a run that was killed while it wrote",
                    path.display()
                ),
                None,
                &format!(
                    "{LIST_NAME} in that folder lists the old and new files: compare the catalog with them, then remove \
                     the folder; if none of your runs was killed, the folder came with the catalog and can be removed"
                ),
            );
        }
    }
}

fn is_leftover(path: &Path) -> bool {
    if !has_prefix(path) || !fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir()) {
        return false;
    }
    // A run that is alive holds a lock on its folder.
    let lock = File::open(path).map(|folder| folder.try_lock());
    !matches!(lock, Ok(Err(TryLockError::WouldBlock)))
}

fn has_prefix(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.as_encoded_bytes().starts_with(PREFIX.as_bytes())
}
