//! Advice on skip ranges.

use super::super::rules::prelude::*;
use super::ranges::{
    MAX_NAMED, contains_any, end_below_fixes, is_unbounded, names_above, skip_range,
};
use catalog::version::blang::{Operator, Range};
use catalog::version::version_line::{Cut, Interval, difference};
use catalog::version::{Version, version_in_name};
use protocol::counting::first_of;
use syntax::order::SortSmall;

pub const SKIP_RANGE_ABOVE: RuleDoc = RuleDoc::advice(
    "skip-range-above",
    Severity::Warning,
    Profile::Community,
    "A skipRange covers versions above that of its own entry, although it excludes that one.",
    "OLM does not compare the versions along an edge: users of the higher versions are moved down to the entry. Under OLM v1 \
     this happens where the ClusterExtension names the channel, or where the higher version is gone from the catalog.",
    "End the range below the entry's own version: `<VERSION`.",
)
.in_templates()
.bad(examples![two_versions!("  skipRange: '>=1.0.0 !=1.1.0 <1.2.0'")])
.good(examples![two_versions!("  skipRange: '>=0.9.0 <1.1.0'")]);

/// Returns the range of an entry, and the version of its bundle.
fn range_and_version(view: &EntryView<'_>) -> Option<(Range, Version)> {
    let (_, bundle) = view.bundle?;
    Some((skip_range(view)?, Version::parse(bundle.version()).ok()?))
}

/// Returns what a range covers above the version of its own entry.
fn intervals_above(range: &Range, own: &Version) -> Vec<Interval> {
    let own_end = Cut::after(own);
    let mut above = difference(range, None);
    above.retain(|interval| interval.upper.compare(&own_end).is_gt());
    if let Some(first) = above.first_mut()
        && first.lower.compare(&own_end).is_lt()
    {
        first.lower = own_end;
    }
    above
}

pub fn check_skip_range_above(scope: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    let Some((range, own)) = range_and_version(view) else {
        return;
    };
    // `skip-range-self` and `skip-range-unbounded` report the others.
    if range.contains(&own) || is_unbounded(&range) {
        return;
    }
    let above = intervals_above(&range, &own);
    if above.is_empty() {
        return;
    }
    let (name, text) = (&view.entry.name.value, &view.entry.skip_range);
    let at_risk = names_above(scope, &range, &own);
    let who = match at_risk.as_str() {
        "" => first_of(
            above
                .iter()
                .map(|interval| match interval.only_prereleases_of() {
                    Some(release) => format!("pre-releases of {release}"),
                    None => format!("`{interval}`"),
                }),
            MAX_NAMED,
        ),
        names => names.to_owned(),
    };
    let message = format!(
        "skipRange `{}` of entry `{name}` moves users of {who} down to {own}",
        text.value
    );
    let finding = view
        .finding(text.place, message)
        .help(format!("end it with `<{own}`"))
        .fixes(end_below_fixes(scope, view, &range, &own));
    out.report(finding);
}

pub const SKIP_RANGE_EMPTY: RuleDoc = RuleDoc::advice(
    "skip-range-empty",
    Severity::Warning,
    Profile::Strict,
    "A skipRange covers no other version of the package.",
    "Versions in the range upgrade to the entry directly. No bundle in the package, and no \
     name that an entry replaces or skips, has such a version: either the range is wrong, or it covers versions that \
     were never in this catalog. The latter is common, so this rule is in the `strict` profile only.",
    "Correct the bounds if the range is meant for listed versions. Do not remove it: it may be the only way on for users on \
     versions that the catalog does not list.",
)
.in_templates()
.bad(examples![two_versions!("  skipRange: '>1.0.0 <1.1.0'")])
.good(examples![two_versions!("  skipRange: '>=1.0.0 <1.1.0'")]);

