//! Prepares a text for the scanner: whether every byte is allowed, where Go's reader would notice
//! one that is not, which kinds of line break occur, and UTF-16.

use std::borrow::Cow;

/// Go's reader decodes its input in blocks of this many bytes, each as a whole.
const BLOCK: usize = 512;

const MARK: &[u8] = b"\xEF\xBB\xBF";

/// A text prepared for the scanner.
#[derive(Debug)]
pub struct Input<'a> {
    /// UTF-8 without forbidden characters.
    pub text: Cow<'a, [u8]>,
    /// Length of a byte order mark at the beginning.
    pub start: usize,
    pub ascii: bool,
    /// Whether `\n` is the only line break used.
    pub only_lf: bool,
    /// Whether the text passed through Go's line reader, which removes one `\r` at the end of each
    /// line.
    pub by_lines: bool,
    /// See the scanner's field of this name; 0 for nearly every text.
    pub sticky_mark: usize,
    /// The text after the kept part is refused as soon as the reader gets that far.
    pub limit: Option<ReaderError>,
}

/// The reader's message and the offending byte.
#[derive(Debug, Clone, Copy)]
pub struct ReaderError {
    pub at: usize,
    pub problem: &'static str,
}

/// Prepares a text that passes through Go's line reader, which ends the last line.
pub fn prepare_lines(text: &[u8]) -> Input<'_> {
    examine(
        true,
        if text.ends_with(b"\n") {
            Cow::Borrowed(text)
        } else {
            Cow::Owned([text, b"\n"].concat())
        },
    )
}

/// Prepares a text as it is.
pub fn prepare(text: &[u8]) -> Input<'_> {
    examine(false, Cow::Borrowed(text))
}

