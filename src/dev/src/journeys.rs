//! Runs the journeys, which are browser tests of the page, and reads Playwright's report. Builds
//! the command line first and passes the paths of all programs, so that a journey never uses stale
//! ones.

use crate::build::Page;
use crate::check::{MAX_REPEATED_LINES, ReportFormat, check, not_started};
use crate::files::files_below;
use crate::fuzz::Depth;
use crate::report::{Note, Report};
use crate::run::{cargo, project, without_colors};
use crate::setup;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const NAME: &str = "journeys";
const FOLDER: &str = "tests/e2e/journeys";
const FILE_SUFFIX: &str = ".spec.ts";
/// The folder of tables that contain titles of journeys.
const TABLE_FOLDER: &str = "tests/e2e/hostile";

#[derive(Debug, PartialEq, Eq)]
pub struct Journeys {
    files: Vec<String>,
    /// A common part of their titles; `None` runs all journeys of the files.
    title: Option<String>,
}

impl Journeys {
    pub fn all() -> Self {
        Self {
            files: file_names(FOLDER),
            title: None,
        }
    }

    /// Returns the journeys of one file: `edit`, `edit.spec.ts` and the path all name it.
    pub fn in_file(name: &str) -> Option<Self> {
        let name = name.rsplit('/').next()?;
        let mut files = file_names(FOLDER);
        files.retain(|file| file == name || file.strip_suffix(FILE_SUFFIX) == Some(name));
        (!files.is_empty()).then_some(Self { files, title: None })
    }

    /// Returns the journeys in files that contain this part of a title, ignoring case as the runner
    /// does.
    pub fn titled(title: &str) -> Option<Self> {
        // The path of a Rust test, which a file may mention, is not a title.
        if title.contains("::") || title.contains('_') {
            return None;
        }
        let contains = |folder: &str, file: &String| {
            std::fs::read_to_string(project().join(folder).join(file))
                .is_ok_and(|text| text.to_lowercase().contains(&title.to_lowercase()))
        };
        let is_in_tables = file_names(TABLE_FOLDER)
            .iter()
            .any(|file| contains(TABLE_FOLDER, file));
        let mut files = file_names(FOLDER);
        files.retain(|file| {
            contains(FOLDER, file) || (is_in_tables && file.starts_with("hostile-"))
        });
        (!files.is_empty()).then(|| Self {
            files,
            title: Some(title.to_owned()),
        })
    }

    /// Runs the journeys through the page in `folder`.
    pub fn run(&self, folder: &Path, depth: Depth, runner_args: &[&str]) -> Report {
        let mut runner = match runner_with_programs(folder) {
            Ok(runner) => runner,
            Err(message) => return not_started(NAME, &message),
        };
        let files = self.files.iter();
        runner.args(files.map(|file| format!("journeys/{}$", escape(file))));
        if let Some(title) = &self.title {
            runner.args(["--grep", &escape(title)]);
        }
        if depth.is_release()
            && let Some(webkit) = setup::webkit()
        {
            runner.env("SWITCHYARD_WEBKIT", webkit);
        }
        let file = project().join("target/journeys.json");
        runner
            .args(runner_args)
            .envs(depth.env())
            .env("SWITCHYARD_REPORT", &file);
        check(NAME, ReportFormat::Playwright(&file), &mut runner)
    }
}

/// Returns the names of the TypeScript files in a folder of the project, sorted.
fn file_names(folder: &str) -> Vec<String> {
    files_below(&project().join(folder), &[])
        .unwrap_or_default()
        .into_keys()
        .filter(|name| name.ends_with(".ts"))
        .collect()
}

