//! The log of applied operations: replayed by a new worker after a crash, stored so that closing
//! the tab or a crash loses nothing, and exportable as a last resort.

mod folder_listing;
mod record;
#[cfg(test)]
mod tests;

pub use folder_listing::{FolderDifferences, FolderListing, FolderMatch};
pub use record::{ChangeContent, JournalWriter, PendingSave, SavedFile, WorkChange, WorkState};

use protocol::operation::EditOp;
use protocol::request::ReplayStep;
use record::{ParsedLine, Record, VERSION};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct JournalStep {
    pub title: String,
    pub ops: Vec<EditOp>,
}

impl JournalStep {
    pub fn from_replay(step: &ReplayStep) -> Self {
        Self {
            title: step.title.clone(),
            ops: step.ops.0.clone(),
        }
    }

    pub fn to_replay(&self) -> ReplayStep {
        (self.title.clone(), self.ops.clone()).into()
    }

    /// Returns why the step cannot be applied to files that have changed: it replaces text in one
    /// of them and does not record the surrounding text, since an older version wrote it.
    pub fn misplaced_reason(&self, changed_paths: &[String]) -> Option<String> {
        let has_changed = |file: &str| {
            changed_paths.iter().any(|path| {
                path.strip_suffix(file)
                    .is_some_and(|top| top.is_empty() || top.ends_with('/'))
            })
        };
        self.ops.iter().find_map(|op| match op {
            EditOp::ReplaceText {
                file, around: None, ..
            } if has_changed(file) => Some(format!(
                "`{file}` has changed, and the edit does not record where in the file it belongs"
            )),
            _ => None,
        })
    }
}

/// A step that no longer applies, with the reason.
#[derive(Debug, Clone, PartialEq)]
pub struct DroppedStep {
    pub step: JournalStep,
    pub reason: String,
}

impl DroppedStep {
    pub fn from_refused((step, reason): &(ReplayStep, String)) -> Self {
        Self {
            step: JournalStep::from_replay(step),
            reason: reason.clone(),
        }
    }
}

/// Applied steps in order, followed by undone steps that can be redone. Mirrors the worker's
/// history.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Journal {
    steps: Vec<JournalStep>,
    /// Number of applied steps.
    applied: usize,
    /// Steps that could not be applied again, kept until the work is discarded.
    dropped: Vec<DroppedStep>,
}

impl Journal {
    /// Adds a step: undone steps can no longer be redone.
    pub fn push(&mut self, step: JournalStep) {
        self.steps.truncate(self.applied);
        self.steps.push(step);
        self.applied = self.steps.len();
    }

    /// Sets the number of applied steps after undo, redo or go-to.
    pub fn set_applied(&mut self, applied: usize) {
        self.applied = applied.min(self.steps.len());
    }

    /// Drops the steps from this number on.
    pub fn truncate(&mut self, steps: usize) {
        self.steps.truncate(steps);
        self.set_applied(steps);
    }

    /// Replaces the history after unsaved edits were applied again to new files.
    pub fn replace(&mut self, steps: impl IntoIterator<Item = JournalStep>) {
        self.steps = steps.into_iter().collect();
        self.applied = self.steps.len();
    }

    /// Drops a step that could not be applied again. Undone steps can still be redone.
    pub fn drop_step(&mut self, index: usize, reason: String) {
        if let Some(step) = self.remove(index) {
            self.add_dropped(DroppedStep { step, reason });
        }
    }

    /// Removes a step without a remaining effect.
    pub fn remove(&mut self, index: usize) -> Option<JournalStep> {
        if index >= self.steps.len() {
            return None;
        }
        self.applied -= usize::from(index < self.applied);
        Some(self.steps.remove(index))
    }

    pub fn add_dropped(&mut self, dropped: DroppedStep) {
        if !self.dropped.contains(&dropped) {
            self.dropped.push(dropped);
        }
    }

    /// Returns the history after this number of saved steps; `None` if more are saved than applied.
    pub fn since(&self, saved: usize) -> Option<Self> {
        let applied = self.applied.checked_sub(saved)?;
        Some(Self {
            steps: self.steps[saved..].to_vec(),
            applied,
            dropped: self.dropped.clone(),
        })
    }

    pub fn applied_steps(&self) -> &[JournalStep] {
        &self.steps[..self.applied]
    }

    /// Includes the steps that can be redone.
    pub fn steps(&self) -> &[JournalStep] {
        &self.steps
    }

    pub fn dropped_steps(&self) -> &[DroppedStep] {
        &self.dropped
    }

    /// Whether no step is applied.
    pub fn is_empty(&self) -> bool {
        self.applied == 0
    }
}

