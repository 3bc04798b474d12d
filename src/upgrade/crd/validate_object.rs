//! Validates an existing object against a schema, as OLM Classic does before it replaces a
//! definition, with the messages of Kubernetes' validation.
//!
//! CEL rules (`x-kubernetes-validations`) and formats are not checked: Classic does not run the
//! former, and hardly any of the latter restricts a string. A pattern that does not compile counts
//! as matched.

use regex_lite::Regex;
use serde_json::{Map, Value};
use syntax::go_text::quote;
use syntax::order::SortSmall;

/// Maximum number of errors reported for one object.
const MAX_ERRORS: usize = 20;

/// Returns the errors of an object, in order of path: `[].spec.size: Required value`. Empty if it
/// is valid.
pub(super) fn errors(object: &Value, schema: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    check(object, schema, "", &mut faults);
    faults.sort_small();
    faults.dedup();
    faults.truncate(MAX_ERRORS);
    faults
        .into_iter()
        .map(|(path, message)| {
            let dot = if path.is_empty() { "" } else { "." };
            format!("[]{dot}{path}: {message}")
        })
        .collect()
}

type Schema = Map<String, Value>;

/// The path in the object, and the error message.
type Fault = (String, String);

fn is_true(schema: &Schema, key: &str) -> bool {
    schema.get(key) == Some(&Value::Bool(true))
}

