//! A range in either dialect, for callers that only need the answers (the page's range field,
//! `switchyard range`).

use super::semantic::{RangeError, Version};
use super::{blang, masterminds};

/// The library that parses the range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `skipRange`, `olm.package.required`.
    Blang,
    /// The version range of a ClusterExtension (OLM v1).
    Masterminds,
}

/// A parsed range of either dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnyRange {
    Blang(blang::Range),
    Masterminds(masterminds::Constraint),
}

impl Dialect {
    pub fn parse(self, text: &str) -> Result<AnyRange, RangeError> {
        match self {
            Dialect::Blang => blang::Range::parse(text).map(AnyRange::Blang),
            Dialect::Masterminds => masterminds::Constraint::parse(text).map(AnyRange::Masterminds),
        }
    }
}

impl AnyRange {
    pub fn admits(&self, version: &Version) -> bool {
        match self {
            AnyRange::Blang(range) => range.contains(version),
            AnyRange::Masterminds(constraint) => constraint.check(version),
        }
    }

    /// For each version text, in order, whether it is admitted; `None` if it is not a strict
    /// version.
    pub fn judge<'a>(
        &self,
        versions: impl IntoIterator<Item = &'a str>,
    ) -> Vec<(&'a str, Option<bool>)> {
        versions
            .into_iter()
            .map(|text| (text, Version::parse(text).ok().map(|v| self.admits(&v))))
            .collect()
    }
}
