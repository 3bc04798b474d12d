//! Works on whole blobs: creates a package like `opm init`, sorts blobs like `opm`, and migrates
//! embedded objects to `olm.csv.metadata`.

use super::media_type::{Media, detect_image};
use super::value::{Numbers, parse_json, read};
use super::{Refusal, typed, types};
use ::base64::Engine;
use ::base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use syntax::document::begins_json;
use syntax::go_text::quote;
use syntax::{base64, value, yaml};

/// Types of properties.
const OBJECT: &str = "olm.bundle.object";
const METADATA: &str = "olm.csv.metadata";
/// The rank of blobs whose schema `opm` does not know.
const OTHER_SCHEMA: u8 = 3;

/// The input of `opm init`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NewPackage<'a> {
    pub name: &'a str,
    /// "" if absent.
    pub default_channel: &'a str,
    /// The text of a README.
    pub description: Option<&'a str>,
    /// The bytes of an image.
    pub icon: Option<&'a [u8]>,
}

/// Creates the `olm.package` blob.
///
/// # Errors
///
/// If the icon is empty or not an image.
pub fn package(new: &NewPackage<'_>) -> Result<Value, Refusal> {
    let mut blob = json!({
        "schema": "olm.package",
        "name": new.name,
        "defaultChannel": new.default_channel,
    });
    if let Some(description) = new.description {
        blob["description"] = description.into();
    }
    if let Some(bytes) = new.icon {
        blob["icon"] = json!({
            "base64data": STANDARD.encode(bytes),
            "mediatype": media_type(bytes)?,
        });
    }
    typed::decode(&blob, &types::PACKAGE).map_err(|error| refusal(error.message))
}

fn media_type(bytes: &[u8]) -> Result<&'static str, Refusal> {
    if bytes.is_empty() {
        return Err(refusal("detect icon mediatype: Empty buffer".to_owned()));
    }
    match detect_image(bytes) {
        Media::Image(media_type) => Ok(media_type),
        Media::Other(media_type) => Err(refusal(format!(
            "detected invalid type {}: not an image",
            quote(media_type)
        ))),
    }
}

fn refusal(message: String) -> Refusal {
    Refusal::new(message, "give an SVG, PNG, JPEG or GIF image")
}

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

/// Derived comparison requires this order of the fields.
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
    /// Returns the key; `None` for a blob of a known schema without a package.
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

/// Returns a text field; "" if absent.
pub(super) fn text_field<'v>(blob: &'v Value, key: &str) -> &'v str {
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
        properties
            .sort_by_key(|property| matches!(property["type"].as_str(), Some(OBJECT | METADATA)));
    }
}

/// Returns the bundle's ClusterServiceVersion from its `olm.bundle.object` properties;
/// `olm.csv.metadata` does not contain it.
pub fn cluster_service_version(bundle: &Value) -> Option<Value> {
    embedded_objects(bundle).find(|object| object["kind"] == "ClusterServiceVersion")
}

/// Returns the readable embedded objects, in order.
pub(super) fn embedded_objects(bundle: &Value) -> impl Iterator<Item = Value> {
    let mut data: Option<Vec<u8>> = None;
    properties(bundle)
        .filter(|property| property["type"] == OBJECT)
        .filter_map(move |property| {
            // A property without data keeps the data of the previous one.
            match property["value"].get("data") {
                Some(Value::String(text)) => data = base64::decode(text.as_bytes()),
                Some(_) => data = None,
                None => {}
            }
            data.as_deref().and_then(parse_object)
        })
}

/// Parses an embedded object: as JSON if it looks like JSON, otherwise as YAML.
fn parse_object(bytes: &[u8]) -> Option<Value> {
    if begins_json(bytes) {
        return parse_json(bytes, Numbers::Exact).ok();
    }
    let tree = yaml::parse_whole(bytes).ok()?;
    value::check(&tree, bytes).ok()?;
    read(&tree, bytes, tree.root()?, Numbers::Exact).ok()
}

fn properties(bundle: &Value) -> impl Iterator<Item = &Value> {
    bundle["properties"].as_array().into_iter().flatten()
}

/// Returns the value of the first property of this type.
pub(super) fn property_value<'v>(bundle: &'v Value, kind: &str) -> Option<&'v Value> {
    properties(bundle)
        .find(|property| property["type"] == kind)
        .map(|property| &property["value"])
}

/// Returns the `olm.csv.metadata` property that replaces a bundle's embedded objects; `None` if
/// migration does not affect the blob.
pub fn csv_metadata(bundle: &Value) -> Result<Option<Value>, Refusal> {
    if bundle["schema"] != "olm.bundle" || text_field(bundle, "image").is_empty() {
        return Ok(None);
    }
    let Some(csv) = cluster_service_version(bundle) else {
        return Ok(None);
    };
    let csv = typed::decode(&csv, &types::CSV).map_err(|error| {
        let help = format!(
            "correct `{}` in the ClusterServiceVersion that bundle {} embeds",
            error.path.join("."),
            quote(text_field(bundle, "name"))
        );
        Refusal::new(format!("migrate: {}", error.message), help)
    })?;
    if property_value(bundle, METADATA).is_some() {
        return Ok(None);
    }
    Ok(Some(json!({ "type": METADATA, "value": csv_fields(&csv) })))
}

/// Returns the fields of a ClusterServiceVersion that `olm.csv.metadata` contains.
fn csv_fields(csv: &Value) -> Value {
    let (metadata, spec) = (&csv["metadata"], &csv["spec"]);
    let always = [
        ("apiServiceDefinitions", &spec["apiservicedefinitions"]),
        ("crdDescriptions", &spec["customresourcedefinitions"]),
        ("provider", &spec["provider"]),
    ];
    // The decoder dropped empty values.
    let unless_empty = [
        ("annotations", &metadata["annotations"]),
        ("description", &spec["description"]),
        ("displayName", &spec["displayName"]),
        ("installModes", &spec["installModes"]),
        ("keywords", &spec["keywords"]),
        ("labels", &metadata["labels"]),
        ("links", &spec["links"]),
        ("maintainers", &spec["maintainers"]),
        ("maturity", &spec["maturity"]),
        ("minKubeVersion", &spec["minKubeVersion"]),
        ("nativeAPIs", &spec["nativeAPIs"]),
    ];
    let present = unless_empty
        .into_iter()
        .filter(|(_, value)| !value.is_null());
    let mut fields: Vec<(&str, &Value)> = always.into_iter().chain(present).collect();
    fields.sort_by_key(|(name, _)| *name);
    let fields = fields.into_iter();
    Value::Object(
        fields
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect(),
    )
}

/// Implements [`super::migrate`] to `olm.csv.metadata`.
pub(super) fn migrate(blobs: &mut [Value]) -> Result<(), Refusal> {
    for blob in blobs {
        let Some(metadata) = csv_metadata(blob)? else {
            continue;
        };
        if let Some(properties) = blob["properties"].as_array_mut() {
            properties.retain(|property| property["type"] != OBJECT);
            properties.push(metadata);
        }
    }
    Ok(())
}
