//! Saves files without a folder on disk (a new catalog, or one unpacked from an archive): writes
//! them unedited to a new folder. Afterwards edits are saved in place as usual.

use super::Session;
use crate::browser::file_tree::{self, FileTree};
use crate::browser::folder_access::{self, Access};
use crate::client::FileOnDisk;
use crate::state::store::Notice;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{FileSystemDirectoryHandle, FileSystemHandle};

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
            let Some(below) = picked
                .path
                .strip_prefix(name)
                .and_then(|below| below.strip_prefix('/'))
            else {
                continue;
            };
            let bytes = folder_access::read_bytes(&picked.file).await?;
            let file = folder_access::write(&top, below, None, &bytes).await;
            let file =
                file.map_err(|why| format!("{} could not be written: {why}", picked.path))?;
            written.push(FileOnDisk {
                path: picked.path,
                file: Some(file),
            });
        }
        client.report_written(written);
        Ok(folder)
    }
}
