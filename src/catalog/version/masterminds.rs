//! The range dialect of Masterminds/semver v3.5 with default options: a ClusterExtension's version
//! range in OLM v1.
//!
//! Grammar and meaning follow `olm-resolution` 1.3, including oddities. The reference uses regular
//! expressions for a small regular language in which the next character decides each step, so a
//! cursor is enough.
//!
//! On expansion to plain comparisons: a group with a prerelease admits prereleases, so `<1.3.0`
//! would hold for `1.3.0-rc.1`, which `~1.2.0-beta` excludes. In such a group every implied bound
//! is therefore placed below all prereleases: `<1.3.0-0`. In any other group no comparison may have
//! one, since that alone would admit prereleases.
//!
//! The ClusterExtension API admits a narrower language ([`is_admitted`]), and its pattern is partly
//! faulty (`olm-resolution` 1.3.5): in some places `*` only counts before a `]`. A range that the
//! library accepts but the API refuses deserves a warning, not an error.

use super::semantic::{RangeError, Version};
use std::cmp::Ordering;
use syntax::go_text::quote;

/// Maximum length of a range, in characters.
pub const MAX_LENGTH: usize = 64;

/// The API's message for a mismatch.
pub const NOT_ADMITTED: &str = "invalid version expression";

/// Maximum number of alternatives per group. If there would be more, `!=1.2` is not expanded.
const MAX_ALTERNATIVES: usize = 8;

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

/// A parsed range: an OR of groups of comparators that must all hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constraint {
    groups: Vec<Group>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Group {
    comparators: Vec<Comparator>,
    /// Whether a comparator has a prerelease, which admits prereleases in the whole group.
    names_prerelease: bool,
}

impl Constraint {
    /// Parses a range like `NewConstraint`, without trimming. Errors are the reference's, literally
    /// (they quote the text after rewriting hyphen ranges).
    pub fn parse(text: &str) -> Result<Self, RangeError> {
        let rewritten = rewrite_hyphens(text);
        let groups = rewritten
            .split("||")
            .map(parse_group)
            .collect::<Result<Vec<_>, RangeError>>()?;
        let groups = groups
            .into_iter()
            .map(|comparators| Group {
                names_prerelease: comparators.iter().any(|c| !c.prerelease.is_empty()),
                comparators,
            })
            .collect();
        Ok(Self { groups })
    }

    /// Whether the range admits `version`. A prerelease needs a group in which a comparator has
    /// one.
    pub fn check(&self, version: &Version) -> bool {
        self.groups.iter().any(|group| {
            (group.names_prerelease || version.prerelease().is_empty())
                && group.comparators.iter().all(|c| c.matches(version))
        })
    }

    /// Whether `version` is refused only because it is a prerelease and no comparator has one. For
    /// explanations.
    pub fn refuses_as_prerelease(&self, version: &Version) -> bool {
        !self.check(version)
            && self
                .groups
                .iter()
                .any(|group| group.comparators.iter().all(|c| c.matches(version)))
    }

    /// Whether the range contains `1.2.0` but not its prerelease `version`, which is below a bound.
    /// For explanations.
    pub fn contains_only_release_of(&self, version: &Version) -> bool {
        !version.prerelease().is_empty()
            && !self.check(version)
            && self.check(&version.release_version())
    }
}

/// A comparator: an operator and a possibly partial version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparator {
    operator: Operator,
    precision: Precision,
    /// Missing and wildcard parts are 0.
    major: u64,
    minor: u64,
    patch: u64,
    /// "" if absent. Unlike in a version, numeric identifiers may exceed u64.
    prerelease: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
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
enum Precision {
    Any,
    Minor,
    Patch,
    Full,
}

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
fn rewrite_hyphens(text: &str) -> String {
    let mut out = text.to_owned();
    let mut from = 0;
    while let Some((start, low, high, end)) = find_hyphen(text, from) {
        out = out.replacen(&text[start..end], &format!(">= {low}, <= {high} "), 1);
        from = end;
    }
    out
}

