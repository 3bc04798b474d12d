//! Objections that follow from the two definitions alone: the rules of OLM Classic and OLM v1.

use super::go_schema;
use super::versions::{in_v1, kube_order, name, versions};
use crate::Lens;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use syntax::go_text::{format_float, quote};
use syntax::order::SortSmall;

/// Returns why `new` must not replace `old`, in OLM's wording, one line per reason; empty if it
/// may.
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
    removed_versions(old, new)
        .into_iter()
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
        lines.push(format!(
            "scope: scope changed : {} -> {}",
            quoted(was),
            quoted(is)
        ));
    }
    let removed = removed_versions(old, new);
    if !removed.is_empty() {
        lines.push(format!(
            "storedVersionRemoval: stored versions removed : [{}]",
            removed.join(" ")
        ));
    }
    let common =
        || versions(new).filter_map(|n| Some((versions(old).find(|o| name(o) == name(n))?, n)));
    for (before, after) in common() {
        let (before_flat, after_flat) = (flatten(before), flatten(after));
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
        let changes = changes(&flatten(before), &flatten(after));
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

fn quoted(text: &Value) -> String {
    quote(text.as_str().unwrap_or_default())
}

/// Returns the differences between the versions that are served together, each older one against
/// each newer one.
fn between_served(definition: &Value) -> Vec<String> {
    let mut served: Vec<&Value> = versions(definition)
        .filter(|v| v["served"] == true)
        .collect();
    served.sort_small_by(|a, b| kube_order(name(a), name(b)));
    let flat: Vec<_> = served.iter().map(|v| flatten(v)).collect();
    let mut lines = Vec::new();
    for (i, older) in served.iter().enumerate() {
        for (j, newer) in served.iter().enumerate().skip(i + 1) {
            let changes = changes(&flat[i], &flat[j]);
            lines.extend(
                changes
                    .into_iter()
                    .map(|c| format!("{} -> {}: {c}", name(older), name(newer))),
            );
        }
    }
    lines
}

/// Returns the versions that hold stored objects and that the new definition lacks.
fn removed_versions<'a>(old: &'a Value, new: &Value) -> Vec<&'a str> {
    let mut stored = stored_versions(old);
    stored.retain(|stored| versions(new).all(|version| name(version) != *stored));
    stored
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

type Schema = Map<String, Value>;

/// The lowest value or size that is allowed.
const LOWER: [&str; 4] = ["minimum", "minLength", "minItems", "minProperties"];
const UPPER: [&str; 4] = ["maximum", "maxLength", "maxItems", "maxProperties"];

/// Keywords that have a rule or are ignored. A difference in any other keyword is refused.
const HANDLED: [&str; 16] = [
    "type",
    "required",
    "default",
    "enum",
    "minimum",
    "minLength",
    "minItems",
    "minProperties",
    "maximum",
    "maxLength",
    "maxItems",
    "maxProperties",
    "nullable",
    "pattern",
    "oneOf",
    "description",
];

/// Returns `PLACE: RULE: MESSAGE` for each difference that may break an existing object or its
/// author. Places that exist only in the new schema are fine.
pub(super) fn changes(old: &Flat, new: &Flat) -> Vec<String> {
    let empty = Schema::new();
    let mut lines = Vec::new();
    for (place, before) in old {
        let after = new.get(place).unwrap_or(&empty);
        if before != after {
            let changes = schema_changes(before, after);
            lines.extend(
                changes
                    .into_iter()
                    .map(|(rule, message)| format!("{place}: {rule}: {message}")),
            );
        }
    }
    lines
}

/// Returns the changes that could invalidate an object that was valid. Leaves out defaults,
/// duplicates and changes that allow more.
pub(super) fn narrowing_changes(old: &Flat, new: &Flat) -> Vec<String> {
    let mut lines = Vec::new();
    // A removed field requires nothing.
    for (place, before) in old {
        let Some(after) = new.get(place).filter(|after| *after != before) else {
            continue;
        };
        let changes = schema_changes(before, after)
            .into_iter()
            .filter(|(rule, message)| *rule != "unhandled" && !is_widening(rule, message));
        let more = unhandled_changes(before, after, |key| VALIDATED.contains(&key))
            .map(|message| ("unhandled", message));
        lines.extend(
            changes
                .chain(more)
                .map(|(rule, message)| format!("{place}: {rule}: {message}")),
        );
    }
    lines
}

