//! The text of a file in the client's editor, with positions in the protocol's units: lines from 0,
//! columns in UTF-16 code units. Also converts paths to URIs.

use lsp_types::{Position, Range, TextDocumentContentChangeEvent, Uri};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use syntax::place::LineIndex;

/// The editor's buffers, by path.
pub type Buffers = BTreeMap<PathBuf, Buffer>;

#[derive(Debug, Clone)]
pub struct Buffer {
    text: Arc<str>,
    lines: LineIndex,
}

impl Buffer {
    pub(crate) fn new(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let lines = LineIndex::new(text.as_bytes());
        Self { text, lines }
    }

    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    pub(crate) fn line_count(&self) -> u32 {
        u32::try_from(self.lines.lines()).unwrap_or(u32::MAX)
    }

    /// Returns a line without its line break; `""` beyond the last line.
    pub(crate) fn line(&self, line: u32) -> &str {
        let start = self.lines.line_start(self.text.as_bytes(), line);
        let end = self
            .lines
            .line_start(self.text.as_bytes(), line.saturating_add(1));
        self.text
            .get(start..end)
            .unwrap_or_default()
            .trim_end_matches('\n')
            .trim_end_matches('\r')
    }

    /// Returns the byte offset of a position. A column beyond its line means the line's end; a line
    /// beyond the last means the text's end.
    pub(crate) fn offset(&self, position: Position) -> usize {
        let start = self.lines.line_start(self.text.as_bytes(), position.line);
        let line = self.line(position.line);
        let mut column = 0;
        for (index, letter) in line.char_indices() {
            if column >= position.character {
                return start + index;
            }
            column += letter.len_utf16() as u32;
        }
        start + line.len()
    }

    pub(crate) fn position(&self, offset: usize) -> Position {
        let (line, _) = self.lines.line_column(self.text.as_bytes(), offset);
        let start = self.lines.line_start(self.text.as_bytes(), line);
        let before = self
            .text
            .get(start..offset.min(self.text.len()))
            .unwrap_or_default();
        Position {
            line,
            character: before.chars().map(|letter| letter.len_utf16() as u32).sum(),
        }
    }

    pub(crate) fn range(&self, bytes: std::ops::Range<usize>) -> Range {
        Range {
            start: self.position(bytes.start),
            end: self.position(bytes.end),
        }
    }

    /// Converts a line and a column in characters, both from 1.
    pub(crate) fn position_of(&self, line: u32, column: u32) -> Position {
        let line = line.saturating_sub(1);
        let letters = column.saturating_sub(1) as usize;
        let character = self
            .line(line)
            .chars()
            .take(letters)
            .map(|letter| letter.len_utf16() as u32)
            .sum();
        Position { line, character }
    }

    pub(crate) fn characters_before(&self, position: Position) -> u32 {
        let start = self.lines.line_start(self.text.as_bytes(), position.line);
        self.text
            .get(start..self.offset(position))
            .map_or(0, |before| before.chars().count() as u32)
    }

    /// Returns the text after a change by the client.
    pub(crate) fn apply_change(&self, change: &TextDocumentContentChangeEvent) -> Self {
        let Some(range) = change.range else {
            return Self::new(change.text.as_str());
        };
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        let (start, end) = (start.min(end), start.max(end));
        Self::new([&self.text[..start], change.text.as_str(), &self.text[end..]].concat())
    }
}

/// Returns the URI of an absolute path; `None` if it cannot be represented.
pub fn uri_from_path(path: &Path) -> Option<Uri> {
    const SCHEME: &str = "file://";
    let mut text = String::from(SCHEME);
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'\\' if cfg!(windows) => text.push('/'),
            byte if byte.is_ascii_alphanumeric() || b"-._~/".contains(byte) => {
                text.push(char::from(*byte))
            }
            byte => text.push_str(&format!("%{byte:02X}")),
        }
    }
    // A path of Windows starts with its drive.
    if !text[SCHEME.len()..].starts_with('/') {
        text.insert(SCHEME.len(), '/');
    }
    Uri::from_str(&text).ok()
}

/// Resolves `.` and `..` without access to the disk.
pub fn normalize(path: &Path) -> PathBuf {
    let mut normalized = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(normalized.pop()),
            other => normalized.push(other),
        }
    }
    normalized
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    fn change(range: Option<Range>, text: &str) -> TextDocumentContentChangeEvent {
        TextDocumentContentChangeEvent {
            range,
            range_length: None,
            text: text.to_owned(),
        }
    }

    #[test]
    fn columns_are_utf16_code_units() {
        let buffer = Buffer::new("a: 😀é\r\nb: x\n");
        assert_eq!(buffer.offset(at(0, 3)), 3);
        assert_eq!(buffer.offset(at(0, 5)), 7, "a surrogate pair");
        assert_eq!(
            buffer.offset(at(0, 4)),
            7,
            "between the two there is no place"
        );
        assert_eq!(buffer.position(7), at(0, 5));
        assert_eq!(
            buffer.offset(at(0, 99)),
            9,
            "the line's end, before its break"
        );
        assert_eq!(buffer.offset(at(9, 9)), buffer.text().len());
        assert_eq!(buffer.position_of(1, 5), at(0, 5));
        assert_eq!(buffer.characters_before(at(0, 5)), 4);
        assert_eq!(buffer.line(1), "b: x");
    }

    #[test]
    fn changes_apply_in_place() {
        let buffer = Buffer::new("one\ntwo\n");
        let range = Range {
            start: at(0, 1),
            end: at(1, 1),
        };
        assert_eq!(
            &**buffer.apply_change(&change(Some(range), "X")).text(),
            "oXwo\n"
        );
        let turned = Range {
            start: at(1, 1),
            end: at(0, 1),
        };
        assert_eq!(
            &**buffer.apply_change(&change(Some(turned), "X")).text(),
            "oXwo\n"
        );
        assert_eq!(&**buffer.apply_change(&change(None, "new")).text(), "new");
    }

    proptest! {
        #[test]
        fn places_round_trip(text in "([a-z]|é|😀|\n|\r\n){0,40}") {
            let buffer = Buffer::new(text.as_str());
            for (offset, _) in text.char_indices().filter(|(offset, _)| !text[..*offset].ends_with('\r')) {
                prop_assert_eq!(buffer.offset(buffer.position(offset)), offset);
            }
        }

        #[test]
        fn any_change_gives_a_text(text in "([a-z]|😀|\r|\n){0,20}", a in 0u32..9, b in 0u32..9, c in 0u32..9, d in 0u32..9) {
            let buffer = Buffer::new(text.as_str());
            let range = Range { start: at(a, b), end: at(c, d) };
            prop_assert!(buffer.apply_change(&change(Some(range), "€")).text().contains('€'));
        }
    }
}
