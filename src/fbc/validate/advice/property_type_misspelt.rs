//! `property-type-misspelt`: a property whose type is similar to one that OLM knows.

use super::super::rules::prelude::*;
use super::properties::shared_by;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "property-type-misspelt",
    Severity::Warning,
    Profile::Community,
    "The type of a property is spelled almost like one OLM knows.",
    "Types are compared letter by letter. A property of an unknown type is kept and has no effect: a limit is not \
     applied, a requirement is not resolved.",
    "Use the spelling in the message, or rename your own type.",
)
.bad(&[Example::Catalog(etcd!("- type: olm.maxOpenshiftVersion\n  value: '4.18'\n"))])
.good(&[Example::Catalog(etcd!(
    "- type: olm.maxOpenShiftVersion\n  value: '4.18'\n- type: example.com.tier\n  value: gold\n"
))]);

const KNOWN: [&str; 11] = [
    "olm.package",
    "olm.gvk",
    "olm.label",
    "olm.deprecated",
    "olm.package.required",
    "olm.gvk.required",
    "olm.label.required",
    "olm.constraint",
    "olm.bundle.object",
    "olm.csv.metadata",
    "olm.maxOpenShiftVersion",
];

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for property in shared_by(scope.package, |kind| !KNOWN.contains(&kind)) {
        let kind = &property.property.kind;
        let Some(suggestion) = misspelt(kind, &KNOWN) else {
            continue;
        };
        let message = format!(
            "{} a property of type `{kind}`, which OLM ignores",
            property.who("has", "have")
        );
        let help = format!("did you mean `{suggestion}`?");
        out.report(
            Finding::new(property.at, message)
                .help(help)
                .bundle(&property.bundle.name.value),
        );
    }
}
