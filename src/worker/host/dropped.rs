//! What was dropped and is read for a form or a question; the workspace stays as it is.

use super::Host;
use crate::views::bundles;
use crate::{dropped_bundles, dropped_manifests};
use fbc::bundle::File;
use protocol::disk_check::DiskFile;
use protocol::query::{Answered, HandleWithFiles, ReadBundles, ReadManifests};

/// Unreadable files are ignored, as `opm` ignores links that lead nowhere.
impl HandleWithFiles<ReadBundles> for Host {
    fn handle_with_files(
        &mut self,
        ReadBundles { placement }: ReadBundles,
        files: Vec<DiskFile>,
    ) -> Answered<ReadBundles> {
        let Some(sources) = dropped_bundles::find_bundles(readable(files)) else {
            return Ok(None);
        };
        let read = dropped_bundles::read(&sources, placement.image.trim());
        Ok(Some(bundles::view(&self.workspace, read, &placement)))
    }
}

impl HandleWithFiles<ReadManifests> for Host {
    fn handle_with_files(
        &mut self,
        ReadManifests { root }: ReadManifests,
        files: Vec<DiskFile>,
    ) -> Answered<ReadManifests> {
        let asked = dropped_manifests::find_manifests(&readable(files));
        Ok(asked.map(|asked| dropped_manifests::questions(&self.workspace, asked, &root)))
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
