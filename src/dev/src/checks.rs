//! `cargo dev test`: all checks, in the order that reports a mistake soonest, or only the requested ones. `.ci/run`
//! runs the same.

use crate::build::{self, Page};
use crate::check::{ReportFormat, check, not_started, skipped};
use crate::chosen::{Chosen, Home, Journeys, all_journeys, choose};
use crate::fuzz::{self, Depth};
use crate::inputs::{self, PassStore, Reads};
use crate::report::{self, Report, count_of};
use crate::run::{project, say};
use crate::{journeys, setup};
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

/// All checks, in order. Fuzzing runs only with --deep, or by name.
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

/// Arguments to cargo for tests that count work and therefore run alone; their names follow.
const ALONE: &[&str] = &[
    "test",
    "--quiet",
    "--package",
    "switchyard-session",
    "--package",
    "switchyard-host",
    "--profile",
    "optimised",
];

/// The inputs of compilation. (Tests of the whole workspace also read the documents, so all files count for them.)
const COMPILED: Reads = Reads::AllBut(&["tests/e2e", "style", "public", ".ci"]);
/// The sources of the library, the worker and the tests that are compiled with only these two.
const LIBRARY: Reads = Reads::AllBut(&[
    "tests/e2e",
    "tests/it",
    "tests/laws",
    "tests/opm",
    "src/app",
    "src/cli",
    "src/dev",
    "src/lsp",
    "benches",
    "docs",
    "fuzz",
    "public",
    "style",
    "index.html",
    ".ci",
]);
/// The sources of the tests that compare with the reference.
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

/// The options of a test run.
#[derive(Debug, Clone, Copy)]
struct RunOptions<'a> {
    page: Page,
    depth: Depth,
    /// Skip checks that passed before on the same inputs.
    use_store: bool,
    /// Arguments for the test runner.
    more: &'a [&'a str],
}

