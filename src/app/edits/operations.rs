//! The operations of a filled-in form: text in, `EditOp`s or errors out.

use super::bundle_forms;
use super::command::{EditCommand, Field};
use super::entry_choices::{default_removal, stream_operations};
use super::form_values::{
    FieldError, FormValues, PackageNames, Reference, is_set_by_entries, parse_names,
    parse_reference, values_for_each,
};
use protocol::operation::{Choice, EditOp};
use serde::Deserialize;
use serde_json::{Map, Value as Json};

/// Returns the operations of the form. `catalog` is the chosen root (`None` if the session has only
/// one).
pub fn operations(
    command: EditCommand,
    values: &FormValues,
    catalog: Option<&str>,
    names: PackageNames<'_>,
) -> Result<Vec<EditOp>, Vec<FieldError>> {
    let mut errors = missing_fields(command, values);
    if command == EditCommand::SetSkipRange && has_no_skip_range(values, names) {
        errors.push(FieldError::new(
            Field::SkipRange,
            "Skip range is needed: the entry has none to remove",
        ));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    if command == EditCommand::ReplaceStream {
        return stream_operations(values, catalog, names);
    }

    let mut ops = values_by_object(command, values, names)
        .iter()
        .map(|values| operation(command, values, catalog))
        .collect::<Result<Vec<_>, _>>()?;
    if values.several().is_empty() {
        ops.extend(bundle_forms::range_of_new_entry(command, values, catalog));
    }
    Ok(ops)
}

/// Returns one form per object: for several entries, packages or versions.
fn values_by_object(
    command: EditCommand,
    values: &FormValues,
    package: PackageNames<'_>,
) -> Vec<FormValues> {
    let bundles = parse_names(values.get(Field::Bundle));
    let is_for_bundles = values.get(Field::Reference).starts_with("bundle ");
    let with = |field: Field, text: String| values.clone().with(field, text);
    match command {
        _ if !values.several().is_empty() => values_for_each(command, values, package),
        EditCommand::CopyPackage => {
            let packages = parse_names(values.get(Field::Package)).into_iter();
            packages.map(|name| with(Field::Package, name)).collect()
        }
        EditCommand::Deprecate if is_for_bundles && bundles.len() > 1 => {
            let references = bundles.iter().map(|name| format!("bundle {name}"));
            references
                .map(|text| with(Field::Reference, text))
                .collect()
        }
        _ => vec![values.clone()],
    }
}

/// Whether the form would remove nothing: its field is empty, and the entry has no skip range.
fn has_no_skip_range(values: &FormValues, names: PackageNames<'_>) -> bool {
    let (channel, entry) = (values.get(Field::Channel), values.get(Field::Entry));
    let has_no_range = names
        .table
        .iter()
        .find(|row| row.channel == channel && row.entry == entry)
        .is_some_and(|row| row.skip_range.is_empty());
    has_no_range && values.get(Field::SkipRange).is_empty()
}

fn missing_fields(command: EditCommand, values: &FormValues) -> Vec<FieldError> {
    use EditCommand::{
        AddBundle, AddChannel, Migrate, RemoveProperty, ReplaceStream, Substitute, Withdraw,
    };
    let is_filled = |field: Field| !values.get(field).is_empty();
    let is_optional = |field: Field| match field {
        Field::Catalog
        | Field::As
        | Field::By
        | Field::Then
        | Field::Replaces
        | Field::SkipRange
        | Field::SkipMatching
        | Field::SkipOld
        | Field::Rule
        | Field::Description
        | Field::Icon
        | Field::Where
        | Field::Release
        | Field::DefaultChannel
        | Field::IfExists => true,
        _ if !values.several().is_empty() && is_set_by_entries(command, field) => true,
        Field::Channel if command.is_deprecation() => values.get(Field::Reference) != "channel",
        Field::Bundle if command.is_deprecation() => values.get(Field::Reference) != "bundle",
        Field::Channel => matches!(command, Withdraw | ReplaceStream),
        Field::Bundle => is_filled(Field::Where),
        Field::Skip => is_filled(Field::SkipMatching),
        Field::Image => command == Substitute && is_filled(Field::By),
        Field::From => command == AddChannel,
        Field::ToChannel => command == AddBundle,
        Field::Package => command == Migrate,
        Field::Value => command == RemoveProperty,
        _ => false,
    };
    let fields = command.fields().iter().copied();
    fields
        .filter(|field| !is_optional(*field) && !is_filled(*field))
        .map(|field| FieldError::new(field, format!("{} is needed", field.label())))
        .collect()
}

/// Builds the operation of a form whose required fields are filled in: its fields become the
/// operation's JSON.
///
/// # Errors
///
/// Invalid fields with the reason.
pub fn operation(
    command: EditCommand,
    values: &FormValues,
    catalog: Option<&str>,
) -> Result<EditOp, Vec<FieldError>> {
    let mut json = Map::new();
    json.insert("op".to_owned(), command.operation().into());
    if let Some(catalog) = catalog {
        json.insert("catalog".to_owned(), catalog.into());
    }
    if command.is_deprecation() {
        json.extend(deprecation_arguments(command, values)?);
    } else {
        for &field in command.fields().iter().chain(&[Field::File]) {
            let value = argument(command, field, values)
                .map_err(|message| vec![FieldError { field, message }])?;
            if let (Some(key), Some(value)) = (argument_name(command, field), value) {
                json.insert(key.to_owned(), value);
            }
        }
    }
    EditOp::deserialize(Json::Object(json)).map_err(|error| {
        let field = match command {
            EditCommand::Promote => Field::As,
            _ => Field::Package,
        };
        vec![FieldError::new(field, error.to_string())]
    })
}

/// Returns the arguments of a deprecation, whose *Reference* names its subject.
fn deprecation_arguments(
    command: EditCommand,
    values: &FormValues,
) -> Result<Map<String, Json>, Vec<FieldError>> {
    let mut json = Map::new();
    json.insert("package".to_owned(), values.get(Field::Package).into());
    match parse_reference(values.get(Field::Reference)) {
        Some(Reference::Package) => None,
        Some(Reference::Channel(name)) => json.insert("channel".to_owned(), name.into()),
        Some(Reference::Bundle(name)) => json.insert("bundle".to_owned(), name.into()),
        None => {
            let message = "package, channel NAME or bundle NAME";
            return Err(vec![FieldError::new(Field::Reference, message)]);
        }
    };
    if command == EditCommand::Deprecate {
        json.insert("message".to_owned(), values.get(Field::Message).into());
    }
    Ok(json)
}

/// Returns the key of a field in the operation's JSON; `None` if the operation has no such field.
fn argument_name(command: EditCommand, field: Field) -> Option<&'static str> {
    Some(match field {
        Field::Package => "package",
        Field::Bundle => "bundle",
        Field::Channel => "channel",
        Field::Entry => "name",
        Field::ToChannel | Field::NewName => "to",
        Field::As => "as",
        Field::By => "by",
        Field::Replaces => "replaces",
        Field::Skip => "skip",
        Field::SkipMatching => "skip-matching",
        // The range of a new bundle's entry is a second operation.
        Field::SkipRange if command != EditCommand::AddBundle => "skip-range",
        Field::Then => "then",
        Field::Rule => "rule",
        Field::From => "from",
        Field::IfExists => "if-there",
        Field::SkipOld => "skip-old",
        Field::Where => "where",
        Field::Version => "version",
        Field::Release => "release",
        Field::Image => "image",
        Field::Type => "type",
        Field::Value => "value",
        Field::Description if command == EditCommand::AddPackage => "description",
        Field::Description => "text",
        Field::Icon if command == EditCommand::AddPackage => "icon",
        Field::Icon => "data",
        Field::DefaultChannel => "default-channel",
        Field::File => "file",
        _ => return None,
    })
}

