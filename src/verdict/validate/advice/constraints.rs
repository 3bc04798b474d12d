//! Advice on requirements and constraints that OLM cannot read or nothing can meet.

use super::super::rules::prelude::*;
use super::properties::{Shared, field, members, shared_properties};
use catalog::model::KnownMistake;
use catalog::version::Version;
use catalog::version::blang::{Comparison, Operator, Range};
use catalog::version::range::repair_range;
use serde_json::Value;
use upgrade::resolve::{refused_requirement, required_package};

pub const CONSTRAINT_NOT_ALONE: RuleDoc = RuleDoc::advice(
    "constraint-not-alone",
    Severity::Warning,
    Profile::Community,
    "A constraint consists of a `not` alone.",
    "An `olm.constraint` asks for one bundle that meets it; it does not forbid others. A `not` without a requirement beside it \
     is met by almost any bundle, usually by the one that has it. What it was meant to exclude can still be \
     installed, and OLM Classic checks every bundle of every catalog against it.",
    "Put the `not` in an `all`, next to the requirement: a package or an API.",
)
.bad(examples![etcd!(
    "- type: olm.constraint\n  value:\n    not:\n      constraints:\n      - package:\n          packageName: \
         vault\n          versionRange: <1.0.0\n"
)])
.good(examples![etcd!(
    "- type: olm.constraint\n  value:\n    all:\n      constraints:\n      - gvk:\n          group: vault.io\n\
         \x20         version: v1\n          kind: Vault\n      - not:\n          constraints:\n          - package:\n\
         \x20             packageName: vault\n              versionRange: <1.0.0\n"
)]);

pub fn check_constraint_not_alone(scope: &Scope<'_>, out: &mut Findings) {
    for requirement in shared_properties(scope.package, &["olm.constraint"]) {
        if !requirement.value().is_some_and(|value| is_negative(&value)) {
            continue;
        }
        let message = format!(
            "`olm.constraint` of {} excludes something but requires nothing, so almost any bundle meets it",
            requirement.label()
        );
        let finding = requirement
            .finding(message)
            .help("put the `not` in an `all`, next to the requirement");
        out.report(finding);
    }
}

/// Whether a constraint is negative. If an object has several kinds, the first of these counts. The
/// JSON reader limits nesting, so the recursion ends.
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

pub const CONSTRAINT_SEVERAL_KINDS: RuleDoc = RuleDoc::advice(
    "constraint-several-kinds",
    Severity::Warning,
    Profile::Community,
    "A constraint has two kinds in one object; OLM reads only one of them.",
    "Each object in an `olm.constraint` must have only one of `gvk`, `package`, `all`, `any`, `not` and `cel`. When it has several, \
     OLM Classic takes the first in this order and ignores the others silently.",
    "Put each of the two in an object of its own, inside an `all` (or an `any`).",
)
.bad(examples![etcd!(
    "- type: olm.constraint\n  value:\n    gvk:\n      group: vault.io\n      version: v1\n      kind: Vault\n    \
         package:\n      packageName: vault\n      versionRange: '>=1.0.0'\n"
)])
.good(examples![etcd!(
    "- type: olm.constraint\n  value:\n    all:\n      constraints:\n      - gvk:\n          group: vault.io\n\
         \x20         version: v1\n          kind: Vault\n      - package:\n          packageName: vault\n          \
         versionRange: '>=1.0.0'\n"
)]);

/// Kinds of constraints, in OLM's order of precedence.
const CONSTRAINT_KINDS: [&str; 6] = ["gvk", "package", "all", "any", "not", "cel"];

pub fn check_constraint_several_kinds(scope: &Scope<'_>, out: &mut Findings) {
    for requirement in shared_properties(scope.package, &["olm.constraint"]) {
        let Some((read, unread)) = requirement.value().and_then(|value| two_kinds(&value)) else {
            continue;
        };
        let message = format!(
            "`olm.constraint` of {} has `{read}` and `{unread}` in one object; OLM reads only `{read}`",
            requirement.label()
        );
        out.report(requirement.finding(message));
    }
}

/// Returns the first two kinds of the first object that has several.
fn two_kinds(constraint: &Value) -> Option<(&'static str, &'static str)> {
    let mut pending = vec![constraint];
    while let Some(constraint) = pending.pop() {
        let mut kinds = CONSTRAINT_KINDS
            .iter()
            .filter(|kind| constraint.get(**kind).is_some_and(|v| !v.is_null()));
        if let (Some(read), Some(unread)) = (kinds.next(), kinds.next()) {
            return Some((read, unread));
        }
        let groups = ["all", "any", "not"]
            .iter()
            .filter_map(|kind| members(constraint, kind));
        pending.extend(groups.flatten());
    }
    None
}

