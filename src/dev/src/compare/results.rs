//! The results: a table for people, and JSON that is stored with the sources.

use super::process::Run;
use crate::run::output;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The machine and the versions of the measurement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Machine {
    date: String,
    system: String,
    processor: String,
    cores: usize,
    /// The load average of the last minute, to reveal other work.
    load: String,
    profile: String,
    ours: Option<String>,
    opm: Option<String>,
}

/// A catalog with the results of both programs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) bytes: u64,
    pub(crate) ours: Side,
    pub(crate) opm: Option<Side>,
}

/// A program's runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Side {
    median: Duration,
    least: Duration,
    most: Duration,
    memory: u64,
    runs: usize,
}

impl Machine {
    pub(crate) fn this(profile: &str, ours: Option<String>, opm: Option<String>) -> Self {
        let output_of = |program: &str, args: &[&str]| {
            output(Command::new(program).args(args))
                .map(|text| text.trim().to_owned())
                .unwrap_or_default()
        };
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let model = |line: &str| {
            Some(
                line.strip_prefix("model name")?
                    .trim_start_matches([' ', '\t', ':'])
                    .to_owned(),
            )
        };
        Self {
            date: output_of("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"]),
            system: output_of("uname", &["-sm"]),
            processor: read("/proc/cpuinfo")
                .lines()
                .find_map(model)
                .unwrap_or_default(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            load: read("/proc/loadavg")
                .split(' ')
                .next()
                .unwrap_or_default()
                .to_owned(),
            profile: profile.to_owned(),
            ours,
            opm,
        }
    }
}

impl Side {
    pub(crate) fn from_runs(mut runs: Vec<Run>) -> Self {
        runs.sort_by_key(|run| run.took);
        let at = |index: usize| runs.get(index).map_or(Duration::ZERO, |run| run.took);
        Self {
            median: at(runs.len() / 2),
            least: at(0),
            most: at(runs.len().saturating_sub(1)),
            memory: runs.iter().map(|run| run.memory).max().unwrap_or(0),
            runs: runs.len(),
        }
    }
}

/// The rows as a table in Markdown.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut text =
        "| `validate` | switchyard | opm | times faster | memory | opm's memory |\n|---|---|---|---|---|---|\n"
            .to_owned();
    for row in rows {
        let (time, memory, factor) = match &row.opm {
            Some(opm) => (
                seconds(opm.median),
                megabytes(opm.memory),
                format!("{:.1}", factor(&row.ours, opm)),
            ),
            None => ("–".to_owned(), "–".to_owned(), "–".to_owned()),
        };
        let (ours, own_memory) = (seconds(row.ours.median), megabytes(row.ours.memory));
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| {} | {ours} | {time} | {factor} | {own_memory} | {memory} |",
            row.name
        );
    }
    text
}

/// Writes the results to a file in the repository.
pub(crate) fn keep(file: &Path, machine: &Machine, rows: &[Row]) -> Result<(), String> {
    let cannot = |e| format!("cannot write {}: {e}", file.display());
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(cannot)?;
    }
    std::fs::write(file, json(machine, rows)).map_err(cannot)
}

fn json(machine: &Machine, rows: &[Row]) -> String {
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "catalog": row.name,
                "bytes": row.bytes,
                "switchyard": side_json(&row.ours),
                "opm": row.opm.as_ref().map(side_json),
            })
        })
        .collect();
    let all = json!({
        "date": machine.date,
        "system": machine.system,
        "processor": machine.processor,
        "cores": machine.cores,
        "loadOfTheLastMinute": machine.load,
        "profile": machine.profile,
        "switchyard": machine.ours,
        "opm": machine.opm,
        "validate": rows,
    });
    format!("{all:#}\n")
}

fn side_json(side: &Side) -> Value {
    json!({
        "medianSeconds": side.median.as_secs_f64(),
        "leastSeconds": side.least.as_secs_f64(),
        "mostSeconds": side.most.as_secs_f64(),
        "peakMemoryBytes": side.memory,
        "runs": side.runs,
    })
}

fn factor(ours: &Side, opm: &Side) -> f64 {
    opm.median.as_secs_f64() / ours.median.as_secs_f64().max(f64::EPSILON)
}

fn seconds(took: Duration) -> String {
    format!("{:.3} s", took.as_secs_f64())
}

fn megabytes(bytes: u64) -> String {
    format!("{:.0} MB", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side_of(milliseconds: &[u64]) -> Side {
        let run = |ms: &u64| Run {
            passed: true,
            took: Duration::from_millis(*ms),
            memory: 1_000_000 * ms,
        };
        Side::from_runs(milliseconds.iter().map(run).collect())
    }

    #[test]
    fn the_median_counts_and_the_highest_memory() {
        let rows = [
            Row {
                name: "one",
                bytes: 5,
                ours: side_of(&[30, 10, 20]),
                opm: Some(side_of(&[500])),
            },
            Row {
                name: "two",
                bytes: 5,
                ours: side_of(&[1]),
                opm: None,
            },
        ];
        let table = table(&rows);
        assert!(
            table.contains("| one | 0.020 s | 0.500 s | 25.0 | 30 MB | 500 MB |\n"),
            "{table}"
        );
        assert!(
            table.contains("| two | 0.001 s | – | – | 1 MB | – |\n"),
            "{table}"
        );
    }

    #[test]
    fn results_are_stored_as_json() {
        let machine = Machine::this("quick", Some("a \"quoted\" version".to_owned()), None);
        let text = json(
            &machine,
            &[Row {
                name: "one",
                bytes: 5,
                ours: side_of(&[20]),
                opm: None,
            }],
        );
        let read: Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(read["switchyard"], "a \"quoted\" version");
        assert_eq!(read["opm"], Value::Null);
        let row = &read["validate"][0];
        assert_eq!(
            (&row["catalog"], &row["opm"]),
            (&json!("one"), &Value::Null)
        );
        assert_eq!(row["switchyard"]["runs"], 1);
    }
}
