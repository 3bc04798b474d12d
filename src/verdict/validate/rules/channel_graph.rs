//! Rules about a channel's heads and cycles. Stranded entries are in [`super::channel_stranded`].

use super::prelude::*;
use protocol::enum_with_text;

pub const CHANNEL_HEAD_NONE: RuleDoc = RuleDoc::opm(
    "channel-head-none",
    "no channel head found in graph",
    "A channel has no head: each entry is replaced or skipped by some entry.",
    "The head is what a new user gets: the one entry that nothing else in the channel replaces or skips. skipRange does not \
     count here.",
    "Remove the newest entry from every `replaces` and `skips` in the channel.",
)
.follows(&[SharedCause::EntryMisnamed, SharedCause::EntryDoubled])
.in_templates()
.bad(examples![stable!("- name: etcd.v1.0.0\n  replaces: etcd.v1.1.0", "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0"; "1.0.0", "1.1.0")])
.good(examples![two_versions!()]);

/// Maximum number of edges that one fix, or a list of individual fixes, corrects.
const MAX_FIXED_EDGES: usize = 20;
/// Maximum number of entries searched for edges to themselves.
const MAX_SEARCHED_ENTRIES: usize = 2000;

struct EdgeToNewest {
    entry: usize,
    kind: EdgeKind,
    place: Place,
}

enum_with_text! {
    pub fn as_str;
    #[derive(Clone, Copy, PartialEq)]
    enum EdgeKind {
        Replaces = "replaces",
        Skips = "skips",
    }
}

fn edges_to(channel: &ChannelScope<'_>, newest_name: &str) -> Vec<EdgeToNewest> {
    let mut edges = Vec::new();
    for (index, entry) in channel.entries.iter().enumerate() {
        let replaces = std::iter::once((&entry.replaces, EdgeKind::Replaces));
        let skips = entry.skips.iter().map(|skip| (skip, EdgeKind::Skips));
        for (target, kind) in replaces.chain(skips) {
            if target.as_str() == newest_name {
                edges.push(EdgeToNewest {
                    entry: index,
                    kind,
                    place: target.place,
                });
            }
        }
    }
    edges
}

pub fn check_channel_head_none(scope: &Scope<'_>, channel: &ChannelScope<'_>, out: &mut Findings) {
    if channel.graph != Graph::NoHead {
        return;
    }
    let name = &channel.blob.name.value;
    let newest = scope.highest(channel, &(0..channel.entries.len()).collect::<Vec<_>>());
    let newest_name = channel.name_of(newest);
    let edges = edges_to(channel, newest_name);
    let builder = FixBuilder::new(scope, channel);
    let related = edges.iter().map(|edge| {
        let (name, kind) = (channel.name_of(edge.entry), edge.kind.as_str());
        (
            format!("`{name}` {kind} `{newest_name}`"),
            channel.anchor(edge.place),
        )
    });
    let finding = channel
        .finding(
            channel.blob.name.place,
            format!("channel `{name}` has no head"),
        )
        .help(format!(
            "nothing may replace or skip the newest entry, `{newest_name}`"
        ))
        .related(related)
        .fixes(head_none_fixes(&builder, newest, &edges))
        .explain(channel_head_none_explanation(&builder, newest));
    out.fail(CHANNEL_HEAD_NONE.opm_message, finding);
}

fn head_none_fixes(
    builder: &FixBuilder<'_, '_>,
    newest: usize,
    edges: &[EdgeToNewest],
) -> Vec<Fix> {
    let newest_name = builder.name(newest);
    let free_newest = edges.iter().map(|edge| match edge.kind {
        EdgeKind::Replaces => builder.set_replaces(edge.entry, None),
        EdgeKind::Skips => builder.remove_skip(edge.entry, vec![newest_name.clone()]),
    });
    let mut fixes: Vec<Fix> = builder
        .replace_lower_instead_of_self(&[])
        .into_iter()
        .collect();
    fixes.extend(self_edges_fix(builder));
    fixes.extend(next_lower_fixes(builder, edges));
    fixes.push(
        Fix::new(
            format!("make `{newest_name}` the head"),
            false,
            free_newest.collect(),
        )
        .with_kind("free-newest"),
    );
    builder.keep_effective(fixes, |outcome| outcome.heads.len() == 1)
}

