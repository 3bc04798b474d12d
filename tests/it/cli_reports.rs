//! `validate --format sarif` and `--format junit`: valid reports that match the verdict.

use serde_json::Value;
use std::collections::BTreeMap;
use test_support::{Folder, project, read};

const FORKED: &str = "schema: olm.package
name: p
defaultChannel: stable
---
schema: olm.channel
package: p
name: stable
entries:
- name: p.v1.0.0
- name: p.v1.1.0
  replaces: v1.0.0
---
schema: olm.bundle
package: p
name: p.v1.0.0
image: quay.io/p:v1.0.0
properties:
- type: olm.package
  value: {packageName: p, version: 1.0.0}
---
schema: olm.bundle
package: p
name: p.v1.1.0
image: quay.io/p:v1.1.0
properties:
- type: olm.package
  value: {packageName: p, version: 1.1.0}
";

fn folder() -> Folder {
    Folder::new(&[
        ("forked/p b/catalog.yaml", FORKED),
        (
            "good/catalog.yaml",
            &FORKED.replace("replaces: v1", "replaces: p.v1"),
        ),
        ("no-blob/README.md", "<b>hello & \"you\"</b>\n"),
        ("torn/catalog.yaml", "schema: olm.package\nname: 'p\n"),
    ])
}

/// The log, checked to be valid SARIF.
fn log(folder: &Folder, args: &[&str], status: i32) -> Value {
    let run = folder.run(&[&["validate", "--format", "sarif"], args].concat());
    run.status(status);
    let log = run.json();
    let schema: Value = serde_json::from_str(&read(
        &project().join("tests/data/reports/sarif.schema.json"),
    ))
    .unwrap();
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.enable_format_assertions();
    compiler.add_resource("sarif.json", schema).unwrap();
    let index = compiler.compile("sarif.json", &mut schemas).unwrap();
    if let Err(error) = schemas.validate(&log, index) {
        panic!("{args:?}: {error:#}");
    }
    let results = log["runs"][0]["results"].as_array().unwrap();
    for result in results {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(
            log["runs"][0]["tool"]["driver"]["rules"][index]["id"], result["ruleId"],
            "{result}"
        );
    }
    log
}

/// Applies the replacements of a fix in one file.
fn apply_fix(text: &str, fix: &Value) -> String {
    let changes = fix["artifactChanges"].as_array().unwrap();
    assert_eq!(changes.len(), 1, "{fix}");
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices('\n').map(|(at, _)| at + 1))
        .collect();
    let mut text = text.to_owned();
    for replacement in changes[0]["replacements"].as_array().unwrap().iter().rev() {
        let region = &replacement["deletedRegion"];
        let at = |line: &str, column: &str| {
            starts[region[line].as_u64().unwrap() as usize - 1]
                + region[column].as_u64().unwrap() as usize
                - 1
        };
        let inserted = replacement["insertedContent"]["text"]
            .as_str()
            .unwrap_or_default();
        text.replace_range(
            at("startLine", "startColumn")..at("endLine", "endColumn"),
            inserted,
        );
    }
    text
}

#[test]
fn a_log_has_the_problems_of_the_json_answer() {
    let folder = folder();
    for (dir, status) in [("forked", 1), ("good", 0), ("no-blob", 1), ("torn", 1)] {
        let args = [dir, "--profile", "strict"];
        let log = log(&folder, &args, status);
        let answer = folder
            .run(&[&["validate", "--format", "json"], &args[..]].concat())
            .json();
        let problems = answer["diagnostics"].as_array().unwrap();
        let results = log["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), problems.len(), "{dir}");
        for (result, problem) in results.iter().zip(problems) {
            assert_eq!(result["ruleId"], problem["rule"]);
            let place = &result["locations"][0]["physicalLocation"];
            let path = format!("{dir}/{}", problem["file"].as_str().unwrap()).replace(' ', "%20");
            assert_eq!(place["artifactLocation"]["uri"], path.trim_end_matches('/'));
            if problem["file"] != "" {
                assert_eq!(place["region"]["startLine"], problem["line"], "{problem}");
                assert_eq!(
                    place["region"]["endColumn"], problem["end_column"],
                    "{problem}"
                );
            }
        }
    }
}

#[test]
fn a_fix_in_a_log_gives_the_same_text_as_the_edit() {
    let folder = folder();
    let log = log(&folder, &["forked", "--profile", "opm"], 1);
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "channel-head-multiple");
    let fixes = result["fixes"].as_array().unwrap();
    assert_eq!(fixes.len(), 2, "{result:#}");
    assert_eq!(
        apply_fix(FORKED, &fixes[0]),
        FORKED.replace("replaces: v1", "replaces: p.v1")
    );
    assert_eq!(
        fixes[0]["artifactChanges"][0]["artifactLocation"]["uri"], "forked/p%20b/catalog.yaml",
        "as seen from where the command runs"
    );
    // No file was written.
    assert_eq!(folder.read("forked/p b/catalog.yaml"), FORKED);
}

