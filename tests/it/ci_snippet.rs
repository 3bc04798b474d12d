//! The steps of the workflow in `docs/ci.md` that call `switchyard`, run as GitHub's runner runs them, against two checkouts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A step that runs a script.
struct Step {
    name: String,
    script: String,
    /// Relative to the workspace.
    folder: String,
}

/// The workflow of the manual: its environment, and the steps that run `switchyard`.
struct Workflow {
    catalog: String,
    steps: Vec<Step>,
}

fn manual() -> Workflow {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ci.md")).unwrap();
    let (_, fence) = text.split_once("```yaml\n").expect("the manual has a workflow");
    let (workflow, _) = fence.split_once("```").unwrap();
    let workflow: serde_yaml::Value = serde_yaml::from_str(workflow).expect("the workflow is YAML");
    let steps = workflow["jobs"]["users"]["steps"].as_sequence().unwrap();
    let text = |value: &serde_yaml::Value| value.as_str().unwrap_or_default().to_owned();
    let calls = |step: &Step| step.script.lines().any(|line| line.trim_start().starts_with("switchyard "));
    let step = |step: &serde_yaml::Value| Step {
        name: text(&step["name"]),
        script: text(&step["run"]),
        folder: text(&step["working-directory"]),
    };
    let steps = steps.iter().map(step);
    Workflow { catalog: text(&workflow["env"]["CATALOG"]), steps: steps.filter(calls).collect() }
}

/// What each step exited with, and the summary of the run.
fn run(base: Option<&Path>, head: &Path) -> Option<(Vec<(String, i32)>, String)> {
    let workflow = manual();
    let folder = TempDir::new().unwrap();
    for (side, from) in [("base", base), ("head", Some(head))] {
        let to = folder.path().join(side);
        fs::create_dir_all(&to).unwrap();
        if let Some(from) = from {
            copy(from, &to.join(&workflow.catalog));
        }
    }
    let binary = Path::new(env!("CARGO_BIN_EXE_switchyard")).parent().unwrap().to_owned();
    let old_path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(binary).chain(std::env::split_paths(&old_path))).unwrap();
    let summary = folder.path().join("summary.md");
    let mut ends = Vec::new();
    for step in workflow.steps {
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", &step.script])
            .current_dir(folder.path().join(&step.folder));
        bash.env("PATH", &path).env("CATALOG", &workflow.catalog).env("GITHUB_STEP_SUMMARY", &summary);
        let Ok(output) = bash.output() else {
            println!("skipped: bash is not installed");
            return None;
        };
        ends.push((step.name, output.status.code().unwrap()));
    }
    Some((ends, fs::read_to_string(summary).unwrap_or_default()))
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() { copy(&path, &to) } else { fs::copy(&path, &to).map(|_| ()).unwrap() }
    }
}

fn beacon(version: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/catalogs/beacon").join(version)
}

fn ends(found: &[(String, i32)]) -> Vec<(&str, i32)> {
    found.iter().map(|(name, status)| (name.as_str(), *status)).collect()
}

#[test]
fn a_change_that_strands_users_fails_and_is_told() {
    let Some((found, summary)) = run(Some(&beacon("v4.19")), &beacon("v4.20")) else { return };
    assert_eq!(ends(&found), [("Validate", 0), ("What changes for users", 1)]);
    assert!(summary.contains("beacon-operator") && summary.contains("stranded"), "{summary}");
}

#[test]
fn no_change_and_a_new_catalog_pass() {
    let here = beacon("v4.19");
    for base in [Some(here.as_path()), None] {
        let Some((found, summary)) = run(base, &here) else { return };
        assert_eq!(ends(&found), [("Validate", 0), ("What changes for users", 0)], "{summary}");
        assert!(!summary.is_empty());
    }
}
