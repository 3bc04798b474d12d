//! Patterns of `matches`, compiled once per evaluation, with a cost known before they are compiled
//! or run.
//!
//! Go refuses more than a thousand repetitions (nested ones multiplied), which makes `matches` an
//! error. The size of an accepted pattern therefore follows from its text.

use crate::hashed::HashMap;
use regex_lite::Regex;
use std::rc::Rc;

/// Maximum repetitions in Go's parser.
const MAX_REPEAT: usize = 1000;
/// Instructions per evaluation step.
const INSTRUCTIONS_A_STEP: usize = 16;

/// Patterns compiled during the evaluation; `None` for invalid ones.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    known: HashMap<Rc<str>, Option<Pattern>>,
}

#[derive(Debug)]
struct Pattern {
    regex: Regex,
    /// Approximate number of instructions.
    size: usize,
}

impl Patterns {
    /// Whether the text matches, and the number of steps. `allowed` is the remaining budget. The
    /// outer `None` means that it is exceeded, the inner one that the pattern is invalid.
    pub(super) fn is_match(
        &mut self,
        text: &str,
        pattern: &Rc<str>,
        allowed: usize,
    ) -> Option<(usize, Option<bool>)> {
        let mut cost = 1;
        if !self.known.contains_key(pattern) {
            let size = size(pattern);
            cost +=
                size.map_or(pattern.len(), |size| size.max(pattern.len())) / INSTRUCTIONS_A_STEP;
            if cost > allowed {
                return None;
            }
            let made = size.and_then(|size| {
                Some(Pattern {
                    regex: Regex::new(pattern).ok()?,
                    size,
                })
            });
            self.known.insert(pattern.clone(), made);
        }
        let Some(pattern) = self.known.get(pattern).and_then(Option::as_ref) else {
            return Some((cost, None));
        };
        cost += text.len().saturating_mul(pattern.size) / INSTRUCTIONS_A_STEP;
        (cost <= allowed).then(|| (cost, Some(pattern.regex.is_match(text))))
    }
}

/// A part of a pattern: its instructions and repetitions (nested ones multiplied).
#[derive(Debug, Clone, Copy, Default)]
struct Part {
    size: usize,
    repeats: usize,
}

impl Part {
    const LETTER: Self = Self {
        size: 1,
        repeats: 1,
    };

    fn with(self, other: Self) -> Self {
        Self {
            size: self.size.saturating_add(other.size),
            repeats: self.repeats.max(other.repeats),
        }
    }
}

/// Approximate number of instructions; `None` if Go refuses the repetitions. The regex library
/// rejects invalid patterns later.
fn size(pattern: &str) -> Option<usize> {
    let bytes = pattern.as_bytes();
    let mut groups: Vec<Part> = vec![Part::default()];
    // The part that a repetition would repeat.
    let mut last: Option<Part> = None;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        let mut length = 1;
        match byte {
            b'*' | b'+' | b'?' if last.is_some() => {
                last = last.map(|part| {
                    part.with(Part {
                        size: 1,
                        repeats: 1,
                    })
                });
            }
            b'{' if last.is_some() => match (repetition(rest), last) {
                (Some((times, end)), Some(part)) => {
                    let repeats = part.repeats.saturating_mul(times);
                    if times > MAX_REPEAT || repeats > MAX_REPEAT {
                        return None;
                    }
                    last = Some(Part {
                        size: part.size.saturating_mul(times.max(1)),
                        repeats,
                    });
                    length = end;
                }
                _ => settle(&mut groups, last.replace(Part::LETTER)),
            },
            b'(' => {
                settle(&mut groups, last.take());
                groups.push(Part::default());
                length = group_start(rest);
            }
            b')' => {
                settle(&mut groups, last.take());
                let group = groups.pop().unwrap_or_default();
                if groups.is_empty() {
                    groups.push(Part::default());
                }
                last = Some(group.with(Part::LETTER));
            }
            b'|' => settle(&mut groups, last.take()),
            _ => {
                settle(&mut groups, last.take());
                length = match byte {
                    b'\\' => escape(rest),
                    b'[' => class(rest),
                    _ => 1,
                };
                last = Some(Part {
                    size: length,
                    repeats: 1,
                });
            }
        }
        at += length;
    }
    settle(&mut groups, last);
    Some(
        groups
            .iter()
            .fold(1, |sum, group| sum.saturating_add(group.size)),
    )
}