/// Formats operations as JSON lines, the input of `switchyard edit --stdin`.
pub fn format_json_lines<'a>(steps: impl IntoIterator<Item = &'a JournalStep>) -> String {
    let mut out = String::new();
    for op in steps.into_iter().flat_map(|step| &step.ops) {
        // Cannot fail: operations consist of strings, lists and options.
        if let Ok(line) = serde_json::to_string(op) {
            out.push_str(&line);
            out.push('\n');
        }
    }
    out
}

/// The title of the step for typed text.
const TYPED: &str = "Text that was being typed";
/// The title of the step for files that a save did not reach.
const UNWRITTEN: &str = "Changes to files that were not saved";

/// Unfinished work as read from storage.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StoredWork {
    pub folder: FolderListing,
    /// Folders treated as one catalog or split.
    pub treated: Vec<(String, bool)>,
    /// Time of the last change in milliseconds since 1970.
    pub changed: u64,
    pub journal: Journal,
    /// CRC-32 of the original bytes of edited files, by path.
    pub originals: BTreeMap<String, u32>,
    /// Whether everything was downloaded or copied.
    pub is_exported: bool,
    /// Number of unreadable records.
    pub damaged: u32,
    /// Typed text that is not a step yet; becomes the last step after reading.
    pub draft: Vec<EditOp>,
    /// A save that was interrupted; any of its files may have been written.
    pub saving: Option<PendingSave>,
}

/// Why a journal cannot be continued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnreadableJournal {
    /// Its first record is unreadable.
    Damaged,
    /// A newer build wrote it.
    Newer,
}

impl StoredWork {
    /// Reads intact records and counts unreadable ones.
    pub fn parse(text: &[u8]) -> Result<Self, UnreadableJournal> {
        match record::parse_version(text) {
            None => return Err(UnreadableJournal::Damaged),
            Some(version) if version > VERSION => return Err(UnreadableJournal::Newer),
            Some(_) => {}
        }
        let mut lines = record::parse(text).into_iter();
        let Some(ParsedLine::Record(Record::Journal {
            at,
            folder,
            treated,
            ..
        })) = lines.next()
        else {
            return Err(UnreadableJournal::Damaged);
        };
        let mut work = Self {
            folder,
            treated,
            changed: at,
            ..Self::default()
        };
        for line in lines {
            match line {
                ParsedLine::Record(record) => work.apply(record),
                ParsedLine::Unknown { is_step } => {
                    work.damaged += 1;
                    if is_step {
                        // A placeholder: later records contain numbers of steps.
                        work.journal.push(JournalStep::default());
                    }
                }
            }
        }
        work.remove_placeholders();
        if !work.draft.is_empty() {
            let ops = std::mem::take(&mut work.draft);
            work.journal.push(JournalStep {
                title: TYPED.to_owned(),
                ops,
            });
        }
        Ok(work)
    }

    /// Returns the paths of files that an interrupted save may have written.
    pub fn possibly_written(&self) -> impl Iterator<Item = &str> {
        self.saving
            .iter()
            .flat_map(|save| &save.files)
            .map(|file| file.path.as_str())
    }

    /// Adapts the work to the disk's content (CRC-32 by path): an interrupted save has written some
    /// of the files, whose changes must not be applied again.
    pub fn after_interrupted_save(mut self, on_disk: &BTreeMap<String, u32>) -> Self {
        let Some(PendingSave { steps, files }) = self.saving.take() else {
            return self;
        };
        let (written, unwritten): (Vec<SavedFile>, Vec<SavedFile>) = files
            .into_iter()
            .partition(|file| on_disk.get(&file.path) == Some(&file.crc));
        if written.is_empty() {
            return self;
        }
        let later = self
            .journal
            .applied_steps()
            .get(steps..)
            .unwrap_or_default()
            .to_vec();
        let ops: Vec<EditOp> = unwritten.into_iter().flat_map(|file| file.ops).collect();
        let remaining = (!ops.is_empty()).then(|| JournalStep {
            title: UNWRITTEN.to_owned(),
            ops,
        });
        self.journal.replace(remaining.into_iter().chain(later));
        self.originals
            .extend(written.into_iter().map(|file| (file.path, file.crc)));
        self
    }

    /// Removes the placeholders of unreadable steps.
    fn remove_placeholders(&mut self) {
        let is_real = |step: &&JournalStep| !step.ops.is_empty() || !step.title.is_empty();
        let applied = self.journal.applied_steps();
        if let Some(save) = &mut self.saving {
            save.steps = applied.iter().take(save.steps).filter(is_real).count();
        }
        let applied = applied.iter().filter(is_real).count();
        let steps: Vec<JournalStep> = self
            .journal
            .steps()
            .iter()
            .filter(is_real)
            .cloned()
            .collect();
        self.journal.replace(steps);
        self.journal.set_applied(applied);
    }

