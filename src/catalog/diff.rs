//! Compares a file with its original. Only changed regions and their surroundings are read, so one
//! changed line of a large file costs a few reads. Knows no YAML.
//!
//! The hunks of lines can be converted to replacements by line and column, for editors, or to a
//! patch of many files, for `git apply`: bytes are written as they are, including CRLF, a byte
//! order mark and text that is not UTF-8.

mod line_diff;
#[cfg(test)]
mod tests;

use crate::model::FileId;
use crate::source::piece::{LineMarks, PieceTable, Region};
use crate::source::{ByteSource, ReadError};
use similar::DiffTag;
use syntax::place::narrow;

pub use line_diff::{DiffLine, Hunk, LineKind};

/// Unchanged lines shown around a change, as `git diff` does.
pub const CONTEXT: usize = 3;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns the positions of aligned equal items of two lists, in order.
pub fn equal_pairs(old: &[&[u8]], new: &[&[u8]]) -> Vec<(usize, usize)> {
    let operations = line_diff::diff_operations(old, new);
    let equal = operations.iter().filter(|op| op.tag() == DiffTag::Equal);
    equal
        .flat_map(|op| op.old_range().zip(op.new_range()))
        .collect()
}

/// Returns the difference of two whole texts.
pub fn text_diff(old: &[u8], new: &[u8], context: usize) -> Vec<Hunk> {
    line_diff::hunks(
        &line_diff::TextPair {
            old,
            new,
            old_line: 0,
            new_line: 0,
            trailing_context: 0,
        },
        context,
    )
}

/// Returns the difference of a file and its original. `marks` are known lines of the original.
pub fn file_diff(
    table: &PieceTable,
    file: FileId,
    marks: LineMarks<'_>,
    source: &dyn ByteSource,
    context: usize,
) -> Result<Vec<Hunk>, ReadError> {
    let original = PieceTable::new(table.original_len());
    let mut hunks = Vec::new();
    // The end of the previous window: offset in the original, and line in both texts.
    let (mut at, mut old_line, mut new_line) = (0, 0u32, 0u32);
    for Window {
        region,
        trailing_context,
    } in windows(table, file, source, context)?
    {
        let (old, new) = (
            original.read(file, region.original.clone(), source)?,
            table.read(file, region.current.clone(), source)?,
        );
        // Between two windows both texts are equal.
        let between = original.lines_in(file, at..region.original.start, marks, source)?;
        (old_line, new_line) = (
            old_line.saturating_add(between),
            new_line.saturating_add(between),
        );
        let texts = line_diff::TextPair {
            old: &old,
            new: &new,
            old_line,
            new_line,
            trailing_context,
        };
        hunks.extend(line_diff::hunks(&texts, context));
        (old_line, new_line) = (
            old_line.saturating_add(count_breaks(&old)),
            new_line.saturating_add(count_breaks(&new)),
        );
        at = region.original.end;
    }
    Ok(hunks)
}

fn count_breaks(text: &[u8]) -> u32 {
    narrow(memchr::memchr_iter(b'\n', text).count())
}

/// Consecutive lines around changes.
struct Window {
    region: Region,
    /// Number of unchanged lines at its end, after the last changed line.
    trailing_context: usize,
}

/// Returns disjoint windows of whole lines, in order, that contain all changes and enough context.
///
/// Each starts and ends after a line break that both texts share, so both texts are whole lines. If
/// the context of one change reaches the next change, they share a window.
fn windows(
    table: &PieceTable,
    file: FileId,
    source: &dyn ByteSource,
    context: usize,
) -> Result<Vec<Window>, ReadError> {
    let regions = table.regions();
    let mut windows: Vec<Window> = Vec::new();
    let mut at = 0;
    while let Some(first) = regions.get(at) {
        let start = start_above(table, file, source, first.current.start, context)?;
        let mut last = at;
        let mut below = context_below(table, file, source, first.current.end, context)?;
        while let Some(next) = regions.get(last + 1) {
            // The next window begins before its region, and must begin after this window ends.
            if next.current.start > below.end
                && start_above(table, file, source, next.current.start, context)?.saturating_sub(1)
                    > below.end
            {
                break;
            }
            // Do not read a long line again for each of its changes.
            if next.current.end >= below.line_end {
                below = context_below(table, file, source, next.current.end, context)?;
            }
            last += 1;
        }
        let ContextBelow {
            end,
            trailing_context,
            ..
        } = below;
        let tail = regions[last].clone();
        let current = start..end;
        let original_start = first
            .original
            .start
            .saturating_sub(first.current.start - start);
        let original = original_start..tail.original.end + (end - tail.current.end);
        windows.push(Window {
            region: Region { original, current },
            trailing_context,
        });
        at = last + 1;
    }
    Ok(windows)
}

