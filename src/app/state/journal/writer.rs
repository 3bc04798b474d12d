//! Decides what to write and when, so that the journal on disk never lags behind the page.
//!
//! Changes are numbered and written in order, each before its result is shown. A change that
//! directly follows the last written one appends a line. After a failed write, or for larger
//! changes, all lines are rewritten in one transaction, which repairs the journal and covers
//! waiting changes.

use super::record::{Checksum, Record, SavedFile, VERSION};
use super::{FolderListing, Journal, JournalStep};
use protocol::operation::EditOp;
use protocol::views::Status;
use std::collections::BTreeMap;

/// The page's work. Mirrors the worker's history.
#[derive(Debug, Clone, Default)]
pub struct WorkState {
    pub journal: Journal,
    pub folder: FolderListing,
    pub treated: Vec<(String, bool)>,
    pub originals: BTreeMap<String, u32>,
    /// The number of steps after which all files equal the disk; `None` if there is no such number.
    pub saved: Option<usize>,
    /// The steps from the disk to the current state, if they differ from the history's: only some
    /// files were saved, or saved steps were undone.
    pub unsaved: Vec<JournalStep>,
    /// Typed text that is not a step yet.
    pub draft: Vec<EditOp>,
    /// While files are being written: the number of steps, and the files.
    pub saving: Option<(usize, Vec<SavedFile>)>,
    pub(super) changes: u64,
}

/// A numbered change of the work.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkChange {
    number: u64,
    what: ChangeContent,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ChangeContent {
    Step(JournalStep),
    /// The number of applied steps, and the last of them.
    LastStep(usize, JournalStep),
    Applied(usize),
    Original {
        path: String,
        crc: u32,
    },
    TakenOut,
    /// Text was typed or became a step.
    Draft,
    /// Too much for a single record.
    All,
}

impl ChangeContent {
    /// The lines for it in a journal that starts after `base` steps of the history. Typed text may
    /// have become a step, so the remaining draft follows. `None`: a full rewrite is needed.
    fn records(&self, base: usize, at: u64, draft: &[EditOp]) -> Option<Vec<Record>> {
        let draft = || Record::Draft {
            at,
            ops: draft.to_vec(),
        };
        Some(match self {
            ChangeContent::Step(step) => vec![Record::step(at, step), draft()],
            ChangeContent::LastStep(steps, step) => {
                let before = steps.checked_sub(1)?.checked_sub(base)?;
                vec![
                    Record::Applied { at, steps: before },
                    Record::step(at, step),
                    draft(),
                ]
            }
            ChangeContent::Applied(steps) => vec![Record::Applied {
                at,
                steps: steps.checked_sub(base)?,
            }],
            ChangeContent::Original { path, crc } => vec![Record::Original {
                path: path.clone(),
                crc: *crc,
            }],
            ChangeContent::TakenOut => vec![Record::TakenOut { at }],
            ChangeContent::Draft => vec![draft()],
            ChangeContent::All => return None,
        })
    }
}

/// A transaction on the storage.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WriteBatch {
    /// Delete existing lines first.
    pub clear: bool,
    /// Number of the first line.
    pub first: u32,
    pub lines: Vec<String>,
}

/// The journal's state on disk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum Stored {
    #[default]
    Nothing,
    Lines {
        count: u32,
        checksum: Checksum,
        /// Contains the history after this number of saved steps.
        saved: Option<usize>,
        has_draft: bool,
    },
    /// A write failed: the disk's state is unknown.
    Unknown,
}

/// Tracks what is written.
#[derive(Debug, Default)]
pub struct JournalWriter {
    stored: Stored,
    /// Number of the last written change.
    written: u64,
    /// The state after the current batch.
    next: Option<(Stored, u64)>,
}

impl WorkState {
    /// Records that something changed; call it afterwards.
    pub fn record_change(&mut self, what: ChangeContent) -> WorkChange {
        self.changes += 1;
        WorkChange {
            number: self.changes,
            what,
        }
    }

    /// Updates the saved state from the worker's status.
    pub fn note_status(&mut self, status: &Status) {
        self.saved = status.saved_steps;
        self.unsaved = status
            .unsaved
            .iter()
            .map(JournalStep::from_replay)
            .collect();
    }

