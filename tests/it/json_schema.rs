//! A checker of JSON Schema (draft 2020-12) for the keywords used in `docs/schemas`; it refuses any
//! other keyword.
//!
//! It is stricter than the draft: if a schema lists properties without mentioning others, other
//! properties are an error. Consumers may meet fields of later versions, but this version must
//! describe all of its own.

use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// A schema, and the set of its properties that occurred in any value.
pub(crate) struct Schema {
    root: Value,
    met: BTreeSet<String>,
}

/// Errors with their place.
type Problems = Vec<String>;

impl Schema {
    pub(crate) fn new(root: Value) -> Self {
        Self {
            root,
            met: BTreeSet::new(),
        }
    }

    /// Checks a value and returns the errors.
    pub(crate) fn check(&mut self, value: &Value) -> Problems {
        let root = self.root.clone();
        let mut check = Check {
            root: &root,
            met: Vec::new(),
        };
        let problems = check.value("#", &root, "", value);
        self.met.extend(check.met);
        problems
    }

    /// Properties of the schema that never occurred.
    pub(crate) fn unseen_properties(&self) -> Vec<String> {
        let mut all = Vec::new();
        collect("#", &self.root, &mut all);
        all.into_iter()
            .filter(|place| !self.met.contains(place))
            .collect()
    }
}

/// The paths of all properties below a schema.
fn collect(at: &str, schema: &Value, out: &mut Vec<String>) {
    let Value::Object(keywords) = schema else {
        return;
    };
    for (name, schema) in keywords
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let place = format!("{at}/properties/{name}");
        collect(&place, schema, out);
        out.push(place);
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(schema) = keywords.get(keyword) {
            collect(&format!("{at}/{keyword}"), schema, out);
        }
    }
    for (number, schema) in keywords
        .get("anyOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .enumerate()
    {
        collect(&format!("{at}/anyOf/{number}"), schema, out);
    }
    for (name, schema) in keywords
        .get("$defs")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        collect(&format!("{at}/$defs/{name}"), schema, out);
    }
}

struct Check<'s> {
    root: &'s Value,
    met: Vec<String>,
}

