//! Locks on catalog folders: one run at a time changes a folder.

use crate::error::CliError;
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long to wait for the locks of other runs.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Locks on folders, held until they are dropped.
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
    /// Waits until no other run changes these folders (or the folders of these files), their
    /// subfolders or their ancestors.
    ///
    /// # Errors
    ///
    /// Another run did not finish in time.
    pub fn wait<P: AsRef<Path>>(paths: &[P]) -> Result<Self, CliError> {
        let folders: Vec<PathBuf> = paths
            .iter()
            .filter_map(|path| folder_of(path.as_ref()))
            .collect();
        let lock_modes = lock_modes(&folders);
        let start = Instant::now();
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
            if start.elapsed() > MAX_WAIT {
                let message = format!(
                    "another run is writing in {}, and did not finish within {} s",
                    busy.display(),
                    MAX_WAIT.as_secs()
                );
                return Err(CliError::new(message)
                    .hint("nothing was written; run it again when that run has ended"));
            }
            // Runs that start together retry at different times.
            let millis = 5 + u64::from(std::process::id() % 16);
            std::thread::sleep(Duration::from_millis(millis));
        }
    }

    /// Returns the locked folders, with links resolved.
    pub(super) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }
}

/// Returns the folder itself, or that of a file, with links resolved.
fn folder_of(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    if path.is_dir() {
        Some(path)
    } else {
        path.parent().map(Path::to_path_buf)
    }
}

fn lock_modes(folders: &[PathBuf]) -> BTreeMap<&Path, LockMode> {
    let mut lock_modes = BTreeMap::new();
    for folder in folders {
        for ancestor in folder.ancestors().skip(1) {
            lock_modes.entry(ancestor).or_insert(LockMode::Shared);
        }
        lock_modes.insert(folder, LockMode::Exclusive);
    }
    lock_modes
}

/// Takes all locks, or returns the folder that another run has locked.
fn lock_all<'a>(lock_modes: &BTreeMap<&'a Path, LockMode>) -> Result<Vec<File>, &'a Path> {
    let mut locks = Vec::with_capacity(lock_modes.len());
    for (folder, mode) in lock_modes {
        // A folder that cannot be opened cannot be locked. Reading and writing will show whether
        // that matters.
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
    fn subfolders_are_locked_with_their_ancestors_but_not_with_each_other() {
        let root = tempfile::tempdir().unwrap();
        let parent = root.path().canonicalize().unwrap();
        let (one, two, deep) = (
            parent.join("one"),
            parent.join("two"),
            parent.join("one/deep"),
        );
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::create_dir(&two).unwrap();
        let lock = |folder: &PathBuf| lock_all(&lock_modes(std::slice::from_ref(folder))).ok();
        let held = lock(&one).unwrap();
        assert!(lock(&two).is_some(), "another subfolder");
        assert!(lock(&one).is_none(), "the same folder");
        assert!(lock(&deep).is_none(), "its subfolder");
        assert!(lock(&parent).is_none(), "its parent");
        drop(held);
        assert!(lock(&parent).is_some());
        for both in [[deep.clone(), one.clone()], [one.clone(), deep.clone()]] {
            assert_eq!(lock_modes(&both).get(&*one), Some(&LockMode::Exclusive));
        }
    }
}
