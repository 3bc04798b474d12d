//! Runs the journeys through the page in real browsers. Builds page, server and program first and passes their paths,
//! so that a journey never uses stale ones.

use crate::build::Page;
use crate::check::{ReportFormat, check, not_started};
use crate::chosen::Journeys;
use crate::fuzz::Depth;
use crate::inputs::{self, PassStore};
use crate::report::{Note, Report, count_of};
use crate::run::{output, project};
use crate::setup::{self, fingerprint};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const NAME: &str = "journeys";
/// The variable with the path of the command line, for journeys that compare with it.
const CLI: &str = "SWITCHYARD_CLI";

/// The options of a run of journeys.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run<'a> {
    /// The built page.
    pub(crate) folder: &'a Path,
    pub(crate) depth: Depth,
    /// Further arguments for the runner.
    pub(crate) more: &'a [&'a str],
    pub(crate) store: &'a PassStore,
    /// Inputs besides the project, the page and the programs.
    pub(crate) extra_inputs: &'a [String],
}

impl Run<'_> {
    /// Runs these journeys, except for files that passed on the same inputs.
    pub(crate) fn journeys(&self, journeys: &Journeys) -> Report {
        let prepared = with_programs(self.folder)
            .and_then(|(runner, programs)| self.digests(journeys, &programs).map(|d| (runner, d)));
        let (mut runner, digests) = match prepared {
            Ok(prepared) => prepared,
            Err(message) => return not_started(NAME, &message),
        };
        let mut total = Report::default();
        let mut left = Vec::new();
        for (name, digest) in &digests {
            match self.store.recall(name, *digest) {
                Some(report) => total.add(report),
                None => left.push(&**name),
            }
        }
        if total.passed > 0 {
            println!(
                "\n== {NAME}\nunchanged since they passed: {}",
                count_of(total.passed, "test")
            );
        }
        if left.is_empty() {
            return total;
        }
        runner.args(
            left.iter()
                .map(|name| format!("journeys/{}$", escape(name))),
        );
        if let Some(title) = &journeys.title {
            runner.args(["--grep", &escape(title)]);
        }
        let file = project().join("target/journeys.json");
        if self.depth.is_release()
            && let Some(webkit) = setup::webkit()
        {
            runner.env("SWITCHYARD_WEBKIT", webkit);
        }
        runner
            .args(self.more)
            .envs(self.depth.env())
            .env(REPORT, &file);
        let report = check(NAME, ReportFormat::Playwright(&file), &mut runner);
        let reports = by_file(&file);
        // A run of a part of a file does not cover the rest, and a failure outside of any journey may concern all.
        let is_complete =
            report.failed == reports.values().map(|report| report.failed).sum::<u64>();
        if journeys.title.is_none() && self.more.is_empty() && is_complete {
            self.note(journeys, &digests, &reports);
        }
        total.add(report);
        total
    }

    /// Records each file that passed, unless its inputs changed meanwhile.
    fn note(
        &self,
        journeys: &Journeys,
        before: &[(String, u64)],
        reports: &BTreeMap<String, Report>,
    ) {
        let Ok(now) = programs().and_then(|programs| self.digests(journeys, &programs)) else {
            return;
        };
        for (file, digest) in before.iter().filter(|file| now.contains(file)) {
            if let Some(report) = reports.get(file) {
                self.store.note(file, *digest, report);
            }
        }
    }

    /// A digest for each file of journeys: the file, the shared sources, the page and the programs.
    fn digests(
        &self,
        journeys: &Journeys,
        programs: &[PathBuf],
    ) -> Result<Vec<(String, u64)>, String> {
        let mut shared = inputs::contents(&project(), |path| {
            path.starts_with("tests/") && !is_of_others(path)
        });
        shared.extend(inputs::contents(self.folder, |_| true));
        for program in programs {
            let bytes = std::fs::read(program)
                .map_err(|e| format!("cannot read {}: {e}", program.display()))?;
            shared.push((program.display().to_string(), fingerprint(&bytes)));
        }
        let browsers = [setup::chromium().ok(), setup::firefox()]
            .map(|path| format!("{:?}", path.map(|path| version(&path))));
        let extra_inputs: Vec<String> = self.extra_inputs.iter().cloned().chain(browsers).collect();
        let all = journeys.files.iter().map(|file| {
            let name = file
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let text =
                std::fs::read(file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
            Ok((
                name,
                inputs::digest_of(
                    &[&shared[..], &[("journeys".to_owned(), fingerprint(&text))]].concat(),
                    &extra_inputs,
                ),
            ))
        });
        all.collect()
    }
}

