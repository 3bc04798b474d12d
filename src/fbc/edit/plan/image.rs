//! `set-image`: the image that a bundle is pulled from.
//!
//! A related image equal to the old image is the bundle's own (`opm` lists it there too) and
//! changes along; other related images stay.

use super::refused::Refused;
use super::{BlobChange, CatalogView, Change, PlanStep, Presence, selection};
use crate::edit::items::{ItemAction, ItemChange, canonical};
use crate::edit::patch::path;
use crate::model::pull_spec::check_pull_spec;
use crate::model::{BundleBlob, Located};
use serde_json::Value as Json;

pub(super) fn plan(
    view: &CatalogView<'_>,
    package: &str,
    bundle: Option<&str>,
    condition: Option<&str>,
    image: &str,
) -> Result<Vec<PlanStep>, Refused> {
    check(image)?;
    let package = view.package(package)?;
    let bundles = selection::select(view, package, bundle, condition)?;
    let changed = bundles
        .into_iter()
        .filter(|bundle| bundle.image.as_str() != image);
    let step = |bundle: &Located<BundleBlob>| {
        let present = Presence::new(bundle.image.place, bundle.place);
        let own = Change::Put {
            value: image.into(),
            after: &["schema", "name", "package"],
            present,
        };
        let old = bundle.image.as_str();
        let related = ItemChange {
            list: "relatedImages",
            like: vec![("image", canonical(&Json::from(old)))],
            action: ItemAction::Set("image", image.into()),
        };
        PlanStep::PatchItems {
            file: bundle.file,
            index: bundle.index,
            changes: vec![BlobChange {
                path: path!["image"],
                change: own,
            }],
            items: if old.is_empty() {
                Vec::new()
            } else {
                vec![related]
            },
        }
    };
    Ok(changed.map(step).collect())
}

/// Refuses what `opm` does not accept as an image.
pub(crate) fn check(image: &str) -> Result<(), Refused> {
    let help = "write it as `registry/repository:tag` or `registry/repository@sha256:…`";
    if image.is_empty() {
        return Err(Refused::new("the image is empty").help(help));
    }
    check_pull_spec(image).map_err(|error| {
        Refused::new(format!("`{image}` is not a valid image reference: {error}")).help(help)
    })
}
