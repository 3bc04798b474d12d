//! `stable-head-prerelease`: an unfinished version is the head of a stable channel.

use super::super::rules::prelude::*;
use crate::version::Version;

pub const STABLE_HEAD_PRERELEASE: &str = "stable-head-prerelease";

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    STABLE_HEAD_PRERELEASE,
    Severity::Warning,
    Profile::Community,
    "The head of a channel named `stable` is a pre-release.",
    "Subscribers of a stable channel get its head. A version such as `2.0.0-rc.1` is not final. \
     Vendors' suffixes such as `-rhodf` do not count as pre-releases here, although a version range treats them as \
     such.",
    "Put the pre-release into a channel such as `candidate`, and let the newest final version be the head here.",
)
.in_templates()
.bad(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v2.0.0-rc.1\n  replaces: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "2.0.0-rc.1"),
))])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.1.0-vendor.3\n  replaces: etcd.v1.0.0"),
    channel!("etcd", "candidate", "- name: etcd.v2.0.0-rc.1"),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0-vendor.3"),
    bundle!("etcd", "2.0.0-rc.1"),
))]);

/// Prefixes of the first prerelease identifier of unfinished versions.
const UNFINISHED: [&str; 11] = [
    "alpha", "beta", "rc", "dev", "pre", "preview", "nightly", "snapshot", "test", "canary", "ea",
];

pub(in crate::validate) fn check(
    scope: &Scope<'_>,
    channel: &ChannelScope<'_>,
    out: &mut Findings,
) {
    let name = &channel.blob.name.value;
    if !name.to_ascii_lowercase().starts_with("stable") {
        return;
    }
    for &head in channel.heads() {
        let Some((_, bundle)) = scope.bundle(channel.name_of(head)) else {
            continue;
        };
        if !is_unfinished(bundle.version()) {
            continue;
        }
        let entry = channel.entries[head];
        let message = format!(
            "head `{}` of channel `{name}` is the pre-release {}",
            entry.name.value,
            bundle.version()
        );
        let finding = Finding::new(channel.anchor(entry.name.place), message).help(DOC.fix);
        out.report(finding.channel(name).bundle(&entry.name.value));
    }
}

/// Whether the version's name marks it as unfinished.
pub fn is_unfinished(version: &str) -> bool {
    let Ok(version) = Version::parse(version) else {
        return false;
    };
    let word = version
        .prerelease()
        .split(['.', '-'])
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    UNFINISHED.contains(&letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_unfinished() {
        for version in [
            "1.0.0-rc.1",
            "1.0.0-rc1",
            "1.0.0-beta",
            "1.0.0-Alpha.2",
            "1.0.0-dev-3",
        ] {
            assert!(is_unfinished(version), "{version}");
        }
        for version in [
            "1.0.0",
            "1.0.0-1",
            "4.17.1-rhodf",
            "1.0.0-0.123.p",
            "1.0.0-release.1",
            "no version",
        ] {
            assert!(!is_unfinished(version), "{version}");
        }
    }
}
