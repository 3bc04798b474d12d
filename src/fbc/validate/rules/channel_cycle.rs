//! `channel-cycle`: the `replaces` chain from the head returns to itself. `opm`: `detected cycle in
//! replaces chain of upgrade graph: c -> b -> a -> c`. One of its edges points from old to new.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "channel-cycle",
    "detected cycle in replaces chain of upgrade graph: %s",
    "Entries replace each other in a cycle.",
    "`replaces` points from a newer entry to an older one, so the chain from the head must end. `opm` does not report \
     a cycle that a skip breaks.",
    "Remove or correct the `replaces` of the oldest entry in the cycle.",
)
.follows(&[SharedCause::EntryMisnamed, SharedCause::EntryNameless, SharedCause::EntryDoubled])
.in_templates()
.bad(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!(
        "etcd",
        "stable",
        "- name: etcd.v1.0.0\n  replaces: etcd.v1.1.0",
        "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0",
        "- name: etcd.v1.2.0\n  replaces: etcd.v1.1.0"
    ),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0"),
    bundle!("etcd", "1.2.0")
))])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!(
        "etcd",
        "stable",
        "- name: etcd.v1.0.0",
        "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0",
        "- name: etcd.v1.2.0\n  replaces: etcd.v1.1.0"
    ),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0"),
    bundle!("etcd", "1.2.0")
))]);

/// Maximum number of cycle edges offered for removal.
const EDGES: usize = 3;

pub(in crate::validate) fn check(
    scope: &Scope<'_>,
    channel: &ChannelScope<'_>,
    out: &mut Findings,
) {
    let Graph::Cycle(cycle) = &channel.graph else {
        return;
    };
    let name = &channel.blob.name.value;
    let mut chain: Vec<&str> = cycle.iter().map(|&e| channel.name_of(e)).collect();
    chain.extend(chain.first().copied());
    let oldest = scope.lowest(channel, cycle);
    let entry = channel.entries[oldest];
    let builder = FixBuilder::new(scope, channel);
    let misspelt = builder.misspelt(&[]);
    let related = cycle.iter().filter(|&&e| e != oldest).map(|&e| {
        let entry = channel.entries[e];
        (
            format!("`{}` replaces `{}`", entry.name.value, entry.replaces.value),
            channel.anchor(entry.replaces.place),
        )
    });
    let message = format!(
        "entries of channel `{name}` replace each other in a cycle: {}",
        shorten(channel, cycle)
    );
    let finding = Finding::new(channel.anchor(entry.replaces.place), message)
        .help(format!(
            "`{}` is the oldest of them and should not replace `{}`",
            entry.name.value, entry.replaces.value
        ))
        .channel(name)
        .bundle(&entry.name.value)
        .related(related)
        .fixes(fixes(&builder, cycle, oldest))
        .explain(explanation(&builder, cycle))
        .follows(misspelling(&builder, &misspelt));
    out.fail(
        format!(
            "detected cycle in replaces chain of upgrade graph: {}",
            chain.join(" -> ")
        ),
        finding,
    );
}

fn fixes(builder: &FixBuilder<'_, '_>, cycle: &[usize], oldest: usize) -> Vec<Fix> {
    let channel = builder.channel;
    let inside: crate::hashed::HashSet<usize> = cycle.iter().copied().collect();
    // The wrong edge of the cycle leads to a newer entry; without versions it is the oldest
    // entry's.
    let mut wrong: Vec<usize> = cycle
        .iter()
        .copied()
        .filter(|&e| {
            builder
                .below(e)
                .is_some_and(|below| builder.is_lower(below, e) == Some(false))
        })
        .take(EDGES)
        .collect();
    if !wrong.contains(&oldest) {
        wrong.push(oldest);
    }
    let mut fixes = Vec::new();
    for entry in wrong {
        let name = builder.name(entry);
        let lower = (0..channel.entries.len())
            .filter(|&e| !inside.contains(&e) && builder.is_lower(e, entry) == Some(true))
            .collect::<Vec<_>>();
        if !lower.is_empty() {
            let next = builder.name(builder.scope.highest(channel, &lower));
            let title = format!("let `{name}` replace `{next}`, the next lower version");
            fixes.push(kind(
                "next-lower",
                fix(title, false, builder.set_replaces(entry, Some(next))),
            ));
        }
        fixes.push(fix(
            format!("let `{name}` replace nothing"),
            false,
            builder.set_replaces(entry, None),
        ));
    }
    builder.keep_effective(fixes, |outcome| !outcome.cycle && outcome.heads.len() == 1)
}

fn explanation(builder: &FixBuilder<'_, '_>, cycle: &[usize]) -> Explanation {
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
    let names = cycle.iter().take(NAMES).map(|&e| builder.name(e)).collect();
    Explanation {
        why,
        names,
        chains: vec![chains.circle("the cycle", cycle)],
    }
}

#[cfg(test)]
mod tests {
    use crate::validate::testing::Sketch;

    #[test]
    fn circles() {
        for (entries, chain) in [
            (&["a>a", "b>a"][..], "a -> a"),
            (&["a>c", "b>a", "c>b", "d>c"], "c -> b -> a -> c"),
            (&[""], " -> "),
        ] {
            let report = Sketch::new("p").channel("c", entries).judge();
            assert!(
                report.tree().contains(&format!("upgrade graph: {chain}")),
                "{}",
                report.tree()
            );
        }
    }
}
