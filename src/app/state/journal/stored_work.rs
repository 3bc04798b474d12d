//! The content of a journal of an earlier visit.

use super::record::{self, ReadLine, Record, SavedFile, VERSION};
use super::{DroppedStep, FolderListing, Journal, JournalStep};
use protocol::operation::EditOp;
use std::collections::BTreeMap;

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
    /// Everything was downloaded or copied.
    pub taken_out: bool,
    /// Number of unreadable records.
    pub damaged: u32,
    /// Typed text that is not a step yet; becomes the last step after reading.
    pub draft: Vec<EditOp>,
    /// After this number of applied steps these files were being written; it is unknown which were
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

    /// Paths of files that an interrupted save may have written.
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
