//! Compares two texts line by line, in roughly linear time, and groups the changes into hunks.

use protocol::operation::EditOp;
use similar::{Algorithm, DiffOp, DiffTag};
use std::ops::{Index, Range};
use syntax::hashed::HashMap;
use syntax::place::narrow;

pub use protocol::views::LineKind;

/// Maximum number of lines that are compared pair by pair, which may take quadratic time.
const MAX_PAIRWISE_LINES: usize = 2_000;

/// Maximum depth to which the text between unique lines is searched for unique lines again.
const MAX_DEPTH: usize = 16;

/// Two texts of whole lines: files or parts of them.
pub struct TextPair<'a> {
    pub old: &'a [u8],
    pub new: &'a [u8],
    /// Number of lines before the texts in their files.
    pub old_line: u32,
    pub new_line: u32,
    /// Number of unchanged lines at the end of both texts. They remain after all changes: an
    /// insertion before equal lines could also be reported after them, but `git apply` interprets a
    /// hunk without trailing context as the end of the file.
    pub trailing_context: usize,
}

/// A group of changed lines with the unchanged lines around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Number of the hunk's first line, from 1; of the line before it if the hunk has no line of
    /// that side.
    pub old_start: u32,
    pub old_lines: u32,
    pub new_start: u32,
    pub new_lines: u32,
    pub lines: Vec<DiffLine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    pub kind: LineKind,
    /// Line number in the original, from 1; `None` for an added line.
    pub old: Option<u32>,
    /// Line number in the current file, from 1; `None` for a removed line.
    pub new: Option<u32>,
    /// Without its `\n`; a `\r` before it is part of the text.
    pub text: Vec<u8>,
    /// False for a last line without a line break.
    pub newline: bool,
}

pub fn hunks(texts: &TextPair<'_>, context: usize) -> Vec<Hunk> {
    let (old, new) = (split(texts.old), split(texts.new));
    let (old_line, new_line) = (texts.old_line, texts.new_line);
    let kept = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(texts.trailing_context)
        .take_while(|(a, b)| a == b)
        .count();
    let before = old.iter().zip(&new).take(old.len().min(new.len()) - kept);
    let prefix = before.take_while(|(a, b)| a == b).count();
    let suffix = old[prefix..]
        .iter()
        .rev()
        .zip(new[prefix..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (old_end, new_end) = (old.len() - suffix, new.len() - suffix);
    if (prefix, prefix) == (old_end, new_end) {
        return Vec::new();
    }
    let mut ops = Vec::new();
    ops.extend((prefix > 0).then_some(DiffOp::Equal {
        old_index: 0,
        new_index: 0,
        len: prefix,
    }));
    ops.extend(diff_operations(
        &old[prefix..old_end],
        &new[prefix..new_end],
    ));
    ops.extend((suffix > 0).then_some(DiffOp::Equal {
        old_index: old_end,
        new_index: new_end,
        len: suffix,
    }));
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
    ops.into_iter()
        .map(|op: DiffOp| {
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
        })
        .collect()
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
            lines.extend(pairs.map(|(o, n)| {
                line(
                    LineKind::Context,
                    old[o],
                    line_at(old_line, o),
                    line_at(new_line, n),
                )
            }));
        } else {
            lines.extend(
                removed.map(|o| line(LineKind::Removed, old[o], line_at(old_line, o), None)),
            );
            lines.extend(added.map(|n| line(LineKind::Added, new[n], None, line_at(new_line, n))));
        }
    }
    Some(Hunk {
        old_start: start_line(old_line, &old_range),
        old_lines: narrow(old_range.len()),
        new_start: start_line(new_line, &new_range),
        new_lines: narrow(new_range.len()),
        lines,
    })
}

fn line_at(base: u32, index: usize) -> Option<u32> {
    Some(base.saturating_add(narrow(index)).saturating_add(1))
}

