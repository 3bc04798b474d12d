//! `cargo dev bench compare`: compares `switchyard validate` with the real `opm validate`, on the same catalogs at the
//! same time.

use crate::files::{files_below, read_text, write};
use crate::run::{project, run, say};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The variable with the path of `opm`, as in the tests.
const OPM: &str = "SWITCHYARD_OPM_BINARY";
/// Runs per program and catalog; fewer for a larger catalog.
const RUNS: usize = 5;
const RUNS_OF_LARGE: usize = 3;
const LARGE: u64 = 100_000_000;

/// Measures the program built with this cargo profile, and prints a table.
pub(crate) fn with_profile(profile: &str) -> Result<(), String> {
    let Some(shared) = shared_folder() else {
        println!("skipped: no folder of real catalogs (SWITCHYARD_SHARED)");
        return Ok(());
    };
    let mut programs = vec![build(profile)?];
    match std::env::var_os(OPM) {
        Some(opm) => programs.push(opm.into()),
        None => println!("skipped in part: {OPM} names no opm to compare with"),
    }
    let made = std::env::temp_dir().join(format!("switchyard-compare-{}", std::process::id()));
    let rows = make(&shared, &made).and_then(|corpora| {
        corpora
            .iter()
            .map(|corpus| compare_corpus(corpus, &programs))
            .collect::<Result<Vec<String>, String>>()
    });
    // Remove a gigabyte of copies. Leftovers in a temporary folder are harmless.
    let _ = std::fs::remove_dir_all(&made);
    println!(
        "\n| `validate` | switchyard, memory | opm, memory | times faster |\n|---|---|---|---|"
    );
    println!("{}", rows?.join("\n"));
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
    run(cargo.current_dir(project()), "Fix the compiler errors.")?;
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| project().join("target"), PathBuf::from);
    Ok(target.join(profile).join("switchyard"))
}

/// Measures the programs on one catalog and returns its table row. Alternates them, so that other load on the machine
/// affects both.
fn compare_corpus(corpus: &Corpus, programs: &[PathBuf]) -> Result<String, String> {
    say(&format!("{}, {} MB", corpus.name, corpus.bytes / 1_000_000));
    let times = if corpus.bytes > LARGE {
        RUNS_OF_LARGE
    } else {
        RUNS
    };
    let mut runs: Vec<Vec<Run>> = vec![Vec::new(); programs.len()];
    // Read the files first, so that the first run also finds them in the disk cache.
    files(&corpus.folder)?;
    for _ in 0..times {
        for (program, runs) in programs.iter().zip(&mut runs) {
            runs.push(measure(
                Command::new(program).arg("validate").arg(&corpus.folder),
            )?);
        }
    }
    // A program that stopped early must not look fast. Some real catalogs have an error that is known only after
    // everything was validated.
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
    let mut times: Vec<Duration> = runs.iter().map(|run| run.took).collect();
    times.sort();
    times
        .get(times.len() / 2)
        .map_or(0.0, Duration::as_secs_f64)
}

/// The YAML catalogs: names, folders below the corpus, sizes in megabytes.
const YAML: [(&str, &str, u64); 5] = [
    ("community, 15 MB", "community/v4.20", 15),
    ("community, 57 MB", "community/v4.20", 57),
    ("community, 347 MB", "community/v4.20", 347),
    ("operatorhub, 57 MB", "operatorhub", 57),
    ("operatorhub, 347 MB", "operatorhub", 347),
];

#[derive(Debug)]
struct Corpus {
    name: &'static str,
    folder: PathBuf,
    bytes: u64,
}

/// Returns the folder of real catalogs, if it exists.
pub(crate) fn shared_folder() -> Option<PathBuf> {
    let folder = std::env::var_os("SWITCHYARD_SHARED")
        .map_or_else(|| project().join("../shared"), PathBuf::from);
    Some(folder.join("corpus")).filter(|corpus| {
        YAML.iter()
            .all(|(_, source, _)| corpus.join(source).is_dir())
    })
}

/// Writes the catalogs below `into`.
fn make(corpus: &Path, into: &Path) -> Result<Vec<Corpus>, String> {
    let mut all = Vec::new();
    for (name, source, megabytes) in YAML {
        let folder = into.join(format!("yaml-{}", all.len()));
        let sources = files(&corpus.join(source))?;
        let bytes = repeat(&sources, &folder, megabytes * 1_000_000)?;
        all.push(Corpus {
            name,
            folder,
            bytes,
        });
    }
    let folder = corpus.join("redhat");
    let bytes = files(&folder)?
        .iter()
        .map(|(_, text)| text.len() as u64)
        .sum();
    all.push(Corpus {
        name: "JSON, 31 MB",
        folder,
        bytes,
    });
    Ok(all)
}

/// Writes the catalogs and a list of them, `catalogs.json`, for benches in other languages.
pub(crate) fn make_with_list(corpus: &Path, into: &Path) -> Result<(), String> {
    let list: Value = make(corpus, into)?
        .into_iter()
        .map(|one| json!({ "name": one.name, "folder": one.folder, "bytes": one.bytes }))
        .collect();
    write(&into.join("catalogs.json"), list.to_string())
}

