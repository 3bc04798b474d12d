//! Recorded answers of the release pipeline for a part of a real operator repository, and for
//! edited copies of it; in the shared folder.

use super::repository_support::Memory;
use repository::onboard::{self, ServedCatalog};
use repository::promote::{self, Strategy};
use repository::render::{State, operator_status};
use repository::{Files, check, layout, release};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use template::freshness::BlobKey;
use test_support::shared_folder;

/// A table and its repository. `None`: they are not available.
fn read_records(table: &str) -> Option<(Vec<Value>, Memory)> {
    let shared = shared_folder();
    let found = shared.and_then(|shared| {
        let text = std::fs::read_to_string(shared.join(format!("oracle/repository/{table}.jsonl")))
            .ok()?;
        let base = shared.join("corpus/repository");
        base.is_dir().then(|| (text, Memory::below(&base)))
    });
    let Some((text, base)) = found else {
        println!(
            "skipped: the recorded answers for operator repositories are not here (SWITCHYARD_SHARED)"
        );
        return None;
    };
    Some((
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
        base,
    ))
}

/// The repository of a record: only its operators, with its edits.
fn repository(base: &Memory, operators: &[&str], record: &Value) -> Memory {
    let mut files = base.with_operators(operators);
    for (path, text) in record["edits"].as_object().into_iter().flatten() {
        files.put(path, text.as_str().map(str::as_bytes));
    }
    files
}

fn text<'v>(record: &'v Value, field: &str) -> &'v str {
    record[field].as_str().unwrap_or_default()
}

fn assert_all(wrong: &[String], count: usize, floor: usize) {
    assert!(
        wrong.is_empty(),
        "{} of {count} wrong, such as {:#?}",
        wrong.len(),
        &wrong[..wrong.len().min(5)]
    );
    assert!(count >= floor, "only {count} answers were compared");
}

