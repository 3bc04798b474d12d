//! Reads text for display: lines of a file, or the text of a blob.

use super::export::{line_marks, no_file, unreadable};
use super::file::Version;
use super::{OpenFiles, Refused, Root, template_updates};
use catalog::diff::LineKind;
use catalog::model::FileId;
use edit::plan::LineColumns;
use protocol::views::LineEnd;
use serde_json::Value;
use std::ops::Range;
use syntax::place::narrow;
use syntax::{self, value};

/// Bytes shown of a line, which may contain a whole icon or catalog.
pub const MAX_LINE_BYTES: usize = 4096;
/// Bytes per read.
pub(super) const CHUNK: u64 = 64 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileLine {
    /// Without its line break, cut to [`MAX_LINE_BYTES`]; invalid UTF-8 is shown as U+FFFD.
    pub text: String,
    pub ending: LineEnd,
    /// Number of bytes after `text` that are not shown.
    pub hidden: u64,
    pub is_utf8: bool,
}

/// Lines of the current version of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileLines {
    /// Number of the first line, from 1.
    pub first: u32,
    /// A final line break is followed by one more, empty line.
    pub lines: Vec<FileLine>,
    pub total: u32,
    /// Numbers of the lines that differ from the host's.
    pub changed: Vec<u32>,
    /// The kind of the file's first line break; LF if it has none.
    pub breaks: LineEnd,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BlobText {
    pub bytes: Vec<u8>,
    /// Line in the file, from 1.
    pub line: u32,
    /// In a template: the blob's index in its `entries`.
    pub item: Option<usize>,
}

impl OpenFiles {
    /// Returns `count` lines from line `first` (from 1) of a file, by its path in the session.
    /// Reads only from the start of the enclosing or previous blob.
    pub fn lines(&self, path: &str, first: u32, count: u32) -> Result<FileLines, Refused> {
        let (_, current) = self.states(path)?;
        let version = current.ok_or_else(|| no_file(path))?;
        let first = first.max(1);
        let marks = line_marks(version);
        let total = self.total_lines(version, &marks)?;
        let (mut at, line) = self.mark_before(version, &marks, first - 1)?;
        let mut collector = LineCollector::new(
            line,
            first - 1,
            first.saturating_sub(1).saturating_add(count),
        );
        let len = version.pieces.len();
        while at < len && !collector.is_full() {
            let end = (at + CHUNK).min(len);
            collector.feed(&self.read(version, at, end)?);
            at = end;
        }
        let lines = collector.finish();
        let shown = first..first.saturating_add(lines.len() as u32);
        let changed = if self
            .by_path
            .get(path)
            .is_some_and(|id| self.by_id.get(id).is_some_and(|file| file.is_changed()))
        {
            let hunks = self.diff_with_host(path)?;
            let added = hunks
                .iter()
                .flat_map(|h| &h.lines)
                .filter(|l| l.kind == LineKind::Added);
            added
                .filter_map(|l| l.new)
                .filter(|n| shown.contains(n))
                .collect()
        } else {
            Vec::new()
        };
        let breaks = match self.read(version, 0, CHUNK.min(len))? {
            head if memchr::memchr(b'\n', &head)
                .is_some_and(|at| at > 0 && head[at - 1] == b'\r') =>
            {
                LineEnd::CrLf
            }
            _ => LineEnd::Lf,
        };
        Ok(FileLines {
            first,
            lines,
            total,
            changed,
            breaks,
        })
    }

    /// Returns the text of a blob of a root, named as in [`catalog::model::Located`]; in a
    /// template, the template's text.
    pub fn blob_text(&self, root: &Root, file: FileId, index: u32) -> Result<BlobText, Refused> {
        let version = self.version(file).ok_or_else(missing_blob)?;
        let (index, item) = if root.is_template() {
            let item = template_updates::entry_index(self, root, file, index);
            (0, Some(item.ok_or_else(missing_blob)?))
        } else {
            (index, None)
        };
        let blob = self.blob(file, index)?;
        Ok(BlobText {
            bytes: self.read(version, blob.start, blob.end)?,
            line: blob.line + 1,
            item,
        })
    }

