//! Classes of characters in YAML, by their first byte and its successors.

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

/// The classes of each byte, as a bit set.
pub static CLASSES: [u8; 256] = classes();

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

/// Returns the byte at `i`; 0 beyond the end. The text contains no 0, which `input` refuses.
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
pub fn char_len(b: u8) -> usize {
    match b {
        0..=0x7F => 1,
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => 0,
    }
}
