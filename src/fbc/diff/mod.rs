//! What differs between a file and its original, as hunks of lines. Only the changed regions and their surroundings are
//! read and compared, so that one changed line of a large file costs a few reads. Knows nothing of YAML.

pub mod git;
mod hunk;
mod line_diff;

pub use hunk::{DiffLine, Hunk, LineKind};

use crate::model::FileId;
use crate::source::bytes::{ByteSource, ReadError};
use crate::source::piece::{LineMarks, PieceTable, Region};
use std::ops::Range;

/// Unchanged lines shown around a change, as `git diff` does.
pub const CONTEXT: usize = 3;

/// The difference of two whole texts.
pub fn text_diff(old: &[u8], new: &[u8], context: usize) -> Vec<Hunk> {
    line_diff::hunks(&line_diff::TextPair { old, new, old_line: 0, new_line: 0, kept_behind: 0 }, context)
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
    for Window { region, kept_behind } in windows(table, file, source, context)? {
        let texts = line_diff::TextPair {
            old: &original.read(file, region.original.clone(), source)?,
            new: &table.read(file, region.current.clone(), source)?,
            old_line: original.lines_before(file, region.original.start, marks, source)?,
            new_line: table.lines_before(file, region.current.start, marks, source)?,
            kept_behind,
        };
        hunks.extend(line_diff::hunks(&texts, context));
    }
    Ok(hunks)
}

/// Lines around changes.
struct Window {
    region: Region,
    /// Lines at its end that stand behind the line of the last change, and so are not changed.
    kept_behind: usize,
}

/// Windows of whole lines that hold all changes and enough lines around them, disjoint, in order.
///
/// Each begins and ends at a byte that both texts have behind the same unchanged line break, so both texts are whole
/// lines. Where the lines around one change reach the next, the two share a window.
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
        let (mut end, mut kept_behind) = lines_ahead(table, file, source, first.current.end, context)?;
        while let Some(next) = regions.get(last + 1) {
            // The next window begins no later than its region does and must begin behind this one's end.
            if lines_back(table, file, source, next.current.start, context)?.saturating_sub(1) > end {
                break;
            }
            (end, kept_behind) = lines_ahead(table, file, source, next.current.end, context)?;
            last += 1;
        }
        let tail = regions[last].clone();
        let current = start..end;
        let original = shift(start, &first.current, &first.original)..tail.original.end + (end - tail.current.end);
        windows.push(Window { region: Region { original, current }, kept_behind });
        at = last + 1;
    }
    Ok(windows)
}

/// The original's offset of a byte that stands before a region.
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

/// The end of the line `count` lines below the one that holds `at`, and how many lines the file has there.
fn lines_ahead(
    table: &PieceTable,
    file: FileId,
    source: &dyn ByteSource,
    at: u64,
    count: usize,
) -> Result<(u64, usize), ReadError> {
    let mut end = table.line_end(file, at, source)?;
    for found in 0..count {
        let next = table.line_end(file, end, source)?;
        if next == end {
            return Ok((end, found));
        }
        end = next;
    }
    Ok((end, count))
}

#[cfg(test)]
mod tests;
