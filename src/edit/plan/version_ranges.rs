//! Finds the versions that a skip range or y-stream selects, for operations and while it is typed.

use super::Refused;
use super::entry_order::Bundles;
use super::{CatalogView, entry_order};
use catalog::model::{ChannelBlob, Entry, Located, Package};
use catalog::version::{Version, VersionRelease, blang, version_in_name};
use protocol::request::RangePurpose;
use protocol::views::CaughtVersion;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::ops::Range;
use syntax::order::SortSmall;

/// Selects many entries by version: a parsed range in the dialect of `skipRange`, or a y-stream
/// like `1.29.z`, with its text.
pub(super) struct VersionSelector<'t> {
    text: &'t str,
    pattern: Pattern,
}

enum Pattern {
    /// Every version of a y-stream, prereleases included.
    Stream {
        major: u64,
        minor: u64,
    },
    Range(blang::Range),
}

impl<'t> VersionSelector<'t> {
    pub fn parse(text: &'t str) -> Result<Self, Refused> {
        if let Some((major, minor)) = parse_stream(text) {
            return Ok(Self {
                text,
                pattern: Pattern::Stream { major, minor },
            });
        }
        let range = blang::Range::parse(text).map_err(|error| {
            refused!("`{text}` is not a version range: {error}").help(
                "write a version range such as `>=1.2.0 <1.3.0`, or a y-stream such as `1.2.z`",
            )
        })?;
        Ok(Self {
            text,
            pattern: Pattern::Range(range),
        })
    }

    /// Parses a version range; a y-stream is refused.
    pub fn range(text: &'t str) -> Result<Self, Refused> {
        let range = blang::Range::parse(text).map_err(|error| Refused::new(error.to_string()))?;
        Ok(Self {
            text,
            pattern: Pattern::Range(range),
        })
    }

    pub fn contains(&self, version: &Version) -> bool {
        match &self.pattern {
            Pattern::Stream { major, minor } => {
                version.major() == *major && version.minor() == *minor
            }
            Pattern::Range(range) => range.contains(version),
        }
    }

    /// Returns the matching entries of the channel below the entry `at`, lowest first.
    pub fn lower_entries<'a>(
        &self,
        view: &CatalogView<'_>,
        package: &Package,
        channel: &'a Located<ChannelBlob>,
        at: usize,
    ) -> Result<Vec<&'a str>, Refused> {
        let bundles = Bundles::new(package);
        let name = &channel.entries[at].name;
        let location = || view.locate(channel, name.place);
        let own_version = version(&bundles, name.as_str()).ok_or_else(|| {
            refused!(
                "the version of `{}` cannot be read, so lower versions cannot be found",
                name.value
            )
            .help("name the entries to skip")
            .at(location())
        })?;
        let named_entries = channel.entries.iter().filter(|e| !e.name.is_empty());
        let versioned = named_entries
            .filter_map(|e| Some((version(&bundles, e.name.as_str())?, e.name.as_str())));
        let mut entries: Vec<(VersionRelease, &str)> = versioned
            .filter(|(v, _)| v.compare(&own_version) == Ordering::Less && self.contains(&v.version))
            .collect();
        entries.sort_small_by(|(a, _), (b, _)| a.compare(b));
        if entries.is_empty() {
            let reason = format!(
                "channel `{}` has no entry below `{}` in the range `{}`",
                channel.name.value, name.value, self.text
            );
            return Err(Refused::new(reason)
                .help(self.describe_lower_versions(&bundles, channel, &own_version))
                .at(location()));
        }
        Ok(entries.into_iter().map(|(_, name)| name).collect())
    }

    /// Returns the matching names that the entry `at` skips.
    pub fn skips(
        &self,
        view: &CatalogView<'_>,
        package: &Package,
        channel: &Located<ChannelBlob>,
        at: usize,
    ) -> Result<Vec<String>, Refused> {
        let bundles = Bundles::new(package);
        let entry = &channel.entries[at];
        let skips: Vec<String> = entry
            .skips
            .iter()
            .filter(|s| version(&bundles, s.as_str()).is_some_and(|v| self.contains(&v.version)))
            .map(|s| s.value.to_string())
            .collect();
        if skips.is_empty() {
            return Err(
                refused!("`{}` skips nothing in `{}`", entry.name.value, self.text)
                    .help(where_skips_are(entry))
                    .at(view.locate(channel, entry.name.place)),
            );
        }
        Ok(skips)
    }

    /// Lists the available versions for a refusal.
    fn describe_lower_versions(
        &self,
        bundles: &Bundles<'_>,
        channel: &ChannelBlob,
        own_version: &VersionRelease,
    ) -> String {
        let mut lower: Vec<VersionRelease> = channel
            .entries
            .iter()
            .filter_map(|e| version(bundles, e.name.as_str()))
            .filter(|v| v.compare(own_version).is_lt())
            .collect();
        lower.sort_small_by(VersionRelease::compare);
        match (lower.first(), lower.last()) {
            (Some(first), Some(last)) => format!(
                "lower entries have versions {} to {}",
                first.version, last.version
            ),
            _ => "it is the lowest entry".to_owned(),
        }
    }
}

