//! OpenShift versions: major and minor, and their spelling in `olm.maxOpenShiftVersion`
//! (`olm-resolution` 4.1).

use super::Version;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use syntax::go_text::quote;

/// The first version whose catalogs use `olm.csv.metadata`.
pub const FIRST_WITH_CSV_METADATA: OpenShift = OpenShift::new(4, 17);

/// Words before the version in names of catalogs.
const CATALOG_WORDS: [&str; 35] = [
    "ocp",
    "openshift",
    "okd",
    "catalog",
    "catalogs",
    "index",
    "indexes",
    "fbc",
    "fragment",
    "release",
    "releases",
    "rel",
    "version",
    "operators",
    "operatorhub",
    "marketplace",
    "hub",
    "cluster",
    "clusters",
    "stable",
    "prod",
    "production",
    "preprod",
    "stage",
    "staging",
    "dev",
    "devel",
    "test",
    "testing",
    "qa",
    "candidate",
    "fast",
    "eus",
    "next",
    "nightly",
];
/// After these, three digits are a version too: `ocp418`.
const PLATFORM_WORDS: [&str; 3] = ["ocp", "openshift", "okd"];

/// Major and minor version of OpenShift, as written. 4.23 and 5.0 are equal.
#[derive(Debug, Clone, Copy)]
pub struct OpenShift {
    major: u64,
    minor: u64,
}

impl PartialEq for OpenShift {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for OpenShift {}

impl Ord for OpenShift {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for OpenShift {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for OpenShift {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.rank().hash(state);
    }
}

impl OpenShift {
    pub const fn new(major: u64, minor: u64) -> Self {
        Self { major, minor }
    }

    /// Returns the major and minor version, as written.
    pub fn parts(self) -> (u64, u64) {
        (self.major, self.minor)
    }

    fn rank(self) -> (u64, u64) {
        match self.parts() {
            (4, 23) => (5, 0),
            parts => parts,
        }
    }

