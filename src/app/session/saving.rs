//! Saves in place: asks for permission, compares every changed file with the disk, lets the user
//! decide about files that somebody else changed, then writes file by file. Files that could not be
//! written are named; all others are saved.

use super::Session;
use crate::browser::file_tree::FileTree;
use crate::browser::folder_access::{self, Access, ServedFile};
use crate::client::{Client, FileOnDisk};
use crate::state::save_state::{
    Conflict, ConflictChoice, DiskComparison, FileFailure, SaveReport, SaveState, group_checks,
};
use crate::state::store::Notice;
use futures::channel::oneshot;
use leptos::prelude::*;
use protocol::request::Export;
use protocol::response::Saved;
use std::collections::BTreeMap;
use web_sys::{File, FileSystemHandle};

const NOT_FROM_A_FOLDER: &str = "the page may only read this file";
const IS_A_LINK: &str = "it is a symbolic link; a browser cannot write to links";
const LEFT_OUT: &str = "you left it out";
const DIFFERS_FROM_WRITTEN: &str = "the file on disk differs from what was written";

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
                "The page has no permission to write to your folder yet. Choose Save to a folder… to grant it, or download the files.",
            );
        }
        let changed = self.changed_files();
        if !self.tree.with_value(|tree| tree.can_be_written(&changed)) {
            return Some(
                "Some of these files can only be read, not written. Drop their folder or use Open folder… to save in place, or \
                 download the files.",
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
        let mut save = Save::new(self);
        let outcome = match save.run().await {
            Ok(()) => SaveState::Ended(save.report),
            Err(Interruption::Stopped(why)) => SaveState::Ended(SaveReport::from_stop(why)),
            Err(Interruption::Cancelled) => SaveState::Idle,
        };
        if let SaveState::Ended(report) = &outcome
            && !report.set_aside.is_empty()
        {
            let set_aside = report.set_aside.clone();
            self.store.notices.push(Notice::Reloaded { set_aside });
        }
        let has_ended = matches!(outcome, SaveState::Ended(_));
        self.store.saving.report(outcome);
        for waiting in self
            .unwritten
            .try_update_value(std::mem::take)
            .unwrap_or_default()
        {
            // The caller may be gone.
            let _ = waiting.send(());
        }
        if has_ended {
            self.put_back().await;
        }
    }

    /// Resolves once no file is being written. Edits and undo wait for this: all files must be
    /// written with the same steps, which the journal records in case that the page dies meanwhile.
    pub async fn finish_writing(self) {
        let mut is_reported = false;
        while self
            .store
            .saving
            .with_untracked(|saving| matches!(saving, SaveState::Writing { .. }))
        {
            if !std::mem::replace(&mut is_reported, true) {
                let message = "The change is made once all files are written.";
                self.notifications.toasts.note(message);
            }
            self.end_of_save().await;
        }
    }

    /// Resolves once no save is in progress.
    pub(super) async fn finish_saving(self) {
        while self.store.saving.with_untracked(SaveState::is_busy) {
            self.end_of_save().await;
        }
    }

    async fn end_of_save(self) {
        let (done, ended) = oneshot::channel();
        self.unwritten.update_value(|waiting| waiting.push(done));
        // The sender always notifies. If it was dropped, check again.
        let _ = ended.await;
    }

    /// Resumes the save that waits for the user: continues it if `go_on`, else cancels it.
    pub fn decide(self, go_on: bool) {
        if let Some(decided) = self.decided.try_update_value(Option::take).flatten() {
            // Fails only if the save has ended.
            let _ = decided.send(go_on);
        }
    }

    fn changed_files(self) -> Vec<String> {
        self.store
            .status
            .with_untracked(|status| status.changed_files.clone())
    }
}

/// Where a file is saved: a handle, and the path below it.
struct SaveTarget {
    top: FileSystemHandle,
    below: String,
    /// The file on disk; `None` if it does not exist.
    file: Option<File>,
}

/// A written file, with the length and CRC-32 of its text.
struct WrittenFile {
    file: File,
    len: usize,
    crc: u32,
}

impl WrittenFile {
    fn new(file: File, bytes: &[u8]) -> Self {
        Self {
            file,
            len: bytes.len(),
            crc: crc32fast::hash(bytes),
        }
    }
}

/// Why a save ends before anything is written.
enum Interruption {
    /// The user cancelled it.
    Cancelled,
    /// Nothing can be saved, for this reason.
    Stopped(String),
}

/// A save in progress. Maps are keyed by the path in the session.
struct Save {
    session: Session,
    client: Client,
    targets: BTreeMap<String, SaveTarget>,
    written: BTreeMap<String, WrittenFile>,
    /// Files whose content on disk is that of the session.
    saved: Vec<FileOnDisk>,
    report: SaveReport,
}

