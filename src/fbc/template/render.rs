//! Renders a template's catalog like `opm alpha render-template`.
//!
//! Takes a text and a bundle source, and returns blobs. [`TemplateType`] detects the type; each
//! type has its own file. [`known`] provides bundles from catalogs and bundle folders.

use crate::bundle::Migration;
use crate::go_text::names_field;
use crate::template::fault::first_document;
use entries::Source;
pub use entries::{Bundles, Missing, Rendered};
pub use known::complete_package;
use serde_json::Value;

mod entries;
pub mod facts;
pub mod known;
mod semver;
mod substitutes;

/// How a template is rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// The type; defaults to the schema of the first document.
    pub kind: Option<TemplateType>,
    /// Applied to each rendered bundle.
    pub migration: Migration,
    /// How to treat unknown bundles.
    pub missing: Missing,
}

/// Why rendering failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// In `opm`'s wording.
    pub message: String,
    /// Unknown bundle references, as far as they were looked up.
    pub missing: Vec<String>,
}

/// Renders a template.
pub fn render(text: &[u8], bundles: &dyn Bundles, options: Options) -> Result<Rendered, Refused> {
    let mut source = Source::new(bundles, options.migration, options.missing);
    let rendered = options
        .kind
        .map_or_else(|| TemplateType::detect(text), Ok)
        .and_then(|kind| {
            let rendered = match kind {
                TemplateType::Basic => entries::render(text, &mut source),
                TemplateType::Semver => semver::render(text, &mut source),
                TemplateType::Substitutes => substitutes::render(text, &mut source),
            };
            rendered.map_err(|error| format!("rendering template: {error}"))
        });
    let missing = source.left_out;
    match rendered {
        Ok(rendered) => Ok(Rendered {
            missing,
            ..rendered
        }),
        Err(message) => Err(Refused { message, missing }),
    }
}

/// Template types that can be rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateType {
    Basic,
    Semver,
    Substitutes,
}

impl TemplateType {
    /// In `opm`'s order.
    pub const ALL: [TemplateType; 3] = [
        TemplateType::Basic,
        TemplateType::Semver,
        TemplateType::Substitutes,
    ];

    /// The schema of such a document.
    pub fn schema(self) -> &'static str {
        match self {
            TemplateType::Basic => "olm.template.basic",
            TemplateType::Semver => "olm.semver",
            TemplateType::Substitutes => "olm.template.substitutes",
        }
    }

    /// The type's name: the last part of its schema.
    pub fn name(self) -> &'static str {
        match self {
            TemplateType::Basic => "basic",
            TemplateType::Semver => "semver",
            TemplateType::Substitutes => "substitutes",
        }
    }

    /// Looks up a type by name; the error is `opm`'s.
    pub fn from_name(name: &str) -> Result<TemplateType, String> {
        TemplateType::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| {
                let names: Vec<&str> = TemplateType::ALL.iter().map(|kind| kind.name()).collect();
                let name = crate::go_text::quote(name);
                format!(
                    "invalid template type {name}, must be one of: [{}]",
                    names.join(" ")
                )
            })
    }

    /// The type of the first document, or `opm`'s error.
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
        let known = TemplateType::ALL
            .into_iter()
            .find(|kind| kind.schema() == schema);
        known.ok_or_else(|| format!("unknown template schema: {schema}"))
    }
}

fn schema_of(json: &str) -> Result<String, String> {
    const WHOLE: &str = r#"struct { Schema string "json:\"schema\"" }"#;
    let document: Value = parse(json)?;
    let fields = match &document {
        Value::Object(fields) => fields,
        other => {
            return Err(format!(
                "json: cannot unmarshal {} into Go value of type {WHOLE}",
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

/// Canonical JSON as a value; an empty text is refused like in Go.
fn parse(json: &str) -> Result<Value, String> {
    if json.is_empty() {
        return Err("unexpected end of JSON input".to_owned());
    }
    serde_json::from_str(json).map_err(|error| error.to_string())
}

/// Go's name for a JSON type in refusals.
fn go_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::TemplateType;

    #[test]
    fn the_schema_of_the_first_document_decides() {
        let of = |text: &str| TemplateType::detect(text.as_bytes());
        let refused = |reason: &str| Err(format!("auto-detecting template type: {reason}"));
        assert_eq!(
            of("---\nSchema: olm.semver\n---\nschema: other\n"),
            Ok(TemplateType::Semver)
        );
        assert_eq!(
            of("{\"schema\": \"olm.template.basic\"}"),
            Ok(TemplateType::Basic)
        );
        assert_eq!(of(""), refused("decoding template input: EOF"));
        assert_eq!(
            of("# c\n---\nschema: olm.semver\n"),
            refused("unmarshalling template schema: unexpected end of JSON input")
        );
        assert_eq!(
            of("entries: []\n"),
            refused("template input missing required 'schema' field")
        );
        assert_eq!(
            of("schema: olm.composite\n"),
            refused("unknown template schema: olm.composite")
        );
        let number = "unmarshalling template schema: json: cannot unmarshal number into Go struct field .schema of type string";
        assert_eq!(of("schema: 1\n"), refused(number));
    }

    #[test]
    fn a_kind_has_the_name_that_its_schema_ends_in() {
        for kind in TemplateType::ALL {
            assert!(kind.schema().ends_with(&format!(".{}", kind.name())));
            assert_eq!(TemplateType::from_name(kind.name()), Ok(kind));
        }
        let expected =
            "invalid template type \"composite\", must be one of: [basic semver substitutes]";
        assert_eq!(
            TemplateType::from_name("composite"),
            Err(expected.to_owned())
        );
    }
}
