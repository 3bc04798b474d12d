//! Trees to mutate: packages that use every field, our own small catalog, and real packages if
//! available.

use super::node::{Node, map, raw, text};
use super::pools::{chance, pick};
use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use test_support::shared_folder;

/// A file before it is written: blobs, or an unparsed text.
#[derive(Debug, Clone)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) blobs: Vec<Node>,
    pub(crate) json: bool,
    /// The original text; used until the blobs are changed.
    pub(crate) text: Option<String>,
}

/// Real packages, read once.
#[derive(Debug, Default)]
pub(crate) struct CatalogSet {
    packages: Vec<Vec<File>>,
}

/// Larger files make mutants slow without showing more.
const LARGEST: u64 = 24 * 1024;
const ENOUGH: usize = 160;

impl CatalogSet {
    /// Our own catalog, and a useful number of small real packages.
    pub(crate) fn open() -> Self {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/catalogs/harbor");
        let mut catalog_set = Self::default();
        let mut folders = folders(&own);
        match shared_folder() {
            Some(shared) => {
                for catalog in [
                    "operatorhub",
                    "redhat",
                    "community/v4.20",
                    "mistakes",
                    "variants",
                ] {
                    folders.extend(self::folders(&shared.join("corpus").join(catalog)));
                }
            }
            None => println!("skipped in part: no folder of real catalogs (SWITCHYARD_SHARED)"),
        }
        for folder in folders {
            if let Some(files) = package(&folder).filter(|files| !files.is_empty()) {
                catalog_set.packages.push(files);
            }
        }
        // Spread over all catalogs, and always the same ones.
        let step = catalog_set.packages.len().div_ceil(ENOUGH).max(1);
        catalog_set.packages = catalog_set.packages.into_iter().step_by(step).collect();
        catalog_set
    }

    /// One to three packages to start with.
    pub(crate) fn tree(&self, rng: &mut SmallRng) -> Vec<File> {
        if chance(rng, 35)
            && let Some(files) = self.packages.choose(rng)
        {
            return files.clone();
        }
        let count = if chance(rng, 70) {
            1
        } else {
            rng.random_range(2..=3)
        };
        (0..count)
            .flat_map(|nth| make_package(rng, ["a", "b", "c"][nth]))
            .collect()
    }
}

