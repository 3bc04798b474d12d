//! Laws of templates on real catalogs: converted and rendered again, a catalog equals itself; an
//! up-to-date catalog stays unchanged, any other becomes up to date.
//!
//! Real catalogs and recorded answers are not in the repository; if they are available, each law
//! has a minimum number of cases.

use bundle::{self, File};
use serde_json::{Value, json};
use session::{self, Session, TargetState};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use template::convert;
use template::render::known::Known;
use template::render::{Options, TemplateType, render};
use test_support::{MemorySource, shared_folder};

/// Only every n-th catalog file is tried for the law of conversion.
const EVERY: usize = 12;

fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else {
        return found;
    };
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            found.extend(below(&path));
        } else {
            found.push(path);
        }
    }
    found
}

fn corpus(name: &str) -> Option<PathBuf> {
    let folder = shared_folder()
        .map(|folder| folder.join("corpus").join(name))
        .filter(|folder| folder.is_dir());
    if folder.is_none() {
        println!("skipped: corpus/{name} is missing (SWITCHYARD_SHARED)");
    }
    folder
}

/// Whether every bundle has a unique image.
fn has_images(blobs: &[Value]) -> bool {
    let images: Vec<&str> = blobs
        .iter()
        .filter(|blob| blob["schema"] == "olm.bundle")
        .map(|blob| blob["image"].as_str().unwrap_or_default())
        .collect();
    let different: std::collections::BTreeSet<&&str> = images.iter().collect();
    different.len() == images.len() && images.iter().all(|image| !image.is_empty())
}

/// No semver template produces any of these catalogs; the rendered output of such templates is
/// converted back with the recorded answers.
#[test]
fn a_catalog_converted_to_a_template_and_rendered_is_unchanged() {
    let mut tried = BTreeMap::from([("basic", 0), ("substitutes", 0)]);
    let mut are_there = false;
    for name in ["community/v4.20", "operatorhub", "variants", "split"] {
        let Some(folder) = corpus(name) else { continue };
        are_there = true;
        let every = if name == "variants" { 1 } else { EVERY };
        for path in below(&folder).into_iter().step_by(every) {
            let file = File {
                path: "catalog.yaml".to_owned(),
                bytes: fs::read(&path).unwrap(),
            };
            let Ok(blobs) = bundle::read_catalog(std::slice::from_ref(&file)) else {
                continue;
            };
            let expected = bundle::arrange(blobs.clone());
            let is_template = blobs.iter().any(|blob| {
                TemplateType::ALL
                    .iter()
                    .any(|kind| blob["schema"] == kind.schema())
            });
            if expected.is_empty() || is_template || !has_images(&blobs) {
                continue;
            }
            let mut known = Known::default();
            known.add_catalog(File {
                path: file.path.clone(),
                bytes: file.bytes.clone(),
            });
            let files = std::slice::from_ref(&file);
            let is_valid =
                verdict::validate::judge(&template::render::facts::catalog(&blobs)).passed;
            // A substitutes template keeps the written order.
            let as_written =
                bundle::arrange(bundle::read_blobs(std::slice::from_ref(&file)).unwrap());
            let mut check = |kind: &'static str, template: Value, expected: &[Value]| {
                let options = Options::default();
                let rendered = render(convert::to_yaml(&template).as_bytes(), &known, options);
                let rendered = rendered
                    .unwrap_or_else(|refused| panic!("{}: {}", path.display(), refused.message));
                let is_it = rendered.blobs_in_order() == expected;
                assert!(
                    is_it,
                    "{}: the {kind} template renders to another catalog",
                    path.display()
                );
                *tried.get_mut(kind).unwrap() += 1;
            };
            check("basic", convert::basic(files).unwrap(), &expected);
            if is_valid {
                check(
                    "substitutes",
                    convert::substitutes(files).unwrap(),
                    &as_written,
                );
            }
        }
    }
    println!("converted and rendered again: {tried:?}");
    assert!(
        !are_there || (tried["basic"] >= 60 && tried["substitutes"] >= 20),
        "only {tried:?}"
    );
}

/// The templates, mappings and catalogs of one operator, as dropped files; without its bundle
/// folders.
fn operator(repository: &Path, name: &str) -> Session {
    let own = repository.join("operators").join(name);
    let mut files = below(&own.join("catalog-templates"));
    files.extend([own.join("ci.yaml")]);
    for catalog in fs::read_dir(repository.join("catalogs")).unwrap() {
        files.extend(below(&catalog.unwrap().path().join(name)));
    }
    let path = |file: &Path| {
        file.strip_prefix(repository)
            .unwrap()
            .to_string_lossy()
            .into_owned()
    };
    let files = files.iter().filter(|file| file.is_file());
    let (files, bytes) =
        MemorySource::with_files(files.map(|file| (path(file), fs::read(file).unwrap())));
    session::open(files, bytes)
}

