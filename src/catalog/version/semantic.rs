//! Versions: strict and tolerant parsing, precedence, and the version in a bundle's name. Releases,
//! which order rebuilds of a version.

use std::cmp::Ordering;
use std::fmt;
use syntax::go_text::quote;

/// Longer names, in bytes, are not searched for a version: the search may be quadratic.
const MAX_SEARCHED_NAME: usize = 512;

/// Maximum length of a release, in bytes (`opm-semantics` 2.2).
pub const MAX_RELEASE_LENGTH: usize = 20;

/// A strict semantic version as accepted by blang/semver v4 (`opm-semantics` 3.1).
///
/// Nothing is normalized, so `Display` returns the parsed text. Equality and hashing use that text;
/// for precedence see [`Version::cmp_precedence`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Version(semver::Version);

/// Why a text is not a version, in the wording of blang/semver.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct VersionError(pub String);

/// Why a text is not a range, in the wording of the dialect's library.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RangeError(pub String);

impl Version {
    /// Parses `major.minor.patch[-prerelease][+build]` without surrounding text, `v` or leading
    /// zeros; numbers up to `u64::MAX`. The error is that of the first failing check: major, minor,
    /// patch, prerelease, build.
    pub fn parse(text: &str) -> Result<Self, VersionError> {
        if text.is_empty() {
            return refuse("Version string empty");
        }
        let mut parts = text.splitn(3, '.');
        let (Some(major), Some(minor), Some(rest)) = (parts.next(), parts.next(), parts.next())
        else {
            return refuse("No Major.Minor.Patch elements found");
        };
        let major = parse_number(major, "Major")?;
        let minor = parse_number(minor, "Minor")?;
        let (rest, build) = split_once_or_all(rest, '+');
        let (patch, prerelease) = split_once_or_all(rest, '-');
        let patch = parse_number(patch, "Patch")?;
        let prerelease = prerelease.map_or(Ok(semver::Prerelease::EMPTY), parse_prerelease)?;
        let build = build.map_or(Ok(semver::BuildMetadata::EMPTY), parse_build)?;
        Ok(Self(semver::Version {
            major,
            minor,
            patch,
            pre: prerelease,
            build,
        }))
    }

    /// Like blang's `ParseTolerant`: trims, drops one `v`, pads `1` and `1.2`, strips leading zeros
    /// of the three parts. Used for `olm.maxOpenShiftVersion`, `semver_compare` in CEL and the
    /// version of a v0 record.
    pub fn parse_tolerant(text: &str) -> Result<Self, VersionError> {
        let text = text.trim();
        let text = text.strip_prefix('v').unwrap_or(text);
        let mut parts: Vec<String> = text.splitn(3, '.').map(without_leading_zeros).collect();
        if parts.len() < 3 {
            if parts.last().is_some_and(|p| p.contains(['+', '-'])) {
                return refuse("Short version cannot contain PreRelease/Build meta data");
            }
            parts.resize(3, "0".to_owned());
        }
        Self::parse(&parts.join("."))
    }

    /// Creates a version without prerelease and build metadata.
    pub const fn new(major: u64, minor: u64, patch: u64) -> Self {
        Self(semver::Version::new(major, minor, patch))
    }

    pub fn major(&self) -> u64 {
        self.0.major
    }

    pub fn minor(&self) -> u64 {
        self.0.minor
    }

    pub fn patch(&self) -> u64 {
        self.0.patch
    }

    /// Returns the prerelease without the `-`; "" if there is none.
    pub fn prerelease(&self) -> &str {
        &self.0.pre
    }

    /// Returns the build metadata without the `+`; "" if there is none.
    pub fn build(&self) -> &str {
        &self.0.build
    }

    pub fn without_build(&self) -> Self {
        Self(semver::Version {
            build: semver::BuildMetadata::EMPTY,
            ..self.0.clone()
        })
    }

    /// Returns the release that a prerelease leads to: `1.2.0` for `1.2.0-rc.1`.
    pub fn release_version(&self) -> Self {
        Self(semver::Version {
            pre: semver::Prerelease::EMPTY,
            build: semver::BuildMetadata::EMPTY,
            ..self.0.clone()
        })
    }

    pub fn lowest() -> Option<Self> {
        Self::parse("0.0.0-0").ok()
    }

