//! `skip-range-above`: a skipRange that excludes its entry's own version and covers higher ones.

use super::super::rules::prelude::*;
use super::ranges::{NAMED, below, is_unbounded, names_above, skip_range, ways_to_end_below};
use crate::version::Version;
use crate::version::version_line::{Cut, difference};
use protocol::counting::first_of;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "skip-range-above",
    Severity::Warning,
    Profile::Community,
    "A skipRange covers versions above that of its own entry, although it excludes that one.",
    "OLM does not compare the versions along an edge: users of the higher versions are moved down to the entry. Under OLM v1 \
     this happens where the ClusterExtension names the channel, or where the higher version is gone from the catalog.",
    "End the range below the entry's own version: `<VERSION`.",
)
.in_templates()
.bad(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!(
        "etcd",
        "stable",
        "- name: etcd.v1.0.0",
        "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0\n  skipRange: '>=1.0.0 !=1.1.0 <1.2.0'"
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

pub(in crate::validate) fn check(scope: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    let Some(range) = skip_range(view) else {
        return;
    };
    let Some((_, bundle)) = view.bundle else {
        return;
    };
    let Ok(own) = Version::parse(bundle.version()) else {
        return;
    };
    // `skip-range-self` and `skip-range-unbounded` report the others.
    if range.contains(&own) || is_unbounded(&range) {
        return;
    }
    let own_end = Cut::after(&own);
    let mut above = difference(&range, None);
    above.retain(|interval| interval.upper.compare(&own_end).is_gt());
    if let Some(first) = above.first_mut()
        && first.lower.compare(&own_end).is_lt()
    {
        first.lower = own_end;
    }
    if above.is_empty() {
        return;
    }
    let (name, text) = (&view.entry.name.value, &view.entry.skip_range);
    let at_risk = names_above(scope, &range, &own);
    let who = match at_risk.as_str() {
        "" => first_of(above.iter().map(|interval| format!("`{interval}`")), NAMED),
        names => names.to_owned(),
    };
    let message = format!(
        "skipRange `{}` of entry `{name}` moves users of {who} down to {own}",
        text.value
    );
    let finding = Finding::new(view.channel.anchor(text.place), message)
        .help(format!("end it with `<{own}`"))
        .fixes(ways_to_end_below(
            scope,
            view,
            &range,
            &own,
            below(&range, &own),
        ));
    out.report(finding.channel(&view.channel.blob.name.value).bundle(name));
}

#[cfg(test)]
mod tests {
    use crate::validate::testing::Sketch;

    #[test]
    fn versions_at_risk_are_named() {
        let messages = |range: &str| {
            let sketch = Sketch::new("p")
                .channel("fast-1.2", &["a", &format!("b>a ~{range}")])
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
}
