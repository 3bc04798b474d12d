//! `bundle-duplicate`: two bundles of one name in a package. `opm`: `package "p" has duplicate bundle "b"`.
//! One of them has to go.

use super::prelude::*;

pub(in crate::fbc::validate) const DOC: RuleDoc = RuleDoc::opm(
    "bundle-duplicate",
    "package %q has duplicate bundle %q",
    "A package has two bundles of the same name.",
    "Entries refer to a bundle by its name, so the name must be unique in the package (not in the catalog).",
    "Remove one of the blobs, or give the newer bundle a name of its own.",
)
.bad(&[Example::Catalog(catalog!(bundle!("etcd", "1.0.0")))])
.good(&[Example::Catalog(catalog!())]);

pub(in crate::fbc::validate) fn check(scope: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    if bundle.package.is_empty() {
        return;
    }
    let name = &bundle.name.value;
    let Some((nth, first)) = scope.bundle(name).filter(|(nth, _)| *nth != out.nth) else { return };
    let finding = Finding::new(out.here(bundle.name.place), format!("bundle `{name}` is there a second time"))
        .help(DOC.fix)
        .bundle(name)
        .related([("first defined here".to_owned(), Anchor::new(BlobRef::Bundle(nth), first.name.place))]);
    out.refuse(format!("package {} has duplicate bundle {}", quote(&bundle.package.value), quote(name)), finding);
}
