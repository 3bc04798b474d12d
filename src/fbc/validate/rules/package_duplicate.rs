//! `package-duplicate`: two `olm.package` blobs with one name. `opm`: `duplicate package "p"`.
//! Often a folder with several catalogs was opened as one; otherwise one of the blobs must be
//! removed.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "package-duplicate",
    "duplicate package %q",
    "A package is defined by more than one `olm.package` blob.",
    "A catalog may define each package only once. A folder with a catalog for each OCP version is not a catalog itself.",
    "Remove all but one of the blobs, or validate each catalog folder by itself.",
)
.in_templates()
.bad(&[Example::Catalog(catalog!("---\n", package!("etcd", "stable")))])
.good(&[Example::Catalog(catalog!())]);

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for (nth, package) in scope.package.packages.iter().enumerate().skip(1) {
        if package.name.is_empty() {
            continue;
        }
        out.nth = nth as u32;
        let first = Anchor::new(BlobRef::Package(0), scope.package.packages[0].name.place);
        let finding = Finding::new(
            out.here(package.name.place),
            format!("package `{}` is defined again", package.name.value),
        )
        .help(DOC.fix)
        .related([("first defined here".to_owned(), first)]);
        out.refuse(
            format!("duplicate package {}", quote(&package.name.value)),
            finding,
        );
    }
}
