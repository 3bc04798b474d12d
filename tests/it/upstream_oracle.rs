//! Replays answers that the newest `opm`, OLM Classic and OLM v1 gave in November 2026
//! (`upstream-2026.jsonl`).
//!
//! The table `crd-admission` is replayed beside the manifests (`manifests::crd_tests` of the
//! library).

use crate::template_oracle;
use crate::upgrade_oracle::{self, Tally};
use crate::verdict_matches_opm::{compare, tree};
use ::catalog::model::{BundleBlob, DeprecationsBlob, Located, Package};
use ::catalog::version::openshift;
use serde_json::{Value, json};
use std::collections::HashMap;
use test_support::{Folder, recorded_answers};
use upgrade::Lens;
use upgrade::cluster::{Limit, OpenShift, classic_report};
use upgrade::crd::objections;
use upgrade::status_conditions::{ExtensionCondition, ExtensionConditions, unknown_status};
use verdict::validate::judge;

/// The cases of one table; at least `floor`, which the committed slice has.
fn table(name: &str, floor: usize) -> Vec<Value> {
    let cases: Vec<Value> = recorded_answers("upstream-2026")
        .into_iter()
        .filter(|case| case["table"] == name)
        .collect();
    assert!(cases.len() >= floor, "{name}: only {} cases", cases.len());
    cases
}

fn text<'a>(case: &'a Value, key: &str) -> &'a str {
    case[key].as_str().unwrap_or_default()
}

#[test]
fn verdicts() {
    let mut tally = compare::Tally::new("upstream validate-cases");
    for case in table("validate-cases", 10) {
        tally.count(&case, &judge(&tree::of_case(&case)));
    }
    tally.print();
    tally.require_verdicts(1.0);
    tally.require_messages(1.0);
}

/// A folder with the files of a case, named as in the recorded answers.
fn folder(case: &Value) -> Folder {
    let folder = Folder::new(&[]);
    for (path, text) in case["files"].as_object().into_iter().flatten() {
        folder.write(&format!("catalog/{path}"), text.as_str().unwrap());
    }
    folder
}

/// The verdict in the format of `opm validate -o json` and `-o yaml`. Failures before any
/// validation have `opm`'s message, and the exit status of everything that could not run. Values of
/// `-o` are our own.
#[test]
fn json_and_yaml_verdicts_equal_those_of_opm() {
    let mut replayed = 0;
    for case in table("validate-output", 4) {
        let format = match text(&case, "format") {
            "json" => "opm-json",
            "yaml" => "opm-yaml",
            other => other,
        };
        let folder = folder(&case);
        let catalog = match text(&case, "dir") {
            "" => "catalog".to_owned(),
            dir => format!("catalog/{dir}"),
        };
        let run = folder.run(&["validate", &catalog, "--format", format]);
        if !text(&case, "error").is_empty() && text(&case, "stdout").is_empty() {
            let error = text(&case, "error").replace("{root}", "catalog");
            let is_answered = run.stderr.starts_with(&format!("error: {error}\n"));
            let is_our_own = error.starts_with("invalid --output value");
            assert!(is_answered || is_our_own, "{}: {}", case["id"], run.stderr);
            continue;
        }
        assert_eq!(run.stdout, text(&case, "stdout"), "{}", case["id"]);
        assert_eq!(i64::from(run.status), case["exit"], "{}", case["id"]);
        assert_eq!(run.stderr, "", "{}", case["id"]);
        replayed += 1;
    }
    assert!(replayed >= 3, "only {replayed}");
}

