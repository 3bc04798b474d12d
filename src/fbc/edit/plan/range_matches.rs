//! Versions that match a range as it is typed, for *Set skip range* and for *Add* and *Remove skip*
//! by version. Shows exactly what the operation would do.

use super::entry_order::Bundles;
use super::version_selector::{VersionSelector, version};
use crate::model::{ChannelBlob, Package};
use crate::order::SortSmall;
use crate::version::{VersionRelease, blang};
use protocol::request::RangePurpose;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::ops::Range;

/// The versions that match a range.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RangeMatches {
    /// Highest first.
    pub versions: Vec<MatchedVersion>,
    /// Number of candidates with a readable version.
    pub total: usize,
    /// Whether the range contains the entry's own version.
    pub own: bool,
    pub error: Option<RangeSyntaxError>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedVersion {
    pub name: String,
    pub version: String,
    /// Whether the channel lists it.
    pub listed: bool,
}

/// Why a text is not a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeSyntaxError {
    pub reason: String,
    /// The invalid part of the text, in bytes.
    pub at: Option<Range<usize>>,
}

/// `channel` and `name`: the entry of the range; if the package lacks it, there are as many
/// candidates as possible. An empty text matches nothing.
pub fn range_matches(
    package: &Package,
    channel: &str,
    name: &str,
    text: &str,
    purpose: RangePurpose,
) -> RangeMatches {
    let bundles = Bundles::new(package);
    let channel = package.channel(channel).map(|channel| &*channel.data);
    let own = version(&bundles, name);
    let mut all = candidates(package, &bundles, channel, name, purpose);
    if purpose == RangePurpose::Skip
        && let Some(own) = &own
    {
        all.retain(|(version, _)| version.compare(own) == Ordering::Less);
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
    let listed: HashSet<&str> = names(channel).collect();
    let found = all
        .into_iter()
        .filter(|(version, _)| matching.holds(&version.version));
    let versions = found.map(|(version, name)| MatchedVersion {
        name: name.to_owned(),
        version: version.version.to_string(),
        listed: listed.contains(name),
    });
    let own = own.is_some_and(|own| matching.holds(&own.version));
    RangeMatches {
        versions: versions.collect(),
        total,
        own,
        error: None,
    }
}

fn names(channel: Option<&ChannelBlob>) -> impl Iterator<Item = &str> {
    channel
        .into_iter()
        .flat_map(|channel| &channel.entries)
        .map(|entry| entry.name.as_str())
}

/// Distinct names with readable versions.
fn candidates<'a>(
    package: &'a Package,
    bundles: &Bundles<'_>,
    channel: Option<&'a ChannelBlob>,
    name: &str,
    purpose: RangePurpose,
) -> Vec<(VersionRelease, &'a str)> {
    let own = channel.and_then(|channel| {
        channel
            .entries
            .iter()
            .find(|entry| entry.name.as_str() == name)
    });
    let skips = || {
        own.into_iter()
            .flat_map(|entry| &entry.skips)
            .map(|skip| skip.as_str())
    };
    let skipped: HashSet<&str> = if purpose == RangePurpose::Skip {
        skips().collect()
    } else {
        HashSet::new()
    };
    let wanted: Vec<&str> = match purpose {
        RangePurpose::SkipRange => {
            let edges = package
                .channels
                .iter()
                .flat_map(|channel| &channel.entries)
                .map(|entry| entry.name.as_str());
            package
                .bundles
                .iter()
                .map(|bundle| bundle.name.as_str())
                .chain(edges)
                .collect()
        }
        RangePurpose::Skip => names(channel)
            .filter(|name| !skipped.contains(name))
            .collect(),
        RangePurpose::Unskip => skips().collect(),
    };
    let mut seen = HashSet::new();
    let is_other = |other: &&str| *other != name && !other.is_empty();
    let once = wanted
        .into_iter()
        .filter(is_other)
        .filter(|name| seen.insert(*name));
    once.filter_map(|name| Some((version(bundles, name)?, name)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upgrade::testing::package;

    const CHANNELS: &str = "c: p.v1.2.0@1.2.0 r:p.v1.1.0 s:p.v1.0.5; p.v1.1.0@1.1.0; p.v1.0.5@1.0.5; p.v1.0.0\nd: p.v0.9.0@0.9.0";

    fn match_names(name: &str, text: &str, purpose: RangePurpose) -> (Vec<String>, usize) {
        let caught = range_matches(&package(CHANNELS), "c", name, text, purpose);
        assert_eq!(caught.error, None, "{text}");
        let describe = |v: &MatchedVersion| {
            if v.listed {
                v.version.clone()
            } else {
                format!("({})", v.version)
            }
        };
        (caught.versions.iter().map(describe).collect(), caught.total)
    }

    #[test]
    fn a_skip_range_is_for_all_that_may_be_installed() {
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
            .own
        );
    }

    #[test]
    fn skips_are_added_to_those_that_are_there() {
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
