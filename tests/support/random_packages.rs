//! Random packages for property tests: as text and as plain data, so that every crate makes its own
//! types of them.

use catalog::testing::EntryData;
use proptest::prelude::*;

/// Random packages in the notation of `catalog::testing::package`, with every possible defect.
pub fn any_package_text() -> impl Strategy<Value = String> {
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

/// Colliding names, with and without versions, including equal and long ones.
fn versioned_name() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => (0..3u32, 0..5u32).prop_map(|(minor, patch)| format!("op.v1.{minor}.{patch}")),
        1 => (0..3u32).prop_map(|minor| format!("other-v1.{minor}.0")),
        1 => (0..2u32).prop_map(|minor| format!("op.v1.{minor}.0-nightly-2025-08-0{minor}+build.{minor}")),
        1 => (0..3u32).prop_map(|n| format!("plain{n}")),
    ]
}

fn any_entry() -> impl Strategy<Value = EntryData> {
    let target = || prop_oneof![2 => Just(String::new()), 5 => versioned_name()];
    let range = prop_oneof![
        6 => Just(""), 1 => Just(">=1.0.0 <1.2.0"), 1 => Just("<1.1.3"), 1 => Just("not a range"), 1 => Just(">=1.1.0")
    ];
    (
        versioned_name(),
        target(),
        prop::collection::vec(target(), 0..4),
        range.prop_map(str::to_owned),
    )
}

/// The entries of channels with colliding versioned names, valid or not.
pub fn any_channels() -> impl Strategy<Value = Vec<Vec<EntryData>>> {
    prop::collection::vec(prop::collection::vec(any_entry(), 0..14), 1..5)
}
