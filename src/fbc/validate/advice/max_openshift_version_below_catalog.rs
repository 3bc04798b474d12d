//! `max-openshift-version-below-catalog`: a bundle for older clusters than the catalog's.

use super::super::catalog_context::{CatalogContext, PackageContext};
use super::super::rules::prelude::*;
use super::max_openshift_version::KIND;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
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

pub(in crate::validate) fn check(
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
            "`{KIND}` of {} is {limit}, but this catalog is for {catalog}",
            subject.label
        );
        out.report(
            Finding::new(subject.at, message)
                .help(DOC.fix)
                .bundle(&subject.bundle),
        );
    }
}