/// Returns the start of the line `count` lines above the one that contains `at`.
fn start_above(
    table: &PieceTable,
    file: FileId,
    source: &dyn ByteSource,
    at: u64,
    count: usize,
) -> Result<u64, ReadError> {
    let mut start = table.line_start(file, at, source)?;
    for _ in 0..count {
        if start == 0 {
            break;
        }
        start = table.line_start(file, start - 1, source)?;
    }
    Ok(start)
}

/// The context after a change.
struct ContextBelow {
    /// The end of the line in which the change ends.
    line_end: u64,
    /// The end of the context lines below it.
    end: u64,
    /// The number of these lines.
    trailing_context: usize,
}

/// Finds at most `count` lines below the one that contains `at`.
fn context_below(
    table: &PieceTable,
    file: FileId,
    source: &dyn ByteSource,
    at: u64,
    count: usize,
) -> Result<ContextBelow, ReadError> {
    let line_end = table.line_end(file, at, source)?;
    let (mut end, mut trailing_context) = (line_end, 0);
    while trailing_context < count {
        let next = table.line_end(file, end, source)?;
        if next == end {
            break;
        }
        (end, trailing_context) = (next, trailing_context + 1);
    }
    Ok(ContextBelow {
        line_end,
        end,
        trailing_context,
    })
}

/// A replacement of a text range. Lines and columns count from 1, columns in characters; the end is
/// exclusive. An insertion ends where it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    pub start: (u32, u32),
    pub end: (u32, u32),
    pub text: String,
}

/// Converts the changed lines of hunks to replacements in the original, in order; `None` if a line
/// is not UTF-8. A byte order mark at the start of the file does not count as a character and is
/// not in the text.
pub fn replacements(hunks: &[Hunk]) -> Option<Vec<Replacement>> {
    let mut out = Vec::new();
    for hunk in hunks {
        // A hunk without lines of the original names the line before it.
        let mut line = if hunk.old_lines == 0 {
            hunk.old_start + 1
        } else {
            hunk.old_start
        };
        let mut rest = &hunk.lines[..];
        while let Some(first) = rest.first() {
            let is_context = first.kind == LineKind::Context;
            let length = rest
                .iter()
                .take_while(|line| (line.kind == LineKind::Context) == is_context)
                .count();
            let (group, remaining) = rest.split_at(length);
            if is_context {
                line += length as u32;
            } else {
                out.push(group_replacement(line, group)?);
                line += group
                    .iter()
                    .filter(|line| line.kind == LineKind::Removed)
                    .count() as u32;
            }
            rest = remaining;
        }
    }
    Some(out)
}

/// Converts a group of adjacent removed and added lines. `line` is its first line in the original.
fn group_replacement(line: u32, group: &[DiffLine]) -> Option<Replacement> {
    let removed: Vec<&DiffLine> = group
        .iter()
        .filter(|line| line.kind == LineKind::Removed)
        .collect();
    let mut text = String::new();
    for added in group.iter().filter(|line| line.kind == LineKind::Added) {
        text.push_str(std::str::from_utf8(&added.text).ok()?);
        text.extend(added.newline.then_some('\n'));
    }
    let had_mark = removed.first().is_some_and(|line| {
        line.text
            .starts_with(BYTE_ORDER_MARK.to_string().as_bytes())
    });
    if line == 1 && had_mark && text.starts_with(BYTE_ORDER_MARK) {
        text.remove(0);
    }
    let end = match removed.last() {
        None => (line, 1),
        Some(last) if last.newline => (line + removed.len() as u32, 1),
        Some(last) => {
            let characters = std::str::from_utf8(&last.text)
                .ok()?
                .trim_start_matches(BYTE_ORDER_MARK)
                .chars()
                .count();
            (line + removed.len() as u32 - 1, characters as u32 + 1)
        }
    };
    Some(Replacement {
        start: (line, 1),
        end,
        text,
    })
}

/// The changes of one file.
#[derive(Debug, Clone, Copy)]
pub struct FilePatch<'a> {
    /// Path relative to the folder in which the patch is applied, with `/`. Raw bytes, in any
    /// encoding.
    pub path: &'a [u8],
    /// Whether the file does not exist yet. A file is never removed: an emptied one keeps 0 bytes.
    pub is_new: bool,
    pub hunks: &'a [Hunk],
}

