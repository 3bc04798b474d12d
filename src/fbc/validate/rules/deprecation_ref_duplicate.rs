//! `deprecation-ref-duplicate`: the same reference twice in a package's deprecations.
//! `opm`: `duplicate deprecation entry declcfg.PackageScopedReference{Schema:"olm.bundle", Name:"b"} for package "p"`.

use super::prelude::*;
use crate::hashed::HashMap;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "deprecation-ref-duplicate",
    "duplicate deprecation entry declcfg.PackageScopedReference{Schema:%q, Name:%q} for package %q",
    "The same thing is deprecated twice.",
    "Each reference has one message; with two it is ambiguous which one users see.",
    "Remove one of the two entries.",
)
.in_templates()
.bad(&[Example::Catalog(catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use etcd.v1.1.0"
)))])
.good(&[Example::Catalog(catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer"
)))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, blob: &DeprecationsBlob, out: &mut Findings) {
    if !scope.is_defined() {
        return;
    }
    let mut seen: HashMap<(&str, &str), usize> = HashMap::default();
    for (i, entry) in blob.entries.iter().enumerate() {
        let first = *seen
            .entry((&entry.schema.value, &entry.name.value))
            .or_insert(i);
        if first == i || entry.schema.is_empty() {
            continue;
        }
        let opm = format!(
            "duplicate deprecation entry {} for package {}",
            reference(entry),
            quote(&blob.package.value)
        );
        let finding = Finding::new(
            out.here(entry.place),
            format!("{} is deprecated twice", thing(entry)),
        )
        .help(DOC.fix)
        .related([("first here".to_owned(), out.here(blob.entries[first].place))]);
        out.refuse_at(i as u32 + 1, opm, finding);
    }
}
