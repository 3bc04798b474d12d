//! The operations of a filled-in form: text in, `EditOp`s or errors out.

use super::bundle_forms;
use super::command::{EditCommand, Field};
use super::entry_choices::{default_removal, skips_operation, stream_operations};
use super::form_values::{
    FieldError, FormValues, PackageNames, Reference, is_absent, is_set_by_entries, names,
    reference, values_for_each,
};
use protocol::operation::{Choice, DanglingEdges, EdgeRule, EditOp, PromoteAs};
use protocol::views::TableRow;

/// Returns the operations of the form. `catalog` is the chosen root (`None` if the session has only
/// one).
pub fn operations(
    command: EditCommand,
    values: &FormValues,
    catalog: Option<&str>,
    names: PackageNames<'_>,
) -> Result<Vec<EditOp>, Vec<FieldError>> {
    let mut complaints = missing(command, values);
    if command == EditCommand::SetSkipRange && has_no_skip_range(values, names) {
        complaints.push((
            Field::SkipRange,
            "Skip range is needed: the entry has none to remove".to_owned(),
        ));
    }
    if !complaints.is_empty() {
        return Err(complaints);
    }
    if command == EditCommand::ReplaceStream {
        return stream_operations(values, catalog, names);
    }
    if command == EditCommand::CopyPackage {
        return Ok(bundle_forms::copies(values, catalog));
    }
    if values.several().is_empty() {
        return values_by_object(command, values, names)
            .iter()
            .map(|values| operation(command, values, catalog, names))
            .chain(skips_operation(command, values, catalog, names).map(Ok))
            .chain(bundle_forms::range_of_new_entry(command, values, catalog).map(Ok))
            .collect();
    }
    values_for_each(command, values, names)
        .iter()
        .map(|values| operation(command, values, catalog, names))
        .collect()
}

/// Returns one form per object: for several versions, or for the entry in each channel that lists
/// it.
fn values_by_object(
    command: EditCommand,
    values: &FormValues,
    package: PackageNames<'_>,
) -> Vec<FormValues> {
    let bundles = names(values.get(Field::Bundle));
    match command {
        EditCommand::Deprecate
            if values.get(Field::Reference).starts_with("bundle ") && bundles.len() > 1 =>
        {
            bundles
                .iter()
                .map(|name| {
                    values
                        .clone()
                        .with(Field::Reference, format!("bundle {name}"))
                })
                .collect()
        }
        EditCommand::SetSkipRange if !values.get(Field::OtherChannels).is_empty() => {
            let others = other_channels(values, package.table);
            let here = std::iter::once(values.get(Field::Channel));
            here.chain(others)
                .map(|channel| values.clone().with(Field::Channel, channel))
                .collect()
        }
        _ => vec![values.clone()],
    }
}

/// Returns the other channels that list the entry.
pub fn other_channels<'t>(values: &FormValues, table: &'t [TableRow]) -> Vec<&'t str> {
    let (channel, entry) = (values.get(Field::Channel), values.get(Field::Entry));
    let lists = |row: &&TableRow| row.entry == entry && row.channel != channel && !is_absent(row);
    table
        .iter()
        .filter(lists)
        .map(|row| row.channel.as_str())
        .collect()
}

/// Whether the form would remove nothing: its field is empty, and the entry has no skip range.
fn has_no_skip_range(values: &FormValues, names: PackageNames<'_>) -> bool {
    let (channel, entry) = (values.get(Field::Channel), values.get(Field::Entry));
    let is_it = |row: &&TableRow| row.channel == channel && row.entry == entry;
    let has_none = names
        .table
        .iter()
        .find(is_it)
        .is_some_and(|row| row.skip_range.is_empty());
    has_none
        && values.get(Field::SkipRange).is_empty()
        && values.get(Field::OtherChannels).is_empty()
}

