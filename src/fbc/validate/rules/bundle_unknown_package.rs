//! `bundle-unknown-package`: a bundle of a package that no `olm.package` blob defines.
//! `opm`: `unknown package "p" for bundle "b"`. The name is misspelled, or the definition is missing.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "bundle-unknown-package",
    "unknown package %q for bundle %q",
    "A bundle belongs to a package that is not defined.",
    "Every `olm.bundle` blob names its package, and the catalog must hold an `olm.package` blob of that name.",
    "Correct the bundle's `package`, or add the `olm.package` blob.",
)
.misses(Missing::Definition)
.causes(&[SharedCause::Undefined])
.follows(&[SharedCause::Undefined])
.bad(&[Example::Catalog(catalog!(bundle!("etdc", "1.1.0")))])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0")
))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    if bundle.package.is_empty() || !scope.package.packages.is_empty() {
        return;
    }
    let (package, name) = (&bundle.package.value, &bundle.name.value);
    let message = format!("bundle `{name}` belongs to package `{package}`, which is not defined");
    let at = out.here(bundle.package.place);
    // One fix defines the package for all of its blobs.
    let define = (at.blob == BlobRef::Bundle(0) && scope.package.channels.is_empty())
        .then(|| define_package(scope))
        .flatten();
    let finding = Finding::new(at, message)
        .help(DOC.fix)
        .bundle(name)
        .fixes(define);
    out.refuse(
        format!(
            "unknown package {} for bundle {}",
            quote(package),
            quote(name)
        ),
        finding,
    );
}
