//! Advice on the metadata and objects embedded in bundles.

use super::super::catalog_context::{CatalogContext, PackageContext};
use super::super::requirements::FirstAndCount;
use super::super::rules::prelude::*;
use catalog::model::ObjectProblem;
use catalog::version::openshift::FIRST_WITH_CSV_METADATA;
use edit::plan::bundles::is_changed;

pub const BUNDLE_METADATA_EMPTY: RuleDoc = RuleDoc::advice(
    "bundle-metadata-empty",
    Severity::Warning,
    Profile::Community,
    "A property `olm.csv.metadata` is empty.",
    "From OpenShift 4.17 on, the console takes an operator's name, description, provider and APIs from `olm.csv.metadata`. \
     `opm` accepts an empty one, and the operator then has nothing but its name.",
    "Render the bundle again with `opm render`, or fill in at least `displayName`, `description` and `provider`.",
)
.bad(examples![etcd!("- type: olm.csv.metadata\n  value: {}\n"),
    etcd!("- type: olm.csv.metadata\n  value: null\n")])
.good(examples![etcd!("- type: olm.csv.metadata\n  value:\n    displayName: etcd\n")]);

pub fn check_bundle_metadata_empty(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let Some(place) = bundle.mistakes.as_ref().and_then(|m| m.empty_metadata) else {
        return;
    };
    let name = &bundle.name.value;
    out.report(out.finding(
        place,
        format!("`olm.csv.metadata` of bundle `{name}` is empty"),
    ));
}

pub const OBJECTS: &str = "olm.bundle.object";
pub const METADATA: &str = "olm.csv.metadata";

const OF_OBJECTS: &str = etcd!("- type: olm.bundle.object\n  value:\n    data: e30=\n");
const OF_METADATA: &str = etcd!("- type: olm.csv.metadata\n  value:\n    displayName: etcd\n");

pub const BUNDLE_METADATA_FORM: RuleDoc = RuleDoc::advice(
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

pub fn check_bundle_metadata_form(
    _: &CatalogContext<'_>,
    context: &PackageContext<'_>,
    out: &mut Findings,
) {
    let (objects, metadata) = (
        &context.requirements.objects,
        &context.requirements.metadata,
    );
    let name = &context.package.name;
    let (bundles, message) = match (context.openshift, objects, metadata) {
        (Some(version), Some(objects), _) if version >= FIRST_WITH_CSV_METADATA => (
            objects,
            format!(
                "{} in package `{name}` for OpenShift {version}",
                have(objects, OBJECTS)
            ),
        ),
        (Some(version), _, Some(metadata)) if version < FIRST_WITH_CSV_METADATA => (
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
    let fix = migration(context, objects.as_ref());
    out.report(bundles.finding(message).fixes(fix));
}

fn have(bundles: &FirstAndCount, form: &str) -> String {
    match bundles.count {
        1 => format!("1 bundle has `{form}`"),
        count => format!("{count} bundles have `{form}`"),
    }
}

/// Returns the fix for bundles whose objects can be migrated. `objects` has the number of bundles
/// with any.
fn migration(context: &PackageContext<'_>, objects: Option<&FirstAndCount>) -> Option<Fix> {
    let is_too_early = context
        .openshift
        .is_some_and(|version| version < FIRST_WITH_CSV_METADATA);
    let having = objects.filter(|_| !is_too_early)?.count;
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
    let mut fix = Fix::from_op(title, context.openshift.is_some() && changed == having, op);
    if changed < having {
        fix.note = format!(
            "{} stay unchanged: they have no image, no ClusterServiceVersion among their objects, or already have metadata",
            having - changed
        );
    }
    Some(fix)
}

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

pub const BUNDLE_METADATA_MISSING: RuleDoc = RuleDoc::advice(
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

pub const CATALOG_METADATA_MISSING: RuleDoc = RuleDoc::advice(
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

pub fn check_bundle_metadata_missing(
    catalog: &CatalogContext<'_>,
    context: &PackageContext<'_>,
    out: &mut Findings,
) {
    let (Some(version), Some(bundles)) =
        (context.openshift, &context.requirements.without_metadata)
    else {
        return;
    };
    if !any_has_metadata(catalog) {
        return;
    }
    let form = if version >= FIRST_WITH_CSV_METADATA {
        METADATA
    } else {
        OBJECTS
    };
    let bundles_have = match bundles.count {
        1 => "1 bundle has".to_owned(),
        n => format!("{n} bundles have"),
    };
    let message = format!(
        "{bundles_have} neither `{OBJECTS}` nor `{METADATA}` in package `{}`; OpenShift {version} needs `{form}`",
        context.package.name
    );
    out.report(bundles.finding(message));
}

pub fn check_catalog_metadata_missing(
    catalog: &CatalogContext<'_>,
    context: &PackageContext<'_>,
    out: &mut Findings,
) {
    let (Some(version), Some(bundles)) = (
        context
            .openshift
            .filter(|version| *version >= FIRST_WITH_CSV_METADATA),
        &context.requirements.without_metadata,
    ) else {
        return;
    };
    // Report it at the first package of the version.
    let first = catalog.packages().find(|package| {
        package.openshift == Some(version) && package.requirements.without_metadata.is_some()
    });
    let is_first = first.is_some_and(|first| first.package.name == context.package.name);
    if is_first && !any_has_metadata(catalog) {
        let message = format!(
            "no bundle of the catalog has `{METADATA}` or `{OBJECTS}`; OpenShift {version} needs `{METADATA}`"
        );
        out.report(Finding::new(bundles.first.at, message));
    }
}

fn any_has_metadata(catalog: &CatalogContext<'_>) -> bool {
    catalog.packages().any(|package| {
        package.requirements.objects.is_some() || package.requirements.metadata.is_some()
    })
}

pub const BUNDLE_OBJECT_EMPTY: RuleDoc = RuleDoc::advice(
    "bundle-object-empty",
    Severity::Warning,
    Profile::Community,
    "A property `olm.bundle.object` holds no manifest.",
    "Catalogs for OpenShift up to 4.16 describe a bundle with its manifests, each in the `data` of an `olm.bundle.object`. \
     `opm` accepts a property without data and ignores `ref`, a file name that only its first versions read. Without the \
     ClusterServiceVersion the console shows neither name nor description of the operator.",
    "Render the bundle again with `opm render`, which writes the manifests into `data`, or remove the property.",
)
.bad(examples![etcd!("- type: olm.bundle.object\n  value:\n    ref: objects/etcd.csv.yaml\n"),
    etcd!("- type: olm.bundle.object\n  value: {}\n"),
    etcd!("- type: olm.bundle.object\n  value:\n    data: e30=\n")])
.good(examples![etcd!(
    "- type: olm.bundle.object\n  value:\n    data: eyJhcGlWZXJzaW9uIjoidjEiLCJraW5kIjoiQ29uZmlnTWFwIn0=\n"
)]);

pub fn check_bundle_object_empty(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let Some(mistakes) = &bundle.mistakes else {
        return;
    };
    for object in &mistakes.objects {
        let which = format!(
            "`olm.bundle.object` (property {}) of bundle `{}`",
            object.property + 1,
            bundle.name.value
        );
        let message = match &object.problem {
            ObjectProblem::Reference(file) => format!(
                "{which} names the file `{file}` with `ref`, which `opm` does not read, and has no `data`"
            ),
            ObjectProblem::NoData => format!("{which} has no `data`"),
            ObjectProblem::NoManifest => {
                format!("the `data` of {which} is no manifest: it has no `apiVersion` and `kind`")
            }
        };
        out.report(out.finding(object.place, message));
    }
}
