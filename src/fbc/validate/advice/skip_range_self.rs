//! `skip-range-self`: a skipRange that covers the version of its own entry, or higher ones.

use super::super::rules::prelude::*;
use super::ranges::{below, is_unbounded, names_above, skip_range, ways_to_end_below};
use crate::version::Version;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
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
.bad(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!(
        "etcd",
        "stable",
        "- name: etcd.v1.0.0",
        "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0\n  skipRange: '>=1.0.0 <=1.1.0'"
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
        "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0\n  skipRange: '>=1.0.0 <1.1.0'"
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
    // `skip-range-unbounded` reports ranges without an upper bound. A range that covers earlier
    // builds cannot exclude this one.
    if !own.build().is_empty() || !range.contains(&own) || is_unbounded(&range) {
        return;
    }
    let (name, text) = (&view.entry.name.value, &view.entry.skip_range);
    let at_risk = match names_above(scope, &range, &own) {
        names if names.is_empty() => String::new(),
        names => format!(" and moves users of {names} down to it"),
    };
    let message = format!(
        "skipRange `{}` of entry `{name}` covers its own version {own}{at_risk}",
        text.value
    );
    let finding = Finding::new(view.channel.anchor(text.place), message)
        .help(format!("end it with `<{own}`"));
    let finding = finding.fixes(ways_to_end_below(
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
    fn a_range_that_covers_earlier_builds_covers_its_own() {
        let messages = |version: &str| {
            let sketch = Sketch::new("p").channel("c", &["a", "b>a ~>=1.0.0 <1.0.1"]);
            sketch
                .version("a", "1.0.0+1")
                .version("b", version)
                .advice("skip-range-self")
        };
        assert_eq!(
            messages("1.0.0"),
            ["skipRange `>=1.0.0 <1.0.1` of entry `b` covers its own version 1.0.0"]
        );
        assert_eq!(messages("1.0.0+2"), [""; 0]);
    }
}
