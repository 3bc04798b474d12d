//! `bundle-metadata-form`: bundles whose metadata is in a form that the catalog's OpenShift does not read.

use super::super::catalog_context::{CatalogContext, PackageContext};
use super::super::requirements::Subject;
use super::super::rules::prelude::*;
use crate::edit::plan::migrate::is_changed;
use crate::version::openshift::FIRST_OF_METADATA;

pub(super) const OBJECTS: &str = "olm.bundle.object";
pub(super) const METADATA: &str = "olm.csv.metadata";

const OF_OBJECTS: &str = etcd!("- type: olm.bundle.object\n  value:\n    data: e30=\n");
const OF_METADATA: &str = etcd!("- type: olm.csv.metadata\n  value:\n    displayName: etcd\n");

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "bundle-metadata-form",
    Severity::Warning,
    Profile::Community,
    "Bundles have `olm.bundle.object` or `olm.csv.metadata` where the OpenShift version needs the other.",
    "Up to OpenShift 4.16, catalogs describe bundles with whole manifests in `olm.bundle.object`; from 4.17 on, with the \
     much smaller `olm.csv.metadata`. The pipelines that build the catalogs refuse the other form, and older catalog \
     servers do not know the new one. Switchyard takes the version from the name of the catalog's folder; if that \
     names none, it reports only packages with both forms, since no version accepts both.",
    "For 4.17 and later `switchyard migrate DIR --write` turns the objects into metadata and changes nothing else, as \
     `opm render --migrate-level=bundle-object-to-csv-metadata` does. For earlier versions render the catalog again \
     without that option.",
)
.bad(&[
    Example::Tree(&[("v4.18/catalog.yaml", Content::Text(OF_OBJECTS))]),
    Example::Tree(&[("v4.16/catalog.yaml", Content::Text(OF_METADATA))]),
    Example::Catalog(etcd!(
        "- type: olm.bundle.object\n  value:\n    data: e30=\n- type: olm.csv.metadata\n  value:\n    displayName: \
             etcd\n"
    )),
])
.good(&[Example::Tree(&[("v4.18/catalog.yaml", Content::Text(OF_METADATA))]), Example::Catalog(OF_OBJECTS)]);

pub(in crate::validate) fn check(
    _: &CatalogContext<'_>,
    context: &PackageContext<'_>,
    out: &mut Findings,
) {
    let (objects, metadata) = (
        &context.requirements.objects,
        &context.requirements.metadata,
    );
    let have = |(_, n): &(Subject, usize), form: &str| {
        let bundles = if *n == 1 {
            "1 bundle has".to_owned()
        } else {
            format!("{n} bundles have")
        };
        format!("{bundles} `{form}`")
    };
    let name = &context.package.name;
    let ((subject, count), message) = match (context.openshift, objects, metadata) {
        (Some(version), Some(objects), _) if version >= FIRST_OF_METADATA => (
            objects,
            format!(
                "{} in package `{name}` for OpenShift {version}",
                have(objects, OBJECTS)
            ),
        ),
        (Some(version), _, Some(metadata)) if version < FIRST_OF_METADATA => (
            metadata,
            format!(
                "{} in package `{name}` for OpenShift {version}",
                have(metadata, METADATA)
            ),
        ),
        (None, Some(objects), Some(metadata)) => {
            let (first, second) = (have(objects, OBJECTS), have(metadata, METADATA));
            (objects, format!("{first} and {second} in package `{name}`"))
        }
        _ => return,
    };
    let finding = Finding::new(subject.at, message)
        .help(DOC.fix)
        .fixes(migration(context, objects.as_ref()));
    out.report(if *count == 1 {
        finding.bundle(&subject.bundle)
    } else {
        finding
    });
}

/// The fix for bundles whose objects can be migrated. `objects`: number of bundles with any.
fn migration(context: &PackageContext<'_>, objects: Option<&(Subject, usize)>) -> Option<Fix> {
    let is_too_early = context
        .openshift
        .is_some_and(|version| version < FIRST_OF_METADATA);
    let (_, having) = objects.filter(|_| !is_too_early)?;
    let package = context.package;
    let changed = package
        .bundles
        .iter()
        .filter(|bundle| is_changed(bundle))
        .count();
    if changed == 0 {
        return None;
    }
    let title = match changed {
        1 => "migrate the objects of 1 bundle to `olm.csv.metadata`".to_owned(),
        _ => format!("migrate the objects of {changed} bundles to `olm.csv.metadata`"),
    };
    let op = EditOp::Migrate {
        catalog: None,
        package: Some(package.name.to_string()),
    };
    // Without a known OpenShift version, the other form may be the intended one.
    let mut fix = fix(title, context.openshift.is_some() && changed == *having, op);
    if changed < *having {
        fix.note = format!(
            "{} stay unchanged: they have no image, no ClusterServiceVersion among their objects, or already have metadata",
            having - changed
        );
    }
    Some(fix)
}
