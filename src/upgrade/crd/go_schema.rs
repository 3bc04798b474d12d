//! The Go form of a schema: the fields of `JSONSchemaProps` in order, and OLM v1's messages about
//! changed definitions.
//!
//! For a change that no rule covers, OLM v1 lists the changed fields. It reads their names from the
//! lines of a Go diff and ignores nesting: if several fields have the same name, the last one
//! counts.

use serde_json::{Map, Value};
use syntax::go_text::{format_float, quote, string_or_empty};
use syntax::order::SortSmall;

type Schema = Map<String, Value>;

/// Maximum number of list elements that are paired. Longer lists than any real schema has would
/// cost too much.
const MAX_PAIRED: usize = 256;
/// How OLM prints a value that contains schemas.
const COMPLEX: &str = "<complex value>";
/// Stands for the address of a pointer.
const ADDRESS: &str = "0xc000000000";

/// How Go represents a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    TextPointer,
    Bool,
    BoolPointer,
    Number,
    Json,
    JsonList,
    Texts,
    Schemas,
    Schema,
    SchemaOrBool,
    SchemaOrList,
    SchemaMap(&'static str),
    Dependencies,
    Docs,
    Rules,
}

/// A field: the JSON key, the name in Go, the type.
type Field = (&'static str, &'static str, Kind);

/// The fields of `JSONSchemaProps`.
const FIELDS: [Field; 44] = [
    ("id", "ID", Kind::Text),
    ("$schema", "Schema", Kind::Text),
    ("$ref", "Ref", Kind::TextPointer),
    ("description", "Description", Kind::Text),
    ("type", "Type", Kind::Text),
    ("format", "Format", Kind::Text),
    ("title", "Title", Kind::Text),
    ("default", "Default", Kind::Json),
    ("maximum", "Maximum", Kind::Number),
    ("exclusiveMaximum", "ExclusiveMaximum", Kind::Bool),
    ("minimum", "Minimum", Kind::Number),
    ("exclusiveMinimum", "ExclusiveMinimum", Kind::Bool),
    ("maxLength", "MaxLength", Kind::Number),
    ("minLength", "MinLength", Kind::Number),
    ("pattern", "Pattern", Kind::Text),
    ("maxItems", "MaxItems", Kind::Number),
    ("minItems", "MinItems", Kind::Number),
    ("uniqueItems", "UniqueItems", Kind::Bool),
    ("multipleOf", "MultipleOf", Kind::Number),
    ("enum", "Enum", Kind::JsonList),
    ("maxProperties", "MaxProperties", Kind::Number),
    ("minProperties", "MinProperties", Kind::Number),
    ("required", "Required", Kind::Texts),
    ("items", "Items", Kind::SchemaOrList),
    ("allOf", "AllOf", Kind::Schemas),
    ("oneOf", "OneOf", Kind::Schemas),
    ("anyOf", "AnyOf", Kind::Schemas),
    ("not", "Not", Kind::Schema),
    (
        "properties",
        "Properties",
        Kind::SchemaMap("map[string]JSONSchemaProps"),
    ),
    (
        "additionalProperties",
        "AdditionalProperties",
        Kind::SchemaOrBool,
    ),
    (
        "patternProperties",
        "PatternProperties",
        Kind::SchemaMap("map[string]JSONSchemaProps"),
    ),
    ("dependencies", "Dependencies", Kind::Dependencies),
    ("additionalItems", "AdditionalItems", Kind::SchemaOrBool),
    (
        "definitions",
        "Definitions",
        Kind::SchemaMap("JSONSchemaDefinitions"),
    ),
    ("externalDocs", "ExternalDocs", Kind::Docs),
    ("example", "Example", Kind::Json),
    ("nullable", "Nullable", Kind::Bool),
    (
        "x-kubernetes-preserve-unknown-fields",
        "XPreserveUnknownFields",
        Kind::BoolPointer,
    ),
    (
        "x-kubernetes-embedded-resource",
        "XEmbeddedResource",
        Kind::Bool,
    ),
    ("x-kubernetes-int-or-string", "XIntOrString", Kind::Bool),
    ("x-kubernetes-list-map-keys", "XListMapKeys", Kind::Texts),
    ("x-kubernetes-list-type", "XListType", Kind::TextPointer),
    ("x-kubernetes-map-type", "XMapType", Kind::TextPointer),
    ("x-kubernetes-validations", "XValidations", Kind::Rules),
];

