//! The content of a journal of an earlier visit.

use super::record::{self, ReadLine, Record, SavedFile, VERSION};
use super::{FolderListing, Journal, JournalStep, SetAside};
use protocol::operation::EditOp;
use std::collections::BTreeMap;

/// Work that was begun, as far as it was written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StoredWork {
    pub folder: FolderListing,
    /// Folders that were treated as one catalog, or split.
    pub treated: Vec<(String, bool)>,
    /// Of the last change, in milliseconds since 1970.
    pub changed: u64,
    pub journal: Journal,
    /// CRC-32 of the original bytes of edited files, by path.
    pub originals: BTreeMap<String, u32>,
    /// Everything in it was downloaded or copied.
    pub taken_out: bool,
    /// This many records cannot be read.
    pub damaged: u32,
    /// What was typed and no step yet; once all is read it is the last step.
    pub draft: Vec<EditOp>,
    /// After this many applied steps these files were being written; which of them were completed is unknown.
    pub saving: Option<(usize, Vec<SavedFile>)>,
}

/// The step of what was typed.
const TYPED: &str = "Text that was being typed";
/// The step for the files that a save did not reach.
const UNWRITTEN: &str = "Changes to files that were not saved";

/// Why a journal cannot be gone on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnreadableJournal {
    /// Not even its first record can be read.
    Damaged,
    /// A newer build wrote it.
    Newer,
}

impl StoredWork {
    /// Reads the intact records. Unreadable ones are counted.
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
                        // Later records count it.
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

    /// Paths of files that may be on disk as they were being written.
    pub fn being_saved(&self) -> impl Iterator<Item = &str> {
        self.saving
            .iter()
            .flat_map(|(_, files)| files)
            .map(|file| file.path.as_str())
    }

    /// The same for what is on disk now (CRC-32, by path): a save that was broken off has written some of the files, and
    /// what they have already is not done again.
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
            .applied()
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

    /// Takes out the places of steps that cannot be read: nothing is left of them.
    fn forget_unreadable(&mut self) {
        let is_read = |step: &JournalStep| !step.ops.is_empty() || !step.title.is_empty();
        if let Some((steps, _)) = &mut self.saving {
            *steps = self
                .journal
                .applied()
                .iter()
                .take(*steps)
                .filter(|step| is_read(step))
                .count();
        }
        let applied = self
            .journal
            .applied()
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

    /// Whether there is any work to continue.
    pub fn has_work(&self) -> bool {
        !self.journal.is_empty() || !self.journal.aside().is_empty()
    }

    fn take(&mut self, record: Record) {
        match record {
            // Nothing writes a second first record; the later one would be right.
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
            Record::SetAside { title, ops, reason } => {
                self.journal.put_aside(SetAside {
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
