//! `requirement-invalid`: a requirement that OLM cannot read or that names no package.

use super::super::rules::prelude::*;
use super::properties::{Shared, shared_properties};
use crate::model::KnownMistake;
use crate::upgrade::resolve::{refused_requirement, required_package};
use crate::version::repair::repair_range;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "requirement-invalid",
    Severity::Warning,
    Profile::Community,
    "A bundle has a requirement that OLM cannot read or that names no package.",
    "`opm` looks only at the shape of properties. OLM Classic reads what is in them whenever it resolves a namespace \
     that can see the catalog, and one range that does not parse, one unknown field or one CEL rule with an error \
     stops all installations and upgrades in that namespace, not only this bundle's. A required package without `packageName` (examples in \
     OLM's documentation write `name`) has no name, so no bundle satisfies it.",
    "Write ranges with `>=` and `<` and full versions, and constraints with the fields `gvk`, `package`, `cel`, \
     `all`, `any` and `not`. A published bundle can only be fixed by a new one.",
)
.bad(&[
    Example::Catalog(etcd!(
        "- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: ^1.2.0\n"
    )),
    Example::Catalog(etcd!("- type: olm.package.required\n  value:\n    name: vault\n    versionRange: '>=1.2.0'\n")),
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

const KINDS: [&str; 4] = [
    "olm.package.required",
    "olm.gvk.required",
    "olm.label.required",
    "olm.constraint",
];

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for requirement in shared_properties(scope.package, &KINDS) {
        let kind = &requirement.property.kind;
        let Some(value) = &requirement.property.value else {
            continue;
        };
        let message = match refused_requirement(kind, value) {
            // A CEL error includes the rule and a marker on separate lines.
            Some(refused) => {
                let first_line = refused.lines().next().unwrap_or_default();
                format!(
                    "OLM cannot read `{kind}` of {}: {first_line}",
                    requirement.label()
                )
            }
            None if &**kind == "olm.package.required"
                && required_package(value).is_some_and(|(p, _)| p.is_empty()) =>
            {
                format!(
                    "`{kind}` of {} names no package, so no bundle satisfies it",
                    requirement.label()
                )
            }
            None => continue,
        };
        let known_mistakes = known_mistakes(scope, &requirement);
        let help = match (
            known_mistakes.first(),
            repair_range(&requirement.field("versionRange")),
        ) {
            (Some((_, mistake)), _) => mistake.help.clone(),
            (None, Some(range)) => format!("did you mean `{range}`?"),
            (None, None) => DOC.fix.to_owned(),
        };
        let finding = Finding::new(requirement.at, message)
            .help(help)
            .bundle(&requirement.bundle.name.value);
        out.report(finding.corrected(correction(&known_mistakes)));
    }
}

/// The known mistakes in the requirement, in every bundle that has it.
fn known_mistakes<'a>(
    scope: &Scope<'a>,
    requirement: &Shared<'_>,
) -> Vec<(BlobRef, &'a KnownMistake)> {
    let mut found = Vec::new();
    for (nth, bundle) in (0..).zip(&scope.package.bundles) {
        let is_same = |mistake: &&KnownMistake| {
            bundle
                .properties
                .get(mistake.property as usize)
                .is_some_and(|fact| fact.property.as_ref() == requirement.property)
        };
        found.extend(
            bundle
                .known_mistakes()
                .iter()
                .filter(is_same)
                .map(|mistake| (BlobRef::Bundle(nth), mistake)),
        );
    }
    found
}

fn correction(known_mistakes: &[(BlobRef, &KnownMistake)]) -> Option<Corrected> {
    let all = known_mistakes
        .iter()
        .map(|(blob, mistake)| Some(Corrected::in_blob(*blob, mistake.correction.as_ref()?)));
    let mut all = all.collect::<Option<Vec<Corrected>>>()?.into_iter();
    let mut first = all.next()?;
    first
        .rewrites
        .extend(all.flat_map(|corrected| corrected.rewrites));
    Some(first)
}
