//! The law of whole packages: an operation never makes a passing package fail unless its preview
//! says so. The alternatives of the preview keep it passing; and operations whose defaults repair
//! the edges that they cut (`withdraw`, `remove-entry`, `remove-bundle`, `rebuild-edges`,
//! `promote`) never break a graph.

use super::choices::Choices;
use super::withdraw_and_remove::is_sound;
use super::write;
use ::catalog::graph::ChannelGraph;
use ::catalog::model::Package;
use protocol::operation::{Choice, DanglingEdges, EdgeRule, EditOp, PromoteAs};
use rand::Rng;
use serde_json::{Value, json};
use session::{self, Session};
use std::collections::BTreeMap;
use test_support::MemorySource;
use verdict::validate::judge;

/// The result of an operation on a passing package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Refused,
    Nothing,
    /// It still passes.
    Kept,
    /// It fails, which was announced, with this number of alternatives.
    Fails(usize),
}

/// Checks one operation on a passing catalog, and undoes it.
pub fn check(session: &mut Session, op: &EditOp) -> Outcome {
    let ops = std::slice::from_ref(op);
    let Ok(preview) = session.preview(ops) else {
        return Outcome::Refused;
    };
    if session.apply("law", ops).unwrap().files.is_empty() {
        return Outcome::Nothing;
    }
    let after = judge(session.root(None).unwrap().catalog());
    let unsound = if repairs_edges(op) {
        unsound_channels(session, op)
    } else {
        Vec::new()
    };
    session.undo().unwrap();
    let failing = &preview.consequences.failing;
    if after.passed {
        assert_eq!(failing, &[], "{op:?} breaks nothing");
        assert!(preview.alternatives.is_empty());
        return Outcome::Kept;
    }
    assert_eq!(
        unsound, [""; 0],
        "{op:?} breaks a graph: {:?}",
        after.opm_message
    );
    let package = op.package().unwrap();
    assert!(
        failing
            .iter()
            .any(|failing| &*failing.package == package && !failing.message.is_empty()),
        "{op:?}: the failure is not reported"
    );
    assert!(
        preview
            .consequences
            .summary()
            .contains("fails opm validate now"),
        "{op:?}: the summary does not report the failure"
    );
    for other in &preview.alternatives {
        session
            .apply("alternative", other)
            .unwrap_or_else(|e| panic!("{op:?} offers {other:?}: {e:?}"));
        let verdict = judge(session.root(None).unwrap().catalog());
        assert!(
            verdict.passed,
            "{op:?} offers {other:?}: {:?}",
            verdict.opm_message
        );
        session.undo().unwrap();
    }
    Outcome::Fails(preview.alternatives.len())
}

/// Whether the operation repairs the edges that it cuts.
fn repairs_edges(op: &EditOp) -> bool {
    match op {
        EditOp::Withdraw { by: None, .. } | EditOp::RebuildEdges { .. } => true,
        EditOp::Promote {
            how: None,
            replaces: Choice::Default,
            ..
        } => true,
        EditOp::RemoveEntry { then, .. } | EditOp::RemoveBundle { then, .. } => {
            *then != DanglingEdges::Leave
        }
        _ => false,
    }
}

/// Channels with entries whose graph `opm` refuses.
fn unsound_channels(session: &Session, op: &EditOp) -> Vec<String> {
    let root = session.root(None).unwrap();
    let Some(package) = root.catalog().package(op.package().unwrap()) else {
        return Vec::new();
    };
    let removes = matches!(op, EditOp::RemoveEntry { .. } | EditOp::RemoveBundle { .. });
    let channels = package.channels.iter().filter(|c| {
        let graph = ChannelGraph::from_channel(c);
        // Without their head, the remaining entries may form a cycle. No edge of the removed entry
        // can give them a head, so this is announced instead.
        let is_circle = removes && graph.heads.is_empty();
        !c.entries.is_empty() && !graph.is_sound() && !is_circle
    });
    channels.map(|c| c.name.value.to_string()).collect()
}

