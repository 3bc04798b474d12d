//! Checks each command's form, filled in like a user would, against the JSON of its operation.

use super::command::{EditCommand, Field};
use super::form_values::*;
use super::operations::operations;
use super::titles::title;
use protocol::request::Target;
use protocol::views::{EntryRef, TableRow};

fn json(command: EditCommand, fields: &[(Field, &str)]) -> Result<String, Vec<FieldError>> {
    let values = fields
        .iter()
        .fold(FormValues::default(), |values, (field, text)| {
            values.with(*field, *text)
        });
    let channels = ["stable".to_owned(), "alpha".to_owned()];
    let bundles = [("p.v1.0.0".to_owned(), "1.0.0".to_owned())];
    let names = PackageNames {
        channels: &channels,
        bundles: &bundles,
        table: &[],
    };
    let ops = operations(command, &values, None, names)?;
    Ok(ops
        .iter()
        .map(|op| serde_json::to_string(op).unwrap())
        .collect::<Vec<_>>()
        .join("\n"))
}

const P: (Field, &str) = (Field::Package, "p");
const C: (Field, &str) = (Field::Channel, "stable");
const E: (Field, &str) = (Field::Entry, " p.v1.2.0 ");

#[test]
fn promote_omits_defaults_and_writes_none_as_null() {
    let (bundle, to) = ((Field::Bundle, "p.v1.0.0"), (Field::ToChannel, "stable"));
    assert_eq!(
        json(EditCommand::Promote, &[P, bundle, to]).unwrap(),
        r#"{"op":"promote","package":"p","bundle":"p.v1.0.0","to":"stable"}"#
    );
    let options = [
        (Field::As, "skipped"),
        (Field::Replaces, "none"),
        (Field::SkipRange, "<1.0.0"),
    ];
    assert_eq!(
        json(
            EditCommand::Promote,
            &[&[P, bundle, to][..], &options[..]].concat()
        )
        .unwrap(),
        r#"{"op":"promote","package":"p","bundle":"p.v1.0.0","to":"stable","as":"skipped","replaces":null,"skip-range":"<1.0.0"}"#
    );
}

#[test]
fn withdraw_without_channels_means_all() {
    let bundle = (Field::Bundle, "p.v1.0.0");
    assert_eq!(
        json(EditCommand::Withdraw, &[P, bundle]).unwrap(),
        r#"{"op":"withdraw","package":"p","bundle":"p.v1.0.0"}"#
    );
    assert_eq!(
        json(
            EditCommand::Withdraw,
            &[
                P,
                bundle,
                (Field::Channel, "stable, alpha"),
                (Field::By, "p.v1.1.0")
            ]
        )
        .unwrap(),
        r#"{"op":"withdraw","package":"p","bundle":"p.v1.0.0","by":"p.v1.1.0","channel":["stable","alpha"]}"#
    );
}

#[test]
fn edges_name_package_channel_and_entry() {
    assert_eq!(
        json(
            EditCommand::SetReplaces,
            &[P, C, E, (Field::Replaces, "p.v1.1.0")]
        )
        .unwrap(),
        r#"{"op":"set-replaces","package":"p","channel":"stable","name":"p.v1.2.0","replaces":"p.v1.1.0"}"#
    );
    assert_eq!(
        json(EditCommand::SetReplaces, &[P, C, E]).unwrap(),
        r#"{"op":"set-replaces","package":"p","channel":"stable","name":"p.v1.2.0","replaces":null}"#
    );
    assert_eq!(
        json(EditCommand::AddSkip, &[P, C, E, (Field::Skip, "a,b a")]).unwrap(),
        r#"{"op":"add-skip","package":"p","channel":"stable","name":"p.v1.2.0","skip":["a","b"]}"#
    );
    assert_eq!(
        json(EditCommand::RemoveSkip, &[P, C, E, (Field::Skip, "a")]).unwrap(),
        r#"{"op":"remove-skip","package":"p","channel":"stable","name":"p.v1.2.0","skip":["a"]}"#
    );
    assert_eq!(
        json(
            EditCommand::SetSkipRange,
            &[P, C, E, (Field::SkipRange, ">=1.0.0 <1.2.0")]
        )
        .unwrap(),
        r#"{"op":"set-skip-range","package":"p","channel":"stable","name":"p.v1.2.0","skip-range":">=1.0.0 <1.2.0"}"#
    );
    assert_eq!(
        json(EditCommand::RemoveEntry, &[P, C, E, (Field::Then, "leave")]).unwrap(),
        r#"{"op":"remove-entry","package":"p","channel":"stable","name":"p.v1.2.0","then":"leave"}"#
    );
    assert_eq!(
        json(EditCommand::SetDefaultChannel, &[P, C]).unwrap(),
        r#"{"op":"set-default-channel","package":"p","channel":"stable"}"#
    );
}

