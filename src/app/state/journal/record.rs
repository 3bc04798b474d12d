//! The journal's file format, and the records that each change appends. One record per line:
//! `CHECKSUM JSON`.
//!
//! The checksum is the CRC-32 of the JSON of all records up to this one, in eight hexadecimal
//! digits. A torn, damaged, duplicated or misplaced line therefore does not match and counts as
//! unreadable. The next line continues from that line's own checksum, so it can still be verified.
//! Only the first record has a version; journals with a newer version are not read.

use super::{DroppedStep, FolderListing, Journal, JournalStep};
use protocol::operation::EditOp;
use protocol::views::Status;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The format version written here. Version 1 had no `draft` and `saving`, and its readers stopped
/// at the first mismatch.
pub const VERSION: u32 = 2;
/// Maximum number of checksums tried to continue after mismatches.
const MAX_CHECKSUMS: usize = 16;
/// Number of hexadecimal digits of a checksum.
const CHECKSUM_DIGITS: usize = 8;

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

    pub fn dropped_step(dropped: &DroppedStep) -> Self {
        let DroppedStep { step, reason } = dropped.clone();
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
    /// Formats the next line, with its line break, and advances the checksum. `None` if JSON cannot
    /// express the record, which never happens.
    pub fn format_line(&mut self, record: &Record) -> Option<String> {
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

#[derive(Debug, Clone, PartialEq)]
pub enum ParsedLine {
    Record(Record),
    /// Torn, damaged or of an unknown kind. `is_step`: whether it looks like a step.
    Unknown {
        is_step: bool,
    },
}

/// Parses all lines, including those after unreadable ones.
pub fn parse(text: &[u8]) -> Vec<ParsedLine> {
    let mut lines = Vec::new();
    // Possible predecessors of the next line.
    let mut checksums = vec![Checksum::default()];
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let is_step = contains(line, br#""record":"step""#);
        match checksums
            .iter()
            .find_map(|checksum| verify_line(line, *checksum))
        {
            Some((json, next)) => {
                let record = serde_json::from_slice(json).map(ParsedLine::Record);
                lines.push(record.unwrap_or(ParsedLine::Unknown { is_step }));
                checksums = vec![next];
            }
            None => {
                lines.push(ParsedLine::Unknown { is_step });
                // The line's checksum or text may be damaged, or the line may be extra: try all
                // three for the next line.
                let json = line
                    .get(CHECKSUM_DIGITS + 1..)
                    .map(|json| json.strip_suffix(b"\n").unwrap_or(json))
                    .unwrap_or_default();
                let after_text: Vec<Checksum> = checksums
                    .iter()
                    .map(|checksum| checksum.after(json))
                    .collect();
                checksums.extend(after_text);
                checksums.extend(parse_checksum(line));
                checksums.drain(..checksums.len().saturating_sub(MAX_CHECKSUMS));
            }
        }
    }
    lines
}

fn contains(line: &[u8], text: &[u8]) -> bool {
    line.windows(text.len()).any(|part| part == text)
}

/// Parses the checksum at the start of a line.
fn parse_checksum(line: &[u8]) -> Option<Checksum> {
    let digits = std::str::from_utf8(line.get(..CHECKSUM_DIGITS)?).ok()?;
    u32::from_str_radix(digits, 16).ok().map(Checksum)
}

/// Parses the version in the first record, even if the rest of the record is unknown.
pub fn parse_version(text: &[u8]) -> Option<u32> {
    #[derive(Deserialize)]
    struct Head {
        version: u32,
    }
    let line = text.split_inclusive(|&byte| byte == b'\n').next()?;
    let (json, _) = verify_line(line, Checksum::default())?;
    Some(serde_json::from_slice::<Head>(json).ok()?.version)
}

/// Returns the JSON and the checksum of a line that continues from `before`; `None` for other
/// lines.
fn verify_line(line: &[u8], before: Checksum) -> Option<(&[u8], Checksum)> {
    let json = line
        .strip_suffix(b"\n")?
        .get(CHECKSUM_DIGITS..)?
        .strip_prefix(b" ")?;
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
    /// Unsaved edits that the worker does not have, while others are saved without them. They
    /// follow the applied steps when the journal is read.
    pub left_out: Vec<JournalStep>,
    /// Typed text that is not a step yet.
    pub draft: Vec<EditOp>,
    pub saving: Option<PendingSave>,
    /// Number of changes so far.
    pub(super) changes: u64,
}

/// A save whose files may not all be written yet.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingSave {
    /// Number of applied steps when the save began.
    pub steps: usize,
    pub files: Vec<SavedFile>,
}

/// A numbered change of the work.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkChange {
    number: u64,
    content: ChangeContent,
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
    /// A change for which the journal must be rewritten.
    All,
}