/// Returns the number of a hunk's first line, or of the line before an empty range.
fn start_line(base: u32, range: &Range<usize>) -> u32 {
    base.saturating_add(narrow(range.start))
        .saturating_add(u32::from(!range.is_empty()))
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

impl Hunk {
    /// Returns the operation that restores the original's lines in the current file; `None` if a
    /// line is not UTF-8.
    pub fn revert(&self, catalog: Option<String>, file: &str) -> Option<EditOp> {
        let first = self
            .lines
            .iter()
            .position(|line| line.kind != LineKind::Context)?;
        let last = self
            .lines
            .iter()
            .rposition(|line| line.kind != LineKind::Context)?;
        let changed = &self.lines[first..=last];
        let mut line = self.new_start.max(1);
        if self.new_lines == 0 && self.new_start > 0 {
            line += 1;
        }
        line += self.lines[..first]
            .iter()
            .filter(|line| line.new.is_some())
            .count() as u32;
        let before = text_without(LineKind::Removed, changed)?;
        let text = text_without(LineKind::Added, changed)?;
        let end_line = line + before.matches('\n').count() as u32;
        let end_column = 1 + before
            .rsplit('\n')
            .next()
            .map_or(0, |tail| tail.chars().count());
        let at = format!("{line}:1-{end_line}:{end_column}");
        Some(EditOp::ReplaceText {
            catalog,
            file: file.to_owned(),
            at,
            before,
            text,
            around: None,
        })
    }

    /// Writes `@@ -1,3 +1,4 @@` and the lines, as `diff -u` and git write them.
    pub fn write(&self, out: &mut Vec<u8>) {
        let sides = [
            (self.old_start, self.old_lines),
            (self.new_start, self.new_lines),
        ];
        let [old, new] = sides.map(|(start, lines)| match lines {
            1 => start.to_string(),
            _ => format!("{start},{lines}"),
        });
        out.extend_from_slice(format!("@@ -{old} +{new} @@\n").as_bytes());
        for line in &self.lines {
            out.push(line.kind.sign());
            out.extend_from_slice(&line.text);
            out.extend_from_slice(if line.newline {
                b"\n"
            } else {
                b"\n\\ No newline at end of file\n"
            });
        }
    }
}

fn text_without(kind: LineKind, lines: &[DiffLine]) -> Option<String> {
    let mut text = Vec::new();
    for line in lines.iter().filter(|line| line.kind != kind) {
        text.extend_from_slice(&line.text);
        text.extend(line.newline.then_some(b'\n'));
    }
    String::from_utf8(text).ok()
}

/// Returns the operations that turn the old lines into the new ones, in order and without gaps.
pub fn diff_operations(old: &[&[u8]], new: &[&[u8]]) -> Vec<DiffOp> {
    let mut numbers = HashMap::default();
    let (old_lines, new_lines) = (
        number_lines(old, &mut numbers),
        number_lines(new, &mut numbers),
    );
    Comparison::new(&old_lines, &new_lines, numbers.len()).run(0..old.len(), 0..new.len())
}

/// Numbers the lines; equal lines get equal numbers.
fn number_lines<'a>(lines: &[&'a [u8]], numbers: &mut HashMap<&'a [u8], u32>) -> Vec<u32> {
    lines
        .iter()
        .map(|line: &&'a [u8]| {
            let next = narrow(numbers.len());
            *numbers.entry(*line).or_insert(next)
        })
        .collect()
}

/// The position of a line in both texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pair {
    old: usize,
    new: usize,
}

/// Number of occurrences of a line in a part of both texts, and its position in the old one.
#[derive(Debug, Clone, Copy, Default)]
struct Occurrences {
    in_old: u32,
    in_new: u32,
    first: usize,
}

impl Occurrences {
    fn is_unique(self) -> bool {
        (self.in_old, self.in_new) == (1, 1)
    }
}

/// Two texts of numbered lines.
struct Comparison<'a, Lines> {
    old: &'a Lines,
    new: &'a Lines,
    /// By line number; all 0 between two uses.
    occurrences: Vec<Occurrences>,
    operations: Vec<DiffOp>,
}

impl<'a, Lines: Index<usize, Output = u32>> Comparison<'a, Lines> {
    fn new(old: &'a Lines, new: &'a Lines, distinct: usize) -> Self {
        Self {
            old,
            new,
            occurrences: vec![Occurrences::default(); distinct],
            operations: Vec::new(),
        }
    }

    fn run(mut self, old: Range<usize>, new: Range<usize>) -> Vec<DiffOp> {
        self.compare(old, new, MAX_DEPTH);
        self.operations
    }

    /// Compares few lines pair by pair. Among many, keeps lines that occur once in both texts if
    /// their order is equal, and compares the text between them. Without such lines, uses lines
    /// that occur equally often in both; without those, reports everything as replaced.
    fn compare(&mut self, mut old: Range<usize>, mut new: Range<usize>, depth: usize) {
        let is_equal = |&(old, new): &(usize, usize)| self.old[old] == self.new[new];
        let pairs = old.clone().zip(new.clone());
        let prefix = pairs.take_while(is_equal).count();
        self.keep(old.start, new.start, prefix);
        (old.start, new.start) = (old.start + prefix, new.start + prefix);
        let is_equal = |&(old, new): &(usize, usize)| self.old[old] == self.new[new];
        let pairs = old.clone().rev().zip(new.clone().rev());
        let suffix = pairs.take_while(is_equal).count();
        (old.end, new.end) = (old.end - suffix, new.end - suffix);
        let (old_end, new_end) = (old.end, new.end);
        if old.is_empty() || new.is_empty() {
            self.replace(old, new);
        } else if old.len() + new.len() <= MAX_PAIRWISE_LINES {
            for op in similar::capture_diff(Algorithm::Myers, self.old, old, self.new, new) {
                match op {
                    DiffOp::Equal {
                        old_index,
                        new_index,
                        len,
                    } => self.keep(old_index, new_index, len),
                    changed => self.operations.push(changed),
                }
            }
        } else {
            self.compare_many(old, new, depth);
        }
        self.keep(old_end, new_end, suffix);
    }