fn folders(catalog: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(catalog)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

fn package(folder: &Path) -> Option<Vec<File>> {
    let mut open = vec![(folder.to_owned(), String::new())];
    let mut files = Vec::new();
    while let Some((path, name)) = open.pop() {
        if path.is_dir() {
            for entry in folders(&path) {
                let below = entry.file_name()?.to_str()?.to_owned();
                open.push((
                    entry,
                    if name.is_empty() {
                        below
                    } else {
                        format!("{name}/{below}")
                    },
                ));
            }
            continue;
        }
        if path.metadata().ok()?.len() > LARGEST || files.len() > 8 {
            return None;
        }
        let text = std::fs::read_to_string(&path).ok()?;
        let json = text.trim_start().starts_with('{');
        let name = if name.is_empty() {
            path.file_name()?.to_str()?.to_owned()
        } else {
            name
        };
        files.push(File {
            blobs: blobs(&text, json),
            path: name,
            json,
            text: Some(text),
        });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Some(files)
}

/// An independent reader's view of a text; empty if it fails.
fn blobs(text: &str, json: bool) -> Vec<Node> {
    let values: Result<Vec<serde_json::Value>, String> = if json {
        serde_json::Deserializer::from_str(text)
            .into_iter()
            .map(|v| v.map_err(|e| e.to_string()))
            .collect()
    } else {
        let documents = serde_yaml::Deserializer::from_str(text);
        documents
            .map(|d| serde_json::Value::deserialize(d).map_err(|e| e.to_string()))
            .collect()
    };
    values.unwrap_or_default().iter().map(Node::from).collect()
}

/// A package that passes.
fn make_package(rng: &mut SmallRng, name: &str) -> Vec<File> {
    let count = rng.random_range(1..=6);
    let bundles: Vec<String> = (0..count).map(|i| format!("{name}.v1.{i}.0")).collect();
    let channels: &[&str] = if chance(rng, 60) {
        &["stable"]
    } else {
        &["beta", "stable"]
    };
    let mut package = map([
        ("schema", text("olm.package")),
        ("name", text(name)),
        ("defaultChannel", text("stable")),
    ]);
    if chance(rng, 40) {
        package.set(
            "icon",
            map([
                ("base64data", text("e30=")),
                ("mediatype", text("image/svg+xml")),
            ]),
        );
        package.set(
            "description",
            text("One line.\n\nAnother: with a colon # and a hash\n"),
        );
    }
    if chance(rng, 20) {
        package.set(
            "properties",
            Node::List(vec![map([("type", text("x")), ("value", raw("1"))])]),
        );
    }
    let mut blobs = vec![package];
    for (nth, channel) in channels.iter().enumerate() {
        // The last channel has all bundles, so that each is in a channel.
        let from = if nth + 1 == channels.len() {
            0
        } else {
            rng.random_range(0..count)
        };
        blobs.push(make_channel(rng, name, channel, &bundles[from..]));
    }
    for (nth, bundle) in bundles.iter().enumerate() {
        blobs.push(make_bundle(rng, name, bundle, &format!("1.{nth}.0")));
    }
    if chance(rng, 35) {
        blobs.push(make_deprecations(rng, name, channels, &bundles));
    }
    split_into_files(rng, name, blobs)
}

fn make_channel(rng: &mut SmallRng, package: &str, name: &str, bundles: &[String]) -> Node {
    let entries = bundles.iter().enumerate().map(|(i, bundle)| {
        let mut entry = map([("name", text(bundle))]);
        if i > 0 {
            entry.set("replaces", text(&bundles[i - 1]));
        }
        if i > 1 && chance(rng, 25) {
            entry.set(
                "skips",
                Node::List(vec![text(&bundles[rng.random_range(0..i - 1)])]),
            );
        }
        if chance(rng, 25) {
            entry.set("skipRange", text(&format!(">=1.0.0 <1.{i}.0")));
        }
        entry
    });
    let entries: Vec<Node> = entries.collect();
    let mut channel = map([
        ("schema", text("olm.channel")),
        ("name", text(name)),
        ("package", text(package)),
        ("entries", Node::List(entries)),
    ]);
    if chance(rng, 10) {
        channel.set(
            "properties",
            Node::List(vec![map([("type", text("x")), ("value", map([]))])]),
        );
    }
    channel
}

fn make_bundle(rng: &mut SmallRng, package: &str, name: &str, version: &str) -> Node {
    let mut own = map([("packageName", text(package)), ("version", text(version))]);
    let mut bundle_name = text(name);
    if chance(rng, 8) {
        own.set("release", text("1"));
        bundle_name = text(&format!("{package}-v{version}-1"));
    }
    let mut properties = vec![property("olm.package", own)];
    for _ in 0..rng.random_range(0..3) {
        properties.push(make_property(rng));
    }
    let mut bundle = map([
        ("schema", text("olm.bundle")),
        ("name", bundle_name),
        ("package", text(package)),
        (
            "image",
            text(&format!("example.com/{package}/bundle:v{version}")),
        ),
        ("properties", Node::List(properties)),
    ]);
    if chance(rng, 50) {
        let image = |name: &str, image: &str| map([("name", text(name)), ("image", text(image))]);
        bundle.set(
            "relatedImages",
            Node::List(vec![image("", "a/b"), image("operator", "a/b:c")]),
        );
    }
    bundle
}

pub(crate) fn property(kind: &str, value: Node) -> Node {
    map([("type", text(kind)), ("value", value)])
}

/// A valid property of a known type.
pub(crate) fn make_property(rng: &mut SmallRng) -> Node {
    let gvk = || {
        map([
            ("group", text("g.example.com")),
            ("kind", text("Kind")),
            ("version", text("v1")),
        ])
    };
    match rng.random_range(0..8) {
        0 => property("olm.gvk", gvk()),
        1 => property("olm.gvk.required", gvk()),
        2 => property(
            "olm.package.required",
            map([
                ("packageName", text("b")),
                ("versionRange", text(">=1.0.0")),
            ]),
        ),
        3 => property(
            "olm.constraint",
            map([("failureMessage", text("m")), ("gvk", gvk())]),
        ),
        4 => property(
            "olm.bundle.object",
            map([("data", text("eyJraW5kIjoiU2VydmljZSJ9"))]),
        ),
        5 => property(
            "olm.channel",
            map([("channelName", text("stable")), ("priority", raw("7"))]),
        ),
        6 => property("olm.maxOpenShiftVersion", text("4.18")),
        _ => property("olm.csv.metadata", csv_metadata(gvk())),
    }
}

fn csv_metadata(gvk: Node) -> Node {
    let descriptor = map([
        ("path", text("size")),
        ("displayName", text("Size")),
        ("description", text("d")),
        ("x-descriptors", Node::List(vec![text("urn:x")])),
        ("value", raw("1")),
    ]);
    let crd = map([
        ("name", text("kinds.g")),
        ("version", text("v1")),
        ("kind", text("Kind")),
        ("displayName", text("Kind")),
        ("description", text("d")),
        (
            "resources",
            Node::List(vec![map([
                ("name", text("")),
                ("kind", text("Pod")),
                ("version", text("v1")),
            ])]),
        ),
        ("specDescriptors", Node::List(vec![descriptor.clone()])),
        ("statusDescriptors", Node::List(vec![descriptor.clone()])),
        ("actionDescriptors", Node::List(vec![descriptor])),
    ]);
    let mut api = crd.clone();
    api.set("group", text("g"));
    api.set("deploymentName", text("d"));
    api.set("containerPort", raw("443"));
    map([
        (
            "annotations",
            map([("capabilities", text("Basic Install"))]),
        ),
        ("labels", map([("a", text("b"))])),
        ("description", text("d")),
        ("displayName", text("A")),
        ("maturity", text("alpha")),
        ("minKubeVersion", text("1.20.0")),
        ("keywords", Node::List(vec![text("k")])),
        (
            "installModes",
            Node::List(vec![map([
                ("type", text("AllNamespaces")),
                ("supported", raw("true")),
            ])]),
        ),
        (
            "links",
            Node::List(vec![map([
                ("name", text("l")),
                ("url", text("https://example.com")),
            ])]),
        ),
        (
            "provider",
            map([("name", text("p")), ("url", text("https://example.com"))]),
        ),
        (
            "maintainers",
            Node::List(vec![map([
                ("name", text("m")),
                ("email", text("m@example.com")),
            ])]),
        ),
        ("nativeAPIs", Node::List(vec![gvk])),
        (
            "crdDescriptions",
            map([
                ("owned", Node::List(vec![crd.clone()])),
                ("required", Node::List(vec![crd])),
            ]),
        ),
        (
            "apiServiceDefinitions",
            map([
                ("owned", Node::List(vec![api])),
                ("required", Node::List(vec![])),
            ]),
        ),
    ])
}

fn make_deprecations(
    rng: &mut SmallRng,
    package: &str,
    channels: &[&str],
    bundles: &[String],
) -> Node {
    let entry = |reference: Node| map([("reference", reference), ("message", text("use another"))]);
    let mut entries = Vec::new();
    if chance(rng, 40) {
        entries.push(entry(map([("schema", text("olm.package"))])));
    }
    if chance(rng, 60) {
        entries.push(entry(map([
            ("schema", text("olm.channel")),
            ("name", text(pick(rng, channels))),
        ])));
    }
    entries.push(entry(map([
        ("schema", text("olm.bundle")),
        ("name", text(&bundles[0])),
    ])));
    map([
        ("schema", text("olm.deprecations")),
        ("package", text(package)),
        ("entries", Node::List(entries)),
    ])
}

/// The blobs in one file or several, in usual layouts.
fn split_into_files(rng: &mut SmallRng, name: &str, blobs: Vec<Node>) -> Vec<File> {
    let json = chance(rng, 35);
    let file = |path: String, blobs: Vec<Node>, json: bool| File {
        path,
        blobs,
        json,
        text: None,
    };
    let end = if json { "json" } else { "yaml" };
    match rng.random_range(0..10) {
        0..=5 => vec![file(format!("{name}/catalog.{end}"), blobs, json)],
        6 => vec![file(format!("{name}.{end}"), blobs, json)],
        7 => vec![file(
            format!(
                "{name}/{}",
                pick(rng, &["a", ".a", "Dockerfile", "a.md", "é.yml"])
            ),
            blobs,
            json,
        )],
        _ => blobs
            .into_iter()
            .enumerate()
            .map(|(i, blob)| {
                let json = if i % 3 == 2 { !json } else { json };
                file(
                    format!("{name}/{i}.{}", if json { "json" } else { "yaml" }),
                    vec![blob],
                    json,
                )
            })
            .collect(),
    }
}
