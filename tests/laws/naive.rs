//! The meaning of the operations, specified a second time: on plain values, without facts, patches
//! or text. Slow and obvious.

use super::{channels, content, withdraw_and_remove};
use protocol::operation::{Choice, EditOp, PromoteAs};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Versions of a package's bundles, by name; `None` if invalid. Build metadata is a release, with
/// the order of `semver`.
pub type Versions = BTreeMap<String, Option<semver::Version>>;

/// A package as plain values: its own blob, its channels, its deprecations, and its bundles if they
/// matter.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Naive {
    pub package: Value,
    pub channels: BTreeMap<String, Value>,
    pub deprecations: Option<Value>,
    pub bundles: Vec<Value>,
}

/// The package after an accepted operation.
pub fn apply(before: &Naive, op: &EditOp, versions: &Versions) -> Naive {
    let mut after = before.clone();
    match op {
        EditOp::SetDefaultChannel { channel, .. } => {
            after.package["defaultChannel"] = json!(channel)
        }
        EditOp::SetReplaces {
            channel,
            name,
            replaces,
            ..
        } => {
            set(
                entry(&mut after, channel, name),
                "replaces",
                replaces.as_deref(),
            );
        }
        EditOp::SetSkipRange {
            channel,
            name,
            skip_range,
            ..
        } => {
            set(
                entry(&mut after, channel, name),
                "skipRange",
                skip_range.as_deref(),
            );
        }
        EditOp::AddSkip {
            channel,
            name,
            skip,
            skip_matching,
            ..
        } => {
            let listed = &before.channels[channel];
            let entry = entry(&mut after, channel, name);
            skip.iter().for_each(|s| add_skip(entry, s));
            if let Some(matching) = skip_matching {
                let lower = channels::lower_matching(listed, name, matching, versions);
                lower.iter().for_each(|s| add_skip(entry, s));
                let below = channels::next_unskipped_below(listed, name, &lower);
                if text(entry, "replaces") != below {
                    set(entry, "replaces", Some(&below));
                }
            }
        }
        EditOp::RemoveSkip {
            channel,
            name,
            skip,
            skip_matching,
            ..
        } => {
            let entry = entry(&mut after, channel, name);
            let matched = |name: &str| {
                let version = skip_matching
                    .as_ref()
                    .and(channels::version_of(name, versions));
                version.is_some_and(|v| channels::matches(skip_matching.as_deref().unwrap(), &v))
            };
            let stays = |s: &String| !skip.contains(s) && !matched(s);
            let left: Vec<Value> = skips(entry)
                .into_iter()
                .filter(stays)
                .map(Value::from)
                .collect();
            if left.is_empty() {
                entry.as_object_mut().unwrap().remove("skips");
            } else {
                entry["skips"] = json!(left);
            }
        }
        EditOp::RemoveEntry {
            channel,
            name,
            then,
            ..
        } => {
            let entries = entries(&mut after, channel);
            let listed: Vec<usize> = (0..entries.len())
                .filter(|&at| text(&entries[at], "name") == name)
                .collect();
            // A duplicate is removed alone, and edges stay.
            if let [_, .., last] = listed[..] {
                entries.remove(last);
                return after;
            }
            withdraw_and_remove::remove_entry(
                after.channels.get_mut(channel).unwrap(),
                name,
                *then,
                versions,
            );
        }
        EditOp::Withdraw {
            bundle,
            by,
            channel,
            ..
        } => {
            let channels: Vec<String> = if channel.is_empty() {
                let lists = |c: &Value| list(c).iter().any(|e| text(e, "name") == bundle);
                before
                    .channels
                    .iter()
                    .filter(|(_, c)| lists(c))
                    .map(|(name, _)| name.clone())
                    .collect()
            } else {
                channel.clone()
            };
            for channel in channels {
                let channel = after.channels.get_mut(&channel).unwrap();
                withdraw_and_remove::withdraw(channel, bundle, by.as_deref(), versions);
            }
        }
        EditOp::Promote {
            bundle,
            to,
            how,
            replaces,
            skip_range,
            ..
        } => {
            promote(
                before, &mut after, versions, bundle, to, *how, replaces, skip_range,
            );
        }
        EditOp::Deprecate {
            package,
            channel,
            bundle,
            message,
            ..
        } => {
            let reference = reference(channel.as_deref(), bundle.as_deref());
            let blob = after
                .deprecations
                .get_or_insert_with(|| json!({ "schema": "olm.deprecations", "package": package }));
            if !blob["entries"].is_array() {
                blob["entries"] = json!([]);
            }
            let entries = blob["entries"].as_array_mut().unwrap();
            match entries.iter_mut().find(|e| e["reference"] == reference) {
                Some(entry) => entry["message"] = json!(message),
                None => entries.push(json!({ "reference": reference, "message": message })),
            }
        }
        EditOp::Undeprecate {
            channel, bundle, ..
        } => {
            let reference = reference(channel.as_deref(), bundle.as_deref());
            let blob = after.deprecations.as_mut().unwrap();
            let entries = blob["entries"].as_array_mut().unwrap();
            entries.retain(|e| e["reference"] != reference);
            if entries.is_empty() {
                after.deprecations = None;
            }
        }
        EditOp::SetDescription { .. }
        | EditOp::SetIcon { .. }
        | EditOp::SetImage { .. }
        | EditOp::AddBundle { .. }
        | EditOp::AddProperty { .. }
        | EditOp::RemoveProperty { .. } => content::apply(&mut after, op),
        EditOp::RebuildEdges { .. }
        | EditOp::AddChannel { .. }
        | EditOp::RenameChannel { .. }
        | EditOp::RemoveChannel { .. }
        | EditOp::RemoveBundle { .. }
        | EditOp::RenameBundle { .. } => channels::apply(before, &mut after, op, versions),
        // Adds a new package: covered by its own test.
        EditOp::AddPackage { .. } | EditOp::RemovePackage { .. } | EditOp::CopyPackage { .. } => {}
        // Covered by `opm`'s recorded migrations.
        EditOp::Migrate { .. } => {}
        EditOp::Substitute { .. } => channels::apply(before, &mut after, op, versions),
        EditOp::ReplaceText { .. } => {}
    }
    if let EditOp::AddBundle {
        bundle,
        version,
        to: Some(to),
        ..
    } = op
        && list(&before.channels[to])
            .iter()
            .all(|e| text(e, "name") != bundle)
    {
        let mut versions = versions.clone();
        versions.insert(bundle.clone(), semver::Version::parse(version).ok());
        promote(
            before,
            &mut after,
            &versions,
            bundle,
            to,
            None,
            &Choice::Default,
            &Choice::Default,
        );
    }
    after
}

