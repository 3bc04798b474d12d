//! Reads the `metadata` of a bundle directory: annotations, dependencies and properties, each from
//! the first file that has them.

use super::value::{FirstDocument, first_document};
use super::{File, Refusal, blobs};
use serde_json::Value;
use syntax::go_text::{self, names_field, string_or_empty};
use syntax::scalar::{self, Typed};
use syntax::tree::{Format, NodeId};
use syntax::value::{converted_json, mapping_entries};

pub(super) const PACKAGE: &str = "operators.operatorframework.io.bundle.package.v1";
const CHANNELS: &str = "operators.operatorframework.io.bundle.channels.v1";
const DEFAULT_CHANNEL: &str = "operators.operatorframework.io.bundle.channel.default.v1";

/// A property or dependency as written; two are equal if their types and texts are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct RawProperty {
    pub kind: String,
    /// The JSON text of the value; "" if absent.
    pub value: String,
}

/// The metadata of a bundle directory.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Metadata {
    pub package: String,
    /// Names separated by commas, as written.
    pub channels: String,
    pub default_channel: String,
    pub dependencies: Vec<RawProperty>,
    pub properties: Vec<RawProperty>,
}

pub(super) fn metadata(files: &[File]) -> Result<Metadata, Refusal> {
    let mut annotations = None;
    let mut dependencies = Vec::new();
    let mut properties = Vec::new();
    let mut first_name = None;
    for (_, file) in super::files_in(files, "metadata") {
        first_name.get_or_insert_with(|| file.path.clone());
        let Ok(document) = first_document(&file.bytes) else {
            continue;
        };
        annotations = annotations.or_else(|| parse_annotations(&document));
        if dependencies.is_empty() {
            dependencies = parse_list(&document, "dependencies").unwrap_or_default();
        }
        if properties.is_empty() {
            properties = parse_list(&document, "properties").unwrap_or_default();
        }
    }
    let Some(annotations) = annotations else {
        return Err(Refusal {
            message: "Could not find annotations file".to_owned(),
            file: first_name,
            line: None,
            help: format!("add `metadata/annotations.yaml` with `{PACKAGE}` under `annotations:`"),
        });
    };
    Ok(Metadata {
        dependencies,
        properties,
        ..annotations
    })
}

impl Metadata {
    /// Returns the field of an annotation that concerns the catalog.
    fn annotation_mut(&mut self, key: &str) -> Option<&mut String> {
        if names_field(key, PACKAGE) {
            Some(&mut self.package)
        } else if names_field(key, CHANNELS) {
            Some(&mut self.channels)
        } else if names_field(key, DEFAULT_CHANNEL) {
            Some(&mut self.default_channel)
        } else {
            None
        }
    }
}

/// Returns metadata with only the annotations, if at least one is set.
fn parse_annotations(document: &FirstDocument) -> Option<Metadata> {
    let (tree, text) = (&document.tree, &document.text);
    let mut annotations = Metadata::default();
    for section in values(document, tree.root()?, "annotations")? {
        let section = tree.resolve_alias(section);
        if is_null(document, section) {
            continue;
        }
        if !tree.kind(section).is_mapping() {
            return None;
        }
        for entry in mapping_entries(tree, text, section).ok()? {
            let Some(field) = annotations.annotation_mut(&entry.key) else {
                continue;
            };
            if let Some(text) = as_text(document, entry.value_node)? {
                *field = text;
            }
        }
    }
    (annotations != Metadata::default()).then_some(annotations)
}

/// Returns the value of `key` if it is not a readable list.
pub(super) fn unreadable_list(document: &FirstDocument, key: &str) -> Option<NodeId> {
    let value = values(document, document.tree.root()?, key)?
        .into_iter()
        .rfind(|list| !is_null(document, *list))?;
    parse_list(document, key).is_none().then_some(value)
}