fn operators(repository: &Path) -> Vec<String> {
    let entries = fs::read_dir(repository.join("operators")).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn templates(session: &Session) -> Vec<String> {
    session
        .roots()
        .iter()
        .filter(|root| root.is_template())
        .map(|root| root.name.clone())
        .collect()
}

#[test]
fn states_of_repository_catalogs_match_the_pipeline() {
    let Some(repository) = corpus("repository") else {
        return;
    };
    let table = shared_folder()
        .unwrap()
        .join("oracle/repository/status.jsonl");
    let Ok(records) = fs::read_to_string(table) else {
        return println!("skipped: no recorded answers of the pipeline");
    };
    let records: Vec<Value> = records
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut found: BTreeMap<(String, String), (Value, Value)> = BTreeMap::new();
    for name in operators(&repository) {
        let session = operator(&repository, &name);
        for template in templates(&session) {
            for target in session.templates().render_targets(&template).unwrap() {
                let changed = match &target.state {
                    TargetState::Stale(found) => {
                        assert!(
                            found.added.is_empty() && found.removed.is_empty(),
                            "no record has these"
                        );
                        found
                            .changed
                            .iter()
                            .map(|key| json!([key.schema, key.package, key.name]))
                            .collect()
                    }
                    _ => Value::Null,
                };
                let state = match target.state {
                    TargetState::Fresh => "fresh",
                    TargetState::Stale(_) => "stale",
                    TargetState::NoCatalog => "no-catalog",
                    TargetState::UnknownBundles(_) => "unknown-bundles",
                    TargetState::Error(_) => "error",
                };
                found.insert((template.clone(), target.catalog), (state.into(), changed));
            }
        }
    }
    let mut wrong = Vec::new();
    for record in &records {
        let text = |field: &str| record[field].as_str().unwrap_or_default().to_owned();
        let expected = (record["state"].clone(), record["changed"].clone());
        let got = found.get(&(text("template"), text("catalog")));
        if got != Some(&expected) {
            wrong.push(format!(
                "{} {}: {expected:?}, got {got:?}",
                text("template"),
                text("catalog")
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ\n{}",
        wrong.len(),
        records.len(),
        wrong.join("\n")
    );
    assert!(records.len() >= 100, "only {} records", records.len());
    println!("{} catalogs judged as by the pipeline", records.len());
}

#[test]
fn rendering_changes_only_stale_catalogs() {
    let Some(repository) = corpus("repository") else {
        return;
    };
    let (mut fresh, mut stale) = (0, 0);
    for name in operators(&repository) {
        let mut session = operator(&repository, &name);
        for template in templates(&session) {
            let targets = session.templates().render_targets(&template).unwrap();
            let mut to_write = Vec::new();
            for target in targets {
                match target.state {
                    TargetState::Fresh => {
                        let ops = session
                            .templates()
                            .render_ops(&template, &[target.catalog])
                            .unwrap();
                        assert!(
                            ops.is_empty(),
                            "{}: rendering changes what is fresh",
                            target.folder
                        );
                        fresh += 1;
                    }
                    TargetState::Stale(_) => to_write.push(target.catalog),
                    _ => {}
                }
            }
            if to_write.is_empty() {
                continue;
            }
            let ops = session
                .templates()
                .render_ops(&template, &to_write)
                .unwrap();
            let before = session.files().changed_paths().len();
            session.apply("Render", &ops).unwrap();
            assert_eq!(
                session.files().changed_paths().len() - before,
                to_write.len(),
                "{template}"
            );
            let again = session.templates().render_targets(&template).unwrap();
            for target in again
                .iter()
                .filter(|target| to_write.contains(&target.catalog))
            {
                assert_eq!(target.state, TargetState::Fresh, "{}", target.folder);
                stale += 1;
            }
            session.undo();
            assert_eq!(
                session.files().changed_paths().len(),
                before,
                "one undo takes all back"
            );
        }
    }
    println!("{fresh} fresh catalogs stayed, {stale} stale ones were rendered");
    assert!(
        fresh >= 70 && stale >= 15,
        "only {fresh} fresh and {stale} stale"
    );
}