/// The fields of a validation rule.
const RULE_FIELDS: [Field; 6] = [
    ("rule", "Rule", Kind::Text),
    ("message", "Message", Kind::Text),
    ("messageExpression", "MessageExpression", Kind::Text),
    ("reason", "Reason", Kind::TextPointer),
    ("fieldPath", "FieldPath", Kind::Text),
    ("optionalOldSelf", "OptionalOldSelf", Kind::BoolPointer),
];

const DOC_FIELDS: [Field; 2] = [
    ("description", "Description", Kind::Text),
    ("url", "URL", Kind::Text),
];

/// Whether Go distinguishes the value from its absence: it does for pointers and raw values, but
/// not for plain fields.
fn is_set(kind: Kind, value: &Value) -> bool {
    match (kind, value) {
        (_, Value::Null) => false,
        (Kind::Text, Value::String(text)) => !text.is_empty(),
        (Kind::Bool, Value::Bool(set)) => *set,
        (Kind::Texts | Kind::JsonList | Kind::Schemas | Kind::Rules, Value::Array(list)) => {
            !list.is_empty()
        }
        (Kind::SchemaMap(_) | Kind::Dependencies, Value::Object(map)) => !map.is_empty(),
        _ => true,
    }
}

fn field<'s>(schema: &'s Schema, key: &str, kind: Kind) -> Option<&'s Value> {
    schema.get(key).filter(|value| is_set(kind, value))
}

/// Returns the fields whose difference no rule covers: `FIELD BEFORE -> AFTER`. `is_covered`
/// excludes fields by JSON key. `None` if nothing differs.
pub(super) fn differences(
    old: &Schema,
    new: &Schema,
    is_covered: impl Fn(&str) -> bool,
) -> Option<Vec<String>> {
    let mut diff = Diff::default();
    let mut differs = false;
    for (key, name, kind) in FIELDS.into_iter().filter(|(key, ..)| !is_covered(key)) {
        let (before, after) = (field(old, key, kind), field(new, key, kind));
        if before != after {
            differs = true;
            diff.compare_field(name, kind, before, after);
        }
    }
    // OLM ignores keys that Go's type lacks.
    differs.then(|| diff.texts())
}

/// The lines of a Go diff: the output per field, in order of the first line that names it.
#[derive(Default)]
struct Diff {
    fields: Vec<(String, Option<String>, Option<String>)>,
}

impl Diff {
    fn add_line(&mut self, name: &str, is_new: bool, text: String) {
        let index = self.fields.iter().position(|(known, ..)| known == name);
        let index = index.unwrap_or_else(|| {
            self.fields.push((name.to_owned(), None, None));
            self.fields.len() - 1
        });
        if let Some((_, before, after)) = self.fields.get_mut(index) {
            *if is_new { after } else { before } = Some(text);
        }
    }

    fn add_both(&mut self, name: &str, before: String, after: String) {
        self.add_line(name, false, before);
        self.add_line(name, true, after);
    }