impl ChangeContent {
    /// Returns the records to append to a journal that starts after `base` steps of the history;
    /// `None` if the journal must be rewritten. A draft follows each step, because typed text may
    /// have become the step.
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

/// Tracks which changes are on disk.
#[derive(Debug, Default)]
pub struct JournalWriter {
    stored: Stored,
    /// Number of the last written change.
    written: u64,
    /// The state after the current batch, and the number of the last change in it.
    next: Option<(Stored, u64)>,
}

impl WorkState {
    /// Numbers a change; call it after making the change.
    pub fn record_change(&mut self, content: ChangeContent) -> WorkChange {
        self.changes += 1;
        WorkChange {
            number: self.changes,
            content,
        }
    }

    /// Updates the saved and unsaved steps from the worker's status.
    pub fn update_status(&mut self, status: &Status) {
        self.saved = status.saved_steps;
        self.unsaved = status
            .unsaved
            .iter()
            .map(JournalStep::from_replay)
            .collect();
    }

    /// Returns the unsaved work, which a later visit can continue.
    pub fn unsaved_journal(&self) -> Journal {
        let since = self.saved.and_then(|saved| self.journal.since(saved));
        let mut journal = since.unwrap_or_else(|| {
            let mut journal = Journal {
                dropped: self.journal.dropped.clone(),
                ..Journal::default()
            };
            journal.replace(self.unsaved.iter().cloned());
            journal
        });
        for step in &self.left_out {
            journal.push(step.clone());
        }
        journal
    }

    /// Returns the number of history steps before the first line; `None` if the lines are not from
    /// the history.
    fn base(&self) -> Option<usize> {
        self.saved
            .filter(|&saved| saved <= self.journal.applied_steps().len())
    }

    fn has_work(&self) -> bool {
        let is_edited = match self.base() {
            Some(saved) => saved < self.journal.applied_steps().len(),
            None => !self.unsaved.is_empty(),
        };
        is_edited
            || !self.left_out.is_empty()
            || !self.journal.dropped.is_empty()
            || !self.draft.is_empty()
    }

