//! `channel-head-none`: every entry is replaced or skipped by another. `opm`: `no channel head
//! found in graph`. An edge of the newest entry points in the wrong direction, or at itself.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "channel-head-none",
    "no channel head found in graph",
    "A channel has no head: each entry is replaced or skipped by some entry.",
    "The head is what a new user gets: the one entry that nothing else in the channel replaces or skips. skipRange does not \
     count here.",
    "Remove the newest entry from every `replaces` and `skips` in the channel.",
)
.follows(&[SharedCause::EntryMisnamed, SharedCause::EntryDoubled])
.in_templates()
.bad(&[Example::Catalog(concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd.v1.0.0\n  replaces: etcd.v1.1.0", "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0"), bundle!("etcd", "1.0.0"), bundle!("etcd", "1.1.0")))])
.good(&[Example::Catalog(concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0"), bundle!("etcd", "1.0.0"), bundle!("etcd", "1.1.0")))]);

/// Maximum number of edges offered for individual changes.
const OWN: usize = 20;

pub(in crate::validate) fn check(
    scope: &Scope<'_>,
    channel: &ChannelScope<'_>,
    out: &mut Findings,
) {
    if channel.graph != Graph::NoHead {
        return;
    }
    let name = &channel.blob.name.value;
    let newest = scope.highest(channel, &(0..channel.entries.len()).collect::<Vec<_>>());
    let newest_name = channel.name_of(newest);
    let edges = channel.entries.iter().flat_map(|entry| {
        let replaces = std::iter::once((&entry.replaces, "replaces"));
        let skips = entry.skips.iter().map(|s| (s, "skips"));
        replaces
            .chain(skips)
            .filter(|(target, _)| target.as_str() == newest_name)
            .map(|(target, how)| (*entry, target, how))
    });
    let edges: Vec<_> = edges.collect();
    let builder = FixBuilder::new(scope, channel);
    let operation = |entry: &str, how: &str| match how {
        "replaces" => channel
            .position(entry)
            .map(|e| builder.set_replaces(e, None)),
        _ => channel
            .position(entry)
            .map(|e| builder.remove_skip(e, vec![newest_name.to_owned()])),
    };
    let ops = edges
        .iter()
        .filter_map(|(entry, _, how)| operation(&entry.name.value, how))
        .collect();
    let related = edges.iter().map(|(entry, target, how)| {
        (
            format!("`{}` {how} `{newest_name}`", entry.name.value),
            channel.anchor(target.place),
        )
    });
    let finding = Finding::new(
        channel.anchor(channel.blob.name.place),
        format!("channel `{name}` has no head"),
    )
    .help(format!(
        "nothing may replace or skip the newest entry, `{newest_name}`"
    ))
    .channel(name)
    .related(related)
    .fixes(fixes(&builder, newest, ops))
    .explain(explanation(&builder, newest));
    out.fail(DOC.opm_message, finding);
}

fn fixes(builder: &FixBuilder<'_, '_>, newest: usize, free_newest: Vec<EditOp>) -> Vec<Fix> {
    let newest_name = builder.name(newest);
    let mut fixes: Vec<Fix> = builder
        .replace_lower_instead_of_self(&[])
        .into_iter()
        .collect();
    // An entry that names itself is certainly wrong; the rest of the channel may be valid.
    let mut own = Vec::new();
    for (at, entry) in builder.channel.entries.iter().enumerate().take(OWN * 100) {
        if entry.replaces.as_str() == entry.name.as_str() && !entry.name.is_empty() {
            own.push(builder.set_replaces(at, None));
        }
        if entry
            .skips
            .iter()
            .any(|skip| skip.as_str() == entry.name.as_str())
            && !entry.name.is_empty()
        {
            own.push(builder.remove_skip(at, vec![builder.name(at)]));
        }
    }
    if !own.is_empty() && own.len() <= OWN {
        let title = match own.len() {
            1 => "remove the edge from the entry to itself".to_owned(),
            n => format!("remove the {n} edges from entries to themselves"),
        };
        fixes.push(kind("self-edges", fix_of(title, false, own)));
    }
    // If only the edge back to the newest entry is wrong, its entry is attached to the next lower
    // version.
    let lower: Vec<Fix> = free_newest
        .iter()
        .filter_map(|op| match op {
            EditOp::SetReplaces { name, .. } => builder.channel.position(name),
            _ => None,
        })
        .take(OWN)
        .filter_map(|entry| {
            let lower: Vec<usize> = (0..builder.channel.entries.len())
                .filter(|&e| builder.is_lower(e, entry) == Some(true))
                .collect();
            let next = (!lower.is_empty())
                .then(|| builder.name(builder.scope.highest(builder.channel, &lower)))?;
            let title = format!(
                "let `{}` replace `{next}`, the next lower version",
                builder.name(entry)
            );
            Some(kind(
                "next-lower",
                fix(title, false, builder.set_replaces(entry, Some(next))),
            ))
        })
        .collect();
    fixes.extend(lower);
    fixes.push(kind(
        "free-newest",
        fix_of(format!("make `{newest_name}` the head"), false, free_newest),
    ));
    builder.keep_effective(fixes, |outcome| outcome.heads.len() == 1)
}

fn explanation(builder: &FixBuilder<'_, '_>, newest: usize) -> Explanation {
    let channel = builder.channel;
    let why = format!(
        "The head of a channel is the one entry that no other entry replaces or skips. Here each entry is replaced or \
         skipped by some entry{}, so there is nothing to install.",
        if channel.entries.len() == 1 {
            ", if only by itself"
        } else {
            ""
        }
    );
    let chains = ExplanationChains::new(builder.scope, channel).mark(&[newest], ChainMark::Named);
    let chains = chains.side_by_side(&[newest], |name| format!("from the newest, `{name}`"));
    Explanation {
        why,
        names: vec![builder.name(newest)],
        chains,
    }
}

#[cfg(test)]
mod tests {
    use crate::validate::testing::Sketch;

    #[test]
    fn two_that_replace_each_other_and_one_that_skips_itself() {
        for entries in [&["a>b", "b>a"][..], &["a>a"], &["a-a"], &["a-b", "b-a"]] {
            let report = Sketch::new("p").channel("c", entries).judge();
            assert_eq!(report.rules(), ["channel-head-none"], "{entries:?}");
            assert!(report.tree().ends_with("no channel head found in graph"));
        }
    }
}
