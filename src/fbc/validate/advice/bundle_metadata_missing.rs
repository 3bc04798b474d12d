//! `bundle-metadata-missing` and `catalog-metadata-missing`: bundles without metadata in any form.

use super::super::catalog_context::{CatalogContext, PackageContext};
use super::super::rules::prelude::*;
use super::bundle_metadata_form::{METADATA, OBJECTS};
use crate::version::openshift::{FIRST_OF_METADATA, OpenShift};

const OTHER: &str = concat!(
    package!("other", "stable"),
    channel!("other", "stable", "- name: other.v1.0.0"),
    bundle!(
        "other",
        "1.0.0",
        "- type: olm.csv.metadata\n  value:\n    displayName: Other\n"
    ),
);
const BARE: &str = etcd!();

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "bundle-metadata-missing",
    Severity::Warning,
    Profile::Community,
    "Bundles have neither `olm.bundle.object` nor `olm.csv.metadata`, although other bundles of the catalog have.",
    "`opm` accepts a bundle without metadata if it has an image. The console then shows no name, description and provider, \
     and `opm alpha list` no display name. Switchyard takes the OpenShift version, which decides on the form, from the name \
     of the catalog's folder.",
    "Render the bundles again with `opm render`, or `switchyard render` from their folders.",
)
.bad(&[Example::Tree(&[
    ("v4.18/etcd/catalog.yaml", Content::Text(BARE)),
    ("v4.18/other/catalog.yaml", Content::Text(OTHER)),
])])
.good(&[Example::Tree(&[("v4.18/other/catalog.yaml", Content::Text(OTHER))]), Example::Catalog(BARE)]);

pub(in crate::validate) const CATALOG_DOC: RuleDoc = RuleDoc::advice(
    "catalog-metadata-missing",
    Severity::Info,
    Profile::Community,
    "No bundle of a catalog for OpenShift 4.17 or later has `olm.bundle.object` or `olm.csv.metadata`.",
    "Operators of such a catalog have no name, description and provider in the console. Sketches and tests are often \
     written like that, so it is reported once for the whole catalog.",
    "Render the bundles again with `opm render`, or `switchyard render` from their folders.",
)
.bad(&[Example::Tree(&[("v4.18/catalog.yaml", Content::Text(BARE))])])
.good(&[
    Example::Tree(&[("v4.18/other/catalog.yaml", Content::Text(OTHER))]),
    Example::Tree(&[("v4.16/catalog.yaml", Content::Text(BARE))]),
]);

pub(in crate::validate) fn check(
    catalog: &CatalogContext<'_>,
    context: &PackageContext<'_>,
    out: &mut Findings,
) {
    let (Some(version), Some((subject, count))) =
        (context.openshift, &context.requirements.formless)
    else {
        return;
    };
    if !any_has_metadata(catalog) {
        return;
    }
    let form = if version >= FIRST_OF_METADATA {
        METADATA
    } else {
        OBJECTS
    };
    let bundles = match count {
        1 => "1 bundle has".to_owned(),
        n => format!("{n} bundles have"),
    };
    let message = format!(
        "{bundles} neither `{OBJECTS}` nor `{METADATA}` in package `{}`; OpenShift {version} needs `{form}`",
        context.package.name
    );
    let finding = Finding::new(subject.at, message).help(DOC.fix);
    out.report(if *count == 1 {
        finding.bundle(&subject.bundle)
    } else {
        finding
    });
}

pub(in crate::validate) fn check_catalog(
    catalog: &CatalogContext<'_>,
    context: &PackageContext<'_>,
    out: &mut Findings,
) {
    let needs_metadata = |version: &OpenShift| *version >= FIRST_OF_METADATA;
    let (Some(version), Some((subject, _))) = (
        context.openshift.filter(needs_metadata),
        &context.requirements.formless,
    ) else {
        return;
    };
    // Reported at the first package of the version.
    let first = catalog.packages().find(|package| {
        package.openshift == Some(version) && package.requirements.formless.is_some()
    });
    let is_first = first.is_some_and(|first| first.package.name == context.package.name);
    if is_first && !any_has_metadata(catalog) {
        let message = format!(
            "no bundle of the catalog has `{METADATA}` or `{OBJECTS}`; OpenShift {version} needs `{METADATA}`"
        );
        out.report(Finding::new(subject.at, message).help(CATALOG_DOC.fix));
    }
}

fn any_has_metadata(catalog: &CatalogContext<'_>) -> bool {
    catalog.packages().any(|package| {
        package.requirements.objects.is_some() || package.requirements.metadata.is_some()
    })
}
