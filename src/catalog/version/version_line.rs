//! The axis of all versions, cut at range bounds.

use super::Version;
use super::blang::Range;
use std::cmp::Ordering;
use std::fmt;
use std::ops::Range as Run;
use syntax::order::SortSmall;

/// The version axis, cut at the bounds of some ranges. Between two cuts each range contains all
/// versions or none.
#[derive(Debug, Clone)]
pub struct VersionLine<'a> {
    /// Ascending and distinct. Slot `2 * i + 1` is bound `i`, and slot `2 * i` is the gap below it.
    bounds: Vec<&'a Version>,
    slots: Vec<usize>,
}

/// A position between two versions.
#[derive(Debug, Clone)]
pub struct Cut {
    /// The lowest version above it; `None` if there is none.
    above: Option<Version>,
    /// The version just below it, if the range has that bound: `>1.0.0` rather than `>=1.0.1-0`.
    below: Option<Version>,
}

/// All versions between two cuts.
#[derive(Debug, Clone)]
pub struct Interval {
    pub lower: Cut,
    pub upper: Cut,
}

impl<'a> VersionLine<'a> {
    pub fn new(ranges: impl IntoIterator<Item = &'a Range>) -> Self {
        let comparisons = ranges.into_iter().flat_map(Range::alternatives).flatten();
        let mut bounds: Vec<&Version> = comparisons.map(|comparison| &comparison.version).collect();
        bounds.sort_small_by(|a, b| a.cmp_precedence(b));
        bounds.dedup_by(|a, b| a.cmp_precedence(b).is_eq());
        let slots = (0..2 * bounds.len() + 1).collect();
        Self { bounds, slots }
    }

    /// Returns the slots that a range contains, per alternative.
    pub fn runs(&self, range: &Range) -> Vec<Run<usize>> {
        range.runs(&self.slots, |&slot, bound| {
            match self.bounds.get(slot / 2) {
                None => Ordering::Greater,
                Some(at) => at.cmp_precedence(bound).then(if slot % 2 == 0 {
                    Ordering::Less
                } else {
                    Ordering::Equal
                }),
            }
        })
    }

    pub fn slot(&self, version: &Version) -> usize {
        let below = self
            .bounds
            .partition_point(|bound| bound.cmp_precedence(version).is_lt());
        let is_bound = self
            .bounds
            .get(below)
            .is_some_and(|bound| bound.cmp_precedence(version).is_eq());
        2 * below + usize::from(is_bound)
    }

    /// Returns the start of a slot; `None` after the last one.
    pub fn cut_at(&self, slot: usize) -> Option<Cut> {
        if slot % 2 == 1 {
            return self.bounds.get(slot / 2).map(|bound| Cut::before(bound));
        }
        match (slot / 2).checked_sub(1) {
            None => Some(Cut::start()),
            Some(below) => self.bounds.get(below).map(|bound| Cut::after(bound)),
        }
    }
}

impl Cut {
    fn is_above(&self, version: &Version) -> bool {
        let above = self.above.as_ref();
        above.is_none_or(|above| version.cmp_precedence(above).is_lt())
    }

    pub fn start() -> Self {
        Self {
            above: Version::lowest(),
            below: None,
        }
    }

    pub fn end() -> Self {
        Self {
            above: None,
            below: None,
        }
    }

    pub fn before(version: &Version) -> Self {
        Self {
            above: Some(version.without_build()),
            below: None,
        }
    }

    pub fn after(version: &Version) -> Self {
        Self {
            above: version.successor(),
            below: Some(version.without_build()),
        }
    }

    /// Returns the lowest version above it; `None` if there is none.
    pub fn above(&self) -> Option<&Version> {
        self.above.as_ref()
    }

    pub fn is_end(&self) -> bool {
        self.above.is_none()
    }

    /// Compares by position: two cuts without a version between them are equal.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (&self.above, &other.above) {
            (Some(a), Some(b)) => a.cmp_precedence(b),
            (a, b) => a.is_none().cmp(&b.is_none()),
        }
    }

    fn is_start(&self) -> bool {
        self.compare(&Self::start()).is_eq()
    }
}

impl Interval {
    /// Returns its version if it contains no other.
    pub fn only_version(&self) -> Option<&Version> {
        let (only, end) = (self.lower.above()?, self.upper.above()?);
        only.successor()
            .is_some_and(|next: Version| next.cmp_precedence(end).is_eq())
            .then_some(only)
    }

    /// Returns the release if the interval contains all of its pre-releases and nothing else: 1.0.1
    /// for `>1.0.0 <1.0.1`.
    pub fn only_prereleases_of(&self) -> Option<&Version> {
        let (first, release) = (self.lower.above()?, self.upper.above()?);
        let is_all = first.prerelease() == "0" && release.prerelease().is_empty();
        (is_all && first.release_version() == *release).then_some(release)
    }

    pub fn is_empty(&self) -> bool {
        self.lower.compare(&self.upper).is_ge()
    }

    pub fn contains(&self, version: &Version) -> bool {
        !self.lower.is_above(version) && self.upper.is_above(version)
    }
}

impl PartialEq for Interval {
    fn eq(&self, other: &Self) -> bool {
        self.lower.compare(&other.lower).is_eq() && self.upper.compare(&other.upper).is_eq()
    }
}

impl Eq for Interval {}

