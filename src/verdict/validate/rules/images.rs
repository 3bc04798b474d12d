//! Rules about the images of bundles.

use super::prelude::*;
use catalog::model::pull_spec::check_pull_spec;
use catalog::model::{RelatedImageProblem, load_rule, related_image_label};

pub const BUNDLE_IMAGE: RuleDoc = RuleDoc::opm(
    "bundle-image",
    "bundle image must be set",
    "A bundle has no image.",
    "The cluster unpacks the bundle from its image; without one (or embedded `olm.bundle.object` properties) there is \
     nothing to install.",
    "Write the bundle's `image`.",
)
.bad(examples![stable_text!("- name: etcd.v1.0.0"; "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.0.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n")])
.good(examples![catalog!()]);

pub fn check_bundle_image(_: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    let Some((nth, bundle)) = view.bundle else {
        return out.line(BUNDLE_IMAGE.opm_message);
    };
    if !bundle.image.is_empty() || bundle.has_objects {
        return;
    }
    out.line(BUNDLE_IMAGE.opm_message);
    if view.first_listing {
        let at = Anchor::new(BlobRef::Bundle(nth), bundle.image.place);
        let finding = Finding::new(at, format!("bundle `{}` has no image", bundle.name.value));
        out.report(finding.bundle(&bundle.name.value));
    }
}

/// `opm-semantics` 2.4 has the grammar.
pub const BUNDLE_IMAGE_PULLSPEC: RuleDoc = RuleDoc::opm(
    "bundle-image-pullspec",
    "package %q bundle %q image: invalid image pull spec %q: <error>",
    "The image of a bundle is not a valid image reference.",
    "The cluster pulls the bundle from it. `opm` refuses schemes (`docker://`), spaces, upper case in the path and bad digests.",
    "Write a pull spec such as `quay.io/org/bundle@sha256:...`, in lower case and without a scheme.",
)
.since(64)
.bad(examples![stable_text!("- name: etcd.v1.0.0"; "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.0.0\nimage: docker://quay.io/example/etcd:v1.0.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n")])
.good(examples![catalog!()]);

pub fn check_bundle_image_pullspec(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let (name, image) = (&bundle.name.value, &bundle.image.value);
    if let Err(error) = check_pull_spec(image) {
        let opm = format!(
            "package {} bundle {} image: invalid image pull spec {}: {error}",
            quote(&bundle.package.value),
            quote(name),
            quote(image)
        );
        let message =
            format!("the image of bundle `{name}` is not a valid pull spec (`{image}`): {error}");
        out.refuse(opm, out.finding(bundle.image.place, message));
    }
}

/// The check needs the whole bundle, so the indexer runs it and stores the result in the bundle's
/// facts.
pub const RELATED_IMAGE_PULLSPEC: RuleDoc = RuleDoc::opm(
    load_rule::RELATED_IMAGE_PULLSPEC,
    "package %q bundle %q relatedImages[%d].image: invalid image pull spec %q: <error>",
    "A related image of a bundle is not a valid image reference.",
    "Related images are what a mirror has to copy, so `opm` checks every reference that is not empty.",
    "Write a pull spec such as `quay.io/org/image@sha256:...`, in lower case and without a scheme.",
)
.since(64)
.bad(examples![etcd!("relatedImages:\n- name: etcd\n  image: quay.io/Example/etcd:v1\n"),
    etcd!("relatedImages:\n- name: etcd\n  image: oci://quay.io/example/etcd:v1\n")])
.good(examples![etcd!("relatedImages:\n- name: etcd\n  image: quay.io/example/etcd:v1\n")]);

pub fn check_related_image_pullspec(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    if let Some(fault) = &bundle.related_image_fault {
        let help = if fault.help.is_empty() {
            RELATED_IMAGE_PULLSPEC.fix
        } else {
            fault.help.as_str()
        };
        let finding = out.finding(fault.place, fault.message.clone()).help(help);
        out.refuse(fault.opm.clone(), finding);
    }
    // `opm` stops at the first one; report the others after it.
    for related in bundle.related_image_mistakes() {
        let RelatedImageProblem::Invalid(error) = &related.problem else {
            continue;
        };
        let message = format!(
            "{} of bundle `{}` is not a valid pull spec (`{}`): {error}",
            related_image_label(&related.name, related.item),
            bundle.name.value,
            related.image.value
        );
        out.report(out.finding(related.image.place, message));
    }
}
