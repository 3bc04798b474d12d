//! Splits text into tokens by the rules of YAML 1.1, as libyaml and its Go descendant apply them.
//! A `:` may turn the text before it into a key (a "simple key"), so tokens wait in a queue until
//! that is settled.
//!
//! The order of the checks decides which of two problems is reported, so it must remain as in Go.

use super::chars::{break_len, byte, char_len, is_blankz, is_breakz, is_document_indicator};
use super::input::{Input, ReaderError};
use super::token::{Failure, Mark, Outcome, Token, TokenKind};
use std::collections::VecDeque;
use std::ops::Range;

/// Deepest nesting of flow collections, and of block collections.
const MAX_DEPTH: usize = 10_000;
/// A key must be followed by its `:` within this many characters.
const MAX_KEY: u32 = 1024;

/// A possible key without `?`.
#[derive(Debug, Clone, Copy, Default)]
struct SimpleKey {
    is_possible: bool,
    /// Whether it must be a key: it is in block context at the current indentation.
    is_required: bool,
    /// Number of the token that would be the key, from 0.
    token: i64,
    mark: Mark,
}

#[derive(Debug)]
pub struct Scanner<'t> {
    pub text: &'t [u8],
    pub at: usize,
    pub line: u32,
    /// Start of the line, moved forward by the extra bytes of multi-byte characters, so that
    /// `at - origin` is the column in characters.
    pub origin: usize,
    /// Column of the innermost block collection, -1 outside all.
    pub indent: i32,
    pub flow_level: usize,
    pub simple_key_allowed: bool,
    pub is_ascii: bool,
    pub only_lf: bool,
    by_lines: bool,
    /// If the text begins with two byte order marks, the offset where Go's reader next moves its
    /// buffer; else 0. Before it, the reader mistakes the second mark for one at the beginning of
    /// every line and drops a character there.
    sticky_mark: usize,
    limit: Option<ReaderError>,
    indents: Vec<i32>,
    /// One for each flow level and one for the block context.
    simple_keys: Vec<SimpleKey>,
    /// Flow levels whose key may still get its `:`, outermost first.
    waiting: VecDeque<u32>,
    queue: VecDeque<Token>,
    /// Number of tokens returned so far.
    tokens_taken: i64,
    /// Whether the head of the queue can no longer become a key.
    is_head_settled: bool,
    pub comments: Vec<Range<u32>>,
    /// Block scalars whose header gives the indentation: the offset of `|` or `>`, and the
    /// indentation.
    pub block_indents: Vec<(u32, u32)>,
    /// Handle and prefix of each `%TAG` directive, in text order.
    pub tag_directives: VecDeque<(Range<u32>, Range<u32>)>,
}

impl<'t> Scanner<'t> {
    pub fn new(input: &'t Input<'_>) -> Self {
        Self {
            text: &input.text,
            at: input.start.min(input.text.len()),
            line: 0,
            origin: input.start.min(input.text.len()),
            indent: -1,
            flow_level: 0,
            simple_key_allowed: true,
            is_ascii: input.is_ascii,
            only_lf: input.only_lf,
            by_lines: input.by_lines,
            sticky_mark: input.sticky_mark,
            limit: input.limit,
            indents: Vec::new(),
            simple_keys: vec![SimpleKey::default()],
            waiting: VecDeque::new(),
            queue: VecDeque::with_capacity(16),
            tokens_taken: 0,
            is_head_settled: false,
            comments: Vec::new(),
            block_indents: Vec::new(),
            tag_directives: VecDeque::new(),
        }
    }

    /// Returns the next token without consuming it.
    #[inline]
    pub fn peek(&mut self) -> Outcome<Token> {
        if !self.is_head_settled {
            self.fetch_more()?;
            self.is_head_settled = true;
        }
        match self.queue.front() {
            Some(&token) => Ok(token),
            // Only after the end of the stream was taken; the parser never does that.
            None => Ok(self.token(TokenKind::StreamEnd, self.mark())),
        }
    }

    /// Consumes the token that [`Scanner::peek`] returned.
    #[inline]
    pub fn take(&mut self) {
        self.is_head_settled = false;
        self.tokens_taken += 1;
        self.queue.pop_front();
    }

