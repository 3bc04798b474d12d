//! Replays the reference's results for templates and for catalogs converted to templates.
//!
//! The tables of recorded answers are not in the repository; if available, all of them are
//! replayed. Templates with answers in this file are always replayed.

use ::catalog::graph::export::Names;
use bundle::{self, File, Migration};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use template::convert;
use template::render::known::Known;
use template::render::{Missing, Options, TemplateType, facts, render};
use test_support::{recorded_answers_for_authors, shared_folder};

/// Minimum number of semver catalogs that are converted back.
const CONVERTED_BACK: usize = 40;

fn text<'a>(case: &'a Value, field: &str) -> &'a str {
    case[field].as_str().unwrap_or_default()
}

fn corpus(path: &str) -> PathBuf {
    shared_folder().unwrap().join("corpus").join(path)
}

fn files(folder: &Path) -> Vec<File> {
    let mut files = Vec::new();
    for name in ["manifests", "metadata"] {
        for entry in fs::read_dir(folder.join(name)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let name = format!("{name}/{}", path.file_name().unwrap().to_string_lossy());
                files.push(File {
                    path: name,
                    bytes: fs::read(&path).unwrap(),
                });
            }
        }
    }
    files
}

/// The digest that replaces a long value in a record.
fn digest(value: &Value) -> bool {
    value.get("$sha256").is_some()
}

/// Whether the values are equal in all recorded parts.
fn is_equal_where_recorded(wanted: &Value, got: &Value) -> bool {
    match (wanted, got) {
        (wanted, _) if digest(wanted) => true,
        (Value::Object(a), Value::Object(b)) if a.contains_key("$bundle") => {
            a["name"] == b["name"] && a["package"] == b["package"]
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| is_equal_where_recorded(a, b)))
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal_where_recorded(a, b))
        }
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (a, b) => a == b,
    }
}

fn known(case: &Value) -> Known {
    let mut known = Known::default();
    if !text(case, "known_text").is_empty() {
        let bytes = text(case, "known_text").as_bytes().to_vec();
        known.add_catalog(File {
            path: "known.yaml".to_owned(),
            bytes,
        });
    }
    for path in case["known"].as_array().into_iter().flatten() {
        let path = path.as_str().unwrap();
        known.add_catalog(File {
            path: path.to_owned(),
            bytes: fs::read(corpus(path)).unwrap(),
        });
    }
    for (image, folder) in case["bundles"].as_object().into_iter().flatten() {
        known.add_folder_of(image, files(&corpus(folder.as_str().unwrap())));
    }
    known
}

/// The difference between our answer and a case.
pub(crate) fn replay(case: &Value) -> Option<String> {
    let template = match case["path"].as_str() {
        Some(path) => fs::read(corpus(path)).unwrap(),
        None => text(case, "template").as_bytes().to_vec(),
    };
    let migration = if case["migrate"] == true {
        Migration::BundleObjectToCsvMetadata
    } else {
        Migration::None
    };
    let rendered = case["type"]
        .as_str()
        .map(TemplateType::from_name)
        .transpose()
        .and_then(|kind| {
            let options = Options {
                kind,
                migration,
                missing: Missing::Refused,
            };
            render(&template, &known(case), options).map_err(|refused| refused.message)
        });
    let rendered = match rendered {
        Ok(rendered) => rendered,
        Err(message) => {
            let also = case["also"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str);
            let is_expected = case["error"]
                .as_str()
                .into_iter()
                .chain(also)
                .any(|wanted| wanted == message);
            return (!is_expected && case.get("panic").is_none())
                .then(|| format!("it is refused: {message}"));
        }
    };
    if case["ok"] != true {
        return Some("it is rendered, and the reference refuses it".to_owned());
    }
    let expected = case.get("output").cloned().unwrap_or_else(|| json!([]));
    if !is_equal_where_recorded(&expected, &Value::Array(rendered.blobs_in_order())) {
        return Some("the blobs differ".to_owned());
    }
    let drawn = facts::drawing(&rendered.blobs, Names::AsTheyAre).map(|drawn| drawn.text);
    match case["mermaid"].as_str() {
        Some(expected) if drawn.as_deref() != Ok(expected) => {
            Some("the drawing differs".to_owned())
        }
        _ => None,
    }
}