    /// Returns the lowest version above this one: `1.2.4-0` for `1.2.3`, `1.2.3-rc.0` for
    /// `1.2.3-rc`. `None` if there is none.
    pub fn successor(&self) -> Option<Self> {
        let (major, minor, patch) = (self.major(), self.minor(), self.patch());
        if !self.prerelease().is_empty() {
            return Self::with_prerelease(major, minor, patch, &format!("{}.0", self.prerelease()));
        }
        // Numbers may be as large as a `u64`.
        if let Some(patch) = patch.checked_add(1) {
            return Self::with_prerelease(major, minor, patch, "0");
        }
        if let Some(minor) = minor.checked_add(1) {
            return Self::with_prerelease(major, minor, 0, "0");
        }
        Self::with_prerelease(major.checked_add(1)?, 0, 0, "0")
    }

    /// Creates a version without build metadata; `None` if the prerelease is invalid. "": none.
    pub(super) fn with_prerelease(
        major: u64,
        minor: u64,
        patch: u64,
        prerelease: &str,
    ) -> Option<Self> {
        Some(Self(semver::Version {
            major,
            minor,
            patch,
            pre: semver::Prerelease::new(prerelease).ok()?,
            build: semver::BuildMetadata::EMPTY,
        }))
    }

    /// Compares by semver 2.0 precedence; build metadata is ignored.
    pub fn cmp_precedence(&self, other: &Self) -> Ordering {
        self.0.cmp_precedence(&other.0)
    }

    /// Compares versions by precedence; missing ones are lowest.
    pub fn compare_optional(a: &Option<Self>, b: &Option<Self>) -> Ordering {
        compare_known(a, b, Self::cmp_precedence)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::str::FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        Self::parse(text)
    }
}

/// Finds the version at the end of a name: `op.v1.2.3` and `op-v1.2.3-rc.1` have one, `op.v1.2`
/// does not.
///
/// The longest suffix that is a strict version counts; it starts the name or follows `v`, `.`, `-`
/// or `_` (a `v` itself must follow one of these). A suffix after a number and a dot is part of
/// that number: `op.v1.2.3.4` has none.
pub fn version_in_name(name: &str) -> Option<(&str, Version)> {
    if name.len() > MAX_SEARCHED_NAME {
        return None;
    }
    (0..name.len())
        .filter(|&start| may_start_version(name.as_bytes(), start))
        .find_map(|start| {
            let suffix = name.get(start..)?;
            Some((suffix, Version::parse(suffix).ok()?))
        })
}

fn may_start_version(name: &[u8], start: usize) -> bool {
    name[start].is_ascii_digit()
        && match &name[..start] {
            [.., digit, b'.'] if digit.is_ascii_digit() => false,
            [before @ .., b'v' | b'V'] => is_at_separator(before),
            before => is_at_separator(before),
        }
}

/// Whether a new part of a name begins after `before`.
fn is_at_separator(before: &[u8]) -> bool {
    matches!(before, [] | [.., b'.' | b'-' | b'_'])
}

/// Parses dot-separated prerelease identifiers, as blang checks them one by one.
fn parse_prerelease(text: &str) -> Result<semver::Prerelease, VersionError> {
    for identifier in text.split('.') {
        check_prerelease_identifier(identifier)?;
    }
    semver::Prerelease::new(text).map_err(|e| VersionError(e.to_string()))
}

/// Checks one identifier: not empty, `[0-9A-Za-z-]`, and if numeric a u64 without leading zeros.
fn check_prerelease_identifier(identifier: &str) -> Result<(), VersionError> {
    if identifier.is_empty() {
        return refuse("Prerelease is empty");
    }
    if is_digits(identifier) {
        if has_leading_zero(identifier) {
            return refuse(format!(
                "Numeric PreRelease version must not contain leading zeroes {}",
                quote(identifier)
            ));
        }
        return parse_u64(identifier).map(drop);
    }
    if !is_identifier(identifier) {
        return refuse(format!(
            "Invalid character(s) found in prerelease {}",
            quote(identifier)
        ));
    }
    Ok(())
}

fn parse_build(text: &str) -> Result<semver::BuildMetadata, VersionError> {
    for identifier in text.split('.') {
        if identifier.is_empty() {
            return refuse("Build meta data is empty");
        }
        if !is_identifier(identifier) {
            return refuse(format!(
                "Invalid character(s) found in build meta data {}",
                quote(identifier)
            ));
        }
    }
    semver::BuildMetadata::new(text).map_err(|e| VersionError(e.to_string()))
}

