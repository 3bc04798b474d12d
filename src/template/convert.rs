//! The template of a catalog, as created by `opm alpha convert-template`, or an equivalent semver
//! template.
//!
//! [`basic`] and [`substitutes`] accept any blobs; [`semver()`] only a graph that such a template
//! can produce, and lists the differences otherwise.

mod semver;

use super::fault::canonical;
use bundle::{self, File};
use catalog::model::{Pool, load_rule, lower};
pub use semver::{Semver, semver};
use serde_json::{Value, json};
use syntax::document::{Document, Reader, Sink};
use syntax::go_text::{format_json_float, names_field, push_json_string};

const INDENT: &str = "    ";

/// Errors that apply to every schema.
const RULES_OF_EVERY_SCHEMA: [&str; 6] = [
    load_rule::DOCUMENT_SEPARATOR,
    load_rule::YAML_SYNTAX,
    load_rule::JSON_SYNTAX,
    load_rule::BLOB_NOT_OBJECT,
    load_rule::BLOB_DUPLICATE_FOLDED_KEY,
    load_rule::BLOB_META_NOT_STRING,
];

/// Returns the basic template of a catalog's files: bundles become images, everything else is kept.
pub fn basic(files: &[File]) -> Result<Value, String> {
    let entries = read(files, true)?
        .into_iter()
        .map(|blob| {
            if text_field(&blob, "schema") == Some("olm.bundle") {
                reduce_to_image(&blob)
            } else {
                blob
            }
        })
        .collect();
    Ok(json!({ "schema": "olm.template.basic", "entries": null_if_empty(entries) }))
}

/// Returns the substitutes template of a catalog's files: all blobs, and no substitutions yet.
pub fn substitutes(files: &[File]) -> Result<Value, String> {
    let entries = null_if_empty(read(files, false)?);
    Ok(json!({ "schema": "olm.template.substitutes", "entries": entries, "substitutions": [] }))
}

/// Go writes an empty list as `null`.
fn null_if_empty(entries: Vec<Value>) -> Value {
    if entries.is_empty() {
        Value::Null
    } else {
        Value::Array(entries)
    }
}

fn reduce_to_image(bundle: &Value) -> Value {
    let image = text_field(bundle, "image").unwrap_or_default();
    json!({ "schema": "olm.bundle", "image": image })
}

/// Returns the text of a field; its key is case-insensitive.
fn text_field<'b>(blob: &'b Value, name: &str) -> Option<&'b str> {
    let mut fields = blob.as_object()?.iter();
    fields
        .rfind(|(key, value)| names_field(key, name) && value.is_string())?
        .1
        .as_str()
}

/// Returns the blobs of the files in canonical form, or `opm`'s error. Schema-specific errors are
/// ignored, except for bundles if `bundles` are read.
fn read(files: &[File], bundles: bool) -> Result<Vec<Value>, String> {
    let mut blobs = BlobCollector {
        bundles,
        read: Ok(Vec::new()),
    };
    for file in files {
        Reader::read_file(&file.bytes, &mut blobs);
    }
    let read = blobs.read.map_err(|reason| conversion_error(&reason))?;
    if read.iter().any(String::is_empty) {
        // An empty document is a blob without text, which cannot be written.
        let reason =
            "json: error calling MarshalJSON for type *declcfg.Meta: unexpected end of JSON input";
        return Err(conversion_error(reason));
    }
    read.iter()
        .map(|json| serde_json::from_str(json).map_err(|error| error.to_string()))
        .collect()
}

fn conversion_error(reason: &str) -> String {
    format!("converting: {reason}")
}

/// Collects the blobs of a catalog's files.
struct BlobCollector {
    bundles: bool,
    read: Result<Vec<String>, String>,
}

impl Sink for BlobCollector {
    fn accepts(&mut self, document: &Document<'_>) -> bool {
        lower::accepts(document)
    }

    fn document(&mut self, document: Document<'_>) {
        let Ok(read) = &mut self.read else { return };
        match blob(&document, self.bundles) {
            Ok(json) => read.push(json),
            Err(error) => self.read = Err(error),
        }
    }
}

/// Returns the canonical JSON of a blob, or why `opm` does not accept it.
fn blob(document: &Document<'_>, bundles: bool) -> Result<String, String> {
    let faults = lower::lower(document, &mut Pool::default()).faults;
    match faults.into_iter().find(|fault| {
        RULES_OF_EVERY_SCHEMA.contains(&&*fault.rule)
            || (bundles && fault.rule == load_rule::BLOB_PARSE_BUNDLE)
    }) {
        Some(fault) => Err(fault.opm),
        None => canonical(document),
    }
}

/// Formats a template like `-o json`.
pub fn to_json(template: &Value) -> String {
    let mut text = String::new();
    push_json(&mut text, template, 0);
    text.push('\n');
    text
}

/// Formats a template like `-o yaml`, including `opm`'s empty last line.
pub fn to_yaml(template: &Value) -> String {
    let text = bundle::to_yaml(std::slice::from_ref(template));
    format!("{text}\n")
}

/// Appends indented JSON with escaped `<`, `>` and `&`, like `json.MarshalIndent`. The reader
/// limits the depth.
fn push_json(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            out.push('{');
            for (index, (key, value)) in fields.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                push_line_break(out, depth + 1);
                push_json_string(out, key, true);
                out.push_str(": ");
                push_json(out, value, depth + 1);
            }
            push_line_break(out, depth);
            out.push('}');
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                push_line_break(out, depth + 1);
                push_json(out, item, depth + 1);
            }
            push_line_break(out, depth);
            out.push(']');
        }
        Value::String(text) => push_json_string(out, text, true),
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => out.push_str(&format_json_float(float)),
            _ => out.push_str(&number.to_string()),
        },
        other => out.push_str(&other.to_string()),
    }
}

fn push_line_break(out: &mut String, depth: usize) {
    out.push('\n');
    out.push_str(&INDENT.repeat(depth));
}
