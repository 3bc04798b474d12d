//! Suggestions for form fields, from the package in view and the open catalogs.

use super::bundle_forms;
use super::command::{EditCommand, Field};
use super::entry_choices::{self, stream_counts};
use super::form_values::{FormContext, FormValues, catalog_name};
use crate::widgets::combobox::Choice;
use crate::words;
use protocol::counting::{count_of, first_of};
use protocol::response::PackageView;
use protocol::views::TableRow;
use std::collections::BTreeSet;

/// How many channels the description of a bundle names.
const NAMED_CHANNELS: usize = 3;

pub fn choices(
    command: EditCommand,
    field: Field,
    values: &FormValues,
    context: &FormContext,
) -> Vec<Choice> {
    match (field, &context.view) {
        (Field::Catalog, _) => catalogs(context),
        (Field::Package, _) => packages(command, context),
        // In this command, *From* is a channel of the package.
        (Field::From, None) if command == EditCommand::AddChannel => Vec::new(),
        (_, Some(view)) => choices_in_package(command, field, values, view)
            .unwrap_or_else(|| bundle_forms::choices(command, field, values, context)),
        (_, None) => bundle_forms::choices(command, field, values, context),
    }
}

/// Returns suggestions from the package in view; `None` for fields that do not depend on it.
fn choices_in_package(
    command: EditCommand,
    field: Field,
    values: &FormValues,
    view: &PackageView,
) -> Option<Vec<Choice>> {
    let channel = values.get(Field::Channel);
    Some(match field {
        // No suggestions for a new name.
        Field::Channel if command == EditCommand::AddChannel => Vec::new(),
        Field::From if command == EditCommand::AddChannel => {
            let none = Choice::new("none", "no entries");
            std::iter::once(none).chain(channels(view)).collect()
        }
        Field::Channel => channels(view).collect(),
        Field::ToChannel => target_channels(view, values.get(Field::Bundle)),
        Field::Bundle | Field::By => bundles(view),
        Field::Entry => rows_in_channel(view, channel)
            .filter(|row| !row.is_absent())
            .map(entry_choice)
            .collect(),
        Field::Replaces => replaced_entries(command, view, values),
        Field::Skip => skips(command, view, values),
        Field::SkipMatching => streams(command, view, values),
        Field::SkipRange => skip_ranges(command, view, values),
        Field::Reference => references(command, view),
        Field::Stream => entry_choices::streams(view, channel),
        _ => return None,
    })
}

/// Returns the packages of the catalog; none if the command needs a new name.
fn packages(command: EditCommand, context: &FormContext) -> Vec<Choice> {
    if command == EditCommand::AddPackage {
        return Vec::new();
    }
    let names = context.packages.iter();
    names.map(|name| Choice::new(name, "")).collect()
}

fn catalogs(context: &FormContext) -> Vec<Choice> {
    context
        .roots
        .iter()
        .map(|row| {
            Choice::new(
                catalog_name(&context.roots, &row.root),
                words::count(row.packages, "package"),
            )
        })
        .collect()
}

fn channels(view: &PackageView) -> impl Iterator<Item = Choice> {
    view.channels.iter().map(|name| channel_choice(view, name))
}

fn channel_choice(view: &PackageView, name: &str) -> Choice {
    let is_default = name == view.default_channel;
    Choice::new(name, if is_default { "default channel" } else { "" })
}

/// Returns all channels, or the lists of a semver template; those that already list the bundle come
/// last.
fn target_channels(view: &PackageView, bundle: &str) -> Vec<Choice> {
    let (listing, free): (Vec<&String>, Vec<&String>) = view
        .promotion_targets()
        .iter()
        .partition(|target| view.lists_bundle(target, bundle));
    let listing = listing
        .into_iter()
        .map(|name| Choice::new(name, "lists it already"));
    let free = free.into_iter().map(|name| channel_choice(view, name));
    free.chain(listing).collect()
}

fn bundles(view: &PackageView) -> Vec<Choice> {
    view.bundles
        .iter()
        .map(|(name, version)| Choice::new(name, describe_bundle(view, name, version)))
        .collect()
}

