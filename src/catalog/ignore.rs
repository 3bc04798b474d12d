//! `.indexignore`: the files of a tree that do not belong to the catalog, in `opm`'s dialect
//! (`opm-semantics` 1.2).
//!
//! Knows paths and patterns but no files. The patterns of all `.indexignore` files of a tree form
//! one list in walk order; the last match decides, and a file below an ignored folder can be
//! included again.

use std::collections::HashMap;

/// The name of the files that hold patterns.
pub const FILE_NAME: &str = ".indexignore";

/// Go's line reader refuses lines of this many bytes (without the line break) or more.
const LINE_LIMIT: usize = 64 * 1024;

/// The patterns of a whole tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IgnoreRules {
    patterns: Vec<Pattern>,
    /// Patterns by a name that occurs in every matching path, so that thousands of patterns cost
    /// one lookup each.
    by_name: HashMap<String, Vec<usize>>,
    /// The other patterns, in order.
    unnamed: Vec<usize>,
}

/// A line of an `.indexignore` exceeds `opm`'s limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("bufio.Scanner: token too long")]
pub struct LineTooLong {
    /// From 0.
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    /// Path components of the folder that contains the `.indexignore`; the pattern applies below
    /// it.
    domain: Vec<String>,
    negated: bool,
    dir_only: bool,
    elements: Elements,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Elements {
    /// Matches any component.
    Name(Glob),
    /// Relative to the domain.
    Path(Vec<Element>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Element {
    Empty,
    /// `**`
    Any,
    Glob(Glob),
}

/// A pattern for one path component.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Glob {
    Literal(String),
    Tokens(Vec<Token>),
    /// A malformed pattern, which matches nothing.
    Nothing,
}

impl IgnoreRules {
    /// Adds the patterns of one `.indexignore`. Files must be added in walk order.
    ///
    /// `folder` contains the file, relative to the root; "" is the root itself.
    pub fn add(&mut self, folder: &str, text: &[u8]) -> Result<(), LineTooLong> {
        let domain: Vec<String> = components(folder).map(str::to_owned).collect();
        for (number, line) in text.split(|&b| b == b'\n').enumerate() {
            if line.len() >= LINE_LIMIT {
                return Err(LineTooLong {
                    line: number as u32,
                });
            }
            if let Some(pattern) = Pattern::parse(&domain, &String::from_utf8_lossy(line)) {
                match pattern.name() {
                    Some(name) => self
                        .by_name
                        .entry(name.to_owned())
                        .or_default()
                        .push(self.patterns.len()),
                    None => self.unnamed.push(self.patterns.len()),
                }
                self.patterns.push(pattern);
            }
        }
        Ok(())
    }

    /// Whether the file at `path` (relative to the root, with `/`) is ignored.
    pub fn ignores(&self, path: &str) -> bool {
        let path: Vec<&str> = components(path).collect();
        let matches = |&&at: &&usize| self.patterns.get(at).is_some_and(|p| p.matches(&path));
        let last_by_name = path
            .iter()
            .filter_map(|name| self.by_name.get(*name)?.iter().rev().find(matches))
            .max();
        // Only later patterns can override.
        let last = self
            .unnamed
            .iter()
            .rev()
            .take_while(|at| Some(*at) > last_by_name)
            .find(matches)
            .or(last_by_name);
        last.and_then(|&at| self.patterns.get(at))
            .is_some_and(|p| !p.negated)
    }

    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }
}

fn components(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|c| !c.is_empty())
}

impl Pattern {
    fn parse(domain: &[String], line: &str) -> Option<Self> {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        let (negated, line) = line
            .strip_prefix('!')
            .map_or((false, line), |line| (true, line));
        let (dir_only, line) = line
            .strip_suffix('/')
            .map_or((false, line), |line| (true, line));
        let elements = if line.contains('/') {
            Elements::Path(line.split('/').map(Element::parse).collect())
        } else {
            Elements::Name(Glob::parse(line))
        };
        Some(Self {
            domain: domain.to_vec(),
            negated,
            dir_only,
            elements,
        })
    }

    /// Returns a name that every matching path contains.
    fn name(&self) -> Option<&str> {
        match &self.elements {
            Elements::Name(Glob::Literal(name)) => Some(name),
            Elements::Name(_) => None,
            Elements::Path(elements) => elements.iter().rev().find_map(|element| match element {
                Element::Glob(Glob::Literal(name)) => Some(name.as_str()),
                _ => None,
            }),
        }
    }

