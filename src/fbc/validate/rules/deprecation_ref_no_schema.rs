//! `deprecation-ref-no-schema`: a deprecation without `reference.schema`.
//! `opm`: `schema must be set for deprecation entry [0] for package "p"`.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "deprecation-ref-no-schema",
    "schema must be set for deprecation entry [%d] for package %q",
    "A deprecation does not say what kind of thing it deprecates.",
    "The reference needs a `schema`: `olm.package`, `olm.channel` or `olm.bundle`.",
    "Write `reference.schema`, and a `name` for a channel or bundle.",
)
.in_templates()
.bad(&[Example::Catalog(catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    name: etcd.v1.0.0\n  message: use something newer"
)))])
.good(&[Example::Catalog(catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer"
)))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, blob: &DeprecationsBlob, out: &mut Findings) {
    if !scope.is_defined() {
        return;
    }
    for (i, entry) in blob.entries.iter().enumerate() {
        if entry.schema.is_empty() {
            let opm = format!(
                "schema must be set for deprecation entry [{i}] for package {}",
                quote(&blob.package.value)
            );
            let at = out.here(entry.schema.place);
            out.refuse_at(
                i as u32 + 1,
                opm,
                Finding::new(at, "a deprecation's reference has no schema").help(DOC.fix),
            );
        }
    }
}
