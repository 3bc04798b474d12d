//! Rules about a bundle's properties: its package, version and release.

use super::prelude::*;
use crate::validate::spelling::compare_versions;
use catalog::model::load_rule;
use catalog::version::semantic::MAX_RELEASE_LENGTH;
use catalog::version::{Release, Version};
use std::collections::BTreeMap;
use syntax::order::SortSmall;

/// The check needs the whole bundle, so the indexer runs it and stores the result in the bundle's
/// facts.
pub const BUNDLE_PROPERTIES_PARSE: RuleDoc = RuleDoc::opm(
    load_rule::BUNDLE_PROPERTIES_PARSE,
    "parse properties for bundle %q: parse property[%d] of type %q: <error>",
    "A property of a bundle does not have the shape of its type.",
    "`opm` decodes properties of known types and fails on a number where a string belongs (`version: 1.0`) or a property \
     without `value`.",
    "Write the value in the form that its type requires: a text that looks like a number in quotes, a number without.",
)
.causes(&[SharedCause::PropertiesUnparsed])
.bad(examples![etcd!("- type: olm.gvk\n  value: EtcdCluster\n"),
    etcd!("- property:\n  - type: example.com.tier\n    value: gold\n")])
.good(examples![etcd!(
    "- type: olm.gvk\n  value:\n    group: etcd.example.com\n    version: v1\n    kind: EtcdCluster\n"
)]);

pub fn check_bundle_properties_parse(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    if let Some(fault) = &bundle.properties_fault {
        let help = if fault.help.is_empty() {
            BUNDLE_PROPERTIES_PARSE.fix
        } else {
            fault.help.as_str()
        };
        let at = out.here(fault.place);
        let corrected = fault
            .correction
            .as_ref()
            .map(|correction| Corrected::in_blob(at.blob, correction));
        let finding = Finding::new(at, fault.message.clone())
            .help(help)
            .bundle(&bundle.name.value)
            .corrected(corrected);
        out.refuse(fault.opm.clone(), finding);
    }
}

