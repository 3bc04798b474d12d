//! Finds bundle directories, and converts each to its blob: properties derived from its files, and
//! its images.

use super::blobs::text_field;
use super::metadata::{Metadata, RawProperty, metadata, parse_properties_annotation};
use super::objects::{Manifests, Unreadable, manifests};
use super::typed::{self, Type};
use super::value::{Numbers, compact, number_text, parse_json};
use super::{File, Image, Refusal, image_template, types};
use ::base64::Engine;
use ::base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use syntax::go_text::{quote, string_or_empty};

/// Returns the sorted folders that have files directly in both `manifests` and `metadata`. A folder
/// is "" or ends with `/`.
pub fn bundle_directories<'p>(paths: impl IntoIterator<Item = &'p str>) -> Vec<&'p str> {
    let (mut manifests, mut metadata) = (BTreeSet::new(), BTreeSet::new());
    for path in paths {
        let Some((folder, name)) = path.rsplit_once('/') else {
            continue;
        };
        if name.is_empty() {
            continue;
        }
        let (parent, last) = folder.split_at(folder.rfind('/').map_or(0, |slash| slash + 1));
        match last {
            "manifests" => drop(manifests.insert(parent)),
            "metadata" => drop(metadata.insert(parent)),
            _ => {}
        }
    }
    manifests.intersection(&metadata).copied().collect()
}

/// Returns the files of a directory found by [`bundle_directories`], with relative paths.
pub fn files_of(files: &[File], folder: &str) -> Vec<File> {
    files
        .iter()
        .filter_map(|file| {
            let path = file.path.strip_prefix(folder)?;
            let is_of_bundle = path.starts_with("manifests/") || path.starts_with("metadata/");
            is_of_bundle.then(|| File {
                path: path.to_owned(),
                bytes: file.bytes.clone(),
            })
        })
        .collect()
}

const PACKAGE: &str = "olm.package";
const GVK: &str = "olm.gvk";
/// The step that fails, as `opm` names it.
const GET_PROPERTIES: &str = "get properties";
const PROPERTY_HELP: &str = "correct the property in `metadata` or in the annotation that has it";

/// Creates the `olm.bundle` blob of a bundle directory (files of `manifests` and `metadata`), with
/// sorted related images and embedded objects last. If the annotations name no package, the blob
/// has no `package`, and [`super::arrange`] drops it like `opm`.
pub fn render(files: &[File], image: Image<'_>) -> Result<Value, Refusal> {
    let manifests = manifests(files)?;
    let metadata = metadata(files)?;
    let bundle = Bundle {
        properties: all_properties(&manifests, &metadata)?,
        manifests,
        metadata,
    };
    let image = bundle.image(image)?;
    let properties = bundle.properties()?;
    let related = bundle.related_images(&image)?;
    let mut blob = json!({ "schema": "olm.bundle" });
    if !bundle.manifests.name().is_empty() {
        blob["name"] = bundle.manifests.name().into();
    }
    if !bundle.metadata.package.is_empty() {
        blob["package"] = bundle.metadata.package.as_str().into();
    }
    blob["image"] = image.into();
    blob["properties"] = properties.into();
    if !related.is_empty() {
        blob["relatedImages"] = related.into();
    }
    super::blobs::sort_images_and_properties(&mut blob);
    Ok(blob)
}

struct Bundle {
    manifests: Manifests,
    metadata: Metadata,
    /// Distinct properties, both from the properties file and derived from other files.
    properties: Vec<RawProperty>,
}

/// Collects the properties in `opm`'s order of sources: the properties file, the package, the
/// annotation of the ClusterServiceVersion, the APIs.
fn all_properties(manifests: &Manifests, metadata: &Metadata) -> Result<Vec<RawProperty>, Refusal> {
    let mut all = metadata.properties.clone();
    if !metadata.package.is_empty() {
        let refused = |error: Unreadable| {
            let message = format!("failed to derive properties: {}", error.message);
            manifests.csv().refusal(
                &error.path,
                message,
                "write the version in quotes, as MAJOR.MINOR.PATCH",
            )
        };
        let version = version(manifests).map_err(refused)?;
        let release = release(manifests).map_err(refused)?;
        all.push(encode_property(
            PACKAGE,
            &package_value(&metadata.package, &version, &release),
        ));
    }
    let annotations = &manifests.csv().value["metadata"]["annotations"];
    if let Some(properties) = annotations["olm.properties"].as_str() {
        all.extend(parse_properties_annotation(properties));
    }
    all.extend(
        manifests
            .provided
            .iter()
            .map(|api| encode_property(GVK, &gvk_value(&api.group, &api.kind, &api.version))),
    );
    let mut seen = BTreeSet::new();
    all.retain(|property| seen.insert(property.clone()));
    Ok(all)
}

/// Returns `spec.version`; "" if absent.
fn version(manifests: &Manifests) -> Result<String, Unreadable> {
    let version = manifests.section("version", &types::A_TEXT)?;
    Ok(string_or_empty(&version.unwrap_or_default()))
}

