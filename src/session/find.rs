//! Searches for text in a file. Reads the file in pieces and never holds all of it.

use super::export::{line_marks, no_file, unreadable};
use super::file::Version;
use super::file_lines::CHUNK;
use super::{OpenFiles, Refused};
use memchr::memmem::Finder;

/// Number of bytes read at once.
const PIECE: u64 = 16 * CHUNK;

/// A match in a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FoundText {
    /// Line, start column and end column, from 1, in characters; `None` without a match.
    pub at: Option<(u32, u32, u32)>,
    /// The match's number among all, from 1.
    pub number: u32,
    pub count: u32,
}

/// A text search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextSearch<'a> {
    /// A text within one line. ASCII letters match case-insensitively.
    pub text: &'a str,
    /// Line and column (from 1) to search forward or backward from.
    pub from: (u32, u32),
    pub backwards: bool,
}

impl OpenFiles {
    /// Returns the next match in a file, by its path in the session; wraps around at the end.
    pub fn find_text(&self, path: &str, search: TextSearch<'_>) -> Result<FoundText, Refused> {
        let version = self.states(path)?.1.ok_or_else(|| no_file(path))?;
        if search.text.is_empty() {
            return Ok(FoundText::default());
        }
        let marks = line_marks(version);
        let line = search.from.0.saturating_sub(1);
        let place = (line, search.from.1.saturating_sub(1));
        // A column beyond the end of its line means the start of the next line.
        let from = match self.byte_at(version, &marks, place)? {
            None => self.byte_at(version, &marks, (line + 1, 0))?,
            from => from,
        };
        let from = from.unwrap_or(version.pieces.len());
        let needle = search.text.to_ascii_lowercase();
        let (finder, overlap) = (Finder::new(needle.as_bytes()), needle.len() as u64 - 1);
        let mut matches = Matches {
            from,
            ..Matches::default()
        };
        let (mut at, len) = (0, version.pieces.len());
        while at < len {
            let end = (at + PIECE + overlap).min(len);
            let mut bytes = self.read(version, at, end)?;
            bytes.make_ascii_lowercase();
            let mut piece_offset = 0;
            while let Some(found) = bytes.get(piece_offset..).and_then(|rest| finder.find(rest)) {
                // A match across the end of a piece is found with the next piece.
                matches.add(at + (piece_offset + found) as u64);
                piece_offset += found + needle.len();
            }
            if end == len {
                break;
            }
            at = (end - overlap).max(at + piece_offset as u64);
        }
        let found = if search.backwards {
            matches.previous()
        } else {
            matches.next()
        };
        let Some((offset, number)) = found else {
            return Ok(FoundText::default());
        };
        let (line, column) = self.line_and_column(version, &marks, offset)?;
        let length = search.text.chars().count() as u32;
        Ok(FoundText {
            at: Some((line, column, column + length)),
            number,
            count: matches.count,
        })
    }

    /// Returns the line and column (from 1) of an offset.
    fn line_and_column(
        &self,
        version: &Version,
        marks: &[(u64, u32)],
        offset: u64,
    ) -> Result<(u32, u32), Refused> {
        let (mut at, mut line) = marks
            .iter()
            .rev()
            .find(|mark| mark.0 <= offset)
            .copied()
            .unwrap_or_default();
        while at < offset {
            let end = (at + PIECE).min(offset);
            line += memchr::memchr_iter(b'\n', &self.read(version, at, end)?).count() as u32;
            at = end;
        }
        let start = version
            .pieces
            .line_start(version.original, offset, &self.source)
            .map_err(|e| unreadable(&e))?;
        let before = self.read(version, start, offset)?;
        Ok((
            line + 1,
            before.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u32 + 1,
        ))
    }
}

/// Receives matches in order and keeps only those that may be the answer, as offset and number.
#[derive(Debug, Default)]
struct Matches {
    /// The offset at which the search starts.
    from: u64,
    count: u32,
    first: Option<u64>,
    last: Option<(u64, u32)>,
    last_before: Option<(u64, u32)>,
    first_after: Option<(u64, u32)>,
}

impl Matches {
    fn add(&mut self, offset: u64) {
        self.count += 1;
        let found = (offset, self.count);
        self.first.get_or_insert(offset);
        self.last = Some(found);
        if offset < self.from {
            self.last_before = Some(found);
        } else {
            self.first_after.get_or_insert(found);
        }
    }

    fn next(&self) -> Option<(u64, u32)> {
        self.first_after.or(self.first.map(|first| (first, 1)))
    }

    fn previous(&self) -> Option<(u64, u32)> {
        self.last_before.or(self.last)
    }
}
