//! `dependency-no-minimum`: any old version of a package is good enough.

use super::super::rules::prelude::*;
use super::properties::shared_properties;
use crate::version::Version;
use crate::version::blang::Range;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "dependency-no-minimum",
    Severity::Warning,
    Profile::Community,
    "A bundle accepts any version of a required package, however old.",
    "OLM Classic accepts any installed version of the required package, and does not update it for this \
     bundle. The installed one may be older than the versions the bundle was tested with, and lack what it needs.",
    "Begin the range with the lowest version that the bundle was tested with, such as `>=1.2.0`.",
)
.bad(&[Example::Catalog(etcd!(
    "- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: <2.0.0\n"
))])
.good(&[Example::Catalog(etcd!(
    "- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: '>=1.2.0 <2.0.0'\n"
))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
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
            requirement.who("requires", "require")
        );
        let help = "begin the range with the lowest version that the bundle was tested with";
        out.report(
            Finding::new(requirement.at, message)
                .help(help)
                .bundle(&requirement.bundle.name.value),
        );
    }
}
