//! `cargo dev bench compare`: `switchyard validate` beside the real `opm validate`, on the same catalogs at the same
//! time. The latest results are in `benches/results`.

pub(crate) mod corpora;
mod process;
mod results;

use crate::run::{output, run, say};
use crate::tools::project;
use corpora::Corpus;
use process::Run;
use results::{Machine, Row, Side};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable with the path of `opm`, as in the tests.
const OPM: &str = "SWITCHYARD_OPM_BINARY";
/// Runs per program and catalog; fewer for a larger catalog.
const RUNS: usize = 5;
const RUNS_OF_LARGE: usize = 3;
const LARGE: u64 = 100_000_000;

/// Measures the program built with this cargo profile, prints the table and stores it.
pub(crate) fn with_profile(profile: &str) -> Result<(), String> {
    let Some(shared) = corpora::shared_folder() else {
        println!("skipped: no folder of real catalogs (SWITCHYARD_SHARED)");
        return Ok(());
    };
    let ours = build(profile)?;
    let opm = std::env::var_os(OPM).map(PathBuf::from);
    if opm.is_none() {
        println!("skipped in part: {OPM} names no opm, so that there is nothing to compare with");
    }
    let made = std::env::temp_dir().join(format!("switchyard-compare-{}", std::process::id()));
    let rows = corpora::make(&shared, &made).and_then(|corpora| {
        corpora
            .iter()
            .map(|corpus| compare_corpus(corpus, &ours, opm.as_deref()))
            .collect::<Result<Vec<Row>, String>>()
    });
    // A gigabyte of copies. Leftovers in a temporary folder are harmless.
    let _ = std::fs::remove_dir_all(&made);
    let rows = rows?;
    let machine = Machine::this(
        profile,
        version(&ours, "--version"),
        opm.and_then(|opm| version(&opm, "version")),
    );
    println!();
    print!("{}", results::table(&rows));
    let file = project().join("benches/results/compare.json");
    results::keep(&file, &machine, &rows)?;
    say(&format!("kept in {}", file.display()));
    Ok(())
}

/// Builds the program with a profile.
fn build(profile: &str) -> Result<PathBuf, String> {
    say(&format!("building switchyard with the profile {profile}"));
    let mut cargo = Command::new("cargo");
    cargo.args([
        "build",
        "--quiet",
        "--package",
        "switchyard",
        "--profile",
        profile,
    ]);
    run(
        cargo.current_dir(project()),
        "Mend what the compiler names.",
    )?;
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| project().join("target"), PathBuf::from);
    Ok(target.join(profile).join("switchyard"))
}

/// Alternates the programs, so that other load on the machine affects both.
fn compare_corpus(corpus: &Corpus, ours: &Path, opm: Option<&Path>) -> Result<Row, String> {
    say(&format!("{}, {} MB", corpus.name, corpus.bytes / 1_000_000));
    let times = if corpus.bytes > LARGE {
        RUNS_OF_LARGE
    } else {
        RUNS
    };
    let (mut of_ours, mut of_opm) = (Vec::new(), Vec::new());
    process::read_all(&corpus.folder)?;
    for _ in 0..times {
        of_ours.push(judge(ours, &corpus.folder)?);
        if let Some(opm) = opm {
            of_opm.push(judge(opm, &corpus.folder)?);
        }
    }
    // A program that stopped early must not look fast. Some real catalogs have an error that is known only after
    // everything was validated.
    let mut outcomes = of_ours.iter().chain(&of_opm).map(|run| run.passed);
    let first = outcomes.next();
    if outcomes.any(|passed| Some(passed) != first) {
        return Err(format!(
            "the two programs disagree on {}",
            corpus.folder.display()
        ));
    }
    Ok(Row {
        name: corpus.name,
        bytes: corpus.bytes,
        ours: Side::from_runs(of_ours),
        opm: opm.map(|_| Side::from_runs(of_opm)),
    })
}

fn judge(program: &Path, folder: &Path) -> Result<Run, String> {
    process::measure(Command::new(program).arg("validate").arg(folder))
}

/// The first line of a program's version.
fn version(program: &Path, verb: &str) -> Option<String> {
    output(Command::new(program).arg(verb)).and_then(|text| text.lines().next().map(str::to_owned))
}
