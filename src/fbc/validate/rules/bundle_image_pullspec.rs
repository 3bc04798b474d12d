//! `bundle-image-pullspec`: a bundle image that is not a pull spec. `opm`: `package "p" bundle "b" image: invalid image
//! pull spec "i": <error>`. See `opm-semantics` 2.4 for the grammar.

use super::prelude::*;
use crate::model::pull_spec::check_pull_spec;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "bundle-image-pullspec",
    "package %q bundle %q image: invalid image pull spec %q: <error>",
    "The image of a bundle is not a valid image reference.",
    "The cluster pulls the bundle from it. `opm` refuses schemes (`docker://`), spaces, upper case in the path and bad digests.",
    "Write a pull spec such as `quay.io/org/bundle@sha256:...`, in lower case and without a scheme.",
)
.since(64)
.bad(&[Example::Catalog(concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd.v1.0.0"), "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.0.0\nimage: docker://quay.io/example/etcd:v1.0.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n"))])
.good(&[Example::Catalog(catalog!())]);

pub(in crate::validate) fn check(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let (name, image) = (&bundle.name.value, &bundle.image.value);
    if let Err(error) = check_pull_spec(image) {
        let opm = format!(
            "package {} bundle {} image: invalid image pull spec {}: {error}",
            quote(&bundle.package.value),
            quote(name),
            quote(image)
        );
        let message = format!("the image of bundle `{name}` is not a valid pull spec: {error}");
        out.refuse(
            opm,
            Finding::new(out.here(bundle.image.place), message)
                .help(DOC.fix)
                .bundle(name),
        );
    }
}
