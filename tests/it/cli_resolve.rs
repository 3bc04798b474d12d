//! `switchyard resolve` and `switchyard next` under Classic, against the recorded answers of the real resolver: the
//! same tables as the library's own suite, through the program's input and output.

use crate::shared::table;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

fn switchyard() -> Command {
    Command::new(env!("CARGO_BIN_EXE_switchyard"))
}

#[test]
fn resolve_answers_as_recorded() {
    let cases = table("resolve-v0");
    assert!(cases.len() > 20, "the slice is too small to tell anything");
    let mut child = switchyard()
        .args(["resolve", "--request", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("piped");
    let requests: String = cases.iter().map(|case| format!("{case}\n")).collect();
    let writer = std::thread::spawn(move || stdin.write_all(requests.as_bytes()));
    let output = child.wait_with_output().expect("the program ends");
    writer
        .join()
        .expect("writes")
        .expect("all requests are read");
    let answers: Vec<Value> = serde_json::Deserializer::from_slice(&output.stdout)
        .into_iter()
        .map(|v| v.expect("JSON"))
        .collect();
    assert_eq!(answers.len(), cases.len());
    let mut wrong = Vec::new();
    for (case, answer) in cases.iter().zip(&answers) {
        assert_eq!(answer["format"], 1);
        let right = |recorded: &Value| match recorded["kind"].as_str() {
            Some(kind) => answer["kind"] == kind,
            None => answer["bundles"] == recorded["bundles"],
        };
        let alternatives = case["alternatives"].as_array().cloned().unwrap_or_default();
        if !right(&case["result"]) && !alternatives.iter().any(right) {
            wrong.push(format!("{}: {answer}", case["id"]));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ: {wrong:#?}",
        wrong.len(),
        cases.len()
    );
}

#[test]
fn next_counts_requirements_under_classic() {
    let dir = tempfile::tempdir().expect("a folder");
    let bundle = |name: &str, version: &str, requires: Option<&str>| {
        let mut properties =
            vec![json!({"type": "olm.package", "value": {"packageName": "p", "version": version}})];
        properties.extend(
            requires.map(
                |r| json!({"type": "olm.package.required", "value": {"packageName": r, "versionRange": ">=1.0.0"}}),
            ),
        );
        json!({"schema": "olm.bundle", "package": "p", "name": name, "image": format!("r.io/p:{name}"), "properties": properties})
    };
    let blobs = [
        json!({"schema": "olm.package", "name": "p", "defaultChannel": "c"}),
        json!({"schema": "olm.channel", "package": "p", "name": "c", "entries": [
            {"name": "p.v1.0.0"}, {"name": "p.v1.1.0", "replaces": "p.v1.0.0"}, {"name": "p.v1.2.0", "replaces": "p.v1.1.0", "skipRange": "<1.2.0"}]}),
        bundle("p.v1.0.0", "1.0.0", None),
        bundle("p.v1.1.0", "1.1.0", None),
        bundle("p.v1.2.0", "1.2.0", Some("nobody")),
    ];
    let text: String = blobs.iter().map(|b| format!("{b}\n")).collect();
    std::fs::write(dir.path().join("catalog.json"), text).expect("writes");
    let output = switchyard()
        .args([
            "next",
            "--package",
            "p",
            "--installed",
            "p.v1.0.0",
            "--channel",
            "c",
            "--format",
            "json",
        ])
        .arg(dir.path())
        .output()
        .expect("runs");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        answer["next"], "p.v1.1.0",
        "the head needs a package that no catalog offers: {answer}"
    );
}
