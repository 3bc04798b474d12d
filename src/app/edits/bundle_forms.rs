//! The forms for packages, bundles and properties: suggestions, initial values, and the operation
//! for the range of a new bundle.

use super::command::{EditCommand, Field};
use super::form_values::{FormContext, FormValues, catalog_name, find_catalog};
use crate::widgets::combobox::Choice;
use protocol::operation::EditOp;
use protocol::response::PackageView;
use protocol::views::RootRow;

struct PropertyType {
    name: &'static str,
    label: &'static str,
    /// JSON with the fields to fill in.
    initial_value: &'static str,
}

/// Property types, most important first.
const TYPES: [PropertyType; 9] = [
    PropertyType {
        name: "olm.maxOpenShiftVersion",
        label: "the last OpenShift version it runs on",
        initial_value: r#""4.18""#,
    },
    PropertyType {
        name: "olm.package.required",
        label: "another package it needs",
        initial_value: r#"{"packageName": "", "versionRange": ">=1.0.0"}"#,
    },
    PropertyType {
        name: "olm.gvk",
        label: "an API it provides",
        initial_value: r#"{"group": "", "version": "v1", "kind": ""}"#,
    },
    PropertyType {
        name: "olm.gvk.required",
        label: "an API it needs",
        initial_value: r#"{"group": "", "version": "v1", "kind": ""}"#,
    },
    PropertyType {
        name: "olm.constraint",
        label: "what it needs: constraints combined with all, any and not, or CEL",
        initial_value: r#"{"failureMessage": "", "all": {"constraints": [{"package": {"packageName": "", "versionRange": ">=1.0.0"}}]}}"#,
    },
    PropertyType {
        name: "olm.label",
        label: "a label",
        initial_value: r#"{"label": ""}"#,
    },
    PropertyType {
        name: "olm.label.required",
        label: "a label it needs",
        initial_value: r#"{"label": ""}"#,
    },
    PropertyType {
        name: "olm.csv.metadata",
        label: "what a console shows about it",
        initial_value: r#"{"displayName": ""}"#,
    },
    PropertyType {
        name: "olm.channel",
        label: "obsolete: names a channel",
        initial_value: r#"{"channelName": "", "priority": 0}"#,
    },
];

/// The text of *Image* if no replacement is chosen.
pub(super) const NONE: &str = "none";

/// The value of a checked checkbox.
pub const YES: &str = "yes";

/// The choice of *If it exists* that replaces the existing package.
pub const REPLACE: &str = "replace";

/// Returns the operation that sets the range of a new bundle's entry; `None` if it gets none.
pub fn range_of_new_entry(
    command: EditCommand,
    values: &FormValues,
    catalog: Option<&str>,
) -> Option<EditOp> {
    let text = |field: Field| Some(values.get(field).to_owned()).filter(|text| !text.is_empty());
    let range =
        text(Field::SkipRange).filter(|text| text != NONE && command == EditCommand::AddBundle)?;
    Some(EditOp::SetSkipRange {
        catalog: catalog.map(str::to_owned),
        package: values.get(Field::Package).to_owned(),
        channel: text(Field::ToChannel)?,
        name: values.get(Field::Bundle).to_owned(),
        skip_range: Some(range),
    })
}

