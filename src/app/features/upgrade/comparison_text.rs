//! Differences between two catalogs as text and marks.

use super::everyone_text::version_or_name;
use crate::state::entry_changes::{ChangeKind, Changes};
use crate::words;
use protocol::destination::{Destination, is_refusal};
use protocol::upgrades::{BundleVersion, ComparedKind, ComparedRow, EntryChange, UserRow};
use protocol::views::Lens;
use std::sync::Arc;

/// Marks for the graph of the newer catalog.
pub fn changes(entries: &[EntryChange]) -> Arc<Changes> {
    let marks = entries.iter().map(|entry| {
        let change = match entry.kind {
            ComparedKind::Added => ChangeKind::Added,
            ComparedKind::Removed => ChangeKind::Removed,
            ComparedKind::Changed => ChangeKind::Changed,
            ComparedKind::Moved => ChangeKind::Moved,
        };
        (
            (entry.channel.clone(), entry.name.clone()),
            (change, entry.detail.replace('`', "")),
        )
    });
    Arc::new(marks.collect())
}

/// The counts of a differing package, each with its tone.
pub fn counts(row: &ComparedRow) -> Vec<(&'static str, String)> {
    let kind = match row.kind {
        ComparedKind::Added => Some(("plain", "+ added".to_owned())),
        ComparedKind::Removed => Some(("bad", "− removed".to_owned())),
        ComparedKind::Changed | ComparedKind::Moved => None,
    };
    let counted = [
        (row.stranded, "bad", "■", "stranded"),
        (row.downgraded, "bad", "◀", "downgraded"),
        (row.rerouted, "plain", "↷", "re-routed"),
        (row.gained, "good", "→", "gained"),
    ];
    let counted = counted.into_iter().filter(|(count, ..)| *count > 0);
    let counted =
        counted.map(|(count, tone, glyph, word)| (tone, format!("{glyph} {count} {word}")));
    let fresh = (row.is_fresh_changed && row.kind == ComparedKind::Changed)
        .then(|| ("advice", "! new installs change".to_owned()));
    let broken = (row.errors > 0).then(|| {
        (
            "bad",
            format!("✕ {} broken", words::count(row.errors, "invariant")),
        )
    });
    kind.into_iter()
        .chain(broken)
        .chain(fresh)
        .chain(counted)
        .collect()
}

/// The lens, and for Classic the channels.
pub fn through(user: &UserRow) -> String {
    match user.lens {
        Lens::V0 => format!("Classic, {}", user.channels.join(", ")),
        Lens::V1 => "OLM v1".to_owned(),
    }
}

/// A next step before or now; `error` is the kind of OLM's error.
pub fn next_step(next: Option<&BundleVersion>, error: &str) -> String {
    match next {
        Some(next) => version_or_name(next).to_owned(),
        None if is_refusal(error) => Destination::RefusedByV1.to_string(),
        None => Destination::NoUpdate.to_string(),
    }
}

/// The meaning of an effect, with its shape.
pub fn effect(effect: &str) -> (&'static str, &'static str) {
    match effect {
        "stranded" => ("bad", "■ stranded"),
        "downgrade" => ("bad", "◀ downgrade"),
        "gained" => ("good", "→ gained"),
        "rerouted" => ("plain", "↷ re-routed"),
        _ => ("plain", "⋯ other end"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_marked_by_channel_and_name() {
        let entry = |name: &str, kind, detail: &str| EntryChange {
            channel: "stable".into(),
            name: name.into(),
            kind,
            detail: detail.into(),
        };
        let marks = changes(&[
            entry("a", ComparedKind::Added, ""),
            entry("b", ComparedKind::Changed, "replaces was `x`, is `y`"),
        ]);
        assert_eq!(
            marks[&("stable".to_owned(), "a".to_owned())],
            (ChangeKind::Added, String::new())
        );
        assert_eq!(
            marks[&("stable".to_owned(), "b".to_owned())].1,
            "replaces was x, is y"
        );
        assert!(changes(&[]).is_empty());
    }

    #[test]
    fn counts_leave_out_zeros() {
        let row = ComparedRow {
            stranded: 2,
            errors: 1,
            gained: 1,
            ..ComparedRow::default()
        };
        let texts: Vec<String> = counts(&row).into_iter().map(|(_, text)| text).collect();
        assert_eq!(
            texts,
            ["✕ 1 invariant broken", "■ 2 stranded", "→ 1 gained"]
        );
    }
}
