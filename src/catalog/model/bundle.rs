//! Reads the facts of an `olm.bundle` blob: typed properties, embedded objects, related images.
//!
//! Bundles are almost all of a catalog's bytes, and `olm.csv.metadata` is almost all of a bundle:
//! it is checked on the span tree and never converted to values.

use super::blob::{
    BundleBlob, Fault, Mistakes, ObjectMistake, ObjectProblem, PackageProperty, Property,
    PropertyFact, RelatedImageMistake, RelatedImageProblem, UnsupportedByV1,
};
use super::created::{CREATED_AT, text_at, unescaped_text_at, value_at};
use super::decode::{self, DecodeError, Shape};
use super::lowering::{Lowering, add_missing_quotes, form_of_value, in_words};
use super::pull_spec::check_pull_spec;
use super::view::{JsonKind, View};
use super::{known_mistakes, load_rule};
use std::borrow::Cow;
use syntax::document::begins_json;
use syntax::go_text::{names_field, quote};
use syntax::place::{Place, Spanned, Text};
use syntax::tree::{Format, NodeId};
use syntax::value::{self, MapEntry};
use syntax::{self, base64, scalar};

/// Maximum canonical JSON size in bytes stored of a property that is not a requirement.
const KEPT_VALUE: usize = 1024;
/// Longer written values are never stored: removing indentation does not shrink them enough.
const MOST_WRITTEN: usize = 16 * KEPT_VALUE;

const SUBSTITUTES_FOR: &str = "olm.substitutesFor";
const SKIP_RANGE: &str = "olm.skipRange";
/// Keys that authors write instead of `image`; the first is used by environment variables in a CSV.
const IMAGE_MISNAMED: [&str; 4] = ["value", "relatedImage", "images", "img"];

/// A property as written.
struct Written {
    node: NodeId,
    kind: Text,
    value: Option<NodeId>,
}

pub fn lower(lowering: &mut Lowering<'_, '_>, faults: &mut Vec<Fault>) -> BundleBlob {
    let decoded = lowering.decode(&decode::BUNDLE, "bundle", faults);
    let mut bundle = BundleBlob {
        package: lowering.field("package"),
        name: lowering.field("name"),
        image: lowering.field("image"),
        place: lowering.place,
        display_name: lowering.pool.text(""),
        min_kube_version: lowering.pool.text(""),
        created: lowering.pool.text(""),
        ..BundleBlob::default()
    };
    let properties: Vec<Written> = lowering
        .list("properties")
        .into_iter()
        .map(|n| property(lowering, n))
        .collect();
    bundle.improper = improper(lowering, PropertyOwner::Bundle).map(Box::new);
    bundle.properties = properties.iter().map(|p| fact(lowering, p)).collect();
    let packages = properties
        .iter()
        .filter(|p| &*p.kind == "olm.package" && p.value.is_some())
        .count();
    bundle.package_properties.reserve_exact(packages);
    bundle.package_fault = package_fault(lowering, &properties);
    for property in &properties {
        let Some(value) = property.value else {
            continue;
        };
        match &*property.kind {
            "olm.package" => bundle
                .package_properties
                .push(package_property(lowering, value)),
            "olm.csv.metadata" => csv_metadata(lowering, value, &mut bundle),
            _ => {}
        }
    }
    bundle.has_objects = properties.iter().any(|p| &*p.kind == "olm.bundle.object");
    let mut objects = Objects::default();
    if decoded {
        if let Err(fault) = objects.read(lowering, &bundle, &properties) {
            faults.push(*fault);
        } else {
            bundle.properties_fault =
                properties_fault(lowering, &bundle, &properties).map(Box::new);
        }
    }
    if let Some(created) = objects
        .created
        .as_deref()
        .map(str::trim)
        .filter(|_| bundle.created.is_empty())
    {
        bundle.created = lowering.pool.text(created);
    }
    if let Some(minimum) = objects
        .min_kube
        .as_deref()
        .filter(|_| bundle.min_kube_version.is_empty())
    {
        bundle.min_kube_version = lowering.pool.text(minimum);
    }
    bundle.embeds_csv = objects.has_csv;
    bundle.unsupported_by_v1 = bundle.unsupported_by_v1.or(objects.unsupported_by_v1);
    if let Some(range) = objects
        .skip_range
        .as_deref()
        .map(str::trim)
        .filter(|range| !range.is_empty() && bundle.csv_skip_range.is_none())
    {
        bundle.csv_skip_range = Some(Box::new(lowering.pool.text(range)));
    }
    bundle.substitutes_for = objects.substitutes_for.unwrap_or(bundle.substitutes_for);
    let related_images = related_images(lowering, &mut bundle);
    let mistakes = Mistakes {
        known_mistakes: properties
            .iter()
            .enumerate()
            .filter_map(|(nth, p)| {
                known_mistakes::in_property(lowering, nth, (p.node, &p.kind, p.value))
            })
            .collect(),
        dependencies: known_mistakes::dependencies(lowering),
        objects: objects.mistakes,
        empty_metadata: empty_metadata(lowering, &properties),
        related_images,
    };
    bundle.mistakes = (mistakes != Mistakes::default()).then(|| Box::new(mistakes));
    bundle
}

