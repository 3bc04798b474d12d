//! `bundle-duplicate`: two bundles with one name in a package. `opm`: `package "p" has duplicate
//! bundle "b"`. One has to be removed; if they are identical, the second.

use super::prelude::*;
use crate::edit::plan::remove_bundle::copies;

/// Maximum number of copies removed at once.
const REPEATED: usize = 100;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "bundle-duplicate",
    "package %q has duplicate bundle %q",
    "A package has two bundles of the same name.",
    "Entries refer to a bundle by its name, so the name must be unique in the package (not in the catalog).",
    "Remove one of the blobs, or give the newer bundle a name of its own.",
)
.bad(&[Example::Catalog(catalog!(bundle!("etcd", "1.0.0")))])
.good(&[Example::Catalog(catalog!())]);

pub(in crate::validate) fn check(scope: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    if bundle.package.is_empty() {
        return;
    }
    let name = &bundle.name.value;
    let Some((nth, first)) = scope.bundle(name).filter(|(nth, _)| *nth != out.nth) else {
        return;
    };
    let fix = copies(scope.package, name).map(|_| remove(scope, name));
    let finding = Finding::new(
        out.here(bundle.name.place),
        format!("bundle `{name}` is defined twice"),
    )
    .help(if fix.is_some() {
        "both are identical: remove one of them"
    } else {
        DOC.fix
    })
    .bundle(name)
    .related([(
        "first defined here".to_owned(),
        Anchor::new(BlobRef::Bundle(nth), first.name.place),
    )])
    .fixes(fix);
    out.refuse(
        format!(
            "package {} has duplicate bundle {}",
            quote(&bundle.package.value),
            quote(name)
        ),
        finding,
    );
}

/// Removes duplicates. Safe: the remaining one has the same content, or the operation is refused.
fn remove(scope: &Scope<'_>, name: &str) -> Fix {
    let times = scope
        .package
        .bundles
        .iter()
        .filter(|bundle| bundle.name.as_str() == name)
        .count()
        - 1;
    let op = EditOp::RemoveBundle {
        catalog: None,
        package: scope.package.name.to_string(),
        bundle: name.to_owned(),
        then: DanglingEdges::Relink,
    };
    kind(
        "remove-duplicate",
        fix_of(
            format!("keep one blob of bundle `{name}`"),
            true,
            vec![op; times.min(REPEATED)],
        ),
    )
}