    /// Keeps the pairs of unique lines and compares the lines between them.
    fn compare_many(&mut self, old: Range<usize>, new: Range<usize>, depth: usize) {
        let pairs = if depth > 0 {
            self.pairs(old.clone(), new.clone())
        } else {
            Vec::new()
        };
        if pairs.is_empty() {
            return self.replace(old, new);
        }
        let (mut old_at, mut new_at) = (old.start, new.start);
        for pair in pairs {
            self.compare(old_at..pair.old, new_at..pair.new, depth - 1);
            self.keep(pair.old, pair.new, 1);
            (old_at, new_at) = (pair.old + 1, pair.new + 1);
        }
        self.compare(old_at..old.end, new_at..new.end, depth - 1);
    }

    fn replace(&mut self, old: Range<usize>, new: Range<usize>) {
        if !(old.is_empty() && new.is_empty()) {
            self.operations.push(DiffOp::Replace {
                old_index: old.start,
                old_len: old.len(),
                new_index: new.start,
                new_len: new.len(),
            });
        }
    }

    /// Adds one operation for consecutive equal lines.
    fn keep(&mut self, old_index: usize, new_index: usize, len: usize) {
        match self.operations.last_mut() {
            _ if len == 0 => {}
            Some(DiffOp::Equal { len: total, .. }) => *total += len,
            _ => self.operations.push(DiffOp::Equal {
                old_index,
                new_index,
                len,
            }),
        }
    }

    /// Returns pairs of equal lines, in the order of both parts.
    fn pairs(&mut self, old: Range<usize>, new: Range<usize>) -> Vec<Pair> {
        // For each old line, the next position of an equal line.
        let mut next = vec![0; old.len()];
        for at in old.clone().rev() {
            let counts = &mut self.occurrences[self.old[at] as usize];
            next[at - old.start] = counts.first;
            (counts.in_old, counts.first) = (counts.in_old + 1, at);
        }
        for at in new.clone() {
            self.occurrences[self.new[at] as usize].in_new += 1;
        }
        let has_unique = new
            .clone()
            .any(|at| self.occurrences[self.new[at] as usize].is_unique());
        let mut pairs = Vec::new();
        for at in new.clone() {
            let counts = &mut self.occurrences[self.new[at] as usize];
            if counts.is_unique() || !has_unique && counts.in_old == counts.in_new {
                pairs.push(Pair {
                    old: counts.first,
                    new: at,
                });
                counts.first = next[counts.first - old.start];
            }
        }
        for at in old {
            self.occurrences[self.old[at] as usize] = Occurrences::default();
        }
        for at in new {
            self.occurrences[self.new[at] as usize] = Occurrences::default();
        }
        longest_increasing(&pairs)
    }
}

