//! Choices that forms offer for the entries of a package: y-streams to skip, and what happens to
//! the edges of a removed object.

use super::command::{EditCommand, Field};
use super::form_values::{FieldError, FormValues, PackageNames};
use crate::widgets::combobox::Choice;
use crate::words;
use protocol::counting::first_of;
use protocol::operation::{EditOp, EntryPlace};
use protocol::response::PackageView;
use protocol::views::TableRow;

const MAX_NAMED_SUCCESSORS: usize = 2;

/// The entries of a y-stream in a channel.
pub struct StreamCount<'r> {
    pub channel: &'r str,
    /// The y-stream, such as `1.29`.
    pub stream: &'r str,
    pub entries: u32,
}

/// Returns the y-stream of a version, `1.29` for `1.29.3`; `None` if it is not a version.
pub fn y_stream(version: &str) -> Option<&str> {
    let (last_dot, _) = version.match_indices('.').nth(1)?;
    version.get(..last_dot)
}

/// Returns y-streams with at least two entries in a channel (any, if `channel` is empty), as
/// `1.29.z`, in table order.
pub fn streams(view: &PackageView, channel: &str) -> Vec<Choice> {
    let rows = view.table.iter();
    let counts = stream_counts(
        rows.filter(|row| !row.is_absent() && (channel.is_empty() || row.channel == channel)),
    );
    let mut out: Vec<Choice> = Vec::new();
    for count in counts.into_iter().filter(|count| count.entries > 1) {
        let value = format!("{}.z", count.stream);
        if out.iter().all(|choice| choice.value != value) {
            let versions = words::count(count.entries, "version");
            out.push(Choice::new(
                value,
                format!("{versions} in {}", count.channel),
            ));
        }
    }
    out
}

/// Counts the entries of each y-stream by channel, in table order.
pub fn stream_counts<'r>(rows: impl Iterator<Item = &'r TableRow>) -> Vec<StreamCount<'r>> {
    let mut counts: Vec<StreamCount<'_>> = Vec::new();
    for row in rows {
        let Some(stream) = y_stream(&row.version) else {
            continue;
        };
        let channel = row.channel.as_str();
        let counted = counts
            .iter_mut()
            .find(|count| (count.channel, count.stream) == (channel, stream));
        match counted {
            Some(count) => count.entries += 1,
            None => counts.push(StreamCount {
                channel,
                stream,
                entries: 1,
            }),
        }
    }
    counts
}

/// Returns the z-stream of an entry, as `1.29.z`.
pub fn z_stream_of_entry(view: &PackageView, name: &str) -> Option<String> {
    let version = &view.bundles.iter().find(|(bundle, _)| bundle == name)?.1;
    Some(format!("{}.z", y_stream(version)?))
}

/// Returns the entries of a y-stream (`1.29`) by channel, the highest first in each.
pub fn entries_in_stream<'a>(
    stream: &str,
    names: PackageNames<'a>,
) -> Vec<(&'a str, Vec<&'a TableRow>)> {
    let is_in_stream = |row: &&TableRow| !row.is_absent() && y_stream(&row.version) == Some(stream);
    let with_rank = |row: &'a TableRow| {
        let rank = names
            .bundles
            .iter()
            .position(|(name, _)| *name == row.entry)?;
        Some((rank, row))
    };
    let mut rows: Vec<_> = names
        .table
        .iter()
        .filter(is_in_stream)
        .filter_map(with_rank)
        .collect();
    rows.sort_by_key(|(rank, _)| *rank);
    let entries_in = |channel: &'a String| {
        let listed = rows.iter().filter(|(_, row)| row.channel == *channel);
        (channel.as_str(), listed.map(|(_, row)| *row).collect())
    };
    names.channels.iter().map(entries_in).collect()
}

/// Returns operations that let the highest entry skip the others, in each channel that lists at
/// least two entries of the y-stream.
pub fn stream_operations(
    values: &FormValues,
    catalog: Option<&str>,
    names: PackageNames<'_>,
) -> Result<Vec<EditOp>, Vec<FieldError>> {
    let typed = values.get(Field::Stream);
    let stream = typed.strip_suffix(".z").unwrap_or(typed);
    let chosen = values.get(Field::Channel);
    let listed = entries_in_stream(stream, names)
        .into_iter()
        .filter(|(channel, _)| chosen.is_empty() || *channel == chosen);
    let ops: Vec<EditOp> = listed
        .filter(|(_, rows)| rows.len() > 1)
        .filter_map(|(channel, rows)| {
            let package = values.get(Field::Package);
            let latest = EntryPlace::new(package, channel, &rows.first()?.entry);
            let op = latest.add_skips(Vec::new(), Some(format!("{stream}.z")));
            Some(op.in_catalog(catalog.map(str::to_owned)))
        })
        .collect();
    if ops.is_empty() {
        let subject = if chosen.is_empty() {
            "no channel lists".to_owned()
        } else {
            format!("{chosen} does not list")
        };
        return Err(vec![FieldError::new(
            Field::Stream,
            format!("{subject} two versions of {stream}.z"),
        )]);
    }
    Ok(ops)
}

