//! A file as it is now: ranges of the original bytes and inserted text. The original is never held
//! in memory; requested ranges are read through [`ByteSource`]. Knows neither YAML nor disks.
//!
//! Invariants: pieces are not empty; original pieces are in their original order and do not
//! overlap; adjacent pieces that could be one are joined. So an undone edit leaves the table as if
//! it had never been made.

use super::digest::Digest;
use super::{ByteSource, ReadError};
use crate::model::FileId;
use crate::source::text_edit::TextEdits;
use std::ops::Range;
use std::sync::Arc;
use syntax::place::{MAX_FILE_BYTES, narrow};

/// Larger ranges are read in several steps of this many bytes.
const MAX_BATCH_BYTES: u64 = 16 << 20;

/// The search for a line break reads this many bytes first, and in each further step this many
/// times as many as before.
const FIRST_LINE_STEP: u64 = 512;
const LINE_STEP_GROWTH: u64 = 8;

/// One file as a sequence of pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PieceTable {
    original: u64,
    pieces: Vec<Piece>,
    /// End of each piece in the current file.
    ends: Vec<u64>,
}

/// The inverse of one change: the pieces that it replaced. Valid only for the table after that
/// change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PieceUndo(Vec<Replacement>);

/// A region in which the file differs from its original; one of the two ranges may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    pub original: Range<u64>,
    pub current: Range<u64>,
}

/// Why edits do not fit a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PieceError {
    #[error("byte {at} is past the end of the file, which has {len} bytes")]
    OutOfRange { at: u64, len: u64 },
    #[error("the file would have {len} bytes; at most {MAX_FILE_BYTES} (4 GiB) can be edited")]
    TooLong { len: u64 },
}

/// Known line numbers of an original file: `(offset, line of that offset)`, sorted, lines from 0.
/// With the starts of the blobs as marks, finding a line reads at most one blob.
#[derive(Debug, Clone, Copy, Default)]
pub struct LineMarks<'a>(pub &'a [(u64, u32)]);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Original(Range<u64>),
    Inserted(Arc<[u8]>, Range<usize>),
}

/// A range of the current file and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Replacement {
    range: Range<u64>,
    pieces: Vec<Piece>,
}

impl PieceTable {
    /// Creates the table of an unchanged file of `len` bytes. A file that does not exist yet has an
    /// original of 0 bytes.
    pub fn new(len: u64) -> Self {
        let pieces = if len == 0 {
            Vec::new()
        } else {
            vec![Piece::Original(0..len)]
        };
        let ends = pieces.iter().map(Piece::len).collect();
        Self {
            original: len,
            pieces,
            ends,
        }
    }