#[test]
fn channels_are_added_renamed_removed_and_rebuilt() {
    let new = (Field::Channel, "fast");
    assert_eq!(
        json(EditCommand::AddChannel, &[P, new]).unwrap(),
        r#"{"op":"add-channel","package":"p","channel":"fast"}"#
    );
    assert_eq!(
        json(EditCommand::AddChannel, &[P, new, (Field::From, "stable")]).unwrap(),
        r#"{"op":"add-channel","package":"p","channel":"fast","from":"stable"}"#
    );
    assert_eq!(
        json(
            EditCommand::RenameChannel,
            &[P, C, (Field::NewName, "fast")]
        )
        .unwrap(),
        r#"{"op":"rename-channel","package":"p","channel":"stable","to":"fast"}"#
    );
    assert_eq!(
        json(EditCommand::RenameChannel, &[P, C]).unwrap_err()[0].message,
        "New name is needed"
    );
    assert_eq!(
        json(EditCommand::RemoveChannel, &[P, C]).unwrap(),
        r#"{"op":"remove-channel","package":"p","channel":"stable"}"#
    );
    assert_eq!(
        json(
            EditCommand::RebuildEdges,
            &[P, C, (Field::Rule, "skip-patch")]
        )
        .unwrap(),
        r#"{"op":"rebuild-edges","package":"p","channel":"stable","rule":"skip-patch"}"#
    );
    assert_eq!(
        json(EditCommand::RemoveBundle, &[P, (Field::Bundle, "p.v1.0.0")]).unwrap(),
        r#"{"op":"remove-bundle","package":"p","bundle":"p.v1.0.0","then":"skip"}"#
    );
}

#[test]
fn skips_are_named_or_matched() {
    assert_eq!(
        json(
            EditCommand::AddSkip,
            &[P, C, E, (Field::SkipMatching, "1.1.z")]
        )
        .unwrap(),
        r#"{"op":"add-skip","package":"p","channel":"stable","name":"p.v1.2.0","skip-matching":"1.1.z"}"#
    );
    assert_eq!(
        json(
            EditCommand::RemoveSkip,
            &[P, C, E, (Field::Skip, "a"), (Field::SkipMatching, "<1.0.0")]
        )
        .unwrap(),
        r#"{"op":"remove-skip","package":"p","channel":"stable","name":"p.v1.2.0","skip":["a"],"skip-matching":"<1.0.0"}"#
    );
}

#[test]
fn a_new_channel_starts_with_the_values_of_its_source() {
    let mut values = FormValues::default();
    values.fill_from(
        EditCommand::AddChannel,
        &Target::Channel {
            channel: "stable".into(),
        },
        "stable",
    );
    assert_eq!(
        (values.get(Field::Channel), values.get(Field::From)),
        ("", "stable")
    );
    let mut values = FormValues::default();
    values.fill_from(EditCommand::RenameChannel, &Target::Package, "stable");
    assert_eq!(
        values.get(Field::Channel),
        "",
        "the user chooses the channel"
    );
}

