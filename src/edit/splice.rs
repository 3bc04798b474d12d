//! Turns a patch and a tree into text edits in the style of the neighbours.
//!
//! [`locate`] finds the position and refuses changes that would affect more than intended;
//! [`style`] detects the blob's style; [`write`] formats new values; [`block`] and [`flow`] place
//! them. [`super::verify`] parses and compares the result, so errors here cannot corrupt a file.
//! Knows no schemas.

pub mod blob;
mod block;
mod flow;
pub(crate) mod locate;
mod style;
mod write;

pub(crate) use write::Writer;

use crate::patch::{Action, Patch, PatchRefusal, RefusalKind, Value};
use catalog::source::text_edit::TextEdit;
use locate::Target;
use std::borrow::Cow;
use std::ops::Range;
use syntax::place::LineIndex;
use syntax::scalar;
use syntax::tree::{Format, NodeId, NodeKind, Tree};

/// Maximum nesting of lists and maps in a new value; JSON readers accept no more either.
const DEEPEST: usize = 128;

/// A document as parsed, with its text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Document<'a> {
    pub text: &'a [u8],
    pub tree: &'a Tree,
    pub format: Format,
}

/// Refuses new values that cannot be written anywhere.
pub(super) fn check_value(document: Document<'_>, patch: &Patch) -> Result<(), PatchRefusal> {
    match &patch.action {
        Action::Set { value, .. } | Action::InsertItem { value, .. }
            if !writable(value, DEEPEST) =>
        {
            let reason = "the new value is nested too deeply, or is not JSON";
            Err(document.refuse(NodeId(0), RefusalKind::Unwritable, reason))
        }
        _ => Ok(()),
    }
}

/// Returns the text edits of one patch, whose path leads to `target`.
pub(super) fn splice(
    writer: &Writer<'_>,
    patch: &Patch,
    target: &Target,
) -> Result<Vec<TextEdit>, PatchRefusal> {
    let document = writer.document;
    match &patch.action {
        Action::Set { value, after } => {
            if let Some(key) = &target.new_key {
                return match document.tree.kind(target.node) {
                    NodeKind::FlowMapping => flow::insert_key(writer, target, key, value, after),
                    _ => block::insert_key(writer, target, key, value, after),
                };
            }
            if target.key.is_none() && target.parent().is_none() {
                return Err(document.refuse(
                    target.node,
                    RefusalKind::Spelling,
                    "the whole blob cannot be replaced",
                ));
            }
            if document.parent_is_flow(target) {
                flow::set(writer, target, value)
            } else {
                block::set(writer, target, value)
            }
        }
        Action::InsertItem { at, value } => match document.tree.kind(target.node) {
            NodeKind::FlowSequence => flow::insert_item(writer, target, *at, value),
            NodeKind::BlockSequence => block::insert_item(writer, target, *at, value),
            _ => Err(document.refuse(target.node, RefusalKind::NotThere, "this is not a list")),
        },
        Action::Remove if target.parent().is_none() => Err(document.refuse(
            target.node,
            RefusalKind::Spelling,
            "the whole blob cannot be removed this way",
        )),
        Action::Remove if document.parent_is_flow(target) => flow::remove(document, target),
        Action::Remove => block::remove(document, target),
    }
}

/// Returns the range in which comments may be removed: with a removed value, or inside a replaced
/// one.
pub(super) fn removable_comments(
    document: Document<'_>,
    patch: &Patch,
    target: &Target,
) -> Range<usize> {
    let range = document.tree.range(target.node);
    match &patch.action {
        Action::InsertItem { .. } => 0..0,
        Action::Set { .. } if target.new_key.is_some() => 0..0,
        Action::Set { .. } => {
            let lines = document
                .begins_line(range.start)
                .then(|| document.line_start(range.start));
            // Comments between the key and the first line of a collection belong to what is replaced.
            let above = target
                .key
                .map(|key| document.next_line(document.tree.range(key).end));
            let start = lines.and(above).unwrap_or(range.start).min(range.start);
            start..document.line_end(range.end)
        }
        Action::Remove => {
            let head = match target.key {
                Some(key) => document.start(key),
                None => document
                    .tree
                    .dash(target.node)
                    .unwrap_or_else(|| document.start(target.node)),
            };
            let line_end = document.line_end(range.end.max(head));
            document.comments_above(head)..line_end
        }
    }
}

/// Returns the first line break of a text.
pub(crate) fn newline_of(text: &[u8]) -> Option<&'static str> {
    let at = memchr::memchr(b'\n', text)?;
    Some(if text[..at].ends_with(b"\r") {
        "\r\n"
    } else {
        "\n"
    })
}

/// Whether a value is nested at most this deep.
fn writable(value: &Value, deepest: usize) -> bool {
    match value {
        Value::Array(items) => deepest > 0 && items.iter().all(|item| writable(item, deepest - 1)),
        Value::Object(pairs) => {
            deepest > 0 && pairs.values().all(|value| writable(value, deepest - 1))
        }
        _ => true,
    }
}

impl<'a> Document<'a> {
    pub fn refuse(
        &self,
        node: NodeId,
        kind: RefusalKind,
        reason: impl Into<String>,
    ) -> PatchRefusal {
        let range = if self.tree.is_empty() {
            0..0
        } else {
            self.tree.range(node)
        };
        self.refuse_at(range, kind, reason)
    }

