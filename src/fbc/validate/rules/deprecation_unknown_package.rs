//! `deprecation-unknown-package`: deprecations of a package that is not defined.
//! `opm`: `cannot apply deprecations to an unknown package "p"`.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "deprecation-unknown-package",
    "cannot apply deprecations to an unknown package %q",
    "An `olm.deprecations` blob belongs to a package that is not defined.",
    "Deprecations are shown with the package they belong to, so the catalog must define it.",
    "Correct the blob's `package`, or remove the blob.",
)
.misses(Missing::Definition)
.causes(&[SharedCause::Undefined])
.follows(&[SharedCause::Undefined])
.in_templates()
.bad(&[Example::Catalog(catalog!(deprecations!(
    "package: etdc\n",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer"
)))])
.good(&[Example::Catalog(catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer"
)))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, blob: &DeprecationsBlob, out: &mut Findings) {
    if blob.package.is_empty() || !scope.package.packages.is_empty() {
        return;
    }
    let package = &blob.package.value;
    let message = format!("deprecations belong to package `{package}`, which is not defined");
    let finding = Finding::new(out.here(blob.package.place), message).help(DOC.fix);
    out.refuse(
        format!(
            "cannot apply deprecations to an unknown package {}",
            quote(package)
        ),
        finding,
    );
}
