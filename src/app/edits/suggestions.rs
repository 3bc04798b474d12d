//! Suggestions and hints for form fields from the package in view, and initial values of untouched
//! fields.

use super::bundle_forms;
use super::command::{EditCommand, Field};
use super::entry_choices::{self, default_removal, stream_counts};
use super::form_values::{FormContext, FormValues, catalog_name, is_absent};
use crate::widgets::combobox::Choice;
use crate::words;
use protocol::counting::{count_of, first_of};
use protocol::response::PackageView;
use protocol::views::TableRow;
use std::collections::BTreeSet;

/// Returns suggestions for a field with the form's current values.
pub fn choices(
    command: EditCommand,
    field: Field,
    values: &FormValues,
    known: &FormContext,
) -> Vec<Choice> {
    let Some(view) = &known.view else {
        return match field {
            Field::Catalog => catalogs(known),
            Field::Package => packages(command, known),
            // In this command, *From* is a channel of the package.
            Field::From if command == EditCommand::AddChannel => Vec::new(),
            _ => bundle_forms::choices(command, field, values, known),
        };
    };
    match field {
        Field::Catalog => catalogs(known),
        Field::Package => packages(command, known),
        // No suggestions for a new name.
        Field::Channel if command == EditCommand::AddChannel => Vec::new(),
        Field::From if command == EditCommand::AddChannel => {
            let mut out = vec![Choice::new("none", "no entries")];
            out.extend(view.channels.iter().map(|name| channel(view, name)));
            out
        }
        Field::Channel => view
            .channels
            .iter()
            .map(|name| channel(view, name))
            .collect(),
        Field::ToChannel => {
            let bundle = values.get(Field::Bundle);
            let lists =
                |name: &String| rows(view, name).any(|row| row.entry == bundle && !is_absent(row));
            let mut free: Vec<Choice> = view
                .channels
                .iter()
                .filter(|name| !lists(name))
                .map(|name| channel(view, name))
                .collect();
            free.extend(
                view.channels
                    .iter()
                    .filter(|name| lists(name))
                    .map(|name| Choice::new(name, "lists it already")),
            );
            free
        }
        Field::Bundle | Field::By => view
            .bundles
            .iter()
            .map(|(name, version)| Choice::new(name, about_bundle(view, name, version)))
            .collect(),
        Field::Entry => rows(view, values.get(Field::Channel))
            .filter(|row| !is_absent(row))
            .map(|row| Choice::new(&row.entry, states(row)))
            .collect(),
        Field::Replaces => {
            let into = if command == EditCommand::Promote {
                Field::ToChannel
            } else {
                Field::Channel
            };
            let own = values.get(if command == EditCommand::Promote {
                Field::Bundle
            } else {
                Field::Entry
            });
            let mut out = vec![Choice::new("none", "replaces nothing")];
            out.extend(
                rows(view, values.get(into))
                    .filter(|row| row.entry != own)
                    .map(|row| Choice::new(&row.entry, states(row))),
            );
            out
        }
        Field::Skip => {
            let entry = row(view, values);
            let skipped: BTreeSet<&str> = entry
                .map(|row| row.skips.iter().map(String::as_str).collect())
                .unwrap_or_default();
            if command == EditCommand::RemoveSkip {
                return skipped
                    .into_iter()
                    .map(|name| Choice::new(name, ""))
                    .collect();
            }
            let own = values.get(Field::Entry);
            rows(view, values.get(Field::Channel))
                .filter(|row| row.entry != own && !skipped.contains(row.entry.as_str()))
                .map(|row| Choice::new(&row.entry, states(row)))
                .collect()
        }
        Field::SkipMatching => streams(command, view, values),
        Field::SkipRange => {
            let mut ranges: Vec<Choice> = vec![Choice::new("none", "no skip range")];
            let own = values.get(Field::Bundle);
            for row in &view.table {
                let fits = command != EditCommand::Promote || row.entry == own;
                if fits
                    && !row.skip_range.is_empty()
                    && ranges.iter().all(|known| known.value != row.skip_range)
                {
                    ranges.push(Choice::new(
                        &row.skip_range,
                        format!("{} in {}", row.entry, row.channel),
                    ));
                }
            }
            ranges
        }
        Field::Reference => references(command, view),
        Field::Stream => entry_choices::streams(view, values.get(Field::Channel)),
        _ => bundle_forms::choices(command, field, values, known),
    }
}

