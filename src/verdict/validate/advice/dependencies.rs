//! Advice on bundles that depend on packages and APIs.

use super::super::catalog_context::{CatalogContext, PackageContext, api_in_words};
use super::super::rules::prelude::*;
use super::properties::{anchor, format_first_bundle, shared_properties};
use crate::validate::spelling::compare_versions;
use catalog::model::MisplacedDependencies;
use catalog::version::Version;
use catalog::version::blang::{Comparison, Operator, Range};
use serde_json::Value;
use upgrade::REFUSED_BY_V1;

pub const DEPENDENCIES_MISPLACED: RuleDoc = RuleDoc::advice(
    "dependencies-misplaced",
    Severity::Warning,
    Profile::Community,
    "A bundle blob has a `dependencies` field, which OLM ignores.",
    "Dependencies are declared in a bundle's `metadata/dependencies.yaml`, and `opm render` turns them into properties. A \
     catalog has only the properties: `opm` accepts the unknown field, and OLM does not enforce it.",
    "Write each dependency as a property: `olm.package` as `olm.package.required` (rename its `version` to \
     `versionRange`), `olm.gvk` as `olm.gvk.required`, `olm.constraint` unchanged.",
)
.bad(examples![etcd!(
    "dependencies:\n- type: olm.package\n  value:\n    packageName: vault\n    version: '>=1.2.0'\n"
)])
.good(examples![etcd!(
    "- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: '>=1.2.0'\n"
)]);

pub fn check_dependencies_misplaced(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let Some(dependencies) = bundle
        .mistakes
        .as_ref()
        .and_then(|mistakes| mistakes.dependencies.as_ref())
    else {
        return;
    };
    let name = &bundle.name.value;
    let at = out.here(dependencies.place);
    let message = format!("OLM ignores `dependencies` of bundle `{name}`: only properties count");
    let fix = as_properties(bundle, dependencies, at.blob);
    out.report(Finding::new(at, message).bundle(name).corrected(fix));
}

/// Returns the fix that turns the dependencies into properties. Not safe: these requirements had no
/// effect before.
fn as_properties(
    bundle: &BundleBlob,
    dependencies: &MisplacedDependencies,
    blob: BlobRef,
) -> Option<Corrected> {
    let (package, bundle) = (bundle.package.as_str(), bundle.name.as_str());
    let then = dependencies.properties.iter().map(|property| {
        let value: Value = serde_json::from_str(property.value.as_deref()?).ok()?;
        Some(EditOp::add_property(package, bundle, &property.kind, value))
    });
    let then = then.collect::<Option<Vec<EditOp>>>()?;
    let removal = dependencies.removal.clone().filter(|_| !then.is_empty())?;
    Some(Corrected {
        title: "write the dependencies as properties".to_owned(),
        safe: false,
        rewrites: vec![(blob, removal)],
        then,
    })
}

pub const DEPENDENCY_NO_MINIMUM: RuleDoc = RuleDoc::advice(
    "dependency-no-minimum",
    Severity::Warning,
    Profile::Community,
    "A bundle accepts any version of a required package, however old.",
    "OLM Classic accepts any installed version of the required package, and does not update it for this \
     bundle. The installed one may be older than the versions the bundle was tested with, and lack what it needs.",
    "Begin the range with the lowest version that the bundle was tested with, such as `>=1.2.0`.",
)
.bad(examples![etcd!(
    "- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: <2.0.0\n"
)])
.good(examples![etcd!(
    "- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: '>=1.2.0 <2.0.0'\n"
)]);

pub fn check_dependency_no_minimum(scope: &Scope<'_>, out: &mut Findings) {
    for requirement in shared_properties(scope.package, &["olm.package.required"]) {
        let text = requirement.field("versionRange");
        let Ok(range) = Range::parse(&text) else {
            continue;
        };
        // `>0.0.0` is not a minimum either.
        if ![Version::new(0, 0, 0), Version::new(0, 0, 1)]
            .iter()
            .any(|lowest| range.contains(lowest))
        {
            continue;
        }
        let name = requirement.field("packageName");
        let message = format!(
            "{} package `{name}` without a minimum version: `{text}`",
            requirement.label_with_verb("requires", "require")
        );
        let help = "begin the range with the lowest version that the bundle was tested with";
        out.report(requirement.finding(message).help(help));
    }
}