/// The owner of properties: `opm` decodes the values of a bundle's properties, but not those of
/// other blobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PropertyOwner {
    Bundle,
    Others,
}

/// Returns the first improper property of the blob, with the reason: no type, no value, or a value
/// that its type does not allow.
pub fn improper(lowering: &Lowering<'_, '_>, owner: PropertyOwner) -> Option<Spanned<Text>> {
    let view = lowering.view;
    lowering.list("properties").into_iter().find_map(|node| {
        let entries = view.entries(node);
        let kind = view
            .value(&entries, "type")
            .and_then(|kind| view.string(kind))
            .unwrap_or_default();
        let value = view.value(&entries, "value");
        let is_null = value.is_none_or(|value| view.kind(value) == JsonKind::Null);
        let message = if kind.trim().is_empty() {
            "a property has no type".to_owned()
        } else if is_null && (owner == PropertyOwner::Others || value.is_some()) {
            format!("property `{kind}` has no value")
        } else if let (PropertyOwner::Others, Some(value)) = (owner, value) {
            let error = decode::check(view, value, &decode::property(&kind)).err()?;
            format!("property `{kind}`: {}", in_words(&error))
        } else {
            return None;
        };
        Some(Spanned::new(message.into(), view.place(node)))
    })
}

fn property(lowering: &mut Lowering<'_, '_>, node: NodeId) -> Written {
    let entries = lowering.view.entries(node);
    let kind = lowering.inner(&entries, "type", lowering.place).value;
    Written {
        node,
        kind,
        value: lowering.view.value(&entries, "value"),
    }
}

fn fact(lowering: &mut Lowering<'_, '_>, property: &Written) -> PropertyFact {
    let elsewhere = matches!(
        &*property.kind,
        "olm.csv.metadata" | "olm.bundle.object" | "olm.package"
    );
    // Store requirements completely: OLM refuses constraints above a size limit.
    let whole = matches!(
        &*property.kind,
        "olm.constraint"
            | "olm.package.required"
            | "olm.gvk"
            | "olm.gvk.required"
            | "olm.label"
            | "olm.label.required"
    );
    let view = &lowering.view;
    let value = property
        .value
        .filter(|&value| whole || !elsewhere && view.tree.range(value).len() <= MOST_WRITTEN)
        .map(|value| view.canonical(value))
        .filter(|json| whole || json.len() <= KEPT_VALUE)
        .map(|json| lowering.pool.text(&json));
    let start = lowering.view.tree.range(property.node).start;
    let shared = lowering.pool.property(Property {
        kind: property.kind.clone(),
        value,
    });
    PropertyFact {
        property: shared,
        start: start as u32,
        line: lowering.view.line(start),
    }
}

fn package_property(lowering: &mut Lowering<'_, '_>, value: NodeId) -> PackageProperty {
    let entries = lowering.view.entries(value);
    let place = lowering.view.place(value);
    PackageProperty {
        package_name: lowering.inner(&entries, "packageName", place),
        version: lowering.inner(&entries, "version", place),
        release: release(lowering, &entries),
    }
}

