//! The state of a save: progress, conflicts with the user's choices, and outcome. Does not know how
//! files are read and written.

use crate::state::journal::DroppedStep;
use protocol::disk_check::{BothSides, DiskCheck, DiskState};

#[derive(Debug, Clone, PartialEq, Default)]
pub enum SaveState {
    /// Nothing is being saved.
    #[default]
    Idle,
    /// The browser asks the user for permission to write.
    Asking,
    /// The files on disk are compared with what was read.
    Comparing,
    /// Some files have changed on disk: the user decides what to do.
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
    pub choice: Option<ConflictChoice>,
}

/// What to do with a file that changed on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConflictChoice {
    /// Overwrites the file on disk.
    Mine,
    /// Drops the edits in the file.
    Theirs,
    /// Applies the edits to the file on disk.
    Merge,
    /// Leaves the file unsaved this time.
    Leave,
}

/// A file that could not be read or written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileFailure {
    pub path: String,
    pub reason: String,
}

/// How a save ended.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SaveReport {
    /// Why no file was written; "" otherwise.
    pub stop_reason: String,
    pub written: Vec<String>,
    /// Files that were already as intended, or were updated to the disk's content.
    pub up_to_date: Vec<String>,
    pub failed: Vec<FileFailure>,
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
    pub fn choices(&self) -> &'static [ConflictChoice] {
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
    /// Creates the report of a save that ended before any file was written.
    pub fn from_stop(reason: impl Into<String>) -> Self {
        Self {
            stop_reason: reason.into(),
            ..Self::default()
        }
    }

    /// Whether there is no failure to report.
    pub fn is_success(&self) -> bool {
        self.stop_reason.is_empty() && self.failed.is_empty() && self.set_aside.is_empty()
    }
}

/// The edited files by what a save can do with them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DiskComparison {
    /// Files unchanged on disk, which can be written.
    pub writable: Vec<String>,
    /// Files that already have the intended content.
    pub up_to_date: Vec<String>,
    pub conflicts: Vec<Conflict>,
    pub failed: Vec<FileFailure>,
}

/// Groups the worker's checks. If all edits apply to the file on disk, merging is the default
/// choice; otherwise there is none.
pub fn group_checks(checks: Vec<DiskCheck>) -> DiskComparison {
    let mut comparison = DiskComparison::default();
    for DiskCheck { path, state } in checks {
        match state {
            DiskState::AsRead => comparison.writable.push(path),
            DiskState::AsHere => comparison.up_to_date.push(path),
            DiskState::Gone => comparison.conflicts.push(Conflict {
                path,
                sides: None,
                choice: None,
            }),
            DiskState::Changed(sides) => {
                let choice = sides.refused.is_empty().then_some(ConflictChoice::Merge);
                comparison.conflicts.push(Conflict {
                    path,
                    sides: Some(sides),
                    choice,
                });
            }
            DiskState::Unreadable { reason } => {
                comparison.failed.push(FileFailure { path, reason });
            }
        }
    }
    comparison
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Json;
    use protocol::request::ReplayStep;

    fn failure(path: &str, reason: &str) -> FileFailure {
        FileFailure {
            path: path.into(),
            reason: reason.into(),
        }
    }

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
    fn a_merge_is_proposed_only_without_conflicts() {
        let check = |path: &str, state| DiskCheck {
            path: path.into(),
            state,
        };
        let all = group_checks(vec![
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
            (all.writable, all.up_to_date),
            (vec!["a".to_owned()], vec!["b".to_owned()])
        );
        assert_eq!(all.failed, [failure("f", "why")]);
        let choices: Vec<_> = all
            .conflicts
            .iter()
            .map(|conflict| (conflict.choice, conflict.choices().len()))
            .collect();
        assert_eq!(
            choices,
            [(Some(ConflictChoice::Merge), 3), (None, 3), (None, 2)]
        );
    }

    #[test]
    fn a_report_with_failures_is_not_plain() {
        let mut report = SaveReport {
            written: vec!["a".into()],
            ..SaveReport::default()
        };
        assert!(report.is_success());
        report.failed.push(failure("b", "it is locked"));
        assert!(!report.is_success());
        assert!(!SaveReport::from_stop("not allowed").is_success());
    }
}
