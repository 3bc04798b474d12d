//! Running one check: its output as it comes, and its outcome.
//!
//! It must not know which checks exist.

use crate::libtest::{Heard, Shown};
use crate::playwright;
use crate::report::{Note, Report};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// A line has this many dots.
const DOTS: usize = 100;

/// How a check reports its outcome.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Tells<'p> {
    /// By its exit status: it counts as one.
    Outcome,
    /// By the lines that Rust's test runner writes, which are shown as far as they are news.
    Libtest,
    /// Judged by these lines too; all of them are shown, since the runner was asked for another kind of output. Skip
    /// messages are attributed to the one test of this name, since they can appear anywhere.
    LibtestInFull(&'p str),
    /// By a report in this file.
    Playwright(&'p Path),
}

/// Runs a check. A runner that dies without a failed test counts one failure, and so does one that ran no test.
pub(crate) fn check(name: &str, tells: Tells<'_>, command: &mut Command) -> Report {
    println!("\n== {name}");
    let start = std::time::Instant::now();
    if let Tells::Playwright(file) = tells {
        // A file left by an earlier run does not count for this one; there may be none.
        let _ = std::fs::remove_file(file);
    }
    let heard = listen(tells, command);
    let (mut ok, mut told) = match heard {
        Ok((ok, heard)) => (ok, heard.report),
        Err(error) => {
            println!("could not be started: {error}");
            (false, Report::default())
        }
    };
    if let Tells::Playwright(file) = tells {
        match playwright::report(file) {
            Ok(report) => told = report,
            Err(message) => {
                println!("{message}");
                ok = false;
            }
        }
    }
    let report = named(name, outcome(ok, tells, told));
    let word = if report.failed == 0 { "ok" } else { "FAILED" };
    println!(
        "-- {name}: {word} in {:.0} s",
        start.elapsed().as_secs_f64()
    );
    report
}

/// A check that cannot be run here, and why.
pub(crate) fn skipped(name: &str, why: &str) -> Report {
    println!("\n== {name}\nskipped: {why}");
    let mut report = Report::default();
    report.note(Note::Skipped, name, why);
    report
}

/// A check that could not be begun, which is a failure.
pub(crate) fn not_begun(name: &str, message: &str) -> Report {
    println!("\n== {name}\n{message}\n-- {name}: FAILED");
    let mut report = Report::one(false);
    report.note(Note::Failed, name, message);
    report
}

/// Runs the command and shows its output. Returns whether it succeeded.
fn listen(tells: Tells<'_>, command: &mut Command) -> std::io::Result<(bool, Heard)> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()?;
    let mut heard = Heard::default();
    let mut dots = 0;
    let lines = child
        .stdout
        .take()
        .into_iter()
        .flat_map(|out| BufReader::new(out).split(b'\n').map_while(Result::ok));
    for line in lines {
        let line = String::from_utf8_lossy(&line);
        let shown = match tells {
            Tells::Libtest => heard.line(&line),
            Tells::LibtestInFull(test) => {
                heard.line_of(test, &line);
                Shown::Line
            }
            Tells::Outcome | Tells::Playwright(_) => Shown::Line,
        };
        match shown {
            Shown::Line => {
                println!("{}{line}", if dots % DOTS > 0 { "\n" } else { "" });
                dots = 0;
            }
            Shown::Dot => {
                dots += 1;
                print!("{}", if dots % DOTS == 0 { ".\n" } else { "." });
                // Somebody may be watching; if nobody is, nothing is lost.
                let _ = std::io::stdout().flush();
            }
            Shown::Nothing => {}
        }
    }
    Ok((child.wait()?.success(), heard))
}

/// The outcome of a check that succeeded or not, and that reported this many tests.
fn outcome(ok: bool, tells: Tells<'_>, told: Report) -> Report {
    let none = told.all() == 0;
    let failed = told.clone().with_failed();
    match (ok, tells) {
        (true, Tells::Outcome) => Report::one(true),
        // All that there is may need what is not here.
        (true, _) if none && told.skipped() == 0 => {
            println!("no test ran");
            failed
        }
        (false, _) if told.failed == 0 => failed,
        _ => told,
    }
}

/// The same; a failure of which no test said that it is its own is the check's.
fn named(name: &str, mut report: Report) -> Report {
    if report.failed > report.count(Note::Failed) {
        report.note(Note::Failed, name, "as told above, below its name");
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
        let tests = Tells::Libtest;
        assert_eq!(outcome(true, tests, none.clone()).failed, 1);
        assert_eq!(
            outcome(true, Tells::Outcome, none.clone()),
            Report::one(true)
        );
        assert_eq!(outcome(true, tests, passed.clone()), passed);
        assert_eq!(outcome(true, tests, skipped.clone()), skipped);
        assert_eq!(outcome(false, tests, passed.clone()), passed.with_failed());
        assert_eq!(outcome(false, Tells::Outcome, none).failed, 1);
    }

    #[test]
    fn every_failure_has_a_name() {
        let mut told = Report::default().with_failed();
        assert!(
            named("format", told.clone())
                .told()
                .contains("FAILED: format\n")
        );
        told.note(Note::Failed, "a::breaks", "");
        assert!(
            !named("tests", told.clone())
                .told()
                .contains("FAILED: tests\n")
        );
        assert!(
            named("tests", told.with_failed())
                .told()
                .contains("FAILED: tests\n"),
            "one more than was named"
        );
    }
}