#[expect(clippy::too_many_arguments, reason = "the operation's fields")]
fn promote(
    before: &Naive,
    after: &mut Naive,
    versions: &Versions,
    bundle: &str,
    to: &str,
    how: Option<PromoteAs>,
    replaces: &Choice,
    skip_range: &Choice,
) {
    let listed = list(&before.channels[to]);
    let version = |name: &str| versions.get(name).cloned().flatten();
    let own = version(bundle);
    let lower = |name: &str| version(name).is_some_and(|v| v.cmp(own.as_ref().unwrap()).is_lt());
    let known = listed.iter().filter(|e| version(text(e, "name")).is_some());
    let highest = own.is_some() && known.clone().all(|e| lower(text(e, "name")));
    let how = how.unwrap_or(if highest {
        PromoteAs::Head
    } else {
        PromoteAs::Chain
    });

    // The head, the highest of several; without one, the highest entry. Then along `replaces`.
    let is_named = |name: &str| {
        listed
            .iter()
            .any(|e| text(e, "replaces") == name || skips(e).iter().any(|s| s == name))
    };
    let mut tops: Vec<&str> = listed
        .iter()
        .map(|e| text(e, "name"))
        .filter(|n| !is_named(n))
        .collect();
    if tops.is_empty() {
        tops = listed.iter().map(|e| text(e, "name")).collect();
    }
    tops.sort_by(|a, b| match (version(a), version(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    });
    let head = tops.last().copied();
    let mut chain: Vec<&str> = Vec::new();
    let mut at = head;
    while let Some(name) = at {
        chain.push(name);
        let next = listed
            .iter()
            .find(|e| text(e, "name") == name)
            .map_or("", |e| text(e, "replaces"));
        at = listed
            .iter()
            .map(|e| text(e, "name"))
            .find(|n| *n == next && !chain.contains(n));
    }

    // The next lower entry: of the chain, or one outside of every chain.
    let skipped: Vec<String> = listed.iter().flat_map(skips).collect();
    let is_skipped = |name: &str| skipped.iter().any(|s| s == name && !s.is_empty());
    let mut best: Option<&str> = None;
    for name in listed.iter().map(|e| text(e, "name")) {
        let counts = own.is_some() && lower(name) && (chain.contains(&name) || !is_skipped(name));
        let better =
            || best.is_none_or(|b| version(name).unwrap().cmp(&version(b).unwrap()).is_gt());
        if counts && better() {
            best = Some(name);
        }
    }
    let hung_on = match (how, replaces) {
        (_, Choice::None) => None,
        (_, Choice::Value(name)) => Some(name.clone()),
        (PromoteAs::Head, Choice::Default) => head.map(str::to_owned),
        (_, Choice::Default) => best.map(str::to_owned),
    };
    if how != PromoteAs::Head {
        let without_way = how == PromoteAs::Skipped || is_skipped(bundle);
        let hanging = |name: &str| -> Option<String> {
            let hangs = |n: &str| {
                listed
                    .iter()
                    .any(|e| text(e, "name") == n && hangs_on(e, name))
            };
            let in_chain = chain.iter().copied().find(|n| hangs(n));
            let anywhere = || {
                listed
                    .iter()
                    .find(|e| hangs_on(e, name))
                    .map(|e| text(e, "name"))
            };
            in_chain.or_else(anywhere).map(str::to_owned)
        };
        let next = hung_on
            .as_deref()
            .and_then(&hanging)
            .filter(|n| *replaces != Choice::Default || own.is_none() || !lower(n));
        let end = if without_way {
            hung_on.clone()
        } else {
            Some(bundle.to_owned())
        };
        match (next, end) {
            (Some(next), _) if !without_way => {
                set(entry(after, to, &next), "replaces", Some(bundle))
            }
            (Some(_), _) | (None, None) => {}
            (None, Some(end)) => close_gap(after, to, (bundle, &end), replaces, hanging(bundle), {
                let above = |n: &&str| match (version(n), &own) {
                    (Some(other), Some(own)) => other.cmp(own).is_gt(),
                    (other, own) => other.is_none() && own.is_none(),
                };
                chain.iter().copied().filter(above).reduce(|low, n| {
                    match (version(n), version(low)) {
                        (Some(a), Some(b)) if a.cmp(&b).is_gt() => low,
                        _ => n,
                    }
                })
            }),
        }
    }
    if how == PromoteAs::Skipped {
        let above = next_higher(&listed, bundle, versions).unwrap();
        add_skip(entry(after, to, &above), bundle);
    }
    let mut ranges: Vec<&str> = before
        .channels
        .values()
        .flat_map(|c| c["entries"].as_array().into_iter().flatten())
        .filter(|e| text(e, "name") == bundle)
        .map(|e| text(e, "skipRange"))
        .collect();
    ranges.dedup();
    let range = match skip_range {
        Choice::None => None,
        Choice::Value(range) => Some(range.as_str()),
        Choice::Default => ranges.first().copied().filter(|_| ranges.len() == 1),
    };
    let mut new = json!({ "name": bundle });
    set(&mut new, "replaces", hung_on.as_deref());
    set(&mut new, "skipRange", range);
    entries(after, to).push(new);
}

/// If no edge leads to `end` yet, entries that wait for the new one get an edge, otherwise the next
/// higher entry of the chain.
fn close_gap(
    after: &mut Naive,
    to: &str,
    (bundle, end): (&str, &str),
    replaces: &Choice,
    waiting: Option<String>,
    next: Option<&str>,
) {
    if let Some(waiting) = waiting {
        set(entry(after, to, &waiting), "replaces", Some(end));
        return;
    }
    let (Some(next), false) = (next, matches!(replaces, Choice::Value(_))) else {
        return;
    };
    let old = text(entry(after, to, next), "replaces").to_owned();
    let is_listed = entries(after, to).iter().any(|e| text(e, "name") == old);
    if is_listed && (end != bundle || old == next) {
        return;
    }
    let next = entry(after, to, next);
    set(next, "replaces", Some(end));
    if !is_listed && !["", bundle, end].contains(&old.as_str()) {
        add_skip(next, &old);
    }
}

pub fn next_higher(listed: &[Value], bundle: &str, versions: &Versions) -> Option<String> {
    let own = versions.get(bundle)?.as_ref()?;
    let version = |e: &Value| versions.get(text(e, "name")).cloned().flatten();
    let mut higher: Vec<(semver::Version, String)> = listed
        .iter()
        .filter_map(|e| Some((version(e)?, text(e, "name").to_owned())))
        .filter(|(v, _)| v.cmp(own).is_gt())
        .collect();
    higher.sort_by(|a, b| a.0.cmp(&b.0));
    higher.into_iter().next().map(|(_, name)| name)
}

fn reference(channel: Option<&str>, bundle: Option<&str>) -> Value {
    match (channel, bundle) {
        (Some(name), _) => json!({ "schema": "olm.channel", "name": name }),
        (_, Some(name)) => json!({ "schema": "olm.bundle", "name": name }),
        _ => json!({ "schema": "olm.package" }),
    }
}

fn entries<'a>(naive: &'a mut Naive, channel: &str) -> &'a mut Vec<Value> {
    let channel = naive.channels.get_mut(channel).unwrap();
    if !channel["entries"].is_array() {
        channel["entries"] = json!([]);
    }
    channel["entries"].as_array_mut().unwrap()
}