    fn fetch_more(&mut self) -> Outcome<()> {
        loop {
            if !self.queue.is_empty() {
                // The head may still turn out to be a key: scan on before it is returned.
                let Some(&level) = self.waiting.front() else {
                    return Ok(());
                };
                if self.simple_keys[level as usize].token != self.tokens_taken
                    || !self.check_key(level as usize)?
                {
                    return Ok(());
                }
            }
            self.fetch_next()?;
        }
    }

    fn fetch_next(&mut self) -> Outcome<()> {
        self.require(1)?;
        self.skip_to_token()?;
        self.unroll_indent(self.column() as i32);
        self.require(4)?;
        let token = self.fetch_token()?;
        self.queue.push_back(token);
        Ok(())
    }

    fn fetch_token(&mut self) -> Outcome<Token> {
        let b = self.byte();
        if b == 0 {
            return self.fetch_stream_end();
        }
        if self.column() == 0 {
            if b == b'%' {
                self.unroll_indent(-1);
                self.end_simple_key(false)?;
                return self.scan_directive();
            }
            if self.is_document_indicator() {
                let kind = if b == b'-' {
                    TokenKind::DocumentStart
                } else {
                    TokenKind::DocumentEnd
                };
                self.unroll_indent(-1);
                self.end_simple_key(false)?;
                return Ok(self.indicator(kind, 3));
            }
        }
        let in_flow = self.flow_level > 0;
        match b {
            b'[' => self.fetch_flow_start(TokenKind::FlowSequenceStart),
            b'{' => self.fetch_flow_start(TokenKind::FlowMappingStart),
            b']' => self.fetch_flow_end(TokenKind::FlowSequenceEnd),
            b'}' => self.fetch_flow_end(TokenKind::FlowMappingEnd),
            b',' => {
                self.end_simple_key(true)?;
                Ok(self.indicator(TokenKind::FlowEntry, 1))
            }
            b'-' if self.is_blankz(1) => self.fetch_block_entry(),
            b'?' if in_flow || self.is_blankz(1) => self.fetch_key(),
            b':' if in_flow || self.is_blankz(1) => self.fetch_value(),
            b'|' | b'>' if !in_flow => {
                self.end_simple_key(true)?;
                self.scan_block_scalar()
            }
            b'#' | b'|' | b'>' | b'%' | b'@' | b'`' | b'\t' => self.reject_character(),
            _ => {
                self.save_simple_key()?;
                self.simple_key_allowed = false;
                match b {
                    b'*' => self.scan_anchor(TokenKind::Alias),
                    b'&' => self.scan_anchor(TokenKind::Anchor),
                    b'!' => self.scan_tag(),
                    b'"' => self.scan_double_quoted(),
                    b'\'' => self.scan_single_quoted(),
                    _ => self.scan_plain(),
                }
            }
        }
    }

    #[cold]
    fn reject_character(&mut self) -> Outcome<Token> {
        self.fail(self.mark(), "found character that cannot start any token")
    }

    fn fetch_stream_end(&mut self) -> Outcome<Token> {
        if self.column() != 0 {
            self.origin = self.at;
            self.line += 1;
        }
        self.unroll_indent(-1);
        self.end_simple_key(false)?;
        Ok(self.token(TokenKind::StreamEnd, self.mark()))
    }

    fn fetch_flow_start(&mut self, kind: TokenKind) -> Outcome<Token> {
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
        Ok(self.indicator(kind, 1))
    }

    fn fetch_flow_end(&mut self, kind: TokenKind) -> Outcome<Token> {
        self.end_simple_key(false)?;
        if self.flow_level > 0 {
            self.flow_level -= 1;
            if let Some(inner) = self.simple_keys.pop() {
                // A collection without a possible key has the number of its bracket. Go removes
                // that number from its table here, and with it an outer key of the same number.
                let outer = self.simple_keys.len() - 1;
                if self.simple_keys[outer].token == inner.token {
                    self.stop_waiting(outer);
                }
            }
        }
        Ok(self.indicator(kind, 1))
    }

