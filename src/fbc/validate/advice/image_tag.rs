//! `image-tag`: a bundle image named by a tag, which can be moved.

use super::super::rules::prelude::*;
use crate::model::pull_spec::check_pull_spec;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "image-tag",
    Severity::Warning,
    Profile::Strict,
    "A bundle refers to its image by tag, not by digest.",
    "A tag can be moved to another image: clusters then install something else under the same name and version, \
     and mirrors may miss the new image. Nine in ten packages in OpenShift's community catalog use tags anyway, \
     so this rule is in the `strict` profile only.",
    "Refer to the image by digest, `NAME@sha256:...`.",
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
    // A colon before the last slash belongs to a port.
    let tag = image
        .rsplit('/')
        .next()
        .and_then(|last| last.split_once(':'))
        .map(|(_, tag)| tag);
    let what = tag.map_or_else(
        || "without a tag or digest".to_owned(),
        |tag| format!("by tag `{tag}`"),
    );
    let message = format!("bundle `{name}` refers to its image {what}");
    out.report(
        Finding::new(out.here(bundle.image.place), message)
            .help(DOC.fix)
            .bundle(name),
    );
}