/// Examines every byte once.
fn examine(by_lines: bool, text: Cow<'_, [u8]>) -> Input<'_> {
    let start = if text.starts_with(MARK) {
        MARK.len()
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
    let sticky_mark = if text[start..].starts_with(MARK) && start > 0 {
        text.len().min(BLOCK)
    } else {
        0
    };
    let mut input = Input {
        text,
        start,
        ascii: !high,
        only_lf: !high && !cr,
        by_lines,
        sticky_mark,
        limit: None,
    };
    if high || odd {
        let scan = scan(&input.text, start);
        input.only_lf = !cr && !scan.breaks;
        if let Some(error) = scan.error {
            let kept = kept_before(&input.text, error.at, by_lines);
            let mut text = input.text.into_owned();
            text.truncate(kept);
            input.text = Cow::Owned(text);
            input.limit = Some(error);
        }
    }
    input
}

struct Scan {
    breaks: bool,
    error: Option<ReaderError>,
}

/// Finds the first character that is not allowed, and whether a line break beyond ASCII occurs.
fn scan(text: &[u8], start: usize) -> Scan {
    let mut breaks = false;
    let mut at = start;
    while let Some(&first) = text.get(at) {
        if first < 0x80 {
            if is_forbidden(first.into()) {
                return Scan {
                    breaks,
                    error: Some(ReaderError {
                        at,
                        problem: CONTROL,
                    }),
                };
            }
            at += 1;
            continue;
        }
        match character(&text[at..]) {
            Ok((value, len)) => {
                breaks |= matches!(value, 0x85 | 0x2028 | 0x2029);
                at += len;
            }
            Err(problem) => {
                return Scan {
                    breaks,
                    error: Some(ReaderError { at, problem }),
                };
            }
        }
    }
    Scan {
        breaks,
        error: None,
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

const CONTROL: &str = "control characters are not allowed";

/// Decodes one character beyond ASCII and its length, or returns the reader's message.
fn character(text: &[u8]) -> Result<(u32, usize), &'static str> {
    let first = text.first().copied().unwrap_or(0);
    let len = width(first);
    if len == 0 {
        return Err("invalid leading UTF-8 octet");
    }
    let Some(rest) = text.get(1..len) else {
        return Err("incomplete UTF-8 octet sequence");
    };
    let mut value = u32::from(first) & (0x7F >> len);
    for &b in rest {
        if b & 0xC0 != 0x80 {
            return Err("invalid trailing UTF-8 octet");
        }
        value = value << 6 | u32::from(b & 0x3F);
    }
    let least = match len {
        2 => 0x80,
        3 => 0x800,
        _ => 0x1_0000,
    };
    if value < least {
        return Err("invalid length of a UTF-8 sequence");
    }
    if matches!(value, 0xD800..=0xDFFF) || value > 0x10_FFFF {
        return Err("invalid Unicode character");
    }
    if char::from_u32(value).is_some_and(is_forbidden) {
        return Err(CONTROL);
    }
    Ok((value, len))
}

/// Returns how much of the text is decoded before the block with the bad character; the scanner
/// sees only that.
fn kept_before(text: &[u8], bad: usize, by_lines: bool) -> usize {
    let mut block = 0;
    while block < bad {
        // A `\r` before `\n` never reaches the reader, so it takes no space in a block.
        let (mut at, mut room) = (block, BLOCK);
        loop {
            let Some(&b) = text.get(at) else { return block };
            let is_gone = by_lines && b == b'\r' && text.get(at + 1) == Some(&b'\n');
            let len = if is_gone { 0 } else { width(b).max(1) };
            if len > room || (at == bad && at + len > text.len()) {
                break;
            }
            if at == bad {
                return block;
            }
            room -= len;
            at += len.max(1);
        }
        block = at;
    }
    block
}

/// Converts a text that begins with a UTF-16 byte order mark to UTF-8; `None` for any other text.
///
/// The mark is kept (as U+FEFF). At invalid UTF-16 the result ends, and the error has the reason.
pub fn from_utf16(text: &[u8]) -> Option<(Vec<u8>, Option<&'static str>)> {
    let unit: fn([u8; 2]) -> u16 = match text {
        [0xFF, 0xFE, ..] => u16::from_le_bytes,
        [0xFE, 0xFF, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let mut out = String::with_capacity(text.len() / 2 + 2);
    // The start of the current block, in the bytes and in the decoded text.
    let (mut block, mut kept) = (0, 0);
    let mut at = 0;
    while at < text.len() {
        let length = match text.get(at..at + 2).map(|pair| unit([pair[0], pair[1]])) {
            Some(0xD800..=0xDBFF) => 4,
            _ => 2,
        };
        if at + length > block + BLOCK {
            (block, kept) = (at, out.len());
        }
        let mut fail = |problem, end: bool| {
            out.truncate(if end { out.len() } else { kept });
            Some((std::mem::take(&mut out).into_bytes(), Some(problem)))
        };
        let Some(bytes) = text.get(at..at + length) else {
            let problem = if length == 4 {
                "incomplete UTF-16 surrogate pair"
            } else {
                "incomplete UTF-16 character"
            };
            return fail(problem, true);
        };
        let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        match char::decode_utf16(units).next() {
            Some(Ok(c)) => {
                if is_forbidden(c) {
                    return fail(CONTROL, false);
                }
                out.push(c);
            }
            _ if length == 4 => return fail("expected low surrogate area", false),
            _ => return fail("unexpected low surrogate area", false),
        }
        at += length;
    }
    Some((out.into_bytes(), None))
}

/// Ends a run of ordinary characters of a plain scalar in block context (blank, break, `:`, end of
/// text).
pub const STOP_BLOCK: u8 = 1;
/// Like [`STOP_BLOCK`] in flow context, where indicators end a run too.
pub const STOP_FLOW: u8 = 2;
/// Ends a run of ordinary characters in a double-quoted scalar.
pub const STOP_DOUBLE: u8 = 4;
/// Ends a run of ordinary characters in a single-quoted scalar.
pub const STOP_SINGLE: u8 = 8;
/// Letters, digits, `_`, `-`: anchors and tag handles.
pub const WORD: u8 = 16;
/// Characters of a tag.
pub const URI: u8 = 32;
/// A line break, or the first byte of a character that may be one (U+0085, U+2028, U+2029).
pub const BREAK: u8 = 64;

pub static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let members: [(&[u8], u8); 8] = [
        (
            b"\n\r\xC2\xE2",
            BREAK | STOP_BLOCK | STOP_FLOW | STOP_DOUBLE | STOP_SINGLE,
        ),
        (b" \t:\0", STOP_BLOCK | STOP_FLOW),
        (b",?[]{}", STOP_FLOW),
        (b"\"\\\0", STOP_DOUBLE),
        (b"'\0", STOP_SINGLE),
        (LETTERS, WORD | URI),
        (b"0123456789_-", WORD | URI),
        (b";/?:@&=+$,.!~*'()[]%", URI),
    ];
    let mut table = [0u8; 256];
    let mut set = 0;
    while set < members.len() {
        let (bytes, class) = members[set];
        let mut i = 0;
        while i < bytes.len() {
            table[bytes[i] as usize] |= class;
            i += 1;
        }
        set += 1;
    }
    table
}

/// Returns the byte at `i`; 0 beyond the end. The text never contains a 0: it was refused before.
#[inline(always)]
pub fn byte(text: &[u8], i: usize) -> u8 {
    match text.get(i) {
        Some(&b) => b,
        None => 0,
    }
}

/// Returns the length of the line break at `i`; 0 if there is none.
///
/// `\r\n` is one break, and so is `\r\r\n`, because Go's line reader removes one `\r` from each
/// line. Without the line reader, the scanner counts two.
#[inline]
pub fn break_len(text: &[u8], i: usize) -> usize {
    match byte(text, i) {
        b'\n' => 1,
        b'\r' => match (byte(text, i + 1), byte(text, i + 2)) {
            (b'\n', _) => 2,
            (b'\r', b'\n') => 3,
            _ => 1,
        },
        0xC2 if byte(text, i + 1) == 0x85 => 2,
        0xE2 if byte(text, i + 1) == 0x80 && matches!(byte(text, i + 2), 0xA8 | 0xA9) => 3,
        _ => 0,
    }
}

#[inline(always)]
pub fn is_blank(b: u8) -> bool {
    b == b' ' || b == b'\t'
}

/// Whether a blank, line break or end of text is at `i`.
#[inline(always)]
pub fn is_blankz(text: &[u8], i: usize) -> bool {
    let b = byte(text, i);
    if b < 0x80 {
        matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0)
    } else {
        break_len(text, i) != 0
    }
}

/// Whether a line break or end of text is at `i`.
#[inline(always)]
pub fn is_breakz(text: &[u8], i: usize) -> bool {
    let b = byte(text, i);
    if b < 0x80 {
        matches!(b, b'\n' | b'\r' | 0)
    } else {
        break_len(text, i) != 0
    }
}

/// Whether `---` or `...` is at `i`, followed by a blank, a break or the end. `i` must begin a
/// line.
#[inline]
pub fn is_document_indicator(text: &[u8], i: usize) -> bool {
    let b = byte(text, i);
    (b == b'-' || b == b'.')
        && byte(text, i + 1) == b
        && byte(text, i + 2) == b
        && is_blankz(text, i + 3)
}

/// Returns the length of a character by its first byte; 0 if no character begins with it.
pub fn width(b: u8) -> usize {
    match b {
        0..=0x7F => 1,
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => 0,
    }
}