fn parse_number(text: &str, part: &str) -> Result<u64, VersionError> {
    if !is_digits(text) {
        return refuse(format!(
            "Invalid character(s) found in {} number {}",
            part.to_lowercase(),
            quote(text)
        ));
    }
    if has_leading_zero(text) {
        return refuse(format!(
            "{part} number must not contain leading zeroes {}",
            quote(text)
        ));
    }
    parse_u64(text)
}

/// Parses a number. `digits` only contains ASCII digits, or is empty.
fn parse_u64(digits: &str) -> Result<u64, VersionError> {
    digits.parse().map_err(|_| {
        let why = if digits.is_empty() {
            "invalid syntax"
        } else {
            "value out of range"
        };
        VersionError(format!(
            "strconv.ParseUint: parsing {}: {why}",
            quote(digits)
        ))
    })
}

fn without_leading_zeros(part: &str) -> String {
    if part.len() < 2 {
        return part.to_owned();
    }
    let stripped = part.trim_start_matches('0');
    let zero = if stripped.starts_with(|c: char| c.is_ascii_digit()) {
        ""
    } else {
        "0"
    };
    format!("{zero}{stripped}")
}

fn split_once_or_all(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at)
        .map_or((text, None), |(before, after)| (before, Some(after)))
}

/// Whether a text consists of digits. True for "" too: the reference detects that only when it
/// parses the number.
fn is_digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

fn is_identifier(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

fn has_leading_zero(digits: &str) -> bool {
    digits.len() > 1 && digits.starts_with('0')
}

fn refuse<T>(message: impl Into<String>) -> Result<T, VersionError> {
    Err(VersionError(message.into()))
}

/// A release: 1 to 20 bytes of dot-separated semver prerelease identifiers. An absent one is
/// `None`, which is ordered first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release(semver::Prerelease);

impl Release {
    /// Parses a release; `Ok(None)` for "". The error lists every bad segment, one per line.
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
        if text.len() > MAX_RELEASE_LENGTH {
            return refuse("exceeds maximum length of 20 characters");
        }
        let mut faults = Vec::new();
        for (index, segment) in text.split('.').enumerate() {
            if let Err(error) = check_prerelease_identifier(segment) {
                faults.push(format!("segment {index}: {error}"));
            }
        }
        if !faults.is_empty() {
            return refuse(&faults.join("\n"));
        }
        parse_prerelease(text).map(|release| Some(Self(release)))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Compares with `compare` where both are known; a missing one is lowest.
fn compare_known<T>(a: &Option<T>, b: &Option<T>, compare: fn(&T, &T) -> Ordering) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => compare(a, b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

/// A version and the release that orders its rebuilds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VersionRelease {
    pub version: Version,
    pub release: Option<Release>,
}

impl VersionRelease {
    /// Compares versions with their releases; missing ones are lowest.
    pub fn compare_optional(a: &Option<Self>, b: &Option<Self>) -> Ordering {
        compare_known(a, b, Self::compare)
    }

    /// Interprets a version like OLM v1 (`olm-resolution` 1.2): build metadata that is a valid
    /// release becomes the release; other build metadata remains in the version without effect.
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

    /// Compares by version precedence, then by release.
    pub fn compare(&self, other: &Self) -> Ordering {
        self.version
            .cmp_precedence(&other.version)
            .then_with(|| self.release.cmp(&other.release))
    }
}

/// An `olm.package` property as operator-registry uses it to order bundles (`opm-semantics` 2.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackageVersion<'a> {
    pub version: &'a str,
    /// "" if absent.
    pub release: &'a str,
    /// Whether the bundle has the annotation `olm.substitutesFor`, so that its build metadata is an
    /// old-style release.
    pub substitutes_for: bool,
}

impl PackageVersion<'_> {
    /// Parses version and release; `bundle` is the name that errors contain.
    pub fn parse(&self, bundle: &str) -> Result<VersionRelease, VersionError> {
        let property_error = |field: &str, text: &str, error: VersionError| {
            VersionError(format!(
                "invalid {field} {} in \"olm.package\" property for bundle {}: {error}",
                quote(text),
                quote(bundle)
            ))
        };
        let version = Version::parse(self.version)
            .map_err(|e| property_error("semver version", self.version, e))?;
        let release =
            Release::parse(self.release).map_err(|e| property_error("release", self.release, e))?;
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
