//! `deprecation-no-package`: deprecations without `package`. `opm`: `package name must be set for deprecation item 0`,
//! with the blob's number in load order over the whole catalog.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "deprecation-no-package",
    "package name must be set for deprecation item %d",
    "An `olm.deprecations` blob does not say to which package it belongs.",
    "References in it are names inside a package; without the package they mean nothing.",
    "Write the blob's `package`.",
)
.in_templates()
.bad(&[Example::Catalog(catalog!(deprecations!(
    "",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer"
)))])
.good(&[Example::Catalog(catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer"
)))]);

/// `opm`'s message; `number` counts the preceding deprecations blobs in the catalog.
pub(in crate::validate) fn opm(number: usize) -> String {
    format!("package name must be set for deprecation item {number}")
}

pub(in crate::validate) fn check(_: &Scope<'_>, blob: &DeprecationsBlob, out: &mut Findings) {
    if blob.package.is_empty() {
        // Only the whole catalog determines the number; the verdict fills it in.
        let number = out.nth as usize;
        let at = out.here(blob.package.place);
        out.refuse(
            opm(number),
            Finding::new(at, "deprecations name no package").help(DOC.fix),
        );
    }
}
