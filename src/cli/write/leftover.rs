//! What a run left that was killed while it wrote: found beside and in the folders of the next run, shown, and put back
//! before that one writes itself.

use super::exchange;
use super::record::{EncodedPath, Record};
use super::staging::{OWNER, Owner, PREFIX, remove_empty_staging_folder, remove_staging_folder};
use crate::output;
use crate::walk::words;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// A staging folder whose run is dead.
struct Leftover {
    staging_folder: PathBuf,
    owner: Owner,
    record: std::io::Result<Option<Record>>,
    /// Another user's are not touched.
    is_ours: bool,
    /// Keeps others from putting it back at the same time.
    _lock: File,
}

/// Says what a killed run left that concerns this folder. Changes nothing; `inside` are staging folders in it.
pub(crate) fn report(folder: &Path, inside: &[PathBuf]) {
    let Ok(folder) = folder.canonicalize() else {
        return;
    };
    let staging_folders = beside(&folder).into_iter().chain(
        inside
            .iter()
            .filter_map(|staging_folder| staging_folder.canonicalize().ok()),
    );
    for left in dead(staging_folders.collect(), &[folder]) {
        let staging_folder = left.staging_folder.display();
        let help = match (&left.record, left.is_ours) {
            (_, false) => {
                "it belongs to another user; their next `switchyard edit … --write` here cleans it up"
            }
            (Ok(None), _) => {
                "no file is half written; the next `switchyard edit … --write` here removes it"
            }
            _ => {
                "some files may be written and others not; the next `switchyard edit … --write` here puts them back"
            }
        };
        let process = left.owner.process;
        let message = format!(
            "a run (process {process}) was killed while it wrote, and left {staging_folder}"
        );
        output::print_diagnostic("warning", &message, None, help);
    }
}

/// Puts back what killed runs wrote that concerns these folders, and removes what they left. Says what it did.
pub(crate) fn clear(folders: &[&Path]) {
    let folders: Vec<PathBuf> = folders
        .iter()
        .filter_map(|folder| folder.canonicalize().ok())
        .collect();
    let staging_folders = folders
        .iter()
        .flat_map(|folder| beside(folder).into_iter().chain(below(folder)));
    let staging_folders: Vec<PathBuf> = staging_folders.collect();
    staging_folders
        .iter()
        .for_each(|staging_folder| remove_unowned(staging_folder));
    for left in dead(staging_folders, &folders)
        .iter()
        .filter(|left| left.is_ours)
    {
        put_back(left);
    }
}

fn put_back(left: &Leftover) {
    let (staging_folder, process) = (left.staging_folder.display(), left.owner.process);
    let killed = format!("a run (process {process}) was killed while it wrote");
    let record = match &left.record {
        Ok(Some(record)) => record,
        Ok(None) => {
            let did = if Record::is_closed(&left.staging_folder) {
                "nothing was left to put back"
            } else {
                "it had changed nothing"
            };
            output::note(&format!("{killed}: {did}; {staging_folder} is removed"));
            remove_staging_folder(&left.staging_folder);
            return;
        }
        Err(error) => {
            let message = format!(
                "{killed}, and its record cannot be read ({staging_folder}: {})",
                words(error)
            );
            output::print_diagnostic(
                "warning",
                &message,
                None,
                &format!("look at the files, then remove {staging_folder}"),
            );
            return;
        }
    };
    let written: Vec<PathBuf> = record
        .entries
        .iter()
        .filter_map(|entry| entry.is_written())
        .collect();
    let unsettled = exchange::put_back(&record.entries);
    if unsettled.is_empty() {
        let files = match written.len() {
            0 => "none".to_owned(),
            1 => "1 file".to_owned(),
            n => format!("{n} files"),
        };
        let all = record.entries.len();
        output::note(&format!(
            "{killed}: {files} of {all} had been written; everything is back as it was"
        ));
        Record::forget(&left.staging_folder);
        for staging_folder in record
            .staged_in
            .iter()
            .map(EncodedPath::path)
            .filter(|staging_folder| is_staging_folder(staging_folder))
        {
            remove_staging_folder(&staging_folder);
        }
    } else {
        let message = format!(
            "{killed}; not everything was put back: {}",
            unsettled.join("; ")
        );
        let help = format!(
            "the original files are kept in {staging_folder}; compare them, then remove it"
        );
        output::print_diagnostic("warning", &message, None, &help);
    }
}

/// Removes a folder in which nothing says whose it is: its run was killed before it staged anything, or when all was
/// removed but that. A run that is just making it finds itself another one.
fn remove_unowned(staging_folder: &Path) {
    let owner = staging_folder.join(OWNER);
    let is_nobodys = match File::open(&owner) {
        Ok(lock) => {
            lock.try_lock().is_ok() && fs::metadata(&owner).is_ok_and(|owner| owner.len() == 0)
        }
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    };
    if is_nobodys && is_ours(staging_folder) && remove_empty_staging_folder(staging_folder) {
        output::note(&format!(
            "removed {}, an empty leftover of a run that was killed",
            staging_folder.display()
        ));
    }
}

/// Those whose run is dead and that concern these folders.
fn dead(mut staging_folders: Vec<PathBuf>, folders: &[PathBuf]) -> Vec<Leftover> {
    staging_folders.sort();
    staging_folders.dedup();
    let overlaps = |changed: &EncodedPath| {
        let changed = changed.path();
        folders
            .iter()
            .any(|folder| folder.starts_with(&changed) || changed.starts_with(folder))
    };
    let found = staging_folders.into_iter().filter_map(|staging_folder| {
        let is_ours = is_ours(&staging_folder);
        let path = staging_folder.join(OWNER);
        let Ok(lock) = File::open(&path) else {
            return None;
        };
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => return None,
        }
        let Ok(owner) = serde_json::from_slice::<Owner>(&fs::read(&path).ok()?) else {
            return None;
        };
        // Those on other file systems go with the one that has the record.
        let first = owner.first.path();
        let goes_with_another = first != staging_folder && first.exists();
        let concerns = owner.folders.iter().any(overlaps);
        (concerns && !goes_with_another).then(|| Leftover {
            record: Record::read(&staging_folder),
            staging_folder,
            owner,
            is_ours,
            _lock: lock,
        })
    });
    found.collect()
}

/// Staging folders beside a folder, and beside those above it.
fn beside(folder: &Path) -> Vec<PathBuf> {
    folder.ancestors().flat_map(staging_folders_in).collect()
}

/// Staging folders anywhere in a folder.
fn below(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(&at).into_iter().flatten().flatten() {
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            if is_staging_folder(&entry.path()) {
                found.push(entry.path())
            } else {
                folders.push(entry.path())
            }
        }
    }
    found
}

fn staging_folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_named_so =
        |name: &std::ffi::OsStr| name.as_encoded_bytes().starts_with(PREFIX.as_bytes());
    entries
        .filter(|entry| is_named_so(&entry.file_name()))
        .map(|entry| entry.path())
        .filter(|path| is_staging_folder(path))
        .collect()
}

fn is_staging_folder(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(PREFIX.as_bytes()))
        && fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Whether this user made it: what another one says that was written must not be believed.
#[cfg(unix)]
fn is_ours(staging_folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    fs::symlink_metadata(staging_folder).is_ok_and(|metadata| metadata.uid() == user)
}

#[cfg(not(unix))]
fn is_ours(_area: &Path) -> bool {
    true
}
