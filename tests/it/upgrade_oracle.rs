//! Replays the recorded answers of the reference code: versions, ranges, next steps.
//!
//! A slice of every table is committed under `tests/data/oracle`; the whole tables are read where they are.

use serde_json::Value;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use switchyard::fbc::version::{Dialect, PackageVersion, Version, masterminds};

/// The folder of corpus and oracle, when there is one.
fn shared() -> Option<PathBuf> {
    let folder = std::env::var_os("SWITCHYARD_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    folder.join("oracle").is_dir().then_some(folder)
}

/// The cases of a table: the committed slice, or all when the whole table is there.
fn table(name: &str) -> Vec<Value> {
    let file = format!("{name}.jsonl");
    let path = match shared() {
        Some(folder) => folder.join("oracle").join(&file),
        None => {
            println!("skipped: the whole of {file} (no shared folder); the committed slice is replayed");
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/oracle").join(&file)
        }
    };
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{file}: {e}"))).collect()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// Counts what differs and shows the first few.
#[derive(Default)]
struct Tally {
    cases: usize,
    wrong: Vec<String>,
}

impl Tally {
    fn expect<T: PartialEq + Debug>(&mut self, case: &Value, what: &str, ours: &T, theirs: &T) {
        self.cases += 1;
        if ours != theirs {
            self.wrong.push(format!("{} {what}: ours {ours:?}, reference {theirs:?}", text(case, "id")));
        }
    }

    fn finish(self, name: &str) {
        println!("{name}: {} of {} answers equal", self.cases - self.wrong.len(), self.cases);
        assert!(self.cases > 0, "{name}: no cases");
        let shown: Vec<_> = self.wrong.iter().take(20).map(String::as_str).collect();
        assert!(self.wrong.is_empty(), "{name}: {} wrong\n{}", self.wrong.len(), shown.join("\n"));
    }
}

fn replay_ranges(name: &str, dialect: Dialect) {
    let mut tally = Tally::default();
    for case in table(name) {
        let range = text(&case, "range");
        let parsed = dialect.parse(range);
        let error = parsed.as_ref().err().map(|e| e.0.as_str());
        tally.expect(&case, range, &error, &case["error"].as_str());
        if let Some(admitted) = case["admitted"].as_bool() {
            tally.expect(&case, range, &masterminds::admission::is_admitted(range), &admitted);
        }
        let (Ok(parsed), Some(versions)) = (parsed, case["versions"].as_object()) else { continue };
        for (version, expected) in versions {
            let ours = parsed.judge([version.as_str()])[0].1;
            if expected != "crash" {
                tally.expect(&case, &format!("{range} {version}"), &ours, &expected.as_bool());
            }
        }
    }
    tally.finish(name);
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
    for case in table("versions") {
        match text(&case, "kind") {
            "parse" => {
                let input = text(&case, "input");
                for (how, parsed) in [("strict", Version::parse(input)), ("tolerant", Version::parse_tolerant(input))] {
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
                    case[key].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
                };
                let mut ours: Vec<Version> = texts("input").iter().filter_map(|t| Version::parse(t).ok()).collect();
                ours.sort_by(Version::cmp_precedence);
                let ours: Vec<String> = ours.iter().map(Version::to_string).collect();
                tally.expect(&case, "order", &ours, &texts("ascending"));
            }
            "release" => {
                let result = &case["result"];
                match package_version(&case["bundle"]).read("p.a") {
                    Ok(v) => {
                        let release = v.release.as_ref().map_or("", |r| r.as_str());
                        tally.expect(&case, "version", &v.version.to_string().as_str(), &text(result, "version"));
                        tally.expect(&case, "release", &release, &text(result, "release"));
                        tally.expect(&case, "safe", &v.kubernetes_safe().as_str(), &text(result, "kubernetesSafe"));
                    }
                    Err(e) => tally.expect(&case, "error", &e.0.as_str(), &text(result, "error")),
                }
            }
            "release-compare" => {
                let read = |key: &str| package_version(&case[key]).read("p.a").ok();
                let ours = read("a").zip(read("b")).map(|(a, b)| a.compare(&b) as i64);
                tally.expect(&case, "release-compare", &ours, &case["cmp"].as_i64());
            }
            other => panic!("unknown kind {other}"),
        }
    }
    tally.finish("versions");
}