    fn compare_field(
        &mut self,
        name: &str,
        kind: Kind,
        before: Option<&Value>,
        after: Option<&Value>,
    ) {
        match (kind, before, after) {
            (Kind::Texts, Some(Value::Array(old)), Some(Value::Array(new))) => {
                // Elements that are added or removed one by one have no name.
                if !old.iter().any(|text| new.contains(text)) {
                    self.add_both(name, go_value(kind, before), go_value(kind, after));
                }
            }
            (Kind::Json | Kind::JsonList | Kind::Docs, Some(_), Some(_)) => {}
            (
                Kind::Schemas | Kind::SchemaOrList,
                Some(Value::Array(old)),
                Some(Value::Array(new)),
            ) => self.compare_lists(old, new, &FIELDS),
            (Kind::Rules, Some(Value::Array(old)), Some(Value::Array(new))) => {
                self.compare_lists(old, new, &RULE_FIELDS);
            }
            (
                Kind::Schema | Kind::SchemaOrList,
                Some(Value::Object(old)),
                Some(Value::Object(new)),
            ) => self.compare_structs(old, new, &FIELDS),
            (Kind::SchemaOrBool, Some(old), Some(new)) => {
                if is_allowed(old) != is_allowed(new) {
                    self.add_both(
                        "Allows",
                        is_allowed(old).to_string(),
                        is_allowed(new).to_string(),
                    );
                }
                match (old.as_object(), new.as_object()) {
                    (Some(old), Some(new)) => self.compare_structs(old, new, &FIELDS),
                    (None, None) => {}
                    (old, new) => {
                        let text = |schema: Option<&Schema>| schema.map_or("nil", |_| COMPLEX);
                        self.add_both("Schema", text(old).to_owned(), text(new).to_owned());
                    }
                }
            }
            (
                Kind::SchemaMap(_) | Kind::Dependencies,
                Some(Value::Object(old)),
                Some(Value::Object(new)),
            ) => self.compare_maps(old, new),
            _ => self.add_both(name, go_value(kind, before), go_value(kind, after)),
        }
    }

    fn compare_structs(&mut self, old: &Schema, new: &Schema, fields: &[Field]) {
        for &(key, name, kind) in fields {
            let (before, after) = (field(old, key, kind), field(new, key, kind));
            if before != after {
                self.compare_field(name, kind, before, after);
            }
        }
    }

    fn compare_maps(&mut self, old: &Schema, new: &Schema) {
        let mut keys: Vec<&String> = old.keys().chain(new.keys()).collect();
        keys.sort_small();
        keys.dedup();
        for key in keys {
            match (old.get(key), new.get(key)) {
                (Some(Value::Object(old)), Some(Value::Object(new))) => {
                    self.compare_structs(old, new, &FIELDS);
                }
                (before, after) => {
                    for (is_new, value) in [(false, before), (true, after)] {
                        if let Some(Value::Object(schema)) = value {
                            self.add_line(
                                &quote(key),
                                is_new,
                                simplify(&go_struct(schema, &FIELDS)),
                            );
                        }
                    }
                }
            }
        }
    }

    /// Compares lists: equal elements are kept; between them the others are paired in order, and
    /// the rest is removed or added.
    fn compare_lists(&mut self, old: &[Value], new: &[Value], fields: &[Field]) {
        let (mut at_old, mut at_new) = (0, 0);
        let ends = std::iter::once((old.len(), new.len()));
        for (next_old, next_new) in common_elements(old, new).into_iter().chain(ends) {
            let removed = old.get(at_old..next_old).unwrap_or_default();
            let added = new.get(at_new..next_new).unwrap_or_default();
            let paired = removed.len().min(added.len());
            for (before, after) in removed.iter().zip(added) {
                if let (Value::Object(before), Value::Object(after)) = (before, after) {
                    self.compare_structs(before, after, fields);
                }
            }
            let rest = |list: &[Value]| list.get(paired..).unwrap_or_default().to_vec();
            for (is_new, list) in [(false, rest(removed)), (true, rest(added))] {
                for element in list.iter().filter_map(Value::as_object) {
                    let text = go_struct(element, fields);
                    // The line is split at its first colon.
                    if let Some((name, value)) = text.split_once(": ") {
                        self.add_line(name, is_new, simplify(value));
                    }
                }
            }
            (at_old, at_new) = (next_old + 1, next_new + 1);
        }
    }

    fn texts(self) -> Vec<String> {
        self.fields
            .into_iter()
            .filter_map(|(name, before, after)| {
                let (before, after) = (
                    before.unwrap_or_else(empty_text),
                    after.unwrap_or_else(empty_text),
                );
                (before != after).then(|| format!("{name} {before} -> {after}"))
            })
            .collect()
    }
}