/// [`super::entry_without_bundle`] reports the actual problem; this rule only adds `opm`'s line.
pub const BUNDLE_PACKAGE_PROPERTY: RuleDoc = RuleDoc::opm(
    "bundle-package-property",
    "must be exactly one property with type \"olm.package\"",
    "An entry has no bundle, and the package's last channel does not list it.",
    "`opm` looks for missing bundles only in the last channel; for an entry in an earlier channel, it assumes a bundle \
     without properties or image, and refuses that. Switchyard reports the entry as `entry-without-bundle`.",
    "Correct the entry's name, add the `olm.bundle` blob, or remove the entry.",
)
.follows(&[SharedCause::PropertiesUnparsed])
.bad(examples![concat!(
    package!("etcd", "stable"),
    channel!("etcd", "alpha", "- name: etcd.v0.9.0"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0")
)])
.good(examples![catalog!(channel!("etcd", "alpha", "- name: etcd.v1.0.0"))]);

pub fn check_bundle_package_property(_: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    if view.bundle.is_none() {
        out.line(BUNDLE_PACKAGE_PROPERTY.opm_message);
    }
}

pub const BUNDLE_PACKAGE_PROPERTY_COUNT: RuleDoc = RuleDoc::opm(
    "bundle-package-property-count",
    "package %q bundle %q must have exactly 1 \"olm.package\" property, found %d",
    "A bundle does not have exactly one `olm.package` property.",
    "This property holds the bundle's version; without it the bundle has no version, and with two the version is \
     ambiguous.",
    "Keep exactly one property `{type: olm.package, value: {packageName: ..., version: ...}}`.",
)
.follows(&[SharedCause::PropertiesUnparsed])
.bad(examples![stable_text!("- name: etcd.v1.0.0"; "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.0.0\nimage: quay.io/example/etcd:v1.0.0\n")])
.good(examples![catalog!()]);

pub fn check_bundle_package_property_count(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let count = bundle.package_properties.len();
    if count == 1 || bundle.properties_fault.is_some() {
        return;
    }
    let name = &bundle.name.value;
    let place = bundle
        .package_properties
        .get(1)
        .map_or(bundle.name.place, |p| p.version.place);
    // A property for another package is a requirement in the style of `dependencies.yaml`.
    let mistake = bundle.known_mistakes().iter().find(|mistake| {
        bundle
            .properties
            .get(mistake.property as usize)
            .is_some_and(|property| &*property.kind == "olm.package")
    });
    let message =
        format!("bundle `{name}` has {count} properties of type `olm.package` instead of one");
    let opm = format!(
        "package {} bundle {} must have exactly 1 \"olm.package\" property, found {count}",
        quote(&bundle.package.value),
        quote(name)
    );
    let at = out.here(mistake.map_or(place, |mistake| mistake.place));
    let corrected = mistake
        .and_then(|mistake| mistake.correction.as_ref())
        .map(|known| Corrected::in_blob(at.blob, known));
    let help = mistake.map_or(BUNDLE_PACKAGE_PROPERTY_COUNT.fix, |mistake| {
        mistake.help.as_str()
    });
    out.refuse(
        opm,
        Finding::new(at, message)
            .help(help)
            .bundle(name)
            .corrected(corrected),
    );
}

pub const BUNDLE_PACKAGE_PROPERTY_MATCH: RuleDoc = RuleDoc::opm(
    "bundle-package-property-match",
    "package %q does not match \"olm.package\" property %q",
    "The `olm.package` property of a bundle names a different package from the bundle's own.",
    "OLM resolves dependencies by the property and channels by the field, so both must name the same package.",
    "Write the same name in `package` and in the property's `packageName`.",
)
.follows(&[SharedCause::PropertiesUnparsed])
.bad(examples![stable_text!("- name: etcd.v1.0.0"; "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.0.0\nimage: quay.io/example/etcd:v1.0.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd-operator\n    version: 1.0.0\n")])
.good(examples![catalog!()]);

pub fn check_bundle_package_property_match(
    scope: &Scope<'_>,
    bundle: &BundleBlob,
    out: &mut Findings,
) {
    let [property] = &bundle.package_properties[..] else {
        return;
    };
    let (package, property_name) = (&bundle.package.value, &property.package_name.value);
    if package == property_name || bundle.properties_fault.is_some() || package.is_empty() {
        return;
    }
    let message = format!(
        "bundle `{}` belongs to `{package}`, but its `olm.package` property says `{property_name}`",
        bundle.name.value
    );
    let at = out.here(property.package_name.place);
    // If the bundle's package is undefined, the bundle itself may be wrong.
    let finding = Finding::new(at, message)
        .bundle(&bundle.name.value)
        .correction((!scope.package.packages.is_empty()).then(|| {
            NameCorrection::new(
                format!("write `{package}` in the property"),
                at,
                property_name,
                package,
            )
        }))
        .related([(
            "the bundle's package".to_owned(),
            out.here(bundle.package.place),
        )]);
    out.refuse(
        format!(
            "package {} does not match \"olm.package\" property {}",
            quote(package),
            quote(property_name)
        ),
        finding,
    );
}

pub const BUNDLE_VERSION_SEMVER: RuleDoc = RuleDoc::opm(
    "bundle-version-semver",
    "error parsing bundle %q version %q: <error>",
    "The version of a bundle is not a strict semantic version.",
    "OLM compares versions, so each must be `MAJOR.MINOR.PATCH` with an optional prerelease and build, without a `v`.",
    "Write the version in full, such as `1.2.0` or `1.2.0-rc.1`.",
)
.follows(&[SharedCause::PropertiesUnparsed])
.bad(examples![stable_text!("- name: etcd.v1.0.0"; "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.0.0\nimage: quay.io/example/etcd:v1.0.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: v1.0.0\n")])
.good(examples![catalog!()]);

pub fn check_bundle_version_semver(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let [property] = &bundle.package_properties[..] else {
        return;
    };
    if bundle.properties_fault.is_some() {
        return;
    }
    let (name, version) = (&bundle.name.value, &property.version.value);
    if let Err(error) = Version::parse(version) {
        let opm = format!(
            "error parsing bundle {} version {}: {error}",
            quote(name),
            quote(version)
        );
        let message =
            format!("version `{version}` of bundle `{name}` is not a semantic version: {error}");
        out.refuse(
            opm,
            out.finding(property.version.place, message)
                .help(help(version)),
        );
    }
}

fn help(version: &str) -> String {
    if let Some(fixed) = with_letters_before_zeros(version) {
        return format!(
            "a part of the pre-release that has only digits is a number and must not begin with 0, as a commit hash \
             may: write a letter before it, `{fixed}`, here and wherever the version is named"
        );
    }
    match Version::parse_tolerant(version) {
        Ok(full) => format!("write the version in full and without `v`: `{full}`"),
        Err(_) => BUNDLE_VERSION_SEMVER.fix.to_owned(),
    }
}

/// Returns the version with a `g` before each numeric prerelease part that starts with 0, like the
/// hash prefix of `git describe`. `None` if that does not make it valid.
fn with_letters_before_zeros(version: &str) -> Option<String> {
    let (rest, build) = match version.split_once('+') {
        Some((rest, build)) => (rest, format!("+{build}")),
        None => (version, String::new()),
    };
    let (numbers, prerelease) = rest.split_once('-')?;
    let parts: Vec<String> = prerelease
        .split('.')
        .map(|part| {
            let is_number = part.chars().all(|c| c.is_ascii_digit());
            let prefix = if is_number && part.len() > 1 && part.starts_with('0') {
                "g"
            } else {
                ""
            };
            format!("{prefix}{part}")
        })
        .collect();
    let written = format!("{numbers}-{}{build}", parts.join("."));
    (written != version && Version::parse(&written).is_ok()).then_some(written)
}

pub const BUNDLE_RELEASE_FORMAT: RuleDoc = RuleDoc::opm(
    "bundle-release-format",
    "error parsing bundle %q release version %q: invalid release %q: <error>",
    "The release of a bundle is malformed.",
    "Releases order rebuilds of one version; they are compared like semver prereleases and become part of object names.",
    "Write identifiers of letters, digits and dashes joined by dots, up to 20 characters, numbers without leading zeros.",
)
.since(62)
.bad(examples![stable_text!("- name: etcd-v1.0.0-1"; "---\nschema: olm.bundle\npackage: etcd\nname: etcd-v1.0.0-1\nimage: quay.io/example/etcd:v1.0.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n    release: '01'\n")])
.good(examples![stable_text!("- name: etcd-v1.0.0-1"; "---\nschema: olm.bundle\npackage: etcd\nname: etcd-v1.0.0-1\nimage: quay.io/example/etcd:v1.0.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n    release: '1'\n")]);

/// The `opm` version that limits the length; the format check is older.
pub const RELEASE_LENGTH_SINCE: OpmVersion = OpmVersion { minor: 68 };

pub fn check_bundle_release_format(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
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
        let since = (release.len() > MAX_RELEASE_LENGTH).then_some(RELEASE_LENGTH_SINCE);
        if since.is_some_and(|since| out.opm_version.is_some_and(|version| version < since)) {
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
            || BUNDLE_RELEASE_FORMAT.fix.to_owned(),
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
                ..out.finding(written.place, message).help(help)
            },
        );
    }
}

