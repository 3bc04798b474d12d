//! Turns a patch and a tree into text edits in the style of the neighbours.
//!
//! [`locate`] finds the position and refuses changes that would affect more than intended;
//! [`style`] detects the blob's style; [`key_order`] orders new keys; [`write`] formats new values;
//! [`block`] and [`flow`] insert them. [`super::verify`] parses and compares the result, so errors
//! here cannot corrupt a file. Knows no schemas.

pub mod blob;
mod block;
mod flow;
mod key_order;
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
const MAX_DEPTH: usize = 128;

type SpliceResult = Result<Vec<TextEdit>, PatchRefusal>;

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
            if !is_writable(value, MAX_DEPTH) =>
        {
            let reason = "the new value is nested too deeply, or is not JSON";
            Err(document.refuse(NodeId(0), RefusalKind::Unwritable, reason))
        }
        _ => Ok(()),
    }
}

/// Returns the text edits of one patch, whose path leads to `target`.
pub(super) fn splice(writer: &Writer<'_>, patch: &Patch, target: &Target) -> SpliceResult {
    let document = writer.document;
    let parent_of = |whole_blob: &str| {
        let refusal = || document.refuse(target.node, RefusalKind::Spelling, whole_blob);
        target.parent().ok_or_else(refusal)
    };
    match &patch.action {
        Action::Set { value, after } => {
            if let Some(key) = &target.new_key {
                return match document.tree.kind(target.node) {
                    NodeKind::FlowMapping => flow::insert_key(writer, target, key, value, after),
                    _ => block::insert_key(writer, target, key, value, after),
                };
            }
            let parent = parent_of("the whole blob cannot be replaced")?;
            if document.tree.kind(parent.node).is_flow() {
                flow::set(writer, target, parent, value)
            } else {
                block::set(writer, target, parent, value)
            }
        }
        Action::InsertItem { at, value } => match document.tree.kind(target.node) {
            NodeKind::FlowSequence => flow::insert_item(writer, target, *at, value),
            NodeKind::BlockSequence => block::insert_item(writer, target, *at, value),
            _ => Err(document.refuse(target.node, RefusalKind::NotThere, "this is not a list")),
        },
        Action::Remove => {
            let parent = parent_of("the whole blob cannot be removed this way")?;
            if document.tree.kind(parent.node).is_flow() {
                flow::remove(document, parent)
            } else {
                block::remove(document, target, parent)
            }
        }
    }
}

/// Returns the range in which the patch may remove comments: those of a removed value, or inside a
/// replaced one.
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
            let start = match target.key {
                // Comments between the key and the first line of a collection are replaced too.
                Some(key) if document.begins_line(range.start) => {
                    document.next_line(document.tree.range(key).end)
                }
                _ => range.start,
            };
            start.min(range.start)..document.line_end(range.end)
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

pub(crate) fn first_newline(text: &[u8]) -> Option<&'static str> {
    memchr::memchr(b'\n', text).map(|offset| newline_at(text, offset))
}

/// Returns the line break whose `\n` is at this offset.
fn newline_at(text: &[u8], offset: usize) -> &'static str {
    if text[..offset].ends_with(b"\r") {
        "\r\n"
    } else {
        "\n"
    }
}

/// Whether a value has at most this many levels of lists and maps.
fn is_writable(value: &Value, max_depth: usize) -> bool {
    match value {
        Value::Array(items) => {
            max_depth > 0 && items.iter().all(|item| is_writable(item, max_depth - 1))
        }
        Value::Object(pairs) => {
            max_depth > 0
                && pairs
                    .values()
                    .all(|value| is_writable(value, max_depth - 1))
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
            RefusalKind::Inherited => {
                "Change it there as text, which changes it wherever it is repeated, or write the value out here."
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

    /// Returns the number of blanks between an item and the dash on its line.
    pub fn dash_gap(&self, item: NodeId) -> Option<usize> {
        let (dash, start) = (self.tree.dash(item)?, self.start(item));
        (start > dash + 1 && !self.has_line_break(dash..start)).then(|| start - dash - 1)
    }

    /// Returns the start of the line that contains `offset`.
    pub fn line_start(&self, offset: usize) -> usize {
        memchr::memrchr(b'\n', &self.text[..offset.min(self.text.len())])
            .map_or(0, |newline| newline + 1)
    }

    /// Returns the end of the line that contains `offset`, before its line break.
    pub fn line_end(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        match memchr::memchr(b'\n', &self.text[offset..]) {
            Some(newline) if newline > 0 && self.text[offset + newline - 1] == b'\r' => {
                offset + newline - 1
            }
            Some(newline) => offset + newline,
            None => self.text.len(),
        }
    }

    /// Returns the start of the line after the one that contains `offset`, or the text's end.
    pub fn next_line(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        memchr::memchr(b'\n', &self.text[offset..])
            .map_or(self.text.len(), |newline| offset + newline + 1)
    }

    /// Returns the blanks at the start of the line that contains `offset`, without a byte order
    /// mark.
    pub fn indentation(&self, offset: usize) -> &str {
        let line = &self.text[self.line_start(offset)..];
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        let blanks = line
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count();
        std::str::from_utf8(&line[..blanks]).unwrap_or_default()
    }

    /// Returns the number of characters between the start of the line and `offset`.
    pub fn column(&self, offset: usize) -> usize {
        let line = &self.text[self.line_start(offset)..offset];
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        line.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
    }

    /// Whether only blanks precede `offset` on its line.
    pub fn begins_line(&self, offset: usize) -> bool {
        self.column(offset) == self.indentation(offset).len()
    }

    pub fn has_line_break(&self, range: Range<usize>) -> bool {
        memchr::memchr(b'\n', &self.text[range]).is_some()
    }

    /// Returns the offset of the first byte from `offset` on that is neither a blank nor a line
    /// break.
    pub fn skip_space(&self, offset: usize) -> usize {
        let text = self.text.get(offset..).unwrap_or_default();
        offset
            + text
                .iter()
                .take_while(|byte| byte.is_ascii_whitespace())
                .count()
    }

    /// Returns the offset of the first byte from `offset` on that is neither white space nor part
    /// of a comment.
    pub fn skip_comments(&self, mut offset: usize) -> usize {
        loop {
            offset = self.skip_space(offset);
            match self.line_comment(offset) {
                Some(comment) if comment.start == offset => offset = comment.end,
                _ => return offset,
            }
        }
    }

    /// Returns the text after the document's value and its comments.
    pub fn text_after_root(&self) -> &'a [u8] {
        let end = self.tree.root().map_or(0, |root| self.tree.range(root).end);
        self.text.get(self.skip_comments(end)..).unwrap_or_default()
    }

    /// Returns the first comment from `offset` on, if it begins on the same line.
    pub fn line_comment(&self, offset: usize) -> Option<Range<usize>> {
        let comments = self.tree.comments();
        let next =
            comments.get(comments.partition_point(|comment| (comment.start as usize) < offset))?;
        let comment = next.start as usize..next.end as usize;
        (comment.start <= self.line_end(offset)).then_some(comment)
    }

    /// Returns the start of the whole-line comments directly above the line of `offset` that are
    /// indented as far as `offset`, or the start of its own line if there are none.
    pub fn comments_above(&self, offset: usize) -> usize {
        let comments = self.tree.comments();
        let column = self.column(offset);
        let mut start = self.line_start(offset);
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

    pub fn has_comments_in(&self, range: Range<usize>) -> bool {
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
