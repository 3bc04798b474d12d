//! Runs one check: prints its output as it comes, and returns its outcome, with the tests that
//! Rust's test runner reports. Must not know which checks exist.

use crate::journeys;
use crate::report::{Note, Report};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

/// Arguments that make Rust's test runner print enough: a line per test, and the output of passed
/// tests.
pub const LIBTEST_ARGS: [&str; 2] = ["--format=pretty", "--show-output"];
/// Lines of a failed test's output that are repeated at the end.
pub const MAX_REPEATED_LINES: usize = 12;

/// How a check reports its outcome.
#[derive(Debug, Clone, Copy)]
pub enum ReportFormat<'p> {
    /// Its exit status: it counts as one test.
    ExitStatus,
    /// The output of Rust's test runner, without passed tests.
    Libtest,
    /// A report in this file.
    Playwright(&'p Path),
}

/// Runs a check. A runner that dies without a failed test counts as one failure, and so does one
/// that ran no test.
pub fn check(name: &str, format: ReportFormat<'_>, command: &mut Command) -> Report {
    println!("\n== {name}");
    let start = std::time::Instant::now();
    if let ReportFormat::Playwright(file) = format {
        // A file left by an earlier run does not count for this one; there may be none.
        let _ = std::fs::remove_file(file);
    }
    let (mut ok, mut report) = match stream_output(format, command) {
        Ok((ok, output)) => (ok, output.report),
        Err(error) => {
            println!("could not be started: {error}");
            (false, Report::default())
        }
    };
    if let ReportFormat::Playwright(file) = format {
        match journeys::read_report(file) {
            Ok(journeys) => report = journeys,
            Err(message) => {
                println!("{message}");
                ok = false;
            }
        }
    }
    let report = combine(name, ok, format, report);
    let verdict = if report.failed == 0 { "ok" } else { "FAILED" };
    println!(
        "-- {name}: {verdict} in {:.0} s",
        start.elapsed().as_secs_f64()
    );
    report
}

/// Reports a check that cannot run here, with the reason.
pub fn skipped(name: &str, why: &str) -> Report {
    println!("\n== {name}\nskipped: {why}");
    let mut report = Report::default();
    report.note(Note::Skipped, name, why);
    report
}

/// Reports a check that could not be started, as a failure.
pub fn not_started(name: &str, message: &str) -> Report {
    println!("\n== {name}\n{message}\n-- {name}: FAILED");
    let mut report = Report::one(false);
    report.note(Note::Failed, name, message);
    report
}

/// Shows the output of the command. Returns whether it succeeded, and what libtest reported.
fn stream_output(
    format: ReportFormat<'_>,
    command: &mut Command,
) -> std::io::Result<(bool, LibtestOutput)> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()?;
    let mut output = LibtestOutput::default();
    let lines = child
        .stdout
        .take()
        .into_iter()
        .flat_map(|out| BufReader::new(out).split(b'\n').map_while(Result::ok));
    for line in lines {
        let line = String::from_utf8_lossy(&line);
        let is_libtest = matches!(format, ReportFormat::Libtest);
        if !is_libtest || output.read_line(&line) {
            println!("{line}");
        }
    }
    Ok((child.wait()?.success(), output))
}

/// Combines the exit status with the reported tests. Attributes a failure that no test claims to
/// the check itself.
fn combine(name: &str, ok: bool, format: ReportFormat<'_>, mut report: Report) -> Report {
    match (ok, format) {
        (true, ReportFormat::ExitStatus) => return Report::one(true),
        // A run that only skipped tests is not a failure.
        (true, _) if report.all() == 0 && report.count_skipped() == 0 => {
            println!("no test ran");
            report.failed += 1;
        }
        (false, _) if report.failed == 0 => report.failed += 1,
        _ => {}
    }
    if report.failed > report.count(Note::Failed) {
        report.note(Note::Failed, name, "see its output above");
    }
    report
}

/// Parser of the output of one command, which may run several test programs. Their text is the only
/// stable output of Rust's test runner.
///
/// A test that does nothing, because something it needs is missing, prints a line `skipped:
/// REASON`, and one that skips some of its cases prints `skipped in part: REASON`. Libtest counts
/// both as passed and hides their output unless `LIBTEST_ARGS` ask for it.
#[derive(Debug, Default)]
struct LibtestOutput {
    report: Report,
    /// Whether the current line is in the section with the output of passed tests.
    is_in_output: bool,
    /// The passed test whose output is being read.
    test: String,
    failed_tests: Vec<FailedTest>,
    /// Index in `failed_tests` of the test whose output is being read.
    failing: Option<usize>,
    /// Tests of this program that printed `skipped:`.
    skipped_by_itself: u64,
}

#[derive(Debug)]
struct FailedTest {
    name: String,
    output_start: String,
}

