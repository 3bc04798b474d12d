//! `bundle-name-kubernetes`: a bundle's name that no Kubernetes object can have.

use super::super::rules::prelude::*;
use crate::validate::rules::package_name_dns1123::is_subdomain;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "bundle-name-kubernetes",
    Severity::Warning,
    Profile::Community,
    "A bundle's name is not a valid name for a Kubernetes object.",
    "OLM Classic creates a ClusterServiceVersion with the bundle's name. The name may contain lower-case letters, \
     digits, `-` and `.`, must begin and end with a letter or digit, and may have at most 253 characters; otherwise \
     the cluster rejects it when the operator is installed.",
    "Name the bundle and the ClusterServiceVersion in its image as Kubernetes allows, usually `PACKAGE.vVERSION`; write \
     `-` for the `+` of a version.",
)
.bad(&[Example::Catalog(
    "schema: olm.package\nname: etcd\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: etcd\nname: \
     stable\nentries:\n- name: etcd_v1.0.0\n---\nschema: olm.bundle\npackage: etcd\nname: etcd_v1.0.0\nimage: \
     quay.io/example/etcd:v1\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n",
)])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0-rc.1"),
    bundle!("etcd", "1.0.0-rc.1"),
))]);

pub(in crate::validate) fn check(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let name = &bundle.name.value;
    if name.is_empty() || is_subdomain(name) {
        return;
    }
    let message = format!("bundle name `{name}` is not a valid name for a ClusterServiceVersion");
    out.report(
        Finding::new(out.here(bundle.name.place), message)
            .help(DOC.fix)
            .bundle(name),
    );
}
