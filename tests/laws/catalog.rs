//! Generates realistic catalogs: packages with common mistakes, in one file or many.

use super::write;
use rand::Rng;
use rand::seq::IndexedRandom;
use serde_json::{Map, Value, json};

const RANGES: &[&str] = &[
    ">=1.0.0 <1.2.0",
    "<1.1.0",
    ">=0.1.0 <3.0.0 || 4.x",
    "1.x",
    "!=1.0.0",
    ">1.0.0-rc.1",
    "",
    ">=1.0.0 <1.0.0-",
    "~1.2",
    "||",
    "abc",
    ">= 1.0.0 || || <2.0.0",
    "<99999999999999999999.0.0",
];

const VERSIONS: &[&str] = &[
    "1.0.0",
    "1.0.1",
    "1.1.0",
    "1.2.0-rc.1",
    "1.2.0",
    "1.10.0",
    "2.0.0",
    "0.1.0+a",
];

const VALUES: &[&str] = &[
    "", "a", "1.10", "010", "yes", "~", "p", "stable", "p.v1.0.0", "a: b", "\n", "ä", "null", "-1",
];

/// A path and its content.
pub type File = (String, Vec<u8>);

/// The files of a catalog: one or two packages, with one file per package or per blob.
pub fn files(rng: &mut impl Rng) -> Vec<File> {
    let mut files: Vec<File> = Vec::new();
    for package in ["p", "q"].into_iter().take(rng.random_range(1..3)) {
        let blobs = blobs(rng, package);
        if rng.random_bool(0.7) {
            let name = *["catalog.yaml", "catalog.json", "README.md"]
                .choose(rng)
                .unwrap();
            files.push((format!("{package}/{name}"), write::file(rng, &blobs)));
        } else {
            let each = blobs.iter().enumerate();
            files.extend(each.map(|(i, blob)| {
                (
                    format!("{package}/{i}.yaml"),
                    write::file(rng, std::slice::from_ref(blob)),
                )
            }));
        }
    }
    if rng.random_bool(0.1) {
        let line = *[
            "*",
            "p",
            "README.md",
            "!p",
            "/q/*.yaml",
            "**/0.yaml",
            "[",
            "0.yaml\n!p/0.yaml",
        ]
        .choose(rng)
        .unwrap();
        let folder = *["", "p/"].choose(rng).unwrap();
        files.push((format!("{folder}.indexignore"), line.into()));
    }
    files
}

/// The blobs of one package, in any order.
pub fn blobs(rng: &mut impl Rng, package: &str) -> Vec<Value> {
    let count = rng.random_range(1..VERSIONS.len());
    let names: Vec<String> = VERSIONS
        .choose_multiple(rng, count)
        .map(|version| format!("{package}.v{version}"))
        .collect();
    let mut own = json!({ "schema": "olm.package", "name": package, "defaultChannel": "stable" });
    if rng.random_bool(0.2) {
        own["description"] = json!(VALUES.choose(rng));
        own["icon"] = json!({ "base64data": "PHN2Zy8+", "mediatype": "image/svg+xml" });
    }
    let mut blobs = vec![own];
    for channel in ["stable", "fast"].into_iter().take(rng.random_range(1..3)) {
        blobs.push(self::channel(rng, package, channel, &names));
    }
    blobs.extend(names.iter().map(|name| bundle(rng, package, name)));
    if rng.random_bool(0.2) {
        blobs.push(deprecations(rng, package, &names));
    }
    if rng.random_bool(0.2) {
        mistake(rng, &mut blobs);
    }
    if rng.random_bool(0.2) {
        let last = blobs.len() - 1;
        blobs.swap(0, last);
    }
    blobs
}

fn channel(rng: &mut impl Rng, package: &str, name: &str, names: &[String]) -> Value {
    let mut entries = Vec::new();
    for (i, name) in names.iter().enumerate() {
        if rng.random_bool(0.1) {
            continue;
        }
        let mut entry = Map::from_iter([("name".to_owned(), json!(name))]);
        if i > 0 && rng.random_bool(0.8) {
            entry.insert("replaces".to_owned(), json!(names[i - 1]));
        } else if rng.random_bool(0.2) {
            entry.insert("replaces".to_owned(), json!(any_name(rng, names)));
        }
        if rng.random_bool(0.2) {
            let skips: Vec<String> = (0..rng.random_range(0..4))
                .map(|_| any_name(rng, names))
                .collect();
            entry.insert("skips".to_owned(), json!(skips));
        }
        if rng.random_bool(0.2) {
            entry.insert("skipRange".to_owned(), json!(RANGES.choose(rng)));
        }
        entries.push(Value::Object(entry));
    }
    json!({ "schema": "olm.channel", "package": package, "name": name, "entries": entries })
}

