//! Recognizes where documents begin and end: JSON or YAML, and the chunks of YAML.

use memchr::memmem::Finder;
use memchr::{memchr, memchr_iter};
use std::borrow::Cow;

/// The line reader before Go's YAML reader has a buffer of this size: see [`last_line_is_lost`].
const LINE_BUFFER: usize = 4096;

/// The first bytes of a file that decide whether it is JSON.
const GUESS_LEN: usize = 4096;

/// The text of one YAML document, as positions in a buffer.
#[derive(Debug)]
pub struct Chunk {
    pub start: usize,
    pub end: usize,
    /// Where the next chunk begins.
    pub next: usize,
    /// Length of the separator line that the chunk itself begins with.
    pub separator: usize,
    /// The invalid text after the dashes of the chunk's last line.
    pub bad_separator: Option<String>,
}

/// Searches for the end of a chunk while bytes arrive.
#[derive(Debug)]
pub struct Chunker {
    finder: Finder<'static>,
    /// Length of the chunk's own separator line.
    separator: usize,
    /// How far the buffer was searched; `None` before the first search.
    searched: Option<usize>,
    /// How far the current separator line was searched for its end.
    line: usize,
    examined: u64,
}

enum FirstLine {
    /// A bad separator, which is a chunk of its own.
    Invalid(Chunk),
    /// The next separator is searched for from this position in the buffer.
    Valid { search_from: usize },
}

impl Default for Chunker {
    fn default() -> Self {
        Self {
            finder: Finder::new(b"\n---"),
            separator: 0,
            searched: None,
            line: 0,
            examined: 0,
        }
    }
}

impl Chunker {
    /// Starts the search for the next chunk.
    pub fn restart(&mut self) {
        self.separator = 0;
        self.searched = None;
        self.line = 0;
    }

    /// Adjusts for `count` bytes removed from the start of the buffer.
    pub fn shift(&mut self, count: usize) {
        self.searched = self.searched.map(|at| at.saturating_sub(count));
        self.line = self.line.saturating_sub(count);
    }

    /// Returns the number of bytes searched so far, counting repeated searches.
    pub fn examined_bytes(&self) -> u64 {
        self.examined
    }

    /// Returns the chunk that begins at `start`, once its end is known. Every chunk has at least
    /// one line, even if it is only a separator.
    pub fn next(&mut self, buffer: &[u8], start: usize, at_end: bool) -> Option<Chunk> {
        let searched = match self.searched {
            Some(searched) => searched,
            None => match self.read_first_line(buffer, start, at_end)? {
                FirstLine::Invalid(chunk) => return Some(chunk),
                FirstLine::Valid { search_from } => search_from,
            },
        };
        let position = self.finder.find(&buffer[searched..]);
        self.examined += position.unwrap_or(buffer.len() - searched) as u64;
        let Some(position) = position else {
            if at_end {
                return self.last_chunk(buffer, start);
            }
            // The last three bytes may be a line break and two dashes.
            self.searched = Some(buffer.len().saturating_sub(3).max(searched));
            return None;
        };
        self.searched = Some(searched + position);
        let dashes = searched + position + 1;
        let next = self.line_end(buffer, dashes, at_end)?;
        let bad_separator = bad_separator(&buffer[dashes..next]);
        Some(Chunk {
            start,
            end: if bad_separator.is_some() {
                next
            } else {
                dashes
            },
            next,
            separator: self.separator,
            bad_separator,
        })
    }

    /// Reads the first line of a chunk, which may be a separator that belongs to the chunk.
    fn read_first_line(&mut self, buffer: &[u8], start: usize, at_end: bool) -> Option<FirstLine> {
        let first = &buffer[start..];
        if first.len() < 3 && !at_end {
            return None;
        }
        let mut search_from = start;
        if first.starts_with(b"---") {
            let end = self.line_end(buffer, start, at_end)?;
            if let Some(problem) = bad_separator(&buffer[start..end]) {
                return Some(FirstLine::Invalid(Chunk {
                    start,
                    end,
                    next: end,
                    separator: 0,
                    bad_separator: Some(problem),
                }));
            }
            self.separator = end - start;
            search_from = end.saturating_sub(1).max(start);
        }
        self.searched = Some(search_from);
        Some(FirstLine::Valid { search_from })
    }

    /// Returns the chunk that ends with the file, unless it is empty.
    fn last_chunk(&self, buffer: &[u8], start: usize) -> Option<Chunk> {
        let rest = &buffer[start..];
        let len = if last_line_is_lost(rest) {
            memchr::memrchr(b'\n', rest).map_or(0, |line_break| line_break + 1)
        } else {
            rest.len()
        };
        (len > 0).then_some(Chunk {
            start,
            end: start + len,
            next: buffer.len(),
            separator: self.separator,
            bad_separator: None,
        })
    }

    /// Returns the end of the line that contains `from`, including its break.
    fn line_end(&mut self, buffer: &[u8], from: usize, at_end: bool) -> Option<usize> {
        let from = self.line.max(from);
        let newline = memchr(b'\n', &buffer[from..]).map(|i| from + i + 1);
        self.line = newline.unwrap_or(buffer.len());
        self.examined += (self.line - from) as u64;
        newline.or_else(|| at_end.then_some(buffer.len()))
    }
}

