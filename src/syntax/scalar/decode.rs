//! Decodes the text of a scalar: undoes quotes, escapes, folding and chomping.

use crate::tree::{NodeId, NodeKind, Tree, find_by_node};
use crate::yaml::input::break_len;
use std::borrow::Cow;

pub fn decode<'a>(tree: &Tree, text: &'a [u8], node: NodeId) -> Cow<'a, str> {
    let source = text.get(tree.range(node)).unwrap_or_default();
    match tree.kind(node) {
        NodeKind::Plain => plain(source),
        NodeKind::DoubleQuoted if tree.json => json_string(inside(source)),
        NodeKind::DoubleQuoted => double_quoted(inside(source)),
        NodeKind::SingleQuoted => single_quoted(inside(source)),
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

fn inside(source: &[u8]) -> &[u8] {
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
        out.extend(chunk.invalid().iter().map(|_| '\u{FFFD}'));
    }
    out
}

fn plain(source: &[u8]) -> Cow<'_, str> {
    match first_break(source) {
        None => utf8(source),
        Some(_) => Cow::Owned(fold(source, |_, _| None)),
    }
}

fn single_quoted(source: &[u8]) -> Cow<'_, str> {
    if first_break(source).is_none() && memchr::memchr(b'\'', source).is_none() {
        return utf8(source);
    }
    Cow::Owned(fold(source, |rest, out| {
        rest.starts_with(b"''").then(|| {
            out.push(b'\'');
            Escape::Passed(2)
        })
    }))
}

fn double_quoted(source: &[u8]) -> Cow<'_, str> {
    if first_break(source).is_none() && memchr::memchr(b'\\', source).is_none() {
        return utf8(source);
    }
    Cow::Owned(fold(source, |rest, out| {
        if rest.first() != Some(&b'\\') {
            return None;
        }
        match break_len(rest, 1) {
            0 => Some(Escape::Passed(yaml_escape(rest, out))),
            len => Some(Escape::LineJoined(1 + len)),
        }
    }))
}

fn first_break(source: &[u8]) -> Option<usize> {
    if memchr::memchr2(b'\n', b'\r', source).is_none() && source.is_ascii() {
        return None;
    }
    (0..source.len()).find(|&i| break_len(source, i) > 0)
}

enum Escape {
    /// This many bytes were read for the pushed character.
    Passed(usize),
    /// This many bytes were an escaped line break.
    LineJoined(usize),
}