/// Every operation on every channel, entry and bundle of a package, by kind.
pub fn operations(package: &Package) -> Vec<(&'static str, EditOp)> {
    let mut ops: Vec<(&'static str, EditOp)> = Vec::new();
    let name = || package.name.to_string();
    let mut push = |kind: &'static str, json: Value| {
        let mut json = json;
        json["package"] = json!(name());
        ops.push((kind, serde_json::from_value(json).unwrap()));
    };
    let known = |name: &str| package.bundle(name).is_some();
    for channel in &package.channels {
        let in_channel = channel.name.as_str();
        let head = ChannelGraph::from_channel(channel)
            .heads
            .first()
            .map(|&head| channel.entries[head as usize].name.as_str());
        for rule in ["replaces", "skip-patch", "z-stream", "skip-range"] {
            push(
                "rebuild-edges",
                json!({"op": "rebuild-edges", "channel": in_channel, "rule": rule}),
            );
        }
        push(
            "rename-channel",
            json!({"op": "rename-channel", "channel": in_channel, "to": "renamed-channel"}),
        );
        push(
            "remove-channel",
            json!({"op": "remove-channel", "channel": in_channel}),
        );
        push(
            "add-channel --from",
            json!({"op": "add-channel", "channel": "another-channel", "from": in_channel}),
        );
        push(
            "set-default-channel",
            json!({"op": "set-default-channel", "channel": in_channel}),
        );
        push(
            "deprecate",
            json!({"op": "deprecate", "channel": in_channel, "message": "use another"}),
        );
        push(
            "undeprecate",
            json!({"op": "undeprecate", "channel": in_channel}),
        );
        for entry in &channel.entries {
            let name = entry.name.as_str();
            for then in ["relink", "skip"] {
                let kind = if then == "skip" {
                    "remove-entry --then skip"
                } else {
                    "remove-entry"
                };
                push(
                    kind,
                    json!({"op": "remove-entry", "channel": in_channel, "name": name, "then": then}),
                );
            }
            push(
                "withdraw",
                json!({"op": "withdraw", "bundle": name, "channel": [in_channel]}),
            );
            push(
                "set-replaces none",
                json!({"op": "set-replaces", "channel": in_channel, "name": name, "replaces": null}),
            );
            let range = ">=0.0.1 <0.0.2";
            push(
                "set-skip-range",
                json!({"op": "set-skip-range", "channel": in_channel, "name": name, "skip-range": range}),
            );
            if let Some(head) = head.filter(|head| *head != name) {
                let by =
                    json!({"op": "withdraw", "bundle": name, "by": head, "channel": [in_channel]});
                push("withdraw --by HEAD", by);
                push(
                    "add-skip",
                    json!({"op": "add-skip", "channel": in_channel, "name": head, "skip": [name]}),
                );
                let to = json!({"op": "set-replaces", "channel": in_channel, "name": head, "replaces": name});
                push("set-replaces", to);
            }
            if let Some(skip) = entry.skips.first() {
                push(
                    "remove-skip",
                    json!({"op": "remove-skip", "channel": in_channel, "name": name, "skip": [skip.as_str()]}),
                );
            }
        }
        if let Some(head) = head {
            let matching = json!({"op": "add-skip", "channel": in_channel, "name": head, "skip-matching": ">=0.0.0"});
            push("add-skip --skip-matching", matching);
        }
        let listed = |name: &str| channel.entries.iter().any(|e| e.name.as_str() == name);
        for bundle in package
            .bundles
            .iter()
            .map(|b| b.name.as_str())
            .filter(|name| !listed(name))
        {
            push(
                "promote",
                json!({"op": "promote", "bundle": bundle, "to": in_channel}),
            );
        }
        let new = json!({
            "op": "add-bundle", "bundle": "new.v99.9.9", "version": "99.9.9", "image": "quay.io/x/new:v1", "to": in_channel
        });
        push("add-bundle --to", new);
    }
    for bundle in package
        .bundles
        .iter()
        .map(|b| b.name.as_str())
        .filter(|name| known(name))
    {
        push(
            "remove-bundle",
            json!({"op": "remove-bundle", "bundle": bundle, "then": "relink"}),
        );
        push(
            "remove-bundle --then skip",
            json!({"op": "remove-bundle", "bundle": bundle, "then": "skip"}),
        );
        push(
            "withdraw everywhere",
            json!({"op": "withdraw", "bundle": bundle}),
        );
        push(
            "deprecate",
            json!({"op": "deprecate", "bundle": bundle, "message": "use another"}),
        );
        push(
            "undeprecate",
            json!({"op": "undeprecate", "bundle": bundle}),
        );
        push(
            "set-image",
            json!({"op": "set-image", "bundle": bundle, "image": "quay.io/x/other:v1"}),
        );
        push(
            "add-property",
            json!({"op": "add-property", "bundle": bundle, "type": "made.up", "value": {"a": 1}}),
        );
        push(
            "remove-property",
            json!({"op": "remove-property", "bundle": bundle, "type": "olm.gvk"}),
        );
        push(
            "remove-property olm.package",
            json!({"op": "remove-property", "bundle": bundle, "type": "olm.package"}),
        );
    }
    let new = json!({"op": "add-bundle", "bundle": "new.v99.9.9", "version": "99.9.9", "image": "quay.io/x/new:v1"});
    push("add-bundle", new);
    push(
        "add-channel",
        json!({"op": "add-channel", "channel": "another-channel"}),
    );
    push(
        "deprecate",
        json!({"op": "deprecate", "message": "use another"}),
    );
    push("undeprecate", json!({"op": "undeprecate"}));
    push(
        "set-description",
        json!({"op": "set-description", "text": "Another description."}),
    );
    push("set-icon", json!({"op": "set-icon", "data": null}));
    ops
}

