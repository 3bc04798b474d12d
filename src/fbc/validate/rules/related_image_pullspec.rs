//! `related-image-pullspec`: a related image that is not a pull spec. The check needs the whole
//! bundle, so the indexer runs it and stores the result in the bundle's facts.

use super::prelude::*;
use crate::model::{RelatedImageProblem, load_rule, related_image_label};

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    load_rule::RELATED_IMAGE_PULLSPEC,
    "package %q bundle %q relatedImages[%d].image: invalid image pull spec %q: <error>",
    "A related image of a bundle is not a valid image reference.",
    "Related images are what a mirror has to copy, so `opm` checks every reference that is not empty.",
    "Write a pull spec such as `quay.io/org/image@sha256:...`, in lower case and without a scheme.",
)
.since(64)
.bad(&[
    Example::Catalog(etcd!("relatedImages:\n- name: etcd\n  image: quay.io/Example/etcd:v1\n")),
    Example::Catalog(etcd!("relatedImages:\n- name: etcd\n  image: oci://quay.io/example/etcd:v1\n")),
])
.good(&[Example::Catalog(etcd!("relatedImages:\n- name: etcd\n  image: quay.io/example/etcd:v1\n"))]);

pub(in crate::validate) fn check(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    if let Some(fault) = &bundle.related_image_fault {
        let help = if fault.help.is_empty() {
            DOC.fix
        } else {
            fault.help.as_str()
        };
        let finding = Finding::new(out.here(fault.place), fault.message.clone())
            .help(help)
            .bundle(&bundle.name.value);
        out.refuse(fault.opm.clone(), finding);
    }
    // `opm` stops at the first one; report the others after it.
    for related in bundle.related_image_mistakes() {
        let RelatedImageProblem::Invalid(error) = &related.problem else {
            continue;
        };
        let message = format!(
            "{} of bundle `{}` is not a valid pull spec: {error}",
            related_image_label(&related.name, related.item),
            bundle.name.value
        );
        out.report(
            Finding::new(out.here(related.image.place), message)
                .help(DOC.fix)
                .bundle(&bundle.name.value),
        );
    }
}
