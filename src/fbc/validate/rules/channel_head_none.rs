//! `channel-head-none`: every entry is replaced or skipped by another. `opm`: `no channel head found in graph`.
//! An edge of the newest entry points the wrong way, or at itself.

use super::prelude::*;

pub(in crate::fbc::validate) const DOC: RuleDoc = RuleDoc::opm(
    "channel-head-none",
    "no channel head found in graph",
    "A channel has no head: each entry is replaced or skipped by some entry.",
    "The head is what a new user gets: the one entry that nothing else in the channel replaces or skips. skipRange does not \
     count here.",
    "Let the newest entry be named by no `replaces` and no `skips` of the channel.",
);

pub(in crate::fbc::validate) fn check(scope: &Scope<'_>, channel: &ChannelScope<'_>, out: &mut Findings) {
    if channel.graph != Graph::NoHead {
        return;
    }
    let name = &channel.blob.name.value;
    let newest = highest(scope, channel, &(0..channel.entries.len()).collect::<Vec<_>>());
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
    let operation = |entry: &str, how: &str| match how {
        "replaces" => EditOp::SetReplaces {
            catalog: None,
            package: scope.package.name.to_string(),
            channel: name.to_string(),
            name: entry.to_owned(),
            replaces: None,
        },
        _ => EditOp::RemoveSkip {
            catalog: None,
            package: scope.package.name.to_string(),
            channel: name.to_string(),
            name: entry.to_owned(),
            skip: vec![newest_name.to_owned()],
        },
    };
    let ops = edges.iter().map(|(entry, _, how)| operation(&entry.name.value, how)).collect();
    let related = edges.iter().map(|(entry, target, how)| {
        (format!("`{}` {how} `{newest_name}`", entry.name.value), channel.anchor(target.place))
    });
    let finding = Finding::new(channel.anchor(channel.blob.name.place), format!("channel `{name}` has no head"))
        .help(format!("nothing may replace or skip the newest entry, `{newest_name}`"))
        .channel(name)
        .related(related)
        .fixes([fix_of(format!("make `{newest_name}` the head"), false, ops)]);
    out.fail(DOC.opm_message, finding);
}

#[cfg(test)]
mod tests {
    use crate::fbc::validate::testing::Sketch;

    #[test]
    fn two_that_replace_each_other_and_one_that_skips_itself() {
        for entries in [&["a>b", "b>a"][..], &["a>a"], &["a-a"], &["a-b", "b-a"]] {
            let report = Sketch::new("p").channel("c", entries).judge();
            assert_eq!(report.rules(), ["channel-head-none"], "{entries:?}");
            assert!(report.tree().ends_with("no channel head found in graph"));
        }
    }
}
