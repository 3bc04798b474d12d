//! Rendered text, read by the reference: `opm`'s own loader reads the intended values from bundle
//! folders and templates rendered as JSON and as YAML.

use super::edits::blobs;
use super::opm::Opm;
use bundle::{self, File, Image, Migration};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use template::convert;
use template::render::known::Known;
use template::render::{Options, render};
use test_support::{corpus, project};

/// Only every n-th bundle folder of the corpus is tried.
const EVERY: usize = 4;

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn files_of(folder: &Path) -> Vec<File> {
    let mut files = Vec::new();
    for part in ["manifests", "metadata"] {
        for entry in fs::read_dir(folder.join(part))
            .into_iter()
            .flatten()
            .flatten()
        {
            if entry.path().is_file() {
                let path = format!("{part}/{}", entry.file_name().to_string_lossy());
                files.push(File {
                    path,
                    bytes: fs::read(entry.path()).unwrap(),
                });
            }
        }
    }
    files
}

/// Numbers as in the reference, where all are floats.
fn plain(value: &Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().into(),
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| (key.clone(), plain(value)))
            .collect(),
        other => other.clone(),
    }
}

fn check(opm: &mut Opm, name: &str, rendered: &[Value]) {
    let expected: Vec<Value> = rendered.iter().map(plain).collect();
    for (form, text) in [
        ("JSON", bundle::to_json(rendered)),
        ("YAML", bundle::to_yaml(rendered)),
    ] {
        let read: Vec<Value> = blobs(opm, text.as_bytes()).iter().map(plain).collect();
        assert!(
            read == expected,
            "{name}: opm reads another value from the {form}"
        );
    }
}

/// The program under `tests/opm`, built if Go is installed; else the reason for its absence.
fn program() -> Result<PathBuf, String> {
    if let Some(program) = std::env::var_os("SWITCHYARD_OPM") {
        return Ok(program.into());
    }
    // The same path as in `cargo dev`.
    let program = project().join("target/parity/opm");
    let mut go = Command::new("go");
    go.args([
        "build",
        "-mod=readonly",
        "-tags",
        "json1,containers_image_openpgp",
        "-o",
    ])
    .arg(&program)
    .arg(".");
    let built = go
        .current_dir(project().join("tests/opm"))
        .env("CGO_ENABLED", "0")
        .output();
    match built {
        Ok(output) if output.status.success() => Ok(program),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => Err(format!("no Go is installed ({error})")),
    }
}

#[test]
fn rendered_text_has_the_same_value_for_opm() {
    let program = match program() {
        Ok(program) => program,
        Err(reason) => {
            return println!(
                "skipped: the program that links opm's library is not there: {reason}"
            );
        }
    };
    let mut opm = Opm::new(&program);
    let (mut bundles, mut catalogs) = (0, 0);
    let mut of_bundle = |opm: &mut Opm, folder: &Path| {
        let blob = bundle::render(&files_of(folder), Image::Reference("example.com/b:v1")).unwrap();
        for migration in [Migration::None, Migration::BundleObjectToCsvMetadata] {
            let mut blobs = vec![blob.clone()];
            bundle::migrate(&mut blobs, migration).unwrap();
            check(opm, &folder.display().to_string(), &bundle::arrange(blobs));
            bundles += 1;
        }
    };
    of_bundle(&mut opm, &project().join("tests/data/bundles/yard"));
    let corpus = corpus();
    for operator in corpus
        .iter()
        .flat_map(|corpus| folders(&corpus.join("bundles")))
        .step_by(EVERY)
    {
        let has_manifests = |folder: &&PathBuf| folder.join("manifests").is_dir();
        folders(&operator)
            .iter()
            .filter(has_manifests)
            .take(1)
            .for_each(|folder| of_bundle(&mut opm, folder));
    }
    let mut of_catalog = |opm: &mut Opm, path: &Path| {
        let file = File {
            path: "catalog.yaml".to_owned(),
            bytes: fs::read(path).unwrap(),
        };
        let template = convert::basic(std::slice::from_ref(&file)).unwrap();
        let mut known = Known::default();
        known.add_catalog(file);
        let rendered = render(
            convert::to_yaml(&template).as_bytes(),
            &known,
            Options::default(),
        )
        .unwrap();
        check(opm, &path.display().to_string(), &rendered.blobs_in_order());
        catalogs += 1;
    };
    of_catalog(
        &mut opm,
        &project().join("tests/data/repository/catalogs/v4.18/harbor/catalog.yaml"),
    );
    for package in corpus
        .iter()
        .flat_map(|corpus| folders(&corpus.join("repository/catalogs/v4.18")))
    {
        of_catalog(&mut opm, &package.join("catalog.yaml"));
    }
    println!("{bundles} bundles and {catalogs} catalogs are the same value to opm");
    assert!(
        corpus.is_none() || (bundles >= 20 && catalogs >= 4),
        "only {bundles} bundles and {catalogs} catalogs"
    );
}