impl Check<'_> {
    fn value(&mut self, at: &str, schema: &Value, place: &str, value: &Value) -> Problems {
        let keywords = match schema {
            Value::Bool(true) => return Vec::new(),
            Value::Bool(false) => return vec![format!("{place}: nothing may be here")],
            Value::Object(keywords) => keywords,
            _ => panic!("{at}: a schema is an object"),
        };
        let mut problems = Vec::new();
        for (keyword, constraint) in keywords {
            match keyword.as_str() {
                "$schema"
                | "$id"
                | "$defs"
                | "title"
                | "description"
                | "required"
                | "additionalProperties" => {}
                "$ref" => {
                    let target = constraint.as_str().unwrap_or_default();
                    let pointer = target
                        .strip_prefix('#')
                        .expect("a reference is inside the file");
                    let schema = self
                        .root
                        .pointer(pointer)
                        .unwrap_or_else(|| panic!("{at}: nothing is at {target}"));
                    problems.extend(self.value(target, schema, place, value));
                }
                "type" => {
                    let allowed = constraint
                        .as_array()
                        .cloned()
                        .unwrap_or_else(|| vec![constraint.clone()]);
                    if !allowed
                        .iter()
                        .any(|word| is_of_type(word.as_str().unwrap_or_default(), value))
                    {
                        problems.push(format!("{place}: {value} is not of type {constraint}"));
                    }
                }
                "const" if constraint != value => {
                    problems.push(format!("{place}: {value} is not {constraint}"))
                }
                "enum" if !constraint.as_array().is_some_and(|all| all.contains(value)) => {
                    problems.push(format!("{place}: {value} is none of {constraint}"));
                }
                "const" | "enum" => {}
                "minimum" if value.is_number() && value.as_f64() < constraint.as_f64() => {
                    problems.push(format!("{place}: {value} is below {constraint}"))
                }
                "minLength"
                    if value.as_str().is_some_and(|text| {
                        (text.chars().count() as u64) < constraint.as_u64().unwrap()
                    }) =>
                {
                    problems.push(format!("{place}: {value} is too short"));
                }
                "minimum" | "minLength" => {}
                "propertyNames" => {
                    for name in value.as_object().into_iter().flat_map(Map::keys) {
                        let name = Value::from(name.as_str());
                        problems.extend(self.value(
                            &format!("{at}/propertyNames"),
                            constraint,
                            place,
                            &name,
                        ));
                    }
                }
                "items" => {
                    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                        problems.extend(self.value(
                            &format!("{at}/items"),
                            constraint,
                            &format!("{place}/{number}"),
                            item,
                        ));
                    }
                }
                "anyOf" => problems.extend(self.any_of(at, constraint, place, value)),
                "properties" => problems.extend(self.properties(at, keywords, place, value)),
                other => panic!("{at}: this checker does not know `{other}`"),
            }
        }
        if !keywords.contains_key("properties") && keywords.contains_key("additionalProperties") {
            problems.extend(self.properties(at, keywords, place, value));
        }
        problems
    }

    /// No errors if one alternative matches; otherwise the errors of the best match.
    fn any_of(&mut self, at: &str, alternatives: &Value, place: &str, value: &Value) -> Problems {
        let mut best: Option<Problems> = None;
        for (number, schema) in alternatives.as_array().into_iter().flatten().enumerate() {
            let before = self.met.len();
            let problems = self.value(&format!("{at}/anyOf/{number}"), schema, place, value);
            if problems.is_empty() {
                return problems;
            }
            self.met.truncate(before);
            if best.as_ref().is_none_or(|best| problems.len() < best.len()) {
                best = Some(problems);
            }
        }
        best.unwrap_or_default()
    }

    fn properties(
        &mut self,
        at: &str,
        keywords: &Map<String, Value>,
        place: &str,
        value: &Value,
    ) -> Problems {
        let Value::Object(fields) = value else {
            return Vec::new();
        };
        let known = keywords.get("properties").and_then(Value::as_object);
        let mut problems = Vec::new();
        for (name, field) in fields {
            let place = format!("{place}/{name}");
            if let Some(schema) = known.and_then(|known| known.get(name)) {
                let at = format!("{at}/properties/{name}");
                problems.extend(self.value(&at, schema, &place, field));
                self.met.push(at);
            } else if let Some(schema) = keywords.get("additionalProperties") {
                problems.extend(self.value(
                    &format!("{at}/additionalProperties"),
                    schema,
                    &place,
                    field,
                ));
            } else {
                problems.push(format!("{place}: the schema does not describe this"));
            }
        }
        for name in keywords
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            if !fields.contains_key(name.as_str().unwrap_or_default()) {
                problems.push(format!("{place}: {name} is missing"));
            }
        }
        problems
    }
}

fn is_of_type(word: &str, value: &Value) -> bool {
    match word {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("there is no type `{other}`"),
    }
}

#[test]
fn finds_violations() {
    use serde_json::json;
    let schema = json!({
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "kind": {"anyOf": [{"$ref": "#/$defs/kind"}, {"type": "null"}]},
            "more": {"type": "array", "items": {"type": "integer", "minimum": 1}},
        },
        "$defs": {"kind": {"enum": ["a", "b"]}},
    });
    let check = |value: Value| Schema::new(schema.clone()).check(&value).len();
    assert_eq!(check(json!({"name": "x", "kind": "a", "more": [1, 2]})), 0);
    assert_eq!(check(json!({"name": "x", "kind": null})), 0);
    for wrong in [
        json!({}),
        json!({"name": 1}),
        json!({"name": ""}),
        json!({"name": "x", "kind": "c"}),
        json!({"name": "x", "more": [0]}),
        json!({"name": "x", "more": ["1"]}),
        json!({"name": "x", "other": 1}),
        json!([]),
    ] {
        assert_eq!(check(wrong.clone()), 1, "{wrong}");
    }
    let mut schema = Schema::new(schema);
    assert!(schema.check(&json!({"name": "x"})).is_empty());
    assert_eq!(
        schema.unseen_properties(),
        ["#/properties/kind", "#/properties/more"]
    );
}