fn replay_all(name: &str, floor: usize) {
    let cases = recorded_answers_for_authors(name);
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| replay(case).map(|why| format!("{}: {why}", text(case, "id"))))
        .collect();
    println!(
        "{name}: {} of {} answers equal",
        cases.len() - wrong.len(),
        cases.len()
    );
    assert!(
        cases.is_empty() || cases.len() >= floor,
        "{name}: only {} answers",
        cases.len()
    );
    assert!(
        wrong.is_empty(),
        "{name}: {} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn our_templates_are_rendered_like_the_reference() {
    replay_all("templates-cases", 100);
}

#[test]
fn real_templates_are_rendered_like_the_reference() {
    replay_all("templates-real", 40);
}

#[test]
fn catalogs_become_the_templates_of_the_reference() {
    let cases = recorded_answers_for_authors("convert");
    for case in &cases {
        let bytes = match case["path"].as_str() {
            Some(path) => fs::read(corpus(path)).unwrap(),
            None => text(case, "input").as_bytes().to_vec(),
        };
        let files = [File {
            path: "catalog".to_owned(),
            bytes,
        }];
        for (kind, ours) in [
            ("basic", convert::basic(&files)),
            ("substitutes", convert::substitutes(&files)),
        ] {
            let id = text(case, "id");
            match ours {
                Ok(template) => {
                    assert_eq!(case[kind]["ok"], true, "{id}: the reference refuses it");
                    if let Some(wanted) = case[kind].get("output") {
                        assert!(
                            is_equal_where_recorded(wanted, &template),
                            "{id}: the {kind} template differs"
                        );
                    }
                }
                Err(message) => assert_eq!(case[kind]["error"], message, "{id}"),
            }
        }
    }
    assert!(
        cases.is_empty() || cases.len() >= 40,
        "only {} answers",
        cases.len()
    );
}

/// Converting a rendered semver template back gives a semver template that renders to the same
/// blobs.
#[test]
fn rendered_semver_templates_convert_back() {
    let cases: Vec<Value> = ["templates-cases", "templates-real"]
        .into_iter()
        .flat_map(recorded_answers_for_authors)
        .collect();
    let (mut rendered_count, mut converted) = (0, 0);
    for case in &cases {
        let path = || fs::read(corpus(text(case, "path"))).unwrap();
        let template = case["template"]
            .as_str()
            .map_or_else(path, |template| template.as_bytes().to_vec());
        let Ok(rendered) = render(&template, &known(case), Options::default()) else {
            continue;
        };
        let expected = rendered.blobs_in_order();
        let is_semver = String::from_utf8_lossy(&template).contains("olm.semver");
        if !is_semver || !expected.iter().any(|blob| blob["schema"] == "olm.channel") {
            continue;
        }
        rendered_count += 1;
        let Ok(semver) = convert::semver(&expected) else {
            continue;
        };
        if !semver.remarks.is_empty() {
            continue;
        }
        let mut catalog = Known::default();
        catalog.add_catalog(File {
            path: "catalog.json".to_owned(),
            bytes: bundle::to_json(&expected).into_bytes(),
        });
        let again = render(
            convert::to_yaml(&semver.template).as_bytes(),
            &catalog,
            Options::default(),
        )
        .unwrap();
        assert_eq!(again.blobs_in_order(), expected, "{}", case["id"]);
        converted += 1;
    }
    println!("semver: {converted} of {rendered_count} rendered catalogs were converted back");
    assert!(
        cases.is_empty() || converted >= CONVERTED_BACK,
        "only {converted} of {rendered_count}"
    );
}

