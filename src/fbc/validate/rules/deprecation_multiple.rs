//! `deprecation-multiple`: two `olm.deprecations` blobs for a package. `opm`: `expected a maximum
//! of one deprecation per package: "p"`. Their entries must be merged.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "deprecation-multiple",
    "expected a maximum of one deprecation per package: %q",
    "A package has more than one `olm.deprecations` blob.",
    "A package may have only one `olm.deprecations` blob; `opm` does not merge several.",
    "Move all entries into one of the blobs and remove the other.",
)
.in_templates()
.bad(&[Example::Catalog(catalog!(
    deprecations!(
        "package: etcd\n",
        "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer"
    ),
    deprecations!(
        "package: etcd\n",
        "- reference:\n    schema: olm.channel\n    name: stable\n  message: use something newer"
    )
))])
.good(&[Example::Catalog(catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer",
    "- reference:\n    schema: olm.channel\n    name: stable\n  message: use something newer"
)))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, blob: &DeprecationsBlob, out: &mut Findings) {
    if out.nth == 0 || !scope.is_defined() {
        return;
    }
    let package = &blob.package.value;
    let first = Anchor::new(
        BlobRef::Deprecations(0),
        scope.package.deprecations[0].package.place,
    );
    let finding = Finding::new(
        out.here(blob.package.place),
        format!(
            "package `{package}` has more than one `olm.deprecations` \
         blob"
        ),
    )
    .help(DOC.fix)
    .related([("first here".to_owned(), first)]);
    out.refuse(
        format!(
            "expected a maximum of one deprecation per package: {}",
            quote(package)
        ),
        finding,
    );
}