    /// Returns the length of the file as it is now.
    pub fn len(&self) -> u64 {
        self.ends.last().copied().unwrap_or_default()
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    pub fn original_len(&self) -> u64 {
        self.original
    }

    /// Whether no edit changed a byte. Text replaced by equal text counts as changed.
    pub fn is_original(&self) -> bool {
        match self.pieces.as_slice() {
            [] => self.original == 0,
            [Piece::Original(range)] => *range == (0..self.original),
            _ => false,
        }
    }

    /// Changes the file. All offsets are of the file before the change.
    pub fn apply(&mut self, edits: &TextEdits) -> Result<PieceUndo, PieceError> {
        let len = self.len();
        let ends = edits
            .as_slice()
            .iter()
            .map(|edit| edit.range.end.max(edit.range.start) as u64);
        if let Some(at) = ends.max().filter(|&end| end > len) {
            return Err(PieceError::OutOfRange { at, len });
        }
        let edits = edits.as_slice();
        let removed: u64 = edits.iter().map(|edit| edit.range.len() as u64).sum();
        let inserted: u64 = edits.iter().map(|edit| edit.insert.len() as u64).sum();
        let after = len.saturating_sub(removed).saturating_add(inserted);
        if after > MAX_FILE_BYTES && inserted > 0 {
            return Err(PieceError::TooLong { len: after });
        }
        let replacements = edits.iter().map(|edit| Replacement {
            range: edit.range.start as u64..edit.range.end as u64,
            pieces: inserted_pieces(&edit.insert),
        });
        Ok(PieceUndo(self.replace_pieces(replacements.collect())))
    }

    /// Combines this table's changes with those of `later`, whose original is this table's text.
    pub fn then(&self, later: &Self) -> Self {
        let mut joined = Self {
            original: self.original,
            pieces: Vec::new(),
            ends: Vec::new(),
        };
        for piece in &later.pieces {
            match piece {
                Piece::Original(range) => joined.extend(self.parts(range.clone())),
                inserted => joined.push(inserted.clone()),
            }
        }
        joined
    }

    /// Undoes the last change. The returned value redoes it.
    pub fn undo(&mut self, undo: PieceUndo) -> PieceUndo {
        PieceUndo(self.replace_pieces(undo.0))
    }

    /// Reads the bytes of `range` of the current file, cut to its end. Small ranges are read in one
    /// batch, large ones piece by piece, so that they are not in memory twice.
    pub fn read(
        &self,
        file: FileId,
        range: Range<u64>,
        source: &dyn ByteSource,
    ) -> Result<Vec<u8>, ReadError> {
        let parts = self.parts(range);
        let len: u64 = parts.iter().map(Piece::len).sum();
        if len > MAX_FILE_BYTES {
            return Err(too_long_to_read(file, len));
        }
        let mut out = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
        if len > MAX_BATCH_BYTES {
            for part in &parts {
                match part {
                    Piece::Original(range) => {
                        for start in (range.start..range.end).step_by(MAX_BATCH_BYTES as usize) {
                            let span = start..range.end.min(start + MAX_BATCH_BYTES);
                            checked_read(source, &[(file, span)])?
                                .iter()
                                .for_each(|bytes| out.extend_from_slice(bytes));
                        }
                    }
                    Piece::Inserted(text, range) => out.extend_from_slice(&text[range.clone()]),
                }
            }
            return Ok(out);
        }
        let spans: Vec<_> = parts
            .iter()
            .filter_map(Piece::original)
            .map(|span| (file, span))
            .collect();
        let mut read = checked_read(source, &spans)?.into_iter();
        for part in &parts {
            match part {
                Piece::Original(_) => out.extend(read.next().unwrap_or_default()),
                Piece::Inserted(text, range) => out.extend_from_slice(&text[range.clone()]),
            }
        }
        Ok(out)
    }

    pub fn text(&self, file: FileId, source: &dyn ByteSource) -> Result<Vec<u8>, ReadError> {
        self.read(file, 0..self.len(), source)
    }

    /// Returns the digest of the current file. `original_digest` gives that of a range of the
    /// original.
    pub fn digest(&self, original_digest: impl Fn(Range<u64>) -> Digest) -> Digest {
        self.pieces.iter().fold(Digest::default(), |digest, piece| {
            digest.then(match piece {
                Piece::Original(range) => original_digest(range.clone()),
                Piece::Inserted(text, range) => Digest::from_bytes(&text[range.clone()]),
            })
        })
    }

    /// Returns the regions in which the file differs from its original, in order, without reading
    /// either.
    pub fn regions(&self) -> Vec<Region> {
        let mut regions: Vec<Region> = Vec::new();
        let (mut original, mut current, mut changed) = (0, 0, 0);
        let mut close = |original: Range<u64>, current: Range<u64>| {
            if !original.is_empty() || !current.is_empty() {
                regions.push(Region { original, current });
            }
        };
        for piece in &self.pieces {
            if let Piece::Original(range) = piece {
                close(original..range.start, changed..current);
                original = range.end;
                changed = current + piece.len();
            }
            current += piece.len();
        }
        close(original..self.original, changed..current);
        regions
    }

    /// Returns the line and column, both from 0, of an offset of the file as it is now. Columns
    /// count characters.
    pub fn line_column(
        &self,
        file: FileId,
        offset: u64,
        marks: LineMarks<'_>,
        source: &dyn ByteSource,
    ) -> Result<(u32, u32), ReadError> {
        let offset = offset.min(self.len());
        let line = self.lines_in(file, 0..offset, marks, source)?;
        let column = self.read(file, self.line_start(file, offset, source)?..offset, source)?;
        Ok((
            line,
            narrow(column.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()),
        ))
    }

    /// Counts the line breaks in a range of the file as it is now.
    pub fn lines_in(
        &self,
        file: FileId,
        range: Range<u64>,
        marks: LineMarks<'_>,
        source: &dyn ByteSource,
    ) -> Result<u32, ReadError> {
        let mut lines = 0u32;
        let mut spans = Vec::new();
        for part in self.parts(range) {
            match part {
                Piece::Original(range) => {
                    lines = lines
                        .saturating_add(marks.known_lines(range, |span| spans.push((file, span))));
                }
                Piece::Inserted(text, range) => {
                    lines = lines.saturating_add(count_breaks(&text[range]))
                }
            }
        }
        let counted = checked_read(source, &spans)?;
        Ok(counted.iter().fold(lines, |lines, bytes| {
            lines.saturating_add(count_breaks(bytes))
        }))
    }

    /// Returns the first byte of the line that contains `offset`.
    pub fn line_start(
        &self,
        file: FileId,
        offset: u64,
        source: &dyn ByteSource,
    ) -> Result<u64, ReadError> {
        let (mut end, mut step) = (offset.min(self.len()), FIRST_LINE_STEP);
        while end > 0 {
            let start = end.saturating_sub(step);
            if let Some(newline) = memchr::memrchr(b'\n', &self.read(file, start..end, source)?) {
                return Ok(start + newline as u64 + 1);
            }
            (end, step) = (start, step * LINE_STEP_GROWTH);
        }
        Ok(0)
    }

    /// Returns the byte after the line break of the line that contains `offset`, or the file's end
    /// for its last line.
    pub fn line_end(
        &self,
        file: FileId,
        offset: u64,
        source: &dyn ByteSource,
    ) -> Result<u64, ReadError> {
        let (mut start, mut step, len) = (offset, FIRST_LINE_STEP, self.len());
        while start < len {
            let end = (start + step).min(len);
            if let Some(newline) = memchr::memchr(b'\n', &self.read(file, start..end, source)?) {
                return Ok(start + newline as u64 + 1);
            }
            (start, step) = (end, step * LINE_STEP_GROWTH);
        }
        Ok(len)
    }

    /// Returns the pieces of a range of the file as it is now.
    fn parts(&self, range: Range<u64>) -> Vec<Piece> {
        let mut parts = Vec::new();
        if range.is_empty() {
            return parts;
        }
        let first = self.ends.partition_point(|&end| end <= range.start);
        let mut at = first
            .checked_sub(1)
            .and_then(|before| self.ends.get(before))
            .copied()
            .unwrap_or_default();
        for (piece, &end) in self.pieces.iter().zip(&self.ends).skip(first) {
            if at >= range.end {
                break;
            }
            parts.push(piece.part(range.start.max(at) - at..range.end.min(end) - at));
            at = end;
        }
        parts
    }

    /// Replaces pieces; all changes of a table use it. `replacements` are sorted, disjoint and
    /// within the file. Returns the inverse.
    fn replace_pieces(&mut self, replacements: Vec<Replacement>) -> Vec<Replacement> {
        let (pieces, ends) = (
            std::mem::take(&mut self.pieces),
            std::mem::take(&mut self.ends),
        );
        let old = Self {
            original: self.original,
            pieces,
            ends,
        };
        let mut inverse = Vec::with_capacity(replacements.len());
        let (mut at, mut len) = (0, 0);
        for Replacement { range, pieces } in replacements {
            len += range.start - at;
            self.extend(old.parts(at..range.start));
            let added: u64 = pieces.iter().map(Piece::len).sum();
            self.extend(pieces);
            at = range.end;
            inverse.push(Replacement {
                range: len..len + added,
                pieces: old.parts(range),
            });
            len += added;
        }
        self.extend(old.parts(at..u64::MAX));
        inverse
    }

    fn extend(&mut self, pieces: Vec<Piece>) {
        for piece in pieces {
            self.push(piece);
        }
    }

    fn push(&mut self, piece: Piece) {
        let end = self.len() + piece.len();
        match (self.pieces.last_mut(), &piece) {
            (Some(Piece::Original(last)), Piece::Original(next)) if last.end == next.start => {
                last.end = next.end
            }
            (Some(Piece::Inserted(text, last)), Piece::Inserted(other, next))
                if Arc::ptr_eq(text, other) && last.end == next.start =>
            {
                last.end = next.end;
            }
            _ => {
                self.pieces.push(piece);
                self.ends.push(end);
                return;
            }
        }
        if let Some(last) = self.ends.last_mut() {
            *last = end;
        }
    }
}

impl Piece {
    fn len(&self) -> u64 {
        match self {
            Piece::Original(range) => range.end - range.start,
            Piece::Inserted(_, range) => range.len() as u64,
        }
    }

