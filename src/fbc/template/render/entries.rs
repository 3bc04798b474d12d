//! Parses the blobs in basic and substitutes templates like `opm`: first by the rules of any
//! schema, then by its own.

use super::kind::{go_kind, parse};
use crate::bundle::{self, File};
use crate::go_text::names_field;
use crate::index::index_bytes;
use crate::model::load_rule;
use crate::template::text::first_document;
use serde_json::Value;

/// Rules applied while decoding a list, before any schema is considered.
const OF_EVERY_BLOB: [&str; 3] = [
    load_rule::BLOB_NOT_OBJECT,
    load_rule::BLOB_DUPLICATE_FOLDED_KEY,
    load_rule::BLOB_META_NOT_STRING,
];

/// The decoded first document of a template with this Go type and schema.
pub(super) struct Document {
    fields: Vec<(String, Value)>,
    go: &'static str,
    refused: Option<String>,
}

impl Document {
    /// Parses the document. The error is `opm`'s.
    pub(super) fn read(text: &[u8], go: &'static str) -> Result<Self, String> {
        let json = match first_document(text) {
            None => return Err("decoding template schema: EOF".to_owned()),
            Some(document) => {
                document.map_err(|error| format!("decoding template schema: {error}"))?
            }
        };
        let fields = match parse(&json).map_err(unmarshalling)? {
            Value::Object(fields) => fields.into_iter().collect(),
            other => {
                let found = go_kind(&other);
                return Err(unmarshalling(format!(
                    "json: cannot unmarshal {found} into Go value of type {go}"
                )));
            }
        };
        Ok(Self {
            fields,
            go,
            refused: None,
        })
    }

    /// The values of a field, in Go's order of assignment.
    pub(super) fn values(&self, field: &str) -> Vec<Value> {
        let matching = self
            .fields
            .iter()
            .filter(|(key, _)| names_field(key, field));
        matching.map(|(_, value)| value.clone()).collect()
    }

    /// The text of a field. Other types are refused after everything is read.
    pub(super) fn text(&mut self, field: &str) -> String {
        let mut text = String::new();
        for value in self.values(field) {
            match value {
                Value::String(value) => text = value,
                Value::Null => {}
                other => self.mismatch(&other, field, "string"),
            }
        }
        text
    }

    /// The items of a list. Other types are refused after everything is read.
    pub(super) fn list(&mut self, field: &str, go: &str) -> Vec<Value> {
        let mut list = Vec::new();
        for value in self.values(field) {
            match value {
                Value::Array(items) => list = items,
                Value::Null => list.clear(),
                other => self.mismatch(&other, field, go),
            }
        }
        list
    }

    pub(super) fn mismatch(&mut self, found: &Value, field: &str, go: &str) {
        let name = self.go.rsplit('.').next().unwrap_or_default();
        let message = format!(
            "json: cannot unmarshal {} into Go struct field {name}.{field} of type {go}",
            go_kind(found)
        );
        self.refused.get_or_insert(message);
    }

    /// Go reports only the first refusal of the fields that were read.
    pub(super) fn finish(self) -> Result<(), String> {
        self.refused
            .map_or(Ok(()), |reason| Err(unmarshalling(reason)))
    }
}

fn unmarshalling(reason: String) -> String {
    format!("unmarshalling template: {reason}")
}

/// Checks list items by the rules of every blob; a refusal ends decoding immediately.
pub(super) fn check_decoding(items: &[Value]) -> Result<(), String> {
    for item in items {
        // The reference crashes on null later on.
        if item.is_null() {
            return Err("an entry of the template is null".to_owned());
        }
        let index = index_bytes(item.to_string().as_bytes());
        let faults = index
            .blobs
            .first()
            .map(|blob| &blob.faults[..])
            .unwrap_or_default();
        if let Some(fault) = faults
            .iter()
            .find(|fault| OF_EVERY_BLOB.contains(&&*fault.rule))
        {
            let message = fault
                .opm
                .strip_prefix("error unmarshaling JSON: while decoding JSON: ")
                .unwrap_or(&fault.opm);
            return Err(unmarshalling(message.to_owned()));
        }
    }
    Ok(())
}

/// The blobs by schema, as in a catalog. The error is `opm`'s.
pub(super) fn blobs(items: &[Value]) -> Result<Vec<Value>, String> {
    let mut bytes = String::new();
    for item in items {
        let text = item.to_string();
        let index = index_bytes(text.as_bytes());
        if let Some(fault) = index.blobs.first().and_then(|blob| blob.faults.first()) {
            return Err(fault.opm.clone());
        }
        bytes.push_str(&text);
        bytes.push('\n');
    }
    let file = File {
        path: "template".to_owned(),
        bytes: bytes.into_bytes(),
    };
    bundle::read_blobs(&[file]).map_err(|refusal| refusal.message)
}
