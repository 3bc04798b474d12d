//! Decodes the text of a scalar: undoes quotes, escapes, folding and chomping.

use crate::tree::{NodeId, NodeKind, Tree, find_by_node};
use crate::yaml::chars::break_len;
use std::borrow::Cow;

pub fn decode<'a>(tree: &Tree, text: &'a [u8], node: NodeId) -> Cow<'a, str> {
    let source = text.get(tree.range(node)).unwrap_or_default();
    match tree.kind(node) {
        NodeKind::Plain => plain(source),
        NodeKind::DoubleQuoted if tree.json => json_string(without_quotes(source)),
        NodeKind::DoubleQuoted => double_quoted(without_quotes(source)),
        NodeKind::SingleQuoted => single_quoted(without_quotes(source)),
        kind @ (NodeKind::Literal | NodeKind::Folded) => Cow::Owned(block(
            source,
            last_break(tree, text, node),
            indent(tree, node),
            kind == NodeKind::Folded,
        )),
        _ => Cow::Borrowed(""),
    }
}

fn indent(tree: &Tree, node: NodeId) -> Option<usize> {
    find_by_node(&tree.block_indents, node).map(|&indent| indent as usize)
}

/// Returns the line break after a block scalar; at the end of the text one is assumed.
fn last_break<'a>(tree: &Tree, text: &'a [u8], node: NodeId) -> &'a [u8] {
    let end = tree.range(node).end;
    match break_len(text, end) {
        0 => b"\n",
        len => &text[end..end + len],
    }
}

fn without_quotes(source: &[u8]) -> &[u8] {
    source
        .get(1..source.len().saturating_sub(1))
        .unwrap_or_default()
}

/// Replaces each invalid byte by U+FFFD, as Go does in JSON; YAML parsers only accept valid UTF-8.
fn utf8(source: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(source) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(utf8_lossy(source)),
    }
}

pub fn utf8_lossy(source: &[u8]) -> String {
    let mut out = String::with_capacity(source.len() + 8);
    for chunk in source.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    out
}

fn plain(source: &[u8]) -> Cow<'_, str> {
    if has_break(source) {
        Cow::Owned(fold(source, |_, _| None))
    } else {
        utf8(source)
    }
}

fn single_quoted(source: &[u8]) -> Cow<'_, str> {
    if !has_break(source) && memchr::memchr(b'\'', source).is_none() {
        return utf8(source);
    }
    Cow::Owned(fold(source, |rest, out| {
        rest.starts_with(b"''").then(|| {
            out.push(b'\'');
            Escape::Character(2)
        })
    }))
}

fn double_quoted(source: &[u8]) -> Cow<'_, str> {
    if !has_break(source) && memchr::memchr(b'\\', source).is_none() {
        return utf8(source);
    }
    Cow::Owned(fold(source, |rest, out| {
        if rest.first() != Some(&b'\\') {
            return None;
        }
        match break_len(rest, 1) {
            0 => Some(Escape::Character(yaml_escape(rest, out))),
            len => Some(Escape::LineJoined(1 + len)),
        }
    }))
}

fn has_break(source: &[u8]) -> bool {
    if memchr::memchr2(b'\n', b'\r', source).is_none() && source.is_ascii() {
        return false;
    }
    next_break(source, 0) < source.len()
}

enum Escape {
    /// A character, which was pushed; the length of its escape in bytes.
    Character(usize),
    /// An escaped line break of this many bytes.
    LineJoined(usize),
}

/// Folds lines as flow scalars do: blanks around a line break are removed, a single break becomes a
/// blank, and the first of several breaks is removed. `escape` is called at each byte that is not a
/// blank and pushes the character of an escape.
fn fold(source: &[u8], escape: impl Fn(&[u8], &mut Vec<u8>) -> Option<Escape>) -> String {
    let mut out = Vec::with_capacity(source.len());
    let mut at = 0;
    while at < source.len() {
        let rest = &source[at..];
        let mut joined = false;
        match escape(rest, &mut out) {
            Some(Escape::Character(len)) => {
                at += len;
                continue;
            }
            Some(Escape::LineJoined(len)) => {
                at += len;
                joined = true;
            }
            None => {
                if !matches!(source[at], b' ' | b'\t') && break_len(source, at) == 0 {
                    out.push(source[at]);
                    at += 1;
                    continue;
                }
            }
        }
        let blanks = at;
        let breaks = skip_blanks_and_breaks(source, &mut at);
        if !joined && breaks.is_empty() {
            out.extend_from_slice(&source[blanks..at]);
        } else {
            push_folded(&mut out, &breaks, joined);
        }
    }
    utf8_owned(out)
}

