//! `channel-head-multiple`: several entries that nothing replaces or skips. `opm`: `multiple
//! channel heads found in graph: a, b`. The most common refusal: a new entry without an edge to the
//! former head, or with a skipRange only.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "channel-head-multiple",
    "multiple channel heads found in graph: %s",
    "A channel has several heads.",
    "A channel must lead to one newest bundle. An entry is a head as long as no other entry of the channel replaces or skips it; \
     a skipRange does not change that.",
    "Let the newest entry replace the former head, and skip the others.",
)
.follows(&[SharedCause::EntryMisnamed, SharedCause::EntryDoubled])
.in_templates()
.bad(&[Example::Catalog(concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.1.0\n  replaces: v1.0.0"), bundle!("etcd", "1.0.0"), bundle!("etcd", "1.1.0")))])
.good(&[Example::Catalog(concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0"), bundle!("etcd", "1.0.0"), bundle!("etcd", "1.1.0")))]);

pub(in crate::validate) fn check(
    scope: &Scope<'_>,
    channel: &ChannelScope<'_>,
    out: &mut Findings,
) {
    if !matches!(channel.graph, Graph::Heads) {
        return;
    }
    let heads = channel.heads();
    let name = &channel.blob.name.value;
    let builder = FixBuilder::new(scope, channel);
    let newest = scope.highest(channel, heads);
    let others: Vec<usize> = heads.iter().copied().filter(|&h| h != newest).collect();
    let newest_name = channel.name_of(newest);
    let misspelt = builder.misspelt(heads);
    let stray = others.first().copied().unwrap_or(newest);
    let related = heads.iter().filter(|&&h| h != stray).map(|&h| {
        (
            format!("`{}` is a head too", channel.name_of(h)),
            channel.anchor(channel.entries[h].name.place),
        )
    });
    let message = format!(
        "channel `{name}` has {} heads: {}",
        heads.len(),
        shorten(channel, heads)
    );
    let finding = Finding::new(channel.anchor(channel.entries[stray].name.place), message)
        .help(format!("nothing replaces or skips them; let the newest, `{newest_name}`, replace or skip the others"))
        .channel(name)
        .bundle(&channel.entries[stray].name.value)
        .related(related)
        .fixes(fixes(&builder, newest, &others, &misspelt))
        .explain(explanation(&builder, newest, heads))
        .follows(misspelling(&builder, &misspelt).or_else(|| lost_link(&builder, newest)));
    out.fail(
        format!(
            "multiple channel heads found in graph: {}",
            channel.sorted_names(heads)
        ),
        finding,
    );
}

fn fixes(
    builder: &FixBuilder<'_, '_>,
    newest: usize,
    others: &[usize],
    misspelt: &[MisspeltEdge<'_>],
) -> Vec<Fix> {
    let newest_name = builder.name(newest);
    let names: Vec<String> = others.iter().map(|&other| builder.name(other)).collect();
    let mut fixes = builder.respell(misspelt);
    fixes.extend(builder.replace_lower_instead_of_self(
        &others.iter().copied().chain([newest]).collect::<Vec<_>>(),
    ));
    fixes.extend(builder.restore_lost_entries());
    match builder.join_by_version(newest, others) {
        Some(fix) => fixes.push(fix),
        // If versions do not decide, the plain edge is still offered.
        None => {
            if let [other] = &names[..] {
                let title = format!("let `{newest_name}` replace `{other}`");
                fixes.push(fix(
                    title,
                    false,
                    builder.set_replaces(newest, Some(other.clone())),
                ));
            }
        }
    }
    let title = match &names[..] {
        [other] => format!("let `{newest_name}` skip `{other}`"),
        others => format!("let `{newest_name}` skip the other {} heads", others.len()),
    };
    let skip = fix(title, false, builder.add_skip(newest, names.clone()));
    // Skip the entries below a newly skipped head too, or they are stranded.
    if let Simulation::Outcome(outcome) = builder.outcome(&skip.ops)
        && !outcome.stranded.is_empty()
        && outcome.heads.len() == 1
    {
        let all: Vec<String> = names
            .iter()
            .cloned()
            .chain(outcome.stranded.iter().map(ToString::to_string))
            .collect();
        let title = format!(
            "let `{newest_name}` skip all {} entries outside its chain",
            all.len()
        );
        fixes.push(kind(
            "skip-all",
            fix(title, false, builder.add_skip(newest, all)),
        ));
    }
    fixes.push(skip);
    fixes.extend(builder.respell_versions(misspelt));
    fixes
        .extend(builder.remove_bundleless_entries(
            &others.iter().copied().chain([newest]).collect::<Vec<_>>(),
        ));
    if let [other] = others {
        fixes.extend(builder.remove_entry_fix(*other));
        fixes.extend(builder.remove_entry_fix(newest));
    }
    builder.keep_effective(fixes, |outcome| outcome.heads.len() == 1)
}

fn explanation(builder: &FixBuilder<'_, '_>, newest: usize, heads: &[usize]) -> Explanation {
    let channel = builder.channel;
    let mut tops = vec![newest];
    tops.extend(heads.iter().copied().filter(|&h| h != newest));
    let mut why = format!(
        "The head of a channel is the one entry that no other entry replaces or skips: new installations get it, and \
         upgrades end there. In `{}` nothing replaces or skips {}, so `opm` cannot tell which is the newest.",
        channel.blob.name.value,
        shorten(channel, &tops)
    );
    if !channel.entries[newest].skip_range.is_empty() {
        why += &format!(
            " The skipRange of `{}` does not help: `opm` counts only `replaces` and `skips` here.",
            channel.name_of(newest)
        );
    }
    let lost = tops
        .iter()
        .map(|&head| channel.entries[head])
        .find(|entry| {
            !entry.replaces.is_empty() && channel.position(entry.replaces.as_str()).is_none()
        });
    if let Some(entry) = lost {
        why += &format!(
            " `{}` replaces `{gone}`, which is not in the channel: users of `{gone}` follow that edge, but it connects no heads.",
            entry.name.value,
            gone = entry.replaces.value
        );
    }
    let chains = ExplanationChains::new(builder.scope, channel).mark(heads, ChainMark::Head);
    Explanation {
        why,
        names: tops
            .iter()
            .take(NAMES)
            .map(|&head| builder.name(head))
            .collect(),
        chains: chains.side_by_side(&tops, |head| format!("from head `{head}`")),
    }
}

/// The newest entry replaces a bundle outside this channel: the link to the other heads was lost
/// there.
fn lost_link(builder: &FixBuilder<'_, '_>, newest: usize) -> Option<Causes> {
    let entry = builder.channel.entries[newest];
    let name = entry.replaces.as_str();
    let lost = builder.channel.position(name).is_none() && builder.scope.bundle(name).is_some();
    lost.then(|| Causes {
        rule: "",
        message: format!(
            "`{}` replaces `{name}`, a bundle that is not in the channel",
            entry.name.value
        ),
        at: builder.channel.anchor(entry.replaces.place),
    })
}

#[cfg(test)]
mod tests {
    use crate::validate::testing::Sketch;
    use protocol::operation::EditOp;

    #[test]
    fn a_skip_range_makes_no_head_less() {
        let report = Sketch::new("p")
            .version("a", "1.9.0")
            .version("b", "1.10.0")
            .channel("c", &["a", "b ~<1.10.0"])
            .judge();
        assert_eq!(report.rules(), ["channel-head-multiple"]);
        assert!(
            report
                .tree()
                .ends_with("multiple channel heads found in graph: a, b")
        );
        let fixes = &report.findings[0].fixes;
        assert_eq!(fixes[0].heads, ["b"]);
        assert!(
            matches!(&fixes[0].ops[..], [EditOp::SetReplaces { name, replaces: Some(r), .. }] if name == "b" && r == "a")
        );
        assert!(
            matches!(&fixes[1].ops[..], [EditOp::AddSkip { name, skip, .. }] if name == "b" && skip == &["a"])
        );
    }

    #[test]
    fn a_wide_channel_without_edges_is_judged_in_linear_time() {
        let entries: Vec<String> = (0..60_000).map(|i| format!("e{i}")).collect();
        let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
        let report = Sketch::new("p").channel("c", &entries).judge();
        assert_eq!(report.rules(), ["channel-head-multiple"]);
        assert!(
            report.findings[0].fixes.is_empty(),
            "no fix names so many entries"
        );
        assert_eq!(
            report.findings[0]
                .explanation
                .as_ref()
                .unwrap()
                .chains
                .len(),
            3
        );
    }

    #[test]
    fn an_absent_name_may_have_users() {
        let report = Sketch::new("p").channel("c", &["a", "b>absent"]).judge();
        let why = &report.findings[0].explanation.as_ref().unwrap().why;
        let sentence = "`b` replaces `absent`, which is not in the channel: users of `absent` follow that edge, but it connects no heads.";
        assert!(why.ends_with(sentence), "{why}");
    }

    #[test]
    fn heads_of_a_fork() {
        let report = Sketch::new("p")
            .channel("c", &["a", "b>a", "c>a", "d>c"])
            .judge();
        assert!(
            report
                .tree()
                .ends_with("multiple channel heads found in graph: b, d")
        );
    }
}