fn any_name(rng: &mut impl Rng, names: &[String]) -> String {
    match rng.random_range(0..5) {
        0 => "p.v0.0.9".to_owned(),
        1 => (*VALUES.choose(rng).unwrap()).to_owned(),
        _ => names.choose(rng).cloned().unwrap_or_default(),
    }
}

fn bundle(rng: &mut impl Rng, package: &str, name: &str) -> Value {
    let version = name.rsplit_once(".v").map_or(name, |(_, version)| version);
    let mut properties = vec![
        json!({ "type": "olm.package", "value": { "packageName": package, "version": version } }),
    ];
    if rng.random_bool(0.2) {
        properties.push(match rng.random_range(0..6) {
            0 => json!({ "type": "olm.package.required", "value": { "packageName": "q", "versionRange": RANGES.choose(rng) } }),
            1 => json!({ "type": "olm.gvk", "value": { "group": "g.io", "version": "v1", "kind": "K" } }),
            2 => json!({ "type": "olm.gvk.required", "value": { "group": "g.io", "version": "v1", "kind": "K" } }),
            3 => json!({ "type": "olm.csv.metadata", "value": { "displayName": "P", "annotations": { "a": "b" } } }),
            4 => json!({ "type": "olm.bundle.object", "value": { "data": "eyJraW5kIjogIkEifQ==" } }),
            _ => {
                let rule = *["properties.all(p, p.type == 'olm.gvk')", "cel", "semver_compare('1.0.0', '1') == 0", "["].choose(rng).unwrap();
                json!({ "type": "olm.constraint", "value": { "failureMessage": "no", "cel": { "rule": rule } } })
            }
        });
    }
    let image = format!("quay.io/x/{package}@sha256:{}", "0".repeat(64));
    let mut bundle = json!({ "schema": "olm.bundle", "package": package, "name": name, "image": image, "properties": properties });
    if rng.random_bool(0.2) {
        let other = json!({ "name": "other", "image": "quay.io/x/other:v1" });
        bundle["relatedImages"] =
            json!([{ "name": "", "image": image }, other, { "image": image }]);
    }
    bundle
}

fn deprecations(rng: &mut impl Rng, package: &str, names: &[String]) -> Value {
    let references = [
        json!({ "schema": "olm.package" }),
        json!({ "schema": "olm.channel", "name": "stable" }),
        json!({ "schema": "olm.bundle", "name": any_name(rng, names) }),
        json!({ "schema": "olm.bundle", "name": any_name(rng, names) }),
    ];
    let count = rng.random_range(0..=references.len());
    let entries: Vec<Value> = references
        .choose_multiple(rng, count)
        .map(|reference| json!({ "reference": reference, "message": "use another" }))
        .collect();
    json!({ "schema": "olm.deprecations", "package": package, "entries": entries })
}

/// Changes, removes or retypes a field of a blob; or duplicates or removes a blob.
fn mistake(rng: &mut impl Rng, blobs: &mut Vec<Value>) {
    let at = rng.random_range(0..blobs.len());
    match rng.random_range(0..8) {
        0 => blobs.push(blobs[at].clone()),
        1 if blobs.len() > 1 => drop(blobs.remove(at)),
        kind => {
            let Some(fields) = blobs[at].as_object_mut() else {
                return;
            };
            let keys: Vec<String> = fields.keys().cloned().collect();
            let Some(key) = keys.choose(rng) else { return };
            let value = match kind {
                2 => json!(null),
                3 => json!(7),
                4 => json!([{ "name": "p.v1.0.0", "skips": null }, null, "x"]),
                5 => json!({ "a": [1, true, null] }),
                _ => json!(VALUES.choose(rng)),
            };
            if rng.random_bool(0.2) {
                fields.shift_remove(key);
            } else {
                fields.insert(key.clone(), value);
            }
        }
    }
}
