//! Versions, releases and the two range dialects, parsed exactly like the reference tools.
//!
//! [`Version`] is strict semver as parsed by blang/semver v4 (bundle versions, skipRange bounds,
//! installed versions); [`Release`] and [`VersionRelease`] order rebuilds of a version; [`blang`]
//! parses the ranges of `skipRange`, `olm.package.required` and `opm`, [`masterminds`] those of a
//! ClusterExtension under OLM v1: each is named after its Go library. [`openshift`] has cluster
//! versions. [`AnyRange`] hides the dialect where only the answers matter.
//!
//! Knows no packages, channels or files.

pub mod blang;
pub mod masterminds;
pub mod openshift;
pub mod range;
pub mod semantic;
#[cfg(test)]
mod tests;
pub mod version_line;

pub use range::{AnyRange, Dialect, Expansion};
pub use semantic::{
    PackageVersion, RangeError, Release, Version, VersionError, VersionRelease, version_in_name,
};