    fn fetch_block_entry(&mut self) -> Outcome<Token> {
        let problem = "block sequence entries are not allowed in this context";
        self.open_block(TokenKind::BlockSequenceStart, problem)?;
        self.end_simple_key(true)?;
        Ok(self.indicator(TokenKind::BlockEntry, 1))
    }

    fn fetch_key(&mut self) -> Outcome<Token> {
        let problem = "mapping keys are not allowed in this context";
        self.open_block(TokenKind::BlockMappingStart, problem)?;
        self.end_simple_key(self.flow_level == 0)?;
        Ok(self.indicator(TokenKind::Key, 1))
    }

    fn fetch_value(&mut self) -> Outcome<Token> {
        let level = self.simple_keys.len() - 1;
        if self.check_key(level)? {
            let key = self.simple_keys[level];
            self.insert(
                Some(key.token),
                Token {
                    end: key.mark.at,
                    ..self.token(TokenKind::Key, key.mark)
                },
            );
            self.roll_indent(key.mark, Some(key.token), TokenKind::BlockMappingStart)?;
            self.forget_simple_key(level);
            self.simple_key_allowed = false;
        } else {
            let problem = "mapping values are not allowed in this context";
            self.open_block(TokenKind::BlockMappingStart, problem)?;
            self.simple_key_allowed = self.flow_level == 0;
        }
        Ok(self.indicator(TokenKind::Value, 1))
    }

    /// Opens a block collection here, if an indicator may begin one.
    fn open_block(&mut self, kind: TokenKind, problem: &str) -> Outcome<()> {
        if self.flow_level > 0 {
            return Ok(());
        }
        let mark = self.mark();
        if !self.simple_key_allowed {
            return self.fail(mark, problem);
        }
        self.roll_indent(mark, None, kind)
    }

    /// Skips blanks, comments and line breaks.
    fn skip_to_token(&mut self) -> Outcome<()> {
        loop {
            self.require(1)?;
            if self.sticky_mark > 0 && self.column() == 0 {
                let len = char_len(self.byte()).max(1);
                self.at += len;
                self.origin += len - 1;
            }
            let allows_tabs = self.flow_level > 0 || !self.simple_key_allowed;
            loop {
                let b = self.byte();
                if b == b' ' || (allows_tabs && b == b'\t') {
                    self.at += 1;
                } else {
                    break;
                }
            }
            self.require(1)?;
            if self.byte() == b'#' {
                self.skip_comment()?;
            }
            if self.is_break() {
                self.require(2)?;
                self.skip_break();
                if self.flow_level == 0 {
                    self.simple_key_allowed = true;
                }
            } else {
                return Ok(());
            }
        }
    }

    /// Skips a comment up to its line break and records it.
    pub fn skip_comment(&mut self) -> Outcome<()> {
        let start = self.at;
        self.skip_line();
        self.require(1)?;
        self.comments.push(start as u32..self.at as u32);
        Ok(())
    }

    /// Skips to the next line break or the end.
    pub fn skip_line(&mut self) {
        let start = self.at;
        if self.only_lf {
            let rest = self.text.get(start..).unwrap_or_default();
            self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        } else {
            while !self.is_breakz() {
                self.at += 1;
            }
        }
        self.correct_column(start);
    }

    /// Corrects the column after skipping bytes from `start` that may not be ASCII.
    #[inline]
    pub fn correct_column(&mut self, start: usize) {
        if !self.is_ascii {
            self.origin += self.text[start..self.at]
                .iter()
                .filter(|&&b| b & 0xC0 == 0x80)
                .count();
        }
    }

    #[inline]
    pub fn skip_break(&mut self) {
        // Without the line reader, `\r\r\n` is two breaks.
        self.at += match break_len(self.text, self.at) {
            3 if !self.by_lines && self.byte() == b'\r' => 1,
            len => len,
        };
        self.line += 1;
        self.origin = self.at;
    }

    /// Fails if Go's reader requests this many characters here, but refuses the text before them.
    #[inline(always)]
    pub fn require(&mut self, characters: usize) -> Outcome<()> {
        if self.limit.is_none() && self.sticky_mark == 0 {
            Ok(())
        } else {
            self.check_reader_limit(characters)
        }
    }

