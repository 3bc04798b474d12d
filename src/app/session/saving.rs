//! Saves in place: asks for permission, compares every changed file with the disk, lets the user
//! decide about files that somebody else changed, then writes file by file. Files that could not be
//! written are named; all others are saved.
//!
//! Files without a folder on disk (a new catalog, or one unpacked from an archive) are first
//! written unedited to a new folder; then edits are saved as usual.

use super::Session;
use crate::browser::file_tree::{self, FileTree};
use crate::browser::folder_access::{self, Access, ServedFile};
use crate::client::{Client, FileOnDisk};
use crate::state::save_state::{
    ConflictChoice, DiskComparison, SaveReport, SaveState, compare_checks,
};
use crate::state::store::Notice;
use futures::channel::oneshot;
use leptos::prelude::*;
use protocol::request::Export;
use protocol::response::Saved;
use std::collections::BTreeMap;
use wasm_bindgen::JsCast;
use web_sys::{File, FileSystemDirectoryHandle, FileSystemHandle};

/// Where a file is saved: a handle, and the path below it.
struct SaveTarget {
    top: FileSystemHandle,
    below: String,
    /// The file on disk; `None` if it does not exist.
    file: Option<File>,
}

impl Session {
    /// Returns why the changed files cannot be saved in place; `None` if they can.
    pub fn cannot_save(self) -> Option<&'static str> {
        if self.tree.with_value(FileTree::is_served) {
            return None;
        }
        if !folder_access::is_supported() {
            return Some(
                "This browser cannot write to folders: it has no File System Access. Download the files, or open the folder \
                 with `switchyard serve DIR` to save in place.",
            );
        }
        if self.can_save_to_folder() {
            return Some(
                "The page has no folder yet that it may write these files to. Save them to a folder, or download them.",
            );
        }
        let changed = self
            .store
            .status
            .with_untracked(|status| status.changed_files.clone());
        if !self.tree.with_value(|tree| tree.can_be_written(&changed)) {
            return Some(
                "These files did not come from a folder that the page may write to: archives and \
                 picked files are read-only. Drop the folder or use Open folder… to save in place, or download the files.",
            );
        }
        None
    }

    /// Saves all changed files; progress and outcome are in [`SaveState`].
    pub async fn save(self) {
        if self.store.saving.with_untracked(SaveState::is_busy) {
            return;
        }
        self.store.saving.report(SaveState::Asking);
        let end = self.save_now().await;
        match end {
            Ok(report) => {
                if !report.set_aside.is_empty() {
                    let set_aside = report.set_aside.clone();
                    self.store.notices.push(Notice::Reloaded { set_aside });
                }
                self.store.saving.report(SaveState::Ended(report));
            }
            Err(Cancelled) => self.store.saving.report(SaveState::Idle),
        }
        for waiting in self
            .unwritten
            .try_update_value(std::mem::take)
            .unwrap_or_default()
        {
            // The caller may be gone.
            let _ = waiting.send(());
        }
    }

    /// Resolves once no file is being written. Undo waits for this: the journal records the steps that lead to the
    /// files being written, so a step undone meanwhile would be lost if the page died.
    pub async fn finish_writing(self) {
        while self
            .store
            .saving
            .with_untracked(|saving| matches!(saving, SaveState::Writing { .. }))
        {
            let (done, ended) = oneshot::channel();
            self.unwritten.update_value(|waiting| waiting.push(done));
            // The sender always notifies. If it was dropped, check again.
            let _ = ended.await;
        }
    }

    /// Resumes the save that waits for the user: continues it if `go_on`, else cancels it.
    pub fn decide(self, go_on: bool) {
        if let Some(decided) = self.decided.try_update_value(Option::take).flatten() {
            // Fails only if the save has ended.
            let _ = decided.send(go_on);
        }
    }

    async fn save_now(self) -> Result<SaveReport, Cancelled> {
        let client = self.client();
        let mut report = SaveReport::default();
        let paths = self
            .store
            .status
            .with_untracked(|status| status.changed_files.clone());
        let mut places = match self.places(&paths, &mut report).await {
            Ok(places) => places,
            Err(why) => return Ok(SaveReport::stopped(why)),
        };
        self.store.saving.report(SaveState::Comparing);
        for (path, place) in &mut places {
            match folder_access::look(&place.top, &place.below).await {
                Ok(file) => place.file = file,
                Err(why) => report.failed.push((path.clone(), why)),
            }
        }
        places.retain(|path, _| !report.failed.iter().any(|(failed, _)| failed == path));
        self.leave_links(&mut places, &mut report).await;
        let present =
            |places: &BTreeMap<String, SaveTarget>, paths: &[String]| -> Vec<FileOnDisk> {
                let one = |path: &String| {
                    Some(FileOnDisk {
                        path: path.clone(),
                        file: places.get(path)?.file.clone(),
                    })
                };
                paths.iter().filter_map(one).collect()
            };
        let all: Vec<String> = places.keys().cloned().collect();
        let DiskComparison {
            mut free,
            up_to_date,
            conflicts,
            failed,
        } = match client.check_disk(present(&places, &all)).await {
            Ok(checks) => compare_checks(checks),
            Err(why) => return Ok(SaveReport::stopped(why)),
        };
        report.failed.extend(failed);
        let mut same = present(&places, &up_to_date);
        report.up_to_date.extend(up_to_date);
        if !conflicts.is_empty() {
            let (done, ended) = oneshot::channel();
            self.decided.set_value(Some(done));
            self.store.saving.report(SaveState::Deciding(conflicts));
            if !ended.await.unwrap_or(false) {
                return Err(Cancelled);
            }
            let SaveState::Deciding(conflicts) = self.store.saving.get_untracked() else {
                return Err(Cancelled);
            };
            self.store.saving.report(SaveState::Comparing);
            let paths_with = |way: ConflictChoice| -> Vec<String> {
                let chosen = conflicts
                    .iter()
                    .filter(|conflict| conflict.way == Some(way));
                chosen.map(|conflict| conflict.path.clone()).collect()
            };
            for path in paths_with(ConflictChoice::Leave) {
                report.failed.push((path, "you left it out".to_owned()));
            }
            let (merged, theirs) = (
                paths_with(ConflictChoice::Merge),
                paths_with(ConflictChoice::Theirs),
            );
            if !merged.is_empty() {
                match self
                    .store
                    .merge_answer(client.merge(present(&places, &merged)).await)
                    .await
                {
                    Ok(set_aside) => report.set_aside = set_aside,
                    Err(why) => return Ok(SaveReport::stopped(why)),
                }
            }
            for file in present(&places, &theirs) {
                let path = file.path.clone();
                let view = self.store.view_request();
                match self
                    .store
                    .take_theirs_applied(client.take_theirs(file, view).await)
                    .await
                {
                    Ok(()) => report.up_to_date.push(path),
                    Err(why) => report.failed.push((path, why)),
                }
            }
            free.extend(merged);
            free.extend(paths_with(ConflictChoice::Mine));
        }
        // Merged text may already equal the text on disk.
        let changed = self
            .store
            .status
            .with_untracked(|status| status.changed_files.clone());
        let mut wrote: BTreeMap<String, Written> = BTreeMap::new();
        let to_write: Vec<String> = free
            .into_iter()
            .filter(|path| changed.contains(path))
            .collect();
        let total = to_write.len() as u32;
        if total > 0 {
            self.store
                .saving
                .report(SaveState::Writing { done: 0, total });
            // Changes that cannot be expressed as operations are saved anyway.
            let _ = client.begin_saving().await;
        }
        let is_served = |path: &String| {
            places
                .get(path)
                .is_some_and(|place| folder_access::is_served(&place.top))
        };
        let (together, one_by_one): (Vec<String>, Vec<String>) =
            to_write.into_iter().partition(is_served);
        match self.write_together(&client, &together, &places).await {
            Ok(written) => {
                for (path, written) in written {
                    same.push(FileOnDisk {
                        path: path.clone(),
                        file: Some(written.file.clone()),
                    });
                    wrote.insert(path.clone(), written);
                    report.written.push(path);
                }
            }
            Err(why) => report
                .failed
                .extend(together.into_iter().map(|path| (path, why.clone()))),
        }
        for (done, path) in one_by_one.into_iter().enumerate() {
            self.store.saving.report(SaveState::Writing {
                done: done as u32,
                total,
            });
            let Some(place) = places.get(&path) else {
                continue;
            };
            match self.write(&client, &path, place).await {
                Ok((file, written)) => {
                    wrote.insert(path.clone(), written);
                    same.push(FileOnDisk {
                        path: path.clone(),
                        file: Some(file),
                    });
                    report.written.push(path);
                }
                Err(why) => report.failed.push((path, why)),
            }
        }
        if same.is_empty() {
            client.log().nothing_saved();
        } else {
            match client.report_saved(same).await {
                Ok(Saved { status, differing }) => {
                    self.store.take_status(status);
                    // Ignore files that an edit or undo changed here in the meantime.
                    let differing = not_as_written(differing, &wrote).await;
                    report.written.retain(|path| !differing.contains(path));
                    let differs = "the file on disk differs from what was written";
                    report
                        .failed
                        .extend(differing.into_iter().map(|path| (path, differs.to_owned())));
                    self.store.refresh_saved().await;
                }
                Err(why) => report.failed.push(("all files".to_owned(), why)),
            }
        }
        Ok(report)
    }

    /// Returns the files' targets once the browser permits writing. The error explains why nothing can
    /// be saved.
    async fn places(
        self,
        paths: &[String],
        report: &mut SaveReport,
    ) -> Result<BTreeMap<String, SaveTarget>, String> {
        let tree = self.tree.get_value();
        let mut places = BTreeMap::new();
        let mut permitted: Vec<FileSystemHandle> = Vec::new();
        for path in paths {
            let Some((top, below)) = tree.handle_of(path).await else {
                report.failed.push((
                    path.clone(),
                    "it did not come from a folder that can be written to".to_owned(),
                ));
                continue;
            };
            if !permitted.contains(&top) {
                match folder_access::permit(&top, Access::Write).await {
                    Ok(true) => permitted.push(top.clone()),
                    Ok(false) => {
                        return Err("The browser does not let the page write to this folder. Nothing was written or \
                                    lost. Allow writing and save again, or download the files."
                            .to_owned());
                    }
                    Err(why) => {
                        return Err(format!(
                            "The browser could not ask for permission to write: {why}"
                        ));
                    }
                }
            }
            places.insert(
                path.clone(),
                SaveTarget {
                    top,
                    below: below.to_owned(),
                    file: None,
                },
            );
        }
        Ok(places)
    }

    /// Reports symbolic links as failed: browsers read through them but do not write to them.
    async fn leave_links(self, places: &mut BTreeMap<String, SaveTarget>, report: &mut SaveReport) {
        let opened = self.client.with_value(Client::opened_files);
        for picked in &opened {
            if places
                .get(&picked.path)
                .is_none_or(|place| place.file.is_some())
            {
                continue;
            }
            if crate::browser::folder_access::is_readable(&picked.file).await {
                places.remove(&picked.path);
                report.failed.push((
                    picked.path.clone(),
                    "it is a symbolic link; a browser cannot write to links".to_owned(),
                ));
            }
        }
    }

    async fn write(
        self,
        client: &Client,
        path: &str,
        place: &SaveTarget,
    ) -> Result<(File, Written), String> {
        let bytes = text_of(client, path).await?;
        let file =
            folder_access::write(&place.top, &place.below, place.file.as_ref(), &bytes).await?;
        Ok((file.clone(), Written::new(file, &bytes)))
    }

    /// Writes all of these files or none, through the serving program.
    async fn write_together(
        self,
        client: &Client,
        paths: &[String],
        places: &BTreeMap<String, SaveTarget>,
    ) -> Result<Vec<(String, Written)>, String> {
        let mut files: Vec<ServedFile> = Vec::new();
        let mut folder = None;
        for path in paths {
            let Some(place) = places.get(path) else {
                continue;
            };
            folder = Some(&place.top);
            let bytes = text_of(client, path).await?;
            files.push(ServedFile {
                below: place.below.clone(),
                seen: place.file.clone(),
                bytes,
            });
        }
        let Some(folder) = folder else {
            return Ok(Vec::new());
        };
        let written = folder_access::write_served(folder, &files).await?;
        let files_written = written
            .into_iter()
            .zip(&files)
            .map(|(file, source)| Written::new(file, &source.bytes));
        Ok(paths.iter().cloned().zip(files_written).collect())
    }
}

