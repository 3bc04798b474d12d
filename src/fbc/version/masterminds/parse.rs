//! Parses comparators. The reference uses regular expressions for a small regular language in which
//! the next character decides each step, so a cursor is enough.

use super::super::semantic::RangeError;
use crate::go_text::quote;

/// A comparator: an operator and a possibly partial version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparator {
    pub(super) operator: Operator,
    pub(super) precision: Precision,
    /// Missing and wildcard parts are 0.
    pub(super) major: u64,
    pub(super) minor: u64,
    pub(super) patch: u64,
    /// "" if absent. Unlike in a version, numeric identifiers may exceed u64.
    pub(super) prerelease: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Tilde,
    Caret,
}

/// The first part that is missing or a wildcard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    Any,
    Minor,
    Patch,
    Full,
}

/// Longer spellings first, so that the first match is the operator.
const OPERATORS: [(&str, Operator); 11] = [
    ("!=", Operator::NotEqual),
    (">=", Operator::GreaterOrEqual),
    ("=>", Operator::GreaterOrEqual),
    ("<=", Operator::LessOrEqual),
    ("=<", Operator::LessOrEqual),
    ("~>", Operator::Tilde),
    ("=", Operator::Equal),
    (">", Operator::Greater),
    ("<", Operator::Less),
    ("~", Operator::Tilde),
    ("^", Operator::Caret),
];

/// The text of a partial version's parts, as written.
#[derive(Debug, Clone, Copy, Default)]
struct Partial<'a> {
    parts: [&'a str; 3],
    prerelease: &'a str,
    /// Length in bytes.
    length: usize,
}

/// Rewrites `A - B` to `>= A, <= B ` anywhere, before parsing.
///
/// Textual like in the reference: each match in turn replaces the first occurrence of its own text.
pub(super) fn rewrite_hyphens(text: &str) -> String {
    let mut out = text.to_owned();
    let mut from = 0;
    while let Some((start, low, high, end)) = find_hyphen(text, from) {
        out = out.replacen(&text[start..end], &format!(">= {low}, <= {high} "), 1);
        from = end;
    }
    out
}

/// The first hyphen range at or after `from`: its start (including preceding blanks), both
/// versions, its end.
fn find_hyphen(text: &str, from: usize) -> Option<(usize, &str, &str, usize)> {
    let bytes = text.as_bytes();
    for (offset, _) in text[from..].match_indices('-') {
        let hyphen = from + offset;
        let before = text[from..hyphen].trim_end_matches(is_blank);
        let after = text[hyphen + 1..].trim_start_matches(is_blank);
        let word_end = from + before.len();
        if word_end == hyphen || after.len() == text.len() - hyphen - 1 {
            continue;
        }
        let Some(high) = partial(after) else { continue };
        let word_start = bytes[from..word_end]
            .iter()
            .rposition(|&b| is_blank(char::from(b)))
            .map_or(from, |i| from + i + 1);
        // The leftmost start in the word from which a version extends exactly to its end.
        let low = text[word_start..word_end]
            .char_indices()
            .map(|(i, _)| word_start + i)
            .find(|&i| partial(&text[i..word_end]).is_some_and(|p| i + p.length == word_end));
        let Some(low) = low else { continue };
        let start = if low == word_start {
            from + text[from..low].trim_end_matches(is_blank).len()
        } else {
            low
        };
        let high_start = text.len() - after.len();
        let high_end = high_start + high.length;
        let end = text.len() - text[high_end..].trim_start_matches(is_blank).len();
        return Some((
            start,
            &text[low..word_end],
            &text[high_start..high_end],
            end,
        ));
    }
    None
}