    pub fn has_work(&self) -> bool {
        !self.journal.is_empty() || !self.journal.dropped_steps().is_empty()
    }

    fn apply(&mut self, record: Record) {
        match record {
            // Only the first record is of this kind. If there were another, it would be newer.
            Record::Journal {
                at,
                folder,
                treated,
                ..
            } => {
                (self.changed, self.folder, self.treated) = (at, folder, treated);
            }
            Record::Step { at, title, ops } => {
                self.changed = at;
                self.is_exported = false;
                self.journal.push(JournalStep { title, ops });
            }
            Record::Applied { at, steps } => {
                self.changed = at;
                self.is_exported = false;
                self.journal.set_applied(steps);
            }
            Record::Original { path, crc } => {
                self.originals.insert(path, crc);
            }
            Record::DroppedStep { title, ops, reason } => {
                self.journal.add_dropped(DroppedStep {
                    step: JournalStep { title, ops },
                    reason,
                });
            }
            Record::TakenOut { .. } => self.is_exported = true,
            Record::Draft { at, ops } => (self.changed, self.draft) = (at, ops),
            Record::Saving { at, steps, files } => {
                (self.changed, self.saving) = (at, Some(PendingSave { steps, files }))
            }
        }
    }
}

/// Maximum number of folders named in a sentence.
pub const MAX_NAMED_FOLDERS: usize = 3;

/// A journal that no open tab writes.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlierJournal {
    pub id: String,
    pub work: Result<Arc<StoredWork>, UnreadableJournal>,
}

impl EarlierJournal {
    /// Parses journals, each an id and a text. Returns unreadable ones and those with work, newest
    /// first.
    pub fn parse_all(journals: Vec<(String, String)>) -> Vec<Self> {
        let parse = |(id, text): (String, String)| Self {
            id,
            work: StoredWork::parse(text.as_bytes()).map(Arc::new),
        };
        let mut all: Vec<Self> = journals.into_iter().map(parse).collect();
        all.retain(|earlier| earlier.work.as_ref().map_or(true, |work| work.has_work()));
        all.sort_by_key(|earlier| std::cmp::Reverse(earlier.changed_at()));
        all
    }

    /// Finds the newest work on this folder, or else on a similar one, with the differences.
    pub fn find_for_folder(
        all: &[Self],
        folder: &FolderListing,
    ) -> Option<(Self, FolderDifferences)> {
        let mut similar = None;
        for earlier in all {
            let Ok(work) = &earlier.work else { continue };
            match work.folder.compare(folder) {
                FolderMatch::Same => return Some((earlier.clone(), FolderDifferences::default())),
                FolderMatch::Similar(differences) => {
                    similar.get_or_insert_with(|| (earlier.clone(), differences));
                }
                FolderMatch::Different => {}
            }
        }
        similar
    }

    /// Returns the name of the folder that was open; a placeholder if the journal is unreadable.
    pub fn name(&self) -> String {
        self.work.as_ref().map_or_else(
            |_| "A journal that cannot be read".to_owned(),
            |work| work.folder.name(),
        )
    }

    /// Returns the names of the folders and files that the user has to open again; all names if
    /// nothing was opened from disk.
    pub fn names_to_open(&self) -> Vec<String> {
        let Ok(work) = &self.work else {
            return Vec::new();
        };
        let on_disk = work.folder.on_disk();
        let folder = if on_disk.is_empty() {
            &work.folder
        } else {
            &on_disk
        };
        folder.tops().into_iter().map(str::to_owned).collect()
    }

    pub fn edits(&self) -> u32 {
        self.work
            .as_ref()
            .map_or(0, |work| work.journal.applied_steps().len() as u32)
    }

    /// Returns the time of the last change in milliseconds since 1970; 0 if unknown.
    pub fn changed_at(&self) -> u64 {
        self.work.as_ref().map_or(0, |work| work.changed)
    }

    /// Returns the applied steps, followed by the dropped ones.
    pub fn steps(&self) -> Vec<JournalStep> {
        let Ok(work) = &self.work else {
            return Vec::new();
        };
        let dropped = work.journal.dropped_steps().iter();
        work.journal
            .applied_steps()
            .iter()
            .chain(dropped.map(|dropped| &dropped.step))
            .cloned()
            .collect()
    }
}