/// `cargo dev test [NAME] [--again] [--release] [--deep] [-- ARGS]`. The last line is `N passed, N failed`.
pub(crate) fn verb(args: &[&str]) -> ExitCode {
    match read(args).and_then(|(name, options)| Ok((run(name, options)?, options.depth))) {
        Ok((report, depth)) => {
            print!("{}", report.summary());
            depth
                .repeat_hint()
                .iter()
                .for_each(|hint| println!("\n{hint}"));
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

fn read<'a>(args: &'a [&'a str]) -> Result<(Option<&'a str>, RunOptions<'a>), String> {
    let end = args.iter().position(|arg| *arg == "--");
    let (own, more) = end.map_or((args, &[][..]), |end| (&args[..end], &args[end + 1..]));
    let (options, names): (Vec<&str>, Vec<&str>) = own.iter().partition(|arg| arg.starts_with('-'));
    if let Some(unknown) = options
        .iter()
        .find(|option| !["--again", "--release", "--deep"].contains(option))
    {
        return Err(format!(
            "unknown option `{unknown}`: `test` takes --again, --release and --deep; pass test-runner options after `--`"
        ));
    }
    if names.len() > 1 {
        return Err(format!(
            "name one of {}, or put it in quotes if it is one name",
            names.join(", ")
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
    let name = names.first().copied().filter(|name| !name.is_empty());
    // A named check always runs, and a release uses fresh seeds.
    let use_store = name.is_none() && !depth.is_release() && !options.contains(&"--again");
    Ok((
        name,
        RunOptions {
            page,
            depth,
            use_store,
            more,
        },
    ))
}

fn run(name: Option<&str>, options: RunOptions<'_>) -> Result<Report, String> {
    let Some(name) = name else {
        return if options.more.is_empty() {
            Ok(checks(&CHECKS, options))
        } else {
            Err("arguments after `--` go to one test runner: name a check with tests, a journey or a test".to_owned())
        };
    };
    match choose(name, &CHECKS, &project()) {
        Some(Chosen::Checks(names)) => {
            let takes_more = matches!(names[..], ["tests" | "extreme inputs" | JOURNEYS]);
            if takes_more || options.more.is_empty() {
                Ok(checks(&names, options))
            } else {
                Err(format!(
                    "{} takes no arguments after `--`",
                    names.join(", ")
                ))
            }
        }
        Some(Chosen::Journeys(journeys)) => Ok(page(
            &[JOURNEYS],
            &journeys,
            options,
            &PassCache::new(options),
        )),
        Some(Chosen::RustTests(homes)) => {
            let mut report = Report::default();
            for home in homes {
                report.add(rust_tests(&home, name, options));
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

/// Earlier passes, and the inputs that all checks share.
struct PassCache {
    store: PassStore,
    /// Inputs outside the project, and the number of cases.
    extra_inputs: Vec<String>,
}

impl PassCache {
    fn new(options: RunOptions<'_>) -> Self {
        let mut extra_inputs = inputs::outside(&project());
        extra_inputs.extend(
            options
                .depth
                .env()
                .into_iter()
                .map(|(name, value)| format!("{name}={value}")),
        );
        Self {
            store: PassStore::new(&project(), options.use_store),
            extra_inputs,
        }
    }

    /// The outcome of an earlier run on the same inputs, else of a new run. The new run is recorded unless its inputs
    /// changed meanwhile or it was partial.
    fn recall_or_run(
        &self,
        name: &str,
        reads: Reads,
        own: &[&str],
        options: RunOptions<'_>,
        run: impl FnOnce() -> Report,
    ) -> Report {
        let extra_inputs: Vec<String> = self
            .extra_inputs
            .iter()
            .cloned()
            .chain(own.iter().map(|&own| own.to_owned()))
            .collect();
        let digest = || inputs::digest(&project(), reads, &extra_inputs);
        let before = digest();
        if let Some(report) = self.store.recall(name, before) {
            println!(
                "\n== {name}\nunchanged since it passed: {}",
                count_of(report.passed, "test")
            );
            return report;
        }
        let report = run();
        if options.more.is_empty() && digest() == before {
            self.store.note(name, before, &report);
        }
        report
    }
}

/// Runs the checks of these names.
fn checks(names: &[&str], options: RunOptions<'_>) -> Report {
    let mut report = Report::default();
    let has = |name: &str| names.contains(&name);
    if has("format") || has("clippy") {
        setup::components();
    }
    let ahead = if names.len() == CHECKS.len() {
        ahead(options.page)
    } else {
        None
    };
    let cache = PassCache::new(options);
    if has(TYPES) {
        report.add(
            cache.recall_or_run(TYPES, Reads::Below("tests/e2e"), &[], options, || {
                journeys::types(TYPES)
            }),
        );
    }
    for (name, runs_tests, reads, args) in cargo_checks() {
        if has(name) {
            report.add(cache.recall_or_run(name, reads, &args, options, || {
                let mut cargo = Command::new("cargo");
                cargo
                    .args(&args)
                    .current_dir(project())
                    .envs(options.depth.env());
                if name == "docs" {
                    cargo.env("RUSTDOCFLAGS", "-D warnings");
                }
                if runs_tests {
                    tests(name, cargo, options)
                } else {
                    check(name, ReportFormat::ExitStatus, &mut cargo)
                }
            }));
        }
    }
    for (name, test, cases) in [
        (PARITY, fuzz::MUTANTS, options.depth.mutants()),
        (EDITS, fuzz::EDITS, options.depth.edits()),
    ] {
        if has(name) {
            report.add(cache.recall_or_run(name, REFERENCE, &[cases], options, || {
                with_opm(name, test, cases, options.depth)
            }));
        }
    }
    if has(FUZZ) && (options.depth.is_release() || names.len() < CHECKS.len()) {
        report.add(fuzz());
    }
    if [BUILD, SIZE, JOURNEYS].iter().any(|name| has(name)) {
        if let Some((mut child, log)) = ahead {
            say("waiting for the page, which was built meanwhile");
            // If it failed, the build below reports it.
            let _ = child.wait();
            println!("{}", std::fs::read_to_string(log).unwrap_or_default());
        }
        report.add(page(names, &all_journeys(&project()), options, &cache));
    }
    report
}

/// Starts to build the page in parallel with the native tests, whose target folder is locked separately. Returns the
/// process and the file with its output.
fn ahead(page: Page) -> Option<(Child, PathBuf)> {
    // Two installations at once would overwrite each other. A failure is reported when the packages are used.
    let _ = setup::node_modules();
    // Ask about system packages while there is a terminal.
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

/// Checks that are one cargo command: name, whether it runs tests, its inputs, arguments.
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
        // One command, so that each package is compiled once.
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

/// Runs Rust tests.
fn tests(name: &str, mut cargo: Command, options: RunOptions<'_>) -> Report {
    if options.more.is_empty() {
        check(name, ReportFormat::Libtest, cargo.args(report::ARGS))
    } else {
        check(
            name,
            ReportFormat::LibtestVerbatim(name),
            cargo.args(options.more),
        )
    }
}

/// Runs the Rust tests of one place whose path contains the name.
fn rust_tests(home: &Home, name: &str, options: RunOptions<'_>) -> Report {
    let mut cargo = Command::new("cargo");
    let place = match home {
        Home::Crate { name, is_library } => {
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
            cargo.args(fuzz::OUTER_TESTS);
            "tests/it".to_owned()
        }
        Home::Alone(test) => {
            cargo.args(ALONE).args(["--test", test, "--"]);
            format!("tests/{test}.rs")
        }
    };
    cargo
        .arg(name)
        .current_dir(project())
        .envs(options.depth.env());
    tests(&format!("{name} in {place}"), cargo, options)
}

/// Runs a test that compares with the reference, if the reference can be built.
fn with_opm(name: &str, test: fuzz::Test, cases: &str, depth: Depth) -> Report {
    match fuzz::program() {
        Ok(Some(program)) => {
            let mut report = check(
                name,
                ReportFormat::LibtestVerbatim(test.path),
                fuzz::with_opm(&program, test, cases).envs(depth.env()),
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
        Err(message) => not_started(name, &message),
    }
}

/// Runs every fuzz target for a limited number of executions.
fn fuzz() -> Report {
    println!("\n== {FUZZ}");
    match fuzz::targets(&["--executions", FUZZED]) {
        Ok(()) => Report::one(true),
        Err(message) => not_started(FUZZ, &message),
    }
}

/// Builds the page, then checks its size and runs these journeys, as far as requested.
fn page(names: &[&str], journeys: &Journeys, options: RunOptions<'_>, cache: &PassCache) -> Report {
    let built = setup::all_for_build().and_then(|tools| build::site(&tools, options.page));
    let folder = match built {
        Ok(folder) => folder,
        Err(message) => return not_started(BUILD, &message),
    };
    let mut report = Report::default();
    if names.contains(&BUILD) {
        report.add(Report::one(true));
    }
    if names.contains(&SIZE) {
        let bytes = format!(
            "{:?} {:016x}",
            options.page,
            inputs::digest_of(&inputs::contents(&folder, |_| true), &[])
        );
        let size = || journeys::size(SIZE, &folder, options.page);
        report.add(cache.recall_or_run(
            SIZE,
            Reads::Below("tests/e2e/size"),
            &[&bytes],
            options,
            size,
        ));
    }
    if names.contains(&JOURNEYS) {
        let run = journeys::Run {
            folder: &folder,
            depth: options.depth,
            more: options.more,
            store: &cache.store,
            extra_inputs: &cache.extra_inputs,
        };
        report.add(run.journeys(journeys));
    }
    report
}

#[cfg(test)]
mod tests {
    use super::{CHECKS, Depth, Page, PassCache, PassStore, Reads, Report, RunOptions, read, run};

    #[test]
    fn words_options_and_the_runners_arguments() {
        let (name, options) =
            read(&["--deep", "edit", "--", "--headed", "--release"]).expect("it is understood");
        assert_eq!(
            (name, options.depth.is_release(), options.page),
            (Some("edit"), true, Page::Release)
        );
        assert_eq!(options.more, ["--headed", "--release"]);
        let plain = |args| {
            read(args)
                .map(|(name, options)| (name, options.page, options.use_store))
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
    fn an_unknown_check_is_an_error_that_lists_the_checks() {
        let options = RunOptions {
            page: Page::Quick,
            depth: Depth::Commit,
            use_store: true,
            more: &["--headed"],
        };
        assert!(run(None, options).is_err());
        assert!(run(Some("format"), options).is_err());
        let message = run(Some("no check, journey or test is called so"), options)
            .expect_err("there is none");
        assert!(
            CHECKS.iter().all(|check| message.contains(check)),
            "{message}"
        );
    }

    #[test]
    fn passed_checks_run_again_only_after_a_change() {
        let folder = std::env::temp_dir().join(format!("switchyard-cache-{}", std::process::id()));
        let cache = PassCache {
            store: PassStore::below(folder.clone()),
            extra_inputs: vec!["a compiler".to_owned()],
        };
        let other = PassCache {
            store: PassStore::below(folder.clone()),
            extra_inputs: vec!["another compiler".to_owned()],
        };
        let options = RunOptions {
            page: Page::Quick,
            depth: Depth::Commit,
            use_store: true,
            more: &[],
        };
        let in_part = RunOptions {
            more: &["--nocapture"],
            ..options
        };
        let runs = |cache: &PassCache, own: &str, options, passes| {
            let mut has_run = false;
            cache.recall_or_run(
                "a check",
                Reads::Below("tests/e2e/size"),
                &[own],
                options,
                || {
                    has_run = true;
                    Report::one(passes)
                },
            );
            has_run
        };
        assert!(runs(&cache, "4000", in_part, true));
        assert!(
            runs(&cache, "4000", options, false),
            "a run in part is not remembered"
        );
        assert!(
            runs(&cache, "4000", options, true),
            "a failure is not remembered"
        );
        assert!(!runs(&cache, "4000", options, true));
        assert!(
            runs(&other, "4000", options, true) && runs(&cache, "4000", options, true),
            "another compiler"
        );
        assert!(
            runs(&cache, "5000", options, true) && !runs(&cache, "5000", options, true),
            "another number of cases"
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