pub fn check_skip_range_empty(scope: &Scope<'_>, out: &mut Findings) {
    if scope
        .channels
        .iter()
        .all(|c| c.entries.iter().all(|e| e.skip_range.is_empty()))
    {
        return;
    }
    let mut versions: Vec<Version> = scope
        .package
        .bundles
        .iter()
        .filter_map(|b| Version::parse(b.version()).ok())
        .collect();
    let entries = scope.channels.iter().flat_map(|c| &c.entries);
    let targets = entries
        .flat_map(|e| e.skips.iter().chain([&e.replaces]))
        .map(|n| n.as_str());
    let gone = targets.filter(|name| scope.bundle(name).is_none());
    versions.extend(gone.filter_map(|name| version_in_name(name).map(|(_, version)| version)));
    versions.sort_small_by(Version::cmp_precedence);
    for channel in &scope.channels {
        for view in scope.entries(channel) {
            let Some(range) = skip_range(&view) else {
                continue;
            };
            let own = scope.version(view.entry.name.as_str());
            // `skip-range-impossible` reports ranges without any version.
            if contains_any(&range, &versions, own) || difference(&range, None).is_empty() {
                continue;
            }
            let (name, text) = (&view.entry.name.value, &view.entry.skip_range);
            let message = format!(
                "skipRange `{}` of entry `{name}` covers no other version of the package",
                text.value
            );
            let finding = channel.finding(text.place, message);
            out.report(finding.channel(&channel.blob.name.value).bundle(name));
        }
    }
}

pub const SKIP_RANGE_IMPOSSIBLE: RuleDoc = RuleDoc::advice(
    "skip-range-impossible",
    Severity::Warning,
    Profile::Community,
    "No version can satisfy a skipRange.",
    "Its comparisons exclude each other, as in `>=1.0.0 <1.0.0`. The range leads nobody to the entry: users on versions \
     that no `replaces` or `skips` names get no update.",
    "Correct the bounds: `>=OLDEST <VERSION`, where VERSION is that of the entry.",
)
.in_templates()
.bad(examples![two_versions!("  skipRange: '>=1.1.0 <1.1.0'")])
.good(examples![two_versions!("  skipRange: '>=0.9.0 <1.1.0'")]);

pub fn check_skip_range_impossible(scope: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    let Some(range) = skip_range(view) else {
        return;
    };
    if !difference(&range, None).is_empty() {
        return;
    }
    let (name, text) = (&view.entry.name.value, &view.entry.skip_range);
    let message = format!(
        "no version can satisfy skipRange `{}` of entry `{name}`",
        text.value
    );
    let finding = view.finding(text.place, message);
    let remove = set_skip_range(scope, view, None);
    let finding = finding.fixes([Fix::from_op("remove the skipRange", false, remove)]);
    out.report(finding);
}

pub const SKIP_RANGE_ONLY_IN_CSV: RuleDoc = RuleDoc::advice(
    "skip-range-only-in-csv",
    Severity::Info,
    Profile::Community,
    "The CSV of a channel head is annotated with an `olm.skipRange` that no entry of the bundle has.",
    "In a catalog only the entries of channels are edges: neither `opm` nor OLM reads the annotation there. If it was meant \
     to take effect, users within the range get no update.",
    "Set the entry's `skipRange` if the range is meant; otherwise leave it.",
)
.bad(examples![etcd!(
    "- type: olm.csv.metadata\n  value:\n    annotations:\n      olm.skipRange: '>=0.1.0 <1.0.0'\n    displayName: etcd\n"
)])
.good(examples![concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0\n  skipRange: '>=0.1.0  <1.0.0'"),
    bundle!(
        "etcd",
        "1.0.0",
        "- type: olm.csv.metadata\n  value:\n    annotations:\n      olm.skipRange: '>=0.1.0 <1.0.0'\n    displayName: \
         etcd\n"
    ),
)]);

