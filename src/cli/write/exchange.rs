//! Texts take the places of those before them, one step each, and give them back.

use super::interrupt::Interrupt;
use super::record::{Entry, Record};
use super::staging;
use super::{NewText, Text, pieces};
use crate::error::CliError;
use crate::walk::words;
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long another process may hold a file.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why not all took their places.
pub(super) struct Stopped {
    pub(super) error: CliError,
    /// What could not be put back, in words; usually nothing.
    pub(super) left: Vec<String>,
}

/// Refuses what must not be written, or is another file than was read, before anything is.
pub(super) fn may_be_written(text: &NewText<'_>) -> Result<(), CliError> {
    let place = text.place.display();
    let failed = |error: io::Error| {
        CliError::new(format!("{place} cannot be written: {}", words(&error)))
            .hint("nothing was written")
    };
    let Some(read) = &text.read else {
        return if text.place.symlink_metadata().is_ok() {
            Err(changed(&text.place))
        } else {
            Ok(())
        };
    };
    let metadata = match fs::metadata(&text.place) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(changed(&text.place)),
        metadata => metadata.map_err(failed)?,
    };
    if metadata.permissions().readonly() {
        let error = CliError::new(format!("{place} is read-only"));
        return Err(error.hint(
            "nothing was written; make the file writable, or leave out `--write` and apply the printed patch elsewhere",
        ));
    }
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(&text.place)
        .map_err(failed)?;
    if is_text(&mut file, &**read, failed)? {
        Ok(())
    } else {
        Err(changed(&text.place))
    }
}

/// All texts take their places; when one cannot, those before it are put back.
pub(super) fn all(
    texts: &[NewText<'_>],
    record: &Record,
    interrupt: &Interrupt,
) -> Result<(), Stopped> {
    for (at, (text, entry)) in texts.iter().zip(&record.entries).enumerate() {
        if let Err(error) = interrupt.check().and_then(|()| one(text, entry, interrupt)) {
            let begun = record.entries.get(..=at).unwrap_or_default();
            return Err(Stopped {
                error,
                left: put_back(begun),
            });
        }
    }
    let folders: BTreeSet<&Path> = texts
        .iter()
        .filter_map(|text| text.place.parent())
        .collect();
    folders.into_iter().for_each(staging::flush);
    interrupt.check().map_err(|error| Stopped {
        error,
        left: put_back(&record.entries),
    })
}

/// Puts back what was exchanged, the last first. Answers with what could not be, in words. May be done again.
pub(super) fn put_back(entries: &[Entry]) -> Vec<String> {
    let back = entries.iter().rev().filter_map(|entry| {
        let place = entry.place.path();
        put_one_back(entry, &place)
            .err()
            .map(|error| match error.kind() {
                ErrorKind::Other => format!("{} was changed since it was written", place.display()),
                _ => format!(
                    "{} could not be put back: {}",
                    place.display(),
                    words(&error)
                ),
            })
    });
    let left = back.collect();
    let places: Vec<_> = entries.iter().map(|entry| entry.place.path()).collect();
    let folders: BTreeSet<&Path> = places.iter().filter_map(|place| place.parent()).collect();
    folders.into_iter().for_each(staging::flush);
    left
}

/// Two names of one file are to get two texts.
pub(crate) fn places_differ(one: &str, other: &str) -> CliError {
    CliError::new(format!(
        "{one} and {other} are the same file, but the edits differ"
    ))
    .hint("nothing was written; edit one after the other")
}

fn one(text: &NewText<'_>, entry: &Entry, interrupt: &Interrupt) -> Result<(), CliError> {
    let failed = |error: io::Error| {
        CliError::new(format!("{}: {}", text.place.display(), words(&error)))
            .hint("nothing was written")
    };
    let (place, staged) = (&text.place, entry.staged.path());
    let Some((read, kept)) = text.read.as_ref().zip(entry.kept.as_ref()) else {
        for folder in &entry.folders {
            match fs::create_dir(folder.path()) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => made.map_err(failed)?,
            }
        }
        // A link takes no place that is taken, which moving would.
        return match fs::hard_link(&staged, place) {
            Err(_) if place.symlink_metadata().is_ok() => Err(changed(place)),
            Err(_) => fs::rename(&staged, place).map_err(failed),
            Ok(()) => Ok(()),
        };
    };
    let Some(mut held) = hold(place, &|| interrupt.check())? else {
        return Err(changed(place));
    };
    if !is_text(&mut held, &**read, failed)? {
        return Err(changed(place));
    }
    let kept = kept.path();
    // A link keeps the file itself; where there are none a copy has to do.
    if fs::hard_link(place, &kept).is_err() {
        fs::copy(place, &kept)
            .and_then(|_| File::open(&kept)?.sync_all())
            .map_err(failed)?;
    }
    fs::rename(staged, place).map_err(failed)
}

