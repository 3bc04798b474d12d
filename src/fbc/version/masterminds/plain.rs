//! Expands a range to plain comparisons that follow the decisions of [`check`](super::check).
//!
//! A group with a prerelease admits prereleases, so `<1.3.0` would hold for `1.3.0-rc.1`, which
//! `~1.2.0-beta` excludes. In such a group every implied bound is therefore placed below all
//! prereleases: `<1.3.0-0`. In any other group no comparison may have one, since that alone would
//! admit prereleases.

use super::parse::{Comparator, Operator, Precision};
use super::{Constraint, Group};

/// Maximum number of alternatives per group; beyond it, `!=1.2` stays as it is.
const MOST: usize = 8;

/// A version not written in the range: the first of a patch, minor or major version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First {
    Major(u64),
    Minor(u64, u64),
    Patch(u64, u64, u64),
    /// It does not exist: the previous number is the highest possible.
    Nowhere,
}

impl Constraint {
    /// The alternatives, each as comparisons that must all hold.
    pub(in crate::version) fn plain_alternatives(&self) -> Vec<Vec<String>> {
        self.groups.iter().flat_map(Group::plain).collect()
    }
}

impl Group {
    fn plain(&self) -> Vec<Vec<String>> {
        let mut alternatives: Vec<Vec<String>> = vec![Vec::new()];
        for comparator in &self.comparators {
            let mut choices = comparator.plain(self.names_prerelease);
            if alternatives.len() * choices.len() > MOST {
                choices = vec![vec![comparator.normalize()]];
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
    /// The alternatives of one comparator. `open`: its group admits prereleases.
    fn plain(&self, open: bool) -> Vec<Vec<String>> {
        let own = self.own(open);
        let (major, minor, patch) = (self.major, self.minor, self.patch);
        let below = |first: First| first.below(open);
        let from = |first: First| first.from(open);
        let one = |comparisons: Vec<String>| vec![comparisons];
        match (self.operator, self.precision) {
            (Operator::Equal, Precision::Full) => one(vec![format!("={own}")]),
            (Operator::Equal | Operator::Tilde, precision) => {
                let zero = (major, minor, patch) == (0, 0, 0);
                let end = match precision {
                    Precision::Full | Precision::Any if zero => None,
                    Precision::Minor => Some(First::after_major(major)),
                    _ => Some(First::after_minor(major, minor)),
                };
                one(between(format!(">={own}"), end.and_then(below)))
            }
            (Operator::NotEqual, Precision::Full | Precision::Any) => one(vec![format!("!={own}")]),
            // Prereleases of the minor version are admitted by their name alone, which no bound can
            // express.
            (Operator::NotEqual, Precision::Patch) if open => one(vec![self.normalize()]),
            (Operator::NotEqual, precision) => {
                let (start, end) = match precision {
                    Precision::Minor => (First::Major(major), First::after_major(major)),
                    _ => (First::Minor(major, minor), First::after_minor(major, minor)),
                };
                let before = if (major, minor) == (0, 0) {
                    None
                } else {
                    below(start)
                };
                before
                    .into_iter()
                    .chain((end != First::Nowhere).then(|| from(end)))
                    .map(|c| vec![c])
                    .collect()
            }
            (Operator::Greater, Precision::Full | Precision::Any) => one(vec![format!(">{own}")]),
            (Operator::Greater, Precision::Minor) => one(vec![from(First::after_major(major))]),
            (Operator::Greater, Precision::Patch) => {
                one(vec![from(First::after_minor(major, minor))])
            }
            (Operator::GreaterOrEqual, _) => one(vec![format!(">={own}")]),
            (Operator::Less, _) => one(vec![format!("<{own}")]),
            (Operator::LessOrEqual, Precision::Full) => one(vec![format!("<={own}")]),
            (Operator::LessOrEqual, precision) => {
                let end = match precision {
                    Precision::Minor => First::after_major(major),
                    _ => First::after_minor(major, minor),
                };
                one(vec![
                    below(end).unwrap_or_else(|| First::Patch(0, 0, 0).from(open)),
                ])
            }
            (Operator::Caret, precision) => {
                let end = match (major, minor) {
                    _ if major > 0 || precision == Precision::Minor => First::after_major(major),
                    (_, 0) if precision != Precision::Patch => {
                        First::after_patch(major, minor, patch)
                    }
                    _ => First::after_minor(major, minor),
                };
                one(between(format!(">={own}"), below(end)))
            }
        }
    }

    /// The version in the comparator; complete if prereleases count.
    fn own(&self, open: bool) -> String {
        let (major, minor, patch) = (self.major, self.minor, self.patch);
        let end = if self.prerelease.is_empty() {
            String::new()
        } else {
            format!("-{}", self.prerelease)
        };
        match self.precision {
            Precision::Minor if !open => major.to_string(),
            Precision::Patch if !open => format!("{major}.{minor}"),
            _ => format!("{major}.{minor}.{patch}{end}"),
        }
    }

    /// As written, in normalized spelling. Only for `!=`.
    fn normalize(&self) -> String {
        let end = if self.prerelease.is_empty() {
            String::new()
        } else {
            format!("-{}", self.prerelease)
        };
        let (major, minor, patch) = (self.major, self.minor, self.patch);
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

impl First {
    fn after_major(major: u64) -> Self {
        major.checked_add(1).map_or(First::Nowhere, First::Major)
    }

    fn after_minor(major: u64, minor: u64) -> Self {
        minor.checked_add(1).map_or_else(
            || Self::after_major(major),
            |minor| First::Minor(major, minor),
        )
    }

    fn after_patch(major: u64, minor: u64, patch: u64) -> Self {
        patch.checked_add(1).map_or_else(
            || Self::after_minor(major, minor),
            |patch| First::Patch(major, minor, patch),
        )
    }

    /// Everything below it; `None` if it does not exist, which means everything.
    fn below(self, open: bool) -> Option<String> {
        (self != First::Nowhere).then(|| format!("<{}", self.text(open)))
    }

    /// The range from this version on; empty if it does not exist.
    fn from(self, open: bool) -> String {
        match self {
            First::Nowhere => format!("<{}", First::Patch(0, 0, 0).text(open)),
            first => format!(">={}", first.text(open)),
        }
    }

    fn text(self, open: bool) -> String {
        let (major, minor, patch, short) = match self {
            First::Major(major) => (major, 0, 0, major.to_string()),
            First::Minor(major, minor) => (major, minor, 0, format!("{major}.{minor}")),
            First::Patch(major, minor, patch) => {
                (major, minor, patch, format!("{major}.{minor}.{patch}"))
            }
            First::Nowhere => (0, 0, 0, String::new()),
        };
        if open {
            format!("{major}.{minor}.{patch}-0")
        } else {
            short
        }
    }
}
