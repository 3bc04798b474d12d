//! Compares two texts line by line.

use super::{Hunk, Line, LineKind};
use similar::{Algorithm, DiffOp, DiffTag};
use std::ops::Range;

/// Beyond so many differing lines the comparison would cost more than its answer is worth; everything between the first
/// and the last differing line then counts as replaced.
const COMPARED: usize = 30_000;

/// Hunks of two texts of whole lines that begin at these lines (from 0) of their files.
pub(super) fn hunks(old: &[u8], new: &[u8], old_line: u32, new_line: u32, context: usize) -> Vec<Hunk> {
    let (old, new) = (split(old), split(new));
    let same = |(a, b): &(&&[u8], &&[u8])| a == b;
    let prefix = old.iter().zip(&new).take_while(same).count();
    let suffix = old[prefix..].iter().rev().zip(new[prefix..].iter().rev()).take_while(same).count();
    let (old_end, new_end) = (old.len() - suffix, new.len() - suffix);
    let mut ops = Vec::new();
    let equal = |old_index, new_index, len| DiffOp::Equal { old_index, new_index, len };
    ops.extend((prefix > 0).then(|| equal(0, 0, prefix)));
    ops.extend(changes(&old, prefix..old_end, &new, prefix..new_end));
    ops.extend((suffix > 0).then(|| equal(old_end, new_end, suffix)));
    let groups = similar::group_diff_ops(numbered(ops), context);
    groups.iter().filter_map(|group| hunk(group, &old, &new, old_line, new_line)).collect()
}

/// The operations with positions by their lengths: those that `similar` gives for deletions may be behind where they
/// belong, after it has moved changes together.
fn numbered(ops: Vec<DiffOp>) -> Vec<DiffOp> {
    let (mut old_index, mut new_index) = (0, 0);
    let renumber = |op: DiffOp| {
        let (old_len, new_len) = (op.old_range().len(), op.new_range().len());
        let numbered = match op.tag() {
            DiffTag::Equal => DiffOp::Equal { old_index, new_index, len: old_len },
            _ => DiffOp::Replace { old_index, old_len, new_index, new_len },
        };
        (old_index, new_index) = (old_index + old_len, new_index + new_len);
        numbered
    };
    ops.into_iter().map(renumber).collect()
}

fn changes(old: &[&[u8]], old_range: Range<usize>, new: &[&[u8]], new_range: Range<usize>) -> Vec<DiffOp> {
    if old_range.is_empty() && new_range.is_empty() {
        return Vec::new();
    }
    if old_range.len() + new_range.len() > COMPARED {
        return vec![DiffOp::Replace {
            old_index: old_range.start,
            old_len: old_range.len(),
            new_index: new_range.start,
            new_len: new_range.len(),
        }];
    }
    similar::capture_diff(Algorithm::Myers, old, old_range, new, new_range)
}

fn hunk(group: &[DiffOp], old: &[&[u8]], new: &[&[u8]], old_line: u32, new_line: u32) -> Option<Hunk> {
    let (first, last) = (group.first()?, group.last()?);
    let old_range = first.old_range().start..last.old_range().end;
    let new_range = first.new_range().start..last.new_range().end;
    let mut lines = Vec::with_capacity(old_range.len().max(new_range.len()));
    for op in group {
        let (removed, added) = (op.old_range(), op.new_range());
        if op.tag() == DiffTag::Equal {
            let pairs = removed.zip(added);
            lines.extend(pairs.map(|(o, n)| line(LineKind::Context, old[o], at(old_line, o), at(new_line, n))));
        } else {
            lines.extend(removed.map(|o| line(LineKind::Removed, old[o], at(old_line, o), None)));
            lines.extend(added.map(|n| line(LineKind::Added, new[n], None, at(new_line, n))));
        }
    }
    Some(Hunk {
        old_start: old_line + old_range.start as u32 + u32::from(!old_range.is_empty()),
        old_lines: old_range.len() as u32,
        new_start: new_line + new_range.start as u32 + u32::from(!new_range.is_empty()),
        new_lines: new_range.len() as u32,
        lines,
    })
}

fn at(base: u32, index: usize) -> Option<u32> {
    Some(base + index as u32 + 1)
}

fn line(kind: LineKind, text: &[u8], old: Option<u32>, new: Option<u32>) -> Line {
    let (text, newline) = match text.strip_suffix(b"\n") {
        Some(text) => (text, true),
        None => (text, false),
    };
    Line { kind, old, new, text: text.to_vec(), newline }
}

fn split(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').collect()
}
