//! The journal as it is written: one line a record, `SEAL JSON`.
//!
//! The seal is the CRC-32 of the JSON of all records up to and with this one, in eight hexadecimal digits. So a line that
//! is torn, damaged, doubled or out of order does not fit, and reading ends before it: what is read is always what stood
//! there after some whole record, never half an edit. JSON text holds no line break, so lines are records.
//!
//! Only the first record names a version. A reader that finds a version above its own leaves the journal alone.

use super::{Folder, SetAside, Step};
use crate::fbc::edit::op::EditOp;
use serde::{Deserialize, Serialize};

/// The version of the format that is written here.
pub const VERSION: u32 = 1;

/// One line. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
pub enum Record {
    /// The first record: what was open.
    Journal {
        version: u32,
        at: u64,
        folder: Folder,
        /// Folders that are treated as one catalog, or split: operations name catalogs.
        treated: Vec<(String, bool)>,
    },
    /// A step was applied; what was undone before it can no longer be redone.
    Step { at: u64, title: String, ops: Vec<EditOp> },
    /// Undo, redo and *Go to*: so many steps are applied.
    Applied { at: u64, steps: usize },
    /// What an edited file was before the first edit.
    Original { path: String, crc: u32 },
    /// A step that could not be applied again.
    SetAside { title: String, ops: Vec<EditOp>, reason: String },
    /// All steps applied so far were downloaded or copied.
    TakenOut { at: u64 },
}

impl Record {
    pub fn step(at: u64, step: &Step) -> Self {
        Record::Step { at, title: step.title.clone(), ops: step.ops.clone() }
    }

    pub fn set_aside(aside: &SetAside) -> Self {
        let SetAside { step, reason } = aside.clone();
        Record::SetAside { title: step.title, ops: step.ops, reason }
    }
}

/// The seal of the last line that was written; the default is that of an empty journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seal(u32);

impl Seal {
    /// The next line, with its line break. `None` for what JSON cannot say, which no operation holds.
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

/// What can be read of a journal's text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Log {
    pub records: Vec<Record>,
    /// Something stood behind the last record that could be read.
    pub torn: bool,
}

/// Reads as far as the lines hold.
pub fn read(text: &[u8]) -> Log {
    let mut log = Log::default();
    let mut seal = Seal::default();
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        match sealed(line, seal) {
            Some((record, next)) => {
                log.records.push(record);
                seal = next;
            }
            None => {
                log.torn = true;
                break;
            }
        }
    }
    log
}

/// The version that the first record names, whatever else it holds.
pub fn version(text: &[u8]) -> Option<u32> {
    #[derive(Deserialize)]
    struct Head {
        version: u32,
    }
    let line = text.split_inclusive(|&byte| byte == b'\n').next()?;
    let (json, _) = checked(line, Seal::default())?;
    Some(serde_json::from_slice::<Head>(json).ok()?.version)
}

fn sealed(line: &[u8], before: Seal) -> Option<(Record, Seal)> {
    let (json, seal) = checked(line, before)?;
    Some((serde_json::from_slice(json).ok()?, seal))
}

fn checked(line: &[u8], before: Seal) -> Option<(&[u8], Seal)> {
    let (seal, json) = line.strip_suffix(b"\n")?.split_at_checked(8)?;
    let json = json.strip_prefix(b" ")?;
    let written = u32::from_str_radix(std::str::from_utf8(seal).ok()?, 16).ok()?;
    let seal = before.after(json);
    (seal.0 == written).then_some((json, seal))
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
        };
        let folder = Folder::new(vec![("c/a.yaml".into(), 12), ("c/b.json".into(), 0)]);
        vec![
            Record::Journal { version: VERSION, at: 1, folder, treated: vec![("c".into(), true)] },
            Record::Original { path: "c/a.yaml".into(), crc: 0xdead_beef },
            Record::Step { at: 2, title: "Default: stable".into(), ops: vec![default("stable"), text.clone()] },
            Record::Step { at: 3, title: String::new(), ops: Vec::new() },
            Record::Applied { at: 4, steps: 1 },
            Record::TakenOut { at: 5 },
            Record::SetAside { title: "Type".into(), ops: vec![text], reason: "the text is another".into() },
        ]
    }

    fn text(records: &[Record]) -> Vec<u8> {
        let mut seal = Seal::default();
        records.iter().flat_map(|record| seal.line(record).unwrap().into_bytes()).collect()
    }

    #[test]
    fn what_was_written_is_read() {
        assert_eq!(read(&text(&records())), Log { records: records(), torn: false });
        assert_eq!(read(b""), Log::default());
        assert_eq!(version(&text(&records())), Some(VERSION));
    }

    #[test]
    fn cut_at_any_byte_whole_records_are_left() {
        let records = records();
        let whole = text(&records);
        let mut ends: Vec<usize> = (0..=records.len()).map(|count| text(&records[..count]).len()).collect();
        ends.dedup();
        for cut in 0..=whole.len() {
            let log = read(&whole[..cut]);
            let fits = ends.iter().filter(|&&end| end <= cut).count() - 1;
            assert_eq!(log.records, records[..fits], "cut at {cut}");
            assert_eq!(log.torn, !ends.contains(&cut), "cut at {cut}");
        }
    }

    #[test]
    fn a_wrong_byte_anywhere_ends_the_reading_before_it() {
        let records = records();
        let whole = text(&records);
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[at] ^= 1 << bit;
                let log = read(&damaged);
                // A seal's digit in the other case is the same number.
                if !(log.records == records && damaged[at].eq_ignore_ascii_case(&whole[at])) {
                    let before = whole[..at].iter().filter(|&&byte| byte == b'\n').count();
                    assert_eq!(log.records, records[..before], "bit {bit} of byte {at}");
                    assert!(log.torn);
                }
            }
        }
    }

    #[test]
    fn lines_of_another_place_do_not_fit() {
        let lines: Vec<Vec<u8>> = text(&records()).split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
        let doubled = [&lines[..3], &lines[2..3]].concat().concat();
        assert_eq!(read(&doubled), Log { records: records()[..3].to_vec(), torn: true });
        let left_out = [&lines[..2], &lines[3..]].concat().concat();
        assert_eq!(read(&left_out), Log { records: records()[..2].to_vec(), torn: true });
    }

    #[test]
    fn a_version_to_come_is_known_as_such() {
        let json = r#"{"record":"journal","version":7,"whatever":[]}"#;
        let line = format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()));
        assert_eq!(version(line.as_bytes()), Some(7));
        assert!(read(line.as_bytes()).records.is_empty());
    }
}
