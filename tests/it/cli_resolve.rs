//! `switchyard resolve` and `switchyard next` under Classic, against the recorded answers of the real resolver: the
//! same tables as the library's own suite, through the program's input and output.

use serde_json::{Value, json};
use test_support::{Folder, recorded_answers};

#[test]
fn resolve_answers_as_recorded() {
    let cases = recorded_answers("resolve-v0");
    assert!(cases.len() > 20, "the slice is too small to tell anything");
    let requests: String = cases.iter().map(|case| format!("{case}\n")).collect();
    let output = Folder::new(&[]).run_with(&["resolve", "--request", "-"], &requests);
    let answers: Vec<Value> = serde_json::Deserializer::from_str(&output.stdout)
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
    let folder = Folder::new(&[("catalog.json", &text)]);
    let next = ["next", "--package", "p", "--installed", "p.v1.0.0"];
    let options = ["--channel", "c", "--format", "json", "."];
    let answer = folder.run(&[&next[..], &options].concat()).json();
    assert_eq!(
        answer["next"], "p.v1.1.0",
        "the head needs a package that no catalog offers: {answer}"
    );
}
