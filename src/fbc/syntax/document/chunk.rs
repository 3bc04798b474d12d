//! A YAML chunk: the text between lines that begin with `---`.

use memchr::memchr;
use memchr::memmem::Finder;
use std::borrow::Cow;

/// The line reader before Go's YAML reader has a buffer of this size: see [`last_line_is_lost`].
const LINE_BUFFER: usize = 4096;

/// A chunk in a buffer.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where the next chunk begins.
    pub(super) next: usize,
    /// Length of the separator line that the chunk itself begins with.
    pub(super) separator: usize,
    /// The invalid text after the dashes of the line that ends the chunk.
    pub(super) bad_separator: Option<String>,
}

/// Searches for the end of a chunk while bytes arrive.
#[derive(Debug)]
pub(super) struct Chunker {
    finder: Finder<'static>,
    /// Length of the chunk's own separator line.
    separator: usize,
    /// How far the buffer was searched; `None` before the first search.
    searched: Option<usize>,
    /// How far the current separator line was searched for its end.
    line: usize,
    looked_at: u64,
}

impl Chunker {
    pub(super) fn new() -> Self {
        Self {
            finder: Finder::new(b"\n---"),
            separator: 0,
            searched: None,
            line: 0,
            looked_at: 0,
        }
    }

    /// Starts the search for the next chunk.
    pub(super) fn restart(&mut self) {
        self.separator = 0;
        self.searched = None;
        self.line = 0;
    }

    /// Adjusts for `by` bytes removed from the start of the buffer.
    pub(super) fn shift(&mut self, by: usize) {
        self.searched = self.searched.map(|at| at.saturating_sub(by));
        self.line = self.line.saturating_sub(by);
    }

    /// Bytes searched so far, counting repeated searches.
    pub(super) fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// The chunk that begins at `start`, once its end is known. Every chunk has at least one line,
    /// even if it is only a separator.
    pub(super) fn next(&mut self, buffer: &[u8], start: usize, end: bool) -> Option<Chunk> {
        let searched = match self.searched {
            Some(searched) => searched,
            None => {
                // The first line of a chunk may be a separator: it stays in the chunk.
                let first = &buffer[start..];
                if first.len() < 3 && !end {
                    return None;
                }
                if first.starts_with(b"---") {
                    let line = self.line_end(buffer, start, end)?;
                    if let Some(rest) = bad_separator(&buffer[start..line]) {
                        return Some(Chunk {
                            start,
                            end: line,
                            next: line,
                            separator: 0,
                            bad_separator: Some(rest),
                        });
                    }
                    self.separator = line - start;
                    line.saturating_sub(1).max(start)
                } else {
                    start
                }
            }
        };
        self.searched = Some(searched);
        let separator = self.separator;
        let found = self.finder.find(&buffer[searched..]);
        self.looked_at += found.unwrap_or(buffer.len() - searched) as u64;
        if let Some(found) = found {
            let dashes = searched + found + 1;
            self.searched = Some(dashes - 1);
            let next = self.line_end(buffer, dashes, end)?;
            let bad_separator = bad_separator(&buffer[dashes..next]);
            let end = if bad_separator.is_some() {
                next
            } else {
                dashes
            };
            return Some(Chunk {
                start,
                end,
                next,
                separator,
                bad_separator,
            });
        }
        if !end {
            self.searched = Some(buffer.len().saturating_sub(3).max(searched));
            return None;
        }
        let mut last = buffer.len();
        if last_line_is_lost(&buffer[start..]) {
            last = memchr::memrchr(b'\n', &buffer[start..]).map_or(start, |i| start + i + 1);
        }
        (last > start).then_some(Chunk {
            start,
            end: last,
            next: buffer.len(),
            separator,
            bad_separator: None,
        })
    }

    /// The end of the line that contains `from`, including its break.
    fn line_end(&mut self, buffer: &[u8], from: usize, end: bool) -> Option<usize> {
        let from = self.line.max(from);
        let found = memchr(b'\n', &buffer[from..]).map(|i| from + i + 1);
        self.line = found.unwrap_or(buffer.len());
        self.looked_at += (self.line - from) as u64;
        found.or_else(|| end.then_some(buffer.len()))
    }
}

/// Go's line reader drops a last line without a line break that exactly fills its buffer, once or
/// several times over: it notices the end of the file after it has forgotten the line.
fn last_line_is_lost(rest: &[u8]) -> bool {
    let mut line = memchr::memrchr(b'\n', rest).map_or(rest, |i| &rest[i + 1..]);
    while line.len() >= LINE_BUFFER {
        // A `\r` at the end of the buffer is put back, since a `\n` may follow it.
        let taken = if line[LINE_BUFFER - 1] == b'\r' {
            LINE_BUFFER - 1
        } else {
            LINE_BUFFER
        };
        line = &line[taken..];
        if line.is_empty() {
            return true;
        }
    }
    false
}

/// The text as Go's line reader passes it on: only a line feed ends a line, and the last line gets
/// one. It works on bytes, even in UTF-16.
pub(super) fn by_lines(text: &[u8]) -> Cow<'_, [u8]> {
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

/// Whether YAML also treats this line as a separator, so that the document can leave it out. A line
/// such as `---#a` divides chunks but is text to the parser.
pub(super) fn is_yaml_separator(line: &[u8]) -> bool {
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

/// The text after the three dashes, if it is neither white space nor a comment.
fn bad_separator(line: &[u8]) -> Option<String> {
    let rest = line.get(3..).unwrap_or_default();
    let rest = String::from_utf8_lossy(rest);
    let rest = rest.trim();
    (!rest.is_empty() && !rest.starts_with('#')).then(|| rest.to_owned())
}
