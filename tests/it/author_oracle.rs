//! Recorded output of `opm` for real and hand-made bundle directories and catalogs, compared by
//! value; in the shared folder.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bundle::{File, Image, Migration, arrange, migrate, read_catalog, render, to_json};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use test_support::{Folder, recorded_answers_for_authors, shared_folder};

const TEMPLATE: &str = "example.com/{{.Package}}/bundle:v{{.Version}}";
/// Minimum number of compared answers if the tables are available.
const FLOOR: usize = 400;

/// The files of a case; `None` if it has links or bytes that are not UTF-8.
fn files_of(case: &Value) -> Option<Vec<File>> {
    if case.get("links").is_some() || case.get("b64").is_some() || case.get("dirs").is_some() {
        return None;
    }
    if let Some(files) = case.get("files").and_then(Value::as_object) {
        let file = |(path, text): (&String, &Value)| File {
            path: path.clone(),
            bytes: text.as_str().unwrap().into(),
        };
        return Some(files.iter().map(file).collect());
    }
    let folder = shared_folder()?.join("corpus").join(case["path"].as_str()?);
    let mut files = Vec::new();
    for name in ["manifests", "metadata"] {
        for entry in std::fs::read_dir(folder.join(name))
            .ok()?
            .flatten()
            .filter(|entry| entry.path().is_file())
        {
            let path = format!("{name}/{}", entry.file_name().to_string_lossy());
            files.push(File {
                path,
                bytes: std::fs::read(entry.path()).ok()?,
            });
        }
    }
    Some(files)
}

fn is_bundle(files: &[File]) -> bool {
    bundle::bundle_directories(files.iter().map(|file| file.path.as_str())).contains(&"")
}

/// Whether the values are equal, allowing for recorded hashes and for another order of related
/// images with one image.
fn is_equal(wanted: &Value, got: &Value) -> bool {
    match (wanted, got) {
        (Value::Object(wanted), _) if wanted.contains_key("$sha256") => true,
        (Value::Object(wanted), Value::Object(got)) => {
            wanted.len() == got.len()
                && wanted
                    .iter()
                    .all(|(key, value)| got.get(key).is_some_and(|g| is_equal(value, g)))
        }
        (Value::Array(wanted), Value::Array(got)) => {
            let tied = |list: &[Value]| -> BTreeMap<String, usize> {
                list.iter().fold(BTreeMap::new(), |mut all, item| {
                    *all.entry(item.to_string()).or_default() += 1;
                    all
                })
            };
            let is_images = wanted
                .first()
                .is_some_and(|item| item.get("image").is_some());
            wanted.len() == got.len()
                && (wanted.iter().zip(got).all(|(w, g)| is_equal(w, g))
                    || is_images && tied(wanted) == tied(got))
        }
        (Value::Number(wanted), Value::Number(got)) => wanted.as_f64() == got.as_f64(),
        _ => wanted == got,
    }
}

fn check(case: &Value, mode: &str, wrong: &mut Vec<String>) -> usize {
    let plain = &case["plain"];
    let answer = case.get(mode).unwrap_or(plain);
    let Some(files) = files_of(case).filter(|files| is_bundle(files)) else {
        return 0;
    };
    let image = if mode == "plain" {
        Image::Unknown
    } else {
        Image::from_text(TEMPLATE, "{root}")
    };
    let level = if mode == "migrated" {
        Migration::BundleObjectToCsvMetadata
    } else {
        Migration::None
    };
    let got = render(&files, image).and_then(|blob| {
        let mut blobs = vec![blob];
        migrate(&mut blobs, level).map(|()| arrange(blobs))
    });
    let is_right = match (&got, answer["ok"] == true) {
        (Ok(blobs), true) => {
            let mut expected = answer["output"].as_array().cloned().unwrap_or_default();
            if answer["rest_as_plain"] == true {
                let mut whole = plain["output"][0].clone();
                for key in ["image", "relatedImages"] {
                    whole.as_object_mut().unwrap().remove(key);
                    if let Some(value) = answer["output"].get(key) {
                        whole[key] = value.clone();
                    }
                }
                expected = vec![whole];
            }
            answer.get("output_sha256").is_some()
                || is_equal(&Value::Array(expected), &Value::Array(blobs.clone()))
        }
        (Err(refusal), false) => answer["error"]
            .as_str()
            .is_some_and(|error| error.ends_with(&refusal.message)),
        _ => false,
    };
    if !is_right {
        wrong.push(format!("{} {mode}: {:?}", case["id"], got.err()));
    }
    1
}

