//! `channel-cycle`: the chain of `replaces` from the head comes back to itself.
//! `opm`: `detected cycle in replaces chain of upgrade graph: c -> b -> a -> c`. One edge of it points from old to new.

use super::prelude::*;

pub(in crate::fbc::validate) const DOC: RuleDoc = RuleDoc::opm(
    "channel-cycle",
    "detected cycle in replaces chain of upgrade graph: %s",
    "Entries replace each other in a circle.",
    "`replaces` leads from a newer entry to an older one; from the head it must come to an end. A circle that a skip breaks \
     is not seen as one.",
    "Remove or correct the `replaces` of the oldest entry in the circle.",
);

pub(in crate::fbc::validate) fn check(scope: &Scope<'_>, channel: &ChannelScope<'_>, out: &mut Findings) {
    let Graph::Cycle(cycle) = &channel.graph else { return };
    let name = &channel.blob.name.value;
    let mut chain: Vec<&str> = cycle.iter().map(|&e| channel.name_of(e)).collect();
    chain.extend(chain.first().copied());
    let oldest = lowest(scope, channel, cycle);
    let entry = channel.entries[oldest];
    let related = cycle.iter().filter(|&&e| e != oldest).map(|&e| {
        let entry = channel.entries[e];
        (format!("`{}` replaces `{}`", entry.name.value, entry.replaces.value), channel.anchor(entry.replaces.place))
    });
    let break_it = EditOp::SetReplaces {
        catalog: None,
        package: scope.package.name.to_string(),
        channel: name.to_string(),
        name: entry.name.value.to_string(),
        replaces: None,
    };
    let message = format!("entries of channel `{name}` replace each other in a circle: {}", shortened(channel, cycle));
    let finding = Finding::new(channel.anchor(entry.replaces.place), message)
        .help(format!("`{}` is the oldest of them and should not replace `{}`", entry.name.value, entry.replaces.value))
        .channel(name)
        .bundle(&entry.name.value)
        .related(related)
        .fixes([fix(format!("let `{}` replace nothing", entry.name.value), false, break_it)]);
    out.fail(format!("detected cycle in replaces chain of upgrade graph: {}", chain.join(" -> ")), finding);
}

#[cfg(test)]
mod tests {
    use crate::fbc::validate::testing::Sketch;

    #[test]
    fn circles() {
        for (entries, chain) in
            [(&["a>a", "b>a"][..], "a -> a"), (&["a>c", "b>a", "c>b", "d>c"], "c -> b -> a -> c"), (&[""], " -> ")]
        {
            let report = Sketch::new("p").channel("c", entries).judge();
            assert!(report.tree().contains(&format!("upgrade graph: {chain}")), "{}", report.tree());
        }
    }
}