/// Returns the choice that an empty *Then* means. A removed bundle must not strand its users; an
/// entry is often removed because nobody should get it.
pub fn default_removal(command: EditCommand) -> &'static str {
    match command {
        EditCommand::RemoveBundle => "skip",
        _ => "relink",
    }
}

/// Returns the choices of *Then* with their labels, the default first.
pub fn removal_choices(command: EditCommand) -> [(&'static str, &'static str); 3] {
    let mut all = [
        ("skip", "its successors skip it"),
        ("relink", "its successors take over its edges"),
        ("leave", "its edges stay"),
    ];
    if default_removal(command) == "relink" {
        all.swap(0, 1);
    }
    all
}

/// Describes what the choice of *Then* does to the removed object's users.
pub fn removal_hint(command: EditCommand, values: &FormValues, table: &[TableRow]) -> String {
    let choice = match values.get(Field::Then) {
        "" => default_removal(command),
        chosen => chosen,
    };
    // A bundle is removed from all channels.
    let (name, channel) = match command {
        EditCommand::RemoveBundle => (values.get(Field::Bundle), ""),
        _ => (values.get(Field::Entry), values.get(Field::Channel)),
    };
    let rows = table.iter();
    let rows = rows.filter(|row| channel.is_empty() || row.channel == channel);
    let listed = rows.clone();
    let listed = listed.filter(|row| row.entry == name && !row.is_absent());
    let listed: Vec<&String> = listed.map(|row| &row.channel).collect();
    // Also while the name is typed.
    if listed.is_empty() && !name.is_empty() {
        return String::new();
    }
    // A channel that does not list the removed one keeps its edges.
    let is_successor = |row: &&TableRow| {
        !name.is_empty()
            && row.replaces == name
            && (choice == "leave" || listed.contains(&&row.channel))
    };
    let successors = distinct_versions(rows.filter(is_successor));
    let place = match channel {
        "" => String::new(),
        channel => format!(" in {channel}"),
    };
    let s = if successors.len() == 1 { "s" } else { "" };
    let successors = match successors.as_slice() {
        [] if name.is_empty() => "Its successors".to_owned(),
        [] => String::new(),
        named => first_of(named.iter(), MAX_NAMED_SUCCESSORS),
    };
    let no_update = format!(
        "its users get no update{place} unless another entry skips it, or a skip range covers it."
    );
    match (choice, successors.as_str()) {
        ("leave", "") => "Edges that name it stay as they are.".to_owned(),
        ("leave", _) => {
            format!("{successors} still replace{s} it{place}, although it is no longer listed.")
        }
        (_, "") => format!("No entry takes over its edges: {no_update}"),
        // Not where its users go: a skip range may lead them elsewhere.
        ("skip", _) => {
            format!("{successors} skip{s} it, and take{s} over what it replaced and skipped.")
        }
        _ => format!("{successors} take{s} over what it replaced and skipped; {no_update}"),
    }
}

/// Returns distinct versions; for an entry without a version, its name.
fn distinct_versions<'t>(rows: impl Iterator<Item = &'t TableRow>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for row in rows {
        let version = match row.version.as_str() {
            "" => &row.entry,
            _ => &row.version,
        };
        if !out.contains(version) {
            out.push(version.clone());
        }
    }
    out
}

#[cfg(test)]
mod y_stream_tests {
    use super::*;

    fn row(channel: &str, entry: &str, version: &str) -> TableRow {
        TableRow {
            channel: channel.into(),
            entry: entry.into(),
            version: version.into(),
            ..TableRow::default()
        }
    }

    fn view() -> PackageView {
        let bundle = |name: &str, version: &str| (name.to_owned(), version.to_owned());
        PackageView {
            channels: vec!["a".into(), "b".into()],
            bundles: vec![
                bundle("v12", "1.29.12"),
                bundle("v3", "1.29.3"),
                bundle("v1", "1.29.1"),
                bundle("o", "1.2.9"),
            ],
            table: vec![
                row("a", "v3", "1.29.3"),
                row("a", "v12", "1.29.12"),
                row("a", "o", "1.2.9"),
                row("b", "v1", "1.29.1"),
                row("b", "v3", "1.29.3"),
            ],
            ..PackageView::default()
        }
    }