#[test]
fn bundles_are_rendered_like_opm() {
    let (cases, real) = (
        recorded_answers_for_authors("bundles-cases"),
        recorded_answers_for_authors("bundles-real"),
    );
    if cases.is_empty() || real.is_empty() {
        return;
    }
    let mut wrong = Vec::new();
    let mut count = 0;
    for case in cases.iter().chain(&real) {
        for mode in ["plain", "image", "migrated"] {
            count += check(case, mode, &mut wrong);
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong, such as {:#?}",
        wrong.len(),
        &wrong[..wrong.len().min(5)]
    );
    assert!(count >= FLOOR, "only {count} answers were compared");
}

#[test]
fn catalogs_are_migrated_like_opm() {
    let cases = recorded_answers_for_authors("migrate");
    if cases.is_empty() {
        return;
    }
    let mut count = 0;
    for case in cases
        .iter()
        .filter(|case| case["ok"] == true && case.get("path").is_some())
    {
        let path = shared_folder()
            .unwrap()
            .join("corpus")
            .join(case["path"].as_str().unwrap());
        let name = Path::new(case["path"].as_str().unwrap())
            .file_name()
            .unwrap()
            .to_string_lossy()
            .into_owned();
        let mut blobs = read_catalog(&[File {
            path: name,
            bytes: std::fs::read(path).unwrap(),
        }])
        .unwrap();
        migrate(&mut blobs, Migration::BundleObjectToCsvMetadata).unwrap();
        let mut blobs = arrange(blobs);
        assert!(!to_json(&blobs).is_empty());
        blobs.retain(|blob| blob["schema"] == "olm.bundle");
        if let Some(wanted) = case.get("output") {
            assert!(is_equal(wanted, &Value::Array(blobs)), "{}", case["id"]);
            count += 1;
        }
    }
    assert!(count >= 10, "only {count} catalogs were compared");
}

fn blobs(text: &str) -> Vec<Value> {
    serde_json::Deserializer::from_str(text)
        .into_iter()
        .map(Result::unwrap)
        .collect()
}

/// The recorded arguments of a case.
fn args(case: &Value) -> Vec<&str> {
    case["args"]
        .as_array()
        .unwrap()
        .iter()
        .map(|arg| arg.as_str().unwrap())
        .collect()
}

#[test]
fn packages_are_initialized_like_opm() {
    let cases = recorded_answers_for_authors("init");
    if cases.is_empty() {
        return;
    }
    assert!(
        cases.len() >= 25,
        "only {} answers were compared",
        cases.len()
    );
    for case in &cases {
        let folder = Folder::new(&[]);
        for (path, bytes) in case["b64"].as_object().unwrap() {
            std::fs::write(
                folder.path().join(path),
                STANDARD.decode(bytes.as_str().unwrap()).unwrap(),
            )
            .unwrap();
        }
        let args = args(case);
        let run = folder.run(&args);
        if case["ok"] == true {
            run.ok();
            // Compare by value: Go escapes bytes that are not UTF-8.
            let expected = case["json"].as_str().unwrap();
            assert_eq!(blobs(&run.stdout), blobs(expected), "{}", case["id"]);
            let yaml = folder.run(&[&args[..], &["-o", "yaml"]].concat());
            yaml.ok();
            assert_eq!(
                yaml.stdout,
                case["yaml"].as_str().unwrap(),
                "{}",
                case["id"]
            );
        } else {
            assert_ne!(run.status, 0, "{}", case["id"]);
            assert!(
                run.stderr.contains(case["error"].as_str().unwrap()),
                "{}: {}",
                case["id"],
                run.stderr
            );
        }
    }
}

#[test]
fn dockerfiles_equal_those_of_opm() {
    let cases = recorded_answers_for_authors("dockerfile");
    if cases.is_empty() {
        return;
    }
    assert!(
        cases.len() >= 18,
        "only {} answers were compared",
        cases.len()
    );
    for case in &cases {
        let folder = Folder::new(&[("taken.Dockerfile", ""), ("file.yaml", "")]);
        for name in ["catalog", "sub/catalog", "taken", "my catalog"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let run = folder.run(&[&["generate", "dockerfile"], &args(case)[..]].concat());
        assert_eq!(
            run.status == 0,
            case["ok"] == true,
            "{}: {}",
            case["id"],
            run.stderr
        );
        if case["ok"] == true {
            for (path, text) in case["files"].as_object().unwrap() {
                assert_eq!(&folder.read(path), text.as_str().unwrap(), "{}", case["id"]);
            }
        } else {
            assert!(
                run.stderr.contains(case["error"].as_str().unwrap()),
                "{}: {}",
                case["id"],
                run.stderr
            );
        }
    }
}