/// Returns `spec.release`, with a number as text; "" if absent.
fn release(manifests: &Manifests) -> Result<String, Unreadable> {
    match manifests.section("release", &types::ANYTHING)? {
        None => Ok(String::new()),
        Some(Value::String(text)) => Ok(text),
        Some(Value::Number(number)) => Ok(number_text(&number)),
        Some(_) => {
            let message = "release field must be a string or number".to_owned();
            Err(Unreadable::new(&["spec", "release"], message, Vec::new()))
        }
    }
}

fn encode_property(kind: &str, value: &Value) -> RawProperty {
    property(kind, compact(value, true))
}

fn package_value(package: &str, version: &str, release: &str) -> Value {
    let mut value = json!({ "packageName": package, "version": version });
    if !release.is_empty() {
        value["release"] = release.into();
    }
    value
}

fn gvk_value(group: &str, kind: &str, version: &str) -> Value {
    json!({ "group": group, "kind": kind, "version": version })
}

impl Bundle {
    fn refusal(&self, what: &str, reason: &str) -> Refusal {
        let bundle = quote(self.manifests.name());
        Refusal::new(
            format!("{what} for bundle {bundle}: {reason}"),
            PROPERTY_HELP,
        )
    }

    fn unreadable(&self, what: &str, error: &Unreadable) -> Refusal {
        let message = self.refusal(what, &error.message).message;
        self.manifests
            .csv()
            .refusal(&error.path, message, "correct the ClusterServiceVersion")
    }

    /// Determines the image, from a template if there is one.
    fn image(&self, image: Image<'_>) -> Result<String, Refusal> {
        let (template, item) = match image {
            Image::Unknown => return Ok(String::new()),
            Image::Reference(image) => return Ok(image.to_owned()),
            Image::Template { template, item } => (template, item),
        };
        let refused = |reason: String, help: &str| {
            let item = quote(item);
            Refusal::new(
                format!("failed templating image reference from bundle for {item}: {reason}"),
                help,
            )
        };
        let version = match self
            .properties
            .iter()
            .find(|property| property.kind == PACKAGE)
        {
            Some(property) => {
                let value = decode_property(&property.value, &types::PROPERTY_PACKAGE)
                    .map_err(|reason| refused(reason, PROPERTY_HELP))?;
                string_or_empty(&value["version"])
            }
            None => String::new(),
        };
        image_template::fill(
            template,
            &self.metadata.package,
            self.manifests.name(),
            &version,
        )
        .map_err(|reason| refused(reason, image_template::HELP))
    }

    /// Parses the value of the property with this index.
    fn parse(
        &self,
        nth: usize,
        property: &RawProperty,
        go_type: &'static Type,
    ) -> Result<Value, Refusal> {
        decode_property(&property.value, go_type).map_err(|error| {
            let message = format!(
                "parse property[{nth}] of type {}: {error}",
                quote(&property.kind)
            );
            self.refusal(GET_PROPERTIES, &message)
        })
    }

    fn unreadable_part(&self, part: &str, error: Unreadable) -> Refusal {
        let message = format!("get {part}: {}", error.message);
        self.unreadable(GET_PROPERTIES, &Unreadable { message, ..error })
    }

    /// Adds the dependencies on packages, and those of other types, to `all`. Returns those on
    /// APIs.
    fn add_dependencies(&self, all: &mut Vec<RawProperty>) -> Result<BTreeSet<String>, Refusal> {
        let mut required = BTreeSet::new();
        for (nth, dependency) in self.metadata.dependencies.iter().enumerate() {
            match &*dependency.kind {
                GVK => {
                    let value = self.parse(nth, dependency, &types::PROPERTY_GVK)?;
                    required.insert(gvk(&value));
                }
                PACKAGE => {
                    let value = self.parse(nth, dependency, &types::PROPERTY_PACKAGE)?;
                    let fields = json!({
                        "packageName": text_field(&value, "packageName"),
                        "versionRange": text_field(&value, "version"),
                    });
                    all.push(property("olm.package.required", compact(&fields, false)));
                }
                _ => all.push(dependency.clone()),
            }
        }
        Ok(required)
    }