/// Whether Go's line reader drops the last line. It does if a line without a line break exactly
/// fills its buffer, once or several times: it reaches the end of the file only after it has
/// cleared the buffer.
fn last_line_is_lost(rest: &[u8]) -> bool {
    let mut line = memchr::memrchr(b'\n', rest).map_or(rest, |i| &rest[i + 1..]);
    while line.len() >= LINE_BUFFER {
        // A `\r` at the end of the buffer is put back, since a `\n` may follow it.
        let consumed = if line[LINE_BUFFER - 1] == b'\r' {
            LINE_BUFFER - 1
        } else {
            LINE_BUFFER
        };
        line = &line[consumed..];
        if line.is_empty() {
            return true;
        }
    }
    false
}

/// Returns the text as Go's line reader passes it on: only a line feed ends a line, and the last
/// line gets one. Works on bytes, even in UTF-16.
pub fn by_lines(text: &[u8]) -> Cow<'_, [u8]> {
    if text.ends_with(b"\n") && Finder::new(b"\r\n").find(text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut lines = Vec::with_capacity(text.len() + 1);
    for line in text.split_inclusive(|&b| b == b'\n') {
        let line = line
            .strip_suffix(b"\r\n")
            .or_else(|| line.strip_suffix(b"\n"))
            .unwrap_or(line);
        lines.extend_from_slice(line);
        lines.push(b'\n');
    }
    Cow::Owned(lines)
}

/// Whether YAML also treats this line as a separator, so the document can omit it. A line such as
/// `---#a` divides chunks but is text to the parser.
pub fn is_yaml_separator(line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let rest = line
        .strip_suffix(b"\r")
        .unwrap_or(line)
        .get(3..)
        .unwrap_or_default();
    let text = rest.trim_ascii_start();
    let blanks = &rest[..rest.len() - text.len()];
    blanks.iter().all(|b| matches!(b, b' ' | b'\t'))
        && (text.is_empty()
            || (!blanks.is_empty() && text[0] == b'#' && text.is_ascii() && !text.contains(&b'\r')))
}

/// Returns the text after the three dashes, if it is neither white space nor a comment.
fn bad_separator(line: &[u8]) -> Option<String> {
    let rest = line.get(3..).unwrap_or_default();
    let rest = String::from_utf8_lossy(rest);
    let rest = rest.trim();
    (!rest.is_empty() && !rest.starts_with('#')).then(|| rest.to_owned())
}

/// Whether the file begins with white space and `{`; `None` if undecided.
pub fn looks_like_json(bytes: &[u8], at_end: bool) -> Option<bool> {
    let head = &bytes[..bytes.len().min(GUESS_LEN)];
    let is_whole = at_end || head.len() == GUESS_LEN;
    let rest = &head[white_space(head)..];
    match rest.first() {
        // A character of several bytes may be white space once it is complete.
        Some(&first) if is_whole || rest.len() >= 4 || first.is_ascii() => Some(first == b'{'),
        None if is_whole => Some(false),
        _ => None,
    }
}

/// Whether a whole text begins with white space and `{`.
pub fn begins_json(text: &[u8]) -> bool {
    text.get(white_space(text)) == Some(&b'{')
}

/// Returns the length of the Unicode white space at the beginning.
fn white_space(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(c) = first_char(&bytes[at..]).filter(|c| c.is_whitespace()) {
        at += c.len_utf8();
    }
    at
}

fn first_char(bytes: &[u8]) -> Option<char> {
    let head = &bytes[..bytes.len().min(4)];
    match std::str::from_utf8(head) {
        Ok(text) => text.chars().next(),
        Err(e) => std::str::from_utf8(&head[..e.valid_up_to()])
            .ok()?
            .chars()
            .next(),
    }
}

/// Where YAML takes over after JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YamlStart {
    At(usize),
    Nowhere,
    /// More bytes would have to follow.
    TooShort,
}

/// Finds where YAML takes over after the last JSON value: after white space, at the first line
/// feed. The stream's reader needs four bytes at every character it examines, and no U+FFFD.
pub fn yaml_start(rest: &[u8]) -> YamlStart {
    let mut at = 0;
    while rest.len() - at >= 4 {
        match first_char(&rest[at..]) {
            Some('\n') => return YamlStart::At(at + 1),
            Some(c) if c.is_whitespace() => at += c.len_utf8(),
            Some(c) if c != '\u{FFFD}' => return YamlStart::At(at),
            _ => return YamlStart::Nowhere,
        }
    }
    YamlStart::TooShort
}

/// Finds the next line that begins with `{` or `---`.
pub fn find_document_line(buffer: &[u8], from: usize) -> Option<usize> {
    memchr_iter(b'\n', &buffer[from..])
        .map(|i| from + i + 1)
        .find(|&line| buffer[line..].starts_with(b"{") || buffer[line..].starts_with(b"---"))
}