fn child_path(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// Validates a value. The documents' readers refuse deep nesting, which bounds the recursion.
fn check(value: &Value, schema: &Value, path: &str, faults: &mut Vec<Fault>) {
    let Some(schema) = schema.as_object() else {
        return;
    };
    if value.is_null() && is_true(schema, "nullable") {
        return;
    }
    if let Some(message) = type_error(value, schema, path) {
        faults.push((path.to_owned(), message));
        return;
    }
    let messages = match value {
        Value::String(text) => check_string(text, schema, path),
        Value::Number(number) => number
            .as_f64()
            .map_or_else(Vec::new, |number| check_number(number, value, schema, path)),
        Value::Array(items) => check_list(items, schema, path, faults),
        Value::Object(map) => check_object(map, schema, path, faults),
        Value::Null | Value::Bool(_) => Vec::new(),
    };
    faults.extend(
        messages
            .into_iter()
            .map(|message| (path.to_owned(), message)),
    );
    if let Some(allowed) = schema
        .get("enum")
        .and_then(Value::as_array)
        .filter(|allowed| !allowed.contains(value))
    {
        let listed: Vec<String> = allowed.iter().map(format_value).collect();
        let message = format!(
            "Unsupported value: {}: supported values: {}",
            format_value(value),
            listed.join(", ")
        );
        faults.push((path.to_owned(), message));
    }
    check_combined(value, schema, path, faults);
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number)
            if number.is_f64() && number.as_f64().is_some_and(|n| n.fract() != 0.0) =>
        {
            "number"
        }
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn type_error(value: &Value, schema: &Schema, path: &str) -> Option<String> {
    let actual = type_name(value);
    if is_true(schema, "x-kubernetes-int-or-string") && matches!(actual, "integer" | "string") {
        return None;
    }
    let expected = schema
        .get("type")
        .and_then(Value::as_str)
        .filter(|expected| !expected.is_empty())?;
    let fits = expected == actual || expected == "number" && actual == "integer";
    let quoted = quote(actual);
    (!fits).then(|| {
        format!("Invalid value: {quoted}: {path} in body must be of type {expected}: {quoted}")
    })
}

fn format_value(value: &Value) -> String {
    match value {
        Value::String(text) => quote(text),
        Value::Array(_) | Value::Object(_) => quote(&value.to_string()),
        other => other.to_string(),
    }
}

fn size_limit(schema: &Schema, key: &str) -> Option<usize> {
    usize::try_from(schema.get(key)?.as_u64()?).ok()
}

fn check_string(text: &str, schema: &Schema, path: &str) -> Vec<String> {
    let length = text.chars().count();
    let mut messages = Vec::new();
    if let Some(most) = size_limit(schema, "maxLength").filter(|most| length > *most) {
        messages.push(format!("Too long: may not be more than {most} bytes"));
    }
    if let Some(least) = size_limit(schema, "minLength").filter(|least| length < *least) {
        messages.push(format!(
            "Invalid value: {}: {path} in body should be at least {least} chars long",
            quote(text)
        ));
    }
    let pattern = schema.get("pattern").and_then(Value::as_str);
    if let Some(pattern) =
        pattern.filter(|pattern| Regex::new(pattern).is_ok_and(|regex| !regex.is_match(text)))
    {
        messages.push(format!(
            "Invalid value: {}: {path} in body should match '{pattern}'",
            quote(text)
        ));
    }
    messages
}

fn check_number(number: f64, value: &Value, schema: &Schema, path: &str) -> Vec<String> {
    let bound = |key: &str| {
        schema
            .get(key)
            .and_then(|bound| Some((bound.as_f64()?, bound)))
    };
    let mut messages = Vec::new();
    let mut report = |expected: String| {
        messages.push(format!(
            "Invalid value: {value}: {path} in body should be {expected}"
        ))
    };
    if let Some((least, text)) = bound("minimum") {
        let is_strict = is_true(schema, "exclusiveMinimum");
        if is_strict && number <= least {
            report(format!("greater than {text}"));
        } else if !is_strict && number < least {
            report(format!("greater than or equal to {text}"));
        }
    }
    if let Some((most, text)) = bound("maximum") {
        let is_strict = is_true(schema, "exclusiveMaximum");
        if is_strict && number >= most {
            report(format!("less than {text}"));
        } else if !is_strict && number > most {
            report(format!("less than or equal to {text}"));
        }
    }
    if let Some((_, text)) =
        bound("multipleOf").filter(|(step, _)| *step > 0.0 && (number / step).fract() != 0.0)
    {
        report(format!("a multiple of {text}"));
    }
    messages
}

/// Validates the number of items or properties.
fn check_count(
    count: usize,
    most: Option<usize>,
    least: Option<usize>,
    path: &str,
    noun: &str,
) -> Vec<String> {
    let most = most.filter(|most| count > *most);
    let least = least.filter(|least| count < *least);
    let too_many = most.map(|most| format!("Too many: {count}: must have at most {most} items"));
    let too_few = least.map(|least| {
        format!("Invalid value: {count}: {path} in body should have at least {least} {noun}")
    });
    too_many.into_iter().chain(too_few).collect()
}

fn check_list(
    items: &[Value],
    schema: &Schema,
    path: &str,
    faults: &mut Vec<Fault>,
) -> Vec<String> {
    let (most, least) = (
        size_limit(schema, "maxItems"),
        size_limit(schema, "minItems"),
    );
    let mut messages = check_count(items.len(), most, least, path, "items");
    if is_true(schema, "uniqueItems")
        && items
            .iter()
            .enumerate()
            .any(|(index, item)| items[..index].contains(item))
    {
        messages.push(format!(
            "Duplicate value: {path} in body shouldn't contain duplicates"
        ));
    }
    if let Some(each) = schema.get("items") {
        for (index, item) in items.iter().enumerate() {
            check(item, each, &format!("{path}[{index}]"), faults);
        }
    }
    messages
}

fn check_object(
    map: &Map<String, Value>,
    schema: &Schema,
    path: &str,
    faults: &mut Vec<Fault>,
) -> Vec<String> {
    let (most, least) = (
        size_limit(schema, "maxProperties"),
        size_limit(schema, "minProperties"),
    );
    let messages = check_count(map.len(), most, least, path, "properties");
    let required = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    faults.extend(
        required
            .filter(|name| !map.contains_key(*name))
            .map(|name| (child_path(path, name), "Required value".to_owned())),
    );
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, value) in map {
        match (
            properties.and_then(|properties| properties.get(name)),
            schema.get("additionalProperties"),
        ) {
            (Some(own), _) => check(value, own, &child_path(path, name), faults),
            (None, Some(Value::Bool(false))) => {
                faults.push((
                    child_path(path, name),
                    format!("Invalid value: {path}.{name} in body is a forbidden property"),
                ));
            }
            (None, Some(others)) => check(value, others, &child_path(path, name), faults),
            (None, None) => {}
        }
    }
    messages
}

/// Validates `allOf`, `anyOf`, `oneOf` and `not`.
fn check_combined(value: &Value, schema: &Schema, path: &str, faults: &mut Vec<Fault>) {
    let fits = |schema: &Value| {
        let mut errors = Vec::new();
        check(value, schema, path, &mut errors);
        errors.is_empty()
    };
    if subschemas(schema, "anyOf").is_some_and(|list| !list.iter().any(fits)) {
        faults.push(combination_fault(
            value,
            path,
            "must validate at least one schema (anyOf)",
        ));
    }
    if subschemas(schema, "oneOf")
        .is_some_and(|list| list.iter().filter(|schema| fits(schema)).count() != 1)
    {
        faults.push(combination_fault(
            value,
            path,
            "must validate one and only one schema (oneOf)",
        ));
    }
    if schema
        .get("not")
        .is_some_and(|schema| schema.is_object() && fits(schema))
    {
        faults.push(combination_fault(
            value,
            path,
            "must not validate the schema (not)",
        ));
    }
    for each in subschemas(schema, "allOf").into_iter().flatten() {
        check(value, each, path, faults);
    }
}

