//! Advice on unfinished versions.

use super::super::rules::prelude::*;
use crate::validate::spelling::compare_versions;
use catalog::version::Version;
use std::cmp::Ordering;
use syntax::hashed::HashSet;
use upgrade::v1::{self, Catalog};
use upgrade::{Installed, Options, UpgradeIndex};

pub const PRERELEASE_UNASKED: RuleDoc = RuleDoc::advice(
    "prerelease-unasked",
    Severity::Warning,
    Profile::Community,
    "Under OLM v1, users who name no channel get a pre-release.",
    "OLM v1 has no default channel: a ClusterExtension that names none takes the highest version that any channel \
     leads to. This upgrades users of the default channel's newest final version to a pre-release, and new users get \
     it too.",
    "Tell users of OLM v1 to name a channel. Leave out edges from final versions to pre-releases, so that users of a \
     final version stay there; new users are safe only if pre-releases are in a package or a catalog of their own.",
)
.bad(examples![concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0"),
    channel!("etcd", "candidate", "- name: etcd.v1.0.0", "- name: etcd.v1.1.0-rc.1\n  replaces: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0-rc.1"),
)])
.good(examples![concat!(
        package!("etcd", "stable"),
        channel!("etcd", "stable", "- name: etcd.v1.0.0"),
        channel!("etcd", "candidate", "- name: etcd.v1.0.0-rc.1"),
        bundle!("etcd", "1.0.0"),
        bundle!("etcd", "1.0.0-rc.1"),
    ),
    NIGHTLY]);

pub const UNFINISHED_CHANNEL_UNASKED: RuleDoc = RuleDoc::advice(
    "unfinished-channel-unasked",
    Severity::Warning,
    Profile::Community,
    "Under OLM v1, users who name no channel get a bundle that only a channel such as `candidate` or `nightly` lists.",
    "OLM v1 has no default channel: a ClusterExtension that names none takes the highest version that any channel \
     leads to, including `candidate` and `nightly`. Its version need not look like a pre-release.",
    "Tell users of OLM v1 to name a channel. Leave out edges from the default channel's versions to these, so that their \
     users stay there; new users are safe only if such bundles are in a package or a catalog of their own.",
)
.bad(examples![NIGHTLY])
.good(examples![concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0"),
    channel!("etcd", "nightly", "- name: etcd.v1.1.0"),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0"),
)]);

const NIGHTLY: &str = concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0"),
    channel!("etcd", "nightly", "- name: etcd.v1.1.0"),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0"),
);

/// Words in channel names that mark unfinished releases.
const UNFINISHED_AA: [&str; 12] = [
    "alpha",
    "beta",
    "candidate",
    "canary",
    "dev",
    "experimental",
    "nightly",
    "preview",
    "rc",
    "snapshot",
    "tech",
    "unstable",
];

pub fn check_prerelease_unasked(scope: &Scope<'_>, out: &mut Findings) {
    report(scope, true, out);
}

pub fn check_unfinished_channel_unasked(scope: &Scope<'_>, out: &mut Findings) {
    report(scope, false, out);
}

/// Reports the versions that users get without asking: prereleases or others, as requested.
fn report(scope: &Scope<'_>, wants_prerelease: bool, out: &mut Findings) {
    let Some(default) = scope.channel(scope.package.default_channel()) else {
        return;
    };
    // Users of an unfinished default channel expect unfinished versions.
    if is_unfinished_channel(default.blob.name.as_str()) {
        return;
    }
    let usual: HashSet<&str> = scope
        .channels
        .iter()
        .filter(|channel| !is_unfinished_channel(channel.blob.name.as_str()))
        .flat_map(|channel| channel.entries.iter().map(|e| e.name.as_str()))
        .collect();
    let is_finished = |bundle: &BundleBlob| {
        usual.contains(bundle.name.as_str()) && !is_unfinished(bundle.version())
    };
    let finished = |name: &str| {
        let (_, bundle) = scope.bundle(name)?;
        is_finished(bundle).then_some(bundle)
    };
    let newest = newest(
        default
            .entries
            .iter()
            .filter_map(|e| finished(e.name.as_str())),
    );
    let Some(newest) = newest else { return };
    // The check walks the whole package, so run it only if a bad result is possible.
    let is_risk = |b: &BundleBlob| {
        !is_finished(b) && compare_versions(b.version(), newest.version()) == Ordering::Greater
    };
    let is_wanted = |b: &BundleBlob| is_unfinished(b.version()) == wants_prerelease;
    if !scope
        .package
        .bundles
        .iter()
        .any(|b| is_risk(b) && is_wanted(b))
    {
        return;
    }
    let index = UpgradeIndex::new(scope.package);
    let next = |installed: Option<&Installed>| {
        let catalogs = [Catalog::only(&index)];
        let step = v1::next(
            &catalogs,
            None,
            &scope.package.name,
            installed,
            &Options::default(),
        )
        .next?;
        let (nth, bundle) = scope.bundle(&step.name)?;
        is_risk(bundle).then_some(nth)
    };
    let next_of = |bundle: &BundleBlob| {
        next(Some(&Installed::new(
            bundle.name.value.clone(),
            bundle.version(),
        )))
    };
    let users = |bundle: &BundleBlob| format!("users of `{}`", bundle.name.value);
    let (upgraded, fresh) = (next_of(newest), next(None));
    let mut affected = Vec::new();
    // The newest bundle of another channel may get the same upgrade as new installs.
    let common = if upgraded == fresh {
        Some(newest)
    } else {
        affected.push((upgraded, users(newest)));
        self::newest(usual.iter().filter_map(|&name| finished(name)))
            .filter(|latest| next_of(latest) == fresh)
    };
    let common = common.map(|bundle| users(bundle) + " and ");
    affected.push((fresh, common.unwrap_or_default() + "new users"));
    for (target, who) in affected {
        let Some(nth) = target else { continue };
        let bundle: &BundleBlob = &scope.package.bundles[nth as usize];
        if !is_wanted(bundle) {
            continue;
        }
        let name = &bundle.name.value;
        let what = match scope.first_to_list(name) {
            Some(channel) if !wants_prerelease => {
                format!("of channel `{}`", channel.blob.name.value)
            }
            _ => format!("({})", bundle.version()),
        };
        let message = format!("under OLM v1, {who} who name no channel get `{name}` {what}");
        let finding = Finding::new(
            Anchor::new(BlobRef::Bundle(nth), bundle.name.place),
            message,
        )
        .help(if wants_prerelease {
            PRERELEASE_UNASKED.fix
        } else {
            UNFINISHED_CHANNEL_UNASKED.fix
        });
        out.report(finding.bundle(name));
    }
}

