//! `channel-stranded`: entries from which no chain leads to the head.
//! `opm`: `channel contains one or more stranded bundles: a, b`. Users who have them installed get no upgrade any more.

use super::prelude::*;

pub(in crate::fbc::validate) const DOC: RuleDoc = RuleDoc::opm(
    "channel-stranded",
    "channel contains one or more stranded bundles: %s",
    "Entries of a channel are left behind: no chain of `replaces` and no skip leads on from them.",
    "`opm` walks from the head along `replaces` and stops at an entry that is skipped or not in the channel. What is neither \
     on that walk nor skipped is stranded; its users stay where they are.",
    "Let the head (or an entry on its chain) skip the stranded ones, or bring them into the chain of `replaces`.",
);

pub(in crate::fbc::validate) fn check(scope: &Scope<'_>, channel: &ChannelScope<'_>, out: &mut Findings) {
    let Graph::Stranded(head, stranded) = &channel.graph else { return };
    let name = &channel.blob.name.value;
    let head_name = channel.name_of(*head);
    let first = stranded[0];
    let related = stranded
        .iter()
        .skip(1)
        .map(|&e| (format!("`{}` is stranded too", channel.name_of(e)), channel.anchor(channel.entries[e].name.place)));
    let skip = EditOp::AddSkip {
        catalog: None,
        package: scope.package.name.to_string(),
        channel: name.to_string(),
        name: head_name.to_owned(),
        skip: stranded.iter().map(|&e| channel.name_of(e).to_owned()).collect(),
    };
    let title = match stranded.len() {
        1 => format!("let the head `{head_name}` skip `{}`", channel.name_of(first)),
        n => format!("let the head `{head_name}` skip the {n} stranded entries"),
    };
    let message = format!("channel `{name}` strands {}", shortened(channel, stranded));
    let finding = Finding::new(channel.anchor(channel.entries[first].name.place), message)
        .help(format!(
            "no chain leads from there to the head `{head_name}`; let the head skip it, or replace it on the way"
        ))
        .channel(name)
        .bundle(&channel.entries[first].name.value)
        .related(related)
        .fixes([fix(title, false, skip)]);
    let opm = format!("channel contains one or more stranded bundles: {}", channel.sorted_names(stranded));
    out.fail(opm, finding);
}

#[cfg(test)]
mod tests {
    use crate::fbc::edit::op::EditOp;
    use crate::fbc::validate::testing::Sketch;

    #[test]
    fn who_is_stranded() {
        for (entries, stranded) in [
            (&["a>c", "b>a", "c>b", "d>c-b"][..], "a"),
            (&["a>c", "b>a", "c>b", "d>c-c"], "a, b"),
            (&["a", "b>a", "c-b"], "a"),
            (&["a", "b>a", "c>b-b"], "a"),
        ] {
            let report = Sketch::new("p").channel("c", entries).judge();
            assert_eq!(report.rules(), ["channel-stranded"], "{entries:?}");
            assert!(report.tree().ends_with(&format!("stranded bundles: {stranded}")), "{}", report.tree());
        }
    }

    #[test]
    fn who_is_not() {
        for entries in [
            &["a", "b>a"][..],
            &["a", "b>a", "c>b-a"],
            &["a", "b>a", "c>a-b"],
            &["a", "b>absent", "c>b-a"],
            &["a>absent"],
            &["a-absent"],
        ] {
            let report = Sketch::new("p").channel("c", entries).judge();
            assert!(report.findings.is_empty(), "{entries:?}: {:?}", report.rules());
            assert_eq!(report.tree, None);
        }
    }

    #[test]
    fn the_fix_lets_the_head_skip_them() {
        let report = Sketch::new("p").channel("c", &["x", "a", "b>a", "c-b"]).judge();
        let ops = &report.findings[0].fixes[0].ops;
        assert_eq!(report.rules(), ["channel-head-multiple"]);
        assert!(!ops.is_empty());
        let report = Sketch::new("p").channel("c", &["a", "b>a", "c-b"]).judge();
        let ops = &report.findings[0].fixes[0].ops;
        assert!(matches!(&ops[..], [EditOp::AddSkip { name, skip, .. }] if name == "c" && skip == &["a"]));
    }

    #[test]
    fn a_long_chain_is_judged_in_linear_time() {
        let mut entries = vec!["e0".to_owned()];
        entries.extend((1..200_000).map(|i| format!("e{i}>e{}", i - 1)));
        let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
        assert!(Sketch::new("p").channel("c", &entries).judge().findings.is_empty());
    }
}