/// Files without changes are left out.
pub fn patch(files: &[FilePatch<'_>]) -> Vec<u8> {
    let mut out = Vec::new();
    for file in files
        .iter()
        .filter(|file| file.is_new || !file.hunks.is_empty())
    {
        let (old, new) = (quote_path("a/", file.path), quote_path("b/", file.path));
        out.extend_from_slice(&[b"diff --git ", &old[..], b" ", &new, b"\n"].concat());
        if file.is_new {
            out.extend_from_slice(b"new file mode 100644\n");
        }
        if file.hunks.is_empty() {
            // Git's hash of empty content; without this line git sees no patch here.
            out.extend_from_slice(b"index 0000000..e69de29\n");
            continue;
        }
        let old = if file.is_new {
            b"/dev/null".to_vec()
        } else {
            end_path(old)
        };
        out.extend_from_slice(&[b"--- ", &old[..], b"\n+++ ", &end_path(new), b"\n"].concat());
        file.hunks.iter().for_each(|hunk| hunk.write(&mut out));
    }
    out
}

/// Writes a path as git does in a patch: C-quoted if it has a quote, a backslash, a control
/// character or a non-ASCII byte.
fn quote_path(prefix: &str, path: &[u8]) -> Vec<u8> {
    if path.iter().all(|&byte| is_plain(byte)) {
        return [prefix.as_bytes(), path].concat();
    }
    let mut out = format!("\"{prefix}");
    for &byte in path {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'\r' => out.push_str("\\r"),
            _ if is_plain(byte) => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out.push('"');
    out.into_bytes()
}

fn is_plain(byte: u8) -> bool {
    (b' '..0x7f).contains(&byte) && byte != b'"' && byte != b'\\'
}

/// Ends a path that contains a blank with a tab, for a `---` or `+++` line: git would otherwise
/// read the part after the blank as a date.
fn end_path(mut path: Vec<u8>) -> Vec<u8> {
    if path.contains(&b' ') && !path.starts_with(b"\"") {
        path.push(b'\t');
    }
    path
}

#[cfg(test)]
mod replacement_tests {
    use super::text_diff;
    use super::*;
    use proptest::prelude::*;

    /// Start, end and text.
    type Found = ((u32, u32), (u32, u32), String);

    fn find_replacements(old: &str, new: &str) -> Vec<Found> {
        let all = replacements(&text_diff(old.as_bytes(), new.as_bytes(), 3)).unwrap();
        all.into_iter()
            .map(|one| (one.start, one.end, one.text))
            .collect()
    }

    /// Returns the text with the replacements made, last one first.
    fn apply_replacements(old: &str, all: &[Replacement]) -> String {
        let lines: Vec<usize> = std::iter::once(0)
            .chain(old.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        let offset = |(line, column): (u32, u32)| {
            let start = lines[line as usize - 1];
            start
                + old[start..]
                    .chars()
                    .take(column as usize - 1)
                    .map(char::len_utf8)
                    .sum::<usize>()
        };
        let mut text = old.to_owned();
        for one in all.iter().rev() {
            text.replace_range(offset(one.start)..offset(one.end), &one.text);
        }
        text
    }

    #[test]
    fn places_are_those_of_the_original() {
        assert_eq!(
            find_replacements("a\nb\nc\n", "a\nB\nc\n"),
            [((2, 1), (3, 1), "B\n".to_owned())]
        );
        assert_eq!(
            find_replacements("a\nb\n", "a\nx\nb\n"),
            [((2, 1), (2, 1), "x\n".to_owned())]
        );
        assert_eq!(
            find_replacements("a\nb\n", "b\n"),
            [((1, 1), (2, 1), String::new())]
        );
        assert_eq!(
            find_replacements("", "a\n"),
            [((1, 1), (1, 1), "a\n".to_owned())]
        );
        assert_eq!(
            find_replacements("a\nbé", "a\nbé\nc"),
            [((2, 1), (2, 3), "bé\nc".to_owned())]
        );
    }

    #[test]
    fn a_byte_order_mark_is_not_a_character() {
        assert_eq!(
            find_replacements("\u{feff}a\n", "\u{feff}b\n"),
            [((1, 1), (2, 1), "b\n".to_owned())]
        );
        assert_eq!(
            find_replacements("\u{feff}a", "\u{feff}b"),
            [((1, 1), (1, 2), "b".to_owned())]
        );
    }

    #[test]
    fn text_that_is_not_utf8_has_no_replacements() {
        assert_eq!(replacements(&text_diff(b"a\n", b"\xff\n", 3)), None);
    }

    proptest! {
        #[test]
        fn replacements_produce_the_new_text(old in "([ab]\n|é\r\n){0,12}[ab]?", new in "([ab]\n|é\r\n){0,12}[ab]?") {
            let all = replacements(&text_diff(old.as_bytes(), new.as_bytes(), 1)).unwrap();
            prop_assert_eq!(apply_replacements(&old, &all), new);
        }
    }
}
