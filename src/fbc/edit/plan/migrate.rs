//! `migrate`: embedded objects become `olm.csv.metadata`, as `opm render --migrate-level=bundle-object-to-csv-metadata` does it.
//!
//! Facts show which bundles may be meant; what the metadata is, the blob's text says ([`ItemAction::Migrate`]).

use super::refused::Refused;
use super::{CatalogView, PlanStep};
use crate::edit::items::{ItemAction, ItemChange, canonical};
use crate::model::{BundleBlob, Located, Package};

pub const OBJECT: &str = "olm.bundle.object";
pub const METADATA: &str = "olm.csv.metadata";

/// `package`: the one that is meant, else all.
pub(super) fn plan(
    view: &CatalogView<'_>,
    package: Option<&str>,
) -> Result<Vec<PlanStep>, Refused> {
    let packages: Vec<&Package> = match package {
        Some(name) => vec![view.package(name)?],
        None => view.catalog.packages().map(|package| &**package).collect(),
    };
    let bundles = packages
        .into_iter()
        .flat_map(|package| &package.bundles)
        .filter(|bundle| is_changed(bundle));
    let step = |bundle: &Located<BundleBlob>| {
        let like = vec![("type", canonical(&OBJECT.into()))];
        let items = vec![ItemChange {
            list: "properties",
            like,
            action: ItemAction::Migrate,
        }];
        PlanStep::PatchItems {
            file: bundle.file,
            index: bundle.index,
            changes: Vec::new(),
            items,
        }
    };
    Ok(bundles.map(step).collect())
}

/// Whether the migration changes a bundle. `opm` leaves those alone that have no image, embed no ClusterServiceVersion, or
/// have their metadata.
pub fn is_changed(bundle: &BundleBlob) -> bool {
    let has = |kind: &str| {
        bundle
            .properties
            .iter()
            .any(|property| *property.kind == *kind)
    };
    !bundle.image.is_empty() && bundle.embeds_csv && !has(METADATA)
}