/// The number of kinds of [`operations`] for a package that has all.
pub const KINDS: usize = 30;

const VERSIONS: &[&str] = &[
    "0.9.0",
    "1.0.0",
    "1.0.1",
    "1.0.2",
    "1.1.0-rc.1",
    "1.1.0",
    "1.1.1",
    "1.2.0",
    "2.0.0",
    "2.0.1",
];

pub fn hold(data: &[u8]) {
    check_all(data);
}

/// Consecutive operations on a generated package while it passes: their kinds and results. The kind
/// is chosen first, so that rare kinds are as frequent as others.
pub fn check_all(data: &[u8]) -> Vec<(&'static str, Outcome)> {
    let mut checked = Vec::new();
    let mut choices = Choices::new(data);
    let Some(blobs) = blobs(&mut choices, "p") else {
        return checked;
    };
    let text = write::file(&mut choices, &blobs);
    let (files, source) = MemorySource::with_files(vec![("p/catalog.yaml".to_owned(), text)]);
    let mut session = session::open_one("catalog", files, source);
    for _ in 0..choices.random_range(1..5) {
        let catalog = session.root(None).unwrap().catalog();
        if !judge(catalog).passed {
            break;
        }
        let Some(package) = catalog.package("p").cloned() else {
            break;
        };
        let mut by_kind: BTreeMap<&str, Vec<EditOp>> = BTreeMap::new();
        for (kind, op) in operations(&package) {
            by_kind.entry(kind).or_default().push(op);
        }
        let Some((kind, mut ops)) = by_kind.into_iter().nth(choices.random_range(0..KINDS)) else {
            continue;
        };
        let mut op = ops.swap_remove(choices.random_range(0..ops.len()));
        choose_otherwise(&mut choices, &mut op, &package);
        checked.push((kind, check(&mut session, &op)));
        let _ = session.apply("kept", std::slice::from_ref(&op));
    }
    checked
}