/// Finds the first hyphen range at or after `from`: its start (including preceding blanks), both
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
        let Some(high) = parse_partial(after) else {
            continue;
        };
        let word_start = bytes[from..word_end]
            .iter()
            .rposition(|&b| is_blank(char::from(b)))
            .map_or(from, |i| from + i + 1);
        // The leftmost start in the word from which a version extends exactly to its end.
        let low = text[word_start..word_end]
            .char_indices()
            .map(|(i, _)| word_start + i)
            .find(|&i| parse_partial(&text[i..word_end]).is_some_and(|p| i + p.length == word_end));
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

/// Parses one alternative: comparators separated by blanks or a comma.
fn parse_group(text: &str) -> Result<Vec<Comparator>, RangeError> {
    let improper = || RangeError(format!("improper constraint: {}", quote(text)));
    let mut comparators = Vec::new();
    let mut rest = text.trim_start_matches(is_blank);
    loop {
        let operator = OPERATORS
            .iter()
            .find(|(spelling, _)| rest.starts_with(spelling));
        let (spelling, operator) = operator.copied().unwrap_or(("", Operator::Equal));
        rest = rest[spelling.len()..].trim_start_matches(is_blank);
        let partial = parse_partial(rest).ok_or_else(improper)?;
        rest = &rest[partial.length..];
        comparators.push((operator, partial));
        let after = rest.trim_start_matches(is_blank);
        if after.is_empty() {
            break;
        }
        let is_separated = after.len() < rest.len();
        rest = match after.strip_prefix(',') {
            Some(next) => next.trim_start_matches(is_blank),
            None if is_separated => after,
            None => return Err(improper()),
        };
    }
    // Numbers are only checked after the whole group matches.
    comparators
        .into_iter()
        .map(|(operator, partial)| parse_comparator(operator, partial))
        .collect()
}

fn parse_comparator(operator: Operator, partial: Partial<'_>) -> Result<Comparator, RangeError> {
    let precision = match partial.parts.iter().position(|p| is_wildcard(p)) {
        Some(0) => Precision::Any,
        Some(1) => Precision::Minor,
        Some(_) => Precision::Patch,
        None => Precision::Full,
    };
    let written_parts = match precision {
        Precision::Any => 0,
        Precision::Minor => 1,
        Precision::Patch => 2,
        Precision::Full => 3,
    };
    let mut numbers = [0; 3];
    for (number, part) in numbers.iter_mut().zip(partial.parts).take(written_parts) {
        *number = part.parse::<u64>().map_err(|_| parser_error())?;
    }
    if partial
        .prerelease
        .split('.')
        .any(|id| id.len() > 1 && id.starts_with('0') && id.bytes().all(|b| b.is_ascii_digit()))
    {
        return Err(parser_error());
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

fn parser_error() -> RangeError {
    RangeError("constraint parser error".to_owned())
}

/// Parses the longest partial version at the start of `text`: `v? num (.num)? (.num)? (-pre)?
/// (+build)?`.
fn parse_partial(text: &str) -> Option<Partial<'_>> {
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
    let prerelease = &text[out.length..][..identifiers_length(&text[out.length..], '-')];
    out.prerelease = prerelease.strip_prefix('-').unwrap_or_default();
    out.length += prerelease.len();
    out.length += identifiers_length(&text[out.length..], '+');
    Some(out)
}

/// Returns the length of a prerelease or of build metadata at the start of `text`, with its `lead`;
/// 0 if there is none.
fn identifiers_length(text: &str, lead: char) -> usize {
    let Some(text) = text.strip_prefix(lead) else {
        return 0;
    };
    let is_inside = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
    let mut length = 0;
    for identifier in text.split('.') {
        let count = identifier.bytes().take_while(|&b| is_inside(b)).count();
        if count == 0 {
            break;
        }
        length += count + 1;
        if count < identifier.len() {
            break;
        }
    }
    length
}

/// Whether a part is a wildcard. Missing parts count as wildcards.
fn is_wildcard(part: &str) -> bool {
    matches!(part, "" | "x" | "X" | "*")
}

/// Whether a byte belongs to a number. The reference's character class contains a stray `|`.
fn is_number_byte(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'x' | b'X' | b'*' | b'|')
}

/// Whether a character matches `\s` in Go's regular expressions.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\u{0c}' | '\r')
}