fn bundle_blob(version: &str) -> Value {
    json!({
        "schema": "olm.bundle",
        "name": format!("foo.v{version}"),
        "package": "foo",
        "image": format!("example.com/foo:{version}"),
        "properties": [{ "type": "olm.package", "value": { "packageName": "foo", "version": version } }],
    })
}

fn known_versions(versions: &[&str]) -> Known {
    let mut known = Known::default();
    let blobs: Vec<Value> = versions
        .iter()
        .map(|version| bundle_blob(version))
        .collect();
    known.add_catalog(File {
        path: "known.json".to_owned(),
        bytes: bundle::to_json(&blobs).into_bytes(),
    });
    known
}

const VERSIONS: [&str; 7] = [
    "1.0.0",
    "1.0.1",
    "1.1.0",
    "1.1.1-rc1",
    "1.1.1",
    "1.2.0",
    "2.0.0",
];

fn semver_template(flags: &str) -> String {
    let images: String = VERSIONS
        .iter()
        .map(|version| format!("  - image: example.com/foo:{version}\n"))
        .collect();
    format!("schema: olm.semver\n{flags}stable:\n  bundles:\n{images}")
}

#[test]
fn a_semver_template_links_its_minor_streams() {
    let rendered = render(
        semver_template("").as_bytes(),
        &known_versions(&VERSIONS),
        Options::default(),
    )
    .unwrap()
    .blobs_in_order();
    let channels = [
        (
            "stable-v1.0",
            json!([{"name": "foo.v1.0.0"}, {"name": "foo.v1.0.1", "skips": ["foo.v1.0.0"]}]),
        ),
        (
            "stable-v1.1",
            json!([
                {"name": "foo.v1.1.0"},
                {"name": "foo.v1.1.1-rc1"},
                {"name": "foo.v1.1.1", "replaces": "foo.v1.0.1", "skips": ["foo.v1.0.0", "foo.v1.1.0", "foo.v1.1.1-rc1"]}
            ]),
        ),
        (
            "stable-v1.2",
            json!([{
                "name": "foo.v1.2.0",
                "replaces": "foo.v1.1.1",
                "skips": ["foo.v1.0.0", "foo.v1.0.1", "foo.v1.1.0", "foo.v1.1.1-rc1"]
            }]),
        ),
        ("stable-v2.0", json!([{"name": "foo.v2.0.0"}])),
    ];
    assert_eq!(
        rendered[0],
        json!({"schema": "olm.package", "name": "foo", "defaultChannel": "stable-v2.0"})
    );
    for (blob, (name, entries)) in rendered[1..].iter().zip(channels) {
        assert_eq!((text(blob, "name"), &blob["entries"]), (name, &entries));
    }
}

#[test]
fn a_semver_catalog_becomes_the_template_that_generates_it() {
    for flags in [
        "",
        "generateMajorChannels: true\n",
        "generateMajorChannels: true\ngenerateMinorChannels: true\n",
        "generateMajorChannels: true\ngenerateMinorChannels: true\ndefaultChannelTypePreference: major\n",
    ] {
        let known = known_versions(&VERSIONS);
        let catalog = render(
            semver_template(flags).as_bytes(),
            &known,
            Options::default(),
        )
        .unwrap()
        .blobs_in_order();
        let template = convert::semver(&catalog).unwrap().template.to_string();
        let again = render(template.as_bytes(), &known, Options::default())
            .unwrap()
            .blobs_in_order();
        assert_eq!(Value::Array(again), Value::Array(catalog), "{flags}");
    }
}