    /// Returns a blob as a JSON value; `None` if it is unreadable.
    pub fn blob_document(&self, root: &Root, file: FileId, index: u32) -> Option<Value> {
        let format = root.catalog().blob(file, index)?.format;
        let BlobText { bytes, item, .. } = self.blob_text(root, file, index).ok()?;
        let tree = syntax::parse(&bytes, format).ok()?;
        let mut document: Value =
            serde_json::from_str(&value::document_json(&tree, &bytes).ok()?).ok()?;
        match item {
            None => Some(document),
            Some(item) => document.get_mut("entries")?.get_mut(item).map(Value::take),
        }
    }

    /// Returns the last known line start at or before `line` (from 0), and its line number.
    pub(super) fn mark_before(
        &self,
        version: &Version,
        marks: &[(u64, u32)],
        line: u32,
    ) -> Result<(u64, u32), Refused> {
        let before = marks
            .partition_point(|(_, known)| *known <= line)
            .checked_sub(1);
        match before
            .and_then(|at| marks.get(at))
            .copied()
            .unwrap_or_default()
        {
            (0, _) => Ok((0, 0)),
            // A mark may be inside its line (JSON objects on one line); lines start after line
            // breaks.
            (offset, known) => {
                let start = version
                    .pieces
                    .line_start(version.original, offset, &self.source);
                Ok((start.map_err(|e| unreadable(&e))?, known))
            }
        }
    }

    /// Converts a range of lines and columns (from 0) to a byte range; `None` if a line or column
    /// does not exist. Reads from the blob before each position.
    pub(super) fn range_at(
        &self,
        version: &Version,
        at: &LineColumns,
    ) -> Result<Option<Range<u64>>, Refused> {
        let marks = line_marks(version);
        let Some(start) = self.byte_at(version, &marks, at.start)? else {
            return Ok(None);
        };
        let end = if at.end == at.start {
            Some(start)
        } else {
            self.byte_at(version, &marks, at.end)?
        };
        Ok(end.filter(|end| start <= *end).map(|end| start..end))
    }

    /// Returns the byte offset of a line and column (from 0); `None` if it does not exist.
    pub(super) fn byte_at(
        &self,
        version: &Version,
        marks: &[(u64, u32)],
        (line, column): (u32, u32),
    ) -> Result<Option<u64>, Refused> {
        let (mut at, mut current_line) = self.mark_before(version, marks, line)?;
        let len = version.pieces.len();
        let mut columns = column;
        while at < len {
            let chunk = self.read(version, at, (at + CHUNK).min(len))?;
            let mut start = 0;
            while current_line < line {
                let Some(newline) = memchr::memchr(b'\n', &chunk[start..]) else {
                    break;
                };
                (start, current_line) = (start + newline + 1, current_line + 1);
            }
            if current_line == line {
                for (byte, offset) in chunk[start..].iter().zip(at + start as u64..) {
                    // Columns count characters; a character ends where the next one starts.
                    match (columns, *byte) {
                        (0, byte) if byte & 0xC0 != 0x80 => return Ok(Some(offset)),
                        (_, b'\n') => return Ok(None),
                        (_, byte) => columns -= u32::from(byte & 0xC0 != 0x80),
                    }
                }
            }
            at += chunk.len() as u64;
        }
        Ok((current_line == line && columns == 0).then_some(len))
    }

    /// Counts the line breaks, plus one.
    pub(super) fn total_lines(
        &self,
        version: &Version,
        marks: &[(u64, u32)],
    ) -> Result<u32, Refused> {
        let (mut at, mut lines) = marks.last().copied().unwrap_or_default();
        let len = version.pieces.len();
        while at < len {
            let end = (at + 16 * CHUNK).min(len);
            lines = lines.saturating_add(narrow(
                memchr::memchr_iter(b'\n', &self.read(version, at, end)?).count(),
            ));
            at = end;
        }
        Ok(lines.saturating_add(1))
    }
}

/// Collects lines from a byte stream. Holds no more of a line than is shown.
#[derive(Debug, Default)]
struct LineCollector {
    /// The current line and the requested ones, from 0.
    line: u32,
    first: u32,
    end: u32,
    lines: Vec<FileLine>,
    /// The stored part of the current line, and its length so far.
    visible_part: Vec<u8>,
    length: u64,
    last: u8,
}

impl LineCollector {
    fn new(line: u32, first: u32, end: u32) -> Self {
        Self {
            line,
            first,
            end,
            ..Self::default()
        }
    }

    fn is_full(&self) -> bool {
        self.line >= self.end
    }