/// Returns a hint for a skip that the entry does not have.
pub(super) fn where_skips_are(entry: &Entry) -> &'static str {
    if entry.skips.is_empty() {
        "it skips nothing"
    } else {
        "see the `skips` of the entry"
    }
}

/// Parses a y-stream such as `1.29.z`.
fn parse_stream(text: &str) -> Option<(u64, u64)> {
    let (major, minor) = text.strip_suffix(".z")?.split_once('.')?;
    let [major, minor] = [major, minor].map(|text| {
        let is_number = text.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| text.parse().ok()).flatten()
    });
    major.zip(minor)
}

/// Returns the version of the bundle or, without a bundle, the one at the end of the name.
pub(super) fn version(bundles: &entry_order::Bundles<'_>, name: &str) -> Option<VersionRelease> {
    if bundles.has(name) {
        return bundles.version(name);
    }
    version_in_name(name).map(|(_, version)| VersionRelease {
        version,
        release: None,
    })
}

/// The versions that match a range while it is typed, for *Set skip range* and for *Add* and
/// *Remove skip* by version: exactly those that the operation would use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RangeMatches {
    /// Highest first.
    pub versions: Vec<CaughtVersion>,
    /// Number of candidates with a readable version.
    pub total: usize,
    /// Whether the range contains the entry's own version.
    pub contains_own: bool,
    pub error: Option<RangeSyntaxError>,
}

/// Why a text is not a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeSyntaxError {
    pub reason: String,
    /// The invalid part of the text, in bytes.
    pub at: Option<Range<usize>>,
}

/// Finds the versions that match `text`, the range of the entry `name` of `channel`. If the package
/// lacks that entry, no candidate is excluded. An empty text matches nothing.
pub fn range_matches(
    package: &Package,
    channel: &str,
    name: &str,
    text: &str,
    purpose: RangePurpose,
) -> RangeMatches {
    let bundles = Bundles::new(package);
    let channel = package.channel(channel).map(|channel| &*channel.data);
    let own_version = version(&bundles, name);
    let mut all = find_candidates(package, &bundles, channel, name, purpose);
    if purpose == RangePurpose::Skip
        && let Some(own_version) = &own_version
    {
        all.retain(|(version, _)| version.compare(own_version).is_lt());
    }
    all.sort_small_by(|(a, x), (b, y)| b.compare(a).then_with(|| x.cmp(y)));
    let total = all.len();
    let text = text.trim();
    if text.is_empty() {
        return RangeMatches {
            total,
            ..RangeMatches::default()
        };
    }
    let matching = match purpose {
        RangePurpose::SkipRange => VersionSelector::range(text),
        RangePurpose::Skip | RangePurpose::Unskip => VersionSelector::parse(text),
    };
    let matching = match matching {
        Ok(matching) => matching,
        Err(refused) => {
            let error = Some(RangeSyntaxError {
                reason: refused.reason,
                at: blang::fault(text),
            });
            return RangeMatches {
                total,
                error,
                ..RangeMatches::default()
            };
        }
    };
    let listed: HashSet<&str> = entry_names(channel).collect();
    let matched = all
        .into_iter()
        .filter(|(version, _)| matching.contains(&version.version));
    let versions = matched.map(|(version, name)| CaughtVersion {
        name: name.to_owned(),
        version: version.version.to_string(),
        is_listed: listed.contains(name),
    });
    let contains_own = own_version.is_some_and(|own| matching.contains(&own.version));
    RangeMatches {
        versions: versions.collect(),
        total,
        contains_own,
        error: None,
    }
}

fn entry_names(channel: Option<&ChannelBlob>) -> impl Iterator<Item = &str> {
    channel
        .into_iter()
        .flat_map(|channel| &channel.entries)
        .map(|entry| entry.name.as_str())
}

/// Returns the distinct names with readable versions.
fn find_candidates<'a>(
    package: &'a Package,
    bundles: &Bundles<'_>,
    channel: Option<&'a ChannelBlob>,
    name: &str,
    purpose: RangePurpose,
) -> Vec<(VersionRelease, &'a str)> {
    let entry = channel.and_then(|channel| channel.entry(name));
    let skips = || {
        entry
            .into_iter()
            .flat_map(|entry| &entry.skips)
            .map(|skip| skip.as_str())
    };
    let skipped: HashSet<&str> = if purpose == RangePurpose::Skip {
        skips().collect()
    } else {
        HashSet::new()
    };
    let candidates: Vec<&str> = match purpose {
        RangePurpose::SkipRange => {
            let bundles = package.bundles.iter().map(|bundle| bundle.name.as_str());
            let entries = package.entries().map(|entry| entry.name.as_str());
            bundles.chain(entries).collect()
        }
        RangePurpose::Skip => entry_names(channel)
            .filter(|name| !skipped.contains(name))
            .collect(),
        RangePurpose::Unskip => skips().collect(),
    };
    let mut seen = HashSet::new();
    let distinct = candidates
        .into_iter()
        .filter(|other| *other != name && !other.is_empty())
        .filter(|name| seen.insert(*name));
    distinct
        .filter_map(|name| Some((version(bundles, name)?, name)))
        .collect()
}