/// Returns Playwright's command with a browser, the page, and this program to serve it.
pub fn runner(folder: &Path) -> Result<Command, String> {
    let browser = setup::all_for_browser()?;
    let e2e = project().join("tests/e2e");
    let page = folder
        .canonicalize()
        .map_err(|e| format!("cannot open {}: {e}", folder.display()))?;
    let dev = std::env::current_exe()
        .map_err(|e| format!("this program does not know where it is: {e}"))?;
    let mut playwright = Command::new(e2e.join("node_modules/.bin/playwright"));
    playwright
        .arg("test")
        .current_dir(&e2e)
        .env("SWITCHYARD_CHROMIUM", browser)
        .env("SWITCHYARD_PAGE", page)
        .env("SWITCHYARD_DEV", dev);
    Ok(playwright)
}

/// Returns Playwright's command with Firefox and the command line, which some journeys use for
/// comparison.
fn runner_with_programs(folder: &Path) -> Result<Command, String> {
    let mut playwright = runner(folder)?;
    if let Some(firefox) = setup::firefox() {
        playwright.env("SWITCHYARD_FIREFOX", firefox);
    }
    playwright.env("SWITCHYARD_CLI", build_command_line()?);
    Ok(playwright)
}

/// Returns a regular expression that matches exactly this text.
fn escape(text: &str) -> String {
    let mut pattern = String::new();
    for c in text.chars() {
        if r"\^$.*+?()[]{}|/".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

/// Builds the command line with the features of the workspace tests, so that no crate is compiled
/// twice.
fn build_command_line() -> Result<PathBuf, String> {
    let report = cargo()
        .args(["build", "--quiet", "--workspace", "--bin", "switchyard"])
        .args(["--message-format", "json-render-diagnostics"])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("cargo could not be started: {e}"))?;
    let programs = serde_json::Deserializer::from_slice(&report.stdout)
        .into_iter::<serde_json::Value>()
        .flatten()
        .filter_map(|line| Some(line["executable"].as_str()?.to_owned()));
    match programs.last() {
        Some(path) if report.status.success() => Ok(path.into()),
        _ => Err(
            "the command line, which some journeys compare with, was not built; see above"
                .to_owned(),
        ),
    }
}

/// Type-checks the journeys.
pub fn check_types(name: &str) -> Report {
    let modules = match setup::journey_packages() {
        Ok(modules) => modules,
        Err(message) => return not_started(name, &message),
    };
    let mut tsc = Command::new(modules.join(".bin/tsc"));
    tsc.args(["--project", "."])
        .current_dir(project().join("tests/e2e"));
    check(name, ReportFormat::ExitStatus, &mut tsc)
}

/// Compares the size of a visitor's downloads with the recorded size.
pub fn check_size(name: &str, folder: &Path, page: Page) -> Report {
    let mut node = Command::new("node");
    node.arg(project().join("tests/e2e/size/size.mjs"))
        .arg(folder)
        .arg(match page {
            Page::Release => "release",
            Page::Quick | Page::Developing => "quick",
        });
    check(name, ReportFormat::ExitStatus, &mut node)
}

/// The parts of Playwright's JSON report that are read.
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
    results: Vec<TestResult>,
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
struct TestResult {
    errors: Vec<RunError>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RunError {
    message: String,
}

/// Reads Playwright's report from a file.
///
/// # Errors
///
/// If the runner left no report.
pub fn read_report(file: &Path) -> Result<Report, String> {
    let text = std::fs::read_to_string(file)
        .map_err(|e| format!("the runner left no report: {}: {e}", file.display()))?;
    let run: RunReport = serde_json::from_str(&text)
        .map_err(|e| format!("{} cannot be read: {e}", file.display()))?;
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

fn add_suite(suite: &Suite, enclosing_titles: &[&str], report: &mut Report) {
    let titles = [enclosing_titles, &[suite.title.as_str()]].concat();
    for inner in &suite.suites {
        add_suite(inner, &titles, report);
    }
    for spec in &suite.specs {
        let name = [&titles[..], &[&spec.title]].concat().join(" › ");
        for test in &spec.tests {
            match test.status.as_str() {
                "expected" => report.passed += 1,
                "skipped" => match skip_reason(test) {
                    Some(reason) => report.note(Note::Skipped, &name, reason),
                    None => report.note(Note::NotRun, &name, "the run ended before"),
                },
                _ => {
                    report.failed += 1;
                    report.note(Note::Failed, &name, &first_lines(test));
                }
            }
        }
    }
}

/// Returns why a test skipped itself; `None` if it was not started.
fn skip_reason(test: &Test) -> Option<&str> {
    let mut annotations = test.annotations.iter();
    let skip = annotations.find(|annotation| ["skip", "fixme"].contains(&&*annotation.kind))?;
    Some(match skip.description.as_str() {
        "" => "without a reason",
        reason => reason,
    })
}

/// Returns the first lines of a failed test's errors, without colors.
fn first_lines(test: &Test) -> String {
    let errors = test.results.iter().flat_map(|result| &result.errors);
    errors
        .flat_map(|error| error.message.lines())
        .map(without_colors)
        .take(MAX_REPEATED_LINES)
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::{Journeys, escape};

    #[test]
    fn journeys_are_found_by_file_and_title() {
        for name in ["edit", "edit.spec.ts", "tests/e2e/journeys/edit.spec.ts"] {
            let found = Journeys::in_file(name).expect("a file of journeys");
            assert_eq!(
                (found.files, found.title),
                (vec!["edit.spec.ts".to_owned()], None)
            );
        }
        assert_eq!(Journeys::in_file("no journey"), None);
        let files = |title: &str| Journeys::titled(title).map(|journeys| journeys.files);
        assert!(
            files("The Main task from")
                .is_some_and(|files| files.contains(&"edit.spec.ts".to_owned()))
        );
        assert_eq!(
            files("another build is deployed between"),
            Some(
                ["hostile-chromium.spec.ts", "hostile-firefox.spec.ts"]
                    .map(str::to_owned)
                    .to_vec()
            )
        );
        assert_eq!(files("a_rust_test"), None);
    }

    #[test]
    fn a_title_is_not_a_pattern() {
        assert_eq!(escape("a drop (v1.2)?"), r"a drop \(v1\.2\)\?");
    }
}

#[cfg(test)]
mod playwright_tests {
    use super::*;

    fn parsed(text: &str) -> RunReport {
        serde_json::from_str(text).expect("a report")
    }

    #[test]
    fn journeys_are_counted_with_their_reasons() {
        let mut report = Report::default();
        for file in &parsed(REPORT_TEXT).suites {
            add_suite(file, &[], &mut report);
        }
        assert_eq!(
            (report.passed, report.failed, report.count_skipped()),
            (1, 1, 1)
        );
        let summary = report.summary();
        assert!(
            summary.contains("  no Firefox: edit.spec.ts › Firefox: hosts › a host\n"),
            "{summary}"
        );
        assert!(
            summary.contains("1 did not run:\n  the run ended before: "),
            "{summary}"
        );
        assert!(
            summary.ends_with("› breaks\n  no button\n  Expected: 1\n"),
            "{summary}"
        );
    }

    #[test]
    fn a_runner_without_a_report_has_failed() {
        assert!(read_report(Path::new("no such file")).is_err());
    }

    const REPORT_TEXT: &str = r#"{"suites": [{"title": "edit.spec.ts", "specs": [
          {"title": "works", "tests": [{"status": "expected", "annotations": []}]}],
        "suites": [{"title": "Firefox: hosts", "specs": [
          {"title": "a host", "tests": [{"status": "skipped", "annotations": [{"type": "skip", "description": "no Firefox"}]}]},
          {"title": "another", "tests": [{"status": "skipped", "annotations": []}]},
          {"title": "breaks", "tests": [{"status": "unexpected",
             "results": [{"errors": [{"message": "\u001b[31mno button\u001b[39m\nExpected: 1"}]}]}]}]}]}], "errors": []}"#;
}
