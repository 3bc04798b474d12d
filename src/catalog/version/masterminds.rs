//! The range dialect of Masterminds/semver v3.5 with default options: a ClusterExtension's version
//! range in OLM v1.
//!
//! Grammar and meaning follow `olm-resolution` 1.3, including oddities; the regular expressions are
//! those of the reference.
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
use regex_lite::{Captures, Regex};
use std::cmp::Ordering;
use std::sync::LazyLock;
use syntax::go_text::quote;

/// Maximum length of a range, in characters.
pub const MAX_LENGTH: usize = 64;

/// The API's message for a mismatch.
pub const NOT_ADMITTED: &str = "invalid version expression";

/// Maximum number of alternatives per group. If there would be more, `!=1.2` is not expanded.
const MAX_ALTERNATIVES: usize = 8;

const OPERATOR: &str = r"(=||!=|>|<|>=|=>|<=|=<|~|~>|\^)";
/// A possibly partial version. The character classes contain a stray `|`.
const VERSION: &str = r"v?([0-9|x|X|*]+)(\.[0-9|x|X|*]+)?(\.[0-9|x|X|*]+)?";
/// A prerelease and build metadata.
const SUFFIX: &str =
    r"(-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?";

/// `A - B`, anywhere in a text.
static HYPHEN_RANGE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"\s*(?<low>{VERSION}{SUFFIX})\s+-\s+(?<high>{VERSION}{SUFFIX})\s*"
    ))
});
static COMPARATOR: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"{OPERATOR}\s*{VERSION}{SUFFIX}")));
/// Comparators separated by blanks or a comma.
static GROUP: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"^\s*{OPERATOR}\s*{VERSION}{SUFFIX}\s*(?:(?:\s+|,\s*){OPERATOR}\s*{VERSION}{SUFFIX}\s*)*$"
    ))
});
/// The pattern of the ClusterExtension API.
static ADMITTED: LazyLock<Regex> = LazyLock::new(|| {
    let number = r"0|[1-9]\d*";
    pattern(&format!(
        r"^\s*{OPERATOR}\s*v?({number}|[x|X|*])(\.({number}|x|X|\*\]))?(\.({number}|x|X|\*))?{SUFFIX}\s*((\s+|,\s*|\s*\|\|\s*){OPERATOR}\s*v?({number}|x|X|\*\])(\.({number}|x|X|\*))?(\.({number}|x|X|\*\]))?{SUFFIX}\s*)*$"
    ))
});

/// Compiles a pattern of this file, in which `\s` is a blank as in Go.
fn pattern(text: &str) -> Regex {
    Regex::new(&text.replace(r"\s", r"[\t\n\f\r ]")).expect("a valid pattern")
}

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
                names_prerelease: comparators
                    .iter()
                    .any(|c| !c.version.prerelease().is_empty()),
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
    version: Version,
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

/// Rewrites `A - B` to `>= A, <= B ` anywhere, before parsing.
///
/// Textual like in the reference: each match in turn replaces the first occurrence of its own text.
fn rewrite_hyphens(text: &str) -> String {
    let ranges = HYPHEN_RANGE.captures_iter(text);
    ranges.fold(text.to_owned(), |out, range| {
        let bounds = format!(">= {}, <= {} ", &range["low"], &range["high"]);
        out.replacen(&range[0], &bounds, 1)
    })
}

/// Parses one alternative.
fn parse_group(text: &str) -> Result<Vec<Comparator>, RangeError> {
    if !GROUP.is_match(text) {
        return Err(RangeError(format!("improper constraint: {}", quote(text))));
    }
    COMPARATOR
        .captures_iter(text)
        .map(parse_comparator)
        .collect()
}

fn parse_comparator(found: Captures<'_>) -> Result<Comparator, RangeError> {
    let text = |group| found.get(group).map_or("", |text| text.as_str());
    let operator = match text(1) {
        "" | "=" => Operator::Equal,
        "!=" => Operator::NotEqual,
        ">" => Operator::Greater,
        ">=" | "=>" => Operator::GreaterOrEqual,
        "<" => Operator::Less,
        "<=" | "=<" => Operator::LessOrEqual,
        "^" => Operator::Caret,
        _ => Operator::Tilde,
    };
    let parts = [2, 3, 4].map(|group| text(group).trim_start_matches('.'));
    let prerelease = text(5).strip_prefix('-').unwrap_or_default();
    // A missing part is like a wildcard.
    let is_wildcard = |part: &&str| matches!(*part, "" | "x" | "X" | "*");
    let written = parts.iter().position(is_wildcard).unwrap_or(parts.len());
    let precision = match written {
        0 => Precision::Any,
        1 => Precision::Minor,
        2 => Precision::Patch,
        _ => Precision::Full,
    };
    let mut numbers = [0; 3];
    for (number, part) in numbers.iter_mut().zip(parts).take(written) {
        *number = part.parse::<u64>().map_err(|_| parser_error())?;
    }
    let [major, minor, patch] = numbers;
    Ok(Comparator {
        operator,
        precision,
        version: Version::with_prerelease(major, minor, patch, prerelease)
            .ok_or_else(parser_error)?,
    })
}