    /// Returns the minor version that an update reaches next; 4.23 counts as 5.0.
    pub fn next(self) -> Self {
        let (major, minor) = self.rank();
        Self {
            major,
            minor: minor.saturating_add(1),
        }
    }
}

impl std::fmt::Display for OpenShift {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Why a value of `olm.maxOpenShiftVersion` is not a version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct UnreadableLimit {
    /// In our wording.
    pub reason: String,
    /// As reported by OLM Classic.
    pub olm: String,
}

/// Parses a text of `olm.maxOpenShiftVersion`, quoted or not; the error is OLM's.
pub fn parse_limit(text: &str) -> Result<OpenShift, UnreadableLimit> {
    let text = text.trim_matches('"');
    if text.is_empty() {
        return Err(UnreadableLimit {
            reason: "the value is empty".to_owned(),
            olm: r#"value cannot be "" (an empty string)"#.to_owned(),
        });
    }
    let version = Version::parse_tolerant(text).map_err(|error| UnreadableLimit {
        reason: format!("`{text}` is not a version; write `MAJOR.MINOR`, such as `4.18`"),
        olm: format!("failed to parse {} as semver: {error}", quote(text)),
    })?;
    if version.patch() != 0 || !version.prerelease().is_empty() {
        return Err(UnreadableLimit {
            reason: format!("`{text}` has more than `MAJOR.MINOR`"),
            olm: format!(
                "property olm.maxOpenShiftVersion must specify only <major>.<minor> version, got invalid value {text}"
            ),
        });
    }
    Ok(OpenShift::new(version.major(), version.minor()))
}

/// Parses a value of `olm.maxOpenShiftVersion` like OpenShift's operator for OLM v1, which is
/// stricter than Classic: a text has exactly one dot and no `v`, a number has a fraction. `json` is
/// the value as JSON.
pub fn parse_limit_in_v1(json: &str) -> Result<OpenShift, UnreadableLimit> {
    let version = parse_limit(json)?;
    let text = json.trim_matches('"');
    if text.starts_with('v') || text.matches('.').count() != 1 {
        let reason = format!("OLM v1 reads only `MAJOR.MINOR`, not `{text}`");
        return Err(UnreadableLimit {
            olm: reason.clone(),
            reason,
        });
    }
    Ok(version)
}

/// Parses a cluster version as written by people and `oc`: `4.18`, `4.18.3`, `v4.18.0-rc.1`. Patch
/// version and prerelease are ignored, like in OLM.
pub fn parse_cluster(text: &str) -> Result<OpenShift, String> {
    let version = Version::parse_tolerant(text).ok();
    version
        .filter(|version| text.contains('.') && version.major() >= 4)
        .map(|version| OpenShift::new(version.major(), version.minor()))
        .or_else(|| in_name(text).map(|(version, _)| version))
        .ok_or_else(|| format!("`{text}` is not an OpenShift version"))
}

/// How certain it is that a name contains an OpenShift version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// It mentions OpenShift, or contains a minor version only: `v4.18`, `openshift-v4.18`,
    /// `v4.18-prod`, `4.18.0-rc1`.
    Certain,
    /// A bare full version like `4.18.3`: OpenShift's in a catalog folder's name, the operator's in
    /// a bundle's name.
    Bare,
}

/// Finds the OpenShift version in the name of a folder or catalog, in any case: `4.18`, `v4.18`,
/// `ocp-4.18`, `openshift-v4.18`, `v4.18-prod`, `v4.18.0-rc1`, `catalog_4-18`,
/// `redhat-operator-index-v4.18`, `ocp418`. Ignores the patch version. An operator's own version
/// (`etcd-4.18`) does not count, nor does one before OpenShift 4.
pub fn in_name(name: &str) -> Option<(OpenShift, Certainty)> {
    let name = name.to_ascii_lowercase();
    name.match_indices(['4', '5'])
        .find_map(|(start, _)| version_at(&name, start))
}

/// Parses the version that starts at this position of a name in lower case.
fn version_at(name: &str, start: usize) -> Option<(OpenShift, Certainty)> {
    let (before, text) = (name.get(..start)?, name.get(start..)?);
    let unversioned = before.strip_suffix('v');
    let has_v = unversioned.is_some_and(|before| {
        before.is_empty()
            || before.ends_with(is_separator)
            || PLATFORM_WORDS.iter().any(|word| before.ends_with(word))
    });
    let before = if has_v { unversioned? } else { before };
    let prefix = before.trim_end_matches(is_separator);
    let word = prefix.rsplit(is_separator).next().unwrap_or_default();
    let is_separate =
        before.is_empty() || prefix.len() < before.len() || PLATFORM_WORDS.contains(&word);
    if !is_separate || !(word.is_empty() || CATALOG_WORDS.contains(&word)) {
        return None;
    }
    let (version, has_patch, rest) = parse_minor_version(text, PLATFORM_WORDS.contains(&word))?;
    let is_bare = before.is_empty() && !has_v && has_patch && rest.is_empty();
    Some((
        version,
        if is_bare {
            Certainty::Bare
        } else {
            Certainty::Certain
        },
    ))
}

fn is_separator(c: char) -> bool {
    matches!(c, '-' | '_' | '.' | ':' | '@' | ' ')
}

/// Parses the version at the start of the text. Returns whether a patch version follows, and the
/// rest.
fn parse_minor_version(text: &str, is_platform: bool) -> Option<(OpenShift, bool, &str)> {
    let major: u64 = text.get(..1)?.parse().ok()?;
    if is_platform && digit_count(text) == 3 {
        let rest = text.get(3..)?;
        let ends = rest.is_empty() || rest.starts_with(['-', '_']);
        return ends.then_some((
            OpenShift::new(major, text.get(1..3)?.parse().ok()?),
            false,
            rest,
        ));
    }
    let after = text.get(1..)?;
    let separator = after
        .chars()
        .next()
        .filter(|c| matches!(c, '.' | '-' | '_'))?;
    let after = after.get(1..)?;
    let length = digit_count(after);
    if !(1..=2).contains(&length) {
        return None;
    }
    let version = OpenShift::new(major, after.get(..length)?.parse().ok()?);
    let rest = after.get(length..)?;
    let (has_patch, rest) = match rest
        .strip_prefix('.')
        .map(|patch| (digit_count(patch), patch))
    {
        Some((0, patch)) if patch.starts_with(['x', 'z', '*']) => (false, patch.get(1..)?),
        Some((0, _)) => return None,
        Some((length, patch)) => (true, patch.get(length..)?),
        None => (false, rest),
    };
    // `4-18-2026` is a date.
    let is_date = separator != '.' && rest.get(1..).is_some_and(|rest| digit_count(rest) > 0);
    let rest = without_prerelease(rest);
    let ends = rest.is_empty() || rest.starts_with(['-', '_', '+', ':', '@', ' ']);
    (ends && !is_date).then_some((version, has_patch, rest))
}

fn digit_count(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Returns the rest after a prerelease without a separator: `4.18.0rc1`.
fn without_prerelease(rest: &str) -> &str {
    let after = ["rc", "ec", "fc", "ga", "alpha", "beta"]
        .iter()
        .find_map(|word| rest.strip_prefix(word));
    after.map_or(rest, |after| {
        after.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_common_catalog_names() {
        let found_in =
            |name: &str| in_name(name).map(|(version, certainty)| (version.to_string(), certainty));
        for name in [
            "4.18",
            "v4.18",
            "V4.18",
            "ocp-4.18",
            "ocp-v4.18",
            "OCP_v4.18",
            "ocp4.18",
            "ocpv4.18",
            "openshift-4.18",
            "openshift-v4.18",
            "openshift4.18",
            "okd-4.18",
            "v4.18-prod",
            "4.18-stage",
            "v4.18_eus",
            "prod-v4.18",
            "prod-4.18",
            "v4.18.0",
            "v4.18.3",
            "v4.18.0-rc1",
            "4.18.0-rc.1",
            "v4.18.0rc1",
            "4.18rc.2",
            "v4.18-rc.1-prod",
            "4.18.0-ec.2",
            "OpenShift 4.18",
            "ocp_4_18",
            "cluster-4.18.3",
            "v4.18.z",
            "4.18.x",
            "release-4.18",
            "catalog-v4.18",
            "catalog_4.18",
            "catalog-4-18",
            "v4-18",
            "v4_18",
            "fbc-v4-18",
            "ocp418",
            "ocp-418",
            "openshift-418-prod",
            "redhat-operator-index-v4.18",
            "redhat-operator-index:v4.18",
            "community-operators-4.18",
            "rhoai-fbc-fragment-ocp-418",
            "my-team-catalog-v4.18",
            "stable-4.18",
            "4.18.0-0.nightly-2026-01-02-030405",
        ] {
            assert_eq!(
                found_in(name),
                Some(("4.18".to_owned(), Certainty::Certain)),
                "{name}"
            );
        }
        assert_eq!(
            found_in("4.18.3"),
            Some(("4.18".to_owned(), Certainty::Bare))
        );
        assert_eq!(
            found_in("ocp-v5.0").map(|(version, _)| version).as_deref(),
            Some("5.0")
        );
        for name in [
            "",
            "v4",
            "4",
            "4.",
            "4.x",
            "v4.x",
            "stable",
            "etcd-4.18",
            "etcd-operator-v4.18",
            "1.2",
            "v3.11",
            "v14.18",
            "4.180",
            "v4.18abc",
            "v4.18rcx",
            "v4.18.yaml",
            "catalog-4.18.yaml",
            "4-18-2026",
            "2024.18",
            "418",
            "v418",
            "a4.18",
            "openshift-gitops-4.18",
            "é4.18",
        ] {
            assert_eq!(found_in(name), None, "{name}");
        }
    }

    #[test]
    fn parses_cluster_versions() {
        for text in [
            "4.18",
            "4.18.3",
            "v4.18.3",
            "4.18.0-rc1",
            "4.18.0-rc.1",
            "4.18.3+build",
            "4.18.0-0.nightly-2026-01-02",
        ] {
            assert_eq!(
                parse_cluster(text)
                    .map(|version| version.to_string())
                    .as_deref(),
                Ok("4.18"),
                "{text}"
            );
        }
        assert_eq!(parse_cluster("4.23.1"), parse_cluster("5.0"));
        for text in ["", "4", "1.31", "stable", "4.x"] {
            assert!(parse_cluster(text).is_err(), "{text}");
        }
    }

    #[test]
    fn some_values_are_valid_only_for_classic() {
        for json in ["\"4.18\"", "4.18", "\"4.08\""] {
            assert_eq!(parse_limit_in_v1(json), parse_limit(json), "{json}");
        }
        for json in ["\"4.18.0\"", "\"v4.18\"", "\"5\"", "5", "\"4.8.0+b\""] {
            assert!(
                parse_limit(json).is_ok() && parse_limit_in_v1(json).is_err(),
                "{json}"
            );
        }
    }

    #[test]
    fn values_are_parsed_like_olm() {
        for (json, version) in [
            ("\"4.18\"", Some("4.18")),
            ("\"4.8.0\"", Some("4.8")),
            ("\"4.8.0+b\"", Some("4.8")),
            ("4.1", Some("4.1")),
            ("\"4.23\"", Some("4.23")),
            ("\"\"", None),
            ("\"4.8.1\"", None),
            ("\"1.1.0-pre\"", None),
            ("\"x\"", None),
            ("{}", None),
        ] {
            assert_eq!(
                parse_limit(json).ok().map(|v| v.to_string()).as_deref(),
                version,
                "{json}"
            );
        }
    }
}
