//! Compares two texts line by line.

use super::hunk::{DiffLine, Hunk, LineKind};
use super::line_changes::operations;
use crate::place::narrow;
use similar::{DiffOp, DiffTag};

/// Two texts of whole lines: files or parts of them.
pub(super) struct TextPair<'a> {
    pub(super) old: &'a [u8],
    pub(super) new: &'a [u8],
    /// Lines before the texts in their files.
    pub(super) old_line: u32,
    pub(super) new_line: u32,
    /// Unchanged lines at the end of both texts that remain after the changes. An insertion before
    /// equal lines could also be reported after them; the last hunk would then end without context,
    /// which `git apply` takes for the end of the file.
    pub(super) kept_behind: usize,
}

/// Hunks of two texts.
pub(super) fn hunks(texts: &TextPair<'_>, context: usize) -> Vec<Hunk> {
    let (old, new) = (split(texts.old), split(texts.new));
    let (old_line, new_line) = (texts.old_line, texts.new_line);
    let same = |(a, b): &(&&[u8], &&[u8])| a == b;
    let kept = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(texts.kept_behind)
        .take_while(same)
        .count();
    let before = old.iter().zip(&new).take(old.len().min(new.len()) - kept);
    let prefix = before.take_while(same).count();
    let suffix = old[prefix..]
        .iter()
        .rev()
        .zip(new[prefix..].iter().rev())
        .take_while(same)
        .count();
    let (old_end, new_end) = (old.len() - suffix, new.len() - suffix);
    if (prefix, prefix) == (old_end, new_end) {
        return Vec::new();
    }
    let mut ops = Vec::new();
    let equal = |old_index, new_index, len| DiffOp::Equal {
        old_index,
        new_index,
        len,
    };
    ops.extend((prefix > 0).then(|| equal(0, 0, prefix)));
    ops.extend(operations(&old[prefix..old_end], &new[prefix..new_end]));
    ops.extend((suffix > 0).then(|| equal(old_end, new_end, suffix)));
    let groups = similar::group_diff_ops(renumber_ops(ops), context);
    groups
        .iter()
        .filter_map(|group| hunk(group, &old, &new, old_line, new_line))
        .collect()
}

/// Recomputes positions from lengths: `similar` may leave stale positions on deletions after it has
/// moved changes together.
fn renumber_ops(ops: Vec<DiffOp>) -> Vec<DiffOp> {
    let (mut old_index, mut new_index) = (0, 0);
    let renumber = |op: DiffOp| {
        let (old_len, new_len) = (op.old_range().len(), op.new_range().len());
        let numbered = match op.tag() {
            DiffTag::Equal => DiffOp::Equal {
                old_index,
                new_index,
                len: old_len,
            },
            _ => DiffOp::Replace {
                old_index,
                old_len,
                new_index,
                new_len,
            },
        };
        (old_index, new_index) = (old_index + old_len, new_index + new_len);
        numbered
    };
    ops.into_iter().map(renumber).collect()
}

fn hunk(
    group: &[DiffOp],
    old: &[&[u8]],
    new: &[&[u8]],
    old_line: u32,
    new_line: u32,
) -> Option<Hunk> {
    let (first, last) = (group.first()?, group.last()?);
    let old_range = first.old_range().start..last.old_range().end;
    let new_range = first.new_range().start..last.new_range().end;
    let mut lines = Vec::with_capacity(old_range.len().max(new_range.len()));
    for op in group {
        let (removed, added) = (op.old_range(), op.new_range());
        if op.tag() == DiffTag::Equal {
            let pairs = removed.zip(added);
            lines.extend(
                pairs.map(|(o, n)| {
                    line(LineKind::Context, old[o], at(old_line, o), at(new_line, n))
                }),
            );
        } else {
            lines.extend(removed.map(|o| line(LineKind::Removed, old[o], at(old_line, o), None)));
            lines.extend(added.map(|n| line(LineKind::Added, new[n], None, at(new_line, n))));
        }
    }
    Some(Hunk {
        old_start: behind(old_line, old_range.start, !old_range.is_empty()),
        old_lines: narrow(old_range.len()),
        new_start: behind(new_line, new_range.start, !new_range.is_empty()),
        new_lines: narrow(new_range.len()),
        lines,
    })
}

fn at(base: u32, index: usize) -> Option<u32> {
    Some(behind(base, index, true))
}

fn behind(base: u32, index: usize, next: bool) -> u32 {
    base.saturating_add(narrow(index))
        .saturating_add(u32::from(next))
}

fn line(kind: LineKind, text: &[u8], old: Option<u32>, new: Option<u32>) -> DiffLine {
    let (text, newline) = match text.strip_suffix(b"\n") {
        Some(text) => (text, true),
        None => (text, false),
    };
    DiffLine {
        kind,
        old,
        new,
        text: text.to_vec(),
        newline,
    }
}

fn split(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').collect()
}