/// Describes a bundle: version, date, and the channels that list it.
fn describe_bundle(view: &PackageView, name: &str, version: &str) -> String {
    let listed: Vec<&TableRow> = view
        .table
        .iter()
        .filter(|row| row.entry == name && !row.is_absent())
        .collect();
    let date = listed
        .iter()
        .map(|row| row.date.as_str())
        .find(|date| !date.is_empty())
        .unwrap_or_default();
    let channels = if listed.is_empty() {
        "in no channel".to_owned()
    } else {
        let names = listed.iter().map(|row| row.channel.as_str());
        format!("in {}", first_of(names, NAMED_CHANNELS))
    };
    [version, date, &channels]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" · ")
}

/// Returns the entries that a new or changed entry can replace.
fn replaced_entries(command: EditCommand, view: &PackageView, values: &FormValues) -> Vec<Choice> {
    let (channel, entry) = match command {
        EditCommand::Promote => (Field::ToChannel, Field::Bundle),
        _ => (Field::Channel, Field::Entry),
    };
    let others = rows_in_channel(view, values.get(channel))
        .filter(|row| row.entry != values.get(entry))
        .map(entry_choice);
    let none = Choice::new("none", "replaces nothing");
    std::iter::once(none).chain(others).collect()
}

/// Returns the entries that the entry can skip, or its skips if the command removes one.
fn skips(command: EditCommand, view: &PackageView, values: &FormValues) -> Vec<Choice> {
    let skipped: BTreeSet<&str> = find_entry(view, values)
        .map(|row| row.skips.iter().map(String::as_str).collect())
        .unwrap_or_default();
    if command == EditCommand::RemoveSkip {
        return skipped
            .into_iter()
            .map(|name| Choice::new(name, ""))
            .collect();
    }
    rows_in_channel(view, values.get(Field::Channel))
        .filter(|row| row.entry != values.get(Field::Entry))
        .filter(|row| !skipped.contains(row.entry.as_str()))
        .map(entry_choice)
        .collect()
}

/// Returns the distinct skip ranges of the package; of the promoted bundle if there is one.
fn skip_ranges(command: EditCommand, view: &PackageView, values: &FormValues) -> Vec<Choice> {
    let mut ranges = vec![Choice::new("none", "no skip range")];
    let bundle = values.get(Field::Bundle);
    for row in &view.table {
        let is_candidate = command != EditCommand::Promote || row.entry == bundle;
        if is_candidate
            && !row.skip_range.is_empty()
            && ranges.iter().all(|range| range.value != row.skip_range)
        {
            ranges.push(Choice::new(
                &row.skip_range,
                format!("{} in {}", row.entry, row.channel),
            ));
        }
    }
    ranges
}

/// Returns the available y-streams with their number of entries: from the entry's skips, or from
/// the channel's other entries.
fn streams(command: EditCommand, view: &PackageView, values: &FormValues) -> Vec<Choice> {
    let Some(entry) = find_entry(view, values) else {
        return Vec::new();
    };
    let is_candidate = |other: &&TableRow| {
        let is_skipped = entry.skips.contains(&other.entry);
        match command {
            EditCommand::RemoveSkip => is_skipped,
            _ => other.entry != entry.entry && !is_skipped && !other.is_absent(),
        }
    };
    let counts =
        stream_counts(rows_in_channel(view, values.get(Field::Channel)).filter(is_candidate));
    counts
        .into_iter()
        .map(|count| {
            let entries = count_of(count.entries as usize, "entry");
            Choice::new(format!("{}.z", count.stream), entries)
        })
        .collect()
}

fn references(command: EditCommand, view: &PackageView) -> Vec<Choice> {
    if command == EditCommand::Undeprecate {
        return view
            .deprecations
            .iter()
            .map(|(reference, message)| Choice::new(reference, message.as_str()))
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

fn rows_in_channel<'a>(
    view: &'a PackageView,
    channel: &'a str,
) -> impl Iterator<Item = &'a TableRow> {
    view.table.iter().filter(move |row| row.channel == channel)
}

/// Finds the entry that the form names, unless only an edge names it.
pub(super) fn find_entry<'a>(view: &'a PackageView, values: &FormValues) -> Option<&'a TableRow> {
    let (channel, entry) = (values.get(Field::Channel), values.get(Field::Entry));
    view.row(channel, entry).filter(|row| !row.is_absent())
}

fn entry_choice(row: &TableRow) -> Choice {
    let states: Vec<&str> = row.states.iter().map(|state| state.label()).collect();
    Choice::new(&row.entry, states.join(", "))
}

