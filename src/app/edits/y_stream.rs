//! y-streams of a package, and the operations of *Skip to the latest of 1.29.z*.

use super::command::Field;
use super::form_values::{FieldError, FormValues, PackageNames};
use super::suggestions::is_absent;
use crate::widgets::combobox::Choice;
use crate::words;
use protocol::operation::{EditOp, EntryPlace};
use protocol::response::PackageView;
use protocol::views::{EntryRef, TableRow};

/// `1.29` for `1.29.3`; `None` if it is not a version.
pub fn stream_of(version: &str) -> Option<&str> {
    let (major, rest) = version.split_once('.')?;
    let (minor, _) = rest.split_once('.')?;
    version.get(..major.len() + 1 + minor.len())
}

/// y-streams with at least two entries in a channel (any, if none is named), as `1.29.z`, in table
/// order.
pub fn streams(view: &PackageView, channel: &str) -> Vec<Choice> {
    let mut found: Vec<(&str, &str, u32)> = Vec::new();
    for row in view
        .table
        .iter()
        .filter(|row| !is_absent(row) && (channel.is_empty() || row.channel == channel))
    {
        let Some(stream) = stream_of(&row.version) else {
            continue;
        };
        match found
            .iter_mut()
            .find(|(of, known, _)| (*of, *known) == (row.channel.as_str(), stream))
        {
            Some((.., count)) => *count += 1,
            None => found.push((&row.channel, stream, 1)),
        }
    }
    let mut out: Vec<Choice> = Vec::new();
    for (channel, stream, count) in found.into_iter().filter(|(.., count)| *count > 1) {
        let value = format!("{stream}.z");
        if out.iter().all(|known| known.value != value) {
            out.push(Choice::new(
                value,
                format!("{} in {channel}", words::count(count, "version")),
            ));
        }
    }
    out
}

/// The z-stream of an entry, as `1.29.z`.
pub fn stream_of_entry(view: &PackageView, name: &str) -> Option<String> {
    let version = &view.bundles.iter().find(|(bundle, _)| bundle == name)?.1;
    Some(format!("{}.z", stream_of(version)?))
}

/// Entries of a y-stream (`1.29`) by channel, each with the highest first.
pub fn entries<'a>(stream: &str, names: PackageNames<'a>) -> Vec<(&'a str, Vec<&'a TableRow>)> {
    let rank = |row: &TableRow| {
        names
            .bundles
            .iter()
            .position(|(name, _)| *name == row.entry)
    };
    let is_of = |row: &&TableRow| !is_absent(row) && stream_of(&row.version) == Some(stream);
    let of_channel = |channel: &'a String| {
        let mut rows: Vec<(Option<usize>, &TableRow)> = names
            .table
            .iter()
            .filter(|row| row.channel == *channel)
            .filter(is_of)
            .map(|row| (rank(row), row))
            .collect();
        rows.retain(|(rank, _)| rank.is_some());
        rows.sort_by_key(|(rank, _)| *rank);
        (
            channel.as_str(),
            rows.into_iter().map(|(_, row)| row).collect(),
        )
    };
    names.channels.iter().map(of_channel).collect()
}

/// The highest entry of a y-stream (`1.29`) in the first channel that lists it.
pub fn latest(stream: &str, names: PackageNames<'_>) -> Option<EntryRef> {
    let (channel, rows) = entries(stream, names)
        .into_iter()
        .find(|(_, rows)| !rows.is_empty())?;
    Some(EntryRef {
        channel: channel.to_owned(),
        name: rows.first()?.entry.clone(),
    })
}

/// In each channel that lists at least two entries of the y-stream, the highest skips the others.
pub fn operations(
    values: &FormValues,
    catalog: Option<&str>,
    names: PackageNames<'_>,
) -> Result<Vec<EditOp>, Vec<FieldError>> {
    let typed = values.get(Field::Stream);
    let stream = typed.strip_suffix(".z").unwrap_or(typed);
    let chosen = values.get(Field::Channel);
    let listed = entries(stream, names)
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
        let place = if chosen.is_empty() {
            "no channel lists".to_owned()
        } else {
            format!("{chosen} does not list")
        };
        return Err(vec![(
            Field::Stream,
            format!("{place} two versions of {stream}.z"),
        )]);
    }
    Ok(ops)
}

#[cfg(test)]
mod tests {
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
        assert_eq!(stream_of("1.29.3-rc.1"), Some("1.29"));
        assert_eq!((stream_of("1.29"), stream_of("")), (None, None));
        let values: Vec<String> = streams(&view(), "")
            .into_iter()
            .map(|choice| choice.value)
            .collect();
        assert_eq!(values, ["1.29.z"], "1.2.z has a single entry");
        assert_eq!(
            latest("1.29", names(&view()))
                .map(|entry| entry.name)
                .as_deref(),
            Some("v12")
        );
    }

    #[test]
    fn the_latest_of_each_channel_skips_the_others() {
        let view = view();
        let values = FormValues::default()
            .with(Field::Package, "p")
            .with(Field::Stream, "1.29.z");
        let of = |values: &FormValues| -> Vec<String> {
            let ops = operations(values, None, names(&view)).unwrap_or_default();
            ops.iter()
                .map(|op| serde_json::to_string(op).unwrap())
                .collect()
        };
        let json = |channel: &str, name: &str| {
            format!(
                r#"{{"op":"add-skip","package":"p","channel":"{channel}","name":"{name}","skip-matching":"1.29.z"}}"#
            )
        };
        assert_eq!(of(&values), [json("a", "v12"), json("b", "v3")]);
        assert_eq!(
            of(&values.clone().with(Field::Channel, "b")),
            [json("b", "v3")]
        );
        let none =
            operations(&values.with(Field::Stream, "1.2.z"), None, names(&view)).unwrap_err();
        assert_eq!(
            none,
            [(
                Field::Stream,
                "no channel lists two versions of 1.2.z".to_owned()
            )]
        );
    }
}
