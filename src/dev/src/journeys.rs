//! Runs the journeys through the page in real browsers. Builds page, server and program first and passes their paths,
//! so that a journey never uses stale ones.

use crate::build::Page;
use crate::check::{ReportFormat, check, not_started};
use crate::chosen::Journeys;
use crate::depth::Depth;
use crate::inputs;
use crate::passed_checks::PassStore;
use crate::playwright::{self, REPORT};
use crate::report::{Report, count_of};
use crate::run::output;
use crate::setup::{self, fingerprint};
use crate::tools::project;
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
        let reports = playwright::by_file(&file);
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
        for file in crate::chosen::all_journeys(&crate::tools::project()).files {
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
