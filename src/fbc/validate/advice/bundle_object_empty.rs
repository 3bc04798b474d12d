//! `bundle-object-empty`: an `olm.bundle.object` that holds no manifest.

use super::super::rules::prelude::*;
use crate::model::ObjectProblem;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "bundle-object-empty",
    Severity::Warning,
    Profile::Community,
    "A property `olm.bundle.object` holds no manifest.",
    "Catalogs for OpenShift up to 4.16 describe a bundle with its manifests, each in the `data` of an `olm.bundle.object`. \
     `opm` accepts a property without data and ignores `ref`, a file name that only its first versions read. Without the \
     ClusterServiceVersion the console shows neither name nor description of the operator.",
    "Render the bundle again with `opm render`, which writes the manifests into `data`, or remove the property.",
)
.bad(&[
    Example::Catalog(etcd!("- type: olm.bundle.object\n  value:\n    ref: objects/etcd.csv.yaml\n")),
    Example::Catalog(etcd!("- type: olm.bundle.object\n  value: {}\n")),
    Example::Catalog(etcd!("- type: olm.bundle.object\n  value:\n    data: e30=\n")),
])
.good(&[Example::Catalog(etcd!(
    "- type: olm.bundle.object\n  value:\n    data: eyJhcGlWZXJzaW9uIjoidjEiLCJraW5kIjoiQ29uZmlnTWFwIn0=\n"
))]);

pub(in crate::validate) fn check(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let Some(mistakes) = &bundle.mistakes else {
        return;
    };
    for object in &mistakes.objects {
        let which = format!(
            "`olm.bundle.object` (property {}) of bundle `{}`",
            object.property + 1,
            bundle.name.value
        );
        let message = match &object.problem {
            ObjectProblem::Reference(file) => format!(
                "{which} names the file `{file}` with `ref`, which `opm` does not read, and has no `data`"
            ),
            ObjectProblem::NoData => format!("{which} has no `data`"),
            ObjectProblem::NoManifest => {
                format!("the `data` of {which} is no manifest: it has no `apiVersion` and `kind`")
            }
        };
        out.report(
            Finding::new(out.here(object.place), message)
                .help(DOC.fix)
                .bundle(&bundle.name.value),
        );
    }
}
