//! `max-openshift-version-invalid`: a limit that OLM cannot read or reads differently.

use super::super::rules::prelude::*;
use super::max_openshift_version::KIND;
use super::properties::{anchor, shared_properties};
use crate::version::openshift::{read, read_in_v1};

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "max-openshift-version-invalid",
    Severity::Warning,
    Profile::Community,
    "`olm.maxOpenShiftVersion` of a bundle is not a single `MAJOR.MINOR` in quotes.",
    "While the bundle is installed, OpenShift keeps the cluster from going beyond this version, whether OLM Classic or \
     OLM v1 installed it. An unreadable value, or more than one value, blocks every minor update. Without \
     quotes YAML and JSON read a number: `4.10` is 4.1, and the cluster is held back for good.",
    "Write one value as `MAJOR.MINOR` in quotes, such as `\"4.18\"`.",
)
.bad(&[
    Example::Catalog(etcd!("- type: olm.maxOpenShiftVersion\n  value: 4.10\n")),
    Example::Catalog(etcd!("- type: olm.maxOpenShiftVersion\n  value: \"4.18.3\"\n")),
    Example::Catalog(etcd!("- type: olm.maxOpenShiftVersion\n  value: \"4.18.0\"\n")),
    Example::Catalog(etcd!(
        "- type: olm.maxOpenShiftVersion\n  value: \"4.18\"\n- type: olm.maxOpenShiftVersion\n  value: \"4.19\"\n"
    )),
])
.good(&[Example::Catalog(etcd!("- type: olm.maxOpenShiftVersion\n  value: \"4.10\"\n"))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for limit in shared_properties(scope.package, &[KIND]) {
        let Some(value) = &limit.property.value else {
            continue;
        };
        let message = match read(value) {
            Err(why) => format!(
                "`{KIND}` of {} blocks every minor update of the cluster: {why}",
                limit.label()
            ),
            Ok(version) if !value.starts_with('"') => {
                format!(
                    "`{KIND}` of {} is a number without quotes and is read as {version}",
                    limit.label()
                )
            }
            Ok(version) if read_in_v1(value).is_err() => format!(
                "OLM Classic reads `{KIND}` of {} as {version}; OLM v1 cannot read {value}, and blocks every minor update \
                 of the cluster",
                limit.label()
            ),
            Ok(_) => continue,
        };
        out.report(
            Finding::new(limit.at, message)
                .help(DOC.fix)
                .bundle(&limit.bundle.name.value),
        );
    }
    for (nth, bundle) in scope.package.bundles.iter().enumerate() {
        let mut limits = bundle.properties.iter().filter(|p| &*p.kind == KIND);
        if let (Some(first), Some(second)) = (limits.next(), limits.next()) {
            let name = &bundle.name.value;
            let message = format!(
                "bundle `{name}` has more than one `{KIND}`, which blocks every minor update"
            );
            let related = [("the first one".to_owned(), anchor(nth, first))];
            out.report(
                Finding::new(anchor(nth, second), message)
                    .help(DOC.fix)
                    .bundle(name)
                    .related(related),
            );
        }
    }
}
