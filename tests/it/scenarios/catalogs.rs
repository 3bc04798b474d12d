//! The catalogs of a scenario's fences, completed with obvious parts that a reader need not write.
//!
//! A package without an `olm.package` gets one, with its first channel as default. A bundle that an
//! entry refers to without an `olm.bundle` gets one with the version in its name (`p.v1.2.0`). A
//! bundle without `olm.package` property or without `image` gets one. With `only-written` in the
//! fence's first line, nothing is added. `FILL-1000` stands for a thousand characters.

use super::document::Fence;
use ::catalog::index::index_bytes;
use ::catalog::model::{FileId, Package};
use ::catalog::{Catalog, Content, TreeEntry};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A catalog with its properties on a cluster.
pub(super) struct Offered {
    pub(super) name: String,
    pub(super) namespace: String,
    pub(super) priority: i32,
    pub(super) labels: Vec<(String, String)>,
    pub(super) unavailable: bool,
    /// Why it cannot be read.
    pub(super) broken: Option<String>,
    pub(super) catalog: Catalog,
}

impl Offered {
    /// `None` for a fence without a catalog.
    pub(super) fn from_fence(fence: &Fence) -> Option<Self> {
        let mut words = fence.info.split_whitespace();
        if words.next() != Some("yaml") || words.next() != Some("catalog") {
            return None;
        }
        let mut offered = Self {
            name: "cat".to_owned(),
            namespace: String::new(),
            priority: 0,
            labels: Vec::new(),
            unavailable: false,
            broken: None,
            catalog: Catalog::new("", Vec::new()),
        };
        let mut is_complete = true;
        for word in words {
            match word.split_once('=') {
                Some(("name", name)) => offered.name = name.to_owned(),
                Some(("namespace", name)) => offered.namespace = name.to_owned(),
                Some(("priority", n)) => offered.priority = n.parse().unwrap(),
                Some(("label", label)) => {
                    let (key, value) = label.split_once(':').unwrap();
                    offered.labels.push((key.to_owned(), value.to_owned()));
                }
                Some(("broken", why)) => offered.broken = Some(why.replace('_', " ")),
                None if word == "unavailable" => offered.unavailable = true,
                None if word == "only-written" => is_complete = false,
                _ => panic!("not understood: {}", fence.info),
            }
        }
        let text = fill_in(&fence.text);
        let text = if is_complete { complete(&text) } else { text };
        let content = Content::Indexed(Arc::new(index_bytes(text.as_bytes())));
        let entry = TreeEntry {
            id: FileId(0),
            path: "catalog.yaml".to_owned(),
            content,
        };
        offered.catalog = Catalog::new(&offered.name, vec![entry]);
        // OLM's reader does not accept `package: y` as a text: a fence must mean the same to both
        // readers.
        let read: BTreeSet<&str> = offered.catalog.packages().map(|p| &*p.name).collect();
        let names: Vec<String> = blobs(&text).iter().map(package_of).collect();
        assert_eq!(
            read,
            names.iter().map(String::as_str).collect(),
            "{}",
            fence.text
        );
        Some(offered)
    }

    pub(super) fn package(&self, name: &str) -> Arc<Package> {
        let empty_package = || {
            Arc::new(Package {
                name: name.into(),
                ..Package::default()
            })
        };
        self.catalog
            .package(name)
            .cloned()
            .unwrap_or_else(empty_package)
    }
}

fn fill_in(text: &str) -> String {
    let mut parts = text.split("FILL-");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |filled, part| {
        let digits = part.chars().take_while(char::is_ascii_digit).count();
        filled + &"x".repeat(part[..digits].parse().unwrap()) + &part[digits..]
    })
}

fn blobs(text: &str) -> Vec<Value> {
    serde_yaml::Deserializer::from_str(text)
        .map(|document| {
            serde::Deserialize::deserialize(document).unwrap_or_else(|e| panic!("{e}:\n{text}"))
        })
        .filter(|blob: &Value| !blob.is_null())
        .collect()
}

fn field(blob: &Value, key: &str) -> String {
    blob[key].as_str().unwrap_or_default().to_owned()
}

fn package_of(blob: &Value) -> String {
    field(
        blob,
        if blob["schema"] == "olm.package" {
            "name"
        } else {
            "package"
        },
    )
}

fn complete(text: &str) -> String {
    let blobs = blobs(text);
    let of_schema = |schema: &'static str| blobs.iter().filter(move |b| b["schema"] == schema);
    let mut added = Vec::new();
    let mut first_channel = BTreeMap::new();
    for channel in of_schema("olm.channel") {
        first_channel
            .entry(field(channel, "package"))
            .or_insert_with(|| field(channel, "name"));
    }
    for (package, channel) in &first_channel {
        if !of_schema("olm.package").any(|b| b["name"] == **package) {
            added
                .push(json!({"schema": "olm.package", "name": package, "defaultChannel": channel}));
        }
    }
    let mut written: Vec<(String, String)> = of_schema("olm.bundle")
        .map(|b| (field(b, "package"), field(b, "name")))
        .collect();
    for channel in of_schema("olm.channel") {
        for entry in channel["entries"].as_array().into_iter().flatten() {
            let key = (field(channel, "package"), field(entry, "name"));
            if !written.contains(&key) {
                added.push(bundle(&key.0, &key.1));
                written.push(key);
            }
        }
    }
    // A catalog keeps the written order; added blobs come last.
    let own = blobs.iter().cloned().map(|mut blob| {
        if blob["schema"] == "olm.bundle" {
            let (package, name) = (field(&blob, "package"), field(&blob, "name"));
            if blob["image"].is_null() {
                blob["image"] = image(&package, &name).into();
            }
            let mut properties = blob["properties"].as_array().cloned().unwrap_or_default();
            if !properties.iter().any(|p| p["type"] == "olm.package") {
                properties.insert(0, identity(&package, &name));
            }
            blob["properties"] = properties.into();
        }
        blob
    });
    own.chain(added)
        .map(|blob| format!("---\n{}", serde_yaml::to_string(&blob).unwrap()))
        .collect()
}

fn image(package: &str, bundle: &str) -> String {
    format!(
        "registry.example/{package}:{}",
        bundle.replace(|c: char| !c.is_ascii_alphanumeric(), "-")
    )
}

/// The `olm.package` property of a bundle with its version in its name.
fn identity(package: &str, name: &str) -> Value {
    let version = name
        .split_once(".v")
        .map(|(_, v)| v)
        .filter(|v| semver::Version::parse(v).is_ok());
    let version =
        version.unwrap_or_else(|| panic!("{name}: no version in its name; write the property out"));
    json!({"type": "olm.package", "value": {"packageName": package, "version": version}})
}

fn bundle(package: &str, name: &str) -> Value {
    json!({"schema": "olm.bundle", "package": package, "name": name, "image": image(package, name),
           "properties": [identity(package, name)]})
}
