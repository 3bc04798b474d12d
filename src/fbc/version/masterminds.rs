//! The range dialect of Masterminds/semver v3.5 with default options: a ClusterExtension's version
//! range in OLM v1.
//!
//! Grammar and meaning follow `olm-resolution` 1.3, including oddities. The ClusterExtension API
//! admits a narrower language: [`admission`].

pub mod admission;
mod check;
mod parse;
mod plain;

use super::semantic::{RangeError, Version};

pub use parse::Comparator;

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
        let rewritten = parse::rewrite_hyphens(text);
        let groups = rewritten
            .split("||")
            .map(parse::group)
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
                && group.comparators.iter().all(|c| c.holds(version))
        })
    }

    /// Whether `version` is refused only because it is a prerelease and no comparator has one. For
    /// explanations.
    pub fn refuses_as_prerelease(&self, version: &Version) -> bool {
        !self.check(version)
            && self
                .groups
                .iter()
                .any(|group| group.comparators.iter().all(|c| c.holds(version)))
    }

    /// Does the range contain `1.2.0` but not its prerelease `version`, which is below a bound? For explanations.
    pub fn contains_only_release_of(&self, version: &Version) -> bool {
        !version.prerelease().is_empty()
            && !self.check(version)
            && self.check(&version.release_version())
    }
}