/// Returns the packages of the catalog; none if the command needs a new name.
fn packages(command: EditCommand, known: &FormContext) -> Vec<Choice> {
    let names = known.packages.iter();
    names
        .filter(|_| command != EditCommand::AddPackage)
        .map(|name| Choice::new(name, ""))
        .collect()
}

fn catalogs(known: &FormContext) -> Vec<Choice> {
    known
        .roots
        .iter()
        .map(|row| {
            Choice::new(
                catalog_name(&known.roots, &row.root),
                words::count(row.packages, "package"),
            )
        })
        .collect()
}

/// Describes a bundle: version, date, and the channels that list it.
fn about_bundle(view: &PackageView, name: &str, version: &str) -> String {
    const NAMED: usize = 3;
    let listed: Vec<&TableRow> = view
        .table
        .iter()
        .filter(|row| row.entry == name && !is_absent(row))
        .collect();
    let date = listed
        .iter()
        .map(|row| row.date.as_str())
        .find(|date| !date.is_empty())
        .unwrap_or_default();
    let lists = match listed.is_empty() {
        true => "in no channel".to_owned(),
        false => format!(
            "in {}",
            first_of(listed.iter().map(|row| row.channel.as_str()), NAMED)
        ),
    };
    [version, date, &lists]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" · ")
}

fn channel(view: &PackageView, name: &str) -> Choice {
    Choice::new(
        name,
        if name == view.default_channel {
            "default channel"
        } else {
            ""
        },
    )
}

/// Returns the available y-streams with their number of entries: from the entry's skips, or from
/// the channel's other entries.
fn streams(command: EditCommand, view: &PackageView, values: &FormValues) -> Vec<Choice> {
    let own = row(view, values);
    let is_candidate = |other: &&TableRow| match (command, own) {
        (EditCommand::RemoveSkip, Some(own)) => own.skips.contains(&other.entry),
        (_, Some(own)) => {
            other.entry != own.entry && !own.skips.contains(&other.entry) && !is_absent(other)
        }
        (_, None) => false,
    };
    let counts = stream_counts(rows(view, values.get(Field::Channel)).filter(is_candidate));
    let choice = |(_, stream, count): (&str, &str, u32)| {
        Choice::new(format!("{stream}.z"), count_of(count as usize, "entry"))
    };
    counts.into_iter().map(choice).collect()
}

fn references(command: EditCommand, view: &PackageView) -> Vec<Choice> {
    if command == EditCommand::Undeprecate {
        return view
            .deprecations
            .iter()
            .map(|(what, message)| Choice::new(what, message.as_str()))
            .collect();
    }
    let mut out = vec![Choice::new("package", view.package.as_str())];
    out.extend(
        view.channels
            .iter()
            .map(|name| Choice::new(format!("channel {name}"), "")),
    );
    out.extend(
        view.bundles
            .iter()
            .map(|(name, version)| Choice::new(format!("bundle {name}"), version.as_str())),
    );
    out
}

fn rows<'a>(view: &'a PackageView, channel: &'a str) -> impl Iterator<Item = &'a TableRow> {
    view.table.iter().filter(move |row| row.channel == channel)
}

/// Returns the range of a new entry, if the channel's newest entries follow a pattern.
fn continued_range(view: &PackageView, values: &FormValues) -> Option<String> {
    let pattern = view
        .range_patterns
        .iter()
        .find(|pattern| pattern.channel == values.get(Field::ToChannel))?;
    pattern.for_version(values.get(Field::Version))
}