fn release<'a>(lowering: &mut Lowering<'a, '_>, entries: &[MapEntry<'a>]) -> Option<Spanned<Text>> {
    let text = lowering.inner(entries, "release", Place::default());
    let is_given = entries.iter().any(|entry| {
        names_field(&entry.key, "release") && lowering.view.string(entry.value_node).is_some()
    });
    is_given.then_some(text)
}

fn package_fault(lowering: &Lowering<'_, '_>, properties: &[Written]) -> Option<Box<Text>> {
    let first = properties.iter().find(|p| &*p.kind == "olm.package")?;
    let error = match first.value {
        None => absent_value(first.node),
        Some(value) => {
            decode::check(lowering.view, value, &decode::property("olm.package")).err()?
        }
    };
    Some(Box::new(error.message.into()))
}

fn csv_metadata(lowering: &mut Lowering<'_, '_>, value: NodeId, bundle: &mut BundleBlob) {
    let entries = lowering.view.entries(value);
    if bundle.display_name.is_empty() {
        bundle.display_name = lowering
            .inner(&entries, "displayName", lowering.place)
            .value;
    }
    if bundle.min_kube_version.is_empty() {
        bundle.min_kube_version = lowering
            .inner(&entries, "minKubeVersion", lowering.place)
            .value;
    }
    if bundle.unsupported_by_v1.is_none() {
        bundle.unsupported_by_v1 = unsupported_by_v1(lowering.view, &entries);
    }
    if let Some(annotations) = lowering.view.value(&entries, "annotations") {
        let annotations = lowering.view.entries(annotations);
        let created = annotations.iter().rfind(|e| e.key == CREATED_AT);
        let created = created
            .and_then(|e| lowering.view.string(e.value_node))
            .filter(|_| bundle.created.is_empty());
        if let Some(created) = created {
            bundle.created = lowering.pool.text(created.trim());
        }
        let range = annotations
            .iter()
            .rfind(|e| e.key == SKIP_RANGE)
            .and_then(|e| lowering.view.string(e.value_node))
            .filter(|range| !range.trim().is_empty() && bundle.csv_skip_range.is_none());
        if let Some(range) = range {
            bundle.csv_skip_range = Some(Box::new(lowering.pool.text(range.trim())));
        }
        bundle.substitutes_for |=
            annotations
                .iter()
                .filter(|e| e.key == SUBSTITUTES_FOR)
                .any(|e| {
                    lowering
                        .view
                        .string(e.value_node)
                        .is_some_and(|text| !text.is_empty())
                });
    }
}

fn unsupported_by_v1(view: &View<'_>, metadata: &[MapEntry<'_>]) -> Option<UnsupportedByV1> {
    let api_services = view
        .value(metadata, "apiServiceDefinitions")
        .map(|node| view.entries(node))
        .and_then(|entries| view.value(&entries, "owned"));
    if api_services.is_some_and(|owned| view.items(owned).next().is_some()) {
        return Some(UnsupportedByV1::OwnedApiServices);
    }
    let modes: Vec<NodeId> = view.items(view.value(metadata, "installModes")?).collect();
    (!modes.is_empty()
        && !modes.iter().any(|&mode| {
            let mode = view.entries(mode);
            let kind = view.value(&mode, "type").and_then(|kind| view.string(kind));
            let supported = view
                .value(&mode, "supported")
                .map(|node| view.canonical(node));
            kind.as_deref() == Some("AllNamespaces") && supported.as_deref() == Some("true")
        }))
    .then_some(UnsupportedByV1::NotAllNamespaces)
}