impl Comparator {
    /// Whether the comparator holds. Ignores the prerelease gate, which belongs to the group.
    fn matches(&self, version: &Version) -> bool {
        match self.operator {
            Operator::Equal if self.precision == Precision::Full => {
                self.order(version) == Ordering::Equal
            }
            Operator::Equal | Operator::Tilde => self.tilde(version),
            Operator::NotEqual => self.not_equal(version),
            Operator::Greater => self.greater(version),
            Operator::GreaterOrEqual => self.order(version) != Ordering::Less,
            Operator::Less => self.order(version) == Ordering::Less,
            Operator::LessOrEqual => self.less_or_equal(version),
            Operator::Caret => self.caret(version),
        }
    }

    /// Compares `version` with the comparator's version, with missing parts as 0.
    fn order(&self, version: &Version) -> Ordering {
        let numbers = (version.major(), version.minor(), version.patch());
        numbers
            .cmp(&(self.major, self.minor, self.patch))
            .then_with(|| compare_prereleases(version.prerelease(), &self.prerelease))
    }

    fn has_same_major(&self, version: &Version) -> bool {
        version.major() == self.major
    }

    fn has_same_minor(&self, version: &Version) -> bool {
        self.has_same_major(version) && version.minor() == self.minor
    }

    fn not_equal(&self, version: &Version) -> bool {
        match self.precision {
            Precision::Full | Precision::Any => self.order(version) != Ordering::Equal,
            Precision::Minor => !self.has_same_major(version),
            Precision::Patch => {
                !self.has_same_minor(version) || version.prerelease() != self.prerelease
            }
        }
    }

    fn greater(&self, version: &Version) -> bool {
        match self.precision {
            Precision::Full | Precision::Any => self.order(version) == Ordering::Greater,
            Precision::Minor => version.major() > self.major,
            Precision::Patch => (version.major(), version.minor()) > (self.major, self.minor),
        }
    }

    /// Whether `<=` holds. `<=*` only holds for 0.0.z: the reference treats the filled-in zeros as
    /// written.
    fn less_or_equal(&self, version: &Version) -> bool {
        match self.precision {
            Precision::Full => self.order(version) != Ordering::Greater,
            Precision::Minor => version.major() <= self.major,
            Precision::Patch | Precision::Any => {
                (version.major(), version.minor()) <= (self.major, self.minor)
            }
        }
    }

    fn tilde(&self, version: &Version) -> bool {
        if self.order(version) == Ordering::Less {
            return false;
        }
        let is_zero = (self.major, self.minor, self.patch) == (0, 0, 0);
        match self.precision {
            Precision::Full | Precision::Any if is_zero => true,
            Precision::Minor => self.has_same_major(version),
            _ => self.has_same_minor(version),
        }
    }

    /// Whether `^` holds. `^*` only holds for 0.0.0: the reference treats the filled-in zeros as
    /// written.
    fn caret(&self, version: &Version) -> bool {
        if self.order(version) == Ordering::Less || !self.has_same_major(version) {
            return false;
        }
        if self.major > 0 || self.precision == Precision::Minor {
            return true;
        }
        if version.minor() != self.minor {
            return false;
        }
        self.minor > 0 || self.precision == Precision::Patch || version.patch() == self.patch
    }
}

/// Compares like the reference: a numeric identifier beyond u64 counts as text.
fn compare_prereleases(a: &str, b: &str) -> Ordering {
    if a.is_empty() || b.is_empty() {
        return a.is_empty().cmp(&b.is_empty());
    }
    let mut left = a.split('.');
    let mut right = b.split('.');
    loop {
        match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(l), Some(r)) => {
                let [l_key, r_key] =
                    [l, r].map(|id| id.parse::<u64>().map_or((1, 0), |number| (0, number)));
                let order = l_key.cmp(&r_key).then_with(|| l.cmp(r));
                if order != Ordering::Equal {
                    return order;
                }
            }
        }
    }
}

/// A bound that is not written in the range: the first version of a major, minor or patch version,
/// given by one, two or three numbers. `None` if it does not exist, because the number before it is
/// the highest possible.
struct ImpliedBound(Option<Vec<u64>>);

impl Constraint {
    /// Returns the alternatives, each as comparisons that must all hold.
    pub(in crate::version) fn plain_alternatives(&self) -> Vec<Vec<String>> {
        self.groups
            .iter()
            .flat_map(Group::plain_alternatives)
            .collect()
    }
}

