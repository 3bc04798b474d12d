//! The order of blobs in `opm`'s output, and of the lists in a bundle.

use serde_json::Value;

/// Sorts like `opm`'s writer: packages by name; in each its package blobs, channels by name,
/// bundles by name, others by schema, deprecations; then blobs without a package. Drops known
/// schemas without a package.
pub fn arrange(blobs: Vec<Value>) -> Vec<Value> {
    let mut ranked: Vec<(SortKey, Value)> = blobs
        .into_iter()
        .filter_map(|blob| Some((SortKey::for_blob(&blob)?, blob)))
        .collect();
    ranked.sort_by(|(a, _), (b, _)| a.cmp(b));
    ranked.into_iter().map(|(_, blob)| blob).collect()
}

/// The rank of blobs of schemas that `opm` does not know.
const OTHER_SCHEMA: u8 = 3;

/// The order of the fields is the order of comparison.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct SortKey {
    has_no_package: bool,
    package: String,
    /// Among the blobs of the package.
    rank: u8,
    /// The name or schema that sorts blobs of the same rank.
    name: String,
}

impl SortKey {
    /// `None` for a blob of a known schema without a package.
    fn for_blob(blob: &Value) -> Option<Self> {
        let schema = text_field(blob, "schema");
        let (package, rank, name) = match schema {
            "olm.package" => (text_field(blob, "name"), 0, ""),
            "olm.channel" => (text_field(blob, "package"), 1, text_field(blob, "name")),
            "olm.bundle" => (text_field(blob, "package"), 2, text_field(blob, "name")),
            "olm.deprecations" => (text_field(blob, "package"), 4, ""),
            // Blobs without a package keep their order.
            _ => match text_field(blob, "package") {
                "" => ("", OTHER_SCHEMA, ""),
                package => (package, OTHER_SCHEMA, schema),
            },
        };
        if package.is_empty() && rank != OTHER_SCHEMA {
            return None;
        }
        Some(Self {
            has_no_package: package.is_empty(),
            package: package.to_owned(),
            rank,
            name: name.to_owned(),
        })
    }
}

fn text_field<'v>(blob: &'v Value, key: &str) -> &'v str {
    blob[key].as_str().unwrap_or_default()
}

/// Sorts a bundle's related images by image, and moves its embedded objects and metadata after its
/// other properties.
pub(super) fn sort_images_and_properties(bundle: &mut Value) {
    if let Some(images) = bundle
        .get_mut("relatedImages")
        .and_then(Value::as_array_mut)
    {
        images.sort_by(|a, b| a["image"].as_str().cmp(&b["image"].as_str()));
    }
    if bundle["schema"] == "olm.bundle"
        && let Some(properties) = bundle.get_mut("properties").and_then(Value::as_array_mut)
    {
        properties.sort_by_key(|property| {
            matches!(
                property["type"].as_str(),
                Some("olm.bundle.object" | "olm.csv.metadata")
            )
        });
    }
}
