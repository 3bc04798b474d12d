//! Character classes of a YAML 1.1 scanner.

/// Ends a run of ordinary characters of a plain scalar in block context (blank, break, `:`, end of
/// text).
pub(super) const STOP_BLOCK: u8 = 1;
/// The same in flow context, where indicators end it too.
pub(super) const STOP_FLOW: u8 = 2;
/// Ends a run of ordinary characters in a double-quoted scalar.
pub(super) const STOP_DOUBLE: u8 = 4;
/// Ends a run of ordinary characters in a single-quoted scalar.
pub(super) const STOP_SINGLE: u8 = 8;
/// Letters, digits, `_`, `-`: anchors and tag handles.
pub(super) const WORD: u8 = 16;
/// Characters of a tag.
pub(super) const URI: u8 = 32;
/// A line break, or the first byte of a character that may be one (U+0085, U+2028, U+2029).
pub(super) const BREAK: u8 = 64;

pub(super) static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0u8; 256];
    let mut i = 0;
    while i < 256 {
        let b = i as u8;
        let break_like = matches!(b, b'\n' | b'\r' | 0xC2 | 0xE2);
        let word = b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
        let mut class = 0;
        if break_like {
            class |= BREAK | STOP_BLOCK | STOP_FLOW | STOP_DOUBLE | STOP_SINGLE;
        }
        if matches!(b, b' ' | b'\t' | b':' | 0) {
            class |= STOP_BLOCK | STOP_FLOW;
        }
        if matches!(b, b',' | b'?' | b'[' | b']' | b'{' | b'}') {
            class |= STOP_FLOW;
        }
        if matches!(b, b'"' | b'\\' | 0) {
            class |= STOP_DOUBLE;
        }
        if matches!(b, b'\'' | 0) {
            class |= STOP_SINGLE;
        }
        if word {
            class |= WORD | URI;
        }
        if matches!(
            b,
            b';' | b'/'
                | b'?'
                | b':'
                | b'@'
                | b'&'
                | b'='
                | b'+'
                | b'$'
                | b','
                | b'.'
                | b'!'
                | b'~'
                | b'*'
                | b'\''
                | b'('
                | b')'
                | b'['
                | b']'
                | b'%'
        ) {
            class |= URI;
        }
        table[i] = class;
        i += 1;
    }
    table
}

/// The byte at `i`; 0 beyond the end. The text never contains a 0: it was refused before.
#[inline(always)]
pub(super) fn byte(text: &[u8], i: usize) -> u8 {
    match text.get(i) {
        Some(&b) => b,
        None => 0,
    }
}

/// Length of the line break at `i`; 0 if there is none.
///
/// `\r\n` is one break, and so is `\r\r\n`, because Go's line reader removes one `\r` from each
/// line. Without the line reader, the scanner counts two.
#[inline]
pub(in crate::syntax) fn break_len(text: &[u8], i: usize) -> usize {
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
pub(super) fn is_blank(b: u8) -> bool {
    b == b' ' || b == b'\t'
}

/// Blank, line break or end of text at `i`.
#[inline(always)]
pub(super) fn is_blankz(text: &[u8], i: usize) -> bool {
    let b = byte(text, i);
    if b < 0x80 {
        matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0)
    } else {
        break_len(text, i) != 0
    }
}

/// Line break or end of text at `i`.
#[inline(always)]
pub(super) fn is_breakz(text: &[u8], i: usize) -> bool {
    let b = byte(text, i);
    if b < 0x80 {
        matches!(b, b'\n' | b'\r' | 0)
    } else {
        break_len(text, i) != 0
    }
}

/// `---` or `...` at `i`, followed by a blank, a break or the end; the caller knows that `i` begins a line.
#[inline]
pub(super) fn is_document_indicator(text: &[u8], i: usize) -> bool {
    let b = byte(text, i);
    (b == b'-' || b == b'.')
        && byte(text, i + 1) == b
        && byte(text, i + 2) == b
        && is_blankz(text, i + 3)
}

/// Length of a character by its first byte; 0 if no character begins with it.
pub(super) fn width(b: u8) -> usize {
    match b {
        0..=0x7F => 1,
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => 0,
    }
}
