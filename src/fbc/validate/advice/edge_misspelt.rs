//! `edge-misspelt`: an edge to a missing bundle while a bundle with a similar name exists.

use super::super::rules::prelude::*;
use crate::hashed::HashSet;
use crate::model::Entry;
use crate::place::{Spanned, Text};
use crate::validate::spelling::SpellingIndex;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "edge-misspelt",
    Severity::Warning,
    Profile::Community,
    "An entry replaces or skips a name that no bundle has, but one bundle's name is almost the same.",
    "`replaces` and `skips` may name bundles that are gone, so `opm` cannot detect a typo. Installed bundles are \
     matched by their full name: if the package's prefix, a `v` or a dash is missing, the edge upgrades nobody.",
    "Write the name exactly as the bundle has it.",
)
.in_templates()
.bad(&[
    Example::Catalog(concat!(
        package!("etcd", "stable"),
        channel!("etcd", "stable", "- name: etcd.v1.1.0\n  replaces: v1.0.0"),
        channel!("etcd", "old", "- name: etcd.v1.0.0"),
        bundle!("etcd", "1.0.0"),
        bundle!("etcd", "1.1.0"),
    )),
    Example::Catalog(concat!(
        package!("etcd", "stable"),
        channel!("etcd", "stable", "- name: etcd.v1.1.0\n  skips:\n  - etcd.1.0.0"),
        channel!("etcd", "old", "- name: etcd.v1.0.0"),
        bundle!("etcd", "1.0.0"),
        bundle!("etcd", "1.1.0"),
    )),
])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.1.0\n  replaces: etcd.v0.9.0"),
    channel!("etcd", "old", "- name: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0"),
))]);

#[derive(Clone, Copy)]
enum Edge {
    Replaces,
    Skips,
}

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
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
    let ops = scope.ops();
    let (verb, ops) = match edge {
        Edge::Replaces => {
            let replaces = Some(right);
            (
                "replaces",
                vec![ops.set_replaces(channel_name, name, replaces)],
            )
        }
        Edge::Skips => {
            let remove = ops.remove_skip(channel_name, name, vec![wrong]);
            let add = ops.add_skip(channel_name, name, vec![right]);
            ("skips", vec![remove, add])
        }
    };
    let message = format!(
        "`{}` {verb} `{}`, but no bundle has that name",
        entry.name.value, target.value
    );
    Finding::new(channel.anchor(target.place), message)
        .help(format!("did you mean `{intended}`?"))
        .channel(&channel.blob.name.value)
        .bundle(&entry.name.value)
        .fixes([fix_of(format!("write `{intended}`"), false, ops)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::testing::Sketch;

    #[test]
    fn the_fix_writes_the_full_name() {
        let sketch = Sketch::new("p")
            .channel("c", &["p.v1.1.0>v1.0.0"])
            .channel("old", &["p.v1.0.0"]);
        assert_eq!(
            sketch.advice(DOC.id),
            ["`p.v1.1.0` replaces `v1.0.0`, but no bundle has that name"]
        );
    }
}
