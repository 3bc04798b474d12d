//! `deprecation-package-named`: a deprecation of the package that carries a name.
//! `opm`: `package name must be empty for deprecated package "p" (specified "x")`.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "deprecation-package-named",
    "package name must be empty for deprecated package %q (specified %q)",
    "A deprecation of the package itself has a `name`.",
    "The blob's `package` already says which package is meant, so the reference must not have a `name`.",
    "Remove `name` from the reference.",
)
.in_templates()
.bad(&[Example::Catalog(catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.package\n    name: etcd\n  message: use something newer"
)))])
.good(&[Example::Catalog(catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.package\n  message: use something newer"
)))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, blob: &DeprecationsBlob, out: &mut Findings) {
    if !scope.is_defined() {
        return;
    }
    for (i, entry) in blob.entries.iter().enumerate() {
        if entry.schema.as_str() == "olm.package" && !entry.name.is_empty() {
            let opm = format!(
                "package name must be empty for deprecated package {} (specified {})",
                quote(&blob.package.value),
                quote(&entry.name.value)
            );
            let at = out.here(entry.name.place);
            let finding =
                Finding::new(at, "the deprecation of the package has a `name`").help(DOC.fix);
            out.refuse_at(i as u32 + 1, opm, finding);
        }
    }
}
