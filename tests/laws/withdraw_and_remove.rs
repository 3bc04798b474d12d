//! `withdraw`, `remove-entry` and the effect of `remove-bundle` on channels, specified a second
//! time on plain values; and `opm`'s requirements for a channel.

use super::channels::matches;
use super::naive::{Versions, add_skip, hangs_on, list, next_higher, set, skips, text};
use ::catalog::version::blang::Range;
use protocol::operation::DanglingEdges;
use serde_json::Value;
use std::collections::BTreeSet;

/// The channel after the withdrawal of an entry.
pub fn withdraw(channel: &mut Value, bundle: &str, by: Option<&str>, versions: &Versions) {
    let before = list(channel);
    let by = by.map(str::to_owned).or_else(|| {
        let skipped = skipped(&before);
        let open: Vec<Value> = before
            .iter()
            .filter(|e| !skipped.contains(text(e, "name")))
            .cloned()
            .collect();
        next_higher(&open, bundle, versions).or_else(|| nearest_above(&before, bundle))
    });
    for entry in entries(channel)
        .iter_mut()
        .filter(|e| hangs_on(e, bundle) && text(e, "name") != bundle)
    {
        let below = below(&before, bundle, text(entry, "name"));
        set(entry, "replaces", Some(&below));
    }
    let by = by.expect("an accepted operation");
    let left_behind = stranded_skips(&before, &list(channel), bundle, &by, versions);
    let gone = before.iter().find(|e| text(e, "name") == bundle).unwrap();
    let heir = entries(channel)
        .iter_mut()
        .find(|e| text(e, "name") == by)
        .unwrap();
    add_skip(heir, bundle);
    left_behind.iter().for_each(|name| add_skip(heir, name));
    inherit_range(heir, gone, versions);
}

/// The skips of the withdrawn entry that no unskipped entry above it names or covers `now`.
fn stranded_skips(
    before: &[Value],
    now: &[Value],
    bundle: &str,
    by: &str,
    versions: &Versions,
) -> Vec<String> {
    let version = |name: &str| versions.get(name).cloned().flatten();
    let skipped = skipped(before);
    let above = |e: &&Value| {
        let name = text(e, "name");
        let is_higher = version(name)
            .zip(version(bundle))
            .is_some_and(|(other, own)| other > own);
        name != bundle && !skipped.contains(name) && is_higher
    };
    let covers = |e: &Value, name: &String| {
        let in_range = || version(name).is_some_and(|v| matches(text(e, "skipRange"), &v));
        let has_range = Range::parse(text(e, "skipRange")).is_ok();
        text(e, "replaces") == name || skips(e).contains(name) || has_range && in_range()
    };
    let gone = before.iter().find(|e| text(e, "name") == bundle).unwrap();
    let replaced = now
        .iter()
        .find(|e| text(e, "name") == by)
        .map_or("", |e| text(e, "replaces"));
    let names = skips(gone)
        .into_iter()
        .filter(|name| !["", by, bundle, replaced].contains(&name.as_str()));
    names
        .filter(|name| !now.iter().filter(above).any(|e| covers(e, name)))
        .collect()
}

fn inherit_range(heir: &mut Value, gone: &Value, versions: &Versions) {
    let range = text(gone, "skipRange");
    let version = versions.get(text(heir, "name")).cloned().flatten();
    let is_below = Range::parse(range).is_ok() && version.is_some_and(|v| !matches(range, &v));
    if text(heir, "skipRange").is_empty() && is_below {
        set(heir, "skipRange", Some(range));
    }
}

/// The channel without an entry.
pub fn remove_entry(channel: &mut Value, name: &str, then: DanglingEdges, versions: &Versions) {
    let before = list(channel);
    if before.iter().all(|e| text(e, "name") != name) {
        return;
    }
    let after = |heirs: &[String]| {
        let mut after: Vec<Value> = before
            .iter()
            .filter(|e| text(e, "name") != name)
            .cloned()
            .collect();
        if then != DanglingEdges::Leave {
            relink(&before, &mut after, name, heirs, then, versions);
        }
        after
    };
    let skipped = skipped(&before);
    let above: Vec<String> = before
        .iter()
        .filter(|e| hangs_on(e, name) && text(e, "name") != name)
        .map(|e| text(e, "name").to_owned())
        .collect();
    let open: Vec<String> = above
        .iter()
        .filter(|n| !skipped.contains(n.as_str()))
        .cloned()
        .collect();
    let plain = after(if open.is_empty() { &above } else { &open });
    let chosen = if then == DanglingEdges::Leave || is_sound(&plain) || !is_sound(&before) {
        plain
    } else {
        let others = [
            nearest_above(&before, name),
            highest_remaining(&before, name, versions),
        ];
        let others = others.map(|heir| after(&heir.into_iter().collect::<Vec<_>>()));
        others
            .into_iter()
            .find(|entries| is_sound(entries))
            .unwrap_or(plain)
    };
    channel["entries"] = Value::Array(chosen);
}