pub const REQUIREMENT_INVALID: RuleDoc = RuleDoc::advice(
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
.bad(examples![etcd!(
        "- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: ^1.2.0\n"
    ),
    etcd!("- type: olm.package.required\n  value:\n    name: vault\n    versionRange: '>=1.2.0'\n"),
    etcd!(
        "- type: olm.constraint\n  value:\n    package:\n      name: vault\n      versionRange: '>=1.2.0'\n"
    ),
    etcd!(
        "- type: olm.constraint\n  value:\n    cel:\n      rule: properties.exists(p, p.type == 'x'\n"
    )])
.good(examples![etcd!(
    "- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: '>=1.2.0 <2.0.0'\n\
         - type: olm.constraint\n  value:\n    failureMessage: needs x\n    cel:\n      rule: \"properties.exists(p, \
         p.type == 'x')\"\n"
)]);

const REQUIREMENT_KINDS: [&str; 4] = [
    "olm.package.required",
    "olm.gvk.required",
    "olm.label.required",
    "olm.constraint",
];

pub fn check_requirement_invalid(scope: &Scope<'_>, out: &mut Findings) {
    for requirement in shared_properties(scope.package, &REQUIREMENT_KINDS) {
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
            (None, None) => REQUIREMENT_INVALID.fix.to_owned(),
        };
        let finding = requirement.finding(message).help(help);
        out.report(finding.corrected(correction(&known_mistakes)));
    }
}