/// Returns why OLM v1 refuses a bundle with this ClusterServiceVersion, given as JSON.
fn unsupported_csv(csv: &[u8]) -> Option<UnsupportedByV1> {
    let has = |text: &[u8]| memchr::memmem::find(csv, text).is_some();
    let read = |key: &str| -> Option<serde_json::Value> {
        let value = csv.get(value_at(csv, &["spec", key])?..)?;
        serde_json::Deserializer::from_slice(value)
            .into_iter()
            .next()?
            .ok()
    };
    // Almost every value written by `opm` has exactly this text, so skip the check.
    if !has(br#""apiservicedefinitions":{}"#) {
        let owned = read("apiservicedefinitions").map(|services| services["owned"].clone());
        if owned.is_some_and(|owned| owned.as_array().is_some_and(|owned| !owned.is_empty())) {
            return Some(UnsupportedByV1::OwnedApiServices);
        }
    }
    if has(br#"{"supported":true,"type":"AllNamespaces"}"#) {
        return None;
    }
    let modes = read("installModes")?;
    let modes = modes.as_array().filter(|modes| !modes.is_empty())?;
    (!modes
        .iter()
        .any(|mode| mode["type"] == "AllNamespaces" && mode["supported"] == true))
    .then_some(UnsupportedByV1::NotAllNamespaces)
}

/// Returns the value of the first empty `olm.csv.metadata`.
fn empty_metadata(lowering: &Lowering<'_, '_>, properties: &[Written]) -> Option<Place> {
    let view = lowering.view;
    properties
        .iter()
        .filter(|property| &*property.kind == "olm.csv.metadata")
        .filter_map(|property| property.value)
        .find(|&value| match view.kind(value) {
            JsonKind::Null => true,
            JsonKind::Object => view.entries(value).is_empty(),
            _ => false,
        })
        .map(|value| view.place(value))
}

/// Returns the first property that does not decode.
fn properties_fault(
    lowering: &Lowering<'_, '_>,
    bundle: &BundleBlob,
    properties: &[Written],
) -> Option<Fault> {
    let view = &lowering.view;
    properties.iter().enumerate().find_map(|(i, property)| {
        let error = match property.value {
            None => absent_value(property.node),
            Some(value) => decode::check(view, value, &decode::property(&property.kind)).err()?,
        };
        let opm = format!(
            "parse properties for bundle {}: parse property[{i}] of type {}: {}",
            quote(&bundle.name.value),
            quote(&property.kind),
            error.message
        );
        let wrapped = if property.kind.is_empty() {
            known_mistakes::wrapped_property(view, property.node)
        } else {
            None
        };
        let message = match wrapped {
            Some(_) => "a property has neither type nor value, only `property`".to_owned(),
            None => format!("property `{}`: {}", property.kind, in_words(&error)),
        };
        let (help, correction) = wrapped.unwrap_or_else(|| {
            (
                form_of_value(view, &error),
                add_missing_quotes(view, &error),
            )
        });
        Some(Fault {
            rule: Cow::Borrowed(load_rule::BUNDLE_PROPERTIES_PARSE),
            opm,
            message,
            help,
            place: view.place(error.node),
            correction: correction.map(Box::new),
        })
    })
}

/// Returns `opm`'s error for a property of this type and value (JSON text).
pub fn refused_property(kind: &str, json: &str) -> Option<String> {
    let text = json.as_bytes();
    let tree = match syntax::parse(text, Format::Json) {
        Ok(tree) => tree,
        Err(error) => return Some(error.opm),
    };
    decode::check(
        &View::new(&tree, text),
        tree.root()?,
        &decode::property(kind),
    )
    .err()
    .map(|error| error.message)
}

fn absent_value(node: NodeId) -> DecodeError {
    DecodeError {
        message: "unexpected end of JSON input".to_owned(),
        node,
    }
}