/// Returns the new text of a file, after keeping its original text.
async fn text_of(client: &Client, path: &str) -> Result<Vec<u8>, String> {
    client.keep_first(path).await?;
    let path = path.to_owned();
    client.export(Export::File { path }).await
}

/// A written file, with the length and CRC-32 of its text.
struct Written {
    file: File,
    len: usize,
    crc: u32,
}

impl Written {
    fn new(file: File, bytes: &[u8]) -> Self {
        Self {
            file,
            len: bytes.len(),
            crc: crc32fast::hash(bytes),
        }
    }
}

/// Returns the files whose content on disk differs from what was written.
async fn not_as_written(paths: Vec<String>, wrote: &BTreeMap<String, Written>) -> Vec<String> {
    let mut differing = Vec::new();
    for path in paths {
        let is_same = match wrote.get(&path) {
            Some(written) => folder_access::bytes(&written.file)
                .await
                .is_ok_and(|bytes| {
                    bytes.len() == written.len && crc32fast::hash(&bytes) == written.crc
                }),
            None => false,
        };
        if !is_same {
            differing.push(path);
        }
    }
    differing
}

/// The user cancelled the save.
struct Cancelled;

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
        match folder_access::permit(&top, Access::Write).await {
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
        let folder = folder_access::folder_for(chosen, name).await?;
        let top: FileSystemHandle = folder.clone().unchecked_into();
        let client = self.client();
        let mut written = Vec::new();
        for picked in client.opened_files() {
            let Some(below) = picked
                .path
                .strip_prefix(name)
                .and_then(|rest| rest.strip_prefix('/'))
            else {
                continue;
            };
            let bytes = folder_access::bytes(&picked.file).await?;
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
