//! The operations on whole channels, on bundles and on many edges at once, specified a second time
//! on plain values; and random such operations.

use super::naive::{Naive, Versions, text};
use super::withdraw_and_remove::remove_entry;
use ::catalog::model::{ChannelBlob, Package};
use ::catalog::version::blang::Range;
use ::catalog::version::version_in_name;
use catalog::version;
use protocol::operation::{DanglingEdges, EdgeRule, EditOp};
use rand::Rng;
use semver::{BuildMetadata, Version};
use serde_json::{Value, json};

/// The package after an accepted operation.
pub fn apply(before: &Naive, after: &mut Naive, op: &EditOp, versions: &Versions) {
    match op {
        EditOp::AddChannel {
            package,
            channel,
            from,
            ..
        } => {
            let entries = from
                .as_ref()
                .map_or(Vec::new(), |from| list(&before.channels[from]));
            let entries: Vec<Value> = entries.iter().map(edges_of).collect();
            let blob = json!({ "schema": "olm.channel", "package": package, "name": channel, "entries": entries });
            after.channels.insert(channel.clone(), blob);
        }
        EditOp::RenameChannel { channel, to, .. } if channel != to => {
            let mut blob = after.channels.remove(channel).unwrap();
            blob["name"] = json!(to);
            after.channels.insert(to.clone(), blob);
            if before.package["defaultChannel"] == json!(channel) {
                after.package["defaultChannel"] = json!(to);
            }
            for deprecation in deprecations(after)
                .iter_mut()
                .filter(|d| refers(d, "olm.channel", channel))
            {
                deprecation["reference"]["name"] = json!(to);
            }
        }
        EditOp::RenameChannel { .. } => {}
        EditOp::RemoveChannel { channel, .. } => {
            after.channels.remove(channel);
            remove_deprecation(after, "olm.channel", channel);
        }
        EditOp::RemoveBundle { bundle, then, .. } => {
            after.bundles.retain(|b| text(b, "name") != bundle);
            for channel in after.channels.values_mut() {
                remove_entry(channel, bundle, *then, versions);
            }
            remove_deprecation(after, "olm.bundle", bundle);
        }
        EditOp::RenameBundle {
            bundle,
            to,
            skip_old,
            ..
        } => {
            for blob in after
                .bundles
                .iter_mut()
                .filter(|b| text(b, "name") == bundle)
            {
                blob["name"] = json!(to);
            }
            rename_everywhere(after, bundle, to, *skip_old);
        }
        EditOp::Substitute {
            bundle,
            by: Some(by),
            skip_old,
            ..
        } => {
            after.bundles.retain(|b| text(b, "name") != bundle);
            rename_everywhere(after, bundle, by, *skip_old);
        }
        EditOp::RebuildEdges { channel, rule, .. } => {
            rebuild(after.channels.get_mut(channel).unwrap(), *rule, versions)
        }
        _ => unreachable!("{op:?} is specified elsewhere"),
    }
}

/// Replaces `old` by `new` in all channels and deprecations. References to `old` in the new bundle
/// itself stay.
fn rename_everywhere(after: &mut Naive, old: &str, new: &str, skip_old: bool) {
    for channel in after.channels.values_mut() {
        let entries = channel["entries"].as_array_mut().into_iter().flatten();
        for entry in entries.filter(|e| text(e, "name") != new) {
            let is_it = text(entry, "name") == old;
            if text(entry, "replaces") == old {
                entry["replaces"] = json!(new);
            }
            let mut skips: Vec<Value> = Vec::new();
            for skip in entry["skips"].as_array().cloned().unwrap_or_default() {
                let skip = if skip == json!(old) && !is_it {
                    json!(new)
                } else {
                    skip
                };
                skips.push(skip);
            }
            let written = entry["skips"]
                .as_array()
                .is_some_and(|s| s.iter().any(|s| s == new));
            if written && !is_it {
                skips = entry["skips"].as_array().cloned().unwrap_or_default();
                skips.retain(|s| s != old);
            } else if !is_it {
                let mut seen = false;
                // Of several, the last one stays.
                skips.reverse();
                skips.retain(|s| s != new || !std::mem::replace(&mut seen, true));
                skips.reverse();
            }
            if is_it {
                entry["name"] = json!(new);
                if skip_old && !skips.iter().any(|s| s == old) {
                    skips.push(json!(old));
                }
            }
            if entry["skips"].is_array() || !skips.is_empty() {
                entry["skips"] = Value::Array(skips);
            }
        }
    }
    let is_deprecated = deprecations(after)
        .iter()
        .any(|d| refers(d, "olm.bundle", new));
    if is_deprecated {
        remove_deprecation(after, "olm.bundle", old);
    }
    for deprecation in deprecations(after)
        .iter_mut()
        .filter(|d| refers(d, "olm.bundle", old))
    {
        deprecation["reference"]["name"] = json!(new);
    }
}

