//! Replays the recorded answers of the reference code: versions, ranges, next steps.
//!
//! A slice of every table is committed under `tests/data/oracle`; the complete tables are used if
//! available.

use crate::lowering;
use ::catalog::model::Package;
use ::catalog::version::{Dialect, PackageVersion, Version, masterminds};
use serde_json::Value;
use std::collections::HashMap;
use std::fmt::Debug;
use test_support::recorded_answers;
use upgrade::label_selector::Selector;
use upgrade::resolve::{self, CatalogSet, Csv, Gvk, Request, Subscription};
use upgrade::{Answer, Installed, Lens, Options, Path as Steps, Policy, UpgradeIndex, v1};

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// Counts differences and prints the first few.
#[derive(Default)]
pub(crate) struct Tally {
    cases: usize,
    wrong: Vec<String>,
}

impl Tally {
    pub(crate) fn expect<T: PartialEq + Debug>(
        &mut self,
        case: &Value,
        what: &str,
        ours: &T,
        theirs: &T,
    ) {
        self.cases += 1;
        if ours != theirs {
            self.wrong.push(format!(
                "{} {what}: ours {ours:?}, reference {theirs:?}",
                text(case, "id")
            ));
        }
    }

    /// `floor` is slightly below the number of cases in the committed slice.
    pub(crate) fn finish(self, name: &str, floor: usize) {
        println!(
            "{name}: {} of {} answers equal",
            self.cases - self.wrong.len(),
            self.cases
        );
        assert!(self.cases >= floor, "{name}: only {} answers", self.cases);
        let examples: Vec<_> = self.wrong.iter().take(20).map(String::as_str).collect();
        assert!(
            self.wrong.is_empty(),
            "{name}: {} wrong\n{}",
            self.wrong.len(),
            examples.join("\n")
        );
    }
}

fn replay_ranges(name: &str, dialect: Dialect) {
    let mut tally = Tally::default();
    for case in recorded_answers(name) {
        let range = text(&case, "range");
        let parsed = dialect.parse(range);
        let error = parsed.as_ref().err().map(|e| e.0.as_str());
        tally.expect(&case, range, &error, &case["error"].as_str());
        if let Some(admitted) = case["admitted"].as_bool() {
            tally.expect(&case, range, &masterminds::is_admitted(range), &admitted);
        }
        let (Ok(parsed), Some(versions)) = (parsed, case["versions"].as_object()) else {
            continue;
        };
        for (version, expected) in versions {
            let ours = parsed.judge([version.as_str()])[0].1;
            if expected != "crash" {
                tally.expect(
                    &case,
                    &format!("{range} {version}"),
                    &ours,
                    &expected.as_bool(),
                );
            }
        }
        // The range as plain comparisons admits the same versions.
        let plain = parsed.expand().to_string();
        // To blang, `x` is a wildcard anywhere, even in a prerelease.
        if dialect == Dialect::Blang && plain.contains('x') {
            continue;
        }
        let again = dialect.parse(&plain);
        tally.expect(
            &case,
            &format!("{range} is {plain}"),
            &again.as_ref().err(),
            &None,
        );
        for (version, expected) in versions
            .iter()
            .filter(|(_, expected)| **expected != "crash")
        {
            let ours = again
                .as_ref()
                .ok()
                .and_then(|again| again.judge([version.as_str()])[0].1);
            tally.expect(
                &case,
                &format!("{range} is {plain}: {version}"),
                &ours,
                &expected.as_bool(),
            );
        }
    }
    tally.finish(name, 5000);
}

#[test]
fn ranges_blang() {
    replay_ranges("ranges-blang", Dialect::Blang);
}

#[test]
fn ranges_masterminds() {
    replay_ranges("ranges-masterminds", Dialect::Masterminds);
}

fn package_version(value: &Value) -> PackageVersion<'_> {
    PackageVersion {
        version: text(value, "version"),
        release: text(value, "release"),
        substitutes_for: value["substitutesFor"] == true,
    }
}

