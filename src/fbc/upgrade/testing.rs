//! Compact package notation for tests of upgrades and comparisons.

use crate::model::blob::{
    BundleBlob, ChannelBlob, DeprecationEntry, DeprecationsBlob, Entry, PackageBlob,
    PackageProperty, Property, PropertyFact,
};
use crate::model::{FileId, Located, Package};
use crate::place::{Place, Spanned, Text};
use proptest::prelude::*;
use std::sync::Arc;

pub(crate) fn spanned(text: &str) -> Spanned<Text> {
    Spanned::new(text.into(), Place::default())
}

fn property(kind: &str, value: &str) -> PropertyFact {
    let value = if value.starts_with('{') {
        value.to_owned()
    } else {
        format!("\"{value}\"")
    };
    PropertyFact {
        property: Arc::new(Property {
            kind: kind.into(),
            value: Some(value.as_str().into()),
        }),
        start: 0,
        line: 0,
    }
}

fn api(kind: &str) -> String {
    format!(r#"{{"group":"g","kind":"{kind}","version":"v1"}}"#)
}

pub(crate) fn located<T>(data: T) -> Located<T> {
    Located {
        file: FileId(0),
        index: 0,
        order: 0,
        data: Arc::new(data),
    }
}

/// `a@1.0.0 r:b s:c s:d sr:<1.0.0 max:4.18 kube:1.30.0 image:x api:K needs:K wants:L asks:JSON
/// !deprecated !prohibited !required`; `;` separates the entries of a line, `_` stands for a blank
/// in a range. One channel per line, `name: entries`; the first is the default. An entry without
/// `@version` has no bundle.
pub(crate) fn package(channels: &str) -> Package {
    let mut package = Package {
        name: "p".into(),
        ..Package::default()
    };
    let mut deprecated = Vec::new();
    for line in channels.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let (name, entries) = line.split_once(':').unwrap();
        let mut channel = ChannelBlob {
            package: spanned("p"),
            name: spanned(name),
            ..ChannelBlob::default()
        };
        for text in entries.split(';') {
            let mut parts = text.split_whitespace();
            let (name, version) = parts
                .next()
                .map(|w| w.split_once('@').unwrap_or((w, "")))
                .unwrap();
            let mut entry = Entry {
                name: spanned(name),
                ..Entry::default()
            };
            let mut bundle = BundleBlob {
                name: spanned(name),
                package_properties: vec![PackageProperty {
                    version: spanned(version),
                    ..PackageProperty::default()
                }],
                ..BundleBlob::default()
            };
            for part in parts {
                match part.split_once(':') {
                    Some(("r", name)) => entry.replaces = spanned(name),
                    Some(("s", name)) => entry.skips.push(spanned(name)),
                    Some(("sr", range)) => entry.skip_range = spanned(&range.replace('_', " ")),
                    Some(("max", version)) => bundle
                        .properties
                        .push(property("olm.maxOpenShiftVersion", version)),
                    Some(("api", kind)) => bundle.properties.push(property("olm.gvk", &api(kind))),
                    Some(("asks", json)) => {
                        bundle.properties.push(property("olm.constraint", json))
                    }
                    Some(("needs", kind)) => bundle
                        .properties
                        .push(property("olm.gvk.required", &api(kind))),
                    Some(("wants", label)) => {
                        let label = format!(r#"{{"label":"{label}"}}"#);
                        bundle
                            .properties
                            .push(property("olm.label.required", &label));
                    }
                    Some(("kube", version)) => bundle.min_kube_version = version.into(),
                    Some(("image", image)) => bundle.image = spanned(image),
                    None if part == "!deprecated" => deprecated.push(DeprecationEntry {
                        schema: spanned("olm.bundle"),
                        name: spanned(name),
                        ..DeprecationEntry::default()
                    }),
                    _ if part == "!prohibited" => {
                        bundle.properties.push(property("olm.deprecated", "{}"))
                    }
                    _ => bundle
                        .properties
                        .push(property("olm.gvk.required", &api("Nowhere"))),
                }
            }
            channel.entries.push(entry);
            if !version.is_empty() && package.bundle(name).is_none() {
                package.bundles.push(located(bundle));
            }
        }
        if package.packages.is_empty() {
            package.packages.push(located(PackageBlob {
                name: spanned("p"),
                default_channel: channel.name.clone(),
                ..PackageBlob::default()
            }));
        }
        package.channels.push(located(channel));
    }
    package.deprecations.push(located(DeprecationsBlob {
        entries: deprecated,
        ..DeprecationsBlob::default()
    }));
    package
}

/// Random packages in the notation of [`package`], with every possible defect.
pub(crate) fn any_package() -> impl Strategy<Value = String> {
    let name = "[a-e]";
    let entry = (
        name,
        prop::sample::select(vec![
            "1.0.0",
            "1.1.0",
            "1.1.0-rc.1",
            "2.0.0",
            "2.0.0+2",
            "two",
        ]),
        proptest::option::of(name),
        proptest::collection::vec(name, 0..3),
        proptest::option::of(prop::sample::select(vec![
            "<2.0.0",
            ">=1.0.0_<1.1.0",
            "1.x",
            "bad",
            "<9.0.0",
        ])),
        prop::sample::select(vec!["", " !deprecated", " !prohibited", " !required"]),
    )
        .prop_map(|(name, version, replaces, skips, range, mark)| {
            let mut text = format!("{name}@{version}");
            text.extend(replaces.map(|r| format!(" r:{r}")));
            text.extend(skips.iter().map(|s| format!(" s:{s}")));
            text.extend(range.map(|r| format!(" sr:{r}")));
            text + mark
        });
    proptest::collection::vec((("x|y|z"), proptest::collection::vec(entry, 1..6)), 1..4).prop_map(
        |channels| {
            channels
                .iter()
                .map(|(name, entries)| format!("{name}: {}\n", entries.join("; ")))
                .collect()
        },
    )
}
