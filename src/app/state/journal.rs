//! The log of applied operations: replayed by a new worker after a crash, stored so that closing
//! the tab or a crash loses nothing, and exportable as a last resort.

mod folder_listing;
mod record;
#[cfg(test)]
mod tests;

pub use folder_listing::{FolderDifferences, FolderListing, FolderMatch};
pub use record::{ChangeContent, JournalWriter, SavedFile, WorkChange, WorkState};

use protocol::operation::EditOp;
use protocol::request::ReplayStep;
use record::{ReadLine, Record, VERSION};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An applied step.
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

    /// Returns why the step cannot be applied now that the files in `changed` differ: it changes
    /// text of one of them and, having been written by an older version, does not record the
    /// surrounding text.
    pub fn out_of_place(&self, changed: &[String]) -> Option<String> {
        let is_changed = |file: &str| {
            changed.iter().any(|path| {
                path.strip_suffix(file)
                    .is_some_and(|top| top.is_empty() || top.ends_with('/'))
            })
        };
        self.ops.iter().find_map(|op| match op {
            EditOp::ReplaceText {
                file, around: None, ..
            } if is_changed(file) => Some(format!(
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

/// Steps in order. Those from `applied` on are undone and can be redone. Mirrors the worker's history step by step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Journal {
    steps: Vec<JournalStep>,
    applied: usize,
    /// Steps that could not be applied again, kept until the work is discarded.
    aside: Vec<DroppedStep>,
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

    /// Replaces the history after unsaved edits were applied again to new files.
    pub fn replace(&mut self, steps: impl IntoIterator<Item = JournalStep>) {
        self.steps = steps.into_iter().collect();
        self.applied = self.steps.len();
    }

    /// Sets aside a step that could not be applied again. Undone steps can still be redone.
    pub fn set_aside(&mut self, index: usize, reason: String) {
        if let Some(step) = self.forget(index) {
            self.put_aside(DroppedStep { step, reason });
        }
    }

    /// Removes a step without a remaining effect.
    pub fn forget(&mut self, index: usize) -> Option<JournalStep> {
        let is_there = index < self.steps.len();
        self.applied -= usize::from(index < self.applied);
        is_there.then(|| self.steps.remove(index))
    }

    /// Stores a step that is not applied.
    pub fn put_aside(&mut self, aside: DroppedStep) {
        if !self.aside.contains(&aside) {
            self.aside.push(aside);
        }
    }

    /// Returns the history after this number of saved steps; `None` if more are saved than applied.
    pub fn since(&self, saved: usize) -> Option<Self> {
        let applied = self.applied.checked_sub(saved)?;
        Some(Self {
            steps: self.steps[saved..].to_vec(),
            applied,
            aside: self.aside.clone(),
        })
    }

    pub fn applied_steps(&self) -> &[JournalStep] {
        &self.steps[..self.applied]
    }

    /// Returns all steps, including those that can be redone.
    pub fn steps(&self) -> &[JournalStep] {
        &self.steps
    }

    /// Returns the journal with the set-aside steps of another one.
    fn with_aside_of(mut self, other: &Self) -> Self {
        self.aside.clone_from(&other.aside);
        self
    }

    pub fn aside(&self) -> &[DroppedStep] {
        &self.aside
    }

    /// Whether no step is applied.
    pub fn is_empty(&self) -> bool {
        self.applied == 0
    }
}

/// Formats operations as JSON lines, the input of `switchyard edit --stdin`.
pub fn as_json_lines<'a>(steps: impl IntoIterator<Item = &'a JournalStep>) -> String {
    let mut out = String::new();
    for op in steps.into_iter().flat_map(|step| &step.ops) {
        // Operations consist of strings, lists and options: JSON can express all of them.
        if let Ok(line) = serde_json::to_string(op) {
            out.push_str(&line);
            out.push('\n');
        }
    }
    out
}

/// Unfinished work, as far as it was written.
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
    pub taken_out: bool,
    /// Number of unreadable records.
    pub damaged: u32,
    /// Typed text that is not a step yet; becomes the last step after reading.
    pub draft: Vec<EditOp>,
    /// The number of applied steps at an interrupted save, and its files; it is unknown which were
    /// completed.
    pub saving: Option<(usize, Vec<SavedFile>)>,
}

/// The title of the step for typed text.
const TYPED: &str = "Text that was being typed";
/// The title of the step for files that a save did not reach.
const UNWRITTEN: &str = "Changes to files that were not saved";

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
    pub fn read(text: &[u8]) -> Result<Self, UnreadableJournal> {
        match record::version(text) {
            None => return Err(UnreadableJournal::Damaged),
            Some(version) if version > VERSION => return Err(UnreadableJournal::Newer),
            Some(_) => {}
        }
        let mut lines = record::read(text).into_iter();
        let Some(ReadLine::Record(Record::Journal {
            at,
            folder,
            treated,
            ..
        })) = lines.next()
        else {
            return Err(UnreadableJournal::Damaged);
        };
        let mut kept = Self {
            folder,
            treated,
            changed: at,
            ..Self::default()
        };
        for line in lines {
            match line {
                ReadLine::Record(record) => kept.take(record),
                ReadLine::Unknown { is_step } => {
                    kept.damaged += 1;
                    if is_step {
                        // A placeholder, since later records count it.
                        kept.journal.push(JournalStep::default());
                    }
                }
            }
        }
        kept.forget_unreadable();
        if !kept.draft.is_empty() {
            let ops = std::mem::take(&mut kept.draft);
            kept.journal.push(JournalStep {
                title: TYPED.to_owned(),
                ops,
            });
        }
        Ok(kept)
    }

    /// Returns the paths of files that an interrupted save may have written.
    pub fn being_saved(&self) -> impl Iterator<Item = &str> {
        self.saving
            .iter()
            .flat_map(|(_, files)| files)
            .map(|file| file.path.as_str())
    }

    /// Adapts the work to the disk's content (CRC-32 by path): an interrupted save has written some
    /// of the files, whose changes must not be applied again.
    pub fn since_saving(mut self, on_disk: &BTreeMap<String, u32>) -> Self {
        let Some((steps, files)) = self.saving.take() else {
            return self;
        };
        let (written, left): (Vec<SavedFile>, Vec<SavedFile>) = files
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
        let ops: Vec<EditOp> = left.into_iter().flat_map(|file| file.ops).collect();
        let rest = (!ops.is_empty()).then(|| JournalStep {
            title: UNWRITTEN.to_owned(),
            ops,
        });
        self.journal.replace(rest.into_iter().chain(later));
        self.originals
            .extend(written.into_iter().map(|file| (file.path, file.crc)));
        self
    }

    /// Removes the placeholders of unreadable steps.
    fn forget_unreadable(&mut self) {
        let is_read = |step: &JournalStep| !step.ops.is_empty() || !step.title.is_empty();
        if let Some((steps, _)) = &mut self.saving {
            *steps = self
                .journal
                .applied_steps()
                .iter()
                .take(*steps)
                .filter(|step| is_read(step))
                .count();
        }
        let applied = self
            .journal
            .applied_steps()
            .iter()
            .filter(|step| is_read(step))
            .count();
        let steps: Vec<JournalStep> = self
            .journal
            .steps()
            .iter()
            .filter(|step| is_read(step))
            .cloned()
            .collect();
        self.journal.replace(steps);
        self.journal.set_applied(applied);
    }

    /// Whether there is work to continue.
    pub fn has_work(&self) -> bool {
        !self.journal.is_empty() || !self.journal.aside().is_empty()
    }

    fn take(&mut self, record: Record) {
        match record {
            // There is only one first record; if there were two, the later one would be right.
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
                self.taken_out = false;
                self.journal.push(JournalStep { title, ops });
            }
            Record::Applied { at, steps } => {
                self.changed = at;
                self.taken_out = false;
                self.journal.set_applied(steps);
            }
            Record::Original { path, crc } => {
                self.originals.insert(path, crc);
            }
            Record::DroppedStep { title, ops, reason } => {
                self.journal.put_aside(DroppedStep {
                    step: JournalStep { title, ops },
                    reason,
                });
            }
            Record::TakenOut { .. } => self.taken_out = true,
            Record::Draft { at, ops } => (self.changed, self.draft) = (at, ops),
            Record::Saving { at, steps, files } => {
                (self.changed, self.saving) = (at, Some((steps, files)))
            }
        }
    }
}

