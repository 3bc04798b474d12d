//! `bundle-metadata-missing` and `catalog-metadata-missing`: bundles without metadata in any form.

use super::super::catalog_context::{CatalogContext, PackageContext};
use super::super::rules::prelude::*;
use super::bundle_metadata_form::{METADATA, OBJECTS};
use crate::version::openshift::FIRST_OF_METADATA;

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
    Severity::Warning,
    Profile::Strict,
    "No bundle of a catalog for OpenShift has `olm.bundle.object` or `olm.csv.metadata`.",
    "Operators of such a catalog have no name, description and provider in the console. Sketches and tests are often \
     written like that, so this rule is in the `strict` profile only.",
    "Render the bundles again with `opm render`, or `switchyard render` from their folders.",
)
.bad(&[Example::Tree(&[("v4.18/catalog.yaml", Content::Text(BARE))])])
.good(&[Example::Tree(&[("v4.18/other/catalog.yaml", Content::Text(OTHER))])]);

pub(in crate::validate) fn check(
    catalog: &CatalogContext<'_>,
    context: &PackageContext<'_>,
    out: &mut Findings,
) {
    report(catalog, context, true, out);
}

pub(in crate::validate) fn check_catalog(
    catalog: &CatalogContext<'_>,
    context: &PackageContext<'_>,
    out: &mut Findings,
) {
    report(catalog, context, false, out);
}

/// Reports where some other bundle of the catalog has metadata, or where none has, as wanted.
fn report(
    catalog: &CatalogContext<'_>,
    context: &PackageContext<'_>,
    others_have_it: bool,
    out: &mut Findings,
) {
    let (Some(version), Some((subject, count))) =
        (context.openshift, &context.requirements.formless)
    else {
        return;
    };
    let has_metadata = |package: &PackageContext<'_>| {
        package.requirements.objects.is_some() || package.requirements.metadata.is_some()
    };
    if catalog.packages().any(has_metadata) != others_have_it {
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
