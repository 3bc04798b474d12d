//! Reads dropped files as bundles or manifests. The page keeps the files, so that a new worker can
//! read them again.

use super::{Client, OfferedFiles, offer_file};
use crate::browser::file_tree::PickedFile;
use crate::state::worker_api::NoAnswer;
use protocol::bundles::{BundlePlacement, DroppedBundles};
use protocol::manifests::DroppedManifests;
use protocol::request::InputFile;
use protocol::{RequestBody, ResponseBody};
use std::rc::Rc;

impl Client {
    /// Reads files as bundles for the target `placement`; `None` if they are something else.
    pub async fn read_bundles(
        &self,
        files: &[PickedFile],
        placement: BundlePlacement,
    ) -> Result<Option<DroppedBundles>, NoAnswer> {
        let (files, offer) = offered(files);
        match self
            .ask_with(RequestBody::ReadBundles { files, placement }, offer)
            .await?
            .body
        {
            ResponseBody::Bundles(bundles) => Ok(Some(*bundles)),
            ResponseBody::NoBundles => Ok(None),
            other => Err(unexpected(other)),
        }
    }

    /// Reads files as upgrade questions, with `root` in view; `None` if they are something else.
    pub async fn read_manifests(
        &self,
        files: &[PickedFile],
        root: String,
    ) -> Result<Option<DroppedManifests>, NoAnswer> {
        let (files, offer) = offered(files);
        match self
            .ask_with(RequestBody::ReadManifests { files, root }, offer)
            .await?
            .body
        {
            ResponseBody::Manifests(manifests) => Ok(Some(*manifests)),
            ResponseBody::NoManifests => Ok(None),
            other => Err(unexpected(other)),
        }
    }
}

/// Describes files for the worker, with the files themselves.
fn offered(files: &[PickedFile]) -> (Vec<InputFile>, Rc<OfferedFiles>) {
    let offer: OfferedFiles = files.iter().map(offer_file).collect();
    (
        offer.iter().map(|(file, _)| file.clone()).collect(),
        Rc::new(offer),
    )
}

fn unexpected(answer: ResponseBody) -> NoAnswer {
    let message = match answer {
        ResponseBody::Failed { message } => message,
        _ => "the worker sent an unexpected answer".to_owned(),
    };
    NoAnswer::DroppedStep { message }
}