impl LibtestOutput {
    /// Processes a line. Returns whether to print it: passed tests and their output are hidden.
    fn read_line(&mut self, line: &str) -> bool {
        if let Some(result) = line.strip_prefix("test result: ") {
            self.is_in_output = false;
            self.finish_program(result);
            return true;
        }
        match line {
            "successes:" => self.is_in_output = true,
            "failures:" => (self.is_in_output, self.failing) = (false, None),
            _ => {}
        }
        self.read_failure_output(line);
        if self.is_in_output {
            self.read_success_output(line);
            return false;
        }
        let test_line = line.strip_prefix("test ");
        match test_line.and_then(|test| test.rsplit_once(" ... ")) {
            Some((test, outcome)) => {
                self.read_outcome(test.trim_end_matches(" - should panic"), outcome)
            }
            None => true,
        }
    }

    /// Processes the line of a test that ended. Returns whether to print it.
    fn read_outcome(&mut self, test: &str, outcome: &str) -> bool {
        if outcome == "ok" {
            self.report.mark_as_run(test);
            return false;
        }
        if let Some(reason) = outcome.strip_prefix("ignored") {
            let reason = match reason.trim_start_matches(", ") {
                "" => "ignored, without a reason",
                reason => reason,
            };
            self.report.note(Note::Skipped, test, reason);
            return false;
        }
        if outcome.starts_with("FAILED") {
            self.report.mark_as_run(test);
            self.failed_tests.push(FailedTest {
                name: test.to_owned(),
                output_start: String::new(),
            });
        }
        true
    }

    /// Stores a line that belongs to a failed test's output.
    fn read_failure_output(&mut self, line: &str) {
        if self.is_in_output {
            return;
        }
        if let Some(test) = output_heading(line) {
            let mut tests = self.failed_tests.iter();
            self.failing = tests.position(|failed| failed.name == test);
        } else if let Some(index) = self.failing
            && let Some(failed) = self.failed_tests.get_mut(index)
            && !line.is_empty()
            && failed.output_start.lines().count() < MAX_REPEATED_LINES
        {
            failed.output_start += line;
            failed.output_start.push('\n');
        }
    }

    fn read_success_output(&mut self, line: &str) {
        if let Some(test) = output_heading(line) {
            test.clone_into(&mut self.test);
        } else if let Some(reason) = line.strip_prefix("skipped: ") {
            // A test may print several reasons.
            if !self.report.has_note(Note::Skipped, &self.test) {
                self.skipped_by_itself += 1;
            }
            self.report.note(Note::Skipped, &self.test, reason);
            self.report.unmark_as_run(&self.test);
        } else if let Some(reason) = line.strip_prefix("skipped in part: ") {
            self.report.note(Note::PartlySkipped, &self.test, reason);
        }
    }

    /// Reads a program's result, such as `ok. 3 passed; 0 failed; 1 ignored; …`.
    fn finish_program(&mut self, result: &str) {
        let passed = number_before(result, "passed");
        self.report.passed += passed.saturating_sub(self.skipped_by_itself);
        self.report.failed += number_before(result, "failed");
        for failed in std::mem::take(&mut self.failed_tests) {
            self.report
                .note(Note::Failed, &failed.name, &failed.output_start);
        }
        (self.skipped_by_itself, self.failing) = (0, None);
    }
}

/// Returns the test's name in `---- NAME stdout ----`.
fn output_heading(line: &str) -> Option<&str> {
    line.strip_prefix("---- ")?.strip_suffix(" stdout ----")
}

/// Returns the number before a word of a result; 0 if the result lacks it.
fn number_before(result: &str, word: &str) -> u64 {
    let tokens: Vec<&str> = result
        .split_whitespace()
        .map(|token| token.trim_matches([';', ',']))
        .collect();
    tokens
        .windows(2)
        .find(|pair| pair[1] == word)
        .and_then(|pair| pair[0].parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runner_without_tests_has_failed() {
        let none = Report::default();
        let mut passed = none.clone();
        passed.passed = 3;
        let mut skipped = none.clone();
        skipped.note(Note::Skipped, "all", "no catalogs");
        let tests = ReportFormat::Libtest;
        let combine = |ok, format, report| combine("check", ok, format, report);
        assert_eq!(combine(true, tests, none.clone()).failed, 1);
        assert_eq!(
            combine(true, ReportFormat::ExitStatus, none.clone()),
            Report::one(true)
        );
        assert_eq!(combine(true, tests, passed.clone()), passed);
        assert_eq!(combine(true, tests, skipped.clone()), skipped);
        let failed = combine(false, tests, passed);
        assert_eq!((failed.passed, failed.failed), (3, 1));
        assert_eq!(combine(false, ReportFormat::ExitStatus, none).failed, 1);
    }

    #[test]
    fn every_failure_has_a_name() {
        let summary = |report: &Report| {
            combine("tests", false, ReportFormat::Libtest, report.clone()).summary()
        };
        let mut report = Report::one(false);
        assert!(summary(&report).contains("FAILED: tests\n"));
        report.note(Note::Failed, "a::breaks", "");
        assert!(!summary(&report).contains("FAILED: tests\n"));
        report.failed += 1;
        assert!(
            summary(&report).contains("FAILED: tests\n"),
            "one more than was named"
        );
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
