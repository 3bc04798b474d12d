//! The blobs that basic and substitutes templates hold, read as `opm` reads them: first each as a blob of any schema, then
//! by its own.

use super::kind::{go_kind, parse};
use crate::bundle::{self, File};
use crate::go_text::names_field;
use crate::index::index_bytes;
use crate::model::load_rule;
use crate::template::text::first_document;
use serde_json::Value;

/// The rules that are judged while a list is decoded, before any schema is looked at.
const OF_EVERY_BLOB: [&str; 3] = [
    load_rule::BLOB_NOT_OBJECT,
    load_rule::BLOB_DUPLICATE_FOLDED_KEY,
    load_rule::BLOB_META_NOT_STRING,
];

/// The first document of a template of this Go type and schema, decoded.
pub(super) struct Document {
    fields: Vec<(String, Value)>,
    go: &'static str,
    refused: Option<String>,
}

impl Document {
    /// Reads the document. The error is in `opm`'s words.
    pub(super) fn read(text: &[u8], go: &'static str) -> Result<Self, String> {
        let json = match first_document(text) {
            None => return Err("decoding template schema: EOF".to_owned()),
            Some(document) => {
                document.map_err(|words| format!("decoding template schema: {words}"))?
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

    /// The values that fill a field, in the order in which Go takes them.
    pub(super) fn values(&self, field: &str) -> Vec<Value> {
        let named = self
            .fields
            .iter()
            .filter(|(key, _)| names_field(key, field));
        named.map(|(_, value)| value.clone()).collect()
    }

    /// The text of a field. What is no text is refused once all is read.
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

    /// The items of a list. What is no list is refused once all is read.
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
        let words = format!(
            "json: cannot unmarshal {} into Go struct field {name}.{field} of type {go}",
            go_kind(found)
        );
        self.refused.get_or_insert(words);
    }

    /// What is refused of the fields that were read; of several, Go tells the first.
    pub(super) fn done(self) -> Result<(), String> {
        self.refused
            .map_or(Ok(()), |words| Err(unmarshalling(words)))
    }
}

fn unmarshalling(words: String) -> String {
    format!("unmarshalling template: {words}")
}

/// Items of a list that hold blobs, judged by the rules of every blob; a refusal here ends the decoding at once.
pub(super) fn decoded(items: &[Value]) -> Result<(), String> {
    for item in items {
        // The reference crashes on a null later on.
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
            let words = fault
                .opm
                .strip_prefix("error unmarshaling JSON: while decoding JSON: ")
                .unwrap_or(&fault.opm);
            return Err(unmarshalling(words.to_owned()));
        }
    }
    Ok(())
}

/// The blobs by their schemas, as a catalog has them. The error is in `opm`'s words.
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
