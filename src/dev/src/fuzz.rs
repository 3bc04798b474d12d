//! Checks of many generated cases: the fuzz targets, which libFuzzer runs, and the comparison with
//! the real `opm`, which `tests/opm` links. Also decides how many cases each check has.

use crate::files::{create_folder, files_below};
use crate::run::{cargo, find_program, output, project, run, say};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// The compiler flags for libFuzzer's coverage guidance, as cargo-fuzz sets them.
const COVERAGE_FLAGS: &[&str] = &[
    "--cfg",
    "fuzzing",
    "-Cdebug-assertions",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// Executions of a fuzz target unless the arguments set another number.
const DEFAULT_EXECUTIONS: u64 = 1_000_000;
/// Limits of libFuzzer: bytes of an input, seconds for one input, and MB of memory.
const LIMITS: [&str; 3] = ["-max_len=600", "-timeout=20", "-rss_limit_mb=3000"];

/// The variables with the seed for proptest, our own tests, and the comparison with `opm`.
const SEED_VARIABLES: [&str; 3] = ["PROPTEST_RNG_SEED", OWN_SEED, PARITY_SEED];
const OWN_SEED: &str = "SWITCHYARD_SEED";
const PARITY_SEED: &str = "SWITCHYARD_PARITY_SEED";
/// The seed of the comparison with `opm` for each commit.
const COMMIT_PARITY_SEED: &str = "20261123";

/// Arguments for the outer tests. Always the whole workspace: with fewer packages, crates would
/// have fewer features and be compiled again.
const OUTER_TESTS: &[&str] = &["test", "--quiet", "--workspace", "--test", "it", "--"];

/// Cases of `cargo dev parity` and `cargo dev prove-edits` unless the arguments set another number.
const DEFAULT_COUNT: &str = "10000";

/// Generates mutants with a random seed, unless one is set, and prints the seed.
pub const MUTANTS: Test = Test {
    path: "parity::mutants",
    count_variable: "SWITCHYARD_PARITY_COUNT",
};
/// Edits real catalogs and checks that the reference reads them.
pub const EDITS: Test = Test {
    path: "parity::edits::edits_are_read_by_opm",
    count_variable: "SWITCHYARD_EDITS",
};

/// A test that runs the reference program.
#[derive(Debug, Clone, Copy)]
pub struct Test {
    path: &'static str,
    /// The variable with the number of cases.
    count_variable: &'static str,
}

/// How thorough a test run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// The same cases in each run.
    Commit,
    /// All cases, with random ones drawn from this seed.
    Release { seed: u32 },
}

/// Runs one target, or all one after the other. Arguments: `[TARGET] [--executions N]`.
pub fn run_targets(args: &[&str]) -> Result<(), String> {
    let (target, executions) = parse_target_args(args)?;
    let all = target_names()?;
    let chosen: Vec<&String> = all
        .iter()
        .filter(|name| target.is_none_or(|target| target == name.as_str()))
        .collect();
    if chosen.is_empty() {
        return Err(format!(
            "there is no target of that name; there are {}",
            all.join(", ")
        ));
    }
    let host = host_triple()?;
    let mut broken = Vec::new();
    for target in chosen {
        say(&format!("{target}: {executions} executions"));
        if let Err(error) = run_target(target, executions, &host) {
            println!("{target}: {error}");
            broken.push(target.as_str());
        }
    }
    if broken.is_empty() {
        Ok(())
    } else {
        Err(format!("these targets broke a law: {}", broken.join(", ")))
    }
}

fn parse_target_args<'a>(args: &[&'a str]) -> Result<(Option<&'a str>, u64), String> {
    let (mut target, mut executions) = (None, DEFAULT_EXECUTIONS);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if *arg == "--executions" {
            let number = args.next().and_then(|n| n.parse().ok());
            executions = number.ok_or("--executions wants a number")?;
        } else if target.replace(*arg).is_some() {
            return Err("name one target, or none for all".to_owned());
        }
    }
    Ok((target, executions))
}

/// The targets are the files of `fuzz/targets`.
fn target_names() -> Result<Vec<String>, String> {
    let files = files_below(&project().join("fuzz/targets"), &[])?;
    let names = files.keys().filter_map(|file| file.strip_suffix(".rs"));
    Ok(names.map(str::to_owned).collect())
}

fn host_triple() -> Result<String, String> {
    let version =
        output(Command::new("rustc").arg("-vV").current_dir(project())).unwrap_or_default();
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| "`rustc -vV` does not name the host".to_owned())
}

fn run_target(target: &str, executions: u64, host: &str) -> Result<(), String> {
    let (corpus, artifacts) = (
        target_folder("corpus", target)?,
        target_folder("artifacts", target)?,
    );
    run(
        Command::new("cargo")
            .args(["build", "--release", "--target", host, "--bin", target])
            .env("RUSTFLAGS", COVERAGE_FLAGS.join(" "))
            .current_dir(project().join("fuzz")),
        "A C++ compiler is needed for libFuzzer; otherwise see the message above.",
    )?;
    let programs = project().join("fuzz/target").join(host).join("release");
    run(
        Command::new(programs.join(target))
            .arg(format!("-runs={executions}"))
            .arg(format!("-artifact_prefix={artifacts}/"))
            .args(LIMITS)
            .arg(&corpus)
            .current_dir(project()),
        &format!(
            "When a law was broken, the case is in fuzz/artifacts/{target}; once the cause is fixed, keep it in tests/data/fuzz/{target}."
        ),
    )
}