/// Finds the bundle with a typed version, `1.2.0` or `v1.2.0`, if exactly one bundle has it and
/// none has that name.
pub fn find_bundle_by_version(text: &str, view: &PackageView) -> Option<String> {
    let text = text.trim();
    let version = text.strip_prefix('v').unwrap_or(text);
    if version.is_empty() || view.bundles.iter().any(|(name, _)| name == text) {
        return None;
    }
    let mut matches = view
        .bundles
        .iter()
        .filter(|(_, candidate)| candidate == version);
    let (name, _) = matches.next()?;
    matches.next().is_none().then(|| name.clone())
}

/// Whether the field shows its choices as soon as it has the focus: it is the only one of its form.
pub fn opens_on_focus(command: EditCommand, field: Field) -> bool {
    command == EditCommand::SetDefaultChannel && field == Field::Channel
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::form_values::find_catalog;
    use super::*;
    use protocol::views::{EntryState, RootRow};
    use std::sync::Arc;

    fn entry(
        channel: &str,
        entry: &str,
        replaces: &str,
        skips: &[&str],
        states: &[EntryState],
    ) -> TableRow {
        TableRow {
            channel: channel.into(),
            entry: entry.into(),
            replaces: replaces.into(),
            skips: skips.iter().map(|s| (*s).to_owned()).collect(),
            states: states.to_vec(),
            ..TableRow::default()
        }
    }

    pub(in super::super) fn context() -> FormContext {
        let view = PackageView {
            package: "p".into(),
            default_channel: "stable".into(),
            channels: vec!["stable".into(), "beta".into()],
            bundles: vec![
                ("p.v2".into(), "2.0.0".into()),
                ("p.v1".into(), "1.0.0".into()),
            ],
            table: vec![
                entry("stable", "p.v2", "p.v1", &["p.v1.5"], &[EntryState::Head]),
                entry("stable", "p.v1", "", &[], &[]),
                entry("stable", "p.v1.5", "", &[], &[EntryState::Absent]),
                entry("beta", "p.v1", "", &[], &[EntryState::Head]),
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
        choices(command, field, values, &context())
            .into_iter()
            .map(|choice| choice.value)
            .collect()
    }

    #[test]
    fn a_catalog_has_its_shortest_unique_name() {
        let roots = context().roots;
        assert_eq!(catalog_name(&roots, "a/v4.18"), "v4.18");
        assert_eq!(catalog_name(&roots, "b/v4.19"), "b/v4.19");
        assert_eq!(find_catalog(&roots, "v4.18"), Some("a/v4.18"));
        assert_eq!(find_catalog(&roots, "v4.19"), None, "two have this label");
        assert_eq!(find_catalog(&roots, "b/v4.19"), Some("b/v4.19"));
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
    fn bundles_of_a_semver_template_go_to_its_lists() {
        let mut context = context();
        let view = Arc::make_mut(context.view.as_mut().expect("a view"));
        view.lists = ["candidate", "fast", "stable"].map(str::to_owned).to_vec();
        view.table = vec![entry("stable-v1", "p.v1", "", &[], &[EntryState::Head])];
        let values = FormValues::default().with(Field::Bundle, "p.v1");
        let offered = choices(EditCommand::Promote, Field::ToChannel, &values, &context);
        let names: Vec<_> = offered.iter().map(|choice| &*choice.value).collect();
        assert_eq!(names, ["candidate", "fast", "stable"]);
        assert_eq!(offered[2].detail, "lists it already");
    }

    #[test]
    fn suggests_entries_of_the_channel_but_no_absent_ones() {
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
    fn a_version_stands_for_its_bundle() {
        let mut view = PackageView::clone(context().view.as_deref().unwrap());
        assert_eq!(
            find_bundle_by_version("2.0.0", &view).as_deref(),
            Some("p.v2")
        );
        assert_eq!(
            find_bundle_by_version(" v1.0.0 ", &view).as_deref(),
            Some("p.v1")
        );
        assert_eq!(find_bundle_by_version("p.v1", &view), None);
        assert_eq!(find_bundle_by_version("3.0.0", &view), None);
        view.bundles.push(("p.v2-again".into(), "2.0.0".into()));
        assert_eq!(find_bundle_by_version("2.0.0", &view), None, "two have it");
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