fn row<'a>(view: &'a PackageView, values: &FormValues) -> Option<&'a TableRow> {
    let (channel, entry) = (values.get(Field::Channel), values.get(Field::Entry));
    view.table
        .iter()
        .find(|row| row.channel == channel && row.entry == entry && !is_absent(row))
}

fn states(row: &TableRow) -> String {
    row.state.join(", ")
}

/// Returns the bundle with a typed version, `1.2.0` or `v1.2.0`, if exactly one bundle has it and
/// none has that name.
pub fn named_by_version(text: &str, view: &PackageView) -> Option<String> {
    let text = text.trim();
    let wanted = text.strip_prefix('v').unwrap_or(text);
    if wanted.is_empty() || view.bundles.iter().any(|(name, _)| name == text) {
        return None;
    }
    let mut matches = view.bundles.iter().filter(|(_, version)| version == wanted);
    let (name, _) = matches.next()?;
    matches.next().is_none().then(|| name.clone())
}

/// Finds the version at the end of a bundle's name: `1.0.0` in `op.v1.0.0`. Only for a suggestion,
/// so a rough match is enough.
fn version_in_name(name: &str) -> Option<&str> {
    let (at, _) = name.match_indices(['.', '-', '_']).find(|(at, _)| {
        let rest = &name[at + 1..];
        let digits = rest.strip_prefix('v').unwrap_or(rest);
        digits.split('.').count() >= 3 && digits.split('.').take(2).all(is_number)
    })?;
    let rest = &name[at + 1..];
    Some(rest.strip_prefix('v').unwrap_or(rest))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether the field is filled in automatically if there is only one choice.
pub fn only_choice(command: EditCommand, field: Field) -> bool {
    matches!(
        (command, field),
        (EditCommand::Promote, Field::ToChannel) | (EditCommand::SetDefaultChannel, Field::Channel)
    )
}

/// Returns the only name; "" if there are none or several.
fn only<'a>(mut names: impl Iterator<Item = &'a String>) -> String {
    match (names.next(), names.next()) {
        (Some(name), None) => name.clone(),
        _ => String::new(),
    }
}

/// Returns values for untouched fields once the previous fields are known: the entry's current
/// value, or the only choice.
pub fn prefill(
    command: EditCommand,
    values: &FormValues,
    touched: &BTreeSet<Field>,
    known: &FormContext,
) -> FormValues {
    let mut out = values.clone();
    let Some(view) = &known.view else { return out };
    let mut fill = |field: Field, text: String| {
        if !touched.contains(&field) {
            out.set(field, text);
        }
    };
    match command {
        EditCommand::Promote if !values.get(Field::Bundle).is_empty() => {
            let bundle = values.get(Field::Bundle);
            let lists =
                |name: &&String| rows(view, name).any(|row| row.entry == bundle && !is_absent(row));
            fill(
                Field::ToChannel,
                only(view.channels.iter().filter(|name| !lists(name))),
            );
        }
        EditCommand::AddBundle => {
            fill(Field::ToChannel, only(view.channels.iter()));
            fill(
                Field::Version,
                version_in_name(values.get(Field::Bundle))
                    .unwrap_or_default()
                    .to_owned(),
            );
            if !touched.contains(&Field::SkipRange) {
                out.set(
                    Field::SkipRange,
                    continued_range(view, &out).unwrap_or_default(),
                );
            }
        }
        EditCommand::SetDefaultChannel => {
            fill(
                Field::Channel,
                only(
                    view.channels
                        .iter()
                        .filter(|name| **name != view.default_channel),
                ),
            );
        }
        EditCommand::SetReplaces => fill(
            Field::Replaces,
            row(view, values)
                .map(|r| r.replaces.clone())
                .unwrap_or_default(),
        ),
        EditCommand::SetSkipRange => {
            fill(
                Field::SkipRange,
                row(view, values)
                    .map(|r| r.skip_range.clone())
                    .unwrap_or_default(),
            );
        }
        EditCommand::RemoveSkip => {
            let only = row(view, values).and_then(|r| match r.skips.as_slice() {
                [one] => Some(one.clone()),
                _ => None,
            });
            fill(Field::Skip, only.unwrap_or_default());
        }
        EditCommand::AddProperty => {
            let value = bundle_forms::value_to_begin_from(values.get(Field::Type));
            fill(Field::Value, value.to_owned());
        }
        EditCommand::SetDescription => fill(Field::Description, known.description.clone()),
        EditCommand::Undeprecate => {
            if let [(what, _)] = view.deprecations.as_slice()
                && values.get(Field::Reference).is_empty()
            {
                fill(Field::Reference, what.clone());
            }
        }
        EditCommand::Substitute => {
            let mut made = view.substitutions.iter().flatten();
            let present = made.find(|(base, _)| base == values.get(Field::Bundle));
            fill(
                Field::Image,
                present.map(|(_, image)| image.clone()).unwrap_or_default(),
            );
        }
        _ => {}
    }
    out
}

