//! Prepares a text for the scanner: finds forbidden characters, the position where Go's reader
//! reports them, and the line breaks in use. Decodes UTF-16.

use super::chars::char_len;
use std::borrow::Cow;

/// Go's reader decodes its input in whole blocks of this many bytes.
const BLOCK_LEN: usize = 512;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

const CONTROL_CHARACTER: &str = "control characters are not allowed";

/// A text prepared for the scanner.
#[derive(Debug)]
pub struct Input<'a> {
    /// UTF-8 without forbidden characters.
    pub text: Cow<'a, [u8]>,
    /// Length of a byte order mark at the beginning.
    pub start: usize,
    pub is_ascii: bool,
    /// Whether `\n` is the only line break used.
    pub only_lf: bool,
    /// Whether the text passed through Go's line reader, which removes one `\r` at the end of each
    /// line.
    pub by_lines: bool,
    /// See the scanner's field of this name; 0 for nearly every text.
    pub sticky_mark: usize,
    /// The error of Go's reader at the end of `text`, if it refuses the rest.
    pub limit: Option<ReaderError>,
}

#[derive(Debug, Clone, Copy)]
pub struct ReaderError {
    /// Offset of the offending byte.
    pub at: usize,
    pub problem: &'static str,
}

/// Prepares a text that passes through Go's line reader, which adds a missing final line break.
pub fn prepare_lines(text: &[u8]) -> Input<'_> {
    let text = if text.ends_with(b"\n") {
        Cow::Borrowed(text)
    } else {
        Cow::Owned([text, b"\n"].concat())
    };
    examine(text, true)
}

/// Prepares a text that does not pass through the line reader.
pub fn prepare(text: &[u8]) -> Input<'_> {
    examine(Cow::Borrowed(text), false)
}

fn examine(text: Cow<'_, [u8]>, by_lines: bool) -> Input<'_> {
    let start = if text.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    };
    // Branch-free, so that the compiler vectorises it.
    let (mut high, mut odd, mut cr) = (0u8, 0u8, 0u8);
    for &b in &text[start..] {
        let is_return = u8::from(b == b'\r');
        let is_control =
            u8::from(b < 0x20) & u8::from(b != b'\n') & u8::from(b != b'\t') & (1 - is_return);
        high |= b;
        odd |= is_control | u8::from(b == 0x7F);
        cr |= is_return;
    }
    let (high, odd, cr) = (high >= 0x80, odd != 0, cr != 0);
    let sticky_mark = if text[start..].starts_with(BYTE_ORDER_MARK) && start > 0 {
        text.len().min(BLOCK_LEN)
    } else {
        0
    };
    let mut input = Input {
        text,
        start,
        is_ascii: !high,
        only_lf: !high && !cr,
        by_lines,
        sticky_mark,
        limit: None,
    };
    if high || odd {
        let checked = check_characters(&input.text, start);
        input.only_lf = !cr && !checked.has_wide_breaks;
        if let Some(error) = checked.error {
            let end = last_block_start(&input.text, error.at, by_lines);
            let mut text = input.text.into_owned();
            text.truncate(end);
            input.text = Cow::Owned(text);
            input.limit = Some(error);
        }
    }
    input
}

struct CheckedCharacters {
    /// Whether a line break beyond ASCII occurs before the error.
    has_wide_breaks: bool,
    /// The first character that is not allowed.
    error: Option<ReaderError>,
}

fn check_characters(text: &[u8], start: usize) -> CheckedCharacters {
    let mut has_wide_breaks = false;
    let mut at = start;
    let mut error = None;
    while let Some(&first) = text.get(at) {
        if first < 0x80 {
            if is_forbidden(first.into()) {
                let problem = CONTROL_CHARACTER;
                error = Some(ReaderError { at, problem });
                break;
            }
            at += 1;
            continue;
        }
        match decode_wide(&text[at..]) {
            Ok(c) => {
                has_wide_breaks |= matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}');
                at += c.len_utf8();
            }
            Err(problem) => {
                error = Some(ReaderError { at, problem });
                break;
            }
        }
    }
    CheckedCharacters {
        has_wide_breaks,
        error,
    }
}

