//! `migrate`: converts embedded objects to `olm.csv.metadata`, like `opm render
//! --migrate-level=bundle-object-to-csv-metadata`.
//!
//! Facts select the candidate bundles; the metadata is derived from the blob's text
//! ([`ItemAction::Migrate`]).

use super::refused::Refused;
use super::{CatalogView, PlanStep};
use crate::edit::items::{ItemAction, ItemChange, canonical};
use crate::model::{BundleBlob, Located, Package};

pub const OBJECT: &str = "olm.bundle.object";
pub const METADATA: &str = "olm.csv.metadata";

/// `package`: the package to migrate, or all.
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

/// Why migrating these packages changes nothing.
pub fn nothing_to_migrate<'a>(packages: impl IntoIterator<Item = &'a Package>) -> String {
    let has = |bundle: &BundleBlob, kind: &str| bundle.properties.iter().any(|p| *p.kind == *kind);
    let bundles = packages
        .into_iter()
        .flat_map(|package| &package.bundles)
        .filter(|bundle| has(bundle, OBJECT));
    let (mut migrated, mut without_image, mut without_csv) = (0, 0, 0);
    for bundle in bundles {
        if has(bundle, METADATA) {
            migrated += 1;
        } else if bundle.image.is_empty() {
            without_image += 1;
        } else {
            without_csv += 1;
        }
    }
    let reasons: Vec<String> = [
        (
            without_csv,
            format!("no ClusterServiceVersion in the data of any `{OBJECT}`"),
        ),
        (without_image, "no image".to_owned()),
        (migrated, format!("`{METADATA}` already")),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, reason)| match count {
        1 => format!("1 bundle has {reason}"),
        _ => format!("{count} bundles have {reason}"),
    })
    .collect();
    match reasons.is_empty() {
        true => format!("nothing to migrate: no bundle has a property `{OBJECT}`"),
        false => format!("nothing to migrate: {}", reasons.join(", ")),
    }
}

/// Whether the migration changes a bundle. `opm` skips those without an image, without an embedded
/// ClusterServiceVersion, or with existing metadata.
pub fn is_changed(bundle: &BundleBlob) -> bool {
    let has = |kind: &str| {
        bundle
            .properties
            .iter()
            .any(|property| *property.kind == *kind)
    };
    !bundle.image.is_empty() && bundle.embeds_csv && !has(METADATA)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::blob::{Property, PropertyFact};
    use crate::upgrade::testing::{located, package};
    use std::sync::Arc;

    #[test]
    fn reasons_for_not_migrating() {
        let mut package = package("c: a@1.0.0");
        assert_eq!(
            nothing_to_migrate([&package]),
            "nothing to migrate: no bundle has a property `olm.bundle.object`"
        );
        let mut bundle = (*package.bundles[0].data).clone();
        bundle.image = crate::upgrade::testing::spanned("quay.io/a/b:v1");
        bundle.properties.push(PropertyFact {
            property: Arc::new(Property {
                kind: OBJECT.into(),
                value: None,
            }),
            start: 0,
            line: 0,
        });
        package.bundles = vec![located(bundle)];
        assert_eq!(
            nothing_to_migrate([&package]),
            "nothing to migrate: 1 bundle has no ClusterServiceVersion in the data of any `olm.bundle.object`"
        );
    }
}
