//! Reads scalars, and flow collections of one line.

use super::{Lines, MAX_DEPTH, MAX_KEY};
use crate::tree::NodeKind;
use crate::yaml::chars::{byte, is_blank, is_blankz, is_document_indicator};

/// How the text of a plain scalar ends on a line, with the position of the ending character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainEnd {
    /// At a `:` that makes it a key.
    Colon(usize),
    Comment(usize),
    LineBreak(usize),
}

/// `None` always means that the document is left to the parser.
impl Lines<'_> {
    /// Reads a node without keys, to the end of its last line.
    pub fn read_scalar(&mut self, kind: NodeKind) -> Option<()> {
        let start = self.at;
        match kind {
            NodeKind::Plain => self.read_plain(),
            NodeKind::Literal | NodeKind::Folded => self.read_block_scalar(kind),
            NodeKind::SingleQuoted | NodeKind::DoubleQuoted => {
                self.at = self.find_quotes_end(kind)?;
                self.add_scalar(kind, start, self.at);
                self.rest_of_line()
            }
            _ => {
                self.read_flow(kind, 0)?;
                self.rest_of_line()
            }
        }
    }

    /// Reads a flow collection on one line, with its content.
    fn read_flow(&mut self, kind: NodeKind, depth: usize) -> Option<()> {
        let closing = if kind.is_mapping() { b'}' } else { b']' };
        self.open_node(kind, self.at);
        self.at += 1;
        self.skip_spaces();
        let mut is_first = true;
        while self.byte() != closing {
            if !is_first {
                // A comma before the closing bracket is left to the parser: `kind` refuses the
                // bracket.
                self.expect_byte(b',')?;
                self.skip_spaces();
            }
            is_first = false;
            if kind.is_mapping() {
                let start = self.at;
                self.read_flow_scalar(self.node_kind()?)?;
                if self.at - start > MAX_KEY {
                    return None;
                }
                self.expect_byte(b':')?;
                self.skip_spaces();
            }
            match self.node_kind()? {
                inner @ (NodeKind::FlowSequence | NodeKind::FlowMapping) if depth < MAX_DEPTH => {
                    self.read_flow(inner, depth + 1)?
                }
                inner => self.read_flow_scalar(inner)?,
            }
            self.skip_spaces();
        }
        self.at += 1;
        self.builder.close(Some(self.at as u32));
        Some(())
    }

    /// Reads a scalar in a flow collection, on one line.
    fn read_flow_scalar(&mut self, kind: NodeKind) -> Option<()> {
        let start = self.at;
        let end = match kind {
            NodeKind::SingleQuoted | NodeKind::DoubleQuoted => self.find_quotes_end(kind)?,
            NodeKind::Plain if !self.is_dash() => {
                self.trimmed_end(start, self.find_flow_plain_end()?)
            }
            _ => return None,
        };
        if memchr::memchr(b'\n', &self.text[start..end]).is_some() {
            return None;
        }
        self.at = end;
        self.add_scalar(kind, start, end);
        Some(())
    }

    fn find_flow_plain_end(&self) -> Option<usize> {
        let mut at = self.at;
        loop {
            match byte(self.text, at) {
                b',' | b'[' | b']' | b'{' | b'}' | b'?' => return Some(at),
                b':' if is_blankz(self.text, at + 1) => return Some(at),
                b'#' if is_blank(self.text[at - 1]) => return None,
                b'\n' | b'\t' | 0 => return None,
                _ => at += 1,
            }
        }
    }

    fn read_plain(&mut self) -> Option<()> {
        let start = self.at;
        let parent = self.open.last()?.column;
        let mut from = start;
        let end = loop {
            match self.find_plain_end(from)? {
                PlainEnd::Colon(_) => return None,
                PlainEnd::Comment(at) => {
                    self.at = at;
                    let end = self.trimmed_end(from, at);
                    self.skip_comment();
                    break end;
                }
                PlainEnd::LineBreak(at) => {
                    let end = self.trimmed_end(from, at);
                    self.at = at + 1;
                    match self.find_continuation(parent)? {
                        Some(next) => from = next,
                        None => break end,
                    }
                }
            }
        };
        self.add_scalar(NodeKind::Plain, start, end);
        Some(())
    }

    /// Finds where a plain scalar continues after a line break; the inner `None` if it ended.
    /// Then the current position is the beginning of the line after it.
    fn find_continuation(&mut self, parent: usize) -> Option<Option<usize>> {
        loop {
            let line = self.at;
            self.skip_spaces();
            match self.byte() {
                b'\n' => self.at += 1,
                b'\t' => return None,
                _ if self.at == self.text.len()
                    || self.at - line <= parent
                    || self.byte() == b'#' =>
                {
                    self.at = line;
                    return Some(None);
                }
                _ => return Some(Some(self.at)),
            }
        }
    }

    /// Finds how the plain text from this position ends on its line.
    pub fn find_plain_end(&self, from: usize) -> Option<PlainEnd> {
        let mut at = from;
        loop {
            at += memchr::memchr3(b':', b'#', b'\n', self.text.get(at..)?)?;
            match self.text[at] {
                b'\n' => return Some(PlainEnd::LineBreak(at)),
                b':' if is_blankz(self.text, at + 1) => return Some(PlainEnd::Colon(at)),
                b'#' if at > from && is_blank(self.text[at - 1]) => {
                    return Some(PlainEnd::Comment(at));
                }
                _ => at += 1,
            }
        }
    }

    /// Returns the end of the text between two positions without trailing blanks.
    fn trimmed_end(&self, from: usize, to: usize) -> usize {
        from + self.text[from..to]
            .iter()
            .rposition(|&b| !is_blank(b))
            .map_or(0, |last| last + 1)
    }

    /// Returns the position after the closing quote.
    pub fn find_quotes_end(&self, kind: NodeKind) -> Option<usize> {
        let mut at = self.at + 1;
        let is_double = kind == NodeKind::DoubleQuoted;
        loop {
            let rest = self.text.get(at..)?;
            at += if is_double {
                memchr::memchr3(b'"', b'\\', b'\n', rest)?
            } else {
                memchr::memchr2(b'\'', b'\n', rest)?
            };
            match self.text[at] {
                b'"' => return Some(at + 1),
                b'\'' if byte(self.text, at + 1) == b'\'' => at += 2,
                b'\'' => return Some(at + 1),
                b'\\' => at = self.find_escape_end(at)?,
                _ if is_document_indicator(self.text, at + 1) => return None,
                _ => at += 1,
            }
        }
    }

    /// Returns the position after this escape. An escaped line break counts as a break.
    fn find_escape_end(&self, at: usize) -> Option<usize> {
        match byte(self.text, at + 1) {
            b'"' | b'\\' | b'n' | b't' | b'r' | b' ' => Some(at + 2),
            b'\n' => Some(at + 1),
            b'u' => {
                let digits = self.text.get(at + 2..at + 6)?;
                let value = digits
                    .iter()
                    .try_fold(0, |value, &b| Some(value << 4 | (b as char).to_digit(16)?))?;
                char::from_u32(value).map(|_| at + 6)
            }
            _ => None,
        }
    }

    fn read_block_scalar(&mut self, kind: NodeKind) -> Option<()> {
        let start = self.at;
        let parent = self.open.last()?.column;
        self.at += 1;
        let (keeps_breaks, increment) = self.read_block_header();
        let mut end = self.at;
        self.skip_spaces();
        self.expect_byte(b'\n')?;
        let mut indent = parent + increment.unwrap_or(1);
        if increment.is_some() {
            self.block_indents.push((start as u32, indent as u32));
        }
        let mut blank_end = None;
        let mut line = self.at;
        // Leading blank lines count for the indentation too, unless the header gives it.
        loop {
            self.skip_indentation(increment.map(|_| line + indent));
            indent = indent.max(self.at - line);
            match self.byte() {
                b'\t' if self.at - line < indent || increment.is_none() => return None,
                b'\n' => {
                    blank_end = Some(self.at);
                    self.at += 1;
                    line = self.at;
                }
                _ => break,
            }
        }
        while self.at < self.text.len() {
            let column = self.at - line;
            match self.byte() {
                b'\n' => blank_end = Some(self.at),
                b'\t' if column < indent => return None,
                _ if column < indent => break,
                _ => {
                    self.at += memchr::memchr(b'\n', &self.text[self.at..])?;
                    end = self.at;
                    blank_end = None;
                }
            }
            self.at += 1;
            line = self.at;
            self.skip_indentation(Some(line + indent));
        }
        if keeps_breaks {
            end = blank_end.unwrap_or(end);
        }
        self.at = line;
        self.add_scalar(kind, start, end);
        Some(())
    }

    /// Reads the indicators after `|` or `>`. Returns whether trailing line breaks are kept, and
    /// the indentation if given.
    fn read_block_header(&mut self) -> (bool, Option<usize>) {
        let (mut chomping, mut increment) = (None, None);
        for _ in 0..2 {
            match self.byte() {
                b @ (b'+' | b'-') if chomping.is_none() => chomping = Some(b),
                b @ b'1'..=b'9' if increment.is_none() => increment = Some(usize::from(b - b'0')),
                _ => break,
            }
            self.at += 1;
        }
        (chomping == Some(b'+'), increment)
    }

    /// Skips spaces, at most up to `limit`.
    fn skip_indentation(&mut self, limit: Option<usize>) {
        while limit.is_none_or(|limit| self.at < limit) && self.byte() == b' ' {
            self.at += 1;
        }
    }
}