impl Group {
    fn plain_alternatives(&self) -> Vec<Vec<String>> {
        let mut alternatives: Vec<Vec<String>> = vec![Vec::new()];
        for comparator in &self.comparators {
            let mut choices = comparator.plain_alternatives(self.names_prerelease);
            if alternatives.len() * choices.len() > MAX_ALTERNATIVES {
                choices = vec![vec![comparator.normalized()]];
            }
            alternatives = alternatives
                .iter()
                .flat_map(|before| choices.iter().map(|choice| [&before[..], choice].concat()))
                .collect();
        }
        alternatives
    }
}

impl Comparator {
    /// Returns the alternatives of one comparator. `admits_prereleases`: its group admits
    /// prereleases.
    fn plain_alternatives(&self, admits_prereleases: bool) -> Vec<Vec<String>> {
        let version_text = self.version_text(admits_prereleases);
        let (major, minor, patch) = (self.major, self.minor, self.patch);
        let after = match self.precision {
            Precision::Minor => ImpliedBound::after_major(major),
            _ => ImpliedBound::after_minor(major, minor),
        };
        let one = match (self.operator, self.precision) {
            (Operator::Equal, Precision::Full) => format!("={version_text}"),
            (Operator::Equal | Operator::Tilde, precision) => {
                let is_zero = (major, minor, patch) == (0, 0, 0);
                let is_open_ended = matches!(precision, Precision::Full | Precision::Any);
                let end = after
                    .below(admits_prereleases)
                    .filter(|_| !(is_zero && is_open_ended));
                return vec![between(format!(">={version_text}"), end)];
            }
            (Operator::NotEqual, Precision::Full | Precision::Any) => format!("!={version_text}"),
            // Prereleases of the minor version are admitted by their name alone, which no bound can
            // express.
            (Operator::NotEqual, Precision::Patch) if admits_prereleases => self.normalized(),
            (Operator::NotEqual, precision) => {
                let start = match precision {
                    Precision::Minor => vec![major],
                    _ => vec![major, minor],
                };
                let before = ImpliedBound(Some(start)).below(admits_prereleases);
                let before = before.filter(|_| (major, minor) != (0, 0));
                let behind = after.0.is_some().then(|| after.from(admits_prereleases));
                return before.into_iter().chain(behind).map(|c| vec![c]).collect();
            }
            (Operator::Greater, Precision::Full | Precision::Any) => format!(">{version_text}"),
            (Operator::Greater, _) => after.from(admits_prereleases),
            (Operator::GreaterOrEqual, _) => format!(">={version_text}"),
            (Operator::Less, _) => format!("<{version_text}"),
            (Operator::LessOrEqual, Precision::Full) => format!("<={version_text}"),
            (Operator::LessOrEqual, _) => match after.below(admits_prereleases) {
                Some(below) => below,
                None => ImpliedBound(Some(vec![0, 0, 0])).from(admits_prereleases),
            },
            (Operator::Caret, precision) => {
                let end = match (major, minor) {
                    _ if major > 0 || precision == Precision::Minor => {
                        ImpliedBound::after_major(major)
                    }
                    (_, 0) if precision != Precision::Patch => {
                        ImpliedBound::after_patch(major, minor, patch)
                    }
                    _ => ImpliedBound::after_minor(major, minor),
                };
                return vec![between(
                    format!(">={version_text}"),
                    end.below(admits_prereleases),
                )];
            }
        };
        vec![vec![one]]
    }

    /// Returns the version in the comparator; complete if prereleases count.
    fn version_text(&self, admits_prereleases: bool) -> String {
        let (major, minor, patch, end) = self.written();
        match self.precision {
            Precision::Minor if !admits_prereleases => major.to_string(),
            Precision::Patch if !admits_prereleases => format!("{major}.{minor}"),
            _ => format!("{major}.{minor}.{patch}{end}"),
        }
    }

    /// Returns the three numbers, and the prerelease with its `-`.
    fn written(&self) -> (u64, u64, u64, String) {
        let end = match self.prerelease.as_str() {
            "" => String::new(),
            prerelease => format!("-{prerelease}"),
        };
        (self.major, self.minor, self.patch, end)
    }

