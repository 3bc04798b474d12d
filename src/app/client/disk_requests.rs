//! Requests about saving to disk, and what a new worker needs to know about saved files.
//!
//! The history starts with the files as they were opened. Saving changes them on disk, so the
//! original text is kept in memory: a new worker opens that, replays the steps, and receives the
//! current content on disk.

use super::{Client, OfferedFiles};
use crate::state::journal::{ChangeContent, SavedFile};
use js_sys::{Array, Uint8Array};
use protocol::disk_check::DiskCheck;
use protocol::query::{CheckDisk, ListWrites, Merge, NoteSaved, TakeTheirs};
use protocol::request::{Export, InputFile, PackageRequest};
use protocol::response::{Applied, AskError, Replayed, Saved};
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, FilePropertyBag};

/// A file by its path in the workspace, as it is on disk now; `None`: it does not exist.
#[derive(Debug, Clone)]
pub struct FileOnDisk {
    pub path: String,
    pub file: Option<File>,
}

impl Client {
    /// Compares files byte by byte with what was read.
    pub async fn check_disk(&self, files: Vec<FileOnDisk>) -> Result<Vec<DiskCheck>, String> {
        let checked = self.ask_with(CheckDisk {}, offer(files)).await;
        checked.map_err(reason)
    }

    /// Rebases the edits onto the files on disk.
    pub async fn merge(&self, files: Vec<FileOnDisk>) -> Result<Replayed, AskError> {
        self.ask_with(Merge {}, offer(files)).await
    }

    /// Drops the edits in a file.
    pub async fn take_theirs(
        &self,
        file: FileOnDisk,
        view: Option<PackageRequest>,
    ) -> Result<Applied, AskError> {
        // Earlier steps cannot be replayed without the original text.
        if let Err(message) = self.keep_first(&file.path).await {
            return Err(AskError::DroppedStep { message });
        }
        self.ask_with(TakeTheirs { view }, offer(vec![file])).await
    }

    /// Records in the journal which files are about to be written, so that a session that continues after a crash can
    /// find out for each of them whether it was. Must be followed by [`Client::report_saved`] or [`Client::nothing_saved`].
    pub async fn begin_saving(&self) -> Result<(), String> {
        let files = self.ask(ListWrites {}).await.map_err(reason)?;
        let files = files.into_iter().map(|file| SavedFile {
            path: file.path,
            crc: file.crc,
            ops: file.ops.0,
        });
        {
            let journal_session = self.journal_session();
            let mut work = journal_session.work.borrow_mut();
            work.saving = Some((work.journal.applied_steps().len(), files.collect()));
        }
        self.write_down(ChangeContent::All).await;
        Ok(())
    }

    /// The save ended without writing anything.
    pub fn nothing_saved(&self) {
        let was_saving = self
            .journal_session()
            .work
            .borrow_mut()
            .saving
            .take()
            .is_some();
        if was_saving {
            self.note_change(ChangeContent::All);
        }
    }

    /// Reports the content on disk of written files.
    pub async fn report_saved(&self, files: Vec<FileOnDisk>) -> Result<Saved, String> {
        let saved = self.ask_with(NoteSaved {}, offer(files)).await;
        saved.map_err(reason)
    }

    /// The open files were written unchanged to a folder: from now on these are compared with the
    /// disk.
    pub fn report_written(&self, files: Vec<FileOnDisk>) {
        let mut opened = self.0.opened.borrow_mut();
        for (offered, file) in offer(files) {
            opened.files.insert(offered.path.clone(), (offered, file));
        }
    }

    /// The bytes of an export.
    pub async fn export(&self, what: Export) -> Result<Vec<u8>, String> {
        let exported = self.ask(what).await.map_err(reason)?;
        Ok(exported.bytes)
    }

    /// Keeps copies of edited files as opened, which outlive a worker.
    pub(super) async fn hold(&self, paths: &[String]) {
        for path in paths {
            let file = {
                let opened = self.0.opened.borrow();
                let is_first =
                    !opened.on_disk.contains_key(path) && !opened.first.contains_key(path);
                opened.files.get(path).filter(|_| is_first).cloned()
            };
            let Some((offered, Some(file))) = file else {
                continue;
            };
            // A file that changed on disk cannot be read any more; the worker may have it.
            let Ok(bytes) = JsFuture::from(file.array_buffer()).await else {
                continue;
            };
            let options = FilePropertyBag::new();
            options.set_last_modified(file.last_modified());
            let copy = File::new_with_buffer_source_sequence_and_options(
                &Array::of1(&bytes),
                &file.name(),
                &options,
            );
            let mut opened = self.0.opened.borrow_mut();
            let is_still = opened
                .files
                .get(path)
                .is_some_and(|(_, now)| now.as_ref() == Some(&file));
            if is_still && let Ok(copy) = copy {
                opened.first.insert(path.clone(), (offered, Some(copy)));
            }
        }
    }

    /// Keeps the original text of a file before the disk gets another one.
    pub async fn keep_first(&self, path: &str) -> Result<(), String> {
        let is_on_disk = {
            let opened = self.0.opened.borrow();
            opened.files.contains_key(path)
                && !opened.on_disk.contains_key(path)
                && !opened.first.contains_key(path)
        };
        if !is_on_disk {
            return Ok(());
        }
        let bytes = self
            .export(Export::AtFirst {
                path: path.to_owned(),
            })
            .await?;
        let parts = Array::of1(&Uint8Array::from(bytes.as_slice()));
        let name = path.rsplit('/').next().unwrap_or(path);
        let file = File::new_with_buffer_source_sequence(&parts, name)
            .map_err(|error| crate::browser::file_tree::error_message(&error))?;
        let kept = InputFile {
            path: path.to_owned(),
            size: bytes.len() as u64,
            modified: 0,
            unreadable: String::new(),
        };
        self.0
            .opened
            .borrow_mut()
            .first
            .insert(path.to_owned(), (kept, Some(file)));
        Ok(())
    }
}

fn offer(files: Vec<FileOnDisk>) -> OfferedFiles {
    let offered = files.into_iter().map(|FileOnDisk { path, file }| {
        let size = file.as_ref().map_or(0, |file| file.size() as u64);
        let modified = file.as_ref().map_or(0, |file| file.last_modified() as u64);
        (
            InputFile {
                path,
                size,
                modified,
                unreadable: String::new(),
            },
            file,
        )
    });
    offered.collect()
}

fn reason(error: AskError) -> String {
    match error {
        AskError::DroppedStep { message } | AskError::NoWorker { message } => {
            format!("the worker stopped: {message}")
        }
        other => other.into_reason(),
    }
}
