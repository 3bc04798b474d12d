//! `related-image-loose`: a related image with neither tag nor digest, or an empty one.

use super::super::rules::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "related-image-loose",
    Severity::Warning,
    Profile::Community,
    "A related image has neither a tag nor a digest.",
    "Mirroring tools copy what `relatedImages` lists. They cannot tell which image is meant and leave the bundle out, \
     or fail, so the operator is missing in a disconnected cluster.",
    "Write the image with its digest, or remove the item if it has no image.",
)
.bad(&[Example::Catalog(etcd!("relatedImages:\n- name: server\n  image: quay.io:443/example/etcd-server\n"))])
.good(&[Example::Catalog(etcd!("relatedImages:\n- name: server\n  image: quay.io:443/example/etcd-server:v1\n"))]);

pub(in crate::validate) fn check(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let Some(image) = &bundle.loose_image else {
        return;
    };
    let name = &bundle.name.value;
    let message = match image.as_str() {
        "" => format!("bundle `{name}` has an item in `relatedImages` without an image"),
        image => format!("related image `{image}` of bundle `{name}` has neither tag nor digest"),
    };
    out.report(
        Finding::new(out.here(image.place), message)
            .help(DOC.fix)
            .bundle(name),
    );
}