#[cfg(test)]
mod version_selector_tests {
    use super::*;

    #[test]
    fn a_y_stream_is_written_with_z() {
        assert_eq!(parse_stream("1.29.z"), Some((1, 29)));
        for text in [
            "1.29",
            "1.29.x",
            "1.z",
            ".1.z",
            "+1.2.z",
            "1.2.3.z",
            "-1.2.z",
            "1.99999999999999999999.z",
        ] {
            assert_eq!(parse_stream(text), None, "{text}");
        }
        let refused = VersionSelector::parse("1.29").err().unwrap();
        assert!(
            refused.reason.contains("`1.29` is not a version range"),
            "{}",
            refused.reason
        );
        assert!(refused.help.contains("1.2.z"));
    }

    #[test]
    fn a_y_stream_has_its_prereleases_and_no_other_streams() {
        let matching = VersionSelector::parse("1.29.z").unwrap();
        let contains = |text: &str| matching.contains(&Version::parse(text).unwrap());
        assert!(
            contains("1.29.0-rc.1")
                && contains("1.29.7")
                && !contains("1.30.0-rc.1")
                && !contains("2.29.0")
        );
    }
}

#[cfg(test)]
mod range_matches_tests {
    use super::*;
    use catalog::testing::package;

    const CHANNELS: &str = "c: p.v1.2.0@1.2.0 r:p.v1.1.0 s:p.v1.0.5; p.v1.1.0@1.1.0; p.v1.0.5@1.0.5; p.v1.0.0\nd: p.v0.9.0@0.9.0";

    fn match_names(name: &str, text: &str, purpose: RangePurpose) -> (Vec<String>, usize) {
        let caught = range_matches(&package(CHANNELS), "c", name, text, purpose);
        assert_eq!(caught.error, None, "{text}");
        let describe = |v: &CaughtVersion| {
            if v.is_listed {
                v.version.clone()
            } else {
                format!("({})", v.version)
            }
        };
        (caught.versions.iter().map(describe).collect(), caught.total)
    }

    #[test]
    fn a_skip_range_covers_everything_that_may_be_installed() {
        let all = vec![
            "1.1.0".to_owned(),
            "1.0.5".to_owned(),
            "1.0.0".to_owned(),
            "(0.9.0)".to_owned(),
        ];
        assert_eq!(
            match_names("p.v1.2.0", ">=0.9.0 <1.2.0", RangePurpose::SkipRange),
            (all, 4)
        );
        assert_eq!(
            match_names("p.v1.2.0", "<0.1.0", RangePurpose::SkipRange),
            (vec![], 4)
        );
        assert_eq!(
            match_names("p.v1.2.0", "", RangePurpose::SkipRange),
            (vec![], 4)
        );
        assert!(
            range_matches(
                &package(CHANNELS),
                "c",
                "p.v1.2.0",
                "<=1.2.0",
                RangePurpose::SkipRange
            )
            .contains_own
        );
    }

    #[test]
    fn skips_are_added_to_existing_ones() {
        assert_eq!(
            match_names("p.v1.2.0", "1.0.z", RangePurpose::Skip),
            (vec!["1.0.0".to_owned()], 2)
        );
        assert_eq!(
            match_names("p.v1.0.5", ">=1.0.0", RangePurpose::Skip),
            (vec!["1.0.0".to_owned()], 1)
        );
        assert_eq!(
            match_names("p.v1.2.0", "1.0.z", RangePurpose::Unskip),
            (vec!["1.0.5".to_owned()], 1)
        );
    }

    #[test]
    fn unreadable_ranges_have_an_error_position() {
        for (text, at) in [
            (">=1.0.0 <x1", Some(8..11)),
            ("^1.0.0", Some(0..6)),
            ("|| >1.0.0", Some(0..2)),
            (">1.0.0 ||", Some(7..9)),
            ("> 1.0 <2.0.0", Some(0..5)),
            ("1.0.z", Some(0..5)),
            ("1", None),
        ] {
            let caught = range_matches(
                &package(CHANNELS),
                "c",
                "p.v1.2.0",
                text,
                RangePurpose::SkipRange,
            );
            let error = caught.error.unwrap_or_else(|| panic!("{text}"));
            assert_eq!(error.at, at, "{text}: {}", error.reason);
        }
    }
}
