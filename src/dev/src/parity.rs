//! Parity with the reference: builds the program under `tests/opm`, which links the reference, and runs tests that
//! compare both.

use crate::run::{run, say, which};
use crate::tools::project;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Arguments for the outer tests. Always the whole workspace: with fewer packages, crates would have fewer features and
/// be compiled again.
pub(crate) const OUTER_TESTS: &[&str] = &["test", "--quiet", "--workspace", "--test", "it", "--"];

/// `cargo dev parity [--count N] [--seed S]`.
pub(crate) fn verb(args: &[&str]) -> Result<(), String> {
    let (mut count, mut seed) = ("10000", None);
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
    let program = program()?.ok_or(
        "no Go is installed, and the reference is written in it; install Go 1.26 or newer",
    )?;
    let mut mutants = with_opm(&program, MUTANTS, count);
    if let Some(seed) = seed {
        mutants.env("SWITCHYARD_PARITY_SEED", seed);
    }
    run(
        &mut mutants,
        "Each class of difference has a tree below target/parity.",
    )
}

/// Builds the program; `None` if Go is missing. On first use, Go fetches the reference's modules.
pub(crate) fn program() -> Result<Option<PathBuf>, String> {
    if which("go").is_none() {
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

/// A test that runs the reference program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Test {
    pub(crate) path: &'static str,
    /// The variable with the number of cases.
    cases: &'static str,
}

/// Generates mutants with a random seed, unless one is given, and prints the seed.
pub(crate) const MUTANTS: Test = Test {
    path: "parity::mutants",
    cases: "SWITCHYARD_PARITY_COUNT",
};
/// Edits real catalogs and checks that the reference reads them.
pub(crate) const EDITS: Test = Test {
    path: "parity::edits::edits_are_read_by_opm",
    cases: "SWITCHYARD_EDITS",
};

/// The test, with this many cases.
pub(crate) fn with_opm(program: &Path, test: Test, cases: &str) -> Command {
    let mut cargo = Command::new("cargo");
    cargo
        .args(OUTER_TESTS)
        .args([test.path, "--exact", "--ignored", "--nocapture"])
        .current_dir(project())
        .env("SWITCHYARD_OPM", program)
        .env(test.cases, cases);
    cargo
}

/// `cargo dev prove-edits [--count N] [--seed S]`.
pub(crate) fn prove_edits(args: &[&str]) -> Result<(), String> {
    let (mut count, mut seed) = ("10000", "1");
    for pair in args.chunks(2) {
        match *pair {
            ["--count", n] if n.parse::<u64>().is_ok() => count = n,
            ["--seed", s] if s.parse::<u64>().is_ok() => seed = s,
            _ => {
                return Err(format!(
                    "`{}` is not understood: --count N and --seed S are",
                    pair.join(" ")
                ));
            }
        }
    }
    let mut cargo = Command::new("cargo");
    cargo
        .args(OUTER_TESTS)
        .args([
            "edit_corpus::",
            "edit_copies::",
            "edit_laws::",
            "--nocapture",
            "--test-threads=1",
        ])
        .current_dir(project())
        .env("SWITCHYARD_EDITS", count)
        .env("SWITCHYARD_SEED", seed);
    let hint = "The message names the operation and the seed; the catalogs are those of SWITCHYARD_SHARED.";
    run(&mut cargo, hint)?;
    match program()? {
        Some(program) => run(
            with_opm(&program, EDITS, count).env("SWITCHYARD_SEED", seed),
            hint,
        ),
        None => {
            say("skipped: no Go is installed, so that opm's own library reads nothing of it");
            Ok(())
        }
    }
}
