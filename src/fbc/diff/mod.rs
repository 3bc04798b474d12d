//! What differs between a file and its original, as hunks of lines. Only the changed regions and their surroundings are
//! read and compared, so that one changed line of a large file costs a few reads. Knows nothing of YAML.

pub mod git;
mod lines;

use crate::model::FileId;
use crate::source::bytes::{ByteSource, ReadError};
use crate::source::piece::{LineMarks, PieceTable, Region};
use protocol::operation::EditOp;
use std::ops::Range;

/// Unchanged lines shown around a change, as `git diff` does.
pub const CONTEXT: usize = 3;

/// Changed lines that stand together, with the unchanged lines around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Line number of the hunk's first line, from 1; of the line before it when the hunk has no line of that side.
    pub old_start: u32,
    pub old_lines: u32,
    pub new_start: u32,
    pub new_lines: u32,
    pub lines: Vec<Line>,
}

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub kind: LineKind,
    /// Line number in the original, from 1; `None` for an added line.
    pub old: Option<u32>,
    /// Line number in the file as it is now, from 1; `None` for a removed line.
    pub new: Option<u32>,
    /// Without its `\n`; a `\r` before it is part of the text.
    pub text: Vec<u8>,
    /// False for a last line that has no line break.
    pub newline: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    Context,
    Removed,
    Added,
}

/// The difference of two whole texts.
pub fn text_diff(old: &[u8], new: &[u8], context: usize) -> Vec<Hunk> {
    lines::hunks(&lines::Sides { old, new, old_line: 0, new_line: 0, kept_behind: 0 }, context)
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
        let sides = lines::Sides {
            old: &original.read(file, region.original.clone(), source)?,
            new: &table.read(file, region.current.clone(), source)?,
            old_line: original.lines_before(file, region.original.start, marks, source)?,
            new_line: table.lines_before(file, region.current.start, marks, source)?,
            kept_behind,
        };
        hunks.extend(lines::hunks(&sides, context));
    }
    Ok(hunks)
}

impl Hunk {
    /// The operation that gives the original's lines back, of the file as it is now; `None` when a line is no UTF-8.
    pub fn revert(&self, catalog: Option<String>, file: &str) -> Option<EditOp> {
        let first = self.lines.iter().position(|line| line.kind != LineKind::Context)?;
        let last = self.lines.iter().rposition(|line| line.kind != LineKind::Context)?;
        let changed = &self.lines[first..=last];
        let mut line = self.new_start.max(1);
        if self.new_lines == 0 && self.new_start > 0 {
            line += 1;
        }
        line += self.lines[..first].iter().filter(|line| line.new.is_some()).count() as u32;
        let side = |skipped: LineKind| {
            let mut text = Vec::new();
            for line in changed.iter().filter(|line| line.kind != skipped) {
                text.extend_from_slice(&line.text);
                text.extend(line.newline.then_some(b'\n'));
            }
            String::from_utf8(text).ok()
        };
        let (before, text) = (side(LineKind::Removed)?, side(LineKind::Added)?);
        let end_line = line + before.matches('\n').count() as u32;
        let end_column = 1 + before.rsplit('\n').next().map_or(0, |tail| tail.chars().count());
        let at = format!("{line}:1-{end_line}:{end_column}");
        Some(EditOp::ReplaceText { catalog, file: file.to_owned(), at, before, text, around: None })
    }

    /// `@@ -1,3 +1,4 @@` and the lines, as `diff -u` and git write them.
    pub fn write(&self, out: &mut Vec<u8>) {
        let side = |start: u32, lines: u32| if lines == 1 { start.to_string() } else { format!("{start},{lines}") };
        let (old, new) = (side(self.old_start, self.old_lines), side(self.new_start, self.new_lines));
        out.extend_from_slice(format!("@@ -{old} +{new} @@\n").as_bytes());
        for line in &self.lines {
            out.push(line.kind.sign());
            out.extend_from_slice(&line.text);
            out.extend_from_slice(if line.newline { b"\n" } else { b"\n\\ No newline at end of file\n" });
        }
    }
}

impl LineKind {
    fn sign(self) -> u8 {
        match self {
            LineKind::Context => b' ',
            LineKind::Removed => b'-',
            LineKind::Added => b'+',
        }
    }
}

/// Lines around changes.
struct Window {
    region: Region,
    /// Lines at its end that stand behind the line of the last change, and so are not changed.
    kept_behind: usize,
}

/// Windows of whole lines that hold all changes and enough lines around them, disjoint, in order.
///
/// Each begins and ends at a byte that both texts have behind the same unchanged line break, so both sides are whole
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