/// Returns errors for empty required fields.
fn missing(command: EditCommand, values: &FormValues) -> Vec<FieldError> {
    let deprecation = matches!(command, EditCommand::Deprecate | EditCommand::Undeprecate);
    let needed = |field: &Field| match field {
        Field::Catalog
        | Field::As
        | Field::By
        | Field::Then
        | Field::Replaces
        | Field::SkipRange => false,
        Field::From if command == EditCommand::AddChannel => false,
        Field::SkipMatching | Field::Rule | Field::Template | Field::Shape => false,
        Field::SkipsToo | Field::SkipOld | Field::OtherChannels => false,
        field if !values.several().is_empty() && is_set_by_entries(command, *field) => false,
        Field::Channel if command == EditCommand::ReplaceStream => false,
        Field::Skip => values.get(Field::SkipMatching).is_empty(),
        Field::Channel | Field::Bundle if deprecation => false,
        field if bundle_forms::is_content(command) => {
            !bundle_forms::is_optional(command, *field, values)
        }
        Field::Channel => command != EditCommand::Withdraw,
        _ => true,
    };
    command
        .fields()
        .iter()
        .filter(|field| needed(field) && values.get(**field).is_empty())
        .map(|field| (*field, format!("{} is needed", field.label())))
        .collect()
}

fn operation(
    command: EditCommand,
    values: &FormValues,
    catalog: Option<&str>,
    package_names: PackageNames<'_>,
) -> Result<EditOp, Vec<FieldError>> {
    let catalog = catalog.map(str::to_owned);
    let text = |field: Field| values.get(field).to_owned();
    let (package, channel, name) = (
        text(Field::Package),
        text(Field::Channel),
        text(Field::Entry),
    );
    if bundle_forms::is_content(command) {
        return bundle_forms::operation(command, values, catalog);
    }
    Ok(match command {
        EditCommand::Promote => EditOp::Promote {
            catalog,
            package,
            bundle: text(Field::Bundle),
            to: text(Field::ToChannel),
            how: promote_as(values.get(Field::As))?,
            replaces: choice(values.get(Field::Replaces)),
            skip_range: choice(values.get(Field::SkipRange)),
        },
        EditCommand::Withdraw => EditOp::Withdraw {
            catalog,
            package,
            bundle: text(Field::Bundle),
            by: non_empty(values.get(Field::By)),
            channel: names(values.get(Field::Channel)),
        },
        EditCommand::SetDefaultChannel => EditOp::SetDefaultChannel {
            catalog,
            package,
            channel,
        },
        EditCommand::SetReplaces => EditOp::SetReplaces {
            catalog,
            package,
            channel,
            name,
            replaces: non_empty(values.get(Field::Replaces)),
        },
        EditCommand::AddSkip => EditOp::AddSkip {
            catalog,
            package,
            channel,
            name,
            skip: names(values.get(Field::Skip)),
            skip_matching: non_empty(values.get(Field::SkipMatching)),
        },
        EditCommand::RemoveSkip => EditOp::RemoveSkip {
            catalog,
            package,
            channel,
            name,
            skip: names(values.get(Field::Skip)),
            skip_matching: non_empty(values.get(Field::SkipMatching)),
        },
        EditCommand::SetSkipRange => EditOp::SetSkipRange {
            catalog,
            package,
            channel,
            name,
            skip_range: non_empty(values.get(Field::SkipRange)),
        },
        EditCommand::RemoveEntry => EditOp::RemoveEntry {
            catalog,
            package,
            channel,
            name,
            then: then(command, values.get(Field::Then))?,
        },
        EditCommand::RemoveBundle => EditOp::RemoveBundle {
            catalog,
            package,
            bundle: text(Field::Bundle),
            then: then(command, values.get(Field::Then))?,
        },
        EditCommand::RebuildEdges => EditOp::RebuildEdges {
            catalog,
            package,
            channel,
            rule: rule(values.get(Field::Rule))?,
        },
        EditCommand::AddChannel => EditOp::AddChannel {
            catalog,
            package,
            channel,
            from: non_empty(values.get(Field::From)),
        },
        EditCommand::RenameChannel => EditOp::RenameChannel {
            catalog,
            package,
            channel,
            to: text(Field::NewName),
        },
        EditCommand::RemoveChannel => EditOp::RemoveChannel {
            catalog,
            package,
            channel,
        },
        EditCommand::RenameBundle => EditOp::RenameBundle {
            catalog,
            package,
            bundle: text(Field::Bundle),
            to: text(Field::NewName),
            skip_old: values.get(Field::SkipOld) == bundle_forms::YES,
        },
        _ => {
            let (channel, bundle) =
                match chosen_reference(values, package_names.channels, package_names.bundles) {
                    Some(Reference::Package) => (None, None),
                    Some(Reference::Channel(name)) => (Some(name), None),
                    Some(Reference::Bundle(name)) => (None, Some(name)),
                    None => return Err(vec![no_reference(values.get(Field::Reference))]),
                };
            if command == EditCommand::Deprecate {
                EditOp::Deprecate {
                    catalog,
                    package,
                    channel,
                    bundle,
                    message: text(Field::Message),
                }
            } else {
                EditOp::Undeprecate {
                    catalog,
                    package,
                    channel,
                    bundle,
                }
            }
        }
    })
}