fn newest<'b>(bundles: impl Iterator<Item = &'b BundleBlob>) -> Option<&'b BundleBlob> {
    bundles.max_by(|a, b| {
        compare_versions(a.version(), b.version()).then_with(|| a.name.value.cmp(&b.name.value))
    })
}

fn is_unfinished_channel(name: &str) -> bool {
    name.to_ascii_lowercase()
        .split(|c: char| !c.is_ascii_alphabetic())
        .any(|word| UNFINISHED_AA.contains(&word))
}

pub const STABLE_HEAD_PRERELEASE: RuleDoc = RuleDoc::advice(
    "stable-head-prerelease",
    Severity::Warning,
    Profile::Community,
    "The head of a channel named `stable` is a pre-release.",
    "Subscribers of a stable channel get its head. A version such as `2.0.0-rc.1` is not final. \
     Vendors' suffixes such as `-rhodf` do not count as pre-releases here, although a version range treats them as \
     such.",
    "Put the pre-release into a channel such as `candidate`, and let the newest final version be the head here.",
)
.in_templates()
.bad(examples![stable!("- name: etcd.v1.0.0", "- name: etcd.v2.0.0-rc.1\n  replaces: etcd.v1.0.0"; "1.0.0", "2.0.0-rc.1")])
.good(examples![concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.1.0-vendor.3\n  replaces: etcd.v1.0.0"),
    channel!("etcd", "candidate", "- name: etcd.v2.0.0-rc.1"),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0-vendor.3"),
    bundle!("etcd", "2.0.0-rc.1"),
)]);

/// Prefixes of the first prerelease identifier of unfinished versions.
const UNFINISHED_PREFIXES: [&str; 11] = [
    "alpha", "beta", "rc", "dev", "pre", "preview", "nightly", "snapshot", "test", "canary", "ea",
];

pub fn check_stable_head_prerelease(
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
        let finding = channel.finding(entry.name.place, message);
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
    UNFINISHED_PREFIXES.contains(&letters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::testing::Judge;
    use catalog::testing::PackageBuilder;

    #[test]
    fn the_message_names_affected_users() {
        let messages = PackageBuilder::new("p")
            .version("a", "1.0.0")
            .version("b", "1.1.0-rc.1")
            .channel("stable", &["a"])
            .channel("fast", &["a", "b r:a"])
            .advice("prerelease-unasked");
        assert_eq!(
            messages,
            ["under OLM v1, users of `a` and new users who name no channel get `b` (1.1.0-rc.1)"]
        );
        let messages = PackageBuilder::new("p")
            .version("a", "1.0.0")
            .version("b", "1.1.0-rc.1")
            .version("c", "1.2.0-rc.1")
            .channel("stable", &["a"])
            .channel("fast", &["a", "b r:a"])
            .channel("later", &["c"])
            .advice("prerelease-unasked");
        assert_eq!(
            messages,
            [
                "under OLM v1, users of `a` who name no channel get `b` (1.1.0-rc.1)",
                "under OLM v1, new users who name no channel get `c` (1.2.0-rc.1)"
            ]
        );
        let messages = PackageBuilder::new("p")
            .version("a", "1.0.0")
            .version("b", "1.1.0")
            .version("c", "1.2.0-rc.1")
            .channel("stable", &["a"])
            .channel("stable-1.1", &["a", "b r:a", "c r:b"])
            .advice("prerelease-unasked");
        assert_eq!(
            messages,
            ["under OLM v1, users of `b` and new users who name no channel get `c` (1.2.0-rc.1)"]
        );
        let nightly = PackageBuilder::new("p")
            .version("a", "1.0.0")
            .version("b", "1.1.0")
            .channel("stable", &["a"]);
        let messages = nightly
            .channel("nightly", &["b"])
            .advice("unfinished-channel-unasked");
        assert_eq!(
            messages,
            ["under OLM v1, new users who name no channel get `b` of channel `nightly`"]
        );
    }

    #[test]
    fn a_catalog_without_prereleases_has_no_advice() {
        let sketch = PackageBuilder::new("p")
            .version("a", "1.0.0")
            .version("b", "1.1.0")
            .channel("stable", &["a"])
            .channel("candidate", &["a", "b r:a"]);
        assert!(sketch.advice("prerelease-unasked").is_empty());
    }

    #[test]
    fn a_default_channel_named_alpha_is_accepted() {
        let sketch = PackageBuilder::new("p")
            .version("a", "1.0.0")
            .version("b", "1.1.0-rc.1");
        assert!(
            sketch
                .channel("alpha", &["a"])
                .channel("beta", &["a", "b r:a"])
                .advice("prerelease-unasked")
                .is_empty()
        );
    }

    #[test]
    fn recognizes_words_for_unfinished_versions() {
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
