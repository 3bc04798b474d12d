//! `cargo dev test`: every check, in the order that reports a mistake soonest, or only those that were named. `.ci/run`
//! runs the same.

use crate::build::Page;
use crate::check::{Tells, check, not_begun, skipped};
use crate::chosen::{Chosen, Home, Journeys, all_journeys, chosen};
use crate::depth::Depth;
use crate::inputs::{self, Reads};
use crate::passed_checks::Memory;
use crate::report::{Report, counted};
use crate::run::say;
use crate::tools::project;
use crate::{build, fuzz, journeys, libtest, parity, setup};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};

const TYPES: &str = "types of journeys";
const PARITY: &str = "parity with opm";
const EDITS: &str = "edits read by opm";
const FUZZ: &str = "fuzz";
const BUILD: &str = "wasm build";
const SIZE: &str = "page size";
const JOURNEYS: &str = "journeys";

/// All of them, in order. Fuzzing is only for a release, or whoever names it.
const CHECKS: [&str; 12] = [
    TYPES,
    "format",
    "clippy",
    "tests",
    "extreme inputs",
    "docs",
    PARITY,
    EDITS,
    FUZZ,
    BUILD,
    SIZE,
    JOURNEYS,
];

/// Executions of each fuzz target.
const FUZZED: &str = "500000";

/// Arguments to cargo for tests that run by themselves, since they count work: their names follow.
const ALONE: &[&str] = &[
    "test",
    "--quiet",
    "--package",
    "switchyard-fbc",
    "--package",
    "switchyard-worker",
    "--profile",
    "optimised",
];

/// What cargo compiles, except for files that only the page's build and its journeys read. (Tests of the whole workspace
/// read even the documents: for them all files count.)
const COMPILED: Reads = Reads::AllBut(&["tests/e2e", "style", "public", ".ci"]);
/// What the library, the worker and the tests are made of that are compiled with them alone.
const LIBRARY: Reads = Reads::AllBut(&[
    "tests/e2e",
    "tests/it",
    "tests/laws",
    "tests/opm",
    "src/app",
    "src/cli",
    "src/dev",
    "benches",
    "docs",
    "fuzz",
    "public",
    "style",
    "index.html",
    ".ci",
]);
/// What the tests from outside are made of, as far as the reference judges.
const REFERENCE: Reads = Reads::AllBut(&[
    "tests/e2e",
    "src/app",
    "src/dev",
    "benches",
    "docs",
    "fuzz",
    "public",
    "style",
    "index.html",
    ".ci",
]);

/// How the checks are run, whichever they are.
#[derive(Debug, Clone, Copy)]
struct Way<'a> {
    page: Page,
    depth: Depth,
    /// Whether what passed before on the same inputs counts.
    recalls: bool,
    /// Arguments that are passed on to the runner of the tests.
    more: &'a [&'a str],
}