fn relink(
    before: &[Value],
    after: &mut [Value],
    name: &str,
    heirs: &[String],
    then: DanglingEdges,
    versions: &Versions,
) {
    let gone = before.iter().find(|e| text(e, "name") == name).unwrap();
    let nobody_replaces = !before
        .iter()
        .any(|e| hangs_on(e, name) && text(e, "name") != name);
    let is_skipped = skipped(before).contains(name);
    for entry in after {
        let own = text(entry, "name").to_owned();
        let hangs = hangs_on(entry, name);
        let is_heir = heirs.contains(&own);
        if hangs {
            let below = below(before, name, &own);
            set(entry, "replaces", Some(&below));
        } else if is_heir
            && nobody_replaces
            && !is_skipped
            && !["", &own].contains(&text(gone, "replaces"))
        {
            set(entry, "replaces", Some(text(gone, "replaces")));
        }
        if is_heir {
            let below = text(entry, "replaces").to_owned();
            for skip in skips(gone)
                .iter()
                .filter(|s| !["", &own, name, &below].contains(&s.as_str()))
            {
                add_skip(entry, skip);
            }
            inherit_range(entry, gone, versions);
        }
        if hangs && then == DanglingEdges::Skip {
            add_skip(entry, name);
        }
    }
}

/// The new `replaces` of an entry that replaced `gone`.
fn below(before: &[Value], gone: &str, above: &str) -> String {
    let replaces = |name: &str| {
        before
            .iter()
            .find(|e| text(e, "name") == name)
            .map_or("", |e| text(e, "replaces"))
            .to_owned()
    };
    let below = replaces(gone);
    let (mut at, mut seen) = (below.clone(), BTreeSet::new());
    while !at.is_empty() && seen.insert(at.clone()) {
        at = replaces(&at);
    }
    let leads_back =
        below == gone || seen.contains(above) && before.iter().any(|e| text(e, "name") == below);
    if leads_back { String::new() } else { below }
}

fn skipped(entries: &[Value]) -> BTreeSet<String> {
    entries
        .iter()
        .flat_map(skips)
        .filter(|name| !name.is_empty())
        .collect()
}

fn nearest_above(entries: &[Value], name: &str) -> Option<String> {
    let skipped = skipped(entries);
    let mut found = vec![name.to_owned()];
    let mut at = 0;
    while at < found.len() {
        let below = found[at].clone();
        for entry in entries {
            let own = text(entry, "name").to_owned();
            let names = hangs_on(entry, &below) || skips(entry).contains(&below);
            if names && !found.contains(&own) {
                if !skipped.contains(&own) {
                    return Some(own);
                }
                found.push(own);
            }
        }
        at += 1;
    }
    None
}

fn highest_remaining(before: &[Value], name: &str, versions: &Versions) -> Option<String> {
    let left: Vec<&Value> = before.iter().filter(|e| text(e, "name") != name).collect();
    let is_named = |name: &str| {
        left.iter()
            .any(|e| text(e, "replaces") == name || skips(e).iter().any(|s| s == name))
    };
    let heads = left
        .iter()
        .map(|e| text(e, "name"))
        .filter(|name| !is_named(name));
    let version = |name: &str| versions.get(name).cloned().flatten();
    heads
        .max_by(|a, b| match (version(a), version(b)) {
            (Some(a), Some(b)) => a.cmp(&b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        })
        .map(str::to_owned)
}

/// Whether there is one head, from which every entry is reached or skipped, without a cycle.
pub fn is_sound(entries: &[Value]) -> bool {
    let is_named = |name: &str| {
        entries
            .iter()
            .any(|e| text(e, "replaces") == name || skips(e).iter().any(|s| s == name))
    };
    let heads: Vec<&str> = entries
        .iter()
        .map(|e| text(e, "name"))
        .filter(|name| !is_named(name))
        .collect();
    let [head] = heads[..] else { return false };
    let skipped = skipped(entries);
    let (mut walked, mut at) = (Vec::new(), head);
    while let Some(entry) = entries.iter().find(|e| text(e, "name") == at) {
        if walked.contains(&at) {
            return false;
        }
        walked.push(at);
        at = text(entry, "replaces");
        if skipped.contains(at) {
            break;
        }
    }
    entries
        .iter()
        .map(|e| text(e, "name"))
        .all(|name| walked.contains(&name) || skipped.contains(name))
}

fn entries(channel: &mut Value) -> &mut Vec<Value> {
    channel["entries"].as_array_mut().unwrap()
}
