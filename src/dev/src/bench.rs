//! `cargo dev bench`: every figure that the project publishes, from the native benches and the benches
//! of the page in a real browser. `cargo dev bench compare`: compares `switchyard validate` with the
//! real `opm validate`, on the same catalogs at the same time.

use crate::catalogs::{
    Corpus, read_package_files, shared_folder, write_catalogs, write_catalogs_with_list,
};
use crate::run::{cargo, project, run, say};
use crate::{build, journeys, setup};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The native benches, which are files in `benches`, as named in `Cargo.toml`.
const NATIVE: [&str; 5] = ["search", "answers", "rebuild", "repository", "upgrades"];
const HINT: &str = "See the output of the bench above.";
/// The variable with the path of `opm`, as in the tests.
const OPM_VARIABLE: &str = "SWITCHYARD_OPM_BINARY";
/// Runs per program and catalog.
const RUNS: usize = 5;
/// Runs per program and catalog larger than `LARGE_CATALOG_BYTES`.
const RUNS_OF_LARGE_CATALOG: usize = 3;
const LARGE_CATALOG_BYTES: u64 = 100_000_000;
/// How often the peak memory is read. The kernel keeps the peak, so only growth in the last moment
/// is missed.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

#[derive(Debug, Clone, Copy, PartialEq)]
struct Run {
    passed: bool,
    duration: Duration,
    /// Peak resident size in bytes; 0 if the system does not report it.
    memory: u64,
}

/// Runs the benches whose name contains `filter`; they print their figures.
pub fn run_benches(filter: &str) -> Result<(), String> {
    for name in NATIVE.into_iter().filter(|name| name.contains(filter)) {
        say(&format!("native bench: {name}"));
        run(cargo().args(["bench", "--quiet", "--bench", name]), HINT)?;
    }
    if "page".contains(filter) {
        say("benches of the page");
        bench_page()?;
    }
    Ok(())
}

/// Measures the release page in a browser, with generated catalogs of known sizes if the real ones
/// are available.
fn bench_page() -> Result<(), String> {
    let folder = build::site(&setup::all_for_build()?, build::Page::Release)?;
    let mut runner = journeys::runner(&folder)?;
    runner.args(["--config", "bench.config.mjs"]);
    let generated = std::env::temp_dir().join(format!("switchyard-bench-{}", std::process::id()));
    if let Some(corpus) = shared_folder() {
        write_catalogs_with_list(&corpus, &generated)?;
        runner.env("SWITCHYARD_BENCH_CATALOGS", &generated);
    }
    let result = run(&mut runner, HINT);
    // Remove a gigabyte of copies. Leftovers in a temporary folder are harmless.
    let _ = std::fs::remove_dir_all(&generated);
    result
}

/// Measures the program built with this cargo profile, and prints a table.
pub fn compare_with_opm(profile: &str) -> Result<(), String> {
    let Some(shared) = shared_folder() else {
        println!("skipped: no folder of real catalogs (SWITCHYARD_SHARED)");
        return Ok(());
    };
    let mut programs = vec![build_program(profile)?];
    match std::env::var_os(OPM_VARIABLE) {
        Some(opm) => programs.push(opm.into()),
        None => println!("skipped in part: {OPM_VARIABLE} names no opm to compare with"),
    }
    let folder = std::env::temp_dir().join(format!("switchyard-compare-{}", std::process::id()));
    let rows = write_catalogs(&shared, &folder).and_then(|corpora| {
        corpora
            .iter()
            .map(|corpus| compare_corpus(corpus, &programs))
            .collect::<Result<Vec<String>, String>>()
    });
    // Remove a gigabyte of copies. Leftovers in a temporary folder are harmless.
    let _ = std::fs::remove_dir_all(&folder);
    let rows = rows?.join("\n");
    println!(
        "\n| `validate` | switchyard, memory | opm, memory | times faster |\n|---|---|---|---|"
    );
    println!("{rows}");
    Ok(())
}

