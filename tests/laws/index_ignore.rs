//! The law of `.indexignore`: a matcher that follows the dialect literally ignores the same paths.

use super::choices::Choices;
use ::catalog::ignore::IgnoreRules;
use rand::Rng;
use rand::seq::IndexedRandom;

const PIECES: &[&str] = &[
    "a", "b", "foo", ".yaml", "*", "**", "?", "/", "//", "!", "#", "[a-c]", "[^a]", "[!a]", "[",
    "]", "-", "\\", "\\*", " ", "\r", "\u{feff}", "é", "{a,b}", ".", "..", "[]a]", "[a-", "^",
];

const NAMES: &[&str] = &[
    "a", "b", "foo", "foo.yaml", "x", "-", "!", "#", "é", ".hidden", "aa", "ab", "[", "{a,b}", "a*",
];

pub fn hold(data: &[u8]) {
    let mut choices = Choices::new(data);
    let mut rules = IgnoreRules::default();
    let mut naive = Vec::new();
    for _ in 0..choices.random_range(1..3) {
        let folder = *["", "a", "a/b"].choose(&mut choices).unwrap();
        let lines: String = (0..choices.random_range(1..5))
            .map(|_| line(&mut choices))
            .collect();
        rules.add(folder, lines.as_bytes()).unwrap();
        naive.extend(
            lines
                .split('\n')
                .map(|line| (folder.to_owned(), line.to_owned())),
        );
    }
    for _ in 0..4 {
        let names: Vec<&str> = (0..choices.random_range(1..5))
            .filter_map(|_| NAMES.choose(&mut choices).copied())
            .collect();
        let path = names.join("/");
        let expected = naive
            .iter()
            .rev()
            .find_map(|(folder, line)| line_effect(folder, line, &path))
            .unwrap_or(false);
        assert_eq!(rules.ignores(&path), expected, "{path:?} under {naive:?}");
    }
    let mut any = IgnoreRules::default();
    if any.add("", choices.rest()).is_ok() {
        let _ = any.ignores("a/foo.yaml");
    }
}

fn line(rng: &mut impl Rng) -> String {
    let pieces: String = (0..rng.random_range(0..6))
        .filter_map(|_| PIECES.choose(rng).copied())
        .collect();
    pieces + "\n"
}

/// The effect of one line on a path: ignored, included, or (`None`) none.
fn line_effect(folder: &str, line: &str, path: &str) -> Option<bool> {
    let mut pattern = line.trim();
    if pattern.is_empty() || pattern.starts_with('#') {
        return None;
    }
    let negated = pattern.starts_with('!');
    pattern = pattern.strip_prefix('!').unwrap_or(pattern);
    let dir_only = pattern.ends_with('/');
    pattern = pattern.strip_suffix('/').unwrap_or(pattern);
    let path = if folder.is_empty() {
        path
    } else {
        path.strip_prefix(folder)?.strip_prefix('/')?
    };
    let components: Vec<&str> = path.split('/').collect();
    let matches = if pattern.contains('/') {
        let elements: Vec<&str> = pattern.split('/').collect();
        path_matches(&elements, &components, dir_only)
    } else {
        let first = components.iter().position(|name| glob(pattern, name));
        first.is_some_and(|at| !dir_only || at + 1 < components.len())
    };
    matches.then_some(!negated)
}

fn path_matches(elements: &[&str], components: &[&str], dir_only: bool) -> bool {
    let (mut matched, mut scanning, mut at) = (false, false, 0);
    for (i, element) in elements.iter().enumerate() {
        if element.is_empty() {
            scanning = false;
        } else if *element == "**" {
            if i + 1 == elements.len() {
                break;
            }
            scanning = true;
        } else if element.contains("**") {
            return false;
        } else if scanning {
            scanning = false;
            let Some(rest) = components.get(at..).filter(|rest| !rest.is_empty()) else {
                return false;
            };
            let found = rest.iter().position(|name| glob(element, name));
            matched = found.is_some();
            at = found.map_or(components.len(), |skipped| at + skipped + 1);
        } else {
            match components.get(at) {
                Some(name) if glob(element, name) => (matched, at) = (true, at + 1),
                _ => return false,
            }
        }
    }
    matched && (!dir_only || at < components.len())
}

fn glob(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    is_sound(&pattern) && tail_matches(&pattern, &name)
}

/// Whether every class is closed and no escape is at the end.
fn is_sound(mut pattern: &[char]) -> bool {
    while let [first, rest @ ..] = pattern {
        pattern = match first {
            '\\' if rest.is_empty() => return false,
            '\\' => &rest[1..],
            '[' => match class(rest) {
                Some((_, rest)) => rest,
                None => return false,
            },
            _ => rest,
        };
    }
    true
}

fn tail_matches(pattern: &[char], name: &[char]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        (['*', rest @ ..], _) => (0..=name.len()).any(|taken| tail_matches(rest, &name[taken..])),
        (['?', rest @ ..], [_, name @ ..]) => tail_matches(rest, name),
        (['\\', c, rest @ ..], [n, name @ ..]) => c == n && tail_matches(rest, name),
        (['[', rest @ ..], [n, name @ ..]) => {
            let Some(((negated, ranges), rest)) = class(rest) else {
                return false;
            };
            ranges.iter().any(|(low, high)| (low..=high).contains(&n)) != negated
                && tail_matches(rest, name)
        }
        ([c, rest @ ..], [n, name @ ..]) => c == n && tail_matches(rest, name),
        _ => false,
    }
}

type Class = (bool, Vec<(char, char)>);

/// A class after its `[`, and the text after its `]`. The first range is required, so `[]` is not a
/// class.
fn class(mut rest: &[char]) -> Option<(Class, &[char])> {
    let negated = rest.first() == Some(&'^');
    if negated {
        rest = &rest[1..];
    }
    let mut ranges = Vec::new();
    loop {
        if let ([']', after @ ..], false) = (rest, ranges.is_empty()) {
            return Some(((negated, ranges), after));
        }
        let low = one(&mut rest)?;
        let high = match rest {
            ['-', after @ ..] => {
                rest = after;
                one(&mut rest)?
            }
            _ => low,
        };
        ranges.push((low, high));
    }
}

fn one(rest: &mut &[char]) -> Option<char> {
    let (first, after) = rest.split_first()?;
    *rest = after;
    match first {
        '-' | ']' => None,
        '\\' => {
            let (escaped, after) = rest.split_first()?;
            *rest = after;
            Some(*escaped)
        }
        c => Some(*c),
    }
}
