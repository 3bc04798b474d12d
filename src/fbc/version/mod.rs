//! Versions, releases and the two range dialects of the field, exactly as the reference tools read them.
//!
//! [`Version`] is strict semver as blang/semver v4 parses it (bundle versions, skipRange bounds, installed versions);
//! [`Release`] and [`VersionRelease`] order rebuilds of one version; [`blang`] reads the ranges of `skipRange`,
//! `olm.package.required` and `opm`, [`masterminds`] those of a ClusterExtension under OLM v1: each is named after the Go
//! library whose dialect it is.
//! [`openshift`] is the versions of clusters. [`AnyRange`] hides the dialect where only the answers matter.
//!
//! Knows nothing of packages, channels or files.

pub mod blang;
mod error;
mod expansion;
pub mod masterminds;
pub mod openshift;
mod range_dialect;
pub mod release;
pub mod repair;
mod runs;
mod semantic;
#[cfg(test)]
mod tests;
mod version_in_name;
pub mod version_line;

pub use error::RangeError;
pub use expansion::Expansion;
pub use range_dialect::{AnyRange, Dialect};
pub use release::{PackageVersion, Release, VersionRelease};
pub use semantic::{Version, VersionError};
pub use version_in_name::version_in_name;
