//! Advisory locks on catalog folders. A run holds them from before it reads until its last rename, so that runs on the same
//! folder take turns and no update is lost.
//!
//! A run locks each folder that it changes exclusively, and shares a lock on every folder above, so that a run on a folder
//! waits for runs on parts of it. It takes all locks or none, because waiting for a second lock while holding a first one
//! could deadlock. Some file systems have no locks; there, only the comparison before each rename protects the files.

use crate::error::CliError;
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long to wait for other runs.
const PATIENCE: Duration = Duration::from_secs(10);

/// Holds the locks until it is dropped.
#[derive(Debug)]
pub(crate) struct FolderLocks {
    folders: Vec<PathBuf>,
    _locks: Vec<File>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum LockMode {
    Shared,
    Exclusive,
}

impl FolderLocks {
    /// Waits until no other run changes these folders (or the folders of these files), a part of them, or one around them.
    ///
    /// # Errors
    /// Another run did not finish in time.
    pub(crate) fn wait<P: AsRef<Path>>(places: &[P]) -> Result<Self, CliError> {
        let folders: Vec<PathBuf> = places
            .iter()
            .filter_map(|place| folder(place.as_ref()))
            .collect();
        let lock_modes = lock_modes(&folders);
        let since = Instant::now();
        loop {
            let busy = match lock_all(&lock_modes) {
                Ok(locks) => {
                    return Ok(Self {
                        folders,
                        _locks: locks,
                    });
                }
                Err(busy) => busy,
            };
            if since.elapsed() > PATIENCE {
                let message = format!(
                    "another run is writing in {}, and did not finish within {} s",
                    busy.display(),
                    PATIENCE.as_secs()
                );
                return Err(CliError::new(message)
                    .hint("nothing was written; run it again when that run has ended"));
            }
            // Runs that start together try again at different times.
            let millis = 5 + u64::from(std::process::id() % 16);
            std::thread::sleep(Duration::from_millis(millis));
        }
    }

    /// The locked folders, with links resolved.
    pub(super) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }
}

/// The folder itself, or that of a file, with links resolved.
fn folder(place: &Path) -> Option<PathBuf> {
    let place = place.canonicalize().ok()?;
    match place.is_dir() {
        true => Some(place),
        false => place.parent().map(Path::to_path_buf),
    }
}

fn lock_modes(folders: &[PathBuf]) -> BTreeMap<&Path, LockMode> {
    let mut lock_modes = BTreeMap::new();
    for folder in folders {
        for above in folder.ancestors().skip(1) {
            lock_modes.entry(above).or_insert(LockMode::Shared);
        }
        lock_modes.insert(folder, LockMode::Exclusive);
    }
    lock_modes
}

/// All locks, or the folder that another run holds.
fn lock_all<'a>(lock_modes: &BTreeMap<&'a Path, LockMode>) -> Result<Vec<File>, &'a Path> {
    let mut locks = Vec::with_capacity(lock_modes.len());
    for (folder, mode) in lock_modes {
        // A folder that cannot be opened cannot be locked. Reading and writing will show whether that matters.
        let Ok(file) = File::open(folder) else {
            continue;
        };
        let lock = match mode {
            LockMode::Shared => file.try_lock_shared(),
            LockMode::Exclusive => file.try_lock(),
        };
        match lock {
            Err(TryLockError::WouldBlock) => return Err(folder),
            Err(TryLockError::Error(_)) | Ok(()) => locks.push(file),
        }
    }
    Ok(locks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_waits_for_the_whole_and_parts_do_not_wait_for_each_other() {
        let root = tempfile::tempdir().unwrap();
        let whole = root.path().canonicalize().unwrap();
        let (one, two, deep) = (whole.join("one"), whole.join("two"), whole.join("one/deep"));
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::create_dir(&two).unwrap();
        let lock = |folder: &PathBuf| lock_all(&lock_modes(std::slice::from_ref(folder))).ok();
        let held = lock(&one).unwrap();
        assert!(lock(&two).is_some(), "another part");
        assert!(lock(&one).is_none(), "the same folder");
        assert!(lock(&deep).is_none(), "a part of it");
        assert!(lock(&whole).is_none(), "the folder around it");
        drop(held);
        assert!(lock(&whole).is_some());
        for both in [[deep.clone(), one.clone()], [one.clone(), deep.clone()]] {
            assert_eq!(lock_modes(&both).get(&*one), Some(&LockMode::Exclusive));
        }
    }
}