    #[cold]
    fn check_reader_limit(&mut self, characters: usize) -> Outcome<()> {
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
                Err(Failure::new(error.at, 0, error.problem))
            }
            _ => Ok(()),
        }
    }

    /// Returns the current byte; 0 at the end.
    #[inline(always)]
    pub fn byte(&self) -> u8 {
        byte(self.text, self.at)
    }

    #[inline(always)]
    pub fn byte_after(&self, count: usize) -> u8 {
        byte(self.text, self.at + count)
    }

    #[inline(always)]
    pub fn is_break(&self) -> bool {
        break_len(self.text, self.at) != 0
    }

    /// Whether a blank, line break or end of text follows after `count` bytes.
    #[inline(always)]
    pub fn is_blankz(&self, count: usize) -> bool {
        is_blankz(self.text, self.at + count)
    }

    #[inline(always)]
    pub fn is_breakz(&self) -> bool {
        is_breakz(self.text, self.at)
    }

    #[inline(always)]
    pub fn is_document_indicator(&self) -> bool {
        is_document_indicator(self.text, self.at)
    }

    #[inline]
    pub fn column(&self) -> u32 {
        self.at.wrapping_sub(self.origin) as u32
    }

    #[inline]
    pub fn mark(&self) -> Mark {
        Mark {
            at: self.at as u32,
            line: self.line,
            column: self.column(),
        }
    }

    /// Creates a token from `start` to the current position.
    #[inline]
    pub fn token(&self, kind: TokenKind, start: Mark) -> Token {
        Token {
            kind,
            start: start.at,
            end: self.at as u32,
            line: start.line,
        }
    }

    /// Fails at the current position. Go reports its line counted from 1; on the first line, the
    /// context's line counted from 0.
    #[cold]
    pub fn fail<T>(&self, context: Mark, problem: impl Into<String>) -> Outcome<T> {
        let line = match self.line {
            0 => context.line,
            line => line + 1,
        };
        Err(Failure::new(self.at, line, problem))
    }

    /// Creates a token of the next `length` bytes and skips them.
    fn indicator(&mut self, kind: TokenKind, length: usize) -> Token {
        let start = self.mark();
        self.at += length;
        self.token(kind, start)
    }

    /// Returns the number that the next token appended to the queue will have.
    fn next_number(&self) -> i64 {
        self.tokens_taken + self.queue.len() as i64
    }

    /// Inserts a token before the token of this number, or at the end.
    fn insert(&mut self, number: Option<i64>, token: Token) {
        match number.map(|n| n - self.tokens_taken) {
            Some(index) if index >= 0 && index as usize <= self.queue.len() => {
                self.queue.insert(index as usize, token)
            }
            _ => self.queue.push_back(token),
        }
    }

    /// Checks that a key may still get its `:` here. Fails if it must but cannot.
    fn check_key(&mut self, level: usize) -> Outcome<bool> {
        let key = self.simple_keys[level];
        if !key.is_possible {
            return Ok(false);
        }
        if key.mark.line == self.line && key.mark.column + MAX_KEY >= self.column() {
            return Ok(true);
        }
        if key.is_required {
            return self.fail(key.mark, "could not find expected ':'");
        }
        self.forget_simple_key(level);
        Ok(false)
    }

    fn save_simple_key(&mut self) -> Outcome<()> {
        if self.simple_key_allowed {
            let mark = self.mark();
            let is_required = self.flow_level == 0 && self.indent == mark.column as i32;
            let key = SimpleKey {
                is_possible: true,
                is_required,
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
        if key.is_possible && key.is_required {
            return self.fail(key.mark, "could not find expected ':'");
        }
        if key.is_possible {
            self.forget_simple_key(level);
        }
        Ok(())
    }

    /// Removes the possible key at this level; `allowed` is whether another may begin here.
    fn end_simple_key(&mut self, allowed: bool) -> Outcome<()> {
        self.remove_simple_key()?;
        self.simple_key_allowed = allowed;
        Ok(())
    }

    fn forget_simple_key(&mut self, level: usize) {
        self.simple_keys[level].is_possible = false;
        self.stop_waiting(level);
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
                end: mark.at,
                ..self.token(kind, mark)
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
