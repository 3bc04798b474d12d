//! `related-image-loose`: a related image with neither tag nor digest, or an empty one.

use super::super::rules::prelude::*;
use crate::model::{RelatedImageProblem, related_image_label};

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "related-image-loose",
    Severity::Warning,
    Profile::Community,
    "A related image has neither a tag nor a digest, or no image at all.",
    "Mirroring tools copy what `relatedImages` lists. They cannot tell which image is meant and leave the bundle out, \
     or fail, so the operator is missing in a disconnected cluster. `opm` reads the image of an item from `image` alone: \
     `value` is the key of an environment variable, and `relatedImage` is read by nobody.",
    "Write the image with its digest, or remove the item if it has no image.",
)
.bad(&[
    Example::Catalog(etcd!("relatedImages:\n- name: server\n  image: quay.io:443/example/etcd-server\n")),
    Example::Catalog(etcd!("relatedImages:\n- name: server\n  value: quay.io/example/etcd-server:v1\n")),
    Example::Catalog(etcd!("relatedImages:\n- relatedImage: quay.io/example/etcd-server:v1\n")),
])
.good(&[Example::Catalog(etcd!("relatedImages:\n- name: server\n  image: quay.io:443/example/etcd-server:v1\n"))]);

pub(in crate::validate) fn check(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let name = &bundle.name.value;
    for related in bundle.related_image_mistakes() {
        let label = related_image_label(&related.name, related.item);
        let at = out.here(related.image.place);
        let (message, help, rename) = match &related.problem {
            RelatedImageProblem::Missing(None) => (
                format!("{label} of bundle `{name}` has no image"),
                DOC.fix.to_owned(),
                None,
            ),
            RelatedImageProblem::Missing(Some(rename)) => (
                format!(
                    "{label} of bundle `{name}` has no `image`: `opm` does not read `{}`",
                    rename.was
                ),
                format!("write `image:` instead of `{}:`", rename.was),
                Some(rename),
            ),
            RelatedImageProblem::Loose => (
                format!(
                    "{label} of bundle `{name}`, `{}`, has neither tag nor digest",
                    related.image.as_str()
                ),
                DOC.fix.to_owned(),
                None,
            ),
            RelatedImageProblem::Invalid(_) | RelatedImageProblem::TagAndDigest => continue,
        };
        let corrected = rename.map(|rename| Corrected {
            title: "write `image`".to_owned(),
            // With it, `opm` checks the image.
            safe: false,
            rewrites: vec![(at.blob, rename.clone())],
            then: Vec::new(),
        });
        out.report(
            Finding::new(at, message)
                .help(help)
                .bundle(name)
                .corrected(corrected),
        );
    }
}
