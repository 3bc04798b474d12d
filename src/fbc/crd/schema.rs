//! The schema of a version as a flat list of places with their constraints.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Places such as `^.spec.list.items.name`, with their schema except `properties` and `items`,
/// which have places of their own.
pub(super) type Flat = BTreeMap<String, Map<String, Value>>;

/// Alternatives and conditions (`allOf`, `not`, …) remain part of the schema that contains them,
/// and also have places of their own.
pub(super) fn flatten(version: &Value) -> Flat {
    let mut flat = Flat::new();
    // An explicit stack: a schema may nest deeper than the call stack allows.
    let mut waiting = vec![("^".to_owned(), &version["schema"]["openAPIV3Schema"])];
    while let Some((place, schema)) = waiting.pop() {
        let Some(schema) = schema.as_object() else {
            continue;
        };
        let own = schema.iter().filter(|(key, value)| {
            !matches!(key.as_str(), "properties" | "items") && is_set(key, value)
        });
        flat.entry(place.clone()).or_insert_with(|| {
            own.map(|(key, value)| (key.clone(), value.clone()))
                .collect()
        });
        let mut below = Vec::new();
        let indexed = |key: &str| {
            let list = schema.get(key).and_then(Value::as_array);
            let list = list.into_iter().flatten().enumerate();
            let place = format!("{place}.{key}");
            list.map(move |(i, s)| (format!("{place}[{i}]"), s))
        };
        below.extend(indexed("items"));
        let single = |key: &str| {
            let schema = schema.get(key).filter(|schema| schema.is_object());
            schema.map(|s| (format!("{place}.{key}"), s))
        };
        below.extend(single("items"));
        for key in ["allOf", "anyOf", "oneOf"] {
            below.extend(indexed(key));
        }
        below.extend(single("not"));
        let children_of = |key: &str| {
            schema
                .get(key)
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
        };
        below.extend(children_of("properties").map(|(name, s)| (format!("{place}.{name}"), s)));
        below.extend(single("additionalProperties"));
        for key in ["patternProperties", "definitions", "dependencies"] {
            below.extend(children_of(key).map(|(name, s)| (format!("{place}.{key}[{name}]"), s)));
        }
        below.extend(single("additionalItems"));
        waiting.extend(below.into_iter().rev());
    }
    flat
}

/// Whether Go distinguishes the keyword's value from its absence: it does for pointers and raw
/// values, but not for plain fields.
fn is_set(key: &str, value: &Value) -> bool {
    match (key, value) {
        (_, Value::Null) => false,
        (
            "default"
            | "example"
            | "$ref"
            | "additionalProperties"
            | "additionalItems"
            | "not"
            | "externalDocs",
            _,
        )
        | (
            "x-kubernetes-preserve-unknown-fields"
            | "x-kubernetes-list-type"
            | "x-kubernetes-map-type",
            _,
        )
        | (_, Value::Number(_)) => true,
        (_, Value::Bool(set)) => *set,
        (_, Value::String(text)) => !text.is_empty(),
        (_, Value::Array(list)) => !list.is_empty(),
        (_, Value::Object(map)) => !map.is_empty(),
    }
}