/// Returns the longest subsequence of pairs that are in the order of both texts.
fn longest_increasing(pairs: &[Pair]) -> Vec<Pair> {
    // For each length, the last pair of the subsequence that ends first; and for each pair its
    // predecessor.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].old < pair.old);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut longest: Vec<Pair> = std::iter::successors(ends.last().copied(), |&at| before[at])
        .map(|at| pairs[at])
        .collect();
    longest.reverse();
    longest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::Cell;

    /// Lines that count how often they are compared.
    struct Counted<'a>(Vec<u32>, &'a Cell<u64>);

    impl Index<usize> for Counted<'_> {
        type Output = u32;

        fn index(&self, at: usize) -> &u32 {
            self.1.set(self.1.get() + 1);
            &self.0[at]
        }
    }

    fn number_lines(old: &[String], new: &[String]) -> (Vec<u32>, Vec<u32>, usize) {
        fn bytes(lines: &[String]) -> Vec<&[u8]> {
            lines.iter().map(String::as_bytes).collect()
        }
        let mut numbers = HashMap::default();
        let (old, new) = (
            super::number_lines(&bytes(old), &mut numbers),
            super::number_lines(&bytes(new), &mut numbers),
        );
        (old, new, numbers.len())
    }

    /// Returns the operations, and the number of line comparisons.
    fn compared(old: &[String], new: &[String]) -> (Vec<DiffOp>, u64) {
        let (old, new, numbers) = number_lines(old, new);
        let looks = Cell::new(0);
        let ranges = (0..old.len(), 0..new.len());
        let (old, new) = (Counted(old, &looks), Counted(new, &looks));
        let operations = Comparison::new(&old, &new, numbers).run(ranges.0, ranges.1);
        (operations, looks.get())
    }

    fn count_kept(operations: &[DiffOp]) -> usize {
        let kept = operations
            .iter()
            .filter(|op| matches!(op, DiffOp::Equal { .. }));
        kept.map(|op| op.old_range().len()).sum()
    }

    fn chain(entries: usize, replaces: impl Fn(usize) -> String) -> Vec<String> {
        (0..entries)
            .flat_map(|at| [format!("- name: p.v{at}"), replaces(at)])
            .collect()
    }

    /// A different line follows each entry.
    #[test]
    fn the_work_is_linear_in_the_changed_lines() {
        let run = |entries| {
            let old = chain(entries, |at| format!("  replaces: p.v{}", at + 1));
            let new = chain(entries, |at| format!("  replaces: p.v{}", at + 10));
            let (operations, looks) = compared(&old, &new);
            assert_eq!(count_kept(&operations), entries);
            looks
        };
        let (small, large) = (run(4_000), run(8_000));
        assert!(large as f64 <= 2.2 * small as f64, "{small}, {large}");
    }

    #[test]
    fn lines_without_equals_are_not_compared_with_each_other() {
        let run = |lines: usize| {
            let text =
                |of: &str| -> Vec<String> { (0..lines).map(|at| format!("{of} {at}")).collect() };
            let (operations, looks) = compared(&text("old"), &text("new"));
            assert_eq!(count_kept(&operations), 0);
            looks
        };
        let (small, large) = (run(4_000), run(8_000));
        assert!(large as f64 <= 2.2 * small as f64, "{small}, {large}");
    }

    #[test]
    fn common_lines_are_kept_if_all_names_change() {
        let text = |package: &str| chain(3_000, |at| format!("  replaces: {package}.v{at}"));
        let renamed = |lines: Vec<String>, package: &str| -> Vec<String> {
            let blob = |line: String| {
                [
                    "---".to_owned(),
                    line.replace("p.v", package),
                    "properties:".to_owned(),
                ]
            };
            lines.into_iter().flat_map(blob).collect()
        };
        let (operations, _) = compared(&renamed(text("p"), "p.v"), &renamed(text("p"), "q.v"));
        assert_eq!(count_kept(&operations), 2 * 6_000);
    }

    #[test]
    fn many_scattered_changes_match_the_myers_algorithm() {
        let old = chain(3_000, |at| format!("  replaces: p.v{}", at % 7));
        let mut new = old.clone();
        for at in (100..6_000).step_by(317).rev() {
            match at % 3 {
                0 => drop(new.remove(at)),
                1 => new.insert(at, "  skips: []".to_owned()),
                _ => new[at] = "- name: another".to_owned(),
            }
        }
        let (old_lines, new_lines, _) = number_lines(&old, &new);
        let myers = similar::capture_diff(
            Algorithm::Myers,
            &old_lines,
            0..old.len(),
            &new_lines,
            0..new.len(),
        );
        assert_eq!(count_kept(&compared(&old, &new).0), count_kept(&myers));
    }

    proptest! {
        /// For any lines, the operations have no gaps, and kept lines are equal in both texts.
        #[test]
        fn the_operations_lead_from_old_to_new(
            old in prop::collection::vec(0..40u32, 0..60),
            new in prop::collection::vec(0..40u32, 0..60),
            times in prop::sample::select(vec![1usize, 40]),
        ) {
            let repeated = |lines: &[u32]| -> Vec<String> {
                (0..times).flat_map(|time| lines.iter().map(move |line| format!("{line} {}", time * (*line as usize % 2)))).collect()
            };
            let (old, new) = (repeated(&old), repeated(&new));
            let (mut old_at, mut new_at) = (0, 0);
            for op in compared(&old, &new).0 {
                let (removed, added) = (op.old_range().len(), op.new_range().len());
                if let DiffOp::Equal { .. } = op {
                    prop_assert_eq!(&old[old_at..old_at + removed], &new[new_at..new_at + added]);
                }
                (old_at, new_at) = (old_at + removed, new_at + added);
            }
            prop_assert_eq!((old_at, new_at), (old.len(), new.len()));
        }
    }
}
