//! `channel-stranded`: entries from which no `replaces` or `skips` leads users to the head. `opm`
//! reports `channel contains one or more stranded bundles: a, b`.

use super::prelude::*;

pub const CHANNEL_STRANDED: RuleDoc = RuleDoc::opm(
    "channel-stranded",
    "channel contains one or more stranded bundles: %s",
    "Entries of a channel are stranded: they are neither on the head's `replaces` chain nor skipped.",
    "`opm` walks from the head along `replaces` and stops at an entry that is skipped or not in the channel. An entry \
     that is neither on that walk nor skipped is stranded: in Classic no `replaces` or `skips` takes its users to the head.",
    "Let the head (or an entry on its chain) skip the stranded ones, or bring them into the chain of `replaces`.",
)
.since(58)
.follows(&[SharedCause::EntryMisnamed, SharedCause::EntryDoubled])
.in_templates()
.bad(examples![stable!("- name: etcd.v1.0.0", "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0", "- name: etcd.v1.2.0\n  skips:\n  - etcd.v1.1.0"; "1.0.0", "1.1.0", "1.2.0")])
.good(examples![stable!("- name: etcd.v1.0.0", "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0", "- name: etcd.v1.2.0\n  replaces: etcd.v1.0.0\n  skips:\n  - etcd.v1.1.0"; "1.0.0", "1.1.0", "1.2.0")]);

/// Maximum number of stranded entries offered for individual removal.
const MAX_REMOVED: usize = 5;

pub fn check_channel_stranded(scope: &Scope<'_>, channel: &ChannelScope<'_>, out: &mut Findings) {
    let Graph::Stranded(head, stranded) = &channel.graph else {
        return;
    };
    let name = &channel.blob.name.value;
    let builder = FixBuilder::new(scope, channel);
    let head_name = channel.name_of(*head);
    let first = stranded[0];
    let misspelt = builder.misspelt(stranded);
    let walk = walk(channel, *head);
    let related = stranded.iter().skip(1).map(|&e| {
        (
            format!("`{}` is stranded too", channel.name_of(e)),
            channel.anchor(channel.entries[e].name.place),
        )
    });
    let message = format!(
        "channel `{name}` has stranded entries: {}",
        shorten(channel, stranded)
    );
    let finding = channel.finding(channel.entries[first].name.place, message)
        .help(format!(
            "they are not on the `replaces` chain of the head `{head_name}`; let the head skip them, or add them to the chain"
        ))
        .bundle(&channel.entries[first].name.value)
        .related(related)
        .fixes(fixes(&builder, *head, stranded, &walk, &misspelt))
        .explain(explanation(&builder, *head, stranded, &walk))
        .follows(misspelling(&builder, &misspelt));
    let opm = format!(
        "channel contains one or more stranded bundles: {}",
        channel.sorted_names(stranded)
    );
    out.fail(opm, finding);
}

/// `opm`'s walk: from the head along `replaces`, while the next entry is in the channel and not
/// skipped.
struct Walk {
    end: usize,
    /// The skipped entry that ends the walk, and the entries that skip it.
    skipped_entry: Option<(usize, Vec<usize>)>,
}

fn walk(channel: &ChannelScope<'_>, head: usize) -> Walk {
    let end = channel.end_of_walk().unwrap_or(head);
    let next = channel.position(&channel.entries[end].replaces.value);
    let skipped_entry = next
        .filter(|&next| channel.skipped_entries()[next])
        .map(|next| {
            (
                next,
                (0..channel.entries.len())
                    .filter(|&e| {
                        channel.entries[e]
                            .skips
                            .iter()
                            .any(|skip| skip.as_str() == channel.name_of(next))
                    })
                    .collect(),
            )
        });
    Walk { end, skipped_entry }
}