/// Returns the items of a list of properties or dependencies; `None` if it is missing or has
/// another shape.
fn parse_list(document: &FirstDocument, key: &str) -> Option<Vec<RawProperty>> {
    let (tree, text) = (&document.tree, &document.text);
    let list = values(document, tree.root()?, key)?
        .into_iter()
        .rfind(|list| !is_null(document, *list))?;
    let list = tree.resolve_alias(list);
    if !tree.kind(list).is_sequence() {
        return None;
    }
    let mut items = Vec::new();
    // Reread JSON as YAML if a type is not text: YAML converts it to text.
    let mut is_json = document.format == Format::Json;
    for item in tree.children(list) {
        let mut kind = String::new();
        let mut value = None;
        let item = tree.resolve_alias(item);
        if !is_null(document, item) {
            if !tree.kind(item).is_mapping() {
                return None;
            }
            for entry in mapping_entries(tree, text, item).ok()? {
                if names_field(&entry.key, "type") {
                    is_json &= is_null(document, entry.value_node)
                        || scalar::text(tree, text, entry.value_node).is_some();
                    kind = as_text(document, entry.value_node)?.unwrap_or(kind);
                } else if names_field(&entry.key, "value") {
                    value = Some(entry.value_node);
                }
            }
        }
        items.push((kind, value));
    }
    items
        .into_iter()
        .map(|(kind, value)| {
            let value = match value {
                None => String::new(),
                Some(node) if is_json => {
                    String::from_utf8_lossy(text.get(tree.range(node))?).into_owned()
                }
                Some(node) => converted_json(tree, text, node).ok()?,
            };
            Some(RawProperty { kind, value })
        })
        .collect()
}

/// Returns the readable properties of a JSON annotation.
pub(super) fn parse_properties_annotation(text: &str) -> Vec<RawProperty> {
    let Ok(tree) = syntax::json::parse(text.as_bytes()) else {
        return Vec::new();
    };
    let Some(root) = tree.root().filter(|root| tree.kind(*root).is_sequence()) else {
        return Vec::new();
    };
    let parse_property = |item: NodeId| {
        let mut property = RawProperty::default();
        for entry in mapping_entries(&tree, text.as_bytes(), item).unwrap_or_default() {
            if names_field(&entry.key, "type") {
                let kind = scalar::text(&tree, text.as_bytes(), entry.value_node);
                property.kind = kind.map_or(property.kind, |kind| kind.into_owned());
            } else if names_field(&entry.key, "value") {
                property.value = text
                    .get(tree.range(entry.value_node))
                    .unwrap_or_default()
                    .to_owned();
            }
        }
        property
    };
    tree.children(root).map(parse_property).collect()
}

/// Returns the values of a mapping's key, case-insensitively; `None` if it is not a mapping.
fn values(document: &FirstDocument, node: NodeId, key: &str) -> Option<Vec<NodeId>> {
    let node = document.tree.resolve_alias(node);
    if !document.tree.kind(node).is_mapping() {
        return None;
    }
    let entries = mapping_entries(&document.tree, &document.text, node).ok()?;
    Some(
        entries
            .into_iter()
            .filter(|entry| names_field(&entry.key, key))
            .map(|entry| entry.value_node)
            .collect(),
    )
}

fn is_null(document: &FirstDocument, node: NodeId) -> bool {
    matches!(
        scalar::resolve(&document.tree, &document.text, node),
        Ok(Some(Typed::Null))
    )
}

/// Converts numbers and booleans to text where text is required. Returns `Some(None)` for null and
/// `None` for other types.
fn as_text(document: &FirstDocument, node: NodeId) -> Option<Option<String>> {
    Some(
        match scalar::resolve(&document.tree, &document.text, node).ok()?? {
            Typed::Null => None,
            Typed::Bool(value) => Some(value.to_string()),
            Typed::Int(value) => Some(value.to_string()),
            Typed::Uint(value) => Some(value.to_string()),
            Typed::Float(value) => Some(go_text::format_float(value)),
            Typed::Text(text) => Some(text.into_owned()),
        },
    )
}