pub fn choices(
    command: EditCommand,
    field: Field,
    values: &FormValues,
    context: &FormContext,
) -> Vec<Choice> {
    let view = context.view.as_deref();
    match field {
        Field::Type => TYPES
            .iter()
            .map(|kind| Choice::new(kind.name, kind.label))
            .collect(),
        Field::Where => conditions(view, values.get(Field::Type)),
        Field::From => other_catalogs(context, values.get(Field::Catalog))
            .map(|row| Choice::new(catalog_name(&context.roots, &row.root), ""))
            .collect(),
        Field::Image if command == EditCommand::Substitute => {
            substitutions(view, values.get(Field::Bundle))
        }
        Field::Version if command == EditCommand::AddBundle => {
            let newest = view.and_then(|view| view.bundles.first());
            newest
                .map(|(name, version)| Choice::new(version, format!("of {name}")))
                .into_iter()
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Returns example conditions for *Where*.
fn conditions(view: Option<&PackageView>, property_type: &str) -> Vec<Choice> {
    let channels = view.map_or(&[][..], |view| &view.channels);
    let property_type = match property_type {
        "" => "olm.gvk",
        property_type => property_type,
    };
    let mut conditions: Vec<Choice> = channels
        .iter()
        .map(|name| {
            let condition = format!("channel={}", quote(name));
            Choice::new(condition, "bundles of this channel")
        })
        .collect();
    conditions.push(Choice::new("version >=1.0.0 <2.0.0", "by version"));
    conditions.push(Choice::new(
        format!("has {}", quote(property_type)),
        "by property",
    ));
    conditions
}

/// Returns the current substitution of a bundle in a template, and the choice to remove it.
fn substitutions(view: Option<&PackageView>, bundle: &str) -> Vec<Choice> {
    let current: Vec<Choice> = view
        .and_then(|view| view.substitutions.as_ref())
        .into_iter()
        .flatten()
        .filter(|(base, _)| base == bundle)
        .map(|(_, image)| Choice::new(image, "as it is"))
        .collect();
    let none = (!current.is_empty()).then(|| Choice::new(NONE, "takes the substitution away"));
    none.into_iter().chain(current).collect()
}

/// Returns the open catalogs other than the one with a typed name.
fn other_catalogs<'a>(
    context: &'a FormContext,
    catalog: &str,
) -> impl Iterator<Item = &'a RootRow> + use<'a> {
    let root = find_catalog(&context.roots, catalog);
    context
        .roots
        .iter()
        .filter(move |row| row.is_catalog() && root != Some(row.root.as_str()))
}

fn quote(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:@+".contains(c);
    if text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{text}'")
    }
}

/// Returns the initial text of *Value* for a property type.
pub fn initial_value(property_type: &str) -> &'static str {
    let listed = TYPES.iter().find(|kind| kind.name == property_type);
    listed.map_or("", |kind| kind.initial_value)
}