#[test]
fn versions() {
    let mut tally = Tally::default();
    for case in recorded_answers("versions") {
        match text(&case, "kind") {
            "parse" => {
                let input = text(&case, "input");
                for (how, parsed) in [
                    ("strict", Version::parse(input)),
                    ("tolerant", Version::parse_tolerant(input)),
                ] {
                    let key = if parsed.is_ok() { "canonical" } else { "error" };
                    let ours = parsed.map_or_else(|e| e.0, |v| v.to_string());
                    tally.expect(&case, how, &Some(ours.as_str()), &case[how][key].as_str());
                }
            }
            "compare" => {
                let ours = Version::parse(text(&case, "a"))
                    .ok()
                    .zip(Version::parse(text(&case, "b")).ok())
                    .map(|(a, b)| a.cmp_precedence(&b) as i64);
                tally.expect(&case, "compare", &ours, &case["cmp"].as_i64());
            }
            "order" => {
                let texts = |key: &str| -> Vec<String> {
                    case[key]
                        .as_array()
                        .into_iter()
                        .flatten()
                        .filter_map(Value::as_str)
                        .map(str::to_owned)
                        .collect()
                };
                let mut ours: Vec<Version> = texts("input")
                    .iter()
                    .filter_map(|t| Version::parse(t).ok())
                    .collect();
                ours.sort_by(Version::cmp_precedence);
                let ours: Vec<String> = ours.iter().map(Version::to_string).collect();
                tally.expect(&case, "order", &ours, &texts("ascending"));
            }
            "release" => {
                let result = &case["result"];
                match package_version(&case["bundle"]).parse("p.a") {
                    Ok(v) => {
                        let release = v.release.as_ref().map_or("", |r| r.as_str());
                        tally.expect(
                            &case,
                            "version",
                            &v.version.to_string().as_str(),
                            &text(result, "version"),
                        );
                        tally.expect(&case, "release", &release, &text(result, "release"));
                    }
                    Err(e) => tally.expect(&case, "error", &e.0.as_str(), &text(result, "error")),
                }
            }
            "release-compare" => {
                let read = |key: &str| package_version(&case[key]).parse("p.a").ok();
                let ours = read("a").zip(read("b")).map(|(a, b)| a.compare(&b) as i64);
                tally.expect(&case, "release-compare", &ours, &case["cmp"].as_i64());
            }
            other => panic!("unknown kind {other}"),
        }
    }
    tally.finish("versions", 590);
}

/// The catalogs that cases refer to by `catalogRef`.
fn referenced() -> HashMap<String, Vec<Value>> {
    let blobs = |case: &Value| case["blobs"].as_array().cloned().unwrap_or_default();
    recorded_answers("upgrade-catalogs")
        .iter()
        .map(|case| (text(case, "ref").to_owned(), blobs(case)))
        .collect()
}

fn blobs_of<'a>(case: &'a Value, referenced: &'a HashMap<String, Vec<Value>>) -> &'a [Value] {
    match case["catalogRef"].as_str() {
        Some(name) => &referenced[name],
        None => case["catalog"].as_array().map_or(&[], Vec::as_slice),
    }
}

fn strings(value: &Value) -> Vec<String> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

fn installed(case: &Value) -> Option<Installed> {
    let installed = case["installed"].as_object()?;
    Some(Installed {
        release: installed
            .get("release")
            .and_then(Value::as_str)
            .map(Into::into),
        ..Installed::new(installed["name"].as_str()?, installed["version"].as_str()?)
    })
}

/// Compares an answer with a recorded result: the step, or the kind of error and, if stable, its
/// text.
fn compare_path(tally: &mut Tally, case: &Value, ours: &Steps) {
    if case["path"].is_null() {
        return;
    }
    let steps: Vec<String> = ours.steps.iter().map(ToString::to_string).collect();
    tally.expect(case, "path", &steps, &strings(&case["path"]));
    tally.expect(case, "loop", &ours.looped, &(case["loop"] == true));
    let kind = ours.error.as_ref().map(|e| e.kind.as_str());
    tally.expect(
        case,
        "path error",
        &kind,
        &case["pathError"]["kind"].as_str(),
    );
}

/// Every answer has reasons.
fn expect_reasons(tally: &mut Tally, case: &Value, answer: &Answer) {
    tally.expect(case, "has reasons", &answer.why.is_empty(), &false);
}

#[test]
fn upgrade_v1() {
    replay_v1(&recorded_answers("upgrade-v1"), &referenced()).finish("upgrade-v1", 240);
}