/// The entries below `name` whose version matches, lowest first: the effect of `skip-matching`.
pub fn lower_matching(
    channel: &Value,
    name: &str,
    matching: &str,
    versions: &Versions,
) -> Vec<String> {
    let own = version_of(name, versions).unwrap();
    let names = list(channel)
        .into_iter()
        .map(|e| text(&e, "name").to_owned());
    let mut found: Vec<(Version, String)> = names
        .filter_map(|n| Some((version_of(&n, versions)?, n)))
        .collect();
    found.retain(|(v, n)| !n.is_empty() && v.cmp(&own).is_lt() && matches(matching, v));
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.into_iter().map(|(_, name)| name).collect()
}

/// The entry that remains to be replaced by an entry with these skips: the first one down the chain
/// that it does not skip.
pub fn next_unskipped_below(channel: &Value, name: &str, skipped: &[String]) -> String {
    let replaces = |name: &str| {
        list(channel)
            .iter()
            .find(|e| text(e, "name") == name)
            .map_or(String::new(), |e| text(e, "replaces").to_owned())
    };
    let mut seen: Vec<String> = Vec::new();
    let mut at = replaces(name);
    while !at.is_empty() && at == name || skipped.contains(&at) {
        if seen.contains(&at) {
            return String::new();
        }
        seen.push(at.clone());
        at = if at == name {
            String::new()
        } else {
            replaces(&at)
        };
    }
    at
}

pub fn version_of(name: &str, versions: &Versions) -> Option<Version> {
    match versions.get(name) {
        Some(version) => version.clone(),
        None => version_in_name(name)
            .and_then(|(text, _)| Version::parse(text).ok())
            .map(|v| without_build(&v)),
    }
}

pub fn matches(matching: &str, version: &Version) -> bool {
    match matching.strip_suffix(".z") {
        Some(stream) => format!("{}.{}", version.major, version.minor) == stream,
        None => Range::parse(matching)
            .unwrap()
            .contains(&version::Version::parse(&without_build(version).to_string()).unwrap()),
    }
}