fn is_widening(rule: &str, message: &str) -> bool {
    match rule {
        "default" => true,
        "nullable" => message.starts_with("nullable added"),
        "pattern" => message.starts_with("pattern removed"),
        _ => false,
    }
}

/// Keywords without a rule of their own that Classic validates in an object. CEL rules are not
/// among them.
const VALIDATED: [&str; 9] = [
    "additionalProperties",
    "allOf",
    "anyOf",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "multipleOf",
    "not",
    "uniqueItems",
    "x-kubernetes-int-or-string",
];

fn schema_changes(old: &Schema, new: &Schema) -> Vec<(&'static str, String)> {
    let mut changes = Vec::new();
    let mut add = |rule: &'static str, message: Option<String>| {
        changes.extend(message.map(|message| (rule, message)));
    };
    add("default", changed_default(old, new));
    add("enum", changed_enum(old, new));
    for key in LOWER {
        let message = changed_bound(old, new, key, "minimum", "increased", |a, b| b > a);
        add(key, message);
    }
    for key in UPPER {
        let message = changed_bound(old, new, key, "maximum", "decreased", |a, b| b < a);
        add(key, message);
    }
    add("nullable", changed_keyword(old, new, "nullable", "false"));
    add("oneOf", changed_one_of(old, new));
    add("pattern", changed_keyword(old, new, "pattern", "\"\""));
    add("required", added_required(old, new));
    let (was, is) = (type_name(old), type_name(new));
    add(
        "type",
        (was != is).then(|| format!("type changed : {was} -> {is}")),
    );
    add(
        "unhandled",
        unhandled_changes(old, new, |key| !HANDLED.contains(&key)),
    );
    changes
}

fn type_name(s: &Schema) -> String {
    quote(s.get("type").and_then(Value::as_str).unwrap_or_default())
}

fn changed_default(old: &Schema, new: &Schema) -> Option<String> {
    match (old.get("default"), new.get("default")) {
        (None, Some(new)) => Some(format!(
            "default added when there was none previously : {}",
            quoted_json(new)
        )),
        (Some(old), None) => Some(format!("default value removed : {}", quoted_json(old))),
        (Some(old), Some(new)) if old != new => Some(format!(
            "default value changed : {} -> {}",
            quoted_json(old),
            quoted_json(new)
        )),
        _ => None,
    }
}

fn quoted_json(value: &Value) -> String {
    quote(&value.to_string())
}

/// Reports a changed list of values. Values may be added; removing one, or introducing a list,
/// breaks users of the other values.
fn changed_enum(old: &Schema, new: &Schema) -> Option<String> {
    let (was, is) = (enum_values(old), enum_values(new));
    if was.is_empty() && !is.is_empty() {
        return Some(format!(
            "enum constraint added when there was none previously : [{}]",
            join_values(&is)
        ));
    }
    let removed: Vec<Value> = was.into_iter().filter(|v| !is.contains(v)).collect();
    (!removed.is_empty())
        .then(|| format!("allowed enum values removed : [{}]", join_values(&removed)))
}

fn join_values(values: &[Value]) -> String {
    let mut texts: Vec<String> = values.iter().map(Value::to_string).collect();
    texts.sort_small();
    texts.dedup();
    texts.join(" ")
}

fn enum_values(s: &Schema) -> Vec<Value> {
    items(s, "enum").cloned().collect()
}

/// Iterates over the list of a keyword.
fn items<'s>(schema: &'s Schema, key: &str) -> impl Iterator<Item = &'s Value> + use<'s> {
    let list = schema.get(key).and_then(Value::as_array);
    list.into_iter().flatten()
}

fn changed_bound(
    old: &Schema,
    new: &Schema,
    key: &str,
    word: &str,
    turn: &str,
    narrower: fn(f64, f64) -> bool,
) -> Option<String> {
    let is = new.get(key)?;
    let Some(was) = old.get(key) else {
        return Some(format!(
            "{word} constraint added when there was none previously : {}",
            format_bound(key == word, is)
        ));
    };
    narrower(was.as_f64()?, is.as_f64()?).then(|| {
        format!(
            "{word} {turn} : {} -> {}",
            format_bound(key == word, was),
            format_bound(key == word, is)
        )
    })
}

