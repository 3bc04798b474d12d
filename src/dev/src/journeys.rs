//! The journeys through the page in a real browser: what they need is built here and passed to them by name, so that they
//! never use a page, server or program of another origin.

use crate::build::Page;
use crate::check::{Tells, check, not_begun};
use crate::chosen::Journeys;
use crate::depth::Depth;
use crate::inputs;
use crate::passed_checks::Memory;
use crate::playwright::{self, REPORT};
use crate::report::{Report, counted};
use crate::run::output;
use crate::setup::{self, fingerprint};
use crate::tools::project;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const NAME: &str = "journeys";
/// The variable that names the command line, to the journeys that compare with it.
const CLI: &str = "SWITCHYARD_CLI";

/// How journeys are run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run<'a> {
    /// The page they go through.
    pub(crate) folder: &'a Path,
    pub(crate) depth: Depth,
    /// More arguments for the runner.
    pub(crate) more: &'a [&'a str],
    pub(crate) memory: &'a Memory,
    /// What they read besides the project, the page and the programs.
    pub(crate) said: &'a [String],
}

impl Run<'_> {
    /// Runs these journeys but for the files that passed as they are, through just this page.
    pub(crate) fn of(&self, journeys: &Journeys) -> Report {
        let prepared = with_programs(self.folder)
            .and_then(|(runner, programs)| self.digests(journeys, &programs).map(|d| (runner, d)));
        let (mut runner, digests) = match prepared {
            Ok(prepared) => prepared,
            Err(message) => return not_begun(NAME, &message),
        };
        let mut told = Report::default();
        let mut left = Vec::new();
        for (name, digest) in &digests {
            match self.memory.recall(name, *digest) {
                Some(report) => told.add(report),
                None => left.push(&**name),
            }
        }
        if told.passed > 0 {
            println!(
                "\n== {NAME}\nunchanged since they passed: {}",
                counted(told.passed, "test")
            );
        }
        if left.is_empty() {
            return told;
        }
        runner.args(
            left.iter()
                .map(|name| format!("journeys/{}$", escaped(name))),
        );
        if let Some(title) = &journeys.title {
            runner.args(["--grep", &escaped(title)]);
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
        let report = check(NAME, Tells::Playwright(&file), &mut runner);
        let reports = playwright::by_file(&file);
        // A part of a file does not vouch for the whole, and a failure outside any journey may concern all of them.
        let is_told = report.failed == reports.values().map(|report| report.failed).sum::<u64>();
        if journeys.title.is_none() && self.more.is_empty() && is_told {
            self.note(journeys, &digests, &reports);
        }
        told.add(report);
        told
    }

    /// Notes each file, unless it or what it reads was changed meanwhile.
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
                self.memory.note(file, *digest, report);
            }
        }
    }

    /// A digest for each file of journeys: of itself, of all that the files share, of the page and of the programs.
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
        let said: Vec<String> = self.said.iter().cloned().chain(browsers).collect();
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
                inputs::of(
                    &[&shared[..], &[("journeys".to_owned(), fingerprint(&text))]].concat(),
                    &said,
                ),
            ))
        });
        all.collect()
    }
}

/// What lies below `tests` that no journey reads, or of which each reads only its own.
fn is_of_others(path: &str) -> bool {
    ["tests/it/", "tests/laws/", "tests/opm/"]
        .iter()
        .any(|folder| path.starts_with(folder))
        || path.ends_with(".spec.ts")
}

/// A browser is often started by a script, whose stamp does not identify the version.
fn version(browser: &Path) -> String {
    format!(
        "{} {}",
        inputs::stamp(browser),
        output(Command::new(browser).arg("--version")).unwrap_or_default()
    )
}

/// The runner with everything that journeys in this folder need: a browser, the page, and this program to serve it.
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

/// The runner, and the programs that the journeys meet.
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

/// A pattern that means just this text.
fn escaped(text: &str) -> String {
    let mut pattern = String::new();
    for c in text.chars() {
        if r"\^$.*+?()[]{}|/".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

/// Builds the command line as the tests of the workspace do, so that no crate is compiled twice. Cargo reports where
/// it is.
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
    let told = cargo
        .current_dir(project())
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output();
    let told = told.map_err(|e| format!("cargo could not be started: {e}"))?;
    let lines = String::from_utf8_lossy(&told.stdout);
    let mut programs = lines
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter_map(|line| Some(line["executable"].as_str()?.to_owned()));
    match programs.next_back() {
        Some(path) if told.status.success() => Ok(path.into()),
        _ => Err(
            "the command line, which some journeys compare with, was not built; see above"
                .to_owned(),
        ),
    }
}

/// TypeScript's account of the journeys.
pub(crate) fn types(name: &str) -> Report {
    match setup::packages_of_the_journeys() {
        Ok(modules) => {
            let mut tsc = Command::new(modules.join(".bin/tsc"));
            check(
                name,
                Tells::Outcome,
                tsc.args(["--project", "."])
                    .current_dir(project().join("tests/e2e")),
            )
        }
        Err(message) => not_begun(name, &message),
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
    check(name, Tells::Outcome, &mut node)
}

#[cfg(test)]
mod tests {
    use super::{escaped, is_of_others};

    #[test]
    fn what_journeys_share_is_of_each() {
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
        // A file of journeys that another imported would have to be of that one too.
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
        assert_eq!(escaped("a drop (v1.2)?"), r"a drop \(v1\.2\)\?");
    }
}
