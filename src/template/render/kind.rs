//! The type of a template, by the schema of its first document.

use crate::fault::first_document;
use bundle::go_kind;
use protocol::enum_with_text;
use serde_json::Value;
use syntax::go_text::names_field;

/// The Go type into which `opm` decodes the document.
const GO_DOCUMENT: &str = r#"struct { Schema string "json:\"schema\"" }"#;

enum_with_text! {
    pub fn schema;
    pub const ALL;
    /// Template types that can be rendered, in `opm`'s order.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum TemplateType {
        Basic = "olm.template.basic",
        Semver = "olm.semver",
        Substitutes = "olm.template.substitutes",
    }
}

impl TemplateType {
    /// Returns the type's name: the last part of its schema.
    pub fn name(self) -> &'static str {
        match self {
            TemplateType::Basic => "basic",
            TemplateType::Semver => "semver",
            TemplateType::Substitutes => "substitutes",
        }
    }

    /// The error is `opm`'s.
    pub fn from_name(name: &str) -> Result<TemplateType, String> {
        TemplateType::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| {
                let names: Vec<&str> = TemplateType::ALL.iter().map(|kind| kind.name()).collect();
                let name = syntax::go_text::quote(name);
                format!(
                    "invalid template type {name}, must be one of: [{}]",
                    names.join(" ")
                )
            })
    }

    /// Returns the type of the first document, or `opm`'s error.
    pub fn detect(text: &[u8]) -> Result<TemplateType, String> {
        TemplateType::type_of_schema(text)
            .map_err(|error| format!("auto-detecting template type: {error}"))
    }

    fn type_of_schema(text: &[u8]) -> Result<TemplateType, String> {
        let json = match first_document(text) {
            None => return Err("decoding template input: EOF".to_owned()),
            Some(document) => {
                document.map_err(|error| format!("decoding template input: {error}"))?
            }
        };
        let schema =
            schema_of(&json).map_err(|error| format!("unmarshalling template schema: {error}"))?;
        if schema.is_empty() {
            return Err("template input missing required 'schema' field".to_owned());
        }
        let kind = TemplateType::ALL
            .into_iter()
            .find(|kind| kind.schema() == schema);
        kind.ok_or_else(|| format!("unknown template schema: {schema}"))
    }
}

/// Returns the text of `schema` in a document; "" if it is absent. The error is Go's.
fn schema_of(json: &str) -> Result<String, String> {
    let document: Value = parse(json)?;
    let fields = match &document {
        Value::Object(fields) => fields,
        other => {
            return Err(format!(
                "json: cannot unmarshal {} into Go value of type {GO_DOCUMENT}",
                go_kind(other)
            ));
        }
    };
    let mut schema = String::new();
    let mut refused = None;
    for (_, value) in fields.iter().filter(|(key, _)| names_field(key, "schema")) {
        match value {
            Value::String(text) => schema.clone_from(text),
            Value::Null => {}
            other => {
                let message = format!(
                    "json: cannot unmarshal {} into Go struct field .schema of type string",
                    go_kind(other)
                );
                refused.get_or_insert(message);
            }
        }
    }
    refused.map_or(Ok(schema), Err)
}

/// Parses canonical JSON; an empty text is refused like in Go.
pub(super) fn parse(json: &str) -> Result<Value, String> {
    if json.is_empty() {
        return Err("unexpected end of JSON input".to_owned());
    }
    serde_json::from_str(json).map_err(|error| error.to_string())
}
