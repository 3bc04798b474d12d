//! Runs that write in the same folders take turns, each from before it reads until it ends: what one reads is what the one
//! before it wrote, so that both are done and no update is lost.
//!
//! A run lock_modes a lock on each folder it changes, and one that others may share on every folder above, so that whoever
//! changes a folder as a whole waits for those who change a part of it. All are taken or none: nobody waits for a second
//! lock with the first one in hand. Where folders cannot be locked there are no turns, and what is left is that a file is
//! compared before it is exchanged ([`super::exchange`]).

use crate::error::CliError;
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long others may be at it.
const PATIENCE: Duration = Duration::from_secs(10);

/// Holds the locks until it is dropped.
pub(crate) struct FolderLocks(#[expect(dead_code, reason = "the locks end with it")] Vec<File>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum LockMode {
    /// With all others that change something below.
    Shared,
    Alone,
}

/// Waits until no other run changes these folders (or the folders of these files), a part of them, or one around them.
///
/// # Errors
/// Another run was not done in time.
pub(crate) fn wait(folders: &[&Path]) -> Result<FolderLocks, CliError> {
    let lock_modes = lock_modes(folders);
    let since = Instant::now();
    loop {
        let taken = match take(&lock_modes) {
            Ok(files) => return Ok(FolderLocks(files)),
            Err(taken) => taken,
        };
        if since.elapsed() > PATIENCE {
            let seconds = PATIENCE.as_secs();
            let message = format!(
                "another run is writing in {}, and did not finish within {seconds} s",
                taken.display()
            );
            return Err(CliError::new(message)
                .hint("nothing was written; run it again when that run has ended"));
        }
        // Those who began together do not go on asking together.
        std::thread::sleep(Duration::from_millis(
            5 + u64::from(std::process::id() % 16),
        ));
    }
}

fn lock_modes(folders: &[&Path]) -> BTreeMap<PathBuf, LockMode> {
    let mut lock_modes = BTreeMap::new();
    for place in folders.iter().filter_map(|place| place.canonicalize().ok()) {
        let folder = if place.is_dir() {
            Some(place.as_path())
        } else {
            place.parent()
        };
        for (at, folder) in folder
            .iter()
            .flat_map(|folder| folder.ancestors())
            .enumerate()
        {
            let hold = if at == 0 {
                LockMode::Alone
            } else {
                LockMode::Shared
            };
            let held = lock_modes.entry(folder.to_path_buf()).or_insert(hold);
            *held = hold.max(*held);
        }
    }
    lock_modes
}

/// All locks, or the folder that another run lock_modes.
fn take(lock_modes: &BTreeMap<PathBuf, LockMode>) -> Result<Vec<File>, &Path> {
    let mut taken = Vec::with_capacity(lock_modes.len());
    for (folder, hold) in lock_modes {
        // What cannot be opened cannot be locked; whether it can be read and written is found out by doing so.
        let Ok(file) = File::open(folder) else {
            continue;
        };
        let lock = match hold {
            LockMode::Shared => file.try_lock_shared(),
            LockMode::Alone => file.try_lock(),
        };
        match lock {
            Err(TryLockError::WouldBlock) => return Err(folder),
            Err(TryLockError::Error(_)) | Ok(()) => taken.push(file),
        }
    }
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_waits_for_the_whole_and_parts_do_not_wait_for_each_other() {
        let root = tempfile::tempdir().unwrap();
        let (whole, one, two) = (
            root.path().to_path_buf(),
            root.path().join("one"),
            root.path().join("two"),
        );
        std::fs::create_dir_all(one.join("deep")).unwrap();
        std::fs::create_dir(&two).unwrap();
        let lock_modes = |folder: &Path| lock_modes(&[folder]);
        let held = take(&lock_modes(&one)).unwrap();
        assert!(take(&lock_modes(&two)).is_ok(), "another part");
        assert!(take(&lock_modes(&one)).is_err(), "the same");
        assert!(
            take(&lock_modes(&one.join("deep"))).is_err(),
            "a part of it"
        );
        assert!(take(&lock_modes(&whole)).is_err(), "what it is a part of");
        drop(held);
        assert!(take(&lock_modes(&whole)).is_ok());
        let both = super::lock_modes(&[&one.join("deep"), &one]);
        assert_eq!(
            both.get(&one.canonicalize().unwrap()),
            Some(&LockMode::Alone),
            "named as such and as a folder above"
        );
    }
}
