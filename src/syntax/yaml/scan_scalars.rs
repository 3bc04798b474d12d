//! Scans scalars for their extent and their errors ([`crate::scalar`] reads their content), and anchors, aliases,
//! tags and directives.

use super::input::{
    CLASS, STOP_BLOCK, STOP_DOUBLE, STOP_FLOW, STOP_SINGLE, URI, WORD, break_len, byte, is_blank,
    width,
};
use super::scanner::Scanner;
use super::token::{Mark, Outcome, Token, TokenKind};
use crate::tree::NodeKind;
use std::ops::Range;

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
            self.need(4)?;
            if (self.column() == 0 && self.is_document_indicator()) || self.byte() == b'#' {
                break;
            }
            let from = self.at;
            self.pass_plain_run(stop, flow);
            if self.at > from {
                self.count_wide(from);
                self.need(2)?;
                end = self.at;
                ended_line = false;
            }
            if !is_blank(self.byte()) && !self.is_break() {
                break;
            }
            self.need(1)?;
            loop {
                let b = self.byte();
                if is_blank(b) {
                    if ended_line && b == b'\t' && self.column() < indent {
                        return self.fail(start, "found a tab character that violates indentation");
                    }
                    self.at += 1;
                } else if self.is_break() {
                    self.need(2)?;
                    self.pass_break();
                    ended_line = true;
                } else {
                    break;
                }
                self.need(1)?;
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
    fn pass_plain_run(&mut self, stop: u8, flow: bool) {
        loop {
            self.pass_run(stop);
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
    fn pass_run(&mut self, stop: u8) {
        while let Some(&b) = self.text.get(self.at) {
            if CLASS[b as usize] & stop != 0 {
                break;
            }
            self.at += 1;
        }
    }

    pub fn scan_single_quoted(&mut self) -> Outcome<Token> {
        let start = self.mark();
        self.at += 1;
        self.need(4)?;
        loop {
            let from = self.at;
            self.pass_run(STOP_SINGLE);
            self.count_wide(from);
            self.need(2)?;
            match self.byte() {
                b'\'' if self.byte_after(1) == b'\'' => self.at += 2,
                b'\'' => break,
                _ => self.pass_in_quotes(start)?,
            }
        }
        self.at += 1;
        Ok(self.token(TokenKind::Scalar(NodeKind::SingleQuoted), start))
    }

    pub fn scan_double_quoted(&mut self) -> Outcome<Token> {
        let start = self.mark();
        self.at += 1;
        self.need(4)?;
        loop {
            let from = self.at;
            self.pass_run(STOP_DOUBLE);
            self.count_wide(from);
            self.need(1)?;
            match self.byte() {
                b'"' => break,
                b'\\' => {
                    self.need(2)?;
                    if break_len(self.text, self.at + 1) != 0 {
                        self.need(3)?;
                        self.at += 1;
                    } else {
                        self.pass_escape(start)?;
                    }
                }
                _ => self.pass_in_quotes(start)?,
            }
        }
        self.at += 1;
        Ok(self.token(TokenKind::Scalar(NodeKind::DoubleQuoted), start))
    }

    /// Handles a byte that ended a run inside quotes and is not a quote: a line break, the end, or
    /// an ordinary character.
    fn pass_in_quotes(&mut self, start: Mark) -> Outcome<()> {
        if self.at >= self.text.len() {
            self.need(1)?;
            return self.fail(start, "found unexpected end of stream");
        }
        if !self.is_break() {
            self.at += 1;
            return Ok(());
        }
        self.need(2)?;
        self.pass_break();
        self.need(4)?;
        if self.is_document_indicator() {
            return self.fail(start, "found unexpected document indicator");
        }
        Ok(())
    }

    /// Skips a backslash and the character it escapes, except a line break.
    fn pass_escape(&mut self, start: Mark) -> Outcome<()> {
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
        self.need(digits)?;
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
        self.pass_blanks()?;
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
        let mut blank_end = self.pass_indentation(&mut indent, start)?;
        self.need(1)?;
        while self.column() == indent && self.at < self.text.len() {
            self.pass_line();
            self.need(2)?;
            end = self.at;
            blank_end = None;
            if self.is_break() {
                self.pass_break();
            }
            if let Some(last) = self.pass_indentation(&mut indent, start)? {
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
            self.need(1)?;
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
    fn pass_indentation(&mut self, indent: &mut u32, start: Mark) -> Outcome<Option<usize>> {
        let mut deepest = 0;
        let mut blank_end = None;
        loop {
            self.need(1)?;
            while (*indent == 0 || self.column() < *indent) && self.byte() == b' ' {
                self.at += 1;
            }
            self.need(1)?;
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
            self.need(2)?;
            blank_end = Some(self.at);
            self.pass_break();
        }
        if *indent == 0 {
            *indent = deepest.max((self.indent + 1).max(0) as u32).max(1);
        }
        Ok(blank_end)
    }
}

impl Scanner<'_> {
    pub fn scan_anchor(&mut self, kind: TokenKind) -> Outcome<Token> {
        let start = self.mark();
        self.at += 1;
        let name = self.pass_word()?;
        let ends = self.is_blankz(0)
            || matches!(
                self.byte(),
                b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`'
            );
        if name.is_empty() || !ends {
            return self.fail(
                start,
                "did not find expected alphabetic or numeric character",
            );
        }
        Ok(self.token(kind, start))
    }

    pub fn scan_tag(&mut self) -> Outcome<Token> {
        let start = self.mark();
        self.need(2)?;
        if self.byte_after(1) == b'<' {
            self.at += 2;
            self.scan_uri(start, false)?;
            if self.byte() != b'>' {
                return self.fail(start, "did not find the expected '>'");
            }
            self.at += 1;
        } else {
            let handle = self.scan_tag_handle(start, false)?;
            let is_named_handle = handle.len() > 1 && byte(self.text, handle.end - 1) == b'!';
            self.scan_uri(start, !is_named_handle)?;
        }
        self.need(1)?;
        if !self.is_blankz(0) {
            return self.fail(start, "did not find expected whitespace or line break");
        }
        Ok(self.token(TokenKind::Tag, start))
    }

    /// Scans `!`, `!!` or `!name!`; in a tag also `!name`, which is not a handle but the beginning
    /// of the tag.
    fn scan_tag_handle(&mut self, start: Mark, directive: bool) -> Outcome<Range<usize>> {
        self.need(1)?;
        if self.byte() != b'!' {
            return self.fail(start, "did not find expected '!'");
        }
        let from = self.at;
        self.at += 1;
        self.pass_word()?;
        if self.byte() == b'!' {
            self.at += 1;
        } else if directive && self.at - from > 1 {
            return self.fail(start, "did not find expected '!'");
        }
        Ok(from..self.at)
    }

    /// Scans the characters of a tag or prefix; may be empty only after a complete handle.
    fn scan_uri(&mut self, start: Mark, may_be_empty: bool) -> Outcome<Range<usize>> {
        let from = self.at;
        self.need(1)?;
        while CLASS[self.byte() as usize] & URI != 0 {
            if self.byte() == b'%' {
                self.scan_uri_escape(start)?;
            } else {
                self.at += 1;
            }
            self.need(1)?;
        }
        if from == self.at && !may_be_empty {
            return self.fail(start, "did not find expected tag URI");
        }
        Ok(from..self.at)
    }

    /// Scans the escaped octets of one character.
    fn scan_uri_escape(&mut self, start: Mark) -> Outcome<()> {
        let mut left = None;
        while left != Some(0) {
            self.need(3)?;
            let digits = [1, 2].map(|i| char::from(self.byte_after(i)).to_digit(16));
            let octet = match (self.byte(), digits) {
                (b'%', [Some(high), Some(low)]) => (high << 4 | low) as u8,
                _ => return self.fail(start, "did not find URI escaped octet"),
            };
            left = match left {
                None if width(octet) == 0 => {
                    return self.fail(start, "found an incorrect leading UTF-8 octet");
                }
                None => Some(width(octet) - 1),
                Some(_) if octet & 0xC0 != 0x80 => {
                    return self.fail(start, "found an incorrect trailing UTF-8 octet");
                }
                Some(left) => Some(left - 1),
            };
            self.at += 3;
        }
        Ok(())
    }

    pub fn scan_directive(&mut self) -> Outcome<Token> {
        let start = self.mark();
        self.at += 1;
        let name = self.pass_word()?;
        if name.is_empty() {
            return self.fail(start, "could not find expected directive name");
        }
        if !self.is_blankz(0) {
            return self.fail(start, "found unexpected non-alphabetical character");
        }
        let kind = match &self.text[name] {
            b"YAML" => self.scan_version(start)?,
            b"TAG" => self.scan_tag_directive(start)?,
            _ => return self.fail(start, "found unknown directive name"),
        };
        let token = self.token(kind, start);
        self.pass_blanks()?;
        if self.byte() == b'#' {
            self.skip_comment()?;
        }
        self.end_line(start)?;
        Ok(token)
    }

    fn scan_version(&mut self, start: Mark) -> Outcome<TokenKind> {
        self.pass_blanks()?;
        let major = self.scan_version_number(start)?;
        if self.byte() != b'.' {
            return self.fail(start, "did not find expected digit or '.' character");
        }
        self.at += 1;
        let minor = self.scan_version_number(start)?;
        Ok(TokenKind::VersionDirective { major, minor })
    }

    fn scan_version_number(&mut self, start: Mark) -> Outcome<u8> {
        self.need(1)?;
        let from = self.at;
        let mut value = 0;
        while self.byte().is_ascii_digit() {
            if self.at - from == 2 {
                return self.fail(start, "found extremely long version number");
            }
            value = value * 10 + (self.byte() - b'0');
            self.at += 1;
            self.need(1)?;
        }
        if self.at == from {
            return self.fail(start, "did not find expected version number");
        }
        Ok(value)
    }

    fn scan_tag_directive(&mut self, start: Mark) -> Outcome<TokenKind> {
        self.pass_blanks()?;
        let handle = self.scan_tag_handle(start, true)?;
        self.need(1)?;
        if !is_blank(self.byte()) {
            return self.fail(start, "did not find expected whitespace");
        }
        self.pass_blanks()?;
        let prefix = self.scan_uri(start, false)?;
        self.need(1)?;
        if !self.is_blankz(0) {
            return self.fail(start, "did not find expected whitespace or line break");
        }
        let [handle, prefix] = [handle, prefix].map(|range| range.start as u32..range.end as u32);
        self.tag_directives.push_back((handle, prefix));
        Ok(TokenKind::TagDirective)
    }

    fn pass_word(&mut self) -> Outcome<Range<usize>> {
        self.need(1)?;
        let from = self.at;
        while CLASS[self.byte() as usize] & WORD != 0 {
            self.at += 1;
        }
        self.need(1)?;
        Ok(from..self.at)
    }

    /// Ends a line whose content and comment were read.
    fn end_line(&mut self, start: Mark) -> Outcome<()> {
        if !self.is_breakz() {
            return self.fail(start, "did not find expected comment or line break");
        }
        if self.is_break() {
            self.need(2)?;
            self.pass_break();
        }
        Ok(())
    }

    fn pass_blanks(&mut self) -> Outcome<()> {
        self.need(1)?;
        while is_blank(self.byte()) {
            self.at += 1;
            self.need(1)?;
        }
        Ok(())
    }
}
