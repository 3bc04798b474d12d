//! Reading dropped files as bundles. The page keeps the files, so that a new worker can read them again.

use super::{Client, OfferedFiles};
use crate::browser::file_tree::PickedFile;
use crate::state::worker_api::NoAnswer;
use protocol::bundles::{BundlePlacement, DroppedBundles};
use protocol::request::InputFile;
use protocol::{RequestBody, ResponseBody};
use std::rc::Rc;

impl Client {
    /// Reads files as bundles, to go where `placement` says; `None` if they are something else.
    pub async fn read_bundles(
        &self,
        files: &[PickedFile],
        placement: BundlePlacement,
    ) -> Result<Option<DroppedBundles>, NoAnswer> {
        let offered = |PickedFile { path, file }: &PickedFile| {
            let (size, modified) = (file.size() as u64, file.last_modified() as u64);
            (InputFile { path: path.clone(), size, modified, unreadable: String::new() }, Some(file.clone()))
        };
        let offer: OfferedFiles = files.iter().map(offered).collect();
        let files = offer.iter().map(|(file, _)| file.clone()).collect();
        match self.ask_with(RequestBody::ReadBundles { files, placement }, Rc::new(offer)).await?.body {
            ResponseBody::Bundles(bundles) => Ok(Some(*bundles)),
            ResponseBody::NoBundles => Ok(None),
            ResponseBody::Failed { message } => Err(NoAnswer::SetAside { message }),
            _ => Err(NoAnswer::SetAside { message: "the worker sent an unexpected answer".to_owned() }),
        }
    }
}