/// Returns the error without the release, which the message already contains.
fn reason(error: &str) -> String {
    let reason = error
        .strip_prefix("invalid release ")
        .and_then(|rest| rest.split_once(": "))
        .map_or(error, |(_, reason)| reason);
    reason.replace('\n', "; ")
}

/// Returns the release without leading zeros in its numbers, if they are the only mistake.
fn zeros_removed(release: &str) -> Option<String> {
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

fn is_number(part: &str) -> bool {
    part.chars().all(|c| c.is_ascii_digit())
}

pub const RELEASE_WITH_BUILD: RuleDoc = RuleDoc::opm(
    "release-with-build",
    "cannot use build metadata in version with a release version",
    "A bundle has both a release and a version with build metadata.",
    "Build metadata is the old way to tell rebuilds apart, the release the new one; together they contradict each other.",
    "Remove the `+...` part of the version, or the release.",
)
.since(62)
.bad(examples![stable_text!("- name: etcd-v1.0.0+a-1"; "---\nschema: olm.bundle\npackage: etcd\nname: etcd-v1.0.0+a-1\nimage: quay.io/example/etcd:v1.0.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0+a\n    release: '1'\n")])
.good(examples![stable_text!("- name: etcd-v1.0.0-1"; "---\nschema: olm.bundle\npackage: etcd\nname: etcd-v1.0.0-1\nimage: quay.io/example/etcd:v1.0.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n    release: '1'\n")]);

pub fn check_release_with_build(_: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    let Some((nth, bundle)) = view.bundle else {
        return;
    };
    let Some(property) = bundle.package_properties.first() else {
        return;
    };
    if property.release().is_empty() || !property.version.as_str().contains('+') {
        return;
    }
    out.line(RELEASE_WITH_BUILD.opm_message);
    if view.first_listing {
        let at = Anchor::new(BlobRef::Bundle(nth), property.version.place);
        let message = format!(
            "bundle `{}` has a release, and build metadata in its version",
            bundle.name.value
        );
        out.report(Finding::new(at, message).bundle(&bundle.name.value));
    }
}

/// Compares text including build and release, so `1.0.0+a` and `1.0.0+b` differ; entries without a
/// bundle count as 0.0.0.
pub const DUPLICATE_VERSIONS: RuleDoc = RuleDoc::opm(
    "duplicate-versions",
    "duplicate versions found in bundles: [{%s: [...]} ...]",
    "Bundles of a package have the same version.",
    "Upgrades are ordered by version; of two bundles with the same version neither is newer. `opm` joins version and \
     release with a dash before it compares, so version `1.0.0` with release `1` is the same to it as version `1.0.0-1`.",
    "Give each bundle a version of its own, or give rebuilds of one version different releases.",
)
.bad(examples![concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.0.0-rebuilt\n  replaces: etcd.v1.0.0"), bundle!("etcd", "1.0.0"), "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.0.0-rebuilt\nimage: quay.io/example/etcd:v1.0.0-2\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n")])
.good(examples![concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.0.0-2\n  replaces: etcd.v1.0.0"), bundle!("etcd", "1.0.0"), "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.0.0-2\nimage: quay.io/example/etcd:v1.0.0-2\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0+2\n")]);

/// Bundles by name, with their index in the package and the position of their version if there is a
/// blob.
type Bundles<'a> = BTreeMap<&'a str, Option<(u32, Place)>>;

pub fn check_duplicate_versions(scope: &Scope<'_>, out: &mut Findings) {
    let mut by_version: BTreeMap<String, Bundles<'_>> = BTreeMap::new();
    for channel in &scope.channels {
        for view in scope.entries(channel).filter(|view| view.first_listing) {
            let (text, place) = match view.bundle {
                Some((nth, bundle)) => {
                    let place = bundle
                        .package_properties
                        .first()
                        .map_or(bundle.name.place, |p| p.version.place);
                    (version_text(bundle), Some((nth, place)))
                }
                None => ("0.0.0".to_owned(), None),
            };
            by_version
                .entry(text)
                .or_default()
                .insert(view.entry.name.as_str(), place);
        }
    }
    let mut duplicates: Vec<_> = by_version
        .into_iter()
        .filter(|(_, bundles)| bundles.len() > 1)
        .collect();
    duplicates.sort_small_by(|(a, _), (b, _)| compare_versions(a, b));
    if duplicates.is_empty() {
        return;
    }
    let listed: Vec<String> = duplicates
        .iter()
        .map(|(v, bundles)| {
            format!(
                "{{{v}: [{}]}}",
                bundles.keys().copied().collect::<Vec<_>>().join(", ")
            )
        })
        .collect();
    out.line(format!(
        "duplicate versions found in bundles: [{}]",
        listed.join(" ")
    ));
    for (version, bundles) in &duplicates {
        let mut places = bundles.iter().filter_map(|(name, place)| {
            let (nth, place) = (*place)?;
            Some((*name, Anchor::new(BlobRef::Bundle(nth), place)))
        });
        // Another rule reports entries without a bundle; they have no real version.
        let (Some((first, _)), Some((second, at))) = (places.next(), places.next()) else {
            continue;
        };
        let find_bundle = |name: &str| scope.bundle(name).map(|(_, bundle)| bundle);
        let own = |name: &str| find_bundle(name).map(|b| (b.version(), b.release()));
        let (message, help) = if bundles.keys().all(|name| own(name) == own(first)) {
            let message = format!(
                "bundles `{first}` and `{second}` both have {}",
                find_bundle(first)
                    .map_or_else(|| format!("version {version}"), version_and_release)
            );
            (message, DUPLICATE_VERSIONS.fix.to_owned())
        } else {
            let describe =
                |name: &str| find_bundle(name).map_or_else(|| version.clone(), version_and_release);
            let message = format!(
                "bundles `{first}` ({}) and `{second}` ({}) have different versions, but `opm` compares version and \
                 release as one text, and both are `{version}`",
                describe(first),
                describe(second)
            );
            let help =
                "give one of them another version or release, such as the next number".to_owned();
            (message, help)
        };
        let finding = Finding::new(at, message)
            .help(help)
            .bundle(&second.into())
            .related(
                bundles
                    .iter()
                    .filter(|(name, _)| **name != second)
                    .filter_map(|(name, place)| {
                        place.map(|(nth, place)| (name, Anchor::new(BlobRef::Bundle(nth), place)))
                    })
                    .map(|(name, at)| (format!("`{name}` is also `{version}`"), at)),
            );
        out.report(finding);
    }
}

/// Formats `version 1.0.0`, or `version 1.0.0 with release 1`.
fn version_and_release(bundle: &BundleBlob) -> String {
    match bundle.release() {
        "" => format!("version {}", bundle.version()),
        release => format!("version {} with release {release}", bundle.version()),
    }
}

fn version_text(bundle: &BundleBlob) -> String {
    match bundle.release() {
        "" => bundle.version().to_owned(),
        release => format!("{}-{release}", bundle.version()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::testing::Judge;
    use catalog::testing::PackageBuilder;

    #[test]
    fn the_help_suggests_a_valid_version() {
        for (version, written) in [
            ("1.2.3462-0123456", "`1.2.3462-g0123456`"),
            ("1.0.0-rc.01+b", "`1.0.0-rc.g01+b`"),
            ("v1.0.0", "`1.0.0`"),
            ("1.0", "`1.0.0`"),
        ] {
            let help = help(version);
            assert!(help.contains(written), "{version}: {help}");
        }
        assert_eq!(help("latest"), BUNDLE_VERSION_SEMVER.fix);
    }

    #[test]
    fn leading_zeros_are_removed() {
        assert_eq!(zeros_removed("01").as_deref(), Some("1"));
        assert_eq!(zeros_removed("rc.007.00").as_deref(), Some("rc.7.0"));
        assert_eq!(zeros_removed("1"), None);
        assert_eq!(zeros_removed("0a_1"), None);
    }

    #[test]
    fn the_reason_omits_the_release() {
        let error = Release::parse("01").expect_err("a leading zero");
        assert_eq!(
            reason(&error.0),
            "segment 0: Numeric PreRelease version must not contain leading zeroes \"01\""
        );
    }

    #[test]
    fn versions_are_listed_in_order() {
        let report = PackageBuilder::new("p")
            .version("a", "1.10.0")
            .version("b", "1.10.0")
            .version("c", "1.9.0")
            .version("d", "1.9.0")
            .channel("x", &["a", "b r:a", "c r:b", "d r:c"])
            .judge();
        assert_eq!(report.rules(), ["duplicate-versions", "duplicate-versions"]);
        assert!(
            report.tree().ends_with(
                "duplicate versions found in bundles: [{1.9.0: [c, d]} {1.10.0: [a, b]}]"
            )
        );
    }

    #[test]
    fn a_release_and_a_prerelease_with_equal_text_differ() {
        let report = PackageBuilder::new("p")
            .version("a", "1.0.0-1")
            .version("b", "1.0.0")
            .release("b", "1")
            .channel("x", &["a", "b r:a"])
            .judge();
        let messages: Vec<&str> = report
            .findings
            .iter()
            .filter(|f| f.rule.id == DUPLICATE_VERSIONS.id)
            .map(|f| &*f.message)
            .collect();
        assert_eq!(
            messages,
            [
                "bundles `a` (version 1.0.0-1) and `b` (version 1.0.0 with release 1) have different versions, \
                 but `opm` compares version and release as one text, and both are `1.0.0-1`"
            ]
        );
    }

    #[test]
    fn build_metadata_tells_versions_apart() {
        let sketch = PackageBuilder::new("p")
            .version("a", "1.0.0+a")
            .version("b", "1.0.0+b");
        assert!(
            sketch
                .channel("x", &["a", "b r:a"])
                .judge()
                .findings
                .is_empty()
        );
    }
}
