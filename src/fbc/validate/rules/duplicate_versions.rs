//! `duplicate-versions`: bundles with the same version in a package. `opm`: `duplicate versions
//! found in bundles: [{1.0.0: [a, b]} {1.1.0: [c, d]}]`. Compares text including build and release,
//! so `1.0.0+a` and `1.0.0+b` differ; entries without a bundle count as 0.0.0.

use super::prelude::*;
use crate::order::SortSmall;
use crate::validate::suggest::compare_versions;
use std::collections::BTreeMap;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "duplicate-versions",
    "duplicate versions found in bundles: [{%s: [...]} ...]",
    "Bundles of a package have the same version.",
    "Upgrades are ordered by version; of two bundles with the same version neither is newer. `opm` joins version and \
     release with a dash before it compares, so version `1.0.0` with release `1` is the same to it as version `1.0.0-1`.",
    "Give each bundle a version of its own, or give rebuilds of one version different releases.",
)
.bad(&[Example::Catalog(concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.0.0-rebuilt\n  replaces: etcd.v1.0.0"), bundle!("etcd", "1.0.0"), "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.0.0-rebuilt\nimage: quay.io/example/etcd:v1.0.0-2\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n"))])
.good(&[Example::Catalog(concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.0.0-2\n  replaces: etcd.v1.0.0"), bundle!("etcd", "1.0.0"), "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.0.0-2\nimage: quay.io/example/etcd:v1.0.0-2\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0+2\n"))]);

/// Bundles by name, with their index in the package and the position of their version if there is a
/// blob.
type Bundles<'a> = BTreeMap<&'a str, Option<(u32, Place)>>;

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
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
    let list = |bundles: &Bundles<'_>| bundles.keys().copied().collect::<Vec<_>>().join(", ");
    let listed: Vec<String> = duplicates
        .iter()
        .map(|(v, bundles)| format!("{{{v}: [{}]}}", list(bundles)))
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
        let of = |name: &str| scope.bundle(name).map(|(_, bundle)| bundle);
        let own = |name: &str| of(name).map(|b| (b.version(), b.release()));
        let (message, help) = if bundles.keys().all(|name| own(name) == own(first)) {
            let message = format!(
                "bundles `{first}` and `{second}` both have {}",
                of(first).map_or_else(|| format!("version {version}"), version_and_release)
            );
            (message, DOC.fix.to_owned())
        } else {
            let describe =
                |name: &str| of(name).map_or_else(|| version.clone(), version_and_release);
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

/// `version 1.0.0`, or `version 1.0.0 with release 1`.
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
    use super::DOC;
    use crate::validate::testing::Sketch;

    #[test]
    fn versions_are_listed_in_order() {
        let report = Sketch::new("p")
            .version("a", "1.10.0")
            .version("b", "1.10.0")
            .version("c", "1.9.0")
            .version("d", "1.9.0")
            .channel("x", &["a", "b>a", "c>b", "d>c"])
            .judge();
        assert_eq!(report.rules(), ["duplicate-versions", "duplicate-versions"]);
        assert!(
            report.tree().ends_with(
                "duplicate versions found in bundles: [{1.9.0: [c, d]} {1.10.0: [a, b]}]"
            )
        );
    }

    #[test]
    fn a_release_and_a_prerelease_of_one_text_differ() {
        let report = Sketch::new("p")
            .version("a", "1.0.0-1")
            .version("b", "1.0.0")
            .release("b", "1")
            .channel("x", &["a", "b>a"])
            .judge();
        let messages: Vec<&str> = report
            .findings
            .iter()
            .filter(|f| f.rule.id == DOC.id)
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
        let sketch = Sketch::new("p")
            .version("a", "1.0.0+a")
            .version("b", "1.0.0+b");
        assert!(
            sketch
                .channel("x", &["a", "b>a"])
                .judge()
                .findings
                .is_empty()
        );
    }
}
