//! Text to tokens, by the rules of YAML 1.1 as libyaml and its Go descendant apply them.
//! Indentation is a stack. A `:` may turn the text before it into a key (a "simple key"), so tokens
//! wait in a queue until that is settled.
//!
//! When a token is requested decides which of two problems is found first, so the order of work
//! here is an invariant.

use super::input::{
    Input, ReaderError, break_len, byte, is_blank, is_blankz, is_breakz, is_document_indicator,
    width,
};
use super::token::{Failure, Mark, Outcome, Token, TokenKind};
use std::collections::VecDeque;
use std::ops::Range;

/// Deepest nesting of flow collections, and of block collections.
const MAX_DEPTH: usize = 10_000;
/// A key must be followed by its `:` within this many characters.
const MAX_KEY: u32 = 1024;

/// A place where a key without `?` may have begun.
#[derive(Debug, Clone, Copy, Default)]
struct SimpleKey {
    possible: bool,
    /// Whether it must be a key, in block context at the current indentation.
    required: bool,
    /// Number of the token that would be the key.
    token: i64,
    mark: Mark,
}

#[derive(Debug)]
pub(super) struct Scanner<'t> {
    pub(super) text: &'t [u8],
    pub(super) at: usize,
    pub(super) line: u32,
    /// Where column 0 of this line would be if every character had one byte.
    pub(super) origin: usize,
    /// Column of the innermost block collection, -1 outside all.
    pub(super) indent: i32,
    pub(super) flow_level: usize,
    pub(super) simple_key_allowed: bool,
    pub(super) ascii: bool,
    pub(super) only_lf: bool,
    by_lines: bool,
    /// The text begins with two byte order marks, and this is where Go's reader next moves its
    /// buffer. Until then it takes the second mark for one at the beginning of every line, and
    /// drops a character there.
    sticky_mark: usize,
    limit: Option<ReaderError>,
    indents: Vec<i32>,
    /// One for each flow level and one for the block context.
    simple_keys: Vec<SimpleKey>,
    /// Levels whose key still waits for its `:`, outermost first.
    waiting: VecDeque<u32>,
    queue: VecDeque<Token>,
    /// Tokens handed out so far.
    taken: i64,
    /// Whether the head of the queue is settled.
    available: bool,
    pub(super) comments: Vec<Range<u32>>,
    /// Indentations of block scalars that name it, by the byte of their `|` or `>`.
    pub(super) block_indents: Vec<(u32, u32)>,
    /// Handles and prefixes of `%TAG`, in text order.
    pub(super) tag_directives: VecDeque<(Range<u32>, Range<u32>)>,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(input: &'t Input<'_>) -> Self {
        Self {
            text: &input.text,
            at: input.start.min(input.text.len()),
            line: 0,
            origin: input.start.min(input.text.len()),
            indent: -1,
            flow_level: 0,
            simple_key_allowed: true,
            ascii: input.ascii,
            only_lf: input.only_lf,
            by_lines: input.by_lines,
            sticky_mark: input.sticky_mark,
            limit: input.limit,
            indents: Vec::new(),
            simple_keys: vec![SimpleKey::default()],
            waiting: VecDeque::new(),
            queue: VecDeque::with_capacity(16),
            taken: 0,
            available: false,
            comments: Vec::new(),
            block_indents: Vec::new(),
            tag_directives: VecDeque::new(),
        }
    }

    /// Peeks at the next token.
    #[inline]
    pub(super) fn peek(&mut self) -> Outcome<Token> {
        if !self.available {
            self.fetch_more()?;
            self.available = true;
        }
        match self.queue.front() {
            Some(&token) => Ok(token),
            // Only after the end of the stream was taken, which no parser does.
            None => Ok(self.token(TokenKind::StreamEnd, self.mark())),
        }
    }

    /// Takes the token that was peeked.
    #[inline]
    pub(super) fn take(&mut self) {
        self.available = false;
        self.taken += 1;
        self.queue.pop_front();
    }

    fn fetch_more(&mut self) -> Outcome<()> {
        loop {
            if !self.queue.is_empty() {
                // The head may still turn out to be a key: scan on before it is handed out.
                let Some(&level) = self.waiting.front() else {
                    return Ok(());
                };
                if self.simple_keys[level as usize].token != self.taken
                    || !self.key_is_valid(level as usize)?
                {
                    return Ok(());
                }
            }
            self.fetch_next()?;
        }
    }

    fn fetch_next(&mut self) -> Outcome<()> {
        self.need(1)?;
        self.skip_to_token()?;
        self.unroll_indent(self.column() as i32);
        self.need(4)?;
        let b = byte(self.text, self.at);
        if b == 0 {
            return self.fetch_stream_end();
        }
        if self.column() == 0 {
            if b == b'%' {
                return self.fetch_directive();
            }
            if is_document_indicator(self.text, self.at) {
                let kind = if b == b'-' {
                    TokenKind::DocumentStart
                } else {
                    TokenKind::DocumentEnd
                };
                return self.fetch_document_indicator(kind);
            }
        }
        let flow = self.flow_level > 0;
        match b {
            b'[' => self.fetch_flow_start(TokenKind::FlowSequenceStart),
            b'{' => self.fetch_flow_start(TokenKind::FlowMappingStart),
            b']' => self.fetch_flow_end(TokenKind::FlowSequenceEnd),
            b'}' => self.fetch_flow_end(TokenKind::FlowMappingEnd),
            b',' => {
                self.remove_simple_key()?;
                self.simple_key_allowed = true;
                self.indicator(TokenKind::FlowEntry);
                Ok(())
            }
            b'-' if is_blankz(self.text, self.at + 1) => self.fetch_block_entry(),
            b'?' if flow || is_blankz(self.text, self.at + 1) => self.fetch_key(),
            b':' if flow || is_blankz(self.text, self.at + 1) => self.fetch_value(),
            b'*' => self.fetch_property(TokenKind::Alias),
            b'&' => self.fetch_property(TokenKind::Anchor),
            b'!' => self.fetch_property(TokenKind::Tag),
            b'|' | b'>' if !flow => {
                self.remove_simple_key()?;
                self.simple_key_allowed = true;
                let token = self.scan_block_scalar()?;
                self.queue.push_back(token);
                Ok(())
            }
            b'\'' | b'"' => {
                self.save_simple_key()?;
                self.simple_key_allowed = false;
                let token = if b == b'"' {
                    self.scan_double_quoted()?
                } else {
                    self.scan_single_quoted()?
                };
                self.queue.push_back(token);
                Ok(())
            }
            b'#' | b'|' | b'>' | b'%' | b'@' | b'`' | b'\t' => self.fetch_nothing(),
            _ => {
                self.save_simple_key()?;
                self.simple_key_allowed = false;
                let token = self.scan_plain()?;
                self.queue.push_back(token);
                Ok(())
            }
        }
    }

    #[cold]
    fn fetch_nothing(&mut self) -> Outcome<()> {
        self.fail(self.mark(), "found character that cannot start any token")
    }

    fn fetch_stream_end(&mut self) -> Outcome<()> {
        if self.column() != 0 {
            self.origin = self.at;
            self.line += 1;
        }
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        let token = self.token(TokenKind::StreamEnd, self.mark());
        self.queue.push_back(token);
        Ok(())
    }

    fn fetch_directive(&mut self) -> Outcome<()> {
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        let token = self.scan_directive()?;
        self.queue.push_back(token);
        Ok(())
    }

    fn fetch_document_indicator(&mut self, kind: TokenKind) -> Outcome<()> {
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        let start = self.mark();
        self.at += 3;
        let token = self.token(kind, start);
        self.queue.push_back(token);
        Ok(())
    }

    fn fetch_flow_start(&mut self, kind: TokenKind) -> Outcome<()> {
        self.save_simple_key()?;
        let mark = self.mark();
        self.simple_keys.push(SimpleKey {
            token: self.next_number(),
            mark,
            ..SimpleKey::default()
        });
        self.flow_level += 1;
        if self.flow_level > MAX_DEPTH {
            return self.fail(mark, format!("exceeded max depth of {MAX_DEPTH}"));
        }
        self.simple_key_allowed = true;
        self.indicator(kind);
        Ok(())
    }

    fn fetch_flow_end(&mut self, kind: TokenKind) -> Outcome<()> {
        self.remove_simple_key()?;
        if self.flow_level > 0 {
            self.flow_level -= 1;
            if let Some(inner) = self.simple_keys.pop() {
                // A collection without a candidate for a key keeps the number of its bracket. Go's table of waiting
                // keys forgets that number here, and the outer key with it: the tokens no longer wait for a `:`.
                let outer = self.simple_keys.len() - 1;
                if self.simple_keys[outer].token == inner.token {
                    self.stop_waiting(outer);
                }
            }
        }
        self.simple_key_allowed = false;
        self.indicator(kind);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Outcome<()> {
        if self.flow_level == 0 {
            let mark = self.mark();
            if !self.simple_key_allowed {
                return self.fail(
                    mark,
                    "block sequence entries are not allowed in this context",
                );
            }
            self.roll_indent(mark, None, TokenKind::BlockSequenceStart)?;
        }
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.indicator(TokenKind::BlockEntry);
        Ok(())
    }

    fn fetch_key(&mut self) -> Outcome<()> {
        if self.flow_level == 0 {
            let mark = self.mark();
            if !self.simple_key_allowed {
                return self.fail(mark, "mapping keys are not allowed in this context");
            }
            self.roll_indent(mark, None, TokenKind::BlockMappingStart)?;
        }
        self.remove_simple_key()?;
        self.simple_key_allowed = self.flow_level == 0;
        self.indicator(TokenKind::Key);
        Ok(())
    }

    fn fetch_value(&mut self) -> Outcome<()> {
        let level = self.simple_keys.len() - 1;
        if self.key_is_valid(level)? {
            let key = self.simple_keys[level];
            self.insert(
                Some(key.token),
                Token {
                    end: key.mark.at,
                    ..self.token(TokenKind::Key, key.mark)
                },
            );
            self.roll_indent(key.mark, Some(key.token), TokenKind::BlockMappingStart)?;
            self.simple_keys[level].possible = false;
            self.stop_waiting(level);
            self.simple_key_allowed = false;
        } else {
            if self.flow_level == 0 {
                let mark = self.mark();
                if !self.simple_key_allowed {
                    return self.fail(mark, "mapping values are not allowed in this context");
                }
                self.roll_indent(mark, None, TokenKind::BlockMappingStart)?;
            }
            self.simple_key_allowed = self.flow_level == 0;
        }
        self.indicator(TokenKind::Value);
        Ok(())
    }

    fn fetch_property(&mut self, kind: TokenKind) -> Outcome<()> {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        let token = if kind == TokenKind::Tag {
            self.scan_tag()?
        } else {
            self.scan_anchor(kind)?
        };
        self.queue.push_back(token);
        Ok(())
    }

    /// Skips blanks, comments and line breaks.
    fn skip_to_token(&mut self) -> Outcome<()> {
        loop {
            self.need(1)?;
            if self.sticky_mark > 0 && self.column() == 0 {
                let len = width(byte(self.text, self.at)).max(1);
                self.at += len;
                self.origin += len - 1;
            }
            let tabs = self.flow_level > 0 || !self.simple_key_allowed;
            loop {
                let b = byte(self.text, self.at);
                if b == b' ' || (tabs && b == b'\t') {
                    self.at += 1;
                } else {
                    break;
                }
            }
            self.need(1)?;
            if byte(self.text, self.at) == b'#' {
                self.skip_comment()?;
            }
            if is_break_at(self.text, self.at) {
                self.need(2)?;
                self.pass_break();
                if self.flow_level == 0 {
                    self.simple_key_allowed = true;
                }
            } else {
                return Ok(());
            }
        }
    }

    /// Skips a comment up to its line break and records it.
    pub(super) fn skip_comment(&mut self) -> Outcome<()> {
        let start = self.at;
        self.pass_line();
        self.need(1)?;
        self.comments.push(start as u32..self.at as u32);
        Ok(())
    }

    /// Skips to the next line break or the end.
    pub(super) fn pass_line(&mut self) {
        let start = self.at;
        if self.only_lf {
            let rest = self.text.get(start..).unwrap_or_default();
            self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        } else {
            while !is_breakz(self.text, self.at) {
                self.at += 1;
            }
        }
        self.count_wide(start);
    }

    /// Corrects the column after bytes from `start` on that may not be ASCII.
    #[inline]
    pub(super) fn count_wide(&mut self, start: usize) {
        if !self.ascii {
            self.origin += self.text[start..self.at]
                .iter()
                .filter(|&&b| b & 0xC0 == 0x80)
                .count();
        }
    }

    /// Skips the line break at the current place.
    #[inline]
    pub(super) fn pass_break(&mut self) {
        // Without the line reader, `\r\r\n` is two breaks.
        self.at += match break_len(self.text, self.at) {
            3 if !self.by_lines && byte(self.text, self.at) == b'\r' => 1,
            len => len,
        };
        self.line += 1;
        self.origin = self.at;
    }

    /// Fails if Go's reader, which requests this many characters here, cannot have them.
    #[inline(always)]
    pub(super) fn need(&mut self, characters: usize) -> Outcome<()> {
        if self.limit.is_none() && self.sticky_mark == 0 {
            Ok(())
        } else {
            self.need_watched(characters)
        }
    }

    #[cold]
    fn need_watched(&mut self, characters: usize) -> Outcome<()> {
        let lacks = |text: &[u8]| {
            text.iter()
                .filter(|&&b| b & 0xC0 != 0x80)
                .take(characters)
                .count()
                < characters
        };
        if lacks(self.text.get(self.at..self.sticky_mark).unwrap_or_default()) {
            self.sticky_mark = 0;
        }
        match self.limit {
            Some(error) if lacks(self.text.get(self.at..).unwrap_or_default()) => {
                Err(Failure::reader(error))
            }
            _ => Ok(()),
        }
    }

    #[inline]
    pub(super) fn column(&self) -> u32 {
        self.at.wrapping_sub(self.origin) as u32
    }

    #[inline]
    pub(super) fn mark(&self) -> Mark {
        Mark {
            at: self.at as u32,
            line: self.line,
            column: self.column(),
        }
    }

    /// Returns a token from `start` to the current place.
    #[inline]
    pub(super) fn token(&self, kind: TokenKind, start: Mark) -> Token {
        Token {
            kind,
            start: start.at,
            end: self.at as u32,
            line: start.line,
        }
    }

    /// Fails at the current place.
    #[cold]
    pub(super) fn fail<T>(&self, context: Mark, problem: impl Into<String>) -> Outcome<T> {
        Err(Failure::scanner(
            context.line,
            self.at as u32,
            self.line,
            problem,
        ))
    }

    /// Adds a token of one character.
    fn indicator(&mut self, kind: TokenKind) {
        let start = self.mark();
        self.at += 1;
        let token = self.token(kind, start);
        self.queue.push_back(token);
    }

    /// Returns the number that the next token appended to the queue will have.
    fn next_number(&self) -> i64 {
        self.taken + self.queue.len() as i64
    }

    /// Inserts a token before the token of this number, or at the end.
    fn insert(&mut self, number: Option<i64>, token: Token) {
        match number.map(|n| n - self.taken) {
            Some(place) if place >= 0 && place as usize <= self.queue.len() => {
                self.queue.insert(place as usize, token)
            }
            _ => self.queue.push_back(token),
        }
    }

    fn key_is_valid(&mut self, level: usize) -> Outcome<bool> {
        let key = self.simple_keys[level];
        if !key.possible {
            return Ok(false);
        }
        if key.mark.line == self.line && key.mark.column + MAX_KEY >= self.column() {
            return Ok(true);
        }
        if key.required {
            return self.fail(key.mark, "could not find expected ':'");
        }
        self.simple_keys[level].possible = false;
        self.stop_waiting(level);
        Ok(false)
    }

    fn save_simple_key(&mut self) -> Outcome<()> {
        if self.simple_key_allowed {
            let mark = self.mark();
            let required = self.flow_level == 0 && self.indent == mark.column as i32;
            let key = SimpleKey {
                possible: true,
                required,
                token: self.next_number(),
                mark,
            };
            self.remove_simple_key()?;
            let level = self.simple_keys.len() - 1;
            self.simple_keys[level] = key;
            self.waiting.push_back(level as u32);
        }
        Ok(())
    }

    fn remove_simple_key(&mut self) -> Outcome<()> {
        let level = self.simple_keys.len() - 1;
        let key = self.simple_keys[level];
        if key.possible {
            if key.required {
                return self.fail(key.mark, "could not find expected ':'");
            }
            self.simple_keys[level].possible = false;
            self.stop_waiting(level);
        }
        Ok(())
    }

    fn stop_waiting(&mut self, level: usize) {
        let level = level as u32;
        if self.waiting.back() == Some(&level) {
            self.waiting.pop_back();
        } else if self.waiting.front() == Some(&level) {
            self.waiting.pop_front();
        }
    }

    /// Opens a block collection when the column is deeper than the current one.
    fn roll_indent(&mut self, mark: Mark, number: Option<i64>, kind: TokenKind) -> Outcome<()> {
        let column = mark.column as i32;
        if self.flow_level > 0 || self.indent >= column {
            return Ok(());
        }
        self.indents.push(self.indent);
        self.indent = column;
        if self.indents.len() > MAX_DEPTH {
            let context = self.simple_keys[self.simple_keys.len() - 1].mark;
            return self.fail(context, format!("exceeded max depth of {MAX_DEPTH}"));
        }
        self.insert(
            number,
            Token {
                kind,
                start: mark.at,
                end: mark.at,
                line: mark.line,
            },
        );
        Ok(())
    }

    /// Closes the block collections that lie deeper than the column.
    #[inline]
    fn unroll_indent(&mut self, column: i32) {
        if self.flow_level > 0 {
            return;
        }
        while self.indent > column {
            let token = self.token(TokenKind::BlockEnd, self.mark());
            self.queue.push_back(token);
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }
}

#[inline(always)]
pub(super) fn is_break_at(text: &[u8], i: usize) -> bool {
    break_len(text, i) != 0
}

/// Whether a blank or line break is at `i`.
#[inline(always)]
pub(super) fn is_space_at(text: &[u8], i: usize) -> bool {
    is_blank(byte(text, i)) || break_len(text, i) != 0
}
