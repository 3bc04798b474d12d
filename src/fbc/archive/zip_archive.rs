//! The files of a zip.

use super::limits::Budget;
use super::{ArchiveError, Member, Store, inside};
use std::io;
use zip::ZipArchive;
use zip::result::ZipError;

pub(super) fn members<S: Store>(
    store: &S,
    archive: &S::Bytes,
    budget: &mut Budget<'_>,
) -> Result<Vec<Member<S::Bytes>>, ArchiveError> {
    let mut zip = ZipArchive::new(store.open(archive)).map_err(to_archive_error)?;
    // The directory contains the number before any file is unpacked.
    budget.files(
        zip.file_names()
            .filter(|name| !name.ends_with(['/', '\\']))
            .count() as u64,
    )?;
    let mut members = Vec::new();
    for at in 0..zip.len() {
        let mut file = zip.by_index(at).map_err(to_archive_error)?;
        let path = inside(file.name())?;
        if file.is_dir() {
            continue;
        }
        let Some(path) = path else { continue };
        budget.file()?;
        let bytes = match file.is_symlink() {
            true => None,
            false => Some(budget.keep(store, &mut file)?),
        };
        members.push(Member { path, bytes });
    }
    Ok(members)
}

fn to_archive_error(error: ZipError) -> ArchiveError {
    match error {
        ZipError::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            ArchiveError::Damaged
        }
        ZipError::Io(error) => ArchiveError::Unreadable(error),
        ZipError::InvalidArchive(_) => ArchiveError::Damaged,
        ZipError::InvalidPassword | ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => {
            ArchiveError::Locked
        }
        other => ArchiveError::Unreadable(io::Error::other(other.to_string())),
    }
}
