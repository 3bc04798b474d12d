//! Files that the page and the worker share: the open files, requests with files, and files that
//! are sent while a walk finds them.
//!
//! The history starts with the files as they were opened. Saving changes them on disk, so the
//! original text is kept in memory: a new worker opens that, replays the steps, and receives the
//! current content on disk.

use super::Client;
use crate::browser::file_tree::{FileWalk, PickedFile, error_message};
use crate::state::journal::SavedFile;
use crate::state::worker_api::{AnyQuery, OfferedFile, OfferedFiles, failure_reason};
use js_sys::{Array, Uint8Array};
use protocol::bundles::{BundlePlacement, DroppedBundles};
use protocol::diagnostic::Profile;
use protocol::disk_check::DiskCheck;
use protocol::manifests::DroppedManifests;
use protocol::query::{
    CheckDisk, ListFiles, ListWrites, Merge, NoteSaved, OpenOperator, ReadBundles, ReadManifests,
    RelevantFiles, Request, SetProfile, ShowRendered, TakeTheirs,
};
use protocol::request::{Export, InputFile, OpenMode, PackageRequest};
use protocol::response::{Applied, AskError, Replayed, Saved};
use std::collections::{BTreeMap, BTreeSet};
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, FilePropertyBag};

/// Files found by a walk are sent once they exceed this fraction of those already sent, because the
/// worker sorts its whole queue each time.
const BATCH_FRACTION: usize = 4;

#[derive(Debug, Clone)]
pub struct FileOnDisk {
    pub path: String,
    /// `None` if the file does not exist.
    pub file: Option<File>,
}

/// The files that a new worker must open.
#[derive(Default)]
pub(super) struct OpenedFiles {
    pub(super) files: BTreeMap<String, OfferedFile>,
    /// Original texts of edited files, kept in memory: a file that changed on disk can no longer be
    /// read.
    pub(super) originals: BTreeMap<String, OfferedFile>,
    /// Saved files, whose content on disk differs from the start of the history.
    pub(super) on_disk: BTreeMap<String, OfferedFile>,
    /// Folders, and whether their files are treated as one catalog.
    pub(super) treated: Vec<(String, bool)>,
    /// Templates whose rendered catalogs are open.
    pub(super) rendered: BTreeSet<String>,
    /// Opened operators of a repository.
    pub(super) operators: BTreeSet<String>,
    /// The requested advice profile.
    pub(super) profile: Option<Profile>,
}

impl OpenedFiles {
    /// Records a setting or files that a new worker needs but the journal does not contain. Returns
    /// whether `query` is of this class.
    pub(super) fn record(&mut self, query: &AnyQuery) -> bool {
        if let Some(ShowRendered { template, shown }) = query.get() {
            if *shown {
                self.rendered.insert(template.clone());
            } else {
                self.rendered.remove(template);
            }
        } else if query.get::<ListFiles>().is_some() {
            // Open files keep their original names: the journal remains that of the same folder.
            self.files.extend(by_path(&query.files));
        } else if let Some(OpenOperator { operator }) = query.get() {
            self.operators.insert(operator.clone());
        } else if let Some(SetProfile { profile }) = query.get() {
            self.profile = *profile;
        } else {
            return false;
        }
        true
    }

    /// Restarts the history from the files on disk.
    pub(super) fn restart_history(&mut self, offer: &OfferedFiles) {
        self.originals.retain(|path, _| {
            !self.on_disk.contains_key(path)
                && offer.iter().all(|(offered, _)| offered.path != *path)
        });
        self.files.append(&mut self.on_disk);
        self.files.extend(by_path(offer));
    }

    /// Adds opened files, or replaces the open ones. The files in `kept` keep the start of their
    /// history.
    pub(super) fn add(&mut self, mode: OpenMode, offer: &OfferedFiles, kept: &[String]) {
        let mut before = std::mem::take(self);
        self.profile = before.profile;
        if mode != OpenMode::Replace {
            self.treated = before.treated;
            self.rendered = before.rendered;
            self.operators = before.operators;
        }
        if mode == OpenMode::Add {
            self.files = before.files;
            self.files.extend(before.on_disk.clone());
        }
        self.files.extend(by_path(offer));
        for path in kept {
            self.originals.extend(before.originals.remove_entry(path));
            // The file was saved before: the start of the history is no longer on disk.
            if before.on_disk.contains_key(path)
                && let Some(current) = self.files.get(path)
            {
                self.on_disk.insert(path.clone(), current.clone());
            }
        }
    }