    /// The work that a later visit would continue.
    pub fn unwritten(&self) -> Journal {
        self.saved
            .and_then(|saved| self.journal.since(saved))
            .unwrap_or_else(|| {
                let mut journal = Journal::default().with_aside_of(&self.journal);
                journal.replace(self.unsaved.iter().cloned());
                journal
            })
    }

    /// Number of history steps before the first line; `None` if the lines are not from the history.
    fn base(&self) -> Option<usize> {
        self.saved
            .filter(|&saved| saved <= self.journal.applied_steps().len())
    }

    /// Whether there is work to continue.
    fn has_left(&self) -> bool {
        let is_edited = match self.base() {
            Some(saved) => saved < self.journal.applied_steps().len(),
            None => !self.unsaved.is_empty(),
        };
        is_edited || !self.journal.aside().is_empty() || !self.draft.is_empty()
    }

    fn records(&self, at: u64) -> Vec<Record> {
        let left = self.unwritten();
        let head = Record::Journal {
            version: VERSION,
            at,
            folder: self.folder.clone(),
            treated: self.treated.clone(),
        };
        let originals = self.originals.iter().map(|(path, &crc)| Record::Original {
            path: path.clone(),
            crc,
        });
        let aside = left.aside().iter().map(Record::set_aside);
        let steps = left.steps().iter().map(|step| Record::step(at, step));
        let applied = left.applied_steps().len();
        let undone =
            (applied < left.steps().len()).then_some(Record::Applied { at, steps: applied });
        let draft = (!self.draft.is_empty()).then(|| Record::Draft {
            at,
            ops: self.draft.clone(),
        });
        // Free text steps lead directly to the current state.
        let base = self.base();
        let saving = self.saving.as_ref().map(|(steps, files)| Record::Saving {
            at,
            steps: base.map_or(applied, |base| steps.saturating_sub(base)),
            files: files.clone(),
        });
        let lines = std::iter::once(head)
            .chain(originals)
            .chain(aside)
            .chain(steps);
        lines.chain(undone).chain(draft).chain(saving).collect()
    }
}

impl JournalWriter {
    /// The batch for a change at this time (milliseconds since 1970); `None` if nothing has to be
    /// written. Call [`JournalWriter::finish_write`] afterwards.
    pub fn batch(&mut self, change: &WorkChange, work: &WorkState, at: u64) -> Option<WriteBatch> {
        if change.number <= self.written {
            return None;
        }
        if work.folder.is_empty() || !work.has_left() {
            if self.stored == Stored::Nothing {
                self.written = change.number;
                return None;
            }
            self.next = Some((Stored::Nothing, work.changes));
            return Some(WriteBatch {
                clear: true,
                ..WriteBatch::default()
            });
        }
        let has_draft = !work.draft.is_empty();
        if let Stored::Lines {
            count: first,
            mut checksum,
            saved,
            has_draft: had_draft,
        } = self.stored
            && let (true, Some(base)) = (saved == work.base(), saved)
            && let Some(mut records) = change.what.records(base, at, &work.draft)
        {
            if !had_draft && !has_draft {
                records.retain(|record| !matches!(record, Record::Draft { .. }));
            }
            let lines: Vec<String> = records
                .iter()
                .filter_map(|record| checksum.line(record))
                .collect();
            if lines.is_empty() {
                self.written = change.number;
                return None;
            }
            let count = first + lines.len() as u32;
            self.next = Some((
                Stored::Lines {
                    count,
                    checksum,
                    saved,
                    has_draft,
                },
                change.number,
            ));
            return Some(WriteBatch {
                clear: false,
                first,
                lines,
            });
        }
        let mut checksum = Checksum::default();
        let lines: Vec<String> = work
            .records(at)
            .iter()
            .filter_map(|record| checksum.line(record))
            .collect();
        let stored = Stored::Lines {
            count: lines.len() as u32,
            checksum,
            saved: work.base(),
            has_draft,
        };
        self.next = Some((stored, work.changes));
        Some(WriteBatch {
            clear: true,
            first: 0,
            lines,
        })
    }

    /// Reports the result of the last batch.
    pub fn finish_write(&mut self, is_written: bool) {
        match self.next.take() {
            Some((stored, written)) if is_written => {
                (self.stored, self.written) = (stored, written)
            }
            _ => self.stored = Stored::Unknown,
        }
    }
}
