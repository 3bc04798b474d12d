//! Advice on the images of bundles.

use super::super::rules::prelude::*;
use catalog::model::pull_spec::check_pull_spec;
use catalog::model::{RelatedImageProblem, related_image_label};
use syntax::hashed::HashMap;

pub const BUNDLE_IMAGE_SHARED: RuleDoc = RuleDoc::advice(
    "bundle-image-shared",
    Severity::Warning,
    Profile::Community,
    "Two bundles of a package have the same image.",
    "OLM installs what is in the image. When two bundles share one, OLM looks in it for a ClusterServiceVersion with \
     the bundle's name and finds the other's. Usually a blob was copied and its image forgotten.",
    "Give each bundle the image that was built for it.",
)
.bad(examples![two_versions!()])
.good(examples![concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
    "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.1.0\nimage: quay.io/example/etcd:v1.1.0\nproperties:\n\
     - type: olm.package\n  value:\n    packageName: etcd\n    version: 1.1.0\n",
)]);

pub fn check_bundle_image_shared(scope: &Scope<'_>, out: &mut Findings) {
    let mut first = HashMap::default();
    for (nth, bundle) in scope
        .package
        .bundles
        .iter()
        .enumerate()
        .filter(|(_, b)| !b.image.is_empty())
    {
        let earlier = *first.entry(bundle.image.as_str()).or_insert(nth);
        let other = &scope.package.bundles[earlier];
        // `opm` itself refuses a second blob with this name.
        if other.name.value == bundle.name.value {
            continue;
        }
        let [own_at, other_at] = [(nth, bundle), (earlier, other)]
            .map(|(nth, bundle)| Anchor::new(BlobRef::Bundle(nth as u32), bundle.image.place));
        let message = format!(
            "bundle `{}` has the image of `{}`",
            bundle.name.value, other.name.value
        );
        let related = [("the other bundle".to_owned(), other_at)];
        let finding = Finding::new(own_at, message).related(related);
        out.report(finding.bundle(&bundle.name.value));
    }
}

pub const IMAGE_TAG: RuleDoc = RuleDoc::advice(
    "image-tag",
    Severity::Warning,
    Profile::Strict,
    "A bundle refers to its image by tag, not by digest.",
    "A tag can be moved to another image: clusters then install something else under the same name and version, \
     and mirrors may miss the new image. Nine in ten packages in OpenShift's community catalog use tags anyway, \
     so this rule is in the `strict` profile only.",
    "Refer to the image by digest, `NAME@sha256:...`.",
)
.bad(examples![stable_text!("- name: etcd.v1.0.0"; "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.0.0\nimage: quay.io/example/etcd:v1.0.0\nproperties:\n", "- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n")])
.good(examples![etcd!()]);

pub fn check_image_tag(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
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
    out.report(out.finding(bundle.image.place, message));
}

pub const IMAGE_TAG_BESIDE_DIGEST: RuleDoc = RuleDoc::advice(
    "image-tag-beside-digest",
    Severity::Warning,
    Profile::Community,
    "An image is named with both a tag and a digest.",
    "`opm` accepts `NAME:TAG@DIGEST`, and a container runtime pulls the digest. `oc-mirror` v2 does not accept a reference \
     with both and leaves the image out, so it is missing in a disconnected cluster.",
    "Remove the tag and keep the digest: `NAME@sha256:...`.",
)
.bad(examples![etcd!(
        "relatedImages:\n- name: server\n  image: quay.io/example/etcd:v1@sha256:\
         0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n"
    ),
    stable_text!("- name: etcd.v1.0.0"; "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.0.0\nimage: quay.io/example/etcd:v1@sha256:\
         0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\nproperties:\n- type: olm.package\n  value:\n    \
         packageName: etcd\n    version: 1.0.0\n")])
.good(examples![etcd!(
    "relatedImages:\n- name: server\n  image: quay.io:443/example/etcd@sha256:\
     0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n- name: tool\n  image: \
     quay.io:443/example/tool:v1\n"
)]);

pub fn check_image_tag_beside_digest(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let name = &bundle.name.value;
    let mut report = |label: &str, image: &str, place: Place| {
        let Some(without) = without_tag(image) else {
            return;
        };
        let message = format!("{label} of bundle `{name}` has a tag beside its digest: `{image}`");
        out.report(out.finding(place, message).help(format!(
            "remove the tag, which mirrors do not accept there: `{without}`"
        )));
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

/// Returns the reference without its tag, if it has both tag and digest.
fn without_tag(image: &str) -> Option<String> {
    let (before, digest) = image.split_once('@')?;
    let (path, last) = before.rsplit_once('/').unwrap_or(("", before));
    let (name, _) = last.split_once(':')?;
    let slash = if path.is_empty() { "" } else { "/" };
    Some(format!("{path}{slash}{name}@{digest}"))
}

pub const RELATED_IMAGE_LOOSE: RuleDoc = RuleDoc::advice(
    "related-image-loose",
    Severity::Warning,
    Profile::Community,
    "A related image has neither a tag nor a digest, or no image at all.",
    "Mirroring tools copy what `relatedImages` lists. They cannot tell which image is meant and leave the bundle out, \
     or fail, so the operator is missing in a disconnected cluster. `opm` reads the image of an item from `image` alone: \
     `value` is the key of an environment variable, and `relatedImage` is read by nobody.",
    "Write the image with its digest, or remove the item if it has no image.",
)
.bad(examples![etcd!("relatedImages:\n- name: server\n  image: quay.io:443/example/etcd-server\n"),
    etcd!("relatedImages:\n- name: server\n  value: quay.io/example/etcd-server:v1\n"),
    etcd!("relatedImages:\n- relatedImage: quay.io/example/etcd-server:v1\n")])
.good(examples![etcd!("relatedImages:\n- name: server\n  image: quay.io:443/example/etcd-server:v1\n")]);

pub fn check_related_image_loose(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let name = &bundle.name.value;
    for related in bundle.related_image_mistakes() {
        let label = related_image_label(&related.name, related.item);
        let at = out.here(related.image.place);
        let (message, help, rename) = match &related.problem {
            RelatedImageProblem::Missing(None) => (
                format!("{label} of bundle `{name}` has no image"),
                RELATED_IMAGE_LOOSE.fix.to_owned(),
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
                RELATED_IMAGE_LOOSE.fix.to_owned(),
                None,
            ),
            RelatedImageProblem::Invalid(_) | RelatedImageProblem::TagAndDigest => continue,
        };
        let corrected = rename.map(|rename| Corrected {
            title: "write `image`".to_owned(),
            // Not safe: with this key, `opm` checks the image.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_tag_is_removed() {
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
