//! `remove-package`: removes all blobs of a package, including unknown schemas.

use super::blob_placement::package_of;
use super::refused::Refused;
use super::{CatalogView, PlanStep};
use crate::model::Blob;

pub(super) fn plan(view: &CatalogView<'_>, package: &str) -> Result<Vec<PlanStep>, Refused> {
    let name = &*view.package(package)?.name;
    let mut steps = Vec::new();
    for file in view.catalog.files().iter().filter(|file| !file.ignored) {
        let blobs: &[Blob] = file.index().map_or(&[], |index| &index.blobs);
        let own = (0..)
            .zip(blobs)
            .filter(|(_, blob)| package_of(blob) == Some(name));
        steps.extend(own.map(|(index, _)| PlanStep::RemoveBlob {
            file: file.id,
            index,
        }));
    }
    Ok(steps)
}