    fn records(&self, at: u64) -> Vec<Record> {
        let unsaved = self.unsaved_journal();
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
        let dropped = unsaved.dropped.iter().map(Record::dropped_step);
        let steps = unsaved.steps().iter().map(|step| Record::step(at, step));
        let applied = unsaved.applied_steps().len();
        let undone =
            (applied < unsaved.steps().len()).then_some(Record::Applied { at, steps: applied });
        let draft = (!self.draft.is_empty()).then(|| Record::Draft {
            at,
            ops: self.draft.clone(),
        });
        // Without a base, all unsaved steps precede the save, except those that are left out.
        let base = self.base();
        let to_save = applied - self.left_out.len();
        let saving = self.saving.as_ref().map(|save| Record::Saving {
            at,
            steps: base.map_or(to_save, |base| save.steps.saturating_sub(base)),
            files: save.files.clone(),
        });
        let records = std::iter::once(head)
            .chain(originals)
            .chain(dropped)
            .chain(steps);
        records.chain(undone).chain(draft).chain(saving).collect()
    }
}

impl JournalWriter {
    /// Returns the batch for a change at this time (milliseconds since 1970); `None` if nothing has
    /// to be written. Call [`JournalWriter::finish_write`] afterwards.
    pub fn batch(&mut self, change: &WorkChange, work: &WorkState, at: u64) -> Option<WriteBatch> {
        if change.number <= self.written {
            return None;
        }
        if work.folder.is_empty() || !work.has_work() {
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
        if let Some(appended) = self.lines_to_append(change, work, at) {
            if appended.lines.is_empty() {
                self.written = change.number;
                return None;
            }
            self.next = Some((appended.stored, change.number));
            return Some(WriteBatch {
                clear: false,
                first: appended.first,
                lines: appended.lines,
            });
        }
        let rewritten = format_lines(&work.records(at), 0, Checksum::default(), work);
        self.next = Some((rewritten.stored, work.changes));
        Some(WriteBatch {
            clear: true,
            first: 0,
            lines: rewritten.lines,
        })
    }

    /// Formats the lines that record a change; `None` if the journal must be rewritten.
    fn lines_to_append(
        &self,
        change: &WorkChange,
        work: &WorkState,
        at: u64,
    ) -> Option<FormattedLines> {
        let Stored::Lines {
            count,
            checksum,
            saved,
            has_draft,
        } = self.stored
        else {
            return None;
        };
        // Edits that are left out follow all others.
        let base = saved.filter(|_| saved == work.base() && work.left_out.is_empty())?;
        let mut records = change.content.records(base, at, &work.draft)?;
        if !has_draft && work.draft.is_empty() {
            records.retain(|record| !matches!(record, Record::Draft { .. }));
        }
        Some(format_lines(&records, count, checksum, work))
    }

    pub fn finish_write(&mut self, is_written: bool) {
        match self.next.take() {
            Some((stored, written)) if is_written => {
                (self.stored, self.written) = (stored, written)
            }
            _ => self.stored = Stored::Unknown,
        }
    }
}

/// Lines to write, and the journal's state once they are written.
struct FormattedLines {
    first: u32,
    lines: Vec<String>,
    stored: Stored,
}

/// Formats records as lines from number `first` on. `checksum` is that of the line before.
fn format_lines(
    records: &[Record],
    first: u32,
    mut checksum: Checksum,
    work: &WorkState,
) -> FormattedLines {
    let lines: Vec<String> = records
        .iter()
        .filter_map(|record| checksum.format_line(record))
        .collect();
    let stored = Stored::Lines {
        count: first + lines.len() as u32,
        checksum,
        saved: work.base(),
        has_draft: !work.draft.is_empty(),
    };
    FormattedLines {
        first,
        lines,
        stored,
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
            .flat_map(|record| checksum.format_line(record).unwrap().into_bytes())
            .collect()
    }

    /// Returns the records, with `None` for each unreadable line.
    fn read_all(text: &[u8]) -> Vec<Option<Record>> {
        let record = |line| match line {
            ParsedLine::Record(record) => Some(record),
            ParsedLine::Unknown { .. } => None,
        };
        parse(text).into_iter().map(record).collect()
    }

    fn all() -> Vec<Option<Record>> {
        records().into_iter().map(Some).collect()
    }

    #[test]
    fn round_trips() {
        assert_eq!(read_all(&text(&records())), all());
        assert_eq!(parse(b""), []);
        assert_eq!(parse_version(&text(&records())), Some(VERSION));
    }

    #[test]
    fn a_cut_at_any_byte_keeps_complete_records() {
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
    fn a_wrong_byte_damages_only_its_record() {
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
    fn misplaced_lines_are_rejected_and_later_ones_accepted() {
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
        let mut whole = checksum.format_line(&records()[0]).unwrap();
        checksum = checksum.after(json.as_bytes());
        whole += &format!("{:08x} {json}\n", checksum.0);
        whole += &checksum.format_line(&records()[2]).unwrap();
        assert_eq!(
            read_all(whole.as_bytes()),
            [all()[0].clone(), None, all()[2].clone()]
        );
    }

    #[test]
    fn recognizes_a_newer_version() {
        let json = r#"{"record":"journal","version":7,"whatever":[]}"#;
        let line = format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()));
        assert_eq!(parse_version(line.as_bytes()), Some(7));
        assert_eq!(
            parse(line.as_bytes()),
            [ParsedLine::Unknown { is_step: false }]
        );
    }

    /// A journal of version 2, recorded once. Never write it again: later builds must read it.
    #[test]
    fn a_recorded_journal_is_read() {
        let recorded = include_bytes!("../../../../tests/data/journal-v2");
        assert_eq!(parse_version(recorded), Some(2));
        assert_eq!(read_all(recorded), all());
    }
}
