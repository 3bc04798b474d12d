//! Runs the fuzz targets: through cargo-fuzz on a nightly compiler, or, if none is available, built by the project's
//! own compiler with the same instrumentation. In both cases libFuzzer runs them.

use crate::run::{output, path_with, run, run_within, say};
use crate::setup::install;
use crate::tools::{CARGO_FUZZ, project};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The compiler flags that cargo-fuzz sets for libFuzzer's coverage guidance.
const INSTRUMENTED: &[&str] = &[
    "--cfg",
    "fuzzing",
    "-Cdebug-assertions",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// `[TARGET] [--executions N]`: runs one target, or all one after the other.
pub(crate) fn targets(args: &[&str]) -> Result<(), String> {
    let (target, executions) = read(args)?;
    let all = names()?;
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
    let way = RunOptions::find()?;
    let mut broken = Vec::new();
    for target in chosen {
        say(&format!("{target}: {executions} executions"));
        if let Err(error) = way.fuzz(target, executions) {
            println!("{target}: {error}");
            broken.push(target.as_str());
        }
    }
    match broken.is_empty() {
        true => Ok(()),
        false => Err(format!("these targets broke a law: {}", broken.join(", "))),
    }
}

fn read<'a>(args: &[&'a str]) -> Result<(Option<&'a str>, u64), String> {
    let (mut target, mut executions) = (None, 1_000_000);
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if *arg == "--executions" {
            let number = rest.next().and_then(|n| n.parse().ok());
            executions = number.ok_or("--executions wants a number")?;
        } else if target.replace(*arg).is_some() {
            return Err("name one target, or none for all".to_owned());
        }
    }
    Ok((target, executions))
}

/// The targets are the files of `fuzz/targets`.
fn names() -> Result<Vec<String>, String> {
    let folder = project().join("fuzz/targets");
    let entries =
        std::fs::read_dir(&folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|e| Some(e.path().file_stem()?.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    Ok(names)
}

enum RunOptions {
    /// The folder that contains `cargo-fuzz`.
    CargoFuzz(std::path::PathBuf),
    /// The host's target triple.
    Plain(String),
}

impl RunOptions {
    fn find() -> Result<Self, String> {
        if has_nightly() {
            match install("cargo-fuzz", CARGO_FUZZ, &["--locked"]) {
                Ok(folder) => return Ok(Self::CargoFuzz(folder)),
                Err(error) => say(&format!("cargo-fuzz cannot be installed ({error})")),
            }
        }
        say(
            "no nightly compiler or no cargo-fuzz: the targets are built by the project's own compiler",
        );
        let version =
            output(Command::new("rustc").arg("-vV").current_dir(project())).unwrap_or_default();
        let host = version.lines().find_map(|line| line.strip_prefix("host: "));
        host.map(|host| Self::Plain(host.to_owned()))
            .ok_or_else(|| "`rustc -vV` does not name the host".to_owned())
    }

    fn fuzz(&self, target: &str, executions: u64) -> Result<(), String> {
        let (corpus, artifacts) = (folder("corpus", target)?, folder("artifacts", target)?);
        let hint = format!(
            "When a law was broken, the case is in fuzz/artifacts/{target}; once the root is mended, keep it in tests/data/fuzz/{target}."
        );
        let options = [
            format!("-runs={executions}"),
            format!("-artifact_prefix={artifacts}/"),
            "-max_len=600".to_owned(),
            "-timeout=20".to_owned(),
            "-rss_limit_mb=3000".to_owned(),
        ];
        match self {
            Self::CargoFuzz(bin) => {
                // Safe without the sanitizer because of `forbid(unsafe_code)`, and twice as fast.
                let mut cargo = Command::new("cargo");
                cargo
                    .args([
                        "+nightly",
                        "fuzz",
                        "run",
                        "--sanitizer",
                        "none",
                        target,
                        &corpus,
                        "--",
                    ])
                    .args(options);
                let path = path_with(std::slice::from_ref(bin));
                run(
                    cargo
                        .env("PATH", path)
                        .env_remove("RUSTUP_TOOLCHAIN")
                        .current_dir(project()),
                    &hint,
                )
            }
            Self::Plain(host) => {
                let mut cargo = Command::new("cargo");
                cargo.args(["build", "--release", "--target", host, "--bin", target]);
                cargo
                    .env("RUSTFLAGS", INSTRUMENTED.join(" "))
                    .current_dir(project().join("fuzz"));
                run(
                    &mut cargo,
                    "A C++ compiler is needed for libFuzzer; otherwise see the message above.",
                )?;
                let binary = project()
                    .join("fuzz/target")
                    .join(host)
                    .join("release")
                    .join(target);
                run(
                    Command::new(binary)
                        .args(options)
                        .arg(&corpus)
                        .current_dir(project()),
                    &hint,
                )
            }
        }
    }
}

fn folder(kind: &str, target: &str) -> Result<String, String> {
    let folder = project().join("fuzz").join(kind).join(target);
    std::fs::create_dir_all(&folder)
        .map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    Ok(folder.display().to_string())
}

fn has_nightly() -> bool {
    let is_installed = || {
        output(
            Command::new("cargo")
                .args(["+nightly", "--version"])
                .current_dir(Path::new("/")),
        )
        .is_some()
    };
    if is_installed() {
        return true;
    }
    say("adding the nightly compiler, for cargo-fuzz (rustup, at most five minutes)");
    let add = ["toolchain", "install", "nightly", "--profile", "minimal"];
    run_within(Command::new("rustup").args(add), Duration::from_secs(300)) && is_installed()
}
