//! Searches for text in one file, or in all. Reads files in pieces and never holds all of one.

use super::export::{line_marks, no_file, unreadable};
use super::file::Version;
use super::file_lines::CHUNK;
use super::{OpenFiles, Refused};
use catalog::roots::git_folder;
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

/// Lines of all files that contain a text or all of its words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FoundLines {
    pub lines: Vec<FoundLine>,
    /// The number of matches, also those in other lines.
    pub matches: usize,
    /// The number of files with matches.
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
    pub end_column: u32,
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
        let text = search.text.to_ascii_lowercase();
        let finder = Finder::new(&text);
        let mut matches = Matches {
            from,
            ..Matches::default()
        };
        self.each_piece(version, text.len(), |offset, piece| {
            let mut end = offset;
            for start in finder.find_iter(piece) {
                matches.add(offset + start as u64);
                end = offset + (start + text.len()) as u64;
            }
            end
        })?;
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

    /// Returns lines of all files that contain a text, then those that only contain all of its
    /// words, in any order; of each, files for which `is_first` holds come first. ASCII letters
    /// match case-insensitively. Matches beyond `limit` lines are only counted. Skips git's files.
    pub fn search_text(
        &self,
        text: &str,
        is_first: impl Fn(&str) -> bool,
        limit: usize,
    ) -> FoundLines {
        let text = text.to_ascii_lowercase();
        let mut found = FoundLines::default();
        if text.is_empty() {
            return found;
        }
        let phrase = Finder::new(&text);
        let words: Vec<Finder<'_>> = text.split_whitespace().map(Finder::new).collect();
        let (first, others): (Vec<_>, Vec<_>) = self
            .by_path
            .iter()
            .filter(|(path, _)| git_folder(path).is_none())
            .filter_map(|(path, id)| Some((path, self.by_id.get(id)?.current.as_ref()?)))
            .partition(|(path, _)| is_first(path));
        let mut lines_of_words = Vec::new();
        for (path, version) in first.into_iter().chain(others) {
            let (mut in_phrases, mut in_words) = (Vec::<Range<u64>>::new(), Vec::new());
            let mut line_start = 0;
            let is_read = self
                .each_piece(version, text.len(), |offset, piece| {
                    let span =
                        |span: Range<usize>| offset + span.start as u64..offset + span.end as u64;
                    if words.len() > 1 {
                        each_line_of_words(piece, &words, &phrase, |found| {
                            in_words.push(span(found))
                        });
                    }
                    let starts = phrase.find_iter(piece);
                    in_phrases.extend(starts.map(|start| span(start..start + text.len())));
                    // A line that began in an earlier piece is counted once.
                    if line_start < offset {
                        let end = memchr::memchr(b'\n', piece).unwrap_or(piece.len());
                        let line = line_start..offset + end as u64;
                        let is_in_line = |found: &Range<u64>| line.contains(&found.start);
                        let latest = in_phrases.iter().rev();
                        let mut is_counted = latest
                            .take_while(|found| found.start >= line_start)
                            .any(is_in_line);
                        in_words.retain(|found| {
                            !is_in_line(found) || !std::mem::replace(&mut is_counted, true)
                        });
                    }
                    if piece.ends_with(b"\n") {
                        line_start = offset + piece.len() as u64;
                    }
                    in_phrases.last().map_or(0, |found| found.end)
                })
                .and_then(|()| self.add_lines(path, version, &in_phrases, limit, &mut found.lines))
                .and_then(|()| {
                    self.add_lines(path, version, &in_words, limit, &mut lines_of_words)
                });
            found.unreadable_files += usize::from(is_read.is_err());
            let matches = in_phrases.len() + in_words.len();
            found.files += usize::from(matches > 0);
            found.matches += matches;
        }
        lines_of_words.truncate(limit - found.lines.len());
        found.lines.append(&mut lines_of_words);
        found
    }

    /// Adds the lines of matches, each line once, until there are `limit` lines.
    fn add_lines(
        &self,
        path: &str,
        version: &Version,
        matches: &[Range<u64>],
        limit: usize,
        lines: &mut Vec<FoundLine>,
    ) -> Result<(), Refused> {
        let marks = line_marks(version);
        let mut last_line = 0;
        for found in matches {
            if lines.len() == limit {
                break;
            }
            let (line, column) = self.line_and_column(version, &marks, found.start)?;
            if line != last_line {
                last_line = line;
                let (text, mark) = self.line_around(version, found)?;
                lines.push(FoundLine {
                    path: path.to_owned(),
                    line,
                    column,
                    end_column: column + text[mark.clone()].chars().count() as u32,
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
        found: &Range<u64>,
    ) -> Result<(String, Range<usize>), Refused> {
        let start = found.start.saturating_sub(CONTEXT);
        let end = (found.end + CONTEXT).min(version.pieces.len());
        let bytes = self.read(version, start, end)?;
        let (before, rest) = bytes.split_at((found.start - start) as usize);
        let (matched, after) = rest.split_at((found.end - found.start) as usize);
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

    /// Calls `search` with the parts of a file in lower case, and their offsets. They end at line
    /// breaks. Only lines longer than a part are divided, and such parts overlap, so that a text of
    /// `length` bytes is in one of them; `search` returns the end of the last match.
    fn each_piece(
        &self,
        version: &Version,
        length: usize,
        mut search: impl FnMut(u64, &[u8]) -> u64,
    ) -> Result<(), Refused> {
        let overlap = length as u64 - 1;
        let (mut at, len) = (0, version.pieces.len());
        while at < len {
            let end = (at + PIECE + overlap).min(len);
            let mut bytes = self.read(version, at, end)?;
            let line_break = memchr::memrchr(b'\n', &bytes).filter(|_| end < len);
            if let Some(line_break) = line_break {
                bytes.truncate(line_break + 1);
            }
            bytes.make_ascii_lowercase();
            let match_end = search(at, &bytes);
            at = match line_break {
                Some(line_break) => at + line_break as u64 + 1,
                None if end == len => len,
                None => (end - overlap).max(match_end),
            };
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

/// Calls `on_line` for each line that contains all words but not the phrase, with the range from
/// the first word to the end of the last one.
fn each_line_of_words(
    bytes: &[u8],
    words: &[Finder<'_>],
    phrase: &Finder<'_>,
    mut on_line: impl FnMut(Range<usize>),
) {
    // A long word is usually in few lines.
    let Some(longest) = words.iter().max_by_key(|word| word.needle().len()) else {
        return;
    };
    let mut start = 0;
    while let Some(found) = longest.find(&bytes[start..]) {
        let found = start + found;
        start += memchr::memrchr(b'\n', &bytes[start..found]).map_or(0, |at| at + 1);
        let end = memchr::memchr(b'\n', &bytes[found..]).map_or(bytes.len(), |at| found + at);
        let line = &bytes[start..end];
        if phrase.find(line).is_none()
            && let Some(span) = span_of_words(line, words)
        {
            on_line(start + span.start..start + span.end);
        }
        start = end;
    }
}

/// Returns the range from the first word to the end of the last one, or that of the first word if
/// they are far apart; `None` if a word is missing.
fn span_of_words(line: &[u8], words: &[Finder<'_>]) -> Option<Range<usize>> {
    let mut first = line.len()..line.len();
    let mut end = 0;
    for word in words {
        let start = word.find(line)?;
        let word_end = start + word.needle().len();
        if start < first.start {
            first = start..word_end;
        }
        end = end.max(word_end);
    }
    let is_short = end - first.start <= CONTEXT as usize;
    Some(first.start..if is_short { end } else { first.end })
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
