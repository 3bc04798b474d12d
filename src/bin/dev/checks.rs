//! Every check, in the order in which a mistake is told soonest. `.ci/run` runs the same.

use crate::report::{Count, check};
use crate::tools::{BuildTools, project};
use crate::{build, parity, setup};
use std::path::Path;
use std::process::{Command, ExitCode};

/// Runs the checks whose name contains `filter`. The last line is the plain count.
pub(crate) fn run(filter: &str) -> ExitCode {
    let mut count = Count::default();
    setup::components();
    for (name, args) in cargo_checks() {
        if name.contains(filter) {
            let mut cargo = Command::new("cargo");
            cargo.args(args).current_dir(project());
            if name == "docs" {
                cargo.env("RUSTDOCFLAGS", "-D warnings");
            }
            count.add(check(name, &mut cargo));
        }
    }
    for (name, test) in
        [("parity with opm", parity::few_mutants as WithOpm), ("edits read by opm", parity::few_edits as WithOpm)]
    {
        if name.contains(filter) {
            count.add(with_opm(name, test));
        }
    }
    if "wasm build".contains(filter) || "journeys".contains(filter) {
        count.add(page(filter));
    }
    println!("\n{} passed, {} failed", count.passed, count.failed);
    if count.failed == 0 && count.passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn cargo_checks() -> Vec<(&'static str, Vec<&'static str>)> {
    let clippy = |features: &'static [&'static str]| {
        [&["clippy", "--quiet", "--all-targets", "--no-default-features"], features, &["--", "-D", "warnings"]].concat()
    };
    vec![
        ("format", vec!["fmt", "--check"]),
        ("clippy: library", vec!["clippy", "--quiet", "--lib", "--no-default-features", "--", "-D", "warnings"]),
        ("clippy: cli", clippy(&["--features", "cli"])),
        (
            "clippy: dev",
            vec![
                "clippy",
                "--quiet",
                "--bin",
                "dev",
                "--no-default-features",
                "--features",
                "dev",
                "--",
                "-D",
                "warnings",
            ],
        ),
        (
            "clippy: web",
            vec![
                "clippy",
                "--quiet",
                "--lib",
                "--bin",
                "web",
                "--no-default-features",
                "--features",
                "web",
                "--",
                "-D",
                "warnings",
            ],
        ),
        ("tests: library and cli", vec!["test", "--quiet", "--no-default-features", "--features", "cli"]),
        ("tests: dev", vec!["test", "--quiet", "--bin", "dev", "--no-default-features", "--features", "dev"]),
        (
            "tests: worker and app",
            vec![
                "test",
                "--quiet",
                "--lib",
                "--no-default-features",
                "--features",
                "web",
                "--",
                "worker::",
                "app::",
                "protocol::",
            ],
        ),
        ("docs", vec!["doc", "--quiet", "--no-deps", "--lib", "--features", "web"]),
    ]
}

/// A test for which the reference's program is built.
type WithOpm = fn(&Path) -> Command;

/// Ours beside the reference, where it can be built.
fn with_opm(name: &str, test: WithOpm) -> Count {
    match parity::program() {
        Ok(Some(program)) => check(name, &mut test(&program)),
        Ok(None) => {
            println!("\n== {name}\nskipped: no Go is installed, and opm's own library cannot be built without it");
            Count { skipped: 1, ..Count::default() }
        }
        Err(message) => {
            println!("\n== {name}\n{message}");
            Count { failed: 1, ..Count::default() }
        }
    }
}

/// The release page, and the journeys through it in a real browser.
fn page(filter: &str) -> Count {
    let mut count = Count::default();
    let built = setup::all_for_build().and_then(|tools: BuildTools| build::site(&tools));
    match built {
        Ok(_) => count.passed += 1,
        Err(message) => {
            println!("wasm build: {message}");
            count.failed += 1;
            return count;
        }
    }
    if !"journeys".contains(filter) {
        return count;
    }
    match setup::all_for_browser() {
        Ok(browser) => {
            let e2e = project().join("tests/e2e");
            let mut playwright = Command::new(e2e.join("node_modules/.bin/playwright"));
            playwright.arg("test").current_dir(&e2e).env("SWITCHYARD_CHROMIUM", browser);
            if let Ok(dev) = std::env::current_exe() {
                playwright.env("SWITCHYARD_DEV", dev);
            }
            count.add(check("journeys", &mut playwright));
        }
        Err(message) => {
            println!("journeys: {message}");
            count.failed += 1;
        }
    }
    count
}