/// Creates `fuzz/SUBFOLDER/TARGET` and returns its path.
fn target_folder(subfolder: &str, target: &str) -> Result<String, String> {
    let folder = project().join("fuzz").join(subfolder).join(target);
    create_folder(&folder)?;
    Ok(folder.display().to_string())
}

impl Depth {
    /// Creates a release run with a fresh seed, unless `SWITCHYARD_SEED` sets one.
    pub fn release() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let fresh = now.map_or(0, |now| (now.as_millis() % 1_000_000_000) as u32);
        let configured = std::env::var(OWN_SEED).ok();
        Self::Release {
            seed: configured
                .and_then(|seed| seed.parse().ok())
                .unwrap_or(fresh),
        }
    }

    pub fn is_release(self) -> bool {
        matches!(self, Self::Release { .. })
    }

    /// Returns the variables that set seeds and numbers of cases for tests.
    pub fn env(self) -> Vec<(&'static str, String)> {
        let var = |name, value: &str| (name, value.to_owned());
        match self {
            Depth::Commit => vec![var(PARITY_SEED, COMMIT_PARITY_SEED)],
            Depth::Release { seed } => {
                let mut env = SEED_VARIABLES.map(|name| (name, seed.to_string())).to_vec();
                env.extend([
                    var("SWITCHYARD_PASSING", "all"),
                    var("SWITCHYARD_PATCHES", "all"),
                    var("SWITCHYARD_CASES", "20000"),
                    var("SWITCHYARD_KILLS", "100"),
                    var("SWITCHYARD_LAW_RUNS", "25"),
                    var("SWITCHYARD_LAW_ACTS", "40"),
                ]);
                env
            }
        }
    }

    /// Returns how to repeat a run with the same cases; `None` if they never vary.
    pub fn repeat_hint(self) -> Option<String> {
        match self {
            Depth::Commit => None,
            Depth::Release { seed } => Some(format!(
                "cases were drawn from the seed {seed}; SWITCHYARD_SEED={seed} draws them again"
            )),
        }
    }

    /// Returns the number of mutants to compare with `opm`.
    pub fn mutants(self) -> &'static str {
        if self.is_release() { "100000" } else { "4000" }
    }

    /// Returns the number of edits for `opm` to read.
    pub fn edits(self) -> &'static str {
        if self.is_release() { "10000" } else { "300" }
    }
}

/// Parses `[--count N] [--seed S]`.
fn count_and_seed<'a>(args: &[&'a str]) -> Result<(&'a str, Option<&'a str>), String> {
    let (mut count, mut seed) = (DEFAULT_COUNT, None);
    for pair in args.chunks(2) {
        match *pair {
            ["--count", n] if n.parse::<u64>().is_ok() => count = n,
            ["--seed", s] if s.parse::<u64>().is_ok() => seed = Some(s),
            _ => {
                return Err(format!(
                    "`{}` is not understood: --count N and --seed S are",
                    pair.join(" ")
                ));
            }
        }
    }
    Ok((count, seed))
}

/// Runs `cargo dev parity [--count N] [--seed S]`.
pub fn run_parity_command(args: &[&str]) -> Result<(), String> {
    let (count, seed) = count_and_seed(args)?;
    let program = build_reference()?.ok_or(
        "no Go is installed, and the reference is written in it; install Go 1.26 or newer",
    )?;
    let mut mutants = test_with_opm(&program, MUTANTS, count);
    mutants.arg("--nocapture");
    if let Some(seed) = seed {
        mutants.env(PARITY_SEED, seed);
    }
    run(
        &mut mutants,
        "Each class of difference has a tree below target/parity.",
    )
}

/// Builds the reference program; `None` if Go is missing. On first use, Go fetches the reference's
/// modules.
pub fn build_reference() -> Result<Option<PathBuf>, String> {
    if find_program("go").is_none() {
        return Ok(None);
    }
    let program = project().join("target/parity/opm");
    say("building the program that links opm's own library (Go; a few minutes the first time)");
    let mut go = Command::new("go");
    go.args([
        "build",
        "-mod=readonly",
        "-tags",
        "json1,containers_image_openpgp",
        "-o",
    ])
    .arg(&program)
    .arg(".")
    .current_dir(project().join("tests/opm"))
    .env("CGO_ENABLED", "0");
    run(
        &mut go,
        "Go 1.26 or newer is needed, and the modules of tests/opm/go.sum in its cache or in reach.",
    )?;
    Ok(Some(program))
}

/// Returns the command that runs a test with this many cases.
pub fn test_with_opm(program: &Path, test: Test, cases: &str) -> Command {
    let mut cargo = cargo();
    cargo
        .args(OUTER_TESTS)
        .args([test.path, "--exact", "--ignored"])
        .env("SWITCHYARD_OPM", program)
        .env(test.count_variable, cases);
    cargo
}

/// Runs `cargo dev prove-edits [--count N] [--seed S]`.
pub fn run_prove_edits_command(args: &[&str]) -> Result<(), String> {
    let (count, seed) = count_and_seed(args)?;
    let seed = seed.unwrap_or("1");
    let hint = "The message names the operation and the seed; the catalogs are those of SWITCHYARD_SHARED.";
    run(
        cargo()
            .args(OUTER_TESTS)
            .args(["edit_corpus::", "edit_copies::", "edit_laws::"])
            .args(["--nocapture", "--test-threads=1"])
            .env(EDITS.count_variable, count)
            .env(OWN_SEED, seed),
        hint,
    )?;
    let Some(program) = build_reference()? else {
        say("skipped: no Go is installed, so opm's own library does not read the edited catalogs");
        return Ok(());
    };
    let mut edits = test_with_opm(&program, EDITS, count);
    run(edits.arg("--nocapture").env(OWN_SEED, seed), hint)
}
