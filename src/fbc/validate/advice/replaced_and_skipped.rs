//! `replaced-and-skipped`: an entry that one entry replaces and one skips, in the same channel.

use super::super::rules::prelude::*;
use crate::hashed::HashMap;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "replaced-and-skipped",
    Severity::Info,
    Profile::Strict,
    "An entry is both replaced and skipped in a channel.",
    "OLM Classic does not upgrade to a skipped entry, and `opm` ends the chain of `replaces` there: it does not \
     reach older entries through a skipped one. Users of the entry can be upgraded along two edges. That can be \
     intended (a release that was withdrawn later) and is common, so this rule is in the `strict` profile only.",
    "Keep the skip and change the `replaces` to what the skipped entry itself replaces, or remove the skip.",
)
.in_templates()
.bad(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!(
        "etcd",
        "stable",
        "- name: etcd.v1.0.0",
        "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0\n  skips:\n  - etcd.v1.0.0",
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
        "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0",
        "- name: etcd.v1.2.0\n  replaces: etcd.v1.0.0\n  skips:\n  - etcd.v1.1.0",
    ),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0"),
    bundle!("etcd", "1.2.0"),
))]);

pub(in crate::validate) fn check(
    scope: &Scope<'_>,
    channel: &ChannelScope<'_>,
    out: &mut Findings,
) {
    // The first entry that replaces each name.
    let mut replaced: HashMap<&str, usize> = HashMap::default();
    for (at, entry) in channel
        .entries
        .iter()
        .enumerate()
        .filter(|(_, e)| !e.replaces.is_empty())
    {
        replaced.entry(entry.replaces.as_str()).or_insert(at);
    }
    let name = &channel.blob.name.value;
    for entry in &channel.entries {
        for skip in &entry.skips {
            let Some(&by) = replaced.get(skip.as_str()) else {
                continue;
            };
            let (skipping, replacing) = (&entry.name.value, channel.entries[by]);
            let message = if replacing.name.value == *skipping {
                format!("`{skipping}` both replaces and skips `{}`", skip.value)
            } else {
                format!(
                    "`{skipping}` skips `{}`, which `{}` replaces",
                    skip.value, replacing.name.value
                )
            };
            let op = scope
                .ops()
                .remove_skip(name, skipping, vec![skip.value.to_string()]);
            let related = (
                "it is replaced here".to_owned(),
                channel.anchor(replacing.replaces.place),
            );
            let fix = fix(
                format!("remove `{}` from the `skips` of `{skipping}`", skip.value),
                false,
                op,
            );
            let finding = Finding::new(channel.anchor(skip.place), message)
                .help(DOC.fix)
                .related([related]);
            out.report(finding.channel(name).bundle(skipping).fixes([fix]));
        }
    }
}
