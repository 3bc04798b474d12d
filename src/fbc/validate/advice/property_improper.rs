//! `property-improper`: a property without meaning, which `opm` accepts.

use super::super::rules::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "property-improper",
    Severity::Warning,
    Profile::Strict,
    "A property has no type or no value, or a property of a package or channel cannot be read.",
    "`opm` accepts a property with an empty type or the value `null`, and it never looks into the properties of \
     packages and channels. Such a property has no effect: it is a mistake, usually in the indentation.",
    "Write the property's `type` and `value`, or remove the property.",
)
.bad(&[
    Example::Catalog(etcd!("- type: ''\n  value: gold\n")),
    Example::Catalog(etcd!("- type: example.com.tier\n  value: null\n")),
    Example::Catalog(catalog!(
        "---\nschema: olm.channel\npackage: etcd\nname: alpha\nentries:\n- name: etcd.v1.0.0\nproperties:\n- type: \
         olm.channel\n  value: high\n"
    )),
])
.good(&[Example::Catalog(etcd!("- type: example.com.tier\n  value: gold\n"))]);

pub(in crate::validate) fn check_definition(scope: &Scope<'_>, out: &mut Findings) {
    for (nth, blob) in (0..).zip(&scope.package.packages) {
        if let Some(improper) = &blob.improper {
            let at = Anchor::new(BlobRef::Package(nth), improper.place);
            out.report(
                Finding::new(
                    at,
                    format!("{} in package `{}`", improper.value, blob.name.value),
                )
                .help(DOC.fix),
            );
        }
    }
}

pub(in crate::validate) fn check_channel(_: &Scope<'_>, channel: &ChannelBlob, out: &mut Findings) {
    if let Some(improper) = &channel.improper {
        let message = format!("{} in channel `{}`", improper.value, channel.name.value);
        out.report(
            Finding::new(out.here(improper.place), message)
                .help(DOC.fix)
                .channel(&channel.name.value),
        );
    }
}

pub(in crate::validate) fn check_bundle(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    // `bundle-properties-parse` reports properties that do not decode.
    if let Some(improper) = bundle
        .improper
        .as_ref()
        .filter(|_| bundle.properties_fault.is_none())
    {
        let message = format!("{} in bundle `{}`", improper.value, bundle.name.value);
        out.report(
            Finding::new(out.here(improper.place), message)
                .help(DOC.fix)
                .bundle(&bundle.name.value),
        );
    }
}