fn put_one_back(entry: &Entry, place: &Path) -> io::Result<()> {
    let Some(kept) = &entry.kept else {
        if entry.identity.stands_at(place) {
            fs::remove_file(place)?;
        }
        // Those that somebody else uses by now are not empty.
        entry
            .folders
            .iter()
            .rev()
            .for_each(|folder| drop(fs::remove_dir(folder.path())));
        return Ok(());
    };
    let (kept, staged) = (kept.path(), entry.staged.path());
    if staged.exists() || !kept.exists() {
        return Ok(());
    }
    let _held = hold(place, &|| Ok(())).ok().flatten();
    if !entry.identity.stands_at(place) {
        return Err(ErrorKind::Other.into());
    }
    fs::rename(kept, place)
}

/// Opens a file and locks it, so that of several processes that compare and exchange it one does at a time. `None`: there
/// is no such file any more.
fn hold(place: &Path, go_on: &dyn Fn() -> Result<(), CliError>) -> Result<Option<File>, CliError> {
    let failed = |error: io::Error| {
        CliError::new(format!("{}: {}", place.display(), words(&error))).hint("nothing was written")
    };
    let since = Instant::now();
    loop {
        let file = match OpenOptions::new().read(true).write(true).open(place) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file.map_err(failed)?,
        };
        match file.try_lock() {
            Err(fs::TryLockError::WouldBlock) => {
                go_on()?;
                if since.elapsed() > PATIENCE {
                    let error =
                        CliError::new(format!("{} is locked by another process", place.display()));
                    return Err(
                        error.hint("nothing was written; run it again when that process has ended")
                    );
                }
                std::thread::sleep(Duration::from_millis(5));
                continue;
            }
            // File systems without locks: what is left is to compare.
            Err(fs::TryLockError::Error(_)) | Ok(()) => {}
        }
        // Who held it before may have put another file in its place.
        if is_at(&file, place) {
            return Ok(Some(file));
        }
    }
}

#[cfg(unix)]
fn is_at(file: &File, place: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let number = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    file.metadata().ok().map(number) == fs::metadata(place).ok().map(number)
}

#[cfg(not(unix))]
fn is_at(_file: &File, _place: &Path) -> bool {
    true
}

/// Compares the bytes on disk with a text; dates do not tell everything.
pub(super) fn is_text(
    file: &mut File,
    text: &dyn Text,
    failed: impl Fn(io::Error) -> CliError,
) -> Result<bool, CliError> {
    if file.metadata().map_err(&failed)?.len() != text.len() {
        return Ok(false);
    }
    let mut now = Vec::new();
    for span in pieces(text) {
        let read = text.piece(span)?;
        now.resize(read.len(), 0);
        match file.read_exact(&mut now) {
            Ok(()) if now == *read => {}
            Ok(()) => return Ok(false),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(failed(error)),
        }
    }
    // What was appended since its length was asked is another text, too.
    Ok(io::copy(&mut file.take(1), &mut io::sink()).map_err(failed)? == 0)
}

fn changed(place: &Path) -> CliError {
    CliError::new(format!(
        "{} changed on disk since it was read",
        place.display()
    ))
    .hint("nothing was written; run it again")
}