fn settle(groups: &mut [Part], part: Option<Part>) {
    if let (Some(group), Some(part)) = (groups.last_mut(), part) {
        *group = group.with(part);
    }
}

/// `{n}`, `{n,}` or `{n,m}`: the minimum or, if given, the maximum, and the length.
fn repetition(text: &[u8]) -> Option<(usize, usize)> {
    let end = text.iter().position(|&b| b == b'}')?;
    let inner = std::str::from_utf8(text.get(1..end)?).ok()?;
    let (least, most) = inner.split_once(',').unwrap_or((inner, inner));
    let number = |digits: &str| {
        let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| digits.parse().unwrap_or(usize::MAX))
    };
    let least = number(least)?;
    let times = if most.is_empty() {
        least
    } else {
        number(most)?
    };
    Some((times, end + 1))
}

/// Length of `(` or a `(?…` prefix.
fn group_start(text: &[u8]) -> usize {
    if text.get(1) != Some(&b'?') {
        return 1;
    }
    match text.iter().position(|b| matches!(b, b':' | b'>' | b')')) {
        Some(end) if text.get(end) == Some(&b')') => end,
        Some(end) => end + 1,
        None => text.len(),
    }
}

/// Length of an escape, including braces.
fn escape(text: &[u8]) -> usize {
    match (text.get(1), text.get(2)) {
        (Some(b'p' | b'P' | b'x'), Some(b'{')) => text
            .iter()
            .position(|&b| b == b'}')
            .map_or(text.len(), |end| end + 1),
        _ => 2,
    }
}

/// Length of a bracket class; a leading `]` is a literal.
fn class(text: &[u8]) -> usize {
    let first = if text.get(1) == Some(&b'^') { 2 } else { 1 };
    let mut at = first;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => at += 2,
            b'[' if text.get(at + 1) == Some(&b':') => {
                let rest = text.get(at..).unwrap_or_default();
                at += rest
                    .windows(2)
                    .position(|pair| pair == b":]")
                    .map_or(1, |end| end + 2);
            }
            b']' if at > first => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_that_go_refuses() {
        for (pattern, is_read) in [
            ("a{1000}", true),
            ("a{1001}", false),
            ("a{2,1001}", false),
            ("(a{200}){5}", true),
            ("(a{200}){6}", false),
            ("((a{10}){10}){10}", true),
            ("((a{10}){10}){11}", false),
            ("(a{200}){40}", false),
            ("(?:b|(?P<n>a{500})){3}", false),
            ("a{500}b{900}", true),
            // Not repetitions: a literal, a class, an escape.
            ("{2000}", true),
            ("[a{2000}]", true),
            (r"\x{1F600}", true),
            (r"\{2000}", true),
            ("[]a{2000}]", true),
            ("a{x}", true),
        ] {
            assert_eq!(size(pattern).is_some(), is_read, "{pattern}");
        }
    }

    #[test]
    fn the_size_follows_the_repetitions() {
        let size = |pattern: &str| size(pattern).unwrap();
        assert!(size("a{100}") >= 100 && size("a{100}") < 200);
        assert!(size("(ab){100}") >= 200);
        assert!(size("a|b") < 10);
    }

    #[test]
    fn a_pattern_is_made_once_and_each_match_is_counted() {
        let mut patterns = Patterns::default();
        let pattern: Rc<str> = "(a{100}){9}".into();
        let (first, found) = patterns.is_match("aaa", &pattern, usize::MAX).unwrap();
        let (again, _) = patterns.is_match("aaa", &pattern, usize::MAX).unwrap();
        assert!(first > again && found == Some(false), "{first} {again}");
        assert_eq!(patterns.is_match(&"a".repeat(1000), &pattern, 100), None);
        assert_eq!(
            patterns.is_match("a", &"(".into(), usize::MAX).unwrap().1,
            None
        );
        assert_eq!(
            patterns.is_match("xay", &"a".into(), usize::MAX).unwrap().1,
            Some(true)
        );
    }
}
