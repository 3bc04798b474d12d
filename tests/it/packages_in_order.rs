//! Valid packages of our own, each in three spellings.

use std::fmt::Write;

/// Paths and bytes.
pub(crate) type Files = Vec<(String, Vec<u8>)>;

/// An entry's name, its `replaces`, its skips.
type Entry<'a> = (&'a str, &'a str, &'a [&'a str]);
type Channel<'a> = (&'a str, &'a [Entry<'a>]);

/// Valid packages: a chain, skipped patch releases, two channels with common entries, names that
/// start with a number; as YAML, in flow style and as JSON.
pub(crate) fn our_packages() -> Vec<(&'static str, Files)> {
    let chain: &[(&str, &str, &[&str])] = &[
        ("etcd.v0.9.0", "", &[]),
        ("etcd.v0.9.2", "etcd.v0.9.0", &[]),
        ("etcd.v0.9.4", "etcd.v0.9.2", &[]),
        ("etcd.v0.9.5", "etcd.v0.9.4", &["etcd.v0.9.3-alpha"]),
    ];
    let skipped: &[(&str, &str, &[&str])] = &[
        ("3scale-operator.v1.0.0", "", &[]),
        ("3scale-operator.v1.0.1", "3scale-operator.v1.0.0", &[]),
        (
            "3scale-operator.v1.1.0",
            "3scale-operator.v1.0.0",
            &["3scale-operator.v1.0.1"],
        ),
    ];
    let packages: [(&str, &[Channel<'_>]); 2] = [
        ("etcd", &[("stable", chain), ("candidate", &chain[..3])]),
        ("3scale-operator", &[("threescale-2.12", skipped)]),
    ];
    let mut all = Vec::new();
    for (name, channels) in packages {
        for (spelling, ids) in [
            (spell_block as fn(_, _) -> String, "block"),
            (spell_flow, "flow"),
            (spell_json, "json"),
        ] {
            let text = spelling(name, channels);
            let path = if ids == "json" {
                "catalog.json"
            } else {
                "catalog.yaml"
            };
            all.push((ids, vec![(format!("{name}/{path}"), text.into_bytes())]));
        }
    }
    all
}

type Channels<'a> = &'a [(&'a str, &'a [(&'a str, &'a str, &'a [&'a str])])];

fn blobs(name: &str, channels: Channels<'_>) -> Vec<serde_json::Value> {
    use serde_json::json;
    let mut blobs =
        vec![json!({"schema": "olm.package", "name": name, "defaultChannel": channels[0].0})];
    let mut bundles: Vec<&str> = Vec::new();
    for (channel, entries) in channels {
        let entries: Vec<_> = entries
            .iter()
            .map(|(name, replaces, skips)| {
                if !bundles.contains(name) {
                    bundles.push(name);
                }
                let mut entry = json!({"name": name});
                if !replaces.is_empty() {
                    entry["replaces"] = json!(replaces);
                    entry["skipRange"] = json!(">=0.1.0 <0.2.0");
                }
                if !skips.is_empty() {
                    entry["skips"] = json!(skips);
                }
                entry
            })
            .collect();
        blobs.push(
            json!({"schema": "olm.channel", "package": name, "name": channel, "entries": entries}),
        );
    }
    let reference = json!({"schema": "olm.bundle", "name": bundles[0]});
    blobs.push(json!({"schema": "olm.deprecations", "package": name,
        "entries": [{"reference": reference, "message": "gone"}]}));
    for bundle in bundles {
        let version = bundle.split_once(".v").unwrap().1;
        let property =
            json!({"type": "olm.package", "value": {"packageName": name, "version": version}});
        blobs.push(
            json!({"schema": "olm.bundle", "package": name, "name": bundle,
            "image": format!("q.io/o/{name}:v{version}"), "properties": [property]}),
        );
    }
    blobs
}

fn spell_json(name: &str, channels: Channels<'_>) -> String {
    blobs(name, channels)
        .iter()
        .map(|blob| serde_json::to_string_pretty(blob).unwrap() + "\n")
        .collect()
}

fn spell_block(name: &str, channels: Channels<'_>) -> String {
    blobs(name, channels)
        .iter()
        .map(|blob| format!("---\n{}", serde_yaml::to_string(blob).unwrap()))
        .collect()
}

/// Each entry on one line.
fn spell_flow(name: &str, channels: Channels<'_>) -> String {
    let blobs = blobs(name, channels);
    let spelled = blobs.iter().map(|blob| {
        let mut text = String::from("---\n");
        for (key, value) in blob.as_object().unwrap() {
            match value.as_array() {
                None => writeln!(text, "{key}: {value}").unwrap(),
                Some(items) => {
                    writeln!(text, "{key}:").unwrap();
                    items
                        .iter()
                        .for_each(|item| writeln!(text, "  - {item}").unwrap());
                }
            }
        }
        text
    });
    spelled.collect()
}
