//! Reads dropped files as bundles or manifests. The page keeps the files, so that a new worker can
//! read them again.

use super::{Client, offer_file};
use crate::browser::file_tree::PickedFile;
use protocol::bundles::{BundlePlacement, DroppedBundles};
use protocol::manifests::DroppedManifests;
use protocol::query::{ReadBundles, ReadManifests};
use protocol::response::AskError;

impl Client {
    /// Reads files as bundles for the target `placement`; `None` if they are something else.
    pub async fn read_bundles(
        &self,
        files: &[PickedFile],
        placement: BundlePlacement,
    ) -> Result<Option<DroppedBundles>, AskError> {
        let offer = files.iter().map(offer_file).collect();
        self.ask_with(ReadBundles { placement }, offer).await
    }

    /// Reads files as upgrade questions, with `root` in view; `None` if they are something else.
    pub async fn read_manifests(
        &self,
        files: &[PickedFile],
        root: String,
    ) -> Result<Option<DroppedManifests>, AskError> {
        let offer = files.iter().map(offer_file).collect();
        self.ask_with(ReadManifests { root }, offer).await
    }
}
