//! The fast path: reads block YAML as programs and people usually write it, line by line.
//!
//! It returns the parser's tree, or none. Unusual text (anchors, tags, flow collections of several
//! lines, tabs between tokens, a scalar as root) and text that might be invalid is left to the
//! parser, which reports the errors. `fast_path/tests.rs` compares the two.

use super::build::{Builder, NodeProperties};
use super::chars::{byte, is_blank, is_blankz, is_document_indicator};
use super::input::Input;
use crate::tree::{NodeKind, Tree};
use scalars::PlainEnd;
use std::ops::Range;

mod scalars;

/// Deeper nesting is left to the parser, which does not recurse.
const MAX_DEPTH: usize = 100;
/// Longer keys are left to the parser, which counts their characters (at most 1024).
const MAX_KEY: usize = 1000;

/// Builds the tree of a text of `len` bytes; `None` if something in it is unusual.
pub fn parse(input: &Input<'_>, len: usize) -> Option<Tree> {
    let is_plain =
        input.only_lf && input.start == 0 && input.sticky_mark == 0 && input.limit.is_none();
    if is_plain && input.text.ends_with(b"\n") {
        parse_lines(&input.text, len)
    } else {
        None
    }
}

/// Reads a text of valid UTF-8 whose only line break is `\n`, and which ends with one.
fn parse_lines(text: &[u8], len: usize) -> Option<Tree> {
    let builder = Builder::new(text, len);
    let mut lines = Lines {
        text,
        at: 0,
        line_start: 0,
        builder,
        open: Vec::with_capacity(16),
        pending_value: None,
        comments: Vec::new(),
        block_indents: Vec::new(),
    };
    lines.skip_separator()?;
    while let Some(column) = lines.next_content()? {
        lines.read_content(column)?;
    }
    lines.fill_pending_value();
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
    /// Current position; at the beginning of a line between [`Lines::read_content`] calls.
    at: usize,
    line_start: usize,
    builder: Builder<'t>,
    /// Open collections, outermost first; columns never decrease.
    open: Vec<Open>,
    /// End of the `:` or `-` whose value may follow on a later line.
    pending_value: Option<usize>,
    comments: Vec<Range<u32>>,
    /// Block scalars with an indentation indicator: start and indentation.
    block_indents: Vec<(u32, u32)>,
}

/// All methods return `None` to leave the document to the full parser.
impl Lines<'_> {
    /// Skips the separator line at the beginning of the chunk, if any.
    fn skip_separator(&mut self) -> Option<()> {
        if !self.text.starts_with(b"---") {
            return Some(());
        }
        self.at = 3;
        self.skip_spaces();
        self.end_line(3)
    }

    /// Skips blank lines and comments; returns the column of the next content, or the inner `None`
    /// at the end.
    fn next_content(&mut self) -> Option<Option<usize>> {
        loop {
            self.line_start = self.at;
            if self.at == self.text.len() {
                return Some(None);
            }
            self.skip_spaces();
            match self.byte() {
                b'\n' => self.at += 1,
                b'#' => self.skip_comment(),
                b'\t' => return None,
                _ if self.at == self.line_start && is_document_indicator(self.text, self.at) => {
                    return None;
                }
                _ => return Some(Some(self.at - self.line_start)),
            }
        }
    }

    /// Reads a line whose content begins in this column.
    fn read_content(&mut self, column: usize) -> Option<()> {
        let is_item = self.is_dash();
        if self.pending_value.is_some() {
            let top = self.open.last()?;
            let is_indentless =
                is_item && top.collection == Collection::Mapping && column == top.column;
            if column > top.column || is_indentless {
                self.pending_value = None;
                return self.read_node(column, is_indentless);
            }
            self.fill_pending_value();
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
                self.read_node(0, false)
            } else {
                None
            };
        };
        match top.collection {
            _ if top.column != column => None,
            Collection::Mapping if !is_item => self.read_key(None),
            Collection::Sequence | Collection::IndentlessSequence if is_item => self.read_item(),
            _ => None,
        }
    }

    /// Adds an absent value to a key or item without a value.
    fn fill_pending_value(&mut self) {
        if let Some(end) = self.pending_value.take() {
            self.builder
                .add_absent(end as u32, NodeProperties::default());
        }
    }

    /// Reads a node that begins here, after only spaces and dashes on this line.
    fn read_node(&mut self, column: usize, is_indentless: bool) -> Option<()> {
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
            return self.read_item();
        }
        self.read_key(Some(column))
    }

    /// Reads an item of the innermost sequence, from its dash.
    fn read_item(&mut self) -> Option<()> {
        self.builder.dash = Some(self.at as u32);
        self.at += 1;
        let end = self.at;
        self.skip_spaces();
        if self.is_end_of_content(end) {
            self.pending_value = Some(end);
            return self.end_line(end);
        }
        self.read_node(self.at - self.line_start, false)
    }

    /// Reads a key of the innermost mapping and its value. If a node may begin in `column`, the
    /// text may also be the first key of a new mapping, or a scalar.
    fn read_key(&mut self, column: Option<usize>) -> Option<()> {
        let start = self.at;
        let kind = self.node_kind()?;
        let end = match kind {
            NodeKind::SingleQuoted | NodeKind::DoubleQuoted => {
                let end = self.find_quotes_end(kind)?;
                let is_key = byte(self.text, end) == b':' && is_blankz(self.text, end + 1);
                if is_key && memchr::memchr(b'\n', &self.text[start..end]).is_some() {
                    return None;
                }
                is_key.then_some(end)
            }
            NodeKind::Plain => match self.find_plain_end(start)? {
                PlainEnd::Colon(colon) if !is_blank(byte(self.text, colon - 1)) => Some(colon),
                PlainEnd::Colon(_) => return None,
                _ => None,
            },
            _ => None,
        };
        let Some(colon) = end else {
            // A scalar as root is left to the parser.
            return if column.is_some() && !self.open.is_empty() {
                self.read_scalar(kind)
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
        self.read_value(colon)
    }

    /// Reads the value after the `:` of a key.
    fn read_value(&mut self, colon: usize) -> Option<()> {
        let end = colon + 1;
        self.at = end;
        self.skip_spaces();
        if self.is_end_of_content(end) {
            self.pending_value = Some(end);
            return self.end_line(end);
        }
        if self.is_dash() {
            return None;
        }
        let kind = self.node_kind()?;
        self.read_scalar(kind)
    }

    fn node_kind(&self) -> Option<NodeKind> {
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
        self.skip_spaces();
        self.end_line(end)
    }

    /// Ends a line whose content ended at `end`, with only spaces after it.
    fn end_line(&mut self, end: usize) -> Option<()> {
        match self.byte() {
            b'\n' => self.at += 1,
            b'#' if self.at > end => self.skip_comment(),
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
    fn skip_comment(&mut self) {
        let start = self.at;
        let rest = &self.text[start..];
        self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.comments.push(start as u32..self.at as u32);
        self.at = (self.at + 1).min(self.text.len());
    }

    fn skip_spaces(&mut self) {
        while self.byte() == b' ' {
            self.at += 1;
        }
    }

    fn expect_byte(&mut self, expected: u8) -> Option<()> {
        if self.byte() != expected {
            return None;
        }
        self.at += 1;
        Some(())
    }

    fn add_scalar(&mut self, kind: NodeKind, start: usize, end: usize) {
        let range = start as u32..end as u32;
        self.builder
            .add_scalar(kind, range, NodeProperties::default());
    }

    fn open_node(&mut self, kind: NodeKind, start: usize) {
        self.builder
            .open(kind, start as u32, NodeProperties::default());
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
