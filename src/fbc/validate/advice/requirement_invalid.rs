//! `requirement-invalid`: a requirement that OLM cannot read.

use super::super::rules::prelude::*;
use super::properties::shared;
use crate::upgrade::resolve::refused_requirement;
use crate::version::repair::repair_range;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "requirement-invalid",
    Severity::Warning,
    Profile::Community,
    "OLM cannot read a requirement of a bundle.",
    "`opm` looks only at the shape of properties. OLM Classic reads what is in them whenever it resolves a namespace \
     that can see the catalog, and one range that does not parse, one unknown field or one CEL rule with a mistake \
     stops everything in that namespace, not only this bundle.",
    "Write ranges with `>=` and `<` and full versions, and constraints with the fields `gvk`, `package`, `cel`, \
     `all`, `any` and `not`. A published bundle can only be fixed by a new one.",
)
.bad(&[
    Example::Catalog(etcd!(
        "- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: ^1.2.0\n"
    )),
    Example::Catalog(etcd!(
        "- type: olm.constraint\n  value:\n    package:\n      name: vault\n      versionRange: '>=1.2.0'\n"
    )),
    Example::Catalog(etcd!(
        "- type: olm.constraint\n  value:\n    cel:\n      rule: properties.exists(p, p.type == 'x'\n"
    )),
])
.good(&[Example::Catalog(etcd!(
    "- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: '>=1.2.0 <2.0.0'\n\
         - type: olm.constraint\n  value:\n    failureMessage: needs x\n    cel:\n      rule: \"properties.exists(p, \
         p.type == 'x')\"\n"
))]);

const KINDS: [&str; 4] = ["olm.package.required", "olm.gvk.required", "olm.label.required", "olm.constraint"];

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for requirement in shared(scope.package, &KINDS) {
        let kind = &requirement.property.kind;
        let Some(value) = &requirement.property.value else { continue };
        let Some(refused) = refused_requirement(kind, value) else { continue };
        // A CEL error comes with the rule and a marker below it, on separate lines.
        let words = refused.lines().next().unwrap_or_default();
        let message = format!("OLM cannot read `{kind}` of {}: {words}", requirement.label());
        let help = match repair_range(&requirement.field("versionRange")) {
            Some(range) => format!("did you mean `{range}`?"),
            None if words.contains("unknown field \"name\"") => "the field is `packageName`".to_owned(),
            None => DOC.fix.to_owned(),
        };
        out.report(Finding::new(requirement.at, message).help(help).bundle(&requirement.bundle.name.value));
    }
}