#[test]
fn reports_each_edge_that_a_semver_template_cannot_generate() {
    let known = known_versions(&VERSIONS);
    let mut catalog = render(semver_template("").as_bytes(), &known, Options::default())
        .unwrap()
        .blobs_in_order();
    let channel = catalog
        .iter_mut()
        .find(|blob| blob["name"] == "stable-v1.1")
        .unwrap();
    channel["entries"][2]["replaces"] = "foo.v1.0.0".into();
    catalog.push(json!({"schema": "olm.channel", "package": "foo", "name": "beta", "entries": []}));
    let differences = convert::semver(&catalog).unwrap_err();
    assert_eq!(differences.len(), 1, "{differences:?}");
    assert!(
        differences[0].starts_with("channel beta: "),
        "{differences:?}"
    );
    catalog.pop();
    let differences = convert::semver(&catalog).unwrap_err();
    let expected =
        "channel stable-v1.1: foo.v1.1.1 has replaces foo.v1.0.0, but would have foo.v1.0.1";
    assert!(
        differences.iter().any(|difference| difference == expected),
        "{differences:?}"
    );
}

#[test]
fn a_catalog_equals_the_rendering_of_its_basic_template() {
    let known = known_versions(&VERSIONS);
    let catalog = render(semver_template("").as_bytes(), &known, Options::default())
        .unwrap()
        .blobs_in_order();
    let files = [File {
        path: "catalog.yaml".to_owned(),
        bytes: bundle::to_yaml(&catalog).into_bytes(),
    }];
    for template in [
        convert::basic(&files).unwrap(),
        convert::substitutes(&files).unwrap(),
    ] {
        for text in [convert::to_json(&template), convert::to_yaml(&template)] {
            let again = render(text.as_bytes(), &known, Options::default())
                .unwrap()
                .blobs_in_order();
            assert_eq!(Value::Array(again), Value::Array(catalog.clone()));
        }
    }
}

#[test]
fn keys_in_capitals_are_converted_like_others() {
    let catalog = "SCHEMA: olm.bundle\nNAME: p.v1\nPACKAGE: p\nIMAGE: q/p:1\n---\nSchema: olm.package\nName: p\n";
    let files = [File {
        path: "catalog.yaml".to_owned(),
        bytes: catalog.into(),
    }];
    assert_eq!(
        convert::basic(&files).unwrap(),
        json!({ "schema": "olm.template.basic", "entries": [
            { "schema": "olm.bundle", "image": "q/p:1" }, { "Schema": "olm.package", "Name": "p" }] })
    );
}

#[test]
fn a_template_of_another_schema_than_its_type_is_refused() {
    let semver = |template: &str| {
        let options = Options {
            kind: Some(TemplateType::Semver),
            ..Options::default()
        };
        let refused = render(template.as_bytes(), &Known::default(), options).unwrap_err();
        refused.message
    };
    let prefix = "rendering template: render: unable to read file: ";
    assert_eq!(
        semver("schema: olm.other\nstable: {bundles: [{image: q/p:1}]}\n"),
        format!("{prefix}readFile: input file has unknown schema, should be \"olm.semver\"")
    );
    assert_eq!(
        semver("schema: olm.template.substitutes\nsubstitutions: []\nentries: []\n"),
        format!(
            "{prefix}error unmarshaling JSON: while decoding JSON: json: unknown field \"entries\""
        )
    );
}

#[test]
fn missing_bundles_are_listed_and_the_rest_is_rendered() {
    let known = known_versions(&VERSIONS[..2]);
    let template = semver_template("");
    let refused = render(template.as_bytes(), &known, Options::default()).unwrap_err();
    assert_eq!(
        refused.message,
        "rendering template: bundle image \"example.com/foo:1.1.0\" is not known"
    );
    let options = Options {
        missing: Missing::LeftOut,
        ..Options::default()
    };
    let rendered = render(template.as_bytes(), &known, options).unwrap();
    assert_eq!(rendered.missing.len(), 5);
    assert_eq!(
        rendered.origins[1],
        ("foo.v1.0.1".to_owned(), "example.com/foo:1.0.1".to_owned())
    );
    assert_eq!(rendered.blobs[1]["name"], "stable-v1.0");
}