/// `referenced`: the catalogs that cases refer to by `catalogRef`.
pub(crate) fn replay_v1(cases: &[Value], referenced: &HashMap<String, Vec<Value>>) -> Tally {
    let mut tally = Tally::default();
    for case in cases {
        let package = text(case, "package");
        let has_release_support = case["bundleReleaseSupport"] == true;
        let options = Options {
            channels: strings(&case["channels"]),
            range: case["version"].as_str().map(str::to_owned),
            policy: if case["policy"] == "SelfCertified" {
                Policy::SelfCertified
            } else {
                Policy::CatalogProvided
            },
            ..Options::default()
        };
        let single = [serde_json::json!({"name": "cat", "blobs": blobs_of(case, referenced)})];
        let recorded: &[Value] = case["catalogs"].as_array().map_or(&single, Vec::as_slice);
        let indexes: Vec<UpgradeIndex> = recorded
            .iter()
            .map(|c| {
                let blobs = c["blobs"].as_array().map_or(&[][..], Vec::as_slice);
                let package = lowering::package(blobs, package);
                match has_release_support {
                    true => UpgradeIndex::with_release_support(&package),
                    false => UpgradeIndex::new(&package),
                }
            })
            .collect();
        let labels: Vec<Vec<(String, String)>> = recorded
            .iter()
            .map(|c| c["labels"].as_object().into_iter().flatten())
            .map(|labels| {
                labels
                    .map(|(k, v)| (k.clone(), v.as_str().unwrap_or_default().to_owned()))
                    .collect()
            })
            .collect();
        let catalogs: Vec<v1::Catalog<'_>> = recorded
            .iter()
            .zip(&indexes)
            .zip(&labels)
            .map(|((recorded, index), labels)| v1::Catalog {
                name: text(recorded, "name"),
                priority: recorded["priority"].as_i64().unwrap_or_default() as i32,
                labels,
                unavailable: recorded["unavailable"] == true,
                package: recorded["loadError"].as_str().map_or(Ok(index), Err),
            })
            .collect();
        let selector = case
            .get("selector")
            .map(|s| Selector::parse(&s.to_string()));
        let (selector, refused) = match selector {
            Some(Err(error)) => (None, Some(error)),
            Some(Ok(selector)) => (Some(selector), None),
            None => (None, None),
        };
        let installed = installed(case);
        let answer = match refused {
            Some(error) => Answer {
                next: None,
                why: vec![error.text.clone()],
                error: Some(error),
            },
            None => v1::next(
                &catalogs,
                selector.as_ref(),
                package,
                installed.as_ref(),
                &options,
            ),
        };
        expect_reasons(&mut tally, case, &answer);
        let result = &case["result"];
        let kind = answer.error.as_ref().map(|e| e.kind.as_str());
        tally.expect(case, "kind", &kind, &result["kind"].as_str());
        if let Some(error) = &answer.error
            && (has_release_support || kind != Some("installed-version"))
        {
            tally.expect(case, "text", &error.text.as_str(), &text(result, "error"));
        } else if answer.error.is_none() {
            let (name, version, release) = match (&answer.next, &installed) {
                (Some(step), _) => (&*step.name, &*step.version, step.release.as_deref()),
                (None, Some(i)) => (&*i.name, &*i.version, i.release.as_deref()),
                (None, None) => ("", "", None),
            };
            tally.expect(
                case,
                "next",
                &(name, version),
                &(text(result, "bundle"), text(result, "version")),
            );
            if has_release_support {
                tally.expect(case, "release", &release, &result["release"].as_str());
            }
        }
        let path = ::upgrade::follow(installed.as_ref(), |at| {
            v1::next(&catalogs, selector.as_ref(), package, at, &options)
        });
        compare_path(&mut tally, case, &path);
    }
    tally
}

/// With requirements, too; without any, the graph's own answer must agree.
#[test]
fn upgrade_v0() {
    let referenced = referenced();
    let mut tally = Tally::default();
    let mut plain = Tally::default();
    for case in recorded_answers("upgrade-v0") {
        let blobs = blobs_of(&case, &referenced);
        let package = text(&case, "package");
        let packages = lowering::packages(blobs);
        let catalog_set = CatalogSet::new(vec![resolve::Catalog {
            name: "cat".into(),
            namespace: "".into(),
            priority: 0,
            packages: packages.iter().collect(),
        }]);
        let options = Options {
            channels: vec![text(&case, "channel").to_owned()],
            starting_csv: case["startingCSV"].as_str().map(str::to_owned),
            ..Options::default()
        };
        let installed = installed(&case);
        let answer = catalog_set.next("cat", package, installed.as_ref(), &options);
        compare_v0(&mut tally, &case, &answer);
        compare_path(
            &mut tally,
            &case,
            &catalog_set.path("cat", package, installed.as_ref(), &options),
        );
        let required = |p: &Value| {
            matches!(
                text(p, "type"),
                "olm.package.required" | "olm.gvk.required" | "olm.constraint"
            )
        };
        if !blobs.iter().any(|b| {
            b["properties"]
                .as_array()
                .into_iter()
                .flatten()
                .any(required)
        }) {
            let index = UpgradeIndex::new(&lowering::package(blobs, package));
            compare_v0(
                &mut plain,
                &case,
                &index.next(Lens::V0, installed.as_ref(), &options),
            );
            compare_path(
                &mut plain,
                &case,
                &index.path(Lens::V0, installed.as_ref(), &options),
            );
        }
    }
    plain.finish("upgrade-v0 without requirements", 200);
    tally.finish("upgrade-v0", 250);
}

