//! Parses JSON as Go's `encoding/json` accepts it into a span tree: strings are double-quoted
//! nodes, numbers, `true`, `false` and `null` are plain ones.
//!
//! Bytes that are not UTF-8 are allowed inside strings; they read as U+FFFD.

use super::error::SyntaxError;
use super::go_text::quote_byte;
use super::tree::{Node, NodeKind, Tree};

/// The nesting limit of Go's reader.
const MAX_DEPTH: usize = 10_000;

/// Most strings are shorter than this; a vectorised search pays only for longer ones.
pub(crate) const SHORT: usize = 16;

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
    /// Returns the place of the offending byte in a text of `len` bytes.
    pub fn at(&self, len: usize) -> usize {
        match self {
            Refusal::Syntax { at, .. } => *at,
            Refusal::End => len,
        }
    }

    /// Returns Go's message.
    pub fn problem(&self) -> &str {
        match self {
            Refusal::Syntax { problem, .. } => problem,
            Refusal::End => "unexpected EOF",
        }
    }
}

/// Parses one JSON value with blanks around it. The error's message is that of a file with no other
/// content.
pub fn parse(text: &[u8]) -> Result<Tree, SyntaxError> {
    let refused = |refusal: Refusal| match &refusal {
        Refusal::Syntax { at, problem } => SyntaxError {
            at: *at as u32,
            opm: format!("json: offset {}: {problem}", at + 1),
            problem: problem.clone(),
        },
        Refusal::End => SyntaxError::bare(text.len(), refusal.problem()),
    };
    let value = first_value(text).map_err(refused)?;
    let end = value.end + blanks(&text[value.end..]);
    match text.get(end) {
        None => Ok(value.tree),
        Some(&b) => Err(refused(unexpected_byte(b, end, "after top-level value"))),
    }
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
        open: Vec::new(),
    };
    parser.tree.nodes.reserve(text.len().min(1 << 16) / 24 + 4);
    parser.value()?;
    Ok(Value {
        tree: parser.tree,
        end: parser.at,
    })
}

/// Returns the length of the JSON blanks at the beginning.
pub(crate) fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|b| is_blank(**b)).count()
}

/// Counts the bytes of a string before the next quote, backslash or control character; `None` if
/// none follows.
fn plain_run(rest: &[u8]) -> Option<usize> {
    let (head, tail) = rest.split_at(rest.len().min(SHORT));
    if let Some(run) = head.iter().position(stops) {
        return Some(run);
    }
    let end = memchr::memchr2(b'"', b'\\', tail);
    let before = &tail[..end.unwrap_or(tail.len())];
    // Branch-free, so that the compiler vectorises it.
    let has_control = before.iter().fold(false, |has, &b| has | (b < 0x20));
    let run = if has_control {
        before.iter().position(stops)
    } else {
        end
    };
    run.map(|run| head.len() + run)
}

fn stops(b: &u8) -> bool {
    *b == b'"' || *b == b'\\' || *b < 0x20
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
    /// Open objects and lists.
    open: Vec<u32>,
}