fn empty_text() -> String {
    "<empty>".to_owned()
}

fn is_allowed(value: &Value) -> bool {
    *value != Value::Bool(false)
}

/// Returns the positions of elements that both lists have in this order, as many as possible.
fn common_elements(old: &[Value], new: &[Value]) -> Vec<(usize, usize)> {
    let (old, new) = (
        old.get(..MAX_PAIRED).unwrap_or(old),
        new.get(..MAX_PAIRED).unwrap_or(new),
    );
    let mut best = vec![vec![0_u32; new.len() + 1]; old.len() + 1];
    for (i, before) in old.iter().enumerate().rev() {
        for (j, after) in new.iter().enumerate().rev() {
            best[i][j] = if before == after {
                best[i + 1][j + 1] + 1
            } else {
                best[i + 1][j].max(best[i][j + 1])
            };
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if best[i + 1][j] >= best[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

fn simplify(text: &str) -> String {
    if text.contains("JSONSchemaProps") {
        COMPLEX.to_owned()
    } else {
        text.to_owned()
    }
}

/// Returns a field's value as a Go diff prints it on one line.
fn go_value(kind: Kind, value: Option<&Value>) -> String {
    let Some(value) = value else {
        return match kind {
            Kind::Text => "\"\"".to_owned(),
            Kind::Bool => "false".to_owned(),
            _ => "nil".to_owned(),
        };
    };
    match (kind, value) {
        (Kind::Text, Value::String(text)) => go_string(text),
        (Kind::TextPointer, Value::String(text)) => format!("&{}", go_string(text)),
        (Kind::BoolPointer, value) => format!("&{value}"),
        (Kind::Number, Value::Number(number)) => {
            format!("&{}", format_float(number.as_f64().unwrap_or_default()))
        }
        (Kind::Texts, Value::Array(list)) => {
            let texts: Vec<String> = list
                .iter()
                .filter_map(Value::as_str)
                .map(go_string)
                .collect();
            format!("[]string{{{}}}", texts.join(", "))
        }
        (Kind::Json, value) => format!("s{}", quote(&proto_json(Some(value)))),
        (Kind::Docs, Value::Object(docs)) => format!("s{}", quote(&proto_docs(Some(docs)))),
        (Kind::Rules, Value::Array(list)) => {
            let rules: Vec<String> = list
                .iter()
                .filter_map(Value::as_object)
                .map(|rule| go_struct(rule, &RULE_FIELDS))
                .collect();
            format!("ValidationRules{{{}}}", rules.join(", "))
        }
        (Kind::SchemaMap(name), Value::Object(map)) => {
            let schemas = sorted_entries(map).into_iter().filter_map(|(key, schema)| {
                let schema = go_struct(schema.as_object()?, &FIELDS);
                Some(format!("{}: {schema}", quote(key)))
            });
            simplify(&format!(
                "{name}{{{}}}",
                schemas.collect::<Vec<_>>().join(", ")
            ))
        }
        (Kind::Dependencies, Value::Object(map)) => {
            let all: Vec<String> = sorted_entries(map)
                .into_iter()
                .map(|(key, value)| match value {
                    Value::Array(_) => {
                        let list = go_value(Kind::Texts, Some(value));
                        format!("{}: {{Property: {list}}}", quote(key))
                    }
                    _ => format!("{}: {{Schema: &JSONSchemaProps{{}}}}", quote(key)),
                })
                .collect();
            simplify(&format!("JSONSchemaDependencies{{{}}}", all.join(", ")))
        }
        (
            Kind::Schemas | Kind::Schema | Kind::SchemaOrBool | Kind::SchemaOrList | Kind::JsonList,
            _,
        ) => COMPLEX.to_owned(),
        (_, value) => value.to_string(),
    }
}

/// Writes the fields that are set, as a Go diff prints a value on one line.
fn go_struct(value: &Schema, fields: &[Field]) -> String {
    let set = fields.iter().filter_map(|&(key, name, kind)| {
        let text = match (kind, field(value, key, kind)?) {
            // Only the type's name counts: a value of it is not printed.
            (Kind::Schemas | Kind::Schema | Kind::SchemaOrBool | Kind::SchemaOrList, _) => {
                "JSONSchemaProps".to_owned()
            }
            (kind, value) => go_value(kind, Some(value)),
        };
        Some(format!("{name}: {text}"))
    });
    format!("{{{}}}", set.collect::<Vec<_>>().join(", "))
}

/// Returns a text in double quotes, or in backquotes where that needs no escapes.
fn go_string(text: &str) -> String {
    let quoted = quote(text);
    if quoted.len() > text.len() + 2
        && text
            .chars()
            .all(|c: char| c != '`' && (c == '\t' || !c.is_control()))
    {
        return format!("`{text}`");
    }
    quoted
}

/// Returns a schema as its generated `String()` prints it, which OLM v1 uses for alternatives.
pub(super) fn proto_text(schema: &Schema) -> String {
    proto_struct("JSONSchemaProps", schema, &FIELDS)
}

fn proto_struct(name: &str, value: &Schema, fields: &[Field]) -> String {
    let text = |&(key, name, kind): &Field| {
        let value = proto_value(kind, field(value, key, kind));
        format!("{name}:{value},")
    };
    let fields: String = fields.iter().map(text).collect();
    format!("&{name}{{{fields}}}")
}

fn proto_value(kind: Kind, value: Option<&Value>) -> String {
    let list = value
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    match kind {
        Kind::Text => value.and_then(Value::as_str).unwrap_or_default().to_owned(),
        Kind::Bool => value.is_some().to_string(),
        Kind::TextPointer | Kind::BoolPointer | Kind::Number => match value {
            None => "nil".to_owned(),
            Some(Value::String(text)) => format!("*{text}"),
            Some(Value::Number(number)) => {
                format!("*{}", format_float(number.as_f64().unwrap_or_default()))
            }
            Some(value) => format!("*{value}"),
        },
        Kind::Json => proto_json(value),
        Kind::JsonList => format!(
            "[]JSON{{{}}}",
            format_list(list, &|value| proto_json(Some(value)))
        ),
        Kind::Texts => {
            let texts: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            format!("[{}]", texts.join(" "))
        }
        Kind::Schemas => format!("[]JSONSchemaProps{{{}}}", format_list(list, &schema_text)),
        Kind::Schema => value.map_or_else(|| "nil".to_owned(), schema_text),
        Kind::SchemaOrBool => match value {
            None => "nil".to_owned(),
            Some(Value::Bool(allows)) => {
                format!("&JSONSchemaPropsOrBool{{Allows:{allows},Schema:nil,}}")
            }
            Some(schema) => format!(
                "&JSONSchemaPropsOrBool{{Allows:true,Schema:{},}}",
                schema_text(schema)
            ),
        },
        Kind::SchemaOrList => match value {
            None => "nil".to_owned(),
            Some(Value::Array(list)) => format!(
                "&JSONSchemaPropsOrArray{{Schema:nil,JSONSchemas:[]JSONSchemaProps{{{}}},}}",
                format_list(list, &schema_text)
            ),
            Some(schema) => format!(
                "&JSONSchemaPropsOrArray{{Schema:{},JSONSchemas:[]JSONSchemaProps{{}},}}",
                schema_text(schema)
            ),
        },
        Kind::SchemaMap(name) => {
            let map = value.and_then(Value::as_object);
            format!("{name}{{{}}}", in_map(map, plain_text, ": ", ","))
        }
        Kind::Dependencies => {
            let map = value.and_then(Value::as_object);
            format!(
                "JSONSchemaDependencies{{{}}}",
                in_map(map, plain_dependency, ": ", ",")
            )
        }
        Kind::Docs => proto_docs(value.and_then(Value::as_object)),
        Kind::Rules => {
            format!("[]ValidationRule{{{}}}", format_list(list, &rule_text))
        }
    }
}

fn rule_text(value: &Value) -> String {
    let rule = value.as_object().cloned().unwrap_or_default();
    proto_struct("ValidationRule", &rule, &RULE_FIELDS)
}

fn format_list(list: &[Value], format: &dyn Fn(&Value) -> String) -> String {
    let texts = list
        .iter()
        .map(|value| format(value).replacen('&', "", 1) + ",");
    texts.collect()
}

fn schema_text(value: &Value) -> String {
    let schema = value.as_object().cloned().unwrap_or_default();
    proto_text(&schema)
}

fn sorted_entries(map: &Schema) -> Vec<(&String, &Value)> {
    let mut entries: Vec<(&String, &Value)> = map.iter().collect();
    entries.sort_small_by_key(|(key, _)| *key);
    entries
}

fn in_map(map: Option<&Schema>, text: fn(&Value) -> String, colon: &str, end: &str) -> String {
    let entries = map.map_or_else(Vec::new, sorted_entries).into_iter();
    entries
        .map(|(key, value)| format!("{key}{colon}{}{end}", text(value)))
        .collect()
}

fn proto_json(value: Option<&Value>) -> String {
    match value {
        None => "nil".to_owned(),
        Some(value) => format!("&JSON{{Raw:*{},}}", go_bytes(value)),
    }
}

fn go_bytes(value: &Value) -> String {
    let bytes: Vec<String> = value
        .to_string()
        .bytes()
        .map(|byte| byte.to_string())
        .collect();
    format!("[{}]", bytes.join(" "))
}

fn proto_docs(docs: Option<&Schema>) -> String {
    docs.map_or_else(
        || "nil".to_owned(),
        |docs| proto_struct("ExternalDocumentation", docs, &DOC_FIELDS),
    )
}

/// Returns a schema as Go prints a plain value of the type. For a pointer to a number or string, Go
/// prints its address, which differs from run to run.
fn plain_text(schema: &Value) -> String {
    let empty = Schema::new();
    let schema = schema.as_object().unwrap_or(&empty);
    let plain = |(key, _, kind): (&str, &str, Kind)| {
        let value = field(schema, key, kind);
        let list = value
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        let joined = |format: fn(&Value) -> String| {
            format!(
                "[{}]",
                list.iter().map(format).collect::<Vec<_>>().join(" ")
            )
        };
        match kind {
            Kind::TextPointer | Kind::BoolPointer | Kind::Number => match value {
                None => "<nil>".to_owned(),
                Some(_) => ADDRESS.to_owned(),
            },
            Kind::Schemas => joined(plain_text),
            Kind::JsonList => joined(|value| format!("{{{}}}", go_bytes(value))),
            Kind::Rules => joined(|rule| {
                let text = |key: &str| string_or_empty(&rule[key]);
                let pointer = |key: &str| match &rule[key] {
                    Value::Null => "<nil>",
                    _ => ADDRESS,
                };
                format!(
                    "{{{} {} {} {} {} {}}}",
                    text("rule"),
                    text("message"),
                    text("messageExpression"),
                    pointer("reason"),
                    text("fieldPath"),
                    pointer("optionalOldSelf")
                )
            }),
            Kind::SchemaMap(_) | Kind::Dependencies => {
                let format: fn(&Value) -> String = match kind {
                    Kind::Dependencies => plain_dependency,
                    _ => plain_text,
                };
                let text = in_map(value.and_then(Value::as_object), format, ":", " ");
                format!("map[{}]", text.trim_end())
            }
            _ => proto_value(kind, value),
        }
    };
    format!("{{{}}}", FIELDS.map(plain).join(" "))
}

fn plain_dependency(value: &Value) -> String {
    match value {
        Value::Array(_) => format!("{{nil {}}}", proto_value(Kind::Texts, Some(value))),
        schema => {
            let schema = schema.as_object().cloned().unwrap_or_default();
            format!("{{{} []}}", proto_text(&schema))
        }
    }
}