#[test]
fn checks_agree_with_the_pipeline() {
    let Some((records, base)) = read_records("check") else {
        return;
    };
    let mut wrong = Vec::new();
    for record in &records {
        let operator = text(record, "operator");
        let files = repository(&base, &[operator], record);
        let catalogs = record["catalogs"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        let catalogs: Vec<String> = catalogs
            .filter_map(|name| name.split('/').next())
            .map(str::to_owned)
            .collect();
        let bundle = record["bundle"].as_str().filter(|name| *name != "none");
        let report = check::check(
            &files,
            &check::Request {
                operator,
                bundle,
                catalogs: &catalogs,
            },
        );
        let expected = || record["results"].as_array().into_iter().flatten();
        // If the pipeline crashes, we report an error in our own words.
        let crashed: BTreeSet<&str> = expected()
            .filter(|result| result["crash"] == true)
            .map(|result| text(result, "check"))
            .collect();
        if !crashed.is_empty() && report.has_passed() {
            wrong.push(format!(
                "{}: the pipeline falls over, and nothing is reported",
                record["id"]
            ));
        }
        let mut counts: BTreeMap<(String, String, String), i32> = BTreeMap::new();
        let mut count = |check: &str, kind: &str, message: &str, by: i32| {
            // The text of a schema violation is from the validator.
            let message = if message.contains("comply with the schema") {
                ""
            } else {
                message
            };
            if !crashed.contains(check) {
                *counts
                    .entry((check.to_owned(), kind.to_owned(), message.to_owned()))
                    .or_default() += by;
            }
        };
        expected().for_each(|result| {
            count(
                text(result, "check"),
                text(result, "type"),
                text(result, "message"),
                1,
            )
        });
        for finding in report
            .findings
            .iter()
            .filter(|finding| finding.check.starts_with("check_"))
        {
            count(finding.check, finding.severity.name(), &finding.message, -1);
        }
        let differing = counts.into_iter().filter(|(_, by)| *by != 0);
        wrong
            .extend(differing.map(|(what, by)| format!("{}: {what:?} {by} missing", record["id"])));
    }
    assert_all(&wrong, records.len(), 230);
}

#[test]
fn releases_make_the_same_changes_as_the_pipeline() {
    let Some((records, base)) = read_records("release") else {
        return;
    };
    let mut wrong = Vec::new();
    for record in &records {
        let operator = text(record, "operator");
        let files = repository(&base, &[operator], record);
        let request = release::Request {
            operator,
            bundle: text(record, "bundle"),
            image: text(record, "image"),
        };
        let got = release::plan(&files, &request);
        let is_right = match (&got, record["error"].as_str()) {
            (Err(problem), Some(error)) => problem.message.contains(error),
            (Ok(release), None) => {
                let templates = release
                    .templates
                    .iter()
                    .map(|of| (of.file.path.clone(), of.value.clone()));
                let catalogs = release.catalogs.iter();
                let catalogs = catalogs
                    .map(|of| json!({"name": of.name, "template": of.template, "migrate": of.is_migrated}))
                    .collect::<Vec<_>>();
                record["templates"] == Value::Object(templates.collect::<Map<_, _>>())
                    && record["catalogs"] == Value::Array(catalogs)
            }
            _ => false,
        };
        if !is_right {
            wrong.push(format!(
                "{}: {:?}",
                record["id"],
                got.map(|_| "another plan")
            ));
        }
    }
    assert_all(&wrong, records.len(), 200);
}

#[test]
fn promotions_reach_the_same_catalogs_as_the_pipeline() {
    let Some((records, base)) = read_records("promote") else {
        return;
    };
    let mut wrong = Vec::new();
    for record in &records {
        let expected = record["operators"].as_object().unwrap();
        let all: Vec<String> = layout::operators(&base);
        let files = repository(
            &base,
            &all.iter().map(String::as_str).collect::<Vec<_>>(),
            record,
        );
        let (from, to) = (
            format!("v{}", text(record, "from")),
            format!("v{}", text(record, "to")),
        );
        let request = promote::Request {
            from: &from,
            to: &to,
            operators: &[],
        };
        let promotion = promote::plan(&files, &request).unwrap();
        let got: Map<String, Value> = promotion
            .operators
            .iter()
            .map(|of| {
                let strategy = of.strategy.name();
                let copied: Vec<&str> = of.copied.iter().map(|file| file.path.as_str()).collect();
                let ci = of.ci.as_ref().map(|(value, _)| value);
                let value = match of.strategy {
                    Strategy::Never => json!({"strategy": strategy}),
                    _ => json!({"strategy": strategy, "copied": copied, "ci": ci}),
                };
                (of.operator.clone(), value)
            })
            .collect();
        let differing = expected
            .iter()
            .filter(|(name, value)| got.get(*name) != Some(value))
            .map(|(name, _)| name);
        wrong
            .extend(differing.map(|name| format!("{}: {name}: {:?}", record["id"], got.get(name))));
        wrong.extend(
            got.keys()
                .filter(|name| !expected.contains_key(*name))
                .map(|name| format!("{name}: too many")),
        );
    }
    assert_all(&wrong, records.len(), 10);
}

#[test]
fn operators_are_onboarded_like_the_pipeline() {
    let Some((records, base)) = read_records("onboard") else {
        return;
    };
    let mut wrong = Vec::new();
    for record in &records {
        let operator = text(record, "operator");
        let files = repository(&base, &[operator], record);
        let served = record["from"].as_object().unwrap().iter();
        let served = served.map(|(version, path)| ServedCatalog {
            name: format!("v{version}"),
            file: path.to_string(),
            text: files.read(path.as_str().unwrap()).unwrap(),
        });
        let request = onboard::Request {
            operator,
            catalogs: &served.collect::<Vec<_>>(),
        };
        let onboarding = onboard::plan(&files, &request).unwrap();
        let templates = onboarding
            .templates
            .iter()
            .map(|of| (of.file.path.clone(), of.value.clone()));
        let is_right = record["package"] == onboarding.package.as_str()
            && record["templates"] == Value::Object(templates.collect::<Map<_, _>>())
            && record["ci"] == onboarding.ci.0;
        if !is_right {
            wrong.push(record["id"].to_string());
        }
    }
    assert_all(&wrong, records.len(), 17);
}

#[test]
fn catalogs_are_fresh_where_the_pipeline_would_change_nothing() {
    let Some((records, base)) = read_records("status") else {
        return;
    };
    let mut wrong = Vec::new();
    let operators: BTreeSet<&str> = records
        .iter()
        .map(|record| text(record, "operator"))
        .collect();
    for operator in operators {
        let status = operator_status(&base.with_operators(&[operator]), operator, false);
        for record in records
            .iter()
            .filter(|record| text(record, "operator") == operator)
        {
            let is_same_catalog = |of: &&repository::render::CatalogStatus| {
                of.catalog == text(record, "catalog")
                    && of.template.as_deref() == record["template"].as_str()
            };
            let got = status
                .catalogs
                .iter()
                .find(is_same_catalog)
                .map(|of| &of.state);
            let keys = |field: &str| record.get(field).cloned().unwrap_or_else(|| json!([]));
            let is_right = match got {
                Some(State::Stale(found)) => {
                    record["state"] == "stale"
                        && keys("added") == of_keys(&found.added)
                        && keys("removed") == of_keys(&found.removed)
                        && keys("changed") == of_keys(&found.changed)
                }
                Some(state) => record["state"] == state.name(),
                None => false,
            };
            if !is_right {
                wrong.push(format!("{operator} {}: {got:?}", record["catalog"]));
            }
        }
    }
    assert_all(&wrong, records.len(), 102);
}

fn of_keys(keys: &[BlobKey]) -> Value {
    keys.iter()
        .map(|key| json!([key.schema, key.package, key.name]))
        .collect()
}