/// Returns the hint of a field: what an empty field means.
pub fn hint(command: EditCommand, field: Field, values: &FormValues) -> &'static str {
    match (command, field) {
        (EditCommand::Promote, Field::As) => match values.get(Field::As) {
            "head" => "It becomes the channel's head and replaces the current one.",
            "chain" => "It goes between two entries; the later one then replaces it.",
            "skipped" => "The next higher entry skips it and keeps its own edges.",
            _ => "The highest version becomes the head; any other goes into the chain.",
        },
        (EditCommand::Promote, Field::Replaces) => "Empty: chosen by version.",
        (EditCommand::Promote, Field::SkipRange) => {
            "Empty: copied from its other channels if they agree."
        }
        (EditCommand::Withdraw, Field::Channel) => "Empty: every channel that lists it.",
        (EditCommand::Withdraw, Field::By) => {
            "The entry that takes over. Empty: the next higher one that is not skipped."
        }
        (EditCommand::SetReplaces, Field::Replaces) => "Empty or none: replaces nothing.",
        (EditCommand::SetSkipRange, Field::SkipRange) => {
            "A range, such as >=1.28.0 <1.29.0. Empty or none: no skip range."
        }
        (EditCommand::AddSkip | EditCommand::RemoveSkip, Field::Skip) => {
            "One name, or several separated by commas."
        }
        (EditCommand::AddSkip, Field::SkipMatching) => {
            "All lower entries of a y-stream (1.29.z) or range (>=1.28.0 <1.29.0); this entry takes over what they \
             replaced."
        }
        (EditCommand::RemoveSkip, Field::SkipMatching) => {
            "All in a y-stream (1.29.z) or range (>=1.28.0 <1.29.0)."
        }
        (EditCommand::AddChannel, Field::Channel) => "The new channel's name.",
        (EditCommand::AddChannel, Field::From) => {
            "The channel whose entries are copied. Empty or none: no entries."
        }
        (EditCommand::RebuildEdges, Field::Rule) => match values.get(Field::Rule) {
            "skip-patch" => {
                "The highest entry of each y-stream replaces that of the previous one and skips all others below it, as the \
                 semver template does."
            }
            "z-stream" => {
                "The highest entry of each y-stream replaces that of the previous one and skips all others of its own, so \
                 that everyone passes through the latest patch."
            }
            "skip-range" => {
                "Each entry replaces the next lower one, and its skipRange covers the lower versions of its y-stream."
            }
            _ => "Each entry replaces the next lower one.",
        },
        (EditCommand::ReplaceStream, Field::Channel) => {
            "Empty: every channel that lists two versions of the z-stream."
        }
        (EditCommand::ReplaceStream, Field::Stream) => "Such as 1.29.z.",
        (EditCommand::Undeprecate, Field::Reference) => "package, channel NAME or bundle NAME",
        (EditCommand::Deprecate, Field::Bundle) => "One name, or several separated by commas.",
        (EditCommand::RemoveEntry | EditCommand::RemoveBundle, Field::Then) => {
            let chosen = match values.get(Field::Then) {
                "" => default_removal(command),
                chosen => chosen,
            };
            match chosen {
                "skip" => {
                    "The entry that replaced it takes over its replaces and skips, and skips it too."
                }
                "leave" => "Edges that name it stay as they are.",
                _ => "The entry that replaced it takes over its replaces and skips.",
            }
        }
        _ => bundle_forms::hint(command, field, values),
    }
}

