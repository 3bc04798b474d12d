//! `bundle-package-property-match`: the `olm.package` property names another package. `opm`:
//! `package "p" does not match "olm.package" property "q"`. They must agree.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "bundle-package-property-match",
    "package %q does not match \"olm.package\" property %q",
    "The `olm.package` property of a bundle names a different package from the bundle's own.",
    "OLM resolves dependencies by the property and channels by the field, so both must name the same package.",
    "Write the same name in `package` and in the property's `packageName`.",
)
.follows(&[SharedCause::PropertiesUnparsed])
.bad(&[Example::Catalog(concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd.v1.0.0"), "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.0.0\nimage: quay.io/example/etcd:v1.0.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd-operator\n    version: 1.0.0\n"))])
.good(&[Example::Catalog(catalog!())]);

pub(in crate::validate) fn check(scope: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let [property] = &bundle.package_properties[..] else {
        return;
    };
    let (package, property_name) = (&bundle.package.value, &property.package_name.value);
    if package == property_name || bundle.properties_fault.is_some() || package.is_empty() {
        return;
    }
    let message = format!(
        "bundle `{}` belongs to `{package}`, but its `olm.package` property says `{property_name}`",
        bundle.name.value
    );
    let at = out.here(property.package_name.place);
    // If the bundle's package is undefined, the bundle itself may be wrong.
    let respell = || {
        NameCorrection::new(
            format!("write `{package}` in the property"),
            at,
            property_name,
            package,
        )
    };
    let finding = Finding::new(at, message)
        .help(DOC.fix)
        .bundle(&bundle.name.value)
        .respell((!scope.package.packages.is_empty()).then(respell))
        .related([(
            "the bundle's package".to_owned(),
            out.here(bundle.package.place),
        )]);
    out.refuse(
        format!(
            "package {} does not match \"olm.package\" property {}",
            quote(package),
            quote(property_name)
        ),
        finding,
    );
}
