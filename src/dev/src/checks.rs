//! `cargo dev test`: all checks, in the order that reports a mistake soonest, or only the requested ones. `.ci/run`
//! runs the same.

use crate::build::{self, Page};
use crate::check::{ReportFormat, check, not_started, skipped};
use crate::fuzz::{self, Depth};
use crate::inputs::PassCache;
use crate::journeys::{self, Journeys};
use crate::report::{self, Report, count_of};
use crate::run::{project, say};
use crate::setup;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};

const TYPES: &str = "types of journeys";
const TESTS: &str = "tests";
const EXTREME: &str = "extreme inputs";
const PARITY: &str = "parity with opm";
const EDITS: &str = "edits read by opm";
const FUZZ: &str = "fuzz";
const BUILD: &str = "wasm build";
const SIZE: &str = "page size";
const JOURNEYS: &str = "journeys";

/// All checks, in order. Fuzzing runs only with --deep, or by name.
const CHECKS: [&str; 12] = [
    TYPES, "format", "clippy", TESTS, EXTREME, "docs", PARITY, EDITS, FUZZ, BUILD, SIZE, JOURNEYS,
];

/// Executions of each fuzz target.
const FUZZED: &str = "500000";

/// The checks that are one cargo command. One command runs all tests, so that each package is compiled once; those that
/// count work run apart, with only two packages, which are optimised.
const CARGO: [(&str, &str); 5] = [
    ("format", "fmt --all --check"),
    (
        "clippy",
        "clippy --quiet --workspace --all-targets -- -D warnings",
    ),
    (TESTS, "test --quiet --workspace --lib --bins --test it --"),
    (
        EXTREME,
        "test --quiet --package switchyard-session --package switchyard-host --profile optimised --test extreme \
         --test growth --test growth_operations --test growth_questions --test growth_others --test growth_repository \
         --test memory --",
    ),
    ("docs", "doc --quiet --workspace --no-deps --lib"),
];

/// The options of a test run.
#[derive(Debug, Clone, Copy)]
struct RunOptions<'a> {
    page: Page,
    depth: Depth,
    /// Skip checks that passed before on the same inputs.
    use_cache: bool,
    /// Arguments for the test runner.
    more: &'a [&'a str],
}

/// Runs `cargo dev test [NAME] [--again] [--release] [--deep] [-- ARGS]`. The last line is `N passed, N failed`.
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
    let is_deep = options.contains(&"--deep");
    let name = names.first().copied().filter(|name| !name.is_empty());
    if name.is_none() && !more.is_empty() {
        return Err("arguments after `--` go to one test runner: name a check with tests, a journey or a test".to_owned());
    }
    let options = RunOptions {
        page: match is_deep || options.contains(&"--release") {
            true => Page::Release,
            false => Page::Quick,
        },
        depth: match is_deep {
            true => Depth::release(),
            false => Depth::Commit,
        },
        // A named check always runs, and a release uses fresh seeds.
        use_cache: name.is_none() && !is_deep && !options.contains(&"--again") && !is_ci(),
        more,
    };
    Ok((name, options))
}

fn is_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false")
}

/// Runs all checks, or what `name` selects: a check, a journey file, checks whose names contain it, journeys by title,
/// else Rust tests.
fn run(name: Option<&str>, options: RunOptions<'_>) -> Result<Report, String> {
    let Some(name) = name else {
        return Ok(checks(&CHECKS, options));
    };
    let named = |is_wanted: &dyn Fn(&str) -> bool| -> Vec<&str> {
        CHECKS
            .into_iter()
            .filter(|check| is_wanted(check))
            .collect()
    };
    let mut names = named(&|check| check == name);
    if names.is_empty() {
        if let Some(journeys) = Journeys::in_file(name) {
            return Ok(page(&[JOURNEYS], &journeys, options));
        }
        names = named(&|check| check.contains(name));
    }
    if !names.is_empty() {
        let takes_more = matches!(names[..], [TESTS | EXTREME | JOURNEYS]);
        return if takes_more || options.more.is_empty() {
            Ok(checks(&names, options))
        } else {
            Err(format!(
                "{} takes no arguments after `--`",
                names.join(", ")
            ))
        };
    }
    if let Some(journeys) = Journeys::titled(name) {
        return Ok(page(&[JOURNEYS], &journeys, options));
    }
    let more = [&[name], options.more].concat();
    let options = RunOptions {
        more: &more,
        ..options
    };
    Ok(checks(&[TESTS], options))
}

