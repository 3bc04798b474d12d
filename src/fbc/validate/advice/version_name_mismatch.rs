//! `version-name-mismatch`: the version in a bundle's name differs from the one in its property.

use super::super::rules::prelude::*;
use crate::version::version_in_name;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "version-name-mismatch",
    Severity::Warning,
    Profile::Community,
    "A bundle's name ends with a version that is not the bundle's own.",
    "OLM goes by the version in the `olm.package` property; people, `replaces` and `skips` go by the name. When the two \
     differ, one of them was probably not updated for a release.",
    "Name the bundle after its version, or correct the version. Do not rename a bundle that is already published.",
)
.bad(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.1.0"),
    "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.1.0\nimage: quay.io/example/etcd:v1.1.0\nproperties:\n",
    "- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n",
))])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.1.0-2"),
    "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.1.0-2\nimage: quay.io/example/etcd:v1.1.0\nproperties:\n",
    "- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.1.0+2\n",
))]);

pub(in crate::validate) fn check(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let Some(version) = bundle
        .package_properties
        .first()
        .map(|p| &p.version)
        .filter(|v| !v.is_empty())
    else {
        return;
    };
    let name = &bundle.name.value;
    let Some((_, version_of_name)) = version_in_name(name) else {
        return;
    };
    // A name cannot contain `+`: a dash replaces it, or the build is omitted, or the release is
    // appended.
    let plain = |text: &str| text.replace(['+', '_'], "-").to_ascii_lowercase();
    let (version_of_name, is) = (plain(&version_of_name.to_string()), plain(version.as_str()));
    let core = |text: &str| text.split('-').next().unwrap_or_default().to_owned();
    let one_begins_the_other = version_of_name.starts_with(&is) || is.starts_with(&version_of_name);
    if core(&version_of_name) == core(&is) && one_begins_the_other {
        return;
    }
    let message = format!("bundle `{name}` has version {}", version.value);
    out.report(
        Finding::new(out.here(version.place), message)
            .help(DOC.fix)
            .bundle(name),
    );
}
