//! `requirement-never-met`: a requirement that contradicts itself.

use super::super::rules::prelude::*;
use super::properties::{field, members, shared_properties};
use crate::version::Version;
use crate::version::blang::{Comparison, Operator, Range};
use serde_json::Value;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
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
.bad(&[
    Example::Catalog(etcd!(
        "- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: '>=2.0.0 <1.0.0'\n"
    )),
    Example::Catalog(etcd!(
        "- type: olm.constraint\n  value:\n    all:\n      constraints:\n      - package:\n          packageName: \
             vault\n          versionRange: '>=1.0.0'\n      - package:\n          packageName: consul\n          \
             versionRange: '>=1.0.0'\n"
    )),
])
.good(&[Example::Catalog(etcd!(
    "- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: '>=1.0.0 <2.0.0'\n\
         - type: olm.constraint\n  value:\n    any:\n      constraints:\n      - package:\n          packageName: \
         consul\n          versionRange: '>=1.0.0'\n"
))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for requirement in shared_properties(scope.package, &["olm.package.required", "olm.constraint"])
    {
        let Some(value) = requirement.value() else {
            continue;
        };
        let why = if &*requirement.property.kind == "olm.constraint" {
            never(&value)
        } else {
            let own = (field(&value, "packageName") == &*scope.package.name)
                .then(|| requirement.bundle.version());
            never_package(&value, own)
        };
        let Some(why) = why else { continue };
        let message = format!(
            "`{}` of {} can never be met: {why}",
            requirement.property.kind,
            requirement.label()
        );
        out.report(
            Finding::new(requirement.at, message)
                .help(DOC.fix)
                .bundle(&requirement.bundle.name.value),
        );
    }
}

/// Why no bundle can meet a constraint. Another rule reports what does not parse. The JSON reader
/// limits nesting, so the recursion ends.
fn never(constraint: &Value) -> Option<String> {
    if constraint.get("gvk").is_some_and(|v| !v.is_null()) {
        return None;
    }
    if let Some(package) = constraint.get("package").filter(|v| !v.is_null()) {
        return never_package(package, None);
    }
    if let Some(children) = members(constraint, "all") {
        let name = |c: &Value| Some(c.get("package")?.get("packageName")?.as_str()?.to_owned());
        let mut names = children.iter().filter_map(name);
        let first = names.next();
        if let (Some(first), Some(other)) = (&first, names.find(|n| Some(n) != first.as_ref())) {
            return Some(format!(
                "no bundle belongs to both packages `{first}` and `{other}`"
            ));
        }
        return children.iter().find_map(never);
    }
    match members(constraint, "any") {
        Some([]) => Some("an `any` without constraints is never met".to_owned()),
        Some(children) => children
            .iter()
            .map(never)
            .collect::<Option<Vec<_>>>()?
            .into_iter()
            .next(),
        None => None,
    }
}

/// `own`: the version of the requiring bundle if it requires its own package; no other bundle of it
/// can be installed at the same time.
fn never_package(value: &Value, own: Option<&str>) -> Option<String> {
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

/// Tests the lowest version that each comparison allows: if none satisfies the range, no version
/// does.
fn is_empty(all: &[Comparison]) -> bool {
    let lowest = |c: &Comparison| match c.operator {
        Operator::Equal | Operator::GreaterOrEqual => Some(c.version.clone()),
        Operator::Greater | Operator::NotEqual => just_above(&c.version),
        Operator::Less | Operator::LessOrEqual => None,
    };
    let candidates = all
        .iter()
        .filter_map(lowest)
        .chain(Version::parse("0.0.0-0").ok());
    all.is_empty()
        || !candidates
            .into_iter()
            .any(|v| all.iter().all(|c| c.matches(&v)))
}

/// The immediate successor of a version.
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
            assert_eq!(never_package(&range, None).is_some(), empty, "{range}");
        }
    }

    #[test]
    fn constraints_that_contradict_themselves() {
        let package =
            |name: &str| json!({"package": {"packageName": name, "versionRange": ">=1.0.0"}});
        let of = |kind: &str, children: Vec<Value>| json!({kind: {"constraints": children}});
        assert!(never(&of("any", vec![])).is_some());
        assert!(never(&of("all", vec![])).is_none());
        assert!(never(&of("all", vec![package("a"), package("b")])).is_some());
        assert!(never(&of("all", vec![package("a"), package("a")])).is_none());
        assert!(never(&of("any", vec![of("any", vec![]), package("a")])).is_none());
        assert!(never(&of("any", vec![of("any", vec![])])).is_some());
        assert!(never(&of("not", vec![of("any", vec![])])).is_none());
    }

    #[test]
    fn a_bundle_may_require_itself_and_no_other_of_its_package() {
        let value = json!({"packageName": "p", "versionRange": ">=2.0.0"});
        assert!(never_package(&value, Some("1.0.0")).is_some());
        assert!(never_package(&value, Some("2.0.0")).is_none());
    }
}