    /// Returns all properties of the blob, sorted.
    fn properties(&self) -> Result<Vec<Value>, Refusal> {
        let mut provided = BTreeSet::new();
        let mut package = None;
        let mut all: Vec<RawProperty> = Vec::new();
        for (nth, property) in self.properties.iter().enumerate() {
            match &*property.kind {
                GVK => {
                    let value = self.parse(nth, property, &types::PROPERTY_GVK)?;
                    provided.insert(gvk(&value));
                }
                PACKAGE => package = Some(self.parse(nth, property, &types::PROPERTY_PACKAGE)?),
                _ => all.push(property.clone()),
            }
        }
        let mut required = self.add_dependencies(&mut all)?;
        // Read both even if another source names the package: they must be valid.
        let version =
            version(&self.manifests).map_err(|error| self.unreadable_part("version", error))?;
        let release =
            release(&self.manifests).map_err(|error| self.unreadable_part("release", error))?;
        let apis = self
            .manifests
            .required_apis()
            .map_err(|error| self.unreadable_part("required apis", error))?;
        required.extend(
            apis.iter()
                .map(|api| compact(&gvk_value(&api.group, &api.kind, &api.version), false)),
        );
        let package = match &package {
            Some(value) => package_value(
                text_field(value, "packageName"),
                text_field(value, "version"),
                text_field(value, "release"),
            ),
            None => package_value(&self.metadata.package, &version, &release),
        };
        all.push(property(PACKAGE, compact(&package, false)));
        all.extend(provided.into_iter().map(|value| property(GVK, value)));
        all.extend(
            required
                .into_iter()
                .map(|value| property("olm.gvk.required", value)),
        );
        all.extend(self.manifests.objects.iter().map(|embedded| {
            let data = json!({ "data": STANDARD.encode(embedded.text()) });
            property("olm.bundle.object", compact(&data, false))
        }));
        all.sort();
        Ok(all.into_iter().map(property_value).collect())
    }

    /// Returns the related images: those listed, the bundle's own, and those of its containers.
    fn related_images(&self, image: &str) -> Result<Vec<Value>, Refusal> {
        let what = "get related images";
        let listed = self
            .manifests
            .section("relatedImages", &types::RELATED_IMAGES);
        let listed = listed.map_err(|error| self.unreadable(what, &error))?;
        let mut related: Vec<Value> = listed
            .and_then(|list| list.as_array().cloned())
            .unwrap_or_default();
        let mut known: BTreeSet<String> = related
            .iter()
            .map(|image| string_or_empty(&image["image"]))
            .collect();
        let own = (!image.is_empty()).then(|| image.to_owned());
        for image in own.into_iter().chain(self.deployed_images()?) {
            if known.insert(image.clone()) {
                related.push(json!({ "name": "", "image": image }));
            }
        }
        Ok(related)
    }

    /// Returns the images of all installed containers, sorted.
    fn deployed_images(&self) -> Result<BTreeSet<String>, Refusal> {
        let spec = &self.manifests.csv().value["spec"];
        let spec = typed::decode(spec, &types::INSTALL).map_err(|error| {
            let error = Unreadable::new(&["spec"], error.message, error.path);
            self.unreadable("get related images", &error)
        })?;
        let install = &spec["Install"];
        let mut images = BTreeSet::new();
        if install["strategy"] != "deployment" {
            return Ok(images);
        }
        for deployment in install["spec"]["Deployments"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let pods = &deployment["Spec"]["template"]["spec"];
            for containers in ["containers", "initContainers"] {
                let containers = pods[containers].as_array().into_iter().flatten();
                images.extend(containers.map(|container| string_or_empty(&container["image"])));
            }
        }
        Ok(images)
    }
}

fn property(kind: &str, value: String) -> RawProperty {
    RawProperty {
        kind: kind.to_owned(),
        value,
    }
}

fn gvk(value: &Value) -> String {
    let value = gvk_value(
        text_field(value, "group"),
        text_field(value, "kind"),
        text_field(value, "version"),
    );
    compact(&value, false)
}

/// Decodes a property value as a type; the error is Go's.
fn decode_property(json: &str, go_type: &'static Type) -> Result<Value, String> {
    if json.is_empty() {
        return Err("unexpected end of JSON input".to_owned());
    }
    let value = parse_json(json.as_bytes(), Numbers::Exact).map_err(|error| error.opm)?;
    typed::decode(&value, go_type).map_err(|error| error.message)
}

fn property_value(property: RawProperty) -> Value {
    let value = parse_json(property.value.as_bytes(), Numbers::Exact).unwrap_or(Value::Null);
    json!({ "type": property.kind, "value": value })
}

#[cfg(test)]
mod tests {
    use super::bundle_directories;

    #[test]
    fn a_bundle_has_both_folders() {
        assert_eq!(
            bundle_directories(["manifests/a.yaml", "metadata/b.yaml"]),
            [""]
        );
        assert_eq!(
            bundle_directories([
                "y/1.0.0/manifests/a.yaml",
                "y/1.0.0/metadata/b.yaml",
                "y/1.1.0/manifests/a.yaml"
            ]),
            ["y/1.0.0/"]
        );
        let nested = [
            "b/manifests/a.yaml",
            "b/metadata/b.yaml",
            "a/manifests/x",
            "a/metadata/y",
        ];
        assert_eq!(bundle_directories(nested), ["a/", "b/"]);
        assert!(bundle_directories(["manifests/a.yaml", "metadata.yaml"]).is_empty());
        assert!(bundle_directories(["a/my-manifests/a.yaml", "a/my-metadata/a.yaml"]).is_empty());
        assert!(bundle_directories(["manifests/deep/a.yaml", "metadata/b.yaml"]).is_empty());
    }
}
