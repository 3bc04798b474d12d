//! `edge-misspelt`: an edge to a bundle that is not there, and one of nearly that name is.

use super::super::rules::prelude::*;
use crate::fbc::model::Entry;
use crate::fbc::place::{Spanned, Text};
use std::collections::{HashMap, HashSet};

pub(in crate::fbc::validate) const DOC: RuleDoc = RuleDoc::advice(
    "edge-misspelt",
    Severity::Warning,
    Profile::Community,
    "An entry replaces or skips a name that no bundle has, and one bundle has almost that name.",
    "`replaces` and `skips` may name bundles that are gone, so `opm` cannot tell a slip from intention. Installed \
     bundles are known by their full name: without the package's prefix, or with `v` or a dash forgotten, the edge \
     leads nobody anywhere.",
    "Write the name exactly as the bundle has it.",
)
.bad(&[
    Example::Catalog(concat!(
        package!("etcd", "stable"),
        channel!("etcd", "stable", "- name: etcd.v1.1.0\n  replaces: v1.0.0"),
        channel!("etcd", "old", "- name: etcd.v1.0.0"),
        bundle!("etcd", "1.0.0"),
        bundle!("etcd", "1.1.0"),
    )),
    Example::Catalog(concat!(
        package!("etcd", "stable"),
        channel!("etcd", "stable", "- name: etcd.v1.1.0\n  skips:\n  - etcd.1.0.0"),
        channel!("etcd", "old", "- name: etcd.v1.0.0"),
        bundle!("etcd", "1.0.0"),
        bundle!("etcd", "1.1.0"),
    )),
])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.1.0\n  replaces: etcd.v0.9.0"),
    channel!("etcd", "old", "- name: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0"),
))]);

#[derive(Clone, Copy)]
enum Edge {
    Replaces,
    Skips,
}

pub(in crate::fbc::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    // Both are made only when an edge leads to nothing, which is rare.
    let mut bundles: Option<HashMap<String, &Text>> = None;
    for channel in &scope.channels {
        let mut listed: Option<HashSet<&str>> = None;
        for &entry in &channel.entries {
            let skips = entry.skips.iter().map(|s| (Edge::Skips, s));
            for (edge, target) in [(Edge::Replaces, &entry.replaces)].into_iter().chain(skips) {
                if target.is_empty() || scope.bundle(target.as_str()).is_some() {
                    continue;
                }
                let listed = listed.get_or_insert_with(|| channel.entries.iter().map(|e| e.name.as_str()).collect());
                if listed.contains(target.as_str()) {
                    continue;
                }
                let bundles = bundles.get_or_insert_with(|| {
                    scope.package.bundles.iter().map(|b| (plain(b.name.as_str()), &b.name.value)).collect()
                });
                let spellings = [plain(target.as_str()), plain(&prefixed(entry.name.as_str(), target.as_str()))];
                let meant = spellings.iter().find_map(|s| bundles.get(s));
                if let Some(&meant) = meant.filter(|meant| ***meant != entry.name.value) {
                    out.report(finding(scope, channel, entry, (edge, target), meant));
                }
            }
        }
    }
}

fn finding(
    scope: &Scope<'_>,
    channel: &ChannelScope<'_>,
    entry: &Entry,
    (edge, target): (Edge, &Spanned<Text>),
    meant: &Text,
) -> Finding {
    let (package, channel_name) = (scope.package.name.to_string(), channel.blob.name.value.to_string());
    let (name, right, wrong) = (entry.name.value.to_string(), meant.to_string(), target.value.to_string());
    let (verb, ops) = match edge {
        Edge::Replaces => {
            let replaces = Some(right);
            ("replaces", vec![EditOp::SetReplaces { catalog: None, package, channel: channel_name, name, replaces }])
        }
        Edge::Skips => {
            let (package_too, channel_too, name_too) = (package.clone(), channel_name.clone(), name.clone());
            let add = EditOp::AddSkip { catalog: None, package, channel: channel_name, name, skip: vec![right] };
            let remove = EditOp::RemoveSkip {
                catalog: None,
                package: package_too,
                channel: channel_too,
                name: name_too,
                skip: vec![wrong],
            };
            ("skips", vec![remove, add])
        }
    };
    let message = format!("`{}` {verb} `{}`, and no bundle has that name", entry.name.value, target.value);
    Finding::new(channel.anchor(target.place), message)
        .help(format!("did you mean `{meant}`?"))
        .channel(&channel.blob.name.value)
        .bundle(&entry.name.value)
        .fixes([fix_of(format!("write `{meant}`"), false, ops)])
}

/// A name without what is easily forgotten or mistaken: case, the `v` before a number, which separator it is.
fn plain(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    let mut characters = name.chars().map(|c| c.to_ascii_lowercase()).peekable();
    while let Some(c) = characters.next() {
        let starts = plain.is_empty() || plain.ends_with('.');
        match c {
            'v' if starts && characters.peek().is_some_and(char::is_ascii_digit) => {}
            '.' | '-' | '_' | '+' => plain.push('.'),
            other => plain.push(other),
        }
    }
    plain
}

/// `target` with what stands before the version in the entry's own name.
fn prefixed(entry: &str, target: &str) -> String {
    let version = entry.match_indices('.').map(|(i, _)| i).find(|&i| {
        let rest = entry[i + 1..].strip_prefix(['v', 'V']).unwrap_or(&entry[i + 1..]);
        rest.starts_with(|c: char| c.is_ascii_digit())
    });
    format!("{}.{target}", &entry[..version.unwrap_or(entry.len())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fbc::validate::testing::Sketch;

    #[test]
    fn spellings_of_one_name() {
        for name in ["etcd.1.0.0-rc.1", "etcd-v1.0.0-rc1", "Etcd.V1.0.0_rc.1", "etcd.v1.0.0+rc.1"] {
            let same = plain(name) == plain("etcd.v1.0.0-rc.1");
            assert_eq!(same, name != "etcd-v1.0.0-rc1", "{name}");
        }
        assert_ne!(plain("etcd.v1.10.0"), plain("etcd.v11.0.0"));
        assert_eq!(prefixed("my.etcd.v1.1.0", "v1.0.0"), "my.etcd.v1.0.0");
        assert_eq!(prefixed("etcd", "v1.0.0"), "etcd.v1.0.0");
    }

    #[test]
    fn the_fix_writes_the_full_name() {
        let sketch = Sketch::new("p").channel("c", &["p.v1.1.0>v1.0.0"]).channel("old", &["p.v1.0.0"]);
        assert_eq!(sketch.advice(DOC.id), ["`p.v1.1.0` replaces `v1.0.0`, and no bundle has that name"]);
    }
}