/// Returns the list of a keyword; `None` if it is empty.
fn subschemas<'a>(schema: &'a Schema, key: &str) -> Option<&'a Vec<Value>> {
    let list = schema.get(key).and_then(Value::as_array);
    list.filter(|list| !list.is_empty())
}

fn combination_fault(value: &Value, path: &str, violation: &str) -> Fault {
    let (kind, quoted) = (quote(type_name(value)), quote(path));
    (
        path.to_owned(),
        format!("Invalid value: {kind}: {quoted} {violation}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn messages(object: Value, schema: Value) -> Vec<String> {
        errors(
            &json!({"spec": object}),
            &json!({"type": "object", "properties": {"spec": schema}}),
        )
    }

    /// The first two messages are the ones that the reference's own tests expect.
    #[test]
    fn messages_match_the_reference() {
        let schema = json!({"type": "object", "required": ["name"], "properties": {
            "scalar": {"type": "integer", "minimum": 3}, "ref": {"type": "object"}}});
        assert_eq!(
            messages(json!({"scalar": 2, "ref": null}), schema),
            [
                "[].spec.name: Required value",
                "[].spec.ref: Invalid value: \"null\": spec.ref in body must be of type object: \"null\"",
                "[].spec.scalar: Invalid value: 2: spec.scalar in body should be greater than or equal to 3",
            ]
        );
    }

    #[test]
    fn a_rule_for_each_keyword() {
        for (schema, good, bad) in [
            (
                json!({"type": "string", "maxLength": 2}),
                json!("ab"),
                json!("abc"),
            ),
            (
                json!({"type": "string", "minLength": 2}),
                json!("äö"),
                json!("a"),
            ),
            (
                json!({"type": "string", "pattern": "^a+$"}),
                json!("aa"),
                json!("b"),
            ),
            (
                json!({"type": "string", "enum": ["x", "y"]}),
                json!("x"),
                json!("z"),
            ),
            (json!({"type": "integer"}), json!(2), json!(2.5)),
            (json!({"type": "number"}), json!(2), json!("2")),
            (
                json!({"type": "integer", "maximum": 3, "exclusiveMaximum": true}),
                json!(2),
                json!(3),
            ),
            (
                json!({"type": "integer", "minimum": 3, "exclusiveMinimum": true}),
                json!(4),
                json!(3),
            ),
            (
                json!({"type": "integer", "multipleOf": 3}),
                json!(6),
                json!(7),
            ),
            (
                json!({"type": "array", "maxItems": 1}),
                json!([1]),
                json!([1, 2]),
            ),
            (
                json!({"type": "array", "minItems": 1}),
                json!([1]),
                json!([]),
            ),
            (
                json!({"type": "array", "uniqueItems": true}),
                json!([1, 2]),
                json!([1, 1]),
            ),
            (
                json!({"type": "array", "items": {"type": "string"}}),
                json!(["a"]),
                json!([1]),
            ),
            (
                json!({"type": "object", "maxProperties": 1}),
                json!({"a": 1}),
                json!({"a": 1, "b": 2}),
            ),
            (
                json!({"type": "object", "minProperties": 1}),
                json!({"a": 1}),
                json!({}),
            ),
            (
                json!({"type": "object", "additionalProperties": {"type": "string"}}),
                json!({"a": "b"}),
                json!({"a": 1}),
            ),
            (
                json!({"x-kubernetes-int-or-string": true, "type": "integer"}),
                json!("50%"),
                json!([]),
            ),
            (
                json!({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}),
                json!({"a": 1}),
                json!({"a": 1, "b": 2}),
            ),
            (
                json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
                json!({"a": 1, "b": 2}),
                json!({}),
            ),
            (
                json!({"not": {"required": ["a"]}}),
                json!({}),
                json!({"a": 1}),
            ),
            (
                json!({"allOf": [{"required": ["a"]}]}),
                json!({"a": 1}),
                json!({}),
            ),
        ] {
            assert_eq!(messages(good, schema.clone()), [""; 0], "{schema}");
            assert!(
                !messages(bad.clone(), schema.clone()).is_empty(),
                "{schema} {bad}"
            );
        }
        assert_eq!(
            messages(json!(null), json!({"type": "object", "nullable": true})),
            [""; 0]
        );
        assert_eq!(
            messages(json!("x"), json!({"type": "string", "pattern": "(?<no"})),
            [""; 0]
        );
    }
}
