//! Selects many entries by version: a range in the dialect of `skipRange`, or a y-stream like
//! `1.29.z`.

use super::entry_order::Bundles;
use super::refused::Refused;
use super::{CatalogView, entry_order};
use crate::model::{ChannelBlob, Located, Package};
use crate::order::SortSmall;
use crate::version::blang::Range;
use crate::version::version_in_name;
use crate::version::{Version, VersionRelease};
use std::cmp::Ordering;

/// The parsed selector with its text.
pub(super) struct VersionSelector<'t> {
    text: &'t str,
    what: Pattern,
}

enum Pattern {
    /// Every version of a y-stream, prereleases included.
    Stream {
        major: u64,
        minor: u64,
    },
    Range(Range),
}

impl<'t> VersionSelector<'t> {
    pub(super) fn parse(text: &'t str) -> Result<Self, Refused> {
        if let Some((major, minor)) = stream(text) {
            return Ok(Self {
                text,
                what: Pattern::Stream { major, minor },
            });
        }
        let range = Range::parse(text).map_err(|error| {
            Refused::new(format!("`{text}` is not a version range: {error}")).help(
                "write a version range such as `>=1.2.0 <1.3.0`, or a y-stream such as `1.2.z`",
            )
        })?;
        Ok(Self {
            text,
            what: Pattern::Range(range),
        })
    }

    /// Accepts a version range only, no y-stream.
    pub(super) fn range(text: &'t str) -> Result<Self, Refused> {
        let range = Range::parse(text).map_err(|error| Refused::new(error.to_string()))?;
        Ok(Self {
            text,
            what: Pattern::Range(range),
        })
    }

    pub(super) fn holds(&self, version: &Version) -> bool {
        match &self.what {
            Pattern::Stream { major, minor } => {
                version.major() == *major && version.minor() == *minor
            }
            Pattern::Range(range) => range.contains(version),
        }
    }

    /// Matching entries of the channel below the entry `at`, lowest first.
    pub(super) fn lower_entries<'a>(
        &self,
        view: &CatalogView<'_>,
        package: &Package,
        channel: &'a Located<ChannelBlob>,
        at: usize,
    ) -> Result<Vec<&'a str>, Refused> {
        let bundles = Bundles::new(package);
        let name = |i: usize| channel.entries[i].name.as_str();
        let here = || view.location(channel.file, channel.index, channel.entries[at].name.place);
        let own = version(&bundles, name(at)).ok_or_else(|| {
            Refused::new(format!(
                "the version of `{}` cannot be read, so lower versions cannot be found",
                name(at)
            ))
            .help("name the entries to skip")
            .at(here())
        })?;
        let lower =
            |v: &VersionRelease| v.compare(&own) == Ordering::Less && self.holds(&v.version);
        let named_entries = channel.entries.iter().filter(|e| !e.name.is_empty());
        let known = named_entries
            .filter_map(|e| Some((version(&bundles, e.name.as_str())?, e.name.as_str())));
        let mut found: Vec<(VersionRelease, &str)> = known.filter(|(v, _)| lower(v)).collect();
        found.sort_small_by(|(a, _), (b, _)| a.compare(b));
        if found.is_empty() {
            let reason = format!(
                "channel `{}` has no entry below `{}` in the range `{}`",
                channel.name.value,
                name(at),
                self.text
            );
            return Err(Refused::new(reason)
                .help(self.nearest(&bundles, channel, &own))
                .at(here()));
        }
        Ok(found.into_iter().map(|(_, name)| name).collect())
    }

    /// Matching names that the entry `at` skips.
    pub(super) fn skips(
        &self,
        view: &CatalogView<'_>,
        package: &Package,
        channel: &Located<ChannelBlob>,
        at: usize,
    ) -> Result<Vec<String>, Refused> {
        let bundles = Bundles::new(package);
        let entry = &channel.entries[at];
        let matches = |name: &str| version(&bundles, name).is_some_and(|v| self.holds(&v.version));
        let found: Vec<String> = entry
            .skips
            .iter()
            .filter(|s| matches(s.as_str()))
            .map(|s| s.value.to_string())
            .collect();
        if found.is_empty() {
            let skipped = if entry.skips.is_empty() {
                "it skips nothing"
            } else {
                "see the `skips` of the entry"
            };
            return Err(Refused::new(format!(
                "`{}` skips nothing in `{}`",
                entry.name.value, self.text
            ))
            .help(skipped)
            .at(view.location(channel.file, channel.index, entry.name.place)));
        }
        Ok(found)
    }

    /// For a refusal: the available versions.
    fn nearest(
        &self,
        bundles: &Bundles<'_>,
        channel: &ChannelBlob,
        own: &VersionRelease,
    ) -> String {
        let mut lower: Vec<VersionRelease> = channel
            .entries
            .iter()
            .filter_map(|e| version(bundles, e.name.as_str()))
            .filter(|v| v.compare(own) == Ordering::Less)
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

/// `1.29.z`
fn stream(text: &str) -> Option<(u64, u64)> {
    let (major, minor) = text.strip_suffix(".z")?.split_once('.')?;
    let number = |text: &str| {
        text.bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| text.parse().ok())
            .flatten()
    };
    Some((number(major)?, number(minor)?))
}

/// The bundle's version, or without a bundle the one at the end of the name.
pub(super) fn version(bundles: &entry_order::Bundles<'_>, name: &str) -> Option<VersionRelease> {
    if bundles.has(name) {
        return bundles.version(name);
    }
    version_in_name(name).map(|(_, version)| VersionRelease {
        version,
        release: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_y_stream_is_written_with_z() {
        assert_eq!(stream("1.29.z"), Some((1, 29)));
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
            assert_eq!(stream(text), None, "{text}");
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
        let holds = |text: &str| matching.holds(&Version::parse(text).unwrap());
        assert!(
            holds("1.29.0-rc.1") && holds("1.29.7") && !holds("1.30.0-rc.1") && !holds("2.29.0")
        );
    }
}