fn rebuild(channel: &mut Value, rule: EdgeRule, versions: &Versions) {
    let mut order: Vec<(Version, String)> = list(channel)
        .iter()
        .map(|e| {
            (
                versions[text(e, "name")].clone().unwrap(),
                text(e, "name").to_owned(),
            )
        })
        .collect();
    order.sort_by(|a, b| a.0.cmp(&b.0));
    let stream = |v: &Version| (v.major, v.minor);
    let begin = |of: (u64, u64)| {
        let lowest = order
            .iter()
            .map(|(v, _)| without_build(v))
            .find(|v| stream(v) == of)
            .unwrap();
        lowest.min(Version::new(of.0, of.1, 0))
    };
    if rule == EdgeRule::ZStream {
        return rebuild_z_streams(channel, &order);
    }
    for (i, (version, name)) in order.iter().enumerate() {
        let (lower, higher) = (&order[..i], &order[i + 1..]);
        let mut replaces = lower.last().map(|(_, name)| name.clone());
        let mut skips: Vec<String> = Vec::new();
        let mut range = None;
        match rule {
            EdgeRule::Replaces => {}
            EdgeRule::SkipPatch => {
                replaces = None;
                if higher.iter().all(|(v, _)| stream(v) != stream(version)) {
                    replaces = lower
                        .iter()
                        .rfind(|(v, _)| stream(v) != stream(version))
                        .map(|(_, name)| name.clone());
                    let is_highest =
                        |v: &Version| order.iter().all(|(o, _)| stream(o) != stream(v) || o <= v);
                    let has_below = order.iter().any(|(o, _)| o.major < version.major);
                    let same = lower.iter().filter(|(v, n)| {
                        v.major == version.major
                            && Some(n) != replaces.as_ref()
                            && !(has_below && is_highest(v))
                    });
                    skips = same.map(|(_, name)| name.clone()).collect();
                    skips.sort();
                }
            }
            EdgeRule::ZStream => unreachable!("handled below"),
            EdgeRule::SkipRange => {
                let own = without_build(version);
                let from = match lower.last() {
                    Some((below, _)) => begin(stream(below)),
                    None => begin(stream(version)),
                };
                range = (from < own).then(|| format!(">={from} <{own}"));
            }
        }
        let present = |n: &str| order.iter().any(|(_, name)| name == n);
        let entry = channel["entries"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .find(|e| text(e, "name") == name)
            .unwrap();
        let outside =
            Some(text(entry, "replaces").to_owned()).filter(|n| !n.is_empty() && !present(n));
        set(entry, "replaces", replaces.or(outside).map(Value::from));
        let old = entry["skips"].as_array().cloned().unwrap_or_default();
        let mut left: Vec<Value> = Vec::new();
        for skip in old.into_iter().chain(skips.iter().map(|s| json!(s))) {
            let name = skip.as_str().unwrap();
            let stays = skips.iter().any(|s| s == name) || !name.is_empty() && !present(name);
            if stays && !left.contains(&skip) {
                left.push(skip);
            }
        }
        set(
            entry,
            "skips",
            (!left.is_empty()).then_some(Value::Array(left)),
        );
        let lowest = Some(text(entry, "skipRange").to_owned()).filter(|r| i == 0 && !r.is_empty());
        set(entry, "skipRange", range.or(lowest).map(Value::from));
    }
}

/// One y-stream after the other: its highest entry skips the others and replaces the highest of the
/// previous stream; it also takes over their edges to other entries.
fn rebuild_z_streams(channel: &mut Value, order: &[(Version, String)]) {
    let present = |n: &str| order.iter().any(|(_, name)| name == n);
    let mut streams: Vec<Vec<&str>> = Vec::new();
    let mut last = None;
    for (version, name) in order {
        if last != Some((version.major, version.minor)) {
            streams.push(Vec::new());
        }
        last = Some((version.major, version.minor));
        streams.last_mut().unwrap().push(name);
    }
    let before = channel.clone();
    let entry = |name: &str| {
        list(&before)
            .into_iter()
            .find(|e| text(e, "name") == name)
            .unwrap()
    };
    let skips = |name: &str| -> Vec<String> {
        let skips = entry(name)["skips"].as_array().cloned().unwrap_or_default();
        skips
            .iter()
            .map(|s| s.as_str().unwrap().to_owned())
            .collect()
    };
    for (nth, stream) in streams.iter().enumerate() {
        let (highest, others) = stream.split_last().unwrap();
        let mut outside: Vec<String> = Vec::new();
        let mut replaced: Vec<String> = Vec::new();
        for name in stream {
            outside.extend(
                skips(name)
                    .into_iter()
                    .filter(|s| !s.is_empty() && !present(s)),
            );
            let replaces = text(&entry(name), "replaces").to_owned();
            if !replaces.is_empty() && !present(&replaces) && replaced.first() != Some(&replaces) {
                if !replaced.is_empty() {
                    outside.push(replaces.clone());
                }
                replaced.push(replaces);
            }
        }
        let below = nth
            .checked_sub(1)
            .map(|nth| streams[nth].last().unwrap().to_string());
        if below.is_some() {
            outside.extend(replaced.first().cloned());
        }
        let mut others: Vec<String> = others.iter().map(|name| name.to_string()).collect();
        others.sort();
        outside.extend(others);
        // Existing items come first, unchanged.
        let mut ordered: Vec<String> = skips(highest)
            .into_iter()
            .filter(|s| outside.contains(s))
            .collect();
        ordered.extend(outside);
        let mut left: Vec<Value> = Vec::new();
        for name in ordered {
            if !left.contains(&json!(name)) {
                left.push(json!(name));
            }
        }
        let range = text(&entry(&order[0].1), "skipRange").to_owned();
        for name in stream {
            let entry = channel["entries"]
                .as_array_mut()
                .unwrap()
                .iter_mut()
                .find(|e| text(e, "name") == *name)
                .unwrap();
            let is_highest = name == highest;
            let replaces = below
                .clone()
                .or(replaced.first().cloned())
                .filter(|_| is_highest);
            set(entry, "replaces", replaces.map(Value::from));
            set(
                entry,
                "skips",
                (is_highest && !left.is_empty()).then(|| Value::Array(left.clone())),
            );
            set(
                entry,
                "skipRange",
                Some(json!(range)).filter(|_| is_highest && nth == 0 && !range.is_empty()),
            );
        }
    }
}

fn deprecations(naive: &mut Naive) -> &mut [Value] {
    let entries = naive
        .deprecations
        .as_mut()
        .and_then(|d| d.get_mut("entries"))
        .and_then(Value::as_array_mut);
    entries.map_or(&mut [], |entries| entries.as_mut_slice())
}

fn remove_deprecation(naive: &mut Naive, schema: &str, name: &str) {
    if !deprecations(naive).iter().any(|d| refers(d, schema, name)) {
        return;
    }
    let entries = naive.deprecations.as_mut().unwrap()["entries"]
        .as_array_mut()
        .unwrap();
    entries.retain(|d| !refers(d, schema, name));
    if entries.is_empty() {
        naive.deprecations = None;
    }
}

fn refers(deprecation: &Value, schema: &str, name: &str) -> bool {
    let reference = &deprecation["reference"];
    reference["schema"] == json!(schema) && text(reference, "name") == name
}

/// Only the edges of an entry, without empty ones.
fn edges_of(entry: &Value) -> Value {
    let kept = ["name", "replaces", "skips", "skipRange"]
        .into_iter()
        .filter_map(|key| {
            let value = entry.get(key)?;
            let is_empty =
                value.as_str() == Some("") || value.as_array().is_some_and(Vec::is_empty);
            (!is_empty || key == "name").then(|| (key.to_owned(), value.clone()))
        });
    Value::Object(kept.collect())
}

fn without_build(version: &Version) -> Version {
    Version {
        build: BuildMetadata::EMPTY,
        ..version.clone()
    }
}

fn list(channel: &Value) -> Vec<Value> {
    channel["entries"].as_array().cloned().unwrap_or_default()
}

/// Existing empty values stay.
fn set(entry: &mut Value, key: &str, value: Option<Value>) {
    let is_empty =
        entry[key].as_str() == Some("") || entry[key].as_array().is_some_and(Vec::is_empty);
    match value {
        Some(value) => entry[key] = value,
        None if is_empty => {}
        None => drop(entry.as_object_mut().unwrap().remove(key)),
    }
}

/// Whether the operation names the blob with this title.
pub fn names(op: &EditOp, title: &str) -> bool {
    let is_channel = |package: &str, channel: &str| title == format!("channel {package} {channel}");
    let is_deprecations = |package: &str| title == format!("deprecations {package}");
    match op {
        EditOp::RebuildEdges {
            package, channel, ..
        }
        | EditOp::AddChannel {
            package, channel, ..
        } => is_channel(package, channel),
        EditOp::RenameChannel {
            package,
            channel,
            to,
            ..
        } => {
            is_channel(package, channel)
                || is_channel(package, to)
                || is_deprecations(package)
                || title == format!("package {package}")
        }
        EditOp::RemoveChannel {
            package, channel, ..
        } => is_channel(package, channel) || is_deprecations(package),
        EditOp::RenameBundle {
            package,
            bundle,
            to: other,
            ..
        }
        | EditOp::Substitute {
            package,
            bundle,
            by: Some(other),
            ..
        } => {
            title == format!("bundle {package} {bundle}")
                || title == format!("bundle {package} {other}")
                || title.starts_with(&format!("channel {package} "))
                || is_deprecations(package)
        }
        EditOp::RemoveBundle {
            package, bundle, ..
        } => {
            title == format!("bundle {package} {bundle}")
                || title.starts_with(&format!("channel {package} "))
                || is_deprecations(package)
        }
        _ => unreachable!("{op:?} is specified elsewhere"),
    }
}

/// An operation on this channel, or on a bundle of the package.
pub fn random_op<R: Rng>(
    random: &mut R,
    package: &Package,
    channel: &ChannelBlob,
) -> Option<EditOp> {
    // The second specification knows only one blob of deprecations.
    if package.deprecations.len() > 1 {
        return None;
    }
    let (catalog, name, in_channel) = (
        None,
        package.name.to_string(),
        channel.name.value.to_string(),
    );
    let new = ["fast-2", "010", "yes", "a: b", "# x", "null", "stable"][random.random_range(0..7)]
        .to_owned();
    let thens = [
        DanglingEdges::Relink,
        DanglingEdges::Skip,
        DanglingEdges::Leave,
    ];
    let rules = [
        EdgeRule::Replaces,
        EdgeRule::SkipPatch,
        EdgeRule::ZStream,
        EdgeRule::SkipRange,
    ];
    let (package, channel_name) = (name, in_channel);
    Some(match random.random_range(0..10) {
        0 => {
            let from = random.random::<bool>().then_some(channel_name);
            EditOp::AddChannel {
                catalog,
                package,
                channel: new,
                from,
            }
        }
        1 => EditOp::RenameChannel {
            catalog,
            package,
            channel: channel_name,
            to: new,
        },
        2 => EditOp::RemoveChannel {
            catalog,
            package,
            channel: channel_name,
        },
        3 => {
            let bundle = pick(random, &channel.entries)?.name.value.to_string();
            EditOp::RemoveBundle {
                catalog,
                package,
                bundle,
                then: thens[random.random_range(0..3)],
            }
        }
        8 | 9 => {
            let bundle = pick(random, &channel.entries)?.name.value.to_string();
            let other = pick(random, &channel.entries)?.name.value.to_string();
            let skip_old = random.random::<bool>();
            if random.random::<bool>() {
                EditOp::RenameBundle {
                    catalog,
                    package,
                    bundle,
                    to: if random.random::<bool>() { new } else { other },
                    skip_old,
                }
            } else {
                EditOp::Substitute {
                    catalog,
                    package,
                    bundle,
                    by: Some(other),
                    image: None,
                    skip_old,
                }
            }
        }
        4 | 5 => {
            let rule = rules[random.random_range(0..4)];
            EditOp::RebuildEdges {
                catalog,
                package,
                channel: channel_name,
                rule,
            }
        }
        kind => {
            let name = pick(random, &channel.entries)?.name.value.to_string();
            let other = pick(random, &channel.entries)?.name.value.to_string();
            let stream =
                version_in_name(&other).map(|(_, v)| format!("{}.{}.z", v.major(), v.minor()));
            let range = [">=1.0.0 <2.0.0", "<1.1.0", ">=0.0.0", "1.x"][random.random_range(0..4)]
                .to_owned();
            let skip_matching = Some(stream.filter(|_| random.random()).unwrap_or(range));
            let skip = Vec::new();
            match kind {
                6 => EditOp::AddSkip {
                    catalog,
                    package,
                    channel: channel_name,
                    name,
                    skip,
                    skip_matching,
                },
                _ => EditOp::RemoveSkip {
                    catalog,
                    package,
                    channel: channel_name,
                    name,
                    skip,
                    skip_matching,
                },
            }
        }
    })
}

fn pick<'a, T, R: Rng>(random: &mut R, of: &'a [T]) -> Option<&'a T> {
    if of.is_empty() {
        None
    } else {
        of.get(random.random_range(0..of.len()))
    }
}