#[test]
fn templates() {
    let cases = table("author/templates-cases", 4);
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let why = template_oracle::replay(case)?;
            Some(format!("{}: {why}", case["id"]))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn next_steps_of_v1() {
    let cases = table("upgrade-v1", 10);
    upgrade_oracle::replay_v1(&cases, &HashMap::new()).finish("upstream upgrade-v1", 20);
}

#[test]
fn next_steps_of_v1_with_release_support() {
    let cases = table("upgrade-v1-gate", 9);
    upgrade_oracle::replay_v1(&cases, &HashMap::new()).finish("upstream upgrade-v1-gate", 30);
}

#[test]
fn deprecation_conditions_of_v1() {
    let mut tally = Tally::default();
    for case in table("v1-conditions", 4) {
        let package = Package {
            deprecations: case["deprecation"]
                .as_array()
                .map(|entries| deprecations(entries))
                .into_iter()
                .collect(),
            ..Package::default()
        };
        let channels: Vec<String> = case["channels"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|channel| channel.as_str().map(str::to_owned))
            .collect();
        let installed = Some(text(&case, "installed")).filter(|name| !name.is_empty());
        let status = match case["resolved"] == true {
            true => ExtensionConditions::new(&package, &channels).status(installed),
            false => unknown_status(installed),
        };
        let ours: Vec<Value> = status.iter().map(condition).collect();
        tally.expect(&case, "conditions", &json!(ours), &case["result"]);
    }
    tally.finish("upstream v1-conditions", 4);
}

fn deprecations(entries: &[Value]) -> Located<DeprecationsBlob> {
    let blob = json!({ "schema": "olm.deprecations", "package": "p", "entries": entries });
    let package = crate::lowering::package(&[blob], "p");
    package.deprecations.into_iter().next().unwrap()
}

fn condition(condition: &ExtensionCondition) -> Value {
    json!({
        "type": condition.kind.as_str(),
        "status": condition.status.as_str(),
        "reason": condition.reason,
        "message": condition.message,
    })
}

#[test]
fn custom_schemas_that_break_the_cache() {
    for case in table("serve-cache", 4) {
        let folder = folder(&case);
        let run = folder.run(&["validate", "catalog", "--format", "json"]);
        let verdict = run.json();
        assert_eq!(verdict["passed"], case["validate"], "{}", case["id"]);
        let diagnostics = verdict["diagnostics"].as_array().unwrap();
        let is_warned = diagnostics
            .iter()
            .any(|diagnostic| diagnostic["rule"] == "custom-schema-name");
        assert_eq!(is_warned, case["cache"] != true, "{}", case["id"]);
    }
}

#[test]
fn pairs_of_definitions() {
    let mut tally = Tally::default();
    for case in table("crd-pairs", 10) {
        let mut ours = match case["old"].is_null() {
            true => Vec::new(),
            false => objections(&case["old"], &case["new"], Lens::V1),
        };
        ours.sort();
        let lines = case["result"]["lines"].as_array().cloned();
        tally.expect(
            &case,
            "lines",
            &json!(ours),
            &lines.unwrap_or_default().into(),
        );
    }
    tally.finish("upstream crd-pairs", 10);
}

/// One property before and after, and the lines of the comparison.
#[test]
fn pairs_of_properties() {
    let definition = |property: &Value| {
        json!({
            "metadata": { "name": "as.example.com" },
            "spec": { "group": "example.com", "scope": "Namespaced", "names": { "kind": "A", "plural": "as" },
                "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema":
                    { "type": "object", "properties": { "spec": { "type": "object", "properties": { "a": property } } } } } }] },
        })
    };
    let mut tally = Tally::default();
    for case in recorded_answers("crd-properties") {
        let mut ours = objections(
            &definition(&case["old"]),
            &definition(&case["new"]),
            Lens::V1,
        );
        ours.sort();
        let versions = format!("{} -> {}", case["old"], case["new"]);
        tally.expect(&case, &versions, &json!(ours), &case["lines"]);
    }
    tally.finish("crd-properties", 100);
}

#[test]
fn limits_of_openshift() {
    let mut tally = Tally::default();
    for case in table("max-openshift", 5) {
        let cluster: OpenShift = openshift::parse_cluster(text(&case, "cluster")).unwrap();
        let csvs = case["csvs"].as_array().into_iter().flatten();
        let installed: Vec<(String, Limit)> = csvs
            .map(|csv| {
                let blob = json!({ "schema": "olm.bundle", "package": "p", "name": csv["name"],
                    "properties": csv["properties"] });
                let package = crate::lowering::package(&[blob], "p");
                let bundle: &BundleBlob = &package.bundles[0];
                let name = format!("ns/{}", text(csv, "name"));
                (name, Limit::from_bundle(bundle, Lens::V0))
            })
            .collect();
        let message = classic_report(cluster, &installed);
        let blocks = installed.iter().any(|(_, limit)| limit.blocks(cluster));
        let result = &case["result"];
        tally.expect(&case, "blocks", &Some(blocks), &result["blocks"].as_bool());
        tally.expect(
            &case,
            "message",
            &message.as_deref(),
            &result["message"].as_str(),
        );
    }
    tally.finish("upstream max-openshift", 10);
}