/// Moves `at` to the next text. Returns the line breaks before it.
fn skip_blanks_and_breaks<'a>(source: &'a [u8], at: &mut usize) -> Vec<&'a [u8]> {
    let mut breaks = Vec::new();
    loop {
        let len = break_len(source, *at);
        if len > 0 {
            breaks.push(&source[*at..*at + len]);
            *at += len;
        } else if matches!(source.get(*at), Some(b' ' | b'\t')) {
            *at += 1;
        } else {
            return breaks;
        }
    }
}

/// Folds consecutive line breaks. After an escaped break (`joined`) all are kept.
fn push_folded(out: &mut Vec<u8>, breaks: &[&[u8]], joined: bool) {
    let mut kept = breaks;
    if !joined && let Some((first, more)) = breaks.split_first() {
        kept = more;
        if !is_line_feed(first) {
            push_break(out, first);
        } else if more.is_empty() {
            out.push(b' ');
        }
    }
    for line_break in kept {
        push_break(out, line_break);
    }
}

/// Whether the break becomes a line feed: every break except U+2028 and U+2029.
fn is_line_feed(line_break: &[u8]) -> bool {
    line_break.first() != Some(&0xE2)
}

fn push_break(out: &mut Vec<u8>, line_break: &[u8]) {
    if is_line_feed(line_break) {
        out.push(b'\n')
    } else {
        out.extend_from_slice(line_break)
    }
}

fn utf8_owned(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|e| utf8_lossy(e.as_bytes()))
}

fn push_char(out: &mut Vec<u8>, c: char) {
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Pushes the character of a YAML escape; returns the escape's length.
fn yaml_escape(rest: &[u8], out: &mut Vec<u8>) -> usize {
    let c = match rest.get(1) {
        Some(b'0') => '\0',
        Some(b'a') => '\u{7}',
        Some(b'b') => '\u{8}',
        Some(b't' | b'\t') => '\t',
        Some(b'n') => '\n',
        Some(b'v') => '\u{b}',
        Some(b'f') => '\u{c}',
        Some(b'r') => '\r',
        Some(b'e') => '\u{1b}',
        Some(b'N') => '\u{85}',
        Some(b'_') => '\u{a0}',
        Some(b'L') => '\u{2028}',
        Some(b'P') => '\u{2029}',
        Some(b'x') => return hex_escape(rest, 2, out),
        Some(b'u') => return hex_escape(rest, 4, out),
        Some(b'U') => return hex_escape(rest, 8, out),
        Some(&other) => other as char,
        None => return 1,
    };
    push_char(out, c);
    2
}

fn hex_escape(rest: &[u8], digits: usize, out: &mut Vec<u8>) -> usize {
    let value = hex(rest, 2, digits);
    let c = value.and_then(char::from_u32);
    push_char(out, c.unwrap_or(char::REPLACEMENT_CHARACTER));
    2 + digits
}

fn hex(text: &[u8], at: usize, digits: usize) -> Option<u32> {
    let digits = text.get(at..at + digits)?;
    digits.iter().try_fold(0u32, |value, &b| {
        Some(value << 4 | (b as char).to_digit(16)?)
    })
}

fn json_string(source: &[u8]) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', source) else {
        return utf8(source);
    };
    let mut out = Vec::with_capacity(source.len());
    out.extend_from_slice(&source[..first]);
    let mut at = first;
    while let Some(&b) = source.get(at) {
        if b == b'\\' {
            let (c, len) = json_escape(&source[at..]);
            push_char(&mut out, c);
            at += len;
        } else {
            let end = memchr::memchr(b'\\', &source[at..]).map_or(source.len(), |i| at + i);
            out.extend_from_slice(&source[at..end]);
            at = end;
        }
    }
    Cow::Owned(utf8_owned(out))
}

/// Decodes the JSON escape at the beginning. Returns its character and its length.
fn json_escape(rest: &[u8]) -> (char, usize) {
    let c = match rest.get(1) {
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return json_unicode_escape(rest),
        Some(&other) => other as char,
        None => char::REPLACEMENT_CHARACTER,
    };
    (c, 2)
}

