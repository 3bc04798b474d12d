//! Dropped files that are read for a form or a question; the workspace stays unchanged.

use super::Host;
use crate::views::bundles;
use crate::{dropped_bundles, dropped_manifests};
use fbc::bundle::File;
use protocol::disk_check::DiskFile;
use protocol::query::{HandleWithFiles, QueryResult, ReadBundles, ReadManifests};

/// Unreadable files are skipped, as `opm` skips dangling links.
impl HandleWithFiles<ReadBundles> for Host {
    fn handle_with_files(
        &mut self,
        ReadBundles { placement }: ReadBundles,
        files: Vec<DiskFile>,
    ) -> QueryResult<ReadBundles> {
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
    ) -> QueryResult<ReadManifests> {
        let manifests = dropped_manifests::find_manifests(&readable(files));
        Ok(manifests
            .map(|manifests| dropped_manifests::questions(&self.workspace, manifests, &root)))
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
