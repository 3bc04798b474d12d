//! `channel-head-multiple`: several entries that nothing replaces or skips.
//! `opm`: `multiple channel heads found in graph: a, b`. The most common refusal of all: a new entry without an edge to the
//! former head, or with a skipRange only.

use super::prelude::*;

pub(in crate::fbc::validate) const DOC: RuleDoc = RuleDoc::opm(
    "channel-head-multiple",
    "multiple channel heads found in graph: %s",
    "A channel has several heads.",
    "A channel leads to one newest bundle. An entry is a head as long as no other entry of the channel replaces or skips it; \
     a skipRange does not change that.",
    "Let the newest entry replace the former head, and skip the others.",
);

pub(in crate::fbc::validate) fn check(scope: &Scope<'_>, channel: &ChannelScope<'_>, out: &mut Findings) {
    let Graph::Heads(heads) = &channel.graph else { return };
    let name = &channel.blob.name.value;
    let newest = highest(scope, channel, heads);
    let newest_entry = channel.entries[newest];
    let others: Vec<usize> = heads.iter().copied().filter(|&h| h != newest).collect();
    let newest_name = channel.name_of(newest);
    let package = scope.package.name.to_string();
    let mut fixes = Vec::new();
    if let [other] = others[..]
        && newest_entry.replaces.is_empty()
    {
        let other = channel.name_of(other);
        fixes.push(fix(
            format!("let `{newest_name}` replace `{other}`"),
            false,
            EditOp::SetReplaces {
                catalog: None,
                package: package.clone(),
                channel: name.to_string(),
                name: newest_name.to_owned(),
                replaces: Some(other.to_owned()),
            },
        ));
    }
    fixes.push(fix(
        match others[..] {
            [other] => format!("let `{newest_name}` skip `{}`", channel.name_of(other)),
            _ => format!("let `{newest_name}` skip the other {} heads", others.len()),
        },
        false,
        EditOp::AddSkip {
            catalog: None,
            package,
            channel: name.to_string(),
            name: newest_name.to_owned(),
            skip: others.iter().map(|&e| channel.name_of(e).to_owned()).collect(),
        },
    ));
    let stray = others.first().copied().unwrap_or(newest);
    let related = heads
        .iter()
        .filter(|&&h| h != stray)
        .map(|&h| (format!("`{}` is a head too", channel.name_of(h)), channel.anchor(channel.entries[h].name.place)));
    let message = format!("channel `{name}` has {} heads: {}", heads.len(), shortened(channel, heads));
    let finding = Finding::new(channel.anchor(channel.entries[stray].name.place), message)
        .help(format!("nothing replaces or skips them; let the newest, `{newest_name}`, replace or skip the others"))
        .channel(name)
        .bundle(&channel.entries[stray].name.value)
        .related(related)
        .fixes(fixes);
    out.fail(format!("multiple channel heads found in graph: {}", channel.sorted_names(heads)), finding);
}

#[cfg(test)]
mod tests {
    use crate::fbc::edit::op::EditOp;
    use crate::fbc::validate::testing::Sketch;

    #[test]
    fn a_skip_range_makes_no_head_less() {
        let report =
            Sketch::new("p").version("a", "1.9.0").version("b", "1.10.0").channel("c", &["a", "b ~<1.10.0"]).judge();
        assert_eq!(report.rules(), ["channel-head-multiple"]);
        assert!(report.tree().ends_with("multiple channel heads found in graph: a, b"));
        let fixes = &report.findings[0].fixes;
        assert!(
            matches!(&fixes[0].ops[..], [EditOp::SetReplaces { name, replaces: Some(r), .. }] if name == "b" && r == "a")
        );
        assert!(matches!(&fixes[1].ops[..], [EditOp::AddSkip { name, skip, .. }] if name == "b" && skip == &["a"]));
    }

    #[test]
    fn heads_of_a_fork() {
        let report = Sketch::new("p").channel("c", &["a", "b>a", "c>a", "d>c"]).judge();
        assert!(report.tree().ends_with("multiple channel heads found in graph: b, d"));
    }
}