pub fn check_skip_range_only_in_csv(
    scope: &Scope<'_>,
    channel: &ChannelScope<'_>,
    out: &mut Findings,
) {
    for &head in channel.heads() {
        let entry = channel.entries[head];
        let name = &entry.name.value;
        let Some((_, bundle)) = scope.bundle(name) else {
            continue;
        };
        let Some(range) = bundle.csv_skip_range.as_deref().map(|range| &**range) else {
            continue;
        };
        // Report it once, in the first channel that the bundle heads.
        let mut listing = scope
            .channels
            .iter()
            .filter(|other| other.position(name).is_some());
        let is_first = scope
            .channels
            .iter()
            .find(|other| other.heads().iter().any(|&h| other.name_of(h) == &**name))
            .is_some_and(|first| first.nth == channel.nth);
        if !is_first
            || listing.any(|other| {
                other
                    .position(name)
                    .is_some_and(|at| is_same(other.entries[at].skip_range.as_str(), range))
            })
        {
            continue;
        }
        let channel_name = &channel.blob.name.value;
        let (has, place) = match entry.skip_range.as_str() {
            "" => ("has none".to_owned(), entry.name.place),
            own => (format!("has `{own}`"), entry.skip_range.place),
        };
        let message = format!(
            "the CSV of `{name}` is annotated with skipRange `{range}`, but its entry in channel `{channel_name}` {has}"
        );
        let op = scope
            .place(channel_name, name)
            .set_skip_range(Some(range.to_owned()));
        let fix = Range::parse(range)
            .is_ok()
            .then(|| Fix::from_op(format!("set the entry's skipRange to `{range}`"), false, op));
        out.report(channel.finding(place, message).bundle(name).fixes(fix));
    }
}

/// Whether two texts are equal except for blanks.
fn is_same(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
}

pub const SKIP_RANGE_SELF: RuleDoc = RuleDoc::advice(
    "skip-range-self",
    Severity::Warning,
    Profile::Community,
    "A skipRange covers the version of its own entry.",
    "The versions in the range upgrade to the entry. A version does not upgrade to itself, and when the range extends \
     above it, later versions in the range may be downgraded. Versions with build metadata are not checked: ranges \
     ignore it, so a range for earlier builds of a version covers the version itself.",
    "End the range below the entry's own version: `<VERSION`.",
)
.in_templates()
.bad(examples![two_versions!("  skipRange: '>=1.0.0 <=1.1.0'")])
.good(examples![two_versions!("  skipRange: '>=1.0.0 <1.1.0'")]);

pub fn check_skip_range_self(scope: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    let Some((range, own)) = range_and_version(view) else {
        return;
    };
    // `skip-range-unbounded` reports ranges without an upper bound. A range that covers earlier
    // builds cannot exclude this one.
    if !own.build().is_empty() || !range.contains(&own) || is_unbounded(&range) {
        return;
    }
    let (name, text) = (&view.entry.name.value, &view.entry.skip_range);
    let at_risk = match names_above(scope, &range, &own) {
        names if names.is_empty() => {
            let above = intervals_above(&range, &own);
            let release = match above.as_slice() {
                [only] => only.only_prereleases_of(),
                _ => None,
            };
            release.map_or_else(String::new, |of| format!(" and pre-releases of {of}"))
        }
        names => format!(" and moves users of {names} down to it"),
    };
    let message = format!(
        "skipRange `{}` of entry `{name}` covers its own version {own}{at_risk}",
        text.value
    );
    let finding = view
        .finding(text.place, message)
        .help(format!("end it with `<{own}`"))
        .fixes(end_below_fixes(scope, view, &range, &own));
    out.report(finding);
}

pub const SKIP_RANGE_SHORT: RuleDoc = RuleDoc::advice(
    "skip-range-short",
    Severity::Warning,
    Profile::Community,
    "The skipRange of a head ends below the version that the head replaces.",
    "Users on a version between the two get no update, unless an entry of the channel names it: neither the range nor \
     `replaces` takes them.",
    "End the range with the version of the head: `<VERSION`.",
)
.in_templates()
.bad(examples![two_versions!("  skipRange: '>=0.1.0 <0.9.0'")])
.good(examples![two_versions!("  skipRange: '>=0.9.0 <1.1.0'")]);

