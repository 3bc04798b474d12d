//! `bundle-metadata-form`: what bundles tell of themselves in the form that the catalog's OpenShift does not read.

use super::super::market::{Market, Stall};
use super::super::rules::prelude::*;
use crate::fbc::version::openshift::OpenShift;

pub(in crate::fbc::validate) const DOC: RuleDoc = RuleDoc::advice(
    "bundle-metadata-form",
    Severity::Warning,
    Profile::Community,
    "Bundles carry `olm.bundle.object` or `olm.csv.metadata` where the other form belongs.",
    "Up to OpenShift 4.16 catalogs describe bundles by whole manifests in `olm.bundle.object`; from 4.17 on by the much \
     smaller `olm.csv.metadata`. The pipelines that build the catalogs refuse the other form, and older catalog servers \
     do not know the new one. The version is taken from the folder that the catalog lies in; where none is named, only \
     a package that has both forms is told, since it suits no version.",
    "Render the catalog again: `opm render --migrate-level=bundle-object-to-csv-metadata` for 4.17 and later, and \
     without that option for earlier versions.",
)
.bad(&[
    Example::Tree(&[(
        "v4.18/catalog.yaml",
        Content::Text(etcd!("- type: olm.bundle.object\n  value:\n    data: e30=\n")),
    )]),
    Example::Tree(&[(
        "v4.16/catalog.yaml",
        Content::Text(etcd!("- type: olm.csv.metadata\n  value:\n    displayName: etcd\n")),
    )]),
    Example::Catalog(etcd!("- type: olm.bundle.object\n  value:\n    data: e30=\n- type: olm.csv.metadata\n  value:\n    displayName: \
             etcd\n")),
])
.good(&[
    Example::Tree(&[(
        "v4.18/catalog.yaml",
        Content::Text(etcd!("- type: olm.csv.metadata\n  value:\n    displayName: etcd\n")),
    )]),
    Example::Catalog(etcd!("- type: olm.bundle.object\n  value:\n    data: e30=\n")),
]);

pub(in crate::fbc::validate) fn check(_: &Market<'_>, stall: &Stall<'_>, out: &mut Findings) {
    let (objects, metadata) = (&stall.trade.objects, &stall.trade.metadata);
    let bundles = |n: usize| if n == 1 { "1 bundle has".to_owned() } else { format!("{n} bundles have") };
    let name = &stall.package.name;
    let ((told, count), message) = match (stall.openshift, objects, metadata) {
        (Some(version), Some(objects), _) if version >= OpenShift::new(4, 17) => {
            let what = bundles(objects.1);
            (objects, format!("{what} `olm.bundle.object` in package `{name}` for OpenShift {version}"))
        }
        (Some(version), _, Some(metadata)) if version < OpenShift::new(4, 17) => {
            let what = bundles(metadata.1);
            (metadata, format!("{what} `olm.csv.metadata` in package `{name}` for OpenShift {version}"))
        }
        (None, Some(objects), Some(metadata)) => {
            let and = bundles(metadata.1);
            let what = bundles(objects.1);
            (objects, format!("{what} `olm.bundle.object` and {and} `olm.csv.metadata` in package `{name}`"))
        }
        _ => return,
    };
    let finding = Finding::new(told.at, message).help(DOC.fix);
    out.report(if *count == 1 { finding.bundle(&told.bundle) } else { finding });
}
