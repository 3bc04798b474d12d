//! `dependency-out-of-range`: the required package is present, but none of its bundles is in the range.

use super::super::catalog_context::{CatalogContext, PackageContext};
use super::super::rules::prelude::*;
use crate::version::blang::Range;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "dependency-out-of-range",
    Severity::Warning,
    Profile::Community,
    "The catalog has the package that a bundle requires, but no version in the required range.",
    "OLM Classic installs the bundle only together with a bundle in the range. When no catalog of the cluster has \
     one, the bundle cannot be installed, and nobody is updated to it.",
    "Require a wider range in your next release, or add a version within the range to the required package.",
)
.bad(&[Example::Catalog(concat!(
    etcd!("- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: '>=2.0.0'\n"),
    "---\n",
    package!("vault", "stable"),
    channel!("vault", "stable", "- name: vault.v1.0.0"),
    bundle!("vault", "1.0.0"),
))])
.good(&[Example::Catalog(concat!(
    etcd!("- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: '>=1.0.0'\n"),
    "---\n",
    package!("vault", "stable"),
    channel!("vault", "stable", "- name: vault.v1.0.0"),
    bundle!("vault", "1.0.0"),
))]);

pub(in crate::validate) fn check(
    catalog: &CatalogContext<'_>,
    context: &PackageContext<'_>,
    out: &mut Findings,
) {
    for required in &context.requirements.packages {
        // Other rules report requirements on the bundle's own package and empty ranges.
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
        out.report(
            Finding::new(required.subject.at, message)
                .help(help)
                .bundle(&required.subject.bundle),
        );
    }
}
