//! Scans scalars: finds their extent and errors. [`crate::scalar`] reads their content.

use super::chars::{CLASSES, STOP_BLOCK, STOP_DOUBLE, STOP_FLOW, STOP_SINGLE, break_len, is_blank};
use super::scanner::Scanner;
use super::token::{Mark, Outcome, Token, TokenKind};
use crate::tree::NodeKind;

/// How the trailing line breaks of a block scalar are treated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomping {
    Strip,
    Clip,
    Keep,
}

impl Scanner<'_> {
    pub fn scan_plain(&mut self) -> Outcome<Token> {
        let start = self.mark();
        let flow = self.flow_level > 0;
        let stop = if flow { STOP_FLOW } else { STOP_BLOCK };
        let indent = (self.indent + 1).max(0) as u32;
        let mut end = self.at;
        // The last character was a line break: the scalar ended on an earlier line.
        let mut ended_line = false;
        loop {
            self.require(4)?;
            if (self.column() == 0 && self.is_document_indicator()) || self.byte() == b'#' {
                break;
            }
            let from = self.at;
            self.skip_plain_run(stop, flow);
            if self.at > from {
                self.correct_column(from);
                self.require(2)?;
                end = self.at;
                ended_line = false;
            }
            if !is_blank(self.byte()) && !self.is_break() {
                break;
            }
            self.require(1)?;
            loop {
                let b = self.byte();
                if is_blank(b) {
                    if ended_line && b == b'\t' && self.column() < indent {
                        return self.fail(start, "found a tab character that violates indentation");
                    }
                    self.at += 1;
                } else if self.is_break() {
                    self.require(2)?;
                    self.skip_break();
                    ended_line = true;
                } else {
                    break;
                }
                self.require(1)?;
            }
            if !flow && self.column() < indent {
                break;
            }
        }
        if ended_line {
            self.simple_key_allowed = true;
        }
        Ok(Token {
            end: end as u32,
            ..self.token(TokenKind::Scalar(NodeKind::Plain), start)
        })
    }

    /// Skips characters of a plain scalar up to a blank, a break or an indicator that ends it.
    #[inline]
    fn skip_plain_run(&mut self, stop: u8, flow: bool) {
        loop {
            self.skip_run(stop);
            match self.byte() {
                b':' if !self.is_blankz(1) => self.at += 1,
                0xC2 | 0xE2 if break_len(self.text, self.at) == 0 => self.at += 1,
                b',' | b'?' | b'[' | b']' | b'{' | b'}' if !flow => self.at += 1,
                _ => return,
            }
        }
    }

    /// Skips bytes up to one of the class `stop`.
    #[inline(always)]
    fn skip_run(&mut self, stop: u8) {
        while let Some(&b) = self.text.get(self.at) {
            if CLASSES[b as usize] & stop != 0 {
                break;
            }
            self.at += 1;
        }
    }

    pub fn scan_single_quoted(&mut self) -> Outcome<Token> {
        let start = self.mark();
        self.at += 1;
        self.require(4)?;
        loop {
            let from = self.at;
            self.skip_run(STOP_SINGLE);
            self.correct_column(from);
            self.require(2)?;
            match self.byte() {
                b'\'' if self.byte_after(1) == b'\'' => self.at += 2,
                b'\'' => break,
                _ => self.skip_in_quotes(start)?,
            }
        }
        self.at += 1;
        Ok(self.token(TokenKind::Scalar(NodeKind::SingleQuoted), start))
    }

    pub fn scan_double_quoted(&mut self) -> Outcome<Token> {
        let start = self.mark();
        self.at += 1;
        self.require(4)?;
        loop {
            let from = self.at;
            self.skip_run(STOP_DOUBLE);
            self.correct_column(from);
            self.require(1)?;
            match self.byte() {
                b'"' => break,
                b'\\' => {
                    self.require(2)?;
                    if break_len(self.text, self.at + 1) != 0 {
                        self.require(3)?;
                        self.at += 1;
                    } else {
                        self.skip_escape(start)?;
                    }
                }
                _ => self.skip_in_quotes(start)?,
            }
        }
        self.at += 1;
        Ok(self.token(TokenKind::Scalar(NodeKind::DoubleQuoted), start))
    }

    /// Handles a byte that ended a run inside quotes and is not a quote: a line break, the end, or
    /// an ordinary character.
    fn skip_in_quotes(&mut self, start: Mark) -> Outcome<()> {
        if self.at >= self.text.len() {
            self.require(1)?;
            return self.fail(start, "found unexpected end of stream");
        }
        if !self.is_break() {
            self.at += 1;
            return Ok(());
        }
        self.require(2)?;
        self.skip_break();
        self.require(4)?;
        if self.is_document_indicator() {
            return self.fail(start, "found unexpected document indicator");
        }
        Ok(())
    }

    /// Skips a backslash and the character it escapes, except a line break.
    fn skip_escape(&mut self, start: Mark) -> Outcome<()> {
        let digits = match self.byte_after(1) {
            b'0' | b'a' | b'b' | b't' | b'\t' | b'n' | b'v' | b'f' | b'r' | b'e' | b' ' | b'"'
            | b'\'' | b'\\' | b'N' | b'_' | b'L' | b'P' => 0,
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            _ => return self.fail(start, "found unknown escape character"),
        };
        self.at += 2;
        if digits == 0 {
            return Ok(());
        }
        self.require(digits)?;
        let mut value = 0u32;
        for i in 0..digits {
            let Some(digit) = (self.byte_after(i) as char).to_digit(16) else {
                return self.fail(start, "did not find expected hexdecimal number");
            };
            value = value << 4 | digit;
        }
        if char::from_u32(value).is_none() {
            return self.fail(start, "found invalid Unicode character escape code");
        }
        self.at += digits;
        Ok(())
    }

    pub fn scan_block_scalar(&mut self) -> Outcome<Token> {
        let start = self.mark();
        let kind = if self.byte() == b'|' {
            NodeKind::Literal
        } else {
            NodeKind::Folded
        };
        self.at += 1;
        let (chomping, increment) = self.scan_block_header(start)?;
        let mut end = self.at;
        self.skip_blanks()?;
        if self.byte() == b'#' {
            self.skip_comment()?;
            end = self.at;
        }
        self.end_line(start)?;
        let mut indent = if increment > 0 {
            self.indent.max(0) as u32 + increment
        } else {
            0
        };
        if increment > 0 {
            self.block_indents.push((start.at, indent));
        }
        let mut blank_end = self.skip_indentation(&mut indent, start)?;
        self.require(1)?;
        while self.column() == indent && self.at < self.text.len() {
            self.skip_line();
            self.require(2)?;
            end = self.at;
            blank_end = None;
            if self.is_break() {
                self.skip_break();
            }
            if let Some(last) = self.skip_indentation(&mut indent, start)? {
                blank_end = Some(last);
            }
        }
        if chomping == Chomping::Keep {
            end = blank_end.unwrap_or(end);
        }
        Ok(Token {
            end: end as u32,
            ..self.token(TokenKind::Scalar(kind), start)
        })
    }

    /// Scans the indicators after `|` or `>`, in either order.
    fn scan_block_header(&mut self, start: Mark) -> Outcome<(Chomping, u32)> {
        let mut chomping = None;
        let mut increment = None;
        for _ in 0..2 {
            self.require(1)?;
            match self.byte() {
                b @ (b'+' | b'-') if chomping.is_none() => {
                    chomping = Some(if b == b'+' {
                        Chomping::Keep
                    } else {
                        Chomping::Strip
                    });
                }
                b'0' if increment.is_none() => {
                    return self.fail(start, "found an indentation indicator equal to 0");
                }
                b @ b'1'..=b'9' if increment.is_none() => increment = Some(u32::from(b - b'0')),
                _ => break,
            }
            self.at += 1;
        }
        Ok((chomping.unwrap_or(Chomping::Clip), increment.unwrap_or(0)))
    }

    /// Skips blank lines and the indentation of the next line, and finds the indentation if it is
    /// 0.
    ///
    /// Returns the end of the last blank line, before its break, if there was one.
    fn skip_indentation(&mut self, indent: &mut u32, start: Mark) -> Outcome<Option<usize>> {
        let mut deepest = 0;
        let mut blank_end = None;
        loop {
            self.require(1)?;
            while (*indent == 0 || self.column() < *indent) && self.byte() == b' ' {
                self.at += 1;
            }
            self.require(1)?;
            deepest = deepest.max(self.column());
            if (*indent == 0 || self.column() < *indent) && self.byte() == b'\t' {
                return self.fail(
                    start,
                    "found a tab character where an indentation space is expected",
                );
            }
            if !self.is_break() {
                break;
            }
            self.require(2)?;
            blank_end = Some(self.at);
            self.skip_break();
        }
        if *indent == 0 {
            *indent = deepest.max((self.indent + 1).max(0) as u32).max(1);
        }
        Ok(blank_end)
    }

    /// Ends a line whose content and comment were read.
    pub fn end_line(&mut self, start: Mark) -> Outcome<()> {
        if !self.is_breakz() {
            return self.fail(start, "did not find expected comment or line break");
        }
        if self.is_break() {
            self.require(2)?;
            self.skip_break();
        }
        Ok(())
    }

    pub fn skip_blanks(&mut self) -> Outcome<()> {
        self.require(1)?;
        while is_blank(self.byte()) {
            self.at += 1;
            self.require(1)?;
        }
        Ok(())
    }
}
