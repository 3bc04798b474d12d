//! `bundle-no-package`: a bundle without `package`. `opm`: `package name must be set for bundle
//! "b"`. The field must be added.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "bundle-no-package",
    "package name must be set for bundle %q",
    "A bundle does not say to which package it belongs.",
    "Every `olm.bundle` blob names its package; without it the bundle is in no channel.",
    "Write the bundle's `package`.",
)
.bad(&[Example::Catalog(catalog!(
    "---\nschema: olm.bundle\nname: etcd.v1.1.0\nimage: quay.io/example/etcd:v1.1.0\n"
))])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!(
        "etcd",
        "stable",
        "- name: etcd.v1.0.0",
        "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0"
    ),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0")
))]);

pub(in crate::validate) fn check(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    if bundle.package.is_empty() {
        let name = &bundle.name.value;
        let at = out.here(bundle.package.place);
        let finding = Finding::new(at, format!("bundle `{name}` names no package"))
            .help(DOC.fix)
            .bundle(name);
        out.refuse(
            format!("package name must be set for bundle {}", quote(name)),
            finding,
        );
    }
}