    /// Returns the files as they are on disk.
    pub(super) fn current_files(&self) -> impl Iterator<Item = &OfferedFile> {
        let unsaved = self
            .files
            .iter()
            .filter(|(path, _)| !self.on_disk.contains_key(*path));
        unsaved.chain(&self.on_disk).map(|(_, file)| file)
    }

    /// Whether the original text of this open file is only on disk.
    fn is_original_on_disk(&self, path: &str) -> bool {
        self.files.contains_key(path)
            && !self.on_disk.contains_key(path)
            && !self.originals.contains_key(path)
    }

    /// Returns the files that a new worker opens before it replays the steps.
    pub(super) fn original_files(&self) -> OfferedFiles {
        let original = |(path, file)| self.originals.get(path).unwrap_or(file).clone();
        self.files.iter().map(original).collect()
    }
}

impl Client {
    /// Sends files of the open repository that were only names before: all files of these
    /// operators.
    pub async fn list_files(
        &self,
        operators: Vec<String>,
        walk: &FileWalk,
    ) -> Result<(), AskError> {
        // Wait for a pending `Open`.
        let _guard = self.0.open_lock.lock().await;
        self.ask_with(ListFiles { operators }, offer(walk)).await
    }

    /// Returns the open files as last seen on disk: when they were opened or saved.
    pub fn opened_files(&self) -> Vec<PickedFile> {
        let opened = self.0.opened.borrow();
        let picked = |(offered, file): &OfferedFile| {
            Some(PickedFile {
                path: offered.path.clone(),
                file: file.clone()?,
            })
        };
        opened.current_files().filter_map(picked).collect()
    }

    /// Returns those of these files that a catalog uses; all of them if the worker cannot tell.
    pub async fn relevant_files(&self, paths: Vec<String>) -> Vec<String> {
        if paths.is_empty() {
            return paths;
        }
        let query = RelevantFiles {
            paths: paths.clone(),
        };
        self.ask(query).await.unwrap_or(paths)
    }

    /// Compares files byte by byte with what was read.
    pub async fn check_disk(&self, files: Vec<FileOnDisk>) -> Result<Vec<DiskCheck>, String> {
        let checked = self.ask_with(CheckDisk {}, offer_on_disk(files)).await;
        checked.map_err(failure_reason)
    }

    /// Rebases the edits onto the files on disk.
    pub async fn merge(&self, files: Vec<FileOnDisk>) -> Result<Replayed, AskError> {
        self.ask_with(Merge {}, offer_on_disk(files)).await
    }

    /// Drops the edits in a file.
    pub async fn take_theirs(
        &self,
        file: FileOnDisk,
        view: Option<PackageRequest>,
    ) -> Result<Applied, AskError> {
        // Earlier steps cannot be replayed without the original text.
        if let Err(message) = self.keep_original(&file.path).await {
            return Err(AskError::DroppedStep { message });
        }
        self.ask_with(TakeTheirs { view }, offer_on_disk(vec![file]))
            .await
    }

    /// Records in the journal which files are about to be written, so that a session that continues
    /// after a crash can find out which of them were written. Must be followed by
    /// [`Client::report_saved`] or [`super::Log::cancel_saving`].
    pub async fn begin_saving(&self) -> Result<(), String> {
        let files = self.ask(ListWrites {}).await.map_err(failure_reason)?;
        let files = files.into_iter().map(|file| SavedFile {
            path: file.path,
            crc: file.crc,
            ops: file.ops.0,
        });
        self.0.log.begin_saving(files.collect()).await;
        Ok(())
    }

    /// Reports the content on disk of written files.
    pub async fn report_saved(&self, files: Vec<FileOnDisk>) -> Result<Saved, String> {
        let saved = self.ask_with(NoteSaved {}, offer_on_disk(files)).await;
        saved.map_err(failure_reason)
    }

    /// Records that the open files were written unchanged to a folder: from now on, these are
    /// compared with the disk.
    pub fn report_written(&self, files: Vec<FileOnDisk>) {
        let mut opened = self.0.opened.borrow_mut();
        for (offered, file) in offer_on_disk(files) {
            opened.files.insert(offered.path.clone(), (offered, file));
        }
    }

    pub async fn export(&self, export: Export) -> Result<Vec<u8>, String> {
        let exported = self.ask(export).await.map_err(failure_reason)?;
        Ok(exported.bytes)
    }