#[test]
fn a_deprecation_has_the_reference_of_its_target() {
    let message = (Field::Message, "use p.v2");
    for (typed, key) in [
        ("package", ""),
        ("channel old", r#""channel":"old","#),
        ("bundle x", r#""bundle":"x","#),
    ] {
        assert_eq!(
            json(
                EditCommand::Deprecate,
                &[P, (Field::Reference, typed), message]
            )
            .unwrap(),
            format!(r#"{{"op":"deprecate","package":"p",{key}"message":"use p.v2"}}"#),
            "{typed}"
        );
    }
    assert_eq!(
        json(
            EditCommand::Undeprecate,
            &[P, (Field::Reference, "channel old")]
        )
        .unwrap(),
        r#"{"op":"undeprecate","package":"p","channel":"old"}"#
    );
    let errors = json(EditCommand::Undeprecate, &[P, (Field::Reference, "what")]).unwrap_err();
    assert_eq!(errors[0].field, Field::Reference);
}

#[test]
fn several_versions_are_deprecated_by_one_form() {
    let fields = [
        P,
        (Field::Reference, "bundle a, b"),
        (Field::Bundle, "a, b"),
        (Field::Message, "move"),
    ];
    let ops = json(EditCommand::Deprecate, &fields).unwrap();
    let expected = |name: &str| {
        format!(r#"{{"op":"deprecate","package":"p","bundle":"{name}","message":"move"}}"#)
    };
    assert_eq!(ops, [expected("a"), expected("b")].join("\n"));
}

#[test]
fn an_empty_skip_range_is_refused_if_there_is_none_to_remove() {
    let row = |channel: &str, entry: &str| TableRow {
        channel: channel.into(),
        entry: entry.into(),
        ..TableRow::default()
    };
    let table = [
        row("stable", "p.v1.2.0"),
        row("alpha", "p.v1.2.0"),
        row("beta", "p.v1.1.0"),
    ];
    let names = PackageNames {
        table: &table,
        ..PackageNames::default()
    };
    let values = FormValues::default()
        .with(P.0, P.1)
        .with(C.0, C.1)
        .with(E.0, E.1);
    let missing = operations(EditCommand::SetSkipRange, &values, None, names).unwrap_err();
    assert_eq!(
        missing[0].field,
        Field::SkipRange,
        "there is none to remove"
    );
    let values = values.with(Field::SkipRange, "<1.0.0");
    assert_eq!(
        operations(EditCommand::SetSkipRange, &values, None, names)
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn missing_values_are_reported_at_their_field() {
    let errors = json(EditCommand::AddSkip, &[P, C]).unwrap_err();
    assert_eq!(
        errors.iter().map(|error| error.field).collect::<Vec<_>>(),
        [Field::Entry, Field::Skip]
    );
    assert_eq!(errors[0].message, "Entry is needed");
    for (kind, name) in [("bundle", Field::Bundle), ("channel", Field::Channel)] {
        let errors = json(EditCommand::Deprecate, &[P, (Field::Reference, kind)]).unwrap_err();
        assert_eq!(
            errors.iter().map(|error| error.field).collect::<Vec<_>>(),
            [name, Field::Message]
        );
    }
    let wrong = json(
        EditCommand::Promote,
        &[
            P,
            (Field::Bundle, "b"),
            (Field::ToChannel, "c"),
            (Field::As, "x"),
        ],
    );
    assert_eq!(wrong.unwrap_err()[0].field, Field::As);
}

#[test]
fn a_form_for_several_gives_one_operation_for_each() {
    let picked = |name: &str, channel: &str| EntryRef {
        channel: channel.into(),
        name: name.into(),
    };
    let entries = vec![
        picked("p.v2", "a"),
        picked("p.v1", "a"),
        picked("p.v2", "b"),
    ];
    let values = FormValues::default()
        .with(Field::Package, "p")
        .for_several(entries);
    let bundles = [
        ("p.v2".to_owned(), "2.0.0".to_owned()),
        ("p.v1".to_owned(), "1.0.0".to_owned()),
    ];
    let names = PackageNames {
        channels: &[],
        bundles: &bundles,
        table: &[],
    };
    let operations_json = |command, values: &FormValues| -> Vec<String> {
        let ops = operations(command, values, None, names).unwrap();
        ops.iter()
            .map(|op| serde_json::to_string(op).unwrap())
            .collect()
    };
    assert_eq!(
        operations_json(
            EditCommand::Promote,
            &values.clone().with(Field::ToChannel, "c")
        ),
        [
            r#"{"op":"promote","package":"p","bundle":"p.v1","to":"c"}"#,
            r#"{"op":"promote","package":"p","bundle":"p.v2","to":"c"}"#,
        ]
    );
    assert_eq!(
        operations_json(
            EditCommand::Deprecate,
            &values.clone().with(Field::Message, "old")
        ),
        [
            r#"{"op":"deprecate","package":"p","bundle":"p.v1","message":"old"}"#,
            r#"{"op":"deprecate","package":"p","bundle":"p.v2","message":"old"}"#,
        ]
    );
    assert_eq!(
        operations_json(EditCommand::RemoveEntry, &values).len(),
        3,
        "an entry in two channels is two"
    );
    let ops = operations(EditCommand::RemoveEntry, &values, None, names).unwrap();
    assert_eq!(title(&ops, 0), "Remove p.v1 from a and 2 more edits");
    assert_eq!(title(&ops[..1], 2), "Remove p.v1 from a, in 3 catalogs");
}

#[test]
fn reference_channel_and_bundle_stay_consistent() {
    let mut values = FormValues::default().with(Field::Reference, "package");
    let mut typed = |field: Field, text: &str| {
        values.set(field, text);
        update_reference(EditCommand::Deprecate, field, &mut values);
        (
            values.get(Field::Reference).to_owned(),
            values.get(Field::Channel).to_owned(),
            values.get(Field::Bundle).to_owned(),
        )
    };
    let fields = |reference: &str, channel: &str, bundle: &str| {
        (reference.into(), channel.into(), bundle.into())
    };
    assert_eq!(
        typed(Field::Bundle, "p.v1"),
        fields("bundle p.v1", "", "p.v1")
    );
    assert_eq!(
        typed(Field::Bundle, ""),
        fields("bundle", "", ""),
        "a cleared field does not mean the package"
    );
    assert_eq!(
        typed(Field::Channel, "stable"),
        fields("channel stable", "stable", "")
    );
    assert_eq!(
        typed(Field::Reference, "package"),
        fields("package", "stable", "")
    );
    assert_eq!(
        typed(Field::Reference, "channel"),
        fields("channel stable", "stable", ""),
        "the value is remembered"
    );
}
