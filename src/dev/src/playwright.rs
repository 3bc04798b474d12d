//! Reads the JSON report of the journeys' runner: the number of passed tests, and the skipped ones with the reason.
//!
//! It must not know which journeys exist.

use crate::report::{Note, Report};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Lines of a failed journey's error that are repeated at the end.
const KEPT: usize = 12;

/// The variable that passes the path of the report to the runner's configuration.
pub(crate) const REPORT: &str = "SWITCHYARD_REPORT";

/// The parts of Playwright's JSON report in use.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RunReport {
    suites: Vec<Suite>,
    errors: Vec<RunError>,
}

/// A file or a `describe` block.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Suite {
    title: String,
    suites: Vec<Suite>,
    specs: Vec<Spec>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Spec {
    title: String,
    tests: Vec<Test>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Test {
    status: String,
    annotations: Vec<Annotation>,
    results: Vec<Attempt>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Annotation {
    #[serde(rename = "type")]
    kind: String,
    description: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Attempt {
    errors: Vec<RunError>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RunError {
    message: String,
}

/// The counts in this report file; a runner that left none has failed.
pub(crate) fn report(file: &Path) -> Result<Report, String> {
    let run = read(file)?;
    let mut report = Report::default();
    for file in &run.suites {
        add_suite(file, &[], &mut report);
    }
    // A journey file that cannot be read has no test that could fail.
    for error in &run.errors {
        println!("{}", error.message);
    }
    if !run.errors.is_empty() && report.failed == 0 {
        report.failed = 1;
    }
    Ok(report)
}

/// The outcome of each file of journeys, by its name; empty if the run itself had an error, which may concern all of
/// them.
pub(crate) fn by_file(file: &Path) -> BTreeMap<String, Report> {
    read(file).map(|run| reports(&run)).unwrap_or_default()
}

fn reports(run: &RunReport) -> BTreeMap<String, Report> {
    let mut reports = BTreeMap::new();
    if run.errors.is_empty() {
        for file in &run.suites {
            let name = file.title.rsplit('/').next().unwrap_or("").to_owned();
            add_suite(file, &[], reports.entry(name).or_default());
        }
    }
    reports
}

fn read(file: &Path) -> Result<RunReport, String> {
    let text = std::fs::read_to_string(file)
        .map_err(|e| format!("the runner left no report: {}: {e}", file.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{} cannot be read: {e}", file.display()))
}

/// `above`: the names of the enclosing suites.
fn add_suite(suite: &Suite, above: &[&str], report: &mut Report) {
    let names = [above, &[suite.title.as_str()]].concat();
    for inner in &suite.suites {
        add_suite(inner, &names, report);
    }
    for spec in &suite.specs {
        let name = [&names[..], &[&spec.title]].concat().join(" › ");
        for test in &spec.tests {
            match test.status.as_str() {
                "expected" => report.passed += 1,
                // Only a test whose browser ended is started again.
                "flaky" => {
                    report.passed += 1;
                    report.note(Note::Again, &name, "the browser itself had ended");
                }
                "skipped" => match skip_reason(test) {
                    Some(reason) => report.note(Note::Skipped, &name, reason),
                    None => report.note(Note::NotRun, &name, "the run ended before"),
                },
                _ => {
                    report.failed += 1;
                    report.note(Note::Failed, &name, &first_error(test));
                }
            }
        }
    }
}

/// Why a test skipped itself; `None` if it was not started.
fn skip_reason(test: &Test) -> Option<&str> {
    let mut notes = test.annotations.iter();
    let note = notes.find(|note| ["skip", "fixme"].contains(&note.kind.as_str()))?;
    Some(match note.description.as_str() {
        "" => "without a reason",
        reason => reason,
    })
}

/// The first lines of the errors of a failed test's first failed attempt, without colors. A later attempt may only
/// report that it cannot be repeated.
fn first_error(test: &Test) -> String {
    let failed = test
        .results
        .iter()
        .find(|attempt| !attempt.errors.is_empty());
    let errors = failed.map_or(&[][..], |attempt| &attempt.errors);
    let lines = errors.iter().flat_map(|error| error.message.lines());
    lines.map(plain).take(KEPT).collect::<Vec<_>>().join("\n")
}

/// Removes color sequences from a line.
fn plain(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or("");
    let rest = parts.filter_map(|part| part.split_once('m').map(|(_, text)| text));
    std::iter::once(first).chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT_TEXT: &str = r#"{"suites": [{"title": "edit.spec.ts", "specs": [
          {"title": "works", "tests": [{"status": "expected", "annotations": []}]},
          {"title": "dies", "tests": [{"status": "flaky"}]}],
        "suites": [{"title": "Firefox: hosts", "specs": [
          {"title": "a host", "tests": [{"status": "skipped", "annotations": [{"type": "skip", "description": "no Firefox"}]}]},
          {"title": "another", "tests": [{"status": "skipped", "annotations": []}]},
          {"title": "breaks", "tests": [{"status": "unexpected",
             "results": [{"errors": [{"message": "\u001b[31mno button\u001b[39m\nExpected: 1"}]},
               {"errors": [{"message": "it is not tried again"}]}]}]}]}]}], "errors": []}"#;

    fn parsed(text: &str) -> RunReport {
        serde_json::from_str(text).expect("it is a report")
    }

    #[test]
    fn journeys_are_counted_with_their_reasons() {
        let mut report = Report::default();
        for file in &parsed(REPORT_TEXT).suites {
            add_suite(file, &[], &mut report);
        }
        assert_eq!(
            (report.passed, report.failed, report.count_skipped()),
            (2, 1, 1)
        );
        let summary = report.summary();
        assert!(
            summary.contains("  no Firefox: edit.spec.ts › Firefox: hosts › a host\n"),
            "{summary}"
        );
        assert!(
            summary.contains("1 did not run:\n  the run ended before: ")
                && summary.contains("1 passed at the second attempt:\n"),
            "{summary}"
        );
        assert!(
            summary.ends_with("› breaks\n  no button\n  Expected: 1\n"),
            "{summary}"
        );
    }

    #[test]
    fn reports_files_separately_unless_the_run_failed() {
        let two = r#"{"suites": [
          {"title": "journeys/a.spec.ts", "specs": [{"title": "x", "tests": [{"status": "expected"}]}]},
          {"title": "b.spec.ts", "specs": [{"title": "x", "tests": [{"status": "unexpected"}]}]}], "errors": []}"#;
        let summary: Vec<(String, bool)> = reports(&parsed(two))
            .into_iter()
            .map(|(name, report)| (name, report.is_whole()))
            .collect();
        assert_eq!(
            summary,
            [
                ("a.spec.ts".to_owned(), true),
                ("b.spec.ts".to_owned(), false)
            ]
        );
        let with_error = two.replace("\"errors\": []", "\"errors\": [{\"message\": \"x\"}]");
        assert!(reports(&parsed(&with_error)).is_empty());
        assert!(
            !reports(&parsed(REPORT_TEXT))["edit.spec.ts"].is_whole(),
            "one died, one did not run, one broke"
        );
    }

    #[test]
    fn a_runner_without_a_report_has_failed() {
        assert!(report(Path::new("no such file")).is_err());
    }
}
