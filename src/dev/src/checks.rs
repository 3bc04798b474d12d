//! `cargo dev test`: every check, in the order in which a mistake is told soonest. `.ci/run` runs the same.

use crate::build::Page;
use crate::check::{Tells, check, not_begun, skipped};
use crate::depth::Depth;
use crate::report::Report;
use crate::run::say;
use crate::tools::project;
use crate::{build, journeys, libtest, parity, setup};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};

const TYPES: &str = "types of journeys";
const PARITY: &str = "parity with opm";
const EDITS: &str = "edits read by opm";
const BUILD: &str = "wasm build";
const SIZE: &str = "page size";
const JOURNEYS: &str = "journeys";

/// All of them, in order.
const CHECKS: [&str; 11] =
    [TYPES, "format", "clippy", "tests", "extreme inputs", "docs", PARITY, EDITS, BUILD, SIZE, JOURNEYS];

/// How the checks are run, whichever they are.
#[derive(Debug, Clone, Copy)]
struct Way {
    page: Page,
    depth: Depth,
}

/// `cargo dev test [FILTER] [--release] [--deep]`: runs the checks whose name contains `FILTER`. The last line is the plain
/// count.
pub(crate) fn verb(args: &[&str]) -> ExitCode {
    let (options, words): (Vec<&str>, Vec<&str>) = args.iter().partition(|arg| arg.starts_with("--"));
    if let Some(unknown) = options.iter().find(|option| !["--release", "--deep"].contains(option)) {
        eprintln!("cargo dev: `{unknown}` is no option of `test`: --release and --deep are");
        return ExitCode::FAILURE;
    }
    let depth = if options.contains(&"--deep") { Depth::Release } else { Depth::Commit };
    let page = if options.is_empty() { Page::Quick } else { Page::Release };
    let filter = words.first().copied().unwrap_or("");
    let names: Vec<&str> = CHECKS.into_iter().filter(|name| name.contains(filter)).collect();
    let report = checks(&names, Way { page, depth });
    print!("{}", report.told());
    println!("\n{} passed, {} failed", report.passed, report.failed);
    if report.failed == 0 && report.passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs the checks of these names.
fn checks(names: &[&str], way: Way) -> Report {
    let mut report = Report::default();
    let has = |name: &str| names.contains(&name);
    if has("format") || has("clippy") {
        setup::components();
    }
    let ahead = if names.len() == CHECKS.len() { ahead(way.page) } else { None };
    if has(TYPES) {
        report.add(journeys::types(TYPES));
    }
    for (name, runs_tests, args) in cargo_checks() {
        if has(name) {
            let mut cargo = Command::new("cargo");
            cargo.args(args).current_dir(project()).envs(way.depth.env());
            if name == "docs" {
                cargo.env("RUSTDOCFLAGS", "-D warnings");
            }
            report.add(if runs_tests {
                check(name, Tells::Libtest, cargo.args(libtest::ARGS))
            } else {
                check(name, Tells::Outcome, &mut cargo)
            });
        }
    }
    for (name, test, cases) in
        [(PARITY, parity::MUTANTS, way.depth.mutants()), (EDITS, parity::EDITS, way.depth.edits())]
    {
        if has(name) {
            report.add(with_opm(name, test, cases, way.depth));
        }
    }
    if [BUILD, SIZE, JOURNEYS].iter().any(|name| has(name)) {
        if let Some((mut child, log)) = ahead {
            say("waiting for the page, which was built meanwhile");
            // Where it failed, the build below fails with the same words.
            let _ = child.wait();
            println!("{}", std::fs::read_to_string(log).unwrap_or_default());
        }
        report.add(page(names, way));
    }
    report
}

/// Begins to build the page beside the tests of the host: cargo locks each profile's folder for itself, and a compiler
/// alone seldom keeps two cores busy. Gives the process, and where its words go.
fn ahead(page: Page) -> Option<(Child, PathBuf)> {
    // Both need these packages, and two that install them at once would write over each other. Who needs them says what
    // went wrong.
    let _ = setup::node_modules();
    let folder = project().join("target");
    std::fs::create_dir_all(&folder).ok()?;
    let log = folder.join("page-build.log");
    let out = std::fs::File::create(&log).ok()?;
    let mut build = Command::new(std::env::current_exe().ok()?);
    build.arg("build").stdin(Stdio::null()).stderr(out.try_clone().ok()?).stdout(out);
    if page == Page::Quick {
        build.arg("--quick");
    }
    Some((build.spawn().ok()?, log))
}

/// What cargo alone checks: its name, whether it runs tests, and what cargo is asked.
fn cargo_checks() -> [(&'static str, bool, &'static [&'static str]); 5] {
    [
        ("format", false, &["fmt", "--all", "--check"]),
        ("clippy", false, &["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]),
        // Everything at once, so that each package is compiled once.
        ("tests", true, &["test", "--quiet", "--workspace", "--lib", "--bins", "--test", "it", "--"]),
        (
            "extreme inputs",
            true,
            &[
                "test",
                "--quiet",
                "--package",
                "switchyard-fbc",
                "--profile",
                "optimised",
                "--test",
                "extreme",
                "--test",
                "memory",
                "--",
            ],
        ),
        ("docs", false, &["doc", "--quiet", "--workspace", "--no-deps", "--lib"]),
    ]
}

/// Ours beside the reference, where it can be built.
fn with_opm(name: &str, test: parity::Test, cases: &str, depth: Depth) -> Report {
    match parity::program() {
        Ok(Some(program)) => {
            let mut report =
                check(name, Tells::LibtestInFull(test.path), parity::with_opm(&program, test, cases).envs(depth.env()));
            if report.all() > 0 {
                report.ran(test.path);
            }
            report
        }
        Ok(None) => skipped(name, "no Go is installed, and opm's own library cannot be built without it"),
        Err(message) => not_begun(name, &message),
    }
}

/// The page, what it weighs, and the journeys through it, as far as they are named.
fn page(names: &[&str], way: Way) -> Report {
    let built = setup::all_for_build().and_then(|tools| build::site(&tools, way.page));
    let folder = match built {
        Ok(folder) => folder,
        Err(message) => return not_begun(BUILD, &message),
    };
    let mut report = Report::default();
    if names.contains(&BUILD) {
        report.add(Report::one(true));
    }
    if names.contains(&SIZE) {
        report.add(journeys::size(SIZE, &folder, way.page));
    }
    if names.contains(&JOURNEYS) {
        report.add(journeys::run(&folder, way.depth));
    }
    report
}
