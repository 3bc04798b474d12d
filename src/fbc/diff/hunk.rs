//! Hunks of lines: their content, their text, and the operation that reverts one.

use protocol::operation::EditOp;

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

/// One line of a hunk.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    Context,
    Removed,
    Added,
}

impl Hunk {
    /// The operation that restores the original's lines in the current file; `None` if a line is
    /// not UTF-8.
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

    /// `@@ -1,3 +1,4 @@` and the lines, as `diff -u` and git write them.
    pub fn write(&self, out: &mut Vec<u8>) {
        let side = |start: u32, lines: u32| {
            if lines == 1 {
                start.to_string()
            } else {
                format!("{start},{lines}")
            }
        };
        let (old, new) = (
            side(self.old_start, self.old_lines),
            side(self.new_start, self.new_lines),
        );
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

impl LineKind {
    fn sign(self) -> u8 {
        match self {
            LineKind::Context => b' ',
            LineKind::Removed => b'-',
            LineKind::Added => b'+',
        }
    }
}