/// Occasionally changes the default.
fn choose_otherwise(random: &mut impl Rng, op: &mut EditOp, package: &Package) {
    if random.random_bool(0.7) {
        return;
    }
    match op {
        EditOp::RemoveEntry { then, .. } | EditOp::RemoveBundle { then, .. } => {
            *then = DanglingEdges::Leave
        }
        EditOp::RebuildEdges { rule, .. } => *rule = EdgeRule::ZStream,
        EditOp::Promote { how, .. } => {
            *how = Some(
                [PromoteAs::Head, PromoteAs::Chain, PromoteAs::Skipped][random.random_range(0..3)],
            );
        }
        EditOp::Withdraw { by, .. } if !package.bundles.is_empty() => {
            *by = Some(
                package.bundles[random.random_range(0..package.bundles.len())]
                    .name
                    .value
                    .to_string(),
            );
        }
        _ => {}
    }
}

/// A package whose channels `opm` accepts: a chain from a head down, and the other entries skipped
/// by some of them, each with its own edges. `None` if chance gave something else.
pub fn blobs(random: &mut impl Rng, package: &str) -> Option<Vec<Value>> {
    let names: Vec<String> = VERSIONS
        .iter()
        .filter(|_| random.random_bool(0.6))
        .map(|version| format!("{package}.v{version}"))
        .collect();
    let mut blobs =
        vec![json!({"schema": "olm.package", "name": package, "defaultChannel": "stable"})];
    let mut listed: Vec<String> = Vec::new();
    for name in ["stable", "fast"]
        .into_iter()
        .take(random.random_range(1..3))
    {
        let entries = entries(random, &names);
        if !is_sound(&entries) {
            return None;
        }
        listed.extend(
            entries
                .iter()
                .map(|e| e["name"].as_str().unwrap().to_owned()),
        );
        blobs.push(
            json!({"schema": "olm.channel", "package": package, "name": name, "entries": entries}),
        );
    }
    for name in names.iter().filter(|name| listed.contains(name)) {
        let (_, version) = name.split_once(".v").unwrap();
        let property =
            json!({"type": "olm.package", "value": {"packageName": package, "version": version}});
        let image = format!("quay.io/x/{package}:v{version}");
        let bundle = json!({"schema": "olm.bundle", "package": package, "name": name, "image": image, "properties": [property]});
        blobs.push(bundle);
    }
    Some(blobs)
}

fn entries(random: &mut impl Rng, names: &[String]) -> Vec<Value> {
    let mut names: Vec<&String> = names.iter().filter(|_| random.random_bool(0.9)).collect();
    if random.random_bool(0.2) && names.len() > 1 {
        let at = random.random_range(0..names.len() - 1);
        names.swap(at, at + 1);
    }
    let walked: Vec<bool> = names.iter().map(|_| random.random_bool(0.6)).collect();
    let chain: Vec<usize> = (0..names.len())
        .filter(|&i| walked[i] || i + 1 == names.len())
        .collect();
    let mut entries: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
    for pair in chain.windows(2) {
        entries[pair[1]]["replaces"] = json!(names[pair[0]]);
    }
    let mut skips: Vec<Vec<String>> = vec![Vec::new(); names.len()];
    for i in (0..names.len()).filter(|i| !chain.contains(i)) {
        let above: Vec<usize> = chain
            .iter()
            .copied()
            .filter(|&c| c > i || random.random_bool(0.2))
            .collect();
        let by = if above.is_empty() {
            chain[chain.len() - 1]
        } else {
            above[random.random_range(0..above.len())]
        };
        skips[by].push(names[i].clone());
        if random.random_bool(0.6) && i > 0 {
            entries[i]["replaces"] = json!(names[random.random_range(0..i)]);
        }
        if random.random_bool(0.3) {
            let other = random.random_range(0..names.len());
            let is_chain = chain.contains(&other);
            skips[i].extend((!is_chain).then(|| names[other].clone()));
        }
    }
    for (entry, mut skips) in entries.iter_mut().zip(skips) {
        if random.random_bool(0.1) {
            skips.push("p.v0.0.9".to_owned());
        }
        if !skips.is_empty() || random.random_bool(0.1) {
            entry["skips"] = json!(skips);
        }
        if random.random_bool(0.2) {
            entry["skipRange"] = json!([">=0.1.0 <1.0.0", "<2.0.0", ""][random.random_range(0..3)]);
        }
    }
    entries
}
