//! The outcome of a run: each check counts as one, each test of a runner counts as one, and skipped tests are reported
//! with their reason.
//!
//! Must not know any runner: `check` runs them, `libtest` and `playwright` read their output.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// At most this many names follow a reason; the others are counted.
const NAMES: usize = 4;

/// A remark on a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Note {
    /// Skipped by the runner, or by itself because there was nothing to test.
    Skipped,
    /// Passed with a part of its cases.
    InPart,
    /// Passed at the second attempt.
    Again,
    /// Not started because the run ended before.
    NotRun,
    /// Failed; the reason is the beginning of its output.
    Failed,
}

/// The numbers of passed and failed tests, and remarks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    /// Number of those that passed in an earlier run and did not run now.
    #[serde(skip)]
    before: u64,
    /// Remark, test, reason.
    notes: Vec<(Note, String, String)>,
    ran: BTreeSet<String>,
}

impl Report {
    /// One check that passed or failed as a whole.
    pub(crate) fn one(passed: bool) -> Self {
        Self {
            passed: u64::from(passed),
            failed: u64::from(!passed),
            ..Self::default()
        }
    }

    /// The same with one more failure.
    pub(crate) fn with_failed(self) -> Self {
        Self {
            failed: self.failed + 1,
            ..self
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.before += other.before;
        self.notes.extend(other.notes);
        self.ran.extend(other.ran);
    }

    pub(crate) fn note(&mut self, note: Note, test: &str, why: &str) {
        self.notes.push((note, test.to_owned(), why.to_owned()));
    }

    /// Records that a test ran, so that a skip of the same test in another check does not count.
    pub(crate) fn ran(&mut self, test: &str) {
        self.ran.insert(test.to_owned());
    }

    /// Takes back [`Self::ran`]: the test reported that it did nothing.
    pub(crate) fn did_not_run(&mut self, test: &str) {
        self.ran.remove(test);
    }

    /// How many tests have this remark.
    pub(crate) fn count(&self, wanted: Note) -> u64 {
        self.notes
            .iter()
            .filter(|(note, ..)| *note == wanted)
            .count() as u64
    }

    /// Whether the test does not have this remark yet.
    pub(crate) fn is_new(&self, note: Note, test: &str) -> bool {
        !self.notes.iter().any(|(n, t, _)| *n == note && t == test)
    }

    /// Whether everything ran once, now, and nothing failed.
    pub(crate) fn is_whole(&self) -> bool {
        let is_whole =
            |(note, ..): &(Note, String, String)| matches!(note, Note::Skipped | Note::InPart);
        self.passed > 0 && self.failed == 0 && self.before == 0 && self.notes.iter().all(is_whole)
    }

    /// Reads the report of a check that passed before.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut report: Self = serde_json::from_str(text).ok()?;
        report.before = report.passed;
        (report.passed > 0).then_some(report)
    }

    /// How many tests a runner reported.
    pub(crate) fn all(&self) -> u64 {
        self.passed + self.failed
    }

    /// How many tests were skipped.
    pub(crate) fn count_skipped(&self) -> usize {
        let tests: BTreeSet<&str> = self
            .notes_with(Note::Skipped)
            .map(|(test, _)| test)
            .collect();
        tests.len()
    }

    /// The remarks as lines for the end of a run; empty if everything ran.
    pub(crate) fn summary(&self) -> String {
        let mut lines = String::new();
        for (note, heading) in [
            (Note::Skipped, "skipped"),
            (Note::InPart, "passed in part"),
            (Note::Again, "passed at the second attempt"),
            (Note::NotRun, "did not run"),
        ] {
            let mut reasons: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
            for (test, why) in self.notes_with(note) {
                reasons.entry(why).or_default().insert(test);
            }
            let all: BTreeSet<&str> = reasons.values().flatten().copied().collect();
            if !all.is_empty() {
                lines.push_str(&format!("\n{} {heading}:\n", all.len()));
            }
            for (why, tests) in reasons {
                let names: Vec<&str> = tests.iter().take(NAMES).copied().collect();
                let more = tests.len() - names.len();
                let more = if more == 0 {
                    String::new()
                } else {
                    format!(" and {more} more")
                };
                lines.push_str(&format!("  {why}: {}{more}\n", names.join(", ")));
            }
        }
        if self.before > 0 {
            lines.push_str(&format!(
                "\n{} of these passed before, on the same inputs\n",
                self.before
            ));
        }
        lines.push_str(&self.failures());
        lines
    }

    /// The failures, last because logs are read from their end.
    fn failures(&self) -> String {
        let mut lines = String::new();
        for (test, why) in self.notes_with(Note::Failed) {
            lines.push_str(&format!("\nFAILED: {test}\n"));
            why.lines()
                .for_each(|line| lines.push_str(&format!("  {line}\n")));
        }
        lines
    }

    /// Tests with this remark and the reason, without skipped tests that ran in another check.
    fn notes_with(&self, wanted: Note) -> impl Iterator<Item = (&str, &str)> {
        let noted = self.notes.iter().filter(move |(note, ..)| *note == wanted);
        noted
            .map(|(_, test, why)| (&**test, &**why))
            .filter(move |(test, _)| wanted != Note::Skipped || !self.ran.contains(*test))
    }
}

/// `1 test`, `2 tests`.
pub(crate) fn count_of(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_come_last() {
        let mut report = Report::default().with_failed();
        report.note(Note::Failed, "a::breaks", "left: 1\nright: 2");
        report.note(Note::Skipped, "row", "no engine");
        assert!(
            report
                .summary()
                .ends_with("no engine: row\n\nFAILED: a::breaks\n  left: 1\n  right: 2\n")
        );
    }

    #[test]
    fn skipped_tests_are_grouped_by_reason() {
        let mut report = Report::one(true);
        for row in 1..=7 {
            report.note(Note::Skipped, &format!("row {row}"), "no engine");
        }
        report.note(Note::Skipped, "row 1", "no engine");
        report.note(Note::InPart, "table", "a slice");
        assert_eq!(report.count_skipped(), 7);
        let summary = report.summary();
        assert_eq!(
            summary,
            "\n7 skipped:\n  no engine: row 1, row 2, row 3, row 4 and 3 more\n\n1 passed in part:\n  a slice: table\n"
        );
        assert_eq!(Report::one(false).summary(), "");
    }

    #[test]
    fn a_test_run_by_a_later_check_is_not_missing() {
        let mut report = Report::default();
        report.note(Note::Skipped, "parity::mutants", "needs the program");
        let mut later = Report::one(true);
        later.ran("parity::mutants");
        report.add(later);
        assert_eq!((report.count_skipped(), report.summary().as_str()), (0, ""));
    }
}