#[cfg(test)]
mod tests {
    use super::super::form_values::catalog_of;
    use super::*;
    use protocol::bundles::RangePattern;
    use protocol::views::RootRow;
    use std::sync::Arc;

    fn entry(
        channel: &str,
        entry: &str,
        replaces: &str,
        skips: &[&str],
        state: &[&str],
    ) -> TableRow {
        TableRow {
            channel: channel.into(),
            entry: entry.into(),
            replaces: replaces.into(),
            skips: skips.iter().map(|s| (*s).to_owned()).collect(),
            state: state.iter().map(|s| (*s).to_owned()).collect(),
            ..TableRow::default()
        }
    }

    fn known() -> FormContext {
        let view = PackageView {
            package: "p".into(),
            default_channel: "stable".into(),
            channels: vec!["stable".into(), "beta".into()],
            bundles: vec![
                ("p.v2".into(), "2.0.0".into()),
                ("p.v1".into(), "1.0.0".into()),
            ],
            table: vec![
                entry("stable", "p.v2", "p.v1", &["p.v1.5"], &["head"]),
                entry("stable", "p.v1", "", &[], &[]),
                entry("stable", "p.v1.5", "", &[], &["not in this channel"]),
                entry("beta", "p.v1", "", &[], &["head"]),
            ],
            deprecations: vec![("channel beta".into(), "old".into())],
            ..PackageView::default()
        };
        let root = |root: &str, label: &str| RootRow {
            root: root.into(),
            label: label.into(),
            ..RootRow::default()
        };
        FormContext {
            description: String::new(),
            roots: vec![
                root("a/v4.18", "v4.18"),
                root("a/v4.19", "v4.19"),
                root("b/v4.19", "v4.19"),
            ],
            packages: vec!["p".into()],
            view: Some(Arc::new(view)),
        }
    }

    fn names(command: EditCommand, field: Field, values: &FormValues) -> Vec<String> {
        choices(command, field, values, &known())
            .into_iter()
            .map(|choice| choice.value)
            .collect()
    }

    #[test]
    fn a_catalog_has_its_shortest_unique_name() {
        let roots = known().roots;
        assert_eq!(catalog_name(&roots, "a/v4.18"), "v4.18");
        assert_eq!(catalog_name(&roots, "b/v4.19"), "b/v4.19");
        assert_eq!(catalog_of(&roots, "v4.18"), Some("a/v4.18"));
        assert_eq!(catalog_of(&roots, "v4.19"), None, "two have this label");
        assert_eq!(catalog_of(&roots, "b/v4.19"), Some("b/v4.19"));
    }

    #[test]
    fn channels_that_list_the_bundle_come_last() {
        let values = FormValues::default().with(Field::Bundle, "p.v2");
        assert_eq!(
            names(EditCommand::Promote, Field::ToChannel, &values),
            ["beta", "stable"]
        );
    }

    #[test]
    fn entries_are_those_of_the_channel_and_never_absent_ones() {
        let values = FormValues::default().with(Field::Channel, "stable");
        assert_eq!(
            names(EditCommand::AddSkip, Field::Entry, &values),
            ["p.v2", "p.v1"]
        );
    }