impl Parser<'_> {
    fn value(&mut self) -> Result<(), Refusal> {
        // After `[`, a `]` may replace the value.
        let mut may_end = false;
        loop {
            self.skip_blanks();
            let b = self.byte()?;
            match b {
                b'{' => {
                    self.begin(NodeKind::FlowMapping)?;
                    self.skip_blanks();
                    if self.byte()? == b'}' {
                        self.end();
                    } else {
                        self.key()?;
                        may_end = false;
                        continue;
                    }
                }
                b'[' => {
                    self.begin(NodeKind::FlowSequence)?;
                    may_end = true;
                    continue;
                }
                b']' if may_end => self.end(),
                b'"' => self.string()?,
                b'-' | b'0'..=b'9' => self.number()?,
                b't' => self.word(b"true")?,
                b'f' => self.word(b"false")?,
                b'n' => self.word(b"null")?,
                _ => {
                    return Err(unexpected_byte(
                        b,
                        self.at,
                        "looking for beginning of value",
                    ));
                }
            }
            // A value ended; the collections around it may end too.
            loop {
                let Some(&open) = self.open.last() else {
                    return Ok(());
                };
                self.skip_blanks();
                let b = self.byte()?;
                if self.tree.nodes[open as usize].kind == NodeKind::FlowMapping {
                    match b {
                        b',' => {
                            self.at += 1;
                            self.skip_blanks();
                            self.key()?;
                            break;
                        }
                        b'}' => self.end(),
                        _ => {
                            return Err(unexpected_byte(b, self.at, "after object key:value pair"));
                        }
                    }
                } else {
                    match b {
                        b',' => {
                            self.at += 1;
                            break;
                        }
                        b']' => self.end(),
                        _ => return Err(unexpected_byte(b, self.at, "after array element")),
                    }
                }
            }
            may_end = false;
        }
    }

    fn key(&mut self) -> Result<(), Refusal> {
        let b = self.byte()?;
        if b != b'"' {
            return Err(unexpected_byte(
                b,
                self.at,
                "looking for beginning of object key string",
            ));
        }
        self.string()?;
        self.skip_blanks();
        let b = self.byte()?;
        if b != b':' {
            return Err(unexpected_byte(b, self.at, "after object key"));
        }
        self.at += 1;
        Ok(())
    }

    fn string(&mut self) -> Result<(), Refusal> {
        let start = self.at;
        self.at += 1;
        loop {
            let rest = &self.text[self.at..];
            let Some(run) = plain_run(rest) else {
                return Err(Refusal::End);
            };
            self.at += run;
            match self.text[self.at] {
                b'"' => break,
                b'\\' => {
                    self.at += 1;
                    match self.byte()? {
                        b'u' => {
                            for _ in 0..4 {
                                self.at += 1;
                                let b = self.byte()?;
                                if !b.is_ascii_hexdigit() {
                                    return Err(unexpected_byte(
                                        b,
                                        self.at,
                                        "in \\u hexadecimal character escape",
                                    ));
                                }
                            }
                        }
                        b'b' | b'f' | b'n' | b'r' | b't' | b'\\' | b'/' | b'"' => {}
                        b => return Err(unexpected_byte(b, self.at, "in string escape code")),
                    }
                    self.at += 1;
                }
                b => return Err(unexpected_byte(b, self.at, "in string literal")),
            }
        }
        self.at += 1;
        self.push(NodeKind::DoubleQuoted, start);
        Ok(())
    }

    fn number(&mut self) -> Result<(), Refusal> {
        let start = self.at;
        if self.text[self.at] == b'-' {
            self.at += 1;
        }
        match self.byte()? {
            b'0' => self.at += 1,
            b'1'..=b'9' => self.digits(),
            b => return Err(unexpected_byte(b, self.at, "in numeric literal")),
        }
        if self.text.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.some_digits("after decimal point in numeric literal")?;
        }
        if matches!(self.text.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.byte()?, b'+' | b'-') {
                self.at += 1;
            }
            self.some_digits("in exponent of numeric literal")?;
            self.tree.suspicious = true;
        }
        self.tree.suspicious |= self.at - start > 300;
        self.push(NodeKind::Plain, start);
        Ok(())
    }

    fn digits(&mut self) {
        self.at += self.text[self.at..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
    }

    fn some_digits(&mut self, context: &str) -> Result<(), Refusal> {
        let b = self.byte()?;
        if !b.is_ascii_digit() {
            return Err(unexpected_byte(b, self.at, context));
        }
        self.digits();
        Ok(())
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Refusal> {
        let start = self.at;
        for &expected in word {
            let b = self.byte()?;
            if b != expected {
                let name = String::from_utf8_lossy(word);
                let context = format!("in literal {name} (expecting {})", quote_byte(expected));
                return Err(unexpected_byte(b, self.at, &context));
            }
            self.at += 1;
        }
        self.push(NodeKind::Plain, start);
        Ok(())
    }

    fn begin(&mut self, kind: NodeKind) -> Result<(), Refusal> {
        if self.open.len() >= MAX_DEPTH {
            return Err(unexpected_byte(
                self.text[self.at],
                self.at,
                "exceeded max depth",
            ));
        }
        self.open.push(self.tree.nodes.len() as u32);
        let start = self.at;
        self.at += 1;
        self.push(kind, start);
        Ok(())
    }

    /// Closes the innermost collection at its bracket.
    fn end(&mut self) {
        self.at += 1;
        if let Some(open) = self.open.pop() {
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

    fn byte(&self) -> Result<u8, Refusal> {
        self.text.get(self.at).copied().ok_or(Refusal::End)
    }

    fn skip_blanks(&mut self) {
        while self.text.get(self.at).is_some_and(|&b| is_blank(b)) {
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests;