/// Counts the related images and sets `related_image_fault`; returns all other mistakes.
fn related_images(
    lowering: &mut Lowering<'_, '_>,
    bundle: &mut BundleBlob,
) -> Vec<RelatedImageMistake> {
    let mut mistakes = Vec::new();
    for (i, item) in lowering.list("relatedImages").into_iter().enumerate() {
        bundle.related_images += 1;
        let view = lowering.view;
        let entries = view.entries(item);
        let mut is_invalid = false;
        for entry in entries.iter().filter(|e| names_field(&e.key, "image")) {
            let Some(image) = view.string(entry.value_node) else {
                continue;
            };
            let Err(error) = check_pull_spec(&image) else {
                continue;
            };
            is_invalid = true;
            let place = view.place(entry.value_node);
            let name = item_name(view, &entries);
            let label = related_image_label(&name, i as u32);
            if bundle.related_image_fault.is_some() {
                mistakes.push(RelatedImageMistake {
                    item: i as u32,
                    name,
                    image: Spanned::new(Text::from(&*image), place),
                    problem: RelatedImageProblem::Invalid(error.to_string()),
                });
                continue;
            }
            bundle.related_image_fault = Some(Box::new(Fault {
                rule: Cow::Borrowed(load_rule::RELATED_IMAGE_PULLSPEC),
                opm: format!(
                    "package {} bundle {} relatedImages[{i}].image: invalid image pull spec {}: {error}",
                    quote(&bundle.package.value),
                    quote(&bundle.name.value),
                    quote(&image)
                ),
                message: format!(
                    "{label} of bundle `{}` is not a valid pull spec: {error}",
                    bundle.name.value
                ),
                help: String::new(),
                place,
                correction: None,
            }));
        }
        if !is_invalid {
            mistakes.extend(unpinned_image(view, item, &entries, i as u32));
        }
    }
    mistakes
}

/// Returns the name of an item, or else its position from 1.
pub fn related_image_label(name: &str, item: u32) -> String {
    match name {
        "" => format!("related image {}", item + 1),
        name => format!("related image `{name}`"),
    }
}

fn item_name(view: &View<'_>, entries: &[MapEntry<'_>]) -> Text {
    let name = view
        .value(entries, "name")
        .and_then(|node| view.string(node));
    Text::from(&*name.unwrap_or_default())
}

