//! The templates in a community operator's `ci.yaml`: which one is rendered into which catalogs.
//!
//! `fbc.catalog_mapping` lists `template_name` (a file in `catalog-templates`), `catalog_names` and
//! `type`. Unreadable parts are ignored.

use super::render::TemplateType;
use serde_json::Value;
use syntax::tree::Format;
use syntax::{self, value};

/// The file's name in the operator's folder.
pub const FILE_NAME: &str = "ci.yaml";

/// The folder of templates, beside the `ci.yaml`.
pub const FOLDER: &str = "catalog-templates";

/// Maximum size of the file in bytes; larger ones are ignored.
pub const MAX_BYTES: u64 = 256 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// File name in [`FOLDER`].
    pub template: String,
    /// Such as `v4.18`.
    pub catalogs: Vec<String>,
    /// The value of `type`; `None` if it is absent or unknown.
    pub kind: Option<TemplateType>,
}

/// Returns the mapping of a `ci.yaml`, in order.
pub fn read(text: &[u8]) -> Vec<Mapping> {
    read_all(text)
        .into_iter()
        .map(|(_, mapping)| mapping)
        .collect()
}

/// Like [`read`], each with its index in the list.
pub fn read_all(text: &[u8]) -> Vec<(usize, Mapping)> {
    let document = syntax::parse(text, Format::Yaml)
        .ok()
        .and_then(|tree| value::document_json(&tree, text).ok());
    let document: Option<Value> = document.and_then(|json| serde_json::from_str(&json).ok());
    let items = document
        .as_ref()
        .and_then(|value| value.get("fbc")?.get("catalog_mapping")?.as_array())
        .map_or(&[][..], Vec::as_slice);
    items
        .iter()
        .enumerate()
        .filter_map(|(index, value)| Some((index, parse_mapping(value)?)))
        .collect()
}

fn parse_mapping(value: &Value) -> Option<Mapping> {
    let catalogs = value.get("catalog_names")?.as_array()?;
    let kind = value.get("type").and_then(Value::as_str);
    Some(Mapping {
        kind: TemplateType::ALL
            .into_iter()
            .find(|candidate| kind == Some(candidate.schema())),
        template: value.get("template_name")?.as_str()?.to_owned(),
        catalogs: catalogs
            .iter()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mapping_is_read_and_invalid_parts_are_ignored() {
        let text = "---\n# who\nreviewers: [a]\nfbc:\n  enabled: true\n  catalog_mapping:\n    - template_name: basic.yaml\n      \
            catalog_names: [\"v4.18\", v4.19]\n      type: olm.template.basic\n    - template_name: semver.yaml\n    - 1\n";
        let catalogs = vec!["v4.18".to_owned(), "v4.19".to_owned()];
        assert_eq!(
            read_all(text.as_bytes()),
            [(
                0,
                Mapping {
                    template: "basic.yaml".to_owned(),
                    catalogs,
                    kind: Some(TemplateType::Basic)
                }
            )]
        );
        for text in ["", "[", "fbc: {catalog_mapping: 1}\n", "a: &x [*x]\n"] {
            assert_eq!(read_all(text.as_bytes()), [], "{text}");
        }
    }
}
