//! The versions of a definition: their names, their order, and the form of `v1beta1`.

use regex_lite::Regex;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::LazyLock;

/// Converts a definition of `apiextensions.k8s.io/v1beta1` to the form of `v1`. In the former, the
/// only version and the common schema may be outside the list of versions.
pub(super) fn in_v1(definition: &Value) -> Cow<'_, Value> {
    let spec = &definition["spec"];
    let has_list = spec["versions"]
        .as_array()
        .is_some_and(|versions| !versions.is_empty());
    let (version, schema) = (
        spec["version"].as_str().filter(|_| !has_list),
        &spec["validation"],
    );
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

pub(super) fn versions(definition: &Value) -> impl Iterator<Item = &Value> {
    definition["spec"]["versions"]
        .as_array()
        .into_iter()
        .flatten()
}

pub(super) fn name(version: &Value) -> &str {
    version["name"].as_str().unwrap_or_default()
}

/// Orders versions, older first. Names of another shape precede all of these, in reverse
/// alphabetical order.
pub(super) fn kube_order(a: &str, b: &str) -> Ordering {
    match (rank(a), rank(b)) {
        (Some(x), Some(y)) => x.cmp(&y),
        (Some(_), None) => Ordering::Greater,
        (None, Some(_)) => Ordering::Less,
        (None, None) => b.cmp(a),
    }
}

/// Returns stability (0 alpha, 1 beta, 2 stable), then the number, then the number of the alpha or
/// beta.
fn rank(name: &str) -> Option<(u8, u64, u64)> {
    static VERSION: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new("^v([0-9]+)(?:(alpha|beta)([0-9]+))?$").expect("a valid pattern")
    });
    let version = VERSION.captures(name)?;
    let major = version[1].parse().ok()?;
    match version.get(2).map(|stability| stability.as_str()) {
        None => Some((2, major, 0)),
        Some(stability) => {
            let number = version[3].parse().ok()?;
            Some((u8::from(stability == "beta"), major, number))
        }
    }
}