/// Runs the checks of these names.
fn checks(names: &[&str], options: RunOptions<'_>) -> Report {
    if names.contains(&"format") || names.contains(&"clippy") {
        setup::components();
    }
    let ahead = if names.len() == CHECKS.len() {
        build_ahead(options.page)
    } else {
        None
    };
    let cache = options.use_cache.then(PassCache::new);
    let mut report = Report::default();
    let mut run = |name: &str, check: &dyn Fn() -> Report| {
        if !names.contains(&name) {
            return;
        }
        if let Some(known) = cache.as_ref().and_then(|cache| cache.recall(name)) {
            let tests = count_of(known.passed, "test");
            println!("\n== {name}\nunchanged since it passed: {tests}");
            report.add(known);
            return;
        }
        let new = check();
        // Record the outcome only if the inputs did not change meanwhile.
        if let Some(cache) = cache.as_ref().filter(|cache| **cache == PassCache::new()) {
            cache.note(name, &new);
        }
        report.add(new);
    };
    run(TYPES, &|| journeys::types(TYPES));
    for (name, args) in CARGO {
        run(name, &|| run_cargo(name, args, options));
    }
    for (name, test, cases) in [
        (PARITY, fuzz::MUTANTS, options.depth.mutants()),
        (EDITS, fuzz::EDITS, options.depth.edits()),
    ] {
        run(name, &|| with_opm(name, test, cases, options.depth));
    }
    if options.depth.is_release() || names.len() < CHECKS.len() {
        run(FUZZ, &fuzz);
    }
    if let Some((mut child, log)) = ahead {
        say("waiting for the page, which was built meanwhile");
        // If it failed, the build below reports it.
        let _ = child.wait();
        println!("{}", std::fs::read_to_string(log).unwrap_or_default());
    }
    // The checks of the page share a build and a record.
    let of_page: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| [BUILD, SIZE, JOURNEYS].contains(name))
        .collect();
    if let Some(last) = of_page.last() {
        run(last, &|| page(&of_page, &Journeys::all(), options));
    }
    report
}

/// Starts to build the page in parallel with the native tests, whose target folder is locked separately. Returns the
/// process and the file with its output.
fn build_ahead(page: Page) -> Option<(Child, PathBuf)> {
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

/// Runs a check that is one cargo command.
fn run_cargo(name: &str, args: &str, options: RunOptions<'_>) -> Report {
    let mut cargo = Command::new("cargo");
    cargo
        .args(args.split(' '))
        .current_dir(project())
        .envs(options.depth.env());
    if ![TESTS, EXTREME].contains(&name) {
        return check(
            name,
            ReportFormat::ExitStatus,
            cargo.env("RUSTDOCFLAGS", "-D warnings"),
        );
    }
    cargo.args(options.more);
    // Options of the user may change the runner's output.
    if options.more.iter().any(|arg| arg.starts_with('-')) {
        check(name, ReportFormat::ExitStatus, &mut cargo)
    } else {
        check(name, ReportFormat::Libtest, cargo.args(report::ARGS))
    }
}

/// Runs a test that compares with the reference, if the reference can be built.
fn with_opm(name: &str, test: fuzz::Test, cases: &str, depth: Depth) -> Report {
    match fuzz::program() {
        Ok(Some(program)) => {
            let mut cargo = fuzz::with_opm(&program, test, cases);
            cargo.args(report::ARGS).envs(depth.env());
            check(name, ReportFormat::Libtest, &mut cargo)
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
fn page(names: &[&str], journeys: &Journeys, options: RunOptions<'_>) -> Report {
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
        report.add(journeys::size(SIZE, &folder, options.page));
    }
    if names.contains(&JOURNEYS) {
        report.add(journeys.run(&folder, options.depth, options.more));
    }
    report
}

#[cfg(test)]
mod tests {
    use super::{CHECKS, Depth, Page, RunOptions, read, run};

    #[test]
    fn reads_name_options_and_the_runners_arguments() {
        let (name, options) =
            read(&["--deep", "edit", "--", "--headed", "--release"]).expect("it is understood");
        assert_eq!(
            (name, options.depth.is_release(), options.page),
            (Some("edit"), true, Page::Release)
        );
        assert_eq!(options.more, ["--headed", "--release"]);
        let plain = |args| {
            read(args)
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
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn only_runners_take_arguments() {
        let options = RunOptions {
            page: Page::Quick,
            depth: Depth::Commit,
            use_cache: false,
            more: &["--headed"],
        };
        assert!(CHECKS.contains(&"format") && run(Some("format"), options).is_err());
    }
}