impl fmt::Display for Interval {
    /// Writes the interval in skip range syntax.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lower, upper } = self;
        if let Some(only) = self.only_version() {
            return only.fmt(f);
        }
        let from = match lower {
            lower if lower.is_start() => None,
            Cut {
                below: Some(below), ..
            } => Some(format!(">{below}")),
            Cut { above, .. } => above.as_ref().map(|above| format!(">={above}")),
        };
        let to = match upper {
            Cut {
                below: Some(below), ..
            } => Some(format!("<={below}")),
            Cut { above, .. } => above.as_ref().map(|above| format!("<{above}")),
        };
        match (from, to) {
            (Some(from), Some(to)) => write!(f, "{from} {to}"),
            (Some(one), None) | (None, Some(one)) => f.write_str(&one),
            (None, None) => f.write_str("all versions"),
        }
    }
}

/// Returns the versions in `range` but not in `other`, as ascending disjoint intervals.
pub fn difference(range: &Range, other: Option<&Range>) -> Vec<Interval> {
    let line = VersionLine::new(std::iter::once(range).chain(other));
    let contained = line.runs(range);
    let excluded = other.map_or_else(Vec::new, |other| line.runs(other));
    let mut intervals: Vec<Interval> = Vec::new();
    for &slot in &line.slots {
        if !in_runs(&contained, slot) || in_runs(&excluded, slot) {
            continue;
        }
        let Some(lower) = line.cut_at(slot) else {
            continue;
        };
        let upper = line.cut_at(slot + 1).unwrap_or_else(Cut::end);
        match intervals.last_mut() {
            Some(last) if last.upper.compare(&lower).is_eq() => last.upper = upper,
            _ => intervals.push(Interval { lower, upper }),
        }
    }
    intervals.retain(|interval| !interval.is_empty());
    intervals
}

fn in_runs(runs: &[Run<usize>], slot: usize) -> bool {
    runs.iter().any(|run| run.contains(&slot))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap()
    }

    fn range(text: &str) -> Range {
        Range::parse(text).unwrap()
    }

    #[test]
    fn the_successor_is_the_lowest_higher_version() {
        let most = u64::MAX;
        for (of, next) in [
            ("1.2.3".to_owned(), Some("1.2.4-0".to_owned())),
            ("1.2.3+2".to_owned(), Some("1.2.4-0".to_owned())),
            ("1.2.3-rc".to_owned(), Some("1.2.3-rc.0".to_owned())),
            ("0.0.0-0".to_owned(), Some("0.0.0-0.0".to_owned())),
            (format!("1.2.{most}"), Some("1.3.0-0".to_owned())),
            (format!("1.{most}.{most}"), Some("2.0.0-0".to_owned())),
            (format!("{most}.{most}.{most}"), None),
        ] {
            let found = version(&of).successor();
            assert_eq!(found.as_ref().map(Version::to_string), next, "{of}");
            assert!(found.is_none_or(|found| found.cmp_precedence(&version(&of)).is_gt()));
        }
    }

    #[test]
    fn an_interval_below_a_release_has_only_its_prereleases() {
        let release = |text: &str| {
            let intervals = difference(&range(text), None);
            intervals[0]
                .only_prereleases_of()
                .map(|version| version.to_string())
        };
        assert_eq!(release(">1.0.0 <1.0.1"), Some("1.0.1".to_owned()));
        for others in [
            ">=1.0.1-rc.1 <1.0.1-rc.9",
            ">=1.0.1-rc.1 <1.0.1",
            ">1.0.0 <=1.0.1",
            ">=1.0.0 <1.0.1",
            ">1.0.0 <1.0.2",
            ">1.0.0",
        ] {
            assert_eq!(release(others), None, "{others}");
        }
    }

    #[test]
    fn a_difference_contains_what_only_the_first_range_contains() {
        let lost = |was: &str, is: Option<&str>| -> Vec<String> {
            let intervals = difference(&range(was), is.map(range).as_ref());
            intervals.iter().map(Interval::to_string).collect()
        };
        assert_eq!(lost(">=1.0.0 <2.1.0", None), [">=1.0.0 <2.1.0"]);
        assert_eq!(
            lost(">=1.0.0 <2.1.0", Some(">=2.0.0 <2.1.0")),
            [">=1.0.0 <2.0.0"]
        );
        assert_eq!(lost("<=2.0.0", Some("<2.0.0")), ["2.0.0"]);
        assert_eq!(lost("!=1.0.0", Some(">1.0.0")), ["<1.0.0"]);
        assert_eq!(lost(">1.0.0", Some(">=1.0.1-0")), [""; 0]);
        assert_eq!(
            lost("<1.0.0 || >=2.0.0", Some("1.x")),
            ["<1.0.0", ">=2.0.0"]
        );
        assert_eq!(
            lost("1.x", Some("1.1.x")),
            [">=1.0.0 <1.1.0", ">=1.2.0 <2.0.0"]
        );
    }

    #[test]
    fn an_interval_contains_its_versions() {
        let interval = Interval {
            lower: Cut::after(&version("1.0.0")),
            upper: Cut::before(&version("2.0.0")),
        };
        for (text, is_in) in [
            ("1.0.0", false),
            ("1.0.0+2", false),
            ("1.0.1-0", true),
            ("2.0.0-rc.1", true),
            ("2.0.0", false),
        ] {
            assert_eq!(interval.contains(&version(text)), is_in, "{text}");
        }
        let all = Interval {
            lower: Cut::start(),
            upper: Cut::end(),
        };
        assert!(all.contains(&version("0.0.0-0")) && all.contains(&version("9.9.9")));
        assert_eq!(all.to_string(), "all versions");
    }
}