fn parser_error() -> RangeError {
    RangeError("constraint parser error".to_owned())
}

impl Comparator {
    /// Whether the comparator holds. Ignores the prerelease gate, which belongs to the group.
    fn matches(&self, version: &Version) -> bool {
        match self.operator {
            Operator::Equal if self.precision == Precision::Full => self.order(version).is_eq(),
            Operator::Equal | Operator::Tilde => self.tilde(version),
            Operator::NotEqual => self.not_equal(version),
            Operator::Greater => self.greater(version),
            Operator::GreaterOrEqual => self.order(version).is_ge(),
            Operator::Less => self.order(version).is_lt(),
            Operator::LessOrEqual => self.less_or_equal(version),
            Operator::Caret => self.caret(version),
        }
    }

    /// Compares `version` with the comparator's version, with missing parts as 0.
    fn order(&self, version: &Version) -> Ordering {
        version.cmp_precedence(&self.version)
    }

    /// Returns the comparator's three numbers.
    fn numbers(&self) -> (u64, u64, u64) {
        (
            self.version.major(),
            self.version.minor(),
            self.version.patch(),
        )
    }

    fn has_same_major(&self, version: &Version) -> bool {
        version.major() == self.version.major()
    }

    fn has_same_minor(&self, version: &Version) -> bool {
        self.has_same_major(version) && version.minor() == self.version.minor()
    }

    fn not_equal(&self, version: &Version) -> bool {
        match self.precision {
            Precision::Full | Precision::Any => self.order(version).is_ne(),
            Precision::Minor => !self.has_same_major(version),
            Precision::Patch => {
                !self.has_same_minor(version) || version.prerelease() != self.version.prerelease()
            }
        }
    }

    fn greater(&self, version: &Version) -> bool {
        match self.precision {
            Precision::Full | Precision::Any => self.order(version).is_gt(),
            Precision::Minor => version.major() > self.version.major(),
            Precision::Patch => {
                (version.major(), version.minor()) > (self.version.major(), self.version.minor())
            }
        }
    }

    /// Whether `<=` holds. `<=*` only holds for 0.0.z: the reference treats the filled-in zeros as
    /// written.
    fn less_or_equal(&self, version: &Version) -> bool {
        match self.precision {
            Precision::Full => self.order(version).is_le(),
            Precision::Minor => version.major() <= self.version.major(),
            Precision::Patch | Precision::Any => {
                (version.major(), version.minor()) <= (self.version.major(), self.version.minor())
            }
        }
    }

    fn tilde(&self, version: &Version) -> bool {
        if self.order(version).is_lt() {
            return false;
        }
        let is_zero = self.numbers() == (0, 0, 0);
        match self.precision {
            Precision::Full | Precision::Any if is_zero => true,
            Precision::Minor => self.has_same_major(version),
            _ => self.has_same_minor(version),
        }
    }

    /// Whether `^` holds. `^*` only holds for 0.0.0: the reference treats the filled-in zeros as
    /// written.
    fn caret(&self, version: &Version) -> bool {
        if self.order(version).is_lt() || !self.has_same_major(version) {
            return false;
        }
        if self.version.major() > 0 || self.precision == Precision::Minor {
            return true;
        }
        if version.minor() != self.version.minor() {
            return false;
        }
        self.version.minor() > 0
            || self.precision == Precision::Patch
            || version.patch() == self.version.patch()
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
        let (major, minor, patch) = self.numbers();
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
        let end = match self.version.prerelease() {
            "" => String::new(),
            prerelease => format!("-{prerelease}"),
        };
        let (major, minor, patch) = self.numbers();
        (major, minor, patch, end)
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

/// Whether the API admits a range. Only for non-empty ranges: an empty one is no filter and is not
/// checked.
pub fn is_admitted(text: &str) -> bool {
    text.chars().count() <= MAX_LENGTH && ADMITTED.is_match(text)
}