/// Builds a fix that removes the edges from entries to themselves. They are certainly wrong; the
/// rest of the channel may be valid.
fn self_edges_fix(builder: &FixBuilder<'_, '_>) -> Option<Fix> {
    let mut ops = Vec::new();
    let entries = builder.channel.entries.iter().enumerate();
    for (at, entry) in entries.take(MAX_SEARCHED_ENTRIES) {
        let name = entry.name.as_str();
        if name.is_empty() {
            continue;
        }
        if entry.replaces.as_str() == name {
            ops.push(builder.set_replaces(at, None));
        }
        if entry.skips.iter().any(|skip| skip.as_str() == name) {
            ops.push(builder.remove_skip(at, vec![builder.name(at)]));
        }
    }
    let title = match ops.len() {
        0 => return None,
        1 => "remove the edge from the entry to itself".to_owned(),
        count if count <= MAX_FIXED_EDGES => {
            format!("remove the {count} edges from entries to themselves")
        }
        _ => return None,
    };
    Some(Fix::new(title, false, ops).with_kind("self-edges"))
}

/// Builds fixes for the case that only one edge back to the newest entry is wrong: its entry
/// replaces the next lower version instead.
fn next_lower_fixes(builder: &FixBuilder<'_, '_>, edges: &[EdgeToNewest]) -> Vec<Fix> {
    edges
        .iter()
        .filter(|edge| edge.kind == EdgeKind::Replaces)
        .take(MAX_FIXED_EDGES)
        .filter_map(|&EdgeToNewest { entry, .. }| {
            let lower: Vec<usize> = (0..builder.channel.entries.len())
                .filter(|&other| builder.is_lower(other, entry) == Some(true))
                .collect();
            next_lower_fix(builder, entry, &lower)
        })
        .collect()
}

/// Builds a fix that lets an entry replace the highest of these lower ones, if there are any.
fn next_lower_fix(builder: &FixBuilder<'_, '_>, entry: usize, lower: &[usize]) -> Option<Fix> {
    if lower.is_empty() {
        return None;
    }
    let next = builder.name(builder.scope.highest(builder.channel, lower));
    let title = format!(
        "let `{}` replace `{next}`, the next lower version",
        builder.name(entry)
    );
    let op = builder.set_replaces(entry, Some(next));
    Some(Fix::from_op(title, false, op).with_kind("next-lower"))
}

