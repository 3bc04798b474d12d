//! The blobs of basic and substitutes templates, parsed like `opm`: first by the rules of any
//! schema, then by its own; and the bundles that they name (`opm-semantics` 4.1).

use super::kind::{TemplateType, parse};
use crate::fault::first_document;
use bundle::{self, File, Migration, go_kind};
use catalog::index::index_bytes;
use catalog::model::load_rule;
use serde_json::Value;
use syntax::go_text::{names_field, quote};

#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// All blobs: those of the template in order, then the rendered bundles.
    pub blobs: Vec<Value>,
    /// Names of the rendered bundles, each with its reference in the template.
    pub origins: Vec<(String, String)>,
    /// References of unknown bundles that were left out.
    pub missing: Vec<String>,
}

impl Rendered {
    pub(super) fn new(mut blobs: Vec<Value>, bundles: Vec<Bundle>) -> Self {
        let origins = bundles.iter().map(Bundle::origin).collect();
        blobs.extend(bundles.into_iter().map(|bundle| bundle.blob));
        Self {
            blobs,
            origins,
            missing: Vec::new(),
        }
    }

    /// Returns the blobs in the order printed by `opm`.
    pub fn blobs_in_order(&self) -> Vec<Value> {
        bundle::arrange(self.blobs.clone())
    }
}

/// A bundle being processed for the catalog.
#[derive(Debug, Clone)]
pub(super) struct Bundle {
    /// As named by the template.
    pub(super) reference: String,
    pub(super) blob: Value,
    /// Its ClusterServiceVersion, which migration removes from the blob.
    pub(super) csv: Option<Value>,
}

impl Bundle {
    pub(super) fn name(&self) -> &str {
        self.blob["name"].as_str().unwrap_or_default()
    }

    pub(super) fn origin(&self) -> (String, String) {
        (self.name().to_owned(), self.reference.clone())
    }
}

/// Rules applied while decoding a list, before any schema is considered.
const RULES_OF_EVERY_SCHEMA: [&str; 3] = [
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
        let fields = match parse(&json).map_err(unmarshalling_error)? {
            Value::Object(fields) => fields.into_iter().collect(),
            other => {
                let actual = go_kind(&other);
                return Err(unmarshalling_error(format!(
                    "json: cannot unmarshal {actual} into Go value of type {go}"
                )));
            }
        };
        Ok(Self {
            fields,
            go,
            refused: None,
        })
    }

    /// Returns the values of a field, in Go's order of assignment.
    pub(super) fn values(&self, field: &str) -> Vec<Value> {
        let matching = self
            .fields
            .iter()
            .filter(|(key, _)| names_field(key, field));
        matching.map(|(_, value)| value.clone()).collect()
    }

    /// Returns the text of a field. Other types are refused after everything is read.
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

    /// Returns the items of a list. Other types are refused after everything is read.
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

    pub(super) fn mismatch(&mut self, actual: &Value, field: &str, go: &str) {
        let name = self.go.rsplit('.').next().unwrap_or_default();
        let message = format!(
            "json: cannot unmarshal {} into Go struct field {name}.{field} of type {go}",
            go_kind(actual)
        );
        self.refused.get_or_insert(message);
    }

    /// Returns the first refusal of the fields that were read; Go reports no others.
    pub(super) fn finish(self) -> Result<(), String> {
        self.refused
            .map_or(Ok(()), |reason| Err(unmarshalling_error(reason)))
    }
}

fn unmarshalling_error(reason: String) -> String {
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
            .find(|fault| RULES_OF_EVERY_SCHEMA.contains(&&*fault.rule))
        {
            let message = fault
                .opm
                .strip_prefix("error unmarshaling JSON: while decoding JSON: ")
                .unwrap_or(&fault.opm);
            return Err(unmarshalling_error(message.to_owned()));
        }
    }
    Ok(())
}

/// Returns the blobs by schema, as in a catalog. The error is `opm`'s.
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

pub(super) fn render(text: &[u8], source: &mut Source<'_>) -> Result<Rendered, String> {
    let mut document = Document::read(text, "basic.BasicTemplateData")?;
    let items = document.list("entries", "[]*declcfg.Meta");
    check_decoding(&items)?;
    let schema = document.text("schema");
    document.finish()?;
    if schema != TemplateType::Basic.schema() {
        let (actual, wanted) = (quote(&schema), quote(TemplateType::Basic.schema()));
        return Err(format!(
            "template has unknown schema ({actual}), should be {wanted}"
        ));
    }
    let (bundles, blobs): (Vec<Value>, Vec<Value>) = blobs(&items)?
        .into_iter()
        .partition(|blob| blob["schema"] == "olm.bundle");
    let mut rendered = Vec::new();
    for bundle in &bundles {
        let image = bundle["image"].as_str().unwrap_or_default();
        if image.is_empty() || !is_only_an_image(bundle) {
            return Err("unexpected fields present in basic template bundle".to_owned());
        }
        rendered.extend(source.bundle(image)?);
    }
    Ok(Rendered::new(blobs, rendered))
}

/// Whether a bundle only has an image and perhaps a name, which is ignored.
fn is_only_an_image(bundle: &Value) -> bool {
    ["package", "properties", "relatedImages"]
        .into_iter()
        .all(|field| match &bundle[field] {
            Value::String(text) => text.is_empty(),
            Value::Array(items) => items.is_empty(),
            other => other.is_null(),
        })
}

pub trait Bundles {
    /// Returns the rendered `olm.bundle` blob for an image or bundle name; `None` if it is unknown.
    /// The error explains why a known bundle is unavailable.
    fn bundle(&self, reference: &str) -> Result<Option<Value>, String>;
}

/// How to treat unknown bundles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// Fail, like `opm`.
    #[default]
    Refused,
    /// Render the rest and list the unknown ones.
    LeftOut,
}

/// A bundle source with the settings of one rendering.
pub(super) struct Source<'a> {
    bundles: &'a dyn Bundles,
    migration: Migration,
    missing: Missing,
    /// Distinct unknown references.
    pub(super) left_out: Vec<String>,
}

impl<'a> Source<'a> {
    pub(super) fn new(bundles: &'a dyn Bundles, migration: Migration, missing: Missing) -> Self {
        Self {
            bundles,
            migration,
            missing,
            left_out: Vec::new(),
        }
    }

    /// Returns the bundle of a reference, migrated; `None` if it is left out.
    pub(super) fn bundle(&mut self, reference: &str) -> Result<Option<Bundle>, String> {
        let Some(blob) = self.bundles.bundle(reference)? else {
            if !self.left_out.iter().any(|listed| listed == reference) {
                self.left_out.push(reference.to_owned());
            }
            return match self.missing {
                Missing::Refused => Err(format!("bundle image {} is not known", quote(reference))),
                Missing::LeftOut => Ok(None),
            };
        };
        let csv = bundle::cluster_service_version(&blob);
        let mut blobs = [blob];
        bundle::migrate(&mut blobs, self.migration).map_err(|refusal| refusal.message)?;
        let [blob] = blobs;
        Ok(Some(Bundle {
            reference: reference.to_owned(),
            blob,
            csv,
        }))
    }
}
