//! `release-with-build`: a version with build metadata beside a release.
//! `opm`: `cannot use build metadata in version with a release version`.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "release-with-build",
    "cannot use build metadata in version with a release version",
    "A bundle has both a release and a version with build metadata.",
    "Build metadata is the old way to tell rebuilds apart, the release the new one; together they contradict each other.",
    "Remove the `+...` part of the version, or the release.",
)
.since(62)
.bad(&[Example::Catalog(concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd-v1.0.0+a-1"), "---\nschema: olm.bundle\npackage: etcd\nname: etcd-v1.0.0+a-1\nimage: quay.io/example/etcd:v1.0.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0+a\n    release: '1'\n"))])
.good(&[Example::Catalog(concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd-v1.0.0-1"), "---\nschema: olm.bundle\npackage: etcd\nname: etcd-v1.0.0-1\nimage: quay.io/example/etcd:v1.0.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n    release: '1'\n"))]);

pub(in crate::validate) fn check(_: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    let Some((nth, bundle)) = view.bundle else {
        return;
    };
    let Some(property) = bundle.package_properties.first() else {
        return;
    };
    if property.release().is_empty() || !property.version.as_str().contains('+') {
        return;
    }
    out.line(DOC.opm_message);
    if view.first_listing {
        let at = Anchor::new(BlobRef::Bundle(nth), property.version.place);
        let message = format!(
            "bundle `{}` has a release, and build metadata in its version",
            bundle.name.value
        );
        out.report(
            Finding::new(at, message)
                .help(DOC.fix)
                .bundle(&bundle.name.value),
        );
    }
}