#[test]
fn a_log_contains_all_catalogs() {
    let folder = folder();
    let log = log(&folder, &["good", "forked", "nowhere"], 2);
    let run = &log["runs"][0];
    let results: BTreeMap<&str, usize> =
        run["results"]
            .as_array()
            .unwrap()
            .iter()
            .fold(BTreeMap::new(), |mut all, result| {
                *all.entry(result["properties"]["catalog"].as_str().unwrap())
                    .or_default() += 1;
                all
            });
    assert!(
        results["forked"] >= 1 && !results.contains_key("nowhere"),
        "{results:?}"
    );
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let reason = invocation["toolExecutionNotifications"][0]["message"]["text"]
        .as_str()
        .unwrap();
    assert_eq!(reason, "nowhere: stat nowhere: no such file or directory");
}

/// Name, verdict and text.
type Case = (String, String, String);

/// The cases of a report, by suite.
fn cases(report: &str) -> Vec<(String, Vec<Case>)> {
    let document =
        roxmltree::Document::parse(report).unwrap_or_else(|error| panic!("{error}\n{report}"));
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "testsuites");
    let suites = root.children().filter(roxmltree::Node::is_element);
    let suites: Vec<_> = suites
        .map(|suite| {
            let all: Vec<_> = suite
                .children()
                .filter(roxmltree::Node::is_element)
                .collect();
            let with = |name: &str| {
                all.iter()
                    .filter(|case| case.children().any(|c| c.has_tag_name(name)))
                    .count()
            };
            for (attribute, count) in [
                ("tests", all.len()),
                ("failures", with("failure")),
                ("errors", with("error")),
            ] {
                assert_eq!(
                    suite.attribute(attribute),
                    Some(count.to_string().as_str()),
                    "{attribute}"
                );
            }
            let case = |case: &roxmltree::Node<'_, '_>| {
                assert_eq!(case.attribute("classname"), suite.attribute("name"));
                let name = case.attribute("name").unwrap().to_owned();
                let outcome = case
                    .children()
                    .find(|c| c.has_tag_name("failure") || c.has_tag_name("error"));
                let outcome = outcome
                    .map_or("", |outcome| outcome.attribute("message").unwrap())
                    .to_owned();
                let text = case
                    .descendants()
                    .filter_map(|c| c.text())
                    .collect::<Vec<_>>()
                    .join("")
                    .trim()
                    .to_owned();
                (name, outcome, text)
            };
            (
                suite.attribute("name").unwrap().to_owned(),
                all.iter().map(case).collect(),
            )
        })
        .collect();
    suites
}

#[test]
fn a_report_has_a_case_for_each_package() {
    let folder = folder();
    let run = folder.run(&[
        "validate",
        "--format",
        "junit",
        "--profile",
        "opm",
        "good",
        "forked",
        "no-blob",
        "nowhere",
    ]);
    run.status(2);
    let case = |name: &str, outcome: &str, text: &str| {
        (name.to_owned(), outcome.to_owned(), text.to_owned())
    };
    let found = cases(&run.stdout);
    assert_eq!(
        found[0],
        (
            "good".to_owned(),
            vec![case("catalog", "", ""), case("package p", "", "")]
        )
    );
    let [whole, package] = &found[1].1[..] else {
        panic!("{found:?}")
    };
    assert_eq!(whole, &case("catalog", "", ""));
    assert_eq!(
        package.1,
        "channel `stable` has 2 heads: `p.v1.0.0`, `p.v1.1.0`"
    );
    assert!(
        package
            .2
            .starts_with("forked/p b/catalog.yaml:9:9: error[channel-head-multiple]: channel"),
        "{package:?}"
    );
    assert_eq!(
        found[2].1[0].1,
        "this is a string, but a blob must be an object"
    );
    assert_eq!(found[3].1[0].1, "stat nowhere: no such file or directory");
}

#[test]
fn advice_fails_no_case() {
    let folder = Folder::new(&[(
        "c/catalog.yaml",
        &FORKED.replace("replaces: v1", "replaces: p.v1"),
    )]);
    let run = folder.run(&["validate", "--format", "junit", "--profile", "strict", "c"]);
    run.ok();
    let found = cases(&run.stdout);
    let package = found[0]
        .1
        .iter()
        .find(|case| case.0 == "package p")
        .unwrap();
    assert!(
        package.1.is_empty() && package.2.contains("c/catalog.yaml:"),
        "{package:?}"
    );
}
