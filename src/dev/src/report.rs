//! The outcome of a run: each check counts as one, each test of a runner counts as one, and skipped tests are reported
//! with their reason. Also reads the output of Rust's test runner, which has no other stable output than its text.
//!
//! A test that does nothing, because something it needs is missing, prints a line `skipped: WHY`, and one that does only a
//! part prints `skipped in part: WHY`; libtest counts both as passed and hides their output unless `ARGS` ask for it.

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
    /// Number of passed tests that ran only in an earlier run.
    #[serde(skip)]
    before: u64,
    /// Remark, test, reason.
    notes: Vec<(Note, String, String)>,
    ran: BTreeSet<String>,
}

impl Report {
    /// Creates the report of one check that passed or failed as a whole.
    pub(crate) fn one(passed: bool) -> Self {
        Self {
            passed: u64::from(passed),
            failed: u64::from(!passed),
            ..Self::default()
        }
    }

    /// Adds one failure.
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

    /// Counts the tests with this remark.
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

    /// Marks the tests as passed in an earlier run.
    pub(crate) fn into_earlier(self) -> Self {
        Self {
            before: self.passed,
            ..self
        }
    }

    /// Returns the number of tests that passed or failed.
    pub(crate) fn all(&self) -> u64 {
        self.passed + self.failed
    }

    /// Counts the skipped tests.
    pub(crate) fn count_skipped(&self) -> usize {
        let tests: BTreeSet<&str> = self
            .notes_with(Note::Skipped)
            .map(|(test, _)| test)
            .collect();
        tests.len()
    }

    /// Formats the remarks as lines for the end of a run; empty if everything ran.
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

    /// Formats the failures, which are printed last because logs are read from their end.
    fn failures(&self) -> String {
        let mut lines = String::new();
        for (test, why) in self.notes_with(Note::Failed) {
            lines.push_str(&format!("\nFAILED: {test}\n"));
            why.lines()
                .for_each(|line| lines.push_str(&format!("  {line}\n")));
        }
        lines
    }

    /// Returns the tests with this remark and the reason, without skipped tests that ran in another check.
    fn notes_with(&self, wanted: Note) -> impl Iterator<Item = (&str, &str)> {
        let noted = self.notes.iter().filter(move |(note, ..)| *note == wanted);
        noted
            .map(|(_, test, why)| (&**test, &**why))
            .filter(move |(test, _)| wanted != Note::Skipped || !self.ran.contains(*test))
    }
}

