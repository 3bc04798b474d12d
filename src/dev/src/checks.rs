//! `cargo dev test`: all checks, in the order that reports a mistake soonest, or only the requested
//! ones. `.ci/run` runs the same checks.

use crate::build::{self, Page};
use crate::check::{LIBTEST_ARGS, ReportFormat, check, not_started, skipped};
use crate::fuzz::{self, Depth};
use crate::inputs::{PAGE, PassCache};
use crate::journeys::{self, Journeys};
use crate::report::{Report, count_of};
use crate::run::{cargo, project, say};
use crate::setup;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};

const TYPES: &str = "types of journeys";
const FORMAT: &str = "format";
const CLIPPY: &str = "clippy";
const TESTS: &str = "tests";
const EXTREME: &str = "extreme inputs";
const DOCS: &str = "docs";
const PARITY: &str = "parity with opm";
const EDITS: &str = "edits read by opm";
const FUZZ: &str = "fuzz";
const BUILD: &str = "wasm build";
const SIZE: &str = "page size";
const JOURNEYS: &str = "journeys";

/// All checks, in order. Fuzzing runs only with --deep, or by name.
const CHECKS: [&str; 12] = [
    TYPES, FORMAT, CLIPPY, TESTS, EXTREME, DOCS, PARITY, EDITS, FUZZ, BUILD, SIZE, JOURNEYS,
];

const FUZZ_EXECUTIONS: &str = "500000";

/// The checks that are one cargo command, with its arguments. All compile the workspace alike, so
/// that each package is compiled once.
const CARGO_CHECKS: [(&str, &str); 5] = [
    (FORMAT, "fmt --all --check"),
    (
        CLIPPY,
        "clippy --quiet --workspace --all-targets -- -D warnings",
    ),
    (TESTS, "test --quiet --workspace --lib --bins --test it --"),
    (
        EXTREME,
        "test --quiet --workspace --test extreme \
         --test growth --test growth_operations --test growth_questions --test growth_others --test growth_repository \
         --test memory --",
    ),
    (DOCS, "doc --quiet --workspace --no-deps --lib"),
];

#[derive(Debug, Clone, Copy)]
struct RunOptions<'a> {
    page: Page,
    depth: Depth,
    /// Skip checks that passed before on the same inputs.
    use_cache: bool,
    /// Arguments after `--`.
    runner_args: &'a [&'a str],
}

/// Runs `cargo dev test [NAME] [--again] [--release] [--deep] [-- ARGS]`. The last line is `N
/// passed, N failed`.
pub fn run_test_command(args: &[&str]) -> ExitCode {
    let outcome =
        parse_args(args).and_then(|(name, options)| Ok((run(name, options)?, options.depth)));
    let (report, depth) = match outcome {
        Ok(outcome) => outcome,
        Err(message) => {
            eprintln!("cargo dev: {message}");
            return ExitCode::FAILURE;
        }
    };
    print!("{}", report.summary());
    if let Some(hint) = depth.repeat_hint() {
        println!("\n{hint}");
    }
    println!("\n{} passed, {} failed", report.passed, report.failed);
    if report.failed == 0 && report.passed > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn parse_args<'a>(args: &'a [&'a str]) -> Result<(Option<&'a str>, RunOptions<'a>), String> {
    let (own_args, runner_args) = match args.iter().position(|arg| *arg == "--") {
        Some(end) => (&args[..end], &args[end + 1..]),
        None => (args, &[][..]),
    };
    let (options, names): (Vec<&str>, Vec<&str>) =
        own_args.iter().partition(|arg| arg.starts_with('-'));
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
    let is_deep = options.contains(&"--deep");
    let name = names.first().copied().filter(|name| !name.is_empty());
    if name.is_none() && !runner_args.is_empty() {
        return Err("arguments after `--` go to one test runner: name a check with tests, a journey or a test".to_owned());
    }
    let options = RunOptions {
        page: if is_deep || options.contains(&"--release") {
            Page::Release
        } else {
            Page::Quick
        },
        depth: if is_deep {
            Depth::release()
        } else {
            Depth::Commit
        },
        // A named check always runs, and a release uses fresh seeds.
        use_cache: name.is_none() && !is_deep && !options.contains(&"--again") && !is_ci(),
        runner_args,
    };
    Ok((name, options))
}

fn is_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false")
}