    #[test]
    fn existing_skips_are_offered_only_for_removal() {
        let values = FormValues::default()
            .with(Field::Channel, "stable")
            .with(Field::Entry, "p.v2");
        assert_eq!(names(EditCommand::AddSkip, Field::Skip, &values), ["p.v1"]);
        assert_eq!(
            names(EditCommand::RemoveSkip, Field::Skip, &values),
            ["p.v1.5"]
        );
    }

    #[test]
    fn an_untouched_field_shows_the_present_value() {
        let values = FormValues::default()
            .with(Field::Channel, "stable")
            .with(Field::Entry, "p.v2");
        let filled = prefill(
            EditCommand::SetReplaces,
            &values,
            &BTreeSet::new(),
            &known(),
        );
        assert_eq!(filled.get(Field::Replaces), "p.v1");
        let typed = values.clone().with(Field::Replaces, "x");
        let kept = prefill(
            EditCommand::SetReplaces,
            &typed,
            &BTreeSet::from([Field::Replaces]),
            &known(),
        );
        assert_eq!(kept.get(Field::Replaces), "x");
        assert_eq!(
            prefill(EditCommand::RemoveSkip, &values, &BTreeSet::new(), &known()).get(Field::Skip),
            "p.v1.5"
        );
    }

    #[test]
    fn fills_in_the_only_possible_channel() {
        let filled =
            |command, values: &FormValues| prefill(command, values, &BTreeSet::new(), &known());
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
    fn a_version_means_the_bundle_that_has_it() {
        let mut view = PackageView::clone(known().view.as_deref().unwrap());
        assert_eq!(named_by_version("2.0.0", &view).as_deref(), Some("p.v2"));
        assert_eq!(named_by_version(" v1.0.0 ", &view).as_deref(), Some("p.v1"));
        assert_eq!(named_by_version("p.v1", &view), None);
        assert_eq!(named_by_version("3.0.0", &view), None);
        view.bundles.push(("p.v2-again".into(), "2.0.0".into()));
        assert_eq!(named_by_version("2.0.0", &view), None, "two have it");
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
        let prefilled =
            |touched: &BTreeSet<Field>| prefill(EditCommand::AddBundle, &values, touched, &known());
        assert_eq!(prefilled(&BTreeSet::new()).get(Field::Version), "3.0.0");
        assert_eq!(
            prefilled(&BTreeSet::from([Field::Version])).get(Field::Version),
            ""
        );
    }

    #[test]
    fn a_new_entry_gets_a_range_as_the_entries_before_it() {
        let mut known = known();
        let pattern = RangePattern {
            channel: "beta".into(),
            before: "<".into(),
            within: "3.".into(),
            ..Default::default()
        };
        let view = Arc::make_mut(known.view.as_mut().expect("a view"));
        view.range_patterns = vec![pattern];
        let filled = |bundle: &str, channel: &str| {
            let values = FormValues::default()
                .with(Field::Bundle, bundle)
                .with(Field::ToChannel, channel);
            prefill(
                EditCommand::AddBundle,
                &values,
                &BTreeSet::from([Field::ToChannel]),
                &known,
            )
        };
        assert_eq!(filled("p.v3.1.0", "beta").get(Field::SkipRange), "<3.1.0");
        assert_eq!(filled("p.v4.0.0", "beta").get(Field::SkipRange), "");
        assert_eq!(filled("p.v3.1.0", "stable").get(Field::SkipRange), "");
    }

    #[test]
    fn offers_only_deprecated_objects_for_undeprecation() {
        assert_eq!(
            names(
                EditCommand::Undeprecate,
                Field::Reference,
                &FormValues::default()
            ),
            ["channel beta"]
        );
        assert_eq!(
            names(
                EditCommand::Deprecate,
                Field::Reference,
                &FormValues::default()
            )
            .len(),
            5
        );
    }
}
