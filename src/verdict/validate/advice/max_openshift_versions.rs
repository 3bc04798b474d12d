//! Advice on `olm.maxOpenShiftVersion`, the limit that a bundle declares (`olm-resolution` 4.1).

use super::super::catalog_context::{CatalogContext, PackageContext};
use super::super::rules::prelude::*;
use super::properties::{anchor, shared_properties};
use catalog::version::openshift::{parse_limit, parse_limit_in_v1};
use upgrade::cluster::MAX_OPENSHIFT_VERSION;

pub const MAX_OPENSHIFT_VERSION_BELOW_CATALOG: RuleDoc = RuleDoc::advice(
    "max-openshift-version-below-catalog",
    Severity::Warning,
    Profile::Community,
    "The highest OpenShift version that a bundle allows is below the version that the catalog is for.",
    "The catalog offers the bundle to clusters that its `olm.maxOpenShiftVersion` excludes. OLM installs it anyway, \
     and then the cluster gets no further minor update. The catalog's version is taken from its folder name.",
    "Leave the bundle out of this catalog, or ship a bundle whose limit is not below the catalog's version.",
)
.bad(&[Example::Tree(&[(
    "v4.19/catalog.yaml",
    Content::Text(etcd!("- type: olm.maxOpenShiftVersion\n  value: \"4.18\"\n")),
)])])
.good(&[Example::Tree(&[(
    "v4.18/catalog.yaml",
    Content::Text(etcd!("- type: olm.maxOpenShiftVersion\n  value: \"4.18\"\n")),
)])]);

pub fn check_max_openshift_version_below_catalog(
    _: &CatalogContext<'_>,
    context: &PackageContext<'_>,
    out: &mut Findings,
) {
    let Some(catalog) = context.openshift else {
        return;
    };
    for (limit, subject) in context
        .requirements
        .limits
        .iter()
        .filter(|(limit, _)| *limit < catalog)
    {
        let message = format!(
            "`{MAX_OPENSHIFT_VERSION}` of {} is {limit}, but this catalog is for {catalog}",
            subject.label
        );
        out.report(subject.finding(message));
    }
}

pub const MAX_OPENSHIFT_VERSION_INVALID: RuleDoc = RuleDoc::advice(
    "max-openshift-version-invalid",
    Severity::Warning,
    Profile::Community,
    "`olm.maxOpenShiftVersion` of a bundle is not a single `MAJOR.MINOR` in quotes.",
    "While the bundle is installed, OpenShift keeps the cluster from going beyond this version, whether OLM Classic or \
     OLM v1 installed it. An unreadable value, or more than one value, blocks every minor update. Without \
     quotes YAML and JSON read a number: `4.10` is 4.1, and the cluster is held back for good.",
    "Write one value as `MAJOR.MINOR` in quotes, such as `\"4.18\"`.",
)
.bad(examples![etcd!("- type: olm.maxOpenShiftVersion\n  value: 4.10\n"),
    etcd!("- type: olm.maxOpenShiftVersion\n  value: \"4.18.3\"\n"),
    etcd!("- type: olm.maxOpenShiftVersion\n  value: \"4.18.0\"\n"),
    etcd!(
        "- type: olm.maxOpenShiftVersion\n  value: \"4.18\"\n- type: olm.maxOpenShiftVersion\n  value: \"4.19\"\n"
    )])
.good(examples![etcd!("- type: olm.maxOpenShiftVersion\n  value: \"4.10\"\n")]);

pub fn check_max_openshift_version_invalid(scope: &Scope<'_>, out: &mut Findings) {
    for limit in shared_properties(scope.package, &[MAX_OPENSHIFT_VERSION]) {
        let Some(value) = &limit.property.value else {
            continue;
        };
        let message = match parse_limit(value) {
            Err(why) => format!(
                "`{MAX_OPENSHIFT_VERSION}` of {} blocks every minor update of the cluster: {why}",
                limit.label()
            ),
            Ok(version) if !value.starts_with('"') => {
                format!(
                    "`{MAX_OPENSHIFT_VERSION}` of {} is a number without quotes and is read as {version}",
                    limit.label()
                )
            }
            Ok(version) if parse_limit_in_v1(value).is_err() => format!(
                "OLM Classic reads `{MAX_OPENSHIFT_VERSION}` of {} as {version}; OLM v1 cannot read {value}, and blocks every minor update \
                 of the cluster",
                limit.label()
            ),
            Ok(_) => continue,
        };
        out.report(limit.finding(message));
    }
    for (nth, bundle) in scope.package.bundles.iter().enumerate() {
        let mut limits = bundle
            .properties
            .iter()
            .filter(|p| &*p.kind == MAX_OPENSHIFT_VERSION);
        if let (Some(first), Some(second)) = (limits.next(), limits.next()) {
            let name = &bundle.name.value;
            let message = format!(
                "bundle `{name}` has more than one `{MAX_OPENSHIFT_VERSION}`, which blocks every minor update"
            );
            let related = [("the first one".to_owned(), anchor(nth, first))];
            out.report(
                Finding::new(anchor(nth, second), message)
                    .bundle(name)
                    .related(related),
            );
        }
    }
}
