//! Scans anchors, aliases, tags and directives.

use super::chars::{CLASSES, URI, WORD, byte, char_len, is_blank};
use super::scanner::Scanner;
use super::token::{Mark, Outcome, Token, TokenKind};
use std::ops::Range;

impl Scanner<'_> {
    pub fn scan_anchor(&mut self, kind: TokenKind) -> Outcome<Token> {
        let start = self.mark();
        self.at += 1;
        let name = self.skip_word()?;
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
        self.require(2)?;
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
        self.require(1)?;
        if !self.is_blankz(0) {
            return self.fail(start, "did not find expected whitespace or line break");
        }
        Ok(self.token(TokenKind::Tag, start))
    }

    /// Scans `!`, `!!` or `!name!`; in a tag also `!name`, which is not a handle but the beginning
    /// of the tag.
    fn scan_tag_handle(&mut self, start: Mark, in_directive: bool) -> Outcome<Range<usize>> {
        self.require(1)?;
        if self.byte() != b'!' {
            return self.fail(start, "did not find expected '!'");
        }
        let from = self.at;
        self.at += 1;
        self.skip_word()?;
        if self.byte() == b'!' {
            self.at += 1;
        } else if in_directive && self.at - from > 1 {
            return self.fail(start, "did not find expected '!'");
        }
        Ok(from..self.at)
    }

    /// Scans the characters of a tag or prefix, which may be empty only after a complete handle.
    fn scan_uri(&mut self, start: Mark, may_be_empty: bool) -> Outcome<Range<usize>> {
        let from = self.at;
        self.require(1)?;
        while CLASSES[self.byte() as usize] & URI != 0 {
            if self.byte() == b'%' {
                self.scan_uri_escape(start)?;
            } else {
                self.at += 1;
            }
            self.require(1)?;
        }
        if from == self.at && !may_be_empty {
            return self.fail(start, "did not find expected tag URI");
        }
        Ok(from..self.at)
    }

    /// Scans the escaped octets of one character.
    fn scan_uri_escape(&mut self, start: Mark) -> Outcome<()> {
        let mut remaining = None;
        while remaining != Some(0) {
            self.require(3)?;
            let digits = [1, 2].map(|i| char::from(self.byte_after(i)).to_digit(16));
            let octet = match (self.byte(), digits) {
                (b'%', [Some(high), Some(low)]) => (high << 4 | low) as u8,
                _ => return self.fail(start, "did not find URI escaped octet"),
            };
            remaining = match remaining {
                None if char_len(octet) == 0 => {
                    return self.fail(start, "found an incorrect leading UTF-8 octet");
                }
                None => Some(char_len(octet) - 1),
                Some(_) if octet & 0xC0 != 0x80 => {
                    return self.fail(start, "found an incorrect trailing UTF-8 octet");
                }
                Some(count) => Some(count - 1),
            };
            self.at += 3;
        }
        Ok(())
    }

    pub fn scan_directive(&mut self) -> Outcome<Token> {
        let start = self.mark();
        self.at += 1;
        let name = self.skip_word()?;
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
        self.skip_blanks()?;
        if self.byte() == b'#' {
            self.skip_comment()?;
        }
        self.end_line(start)?;
        Ok(token)
    }

    fn scan_version(&mut self, start: Mark) -> Outcome<TokenKind> {
        self.skip_blanks()?;
        let major = self.scan_version_number(start)?;
        if self.byte() != b'.' {
            return self.fail(start, "did not find expected digit or '.' character");
        }
        self.at += 1;
        let minor = self.scan_version_number(start)?;
        Ok(TokenKind::VersionDirective { major, minor })
    }

    fn scan_version_number(&mut self, start: Mark) -> Outcome<u8> {
        self.require(1)?;
        let from = self.at;
        let mut value = 0;
        while self.byte().is_ascii_digit() {
            if self.at - from == 2 {
                return self.fail(start, "found extremely long version number");
            }
            value = value * 10 + (self.byte() - b'0');
            self.at += 1;
            self.require(1)?;
        }
        if self.at == from {
            return self.fail(start, "did not find expected version number");
        }
        Ok(value)
    }

    fn scan_tag_directive(&mut self, start: Mark) -> Outcome<TokenKind> {
        self.skip_blanks()?;
        let handle = self.scan_tag_handle(start, true)?;
        self.require(1)?;
        if !is_blank(self.byte()) {
            return self.fail(start, "did not find expected whitespace");
        }
        self.skip_blanks()?;
        let prefix = self.scan_uri(start, false)?;
        self.require(1)?;
        if !self.is_blankz(0) {
            return self.fail(start, "did not find expected whitespace or line break");
        }
        let [handle, prefix] = [handle, prefix].map(|range| range.start as u32..range.end as u32);
        self.tag_directives.push_back((handle, prefix));
        Ok(TokenKind::TagDirective)
    }

    fn skip_word(&mut self) -> Outcome<Range<usize>> {
        self.require(1)?;
        let from = self.at;
        while CLASSES[self.byte() as usize] & WORD != 0 {
            self.at += 1;
        }
        self.require(1)?;
        Ok(from..self.at)
    }
}