fn channel_head_none_explanation(builder: &FixBuilder<'_, '_>, newest: usize) -> Explanation {
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

/// The most common refusal: a new entry without an edge to the former head, or with a skipRange
/// only.
pub const CHANNEL_HEAD_MULTIPLE: RuleDoc = RuleDoc::opm(
    "channel-head-multiple",
    "multiple channel heads found in graph: %s",
    "A channel has several heads.",
    "A channel must lead to one newest bundle. An entry is a head as long as no other entry of the channel replaces or skips it; \
     a skipRange does not change that.",
    "Let the newest entry replace the former head, and skip the others.",
)
.follows(&[SharedCause::EntryMisnamed, SharedCause::EntryDoubled])
.in_templates()
.bad(examples![stable!("- name: etcd.v1.0.0", "- name: etcd.v1.1.0\n  replaces: v1.0.0"; "1.0.0", "1.1.0")])
.good(examples![two_versions!()]);

pub fn check_channel_head_multiple(
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
    let newest_name = channel.name_of(newest);
    let misspelt = builder.misspelt(heads);
    let stray = heads.iter().copied().find(|&head| head != newest);
    let stray = stray.unwrap_or(newest);
    let related = heads.iter().filter(|&&head| head != stray).map(|&head| {
        (
            format!("`{}` is a head too", channel.name_of(head)),
            channel.anchor(channel.entries[head].name.place),
        )
    });
    let message = format!(
        "channel `{name}` has {} heads: {}",
        heads.len(),
        shorten(channel, heads)
    );
    let finding = channel.finding(channel.entries[stray].name.place, message)
        .help(format!("nothing replaces or skips them; let the newest, `{newest_name}`, replace or skip the others"))
        .bundle(&channel.entries[stray].name.value)
        .related(related)
        .fixes(head_multiple_fixes(&builder, newest, heads, &misspelt))
        .explain(channel_head_multiple_explanation(&builder, newest, heads))
        .follows(misspelling(&builder, &misspelt).or_else(|| lost_link(&builder, newest)));
    out.fail(
        format!(
            "multiple channel heads found in graph: {}",
            channel.sorted_names(heads)
        ),
        finding,
    );
}

fn head_multiple_fixes(
    builder: &FixBuilder<'_, '_>,
    newest: usize,
    heads: &[usize],
    misspelt: &[MisspeltEdge<'_>],
) -> Vec<Fix> {
    let newest_name = builder.name(newest);
    let others: Vec<usize> = heads
        .iter()
        .copied()
        .filter(|&head| head != newest)
        .collect();
    let names: Vec<String> = others.iter().map(|&other| builder.name(other)).collect();
    let mut fixes = builder.respell(misspelt);
    fixes.extend(builder.replace_lower_instead_of_self(heads));
    fixes.extend(builder.restore_lost_entries());
    match builder.join_by_version(newest, &others) {
        Some(fix) => fixes.push(fix),
        // If versions do not decide, still offer the plain edge.
        None => {
            if let [other] = &names[..] {
                let title = format!("let `{newest_name}` replace `{other}`");
                fixes.push(Fix::from_op(
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
    let skip = Fix::from_op(title, false, builder.add_skip(newest, names.clone()));
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
        let title = match &all[..] {
            [head, below] => {
                format!("let `{newest_name}` skip `{head}`, and `{below}`, which would be stranded")
            }
            all => format!(
                "let `{newest_name}` skip {} entries outside its chain",
                all.len()
            ),
        };
        fixes.push(Fix::from_op(title, false, builder.add_skip(newest, all)).with_kind("skip-all"));
    }
    fixes.push(skip);
    fixes.extend(builder.respell_versions(misspelt));
    fixes.extend(builder.remove_bundleless_entries(heads));
    if let [other] = &others[..] {
        fixes.extend(builder.remove_entry_fix(*other));
        fixes.extend(builder.remove_entry_fix(newest));
    }
    builder.keep_effective(fixes, |outcome| outcome.heads.len() == 1)
}

fn channel_head_multiple_explanation(
    builder: &FixBuilder<'_, '_>,
    newest: usize,
    heads: &[usize],
) -> Explanation {
    let channel = builder.channel;
    let mut tops = vec![newest];
    tops.extend(heads.iter().copied().filter(|&head| head != newest));
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

/// Returns the cause if the newest entry replaces a bundle outside this channel: that is where the
/// link to the other heads was lost.
fn lost_link(builder: &FixBuilder<'_, '_>, newest: usize) -> Option<Causes> {
    let entry = builder.channel.entries[newest];
    let name = entry.replaces.as_str();
    let lost = builder.channel.position(name).is_none() && builder.scope.bundle(name).is_some();
    lost.then(|| Causes {
        rule: None,
        message: format!(
            "`{}` replaces `{name}`, a bundle that is not in the channel",
            entry.name.value
        ),
        at: builder.channel.anchor(entry.replaces.place),
    })
}

pub const CHANNEL_CYCLE: RuleDoc = RuleDoc::opm(
    "channel-cycle",
    "detected cycle in replaces chain of upgrade graph: %s",
    "Entries replace each other in a cycle.",
    "`replaces` points from a newer entry to an older one, so the chain from the head must end. `opm` does not report \
     a cycle that a skip breaks.",
    "Remove or correct the `replaces` of the oldest entry in the cycle.",
)
.follows(&[SharedCause::EntryMisnamed, SharedCause::EntryNameless, SharedCause::EntryDoubled])
.in_templates()
.bad(examples![stable!("- name: etcd.v1.0.0\n  replaces: etcd.v1.1.0", "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0", "- name: etcd.v1.2.0\n  replaces: etcd.v1.1.0"; "1.0.0", "1.1.0", "1.2.0")])
.good(examples![stable!("- name: etcd.v1.0.0", "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0", "- name: etcd.v1.2.0\n  replaces: etcd.v1.1.0"; "1.0.0", "1.1.0", "1.2.0")]);

/// Maximum number of cycle edges offered for removal.
const MAX_CYCLE_EDGES: usize = 3;

pub fn check_channel_cycle(scope: &Scope<'_>, channel: &ChannelScope<'_>, out: &mut Findings) {
    let Graph::Cycle(cycle) = &channel.graph else {
        return;
    };
    let name = &channel.blob.name.value;
    let mut chain: Vec<&str> = cycle.iter().map(|&at| channel.name_of(at)).collect();
    chain.extend(chain.first().copied());
    let oldest = scope.lowest(channel, cycle);
    let entry = channel.entries[oldest];
    let builder = FixBuilder::new(scope, channel);
    let misspelt = builder.misspelt(&[]);
    let related = cycle.iter().filter(|&&at| at != oldest).map(|&at| {
        let entry = channel.entries[at];
        (
            format!("`{}` replaces `{}`", entry.name.value, entry.replaces.value),
            channel.anchor(entry.replaces.place),
        )
    });
    let message = format!(
        "entries of channel `{name}` replace each other in a cycle: {}",
        shorten(channel, cycle)
    );
    let finding = channel
        .finding(entry.replaces.place, message)
        .help(format!(
            "`{}` is the oldest of them and should not replace `{}`",
            entry.name.value, entry.replaces.value
        ))
        .bundle(&entry.name.value)
        .related(related)
        .fixes(cycle_fixes(&builder, cycle, oldest))
        .explain(channel_cycle_explanation(&builder, cycle))
        .follows(misspelling(&builder, &misspelt));
    out.fail(
        format!(
            "detected cycle in replaces chain of upgrade graph: {}",
            chain.join(" -> ")
        ),
        finding,
    );
}

fn cycle_fixes(builder: &FixBuilder<'_, '_>, cycle: &[usize], oldest: usize) -> Vec<Fix> {
    let channel = builder.channel;
    let inside: syntax::hashed::HashSet<usize> = cycle.iter().copied().collect();
    // The wrong edge of a cycle leads to a newer entry. Without versions, assume the oldest entry's
    // edge.
    let mut wrong: Vec<usize> = cycle
        .iter()
        .copied()
        .filter(|&at| {
            builder
                .below(at)
                .is_some_and(|below| builder.is_lower(below, at) == Some(false))
        })
        .take(MAX_CYCLE_EDGES)
        .collect();
    if !wrong.contains(&oldest) {
        wrong.push(oldest);
    }
    let mut fixes = Vec::new();
    for entry in wrong {
        let name = builder.name(entry);
        let lower = (0..channel.entries.len())
            .filter(|&at| !inside.contains(&at) && builder.is_lower(at, entry) == Some(true))
            .collect::<Vec<_>>();
        fixes.extend(next_lower_fix(builder, entry, &lower));
        fixes.push(Fix::from_op(
            format!("let `{name}` replace nothing"),
            false,
            builder.set_replaces(entry, None),
        ));
    }
    builder.keep_effective(fixes, |outcome| !outcome.cycle && outcome.heads.len() == 1)
}

fn channel_cycle_explanation(builder: &FixBuilder<'_, '_>, cycle: &[usize]) -> Explanation {
    let why = match cycle {
        [one] => format!(
            "`replaces` leads from a newer entry to an older one. `{}` replaces itself, so `opm`, walking down from \
             the head, would loop forever.",
            builder.name(*one)
        ),
        all => format!(
            "`replaces` leads from a newer entry to an older one, so the chain must end. The edges of {} lead back to where they \
             began; at least one of them leads from an older entry to a newer one.",
            shorten(builder.channel, all)
        ),
    };
    let chains =
        ExplanationChains::new(builder.scope, builder.channel).mark(cycle, ChainMark::InCycle);
    let names = cycle
        .iter()
        .take(NAMES)
        .map(|&at| builder.name(at))
        .collect();
    Explanation {
        why,
        names,
        chains: vec![chains.cycle_chain("the cycle", cycle)],
    }
}

#[cfg(test)]
mod tests {
    use crate::validate::testing::Judge;
    use catalog::testing::PackageBuilder;
    use protocol::operation::EditOp;

    #[test]
    fn mutual_or_self_edges_leave_no_head() {
        for entries in [
            &["a r:b", "b r:a"][..],
            &["a r:a"],
            &["a s:a"],
            &["a s:b", "b s:a"],
        ] {
            let report = PackageBuilder::new("p").channel("c", entries).judge();
            assert_eq!(report.rules(), ["channel-head-none"], "{entries:?}");
            assert!(report.tree().ends_with("no channel head found in graph"));
        }
    }

    #[test]
    fn skip_ranges_do_not_count_for_heads() {
        let report = PackageBuilder::new("p")
            .version("a", "1.9.0")
            .version("b", "1.10.0")
            .channel("c", &["a", "b sr:<1.10.0"])
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
    fn a_wide_channel_without_edges_is_validated_in_linear_time() {
        let entries: Vec<String> = (0..60_000).map(|i| format!("e{i}")).collect();
        let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
        let report = PackageBuilder::new("p").channel("c", &entries).judge();
        assert_eq!(report.rules(), ["channel-head-multiple"]);
        assert!(
            report.findings[0].fixes.is_empty(),
            "no fix for too many entries"
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
        let report = PackageBuilder::new("p")
            .channel("c", &["a", "b r:absent"])
            .judge();
        let why = &report.findings[0].explanation.as_ref().unwrap().why;
        let sentence = "`b` replaces `absent`, which is not in the channel: users of `absent` follow that edge, but it connects no heads.";
        assert!(why.ends_with(sentence), "{why}");
    }

    #[test]
    fn finds_the_heads_of_a_fork() {
        let report = PackageBuilder::new("p")
            .channel("c", &["a", "b r:a", "c r:a", "d r:c"])
            .judge();
        assert!(
            report
                .tree()
                .ends_with("multiple channel heads found in graph: b, d")
        );
    }

    #[test]
    fn cycles_are_reported_as_a_chain() {
        for (entries, chain) in [
            (&["a r:a", "b r:a"][..], "a -> a"),
            (&["a r:c", "b r:a", "c r:b", "d r:c"], "c -> b -> a -> c"),
            // An entry without a name replaces itself.
            (&[""], " -> "),
        ] {
            let report = PackageBuilder::new("p").channel("c", entries).judge();
            assert!(
                report.tree().contains(&format!("upgrade graph: {chain}")),
                "{}",
                report.tree()
            );
        }
    }
}