impl Save {
    fn new(session: Session) -> Self {
        Self {
            session,
            client: session.client(),
            targets: BTreeMap::new(),
            written: BTreeMap::new(),
            saved: Vec::new(),
            report: SaveReport::default(),
        }
    }

    async fn run(&mut self) -> Result<(), Interruption> {
        self.find_targets().await?;
        self.show_progress(SaveState::Comparing);
        self.find_files_on_disk().await;
        self.reject_links().await;
        let paths: Vec<String> = self.targets.keys().cloned().collect();
        let checks = self.client.check_disk(self.files_on_disk(&paths)).await;
        let DiskComparison {
            writable: mut to_write,
            up_to_date,
            conflicts,
            failed,
        } = group_checks(checks.map_err(Interruption::Stopped)?);
        self.report.failed.extend(failed);
        self.saved = self.files_on_disk(&up_to_date);
        self.report.up_to_date.extend(up_to_date);
        if !conflicts.is_empty() {
            let decided = self.ask_about(conflicts).await?;
            to_write.extend(self.resolve_conflicts(&decided).await?);
        }
        // Merged text may already equal the text on disk.
        let changed = self.session.changed_files();
        to_write.retain(|path| changed.contains(path));
        self.write_files(to_write).await;
        self.report_to_worker().await;
        Ok(())
    }

    fn show_progress(&self, state: SaveState) {
        self.session.store.saving.report(state);
    }

    fn note_failure(&mut self, path: &str, why: impl Into<String>) {
        self.report.failed.push(FileFailure {
            path: path.to_owned(),
            reason: why.into(),
        });
    }

    /// Finds where the changed files are saved, and asks for permission to write there.
    async fn find_targets(&mut self) -> Result<(), Interruption> {
        let tree = self.session.tree.get_value();
        let mut permitted: Vec<FileSystemHandle> = Vec::new();
        for path in self.session.changed_files() {
            let Some((top, below)) = tree.writable_handle(&path).await else {
                self.note_failure(&path, NOT_FROM_A_FOLDER);
                continue;
            };
            if !permitted.contains(&top) {
                require_write_access(&top).await?;
                permitted.push(top.clone());
            }
            let target = SaveTarget {
                top,
                below: below.to_owned(),
                file: None,
            };
            self.targets.insert(path, target);
        }
        Ok(())
    }

    async fn find_files_on_disk(&mut self) {
        for (path, mut target) in std::mem::take(&mut self.targets) {
            match folder_access::current_file(&target.top, &target.below).await {
                Ok(file) => {
                    target.file = file;
                    self.targets.insert(path, target);
                }
                Err(why) => self.note_failure(&path, why),
            }
        }
    }

    /// Reports symbolic links as failed: browsers read through them but do not write to them.
    async fn reject_links(&mut self) {
        for picked in self.client.opened_files() {
            let is_missing = self
                .targets
                .get(&picked.path)
                .is_some_and(|target| target.file.is_none());
            if is_missing && folder_access::is_unchanged(&picked.file).await {
                self.targets.remove(&picked.path);
                self.note_failure(&picked.path, IS_A_LINK);
            }
        }
    }

    fn files_on_disk(&self, paths: &[String]) -> Vec<FileOnDisk> {
        let find = |path: &String| {
            Some(FileOnDisk {
                path: path.clone(),
                file: self.targets.get(path)?.file.clone(),
            })
        };
        paths.iter().filter_map(find).collect()
    }

    async fn ask_about(&self, conflicts: Vec<Conflict>) -> Result<Vec<Conflict>, Interruption> {
        let (decided, decision) = oneshot::channel();
        self.session.decided.set_value(Some(decided));
        self.show_progress(SaveState::Deciding(conflicts));
        if !decision.await.unwrap_or(false) {
            return Err(Interruption::Cancelled);
        }
        let SaveState::Deciding(conflicts) = self.session.store.saving.get_untracked() else {
            return Err(Interruption::Cancelled);
        };
        self.show_progress(SaveState::Comparing);
        Ok(conflicts)
    }

    /// Carries out the user's choices. Returns the files to write.
    async fn resolve_conflicts(
        &mut self,
        conflicts: &[Conflict],
    ) -> Result<Vec<String>, Interruption> {
        let paths_with = |choice: ConflictChoice| -> Vec<String> {
            conflicts
                .iter()
                .filter(|conflict| conflict.choice == Some(choice))
                .map(|conflict| conflict.path.clone())
                .collect()
        };
        for path in paths_with(ConflictChoice::Leave) {
            self.note_failure(&path, LEFT_OUT);
        }
        let store = self.session.store;
        let merged = paths_with(ConflictChoice::Merge);
        if !merged.is_empty() {
            let answer = self.client.merge(self.files_on_disk(&merged)).await;
            self.report.set_aside = store
                .show_merged(answer)
                .await
                .map_err(Interruption::Stopped)?;
        }
        for file in self.files_on_disk(&paths_with(ConflictChoice::Theirs)) {
            let path = file.path.clone();
            let answer = self.client.take_theirs(file, store.view_request()).await;
            match store.show_dropped_edits(answer).await {
                Ok(()) => self.report.up_to_date.push(path),
                Err(why) => self.note_failure(&path, why),
            }
        }
        Ok([merged, paths_with(ConflictChoice::Mine)].concat())
    }