/// Runs all checks, or what `name` selects: a check, a journey file, checks whose names contain it,
/// journeys by title, else Rust tests.
fn run(name: Option<&str>, options: RunOptions<'_>) -> Result<Report, String> {
    let Some(name) = name else {
        return Ok(run_checks(&CHECKS, options));
    };
    if CHECKS.contains(&name) {
        return run_named_checks(&[name], options);
    }
    if let Some(journeys) = Journeys::in_file(name) {
        return Ok(check_page(&[JOURNEYS], &journeys, options));
    }
    let matching: Vec<&str> = CHECKS
        .into_iter()
        .filter(|check| check.contains(name))
        .collect();
    if !matching.is_empty() {
        return run_named_checks(&matching, options);
    }
    if let Some(journeys) = Journeys::titled(name) {
        return Ok(check_page(&[JOURNEYS], &journeys, options));
    }
    let runner_args = [&[name], options.runner_args].concat();
    let options = RunOptions {
        runner_args: &runner_args,
        ..options
    };
    Ok(run_checks(&[TESTS], options))
}

/// Runs these checks, or refuses arguments for a test runner that they do not have.
fn run_named_checks(names: &[&str], options: RunOptions<'_>) -> Result<Report, String> {
    let has_runner = matches!(names, [TESTS | EXTREME | JOURNEYS]);
    if !has_runner && !options.runner_args.is_empty() {
        return Err(format!(
            "{} takes no arguments after `--`",
            names.join(", ")
        ));
    }
    Ok(run_checks(names, options))
}

fn run_checks(names: &[&str], options: RunOptions<'_>) -> Report {
    if names.contains(&FORMAT) || names.contains(&CLIPPY) {
        setup::components();
    }
    let is_full_run = names.len() == CHECKS.len();
    let page_build = if is_full_run {
        start_page_build(options.page)
    } else {
        None
    };
    let mut run = CheckRun {
        names,
        use_cache: options.use_cache,
        report: Report::default(),
    };
    run.check(TYPES, || journeys::check_types(TYPES));
    for (name, args) in CARGO_CHECKS {
        run.check(name, || run_cargo(name, args, options));
    }
    for (name, test, cases) in [
        (PARITY, fuzz::MUTANTS, options.depth.mutants()),
        (EDITS, fuzz::EDITS, options.depth.edits()),
    ] {
        run.check(name, || run_with_opm(name, test, cases, options.depth));
    }
    if options.depth.is_release() || !is_full_run {
        run.check(FUZZ, run_fuzz_targets);
    }
    if let Some((mut child, log)) = page_build {
        say("waiting for the page, which was built meanwhile");
        // If it failed, the build below reports it.
        let _ = child.wait();
        println!("{}", std::fs::read_to_string(log).unwrap_or_default());
    }
    // The checks of the page share a build and a record.
    let page_checks: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| [BUILD, SIZE, JOURNEYS].contains(name))
        .collect();
    if let Some(last) = page_checks.last() {
        run.check(last, || check_page(&page_checks, &Journeys::all(), options));
    }
    run.report
}

/// The checks of one run, and their outcomes so far.
struct CheckRun<'a> {
    names: &'a [&'a str],
    use_cache: bool,
    report: Report,
}

impl CheckRun<'_> {
    /// Runs a check if it is selected, unless it passed before on the same inputs.
    fn check(&mut self, name: &str, check: impl FnOnce() -> Report) {
        if !self.names.contains(&name) {
            return;
        }
        // These run the library alone.
        let unrelated = match name {
            EXTREME | PARITY | EDITS => &PAGE[..],
            _ => &[],
        };
        let read_inputs = || PassCache::new(unrelated);
        let cache = self.use_cache.then(read_inputs);
        if let Some(earlier) = cache.as_ref().and_then(|cache| cache.recall(name)) {
            let tests = count_of(earlier.passed, "test");
            println!("\n== {name}\nunchanged since it passed: {tests}");
            self.report.add(earlier);
            return;
        }
        let report = check();
        // Record the outcome only if the inputs did not change meanwhile.
        if let Some(cache) = cache.filter(|cache| *cache == read_inputs()) {
            cache.record(name, &report);
        }
        self.report.add(report);
    }
}

