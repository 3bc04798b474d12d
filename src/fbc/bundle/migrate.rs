//! Migrates embedded objects to `olm.csv.metadata`.

use super::value::{Numbers, parse_json, read};
use super::{Refusal, typed, types};
use crate::go_text::quote;
use crate::syntax::document::begins_json;
use crate::syntax::{base64, value, yaml};
use serde_json::{Map, Value};

const OBJECT: &str = "olm.bundle.object";
const METADATA: &str = "olm.csv.metadata";

/// See [`super::cluster_service_version`].
pub(super) fn cluster_service_version(bundle: &Value) -> Option<Value> {
    embedded_objects(bundle).find(|object| object["kind"] == "ClusterServiceVersion")
}

/// The readable embedded objects, in order.
pub(super) fn embedded_objects(bundle: &Value) -> impl Iterator<Item = Value> {
    let mut data: Option<Vec<u8>> = None;
    properties(bundle)
        .filter(|property| kind(property) == OBJECT)
        .filter_map(move |property| {
            // A property without data keeps the data of the previous one.
            match property["value"].get("data") {
                Some(Value::String(text)) => data = base64::decode(text.as_bytes()),
                Some(_) => data = None,
                None => {}
            }
            data.as_deref().and_then(object)
        })
}

/// An embedded object: JSON, or YAML unless it looks like JSON.
fn object(bytes: &[u8]) -> Option<Value> {
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

fn kind(property: &Value) -> &str {
    property["type"].as_str().unwrap_or_default()
}

/// The replacement of a bundle's embedded objects; `None` for blobs that migration does not affect.
pub(super) fn metadata(bundle: &Value) -> Result<Option<Value>, Refusal> {
    if bundle["schema"] != "olm.bundle" || bundle["image"].as_str().unwrap_or_default().is_empty() {
        return Ok(None);
    }
    let Some(csv) = cluster_service_version(bundle) else {
        return Ok(None);
    };
    let csv = typed::decode(&csv, &types::CSV).map_err(|error| Refusal {
        message: format!("migrate: {}", error.message),
        file: None,
        line: None,
        help: format!(
            "correct `{}` in the ClusterServiceVersion that bundle {} embeds",
            error.path.join("."),
            quote(bundle["name"].as_str().unwrap_or_default())
        ),
    })?;
    if properties(bundle).any(|property| kind(property) == METADATA) {
        return Ok(None);
    }
    let (meta, spec) = (&csv["metadata"], &csv["spec"]);
    let mut metadata = Map::new();
    for (name, value, is_kept) in [
        ("annotations", &meta["annotations"], false),
        (
            "apiServiceDefinitions",
            &spec["apiservicedefinitions"],
            true,
        ),
        ("crdDescriptions", &spec["customresourcedefinitions"], true),
        ("description", &spec["description"], false),
        ("displayName", &spec["displayName"], false),
        ("installModes", &spec["installModes"], false),
        ("keywords", &spec["keywords"], false),
        ("labels", &meta["labels"], false),
        ("links", &spec["links"], false),
        ("maintainers", &spec["maintainers"], false),
        ("maturity", &spec["maturity"], false),
        ("minKubeVersion", &spec["minKubeVersion"], false),
        ("nativeAPIs", &spec["nativeAPIs"], false),
        ("provider", &spec["provider"], true),
    ] {
        // The decoder dropped empty values.
        if is_kept || !value.is_null() {
            metadata.insert(name.to_owned(), value.clone());
        }
    }
    let mut property = Map::new();
    property.insert("type".to_owned(), METADATA.into());
    property.insert("value".to_owned(), Value::Object(metadata));
    Ok(Some(Value::Object(property)))
}

/// See [`super::migrate`].
pub(super) fn migrate(blobs: &mut [Value]) -> Result<(), Refusal> {
    for blob in blobs {
        let Some(metadata) = metadata(blob)? else {
            continue;
        };
        if let Some(properties) = blob["properties"].as_array_mut() {
            properties.retain(|property| kind(property) != OBJECT);
            properties.push(metadata);
        }
    }
    Ok(())
}
