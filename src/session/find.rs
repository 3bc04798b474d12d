//! Searches for text in one file, or in all. Reads files in pieces and never holds all of one.

use super::export::{line_marks, no_file, unreadable};
use super::file::Version;
use super::file_lines::CHUNK;
use super::{OpenFiles, Refused};
use memchr::memmem::Finder;
use protocol::views::{FoundText, LineSpan};
use std::ops::Range;

/// Number of bytes read at once.
const PIECE: u64 = 16 * CHUNK;

/// Number of bytes of a line that are shown before and after a match.
const CONTEXT: u64 = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextSearch<'a> {
    /// A text within one line. ASCII letters match case-insensitively.
    pub text: &'a str,
    /// Line and column (from 1) to search forward or backward from.
    pub from: (u32, u32),
    pub backwards: bool,
}

/// Lines of all files that contain a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FoundLines {
    pub lines: Vec<FoundLine>,
    /// The number of matches, also those in other lines.
    pub matches: usize,
    /// The number of searched files.
    pub files: usize,
    pub unreadable_files: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundLine {
    /// Path in the session.
    pub path: String,
    /// Line and column of the first match, from 1, in characters.
    pub line: u32,
    pub column: u32,
    /// The line, without indentation and cut around the match.
    pub text: String,
    /// Byte range of the match in `text`.
    pub mark: Range<usize>,
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
        let mut matches = Matches {
            from,
            ..Matches::default()
        };
        self.each_match(version, &needle, |offset| matches.add(offset))?;
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
            at: Some(LineSpan {
                line,
                column,
                end_column: column + length,
            }),
            number,
            count: matches.count,
        })
    }

    /// Returns lines of all files that contain a text; files for which `is_first` holds come first.
    /// ASCII letters match case-insensitively. Matches beyond `limit` lines are only counted.
    pub fn search_text(
        &self,
        text: &str,
        is_first: impl Fn(&str) -> bool,
        limit: usize,
    ) -> FoundLines {
        let needle = text.to_ascii_lowercase();
        let mut found = FoundLines::default();
        if needle.is_empty() {
            return found;
        }
        let (first, others): (Vec<_>, Vec<_>) = self
            .by_path
            .iter()
            .filter_map(|(path, id)| Some((path, self.by_id.get(id)?.current.as_ref()?)))
            .partition(|(path, _)| is_first(path));
        for (path, version) in first.into_iter().chain(others) {
            let mut offsets: Vec<u64> = Vec::new();
            let is_read = self
                .each_match(version, &needle, |offset| offsets.push(offset))
                .and_then(|()| {
                    self.add_lines(path, version, &offsets, needle.len(), limit, &mut found)
                });
            match is_read {
                Ok(()) => found.files += 1,
                Err(_) => found.unreadable_files += 1,
            }
            found.matches += offsets.len();
        }
        found
    }

    /// Adds the lines of matches, each line once, until there are `limit` lines.
    fn add_lines(
        &self,
        path: &str,
        version: &Version,
        offsets: &[u64],
        length: usize,
        limit: usize,
        found: &mut FoundLines,
    ) -> Result<(), Refused> {
        let marks = line_marks(version);
        let mut last_line = 0;
        for &offset in offsets {
            if found.lines.len() == limit {
                break;
            }
            let (line, column) = self.line_and_column(version, &marks, offset)?;
            if line != last_line {
                last_line = line;
                let (text, mark) = self.line_around(version, offset, length as u64)?;
                found.lines.push(FoundLine {
                    path: path.to_owned(),
                    line,
                    column,
                    text,
                    mark,
                });
            }
        }
        Ok(())
    }

    /// Returns the part of a line around a match, without indentation, and the range of the match
    /// in it.
    fn line_around(
        &self,
        version: &Version,
        offset: u64,
        length: u64,
    ) -> Result<(String, Range<usize>), Refused> {
        let start = offset.saturating_sub(CONTEXT);
        let end = (offset + length + CONTEXT).min(version.pieces.len());
        let bytes = self.read(version, start, end)?;
        let (before, rest) = bytes.split_at((offset - start) as usize);
        let (matched, after) = rest.split_at(length as usize);
        let before = before
            .rsplit(|byte| *byte == b'\n')
            .next()
            .unwrap_or(before);
        let after = after.split(|byte| *byte == b'\n').next().unwrap_or(after);
        let before = String::from_utf8_lossy(before.trim_ascii_start());
        let matched = String::from_utf8_lossy(matched);
        let after = String::from_utf8_lossy(after.trim_ascii_end());
        let mark = before.len()..before.len() + matched.len();
        Ok((format!("{before}{matched}{after}"), mark))
    }

    /// Calls `on_match` with the offset of each match of a lower-case text, in order. Matches do
    /// not overlap.
    fn each_match(
        &self,
        version: &Version,
        needle: &str,
        mut on_match: impl FnMut(u64),
    ) -> Result<(), Refused> {
        let (finder, overlap) = (Finder::new(needle), needle.len() as u64 - 1);
        let (mut at, len) = (0, version.pieces.len());
        while at < len {
            let end = (at + PIECE + overlap).min(len);
            let mut bytes = self.read(version, at, end)?;
            bytes.make_ascii_lowercase();
            let mut piece_offset = 0;
            while let Some(found) = bytes.get(piece_offset..).and_then(|rest| finder.find(rest)) {
                // A match across the end of a piece is found with the next piece.
                on_match(at + (piece_offset + found) as u64);
                piece_offset += found + needle.len();
            }
            if end == len {
                break;
            }
            at = (end - overlap).max(at + piece_offset as u64);
        }
        Ok(())
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