fn fixes(
    builder: &FixBuilder<'_, '_>,
    head: usize,
    stranded: &[usize],
    walk: &Walk,
    misspelt: &[MisspeltEdge<'_>],
) -> Vec<Fix> {
    let mut fixes = builder.respell(misspelt);
    fixes.extend(builder.replace_lower_instead_of_self(stranded));
    fixes.extend(builder.restore_lost_entries());
    let newest = builder.scope.highest(builder.channel, stranded);
    let can_continue = builder.is_lower(newest, walk.end) != Some(false);
    // Continue the chain from its end.
    let continue_chain = |instead: &str| {
        let (end, newest) = (builder.name(walk.end), builder.name(newest));
        let title = format!("let `{end}` replace `{newest}`{instead}");
        Fix::from_op(title, false, builder.set_replaces(walk.end, Some(newest)))
    };
    if builder.below(walk.end).is_none() && can_continue {
        fixes.push(continue_chain(""));
    }
    if let Some((skipped_entry, by)) = &walk.skipped_entry {
        let target = builder.name(*skipped_entry);
        let ops: Vec<EditOp> = by
            .iter()
            .map(|&entry| builder.remove_skip(entry, vec![target.clone()]))
            .collect();
        fixes.push(Fix::new(
            format!("no longer skip `{target}`, so that the chain continues there"),
            false,
            ops,
        ));
        if can_continue {
            fixes.push(continue_chain(&format!(" instead of `{target}`")));
        }
    }
    let title = match stranded {
        [one] => format!(
            "let the head `{}` skip `{}`",
            builder.name(head),
            builder.name(*one)
        ),
        all => format!(
            "let the head `{}` skip the {} stranded entries",
            builder.name(head),
            all.len()
        ),
    };
    fixes.push(Fix::from_op(
        title,
        false,
        builder.add_skip(head, stranded.iter().map(|&e| builder.name(e)).collect()),
    ));
    fixes.extend(builder.respell_versions(misspelt));
    if stranded.len() <= MAX_REMOVED {
        let out: Option<Vec<EditOp>> = stranded
            .iter()
            .map(|&e| builder.remove_entry_fix(e).map(|fix| fix.ops))
            .collect::<Option<Vec<_>>>()
            .map(|o| o.concat());
        let title = match stranded {
            [one] => format!(
                "remove `{}` from channel `{}`",
                builder.name(*one),
                builder.channel.blob.name.value
            ),
            all => {
                format!(
                    "remove the {} stranded entries from channel `{}`",
                    all.len(),
                    builder.channel.blob.name.value
                )
            }
        };
        fixes.extend(out.map(|ops| Fix::new(title, false, ops)));
    }
    builder.keep_effective(fixes, |outcome| {
        outcome.stranded.is_empty() && outcome.heads.len() == 1
    })
}

fn explanation(
    builder: &FixBuilder<'_, '_>,
    head: usize,
    stranded: &[usize],
    walk: &Walk,
) -> Explanation {
    let channel = builder.channel;
    let (head_name, end) = (channel.name_of(head), channel.name_of(walk.end));
    let why_end = match &walk.skipped_entry {
        Some((skipped_entry, by)) => format!(
            "It stops below `{end}`, because `{}` is skipped by {}.",
            channel.name_of(*skipped_entry),
            shorten(channel, by)
        ),
        None => match channel.entries[walk.end].replaces.as_str() {
            "" => format!("It ends at `{end}`, which replaces nothing."),
            gone => {
                format!("It ends at `{end}`, whose `replaces`, `{gone}`, is not in the channel.")
            }
        },
    };
    let why = format!(
        "`opm` walks from the head `{head_name}` along `replaces`. {why_end} {} neither on that walk nor skipped, so \
         in Classic no `replaces` or `skips` leads from there to the head.",
        match stranded {
            [one] => format!("`{}` is", channel.name_of(*one)),
            all => format!("{} are", shorten(channel, all)),
        }
    );
    let top = builder.scope.highest(channel, stranded);
    let chains = ExplanationChains::new(builder.scope, channel)
        .mark(&[head], ChainMark::Head)
        .mark(stranded, ChainMark::Stranded);
    let chains = chains.side_by_side(&[head, top], |name| {
        if name == head_name {
            format!("from head `{name}`")
        } else {
            format!("from `{name}`")
        }
    });
    Explanation {
        why,
        names: stranded
            .iter()
            .take(NAMES)
            .map(|&e| builder.name(e))
            .collect(),
        chains,
    }
}

#[cfg(test)]
mod tests {
    use crate::validate::testing::Judge;
    use catalog::testing::PackageBuilder;
    use protocol::operation::EditOp;

    #[test]
    fn finds_stranded_entries() {
        for (entries, stranded) in [
            (&["a r:c", "b r:a", "c r:b", "d r:c s:b"][..], "a"),
            (&["a r:c", "b r:a", "c r:b", "d r:c s:c"], "a, b"),
            (&["a", "b r:a", "c s:b"], "a"),
            (&["a", "b r:a", "c r:b s:b"], "a"),
        ] {
            let report = PackageBuilder::new("p").channel("c", entries).judge();
            assert_eq!(report.rules(), ["channel-stranded"], "{entries:?}");
            assert!(
                report
                    .tree()
                    .ends_with(&format!("stranded bundles: {stranded}")),
                "{}",
                report.tree()
            );
        }
    }

    #[test]
    fn accepts_channels_without_stranded_entries() {
        for entries in [
            &["a", "b r:a"][..],
            &["a", "b r:a", "c r:b s:a"],
            &["a", "b r:a", "c r:a s:b"],
            &["a", "b r:absent", "c r:b s:a"],
            &["a r:absent"],
            &["a s:absent"],
        ] {
            let report = PackageBuilder::new("p").channel("c", entries).judge();
            assert!(
                report.findings.is_empty(),
                "{entries:?}: {:?}",
                report.rules()
            );
            assert_eq!(report.tree, None);
        }
    }

    #[test]
    fn fixes_extend_the_chain_or_skip_from_the_head() {
        let report = PackageBuilder::new("p")
            .channel("c", &["x", "a", "b r:a", "c s:b"])
            .judge();
        let ops = &report.findings[0].fixes[0].ops;
        assert_eq!(report.rules(), ["channel-head-multiple"]);
        assert!(!ops.is_empty());
        let report = PackageBuilder::new("p")
            .channel("c", &["a", "b r:a", "c s:b"])
            .judge();
        let fixes = &report.findings[0].fixes;
        assert_eq!(fixes.len(), 2);
        assert!(fixes.iter().all(|fix| fix.heads == ["c"]));
        assert!(
            matches!(&fixes[0].ops[..], [EditOp::SetReplaces { name, replaces: Some(r), .. }] if name == "c" && r == "a")
        );
        assert!(
            matches!(&fixes[1].ops[..], [EditOp::AddSkip { name, skip, .. }] if name == "c" && skip == &["a"])
        );
    }

    #[test]
    fn users_of_a_stranded_entry_may_still_get_to_another() {
        let report = PackageBuilder::new("p")
            .channel("c", &["a", "b r:a", "c r:b", "d r:c s:c"])
            .judge();
        let why = &report.findings[0].explanation.as_ref().unwrap().why;
        assert!(
            why.ends_with("in Classic no `replaces` or `skips` leads from there to the head."),
            "{why}"
        );
    }

    #[test]
    fn a_long_chain_is_validated_in_linear_time() {
        let mut entries = vec!["e0".to_owned()];
        entries.extend((1..200_000).map(|i| format!("e{i} r:e{}", i - 1)));
        let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
        assert!(
            PackageBuilder::new("p")
                .channel("c", &entries)
                .judge()
                .findings
                .is_empty()
        );
    }
}