pub const DEPENDENCY_NOT_HERE: RuleDoc = RuleDoc::advice(
    "dependency-not-here",
    Severity::Info,
    Profile::Community,
    "A bundle requires a package or an API that no open catalog has.",
    "OLM Classic installs the bundle only if a catalog of the cluster has what it \
     requires. The page searches all open catalogs, the command line only DIR. If only \
     one package is open, nothing is reported, because it is probably part of a larger catalog.",
    "Check the name, group, version and kind. If another catalog provides it, open that catalog too, or suppress this \
     rule with that reason.",
)
.bad(examples![concat!(
        etcd!("- type: olm.package.required\n  value:\n    packageName: vautl\n    versionRange: '>=1.0.0'\n"),
        vault!(),
    ),
    concat!(
        etcd!("- type: olm.gvk.required\n  value:\n    group: vault.io\n    version: v2\n    kind: Vault\n"),
        vault!("- type: olm.gvk\n  value:\n    group: vault.io\n    version: v1\n    kind: Vault\n"),
    )])
.good(examples![concat!(
    etcd!("- type: olm.gvk.required\n  value:\n    kind: Vault\n    group: vault.io\n    version: v1\n"),
    vault!("- type: olm.gvk\n  value:\n    group: vault.io\n    version: v1\n    kind: Vault\n"),
)]);

pub fn check_dependency_not_here(
    catalog: &CatalogContext<'_>,
    context: &PackageContext<'_>,
    out: &mut Findings,
) {
    let open_catalogs = catalog.open_catalogs;
    if !open_catalogs.has_several_packages() {
        return;
    }
    let (nowhere, searched) = if open_catalogs.is_one_catalog() {
        ("is not in this catalog", "this catalog")
    } else {
        ("is in none of the open catalogs", "the open catalogs")
    };
    for required in &context.requirements.packages {
        if open_catalogs.has_package(&required.name) {
            continue;
        }
        let message = format!(
            "{} package `{}`, which {nowhere}",
            required.subject.requires, required.name
        );
        let help = match catalog.nearest(&required.name) {
            Some(near) => format!("did you mean `{near}`?"),
            None => DEPENDENCY_NOT_HERE.fix.to_owned(),
        };
        out.report(required.subject.finding(message).help(help));
    }
    for required in &context.requirements.apis {
        if open_catalogs.has_api(&required.value) {
            continue;
        }
        let (api, requires) = (api_in_words(&required.value), &required.subject.requires);
        let message = format!("{requires} API {api}, which no package in {searched} provides");
        out.report(required.subject.finding(message));
    }
}

pub const DEPENDENCY_OUT_OF_RANGE: RuleDoc = RuleDoc::advice(
    "dependency-out-of-range",
    Severity::Warning,
    Profile::Community,
    "The catalog has the package that a bundle requires, but no version in the required range.",
    "OLM Classic installs the bundle only together with a bundle in the range. When no catalog of the cluster has \
     one, the bundle cannot be installed, and nobody is updated to it.",
    "Require a wider range in your next release, or add a version within the range to the required package.",
)
.bad(examples![concat!(
    etcd!("- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: '>=2.0.0'\n"),
    vault!(),
)])
.good(examples![concat!(
    etcd!("- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: '>=1.0.0'\n"),
    vault!(),
)]);

pub fn check_dependency_out_of_range(
    catalog: &CatalogContext<'_>,
    context: &PackageContext<'_>,
    out: &mut Findings,
) {
    for required in &context.requirements.packages {
        // Other rules report requirements on the bundle's own package, and empty ranges.
        let other = catalog
            .package(&required.name)
            .filter(|other| other.package.name != context.package.name);
        let (Some(other), Ok(range)) = (other, Range::parse(&required.range)) else {
            continue;
        };
        let Some(highest) = other
            .highest()
            .filter(|_| !catalog.has_version(other, &range))
        else {
            continue;
        };
        let (name, range) = (&required.name, &required.range);
        let message = format!(
            "{} package `{name}` in `{range}`, but this catalog has no such version",
            required.subject.requires
        );
        let help = format!("the highest version of `{name}` here is {highest}");
        out.report(required.subject.finding(message).help(help));
    }
}

pub const DEPENDENCY_TIGHT_MAXIMUM: RuleDoc = RuleDoc::advice(
    "dependency-tight-maximum",
    Severity::Warning,
    Profile::Community,
    "A bundle requires a single version of a package, or only the patch versions of one minor version.",
    "A cluster has one operator per package, and everything that requires the package shares it. \
     OLM Classic updates it only \
     to versions that all of them allow: a tight range holds back fixes for everybody, and two operators with different \
     tight ranges cannot be installed together.",
    "Leave the maximum out, or allow a whole major version, such as `>=1.2.0 <2.0.0`; exclude single bad versions \
     with `!=`.",
)
.bad(examples![etcd!(
    "- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: 1.2.3\n"
)])
.good(examples![etcd!(
    "- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: '>=1.2.3 <2.0.0 !=1.4.0'\n"
)]);

