//! Saves files without a folder on disk (a new catalog, or one unpacked from an archive): writes
//! them unedited to a new folder. Afterwards edits are saved in place as usual.

use super::Session;
use crate::browser::file_tree::{self, FileTree};
use crate::browser::folder_access::{self, Access};
use crate::client::FileOnDisk;
use crate::state::store::Notice;
use leptos::prelude::*;
use std::collections::BTreeSet;
use wasm_bindgen::JsCast;
use web_sys::{File, FileSystemDirectoryHandle, FileSystemHandle};

impl Session {
    /// Whether all open files have no folder and can be written to one.
    pub fn can_save_to_folder(self) -> bool {
        folder_access::is_supported()
            && self
                .tree
                .with_value(|tree| tree.only_bare_folder().is_some())
    }

    /// Asks for a folder and writes the opened files there, in a folder with the catalog's name.
    /// Returns true on success: edits can be saved then.
    pub async fn save_to_folder(self) -> bool {
        let Some(name) = self
            .tree
            .with_value(|tree| tree.only_bare_folder().map(str::to_owned))
        else {
            return false;
        };
        let Some(chosen) = file_tree::pick_handle("read").await else {
            return false;
        };
        match self.write_all(&name, &chosen).await {
            Ok(folder) => {
                self.tree.set_value(FileTree::written_to(&name, &folder));
                self.remember();
                true
            }
            Err(why) => {
                self.store
                    .notices
                    .push(Notice::Failed(format!("Nothing was saved: {why}.")));
                false
            }
        }
    }

    async fn write_all(
        self,
        name: &str,
        chosen: &FileSystemDirectoryHandle,
    ) -> Result<FileSystemDirectoryHandle, String> {
        let top: FileSystemHandle = chosen.clone().unchecked_into();
        match folder_access::request_permission(&top, Access::Write).await {
            Ok(true) => {}
            Ok(false) => {
                return Err("the browser does not let the page write to this folder".to_owned());
            }
            Err(why) => {
                return Err(format!(
                    "the browser could not ask for permission to write: {why}"
                ));
            }
        }
        let folder = folder_access::create_folder(chosen, name).await?;
        let top: FileSystemHandle = folder.clone().unchecked_into();
        let client = self.client();
        let mut written = Vec::new();
        for picked in client.opened_files() {
            let Some(below) = path_below(name, &picked.path) else {
                continue;
            };
            match write_copy(&top, below, &picked.file).await {
                Ok(file) => written.push(FileOnDisk {
                    path: picked.path,
                    file: Some(file),
                }),
                Err(why) => {
                    remove_written(&folder, name, &written, below).await;
                    return Err(format!("{} could not be written: {why}", picked.path));
                }
            }
        }
        client.report_written(written);
        Ok(folder)
    }
}

fn path_below<'a>(folder: &str, path: &'a str) -> Option<&'a str> {
    path.strip_prefix(folder)?.strip_prefix('/')
}

async fn write_copy(top: &FileSystemHandle, below: &str, file: &File) -> Result<File, String> {
    let bytes = folder_access::read_bytes(file).await?;
    folder_access::write(top, below, None, &bytes).await
}

/// Removes the files that were written before the one at `failed` was refused: another attempt needs
/// an empty folder. Before, it had only entries whose names begin with a dot; all others are ours.
async fn remove_written(
    folder: &FileSystemDirectoryHandle,
    name: &str,
    written: &[FileOnDisk],
    failed: &str,
) {
    let is_hidden = |path: &str| path.starts_with('.');
    let written = written
        .iter()
        .filter_map(|file| path_below(name, &file.path));
    let tops: BTreeSet<&str> = written
        .chain((!is_hidden(failed)).then_some(failed))
        .map(|path| path.split('/').next().unwrap_or(path))
        .collect();
    for top in tops {
        folder_access::remove_entry(folder, top, !is_hidden(top)).await;
    }
}