/// A journal that no open tab writes.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlierJournal {
    pub id: String,
    pub kept: Result<Arc<StoredWork>, UnreadableJournal>,
}

impl EarlierJournal {
    /// Returns all work worth showing, newest first. `journals` are names and texts.
    pub fn all(journals: Vec<(String, String)>) -> Vec<Self> {
        let read = |(id, text): (String, String)| Self {
            id,
            kept: StoredWork::read(text.as_bytes()).map(Arc::new),
        };
        let mut all: Vec<Self> = journals.into_iter().map(read).collect();
        all.retain(|earlier| earlier.kept.as_ref().map_or(true, |kept| kept.has_work()));
        all.sort_by_key(|earlier| std::cmp::Reverse(earlier.changed_at()));
        all
    }

    /// Finds the newest work on this folder, or else on a very similar one, with the differences.
    pub fn find_for_folder(
        all: &[Self],
        folder: &FolderListing,
    ) -> Option<(Self, FolderDifferences)> {
        let mut alike = None;
        for earlier in all {
            let Ok(kept) = &earlier.kept else { continue };
            match kept.folder.compare(folder) {
                FolderMatch::Same => return Some((earlier.clone(), FolderDifferences::default())),
                FolderMatch::Similar(differences) => {
                    alike.get_or_insert_with(|| (earlier.clone(), differences));
                }
                FolderMatch::Different => {}
            }
        }
        alike
    }

    /// Returns the name of the folder that was open; a placeholder if the journal is unreadable.
    pub fn name(&self) -> String {
        self.kept.as_ref().map_or_else(
            |_| "A journal that cannot be read".to_owned(),
            |kept| kept.folder.name(),
        )
    }

    /// Returns what the user has to open again; all names if nothing was opened from disk.
    pub fn to_open(&self) -> String {
        let on_disk = self
            .kept
            .as_ref()
            .map(|kept| kept.folder.on_disk())
            .unwrap_or_default();
        if on_disk.is_empty() {
            self.name()
        } else {
            on_disk.name()
        }
    }

    pub fn edits(&self) -> u32 {
        self.kept
            .as_ref()
            .map_or(0, |kept| kept.journal.applied_steps().len() as u32)
    }

    /// Returns the time of the last change in milliseconds since 1970; 0 if unknown.
    pub fn changed_at(&self) -> u64 {
        self.kept.as_ref().map_or(0, |kept| kept.changed)
    }

    /// Returns the applied steps, followed by those set aside.
    pub fn steps(&self) -> Vec<JournalStep> {
        let Ok(kept) = &self.kept else {
            return Vec::new();
        };
        let aside = kept.journal.aside().iter().map(|aside| aside.step.clone());
        kept.journal
            .applied_steps()
            .iter()
            .cloned()
            .chain(aside)
            .collect()
    }
}
