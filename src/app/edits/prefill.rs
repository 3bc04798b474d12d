//! Initial values of form fields that the user has not touched.

use super::bundle_forms;
use super::command::{EditCommand, Field};
use super::form_values::{FormContext, FormValues};
use super::suggestions::find_entry;
use protocol::response::PackageView;
use std::collections::BTreeSet;

/// Whether the field is filled in automatically if there is only one choice.
pub fn prefills_only_choice(command: EditCommand, field: Field) -> bool {
    matches!(
        (command, field),
        (EditCommand::Promote, Field::ToChannel) | (EditCommand::SetDefaultChannel, Field::Channel)
    )
}

/// Fills in untouched fields that follow from the other fields, with the entry's current value or
/// the only choice.
pub fn prefill(
    command: EditCommand,
    values: &FormValues,
    touched: &BTreeSet<Field>,
    context: &FormContext,
) -> FormValues {
    let mut filled = values.clone();
    let Some(view) = &context.view else {
        return filled;
    };
    let mut fill = |field: Field, text: String| {
        if !touched.contains(&field) {
            filled.set(field, text);
        }
    };
    if command == EditCommand::AddBundle {
        let version = version_in_name(values.get(Field::Bundle)).unwrap_or_default();
        fill(Field::ToChannel, only(view.promotion_targets().iter()));
        fill(Field::Version, version.to_owned());
        if !touched.contains(&Field::SkipRange) {
            let range = continued_range(view, &filled).unwrap_or_default();
            filled.set(Field::SkipRange, range);
        }
    } else if let Some((field, text)) = default_value(command, values, context, view) {
        fill(field, text);
    }
    filled
}

/// Returns the field that the command fills in, with its value.
fn default_value(
    command: EditCommand,
    values: &FormValues,
    context: &FormContext,
    view: &PackageView,
) -> Option<(Field, String)> {
    let bundle = values.get(Field::Bundle);
    let entry = find_entry(view, values);
    Some(match command {
        EditCommand::Promote if !bundle.is_empty() => {
            let targets = view.promotion_targets().iter();
            let free = targets.filter(|target| !view.lists_bundle(target, bundle));
            (Field::ToChannel, only(free))
        }
        EditCommand::SetDefaultChannel => {
            let channels = view.channels.iter();
            let others = channels.filter(|name| **name != view.default_channel);
            (Field::Channel, only(others))
        }
        EditCommand::SetReplaces => {
            let replaces = entry.map(|row| row.replaces.clone());
            (Field::Replaces, replaces.unwrap_or_default())
        }
        EditCommand::SetSkipRange => {
            let range = entry.map(|row| row.skip_range.clone());
            (Field::SkipRange, range.unwrap_or_default())
        }
        EditCommand::RemoveSkip => {
            let skip = entry.map(|row| only(row.skips.iter()));
            (Field::Skip, skip.unwrap_or_default())
        }
        EditCommand::AddProperty => {
            let value = bundle_forms::initial_value(values.get(Field::Type));
            (Field::Value, value.to_owned())
        }
        EditCommand::SetDescription => (Field::Description, context.description.clone()),
        EditCommand::Undeprecate if values.get(Field::Reference).is_empty() => {
            let [(reference, _)] = view.deprecations.as_slice() else {
                return None;
            };
            (Field::Reference, reference.clone())
        }
        EditCommand::Substitute => {
            let mut substitutions = view.substitutions.iter().flatten();
            let current = substitutions.find(|(base, _)| base == bundle);
            let image = current.map(|(_, image)| image.clone());
            (Field::Image, image.unwrap_or_default())
        }
        _ => return None,
    })
}

/// Returns the only name; "" if there are none or several.
fn only<'a>(mut names: impl Iterator<Item = &'a String>) -> String {
    match (names.next(), names.next()) {
        (Some(name), None) => name.clone(),
        _ => String::new(),
    }
}

/// Returns the range of a new entry, if the channel's newest entries follow a pattern.
fn continued_range(view: &PackageView, values: &FormValues) -> Option<String> {
    let pattern = view
        .range_patterns
        .iter()
        .find(|pattern| pattern.channel == values.get(Field::ToChannel))?;
    pattern.for_version(values.get(Field::Version))
}

