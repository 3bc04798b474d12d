//! Recognizes formats: JSON or YAML, the beginning of a document, the place where YAML may take
//! over from JSON.

use memchr::memchr_iter;

/// The first bytes of a file that decide whether it is JSON.
const GUESS: usize = 4096;

/// Whether the file begins with white space and `{`; `None` if undecided.
pub(super) fn looks_like_json(bytes: &[u8], end: bool) -> Option<bool> {
    let head = &bytes[..bytes.len().min(GUESS)];
    let blank = white_space(head);
    if blank < head.len() && (end || head.len() == GUESS || head.len() - blank >= 4) {
        return Some(head[blank] == b'{');
    }
    if blank < head.len() && head[blank] < 0x80 {
        return Some(head[blank] == b'{');
    }
    (end || head.len() == GUESS).then_some(false)
}

/// Whether a whole text begins with white space and `{`.
pub(crate) fn begins_json(text: &[u8]) -> bool {
    text.get(white_space(text)) == Some(&b'{')
}

/// Length of the Unicode white space at the beginning.
fn white_space(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(c) = first_char(&bytes[at..]).filter(|c| c.is_whitespace()) {
        at += c.len_utf8();
    }
    at
}

fn first_char(bytes: &[u8]) -> Option<char> {
    let head = &bytes[..bytes.len().min(4)];
    match std::str::from_utf8(head) {
        Ok(text) => text.chars().next(),
        Err(e) => std::str::from_utf8(&head[..e.valid_up_to()])
            .ok()?
            .chars()
            .next(),
    }
}

/// Where YAML takes over after the last JSON value: after white space, at the first line feed. The
/// stream's reader needs four bytes at every character it examines, and no U+FFFD.
pub(super) fn yaml_start(rest: &[u8]) -> YamlStart {
    let mut at = 0;
    while rest.len() - at >= 4 {
        match first_char(&rest[at..]) {
            Some('\n') => return YamlStart::At(at + 1),
            Some(c) if c.is_whitespace() => at += c.len_utf8(),
            Some(c) if c != '\u{FFFD}' => return YamlStart::At(at),
            _ => return YamlStart::Nowhere,
        }
    }
    YamlStart::TooShort
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum YamlStart {
    At(usize),
    Nowhere,
    /// Nowhere, unless more bytes follow.
    TooShort,
}

/// The next line that begins with `{` or `---`.
pub(super) fn next_beginning(buffer: &[u8], from: usize) -> Option<usize> {
    memchr_iter(b'\n', &buffer[from..])
        .map(|i| from + i + 1)
        .find(|&line| buffer[line..].starts_with(b"{") || buffer[line..].starts_with(b"---"))
}