/// Reads the files of a catalog's packages: the package's folder and the text of each, sorted by path.
fn files(catalog: &Path) -> Result<Vec<(String, String)>, String> {
    files_below(catalog, &[])?
        .into_iter()
        .filter(|(path, _)| path.contains('/'))
        .map(|(path, file)| {
            let package = path.split('/').next().unwrap_or_default();
            Ok((package.to_owned(), read_text(&file)?))
        })
        .collect()
}

/// Writes the sources, then renamed copies of them, until `size` bytes are reached. Returns the number of bytes written.
fn repeat(sources: &[(String, String)], folder: &Path, size: u64) -> Result<u64, String> {
    let mut written = 0;
    for round in 0u32.. {
        for (package, text) in sources {
            if written >= size {
                return Ok(written);
            }
            let (package, text) = match round {
                0 => (
                    Cow::Borrowed(package.as_str()),
                    Cow::Borrowed(text.as_str()),
                ),
                _ => (
                    Cow::Owned(format!("{package}-{round}")),
                    Cow::Owned(rename(text, round)),
                ),
            };
            let file = folder.join(&*package).join("catalog.yaml");
            write(&file, text.as_bytes())?;
            written += text.len() as u64;
        }
        if written == 0 {
            return Err("the catalog has no files".to_owned());
        }
    }
    Ok(written)
}

/// Renames the package of a file: in the package, in blobs that belong to it, and in its bundles' properties.
fn rename(text: &str, round: u32) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 100);
    for document in text.split_inclusive("\n---\n") {
        let is_package = document.lines().any(|line| line == "schema: olm.package");
        for line in document.split_inclusive('\n') {
            let content = line.trim_end();
            let names_it = content.starts_with("package: ")
                || content.starts_with("    packageName: ")
                || (is_package && content.starts_with("name: "));
            match names_it {
                true => out.extend([content, "-", &round.to_string(), &line[content.len()..]]),
                false => out.push_str(line),
            }
        }
    }
    out
}

/// How often the peak memory is read. The kernel keeps the peak, so only growth in the last moment is missed.
const LOOK: Duration = Duration::from_millis(1);

#[derive(Debug, Clone, Copy, PartialEq)]
struct Run {
    passed: bool,
    took: Duration,
    /// In bytes; 0 if the system does not report it.
    memory: u64,
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
                    took: start.elapsed(),
                    memory,
                });
            }
            Ok(None) => {
                let current = std::fs::read_to_string(&status)
                    .ok()
                    .and_then(|status| peak(&status));
                memory = memory.max(current.unwrap_or(0));
                std::thread::sleep(LOOK);
            }
            Err(error) => return Err(format!("{name} was lost ({error})")),
        }
    }
}

/// Returns the peak resident size in `/proc/PID/status`, in bytes.
fn peak(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim()
        .strip_suffix(" kB")?
        .trim()
        .parse::<u64>()
        .ok()
        .map(|kilobytes| kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "---\nschema: olm.package\nname: yard\ndefaultChannel: yard\n---\nschema: olm.channel\nname: yard\n\
                        package: yard\n---\nname: yard.v1\npackage: yard\nproperties:\n- type: olm.package\n  value:\n    \
                        packageName: yard\n    version: 1.0.0\n- type: olm.package.required\n  value:\n    \
                        packageName: other\n";

    #[test]
    fn a_package_gets_another_name_and_its_channels_keep_theirs() {
        let text = rename(TEXT, 3);
        assert!(
            text.contains("schema: olm.package\nname: yard-3\ndefaultChannel: yard\n"),
            "{text}"
        );
        assert!(
            text.contains("schema: olm.channel\nname: yard\npackage: yard-3\n"),
            "{text}"
        );
        assert!(text.contains("name: yard.v1\npackage: yard-3\n"), "{text}");
        assert!(
            text.contains("    packageName: yard-3\n    version: 1.0.0\n"),
            "{text}"
        );
        assert_eq!(
            text.matches("-3\n").count(),
            5,
            "what it requires is of the same round: {text}"
        );
    }

    #[test]
    fn rounds_are_written_until_the_size_is_reached() {
        let folder = std::env::temp_dir().join(format!("switchyard-rounds-{}", std::process::id()));
        let sources = vec![
            ("a".to_owned(), TEXT.to_owned()),
            ("b".to_owned(), TEXT.to_owned()),
        ];
        let written = repeat(&sources, &folder, TEXT.len() as u64 * 3).expect("it can be written");
        let files = files_below(&folder, &[]).expect("it is there");
        let names: Vec<&str> = files.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            ["a-1/catalog.yaml", "a/catalog.yaml", "b/catalog.yaml"]
        );
        assert!(written > TEXT.len() as u64 * 3);
        let _ = std::fs::remove_dir_all(&folder);
    }
}

#[cfg(test)]
mod process_tests {
    use super::*;

    #[test]
    fn the_peak_is_read_from_the_status() {
        assert_eq!(
            peak("Name:\topm\nVmPeak:\t  900 kB\nVmHWM:\t    2048 kB\n"),
            Some(2 << 20)
        );
        assert_eq!(peak("Name:\topm\n"), None);
    }

    #[test]
    fn a_run_reports_success_and_failure() {
        assert!(measure(&mut Command::new("true")).is_ok_and(|run| run.passed));
        assert!(measure(&mut Command::new("false")).is_ok_and(|run| !run.passed));
        assert!(measure(&mut Command::new("/there/is/no/such/program")).is_err());
    }
}