/// Finds the version at the end of a bundle's name: `1.0.0` in `op.v1.0.0`. A rough match is enough
/// for a suggestion.
fn version_in_name(name: &str) -> Option<&str> {
    let is_version =
        |text: &&str| text.split('.').count() >= 3 && text.split('.').take(2).all(is_number);
    name.match_indices(['.', '-', '_'])
        .map(|(separator, _)| &name[separator + 1..])
        .map(|suffix| suffix.strip_prefix('v').unwrap_or(suffix))
        .find(is_version)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::super::suggestions::tests::context;
    use super::*;
    use protocol::bundles::RangePattern;
    use std::sync::Arc;

    #[test]
    fn an_untouched_field_shows_the_current_value() {
        let values = FormValues::default()
            .with(Field::Channel, "stable")
            .with(Field::Entry, "p.v2");
        let filled = prefill(
            EditCommand::SetReplaces,
            &values,
            &BTreeSet::new(),
            &context(),
        );
        assert_eq!(filled.get(Field::Replaces), "p.v1");
        let typed = values.clone().with(Field::Replaces, "x");
        let unchanged = prefill(
            EditCommand::SetReplaces,
            &typed,
            &BTreeSet::from([Field::Replaces]),
            &context(),
        );
        assert_eq!(unchanged.get(Field::Replaces), "x");
        assert_eq!(
            prefill(
                EditCommand::RemoveSkip,
                &values,
                &BTreeSet::new(),
                &context()
            )
            .get(Field::Skip),
            "p.v1.5"
        );
    }

    #[test]
    fn fills_in_the_only_possible_channel() {
        let filled =
            |command, values: &FormValues| prefill(command, values, &BTreeSet::new(), &context());
        let with_bundle = |bundle: &str| FormValues::default().with(Field::Bundle, bundle);
        assert_eq!(
            filled(EditCommand::Promote, &with_bundle("p.v2")).get(Field::ToChannel),
            "beta"
        );
        assert_eq!(
            filled(EditCommand::Promote, &with_bundle("p.v1")).get(Field::ToChannel),
            "",
            "every channel lists it"
        );
        assert_eq!(
            filled(EditCommand::Promote, &with_bundle("p.v9")).get(Field::ToChannel),
            "",
            "there are two"
        );
        assert_eq!(
            filled(EditCommand::SetDefaultChannel, &FormValues::default()).get(Field::Channel),
            "beta"
        );
    }

    #[test]
    fn the_version_is_read_from_a_typed_name() {
        for (name, version) in [
            ("acme-operator.v1.0.0", Some("1.0.0")),
            ("op-2.10.3-rc.1", Some("2.10.3-rc.1")),
            ("op2.v1.0", None),
            ("op", None),
        ] {
            assert_eq!(version_in_name(name), version, "{name}");
        }
        let values = FormValues::default().with(Field::Bundle, "p.v3.0.0");
        let prefilled = |touched: &BTreeSet<Field>| {
            prefill(EditCommand::AddBundle, &values, touched, &context())
        };
        assert_eq!(prefilled(&BTreeSet::new()).get(Field::Version), "3.0.0");
        assert_eq!(
            prefilled(&BTreeSet::from([Field::Version])).get(Field::Version),
            ""
        );
    }

    #[test]
    fn a_new_entry_gets_a_range_like_the_previous_entries() {
        let mut context = context();
        let pattern = RangePattern {
            channel: "beta".into(),
            before: "<".into(),
            within: "3.".into(),
            ..Default::default()
        };
        let view = Arc::make_mut(context.view.as_mut().expect("a view"));
        view.range_patterns = vec![pattern];
        let filled = |bundle: &str, channel: &str| {
            let values = FormValues::default()
                .with(Field::Bundle, bundle)
                .with(Field::ToChannel, channel);
            prefill(
                EditCommand::AddBundle,
                &values,
                &BTreeSet::from([Field::ToChannel]),
                &context,
            )
        };
        assert_eq!(filled("p.v3.1.0", "beta").get(Field::SkipRange), "<3.1.0");
        assert_eq!(filled("p.v4.0.0", "beta").get(Field::SkipRange), "");
        assert_eq!(filled("p.v3.1.0", "stable").get(Field::SkipRange), "");
    }
}