    fn matches(&self, path: &[&str]) -> bool {
        if path.len() <= self.domain.len() || self.domain.iter().zip(path).any(|(d, p)| d != p) {
            return false;
        }
        let below = &path[self.domain.len()..];
        match &self.elements {
            Elements::Name(name) => {
                let first = below.iter().position(|component| name.matches(component));
                first.is_some_and(|index| !self.dir_only || index + 1 < below.len())
            }
            Elements::Path(elements) => self.matches_path(elements, below),
        }
    }

    fn matches_path(&self, elements: &[Element], path: &[&str]) -> bool {
        let mut rest = path.iter();
        let mut matched = false;
        // After `**`, the next glob may match any later component.
        let mut may_skip = false;
        for (i, element) in elements.iter().enumerate() {
            match element {
                Element::Empty => may_skip = false,
                Element::Any if i + 1 == elements.len() => break,
                Element::Any => may_skip = true,
                Element::Glob(glob) if may_skip => {
                    may_skip = false;
                    if rest.len() == 0 {
                        return false;
                    }
                    matched = rest.any(|component| glob.matches(component));
                }
                Element::Glob(glob) => match rest.next() {
                    Some(component) if glob.matches(component) => matched = true,
                    _ => return false,
                },
            }
        }
        matched && !(self.dir_only && rest.len() == 0)
    }
}

impl Element {
    fn parse(text: &str) -> Self {
        match text {
            "" => Self::Empty,
            "**" => Self::Any,
            _ if text.contains("**") => Self::Glob(Glob::Nothing),
            _ => Self::Glob(Glob::parse(text)),
        }
    }
}

impl Glob {
    fn parse(pattern: &str) -> Self {
        let Some(tokens) = parse_glob(pattern) else {
            return Self::Nothing;
        };
        tokens
            .iter()
            .map(|token| match token {
                Token::Literal(c) => Some(*c),
                _ => None,
            })
            .collect::<Option<String>>()
            .map_or(Self::Tokens(tokens), Self::Literal)
    }

    /// Whether the glob matches the whole component.
    fn matches(&self, name: &str) -> bool {
        match self {
            Self::Literal(literal) => literal == name,
            Self::Tokens(tokens) => tokens_match(tokens, name),
            Self::Nothing => false,
        }
    }
}