/// Files below `tests` that no other journey reads.
fn is_of_others(path: &str) -> bool {
    ["tests/it/", "tests/laws/", "tests/opm/"]
        .iter()
        .any(|folder| path.starts_with(folder))
        || path.ends_with(".spec.ts")
}

/// Includes the version, because a browser is often started by a script that does not change with it.
fn version(browser: &Path) -> String {
    format!(
        "{} {}",
        inputs::stamp(browser),
        output(Command::new(browser).arg("--version")).unwrap_or_default()
    )
}

/// The runner with a browser, the page, and this program to serve it.
pub(crate) fn runner(folder: &Path) -> Result<Command, String> {
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
        .env("SWITCHYARD_CHROMIUM", browser);
    playwright
        .env("SWITCHYARD_PAGE", page)
        .env("SWITCHYARD_DEV", dev);
    Ok(playwright)
}

/// The runner, and the programs that journeys start.
fn with_programs(folder: &Path) -> Result<(Command, Vec<PathBuf>), String> {
    let mut playwright = runner(folder)?;
    if let Some(firefox) = setup::firefox() {
        playwright.env("SWITCHYARD_FIREFOX", firefox);
    }
    let programs = programs()?;
    playwright.env(CLI, &programs[0]);
    Ok((playwright, programs.into()))
}

/// The command line, which some journeys compare with, and this program, which serves the page.
fn programs() -> Result<[PathBuf; 2], String> {
    let dev = std::env::current_exe()
        .map_err(|e| format!("this program does not know where it is: {e}"))?;
    Ok([command_line()?, dev])
}

/// A regular expression that matches exactly this text.
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

/// Builds the command line with the features of the workspace tests, so that no crate is compiled twice.
fn command_line() -> Result<PathBuf, String> {
    let mut cargo = Command::new("cargo");
    cargo.args([
        "build",
        "--quiet",
        "--workspace",
        "--bin",
        "switchyard",
        "--message-format",
        "json-render-diagnostics",
    ]);
    let report = cargo
        .current_dir(project())
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output();
    let report = report.map_err(|e| format!("cargo could not be started: {e}"))?;
    let lines = String::from_utf8_lossy(&report.stdout);
    let mut programs = lines
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter_map(|line| Some(line["executable"].as_str()?.to_owned()));
    match programs.next_back() {
        Some(path) if report.status.success() => Ok(path.into()),
        _ => Err(
            "the command line, which some journeys compare with, was not built; see above"
                .to_owned(),
        ),
    }
}

/// Type-checks the journeys.
pub(crate) fn types(name: &str) -> Report {
    match setup::packages_of_the_journeys() {
        Ok(modules) => {
            let mut tsc = Command::new(modules.join(".bin/tsc"));
            check(
                name,
                ReportFormat::ExitStatus,
                tsc.args(["--project", "."])
                    .current_dir(project().join("tests/e2e")),
            )
        }
        Err(message) => not_started(name, &message),
    }
}

/// The size of what a visitor downloads, compared with the recorded one.
pub(crate) fn size(name: &str, folder: &Path, page: Page) -> Report {
    let mut node = Command::new("node");
    node.arg(project().join("tests/e2e/size/size.mjs"))
        .arg(folder)
        .arg(match page {
            Page::Release => "release",
            Page::Quick | Page::Developing => "quick",
        });
    check(name, ReportFormat::ExitStatus, &mut node)
}

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
    use super::{escape, is_of_others};

    #[test]
    fn shared_files_belong_to_every_journey() {
        for path in [
            "tests/e2e/harness.ts",
            "tests/e2e/hostile/row.ts",
            "tests/e2e/package-lock.json",
            "tests/data/catalogs/a.yaml",
        ] {
            assert!(!is_of_others(path), "{path}");
        }
        for path in ["tests/e2e/journeys/edit.spec.ts", "tests/it/main.rs"] {
            assert!(is_of_others(path), "{path}");
        }
        // Assumes that no journey file imports another, whose inputs would otherwise count, too.
        for file in crate::chosen::all_journeys(&crate::run::project()).files {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            assert!(
                !text
                    .lines()
                    .any(|line| line.contains(" from '") && line.contains(".spec")),
                "{}",
                file.display()
            );
        }
    }

    #[test]
    fn a_title_is_no_pattern() {
        assert_eq!(escape("a drop (v1.2)?"), r"a drop \(v1\.2\)\?");
    }
}

#[cfg(test)]
mod playwright_tests {
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