/// Folds lines as flow scalars do: blanks around a line break are removed, a single break becomes a
/// blank, and of several breaks one is removed. `escape` is called at each byte that is not a blank
/// and pushes the character of the escape.
fn fold(source: &[u8], escape: impl Fn(&[u8], &mut Vec<u8>) -> Option<Escape>) -> String {
    let mut out = Vec::with_capacity(source.len());
    let mut at = 0;
    while at < source.len() {
        let rest = &source[at..];
        let mut joined = false;
        match escape(rest, &mut out) {
            Some(Escape::Passed(len)) => {
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
        // Blanks and breaks up to the next text.
        let blanks = at;
        let mut breaks: Vec<&[u8]> = Vec::new();
        loop {
            let len = break_len(source, at);
            if len > 0 {
                breaks.push(&source[at..at + len]);
                at += len;
            } else if matches!(source.get(at), Some(b' ' | b'\t')) {
                at += 1;
            } else {
                break;
            }
        }
        if !joined && breaks.is_empty() {
            out.extend_from_slice(&source[blanks..at]);
            continue;
        }
        // After an escaped break no first break is folded: all following breaks are kept.
        let (first, more) = match breaks.split_first() {
            Some((first, more)) if !joined => (Some(*first), more),
            _ => (None, &breaks[..]),
        };
        match first {
            Some(first) if !is_line_feed(first) => push_break(&mut out, first),
            Some(_) if more.is_empty() => out.push(b' '),
            _ => {}
        }
        for line_break in more {
            push_break(&mut out, line_break);
        }
    }
    utf8_owned(out)
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
    push_char(
        out,
        hex(rest, 2, digits)
            .and_then(char::from_u32)
            .unwrap_or('\u{FFFD}'),
    );
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
        if b != b'\\' {
            let end = memchr::memchr(b'\\', &source[at..]).map_or(source.len(), |i| at + i);
            out.extend_from_slice(&source[at..end]);
            at = end;
            continue;
        }
        let c = match source.get(at + 1) {
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let unit = hex(source, at + 2, 4).unwrap_or(0xFFFD);
                at += 4;
                let low = if source.get(at + 2..at + 4) == Some(b"\\u") {
                    hex(source, at + 4, 4)
                } else {
                    None
                };
                match (unit, low) {
                    (0xD800..=0xDBFF, Some(low @ 0xDC00..=0xDFFF)) => {
                        at += 6;
                        char::from_u32(0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
                            .unwrap_or('\u{FFFD}')
                    }
                    _ => char::from_u32(unit).unwrap_or('\u{FFFD}'),
                }
            }
            Some(&other) => other as char,
            None => '\u{FFFD}',
        };
        push_char(&mut out, c);
        at += 2;
    }
    Cow::Owned(utf8_owned(out))
}

/// Decodes a block scalar from its `|` or `>`; `indent` is set if its header gives one.
fn block(source: &[u8], last_break: &[u8], indent: Option<usize>, folded: bool) -> String {
    let header_end = (0..source.len()).find(|&i| break_len(source, i) > 0);
    let header = &source[..header_end.unwrap_or(source.len())];
    let indicators = header
        .split(|&b| matches!(b, b' ' | b'\t'))
        .next()
        .unwrap_or_default();
    let (strip, keep) = (indicators.contains(&b'-'), indicators.contains(&b'+'));
    let body = header_end.map_or(&source[..0], |i| &source[i + break_len(source, i)..]);
    let has_body = header_end.is_some();

    let mut lines = Vec::new();
    let mut at = 0;
    while at < body.len() {
        let start = at;
        let end = next_break(body, at);
        let len = break_len(body, end);
        lines.push((&body[start..end], &body[end..end + len]));
        at = end + len;
    }
    if has_body {
        match lines.last_mut() {
            Some(last) if last.1.is_empty() => last.1 = last_break,
            _ => lines.push((b"", last_break)),
        }
    }
    let indent = indent.unwrap_or_else(|| {
        let first = lines
            .iter()
            .map(|(line, _)| spaces(line))
            .zip(&lines)
            .find(|(n, (line, _))| *n < line.len());
        first.map_or(usize::MAX, |(n, _)| n)
    });

    let mut out: Vec<u8> = Vec::with_capacity(source.len());
    let mut pending: Option<&[u8]> = None;
    let mut blank_breaks: Vec<&[u8]> = Vec::new();
    let mut was_indented = false;
    for (line, line_break) in lines {
        if line.len() <= indent && spaces(line) == line.len() {
            blank_breaks.push(line_break);
            continue;
        }
        let content = line.get(indent..).unwrap_or_default();
        let is_indented = matches!(content.first(), Some(b' ' | b'\t'));
        if let Some(first) = pending.take() {
            if folded && !was_indented && !is_indented && is_line_feed(first) {
                if blank_breaks.is_empty() {
                    out.push(b' ');
                }
            } else {
                push_break(&mut out, first);
            }
        }
        for line_break in blank_breaks.drain(..) {
            push_break(&mut out, line_break);
        }
        out.extend_from_slice(content);
        was_indented = is_indented;
        pending = Some(line_break);
    }
    if !strip && let Some(last) = pending {
        push_break(&mut out, last);
    }
    if keep {
        for line_break in blank_breaks {
            push_break(&mut out, line_break);
        }
    }
    utf8_owned(out)
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
