//! What the journeys' runner left in its JSON report: how many passed, which were left out, and why.
//!
//! It must not know which journeys exist.

use crate::json::Json;
use crate::report::{Note, Report};
use std::collections::BTreeMap;
use std::path::Path;

/// So many lines of what a failed journey said are kept for the end.
const KEPT: usize = 12;

/// The variable that passes the path of the report to the runner's configuration.
pub(crate) const REPORT: &str = "SWITCHYARD_REPORT";

/// The report in this file; a runner that left none has failed.
pub(crate) fn report(file: &Path) -> Result<Report, String> {
    let json = read(file)?;
    let mut report = Report::default();
    for file in json.list("suites") {
        suite(file, &[], &mut report);
    }
    // A file of journeys that cannot be read has no test that could fail.
    for error in json.list("errors") {
        println!("{}", error.text("message"));
    }
    if !json.list("errors").is_empty() && report.failed == 0 {
        report.failed = 1;
    }
    Ok(report)
}

/// The outcome of each file of journeys, by its name; empty if the run itself had an error, which may concern all of
/// them.
pub(crate) fn by_file(file: &Path) -> BTreeMap<String, Report> {
    read(file).map(|json| reports(&json)).unwrap_or_default()
}

fn reports(json: &Json) -> BTreeMap<String, Report> {
    let mut reports = BTreeMap::new();
    for file in json
        .list("suites")
        .iter()
        .filter(|_| json.list("errors").is_empty())
    {
        let name = file
            .text("title")
            .rsplit('/')
            .next()
            .unwrap_or("")
            .to_owned();
        suite(file, &[], reports.entry(name).or_default());
    }
    reports
}

fn read(file: &Path) -> Result<Json, String> {
    let text = std::fs::read_to_string(file)
        .map_err(|e| format!("the runner left no report: {}: {e}", file.display()))?;
    Json::read(&text).ok_or_else(|| format!("{} is not JSON", file.display()))
}

/// A suite is a file or a `describe` block; `above` are the enclosing names.
fn suite(suite: &Json, above: &[&str], report: &mut Report) {
    let names = [above, &[suite.text("title")]].concat();
    for inner in suite.list("suites") {
        self::suite(inner, &names, report);
    }
    for spec in suite.list("specs") {
        let name = [&names[..], &[spec.text("title")]].concat().join(" › ");
        for test in spec.list("tests") {
            match test.text("status") {
                "expected" => report.passed += 1,
                // Begun again, which is done only where the browser itself ended.
                "flaky" => {
                    report.passed += 1;
                    report.note(Note::Again, &name, "the browser itself had ended");
                }
                "skipped" => match why(test) {
                    Some(why) => report.note(Note::Skipped, &name, why),
                    None => report.note(Note::NotRun, &name, "the run ended before"),
                },
                _ => {
                    report.failed += 1;
                    report.note(Note::Failed, &name, &said(test));
                }
            }
        }
    }
}

/// Why a test skipped itself; none where it was not begun.
fn why(test: &Json) -> Option<&str> {
    let said = test
        .list("annotations")
        .iter()
        .find(|note| ["skip", "fixme"].contains(&note.text("type")));
    said.map(|note| note.text("description")).map(|reason| {
        if reason.is_empty() {
            "without a reason"
        } else {
            reason
        }
    })
}

/// The beginning of what a failed test said at its first attempt, without the colours of a terminal: the second of one that
/// may not be tried again says only that.
fn said(test: &Json) -> String {
    let first = test
        .list("results")
        .iter()
        .find(|result| !result.list("errors").is_empty());
    let errors = first
        .map(|result| result.list("errors"))
        .unwrap_or_default();
    let lines: Vec<String> = errors
        .iter()
        .flat_map(|error| error.text("message").lines().map(plain))
        .take(KEPT)
        .collect();
    lines.join("\n")
}

/// A line as it is without what sets a terminal's colours.
fn plain(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or("");
    let rest = parts.filter_map(|part| part.split_once('m').map(|(_, text)| text));
    std::iter::once(first).chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLD: &str = r#"{"suites": [{"title": "edit.spec.ts", "specs": [
          {"title": "works", "tests": [{"status": "expected", "annotations": []}]},
          {"title": "dies", "tests": [{"status": "flaky"}]}],
        "suites": [{"title": "Firefox: hosts", "specs": [
          {"title": "a host", "tests": [{"status": "skipped", "annotations": [{"type": "skip", "description": "no Firefox"}]}]},
          {"title": "another", "tests": [{"status": "skipped", "annotations": []}]},
          {"title": "breaks", "tests": [{"status": "unexpected",
             "results": [{"errors": [{"message": "\u001b[31mno button\u001b[39m\nExpected: 1"}]},
               {"errors": [{"message": "it is not tried again"}]}]}]}]}]}], "errors": []}"#;

    #[test]
    fn journeys_are_counted_with_their_reasons() {
        let json = Json::read(TOLD).expect("it is JSON");
        let mut report = Report::default();
        json.list("suites")
            .iter()
            .for_each(|file| suite(file, &[], &mut report));
        assert_eq!((report.passed, report.failed, report.skipped()), (2, 1, 1));
        let told = report.told();
        assert!(
            told.contains("  no Firefox: edit.spec.ts › Firefox: hosts › a host\n"),
            "{told}"
        );
        assert!(
            told.contains("1 did not run:\n  the run ended before: ")
                && told.contains("1 passed when begun again:\n"),
            "{told}"
        );
        assert!(
            told.ends_with("› breaks\n  no button\n  Expected: 1\n"),
            "{told}"
        );
    }

    #[test]
    fn files_are_told_one_by_one_unless_the_run_had_an_error() {
        let two = r#"{"suites": [
          {"title": "journeys/a.spec.ts", "specs": [{"title": "x", "tests": [{"status": "expected"}]}]},
          {"title": "b.spec.ts", "specs": [{"title": "x", "tests": [{"status": "unexpected"}]}]}], "errors": []}"#;
        let json = Json::read(two).expect("it is JSON");
        let told: Vec<(String, bool)> = reports(&json)
            .into_iter()
            .map(|(name, report)| (name, report.is_whole()))
            .collect();
        assert_eq!(
            told,
            [
                ("a.spec.ts".to_owned(), true),
                ("b.spec.ts".to_owned(), false)
            ]
        );
        let json = Json::read(&two.replace("\"errors\": []", "\"errors\": [{\"message\": \"x\"}]"))
            .expect("it is JSON");
        assert!(reports(&json).is_empty());
        let json = Json::read(TOLD).expect("it is JSON");
        assert!(
            !reports(&json)["edit.spec.ts"].is_whole(),
            "one died, one did not run, one broke"
        );
    }

    #[test]
    fn a_runner_without_a_report_has_failed() {
        assert!(report(Path::new("no such file")).is_err());
    }
}
