//! The journeys through the page in a real browser: what they need is built here and named to them, so that they never meet
//! a page, a server or a program of somebody else's.

use crate::build::Page;
use crate::check::{Tells, check, not_begun};
use crate::chosen::Journeys;
use crate::depth::Depth;
use crate::json::Json;
use crate::playwright::REPORT;
use crate::report::Report;
use crate::setup;
use crate::tools::project;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The variable that names the command line, to the journeys that compare with it.
const CLI: &str = "SWITCHYARD_CLI";

/// Runs these journeys through the page in this folder, with more arguments for the runner.
pub(crate) fn run(journeys: &Journeys, folder: &Path, depth: Depth, more: &[&str]) -> Report {
    match playwright(journeys, folder) {
        Ok(mut playwright) => {
            let report = project().join("target/journeys.json");
            playwright.args(more).envs(depth.env()).env(REPORT, &report);
            check("journeys", Tells::Playwright(&report), &mut playwright)
        }
        Err(message) => not_begun("journeys", &message),
    }
}

/// The runner with what everything needs that goes through the page in this folder: a browser, the page, and this program
/// to serve it.
pub(crate) fn runner(folder: &Path) -> Result<Command, String> {
    let browser = setup::all_for_browser()?;
    let e2e = project().join("tests/e2e");
    let page = folder.canonicalize().map_err(|e| format!("cannot open {}: {e}", folder.display()))?;
    let dev = std::env::current_exe().map_err(|e| format!("this program does not know where it is: {e}"))?;
    let mut playwright = Command::new(e2e.join("node_modules/.bin/playwright"));
    playwright.arg("test").current_dir(&e2e).env("SWITCHYARD_CHROMIUM", browser);
    playwright.env("SWITCHYARD_PAGE", page).env("SWITCHYARD_DEV", dev);
    Ok(playwright)
}

fn playwright(journeys: &Journeys, folder: &Path) -> Result<Command, String> {
    let mut playwright = runner(folder)?;
    // To the runner these are patterns.
    let names = journeys.files.iter().filter_map(|file| file.file_name());
    playwright.args(names.map(|name| format!("journeys/{}$", escaped(&name.to_string_lossy()))));
    if let Some(title) = &journeys.title {
        playwright.args(["--grep", &escaped(title)]);
    }
    if let Some(firefox) = setup::firefox() {
        playwright.env("SWITCHYARD_FIREFOX", firefox);
    }
    if journeys.files.iter().any(|file| std::fs::read_to_string(file).is_ok_and(|text| text.contains(CLI))) {
        playwright.env(CLI, command_line()?);
    }
    Ok(playwright)
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

/// Builds the command line as the tests of the workspace do, so that no crate is compiled twice. Cargo says where it is.
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
    let told = cargo.current_dir(project()).stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let told = told.map_err(|e| format!("cargo could not be started: {e}"))?;
    let lines = String::from_utf8_lossy(&told.stdout);
    let mut programs = lines.lines().filter_map(Json::read).map(|line| line.text("executable").to_owned());
    match programs.rfind(|path| !path.is_empty()) {
        Some(path) if told.status.success() => Ok(path.into()),
        _ => Err("the command line, which some journeys compare with, was not built; see above".to_owned()),
    }
}

/// TypeScript's account of the journeys.
pub(crate) fn types(name: &str) -> Report {
    match setup::packages_of_the_journeys() {
        Ok(modules) => {
            let mut tsc = Command::new(modules.join(".bin/tsc"));
            check(name, Tells::Outcome, tsc.args(["--project", "."]).current_dir(project().join("tests/e2e")))
        }
        Err(message) => not_begun(name, &message),
    }
}

/// What a visitor downloads against what is recorded.
pub(crate) fn size(name: &str, folder: &Path, page: Page) -> Report {
    let mut node = Command::new("node");
    node.arg(project().join("tests/e2e/size/size.mjs")).arg(folder).arg(match page {
        Page::Release => "release",
        Page::Quick | Page::Developing => "quick",
    });
    check(name, Tells::Outcome, &mut node)
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn a_title_is_no_pattern() {
        assert_eq!(escaped("a drop (v1.2)?"), r"a drop \(v1\.2\)\?");
    }
}
