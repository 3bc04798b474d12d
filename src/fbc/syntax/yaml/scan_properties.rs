//! Scanning of anchors, aliases, tags and directives.

use super::chars::{CLASS, URI, WORD, byte, is_blank, is_blankz, is_breakz, width};
use super::scanner::{Scanner, is_break_at};
use super::token::{Mark, Outcome, Token, TokenKind};
use std::ops::Range;

impl Scanner<'_> {
    pub(super) fn scan_anchor(&mut self, kind: TokenKind) -> Outcome<Token> {
        let start = self.mark();
        self.at += 1;
        let name = self.pass_word()?;
        let ends = is_blankz(self.text, self.at)
            || matches!(
                byte(self.text, self.at),
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

    pub(super) fn scan_tag(&mut self) -> Outcome<Token> {
        let start = self.mark();
        self.need(2)?;
        if byte(self.text, self.at + 1) == b'<' {
            self.at += 2;
            self.scan_uri(start, false)?;
            if byte(self.text, self.at) != b'>' {
                return self.fail(start, "did not find the expected '>'");
            }
            self.at += 1;
        } else {
            let handle = self.scan_tag_handle(start, false)?;
            let is_named_handle = handle.len() > 1 && byte(self.text, handle.end - 1) == b'!';
            self.scan_uri(start, !is_named_handle)?;
        }
        self.need(1)?;
        if !is_blankz(self.text, self.at) {
            return self.fail(start, "did not find expected whitespace or line break");
        }
        Ok(self.token(TokenKind::Tag, start))
    }

    /// `!`, `!!` or `!name!`; in a tag also `!name`, which is not a handle but the beginning of the tag.
    fn scan_tag_handle(&mut self, start: Mark, directive: bool) -> Outcome<Range<usize>> {
        self.need(1)?;
        if byte(self.text, self.at) != b'!' {
            return self.fail(start, "did not find expected '!'");
        }
        let from = self.at;
        self.at += 1;
        self.pass_word()?;
        if byte(self.text, self.at) == b'!' {
            self.at += 1;
        } else if directive && self.at - from > 1 {
            return self.fail(start, "did not find expected '!'");
        }
        Ok(from..self.at)
    }

    /// The characters of a tag or prefix; may be empty only after a complete handle.
    fn scan_uri(&mut self, start: Mark, may_be_empty: bool) -> Outcome<Range<usize>> {
        let from = self.at;
        self.need(1)?;
        while CLASS[byte(self.text, self.at) as usize] & URI != 0 {
            if byte(self.text, self.at) == b'%' {
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

    /// The escaped octets of one character.
    fn scan_uri_escape(&mut self, start: Mark) -> Outcome<()> {
        let mut left = None;
        while left != Some(0) {
            self.need(3)?;
            let digit = |i| (byte(self.text, i) as char).to_digit(16);
            let octet = match (
                byte(self.text, self.at),
                digit(self.at + 1),
                digit(self.at + 2),
            ) {
                (b'%', Some(high), Some(low)) => (high << 4 | low) as u8,
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

    pub(super) fn scan_directive(&mut self) -> Outcome<Token> {
        let start = self.mark();
        self.at += 1;
        let name = self.pass_word()?;
        if name.is_empty() {
            return self.fail(start, "could not find expected directive name");
        }
        if !is_blankz(self.text, self.at) {
            return self.fail(start, "found unexpected non-alphabetical character");
        }
        let kind = match &self.text[name] {
            b"YAML" => self.scan_version(start)?,
            b"TAG" => self.scan_tag_directive(start)?,
            _ => return self.fail(start, "found unknown directive name"),
        };
        let token = self.token(kind, start);
        self.pass_blanks()?;
        if byte(self.text, self.at) == b'#' {
            self.skip_comment()?;
        }
        if !is_breakz(self.text, self.at) {
            return self.fail(start, "did not find expected comment or line break");
        }
        if is_break_at(self.text, self.at) {
            self.need(2)?;
            self.pass_break();
        }
        Ok(token)
    }

    fn scan_version(&mut self, start: Mark) -> Outcome<TokenKind> {
        self.pass_blanks()?;
        let major = self.scan_version_number(start)?;
        if byte(self.text, self.at) != b'.' {
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
        while byte(self.text, self.at).is_ascii_digit() {
            if self.at - from == 2 {
                return self.fail(start, "found extremely long version number");
            }
            value = value * 10 + (byte(self.text, self.at) - b'0');
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
        if !is_blank(byte(self.text, self.at)) {
            return self.fail(start, "did not find expected whitespace");
        }
        self.pass_blanks()?;
        let prefix = self.scan_uri(start, false)?;
        self.need(1)?;
        if !is_blankz(self.text, self.at) {
            return self.fail(start, "did not find expected whitespace or line break");
        }
        let range = |range: Range<usize>| range.start as u32..range.end as u32;
        self.tag_directives
            .push_back((range(handle), range(prefix)));
        Ok(TokenKind::TagDirective)
    }

    fn pass_word(&mut self) -> Outcome<Range<usize>> {
        self.need(1)?;
        let from = self.at;
        while CLASS[byte(self.text, self.at) as usize] & WORD != 0 {
            self.at += 1;
        }
        self.need(1)?;
        Ok(from..self.at)
    }

    fn pass_blanks(&mut self) -> Outcome<()> {
        self.need(1)?;
        while is_blank(byte(self.text, self.at)) {
            self.at += 1;
            self.need(1)?;
        }
        Ok(())
    }
}
