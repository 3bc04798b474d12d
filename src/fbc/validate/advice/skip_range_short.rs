//! `skip-range-short`: the skipRange of a head ends below the version that the head replaces.

use super::super::rules::prelude::*;
use super::ranges::skip_range;
use crate::version::blang::{Operator, Range};
use crate::version::version_line::{Cut, Interval, difference};
use crate::version::{Version, version_in_name};

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "skip-range-short",
    Severity::Warning,
    Profile::Community,
    "The skipRange of a head ends below the version that the head replaces.",
    "Users on a version between the two get no update, unless an entry of the channel names it: neither the range nor \
     `replaces` takes them.",
    "End the range with the version of the head: `<VERSION`.",
)
.in_templates()
.bad(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!(
        "etcd",
        "stable",
        "- name: etcd.v1.0.0",
        "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0\n  skipRange: '>=0.1.0 <0.9.0'"
    ),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0"),
))])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!(
        "etcd",
        "stable",
        "- name: etcd.v1.0.0",
        "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0\n  skipRange: '>=0.9.0 <1.1.0'"
    ),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0"),
))]);

pub(in crate::validate) fn check(
    scope: &Scope<'_>,
    channel: &ChannelScope<'_>,
    out: &mut Findings,
) {
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
    let by_name = || version_in_name(replaced).map(|(_, version)| version);
    let Some(replaced_version) = scope.version(replaced).cloned().or_else(by_name) else {
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
    let help = own.map_or_else(|| DOC.fix.to_owned(), |own| format!("end it with `<{own}`"));
    let fixes = own.and_then(|own| widen(&range, own)).map(|range| {
        let title = format!("write it as `{range}`");
        fix(title, false, set_skip_range(scope, &view, Some(range)))
    });
    let finding = Finding::new(channel.anchor(text.place), message)
        .help(help)
        .fixes(fixes);
    out.report(finding.channel(&channel.blob.name.value).bundle(name));
}

/// The first versions between the end of the range and the replaced version that the channel's
/// other ranges do not cover.
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

/// The range extended to the head's own version, if it has a single lower bound.
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

#[cfg(test)]
mod tests {
    use crate::validate::testing::Sketch;

    #[test]
    fn a_gap_below_what_is_replaced() {
        let messages = |range: &str, below: &str| {
            let sketch = Sketch::new("p").channel("c", &[below, &format!("b>a ~{range}")]);
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
            messages(">=1.0.0 <1.5.0", "a ~<1.8.0"),
            expected(">=1.0.0 <1.5.0", ">=1.8.0 <2.0.0-0")
        );
        assert_eq!(messages(">=1.0.0 <1.5.0", "a ~<2.0.0"), [""; 0]);
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