    /// Writes the comparator in normalized spelling. Only for `!=`.
    fn normalized(&self) -> String {
        let (major, minor, patch, end) = self.written();
        match self.precision {
            Precision::Any => format!("!=*{end}"),
            Precision::Minor => format!("!={major}{end}"),
            Precision::Patch => format!("!={major}.{minor}{end}"),
            Precision::Full => format!("!={major}.{minor}.{patch}{end}"),
        }
    }
}

fn between(start: String, end: Option<String>) -> Vec<String> {
    std::iter::once(start).chain(end).collect()
}

impl ImpliedBound {
    fn after_major(major: u64) -> Self {
        Self(major.checked_add(1).map(|major| vec![major]))
    }

    fn after_minor(major: u64, minor: u64) -> Self {
        let minor = minor.checked_add(1).map(|minor| vec![major, minor]);
        Self(minor.or_else(|| Self::after_major(major).0))
    }

    fn after_patch(major: u64, minor: u64, patch: u64) -> Self {
        let patch = patch.checked_add(1).map(|patch| vec![major, minor, patch]);
        Self(patch.or_else(|| Self::after_minor(major, minor).0))
    }

    /// Returns the comparison for everything below it; `None` if it does not exist, which means
    /// everything.
    fn below(&self, admits_prereleases: bool) -> Option<String> {
        let numbers = self.0.as_ref()?;
        Some(format!("<{}", bound_text(numbers, admits_prereleases)))
    }

    /// Returns the range from this version on; empty if it does not exist.
    fn from(&self, admits_prereleases: bool) -> String {
        match &self.0 {
            Some(numbers) => format!(">={}", bound_text(numbers, admits_prereleases)),
            None => format!("<{}", bound_text(&[0, 0, 0], admits_prereleases)),
        }
    }
}

fn bound_text(numbers: &[u64], admits_prereleases: bool) -> String {
    let missing = if admits_prereleases {
        3 - numbers.len()
    } else {
        0
    };
    let numbers: Vec<String> = numbers
        .iter()
        .copied()
        .chain(std::iter::repeat_n(0, missing))
        .map(|number| number.to_string())
        .collect();
    let end = if admits_prereleases { "-0" } else { "" };
    format!("{}{end}", numbers.join("."))
}

/// What a part of a version may be in the API's pattern, besides numbers, `x` and `X`.
#[derive(Clone, Copy, PartialEq)]
enum Star {
    Plain,
    WithBracket,
    /// A character class that also contains a stray `|`.
    PlainOrPipe,
}

/// What the parts of a range's first version accept.
const FIRST_VERSION_STARS: [Star; 3] = [Star::PlainOrPipe, Star::WithBracket, Star::Plain];
/// What the parts of its later versions accept.
const LATER_VERSION_STARS: [Star; 3] = [Star::WithBracket, Star::Plain, Star::WithBracket];

/// Whether the API admits a range. Only for non-empty ranges: an empty one is no filter and is not
/// checked.
pub fn is_admitted(text: &str) -> bool {
    text.chars().count() <= MAX_LENGTH && matches_pattern(text)
}

fn matches_pattern(text: &str) -> bool {
    let mut rest = text.trim_start_matches(is_blank);
    let mut stars = FIRST_VERSION_STARS;
    loop {
        let operator = OPERATORS
            .iter()
            .map(|(spelling, _)| *spelling)
            .find(|spelling| rest.starts_with(spelling))
            .unwrap_or_default();
        rest = rest[operator.len()..].trim_start_matches(is_blank);
        let Some(length) = version_length(rest, stars) else {
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
        stars = LATER_VERSION_STARS;
    }
}

/// Returns the length of the version at the start of `text`.
fn version_length(text: &str, stars: [Star; 3]) -> Option<usize> {
    let mut length = usize::from(text.starts_with('v'));
    length += part_length(&text[length..], stars[0])?;
    // The second and third part are separately optional: `1.*` has a third part but no second.
    for star in [stars[1], stars[2]] {
        if let Some(next) = text[length..]
            .strip_prefix('.')
            .and_then(|rest| part_length(rest, star))
        {
            length += next + 1;
        }
    }
    for lead in ['-', '+'] {
        length += identifiers_length(&text[length..], lead);
    }
    Some(length)
}

fn part_length(text: &str, star: Star) -> Option<usize> {
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
