//! Positions in a text: byte ranges, lines and columns. Knows neither files nor YAML.

use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// Shared, immutable text (names, versions, ranges). Cloning is cheap.
pub type Text = Arc<str>;

/// Maximum size of a file in bytes: positions have 32 bits. Longer files are reported and not read.
pub const MAX_FILE_BYTES: u64 = u32::MAX as u64;

/// Distance in bytes between the character counts of a [`LineIndex`].
const STRIDE: usize = 1024;

/// At most 255, so that the characters of a piece can be counted in a byte.
const COUNTED_PIECE: usize = 192;

/// Converts a length or offset to 32 bits. In longer texts the last position represents everything
/// after it.
pub fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// A position inside a blob: a byte range, also in lines and columns.
///
/// All are relative to the first byte of the blob: `line` and `end_line` count from 0 at the blob's
/// first line; `column` and `end_column` count characters from 0 on their own line (a blob starts
/// at a line start, or at `model::Blob::column`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Place {
    pub start: u32,
    pub end: u32,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

impl Place {
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A value with its position. An absent field has the position of its mapping.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spanned<T> {
    pub value: T,
    pub place: Place,
}

impl<T> Spanned<T> {
    pub fn new(value: T, place: Place) -> Self {
        Self { value, place }
    }
}

impl Spanned<Text> {
    pub fn as_str(&self) -> &str {
        &self.value
    }

    /// Whether the text is empty. As in Go, an absent field equals an empty one.
    pub fn is_empty(&self) -> bool {
        self.value.is_empty()
    }
}

/// Finds lines and columns in a text.
///
/// A line ends after `\n`. Columns count characters (Unicode scalar values; each invalid UTF-8 byte
/// counts one).
///
/// Every lookup takes a bounded number of steps, however long a line is: a whole catalog may be on
/// one line.
#[derive(Debug, Clone)]
pub struct LineIndex {
    starts: Vec<u32>,
    /// Characters before each multiple of [`STRIDE`] bytes; empty unless a line is longer than
    /// that.
    characters: Vec<u32>,
}

impl LineIndex {
    pub fn new(text: &[u8]) -> Self {
        let mut starts = Vec::with_capacity(text.len() / 32 + 1);
        starts.push(0);
        starts.extend(memchr::memchr_iter(b'\n', text).map(|i| narrow(i).saturating_add(1)));
        let ends = starts.iter().skip(1).copied().chain([narrow(text.len())]);
        let has_long_line = starts
            .iter()
            .zip(ends)
            .any(|(start, end)| end.saturating_sub(*start) as usize > STRIDE);
        let mut characters = Vec::new();
        if has_long_line {
            let mut before = 0;
            for chunk in text.chunks(STRIDE) {
                characters.push(before);
                before += columns(chunk);
            }
        }
        Self { starts, characters }
    }

    /// Returns the line and column (both from 0) of a byte offset.
    pub fn line_column(&self, text: &[u8], offset: usize) -> (u32, u32) {
        let offset = offset.min(text.len());
        let line = self.starts.partition_point(|&s| s as usize <= offset) - 1;
        let start = self.starts[line] as usize;
        let column = if offset - start <= STRIDE {
            columns(&text[start..offset])
        } else {
            self.characters_before(text, offset) - self.characters_before(text, start)
        };
        (narrow(line), column)
    }

    fn characters_before(&self, text: &[u8], offset: usize) -> u32 {
        let stride = offset / STRIDE;
        // If the length is a multiple of the stride, the end has no entry.
        match self.characters.get(stride) {
            Some(before) => before + columns(&text[stride * STRIDE..offset]),
            None => columns(&text[..offset]),
        }
    }

    /// Returns the byte offset of a line's start (line from 0); the text's end for lines beyond the
    /// last.
    pub fn line_start(&self, text: &[u8], line: u32) -> usize {
        self.starts
            .get(line as usize)
            .map_or(text.len(), |&s| s as usize)
    }

    pub fn lines(&self) -> usize {
        self.starts.len()
    }

    /// Returns the full [`Place`] of a byte range of this text.
    pub fn place(&self, text: &[u8], range: Range<usize>) -> Place {
        let (line, column) = self.line_column(text, range.start);
        let (end_line, end_column) = self.line_column(text, range.end);
        Place {
            start: narrow(range.start),
            end: narrow(range.end),
            line,
            column,
            end_line,
            end_column,
        }
    }
}

/// Counts the characters in `bytes`: every byte except UTF-8 continuation bytes counts one.
fn columns(bytes: &[u8]) -> u32 {
    // The compiler vectorizes a sum of bytes: lines may be megabytes long.
    let count_piece =
        |piece: &[u8]| -> u8 { piece.iter().map(|&b| u8::from(b & 0xC0 != 0x80)).sum() };
    let characters = bytes
        .chunks(COUNTED_PIECE)
        .map(|piece| usize::from(count_piece(piece)))
        .sum();
    narrow(characters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_characters() {
        let text = "a: ä\nb: x\r\n".as_bytes();
        let index = LineIndex::new(text);
        assert_eq!(index.line_column(text, 5), (0, 4));
        assert_eq!(index.line_column(text, 6), (1, 0));
        assert_eq!(index.line_column(text, 999), (2, 0));
        assert_eq!(index.line_start(text, 1), 6);
    }

    #[test]
    fn columns_of_a_long_line_equal_a_naive_count() {
        let text = format!("é\n{}\nx", "aä€".repeat(1500));
        let index = LineIndex::new(text.as_bytes());
        for (offset, _) in text.char_indices().step_by(97) {
            let line_start = text[..offset].rfind('\n').map_or(0, |i| i + 1);
            let column = text[line_start..offset].chars().count() as u32;
            assert_eq!(
                index.line_column(text.as_bytes(), offset).1,
                column,
                "{offset}"
            );
        }
        let even = "a".repeat(STRIDE * 4);
        assert_eq!(
            LineIndex::new(even.as_bytes()).line_column(even.as_bytes(), even.len()),
            (0, even.len() as u32)
        );
    }
}
