//! `constraint-several-kinds`: one constraint object has two kinds, of which one is not read.

use super::super::rules::prelude::*;
use super::properties::{members, shared_properties};
use serde_json::Value;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "constraint-several-kinds",
    Severity::Warning,
    Profile::Community,
    "A constraint has two kinds in one object; OLM reads only one of them.",
    "Each object in an `olm.constraint` must have only one of `gvk`, `package`, `all`, `any`, `not` and `cel`. When it has several, \
     OLM Classic takes the first in this order and ignores the others silently.",
    "Put each of the two in an object of its own, inside an `all` (or an `any`).",
)
.bad(&[Example::Catalog(etcd!(
    "- type: olm.constraint\n  value:\n    gvk:\n      group: vault.io\n      version: v1\n      kind: Vault\n    \
         package:\n      packageName: vault\n      versionRange: '>=1.0.0'\n"
))])
.good(&[Example::Catalog(etcd!(
    "- type: olm.constraint\n  value:\n    all:\n      constraints:\n      - gvk:\n          group: vault.io\n\
         \x20         version: v1\n          kind: Vault\n      - package:\n          packageName: vault\n          \
         versionRange: '>=1.0.0'\n"
))]);

/// In OLM's order of precedence.
const KINDS: [&str; 6] = ["gvk", "package", "all", "any", "not", "cel"];

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for requirement in shared_properties(scope.package, &["olm.constraint"]) {
        let Some((read, unread)) = requirement.value().and_then(|value| two_kinds(&value)) else {
            continue;
        };
        let message = format!(
            "`olm.constraint` of {} has `{read}` and `{unread}` in one object; OLM reads only `{read}`",
            requirement.label()
        );
        out.report(
            Finding::new(requirement.at, message)
                .help(DOC.fix)
                .bundle(&requirement.bundle.name.value),
        );
    }
}

/// The first two kinds of the first object that has several.
fn two_kinds(constraint: &Value) -> Option<(&'static str, &'static str)> {
    let mut waiting = vec![constraint];
    while let Some(constraint) = waiting.pop() {
        let mut kinds = KINDS
            .iter()
            .filter(|kind| constraint.get(**kind).is_some_and(|v| !v.is_null()));
        if let (Some(read), Some(unread)) = (kinds.next(), kinds.next()) {
            return Some((read, unread));
        }
        let groups = ["all", "any", "not"]
            .iter()
            .filter_map(|kind| members(constraint, kind));
        waiting.extend(groups.flatten());
    }
    None
}