    pub fn refuse_at(
        &self,
        range: Range<usize>,
        kind: RefusalKind,
        reason: impl Into<String>,
    ) -> PatchRefusal {
        let place = LineIndex::new(self.text).place(self.text, range);
        let help = match kind {
            RefusalKind::NotThere | RefusalKind::Unreadable => "",
            RefusalKind::Mismatch => {
                "Nothing was changed. Please report this, with the blob's text."
            }
            _ => "Change it as text instead.",
        };
        PatchRefusal {
            kind,
            reason: reason.into(),
            help: help.to_owned(),
            place,
        }
    }

    fn parent_is_flow(&self, target: &Target) -> bool {
        target.parent().is_some_and(|parent| {
            matches!(
                self.tree.kind(parent.node),
                NodeKind::FlowMapping | NodeKind::FlowSequence
            )
        })
    }

    /// Returns the offset behind the last line break before `at`.
    pub fn line_start(&self, at: usize) -> usize {
        memchr::memrchr(b'\n', &self.text[..at.min(self.text.len())])
            .map_or(0, |newline| newline + 1)
    }

    /// Returns the end of the line that holds `at`, before its line break.
    pub fn line_end(&self, at: usize) -> usize {
        let at = at.min(self.text.len());
        match memchr::memchr(b'\n', &self.text[at..]) {
            Some(newline) if newline > 0 && self.text[at + newline - 1] == b'\r' => {
                at + newline - 1
            }
            Some(newline) => at + newline,
            None => self.text.len(),
        }
    }

    /// Returns the start of the line below the one that holds `at`; the text's end for the last.
    pub fn next_line(&self, at: usize) -> usize {
        let at = at.min(self.text.len());
        memchr::memchr(b'\n', &self.text[at..]).map_or(self.text.len(), |newline| at + newline + 1)
    }

    /// Returns the blanks (and a byte order mark) at the start of the line that holds `at`.
    pub fn indentation(&self, at: usize) -> &str {
        let line = &self.text[self.line_start(at)..];
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        let blanks = line
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count();
        std::str::from_utf8(&line[..blanks]).unwrap_or_default()
    }

    /// Returns the number of characters between the start of the line and `at`.
    pub fn column(&self, at: usize) -> usize {
        let line = &self.text[self.line_start(at)..at];
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        line.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
    }

    /// Whether only blanks precede `at` on its line.
    pub fn begins_line(&self, at: usize) -> bool {
        self.column(at) == self.indentation(at).len()
    }

    pub fn has_line_break(&self, range: Range<usize>) -> bool {
        memchr::memchr(b'\n', &self.text[range]).is_some()
    }

    /// Returns the offset of the first byte at or after `at` that is neither a blank nor a line
    /// break.
    pub fn skip_space(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        at + rest
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count()
    }

    /// Returns the offset of the first byte at or after `at` that is neither blank nor comment.
    pub fn skip_comments(&self, mut at: usize) -> usize {
        loop {
            at = self.skip_space(at);
            match self.line_comment(at) {
                Some(comment) if comment.start == at => at = comment.end,
                _ => return at,
            }
        }
    }

    /// Returns the text after the document's value and its comments.
    pub fn behind_root(&self) -> &'a [u8] {
        let end = self.tree.root().map_or(0, |root| self.tree.range(root).end);
        self.text.get(self.skip_comments(end)..).unwrap_or_default()
    }

    /// Returns the comment that begins on the line of `at`, behind it.
    pub fn line_comment(&self, at: usize) -> Option<Range<usize>> {
        let comments = self.tree.comments();
        let next =
            comments.get(comments.partition_point(|comment| (comment.start as usize) < at))?;
        let comment = next.start as usize..next.end as usize;
        (comment.start <= self.line_end(at)).then_some(comment)
    }

    /// Returns the start of the block of whole-line comments directly above the line of `at` that
    /// have the same indentation as `at`; the start of its own line when there are none.
    pub fn comments_above(&self, at: usize) -> usize {
        let comments = self.tree.comments();
        let column = self.column(at);
        let mut start = self.line_start(at);
        let mut next = comments.partition_point(|comment| (comment.start as usize) < start);
        while start > 0 && next > 0 {
            let comment = comments[next - 1].start as usize;
            if self.next_line(comment) != start
                || !self.begins_line(comment)
                || self.column(comment) != column
            {
                break;
            }
            start = self.line_start(comment);
            next -= 1;
        }
        start
    }

    pub fn comments_within(&self, range: Range<usize>) -> bool {
        let comments = self.tree.comments();
        let first = comments.partition_point(|comment| (comment.start as usize) < range.start);
        comments
            .get(first)
            .is_some_and(|comment| (comment.start as usize) < range.end)
    }

    /// Returns the text of a scalar, quotes and escapes undone; `None` for collections and aliases.
    pub fn string(&self, node: NodeId) -> Option<Cow<'a, str>> {
        self.tree
            .kind(node)
            .is_scalar()
            .then(|| scalar::decode(self.tree, self.text, node))
    }

    /// Returns the offset of a node, including its tag and anchor.
    pub fn start(&self, node: NodeId) -> usize {
        let start = self.tree.range(node).start;
        let properties = self.tree.properties(node);
        let before = properties
            .into_iter()
            .flat_map(|p| [&p.anchor, &p.tag])
            .flatten();
        before
            .map(|range| range.start as usize)
            .min()
            .map_or(start, |first| first.min(start))
    }
}
