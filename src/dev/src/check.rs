//! Runs one check: prints its output as it comes, and returns its outcome.
//!
//! It must not know which checks exist.

use crate::journeys;
use crate::report::{LibtestOutput, Note, Report};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

/// How a check reports its outcome.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ReportFormat<'p> {
    /// Its exit status: it counts as one test.
    ExitStatus,
    /// The output of Rust's test runner, without passed tests.
    Libtest,
    /// A report in this file.
    Playwright(&'p Path),
}

/// Runs a check. A runner that dies without a failed test counts as one failure, and so does one that ran no test.
pub(crate) fn check(name: &str, format: ReportFormat<'_>, command: &mut Command) -> Report {
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
        match journeys::report(file) {
            Ok(read) => report = read,
            Err(message) => {
                println!("{message}");
                ok = false;
            }
        }
    }
    let report = with_named_failure(name, outcome(ok, format, report));
    let word = if report.failed == 0 { "ok" } else { "FAILED" };
    println!(
        "-- {name}: {word} in {:.0} s",
        start.elapsed().as_secs_f64()
    );
    report
}

/// Reports a check that cannot run here, with the reason.
pub(crate) fn skipped(name: &str, why: &str) -> Report {
    println!("\n== {name}\nskipped: {why}");
    let mut report = Report::default();
    report.note(Note::Skipped, name, why);
    report
}

/// Reports a check that could not be started, as a failure.
pub(crate) fn not_started(name: &str, message: &str) -> Report {
    println!("\n== {name}\n{message}\n-- {name}: FAILED");
    let mut report = Report::one(false);
    report.note(Note::Failed, name, message);
    report
}

/// Runs the command and shows its output. Returns whether it succeeded.
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

/// Combines the exit status with the tests that were reported.
fn outcome(ok: bool, format: ReportFormat<'_>, report: Report) -> Report {
    let none = report.all() == 0;
    let failed = report.clone().with_failed();
    match (ok, format) {
        (true, ReportFormat::ExitStatus) => Report::one(true),
        // A run that only skipped tests is not a failure.
        (true, _) if none && report.count_skipped() == 0 => {
            println!("no test ran");
            failed
        }
        (false, _) if report.failed == 0 => failed,
        _ => report,
    }
}

/// Attributes a failure that no test claims to the check itself.
fn with_named_failure(name: &str, mut report: Report) -> Report {
    if report.failed > report.count(Note::Failed) {
        report.note(Note::Failed, name, "see its output above");
    }
    report
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
        assert_eq!(outcome(true, tests, none.clone()).failed, 1);
        assert_eq!(
            outcome(true, ReportFormat::ExitStatus, none.clone()),
            Report::one(true)
        );
        assert_eq!(outcome(true, tests, passed.clone()), passed);
        assert_eq!(outcome(true, tests, skipped.clone()), skipped);
        assert_eq!(outcome(false, tests, passed.clone()), passed.with_failed());
        assert_eq!(outcome(false, ReportFormat::ExitStatus, none).failed, 1);
    }

    #[test]
    fn every_failure_has_a_name() {
        let mut report = Report::default().with_failed();
        assert!(
            with_named_failure("format", report.clone())
                .summary()
                .contains("FAILED: format\n")
        );
        report.note(Note::Failed, "a::breaks", "");
        assert!(
            !with_named_failure("tests", report.clone())
                .summary()
                .contains("FAILED: tests\n")
        );
        assert!(
            with_named_failure("tests", report.with_failed())
                .summary()
                .contains("FAILED: tests\n"),
            "one more than was named"
        );
    }
}