/// Builds the program with a cargo profile, and returns its path.
fn build_program(profile: &str) -> Result<PathBuf, String> {
    say(&format!("building switchyard with the profile {profile}"));
    run(
        cargo()
            .args(["build", "--quiet", "--package", "switchyard"])
            .args(["--profile", profile]),
        "Fix the compiler errors.",
    )?;
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| project().join("target"), PathBuf::from);
    Ok(target.join(profile).join("switchyard"))
}

/// Measures the programs on one catalog and returns its table row. Alternates them, so that other
/// load on the machine affects both.
fn compare_corpus(corpus: &Corpus, programs: &[PathBuf]) -> Result<String, String> {
    say(&format!("{}, {} MB", corpus.name, corpus.bytes / 1_000_000));
    let run_count = if corpus.bytes > LARGE_CATALOG_BYTES {
        RUNS_OF_LARGE_CATALOG
    } else {
        RUNS
    };
    let mut runs: Vec<Vec<Run>> = vec![Vec::new(); programs.len()];
    // Read the files first, so that the first run also finds them in the disk cache.
    read_package_files(&corpus.folder)?;
    for _ in 0..run_count {
        for (program, runs) in programs.iter().zip(&mut runs) {
            runs.push(measure(
                Command::new(program).arg("validate").arg(&corpus.folder),
            )?);
        }
    }
    // A program that stopped early must not look fast. Some real catalogs have an error that is
    // known only after everything was validated.
    let mut outcomes = runs.iter().flatten().map(|run| run.passed);
    let first = outcomes.next();
    if outcomes.any(|passed| Some(passed) != first) {
        return Err(format!(
            "the two programs disagree on {}",
            corpus.folder.display()
        ));
    }
    let medians: Vec<f64> = runs.iter().map(|runs| median(runs)).collect();
    let cells = runs.iter().zip(&medians).map(|(runs, median)| {
        let memory = runs.iter().map(|run| run.memory).max().unwrap_or(0);
        format!(" {median:.3} s, {} MB |", memory / 1_000_000)
    });
    let factor = match medians[..] {
        [ours, opms] => format!(" {:.1} |", opms / ours),
        _ => String::new(),
    };
    let cells: String = cells.collect();
    Ok(format!("| {} |{cells}{factor}", corpus.name))
}

/// Returns the median duration, in seconds.
fn median(runs: &[Run]) -> f64 {
    let mut times: Vec<Duration> = runs.iter().map(|run| run.duration).collect();
    times.sort();
    times
        .get(times.len() / 2)
        .map_or(0.0, Duration::as_secs_f64)
}

/// Runs a program to its end, without its output.
fn measure(command: &mut Command) -> Result<Run, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let start = Instant::now();
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.map_err(|error| format!("{name} could not be started ({error})"))?;
    let status = format!("/proc/{}/status", child.id());
    let mut memory = 0;
    loop {
        match child.try_wait() {
            Ok(Some(ended)) => {
                return Ok(Run {
                    passed: ended.success(),
                    duration: start.elapsed(),
                    memory,
                });
            }
            Ok(None) => {
                let status = std::fs::read_to_string(&status).unwrap_or_default();
                memory = memory.max(peak_memory(&status).unwrap_or(0));
                std::thread::sleep(POLL_INTERVAL);
            }
            Err(error) => return Err(format!("{name} was lost ({error})")),
        }
    }
}

/// Returns the peak resident size in `/proc/PID/status`, in bytes.
fn peak_memory(status: &str) -> Option<u64> {
    let mut lines = status.lines();
    let line = lines.find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_from_the_status() {
        assert_eq!(
            peak_memory("Name:\topm\nVmPeak:\t  900 kB\nVmHWM:\t    2048 kB\n"),
            Some(2 << 20)
        );
        assert_eq!(peak_memory("Name:\topm\n"), None);
    }

    #[test]
    fn a_run_reports_success_and_failure() {
        assert!(measure(&mut Command::new("true")).is_ok_and(|run| run.passed));
        assert!(measure(&mut Command::new("false")).is_ok_and(|run| !run.passed));
        assert!(measure(&mut Command::new("/there/is/no/such/program")).is_err());
    }
}
