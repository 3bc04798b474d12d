//! The difference between a file and its original, as hunks of lines. Only changed regions and
//! their surroundings are read and compared, so that one changed line of a large file costs a few
//! reads. Knows no YAML.

pub mod git;
mod hunk;
mod line_changes;
mod line_diff;
mod replacement;

pub use hunk::{DiffLine, Hunk, LineKind};
pub use replacement::{Replacement, replacements};

use crate::model::FileId;
use crate::place::narrow;
use crate::source::bytes::{ByteSource, ReadError};
use crate::source::piece::{LineMarks, PieceTable, Region};
use std::ops::Range;

/// Unchanged lines shown around a change, as `git diff` does.
pub const CONTEXT: usize = 3;

/// The difference of two whole texts.
pub fn text_diff(old: &[u8], new: &[u8], context: usize) -> Vec<Hunk> {
    line_diff::hunks(
        &line_diff::TextPair {
            old,
            new,
            old_line: 0,
            new_line: 0,
            kept_behind: 0,
        },
        context,
    )
}

/// The difference of a file and its original. `marks` are known lines of the original.
pub fn file_diff(
    table: &PieceTable,
    file: FileId,
    marks: LineMarks<'_>,
    source: &dyn ByteSource,
    context: usize,
) -> Result<Vec<Hunk>, ReadError> {
    let original = PieceTable::new(table.original_len());
    let mut hunks = Vec::new();
    // After the previous window: the original's offset, and the line there in both.
    let (mut at, mut old_line, mut new_line) = (0, 0u32, 0u32);
    for Window {
        region,
        kept_behind,
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
            kept_behind,
        };
        hunks.extend(line_diff::hunks(&texts, context));
        (old_line, new_line) = (
            old_line.saturating_add(breaks(&old)),
            new_line.saturating_add(breaks(&new)),
        );
        at = region.original.end;
    }
    Ok(hunks)
}

fn breaks(text: &[u8]) -> u32 {
    narrow(memchr::memchr_iter(b'\n', text).count())
}

/// Lines around changes.
struct Window {
    region: Region,
    /// Unchanged lines at its end, after the line of the last change.
    kept_behind: usize,
}

/// Disjoint windows of whole lines, in order, that contain all changes and enough context.
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
        let start = lines_back(table, file, source, first.current.start, context)?;
        let mut last = at;
        let mut ahead = lines_ahead(table, file, source, first.current.end, context)?;
        while let Some(next) = regions.get(last + 1) {
            // The next window begins no later than its region does and must begin behind this one's end.
            if next.current.start > ahead.end
                && lines_back(table, file, source, next.current.start, context)?.saturating_sub(1)
                    > ahead.end
            {
                break;
            }
            // A long line is not read again for each of its changes.
            if next.current.end >= ahead.line_end {
                ahead = lines_ahead(table, file, source, next.current.end, context)?;
            }
            last += 1;
        }
        let LinesAhead {
            end, kept_behind, ..
        } = ahead;
        let tail = regions[last].clone();
        let current = start..end;
        let original = shift(start, &first.current, &first.original)
            ..tail.original.end + (end - tail.current.end);
        windows.push(Window {
            region: Region { original, current },
            kept_behind,
        });
        at = last + 1;
    }
    Ok(windows)
}

/// The original's offset of a byte before a region.
fn shift(at: u64, current: &Range<u64>, original: &Range<u64>) -> u64 {
    original.start.saturating_sub(current.start - at)
}

/// The start of the line `count` lines above the one that holds `at`.
fn lines_back(
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
struct LinesAhead {
    /// The end of the line that holds the change's end.
    line_end: u64,
    /// The end of the context lines below, and how many of them the file has.
    end: u64,
    kept_behind: usize,
}

/// At most `count` lines below the one that holds `at`.
fn lines_ahead(
    table: &PieceTable,
    file: FileId,
    source: &dyn ByteSource,
    at: u64,
    count: usize,
) -> Result<LinesAhead, ReadError> {
    let line_end = table.line_end(file, at, source)?;
    let (mut end, mut kept_behind) = (line_end, 0);
    while kept_behind < count {
        let next = table.line_end(file, end, source)?;
        if next == end {
            break;
        }
        (end, kept_behind) = (next, kept_behind + 1);
    }
    Ok(LinesAhead {
        line_end,
        end,
        kept_behind,
    })
}

#[cfg(test)]
mod tests;