pub fn check_skip_range_short(scope: &Scope<'_>, channel: &ChannelScope<'_>, out: &mut Findings) {
    let &[head] = channel.heads() else {
        return;
    };
    let head = channel.name_of(head);
    let Some(view) = scope
        .entries(channel)
        .find(|view| view.entry.name.as_str() == head)
    else {
        return;
    };
    let Some(range) = skip_range(&view) else {
        return;
    };
    let replaced = view.entry.replaces.as_str();
    let Some(replaced_version) = scope
        .version(replaced)
        .cloned()
        .or_else(|| version_in_name(replaced).map(|(_, version)| version))
    else {
        return;
    };
    let Some(gap) = gap(&range, &replaced_version, || {
        let others = channel.blob.entries.iter();
        let others = others.filter(|entry| entry.name.as_str() != head);
        others
            .map(|entry| entry.skip_range.as_str())
            .filter(|text| Range::parse(text).is_ok())
            .map(str::to_owned)
            .collect()
    }) else {
        return;
    };
    let (name, text) = (&view.entry.name.value, &view.entry.skip_range);
    let message = format!(
        "skipRange `{}` of head `{name}` ends below {replaced_version} (`{replaced}`), which it replaces: it leaves out `{gap}`",
        text.value
    );
    let own = scope.version(head);
    let help = own.map_or_else(
        || SKIP_RANGE_SHORT.fix.to_owned(),
        |own| format!("end it with `<{own}`"),
    );
    let fixes = own.and_then(|own| widen(&range, own)).map(|range| {
        let title = format!("write it as `{range}`");
        Fix::from_op(title, false, set_skip_range(scope, &view, Some(range)))
    });
    let finding = channel.finding(text.place, message).help(help).fixes(fixes);
    out.report(finding.channel(&channel.blob.name.value).bundle(name));
}

/// Returns the first versions between the end of the range and the replaced version that the
/// channel's other ranges do not cover.
fn gap(
    range: &Range,
    replaced: &Version,
    others: impl FnOnce() -> Vec<String>,
) -> Option<Interval> {
    let end = difference(range, None).last()?.upper.clone();
    // Prereleases of the replaced version do not count.
    let first = format!(
        "{}.{}.{}-0",
        replaced.major(),
        replaced.minor(),
        replaced.patch()
    );
    let target = Version::parse(&first)
        .ok()
        .filter(|_| replaced.prerelease().is_empty());
    let target = Cut::before(target.as_ref().unwrap_or(replaced));
    if end.compare(&target).is_ge() {
        return None;
    }
    let gap = Range::parse(&format!(">={} <{}", end.above()?, target.above()?)).ok()?;
    let others = others().join(" || ");
    let left = difference(&gap, Range::parse(&others).ok().as_ref());
    left.first().cloned()
}

/// Extends the range to the head's own version, if it has a single lower bound.
fn widen(range: &Range, own: &Version) -> Option<String> {
    let [all] = range.alternatives() else {
        return None;
    };
    let mut kept: Vec<String> = Vec::new();
    for comparison in all {
        match comparison.operator {
            Operator::Less | Operator::LessOrEqual => {}
            Operator::Equal => return None,
            operator => kept.push(format!("{operator}{}", comparison.version)),
        }
    }
    kept.push(format!("<{own}"));
    Some(kept.join(" "))
}

pub const SKIP_RANGE_UNBOUNDED: RuleDoc = RuleDoc::advice(
    "skip-range-unbounded",
    Severity::Warning,
    Profile::Community,
    "A skipRange has no upper bound.",
    "It covers all later versions too, published or not. As long as the entry is listed, users of a later version \
     in another channel may be downgraded to it.",
    "End the range below the entry's own version: `>=1.0.0 <VERSION`.",
)
.in_templates()
.bad(examples![two_versions!("  skipRange: '>=1.0.0'")])
.good(examples![two_versions!("  skipRange: '>=1.0.0 <1.1.0'")]);

pub fn check_skip_range_unbounded(scope: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    let Some(range) = skip_range(view).filter(is_unbounded) else {
        return;
    };
    let own = view
        .bundle
        .and_then(|(_, bundle)| Version::parse(bundle.version()).ok());
    let (name, text) = (&view.entry.name.value, &view.entry.skip_range);
    let message = format!(
        "skipRange `{}` of entry `{name}` has no upper bound",
        text.value
    );
    let help = own.as_ref().map_or_else(
        || SKIP_RANGE_UNBOUNDED.fix.to_owned(),
        |own| format!("end it with `<{own}`"),
    );
    let fixes = own.map_or_else(Vec::new, |own| end_below_fixes(scope, view, &range, &own));
    let finding = view.finding(text.place, message).help(help).fixes(fixes);
    out.report(finding);
}

#[cfg(test)]
mod tests {
    use crate::validate::testing::Judge;
    use catalog::testing::PackageBuilder;