    fn part(&self, part: Range<u64>) -> Self {
        match self {
            Piece::Original(range) => {
                Piece::Original(range.start + part.start..range.start + part.end)
            }
            Piece::Inserted(text, range) => Piece::Inserted(
                text.clone(),
                range.start + part.start as usize..range.start + part.end as usize,
            ),
        }
    }

    fn original(&self) -> Option<Range<u64>> {
        match self {
            Piece::Original(range) => Some(range.clone()),
            Piece::Inserted(..) => None,
        }
    }
}

impl LineMarks<'_> {
    /// Counts line breaks in a range of the original as far as marks allow; `rest` gets the spans
    /// that must be read.
    fn known_lines(self, range: Range<u64>, mut rest: impl FnMut(Range<u64>)) -> u32 {
        let first = self.0.partition_point(|mark| mark.0 < range.start);
        let behind = self.0.partition_point(|mark| mark.0 <= range.end);
        match self.0.get(first..behind) {
            Some([first, .., last]) => {
                rest(range.start..first.0);
                rest(last.0..range.end);
                last.1.saturating_sub(first.1)
            }
            _ => {
                rest(range);
                0
            }
        }
    }
}

fn inserted_pieces(text: &[u8]) -> Vec<Piece> {
    if text.is_empty() {
        Vec::new()
    } else {
        vec![Piece::Inserted(text.into(), 0..text.len())]
    }
}

