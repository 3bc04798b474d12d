//! The changed entries of a package in a comparison of two catalogs.

use catalog::model::{Entry, Package};
use protocol::counting::{first_of, quoted};
use protocol::upgrades::{ComparedKind, EntryChange};
use std::collections::{BTreeMap, BTreeSet};
use verdict::compare::Pair;

/// Maximum number of skips of a removed entry listed by name.
const MAX_NAMED: usize = 4;

/// Returns the changes of common channels, and adds the entries of channels that only one state
/// has; if the package itself is new or removed, none are added.
pub(super) fn entries(pair: &Pair<'_>, changes: &[EntryChange]) -> Vec<EntryChange> {
    let old_channels = channels_by_entry(pair.old);
    let new_channels = channels_by_entry(pair.new);
    let mut entries: Vec<EntryChange> = changes
        .iter()
        .cloned()
        .chain(whole_channel_changes(pair))
        .collect();
    for change in &mut entries {
        match change.kind {
            ComparedKind::Added => {
                let Some(old) = old_channels.get(change.name.as_str()) else {
                    continue;
                };
                let new = new_channels.get(change.name.as_str());
                if new.is_none_or(|new| old.is_disjoint(new)) {
                    change.kind = ComparedKind::Moved;
                    change.detail = format!("moved from {}", quoted(old).join(", "));
                }
            }
            ComparedKind::Removed => {
                let channel = pair.old.and_then(|old| old.channel(&change.channel));
                let mut entries = channel.iter().flat_map(|channel| &channel.entries);
                let entry = entries.find(|entry| entry.name.as_str() == change.name);
                change.detail = entry.map_or_else(String::new, removed_detail);
            }
            ComparedKind::Changed | ComparedKind::Moved => {}
        }
    }
    entries
}

/// Returns the channels that list each name.
fn channels_by_entry(package: Option<&Package>) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut channels: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for channel in package.into_iter().flat_map(|package| &package.channels) {
        for entry in &channel.entries {
            channels
                .entry(entry.name.as_str())
                .or_default()
                .insert(channel.name.as_str());
        }
    }
    channels
}

/// Returns the entries of channels that only one state has, without details.
fn whole_channel_changes<'a>(pair: &'a Pair<'_>) -> impl Iterator<Item = EntryChange> + 'a {
    let has_both = pair.old.is_some() && pair.new.is_some();
    let [in_old, in_new] = [pair.old, pair.new]
        .map(|package| package.map(Package::channels_by_name).unwrap_or_default());
    pair.channels
        .iter()
        .filter(move |_| has_both)
        .flat_map(move |channel| {
            let (blobs, kind) = match (channel.in_old, channel.in_new) {
                (false, true) => (Some(&in_new), ComparedKind::Added),
                (true, false) => (Some(&in_old), ComparedKind::Removed),
                _ => (None, ComparedKind::Changed),
            };
            let blob = blobs.and_then(|blobs| blobs.get(&*channel.name)?.first().copied());
            let entries = blob.map_or(&[][..], |blob| &blob.entries).iter();
            entries.map(move |entry| EntryChange {
                channel: channel.name.to_string(),
                name: entry.name.value.to_string(),
                kind,
                detail: String::new(),
            })
        })
}

/// Formats the content of a removed entry: `removed: replaced a, skipped b and 7 more`.
fn removed_detail(entry: &Entry) -> String {
    let skips: Vec<&str> = entry
        .skips
        .iter()
        .map(|skip| skip.as_str())
        .filter(|skip| !skip.is_empty())
        .collect();
    let skipped = first_of(quoted(&skips).iter(), MAX_NAMED);
    let parts = [
        (!entry.replaces.is_empty()).then(|| format!("replaced `{}`", entry.replaces.as_str())),
        (!skips.is_empty()).then(|| format!("skipped {skipped}")),
        (!entry.skip_range.is_empty())
            .then(|| format!("had skipRange `{}`", entry.skip_range.as_str())),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        "removed: had no edges".to_owned()
    } else {
        format!("removed: {}", parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::index::index_bytes;
    use catalog::model::FileId;
    use catalog::{Catalog, Content, TreeEntry};
    use std::sync::Arc;

    const CHAIN: &str = "[{name: p.v1}]";

    /// Creates the package `p` with these channels, each with its entries as YAML.
    fn package(channels: &[(&str, &str)]) -> Arc<Package> {
        let mut text = "{schema: olm.package, name: p, defaultChannel: a}\n".to_owned();
        for (name, entries) in channels {
            text.push_str(&format!(
                "---\n{{schema: olm.channel, package: p, name: {name}, entries: {entries}}}\n"
            ));
        }
        let content = Content::Indexed(Arc::new(index_bytes(text.as_bytes())));
        let file = TreeEntry {
            id: FileId(0),
            path: "catalog.yaml".to_owned(),
            content,
        };
        Catalog::new("catalog", vec![file])
            .package("p")
            .cloned()
            .unwrap()
    }

    fn describe_changes(
        old: &[(&str, &str)],
        new: &[(&str, &str)],
    ) -> Vec<(String, ComparedKind, String)> {
        let (old, new) = (package(old), package(new));
        let pair = Pair::new(Some(&old), Some(&new));
        let mut changes: Vec<_> = entries(&pair, &pair.changes().entries)
            .into_iter()
            .map(|change| {
                (
                    format!("{} {}", change.channel, change.name),
                    change.kind,
                    change.detail,
                )
            })
            .collect();
        changes.sort_by(|a, b| a.0.cmp(&b.0));
        changes
    }

    #[test]
    fn distinguishes_moved_entries_from_added_ones() {
        let second = "{name: p.v2, replaces: p.v1, skips: [x1, x2, x3, x4, x5], skipRange: <2.0.0}";
        let old = [("a", &*format!("[{{name: p.v1}}, {second}]")), ("b", CHAIN)];
        let new = [
            ("a", CHAIN),
            ("b", "[{name: p.v1}, {name: p.v2, replaces: p.v1}]"),
            ("c", "[{name: p.v1}, {name: p.v3}]"),
        ];
        let was = "removed: replaced `p.v1`, skipped `x1`, `x2`, `x3`, `x4` and 1 more, had skipRange `<2.0.0`";
        assert_eq!(
            describe_changes(&old, &new),
            [
                ("a p.v2".to_owned(), ComparedKind::Removed, was.to_owned()),
                (
                    "b p.v2".to_owned(),
                    ComparedKind::Moved,
                    "moved from `a`".to_owned()
                ),
                ("c p.v1".to_owned(), ComparedKind::Added, String::new()),
                ("c p.v3".to_owned(), ComparedKind::Added, String::new()),
            ]
        );
    }

    #[test]
    fn a_removed_channel_lists_its_entries() {
        let all = [("a", CHAIN), ("b", "[{name: p.v2}]")];
        let changes = describe_changes(&all, &all[..1]);
        assert_eq!(
            changes,
            [(
                "b p.v2".to_owned(),
                ComparedKind::Removed,
                "removed: had no edges".to_owned()
            )]
        );
    }
}
