//! The journal's file format, and the records that each change appends. One record per line:
//! `CHECKSUM JSON`.
//!
//! The checksum is the CRC-32 of the JSON of all records up to this one, in eight hexadecimal
//! digits. A torn, damaged, duplicated or misplaced line therefore does not match and counts as
//! unreadable. Later checksums continue from its own, so later lines can still be verified. JSON
//! text contains no line breaks, so lines are records. Only the first record has a version. A
//! reader ignores journals with a newer version.

use super::{DroppedStep, FolderListing, Journal, JournalStep};
use protocol::operation::EditOp;
use protocol::views::Status;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The format version written here. Version 1 had no `draft` and `saving`; reading ended at the
/// first mismatch.
pub const VERSION: u32 = 2;

/// A record. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
pub enum Record {
    /// The first record: the open files.
    Journal {
        version: u32,
        at: u64,
        folder: FolderListing,
        /// Folders treated as one catalog or split: operations name catalogs.
        treated: Vec<(String, bool)>,
    },
    /// A step was applied; undone steps before it can no longer be redone.
    Step {
        at: u64,
        title: String,
        ops: Vec<EditOp>,
    },
    /// Undo, redo or go-to: the number of applied steps.
    Applied { at: u64, steps: usize },
    /// The CRC of an edited file before its first edit.
    Original { path: String, crc: u32 },
    /// A step that could not be applied again.
    DroppedStep {
        title: String,
        ops: Vec<EditOp>,
        reason: String,
    },
    /// All steps applied so far were downloaded or copied.
    TakenOut { at: u64 },
    /// Typed text that is not a step yet, based on the applied steps; replaces an earlier draft.
    Draft { at: u64, ops: Vec<EditOp> },
    /// After this number of applied steps, these files are being written: some may still have their
    /// old content on disk.
    Saving {
        at: u64,
        steps: usize,
        files: Vec<SavedFile>,
    },
}

/// A file that differs from the disk while others are being written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SavedFile {
    pub path: String,
    /// CRC-32 of the intended content on disk.
    pub crc: u32,
    /// Operations from the disk's content to the intended one.
    pub ops: Vec<EditOp>,
}

impl Record {
    pub fn step(at: u64, step: &JournalStep) -> Self {
        Record::Step {
            at,
            title: step.title.clone(),
            ops: step.ops.clone(),
        }
    }

    pub fn set_aside(aside: &DroppedStep) -> Self {
        let DroppedStep { step, reason } = aside.clone();
        Record::DroppedStep {
            title: step.title,
            ops: step.ops,
            reason,
        }
    }
}

/// The checksum of the last written line; the default is that of an empty journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Checksum(u32);

impl Checksum {
    /// Returns the next line including its line break. `None` for values that JSON cannot express,
    /// which operations never contain.
    pub fn line(&mut self, record: &Record) -> Option<String> {
        let json = serde_json::to_string(record).ok()?;
        *self = self.after(json.as_bytes());
        Some(format!("{:08x} {json}\n", self.0))
    }

    fn after(self, json: &[u8]) -> Self {
        let mut hasher = crc32fast::Hasher::new_with_initial(self.0);
        hasher.update(json);
        Self(hasher.finalize())
    }
}

/// A parsed line of a journal.
#[derive(Debug, Clone, PartialEq)]
pub enum ReadLine {
    Record(Record),
    /// Torn, damaged or of an unknown kind. `is_step`: whether it was a step, as far as can be
    /// determined.
    Unknown {
        is_step: bool,
    },
}

/// Maximum number of checksums tried to continue after mismatches.
const MAX_CHECKSUMS: usize = 16;

/// Parses all lines, including those after unreadable ones.
pub fn read(text: &[u8]) -> Vec<ReadLine> {
    let mut lines = Vec::new();
    // Possible predecessors of the next line.
    let mut checksums = vec![Checksum::default()];
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let is_step = holds(line, br#""record":"step""#);
        match checksums
            .iter()
            .find_map(|checksum| verify_line(line, *checksum))
        {
            Some((json, next)) => {
                let record = serde_json::from_slice(json).map(ReadLine::Record);
                lines.push(record.unwrap_or(ReadLine::Unknown { is_step }));
                checksums = vec![next];
            }
            None => {
                lines.push(ReadLine::Unknown { is_step });
                // Either its checksum or its text is damaged, or the whole line is extra.
                let json = line
                    .get(9..)
                    .map(|json| json.strip_suffix(b"\n").unwrap_or(json))
                    .unwrap_or_default();
                let after: Vec<Checksum> = checksums
                    .iter()
                    .map(|checksum| checksum.after(json))
                    .collect();
                checksums.extend(after);
                checksums.extend(parse_checksum(line));
                checksums.drain(..checksums.len().saturating_sub(MAX_CHECKSUMS));
            }
        }
    }
    lines
}

