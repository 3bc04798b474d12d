//! Basic templates: blobs as written, and bundles by image (`opm-semantics` 4.1).

use super::bundles::Source;
use super::entries::{self, Document};
use super::kind::TemplateType;
use super::rendered::Rendered;
use crate::go_text::quote;
use serde_json::Value;

pub(super) fn render(text: &[u8], source: &mut Source<'_>) -> Result<Rendered, String> {
    let mut document = Document::read(text, "basic.BasicTemplateData")?;
    let items = document.list("entries", "[]*declcfg.Meta");
    entries::check_decoding(&items)?;
    let schema = document.text("schema");
    document.finish()?;
    if schema != TemplateType::Basic.schema() {
        let (found, wanted) = (quote(&schema), quote(TemplateType::Basic.schema()));
        return Err(format!(
            "template has unknown schema ({found}), should be {wanted}"
        ));
    }
    let (bundles, blobs): (Vec<Value>, Vec<Value>) = entries::blobs(&items)?
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

/// Whether it only has an image and perhaps a name, which is ignored.
fn is_only_an_image(bundle: &Value) -> bool {
    let is_empty = |field: &str| match &bundle[field] {
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        other => other.is_null(),
    };
    ["package", "properties", "relatedImages"]
        .into_iter()
        .all(is_empty)
}