/// Formats a count, such as `1 test` or `2 tests`.
pub(crate) fn count_of(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Arguments that make the runner print enough: a line per test, and the output of tests that passed.
pub(crate) const ARGS: [&str; 2] = ["--format=pretty", "--show-output"];

/// Lines of a failed test's output that are repeated at the end.
const KEPT: usize = 12;

/// The state after some lines of one command, which may run several test programs.
#[derive(Debug, Default)]
pub(crate) struct LibtestOutput {
    pub(crate) report: Report,
    /// In the section with the output of passed tests.
    is_in_output: bool,
    /// The passed test whose output is being read.
    test: String,
    /// Failed tests of this program with the beginning of their output.
    broken: Vec<(String, String)>,
    /// Index in `broken` of the test whose output is being read.
    failing: Option<usize>,
    /// Tests of this program that printed `skipped:`.
    did_nothing: u64,
}

impl LibtestOutput {
    /// Processes a line. Returns whether to print it: passed tests and their output are hidden.
    pub(crate) fn read_line(&mut self, line: &str) -> bool {
        if let Some(result) = line.strip_prefix("test result: ") {
            self.is_in_output = false;
            self.result(result);
            return true;
        }
        match line {
            "successes:" => self.is_in_output = true,
            "failures:" => (self.is_in_output, self.failing) = (false, None),
            _ => {}
        }
        self.failure(line);
        if self.is_in_output {
            self.output(line);
            return false;
        }
        let outcome = line
            .strip_prefix("test ")
            .and_then(|test| test.rsplit_once(" ... "));
        if let Some((test, outcome)) = outcome {
            let test = test.trim_end_matches(" - should panic");
            if outcome.starts_with("FAILED") {
                self.broken.push((test.to_owned(), String::new()));
            }
            if outcome == "ok" || outcome.starts_with("FAILED") {
                self.report.ran(test);
            }
            if outcome == "ok" {
                return false;
            }
            if let Some(why) = outcome.strip_prefix("ignored") {
                let why = why.trim_start_matches(", ");
                self.report.note(
                    Note::Skipped,
                    test,
                    if why.is_empty() {
                        "ignored, without a reason"
                    } else {
                        why
                    },
                );
                return false;
            }
        }
        true
    }

    /// Keeps a line that belongs to a failed test's output.
    fn failure(&mut self, line: &str) {
        if self.is_in_output {
            return;
        }
        if let Some(test) = line
            .strip_prefix("---- ")
            .and_then(|line| line.strip_suffix(" stdout ----"))
        {
            self.failing = self.broken.iter().position(|(broken, _)| broken == test);
        } else if let Some((_, output_start)) =
            self.failing.and_then(|nth| self.broken.get_mut(nth))
            && !line.is_empty()
            && output_start.lines().count() < KEPT
        {
            *output_start += line;
            output_start.push('\n');
        }
    }

    fn output(&mut self, line: &str) {
        if let Some(test) = line
            .strip_prefix("---- ")
            .and_then(|line| line.strip_suffix(" stdout ----"))
        {
            test.clone_into(&mut self.test);
        } else if let Some(why) = line.strip_prefix("skipped: ") {
            // A test may print several reasons.
            if self.report.is_new(Note::Skipped, &self.test) {
                self.did_nothing += 1;
            }
            self.report.note(Note::Skipped, &self.test, why);
            self.report.did_not_run(&self.test);
        } else if let Some(why) = line.strip_prefix("skipped in part: ") {
            self.report.note(Note::InPart, &self.test, why);
        }
    }

    /// Reads a result such as `ok. 3 passed; 0 failed; 1 ignored; …`.
    fn result(&mut self, result: &str) {
        let number_before = |word: &str| -> u64 {
            let tokens: Vec<&str> = result
                .split_whitespace()
                .map(|w| w.trim_matches([';', ',']))
                .collect();
            tokens
                .windows(2)
                .find(|w| w[1] == word)
                .and_then(|w| w[0].parse().ok())
                .unwrap_or(0)
        };
        self.report.passed += number_before("passed").saturating_sub(self.did_nothing);
        self.report.failed += number_before("failed");
        for (test, output_start) in std::mem::take(&mut self.broken) {
            self.report.note(Note::Failed, &test, &output_start);
        }
        (self.did_nothing, self.failing) = (0, None);
    }
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

#[cfg(test)]
mod libtest_tests {
    use super::*;

    const RUN: &str = "
running 5 tests
test a::works ... ok
test a::needs_more ... ignored, needs the program
test b::corpus ... ok
test b::breaks ... FAILED
test b::half ... ok

successes:

---- b::corpus stdout ----
skipped: no catalogs
skipped: no other catalogs
---- b::half stdout ----
test result of another kind
skipped in part: the whole table is not there


successes:
    a::works
    b::corpus
    b::half

failures:

---- b::breaks stdout ----
skipped: this is of a failed test
thread panicked

failures:
    b::breaks

test result: FAILED. 3 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s
";

    #[test]
    fn reports_skipped_tests_with_their_reason() {
        let mut output = LibtestOutput::default();
        let printed: Vec<&str> = RUN.lines().filter(|line| output.read_line(line)).collect();
        let report = output.report;
        assert_eq!(
            (report.passed, report.failed, report.count_skipped()),
            (2, 1, 2)
        );
        let summary = report.summary();
        for line in [
            "needs the program: a::needs_more",
            "no catalogs: b::corpus",
            "is not there: b::half",
        ] {
            assert!(summary.contains(line), "{summary}");
        }
        assert!(
            summary.ends_with(
                "FAILED: b::breaks\n  skipped: this is of a failed test\n  thread panicked\n"
            ),
            "{summary}"
        );
        assert_eq!(
            summary.matches("of a failed test").count(),
            1,
            "a failed test was not left out: {summary}"
        );
        assert!(
            printed.contains(&"thread panicked") && printed.contains(&"    b::breaks"),
            "{printed:?}"
        );
        assert!(
            !printed
                .iter()
                .any(|line| line.contains("works") || line.contains("b::half")),
            "{printed:?}"
        );
    }

    #[test]
    fn programs_of_one_command_are_added() {
        let mut output = LibtestOutput::default();
        for line in RUN.lines().chain([
            "running 0 tests",
            "test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured",
        ]) {
            output.read_line(line);
        }
        assert_eq!(
            (
                output.report.passed,
                output.report.failed,
                output.report.count_skipped()
            ),
            (6, 1, 2)
        );
    }
}