/// Parses a choice: an empty text means the default, `none` means none.
pub(super) fn choice(text: &str) -> Choice {
    match text {
        "" => Choice::Default,
        "none" => Choice::None,
        value => Choice::Value(value.to_owned()),
    }
}

/// Returns `None` for an empty text or `none`.
fn non_empty(text: &str) -> Option<String> {
    (!text.is_empty() && text != "none").then(|| text.to_owned())
}

pub(super) fn promote_as(text: &str) -> Result<Option<PromoteAs>, Vec<FieldError>> {
    match text {
        "" => Ok(None),
        "head" => Ok(Some(PromoteAs::Head)),
        "chain" => Ok(Some(PromoteAs::Chain)),
        "skipped" => Ok(Some(PromoteAs::Skipped)),
        _ => Err(vec![(Field::As, "head, chain or skipped".to_owned())]),
    }
}

fn rule(text: &str) -> Result<EdgeRule, Vec<FieldError>> {
    match text {
        "" | "replaces" => Ok(EdgeRule::Replaces),
        "skip-patch" => Ok(EdgeRule::SkipPatch),
        "z-stream" => Ok(EdgeRule::ZStream),
        "skip-range" => Ok(EdgeRule::SkipRange),
        _ => Err(vec![(
            Field::Rule,
            "replaces, skip-patch, z-stream or skip-range".to_owned(),
        )]),
    }
}

fn then(command: EditCommand, text: &str) -> Result<DanglingEdges, Vec<FieldError>> {
    let chosen = match text {
        "" => default_removal(command),
        text => text,
    };
    match chosen {
        "relink" => Ok(DanglingEdges::Relink),
        "skip" => Ok(DanglingEdges::Skip),
        "leave" => Ok(DanglingEdges::Leave),
        _ => Err(vec![(Field::Then, "relink, skip or leave".to_owned())]),
    }
}

/// Returns the reference of a form from *Reference*. A bare `channel` or `bundle` refers to the
/// field with that name.
fn chosen_reference(
    values: &FormValues,
    channels: &[String],
    bundles: &[(String, String)],
) -> Option<Reference> {
    let given = |field: Field| {
        Some(values.get(field))
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
    };
    match values.get(Field::Reference) {
        "channel" | "olm.channel" => given(Field::Channel).map(Reference::Channel),
        "bundle" | "olm.bundle" => given(Field::Bundle).map(Reference::Bundle),
        text => reference(text, channels, bundles),
    }
}

/// Returns an error for the field that must be filled in to choose what to deprecate.
fn no_reference(text: &str) -> FieldError {
    match text {
        "channel" | "olm.channel" => (
            Field::Channel,
            "choose the channel, or `package` as the reference".to_owned(),
        ),
        "bundle" | "olm.bundle" => (
            Field::Bundle,
            "choose the bundle, or `package` as the reference".to_owned(),
        ),
        _ => (
            Field::Reference,
            "package, channel NAME or bundle NAME".to_owned(),
        ),
    }
}
