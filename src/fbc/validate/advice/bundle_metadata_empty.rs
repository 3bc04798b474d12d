//! `bundle-metadata-empty`: an empty `olm.csv.metadata`.

use super::super::rules::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "bundle-metadata-empty",
    Severity::Warning,
    Profile::Community,
    "A property `olm.csv.metadata` is empty.",
    "From OpenShift 4.17 on, the console takes an operator's name, description, provider and APIs from `olm.csv.metadata`. \
     `opm` accepts an empty one, and the operator then has nothing but its name.",
    "Render the bundle again with `opm render`, or fill in at least `displayName`, `description` and `provider`.",
)
.bad(&[
    Example::Catalog(etcd!("- type: olm.csv.metadata\n  value: {}\n")),
    Example::Catalog(etcd!("- type: olm.csv.metadata\n  value: null\n")),
])
.good(&[Example::Catalog(etcd!("- type: olm.csv.metadata\n  value:\n    displayName: etcd\n"))]);

pub(in crate::validate) fn check(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let Some(place) = bundle.mistakes.as_ref().and_then(|m| m.empty_metadata) else {
        return;
    };
    let name = &bundle.name.value;
    out.report(
        Finding::new(
            out.here(place),
            format!("`olm.csv.metadata` of bundle `{name}` is empty"),
        )
        .help(DOC.fix)
        .bundle(name),
    );
}