/// Starts to build the page in parallel with the native tests, whose target folder is locked
/// separately. Returns the process and the file with its output.
fn start_page_build(page: Page) -> Option<(Child, PathBuf)> {
    // Two installations at once would overwrite each other. A failure is reported when the packages
    // are used.
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

fn run_cargo(name: &str, args: &str, options: RunOptions<'_>) -> Report {
    let mut cargo = cargo();
    cargo.args(args.split(' ')).envs(options.depth.env());
    if ![TESTS, EXTREME].contains(&name) {
        return check(
            name,
            ReportFormat::ExitStatus,
            cargo.env("RUSTDOCFLAGS", "-D warnings"),
        );
    }
    cargo.args(options.runner_args);
    // Options of the user may change the runner's output.
    if options.runner_args.iter().any(|arg| arg.starts_with('-')) {
        check(name, ReportFormat::ExitStatus, &mut cargo)
    } else {
        check(name, ReportFormat::Libtest, cargo.args(LIBTEST_ARGS))
    }
}

/// Runs a test that compares with the reference, if the reference can be built.
fn run_with_opm(name: &str, test: fuzz::Test, cases: &str, depth: Depth) -> Report {
    match fuzz::build_reference() {
        Ok(Some(program)) => {
            let mut cargo = fuzz::test_with_opm(&program, test, cases);
            cargo.args(LIBTEST_ARGS).envs(depth.env());
            check(name, ReportFormat::Libtest, &mut cargo)
        }
        Ok(None) => skipped(
            name,
            "no Go is installed, and opm's own library cannot be built without it",
        ),
        Err(message) => not_started(name, &message),
    }
}

fn run_fuzz_targets() -> Report {
    println!("\n== {FUZZ}");
    match fuzz::run_targets(&["--executions", FUZZ_EXECUTIONS]) {
        Ok(()) => Report::one(true),
        Err(message) => not_started(FUZZ, &message),
    }
}

/// Builds the page, then runs those of its checks that are in `names`: its size and these journeys.
fn check_page(names: &[&str], journeys: &Journeys, options: RunOptions<'_>) -> Report {
    let folder = setup::all_for_build().and_then(|tools| build::site(&tools, options.page));
    let folder = match folder {
        Ok(folder) => folder,
        Err(message) => return not_started(BUILD, &message),
    };
    let mut report = Report::default();
    if names.contains(&BUILD) {
        report.add(Report::one(true));
    }
    if names.contains(&SIZE) {
        report.add(journeys::check_size(SIZE, &folder, options.page));
    }
    if names.contains(&JOURNEYS) {
        report.add(journeys.run(&folder, options.depth, options.runner_args));
    }
    report
}

#[cfg(test)]
mod tests {
    use super::{CHECKS, Depth, Page, RunOptions, parse_args, run};

    #[test]
    fn reads_name_options_and_the_runners_arguments() {
        let (name, options) = parse_args(&["--deep", "edit", "--", "--headed", "--release"])
            .expect("valid arguments");
        assert_eq!(
            (name, options.depth.is_release(), options.page),
            (Some("edit"), true, Page::Release)
        );
        assert_eq!(options.runner_args, ["--headed", "--release"]);
        let plain = |args| {
            parse_args(args)
                .map(|(name, options)| (name, options.page, options.use_cache))
                .ok()
        };
        assert_eq!(plain(&["--again"]), Some((None, Page::Quick, false)));
        assert_eq!(plain(&["--deep"]), Some((None, Page::Release, false)));
        assert_eq!(
            plain(&["clippy"]),
            Some((Some("clippy"), Page::Quick, false)),
            "a named check always runs"
        );
        for wrong in [
            &["--headed"][..],
            &["the", "whole", "job"],
            &["--", "--headed"],
        ] {
            assert!(parse_args(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn only_runners_take_arguments() {
        let options = RunOptions {
            page: Page::Quick,
            depth: Depth::Commit,
            use_cache: false,
            runner_args: &["--headed"],
        };
        assert!(CHECKS.contains(&"format") && run(Some("format"), options).is_err());
    }
}