/// `cargo dev test [NAME] [--again] [--release] [--deep] [-- ARGS]`. The last line is the plain count.
pub(crate) fn verb(args: &[&str]) -> ExitCode {
    match read(args).and_then(|(name, way)| Ok((run(name, way)?, way.depth))) {
        Ok((report, depth)) => {
            print!("{}", report.told());
            depth.again().iter().for_each(|words| println!("\n{words}"));
            println!("\n{} passed, {} failed", report.passed, report.failed);
            if report.failed == 0 && report.passed > 0 {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(message) => {
            eprintln!("cargo dev: {message}");
            ExitCode::FAILURE
        }
    }
}

fn read<'a>(args: &'a [&'a str]) -> Result<(Option<&'a str>, Way<'a>), String> {
    let end = args.iter().position(|arg| *arg == "--");
    let (own, more) = end.map_or((args, &[][..]), |end| (&args[..end], &args[end + 1..]));
    let (options, words): (Vec<&str>, Vec<&str>) = own.iter().partition(|arg| arg.starts_with('-'));
    if let Some(unknown) = options
        .iter()
        .find(|option| !["--again", "--release", "--deep"].contains(option))
    {
        return Err(format!(
            "`{unknown}` is no option of `test`: --again, --release and --deep are; the runner's stand behind `--`"
        ));
    }
    if words.len() > 1 {
        return Err(format!(
            "name one of {}, or put it in quotes if it is one name",
            words.join(", ")
        ));
    }
    let depth = if options.contains(&"--deep") {
        Depth::release()
    } else {
        Depth::Commit
    };
    let is_release = ["--release", "--deep"]
        .iter()
        .any(|option| options.contains(option));
    let page = if is_release {
        Page::Release
    } else {
        Page::Quick
    };
    let name = words.first().copied().filter(|name| !name.is_empty());
    // Who names something wants it run, and a release is tried with fresh seeds.
    let recalls = name.is_none() && !depth.is_release() && !options.contains(&"--again");
    Ok((
        name,
        Way {
            page,
            depth,
            recalls,
            more,
        },
    ))
}

fn run(name: Option<&str>, way: Way<'_>) -> Result<Report, String> {
    let Some(name) = name else {
        return if way.more.is_empty() {
            Ok(checks(&CHECKS, way))
        } else {
            Err("arguments behind `--` are for one runner: name a check with tests, a journey or a test".to_owned())
        };
    };
    match chosen(name, &CHECKS, &project()) {
        Some(Chosen::Checks(names)) => {
            let takes_more = matches!(names[..], ["tests" | "extreme inputs" | JOURNEYS]);
            if takes_more || way.more.is_empty() {
                Ok(checks(&names, way))
            } else {
                Err(format!(
                    "{} takes no arguments behind `--`",
                    names.join(", ")
                ))
            }
        }
        Some(Chosen::Journeys(journeys)) => {
            Ok(page(&[JOURNEYS], &journeys, way, &Remembers::new(way)))
        }
        Some(Chosen::RustTests(homes)) => {
            let mut report = Report::default();
            for home in homes {
                report.add(rust_tests(&home, name, way));
            }
            Ok(report)
        }
        None => Err(format!(
            "nothing is called `{name}`: no check, no file of tests/e2e/journeys, no part of a journey's title and no test \
             in Rust\n\nThe checks:\n  {}",
            CHECKS.join("\n  ")
        )),
    }
}

/// What passed before, and for which inputs.
struct Remembers {
    memory: Memory,
    /// What all checks read outside the project, and how much they try.
    said: Vec<String>,
}

impl Remembers {
    fn new(way: Way<'_>) -> Self {
        let mut said = inputs::outside(&project());
        said.extend(
            way.depth
                .env()
                .into_iter()
                .map(|(name, value)| format!("{name}={value}")),
        );
        Self {
            memory: Memory::new(&project(), way.recalls),
            said,
        }
    }

    /// The earlier outcome of this check on the same inputs, or else its outcome now, which is recorded unless the
    /// inputs changed meanwhile or it ran only in part.
    fn or_run(
        &self,
        name: &str,
        reads: Reads,
        own: &[&str],
        way: Way<'_>,
        run: impl FnOnce() -> Report,
    ) -> Report {
        let said: Vec<String> = self
            .said
            .iter()
            .cloned()
            .chain(own.iter().map(|&own| own.to_owned()))
            .collect();
        let digest = || inputs::digest(&project(), reads, &said);
        let before = digest();
        if let Some(report) = self.memory.recall(name, before) {
            println!(
                "\n== {name}\nunchanged since it passed: {}",
                counted(report.passed, "test")
            );
            return report;
        }
        let report = run();
        if way.more.is_empty() && digest() == before {
            self.memory.note(name, before, &report);
        }
        report
    }
}

/// Runs the checks of these names.
fn checks(names: &[&str], way: Way<'_>) -> Report {
    let mut report = Report::default();
    let has = |name: &str| names.contains(&name);
    if has("format") || has("clippy") {
        setup::components();
    }
    let ahead = if names.len() == CHECKS.len() {
        ahead(way.page)
    } else {
        None
    };
    let remembers = Remembers::new(way);
    if has(TYPES) {
        report.add(
            remembers.or_run(TYPES, Reads::Below("tests/e2e"), &[], way, || {
                journeys::types(TYPES)
            }),
        );
    }
    for (name, runs_tests, reads, args) in cargo_checks() {
        if has(name) {
            report.add(remembers.or_run(name, reads, &args, way, || {
                let mut cargo = Command::new("cargo");
                cargo
                    .args(&args)
                    .current_dir(project())
                    .envs(way.depth.env());
                if name == "docs" {
                    cargo.env("RUSTDOCFLAGS", "-D warnings");
                }
                if runs_tests {
                    tests(name, cargo, way)
                } else {
                    check(name, Tells::Outcome, &mut cargo)
                }
            }));
        }
    }
    for (name, test, cases) in [
        (PARITY, parity::MUTANTS, way.depth.mutants()),
        (EDITS, parity::EDITS, way.depth.edits()),
    ] {
        if has(name) {
            report.add(remembers.or_run(name, REFERENCE, &[cases], way, || {
                with_opm(name, test, cases, way.depth)
            }));
        }
    }
    if has(FUZZ) && (way.depth.is_release() || names.len() < CHECKS.len()) {
        report.add(fuzzed());
    }
    if [BUILD, SIZE, JOURNEYS].iter().any(|name| has(name)) {
        if let Some((mut child, log)) = ahead {
            say("waiting for the page, which was built meanwhile");
            // If it failed, the build below fails with the same message.
            let _ = child.wait();
            println!("{}", std::fs::read_to_string(log).unwrap_or_default());
        }
        report.add(page(names, &all_journeys(&project()), way, &remembers));
    }
    report
}

/// Starts building the page alongside the tests of the host: cargo locks each profile's folder separately, and the
/// compiler alone seldom keeps two cores busy. Returns the process, and where its output goes.
fn ahead(page: Page) -> Option<(Child, PathBuf)> {
    // Both need these packages, and two installations at once would overwrite each other. Whoever needs them reports
    // the failure.
    let _ = setup::node_modules();
    // Ask about system packages here, while there is a terminal: the build has none.
    if std::io::stdin().is_terminal() && setup::wasm_compiler().is_err() {
        return None;
    }
    let folder = project().join("target");
    std::fs::create_dir_all(&folder).ok()?;
    let log = folder.join("page-build.log");
    let out = std::fs::File::create(&log).ok()?;
    let mut build = Command::new(std::env::current_exe().ok()?);
    build
        .arg("build")
        .stdin(Stdio::null())
        .stderr(out.try_clone().ok()?)
        .stdout(out);
    if page == Page::Quick {
        build.arg("--quick");
    }
    Some((build.spawn().ok()?, log))
}

/// A check that is one cargo command: its name, whether it runs tests, what it reads, and the arguments to cargo.
fn cargo_checks() -> [(&'static str, bool, Reads, Vec<&'static str>); 5] {
    const ALL: Reads = Reads::AllBut(&[]);
    [
        ("format", false, COMPILED, vec!["fmt", "--all", "--check"]),
        (
            "clippy",
            false,
            COMPILED,
            vec![
                "clippy",
                "--quiet",
                "--workspace",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ],
        ),
        // Everything at once, so that each package is compiled once.
        (
            "tests",
            true,
            ALL,
            vec![
                "test",
                "--quiet",
                "--workspace",
                "--lib",
                "--bins",
                "--test",
                "it",
                "--",
            ],
        ),
        (
            "extreme inputs",
            true,
            LIBRARY,
            [
                ALONE,
                &[
                    "--test",
                    "extreme",
                    "--test",
                    "growth",
                    "--test",
                    "growth_operations",
                ],
                &[
                    "--test",
                    "growth_questions",
                    "--test",
                    "growth_others",
                    "--test",
                    "growth_repository",
                ],
                &["--test", "memory", "--"],
            ]
            .concat(),
        ),
        (
            "docs",
            false,
            COMPILED,
            vec!["doc", "--quiet", "--workspace", "--no-deps", "--lib"],
        ),
    ]
}

/// Runs tests in Rust: their output is shown unchanged if the user passed arguments to the runner.
fn tests(name: &str, mut cargo: Command, way: Way<'_>) -> Report {
    if way.more.is_empty() {
        check(name, Tells::Libtest, cargo.args(libtest::ARGS))
    } else {
        check(name, Tells::LibtestInFull(name), cargo.args(way.more))
    }
}

/// Those of one place whose path contains the name.
fn rust_tests(home: &Home, name: &str, way: Way<'_>) -> Report {
    let mut cargo = Command::new("cargo");
    let place = match home {
        Home::World { name, is_library } => {
            cargo.args([
                "test",
                "--quiet",
                "--package",
                &format!("switchyard-{name}"),
            ]);
            cargo.args([if *is_library { "--lib" } else { "--bins" }, "--"]);
            format!("src/{name}")
        }
        Home::Outside => {
            cargo.args(parity::OUTER_TESTS);
            "tests/it".to_owned()
        }
        Home::Alone(test) => {
            cargo.args(ALONE).args(["--test", test, "--"]);
            format!("tests/{test}.rs")
        }
    };
    cargo.arg(name).current_dir(project()).envs(way.depth.env());
    tests(&format!("{name} in {place}"), cargo, way)
}

/// Ours beside the reference, where it can be built.
fn with_opm(name: &str, test: parity::Test, cases: &str, depth: Depth) -> Report {
    match parity::program() {
        Ok(Some(program)) => {
            let mut report = check(
                name,
                Tells::LibtestInFull(test.path),
                parity::with_opm(&program, test, cases).envs(depth.env()),
            );
            if report.all() > 0 {
                report.ran(test.path);
            }
            report
        }
        Ok(None) => skipped(
            name,
            "no Go is installed, and opm's own library cannot be built without it",
        ),
        Err(message) => not_begun(name, &message),
    }
}

/// Every fuzz target, for a while.
fn fuzzed() -> Report {
    println!("\n== {FUZZ}");
    match fuzz::targets(&["--executions", FUZZED]) {
        Ok(()) => Report::one(true),
        Err(message) => not_begun(FUZZ, &message),
    }
}

/// The page, what it weighs, and these journeys through it, as far as they are named.
fn page(names: &[&str], journeys: &Journeys, way: Way<'_>, remembers: &Remembers) -> Report {
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
        let bytes = format!(
            "{:?} {:016x}",
            way.page,
            inputs::of(&inputs::contents(&folder, |_| true), &[])
        );
        let size = || journeys::size(SIZE, &folder, way.page);
        report.add(remembers.or_run(SIZE, Reads::Below("tests/e2e/size"), &[&bytes], way, size));
    }
    if names.contains(&JOURNEYS) {
        let run = journeys::Run {
            folder: &folder,
            depth: way.depth,
            more: way.more,
            memory: &remembers.memory,
            said: &remembers.said,
        };
        report.add(run.of(journeys));
    }
    report
}

#[cfg(test)]
mod tests {
    use super::{CHECKS, Depth, Memory, Page, Reads, Remembers, Report, Way, read, run};

    #[test]
    fn words_options_and_the_runners_arguments() {
        let (name, way) =
            read(&["--deep", "edit", "--", "--headed", "--release"]).expect("it is understood");
        assert_eq!(
            (name, way.depth.is_release(), way.page),
            (Some("edit"), true, Page::Release)
        );
        assert_eq!(way.more, ["--headed", "--release"]);
        let plain = |args| {
            read(args)
                .map(|(name, way)| (name, way.page, way.recalls))
                .ok()
        };
        assert_eq!(plain(&[]), Some((None, Page::Quick, true)));
        assert_eq!(plain(&["--again"]), Some((None, Page::Quick, false)));
        assert_eq!(
            plain(&["--deep"]),
            Some((None, Page::Release, false)),
            "its seeds are fresh"
        );
        assert_eq!(
            plain(&["clippy"]),
            Some((Some("clippy"), Page::Quick, false)),
            "what is named is run"
        );
        for wrong in [&["--headed"][..], &["the", "whole", "job"]] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn what_cannot_be_run_is_an_error_that_lists_the_checks() {
        let way = Way {
            page: Page::Quick,
            depth: Depth::Commit,
            recalls: true,
            more: &["--headed"],
        };
        assert!(run(None, way).is_err());
        assert!(run(Some("format"), way).is_err());
        let message =
            run(Some("no check, journey or test is called so"), way).expect_err("there is none");
        assert!(
            CHECKS.iter().all(|check| message.contains(check)),
            "{message}"
        );
    }

    #[test]
    fn what_passed_is_run_again_only_when_something_changed() {
        let folder =
            std::env::temp_dir().join(format!("switchyard-remembers-{}", std::process::id()));
        let remembers = Remembers {
            memory: Memory::below(folder.clone()),
            said: vec!["a compiler".to_owned()],
        };
        let other = Remembers {
            memory: Memory::below(folder.clone()),
            said: vec!["another compiler".to_owned()],
        };
        let way = Way {
            page: Page::Quick,
            depth: Depth::Commit,
            recalls: true,
            more: &[],
        };
        let in_part = Way {
            more: &["--nocapture"],
            ..way
        };
        let runs = |remembers: &Remembers, own: &str, way, passes| {
            let mut has_run = false;
            remembers.or_run(
                "a check",
                Reads::Below("tests/e2e/size"),
                &[own],
                way,
                || {
                    has_run = true;
                    Report::one(passes)
                },
            );
            has_run
        };
        assert!(runs(&remembers, "4000", in_part, true));
        assert!(
            runs(&remembers, "4000", way, false),
            "a run in part is not remembered"
        );
        assert!(
            runs(&remembers, "4000", way, true),
            "a failure is not remembered"
        );
        assert!(!runs(&remembers, "4000", way, true));
        assert!(
            runs(&other, "4000", way, true) && runs(&remembers, "4000", way, true),
            "another compiler"
        );
        assert!(
            runs(&remembers, "5000", way, true) && !runs(&remembers, "5000", way, true),
            "another number of cases"
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