fn holds(line: &[u8], wanted: &[u8]) -> bool {
    line.windows(wanted.len()).any(|part| part == wanted)
}

/// Returns the checksum in a line.
fn parse_checksum(line: &[u8]) -> Option<Checksum> {
    let digits = std::str::from_utf8(line.get(..8)?).ok()?;
    u32::from_str_radix(digits, 16).ok().map(Checksum)
}

/// Returns the version in the first record, whatever else it contains.
pub fn version(text: &[u8]) -> Option<u32> {
    #[derive(Deserialize)]
    struct Head {
        version: u32,
    }
    let line = text.split_inclusive(|&byte| byte == b'\n').next()?;
    let (json, _) = verify_line(line, Checksum::default())?;
    Some(serde_json::from_slice::<Head>(json).ok()?.version)
}

fn verify_line(line: &[u8], before: Checksum) -> Option<(&[u8], Checksum)> {
    let json = line.strip_suffix(b"\n")?.get(8..)?.strip_prefix(b" ")?;
    let checksum = before.after(json);
    (parse_checksum(line)? == checksum).then_some((json, checksum))
}

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
    /// Returns the records to append to a journal that starts after `base` steps of the history.
    /// Typed text may have become a step, so the remaining draft follows. `None` if the journal
    /// must be rewritten.
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
    /// Numbers a change; call it after making the change.
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

    /// Returns the work that a later visit would continue.
    pub fn unwritten(&self) -> Journal {
        self.saved
            .and_then(|saved| self.journal.since(saved))
            .unwrap_or_else(|| {
                let mut journal = Journal::default().with_aside_of(&self.journal);
                journal.replace(self.unsaved.iter().cloned());
                journal
            })
    }

    /// Returns the number of history steps before the first line; `None` if the lines are not from
    /// the history.
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
        // Steps that are not from the history lead directly to the current state.
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
    /// Returns the batch for a change at this time (milliseconds since 1970); `None` if nothing has
    /// to be written. Call [`JournalWriter::finish_write`] afterwards.
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

    /// Records the result of the last batch.
    pub fn finish_write(&mut self, is_written: bool) {
        match self.next.take() {
            Some((stored, written)) if is_written => {
                (self.stored, self.written) = (stored, written)
            }
            _ => self.stored = Stored::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records() -> Vec<Record> {
        let default = |channel: &str| EditOp::SetDefaultChannel {
            catalog: Some("c/v4.20".into()),
            package: "größe\n\u{2028}".into(),
            channel: channel.into(),
        };
        let text = EditOp::ReplaceText {
            catalog: None,
            file: "a/b.yaml".into(),
            at: "3:1-4:1".into(),
            before: "a: \"b\"\r\n".into(),
            text: "a: 'c'\n\n".into(),
            around: None,
        };
        let folder = FolderListing::new(vec![("c/a.yaml".into(), 12), ("c/b.json".into(), 0)]);
        vec![
            Record::Journal {
                version: VERSION,
                at: 1,
                folder,
                treated: vec![("c".into(), true)],
            },
            Record::Original {
                path: "c/a.yaml".into(),
                crc: 0xdead_beef,
            },
            Record::Step {
                at: 2,
                title: "Default: stable".into(),
                ops: vec![default("stable"), text.clone()],
            },
            Record::Step {
                at: 3,
                title: String::new(),
                ops: Vec::new(),
            },
            Record::Applied { at: 4, steps: 1 },
            Record::TakenOut { at: 5 },
            Record::DroppedStep {
                title: "Type".into(),
                ops: vec![text.clone()],
                reason: "the text is another".into(),
            },
            Record::Draft {
                at: 6,
                ops: vec![text.clone()],
            },
            Record::Saving {
                at: 7,
                steps: 1,
                files: vec![SavedFile {
                    path: "c/b".into(),
                    crc: 1,
                    ops: vec![text],
                }],
            },
        ]
    }

    fn text(records: &[Record]) -> Vec<u8> {
        let mut checksum = Checksum::default();
        records
            .iter()
            .flat_map(|record| checksum.line(record).unwrap().into_bytes())
            .collect()
    }

    /// Records, and `None` for each unreadable line.
    fn read_all(text: &[u8]) -> Vec<Option<Record>> {
        let record = |line| match line {
            ReadLine::Record(record) => Some(record),
            ReadLine::Unknown { .. } => None,
        };
        read(text).into_iter().map(record).collect()
    }

    fn all() -> Vec<Option<Record>> {
        records().into_iter().map(Some).collect()
    }

    #[test]
    fn round_trips() {
        assert_eq!(read_all(&text(&records())), all());
        assert_eq!(read(b""), []);
        assert_eq!(version(&text(&records())), Some(VERSION));
    }

    #[test]
    fn cut_at_any_byte_whole_records_are_left() {
        let records = records();
        let whole = text(&records);
        let ends: Vec<usize> = (0..=records.len())
            .map(|count| text(&records[..count]).len())
            .collect();
        for cut in 0..=whole.len() {
            let fits = ends.iter().filter(|&&end| end <= cut).count() - 1;
            let torn = (!ends.contains(&cut)).then_some(None);
            let expected: Vec<_> = all()[..fits].iter().cloned().chain(torn).collect();
            assert_eq!(read_all(&whole[..cut]), expected, "cut at {cut}");
        }
    }

    #[test]
    fn a_wrong_byte_anywhere_costs_its_record_and_no_other() {
        let records = records();
        let whole = text(&records);
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[at] ^= 1 << bit;
                let records = read_all(&damaged);
                // A checksum digit in the other case is the same number.
                if damaged[at].eq_ignore_ascii_case(&whole[at]) && records == all() {
                    continue;
                }
                let hit = whole[..at].iter().filter(|&&byte| byte == b'\n').count();
                let mut expected = all();
                expected[hit] = None;
                if whole[at] == b'\n' && hit + 1 < expected.len() {
                    // Two lines are joined into one, and only the start is recognized.
                    expected.remove(hit + 1);
                    expected
                        .iter_mut()
                        .skip(hit + 1)
                        .take(1)
                        .for_each(|next| *next = None);
                }
                if damaged[at] == b'\n' {
                    expected.insert(hit, None);
                }
                assert_eq!(records, expected, "bit {bit} of byte {at}");
            }
        }
    }

    #[test]
    fn lines_of_another_place_do_not_fit_and_those_behind_them_do() {
        let lines: Vec<Vec<u8>> = text(&records())
            .split_inclusive(|&b| b == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        let doubled = [&lines[..3], &lines[2..]].concat().concat();
        let expected = [&all()[..3], &[None], &all()[3..]].concat();
        assert_eq!(read_all(&doubled), expected);
        let left_out = [&lines[..2], &lines[3..]].concat().concat();
        let expected = [&all()[..2], &[None], &all()[4..]].concat();
        assert_eq!(read_all(&left_out), expected);
    }

    #[test]
    fn an_unknown_record_is_reported_and_skipped() {
        let json = r#"{"record":"of-tomorrow","x":1}"#;
        let mut checksum = Checksum::default();
        let mut whole = checksum.line(&records()[0]).unwrap();
        checksum = checksum.after(json.as_bytes());
        whole += &format!("{:08x} {json}\n", checksum.0);
        whole += &checksum.line(&records()[2]).unwrap();
        assert_eq!(
            read_all(whole.as_bytes()),
            [all()[0].clone(), None, all()[2].clone()]
        );
    }

    #[test]
    fn recognizes_a_newer_version() {
        let json = r#"{"record":"journal","version":7,"whatever":[]}"#;
        let line = format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()));
        assert_eq!(version(line.as_bytes()), Some(7));
        assert_eq!(
            read(line.as_bytes()),
            [ReadLine::Unknown { is_step: false }]
        );
    }

    /// A journal of version 2, recorded once. Never write it again: later builds must read it.
    #[test]
    fn a_recorded_journal_is_read() {
        let recorded = include_bytes!("../../../../tests/data/journal-v2");
        assert_eq!(version(recorded), Some(2));
        assert_eq!(read_all(recorded), all());
    }
}
