//! `image-tag`: a bundle image named by a tag, which can be moved.

use super::super::rules::prelude::*;
use crate::model::pull_spec::check_pull_spec;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "image-tag",
    Severity::Warning,
    Profile::Strict,
    "A bundle image is named by a tag and not by its digest.",
    "A tag can be moved to another image, so that clusters install something else under the same name and version, \
     and mirrored catalogs may miss it. Nine of ten packages of OpenShift's community catalog use tags all the same, \
     so this rule is in the `strict` profile only.",
    "Name the image by its digest, `NAME@sha256:...`.",
)
.bad(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0"),
    "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.0.0\nimage: quay.io/example/etcd:v1.0.0\nproperties:\n",
    "- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n",
))])
.good(&[Example::Catalog(etcd!())]);

pub(in crate::validate) fn check(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let (name, image) = (&bundle.name.value, bundle.image.as_str());
    if image.is_empty() || image.contains('@') || check_pull_spec(image).is_err() {
        return;
    }
    // A colon before a slash belongs to a port.
    let tag = image.rsplit('/').next().and_then(|last| last.split_once(':')).map(|(_, tag)| tag);
    let what = tag.map_or_else(|| "without a tag or digest".to_owned(), |tag| format!("by its tag `{tag}`"));
    let message = format!("the image of bundle `{name}` is named {what}");
    out.report(Finding::new(out.here(bundle.image.place), message).help(DOC.fix).bundle(name));
}