/// Returns the tag or digest mistake of a valid related image, or the mistake of a missing one. The
/// registry host's port is not a tag.
fn unpinned_image(
    view: &View<'_>,
    item: NodeId,
    entries: &[MapEntry<'_>],
    nth: u32,
) -> Option<RelatedImageMistake> {
    let field = entries.iter().rfind(|e| names_field(&e.key, "image"));
    let image = field
        .and_then(|e| view.string(e.value_node))
        .unwrap_or_default();
    let last = image.rsplit('/').next().unwrap_or(&image);
    let (tagged, has_digest) = match last.split_once('@') {
        Some((before, _)) => (before, true),
        None => (last, false),
    };
    let problem = match (image.is_empty(), tagged.contains(':'), has_digest) {
        (true, ..) => {
            let misnamed = entries.iter().find(|e| {
                IMAGE_MISNAMED
                    .iter()
                    .any(|known| names_field(&e.key, known))
                    && view
                        .string(e.value_node)
                        .is_some_and(|text| !text.is_empty())
            });
            let misnamed = misnamed.filter(|_| field.is_none());
            RelatedImageProblem::Missing(
                misnamed.map(|e| known_mistakes::rewrite(view, e.key_node, &e.key, "image")),
            )
        }
        (false, false, false) => RelatedImageProblem::Loose,
        (false, true, true) => RelatedImageProblem::TagAndDigest,
        _ => return None,
    };
    let place = view.place(field.map_or(item, |e| e.value_node));
    Some(RelatedImageMistake {
        item: nth,
        name: item_name(view, entries),
        image: Spanned::new(Text::from(&*image), place),
        problem,
    })
}

/// Reads `olm.bundle.object` properties like `opm` does while loading (`opm-semantics` 1.7).
#[derive(Default)]
struct Objects {
    /// Whether an object is a ClusterServiceVersion.
    has_csv: bool,
    /// Whether the ClusterServiceVersion has the annotation `olm.substitutesFor`, once it is found.
    substitutes_for: Option<bool>,
    /// Its creation time.
    created: Option<String>,
    /// Its `minKubeVersion`.
    min_kube: Option<String>,
    unsupported_by_v1: Option<UnsupportedByV1>,
    /// Its annotation `olm.skipRange`.
    skip_range: Option<String>,
    mistakes: Vec<ObjectMistake>,
}

impl Objects {
    fn read(
        &mut self,
        lowering: &Lowering<'_, '_>,
        bundle: &BundleBlob,
        properties: &[Written],
    ) -> Result<(), Box<Fault>> {
        let mut buffer = Buffer::default();
        for (i, property) in properties
            .iter()
            .enumerate()
            .filter(|(_, p)| &*p.kind == "olm.bundle.object")
        {
            let fault = |reason: String, node: NodeId| {
                Box::new(Fault {
                    rule: Cow::Borrowed(load_rule::BLOB_BUNDLE_OBJECT),
                    opm: format!(
                        "read bundle objects: package {}, bundle {}: {reason}",
                        quote(&bundle.package.value),
                        quote(&bundle.name.value)
                    ),
                    message: format!(
                        "embedded object {i} of bundle `{}` cannot be read: {reason}",
                        bundle.name.value
                    ),
                    help:
                        "encode the object again, or remove the property if the bundle has an image"
                            .to_owned(),
                    place: lowering.view.place(node),
                    correction: None,
                })
            };
            let decoded = match property.value {
                None => Err(absent_value(property.node)),
                Some(value) => {
                    decode::check(lowering.view, value, &Shape::Struct(&decode::BUNDLE_OBJECT))
                }
            };
            if let Err(error) = decoded {
                let reason = format!(
                    "parse property at index {i} as bundle object: {}",
                    error.message
                );
                return Err(fault(reason, error.node));
            }
            let entries = property
                .value
                .map_or_else(Vec::new, |value| lowering.view.entries(value));
            let mut own_data = None;
            for entry in entries.iter().filter(|e| names_field(&e.key, "data")) {
                buffer.read(lowering.view, entry.value_node);
                own_data = Some(entry.value_node);
            }
            if let Some((place, problem)) =
                object_problem(lowering.view, property, &entries, own_data, &buffer)
            {
                self.mistakes.push(ObjectMistake {
                    property: i as u32,
                    place,
                    problem,
                });
            }
            if let Some(bytes) = buffer.bytes()
                && let Err(error) = self.object(bytes)
            {
                let reason =
                    format!("convert bundle object property at index {i} to JSON: {error}");
                return Err(fault(reason, property.value.unwrap_or(property.node)));
            }
        }
        Ok(())
    }

    /// Reads one object. `opm` does not check text that looks like JSON; any other text must be
    /// YAML.
    fn object(&mut self, bytes: &[u8]) -> Result<(), String> {
        let format = if begins_json(bytes) {
            Format::Json
        } else {
            Format::Yaml
        };
        let may_substitute = memchr::memmem::find(bytes, SUBSTITUTES_FOR.as_bytes()).is_some();
        if format == Format::Json && !may_substitute {
            self.note_kind(memchr::memmem::find(bytes, b"ClusterServiceVersion").is_some());
            let is_wanted = self.created.is_none() || !self.has_csv;
            let is_csv = is_wanted && text_at(bytes, &["kind"]) == Some("ClusterServiceVersion");
            self.has_csv |= is_csv;
            if is_csv && self.created.is_none() {
                self.created =
                    text_at(bytes, &["metadata", "annotations", CREATED_AT]).map(str::to_owned);
                self.min_kube = text_at(bytes, &["spec", "minKubeVersion"]).map(str::to_owned);
                self.unsupported_by_v1 = unsupported_csv(bytes);
            }
            if is_csv && self.skip_range.is_none() {
                self.skip_range =
                    unescaped_text_at(bytes, &["metadata", "annotations", SKIP_RANGE]);
            }
            return Ok(());
        }
        let parsed = match format {
            Format::Yaml => syntax::yaml::parse_whole(bytes),
            Format::Json => syntax::json::parse(bytes),
        };
        let parsed = parsed.and_then(|tree| value::check(&tree, bytes).map(|()| tree));
        let tree = match parsed {
            Ok(tree) => tree,
            Err(_) if format == Format::Json => return Ok(()),
            Err(error) => {
                let prefix = "error converting YAML to JSON: ";
                return Err(error
                    .opm
                    .strip_prefix(prefix)
                    .unwrap_or(&error.opm)
                    .to_owned());
            }
        };
        let get = |node: NodeId, key: &str| {
            let entries = value::mapping_entries(&tree, bytes, node).unwrap_or_default();
            entries
                .into_iter()
                .find(|e| e.key == key)
                .map(|e| e.value_node)
        };
        let text = |node: NodeId| scalar::text(&tree, bytes, node);
        let Some(root) = tree.root() else {
            return Ok(());
        };
        if get(root, "kind").and_then(text).as_deref() == Some("ClusterServiceVersion") {
            self.has_csv = true;
            let annotations =
                get(root, "metadata").and_then(|metadata| get(metadata, "annotations"));
            let annotation = |key: &str| {
                annotations
                    .and_then(|annotations| get(annotations, key))
                    .and_then(text)
            };
            let substitutes = annotation(SUBSTITUTES_FOR).is_some_and(|t| !t.is_empty());
            self.created = self
                .created
                .take()
                .or_else(|| annotation(CREATED_AT).map(|text| text.to_string()));
            self.skip_range = self
                .skip_range
                .take()
                .or_else(|| annotation(SKIP_RANGE).map(|text| text.to_string()));
            let minimum = get(root, "spec")
                .and_then(|spec| get(spec, "minKubeVersion"))
                .and_then(text);
            self.min_kube = self
                .min_kube
                .take()
                .or_else(|| minimum.map(|text| text.to_string()));
            self.substitutes_for.get_or_insert(substitutes);
        }
        Ok(())
    }

    /// Records whether a JSON object without the annotation is the ClusterServiceVersion.
    fn note_kind(&mut self, is_csv: bool) {
        if is_csv {
            self.substitutes_for.get_or_insert(false);
        }
    }
}

/// Returns why an object is not a manifest, judged by its first bytes only.
fn object_problem(
    view: &View<'_>,
    property: &Written,
    entries: &[MapEntry<'_>],
    own_data: Option<NodeId>,
    buffer: &Buffer,
) -> Option<(Place, ObjectProblem)> {
    let bytes = own_data
        .and_then(|_| buffer.bytes())
        .filter(|bytes| !bytes.is_empty());
    let Some(bytes) = bytes else {
        let reference = entries.iter().find(|e| names_field(&e.key, "ref"));
        return Some(match reference {
            Some(reference) => {
                let file = view.string(reference.value_node).unwrap_or_default();
                let problem = ObjectProblem::Reference(file.into_owned());
                (view.place(reference.key_node), problem)
            }
            None => {
                let at = own_data.or(property.value).unwrap_or(property.node);
                (view.place(at), ObjectProblem::NoData)
            }
        });
    };
    let is_manifest = ["apiVersion", "kind"]
        .iter()
        .all(|key| memchr::memmem::find(bytes, key.as_bytes()).is_some());
    let at = own_data.unwrap_or(property.node);
    (!is_manifest).then(|| (view.place(at), ObjectProblem::NoManifest))
}

/// The single buffer into which `opm` decodes the `data` of all objects in turn: unset bytes keep
/// the values of the previous object.
#[derive(Default)]
struct Buffer {
    /// Everything ever written, followed by zeros.
    memory: Vec<u8>,
    /// Number of valid bytes; `None` for no data, which makes the object `null`.
    len: Option<usize>,
}

impl Buffer {
    /// Decodes base64 text, or a list of numbers in which null keeps the previous byte.
    fn read(&mut self, view: &View<'_>, node: NodeId) {
        match view.kind(node) {
            JsonKind::String => {
                let decoded = base64::decode(view.string(node).unwrap_or_default().as_bytes());
                self.len = decoded.as_ref().map(Vec::len);
                self.memory = decoded.unwrap_or_default();
            }
            JsonKind::Array => {
                let mut len = 0;
                for item in view.items(node) {
                    if len == self.memory.len() {
                        self.memory.push(0);
                    }
                    if view.kind(item) != JsonKind::Null {
                        self.memory[len] = view.canonical(item).parse().unwrap_or(0);
                    }
                    len += 1;
                }
                if len == 0 {
                    self.memory.clear();
                }
                self.len = Some(len);
            }
            _ => *self = Self::default(),
        }
    }

    fn bytes(&self) -> Option<&[u8]> {
        self.memory.get(..self.len?)
    }
}
