//! Advice on `replaces` and `skips`.

use super::super::rules::prelude::*;
use crate::validate::spelling::SpellingIndex;
use catalog::model::Entry;
use catalog::version::Version;
use std::cmp::Ordering;
use syntax::hashed::HashSet;
use syntax::place::{Spanned, Text};

pub const EDGE_BACKWARDS: RuleDoc = RuleDoc::advice(
    "edge-backwards",
    Severity::Warning,
    Profile::Community,
    "An entry replaces or skips a higher version than its own.",
    "OLM Classic follows the edge, whatever the versions say: users of the higher version are downgraded. OLM v1 \
     takes the highest version that an edge leads to, so the same catalog upgrades differently there.",
    "Reverse the edge. If the downgrade is intended, because the higher version was withdrawn, suppress this rule \
     with that reason.",
)
.in_templates()
.bad(examples![stable!("- name: etcd.v1.1.0", "- name: etcd.v1.0.0\n  replaces: etcd.v1.1.0"; "1.0.0", "1.1.0"),
    stable!("- name: etcd.v1.1.0", "- name: etcd.v1.0.0\n  skips:\n  - etcd.v1.1.0"; "1.0.0", "1.1.0")])
.good(examples![stable!("- name: etcd.v1.9.0", "- name: etcd.v1.10.0\n  replaces: etcd.v1.9.0"; "1.9.0", "1.10.0")]);

pub fn check_edge_backwards(scope: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
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
        let place = scope.place(channel, name);
        let (title, op) = if edge == "skips" {
            (
                format!("remove `{}` from the `skips` of `{name}`", target.value),
                place.remove_skips(vec![target.value.to_string()], None),
            )
        } else {
            (
                format!("remove `replaces: {}` from `{name}`", target.value),
                place.set_replaces(None),
            )
        };
        // Probably a rebuild, named with a dash.
        let help = if other.prerelease().is_empty()
            && !own.prerelease().is_empty()
            && same_numbers(own, other)
        {
            format!(
                "{own} is a pre-release of {other} and comes before it; if it is a rebuild, give it a higher version"
            )
        } else {
            EDGE_BACKWARDS.fix.to_owned()
        };
        let finding = view.finding(target.place, message).help(help);
        // Without this edge, a target that no other entry replaces or skips would become another
        // head, which `opm` refuses.
        let fixes = has_other_edge(view, target.as_str()).then(|| Fix::from_op(title, false, op));
        out.report(finding.fixes(fixes));
    }
}

/// Whether another entry replaces or skips the target.
fn has_other_edge(view: &EntryView<'_>, target: &str) -> bool {
    let mut others = view
        .channel
        .blob
        .entries
        .iter()
        .filter(|other| other.name.value != view.entry.name.value);
    others.any(|other| other.replaces.as_str() == target || other.has_skip(target))
}

fn same_numbers(a: &Version, b: &Version) -> bool {
    (a.major(), a.minor(), a.patch()) == (b.major(), b.minor(), b.patch())
}

pub const EDGE_MISSPELT: RuleDoc = RuleDoc::advice(
    "edge-misspelt",
    Severity::Warning,
    Profile::Community,
    "An entry replaces or skips a name that no bundle has, but one bundle's name is almost the same.",
    "`replaces` and `skips` may name bundles that are gone, so `opm` cannot detect a typo. Installed bundles are \
     matched by their full name: if the package's prefix, a `v` or a dash is missing, the edge upgrades nobody.",
    "Write the name exactly as the bundle has it.",
)
.in_templates()
.bad(examples![concat!(
        package!("etcd", "stable"),
        channel!("etcd", "stable", "- name: etcd.v1.1.0\n  replaces: v1.0.0"),
        channel!("etcd", "old", "- name: etcd.v1.0.0"),
        bundle!("etcd", "1.0.0"),
        bundle!("etcd", "1.1.0"),
    ),
    concat!(
        package!("etcd", "stable"),
        channel!("etcd", "stable", "- name: etcd.v1.1.0\n  skips:\n  - etcd.1.0.0"),
        channel!("etcd", "old", "- name: etcd.v1.0.0"),
        bundle!("etcd", "1.0.0"),
        bundle!("etcd", "1.1.0"),
    )])
.good(examples![concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.1.0\n  replaces: etcd.v0.9.0"),
    channel!("etcd", "old", "- name: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0"),
)]);

#[derive(Clone, Copy)]
enum Edge {
    Replaces,
    Skips,
}