/// Returns the known mistakes in the requirement, in every bundle that has it.
fn known_mistakes<'a>(
    scope: &Scope<'a>,
    requirement: &Shared<'_>,
) -> Vec<(BlobRef, &'a KnownMistake)> {
    let mut mistakes = Vec::new();
    for (nth, bundle) in (0..).zip(&scope.package.bundles) {
        mistakes.extend(
            bundle
                .known_mistakes()
                .iter()
                .filter(|mistake| {
                    bundle
                        .properties
                        .get(mistake.property as usize)
                        .is_some_and(|fact| fact.property.as_ref() == requirement.property)
                })
                .map(|mistake| (BlobRef::Bundle(nth), mistake)),
        );
    }
    mistakes
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

pub const REQUIREMENT_NEVER_MET: RuleDoc = RuleDoc::advice(
    "requirement-never-met",
    Severity::Warning,
    Profile::Community,
    "A bundle has a requirement that no bundle can meet.",
    "OLM Classic installs a bundle only together with bundles that meet all its requirements. A range that contains no \
     version, an `any` without alternatives, or an `all` that requires one bundle to belong to two packages is never met: the \
     bundle cannot be installed, and nobody is updated to it. One bundle must satisfy the whole `olm.constraint`, \
     so packages or APIs from different operators need separate properties.",
    "Correct the bounds of the range, and use a separate property for each operator that is required.",
)
.bad(examples![etcd!(
        "- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: '>=2.0.0 <1.0.0'\n"
    ),
    etcd!(
        "- type: olm.constraint\n  value:\n    all:\n      constraints:\n      - package:\n          packageName: \
             vault\n          versionRange: '>=1.0.0'\n      - package:\n          packageName: consul\n          \
             versionRange: '>=1.0.0'\n"
    )])
.good(examples![etcd!(
    "- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: '>=1.0.0 <2.0.0'\n\
         - type: olm.constraint\n  value:\n    any:\n      constraints:\n      - package:\n          packageName: \
         consul\n          versionRange: '>=1.0.0'\n"
)]);

pub fn check_requirement_never_met(scope: &Scope<'_>, out: &mut Findings) {
    for requirement in shared_properties(scope.package, &["olm.package.required", "olm.constraint"])
    {
        let Some(value) = requirement.value() else {
            continue;
        };
        let why = if &*requirement.property.kind == "olm.constraint" {
            why_never_met(&value)
        } else {
            let own = (field(&value, "packageName") == &*scope.package.name)
                .then(|| requirement.bundle.version());
            why_package_never_met(&value, own)
        };
        let Some(why) = why else { continue };
        let message = format!(
            "`{}` of {} can never be met: {why}",
            requirement.property.kind,
            requirement.label()
        );
        out.report(requirement.finding(message));
    }
}

/// Returns why no bundle can meet a constraint. Another rule reports constraints that do not parse.
/// The JSON reader limits nesting, so the recursion ends.
fn why_never_met(constraint: &Value) -> Option<String> {
    if constraint.get("gvk").is_some_and(|v| !v.is_null()) {
        return None;
    }
    if let Some(package) = constraint.get("package").filter(|v| !v.is_null()) {
        return why_package_never_met(package, None);
    }
    if let Some(children) = members(constraint, "all") {
        let mut names = children
            .iter()
            .filter_map(|c| Some(c.get("package")?.get("packageName")?.as_str()?.to_owned()));
        let first = names.next();
        if let (Some(first), Some(other)) = (&first, names.find(|n| Some(n) != first.as_ref())) {
            return Some(format!(
                "no bundle belongs to both packages `{first}` and `{other}`"
            ));
        }
        return children.iter().find_map(why_never_met);
    }
    match members(constraint, "any") {
        Some([]) => Some("an `any` without constraints is never met".to_owned()),
        Some(children) => children
            .iter()
            .map(why_never_met)
            .collect::<Option<Vec<_>>>()?
            .into_iter()
            .next(),
        None => None,
    }
}

/// Returns why no bundle can meet a package constraint. `own` is the version of the requiring
/// bundle if it requires its own package: no other bundle of that package can be installed beside
/// it.
fn why_package_never_met(value: &Value, own: Option<&str>) -> Option<String> {
    let text = field(value, "versionRange");
    let range = Range::parse(text).ok()?;
    if range.alternatives().iter().all(|all| is_empty(all)) {
        return Some(format!("`{text}` contains no version"));
    }
    let own = own.and_then(|own| Version::parse(own).ok())?;
    (!range.contains(&own)).then(|| {
        format!("the bundle itself belongs to that package, but its version is not in `{text}`")
    })
}

/// Whether no version satisfies the range: tests the lowest version that each comparison allows.
fn is_empty(all: &[Comparison]) -> bool {
    let candidates = all
        .iter()
        .filter_map(|c| match c.operator {
            Operator::Equal | Operator::GreaterOrEqual => Some(c.version.clone()),
            Operator::Greater | Operator::NotEqual => just_above(&c.version),
            Operator::Less | Operator::LessOrEqual => None,
        })
        .chain(Version::parse("0.0.0-0").ok());
    all.is_empty()
        || !candidates
            .into_iter()
            .any(|v| all.iter().all(|c| c.matches(&v)))
}

/// Returns the immediate successor of a version.
fn just_above(version: &Version) -> Option<Version> {
    let (major, minor, patch) = (version.major(), version.minor(), version.patch());
    let text = match version.prerelease() {
        "" => format!("{major}.{minor}.{}-0", patch.checked_add(1)?),
        prerelease => format!("{major}.{minor}.{patch}-{prerelease}.0"),
    };
    Version::parse(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reports_constraints_that_almost_any_bundle_meets() {
        let gvk = json!({"gvk": {"group": "g", "version": "v1", "kind": "K"}});
        let group = |kind: &str, children: Vec<&Value>| json!({kind: {"constraints": children}});
        let not = group("not", vec![&gvk]);
        assert!(is_negative(&not));
        assert!(is_negative(&group("all", vec![&not])));
        assert!(is_negative(&group("any", vec![&gvk, &not])));
        assert!(!is_negative(&group("all", vec![&gvk, &not])));
        assert!(!is_negative(&group("all", vec![])));
        assert!(!is_negative(&gvk));
    }

    #[test]
    fn empty_ranges() {
        for (range, empty) in [
            (">=2.0.0 <1.0.0", true),
            (">1.0.0 <1.0.0", true),
            ("1.0.0 !=1.0.0", true),
            ("<0.0.0-0", true),
            (">1.0.0 <1.0.1-0", true),
            (">1.0.0-a <1.0.0-a.0", true),
            (">1.0.0 <1.0.1", false),
            (">=1.0.0 <=1.0.0", false),
            ("!=0.0.0-0", false),
            ("<0.0.1", false),
            (">=2.0.0 <1.0.0 || >3.0.0", false),
        ] {
            let range = json!({"packageName": "p", "versionRange": range});
            assert_eq!(
                why_package_never_met(&range, None).is_some(),
                empty,
                "{range}"
            );
        }
    }

    #[test]
    fn reports_contradictory_constraints() {
        let package =
            |name: &str| json!({"package": {"packageName": name, "versionRange": ">=1.0.0"}});
        let group = |kind: &str, children: Vec<Value>| json!({kind: {"constraints": children}});
        assert!(why_never_met(&group("any", vec![])).is_some());
        assert!(why_never_met(&group("all", vec![])).is_none());
        assert!(why_never_met(&group("all", vec![package("a"), package("b")])).is_some());
        assert!(why_never_met(&group("all", vec![package("a"), package("a")])).is_none());
        assert!(why_never_met(&group("any", vec![group("any", vec![]), package("a")])).is_none());
        assert!(why_never_met(&group("any", vec![group("any", vec![])])).is_some());
        assert!(why_never_met(&group("not", vec![group("any", vec![])])).is_none());
    }

    #[test]
    fn a_bundle_may_require_itself_and_no_other_of_its_package() {
        let value = json!({"packageName": "p", "versionRange": ">=2.0.0"});
        assert!(why_package_never_met(&value, Some("1.0.0")).is_some());
        assert!(why_package_never_met(&value, Some("2.0.0")).is_none());
    }
}
