//! Dropped files that are read for a form or a question; the workspace stays unchanged.

use super::{DiskFile, Host};
use crate::views::bundles;
use crate::{dropped_bundles, dropped_manifests};
use fbc::bundle::File;
use protocol::ResponseBody;
use protocol::bundles::BundlePlacement;

impl Host {
    /// Reads dropped files as bundles. Unreadable files are skipped, as `opm` skips dangling links.
    pub fn read_bundles(&self, files: Vec<DiskFile>, placement: &BundlePlacement) -> ResponseBody {
        let Some(sources) = dropped_bundles::find_bundles(readable(files)) else {
            return ResponseBody::NoBundles;
        };
        let read = dropped_bundles::read(&sources, placement.image.trim());
        ResponseBody::Bundles(Box::new(bundles::view(&self.workspace, read, placement)))
    }

    /// Reads dropped files as questions about the next upgrade of packages. `root` is the catalog in view, "" if none
    /// is.
    pub fn read_manifests(&self, files: Vec<DiskFile>, root: &str) -> ResponseBody {
        match dropped_manifests::find_manifests(&readable(files)) {
            Some(asked) => {
                let questions = dropped_manifests::questions(&self.workspace, asked, root);
                ResponseBody::Manifests(Box::new(questions))
            }
            None => ResponseBody::NoManifests,
        }
    }
}

fn readable(files: Vec<DiskFile>) -> Vec<File> {
    files
        .into_iter()
        .filter_map(|DiskFile { path, bytes }| {
            Some(File {
                path,
                bytes: bytes.ok()??,
            })
        })
        .collect()
}