fn tokens_match(pattern: &[Token], name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    // The position of the last star, and of the name after one more character for that star.
    let mut retry: Option<(usize, usize)> = None;
    while n < name.len() || p < pattern.len() {
        match pattern.get(p) {
            Some(Token::Star) => {
                retry = Some((p, n + 1));
                p += 1;
                continue;
            }
            Some(token) if n < name.len() && token.matches(name[n]) => {
                p += 1;
                n += 1;
                continue;
            }
            _ => {}
        }
        match retry {
            Some((star, next)) if next <= name.len() => {
                p = star;
                n = next;
            }
            _ => return false,
        }
    }
    true
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Star,
    Any,
    Literal(char),
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Token {
    fn matches(&self, c: char) -> bool {
        match self {
            Token::Star => false,
            Token::Any => true,
            Token::Literal(literal) => *literal == c,
            Token::Class { negated, ranges } => {
                ranges.iter().any(|&(low, high)| low <= c && c <= high) != *negated
            }
        }
    }
}

fn parse_glob(pattern: &str) -> Option<Vec<Token>> {
    let mut chars = pattern.chars().peekable();
    let mut tokens = Vec::new();
    while let Some(c) = chars.next() {
        tokens.push(match c {
            '*' => Token::Star,
            '?' => Token::Any,
            '\\' => Token::Literal(chars.next()?),
            '[' => {
                let negated = chars.next_if_eq(&'^').is_some();
                let mut ranges = Vec::new();
                while ranges.is_empty() || chars.next_if_eq(&']').is_none() {
                    let low = class_character(&mut chars)?;
                    let high = if chars.next_if_eq(&'-').is_some() {
                        class_character(&mut chars)?
                    } else {
                        low
                    };
                    ranges.push((low, high));
                }
                Token::Class { negated, ranges }
            }
            literal => Token::Literal(literal),
        });
    }
    Some(tokens)
}

fn class_character(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<char> {
    match chars.next()? {
        '-' | ']' => None,
        '\\' => chars.next(),
        c => Some(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_ignored(lines: &str, path: &str) -> bool {
        let mut rules = IgnoreRules::default();
        rules.add("", lines.as_bytes()).unwrap();
        rules.ignores(path)
    }

    /// Patterns (separated by `|`), ignored paths, other paths.
    const TABLE: &[(&str, &[&str], &[&str])] = &[
        ("foo", &["foo", "foo/x", "a/foo", "a/foo/x"], &["foo.yaml"]),
        ("foo/", &["foo/x", "a/foo/x"], &["foo", "a/foo"]),
        ("/foo", &["foo", "foo/x"], &["a/foo"]),
        ("a/foo", &["a/foo", "a/foo/x"], &["b/a/foo"]),
        (
            "*.yaml",
            &["x.yaml", "a/x.yaml", "x.yaml/b", ".yaml"],
            &["x.yml"],
        ),
        ("*", &["x", ".x", "a/b"], &[]),
        ("**", &["x", "a/b"], &[]),
        ("/*", &["x", "a/b"], &[]),
        ("/**", &[], &["x", "a/b"]),
        ("**/", &["a/b"], &["x"]),
        ("**/foo", &["foo", "a/b/foo", "a/b/foo/x"], &["a/b"]),
        ("foo/**", &["foo", "foo/x", "foo/a/b"], &["a/foo/x"]),
        ("a/**/b", &["a/b", "a/x/y/b", "a/x/y/b/c"], &["a/x"]),
        ("**/foo/bar", &["x/foo/bar"], &["foo/x/foo/bar"]),
        ("a**b", &["aXXb"], &["a/x/b"]),
        ("a/x**y/b", &[], &["a/xzy/b"]),
        ("*|!foo", &["bar"], &["foo", "a/foo", "foo/bar"]),
        ("!*.yaml|*", &["x.yaml"], &[]),
        ("foo|!foo/x.yaml", &["foo/y.yaml"], &["foo/x.yaml"]),
        ("[!ab].yaml", &["a.yaml", "!.yaml"], &["c.yaml"]),
        ("[^ab].yaml", &["c.yaml"], &["a.yaml", "b.yaml"]),
        ("[a-c]x", &["bx"], &["dx"]),
        ("[ab", &[], &["a", "[ab"]),
        ("[]a]", &[], &["a", "]"]),
        ("\\#x|\\!x", &["#x", "!x"], &["\\#x"]),
        ("foo\\ ", &[], &["foo ", "foo"]),
        ("foo bar", &["foo bar"], &["foo"]),
        ("a//b", &["a/b"], &["b"]),
        ("./foo", &[], &["foo"]),
        ("../foo", &[], &["foo"]),
        ("/", &[], &["foo"]),
        ("!", &[], &["foo"]),
        ("{a,b}.yaml", &["{a,b}.yaml"], &["a.yaml"]),
        ("  x  \r|# y", &["x"], &["y", "# y"]),
        ("\u{feff}x", &[], &["x"]),
        ("a*b*c", &["abc", "aXbYc", "abbcc"], &["abcd", "acb"]),
        ("a?c", &["abc", "aéc"], &["ac"]),
    ];

    #[test]
    fn the_table_of_the_dialect() {
        for (lines, yes, no) in TABLE {
            let lines = lines.replace('|', "\n");
            for path in *yes {
                assert!(is_ignored(&lines, path), "{lines:?} should ignore {path}");
            }
            for path in *no {
                assert!(
                    !is_ignored(&lines, path),
                    "{lines:?} should not ignore {path}"
                );
            }
        }
    }

    #[test]
    fn a_pattern_applies_below_its_folder_and_the_last_match_wins() {
        let mut rules = IgnoreRules::default();
        rules.add("", b"*.md\n").unwrap();
        rules.add("docs", b"!keep.md\nsub/x\n").unwrap();
        assert!(rules.ignores("README.md"));
        assert!(rules.ignores("keep.md"));
        assert!(!rules.ignores("docs/keep.md"));
        assert!(rules.ignores("docs/sub/x"));
        assert!(!rules.ignores("sub/x"));
    }

    #[test]
    fn a_line_of_64_kib_is_too_long() {
        let mut rules = IgnoreRules::default();
        let fits = vec![b'a'; LINE_LIMIT - 1];
        assert_eq!(rules.add("", &fits), Ok(()));
        let long = [b"x\n".as_slice(), &fits, b"a"].concat();
        assert_eq!(rules.add("", &long), Err(LineTooLong { line: 1 }));
    }
}
