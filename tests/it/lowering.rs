//! Packages from JSON blobs, without text or places: sufficient for queries about upgrades.

use ::catalog::model::blob::{
    BundleBlob, ChannelBlob, DeprecationEntry, DeprecationsBlob, Entry, PackageBlob,
    PackageProperty, Property, PropertyFact,
};
use ::catalog::model::{FileId, Located, Package, refused_property};
use serde_json::Value;
use std::sync::Arc;
use syntax::place::{Place, Spanned, Text};

/// All packages of a catalog, in order of first occurrence.
pub(crate) fn packages(blobs: &[Value]) -> Vec<Package> {
    let mut packages: Vec<Package> = Vec::new();
    for (order, blob) in blobs.iter().enumerate() {
        let is_package = blob["schema"] == "olm.package";
        let name: Text = text(blob, if is_package { "name" } else { "package" }).value;
        let at = packages
            .iter()
            .position(|p| p.name == name)
            .unwrap_or_else(|| {
                packages.push(Package {
                    name,
                    ..Package::default()
                });
                packages.len() - 1
            });
        let package = &mut packages[at];
        match blob["schema"].as_str() {
            Some("olm.package") => package.packages.push(located(order, package_blob(blob))),
            Some("olm.channel") => package.channels.push(located(order, channel(blob))),
            Some("olm.bundle") => package.bundles.push(located(order, bundle(blob))),
            Some("olm.deprecations") => package
                .deprecations
                .push(located(order, deprecations(blob))),
            _ => {}
        }
    }
    packages
}

/// One package; an empty one if the catalog lacks it.
pub(crate) fn package(blobs: &[Value], name: &str) -> Package {
    let found = packages(blobs).into_iter().find(|p| &*p.name == name);
    found.unwrap_or_else(|| Package {
        name: name.into(),
        ..Package::default()
    })
}

fn located<T>(order: usize, data: T) -> Located<T> {
    Located {
        file: FileId(0),
        index: order as u32,
        order: order as u64,
        data: Arc::new(data),
    }
}

fn text(value: &Value, key: &str) -> Spanned<Text> {
    Spanned::new(
        value[key].as_str().unwrap_or_default().into(),
        Place::default(),
    )
}

/// A text whose key matches case-insensitively.
fn folded(value: &Value, name: &str) -> Spanned<Text> {
    let mut fields = value.as_object().into_iter().flatten();
    let key = fields.find(|(key, _)| key.eq_ignore_ascii_case(name));
    text(value, key.map_or(name, |(key, _)| key))
}

fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value[key].as_array().into_iter().flatten()
}

fn package_blob(blob: &Value) -> PackageBlob {
    PackageBlob {
        name: text(blob, "name"),
        default_channel: text(blob, "defaultChannel"),
        ..PackageBlob::default()
    }
}

fn channel(blob: &Value) -> ChannelBlob {
    let entries = list(blob, "entries").map(|entry| Entry {
        name: text(entry, "name"),
        replaces: text(entry, "replaces"),
        skips: list(entry, "skips")
            .map(|s| Spanned::new(s.as_str().unwrap_or_default().into(), Place::default()))
            .collect(),
        skip_range: text(entry, "skipRange"),
        place: Place::default(),
    });
    ChannelBlob {
        package: text(blob, "package"),
        name: text(blob, "name"),
        entries: entries.collect(),
        ..ChannelBlob::default()
    }
}

fn bundle(blob: &Value) -> BundleBlob {
    let properties = || list(blob, "properties");
    BundleBlob {
        package: text(blob, "package"),
        name: text(blob, "name"),
        image: text(blob, "image"),
        properties: properties()
            .map(|p| PropertyFact {
                property: Arc::new(Property {
                    kind: text(p, "type").value,
                    value: Some(p["value"].to_string().into()),
                }),
                start: 0,
                line: 0,
            })
            .collect(),
        package_properties: properties()
            .filter(|p| p["type"] == "olm.package")
            .map(|p| PackageProperty {
                package_name: folded(&p["value"], "packageName"),
                version: folded(&p["value"], "version"),
                release: p["value"]["release"]
                    .as_str()
                    .map(|_| folded(&p["value"], "release")),
            })
            .collect(),
        package_fault: properties()
            .find(|p| p["type"] == "olm.package")
            .and_then(|p| refused_property("olm.package", &p["value"].to_string()))
            .map(|message| Box::new(message.into())),
        ..BundleBlob::default()
    }
}

fn deprecations(blob: &Value) -> DeprecationsBlob {
    let entries = list(blob, "entries").map(|entry| DeprecationEntry {
        schema: text(&entry["reference"], "schema"),
        name: text(&entry["reference"], "name"),
        message: text(entry, "message"),
        place: Place::default(),
    });
    DeprecationsBlob {
        package: text(blob, "package"),
        entries: entries.collect(),
        place: Place::default(),
    }
}