    fn feed(&mut self, bytes: &[u8]) {
        let mut start = 0;
        while !self.is_full() && start < bytes.len() {
            let remaining = &bytes[start..];
            let newline = memchr::memchr(b'\n', remaining);
            let part = &remaining[..newline.unwrap_or(remaining.len())];
            if self.line >= self.first {
                // Three more bytes than shown reveal a line break after the cut.
                let room = (MAX_LINE_BYTES + 4).saturating_sub(self.visible_part.len());
                self.visible_part
                    .extend_from_slice(&part[..part.len().min(room)]);
                self.length += part.len() as u64;
                self.last = part.last().copied().unwrap_or(self.last);
            }
            if newline.is_some() {
                let ending = if self.length > 0 && self.last == b'\r' {
                    LineEnd::CrLf
                } else {
                    LineEnd::Lf
                };
                self.end_line(ending);
            }
            start += part.len() + 1;
        }
    }

    fn end_line(&mut self, ending: LineEnd) {
        if self.line >= self.first {
            let length = self.length - u64::from(ending == LineEnd::CrLf);
            let visible_part = &self.visible_part[..self.visible_part.len().min(length as usize)];
            self.lines.push(line(visible_part, length, ending));
        }
        self.line += 1;
        (self.length, self.last) = (0, 0);
        self.visible_part.clear();
    }

    fn finish(mut self) -> Vec<FileLine> {
        if !self.is_full() {
            self.end_line(LineEnd::None);
        }
        self.lines
    }
}

/// Builds a line of `length` bytes from its stored part.
fn line(visible_part: &[u8], length: u64, ending: LineEnd) -> FileLine {
    let is_cut = length > MAX_LINE_BYTES as u64;
    let mut visible = visible_part;
    if is_cut {
        // Cut at a character boundary.
        let mut end = MAX_LINE_BYTES.min(visible_part.len());
        while end > 0
            && visible_part
                .get(end)
                .is_some_and(|byte| byte & 0xC0 == 0x80)
        {
            end -= 1;
        }
        visible = &visible_part[..end];
    }
    let is_utf8 = std::str::from_utf8(visible).is_ok();
    let text = String::from_utf8_lossy(visible).into_owned();
    FileLine {
        text,
        ending,
        hidden: length - visible.len() as u64,
        is_utf8,
    }
}

pub(super) fn missing_blob() -> Refused {
    Refused::new("this blob no longer exists")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gather(text: &[u8], first: u32, count: u32, step: usize) -> Vec<FileLine> {
        let mut collector = LineCollector::new(0, first, first + count);
        text.chunks(step).for_each(|chunk| collector.feed(chunk));
        collector.finish()
    }

    #[test]
    fn lines_are_independent_of_the_chunk_size() {
        let text = "ä: 1\r\n\r\nlast\n".as_bytes();
        for step in 1..=text.len() {
            let lines = gather(text, 0, 9, step);
            let found: Vec<_> = lines
                .iter()
                .map(|line| (line.text.as_str(), line.ending))
                .collect();
            let expected = [
                ("ä: 1", LineEnd::CrLf),
                ("", LineEnd::CrLf),
                ("last", LineEnd::Lf),
                ("", LineEnd::None),
            ];
            assert_eq!(found, expected, "{step}");
            assert_eq!(gather(text, 1, 1, step).len(), 1);
        }
        assert!(!gather(b"\xff\n", 0, 1, 1)[0].is_utf8);
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let long = format!("a{}\r\nnext", "é".repeat(MAX_LINE_BYTES));
        let lines = gather(long.as_bytes(), 0, 9, 1000);
        assert_eq!(
            (lines[0].text.len() as u64 + lines[0].hidden) as usize,
            long.len() - "\r\nnext".len()
        );
        assert!(
            lines[0].is_utf8
                && lines[0].text.ends_with('é')
                && lines[0].text.len() <= MAX_LINE_BYTES
        );
        assert_eq!(
            (lines[0].ending, lines[1].text.as_str()),
            (LineEnd::CrLf, "next")
        );
        let just = "x".repeat(MAX_LINE_BYTES);
        let lines = gather(format!("{just}\r\n").as_bytes(), 0, 1, 7);
        assert_eq!((lines[0].hidden, lines[0].text.len()), (0, MAX_LINE_BYTES));
    }
}