    #[test]
    fn versions_at_risk_are_named() {
        let messages = |range: &str| {
            let sketch = PackageBuilder::new("p")
                .channel("fast-1.2", &["a", &format!("b r:a sr:{range}")])
                .channel("fast-1.3", &["c"]);
            sketch
                .version("a", "1.2.4")
                .version("b", "1.2.5")
                .version("c", "1.3.0")
                .advice("skip-range-above")
        };
        assert_eq!(
            messages(">=1.2.4 <1.2.5 || >1.2.5 <1.3.1"),
            [
                "skipRange `>=1.2.4 <1.2.5 || >1.2.5 <1.3.1` of entry `b` moves users of 1.3.0 (`c`) down to 1.2.5"
            ]
        );
        assert_eq!(
            messages(">=1.4.0 <1.5.0"),
            [
                "skipRange `>=1.4.0 <1.5.0` of entry `b` moves users of `>=1.4.0 <1.5.0` down to 1.2.5"
            ]
        );
        // The first one covers its own version too; the last two cover nothing above it.
        for range in [">=1.2.4 <1.3.1", ">=1.2.4 <1.2.5", ">1.2.5 <1.2.6-0"] {
            assert_eq!(messages(range), [""; 0], "{range}");
        }
    }

    #[test]
    fn an_impossible_range_is_independent_of_listed_versions() {
        let messages = |range: &str| {
            let sketch = PackageBuilder::new("p").channel("c", &[&format!("b sr:{range}")]);
            sketch.version("b", "4.3.1").advice("skip-range-impossible")
        };
        for range in [
            ">=4.3.0 <4.3.0",
            ">4.3.0 <4.3.1-0",
            "=4.3.0 !=4.3.0",
            "<0.0.0-0",
            "!=1.x",
            ">2.0.0 <1.0.0 || >4.0.0 <3.0.0",
        ] {
            assert_eq!(
                messages(range),
                [format!(
                    "no version can satisfy skipRange `{range}` of entry `b`"
                )]
            );
        }
        for range in [
            ">=4.3.0 <=4.3.0",
            ">=4.3.0 <4.3.0 || 1.0.0",
            "<0.0.0",
            "9.9.9",
        ] {
            assert_eq!(messages(range), [""; 0], "{range}");
        }
    }

    #[test]
    fn a_range_that_covers_earlier_builds_covers_its_own() {
        let messages = |version: &str| {
            let sketch = PackageBuilder::new("p").channel("c", &["a", "b r:a sr:>=1.0.0 <1.0.1"]);
            sketch
                .version("a", "1.0.0+1")
                .version("b", version)
                .advice("skip-range-self")
        };
        assert_eq!(
            messages("1.0.0"),
            [
                "skipRange `>=1.0.0 <1.0.1` of entry `b` covers its own version 1.0.0 and pre-releases of 1.0.1"
            ]
        );
        assert_eq!(messages("1.0.0+2"), [""; 0]);
    }

    #[test]
    fn reports_a_gap_below_the_replaced_entry() {
        let messages = |range: &str, below: &str| {
            let sketch =
                PackageBuilder::new("p").channel("c", &[below, &format!("b r:a sr:{range}")]);
            sketch
                .version("a", "2.0.0")
                .version("b", "2.1.0")
                .advice("skip-range-short")
        };
        let expected = |range: &str, gap: &str| {
            vec![format!(
                "skipRange `{range}` of head `b` ends below 2.0.0 (`a`), which it replaces: it leaves out `{gap}`"
            )]
        };
        assert_eq!(
            messages(">=1.0.0 <1.5.0", "a"),
            expected(">=1.0.0 <1.5.0", ">=1.5.0 <2.0.0-0")
        );
        assert_eq!(
            messages(">=1.0.0 <1.5.0", "a sr:<1.8.0"),
            expected(">=1.0.0 <1.5.0", ">=1.8.0 <2.0.0-0")
        );
        assert_eq!(messages(">=1.0.0 <1.5.0", "a sr:<2.0.0"), [""; 0]);
        for range in [
            ">=1.0.0 <2.0.0",
            ">=1.0.0 <2.1.0",
            ">=1.0.0",
            "1.x",
            ">=1.0.0 <1.0.0",
        ] {
            assert_eq!(messages(range, "a"), [""; 0], "{range}");
        }
    }
}
