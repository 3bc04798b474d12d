//! Checks whether the ClusterExtension API admits a version range.
//!
//! Its pattern is narrower than the library and partly faulty (`olm-resolution` 1.3.5): in some
//! places `*` only counts before a `]`. A range that the library accepts but the API refuses
//! deserves a warning, not an error.

use super::parse::is_blank;

/// Maximum length of a range, in characters.
pub const MAX_LENGTH: usize = 64;

/// The API's message for a mismatch.
pub const MESSAGE: &str = "invalid version expression";

/// Spellings that a place of the pattern accepts besides numbers, `x` and `X`.
#[derive(Clone, Copy, PartialEq)]
enum Star {
    Plain,
    WithBracket,
    /// A character class that also contains a stray `|`.
    PlainOrPipe,
}

const FIRST: [Star; 3] = [Star::PlainOrPipe, Star::WithBracket, Star::Plain];
const LATER: [Star; 3] = [Star::WithBracket, Star::Plain, Star::WithBracket];

/// Only for non-empty ranges: an empty one is no filter and is not checked.
pub fn is_admitted(text: &str) -> bool {
    text.chars().count() <= MAX_LENGTH && matches_pattern(text)
}

fn matches_pattern(text: &str) -> bool {
    let mut rest = text.trim_start_matches(is_blank);
    let mut stars = FIRST;
    loop {
        let operators = ["!=", ">=", "=>", "<=", "=<", "~>", "=", ">", "<", "~", "^"];
        let operator = operators
            .into_iter()
            .find(|o| rest.starts_with(o))
            .unwrap_or_default();
        rest = rest[operator.len()..].trim_start_matches(is_blank);
        let Some(length) = version(rest, stars) else {
            return false;
        };
        rest = &rest[length..];
        let after = rest.trim_start_matches(is_blank);
        if after.is_empty() {
            return true;
        }
        rest = match after.strip_prefix("||").or_else(|| after.strip_prefix(',')) {
            Some(next) => next.trim_start_matches(is_blank),
            None if after.len() < rest.len() => after,
            None => return false,
        };
        stars = LATER;
    }
}

/// Length of the version at the start of `text`.
fn version(text: &str, stars: [Star; 3]) -> Option<usize> {
    let mut length = usize::from(text.starts_with('v'));
    length += part(&text[length..], stars[0])?;
    // The second and third part are separately optional: `1.*` has a third part but no second.
    for star in [stars[1], stars[2]] {
        if let Some(next) = text[length..]
            .strip_prefix('.')
            .and_then(|rest| part(rest, star))
        {
            length += next + 1;
        }
    }
    for lead in ['-', '+'] {
        if let Some(rest) = text[length..].strip_prefix(lead) {
            length += identifiers(rest).map_or(0, |n| n + 1);
        }
    }
    Some(length)
}

fn part(text: &str, star: Star) -> Option<usize> {
    let first = text.chars().next()?;
    match first {
        '0' | 'x' | 'X' => Some(1),
        '1'..='9' => Some(text.bytes().take_while(u8::is_ascii_digit).count()),
        '*' if star != Star::WithBracket => Some(1),
        '*' if text.starts_with("*]") => Some(2),
        '|' if star == Star::PlainOrPipe => Some(1),
        _ => None,
    }
}

fn identifiers(text: &str) -> Option<usize> {
    let mut length = 0;
    for identifier in text.split('.') {
        let count = identifier
            .bytes()
            .take_while(|&b| b.is_ascii_alphanumeric() || b == b'-')
            .count();
        if count == 0 {
            break;
        }
        length += count + usize::from(length > 0);
        if count < identifier.len() {
            break;
        }
    }
    (length > 0).then_some(length)
}
