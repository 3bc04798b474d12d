//! The fast path: block YAML as programs and people usually write it, read line by line.
//!
//! It returns the parser's tree, or none. Unusual text (anchors, tags, flow collections
//! with content, tabs between tokens, a scalar as root) and text that might be wrong is left to the
//! parser, which words the refusals. `fast_path/tests.rs` compares the two.

use super::build::{Builder, Props};
use super::input::{Input, byte, is_blank, is_blankz, is_document_indicator};
use crate::tree::{NodeKind, Tree};
use scalars::Stop;
use std::ops::Range;

mod scalars;

/// Deeper nesting is left to the parser, which does not recurse.
const MAX_DEPTH: usize = 100;
/// Longer keys are left to the parser, which counts their characters (at most 1024).
const MAX_KEY: usize = 1000;

/// Builds the tree of a text of `len` bytes; `None` if something in it is unusual.
pub fn tree(input: &Input<'_>, len: usize) -> Option<Tree> {
    let is_plain =
        input.only_lf && input.start == 0 && input.sticky_mark == 0 && input.limit.is_none();
    if is_plain && input.text.ends_with(b"\n") {
        read(&input.text, len)
    } else {
        None
    }
}

/// Reads a text of valid UTF-8 whose only line break is `\n`, and which ends with one.
fn read(text: &[u8], len: usize) -> Option<Tree> {
    let builder = Builder::new(text, len);
    let mut lines = Lines {
        text,
        at: 0,
        line: 0,
        builder,
        open: Vec::with_capacity(16),
        waits: None,
        comments: Vec::new(),
        block_indents: Vec::new(),
    };
    lines.pass_separator()?;
    while let Some(column) = lines.next_content()? {
        lines.content(column)?;
    }
    lines.settle();
    while lines.open.pop().is_some() {
        lines.builder.close(None);
    }
    lines
        .builder
        .has_nodes()
        .then(|| lines.builder.finish(lines.comments, &lines.block_indents))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Collection {
    Mapping,
    Sequence,
    /// A sequence that is the value of a key in the same column.
    IndentlessSequence,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    collection: Collection,
    column: usize,
}

struct Lines<'t> {
    text: &'t [u8],
    /// At the beginning of a line, between lines.
    at: usize,
    /// Start of the current line.
    line: usize,
    builder: Builder<'t>,
    /// Outermost first; columns never fall.
    open: Vec<Open>,
    /// End of the `:` or `-` of a key or item whose value may follow on a later line.
    waits: Option<usize>,
    comments: Vec<Range<u32>>,
    /// Block scalars with an indentation indicator: start and indentation.
    block_indents: Vec<(u32, u32)>,
}

