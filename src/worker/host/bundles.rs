//! Bundles that were dropped; the workspace stays as it is.

use super::{DiskFile, Host};
use crate::dropped_bundles;
use crate::views::bundles;
use fbc::bundle::File;
use protocol::ResponseBody;
use protocol::bundles::BundlePlacement;

impl Host {
    /// Reads dropped files as bundles. Those that cannot be read are passed over, as `opm` does with links that lead nowhere.
    pub fn read_bundles(&self, files: Vec<DiskFile>, placement: &BundlePlacement) -> ResponseBody {
        let file = |DiskFile { path, bytes }: DiskFile| Some(File { path, bytes: bytes.ok()?? });
        let Some(sources) = dropped_bundles::find_bundles(files.into_iter().filter_map(file).collect()) else {
            return ResponseBody::NoBundles;
        };
        let read = dropped_bundles::read(&sources, placement.image.trim());
        ResponseBody::Bundles(Box::new(bundles::view(&self.workspace, read, placement)))
    }
}
