//! Parses JSON as Go's `encoding/json` accepts it into a span tree: strings are double-quoted
//! nodes, numbers, `true`, `false` and `null` are plain ones.
//!
//! Bytes that are not UTF-8 are allowed inside strings; they read as U+FFFD.

use super::error::SyntaxError;
use super::go_text::quote_byte;
use super::tree::{Node, NodeKind, Tree};

#[cfg(test)]
mod tests;

/// The nesting limit of Go's reader.
pub(crate) const MAX_DEPTH: usize = 10_000;

/// Most strings have fewer bytes; a vectorised search pays only for longer ones.
const SHORT_STRING: usize = 32;

/// Multiplied by a byte, a word of eight of them.
const EACH_BYTE: u64 = 0x0101_0101_0101_0101;

/// Numbers of at most this many bytes, without an exponent, fit a float (up to about 1.8e308).
const SAFE_NUMBER_LEN: usize = 300;

/// A value at the beginning of a text.
#[derive(Debug)]
pub(crate) struct Value {
    pub tree: Tree,
    /// First byte after the value.
    pub end: usize,
}

/// Why the text does not begin with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// `invalid character ...`, and the offending byte.
    Syntax { at: usize, problem: String },
    /// The text ended too early.
    End,
}

impl Refusal {
    /// Returns the offset of the offending byte in a text of `len` bytes.
    pub fn offset(&self, len: usize) -> usize {
        match self {
            Refusal::Syntax { at, .. } => *at,
            Refusal::End => len,
        }
    }

    /// Returns `opm`'s error for a text of `len` bytes. `start` is the offset of the text in its
    /// file, if the message begins with the offset of the error.
    pub fn into_error(self, start: Option<u64>, len: usize) -> SyntaxError {
        match self {
            Refusal::Syntax { at, problem } => SyntaxError {
                at: at as u32,
                opm: match start {
                    Some(start) => format!("json: offset {}: {problem}", start + at as u64 + 1),
                    None => problem.clone(),
                },
                problem,
            },
            Refusal::End => SyntaxError::bare(len, "unexpected EOF"),
        }
    }
}

/// Parses one JSON value, which blanks may surround. The error is that of a file with no other
/// content.
pub fn parse(text: &[u8]) -> Result<Tree, SyntaxError> {
    let parsed = first_value(text).and_then(|value| {
        let end = value.end + count_blanks(&text[value.end..]);
        match text.get(end) {
            None => Ok(value.tree),
            Some(&b) => Err(unexpected_byte(b, end, "after top-level value")),
        }
    });
    parsed.map_err(|refusal| refusal.into_error(Some(0), text.len()))
}

/// Parses the value at the beginning of the text, after blanks.
pub(crate) fn first_value(text: &[u8]) -> Result<Value, Refusal> {
    let mut parser = Parser {
        text,
        at: 0,
        tree: Tree {
            json: true,
            ..Tree::default()
        },
        open_nodes: Vec::new(),
    };
    parser.parse_value()?;
    Ok(Value {
        tree: parser.tree,
        end: parser.at,
    })
}

/// Returns the length of the JSON blanks at the beginning.
pub(crate) fn count_blanks(text: &[u8]) -> usize {
    text.iter().take_while(|b| is_blank(**b)).count()
}

/// Counts the bytes of a string before the next quote, backslash or control character; `None` if
/// none follows.
fn plain_run(rest: &[u8]) -> Option<usize> {
    let words = rest.as_chunks().0;
    let words = &words[..words.len().min(SHORT_STRING / 8)];
    for (index, word) in words.iter().enumerate() {
        // The lowest byte is the first.
        let word = u64::from_le_bytes(*word);
        // Sets the high bit of the first byte below the limit, and perhaps those of later ones.
        let below = |word: u64, limit: u8| word.wrapping_sub(EACH_BYTE * u64::from(limit)) & !word;
        let ends = below(word, b' ')
            | below(word ^ (EACH_BYTE * u64::from(b'"')), 1)
            | below(word ^ (EACH_BYTE * u64::from(b'\\')), 1);
        let ends = ends & (EACH_BYTE << 7);
        if ends != 0 {
            return Some(index * 8 + ends.trailing_zeros() as usize / 8);
        }
    }
    let (head, tail) = rest.split_at(words.len() * 8);
    let end = memchr::memchr2(b'"', b'\\', tail);
    let before = &tail[..end.unwrap_or(tail.len())];
    // Branch-free, so that the compiler vectorises it.
    let has_control = before.iter().fold(false, |has, &b| has | (b < b' '));
    let run = if has_control {
        before.iter().position(|&b| b < b' ')
    } else {
        end
    };
    run.map(|run| head.len() + run)
}

fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r')
}

fn unexpected_byte(b: u8, at: usize, context: &str) -> Refusal {
    Refusal::Syntax {
        at,
        problem: format!("invalid character {} {context}", quote_byte(b)),
    }
}

struct Parser<'t> {
    text: &'t [u8],
    at: usize,
    tree: Tree,
    /// Indexes of the open objects and lists, innermost last.
    open_nodes: Vec<u32>,
}

impl Parser<'_> {
    /// Parses one value, without recursion.
    fn parse_value(&mut self) -> Result<(), Refusal> {
        // After `[`, a `]` may replace the value.
        let mut may_end = false;
        loop {
            self.skip_blanks();
            match self.byte()? {
                b'{' => {
                    self.begin_collection(NodeKind::FlowMapping)?;
                    self.skip_blanks();
                    if self.byte()? != b'}' {
                        self.parse_key()?;
                        may_end = false;
                        continue;
                    }
                    self.end_collection();
                }
                b'[' => {
                    self.begin_collection(NodeKind::FlowSequence)?;
                    may_end = true;
                    continue;
                }
                b']' if may_end => self.end_collection(),
                b'"' => self.parse_string()?,
                b'-' | b'0'..=b'9' => self.parse_number()?,
                b't' => self.parse_literal(b"true")?,
                b'f' => self.parse_literal(b"false")?,
                b'n' => self.parse_literal(b"null")?,
                b => return Err(self.unexpected(b, "looking for beginning of value")),
            }
            if self.finish_value()? {
                return Ok(());
            }
            may_end = false;
        }
    }

    /// Closes the collections that end after a value and skips to the next value.
    /// Returns whether the outermost value has ended.
    fn finish_value(&mut self) -> Result<bool, Refusal> {
        while let Some(&open) = self.open_nodes.last() {
            self.skip_blanks();
            let is_object = self.tree.nodes[open as usize].kind == NodeKind::FlowMapping;
            match self.byte()? {
                b',' => {
                    self.at += 1;
                    if is_object {
                        self.skip_blanks();
                        self.parse_key()?;
                    }
                    return Ok(false);
                }
                b'}' if is_object => self.end_collection(),
                b']' if !is_object => self.end_collection(),
                b if is_object => return Err(self.unexpected(b, "after object key:value pair")),
                b => return Err(self.unexpected(b, "after array element")),
            }
        }
        Ok(true)
    }

    fn parse_key(&mut self) -> Result<(), Refusal> {
        let b = self.byte()?;
        if b != b'"' {
            return Err(self.unexpected(b, "looking for beginning of object key string"));
        }
        self.parse_string()?;
        self.skip_blanks();
        let b = self.byte()?;
        if b != b':' {
            return Err(self.unexpected(b, "after object key"));
        }
        self.at += 1;
        Ok(())
    }

    fn parse_string(&mut self) -> Result<(), Refusal> {
        let start = self.at;
        self.at += 1;
        loop {
            self.at += plain_run(&self.text[self.at..]).ok_or(Refusal::End)?;
            match self.text[self.at] {
                b'"' => break,
                b'\\' => self.skip_escape()?,
                b => return Err(self.unexpected(b, "in string literal")),
            }
        }
        self.at += 1;
        self.push(NodeKind::DoubleQuoted, start);
        Ok(())
    }

    /// Skips an escape in a string, from its backslash.
    fn skip_escape(&mut self) -> Result<(), Refusal> {
        self.at += 1;
        match self.byte()? {
            b'u' => {
                for _ in 0..4 {
                    self.at += 1;
                    let b = self.byte()?;
                    if !b.is_ascii_hexdigit() {
                        return Err(self.unexpected(b, "in \\u hexadecimal character escape"));
                    }
                }
            }
            b'b' | b'f' | b'n' | b'r' | b't' | b'\\' | b'/' | b'"' => {}
            b => return Err(self.unexpected(b, "in string escape code")),
        }
        self.at += 1;
        Ok(())
    }

    fn parse_number(&mut self) -> Result<(), Refusal> {
        let start = self.at;
        if self.text[self.at] == b'-' {
            self.at += 1;
        }
        match self.byte()? {
            b'0' => self.at += 1,
            b'1'..=b'9' => self.skip_digits(),
            b => return Err(self.unexpected(b, "in numeric literal")),
        }
        if self.text.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.require_digits("after decimal point in numeric literal")?;
        }
        if matches!(self.text.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.byte()?, b'+' | b'-') {
                self.at += 1;
            }
            self.require_digits("in exponent of numeric literal")?;
            self.tree.suspicious = true;
        }
        self.tree.suspicious |= self.at - start > SAFE_NUMBER_LEN;
        self.push(NodeKind::Plain, start);
        Ok(())
    }

    fn skip_digits(&mut self) {
        self.at += self.text[self.at..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
    }

    fn require_digits(&mut self, context: &str) -> Result<(), Refusal> {
        let b = self.byte()?;
        if !b.is_ascii_digit() {
            return Err(self.unexpected(b, context));
        }
        self.skip_digits();
        Ok(())
    }

    fn parse_literal(&mut self, word: &[u8]) -> Result<(), Refusal> {
        let start = self.at;
        for &expected in word {
            let b = self.byte()?;
            if b != expected {
                let name = String::from_utf8_lossy(word);
                let context = format!("in literal {name} (expecting {})", quote_byte(expected));
                return Err(self.unexpected(b, &context));
            }
            self.at += 1;
        }
        self.push(NodeKind::Plain, start);
        Ok(())
    }

    fn begin_collection(&mut self, kind: NodeKind) -> Result<(), Refusal> {
        if self.open_nodes.len() >= MAX_DEPTH {
            return Err(unexpected_byte(
                self.text[self.at],
                self.at,
                "exceeded max depth",
            ));
        }
        self.open_nodes.push(self.tree.nodes.len() as u32);
        let start = self.at;
        self.at += 1;
        self.push(kind, start);
        Ok(())
    }

    /// Closes the innermost collection at its bracket.
    fn end_collection(&mut self) {
        self.at += 1;
        if let Some(open) = self.open_nodes.pop() {
            let next = self.tree.nodes.len() as u32;
            let node = &mut self.tree.nodes[open as usize];
            node.next = next;
            node.end = self.at as u32;
        }
    }

    fn push(&mut self, kind: NodeKind, start: usize) {
        let next = self.tree.nodes.len() as u32 + 1;
        let (start, end) = (start as u32, self.at as u32);
        self.tree.nodes.push(Node {
            start,
            end,
            next,
            kind,
            has_properties: false,
        });
    }

    fn unexpected(&self, b: u8, context: &str) -> Refusal {
        unexpected_byte(b, self.at, context)
    }

    fn byte(&self) -> Result<u8, Refusal> {
        self.text.get(self.at).copied().ok_or(Refusal::End)
    }

    fn skip_blanks(&mut self) {
        if self.text.get(self.at) == Some(&b'\n') {
            self.at += 1;
            // Indentation, eight bytes at a time.
            while self.text[self.at..].first_chunk() == Some(b"        ") {
                self.at += 8;
            }
        }
        while self.text.get(self.at).is_some_and(|&b| is_blank(b)) {
            self.at += 1;
        }
    }
}
