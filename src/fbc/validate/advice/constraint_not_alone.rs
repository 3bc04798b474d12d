//! `constraint-not-alone`: a constraint that consists of a `not` alone.

use super::super::rules::prelude::*;
use super::properties::{members, shared_properties};
use serde_json::Value;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "constraint-not-alone",
    Severity::Warning,
    Profile::Community,
    "A constraint consists of a `not` alone.",
    "An `olm.constraint` asks for one bundle that meets it; it does not forbid others. A `not` without a requirement beside it \
     is met by almost any bundle, usually by the one that has it. What it was meant to exclude can still be \
     installed, and OLM Classic checks every bundle of every catalog against it.",
    "Put the `not` in an `all`, next to the requirement: a package or an API.",
)
.bad(&[Example::Catalog(etcd!(
    "- type: olm.constraint\n  value:\n    not:\n      constraints:\n      - package:\n          packageName: \
         vault\n          versionRange: <1.0.0\n"
))])
.good(&[Example::Catalog(etcd!(
    "- type: olm.constraint\n  value:\n    all:\n      constraints:\n      - gvk:\n          group: vault.io\n\
         \x20         version: v1\n          kind: Vault\n      - not:\n          constraints:\n          - package:\n\
         \x20             packageName: vault\n              versionRange: <1.0.0\n"
))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for requirement in shared_properties(scope.package, &["olm.constraint"]) {
        if !requirement.value().is_some_and(|value| is_negative(&value)) {
            continue;
        }
        let message = format!(
            "`olm.constraint` of {} excludes something but requires nothing, so almost any bundle meets it",
            requirement.label()
        );
        let finding = Finding::new(requirement.at, message)
            .help("put the `not` in an `all`, next to the requirement");
        out.report(finding.bundle(&requirement.bundle.name.value));
    }
}

/// If one object has several kinds, the first of these counts. The JSON reader limits nesting, so
/// the recursion ends.
fn is_negative(constraint: &Value) -> bool {
    if ["gvk", "package"]
        .iter()
        .any(|kind| constraint.get(kind).is_some_and(|v| !v.is_null()))
    {
        return false;
    }
    if let Some(all) = members(constraint, "all") {
        return !all.is_empty() && all.iter().all(is_negative);
    }
    match members(constraint, "any") {
        Some(any) => any.iter().any(is_negative),
        None => members(constraint, "not").is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn constraints_that_almost_any_bundle_meets() {
        let gvk = json!({"gvk": {"group": "g", "version": "v1", "kind": "K"}});
        let of = |kind: &str, children: Vec<&Value>| json!({kind: {"constraints": children}});
        let not = of("not", vec![&gvk]);
        assert!(is_negative(&not));
        assert!(is_negative(&of("all", vec![&not])));
        assert!(is_negative(&of("any", vec![&gvk, &not])));
        assert!(!is_negative(&of("all", vec![&gvk, &not])));
        assert!(!is_negative(&of("all", vec![])));
        assert!(!is_negative(&gvk));
    }
}