/// Formats a bound. Go holds bounds of values as floats, but bounds of sizes as integers.
fn format_bound(is_float: bool, bound: &Value) -> String {
    match bound.as_f64() {
        Some(number) if is_float => format_float(number),
        _ => bound.to_string(),
    }
}

/// Reports a change of a keyword that must not change at all.
fn changed_keyword(old: &Schema, new: &Schema, key: &str, absent: &str) -> Option<String> {
    let text = |s: &Schema| {
        s.get(key)
            .map_or_else(|| absent.to_owned(), Value::to_string)
    };
    let (was, is) = (text(old), text(new));
    let turn = match (was == absent, is == absent) {
        _ if was == is => return None,
        (true, _) => "added",
        (_, true) => "removed",
        _ => "changed",
    };
    Some(format!("{key} {turn} : {was} -> {is}"))
}

fn changed_one_of(old: &Schema, new: &Schema) -> Option<String> {
    let (was, is) = (alternatives(old), alternatives(new));
    if was.is_empty() {
        let added = join_if_any(&mut is.iter())?;
        return Some(format!(
            "oneOf constraint added when there was none previously: [{added}]"
        ));
    }
    let removed = join_if_any(&mut was.difference(&is));
    removed
        .map(|removed| format!("allowed oneOf schemas removed: [{removed}]"))
        .or_else(|| {
            let added = join_if_any(&mut is.difference(&was))?;
            Some(format!("allowed oneOf schemas added: [{added}]"))
        })
}

fn alternatives(s: &Schema) -> BTreeSet<String> {
    items(s, "oneOf")
        .filter_map(Value::as_object)
        .map(|schema| {
            let mut schema = schema.clone();
            for key in ["description", "title", "example", "externalDocs"] {
                schema.remove(key);
            }
            go_schema::proto_text(&schema)
        })
        .collect()
}

fn join_if_any(texts: &mut dyn Iterator<Item = &String>) -> Option<String> {
    let texts: Vec<&str> = texts.map(String::as_str).collect();
    (!texts.is_empty()).then(|| texts.join(" "))
}

fn added_required(old: &Schema, new: &Schema) -> Option<String> {
    let was = required_names(old);
    let mut added: Vec<String> = required_names(new)
        .into_iter()
        .filter(|name| !was.contains(name))
        .collect();
    added.sort_small();
    (!added.is_empty()).then(|| format!("new required fields: [{}]", added.join(" ")))
}

fn required_names(s: &Schema) -> Vec<String> {
    let names = items(s, "required").filter_map(Value::as_str);
    names.map(str::to_owned).collect()
}

/// Reports the differences in keywords that `is_unhandled` accepts.
fn unhandled_changes(
    old: &Schema,
    new: &Schema,
    is_unhandled: impl Fn(&str) -> bool,
) -> Option<String> {
    let fields = go_schema::differences(old, new, |key| !is_unhandled(key))?;
    Some(if fields.is_empty() {
        "unhandled changes found".to_owned()
    } else {
        format!("unhandled changes found ({})", fields.join("; "))
    })
}

/// Places such as `^.spec.list.items.name`, with their schema except `properties` and `items`,
/// which have places of their own.
pub(super) type Flat = BTreeMap<String, Map<String, Value>>;

/// Flattens a version's schema. Alternatives and conditions (`allOf`, `not`, …) remain part of the
/// schema that contains them, and also have places of their own.
pub(super) fn flatten(version: &Value) -> Flat {
    let mut flat = Flat::new();
    // An explicit stack: a schema may nest deeper than the call stack allows.
    let mut pending = vec![("^".to_owned(), &version["schema"]["openAPIV3Schema"])];
    while let Some((place, schema)) = pending.pop() {
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
            let list = items(schema, key).enumerate();
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
        below
            .extend(children(schema, "properties").map(|(name, s)| (format!("{place}.{name}"), s)));
        below.extend(single("additionalProperties"));
        for key in ["patternProperties", "definitions", "dependencies"] {
            below.extend(
                children(schema, key).map(|(name, s)| (format!("{place}.{key}[{name}]"), s)),
            );
        }
        below.extend(single("additionalItems"));
        pending.extend(below.into_iter().rev());
    }
    flat
}

/// Iterates over the schemas of a keyword that maps names to schemas.
fn children<'a>(schema: &'a Schema, key: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    let map = schema.get(key).and_then(Value::as_object);
    map.into_iter().flatten()
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
