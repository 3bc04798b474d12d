//! The state of a save: progress, conflicting files with the user's choices, and outcome. Does not
//! know how files are read and written.

use crate::state::journal::DroppedStep;
use protocol::disk_check::{BothSides, DiskCheck, DiskState};

/// Why a file with such a name is not saved in place, and the alternative.
pub const REFUSED_NAME: &str =
    "the browser cannot write a file with this name; download the changed files as a zip instead";

/// Whether a browser refuses to write a file or folder of this name, although the system accepts it (Chromium refuses
/// what any system would).
pub fn is_refused_name(name: &str) -> bool {
    const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "clock$", "conin$"];
    let stem = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    let is_port = |kind: &str| {
        stem.strip_prefix(kind).is_some_and(
            |number| matches!(number.as_bytes(), [digit] if (b'1'..=b'9').contains(digit)),
        )
    };
    name.chars()
        .any(|c| "\"*:<>?\\|".contains(c) || c.is_control())
        || name.ends_with(['.', ' '])
        || name.starts_with(' ')
        || DEVICES.contains(&stem.as_str())
        || is_port("com")
        || is_port("lpt")
}

/// Returns the paths with such a component below the opened folder.
pub fn refused_names(paths: &[String]) -> Vec<String> {
    paths
        .iter()
        .filter(|path| path.split('/').skip(1).any(is_refused_name))
        .cloned()
        .collect()
}

/// The stage of a save.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum SaveState {
    /// Nothing is being saved.
    #[default]
    Idle,
    /// The browser asks the user for permission to write.
    Asking,
    /// The files on disk are compared with what was read.
    Comparing,
    /// Somebody else changed some of the files: the user decides what to do.
    Deciding(Vec<Conflict>),
    Writing {
        done: u32,
        total: u32,
    },
    Ended(SaveReport),
}

/// A file that changed on disk.
#[derive(Debug, Clone, PartialEq)]
pub struct Conflict {
    pub path: String,
    /// Both versions; `None` if the file no longer exists.
    pub sides: Option<Box<BothSides>>,
    pub way: Option<ConflictChoice>,
}

/// What to do with a file that changed on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConflictChoice {
    /// Overwrites the file on disk.
    Mine,
    /// Drops the edits in it.
    Theirs,
    /// Applies the edits to the file on disk.
    Merge,
    /// Leaves the file unsaved this time.
    Leave,
}

/// How a save ended.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SaveReport {
    /// Why nothing was attempted; "" otherwise.
    pub stopped: String,
    pub written: Vec<String>,
    /// Files that were already as intended, or were updated to the disk's content.
    pub up_to_date: Vec<String>,
    /// Files that were not written, with the reason.
    pub failed: Vec<(String, String)>,
    /// Edits that did not apply to the file on disk, with the reason.
    pub set_aside: Vec<DroppedStep>,
}

impl SaveState {
    /// Whether a save is in progress, so that another save must wait.
    pub fn is_busy(&self) -> bool {
        !matches!(self, SaveState::Idle | SaveState::Ended(_))
    }
}

impl Conflict {
    /// Returns the available choices, in order.
    pub fn ways(&self) -> &'static [ConflictChoice] {
        match self.sides {
            Some(_) => &[
                ConflictChoice::Merge,
                ConflictChoice::Mine,
                ConflictChoice::Theirs,
            ],
            None => &[ConflictChoice::Mine, ConflictChoice::Leave],
        }
    }
}

impl SaveReport {
    /// Creates a report that nothing was attempted.
    pub fn stopped(why: impl Into<String>) -> Self {
        Self {
            stopped: why.into(),
            ..Self::default()
        }
    }

    /// Whether the user has nothing to read.
    pub fn is_plain(&self) -> bool {
        self.stopped.is_empty() && self.failed.is_empty() && self.set_aside.is_empty()
    }
}

/// A comparison with the disk: files to write, unchanged files, conflicts, and files that cannot be
/// compared.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DiskComparison {
    pub free: Vec<String>,
    pub up_to_date: Vec<String>,
    pub conflicts: Vec<Conflict>,
    pub failed: Vec<(String, String)>,
}

/// Sorts the worker's comparisons. If all edits apply to the file on disk, merging is the default
/// choice; otherwise there is none.
pub fn compare_checks(checks: Vec<DiskCheck>) -> DiskComparison {
    let mut all = DiskComparison::default();
    for DiskCheck { path, state } in checks {
        match state {
            DiskState::AsRead => all.free.push(path),
            DiskState::AsHere => all.up_to_date.push(path),
            DiskState::Gone => all.conflicts.push(Conflict {
                path,
                sides: None,
                way: None,
            }),
            DiskState::Changed(sides) => {
                let way = sides.refused.is_empty().then_some(ConflictChoice::Merge);
                all.conflicts.push(Conflict {
                    path,
                    sides: Some(sides),
                    way,
                });
            }
            DiskState::Unreadable { reason } => all.failed.push((path, reason)),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Json;
    use protocol::request::ReplayStep;

    fn changed(refused: usize) -> DiskState {
        let step = ReplayStep {
            title: "Set range".into(),
            ops: Json(Vec::new()),
        };
        DiskState::Changed(Box::new(BothSides {
            theirs: Default::default(),
            mine: Default::default(),
            fitting: 1,
            refused: vec![(step, "no such entry".into()); refused],
        }))
    }

    #[test]
    fn a_merge_is_proposed_only_where_everything_fits() {
        let check = |path: &str, state| DiskCheck {
            path: path.into(),
            state,
        };
        let all = compare_checks(vec![
            check("a", DiskState::AsRead),
            check("b", DiskState::AsHere),
            check("c", changed(0)),
            check("d", changed(1)),
            check("e", DiskState::Gone),
            check(
                "f",
                DiskState::Unreadable {
                    reason: "why".into(),
                },
            ),
        ]);
        assert_eq!(
            (all.free, all.up_to_date),
            (vec!["a".to_owned()], vec!["b".to_owned()])
        );
        assert_eq!(all.failed, [("f".to_owned(), "why".to_owned())]);
        let ways: Vec<_> = all
            .conflicts
            .iter()
            .map(|conflict| (conflict.way, conflict.ways().len()))
            .collect();
        assert_eq!(
            ways,
            [(Some(ConflictChoice::Merge), 3), (None, 3), (None, 2)]
        );
    }

    #[test]
    fn names_that_a_browser_refuses_are_known_before() {
        for name in [
            "a\"b.yaml",
            "a:b.yaml",
            "what?.json",
            "a*.yaml",
            "a|b",
            "a\\b",
            "<a>",
            "end.",
            "end ",
            "nul.yaml",
            "COM1",
        ] {
            assert!(is_refused_name(name), "{name}");
        }
        for name in [
            ".indexignore",
            "catalog.yaml",
            "a b.yaml",
            "com10.yaml",
            "console.yaml",
            "é.yaml",
            "a'b",
        ] {
            assert!(!is_refused_name(name), "{name}");
        }
        // The user granted access to the folder itself, whatever its name.
        let paths = ["a:b/c.yaml", "top/a:b/c.yaml"].map(str::to_owned);
        assert_eq!(refused_names(&paths), paths[1..]);
    }

    #[test]
    fn a_report_with_failures_is_not_plain() {
        let mut report = SaveReport {
            written: vec!["a".into()],
            ..SaveReport::default()
        };
        assert!(report.is_plain());
        report.failed.push(("b".into(), "it is locked".into()));
        assert!(!report.is_plain());
        assert!(!SaveReport::stopped("not allowed").is_plain());
    }
}
