//! `edge-backwards`: an entry that replaces or skips a higher version than its own.

use super::super::rules::prelude::*;
use crate::version::Version;
use std::cmp::Ordering;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "edge-backwards",
    Severity::Warning,
    Profile::Community,
    "An entry replaces or skips a higher version than its own.",
    "OLM Classic follows the edge, whatever the versions say: whoever has the higher version is downgraded. OLM v1 \
     takes the highest version that an edge leads to, so the same catalog upgrades differently there.",
    "Reverse the edge. If the downgrade is intended, because the higher version was withdrawn, suppress this rule \
     with that reason.",
)
.in_templates()
.bad(&[
    Example::Catalog(concat!(
        package!("etcd", "stable"),
        channel!("etcd", "stable", "- name: etcd.v1.1.0", "- name: etcd.v1.0.0\n  replaces: etcd.v1.1.0"),
        bundle!("etcd", "1.0.0"),
        bundle!("etcd", "1.1.0"),
    )),
    Example::Catalog(concat!(
        package!("etcd", "stable"),
        channel!("etcd", "stable", "- name: etcd.v1.1.0", "- name: etcd.v1.0.0\n  skips:\n  - etcd.v1.1.0"),
        bundle!("etcd", "1.0.0"),
        bundle!("etcd", "1.1.0"),
    )),
])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.9.0", "- name: etcd.v1.10.0\n  replaces: etcd.v1.9.0"),
    bundle!("etcd", "1.9.0"),
    bundle!("etcd", "1.10.0"),
))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    let (channel, name) = (&view.channel.blob.name.value, &view.entry.name.value);
    let edges = view
        .entry
        .skips
        .iter()
        .map(|skip| ("skips", skip))
        .chain([("replaces", &view.entry.replaces)]);
    let mut edges = edges
        .filter(|(_, target)| !target.is_empty() && target.value != *name)
        .peekable();
    if edges.peek().is_none() {
        return;
    }
    let Some(own) = scope.version(name) else {
        return;
    };
    for (edge, target) in edges {
        let Some(other) = scope.version(target.as_str()) else {
            continue;
        };
        if other.cmp_precedence(own) != Ordering::Greater {
            continue;
        }
        let message = format!(
            "`{name}` ({own}) {edge} the higher `{}` ({other})",
            target.value
        );
        let ops = scope.ops();
        let (title, op) = if edge == "skips" {
            (
                format!("remove `{}` from the `skips` of `{name}`", target.value),
                ops.remove_skip(channel, name, vec![target.value.to_string()]),
            )
        } else {
            (
                format!("remove `replaces: {}` from `{name}`", target.value),
                ops.set_replaces(channel, name, None),
            )
        };
        // A rebuild named with a dash.
        let help = if other.prerelease().is_empty()
            && !own.prerelease().is_empty()
            && same_numbers(own, other)
        {
            format!(
                "{own} is a pre-release of {other} and comes before it; if it is a rebuild, give it a higher version"
            )
        } else {
            DOC.fix.to_owned()
        };
        let finding = Finding::new(view.channel.anchor(target.place), message).help(help);
        // Without this edge, a target that no other entry replaces or skips would become another
        // head, which `opm` refuses.
        let fixes = is_taken_in(view, target.as_str()).then(|| fix(title, false, op));
        out.report(finding.channel(channel).bundle(name).fixes(fixes));
    }
}

/// Whether another entry replaces or skips the target.
fn is_taken_in(view: &EntryView<'_>, target: &str) -> bool {
    let mut others = view
        .channel
        .blob
        .entries
        .iter()
        .filter(|other| other.name.value != view.entry.name.value);
    others.any(|other| {
        other.replaces.as_str() == target || other.skips.iter().any(|skip| skip.as_str() == target)
    })
}

fn same_numbers(a: &Version, b: &Version) -> bool {
    (a.major(), a.minor(), a.patch()) == (b.major(), b.minor(), b.patch())
}

#[cfg(test)]
mod tests {
    use crate::validate::testing::Sketch;
    use crate::validate::{Settings, judge_package};
    use protocol::diagnostic::Profile;

    #[test]
    fn the_way_out_makes_no_second_head() {
        let fixes = |entries: &[&str]| {
            let sketch = Sketch::new("p")
                .channel("c", entries)
                .version("a", "1.0.1")
                .version("b", "1.0.0");
            let sketch = sketch.version("d", "2.0.0");
            let advice = judge_package(
                &sketch.package(),
                &Settings::from_profile(Profile::Community),
            )
            .advice;
            advice
                .into_iter()
                .find(|f| f.rule.id == super::DOC.id)
                .map(|f| f.fixes.len())
        };
        assert_eq!(fixes(&["a", "b>a"]), Some(0));
        assert_eq!(fixes(&["a", "b>a", "d>a"]), Some(1));
    }

    #[test]
    fn a_rebuild_with_a_dash_is_explained() {
        let help = |version: &str| {
            let sketch = Sketch::new("p")
                .channel("c", &["a", "b>a"])
                .version("a", "1.0.1")
                .version("b", version);
            let advice = judge_package(
                &sketch.package(),
                &Settings::from_profile(Profile::Community),
            )
            .advice;
            advice
                .into_iter()
                .find(|f| f.rule.id == super::DOC.id)
                .map(|f| f.help)
        };
        let rebuild = "1.0.1-1 is a pre-release of 1.0.1 and comes before it; if it is a rebuild, give it a higher version";
        assert_eq!(help("1.0.1-1").as_deref(), Some(rebuild));
        assert_eq!(help("1.0.0-1").as_deref(), Some(super::DOC.fix));
        assert_eq!(help("1.0.2"), None);
    }
}
