//! Packages for tests, in the notation of `olm-resolution`: `b3 r:b2 s:b1,b0 sr:<3.0.0`.

use crate::model::blob::{
    ChannelBlob, DeprecationEntry, DeprecationsBlob, Entry, PackageBlob, PackageProperty,
};
use crate::model::{BundleBlob, FileId, Located, Package};
use crate::place::{Place, Spanned, Text};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

fn spanned(text: &str) -> Spanned<Text> {
    Spanned::new(text.into(), Place::default())
}

fn located<T>(order: u32, data: T) -> Located<T> {
    Located {
        file: FileId(0),
        index: order,
        order: order.into(),
        data: Arc::new(data),
    }
}

/// Parses an entry; `_` in a range is a blank.
pub(crate) fn entry(line: &str) -> Entry {
    let mut parts = line.split(' ');
    let mut entry = Entry {
        name: spanned(parts.next().unwrap_or_default()),
        ..Entry::default()
    };
    for part in parts {
        match part.split_once(':') {
            Some(("r", name)) => entry.replaces = spanned(name),
            Some(("s", names)) => entry.skips = names.split(',').map(spanned).collect(),
            Some(("sr", range)) => entry.skip_range = spanned(&range.replace('_', " ")),
            _ => panic!("no such field: {part}"),
        }
    }
    entry
}

/// A package whose first channel is the default. Every entry whose name ends in a version has a bundle of that version.
pub(crate) fn package(channels: &[(&str, &[&str])]) -> Package {
    let channels = channels
        .iter()
        .map(|(name, lines)| (*name, lines.iter().map(|l| entry(l)).collect::<Vec<_>>()));
    assemble(channels.collect())
}

pub(crate) fn assemble(channels: Vec<(&str, Vec<Entry>)>) -> Package {
    let names: BTreeSet<Text> = channels
        .iter()
        .flat_map(|(_, entries)| entries)
        .map(|entry| entry.name.value.clone())
        .collect();
    let bundle = |(order, name): (u32, &Text)| {
        let (version, _) = crate::version::version_in_name(name)?;
        let property = PackageProperty {
            package_name: spanned("p"),
            version: spanned(version),
            release: None,
        };
        let bundle = BundleBlob {
            package: spanned("p"),
            name: spanned(name),
            package_properties: vec![property],
            ..BundleBlob::default()
        };
        Some(located(1000 + order, bundle))
    };
    Package {
        name: "p".into(),
        packages: vec![located(
            0,
            PackageBlob {
                name: spanned("p"),
                default_channel: spanned(channels.first().map_or("", |c| c.0)),
                ..PackageBlob::default()
            },
        )],
        bundles: (0..).zip(&names).filter_map(bundle).collect(),
        channels: (1..)
            .zip(channels)
            .map(|(order, (name, entries))| {
                let blob = ChannelBlob {
                    package: spanned("p"),
                    name: spanned(name),
                    entries,
                    ..ChannelBlob::default()
                };
                located(order, blob)
            })
            .collect(),
        ..Package::default()
    }
}

/// Adds deprecations, as (schema, name).
pub(crate) fn deprecate(package: &mut Package, references: &[(&str, &str)]) {
    let entry = |(schema, name): &(&str, &str)| DeprecationEntry {
        schema: spanned(schema),
        name: spanned(name),
        message: spanned("old"),
        place: Place::default(),
    };
    let entries = references.iter().map(entry).collect();
    let blob = DeprecationsBlob {
        package: spanned("p"),
        entries,
        place: Place::default(),
    };
    package.deprecations.push(located(5000, blob));
}

/// Colliding names, with and without versions, including equal and long ones.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => (0..3u32, 0..5u32).prop_map(|(minor, patch)| format!("op.v1.{minor}.{patch}")),
        1 => (0..3u32).prop_map(|minor| format!("other-v1.{minor}.0")),
        1 => (0..2u32).prop_map(|minor| format!("op.v1.{minor}.0-nightly-2025-08-0{minor}+build.{minor}")),
        1 => (0..3u32).prop_map(|n| format!("plain{n}")),
    ]
}

fn any_entry() -> impl Strategy<Value = Entry> {
    let target = || prop_oneof![2 => Just(String::new()), 5 => name()];
    let range = prop_oneof![
        6 => Just(""), 1 => Just(">=1.0.0 <1.2.0"), 1 => Just("<1.1.3"), 1 => Just("not a range"), 1 => Just(">=1.1.0")
    ];
    (
        name(),
        target(),
        prop::collection::vec(target(), 0..4),
        range,
    )
        .prop_map(|(name, replaces, skips, range)| Entry {
            name: spanned(&name),
            replaces: spanned(&replaces),
            skips: skips.iter().map(|s| spanned(s)).collect(),
            skip_range: spanned(range),
            place: Place::default(),
        })
}

/// Any channels, valid or not.
pub(crate) fn any_package() -> impl Strategy<Value = Package> {
    let channels = prop::collection::vec(prop::collection::vec(any_entry(), 0..14), 1..5);
    channels.prop_map(|channels| assemble(["a", "b", "c", "d"].into_iter().zip(channels).collect()))
}
