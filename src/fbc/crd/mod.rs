//! May a new CustomResourceDefinition take the place of an old one? As OLM Classic and OLM v1 ask before an upgrade
//! (`olm-resolution` 4.3).
//!
//! Works on definitions as JSON. What needs the objects of a cluster (do they still validate?) cannot be told from a
//! catalog and is left out. Knows nothing of catalogs, files and places.

mod properties;
mod schema;
#[cfg(test)]
mod tests;
mod version;

use crate::go_text::quote;
use crate::order::PutInOrder;
use crate::upgrade::Lens;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeSet;
use version::kube_order;

/// Why `new` may not take the place of `old`, in OLM's words, one line a reason; empty when it may.
///
/// Versions that hold stored objects are those of the old status; without a status, as in a catalog, the one that is
/// marked as `storage`.
pub fn objections(old: &Value, new: &Value, lens: Lens) -> Vec<String> {
    match lens {
        Lens::V0 => classic(&in_v1(old), &in_v1(new)),
        Lens::V1 => strict(&in_v1(old), &in_v1(new)),
    }
}

/// A definition of `apiextensions.k8s.io/v1beta1` in the form of `v1`: there the only version and the schema of all may
/// stand beside the list.
fn in_v1(definition: &Value) -> Cow<'_, Value> {
    let spec = &definition["spec"];
    let has_list = spec["versions"].as_array().is_some_and(|versions| !versions.is_empty());
    let (version, schema) = (spec["version"].as_str().filter(|_| !has_list), &spec["validation"]);
    if version.is_none() && !schema.is_object() {
        return Cow::Borrowed(definition);
    }
    let mut versions = match version {
        Some(name) => vec![json!({"name": name, "served": true, "storage": true})],
        None => spec["versions"].as_array().cloned().unwrap_or_default(),
    };
    for version in versions.iter_mut().filter_map(Value::as_object_mut) {
        if schema.is_object() && version.get("schema").is_none_or(Value::is_null) {
            version.insert("schema".to_owned(), schema.clone());
        }
    }
    let mut changed = definition.clone();
    if let Some(spec) = changed.get_mut("spec").and_then(Value::as_object_mut) {
        spec.insert("versions".to_owned(), Value::Array(versions));
    }
    Cow::Owned(changed)
}

fn classic(old: &Value, new: &Value) -> Vec<String> {
    let there: BTreeSet<&str> = versions(new).map(name).collect();
    let removed = stored(old).into_iter().filter(|v| !there.contains(v));
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

fn strict(old: &Value, new: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    let (was, is) = (&old["spec"]["scope"], &new["spec"]["scope"]);
    if was != is {
        let text = |scope: &Value| quote(scope.as_str().unwrap_or_default());
        lines.push(format!("scope: scope changed : {} -> {}", text(was), text(is)));
    }
    let there: BTreeSet<&str> = versions(new).map(name).collect();
    let removed: Vec<&str> = stored(old).into_iter().filter(|v| !there.contains(v)).collect();
    if !removed.is_empty() {
        lines.push(format!("storedVersionRemoval: stored versions removed : [{}]", removed.join(" ")));
    }
    let common = || versions(new).filter_map(|n| Some((versions(old).find(|o| name(o) == name(n))?, n)));
    for (before, after) in common() {
        let (before_flat, after_flat) = (schema::flatten(before), schema::flatten(after));
        let gone = before_flat.keys().filter(|path| !after_flat.contains_key(*path));
        lines.extend(gone.map(|path| format!("existingFieldRemoval: removed field : {}.{path}", name(after))));
    }
    for (before, after) in common() {
        let changes = properties::changes(&schema::flatten(before), &schema::flatten(after));
        lines.extend(changes.into_iter().map(|change| format!("{}: {change}", name(after))));
    }
    if new["spec"]["conversion"]["strategy"] != "Webhook" {
        let known: BTreeSet<String> = between_served(old).into_iter().collect();
        lines.extend(between_served(new).into_iter().filter(|line| !known.contains(line)));
    }
    lines
}

/// What differs between the versions that are served at once, each older one against each newer one.
fn between_served(definition: &Value) -> Vec<String> {
    let mut served: Vec<&Value> = versions(definition).filter(|v| v["served"] == true).collect();
    served.put_in_order_by(|a, b| kube_order(name(a), name(b)));
    let flat: Vec<_> = served.iter().map(|v| schema::flatten(v)).collect();
    let mut lines = Vec::new();
    for (i, older) in served.iter().enumerate() {
        for (j, newer) in served.iter().enumerate().skip(i + 1) {
            let changes = properties::changes(&flat[i], &flat[j]);
            lines.extend(changes.into_iter().map(|c| format!("{} -> {}: {c}", name(older), name(newer))));
        }
    }
    lines
}

fn versions(definition: &Value) -> impl Iterator<Item = &Value> {
    definition["spec"]["versions"].as_array().into_iter().flatten()
}

fn name(version: &Value) -> &str {
    version["name"].as_str().unwrap_or_default()
}

fn stored(definition: &Value) -> Vec<&str> {
    match definition["status"]["storedVersions"].as_array() {
        Some(listed) if !listed.is_empty() => listed.iter().filter_map(Value::as_str).collect(),
        // Generators leave an empty list behind, which no cluster has.
        _ => versions(definition).filter(|v| v["storage"] == true).map(name).collect(),
    }
}
