//! `image-tag-beside-digest`: an image with both a tag and a digest.

use super::super::rules::prelude::*;
use crate::model::pull_spec::check_pull_spec;
use crate::model::{RelatedImageProblem, related_image_label};

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "image-tag-beside-digest",
    Severity::Warning,
    Profile::Community,
    "An image is named with both a tag and a digest.",
    "`opm` accepts `NAME:TAG@DIGEST`, and a container runtime pulls the digest. `oc-mirror` v2 does not accept a reference \
     with both and leaves the image out, so it is missing in a disconnected cluster.",
    "Remove the tag and keep the digest: `NAME@sha256:...`.",
)
.bad(&[
    Example::Catalog(etcd!(
        "relatedImages:\n- name: server\n  image: quay.io/example/etcd:v1@sha256:\
         0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n"
    )),
    Example::Catalog(concat!(
        package!("etcd", "stable"),
        channel!("etcd", "stable", "- name: etcd.v1.0.0"),
        "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.0.0\nimage: quay.io/example/etcd:v1@sha256:\
         0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\nproperties:\n- type: olm.package\n  value:\n    \
         packageName: etcd\n    version: 1.0.0\n",
    )),
])
.good(&[Example::Catalog(etcd!(
    "relatedImages:\n- name: server\n  image: quay.io:443/example/etcd@sha256:\
     0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n- name: tool\n  image: \
     quay.io:443/example/tool:v1\n"
))]);

pub(in crate::validate) fn check(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let name = &bundle.name.value;
    let mut report = |label: &str, image: &str, place: Place| {
        let Some(without) = without_tag(image) else {
            return;
        };
        let message = format!("{label} of bundle `{name}` has a tag beside its digest: `{image}`");
        out.report(
            Finding::new(out.here(place), message)
                .help(format!(
                    "remove the tag, which mirrors do not accept there: `{without}`"
                ))
                .bundle(name),
        );
    };
    let own = bundle.image.as_str();
    if check_pull_spec(own).is_ok() {
        report("the image", own, bundle.image.place);
    }
    for related in bundle.related_image_mistakes() {
        // The list of related images repeats the bundle's own image.
        if related.problem == RelatedImageProblem::TagAndDigest && related.image.as_str() != own {
            let label = related_image_label(&related.name, related.item);
            report(&label, related.image.as_str(), related.image.place);
        }
    }
}

/// The reference without its tag, if it has both.
fn without_tag(image: &str) -> Option<String> {
    let (before, digest) = image.split_once('@')?;
    let (path, last) = before.rsplit_once('/').unwrap_or(("", before));
    let (name, _) = last.split_once(':')?;
    let slash = if path.is_empty() { "" } else { "/" };
    Some(format!("{path}{slash}{name}@{digest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tag_alone_is_removed() {
        for (image, without) in [
            ("h:5000/a/b:v1@sha256:c", Some("h:5000/a/b@sha256:c")),
            ("b:v1@sha256:c", Some("b@sha256:c")),
            ("h:5000/a/b@sha256:c", None),
            ("h:5000/a/b:v1", None),
        ] {
            assert_eq!(without_tag(image).as_deref(), without, "{image}");
        }
    }
}
