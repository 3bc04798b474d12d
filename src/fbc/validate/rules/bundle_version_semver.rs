//! `bundle-version-semver`: a version that is not a strict semantic version.
//! `opm`: `error parsing bundle "b" version "v": <error>`. `v1.0.0`, `1.0` and `01.0.0` are not strict.

use super::prelude::*;
use crate::version::Version;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "bundle-version-semver",
    "error parsing bundle %q version %q: <error>",
    "The version of a bundle is not a strict semantic version.",
    "OLM compares versions, so each must be `MAJOR.MINOR.PATCH` with an optional prerelease and build, without a `v`.",
    "Write the version in full, such as `1.2.0` or `1.2.0-rc.1`.",
)
.follows(&[SharedCause::PropertiesUnparsed])
.bad(&[Example::Catalog(concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd.v1.0.0"), "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.0.0\nimage: quay.io/example/etcd:v1.0.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: v1.0.0\n"))])
.good(&[Example::Catalog(catalog!())]);

pub(in crate::validate) fn check(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let [property] = &bundle.package_properties[..] else {
        return;
    };
    if bundle.properties_fault.is_some() {
        return;
    }
    let (name, version) = (&bundle.name.value, &property.version.value);
    if let Err(error) = Version::parse(version) {
        let opm = format!(
            "error parsing bundle {} version {}: {error}",
            quote(name),
            quote(version)
        );
        let message =
            format!("version `{version}` of bundle `{name}` is not a semantic version: {error}");
        out.refuse(
            opm,
            Finding::new(out.here(property.version.place), message)
                .help(DOC.fix)
                .bundle(name),
        );
    }
}
