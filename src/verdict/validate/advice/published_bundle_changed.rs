//! `published-bundle-changed`: a published bundle, which clusters may have installed, was changed.

use super::super::catalog_context::{CatalogContext, PackageContext};
use super::super::rules::prelude::*;
use catalog::model::blob::{PackageProperty, Property};
use std::collections::BTreeMap;
use std::sync::Arc;
use syntax::hashed::HashMap;
use syntax::place::Text;

pub const PUBLISHED_BUNDLE_CHANGED: RuleDoc = RuleDoc::advice(
    "published-bundle-changed",
    Severity::Warning,
    Profile::Community,
    "A published bundle now has a different image, version, requirement, API or OpenShift limit.",
    "Clusters know a bundle by its name. A cluster that has it does not install it again, so the change reaches only \
     new installations, and clusters with the same bundle name run different content. Bundles in the files as opened, \
     or in the older of two compared catalogs, count as published. A move \
     from `olm.bundle.object` to `olm.csv.metadata` does not count as a change, nor do properties that OLM ignores.",
    "Restore the bundle as it was, and add a new one with a version of its own that replaces it, or skips it when nobody \
     should get it any more.",
)
.bad(&[
    Example::Changed {
        before: stable_text!("- name: etcd.v1.0.0"; "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.0.0\nimage: quay.io/example/etcd:v1\nproperties:\n\
             - type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n"),
        now: etcd!(),
    },
    Example::Changed { before: etcd!(), now: etcd!("- type: olm.maxOpenShiftVersion\n  value: \"4.18\"\n") },
])
.good(&[Example::Changed {
    before: etcd!("- type: olm.bundle.object\n  value:\n    data: e30=\n"),
    now: concat!(
        package!("etcd", "stable"),
        channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.0.1\n  replaces: etcd.v1.0.0"),
        bundle!("etcd", "1.0.0", "- type: olm.csv.metadata\n  value:\n    displayName: etcd\n"),
        bundle!("etcd", "1.0.1"),
    ),
}]);

/// Properties that OLM acts on. Adding one later is also a change.
const EFFECTIVE: [&str; 7] = [
    "olm.gvk",
    "olm.label",
    "olm.package.required",
    "olm.gvk.required",
    "olm.label.required",
    "olm.constraint",
    "olm.maxOpenShiftVersion",
];

pub fn check_published_bundle_changed(
    _: &CatalogContext<'_>,
    context: &PackageContext<'_>,
    out: &mut Findings,
) {
    let Some(published) = context.published else {
        return;
    };
    let mut seen = syntax::hashed::HashSet::default();
    for (nth, bundle) in context.package.bundles.iter().enumerate() {
        // The first of several blobs with one name counts.
        let Some(before) = published
            .get(&bundle.name.value)
            .filter(|_| seen.insert(&bundle.name.value))
        else {
            continue;
        };
        // `opm` refuses unreadable properties, so such a bundle was never published.
        if Arc::ptr_eq(before, &bundle.data) || before.properties_fault.is_some() {
            continue;
        }
        let changes = changes(before, bundle);
        if changes.is_empty() {
            continue;
        }
        let name = &bundle.name.value;
        let message = format!("published bundle `{name}` now has {}", changes.join(", "));
        let help = format!(
            "clusters that have `{name}` do not install it again; put the change into a new bundle"
        );
        let at = Anchor::new(BlobRef::Bundle(nth as u32), bundle.name.place);
        out.report(Finding::new(at, message).help(help).bundle(name));
    }
}

/// Describes the changes that a cluster notices, worded to follow "has".
fn changes(before: &BundleBlob, now: &BundleBlob) -> Vec<String> {
    let mut changes = Vec::new();
    if before.image.value != now.image.value {
        changes.push("a different image".to_owned());
    }
    if !before
        .package_properties
        .iter()
        .map(package_identity)
        .eq(now.package_properties.iter().map(package_identity))
    {
        changes.push("a different version".to_owned());
    }
    // The current count of each property minus the previous one.
    let mut balance: HashMap<&Property, i64> = HashMap::default();
    for (bundle, sign) in [(before, -1), (now, 1)] {
        for fact in bundle.properties.iter().filter(|p| {
            !matches!(
                &*p.kind,
                "olm.package" | "olm.bundle.object" | "olm.csv.metadata"
            )
        }) {
            *balance.entry(&fact.property).or_default() += sign;
        }
    }
    let mut by_kind: BTreeMap<&str, (bool, bool)> = BTreeMap::new();
    for (property, balance) in balance.into_iter().filter(|(_, balance)| *balance != 0) {
        let (gone, added) = by_kind.entry(&property.kind).or_default();
        *gone |= balance < 0;
        *added |= balance > 0;
    }
    changes.extend(by_kind.into_iter().filter_map(|(kind, (gone, added))| {
        match (gone, added) {
            (true, true) => Some(format!("a different `{kind}`")),
            (true, false) => Some(format!("fewer `{kind}` properties")),
            (false, _) => EFFECTIVE
                .contains(&kind)
                .then(|| format!("more `{kind}` properties")),
        }
    }));
    changes
}

fn package_identity(property: &PackageProperty) -> [Text; 3] {
    [
        property.package_name.value.clone(),
        property.version.value.clone(),
        property.release().into(),
    ]
}