fn count_breaks(bytes: &[u8]) -> u32 {
    narrow(memchr::memchr_iter(b'\n', bytes).count())
}

/// Checks that every span was read completely: a short answer must not become a short file.
fn checked_read(
    source: &dyn ByteSource,
    spans: &[(FileId, Range<u64>)],
) -> Result<Vec<Vec<u8>>, ReadError> {
    if spans.is_empty() {
        return Ok(Vec::new());
    }
    if let Some((file, span)) = spans
        .iter()
        .find(|(_, span)| span.end.saturating_sub(span.start) > MAX_FILE_BYTES)
    {
        return Err(too_long_to_read(*file, span.end.saturating_sub(span.start)));
    }
    let read = source.read(spans)?;
    if read.len() == spans.len()
        && spans
            .iter()
            .zip(&read)
            .all(|((_, span), bytes)| span.end - span.start == bytes.len() as u64)
    {
        return Ok(read);
    }
    let path = spans
        .first()
        .map_or_else(String::new, |(file, _)| format!("file {}", file.0));
    Err(ReadError::Failed {
        path,
        reason: "fewer bytes were read than requested".to_owned(),
    })
}

fn too_long_to_read(file: FileId, len: u64) -> ReadError {
    let reason =
        format!("{len} bytes are requested; at most {MAX_FILE_BYTES} (4 GiB) can be read at once");
    ReadError::Failed {
        path: format!("file {}", file.0),
        reason,
    }
}

#[cfg(test)]
mod tests;