fn compare_v0(tally: &mut Tally, case: &Value, answer: &Answer) {
    expect_reasons(tally, case, answer);
    let result = &case["result"];
    let kind = answer.error.as_ref().map(|e| e.kind.as_str());
    tally.expect(case, "kind", &kind, &result["kind"].as_str());
    // With several chains, or several channels, the text depends on the order of a map.
    if let Some(error) = &answer.error
        && matches!(kind, Some("chain-no-head" | "chain-cycle"))
        && case["channel"] != ""
    {
        tally.expect(case, "text", &error.text.as_str(), &text(result, "error"));
    }
    let next = answer.next.as_ref().map(|s| (&*s.name, &*s.version));
    tally.expect(
        case,
        "next",
        &next,
        &result["next"]
            .as_str()
            .map(|n| (n, text(result, "version"))),
    );
    if let (Some(step), Some(channel)) = (&answer.next, result["channel"].as_str()) {
        tally.expect(case, "channel", &&*step.channel, &channel);
    }
}

fn crds(value: &Value) -> Vec<Gvk> {
    let crd = |v: &Value| Gvk::from_crd(text(v, "name"), text(v, "version"), text(v, "kind"));
    value.as_array().into_iter().flatten().map(crd).collect()
}

pub(crate) fn csv(value: &Value) -> Csv {
    let property = |p: &Value| (text(p, "type").into(), p["value"].to_string().into());
    Csv {
        name: text(value, "name").into(),
        version: text(value, "version").into(),
        properties: value["properties"]
            .as_array()
            .map(|list| list.iter().map(property).collect()),
        owned: crds(&value["owned"]),
        required: crds(&value["required"]),
        phase: text(value, "phase").into(),
        replaces: text(value, "replaces").into(),
    }
}

pub(crate) fn subscription(value: &Value) -> Subscription {
    Subscription {
        name: text(value, "name").into(),
        package: text(value, "package").into(),
        channel: text(value, "channel").into(),
        catalog: text(value, "catalog").into(),
        catalog_namespace: text(value, "catalogNamespace").into(),
        starting_csv: text(value, "startingCSV").into(),
        installed_csv: text(value, "installedCSV").into(),
    }
}

/// A resolution in the format of the table.
pub(crate) fn as_recorded(outcome: &Result<resolve::Resolution, upgrade::UpgradeError>) -> Value {
    match outcome {
        Err(error) => serde_json::json!({"kind": error.kind.as_str()}),
        Ok(resolution) => {
            let bundle = |b: &resolve::Chosen| {
                let mut bundle = serde_json::json!({
                    "catalog": &*b.catalog, "package": &*b.package, "channel": &*b.channel, "name": &*b.name,
                });
                if !b.replaces.is_empty() {
                    bundle["replaces"] = (*b.replaces).into();
                }
                bundle
            };
            serde_json::json!({"bundles": resolution.bundles.iter().map(bundle).collect::<Vec<_>>()})
        }
    }
}

#[test]
fn resolve_v0() {
    let mut tally = Tally::default();
    for case in recorded_answers("resolve-v0") {
        let list = |key: &str| case[key].as_array().cloned().unwrap_or_default();
        let catalogs = list("catalogs");
        let packages: Vec<Vec<Package>> = catalogs
            .iter()
            .map(|c| lowering::packages(c["blobs"].as_array().map_or(&[], Vec::as_slice)))
            .collect();
        let catalog_set = CatalogSet::new(
            catalogs
                .iter()
                .zip(&packages)
                .map(|(catalog, packages)| resolve::Catalog {
                    name: text(catalog, "name").into(),
                    namespace: text(catalog, "namespace").into(),
                    priority: catalog["priority"].as_i64().unwrap_or_default(),
                    packages: packages.iter().collect(),
                })
                .collect(),
        );
        let request = Request {
            subscriptions: list("subscriptions").iter().map(subscription).collect(),
            installed: list("installed").iter().map(csv).collect(),
            fail_forward: case["failForward"] == true,
            ..Request::default()
        };
        let outcome = catalog_set.resolve(&request);
        let ours = as_recorded(&outcome);
        let right = |recorded: &Value| match recorded["kind"].as_str() {
            Some(kind) => ours["kind"] == kind,
            None => ours == *recorded,
        };
        let any = list("alternatives").iter().any(right) || right(&case["result"]);
        let theirs = if any { &ours } else { &case["result"] };
        tally.expect(
            &case,
            &format!("{:?}", outcome.err().map(|e| e.text)),
            &ours,
            theirs,
        );
    }
    tally.finish("resolve-v0", 25);
}
