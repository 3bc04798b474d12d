//! `cargo dev bench`: every figure that the project publishes. Runs the native benches, the layout's property tests
//! with many more cases, and the benches of the page in a real browser.

use crate::run::{project, run, say};
use crate::{build, compare, journeys, setup};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The native benches: files in `benches`, as named in `Cargo.toml`.
const NATIVE: [&str; 5] = ["search", "answers", "rebuild", "repository", "upgrades"];
/// Cases per property of the layout; a plain test run has 256.
const CASES: &str = "5000";

/// Runs the benchmarks whose name contains `filter`, then prints their figures as one table.
pub(crate) fn all(filter: &str) -> Result<(), String> {
    let mut table: Vec<(String, String)> = Vec::new();
    for name in NATIVE.into_iter().filter(|name| name.contains(filter)) {
        say(&format!("native bench: {name}"));
        let mut cargo = Command::new("cargo");
        cargo.args(["bench", "--quiet", "--bench", name]);
        table.extend(numbers(cargo.current_dir(project()))?);
    }
    if "layout".contains(filter) {
        say(&format!("properties of the layout, {CASES} cases each"));
        let start = Instant::now();
        let mut cargo = Command::new("cargo");
        cargo.args([
            "test",
            "--quiet",
            "--package",
            "switchyard-catalog",
            "--lib",
            "--",
            "graph::layout",
        ]);
        run(
            cargo.current_dir(project()).env("PROPTEST_CASES", CASES),
            "The message holds the smallest package that breaks the property.",
        )?;
        table.push((
            "layout".to_owned(),
            format!(
                "{CASES} cases of each property in {} s",
                start.elapsed().as_secs()
            ),
        ));
    }
    if "page".contains(filter) {
        say("benches of the page");
        table.extend(bench_page()?);
    }
    let width = table
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0);
    println!();
    for (name, figures) in table {
        println!("{name:width$}  {figures}");
    }
    Ok(())
}

/// Measures the release page in a browser, with generated catalogs of known sizes if the real ones are here.
fn bench_page() -> Result<Vec<(String, String)>, String> {
    let folder = build::site(&setup::all_for_build()?, build::Page::Release)?;
    let mut runner = journeys::runner(&folder)?;
    runner.args(["--config", "bench.config.mjs"]);
    let made = std::env::temp_dir().join(format!("switchyard-bench-{}", std::process::id()));
    if let Some(corpus) = compare::shared_folder() {
        compare::make_with_list(&corpus, &made)?;
        runner.env("SWITCHYARD_BENCH_CATALOGS", &made);
    }
    let found = numbers(&mut runner);
    // A gigabyte of copies. Leftovers in a temporary folder are harmless.
    let _ = std::fs::remove_dir_all(&made);
    found
}

/// Runs a program, prints its output, and collects lines of the form `name: numbers`.
fn numbers(command: &mut Command) -> Result<Vec<(String, String)>, String> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("a bench could not be started ({error})"))?;
    let mut found = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            println!("{line}");
            found.extend(parse_measure(&line));
        }
    }
    match child.wait() {
        Ok(status) if status.success() => Ok(found),
        Ok(status) => Err(format!("a bench failed ({status}); see its output above")),
        Err(error) => Err(format!("a bench was lost ({error})")),
    }
}

/// Splits `operatorhub: a search 1.2 ms` into a name and its figures; `None` for a line without figures after the name.
fn parse_measure(line: &str) -> Option<(String, String)> {
    let (name, figures) = line.trim().split_once(": ")?;
    let is_name = !name.is_empty() && !name.contains(['/', '›', '[']);
    (is_name && figures.contains(|c: char| c.is_ascii_digit()))
        .then(|| (name.to_owned(), figures.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::parse_measure;

    #[test]
    fn lines_with_numbers_are_the_table() {
        let line = parse_measure("operatorhub: a search 1.20 ms");
        assert_eq!(
            line,
            Some(("operatorhub".to_owned(), "a search 1.20 ms".to_owned()))
        );
        assert_eq!(parse_measure("skipped: no folder of real catalogs"), None);
        assert_eq!(
            parse_measure("  ✓  1 bench/pan.bench.ts:70:1 › panning: 1,000 entries"),
            None
        );
        assert_eq!(parse_measure("Running 4 tests using 1 worker"), None);
    }
}
