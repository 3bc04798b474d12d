//! Releases, which order rebuilds of a version.

use super::semantic::{Version, VersionError, check_prerelease_identifier, parse_prerelease};
use crate::go_text::quote;
use std::cmp::Ordering;
use std::fmt;

/// Longest release text, in bytes (`opm-semantics` 2.2).
pub const MAX_LENGTH: usize = 20;

/// An existing release: 1 to 20 bytes of dot-separated semver prerelease identifiers. Use
/// `Option<Release>` for an absent one; it orders correctly: `None` comes first.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Release(semver::Prerelease);

impl Release {
    /// `Ok(None)` for "". The error lists every bad segment, one per line.
    pub fn parse(text: &str) -> Result<Option<Self>, VersionError> {
        if text.is_empty() {
            return Ok(None);
        }
        let refuse = |why: &str| {
            Err(VersionError(format!(
                "invalid release {}: {why}",
                quote(text)
            )))
        };
        if text.len() > MAX_LENGTH {
            return refuse("exceeds maximum length of 20 characters");
        }
        let faults: Vec<String> = text
            .split('.')
            .enumerate()
            .filter_map(|(i, s)| {
                check_prerelease_identifier(s)
                    .err()
                    .map(|e| format!("segment {i}: {e}"))
            })
            .collect();
        if !faults.is_empty() {
            return refuse(&faults.join("\n"));
        }
        parse_prerelease(text).map(|release| Some(Self(release)))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Ord for Release {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl PartialOrd for Release {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A version and the release that orders its rebuilds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VersionRelease {
    pub version: Version,
    pub release: Option<Release>,
}

impl VersionRelease {
    /// Reads a version like OLM v1 (`olm-resolution` 1.2): build metadata that is a valid release
    /// becomes the release; other build metadata stays in the version without effect.
    pub fn from_v1(version: &Version) -> Self {
        match Release::parse(version.build()) {
            Ok(Some(release)) => Self {
                version: version.without_build(),
                release: Some(release),
            },
            _ => Self {
                version: version.clone(),
                release: None,
            },
        }
    }

    /// By version precedence, then by release.
    pub fn compare(&self, other: &Self) -> Ordering {
        self.version
            .cmp_precedence(&other.version)
            .then_with(|| self.release.cmp(&other.release))
    }

    /// Kubernetes-compatible text for a name: `version[-release]`, `+` as `-`, in lower case.
    pub fn kubernetes_safe(&self) -> String {
        let mut text = self.version.to_string();
        if let Some(release) = &self.release {
            text.push('-');
            text.push_str(release.as_str());
        }
        text.replace('+', "-").to_lowercase()
    }
}

/// An `olm.package` property as operator-registry uses it to order bundles (`opm-semantics` 2.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackageVersion<'a> {
    pub version: &'a str,
    /// "" if absent.
    pub release: &'a str,
    /// The bundle has the annotation `olm.substitutesFor`, so its build metadata is an old-style
    /// release.
    pub substitutes_for: bool,
}

impl PackageVersion<'_> {
    /// Version and release; `bundle` is the name quoted in errors.
    pub fn read(&self, bundle: &str) -> Result<VersionRelease, VersionError> {
        let of_bundle = |what: &str, text: &str, error: VersionError| {
            VersionError(format!(
                "invalid {what} {} in \"olm.package\" property for bundle {}: {error}",
                quote(text),
                quote(bundle)
            ))
        };
        let version = Version::parse(self.version)
            .map_err(|e| of_bundle("semver version", self.version, e))?;
        let release =
            Release::parse(self.release).map_err(|e| of_bundle("release", self.release, e))?;
        if release.is_some() || !self.substitutes_for || version.build().is_empty() {
            return Ok(VersionRelease { version, release });
        }
        let release = Release::parse(version.build()).map_err(|e| {
            VersionError(format!(
                "unable to convert build metadata to release for bundle {}: {e}",
                quote(bundle)
            ))
        })?;
        Ok(VersionRelease {
            version: version.without_build(),
            release,
        })
    }
}
