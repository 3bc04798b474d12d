//! The schema of a version as a flat list: each place of an object, and what is asked there.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Places as `^.spec.list[*].name`, with the schema there but for its `properties` and `items`, which have places of
/// their own.
pub(super) type Flat = BTreeMap<String, Map<String, Value>>;

/// Alternatives and conditions (`allOf`, `not`, …) stand at the place of the schema that holds them, and the holder is what
/// counts there; what they ask of places below counts as well.
pub(super) fn flatten(version: &Value) -> Flat {
    let mut flat = Flat::new();
    // A stack of its own: a schema may nest deeper than the program's stack.
    let mut waiting = vec![("^".to_owned(), &version["schema"]["openAPIV3Schema"])];
    while let Some((place, schema)) = waiting.pop() {
        let Some(schema) = schema.as_object() else {
            continue;
        };
        let own = schema.iter().filter(|(key, value)| {
            !matches!(key.as_str(), "properties" | "items") && says(key, value)
        });
        flat.entry(place.clone()).or_insert_with(|| {
            own.map(|(key, value)| (key.clone(), value.clone()))
                .collect()
        });
        let mut below = Vec::new();
        match schema.get("items") {
            Some(Value::Array(list)) => {
                below.extend(
                    list.iter()
                        .enumerate()
                        .map(|(i, s)| (format!("{place}[{i}]"), s)),
                );
            }
            Some(one) => below.push((format!("{place}[*]"), one)),
            None => {}
        }
        for key in ["allOf", "anyOf", "oneOf"] {
            let list = schema.get(key).and_then(Value::as_array);
            below.extend(list.into_iter().flatten().map(|s| (place.clone(), s)));
        }
        below.extend(schema.get("not").map(|s| (place.clone(), s)));
        let named = |key: &str| {
            schema
                .get(key)
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
        };
        below.extend(named("properties").map(|(name, s)| (format!("{place}.{name}"), s)));
        below.extend(
            schema
                .get("additionalProperties")
                .map(|s| (format!("{place}[*]"), s)),
        );
        below.extend(named("patternProperties").map(|(_, s)| (place.clone(), s)));
        below.extend(schema.get("additionalItems").map(|s| (place.clone(), s)));
        below.extend(named("definitions").map(|(_, s)| (place.clone(), s)));
        below.extend(named("dependencies").map(|(_, s)| (place.clone(), s)));
        waiting.extend(below.into_iter().rev());
    }
    flat
}

/// Whether Go keeps the keyword apart from its absence: pointers and raw values it does, plain fields it does not.
fn says(key: &str, value: &Value) -> bool {
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
