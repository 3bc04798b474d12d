//! Every check, in the order in which a mistake is told soonest. `.ci/run` runs the same.

use crate::build::Page;
use crate::report::{Count, Tells, check};
use crate::run::say;
use crate::tools::{BuildTools, project};
use crate::{build, parity, setup};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};

/// How much is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// What a commit waits for.
    Commit,
    /// What a release needs: everything of which a commit tries a sample.
    Release,
}

impl Depth {
    /// What the tests read of how much they try.
    fn env(self) -> &'static [(&'static str, &'static str)] {
        match self {
            // The same trees each time; what is new is looked for before a release.
            Depth::Commit => &[("SWITCHYARD_PARITY_SEED", "20261123")],
            Depth::Release => &[
                ("SWITCHYARD_PASSING", "all"),
                ("SWITCHYARD_PATCHES", "all"),
                ("SWITCHYARD_CASES", "20000"),
                ("SWITCHYARD_KILLS", "100"),
                ("SWITCHYARD_LAW_RUNS", "25"),
                ("SWITCHYARD_LAW_ACTS", "40"),
            ],
        }
    }

    fn mutants(self) -> &'static str {
        match self {
            Depth::Commit => "4000",
            Depth::Release => "100000",
        }
    }

    fn edits(self) -> &'static str {
        match self {
            Depth::Commit => "300",
            Depth::Release => "10000",
        }
    }
}

/// `cargo dev test [FILTER] [--release] [--deep]`: runs the checks whose name contains `FILTER`; the journeys through the
/// page that ships, or all that a release needs, where it says so. The last line is the plain count.
pub(crate) fn verb(args: &[&str]) -> ExitCode {
    let (options, words): (Vec<&str>, Vec<&str>) = args.iter().partition(|arg| arg.starts_with("--"));
    if let Some(unknown) = options.iter().find(|option| !["--release", "--deep"].contains(option)) {
        eprintln!("cargo dev: `{unknown}` is no option of `test`: --release and --deep are");
        return ExitCode::FAILURE;
    }
    let depth = if options.contains(&"--deep") { Depth::Release } else { Depth::Commit };
    let page = if options.is_empty() { Page::Quick } else { Page::Release };
    run(words.first().copied().unwrap_or(""), page, depth)
}

fn run(filter: &str, built: Page, depth: Depth) -> ExitCode {
    let mut count = Count::default();
    setup::components();
    let mut ahead = if filter.is_empty() { ahead(built) } else { None };
    for (name, tells, args) in cargo_checks() {
        if name.contains(filter) {
            let mut cargo = Command::new("cargo");
            cargo.args(args).current_dir(project()).envs(depth.env().iter().copied());
            if name == "docs" {
                cargo.env("RUSTDOCFLAGS", "-D warnings");
            }
            count.add(check(name, tells, &mut cargo));
        }
    }
    for (name, test, cases) in [
        ("parity with opm", parity::mutants as WithOpm, depth.mutants()),
        ("edits read by opm", parity::edits, depth.edits()),
    ] {
        if name.contains(filter) {
            count.add(with_opm(name, &|program| {
                let mut command = test(program, cases);
                command.envs(depth.env().iter().copied());
                command
            }));
        }
    }
    if "wasm build".contains(filter) || "journeys".contains(filter) {
        if let Some((child, log)) = &mut ahead {
            say("waiting for the page, which was built meanwhile");
            // Where it failed, the build below fails with the same words.
            let _ = child.wait();
            println!("{}", std::fs::read_to_string(log).unwrap_or_default());
        }
        count.add(page(filter, built, depth));
    }
    println!("\n{} passed, {} failed", count.passed, count.failed);
    if count.failed == 0 && count.passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Begins to build the page beside the tests of the host: cargo locks each profile's folder for itself, and a compiler
/// alone seldom keeps two cores busy. Gives the process, and where its words go.
fn ahead(page: Page) -> Option<(Child, PathBuf)> {
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

fn cargo_checks() -> Vec<(&'static str, Tells, Vec<&'static str>)> {
    vec![
        ("format", Tells::Outcome, vec!["fmt", "--all", "--check"]),
        ("clippy", Tells::Outcome, vec!["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]),
        // Everything at once, so that each package is compiled once.
        ("tests", Tells::Tests, vec!["test", "--quiet", "--workspace", "--lib", "--bins", "--test", "it"]),
        (
            "extreme inputs",
            Tells::Tests,
            [
                &["test", "--quiet", "--package", "switchyard-fbc", "--profile", "optimised"][..],
                &["--test", "extreme", "--test", "memory"],
            ]
            .concat(),
        ),
        ("docs", Tells::Outcome, vec!["doc", "--quiet", "--workspace", "--no-deps", "--lib"]),
    ]
}

/// A test for which the reference's program is built, of so many cases.
type WithOpm = fn(&Path, &str) -> Command;

/// Ours beside the reference, where it can be built.
fn with_opm(name: &str, test: &dyn Fn(&Path) -> Command) -> Count {
    match parity::program() {
        Ok(Some(program)) => check(name, Tells::Tests, &mut test(&program)),
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

/// What a visitor downloads against what is recorded.
fn size(folder: &Path, page: Page) -> Command {
    let mut node = Command::new("node");
    node.arg(project().join("tests/e2e/size/size.mjs")).arg(folder).arg(match page {
        Page::Release => "release",
        Page::Quick | Page::Developing => "quick",
    });
    node
}

/// The page, and the journeys through it in a real browser.
fn page(filter: &str, page: Page, depth: Depth) -> Count {
    let mut count = Count::default();
    let built = setup::all_for_build().and_then(|tools: BuildTools| build::site(&tools, page));
    let folder = match built {
        Ok(folder) => {
            count.passed += 1;
            folder
        }
        Err(message) => {
            println!("wasm build: {message}");
            count.failed += 1;
            return count;
        }
    };
    count.add(check("page size", Tells::Outcome, &mut size(&folder, page)));
    if !"journeys".contains(filter) {
        return count;
    }
    match setup::all_for_browser() {
        Ok(browser) => {
            let e2e = project().join("tests/e2e");
            let mut playwright = Command::new(e2e.join("node_modules/.bin/playwright"));
            playwright.arg("test").current_dir(&e2e).env("SWITCHYARD_CHROMIUM", browser).env("SWITCHYARD_PAGE", folder);
            playwright.envs(depth.env().iter().copied());
            if let Some(firefox) = setup::firefox() {
                playwright.env("SWITCHYARD_FIREFOX", firefox);
            }
            if let Ok(dev) = std::env::current_exe() {
                playwright.env("SWITCHYARD_DEV", dev);
            }
            count.add(check("journeys", Tells::Tests, &mut playwright));
        }
        Err(message) => {
            println!("journeys: {message}");
            count.failed += 1;
        }
    }
    count
}