/// Returns the JSON value of a field; `None` if the operation omits it. The error is the reason why
/// the text is invalid.
fn argument(
    command: EditCommand,
    field: Field,
    values: &FormValues,
) -> Result<Option<Json>, String> {
    let text = values.get(field);
    let is_list = matches!(
        (command, field),
        (_, Field::Skip) | (EditCommand::Withdraw, Field::Channel)
    );
    let is_optional_name = matches!(
        field,
        Field::Replaces | Field::SkipRange | Field::By | Field::SkipMatching | Field::From
    ) && command != EditCommand::CopyPackage;
    Ok(match field {
        Field::Description if command == EditCommand::SetDescription || !text.is_empty() => {
            Some(values.raw(field).into())
        }
        Field::Then if text.is_empty() => Some(default_removal(command).into()),
        Field::Rule if text.is_empty() => Some("replaces".into()),
        Field::SkipOld => Some((text == bundle_forms::YES).into()),
        Field::Image | Field::By if command == EditCommand::Substitute => {
            substitute_argument(field, values)
        }
        Field::Package if command != EditCommand::Migrate => Some(text.into()),
        _ if text.is_empty() => None,
        Field::Value => Some(
            serde_json::from_str(text)
                .map_err(|error| format!("not JSON: {error}. Put text in double quotes."))?,
        ),
        Field::File => Some(
            text.replace("{{.Package}}", values.get(Field::Package))
                .into(),
        ),
        _ if is_list => Some(parse_names(text).into()),
        _ if is_optional_name && text == "none" => Some(Json::Null),
        _ => Some(text.into()),
    })
}

/// Returns *By* or *Image* of a substitution. In a substitutes template the image alone identifies
/// the new bundle.
fn substitute_argument(field: Field, values: &FormValues) -> Option<Json> {
    let filled = |field: Field| Some(values.get(field)).filter(|text| !text.is_empty());
    let image = filled(Field::Image).filter(|text| *text != bundle_forms::NONE);
    let value = match (field, filled(Field::By)) {
        (Field::By, by) => by.or(image),
        (_, by) => image.filter(|_| by.is_some()),
    };
    value.map(Json::from)
}

/// Parses a choice: an empty text means the default, `none` means none.
pub(super) fn parse_choice(text: &str) -> Choice {
    match text {
        "" => Choice::Default,
        "none" => Choice::None,
        value => Choice::Value(value.to_owned()),
    }
}