    fn names(view: &PackageView) -> PackageNames<'_> {
        PackageNames {
            channels: &view.channels,
            bundles: &view.bundles,
            table: &view.table,
        }
    }

    #[test]
    fn a_y_stream_is_the_version_without_its_patch() {
        assert_eq!(y_stream("1.29.3-rc.1"), Some("1.29"));
        assert_eq!((y_stream("1.29"), y_stream("")), (None, None));
        let values: Vec<String> = streams(&view(), "")
            .into_iter()
            .map(|choice| choice.value)
            .collect();
        assert_eq!(values, ["1.29.z"], "1.2.z has a single entry");
    }

    #[test]
    fn the_latest_of_each_channel_skips_the_others() {
        let view = view();
        let values = FormValues::default()
            .with(Field::Package, "p")
            .with(Field::Stream, "1.29.z");
        let operations_json = |values: &FormValues| -> Vec<String> {
            let ops = stream_operations(values, None, names(&view)).unwrap_or_default();
            ops.iter()
                .map(|op| serde_json::to_string(op).unwrap())
                .collect()
        };
        let json = |channel: &str, name: &str| {
            format!(
                r#"{{"op":"add-skip","package":"p","channel":"{channel}","name":"{name}","skip-matching":"1.29.z"}}"#
            )
        };
        assert_eq!(
            operations_json(&values),
            [json("a", "v12"), json("b", "v3")]
        );
        assert_eq!(
            operations_json(&values.clone().with(Field::Channel, "b")),
            [json("b", "v3")]
        );
        let none = stream_operations(&values.with(Field::Stream, "1.2.z"), None, names(&view))
            .unwrap_err();
        assert_eq!(
            none,
            [FieldError::new(
                Field::Stream,
                "no channel lists two versions of 1.2.z"
            )]
        );
    }
}

#[cfg(test)]
mod removal_tests {
    use super::*;

    fn table() -> Vec<TableRow> {
        let row = |channel: &str, version: &str, replaces: &str| TableRow {
            channel: channel.into(),
            entry: format!("p.v{version}"),
            version: version.into(),
            replaces: replaces.into(),
            ..TableRow::default()
        };
        vec![
            row("stable", "3.8.1", ""),
            row("stable", "3.8.2", "p.v3.8.1"),
            row("stable", "3.8.3", "p.v3.8.2"),
            row("fast", "3.8.2", ""),
            row("fast", "3.9.0", "p.v3.8.2"),
        ]
    }

    fn hint(command: EditCommand, values: &FormValues, then: &str) -> String {
        removal_hint(command, &values.clone().with(Field::Then, then), &table())
    }

    #[test]
    fn the_hint_of_a_removal_describes_the_edges() {
        let bundle = FormValues::default().with(Field::Bundle, "p.v3.8.2");
        assert_eq!(
            ["skip", "relink", "leave"].map(|then| hint(EditCommand::RemoveBundle, &bundle, then)),
            [
                "3.8.3, 3.9.0 skip it, and take over what it replaced and skipped.",
                "3.8.3, 3.9.0 take over what it replaced and skipped; its users get no update \
                 unless another entry skips it, or a skip range covers it.",
                "3.8.3, 3.9.0 still replace it, although it is no longer listed.",
            ]
        );
        let head = FormValues::default().with(Field::Bundle, "p.v3.9.0");
        assert_eq!(
            hint(EditCommand::RemoveBundle, &head, ""),
            "No entry takes over its edges: its users get no update unless another entry skips it, \
             or a skip range covers it.",
            "not that its successors skip it"
        );
        assert_eq!(
            hint(EditCommand::RemoveBundle, &FormValues::default(), ""),
            "Its successors skip it, and take over what it replaced and skipped.",
            "nothing is known of an unnamed bundle"
        );
        let typed = FormValues::default().with(Field::Bundle, "p.v3.");
        assert_eq!(hint(EditCommand::RemoveBundle, &typed, ""), "");
        let entry = FormValues::default()
            .with(Field::Channel, "fast")
            .with(Field::Entry, "p.v3.8.2");
        assert_eq!(
            ["", "skip", "leave"].map(|then| hint(EditCommand::RemoveEntry, &entry, then)),
            [
                "3.9.0 takes over what it replaced and skipped; its users get no update in fast \
                 unless another entry skips it, or a skip range covers it.",
                "3.9.0 skips it, and takes over what it replaced and skipped.",
                "3.9.0 still replaces it in fast, although it is no longer listed.",
            ]
        );
        let mut table = table();
        table.retain(|row| (row.channel.as_str(), row.version.as_str()) != ("fast", "3.8.2"));
        assert_eq!(
            ["skip", "relink"].map(|then| removal_hint(
                EditCommand::RemoveBundle,
                &bundle.clone().with(Field::Then, then),
                &table
            )),
            [
                "3.8.3 skips it, and takes over what it replaced and skipped.",
                "3.8.3 takes over what it replaced and skipped; its users get no update unless \
                 another entry skips it, or a skip range covers it.",
            ],
            "fast does not list 3.8.2, so it does not change: 3.9.0 still replaces it"
        );
    }
}
