//! `bundle-package-property-count`: not exactly one `olm.package` property.
//! `opm`: `package "p" bundle "b" must have exactly 1 "olm.package" property, found 0`. The version comes from it.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "bundle-package-property-count",
    "package %q bundle %q must have exactly 1 \"olm.package\" property, found %d",
    "A bundle does not have exactly one `olm.package` property.",
    "This property holds the bundle's version; without it the bundle has no version, and with two the version is \
     ambiguous.",
    "Keep exactly one property `{type: olm.package, value: {packageName: ..., version: ...}}`.",
)
.follows(&[SharedCause::PropertiesUnparsed])
.bad(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0"),
    "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.0.0\nimage: quay.io/example/etcd:v1.0.0\n"
))])
.good(&[Example::Catalog(catalog!())]);

pub(in crate::validate) fn check(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let found = bundle.package_properties.len();
    if found == 1 || bundle.properties_fault.is_some() {
        return;
    }
    let name = &bundle.name.value;
    let place = bundle
        .package_properties
        .get(1)
        .map_or(bundle.name.place, |p| p.version.place);
    // One for another package is a requirement in the style of `dependencies.yaml`.
    let mistake = bundle.known_mistakes().iter().find(|mistake| {
        bundle
            .properties
            .get(mistake.property as usize)
            .is_some_and(|property| &*property.kind == "olm.package")
    });
    let message =
        format!("bundle `{name}` has {found} properties of type `olm.package` instead of one");
    let opm = format!(
        "package {} bundle {} must have exactly 1 \"olm.package\" property, found {found}",
        quote(&bundle.package.value),
        quote(name)
    );
    let at = out.here(mistake.map_or(place, |mistake| mistake.place));
    let corrected = mistake
        .and_then(|mistake| mistake.correction.as_ref())
        .map(|known| Corrected::in_blob(at.blob, known));
    let help = mistake.map_or(DOC.fix, |mistake| mistake.help.as_str());
    out.refuse(
        opm,
        Finding::new(at, message)
            .help(help)
            .bundle(name)
            .corrected(corrected),
    );
}