    async fn write_files(&mut self, paths: Vec<String>) {
        let total = paths.len() as u32;
        if total == 0 {
            return;
        }
        self.show_progress(SaveState::Writing { done: 0, total });
        // Changes that cannot be expressed as operations are saved anyway.
        let _ = self.client.begin_saving().await;
        let (together, one_by_one): (Vec<String>, Vec<String>) =
            paths.into_iter().partition(|path| {
                self.targets
                    .get(path)
                    .is_some_and(|target| folder_access::is_served(&target.top))
            });
        match self.write_together(&together).await {
            Ok(files) => files
                .into_iter()
                .for_each(|(path, file)| self.note_written(path, file)),
            Err(why) => together
                .iter()
                .for_each(|path| self.note_failure(path, why.as_str())),
        }
        for (done, path) in one_by_one.into_iter().enumerate() {
            self.show_progress(SaveState::Writing {
                done: done as u32,
                total,
            });
            let Some(target) = self.targets.get(&path) else {
                continue;
            };
            match self.write(&path, target).await {
                Ok(file) => self.note_written(path, file),
                Err(why) => self.note_failure(&path, why),
            }
        }
    }

    fn note_written(&mut self, path: String, written: WrittenFile) {
        self.saved.push(FileOnDisk {
            path: path.clone(),
            file: Some(written.file.clone()),
        });
        self.written.insert(path.clone(), written);
        self.report.written.push(path);
    }

    async fn write(&self, path: &str, target: &SaveTarget) -> Result<WrittenFile, String> {
        let bytes = self.text_to_write(path).await?;
        let on_disk = target.file.as_ref();
        let file = folder_access::write(&target.top, &target.below, on_disk, &bytes).await?;
        Ok(WrittenFile::new(file, &bytes))
    }

    /// Writes all of these files or none, through the serving program.
    async fn write_together(&self, paths: &[String]) -> Result<Vec<(String, WrittenFile)>, String> {
        let mut files: Vec<ServedFile> = Vec::new();
        let mut folder = None;
        for path in paths {
            let Some(target) = self.targets.get(path) else {
                continue;
            };
            folder = Some(&target.top);
            files.push(ServedFile {
                path: target.below.clone(),
                before: target.file.clone(),
                bytes: self.text_to_write(path).await?,
            });
        }
        let Some(folder) = folder else {
            return Ok(Vec::new());
        };
        let written = folder_access::write_served(folder, &files).await?;
        let written_files = written
            .into_iter()
            .zip(&files)
            .map(|(file, source)| WrittenFile::new(file, &source.bytes));
        Ok(paths.iter().cloned().zip(written_files).collect())
    }

    /// Returns the new text of a file, after keeping its original text.
    async fn text_to_write(&self, path: &str) -> Result<Vec<u8>, String> {
        self.client.keep_original(path).await?;
        let path = path.to_owned();
        self.client.export(Export::File { path }).await
    }

    /// Reports the saved files to the worker, which compares them with the session.
    async fn report_to_worker(&mut self) {
        if self.saved.is_empty() {
            self.client.log().cancel_saving();
            return;
        }
        let store = self.session.store;
        match self
            .client
            .report_saved(std::mem::take(&mut self.saved))
            .await
        {
            Ok(Saved { status, differing }) => {
                store.take_status(status);
                for path in differing {
                    // An edit or undo may have changed the session in the meantime.
                    if self.is_as_written(&path).await {
                        continue;
                    }
                    self.report.written.retain(|written| *written != path);
                    self.note_failure(&path, DIFFERS_FROM_WRITTEN);
                }
                store.refresh_saved().await;
            }
            Err(why) => self.note_failure("all files", why),
        }
    }

    /// Whether the file on disk still has the content that was written.
    async fn is_as_written(&self, path: &str) -> bool {
        let Some(written) = self.written.get(path) else {
            return false;
        };
        folder_access::read_bytes(&written.file)
            .await
            .is_ok_and(|bytes| bytes.len() == written.len && crc32fast::hash(&bytes) == written.crc)
    }
}

async fn require_write_access(folder: &FileSystemHandle) -> Result<(), Interruption> {
    match folder_access::request_permission(folder, Access::Write).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(Interruption::Stopped(
            "The browser does not let the page write to this folder. Nothing was written or lost. \
             Allow writing and save again, or download the files."
                .to_owned(),
        )),
        Err(why) => Err(Interruption::Stopped(format!(
            "The browser could not ask for permission to write: {why}"
        ))),
    }
}
