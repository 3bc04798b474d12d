//! Texts to write, and their comparison with the files on disk.

use crate::error::CliError;
use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Bytes of a text that are read at once.
const PIECE_BYTES: usize = 1 << 20;

/// A text that is read in pieces, because several copies of a large file may not fit into memory.
pub(crate) trait Text {
    /// Returns the length in bytes.
    fn len(&self) -> u64;
    /// Returns the bytes of `span`, which must be inside the text.
    fn piece(&self, span: Range<u64>) -> Result<Cow<'_, [u8]>, CliError>;
}

pub(super) struct TextInMemory<T>(pub(super) T);

impl<T: AsRef<[u8]>> Text for TextInMemory<T> {
    fn len(&self) -> u64 {
        self.0.as_ref().len() as u64
    }

    fn piece(&self, span: Range<u64>) -> Result<Cow<'_, [u8]>, CliError> {
        let bytes = self.0.as_ref();
        let piece = bytes.get(span.start as usize..span.end as usize);
        Ok(Cow::Borrowed(piece.unwrap_or_default()))
    }
}

/// Returns the consecutive spans in which a text is read.
pub(super) fn pieces(text: &dyn Text) -> impl Iterator<Item = Range<u64>> {
    let len = text.len();
    (0..len)
        .step_by(PIECE_BYTES)
        .map(move |start| start..len.min(start + PIECE_BYTES as u64))
}

/// A file to create, or to give new content.
pub(crate) struct NewText<'a> {
    /// The path, with links resolved: the target of a link is replaced, not the link.
    pub path: PathBuf,
    /// For messages.
    pub display_path: String,
    /// The content that was read; `None` if there was no such file.
    pub old: Option<Box<dyn Text + 'a>>,
    pub new: Box<dyn Text + 'a>,
}

impl<'a> NewText<'a> {
    pub fn new<T: AsRef<[u8]> + 'a>(
        path: PathBuf,
        display_path: String,
        old: Option<T>,
        new: T,
    ) -> Self {
        Self {
            path,
            display_path,
            old: old.map(|old| Box::new(TextInMemory(old)) as Box<dyn Text + 'a>),
            new: Box::new(TextInMemory(new)),
        }
    }
}

/// Creates the error for two names of one file that would get different content.
pub(crate) fn conflicting_edits(one: &str, other: &str) -> CliError {
    cli_error!("{one} and {other} are the same file, but the edits differ")
        .hint("nothing was written; edit one after the other")
}

/// Whether a file has this content. Compares the bytes, because dates do not show every change.
pub(super) fn has_text(path: &Path, text: &dyn Text) -> Result<bool, CliError> {
    let failed = |error: io::Error| nothing_written(path, &error);
    let metadata = fs::metadata(path).map_err(failed)?;
    if !metadata.is_file() || metadata.len() != text.len() {
        return Ok(false);
    }
    let mut file = File::open(path).map_err(failed)?;
    let mut on_disk = Vec::new();
    for span in pieces(text) {
        let expected = text.piece(span)?;
        on_disk.resize(expected.len(), 0);
        match file.read_exact(&mut on_disk) {
            Ok(()) if on_disk == *expected => {}
            Ok(()) => return Ok(false),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(failed(error)),
        }
    }
    // The file may have grown since its length was read.
    Ok(io::copy(&mut file.take(1), &mut io::sink()).map_err(failed)? == 0)
}

pub(super) fn nothing_written(path: &Path, error: &io::Error) -> CliError {
    CliError::io(path, error).hint("nothing was written")
}