pub fn check_dependency_tight_maximum(scope: &Scope<'_>, out: &mut Findings) {
    for requirement in shared_properties(scope.package, &["olm.package.required"]) {
        let text = requirement.field("versionRange");
        let Ok(range) = Range::parse(&text) else {
            continue;
        };
        if !range.alternatives().iter().all(|all| is_tight(all)) {
            continue;
        }
        let name = requirement.field("packageName");
        let message = format!(
            "{} only `{text}` of package `{name}`",
            requirement.label_with_verb("allows", "allow")
        );
        let help = "leave the maximum out, or allow a whole major version";
        out.report(requirement.finding(message).help(help));
    }
}

/// Whether all versions in the range have one major and minor version.
fn is_tight(all: &[Comparison]) -> bool {
    let low = all.iter().filter(|c| {
        matches!(
            c.operator,
            Operator::Equal | Operator::Greater | Operator::GreaterOrEqual
        )
    });
    let Some(low) = low.map(|c| &c.version).max_by(|a, b| a.cmp_precedence(b)) else {
        return false;
    };
    let Some(minor) = low.minor().checked_add(1) else {
        return false;
    };
    let next = Version::new(low.major(), minor, 0);
    all.iter().any(|c| match c.operator {
        Operator::Equal => true,
        Operator::Less => c.version.cmp_precedence(&next).is_le(),
        Operator::LessOrEqual => c.version.cmp_precedence(&next).is_lt(),
        _ => false,
    })
}

pub const DEPENDENCY_UNDER_V1: RuleDoc = RuleDoc::advice(
    "dependency-under-v1",
    Severity::Info,
    Profile::Strict,
    "A bundle requires other bundles, so OLM v1 does not install it.",
    "OLM v1 does not resolve requirements. It first chooses a bundle, and refuses it if it has \
     `olm.package.required`, `olm.gvk.required` or `olm.constraint`, without trying an older one. OLM Classic is not \
     affected.",
    "If you support only Classic, do nothing. For v1, document what must be installed with the operator, and leave the \
     requirements out of new bundles.",
)
.bad(examples![etcd!(
    "- type: olm.gvk.required\n  value:\n    group: vault.io\n    version: v1\n    kind: Vault\n"
)])
.good(examples![etcd!("- type: olm.gvk\n  value:\n    group: etcd.io\n    version: v1\n    kind: Etcd\n")]);

/// Reports once per package, at the newest refused bundle; names its first such property type.
pub fn check_dependency_under_v1(scope: &Scope<'_>, out: &mut Findings) {
    let refused: Vec<_> = scope
        .package
        .bundles
        .iter()
        .enumerate()
        .filter_map(|(nth, bundle)| {
            let mut properties = bundle.properties.iter();
            let property = properties.find(|p| REFUSED_BY_V1.contains(&&*p.kind))?;
            Some((nth, bundle, property))
        })
        .collect();
    let newest = refused
        .iter()
        .max_by(|a, b| compare_versions(a.1.version(), b.1.version()));
    let Some((nth, bundle, fact)) = newest else {
        return;
    };
    let message = format!(
        "OLM v1 does not install {}, because of `{}`",
        format_first_bundle(&bundle.name.value, refused.len() - 1),
        fact.kind
    );
    out.report(Finding::new(anchor(*nth, fact), message).bundle(&bundle.name.value));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tight_range_is_within_a_minor_version() {
        for (text, tight) in [
            ("1.2.3", true),
            (">=1.2.0 <1.3.0", true),
            (">=1.2.0 <=1.2.9", true),
            ("1.2.x", true),
            ("1.2.3 || 1.2.4", true),
            (">=1.2.0 <=1.3.0", false),
            (">=1.2.0 <2.0.0", false),
            (">=1.2.0", false),
            ("<1.0.0", false),
            ("1.2.3 || >=2.0.0", false),
        ] {
            let range = Range::parse(text).expect("a range");
            assert_eq!(
                range.alternatives().iter().all(|all| is_tight(all)),
                tight,
                "{text}"
            );
        }
    }
}
