//! `deprecation-ref-unknown-schema`: a deprecation of something that cannot be deprecated.
//! `opm`: `cannot deprecate object declcfg.PackageScopedReference{Schema:"s", Name:"n"} referenced by entry 0 for package
//! "p": object schema unknown`.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "deprecation-ref-unknown-schema",
    "cannot deprecate object declcfg.PackageScopedReference{Schema:%q, Name:%q} referenced by entry %d for package %q: object schema unknown",
    "A deprecation refers to a schema that cannot be deprecated.",
    "Only packages, channels and bundles can be deprecated.",
    "Write `olm.package`, `olm.channel` or `olm.bundle` as `reference.schema`.",
)
.in_templates()
.bad(&[Example::Catalog(catalog!(deprecations!("package: etcd\n", "- reference:\n    schema: olm.bundles\n    name: etcd.v1.0.0\n  message: use something newer")))])
.good(&[Example::Catalog(catalog!(deprecations!("package: etcd\n", "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer")))]);

/// Schemas that can be deprecated.
const KNOWN: [&str; 3] = ["olm.package", "olm.channel", "olm.bundle"];

pub(in crate::validate) fn check(scope: &Scope<'_>, blob: &DeprecationsBlob, out: &mut Findings) {
    if !scope.is_defined() {
        return;
    }
    for (i, entry) in blob.entries.iter().enumerate() {
        if entry.schema.is_empty() || KNOWN.contains(&entry.schema.as_str()) {
            continue;
        }
        let opm = format!(
            "cannot deprecate object {} referenced by entry {i} for package {}: object schema unknown",
            reference(entry),
            quote(&blob.package.value)
        );
        let at = out.here(entry.schema.place);
        let finding = Finding::new(at, format!("`{}` cannot be deprecated", entry.schema.value))
            .help(DOC.fix)
            .respell(nearest(entry.schema.as_str(), KNOWN).map(|suggestion| {
                NameCorrection::new(
                    format!("did you mean `{suggestion}`?"),
                    at,
                    &entry.schema.value,
                    suggestion,
                )
            }));
        out.refuse_at(i as u32 + 1, opm, finding);
    }
}