fn entry<'a>(naive: &'a mut Naive, channel: &str, name: &str) -> &'a mut Value {
    entries(naive, channel)
        .iter_mut()
        .find(|e| text(e, "name") == name)
        .unwrap()
}

pub fn list(channel: &Value) -> Vec<Value> {
    channel["entries"].as_array().cloned().unwrap_or_default()
}

pub fn skips(entry: &Value) -> Vec<String> {
    entry["skips"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|s| s.as_str().map(str::to_owned))
        .collect()
}

/// An empty `replaces` counts as none.
pub fn hangs_on(entry: &Value, name: &str) -> bool {
    !name.is_empty() && text(entry, "replaces") == name
}

pub fn add_skip(entry: &mut Value, name: &str) {
    if !skips(entry).iter().any(|s| s == name) {
        match entry["skips"].as_array_mut() {
            Some(list) => list.push(json!(name)),
            None => entry["skips"] = json!([name]),
        }
    }
}

pub fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// Sets a text, or removes the key if there is none.
pub fn set(value: &mut Value, key: &str, text: Option<&str>) {
    match text.filter(|t| !t.is_empty()) {
        Some(text) => value[key] = json!(text),
        None => {
            value.as_object_mut().unwrap().remove(key);
        }
    }
}

/// For comparison: ignores the order of bundles and of a channel's entries (an operation specifies
/// the place of a new one, which the text test checks), and treats an absent list of entries as
/// empty.
pub fn comparable(mut naive: Naive) -> Naive {
    for channel in naive.channels.values_mut() {
        if let Some(entries) = channel["entries"].as_array_mut() {
            entries.sort_by_key(|e| text(e, "name").to_owned());
        }
    }
    naive.bundles.sort_by_key(|b| text(b, "name").to_owned());
    naive
}
