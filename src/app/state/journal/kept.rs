//! What a journal of an earlier visit holds.

use super::record::{self, Record, VERSION};
use super::{Folder, Journal, SetAside, Step};
use std::collections::BTreeMap;

/// Work that was begun, as far as it was written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Kept {
    pub folder: Folder,
    /// Folders that were treated as one catalog, or split.
    pub treated: Vec<(String, bool)>,
    /// Of the last change, in milliseconds since 1970.
    pub changed: u64,
    pub journal: Journal,
    /// CRC-32 of the original bytes of edited files, by path.
    pub originals: BTreeMap<String, u32>,
    /// Everything in it was downloaded or copied.
    pub taken_out: bool,
}

/// Why a journal cannot be gone on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreadable {
    /// Not even its first record can be read.
    Damaged,
    /// A newer build wrote it.
    Newer,
}

impl Kept {
    /// Reads as far as the journal is whole.
    pub fn read(text: &[u8]) -> Result<Self, Unreadable> {
        match record::version(text) {
            None => return Err(Unreadable::Damaged),
            Some(version) if version > VERSION => return Err(Unreadable::Newer),
            Some(_) => {}
        }
        let mut records = record::read(text).records.into_iter();
        let Some(Record::Journal { at, folder, treated, .. }) = records.next() else {
            return Err(Unreadable::Damaged);
        };
        let mut kept = Self { folder, treated, changed: at, ..Self::default() };
        for record in records {
            kept.take(record);
        }
        Ok(kept)
    }

    /// Whether there is something to go on with.
    pub fn has_work(&self) -> bool {
        !self.journal.is_empty() || !self.journal.aside().is_empty()
    }

    fn take(&mut self, record: Record) {
        match record {
            // Nothing writes a second first record; the later one would be right.
            Record::Journal { at, folder, treated, .. } => {
                (self.changed, self.folder, self.treated) = (at, folder, treated);
            }
            Record::Step { at, title, ops } => {
                self.changed = at;
                self.taken_out = false;
                self.journal.push(Step { title, ops });
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
                self.journal.put_aside(SetAside { step: Step { title, ops }, reason });
            }
            Record::TakenOut { .. } => self.taken_out = true,
        }
    }
}
