//! Several files written as one: all or none, whatever ends the process.
//!
//! 1. [`staging`]: every new text is on disk, complete, in a folder that is outside of the catalog where there is such a
//!    place, and that `opm` ignores wherever it is.
//! 2. [`record`]: what is about to be exchanged is on disk beside the texts.
//! 3. [`exchange`]: each text takes its place in one step, if the bytes there are still those that were read; what stood
//!    there is kept with the staged texts.
//! 4. The record goes, and with it the kept texts. Until then everything can be put back: when a text cannot take its
//!    place, when a signal comes ([`interrupt`]), or by the next run when the process was killed ([`leftover`]).
//!
//! Runs that write in the same folders take turns ([`folder_locks`]). Knows nothing of catalogs.

mod exchange;
pub(super) mod folder_locks;
mod interrupt;
pub(super) mod leftover;
mod record;
mod staging;

use super::error::CliError;
use super::output;
use super::walk::words;
use exchange::Stopped;
pub(super) use exchange::places_differ;
use interrupt::Interrupt;
pub(super) use interrupt::end_by;
use record::Record;
use staging::Staging;
pub(super) use staging::{OWNER, PREFIX};
use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A text that is read a piece at a time: a file may be larger than what should be held several times.
pub(super) trait Text {
    /// Bytes.
    fn len(&self) -> u64;
    /// The bytes of `span`, which lies in the text.
    fn piece(&self, span: Range<u64>) -> Result<Cow<'_, [u8]>, CliError>;
}

/// A text that is in memory anyway.
struct Held<T>(T);

impl<T: AsRef<[u8]>> Text for Held<T> {
    fn len(&self) -> u64 {
        self.0.as_ref().len() as u64
    }

    fn piece(&self, span: Range<u64>) -> Result<Cow<'_, [u8]>, CliError> {
        Ok(Cow::Borrowed(
            self.0
                .as_ref()
                .get(span.start as usize..span.end as usize)
                .unwrap_or_default(),
        ))
    }
}

/// The spans of a text that are read one after the other.
fn pieces(text: &dyn Text) -> impl Iterator<Item = Range<u64>> {
    let len = text.len();
    (0..len)
        .step_by(PIECE)
        .map(move |start| start..len.min(start + PIECE as u64))
}

/// So many bytes are read at once.
const PIECE: usize = 1 << 20;

/// A file that gets another text, or comes in.
pub(super) struct NewText<'a> {
    /// Where it is; no link.
    pub(super) place: PathBuf,
    /// As it is shown.
    pub(super) shown: String,
    /// What was read; `None`: there was no such file.
    pub(super) read: Option<Box<dyn Text + 'a>>,
    pub(super) new: Box<dyn Text + 'a>,
}

impl<'a> NewText<'a> {
    /// Of texts that are in memory anyway.
    pub(super) fn held<T: AsRef<[u8]> + 'a>(
        place: PathBuf,
        shown: String,
        read: Option<T>,
        new: T,
    ) -> Self {
        Self {
            place,
            shown,
            read: read.map(|read| Box::new(Held(read)) as Box<dyn Text + 'a>),
            new: Box::new(Held(new)),
        }
    }
}

/// Writes them all or none. `folders` are those that the run was asked to change; what is staged stands beside the first.
pub(super) fn write(mut texts: Vec<NewText<'_>>, folders: &[PathBuf]) -> Result<(), CliError> {
    // Whoever writes some of the same files meets the others at the first of them.
    texts.sort_by(|a, b| a.place.cmp(&b.place));
    texts.iter().try_for_each(exchange::may_be_written)?;
    let Some(beside) = folders.first().filter(|_| !texts.is_empty()) else {
        return Ok(());
    };
    let interrupt = Interrupt::watch();
    let mut staging = Staging::new(beside, folders).map_err(|error| at(beside, &error))?;
    match stage_and_exchange(&texts, &mut staging, &interrupt) {
        Ok(()) => {
            for name in staging.named_elsewhere() {
                output::note(&format!(
                    "{name} has hard links; its other names keep the old content"
                ));
            }
            staging.remove();
            Ok(())
        }
        Err(Stopped { error, left }) if left.is_empty() => {
            staging.remove();
            Err(error)
        }
        // What could not be put back is not thrown away.
        Err(Stopped { left, .. }) => {
            let message = format!(
                "writing stopped, and not everything was put back: {}",
                left.join("; ")
            );
            let hint = format!(
                "the original files are kept in {}; compare them, then remove it",
                staging.folder().display()
            );
            Err(CliError::new(message).hint(hint))
        }
    }
}

fn stage_and_exchange(
    texts: &[NewText<'_>],
    staging: &mut Staging,
    interrupt: &Interrupt,
) -> Result<(), Stopped> {
    let mut staged = Vec::with_capacity(texts.len());
    for text in texts {
        interrupt.check()?;
        staged.push(staging.add(text)?);
    }
    let record = Record::new(staging, staged);
    record
        .write(staging.folder())
        .map_err(|error| at(staging.folder(), &error))?;
    exchange::all(texts, &record, interrupt)
}

/// Nothing was written.
impl From<CliError> for Stopped {
    fn from(error: CliError) -> Self {
        Self {
            error,
            left: Vec::new(),
        }
    }
}

fn at(place: &Path, error: &io::Error) -> CliError {
    CliError::new(format!("{}: {}", place.display(), words(error))).hint("nothing was written")
}