/// Texts of a bundle; empty if absent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BundleSummary {
    /// Channels in its annotations.
    pub channels: Vec<String>,
    /// The default channel in its annotations.
    pub default_channel: String,
    pub display_name: String,
    pub description: String,
    /// The first icon, in base64 as written.
    pub icon: String,
    /// `spec.replaces` of its ClusterServiceVersion.
    pub replaces: String,
    /// Its annotation `olm.skipRange`.
    pub skip_range: String,
}

/// Summarizes a rendered bundle. `files` are those of its directory; empty if it has none.
pub fn summary(blob: &Value, files: &[File]) -> BundleSummary {
    let mut summary = BundleSummary::default();
    if let Ok(metadata) = metadata(files) {
        let names = metadata
            .channels
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty());
        summary.channels = names.map(str::to_owned).collect();
        summary.default_channel = metadata.default_channel.trim().to_owned();
    }
    if let Some(csv) = blobs::cluster_service_version(blob) {
        let spec = &csv["spec"];
        summary.display_name = string_or_empty(&spec["displayName"]);
        summary.description = string_or_empty(&spec["description"]);
        summary.icon = string_or_empty(&spec["icon"][0]["base64data"]);
        summary.replaces = string_or_empty(&spec["replaces"]);
        summary.skip_range = string_or_empty(&csv["metadata"]["annotations"]["olm.skipRange"]);
        return summary;
    }
    if let Some(metadata) = blobs::property_value(blob, "olm.csv.metadata") {
        summary.display_name = string_or_empty(&metadata["displayName"]);
        summary.description = string_or_empty(&metadata["description"]);
        summary.skip_range = string_or_empty(&metadata["annotations"]["olm.skipRange"]);
    }
    summary
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Image, Migration, migrate, render};

    fn bundle() -> Vec<File> {
        let file = |path: &str, text: &str| File {
            path: path.to_owned(),
            bytes: text.as_bytes().to_vec(),
        };
        vec![
            file(
                "manifests/csv.yaml",
                "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: p.v1.1.0\n  \
                 annotations: {olm.skipRange: '>=1.0.0 <1.1.0'}\nspec:\n  version: 1.1.0\n  displayName: P\n  description: \
                 Does it\n  replaces: p.v1.0.0\n  icon: [{base64data: aWNvbg==, mediatype: image/png}]\n",
            ),
            file(
                "metadata/annotations.yaml",
                "annotations:\n  operators.operatorframework.io.bundle.package.v1: p\n  \
                 operators.operatorframework.io.bundle.channels.v1: stable, fast\n  \
                 operators.operatorframework.io.bundle.channel.default.v1: stable\n",
            ),
        ]
    }

    #[test]
    fn a_summary_of_a_bundle_directory() {
        let files = bundle();
        let blob = render(&files, Image::Reference("a/b:c")).unwrap();
        let found = summary(&blob, &files);
        assert_eq!(found.channels, ["stable", "fast"]);
        assert_eq!(
            (found.default_channel.as_str(), found.replaces.as_str()),
            ("stable", "p.v1.0.0")
        );
        assert_eq!(
            (found.display_name.as_str(), found.description.as_str()),
            ("P", "Does it")
        );
        assert_eq!(
            (found.icon.as_str(), found.skip_range.as_str()),
            ("aWNvbg==", ">=1.0.0 <1.1.0")
        );
    }

    #[test]
    fn a_summary_of_a_blob() {
        let mut blobs = [render(&bundle(), Image::Reference("a/b:c")).unwrap()];
        migrate(&mut blobs, Migration::BundleObjectToCsvMetadata).unwrap();
        let found = summary(&blobs[0], &[]);
        assert_eq!(
            (found.display_name.as_str(), found.skip_range.as_str()),
            ("P", ">=1.0.0 <1.1.0")
        );
        assert!(found.channels.is_empty() && found.icon.is_empty());
        assert_eq!(summary(&Value::Null, &[]), BundleSummary::default());
    }
}