    /// Copies the originals of edited files into memory, so that they outlive a worker.
    pub(super) async fn keep_originals(&self, paths: &[String]) {
        for path in paths {
            let file = {
                let opened = self.0.opened.borrow();
                opened
                    .files
                    .get(path)
                    .filter(|_| opened.is_original_on_disk(path))
                    .cloned()
            };
            let Some((offered, Some(file))) = file else {
                continue;
            };
            // A `File` that changed on disk can no longer be read. Skip it: the worker may still
            // have its bytes.
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
            let is_unchanged = opened
                .files
                .get(path)
                .is_some_and(|(_, current)| current.as_ref() == Some(&file));
            if is_unchanged && let Ok(copy) = copy {
                opened.originals.insert(path.clone(), (offered, Some(copy)));
            }
        }
    }

    /// Keeps the original text of a file before the file on disk changes.
    pub async fn keep_original(&self, path: &str) -> Result<(), String> {
        if !self.0.opened.borrow().is_original_on_disk(path) {
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
            .map_err(|error| error_message(&error))?;
        let kept = InputFile {
            path: path.to_owned(),
            size: bytes.len() as u64,
            modified: 0,
            unreadable: String::new(),
        };
        self.0
            .opened
            .borrow_mut()
            .originals
            .insert(path.to_owned(), (kept, Some(file)));
        Ok(())
    }

    /// Reads files as bundles for the target `placement`; `None` if they are something else.
    pub async fn read_bundles(
        &self,
        files: &[PickedFile],
        placement: BundlePlacement,
    ) -> Result<Option<DroppedBundles>, AskError> {
        let offer = files.iter().map(offer_file).collect();
        self.ask_with(ReadBundles { placement }, offer).await
    }

    /// Reads files as upgrade questions, with `root` in view; `None` if they are something else.
    pub async fn read_manifests(
        &self,
        files: &[PickedFile],
        root: String,
    ) -> Result<Option<DroppedManifests>, AskError> {
        let offer = files.iter().map(offer_file).collect();
        self.ask_with(ReadManifests { root }, offer).await
    }

    /// Prepares to read files while a walk finds them. Drops files read for an earlier walk: they
    /// belong to another open, whatever their names.
    pub fn read_ahead(&self) -> ReadAhead {
        self.stop_reading_ahead();
        ReadAhead {
            client: self.clone(),
            waiting: Vec::new(),
            sent: 0,
        }
    }

    /// Drops the files that were read ahead: the open that needs them does not follow.
    pub fn stop_reading_ahead(&self) {
        self.0
            .host
            .send(0, Request::StopReadingAhead, &[], &OfferedFiles::new());
    }

    fn send_read_ahead(&self, files: Vec<PickedFile>) {
        // During another open or a recovery, the worker is reading other files.
        if files.is_empty() || self.0.opening.get() || self.0.recovering.get() {
            return;
        }
        self.0.pool.start();
        let offer: OfferedFiles = files.iter().map(offer_file).collect();
        self.0.host.send(0, Request::ReadAhead, &[], &offer);
    }
}

/// Sends the files of one walk to the worker before the walk ends.
pub struct ReadAhead {
    client: Client,
    waiting: Vec<PickedFile>,
    sent: usize,
}

impl ReadAhead {
    pub fn add_files(&mut self, files: &[PickedFile]) {
        // The open itself unpacks archives.
        self.waiting.extend(
            files
                .iter()
                .filter(|picked| picked.path.contains('/'))
                .cloned(),
        );
        if self.waiting.len() > self.sent / BATCH_FRACTION {
            self.sent += self.waiting.len();
            self.client
                .send_read_ahead(std::mem::take(&mut self.waiting));
        }
    }
}

pub(super) fn by_path(offer: &OfferedFiles) -> impl Iterator<Item = (String, OfferedFile)> {
    offer.iter().map(|file| (file.0.path.clone(), file.clone()))
}

fn offer_path(path: String, file: Option<File>) -> OfferedFile {
    let input = InputFile {
        path,
        size: file.as_ref().map_or(0, |file| file.size() as u64),
        modified: file.as_ref().map_or(0, |file| file.last_modified() as u64),
        unreadable: String::new(),
    };
    (input, file)
}

fn offer_file(PickedFile { path, file }: &PickedFile) -> OfferedFile {
    offer_path(path.clone(), Some(file.clone()))
}

pub(super) fn offer(walk: &FileWalk) -> OfferedFiles {
    let readable = walk.files.iter().map(offer_file);
    let unreadable = walk.unreadable.iter().map(|failure| {
        let (mut file, none) = offer_path(failure.path.clone(), None);
        file.unreadable.clone_from(&failure.reason);
        (file, none)
    });
    readable.chain(unreadable).collect()
}

fn offer_on_disk(files: Vec<FileOnDisk>) -> OfferedFiles {
    files
        .into_iter()
        .map(|FileOnDisk { path, file }| offer_path(path, file))
        .collect()
}
