//! Exports parts of catalogs.

use super::{AppContext, Overlay};
use crate::browser::new_folder;
use crate::words;
use leptos::prelude::*;
use protocol::request::Export;
use protocol::response::OperationRefusal;
use protocol::subset::SavedSubset;

impl AppContext {
    /// Opens *Save a part as…* for the package in view.
    pub fn open_save_subset(self) {
        if untrack(|| self.current.is_catalog()) {
            self.overlays.open(Overlay::SaveSubset);
        } else {
            self.notifications.toasts.note(
                "You can save a part of a catalog, not of a template. Open a catalog rendered from the template.",
            );
        }
    }

    pub fn download_part(self, part: SavedSubset) {
        self.overlays.close();
        self.exports.download(Export::Subset(part));
    }

    /// Asks for a folder and writes the part into a new one there. `Ok(false)`: the user cancelled.
    /// The error is why nothing was written.
    pub async fn save_subset_to_folder(self, part: SavedSubset) -> Result<bool, String> {
        // Ask first: the browser only allows it right after a press.
        let Some(parent) = new_folder::pick_parent().await? else {
            return Ok(false);
        };
        let name = part.name.clone();
        let files = self
            .store
            .ask(part)
            .await
            .map_err(|error| OperationRefusal::from(error).reason)?;
        new_folder::write(&parent, &files).await?;
        self.overlays.close();
        self.notifications.toasts.note(format!(
            "Saved {} as {name}.",
            words::count(files.len() as u32, "file")
        ));
        Ok(true)
    }
}