/// Whether Go's reader treats the character as a forbidden control character.
fn is_forbidden(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' | '\u{85}' => false,
        '\0'..='\x1F' | '\x7F'..='\u{9F}' | '\u{FFFE}' | '\u{FFFF}' => true,
        _ => false,
    }
}

/// Decodes the character beyond ASCII at the beginning. The error is the reader's message.
fn decode_wide(text: &[u8]) -> Result<char, &'static str> {
    let first = text.first().copied().unwrap_or(0);
    let len = char_len(first);
    if len == 0 {
        return Err("invalid leading UTF-8 octet");
    }
    let Some(trailing) = text.get(1..len) else {
        return Err("incomplete UTF-8 octet sequence");
    };
    let mut value = u32::from(first) & (0x7F >> len);
    for &b in trailing {
        if b & 0xC0 != 0x80 {
            return Err("invalid trailing UTF-8 octet");
        }
        value = value << 6 | u32::from(b & 0x3F);
    }
    let min = match len {
        2 => 0x80,
        3 => 0x800,
        _ => 0x1_0000,
    };
    if value < min {
        return Err("invalid length of a UTF-8 sequence");
    }
    let Some(c) = char::from_u32(value) else {
        return Err("invalid Unicode character");
    };
    if is_forbidden(c) {
        return Err(CONTROL_CHARACTER);
    }
    Ok(c)
}

/// Returns the start of the block that contains the bad character: the reader fails before the
/// scanner sees that block.
fn last_block_start(text: &[u8], bad: usize, by_lines: bool) -> usize {
    let mut block = 0;
    while block < bad {
        // A `\r` before `\n` never reaches the reader, so it takes no space in a block.
        let (mut at, mut free) = (block, BLOCK_LEN);
        loop {
            let Some(&b) = text.get(at) else { return block };
            let is_removed = by_lines && b == b'\r' && text.get(at + 1) == Some(&b'\n');
            let len = if is_removed { 0 } else { char_len(b).max(1) };
            if len > free || (at == bad && at + len > text.len()) {
                break;
            }
            if at == bad {
                return block;
            }
            free -= len;
            at += len.max(1);
        }
        block = at;
    }
    block
}

/// Converts a text that begins with a UTF-16 byte order mark to UTF-8; `None` for any other text.
///
/// The mark is kept (as U+FEFF). At invalid UTF-16 the result ends, with the reader's message.
pub fn from_utf16(text: &[u8]) -> Option<(Vec<u8>, Option<&'static str>)> {
    let read_unit: fn([u8; 2]) -> u16 = match text {
        [0xFF, 0xFE, ..] => u16::from_le_bytes,
        [0xFE, 0xFF, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let mut out = String::with_capacity(text.len() / 2 + 2);
    // The start of the current block, in the input and in the output.
    let (mut block_in, mut block_out) = (0, 0);
    let mut at = 0;
    while at < text.len() {
        let unit = text
            .get(at..at + 2)
            .map(|pair| read_unit([pair[0], pair[1]]));
        let len = if matches!(unit, Some(0xD800..=0xDBFF)) {
            4
        } else {
            2
        };
        if at + len > block_in + BLOCK_LEN {
            (block_in, block_out) = (at, out.len());
        }
        let Some(bytes) = text.get(at..at + len) else {
            let problem = if len == 4 {
                "incomplete UTF-16 surrogate pair"
            } else {
                "incomplete UTF-16 character"
            };
            return Some((out.into_bytes(), Some(problem)));
        };
        let units = bytes
            .chunks_exact(2)
            .map(|pair| read_unit([pair[0], pair[1]]));
        let problem = match char::decode_utf16(units).next() {
            Some(Ok(c)) if !is_forbidden(c) => {
                out.push(c);
                at += len;
                continue;
            }
            Some(Ok(_)) => CONTROL_CHARACTER,
            _ if len == 4 => "expected low surrogate area",
            _ => "unexpected low surrogate area",
        };
        // The reader fails before the scanner sees this block.
        out.truncate(block_out);
        return Some((out.into_bytes(), Some(problem)));
    }
    Some((out.into_bytes(), None))
}
