//! Entries of a package in the page: how they differ from another catalog, how their edges are
//! defined, and the text of the field with the installed bundle.

use protocol::upgrades::{ComparedKind, EntryChange};
use protocol::views::Origin;
use std::collections::HashMap;

/// The text for a fresh install in the field of the installed bundle.
pub const FRESH: &str = "fresh install";
/// The text in that field that shows the upgrade map of all versions instead.
pub const EVERYONE: &str = "everyone";

/// Entries that differ from another catalog, by channel and name, with a description.
pub type Changes = HashMap<(String, String), (ComparedKind, String)>;

/// Returns the changes to mark in the graph of the newer catalog.
pub fn graph_changes(entries: &[EntryChange]) -> Changes {
    let marks = entries.iter().map(|entry| {
        (
            (entry.channel.clone(), entry.name.clone()),
            (entry.kind, entry.detail.replace('`', "")),
        )
    });
    marks.collect()
}

/// Parses the text in the field of the installed bundle. `bundles` are names and versions. Returns
/// an unknown bundle unchanged: a removed bundle may still be installed, and the answer reports the
/// problem.
pub fn parse_origin(text: &str, bundles: &[(String, String)]) -> Origin {
    let text = text.trim();
    if text.is_empty() || text.eq_ignore_ascii_case(FRESH) {
        return Origin::Fresh;
    }
    let by_name = bundles.iter().find(|(name, _)| name == text);
    let by_version = || {
        bundles
            .iter()
            .find(|(_, version)| version == text.trim_start_matches('v'))
    };
    Origin::Installed(
        by_name
            .or_else(by_version)
            .map_or(text, |(name, _)| name)
            .to_owned(),
    )
}

/// Formats the text in the field of the installed bundle: the bundle's version if unique, else its
/// name.
pub fn format_origin(origin: &Origin, bundles: &[(String, String)]) -> String {
    let name = match origin {
        Origin::Fresh => return FRESH.to_owned(),
        Origin::Installed(name) => name,
    };
    let version = bundles
        .iter()
        .find(|(bundle, _)| bundle == name)
        .map(|(_, version)| version.as_str())
        .unwrap_or_default();
    let is_unique = bundles.iter().filter(|(_, other)| other == version).count() == 1;
    if version.is_empty() || !is_unique {
        name.to_owned()
    } else {
        version.to_owned()
    }
}

/// The field that defines an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeKind {
    Replaces,
    Skips,
    SkipRange,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundles() -> Vec<(String, String)> {
        [("p.v2", "2.0.0"), ("p.v2-r1", "2.0.0"), ("p.v1", "1.0.0")]
            .map(|(n, v)| (n.to_owned(), v.to_owned()))
            .into()
    }

    fn bundle(name: &str) -> Origin {
        Origin::Installed(name.to_owned())
    }

    #[test]
    fn versions_and_names_are_recognized() {
        assert_eq!(parse_origin("1.0.0", &bundles()), bundle("p.v1"));
        assert_eq!(parse_origin("v1.0.0", &bundles()), bundle("p.v1"));
        assert_eq!(parse_origin(" p.v2-r1 ", &bundles()), bundle("p.v2-r1"));
        assert_eq!(parse_origin("Fresh install", &bundles()), Origin::Fresh);
        assert_eq!(
            parse_origin(" p.v0@0.1.0 ", &bundles()),
            bundle("p.v0@0.1.0")
        );
    }

    #[test]
    fn a_version_shared_by_two_bundles_is_shown_by_name() {
        assert_eq!(format_origin(&bundle("p.v1"), &bundles()), "1.0.0");
        assert_eq!(format_origin(&bundle("p.v2-r1"), &bundles()), "p.v2-r1");
        for origin in bundles()
            .into_iter()
            .map(|(name, _)| bundle(&name))
            .chain([Origin::Fresh])
        {
            assert_eq!(
                parse_origin(&format_origin(&origin, &bundles()), &bundles()),
                origin
            );
        }
    }

    #[test]
    fn entries_are_marked_by_channel_and_name() {
        let entry = |name: &str, kind, detail: &str| EntryChange {
            channel: "stable".into(),
            name: name.into(),
            kind,
            detail: detail.into(),
        };
        let marks = graph_changes(&[
            entry("a", ComparedKind::Added, ""),
            entry("b", ComparedKind::Changed, "replaces was `x`, is `y`"),
        ]);
        assert_eq!(
            marks[&("stable".to_owned(), "a".to_owned())],
            (ComparedKind::Added, String::new())
        );
        assert_eq!(
            marks[&("stable".to_owned(), "b".to_owned())].1,
            "replaces was x, is y"
        );
        assert!(graph_changes(&[]).is_empty());
    }
}