/// `None` always means: leave the document to the parser.
impl Lines<'_> {
    /// Skips the separator with which a chunk may begin.
    fn pass_separator(&mut self) -> Option<()> {
        if !self.text.starts_with(b"---") {
            return Some(());
        }
        self.at = 3;
        self.pass_spaces();
        self.end_line(3)
    }

    /// Skips blank lines and comments; returns the column of the next content, or the inner `None`
    /// at the end.
    fn next_content(&mut self) -> Option<Option<usize>> {
        loop {
            self.line = self.at;
            if self.at == self.text.len() {
                return Some(None);
            }
            self.pass_spaces();
            match self.byte() {
                b'\n' => self.at += 1,
                b'#' => self.pass_comment(),
                b'\t' => return None,
                _ if self.at == self.line && is_document_indicator(self.text, self.at) => {
                    return None;
                }
                _ => return Some(Some(self.at - self.line)),
            }
        }
    }

    /// Reads a line whose content begins in this column.
    fn content(&mut self, column: usize) -> Option<()> {
        let is_item = self.is_dash();
        if self.waits.is_some() {
            let top = self.open.last()?;
            let is_indentless =
                is_item && top.collection == Collection::Mapping && column == top.column;
            if column > top.column || is_indentless {
                self.waits = None;
                return self.node(column, is_indentless);
            }
            self.settle();
        }
        while let Some(top) = self.open.last() {
            let is_over = top.column > column
                || top.column == column
                    && top.collection == Collection::IndentlessSequence
                    && !is_item;
            if !is_over {
                break;
            }
            self.open.pop();
            self.builder.close(None);
        }
        let Some(top) = self.open.last() else {
            return if column == 0 && !self.builder.has_nodes() {
                self.node(0, false)
            } else {
                None
            };
        };
        match top.collection {
            _ if top.column != column => None,
            Collection::Mapping if !is_item => self.key(None),
            Collection::Sequence | Collection::IndentlessSequence if is_item => self.item(),
            _ => None,
        }
    }

    /// Adds an absent value to a key or item that still waits for one.
    fn settle(&mut self) {
        if let Some(end) = self.waits.take() {
            self.builder.absent(end as u32, Props::default());
        }
    }

    /// Reads a node that begins here, after only spaces and dashes on this line.
    fn node(&mut self, column: usize, is_indentless: bool) -> Option<()> {
        if self.open.len() == MAX_DEPTH {
            return None;
        }
        if self.is_dash() {
            let collection = if is_indentless {
                Collection::IndentlessSequence
            } else {
                Collection::Sequence
            };
            self.open_node(NodeKind::BlockSequence, self.at);
            self.open.push(Open { collection, column });
            return self.item();
        }
        self.key(Some(column))
    }

    /// Reads an item of the innermost sequence, from its dash.
    fn item(&mut self) -> Option<()> {
        self.builder.dash = Some(self.at as u32);
        self.at += 1;
        let end = self.at;
        self.pass_spaces();
        if self.is_end_of_content(end) {
            self.waits = Some(end);
            return self.end_line(end);
        }
        self.node(self.at - self.line, false)
    }

    /// Reads a key of the innermost mapping and its value. If a node may begin in `column`, the
    /// text may also be the first key of a new mapping, or a scalar.
    fn key(&mut self, column: Option<usize>) -> Option<()> {
        let start = self.at;
        let kind = self.kind()?;
        let end = match kind {
            NodeKind::SingleQuoted | NodeKind::DoubleQuoted => {
                let end = self.end_of_quotes(kind)?;
                let is_key = byte(self.text, end) == b':' && is_blankz(self.text, end + 1);
                if is_key && memchr::memchr(b'\n', &self.text[start..end]).is_some() {
                    return None;
                }
                is_key.then_some(end)
            }
            NodeKind::Plain => match self.stop_of_plain(start)? {
                Stop::Colon(colon) if !is_blank(byte(self.text, colon - 1)) => Some(colon),
                Stop::Colon(_) => return None,
                _ => None,
            },
            _ => None,
        };
        let Some(colon) = end else {
            // A scalar as root is left to the parser.
            return if column.is_some() && !self.open.is_empty() {
                self.scalar(kind)
            } else {
                None
            };
        };
        if colon - start > MAX_KEY {
            return None;
        }
        if let Some(column) = column {
            self.open_node(NodeKind::BlockMapping, start);
            self.open.push(Open {
                collection: Collection::Mapping,
                column,
            });
        }
        self.add_scalar(kind, start, colon);
        self.value(colon)
    }

    /// Reads the value after the `:` of a key.
    fn value(&mut self, colon: usize) -> Option<()> {
        let end = colon + 1;
        self.at = end;
        self.pass_spaces();
        if self.is_end_of_content(end) {
            self.waits = Some(end);
            return self.end_line(end);
        }
        if self.is_dash() {
            return None;
        }
        let kind = self.kind()?;
        self.scalar(kind)
    }

    /// Returns the kind of node that begins here.
    fn kind(&self) -> Option<NodeKind> {
        match self.byte() {
            b'"' => Some(NodeKind::DoubleQuoted),
            b'\'' => Some(NodeKind::SingleQuoted),
            b'|' => Some(NodeKind::Literal),
            b'>' => Some(NodeKind::Folded),
            b'[' => Some(NodeKind::FlowSequence),
            b'{' => Some(NodeKind::FlowMapping),
            b'&' | b'*' | b'!' | b'%' | b'@' | b'`' | b'#' | b',' | b']' | b'}' | b'?' | b':'
            | b'\t' | b'\n' => None,
            _ => Some(NodeKind::Plain),
        }
    }

    /// Skips the rest of a line, which may only contain a comment.
    fn rest_of_line(&mut self) -> Option<()> {
        let end = self.at;
        self.pass_spaces();
        self.end_line(end)
    }

    /// Ends a line whose content ended at `end`, with only spaces after it.
    fn end_line(&mut self, end: usize) -> Option<()> {
        match self.byte() {
            b'\n' => self.at += 1,
            b'#' if self.at > end => self.pass_comment(),
            _ => return None,
        }
        Some(())
    }

    fn is_end_of_content(&self, end: usize) -> bool {
        match self.byte() {
            b'\n' => true,
            b'#' => self.at > end,
            _ => false,
        }
    }

    /// Skips a comment and its line break.
    fn pass_comment(&mut self) {
        let start = self.at;
        let rest = &self.text[start..];
        self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.comments.push(start as u32..self.at as u32);
        self.at = (self.at + 1).min(self.text.len());
    }

    fn pass_spaces(&mut self) {
        while self.byte() == b' ' {
            self.at += 1;
        }
    }

    fn pass_byte(&mut self, expected: u8) -> Option<()> {
        let is_there = self.byte() == expected;
        self.at += usize::from(is_there);
        is_there.then_some(())
    }

    fn add_scalar(&mut self, kind: NodeKind, start: usize, end: usize) {
        let range = start as u32..end as u32;
        self.builder.scalar(kind, range, Props::default());
    }

    fn open_node(&mut self, kind: NodeKind, start: usize) {
        self.builder.open(kind, start as u32, Props::default());
    }

    /// Returns the current byte; 0 at the end.
    #[inline(always)]
    fn byte(&self) -> u8 {
        byte(self.text, self.at)
    }

    fn is_dash(&self) -> bool {
        self.byte() == b'-' && is_blankz(self.text, self.at + 1)
    }
}

#[cfg(test)]
mod tests;
