//! `bundle-release-format`: a release that is not a dotted list of prerelease identifiers, or is too
//! long. `opm`: `error parsing bundle "b" release version "r": invalid release "r": ...`.

use super::prelude::*;
use crate::version::Release;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "bundle-release-format",
    "error parsing bundle %q release version %q: invalid release %q: <error>",
    "The release of a bundle is malformed.",
    "Releases order rebuilds of one version; they are compared like semver prereleases and become part of object names.",
    "Write identifiers of letters, digits and dashes joined by dots, up to 20 characters, numbers without leading zeros.",
)
.bad(&[Example::Catalog(concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd-v1.0.0-1"), "---\nschema: olm.bundle\npackage: etcd\nname: etcd-v1.0.0-1\nimage: quay.io/example/etcd:v1.0.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n    release: '01'\n"))])
.good(&[Example::Catalog(concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd-v1.0.0-1"), "---\nschema: olm.bundle\npackage: etcd\nname: etcd-v1.0.0-1\nimage: quay.io/example/etcd:v1.0.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n    release: '1'\n"))]);

pub(in crate::validate) fn check(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let [property] = &bundle.package_properties[..] else {
        return;
    };
    if bundle.properties_fault.is_some() {
        return;
    }
    let (name, release) = (&bundle.name.value, &property.release.value);
    if let Err(error) = Release::parse(release) {
        let opm = format!(
            "error parsing bundle {} release version {}: {error}",
            quote(name),
            quote(release)
        );
        let message = format!("release `{release}` of bundle `{name}` is malformed");
        out.refuse(
            opm,
            Finding::new(out.here(property.release.place), message)
                .help(DOC.fix)
                .bundle(name),
        );
    }
}
