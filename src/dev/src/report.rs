//! The outcome of a run: numbers of passed and failed checks and tests, and remarks on single
//! tests. A check without tests counts as one test.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// At most this many test names follow a reason; the others are counted.
const MAX_NAMES: usize = 4;

/// What is remarkable about the outcome of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Note {
    /// Skipped by the runner, or by itself because there was nothing to test.
    Skipped,
    /// Passed, but skipped some of its cases.
    PartlySkipped,
    /// Not started because the run ended before.
    NotRun,
    /// Failed; the reason is the beginning of its output.
    Failed,
}

/// The numbers of passed and failed tests, and remarks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    pub passed: u64,
    pub failed: u64,
    /// Number of passed tests that ran only in an earlier run.
    #[serde(skip)]
    passed_earlier: u64,
    remarks: Vec<Remark>,
    /// Names of the tests that ran.
    ran: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Remark {
    note: Note,
    test: String,
    reason: String,
}

impl Report {
    /// Creates the report of one check that passed or failed as a whole.
    pub fn one(passed: bool) -> Self {
        Self {
            passed: u64::from(passed),
            failed: u64::from(!passed),
            ..Self::default()
        }
    }

    pub fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.passed_earlier += other.passed_earlier;
        self.remarks.extend(other.remarks);
        self.ran.extend(other.ran);
    }

    pub fn note(&mut self, note: Note, test: &str, reason: &str) {
        self.remarks.push(Remark {
            note,
            test: test.to_owned(),
            reason: reason.to_owned(),
        });
    }

    /// Records that a test ran, so that a skip of the same test in another check does not count.
    pub fn mark_as_run(&mut self, test: &str) {
        self.ran.insert(test.to_owned());
    }

    /// Takes back [`Self::mark_as_run`], for a test that reported that it did nothing.
    pub fn unmark_as_run(&mut self, test: &str) {
        self.ran.remove(test);
    }

    pub fn count(&self, note: Note) -> u64 {
        let remarks = self.remarks.iter();
        remarks.filter(|remark| remark.note == note).count() as u64
    }

    pub fn has_note(&self, note: Note, test: &str) -> bool {
        let mut remarks = self.remarks.iter();
        remarks.any(|remark| remark.note == note && remark.test == test)
    }

    /// Whether each test was started once, in this run, and none failed. Tests may have skipped
    /// themselves.
    pub fn is_complete(&self) -> bool {
        let mut remarks = self.remarks.iter();
        self.passed > 0
            && self.failed == 0
            && self.passed_earlier == 0
            && remarks.all(|remark| matches!(remark.note, Note::Skipped | Note::PartlySkipped))
    }

    /// Marks the tests as passed in an earlier run.
    pub fn into_earlier(self) -> Self {
        Self {
            passed_earlier: self.passed,
            ..self
        }
    }

    /// Returns the number of tests that passed or failed.
    pub fn all(&self) -> u64 {
        self.passed + self.failed
    }

    /// Counts the skipped tests, each once.
    pub fn count_skipped(&self) -> usize {
        let tests: BTreeSet<&str> = self
            .remarks_with(Note::Skipped)
            .map(|(test, _)| test)
            .collect();
        tests.len()
    }

    /// Formats the remarks as lines for the end of a run; empty if everything ran.
    pub fn summary(&self) -> String {
        let mut lines = String::new();
        for (note, heading) in [
            (Note::Skipped, "skipped"),
            (Note::PartlySkipped, "passed in part"),
            (Note::NotRun, "did not run"),
        ] {
            let mut tests_by_reason: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
            for (test, reason) in self.remarks_with(note) {
                tests_by_reason.entry(reason).or_default().insert(test);
            }
            let all: BTreeSet<&str> = tests_by_reason.values().flatten().copied().collect();
            if !all.is_empty() {
                lines.push_str(&format!("\n{} {heading}:\n", all.len()));
            }
            for (reason, tests) in tests_by_reason {
                lines.push_str(&format!("  {reason}: {}\n", format_names(&tests)));
            }
        }
        if self.passed_earlier > 0 {
            lines.push_str(&format!(
                "\n{} of these passed before, on the same inputs\n",
                self.passed_earlier
            ));
        }
        lines.push_str(&self.failures());
        lines
    }

    /// Formats the failures, which are printed last because logs are read from their end.
    fn failures(&self) -> String {
        let mut lines = String::new();
        for (test, reason) in self.remarks_with(Note::Failed) {
            lines.push_str(&format!("\nFAILED: {test}\n"));
            for line in reason.lines() {
                lines.push_str(&format!("  {line}\n"));
            }
        }
        lines
    }

    /// Returns test and reason of each remark of this class, without skipped tests that ran in
    /// another check.
    fn remarks_with(&self, note: Note) -> impl Iterator<Item = (&str, &str)> {
        self.remarks
            .iter()
            .filter(move |remark| {
                remark.note == note && (note != Note::Skipped || !self.ran.contains(&remark.test))
            })
            .map(|remark| (&*remark.test, &*remark.reason))
    }
}

/// Lists the first names, and the number of the others.
fn format_names(tests: &BTreeSet<&str>) -> String {
    let names: Vec<&str> = tests.iter().take(MAX_NAMES).copied().collect();
    match tests.len() - names.len() {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// Formats a count, such as `1 test` or `2 tests`.
pub fn count_of(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_come_last() {
        let mut report = Report::one(false);
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
        report.note(Note::PartlySkipped, "table", "a slice");
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
        later.mark_as_run("parity::mutants");
        report.add(later);
        assert_eq!((report.count_skipped(), report.summary().as_str()), (0, ""));
    }
}
