//! Detects how a channel's newest entries build their skip ranges around their own versions, to
//! suggest the next range.

use catalog::graph::PackageGraph;
use catalog::model::{ChannelBlob, Entry, Package};
use protocol::bundles::RangePattern;

/// Maximum number of older entries compared with the newest one.
const MAX_COMPARED_ENTRIES: usize = 16;

/// Returns the patterns of channels with a single head; `graph` belongs to `package`.
pub fn patterns(graph: &PackageGraph, package: &Package) -> Vec<RangePattern> {
    graph
        .channels
        .iter()
        .filter_map(|channel| match channel.heads.as_slice() {
            [head] => common_pattern(package, &channel.blob, graph.name_at(channel, *head)),
            _ => None,
        })
        .collect()
}

/// Returns the skip range that `head` and the entry it replaces have in common, apart from their
/// own versions. `None` if one has no range, does not contain its version exactly once, or differs.
fn common_pattern(package: &Package, channel: &ChannelBlob, head: &str) -> Option<RangePattern> {
    let newest = RangedEntry::from_entry(package, channel.entry(head)?)?;
    let mut is_repeated = false;
    // The minor version of all entries with this pattern; empty if there are several.
    let mut within = minor_prefix(newest.version)?;
    let mut next = newest.replaces;
    for _ in 0..MAX_COMPARED_ENTRIES {
        let Some(older) = channel
            .entry(next)
            .and_then(|entry| RangedEntry::from_entry(package, entry))
        else {
            break;
        };
        if (older.before, older.after) != (newest.before, newest.after) {
            break;
        }
        is_repeated = true;
        if !older.version.starts_with(within) {
            within = "";
            break;
        }
        next = older.replaces;
    }
    is_repeated.then(|| RangePattern {
        channel: channel.name.as_str().to_owned(),
        before: newest.before.to_owned(),
        after: newest.after.to_owned(),
        within: within.to_owned(),
    })
}

/// An entry whose range contains its own version exactly once.
struct RangedEntry<'a> {
    version: &'a str,
    before: &'a str,
    after: &'a str,
    replaces: &'a str,
}

impl<'a> RangedEntry<'a> {
    fn from_entry(package: &'a Package, entry: &'a Entry) -> Option<Self> {
        let version = package.bundle(entry.name.as_str())?.version();
        let range = entry.skip_range.as_str();
        if version.is_empty() {
            return None;
        }
        let mut matches = range.match_indices(version).map(|(at, _)| at).filter(|at| {
            let (before, after) = (range.get(..*at), range.get(at + version.len()..));
            before.is_some_and(|text| !text.ends_with(is_version_char))
                && after.is_some_and(|text| !text.starts_with(is_version_char))
        });
        let (at, None) = (matches.next()?, matches.next()) else {
            return None;
        };
        let (before, after) = (range.get(..at)?, range.get(at + version.len()..)?);
        Some(Self {
            version,
            before,
            after,
            replaces: entry.replaces.as_str(),
        })
    }
}

/// Returns the minor version with its final dot: `1.89.` for `1.89.0`.
fn minor_prefix(version: &str) -> Option<&str> {
    let (at, _) = version.match_indices('.').nth(1)?;
    version.get(..=at)
}

fn is_version_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || ".-+".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::testing::versioned_package as package;

    /// Returns the pattern of a chain of entries, oldest first: version and range.
    fn pattern(entries: &[(&str, &str)]) -> Option<RangePattern> {
        let mut before = None;
        let lines: Vec<String> = entries
            .iter()
            .map(|(version, range)| {
                let replaces = before
                    .replace(version)
                    .map_or_else(String::new, |before| format!(" r:p.v{before}"));
                let range = if range.is_empty() {
                    String::new()
                } else {
                    format!(" sr:{}", range.replace(' ', "_"))
                };
                format!("p.v{version}{replaces}{range}")
            })
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let package = package(&[("stable", &lines)]);
        patterns(&PackageGraph::build(&package), &package).pop()
    }

    fn next(entries: &[(&str, &str)], version: &str) -> Option<String> {
        pattern(entries)?.for_version(version)
    }

    #[test]
    fn a_range_up_to_the_own_version_is_continued() {
        let same_floor = [("1.88.0", ">=1.0.0 <1.88.0"), ("1.89.0", ">=1.0.0 <1.89.0")];
        assert_eq!(
            next(&same_floor, "1.90.0").as_deref(),
            Some(">=1.0.0 <1.90.0")
        );
        let by_minor = [
            ("1.29.0", ">=1.28.0 <1.29.0"),
            ("1.29.1", ">=1.28.0 <1.29.1"),
        ];
        assert_eq!(
            next(&by_minor, "1.29.2").as_deref(),
            Some(">=1.28.0 <1.29.2")
        );
        assert_eq!(
            next(&by_minor, "1.30.0"),
            None,
            "the floor may go with the minor version"
        );
        assert_eq!(next(&by_minor, ""), None);
    }

    #[test]
    fn other_ranges_are_not_continued() {
        assert_eq!(
            next(&[("1.0.0", "<1.0.0")], "1.1.0"),
            None,
            "one range is no pattern"
        );
        assert_eq!(next(&[("1.0.0", ""), ("1.1.0", "<1.1.0")], "1.2.0"), None);
        assert_eq!(
            next(&[("1.0.0", "<1.0.0"), ("1.1.0", "")], "1.2.0"),
            None,
            "the newest has none"
        );
        assert_eq!(
            next(
                &[("1.0.0", ">=0.1.0 <1.0.0"), ("1.1.0", ">=1.0.0 <1.1.0")],
                "1.2.0"
            ),
            None
        );
        assert_eq!(
            next(&[("1.0.0", "<1.0.0-0"), ("1.1.0", "<1.1.0-0")], "1.2.0"),
            None,
            "another version"
        );
    }
}
