//! Records which checks passed on the current inputs: the project's files, the compiler, the
//! variables and the shared data. Only complete runs without a failure are recorded, one file per
//! check in `target/passed`. Must not know which checks exist.

use crate::files::{files_below, fingerprint, write};
use crate::report::Report;
use crate::run::{output, project, shared_folder};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Generated folders, and git's own.
const EXCLUDED: [&str; 8] = [
    ".git",
    "target",
    "dist",
    "tests/e2e/results",
    "tests/e2e/node_modules",
    "fuzz/target",
    "fuzz/corpus",
    "fuzz/artifacts",
];

/// Prefixes of variables that change what is compiled or tested.
const VARIABLE_PREFIXES: [&str; 8] = [
    "CARGO_",
    "LANG",
    "LC_",
    "PROPTEST_",
    "RUST",
    "SWITCHYARD_",
    "UPDATE_EXPECT",
    "PATH",
];

/// Files of the page, of its journeys and of the documentation, by the beginnings of their names.
pub const PAGE: [&str; 6] = [
    "docs/",
    "index.html",
    "public/",
    "src/app/",
    "style/",
    "tests/e2e/",
];

/// Returns names and digests of the project's files, without those whose names begin with one of
/// `unrelated`. Manifests always count, because they decide on the features of all crates. An
/// unreadable file counts as empty.
fn project_files(project: &Path, unrelated: &[&str]) -> Vec<String> {
    files_below(project, &EXCLUDED)
        .unwrap_or_default()
        .into_iter()
        .filter(|(name, _)| {
            name.ends_with("Cargo.toml") || !unrelated.iter().any(|start| name.starts_with(start))
        })
        .map(|(name, path)| {
            let content = fingerprint(&std::fs::read(path).unwrap_or_default());
            format!("{name:?} {content:016x}")
        })
        .collect()
}

/// Returns the inputs outside the project. Only names, sizes and times of the shared data count,
/// because reading it takes as long as some checks.
fn external_inputs() -> Vec<String> {
    let mut lines: Vec<String> = std::env::vars_os()
        .map(|(name, value)| format!("{}={value:?}", name.to_string_lossy()))
        .filter(|line| {
            VARIABLE_PREFIXES
                .iter()
                .any(|prefix| line.starts_with(prefix))
        })
        .collect();
    lines.sort();
    lines.extend(output(
        Command::new("rustc").arg("-vV").current_dir(project()),
    ));
    for (name, path) in files_below(&shared_folder(), &[]).unwrap_or_default() {
        let stamp = path
            .metadata()
            .map(|file| (file.len(), file.modified().ok()));
        lines.push(format!("{name} {:?}", stamp.ok()));
    }
    lines
}

/// The recorded passes, and the inputs that they must match.
#[derive(Debug, PartialEq, Eq)]
pub struct PassCache {
    folder: PathBuf,
    digest: u64,
}

/// The record of a check that passed.
#[derive(Serialize, Deserialize)]
struct Pass {
    digest: u64,
    report: Report,
}

impl PassCache {
    /// Reads the inputs of a check that does not depend on the files in `unrelated`.
    pub fn new(unrelated: &[&str]) -> Self {
        Self::for_project(&project(), unrelated, &external_inputs())
    }

    fn for_project(project: &Path, unrelated: &[&str], external_inputs: &[String]) -> Self {
        let lines = [&project_files(project, unrelated), external_inputs].concat();
        Self {
            folder: project.join("target/passed"),
            digest: fingerprint(lines.join("\n").as_bytes()),
        }
    }

    /// Returns the report of a run that passed on the same inputs.
    pub fn recall(&self, name: &str) -> Option<Report> {
        let text = std::fs::read(self.file(name)).ok()?;
        let pass: Pass = serde_json::from_slice(&text).ok()?;
        (pass.digest == self.digest).then(|| pass.report.into_earlier())
    }

    /// Records a complete run without a failure.
    pub fn record(&self, name: &str, report: &Report) {
        if !report.is_complete() {
            return;
        }
        let pass = Pass {
            digest: self.digest,
            report: report.clone(),
        };
        let text = serde_json::to_vec(&pass).map_err(|error| error.to_string());
        let result = text.and_then(|text| write(&self.file(name), text));
        if let Err(error) = result {
            println!("the pass of {name} could not be recorded: {error}");
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name.replace(' ', "-"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passed_checks_are_recalled_until_an_input_changes() {
        let project =
            std::env::temp_dir().join(format!("switchyard-inputs-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = project.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("src/a.rs", "as it was");
        let seed = ["seed 1".to_owned()];
        let recalls = |outside: &[String]| {
            PassCache::for_project(&project, &PAGE, outside)
                .recall("a check")
                .is_some()
        };
        let cache = PassCache::for_project(&project, &PAGE, &seed);
        assert!(!recalls(&seed));
        cache.record("a check", &Report::one(false));
        assert!(!recalls(&seed), "a failure is not recorded");
        cache.record("a check", &Report::one(true));
        assert!(recalls(&seed) && !recalls(&["seed 2".to_owned()]));
        write("target/debug/x", "made");
        write("src/app/a.rs", "unrelated");
        assert!(recalls(&seed));
        write("src/app/Cargo.toml", "features");
        assert!(!recalls(&seed), "another manifest");
        std::fs::remove_file(project.join("src/app/Cargo.toml")).unwrap();
        write("src/a.rs", "as it waS");
        assert!(!recalls(&seed), "another content");
        write("src/a.rs", "as it was");
        std::fs::rename(project.join("src/a.rs"), project.join("src/b.rs")).unwrap();
        assert!(!recalls(&seed), "another name");
        std::fs::remove_dir_all(&project).unwrap();
    }
}