/// Decodes `\uXXXX`, or two of them that form a surrogate pair. A lone surrogate becomes U+FFFD.
fn json_unicode_escape(rest: &[u8]) -> (char, usize) {
    let unit = hex(rest, 2, 4).unwrap_or(0xFFFD);
    if (0xD800..=0xDBFF).contains(&unit)
        && rest.get(6..8) == Some(b"\\u")
        && let Some(low @ 0xDC00..=0xDFFF) = hex(rest, 8, 4)
    {
        let value = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        return (char_or_replacement(value), 12);
    }
    (char_or_replacement(unit), 6)
}

fn char_or_replacement(value: u32) -> char {
    char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Decodes a block scalar from its `|` or `>`. `indent` is set if its header gives one.
fn block(source: &[u8], last_break: &[u8], indent: Option<usize>, is_folded: bool) -> String {
    let header_end = next_break(source, 0);
    let indicators = source[..header_end]
        .split(|&b| matches!(b, b' ' | b'\t'))
        .next()
        .unwrap_or_default();
    let mut lines = split_lines(&source[header_end + break_len(source, header_end)..]);
    if header_end < source.len() {
        match lines.last_mut() {
            Some(last) if last.line_break.is_empty() => last.line_break = last_break,
            _ => lines.push(Line {
                text: b"",
                line_break: last_break,
            }),
        }
    }
    let mut block = BlockText {
        out: Vec::with_capacity(source.len()),
        indent: indent.unwrap_or_else(|| first_indent(&lines)),
        is_folded,
        pending_break: None,
        blank_breaks: Vec::new(),
        was_indented: false,
    };
    for line in lines {
        block.push_line(line);
    }
    block.finish(indicators)
}

/// A line of a block scalar and its line break, which may be missing at the end.
struct Line<'a> {
    text: &'a [u8],
    line_break: &'a [u8],
}

fn split_lines(body: &[u8]) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut at = 0;
    while at < body.len() {
        let end = next_break(body, at);
        let next = end + break_len(body, end);
        lines.push(Line {
            text: &body[at..end],
            line_break: &body[end..next],
        });
        at = next;
    }
    lines
}

/// Returns the indentation of the first line with text; unlimited if there is none.
fn first_indent(lines: &[Line<'_>]) -> usize {
    let mut indents = lines
        .iter()
        .map(|line| (spaces(line.text), line.text.len()));
    indents
        .find(|(indent, len)| indent < len)
        .map_or(usize::MAX, |(indent, _)| indent)
}

/// The text of a block scalar so far.
struct BlockText<'a> {
    out: Vec<u8>,
    indent: usize,
    is_folded: bool,
    /// The break after the last line with text.
    pending_break: Option<&'a [u8]>,
    /// The breaks of the blank lines since then.
    blank_breaks: Vec<&'a [u8]>,
    /// Whether the last line with text begins with a blank after the indentation.
    was_indented: bool,
}

impl<'a> BlockText<'a> {
    fn push_line(&mut self, line: Line<'a>) {
        if line.text.len() <= self.indent && spaces(line.text) == line.text.len() {
            self.blank_breaks.push(line.line_break);
            return;
        }
        let content = line.text.get(self.indent..).unwrap_or_default();
        let is_indented = matches!(content.first(), Some(b' ' | b'\t'));
        if let Some(first) = self.pending_break.take() {
            let is_joined =
                self.is_folded && !self.was_indented && !is_indented && is_line_feed(first);
            if !is_joined {
                push_break(&mut self.out, first);
            } else if self.blank_breaks.is_empty() {
                self.out.push(b' ');
            }
        }
        self.push_blank_breaks();
        self.out.extend_from_slice(content);
        self.was_indented = is_indented;
        self.pending_break = Some(line.line_break);
    }

    fn push_blank_breaks(&mut self) {
        for line_break in self.blank_breaks.drain(..) {
            push_break(&mut self.out, line_break);
        }
    }

    /// Adds the trailing line breaks that the header's indicators keep.
    fn finish(mut self, indicators: &[u8]) -> String {
        if !indicators.contains(&b'-')
            && let Some(last) = self.pending_break
        {
            push_break(&mut self.out, last);
        }
        if indicators.contains(&b'+') {
            self.push_blank_breaks();
        }
        utf8_owned(self.out)
    }
}

fn spaces(line: &[u8]) -> usize {
    line.iter().take_while(|&&b| b == b' ').count()
}

fn next_break(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < text.len() {
        match text[at] {
            b'\n' | b'\r' | 0xC2 | 0xE2 if break_len(text, at) > 0 => return at,
            _ => at += 1,
        }
    }
    at
}