pub fn check_edge_misspelt(scope: &Scope<'_>, out: &mut Findings) {
    // Built lazily: edges to missing entries are rare.
    let mut bundles: Option<SpellingIndex<'_>> = None;
    for channel in &scope.channels {
        let mut listed: Option<HashSet<&str>> = None;
        for &entry in &channel.entries {
            let skips = entry.skips.iter().map(|s| (Edge::Skips, s));
            for (edge, target) in [(Edge::Replaces, &entry.replaces)].into_iter().chain(skips) {
                if target.is_empty() || scope.bundle(target.as_str()).is_some() {
                    continue;
                }
                let listed = listed.get_or_insert_with(|| {
                    channel.entries.iter().map(|e| e.name.as_str()).collect()
                });
                if listed.contains(target.as_str()) {
                    continue;
                }
                let bundles = bundles.get_or_insert_with(|| {
                    SpellingIndex::new(scope.package.bundles.iter().map(|b| b.name.as_str()))
                });
                let intended = bundles
                    .find_spelling(target.as_str())
                    .filter(|intended| *intended != entry.name.as_str());
                if let Some(intended) = intended {
                    out.report(finding(scope, channel, entry, (edge, target), intended));
                }
            }
        }
    }
}

fn finding(
    scope: &Scope<'_>,
    channel: &ChannelScope<'_>,
    entry: &Entry,
    (edge, target): (Edge, &Spanned<Text>),
    intended: &str,
) -> Finding {
    let (channel_name, name) = (&channel.blob.name.value, &entry.name.value);
    let (right, wrong) = (intended.to_string(), target.value.to_string());
    let place = scope.place(channel_name, name);
    let (verb, ops) = match edge {
        Edge::Replaces => {
            let replaces = Some(right);
            ("replaces", vec![place.set_replaces(replaces)])
        }
        Edge::Skips => {
            let remove = place.clone().remove_skips(vec![wrong], None);
            let add = place.add_skips(vec![right], None);
            ("skips", vec![remove, add])
        }
    };
    let message = format!(
        "`{}` {verb} `{}`, but no bundle has that name",
        entry.name.value, target.value
    );
    channel
        .finding(target.place, message)
        .help(format!("did you mean `{intended}`?"))
        .bundle(&entry.name.value)
        .fixes([Fix::new(format!("write `{intended}`"), false, ops)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::testing::Judge;
    use crate::validate::{Settings, judge_package};
    use catalog::testing::PackageBuilder;
    use protocol::diagnostic::Profile;

    #[test]
    fn the_fix_does_not_create_a_second_head() {
        let fixes = |entries: &[&str]| {
            let sketch = PackageBuilder::new("p")
                .channel("c", entries)
                .version("a", "1.0.1")
                .version("b", "1.0.0");
            let sketch = sketch.version("d", "2.0.0");
            let advice =
                judge_package(&sketch.build(), &Settings::from_profile(Profile::Community)).advice;
            advice
                .into_iter()
                .find(|f| f.rule.id == super::EDGE_BACKWARDS.id)
                .map(|f| f.fixes.len())
        };
        assert_eq!(fixes(&["a", "b r:a"]), Some(0));
        assert_eq!(fixes(&["a", "b r:a", "d r:a"]), Some(1));
    }

    #[test]
    fn a_rebuild_with_a_dash_is_explained() {
        let help = |version: &str| {
            let sketch = PackageBuilder::new("p")
                .channel("c", &["a", "b r:a"])
                .version("a", "1.0.1")
                .version("b", version);
            let advice =
                judge_package(&sketch.build(), &Settings::from_profile(Profile::Community)).advice;
            advice
                .into_iter()
                .find(|f| f.rule.id == super::EDGE_BACKWARDS.id)
                .map(|f| f.help)
        };
        let rebuild = "1.0.1-1 is a pre-release of 1.0.1 and comes before it; if it is a rebuild, give it a higher version";
        assert_eq!(help("1.0.1-1").as_deref(), Some(rebuild));
        assert_eq!(help("1.0.0-1").as_deref(), Some(super::EDGE_BACKWARDS.fix));
        assert_eq!(help("1.0.2"), None);
    }

    #[test]
    fn the_fix_writes_the_full_name() {
        let sketch = PackageBuilder::new("p")
            .channel("c", &["p.v1.1.0 r:v1.0.0"])
            .channel("old", &["p.v1.0.0"]);
        assert_eq!(
            sketch.advice(EDGE_MISSPELT.id),
            ["`p.v1.1.0` replaces `v1.0.0`, but no bundle has that name"]
        );
    }
}