/// One alternative: comparators separated by blanks or a comma.
pub(super) fn group(text: &str) -> Result<Vec<Comparator>, RangeError> {
    let improper = || RangeError(format!("improper constraint: {}", quote(text)));
    let mut comparators = Vec::new();
    let mut rest = text.trim_start_matches(is_blank);
    loop {
        let operator = OPERATORS
            .iter()
            .find(|(spelling, _)| rest.starts_with(spelling));
        let (spelling, operator) = operator.copied().unwrap_or(("", Operator::Equal));
        rest = rest[spelling.len()..].trim_start_matches(is_blank);
        let partial = partial(rest).ok_or_else(improper)?;
        rest = &rest[partial.length..];
        comparators.push((operator, partial));
        let after = rest.trim_start_matches(is_blank);
        if after.is_empty() {
            break;
        }
        let separated = after.len() < rest.len();
        rest = match after.strip_prefix(',') {
            Some(next) => next.trim_start_matches(is_blank),
            None if separated => after,
            None => return Err(improper()),
        };
    }
    // Numbers are only checked after the whole group matches.
    comparators
        .into_iter()
        .map(|(operator, partial)| comparator(operator, partial))
        .collect()
}

fn comparator(operator: Operator, partial: Partial<'_>) -> Result<Comparator, RangeError> {
    let error = || RangeError("constraint parser error".to_owned());
    let precision = match partial.parts.iter().position(|p| is_wildcard(p)) {
        Some(0) => Precision::Any,
        Some(1) => Precision::Minor,
        Some(_) => Precision::Patch,
        None => Precision::Full,
    };
    let known = match precision {
        Precision::Any => 0,
        Precision::Minor => 1,
        Precision::Patch => 2,
        Precision::Full => 3,
    };
    let mut numbers = [0; 3];
    for (number, part) in numbers.iter_mut().zip(partial.parts).take(known) {
        *number = part.parse::<u64>().map_err(|_| error())?;
    }
    let leading_zero =
        |id: &str| id.len() > 1 && id.starts_with('0') && id.bytes().all(|b| b.is_ascii_digit());
    if partial.prerelease.split('.').any(leading_zero) {
        return Err(error());
    }
    let [major, minor, patch] = numbers;
    Ok(Comparator {
        operator,
        precision,
        major,
        minor,
        patch,
        prerelease: partial.prerelease.to_owned(),
    })
}

/// The longest partial version at the start of `text`: `v? num (.num)? (.num)? (-pre)? (+build)?`.
fn partial(text: &str) -> Option<Partial<'_>> {
    let mut out = Partial {
        length: usize::from(text.starts_with('v')),
        ..Partial::default()
    };
    for (i, part) in out.parts.iter_mut().enumerate() {
        let rest = &text[out.length..];
        let rest = if i == 0 {
            rest
        } else {
            rest.strip_prefix('.').unwrap_or_default()
        };
        *part = &rest[..rest.bytes().take_while(|&b| is_number_byte(b)).count()];
        if part.is_empty() {
            break;
        }
        out.length += part.len() + usize::from(i > 0);
    }
    if out.parts[0].is_empty() {
        return None;
    }
    out.prerelease = identifiers(&text[out.length..], '-');
    out.length += taken_length(out.prerelease);
    out.length += taken_length(identifiers(&text[out.length..], '+'));
    Some(out)
}

fn taken_length(identifiers: &str) -> usize {
    if identifiers.is_empty() {
        0
    } else {
        identifiers.len() + 1
    }
}

/// Dot-separated identifiers after `lead` at the start of `text`; "" if there are none.
fn identifiers(text: &str, lead: char) -> &str {
    let Some(text) = text.strip_prefix(lead) else {
        return "";
    };
    let mut length = 0;
    loop {
        let start = if length == 0 { 0 } else { length + 1 };
        let identifier = text.as_bytes().get(start..).unwrap_or_default();
        let count = identifier
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || **b == b'-')
            .count();
        if count == 0 {
            return &text[..length];
        }
        length = start + count;
        if text.as_bytes().get(length) != Some(&b'.') {
            return &text[..length];
        }
    }
}

/// Missing parts count as wildcards.
fn is_wildcard(part: &str) -> bool {
    matches!(part, "" | "x" | "X" | "*")
}

/// The reference's character class contains a stray `|`.
fn is_number_byte(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'x' | b'X' | b'*' | b'|')
}

/// `\s` in Go's regular expressions.
pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\u{0c}' | '\r')
}
