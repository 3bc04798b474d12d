//! `bundle-release-format`: a release that is not a dotted list of prerelease identifiers, or is too
//! long. `opm`: `error parsing bundle "b" release version "r": invalid release "r": ...`.

use super::prelude::*;
use crate::version::Release;
use crate::version::release::MAX_LENGTH;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "bundle-release-format",
    "error parsing bundle %q release version %q: invalid release %q: <error>",
    "The release of a bundle is malformed.",
    "Releases order rebuilds of one version; they are compared like semver prereleases and become part of object names.",
    "Write identifiers of letters, digits and dashes joined by dots, up to 20 characters, numbers without leading zeros.",
)
.since(62)
.bad(&[Example::Catalog(concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd-v1.0.0-1"), "---\nschema: olm.bundle\npackage: etcd\nname: etcd-v1.0.0-1\nimage: quay.io/example/etcd:v1.0.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n    release: '01'\n"))])
.good(&[Example::Catalog(concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd-v1.0.0-1"), "---\nschema: olm.bundle\npackage: etcd\nname: etcd-v1.0.0-1\nimage: quay.io/example/etcd:v1.0.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n    release: '1'\n"))]);

/// The `opm` version that limits the length; the format check is older.
pub const LENGTH_SINCE: OpmVersion = OpmVersion { minor: 68 };

pub(in crate::validate) fn check(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let [property] = &bundle.package_properties[..] else {
        return;
    };
    if bundle.properties_fault.is_some() {
        return;
    }
    let Some(written) = &property.release else {
        return;
    };
    let (name, release) = (&bundle.name.value, &written.value);
    if let Err(error) = Release::parse(release) {
        let since = (release.len() > MAX_LENGTH).then_some(LENGTH_SINCE);
        let is_newer = |since| out.opm_version.is_some_and(|version| version < since);
        if since.is_some_and(is_newer) {
            return;
        }
        let opm = format!(
            "error parsing bundle {} release version {}: {error}",
            quote(name),
            quote(release)
        );
        let message = format!(
            "release `{release}` of bundle `{name}` is malformed: {}",
            reason(&error.0)
        );
        let help = zeros_removed(release).map_or_else(
            || DOC.fix.to_owned(),
            |release| {
                format!(
                    "write `'{release}'`: a number has no leading zeros, and the value needs quotes"
                )
            },
        );
        out.refuse(
            opm,
            Finding {
                since,
                ..Finding::new(out.here(written.place), message)
                    .help(help)
                    .bundle(name)
            },
        );
    }
}

/// The error without the release, which the message already contains.
fn reason(error: &str) -> String {
    let reason = error
        .strip_prefix("invalid release ")
        .and_then(|rest| rest.split_once(": "))
        .map_or(error, |(_, reason)| reason);
    reason.replace('\n', "; ")
}

/// The release without leading zeros in its numbers, if they are the only mistake.
fn zeros_removed(release: &str) -> Option<String> {
    let is_number = |part: &str| part.chars().all(|c| c.is_ascii_digit());
    let parts: Vec<&str> = release
        .split('.')
        .map(|part| match part.trim_start_matches('0') {
            _ if !is_number(part) => part,
            "" if !part.is_empty() => "0",
            number => number,
        })
        .collect();
    let written = parts.join(".");
    (written != release && Release::parse(&written).is_ok()).then_some(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_zeros_are_removed() {
        assert_eq!(zeros_removed("01").as_deref(), Some("1"));
        assert_eq!(zeros_removed("rc.007.00").as_deref(), Some("rc.7.0"));
        assert_eq!(zeros_removed("1"), None);
        assert_eq!(zeros_removed("0a_1"), None);
    }

    #[test]
    fn the_reason_is_named_without_the_release() {
        let error = Release::parse("01").expect_err("it has a leading zero");
        assert_eq!(
            reason(&error.0),
            "segment 0: Numeric PreRelease version must not contain leading zeroes \"01\""
        );
    }
}
