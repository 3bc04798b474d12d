//! Objections that follow from the two definitions alone: the rules of OLM Classic and OLM v1.

use super::version::{in_v1, kube_order, name, versions};
use super::{properties, schema};
use crate::go_text::quote;
use crate::order::SortSmall;
use crate::upgrade::Lens;
use serde_json::Value;
use std::collections::BTreeSet;

/// Why `new` must not replace `old`, in OLM's wording, one line per reason; empty if it may.
///
/// The versions that hold stored objects come from the old status. Without a status, as in a
/// catalog, it is the version marked as `storage`.
pub fn objections(old: &Value, new: &Value, lens: Lens) -> Vec<String> {
    match lens {
        Lens::V0 => classic(&in_v1(old), &in_v1(new)),
        Lens::V1 => v1(&in_v1(old), &in_v1(new)),
    }
}

fn classic(old: &Value, new: &Value) -> Vec<String> {
    let remaining: BTreeSet<&str> = versions(new).map(name).collect();
    let removed = stored_versions(old)
        .into_iter()
        .filter(|v| !remaining.contains(v));
    removed
        .map(|v| {
            format!(
                "risk of data loss updating {}: new CRD removes version {v} that is listed as a stored version on the \
                 existing CRD",
                quote(old["metadata"]["name"].as_str().unwrap_or_default())
            )
        })
        .collect()
}

fn v1(old: &Value, new: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    let (was, is) = (&old["spec"]["scope"], &new["spec"]["scope"]);
    if was != is {
        let text = |scope: &Value| quote(scope.as_str().unwrap_or_default());
        lines.push(format!(
            "scope: scope changed : {} -> {}",
            text(was),
            text(is)
        ));
    }
    let remaining: BTreeSet<&str> = versions(new).map(name).collect();
    let removed: Vec<&str> = stored_versions(old)
        .into_iter()
        .filter(|v| !remaining.contains(v))
        .collect();
    if !removed.is_empty() {
        lines.push(format!(
            "storedVersionRemoval: stored versions removed : [{}]",
            removed.join(" ")
        ));
    }
    let common =
        || versions(new).filter_map(|n| Some((versions(old).find(|o| name(o) == name(n))?, n)));
    for (before, after) in common() {
        let (before_flat, after_flat) = (schema::flatten(before), schema::flatten(after));
        let gone = before_flat
            .keys()
            .filter(|path| !after_flat.contains_key(*path));
        lines.extend(gone.map(|path| {
            format!(
                "existingFieldRemoval: removed field : {}.{path}",
                name(after)
            )
        }));
    }
    for (before, after) in common() {
        let changes = properties::changes(&schema::flatten(before), &schema::flatten(after));
        lines.extend(
            changes
                .into_iter()
                .map(|change| format!("{}: {change}", name(after))),
        );
    }
    if new["spec"]["conversion"]["strategy"] != "Webhook" {
        let known: BTreeSet<String> = between_served(old).into_iter().collect();
        lines.extend(
            between_served(new)
                .into_iter()
                .filter(|line| !known.contains(line)),
        );
    }
    lines
}

/// Differences between the versions that are served together, each older one against each newer
/// one.
fn between_served(definition: &Value) -> Vec<String> {
    let mut served: Vec<&Value> = versions(definition)
        .filter(|v| v["served"] == true)
        .collect();
    served.sort_small_by(|a, b| kube_order(name(a), name(b)));
    let flat: Vec<_> = served.iter().map(|v| schema::flatten(v)).collect();
    let mut lines = Vec::new();
    for (i, older) in served.iter().enumerate() {
        for (j, newer) in served.iter().enumerate().skip(i + 1) {
            let changes = properties::changes(&flat[i], &flat[j]);
            lines.extend(
                changes
                    .into_iter()
                    .map(|c| format!("{} -> {}: {c}", name(older), name(newer))),
            );
        }
    }
    lines
}

fn stored_versions(definition: &Value) -> Vec<&str> {
    match definition["status"]["storedVersions"].as_array() {
        Some(listed) if !listed.is_empty() => listed.iter().filter_map(Value::as_str).collect(),
        // Generators leave an empty list behind, which never occurs in a cluster.
        _ => versions(definition)
            .filter(|v| v["storage"] == true)
            .map(name)
            .collect(),
    }
}