/// Fills in the form for copying to the catalog in view. A single other open catalog becomes the
/// source. The package stays empty: the catalog already has the one in view.
pub fn fill_copy_form(values: FormValues, context: &FormContext) -> FormValues {
    let mut others = other_catalogs(context, values.get(Field::Catalog));
    let from = match (others.next(), others.next()) {
        (Some(only), None) => catalog_name(&context.roots, &only.root),
        _ => String::new(),
    };
    values.with(Field::From, from).with(Field::Package, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edits::form_values::{FieldError, PackageNames};
    use serde_json::Value as Json;

    fn op(command: EditCommand, fields: &[(Field, &str)]) -> Result<String, Vec<FieldError>> {
        let values = fields
            .iter()
            .fold(FormValues::default(), |values, (field, text)| {
                values.with(*field, *text)
            });
        super::super::operations::operation(command, &values, None)
            .map(|op| serde_json::to_string(&op).expect("JSON"))
    }

    #[test]
    fn the_entry_of_a_new_bundle_gets_its_range() {
        let values = FormValues::default()
            .with(Field::Bundle, "p.v1")
            .with(Field::SkipRange, "<1.0.0");
        let range = |values: &FormValues| range_of_new_entry(EditCommand::AddBundle, values, None);
        assert_eq!(range(&values), None, "it enters no channel");
        let values = values.with(Field::ToChannel, "c");
        let op = range(&values)
            .map(|op| serde_json::to_string(&op).unwrap_or_default())
            .unwrap_or_default();
        assert!(
            op.contains(r#""op":"set-skip-range""#)
                && op.contains(r#""channel":"c","name":"p.v1""#),
            "{op}"
        );
        assert_eq!(range(&values.with(Field::SkipRange, "none")), None);
    }

    #[test]
    fn forms_give_operations() {
        for (command, fields, json) in [
            (
                EditCommand::SetDescription,
                &[(Field::Description, "a\n")][..],
                r#""op":"set-description","package":"","text":"a\n""#,
            ),
            (
                EditCommand::SetIcon,
                &[],
                r#""op":"set-icon","package":"","data":null"#,
            ),
            (
                EditCommand::AddBundle,
                &[
                    (Field::Bundle, "p.v1"),
                    (Field::Version, "1.0.0"),
                    (Field::Image, " a/b "),
                    (Field::ToChannel, "c"),
                ],
                r#""op":"add-bundle","package":"","bundle":"p.v1","version":"1.0.0","image":"a/b","to":"c""#,
            ),
            (
                EditCommand::AddProperty,
                &[
                    (Field::Where, "has x"),
                    (Field::Type, "t"),
                    (Field::Value, "[1, null]"),
                ],
                r#""op":"add-property","package":"","where":"has x","type":"t","value":[1,null]"#,
            ),
            (
                EditCommand::RemoveProperty,
                &[(Field::Bundle, "b"), (Field::Type, "t")],
                r#""op":"remove-property","package":"","bundle":"b","type":"t""#,
            ),
            (
                EditCommand::SetImage,
                &[(Field::Bundle, "b"), (Field::Image, "a/b")],
                r#""op":"set-image","package":"","bundle":"b","image":"a/b""#,
            ),
            (
                EditCommand::AddPackage,
                &[
                    (Field::Package, "p"),
                    (Field::DefaultChannel, "stable"),
                    (Field::Description, "a\n"),
                    (Field::File, "{{.Package}}/catalog.json"),
                ],
                r#""op":"add-package","package":"p","default-channel":"stable","description":"a\n","file":"p/catalog.json""#,
            ),
            (
                EditCommand::Substitute,
                &[(Field::Bundle, "b"), (Field::Image, "a/b")],
                r#""op":"substitute","package":"","bundle":"b","by":"a/b""#,
            ),
            (
                EditCommand::Substitute,
                &[(Field::Bundle, "b"), (Field::Image, "none")],
                r#""op":"substitute","package":"","bundle":"b","by":null"#,
            ),
            (
                EditCommand::Migrate,
                &[(Field::Package, "p")],
                r#""op":"migrate","package":"p""#,
            ),
            (EditCommand::Migrate, &[], r#""op":"migrate""#),
            (
                EditCommand::RemovePackage,
                &[(Field::Package, "p")],
                r#""op":"remove-package","package":"p""#,
            ),
            (
                EditCommand::CopyPackage,
                &[(Field::From, "v4.18")],
                r#""op":"copy-package","package":"","from":"v4.18""#,
            ),
        ] {
            assert_eq!(
                op(command, fields),
                Ok(format!("{{{json}}}")),
                "{command:?}"
            );
        }
    }

    #[test]
    fn packages_are_copied_to_the_current_catalog() {
        let roots = |names: &[&str]| {
            let row = |name: &&str| RootRow {
                root: (*name).into(),
                label: (*name).into(),
                ..RootRow::default()
            };
            names.iter().map(row).collect()
        };
        let opened = |names: &[&str]| {
            let known = FormContext {
                roots: roots(names),
                ..FormContext::default()
            };
            let values = FormValues::default()
                .with(Field::Catalog, "v4.18")
                .with(Field::Package, "p");
            let values = fill_copy_form(values, &known);
            [Field::Catalog, Field::From, Field::Package].map(|field| values.get(field).to_owned())
        };
        assert_eq!(opened(&["v4.17", "v4.18"]), ["v4.18", "v4.17", ""]);
        assert_eq!(opened(&["v4.17", "v4.18", "v4.19"]), ["v4.18", "", ""]);
        assert_eq!(
            EditCommand::CopyPackage.fields(),
            [Field::From, Field::Package, Field::IfExists, Field::Catalog]
        );
    }

    #[test]
    fn each_package_is_copied_by_its_own_operation() {
        let values = FormValues::default()
            .with(Field::Package, "p, q")
            .with(Field::From, "v4.18");
        let values = values.with(Field::IfExists, REPLACE);
        let ops = super::super::operations::operations(
            EditCommand::CopyPackage,
            &values,
            Some("v4.19"),
            PackageNames::default(),
        );
        let ops: Vec<String> = ops
            .expect("a filled-in form")
            .iter()
            .map(|op| serde_json::to_string(op).expect("JSON"))
            .collect();
        let op = |package: &str| {
            format!(
                r#"{{"op":"copy-package","catalog":"v4.19","package":"{package}","from":"v4.18","if-there":"replace"}}"#
            )
        };
        assert_eq!(ops, [op("p"), op("q")]);
    }

    #[test]
    fn invalid_json_is_reported_at_its_field() {
        let complaints = op(
            EditCommand::AddProperty,
            &[(Field::Type, "t"), (Field::Value, "4.18.1")],
        )
        .expect_err("no JSON");
        assert_eq!(complaints[0].field, Field::Value);
        assert!(
            complaints[0]
                .message
                .ends_with("Put text in double quotes.")
        );
    }

    #[test]
    fn every_initial_value_is_json() {
        for PropertyType { name, .. } in TYPES {
            assert!(
                serde_json::from_str::<Json>(initial_value(name)).is_ok(),
                "{name}"
            );
        }
        assert_eq!(initial_value("olm.unknown"), "");
    }
}
