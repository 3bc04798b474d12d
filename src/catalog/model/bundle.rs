//! Reads the facts of an `olm.bundle` blob: typed properties, embedded objects, related images.
//!
//! Most bytes of a catalog are in bundles, and most of these in `olm.csv.metadata`: it is checked
//! on the span tree and never converted to values.

mod objects;

use super::blob::{
    BundleBlob, CREATED_AT, Fault, Mistakes, PackageProperty, Property, PropertyFact,
    RelatedImageMistake, RelatedImageProblem, Rewrite, SKIP_RANGE, SUBSTITUTES_FOR,
    UnsupportedByV1,
};
use super::decode::{self, DecodeError};
use super::lowering::{
    BlobType, Lowering, WrittenProperty, add_missing_quotes, describe_error, type_help,
};
use super::pull_spec::check_pull_spec;
use super::view::{JsonKind, View};
use super::{known_mistakes, load_rule};
use objects::Objects;
use std::borrow::Cow;
use syntax::go_text::{names_field, quote};
use syntax::place::{Place, Spanned, Text};
use syntax::tree::{Format, NodeId};
use syntax::value::MapEntry;

/// Maximum canonical JSON size, in bytes, of stored values of properties that are not requirements.
const MAX_STORED_VALUE: usize = 1024;
/// Longer written values are never stored: removing indentation does not shrink them enough.
const MAX_WRITTEN_VALUE: usize = 16 * MAX_STORED_VALUE;

/// Keys that authors write instead of `image`; the first is used by environment variables in a CSV.
const MISNAMED_IMAGE_KEYS: [&str; 4] = ["value", "relatedImage", "images", "img"];

/// Reads the facts of a bundle. Adds a fault if `opm` cannot load it.
pub fn lower(lowering: &mut Lowering<'_, '_>, faults: &mut Vec<Fault>) -> BundleBlob {
    let decodes = lowering.check_decodes(BlobType::Bundle, faults);
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
    let properties = lowering.list("properties").into_iter();
    let properties: Vec<WrittenProperty> = properties
        .map(|node| written_property(lowering, node))
        .collect();
    add_property_facts(lowering, &properties, &mut bundle);
    let mut objects = Objects::default();
    if decodes {
        match objects.read(lowering, &bundle, &properties) {
            Ok(()) => {
                let fault = properties_fault(lowering, &bundle, &properties);
                bundle.properties_fault = fault.map(Box::new);
            }
            Err(fault) => faults.push(*fault),
        }
    }
    let object_mistakes = std::mem::take(&mut objects.mistakes);
    add_object_facts(lowering, objects, &mut bundle);
    let related_images = related_images(lowering, &mut bundle);
    let known_mistakes = properties.iter().enumerate();
    let mistakes = Mistakes {
        known_mistakes: known_mistakes
            .filter_map(|(index, property)| {
                known_mistakes::find_in_property(lowering, index, property)
            })
            .collect(),
        dependencies: known_mistakes::find_dependencies(lowering),
        objects: object_mistakes,
        empty_metadata: empty_metadata(lowering, &properties),
        related_images,
    };
    bundle.mistakes = (mistakes != Mistakes::default()).then(|| Box::new(mistakes));
    bundle
}

fn add_property_facts(
    lowering: &mut Lowering<'_, '_>,
    properties: &[WrittenProperty],
    bundle: &mut BundleBlob,
) {
    bundle.improper = find_improper_property(lowering, PropertyOwner::Bundle).map(Box::new);
    bundle.properties = properties
        .iter()
        .map(|property| property_fact(lowering, property))
        .collect();
    let packages = properties
        .iter()
        .filter(|property| &*property.kind == "olm.package" && property.value.is_some())
        .count();
    bundle.package_properties.reserve_exact(packages);
    bundle.package_fault = package_fault(lowering, properties);
    for property in properties {
        let Some(value) = property.value else {
            continue;
        };
        match &*property.kind {
            "olm.package" => bundle
                .package_properties
                .push(package_property(lowering, value)),
            "olm.csv.metadata" => add_csv_metadata(lowering, value, bundle),
            _ => {}
        }
    }
    bundle.has_objects = properties
        .iter()
        .any(|property| &*property.kind == "olm.bundle.object");
}

/// Adds the facts of the embedded ClusterServiceVersion. Those of `olm.csv.metadata` have priority,
/// except for the annotation `olm.substitutesFor`.
fn add_object_facts(lowering: &mut Lowering<'_, '_>, objects: Objects, bundle: &mut BundleBlob) {
    if let Some(created) = &objects.created
        && bundle.created.is_empty()
    {
        bundle.created = lowering.pool.text(created.trim());
    }
    if let Some(version) = &objects.min_kube_version
        && bundle.min_kube_version.is_empty()
    {
        bundle.min_kube_version = lowering.pool.text(version);
    }
    if let Some(range) = objects.skip_range.as_deref().map(str::trim)
        && !range.is_empty()
        && bundle.csv_skip_range.is_none()
    {
        bundle.csv_skip_range = Some(Box::new(lowering.pool.text(range)));
    }
    bundle.embeds_csv = objects.has_csv;
    bundle.unsupported_by_v1 = bundle.unsupported_by_v1.or(objects.unsupported_by_v1);
    bundle.substitutes_for = objects.substitutes_for.unwrap_or(bundle.substitutes_for);
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
pub fn find_improper_property(
    lowering: &Lowering<'_, '_>,
    owner: PropertyOwner,
) -> Option<Spanned<Text>> {
    let view = lowering.view;
    lowering.list("properties").into_iter().find_map(|node| {
        let entries = view.entries(node);
        let kind = view
            .field_value(&entries, "type")
            .and_then(|kind| view.string(kind))
            .unwrap_or_default();
        let value = view.field_value(&entries, "value");
        let is_null = value.is_none_or(|value| view.kind(value) == JsonKind::Null);
        let message = if kind.trim().is_empty() {
            "a property has no type".to_owned()
        } else if is_null && (owner == PropertyOwner::Others || value.is_some()) {
            format!("property `{kind}` has no value")
        } else if let (PropertyOwner::Others, Some(value)) = (owner, value) {
            let error = decode::check(view, value, &decode::property_value(&kind)).err()?;
            format!("property `{kind}`: {}", describe_error(&error))
        } else {
            return None;
        };
        Some(Spanned::new(message.into(), view.place(node)))
    })
}

fn written_property(lowering: &mut Lowering<'_, '_>, node: NodeId) -> WrittenProperty {
    let entries = lowering.view.entries(node);
    let kind = lowering.inner_field(&entries, "type", lowering.place).value;
    WrittenProperty {
        node,
        kind,
        value: lowering.view.field_value(&entries, "value"),
    }
}

fn property_fact(lowering: &mut Lowering<'_, '_>, property: &WrittenProperty) -> PropertyFact {
    let has_own_facts = matches!(
        &*property.kind,
        "olm.csv.metadata" | "olm.bundle.object" | "olm.package"
    );
    // Store requirements completely: OLM refuses constraints above a size limit.
    let is_requirement = matches!(
        &*property.kind,
        "olm.constraint"
            | "olm.package.required"
            | "olm.gvk"
            | "olm.gvk.required"
            | "olm.label"
            | "olm.label.required"
    );
    let view = &lowering.view;
    let may_store = |value: &NodeId| {
        is_requirement || !has_own_facts && view.tree.range(*value).len() <= MAX_WRITTEN_VALUE
    };
    let json = property
        .value
        .filter(may_store)
        .map(|value| view.canonical(value))
        .filter(|json| is_requirement || json.len() <= MAX_STORED_VALUE);
    let value = json.map(|json| lowering.pool.text(&json));
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
        package_name: lowering.inner_field(&entries, "packageName", place),
        version: lowering.inner_field(&entries, "version", place),
        release: package_release(lowering, &entries),
    }
}

fn package_release<'a>(
    lowering: &mut Lowering<'a, '_>,
    entries: &[MapEntry<'a>],
) -> Option<Spanned<Text>> {
    let text = lowering.inner_field(entries, "release", Place::default());
    let is_given = entries.iter().any(|entry| {
        names_field(&entry.key, "release") && lowering.view.string(entry.value_node).is_some()
    });
    is_given.then_some(text)
}

fn package_fault(lowering: &Lowering<'_, '_>, properties: &[WrittenProperty]) -> Option<Box<Text>> {
    let first = properties.iter().find(|p| &*p.kind == "olm.package")?;
    let error = match first.value {
        None => DecodeError::absent_value(first.node),
        Some(value) => {
            decode::check(lowering.view, value, &decode::property_value("olm.package")).err()?
        }
    };
    Some(Box::new(error.message.into()))
}

fn add_csv_metadata(lowering: &mut Lowering<'_, '_>, value: NodeId, bundle: &mut BundleBlob) {
    let entries = lowering.view.entries(value);
    if bundle.display_name.is_empty() {
        bundle.display_name = lowering
            .inner_field(&entries, "displayName", lowering.place)
            .value;
    }
    if bundle.min_kube_version.is_empty() {
        bundle.min_kube_version = lowering
            .inner_field(&entries, "minKubeVersion", lowering.place)
            .value;
    }
    if bundle.unsupported_by_v1.is_none() {
        bundle.unsupported_by_v1 = unsupported_by_v1(lowering.view, &entries);
    }
    if let Some(annotations) = lowering.view.field_value(&entries, "annotations") {
        let annotations = lowering.view.entries(annotations);
        let annotation = |key: &str| {
            let entry = annotations.iter().rfind(|entry| entry.key == key)?;
            lowering.view.string(entry.value_node)
        };
        if let Some(created) = annotation(CREATED_AT)
            && bundle.created.is_empty()
        {
            bundle.created = lowering.pool.text(created.trim());
        }
        if let Some(range) = annotation(SKIP_RANGE)
            && !range.trim().is_empty()
            && bundle.csv_skip_range.is_none()
        {
            bundle.csv_skip_range = Some(Box::new(lowering.pool.text(range.trim())));
        }
        bundle.substitutes_for |= annotation(SUBSTITUTES_FOR).is_some_and(|text| !text.is_empty());
    }
}

fn unsupported_by_v1(view: &View<'_>, metadata: &[MapEntry<'_>]) -> Option<UnsupportedByV1> {
    let api_services = view
        .field_value(metadata, "apiServiceDefinitions")
        .map(|node| view.entries(node))
        .and_then(|entries| view.field_value(&entries, "owned"));
    if api_services.is_some_and(|owned| view.items(owned).next().is_some()) {
        return Some(UnsupportedByV1::OwnedApiServices);
    }
    let modes: Vec<NodeId> = view
        .items(view.field_value(metadata, "installModes")?)
        .collect();
    let supports_all_namespaces = modes.iter().any(|&mode| {
        let mode = view.entries(mode);
        let kind = view
            .field_value(&mode, "type")
            .and_then(|kind| view.string(kind));
        let supported = view.field_value(&mode, "supported");
        kind.as_deref() == Some("AllNamespaces")
            && supported.is_some_and(|node| view.canonical(node) == "true")
    });
    (!modes.is_empty() && !supports_all_namespaces).then_some(UnsupportedByV1::NotAllNamespaces)
}

/// Finds the first empty `olm.csv.metadata`; returns the position of its value.
fn empty_metadata(lowering: &Lowering<'_, '_>, properties: &[WrittenProperty]) -> Option<Place> {
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
    properties: &[WrittenProperty],
) -> Option<Fault> {
    let view = &lowering.view;
    properties.iter().enumerate().find_map(|(i, property)| {
        let error = match property.value {
            None => DecodeError::absent_value(property.node),
            Some(value) => {
                decode::check(view, value, &decode::property_value(&property.kind)).err()?
            }
        };
        let opm = format!(
            "parse properties for bundle {}: parse property[{i}] of type {}: {}",
            quote(&bundle.name.value),
            quote(&property.kind),
            error.message
        );
        let wrapped = if property.kind.is_empty() {
            known_mistakes::find_wrapped_property(view, property.node)
        } else {
            None
        };
        let message = match wrapped {
            Some(_) => "a property has neither type nor value, only `property`".to_owned(),
            None => format!("property `{}`: {}", property.kind, describe_error(&error)),
        };
        let (help, correction) =
            wrapped.unwrap_or_else(|| (type_help(view, &error), add_missing_quotes(view, &error)));
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
        &decode::property_value(kind),
    )
    .err()
    .map(|error| error.message)
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
                    "{label} of bundle `{}` is not a valid pull spec (`{image}`): {error}",
                    bundle.name.value
                ),
                help: String::new(),
                place,
                correction: None,
            }));
        }
        if !is_invalid {
            mistakes.extend(missing_or_unpinned_image(view, item, &entries, i as u32));
        }
    }
    mistakes
}

/// Describes a related image by its name, or else by its position from 1.
pub fn related_image_label(name: &str, item: u32) -> String {
    match name {
        "" => format!("related image {}", item + 1),
        name => format!("related image `{name}`"),
    }
}

fn item_name(view: &View<'_>, entries: &[MapEntry<'_>]) -> Text {
    let name = view
        .field_value(entries, "name")
        .and_then(|node| view.string(node));
    Text::from(&*name.unwrap_or_default())
}

/// Returns the mistake of a related image that is missing, or has no tag or digest or both. The
/// port of the registry host is not a tag.
fn missing_or_unpinned_image(
    view: &View<'_>,
    item: NodeId,
    entries: &[MapEntry<'_>],
    index: u32,
) -> Option<RelatedImageMistake> {
    let field = entries.iter().rfind(|e| names_field(&e.key, "image"));
    let image = field
        .and_then(|e| view.string(e.value_node))
        .unwrap_or_default();
    let name = image.rsplit('/').next().unwrap_or(&image);
    let (tagged, has_digest) = match name.split_once('@') {
        Some((tagged, _)) => (tagged, true),
        None => (name, false),
    };
    let problem = match (image.is_empty(), tagged.contains(':'), has_digest) {
        (true, ..) if field.is_some() => RelatedImageProblem::Missing(None),
        (true, ..) => RelatedImageProblem::Missing(rename_to_image(view, entries)),
        (false, false, false) => RelatedImageProblem::Loose,
        (false, true, true) => RelatedImageProblem::TagAndDigest,
        _ => return None,
    };
    let place = view.place(field.map_or(item, |e| e.value_node));
    Some(RelatedImageMistake {
        item: index,
        name: item_name(view, entries),
        image: Spanned::new(Text::from(&*image), place),
        problem,
    })
}

/// Renames a key that contains the image to `image`.
fn rename_to_image(view: &View<'_>, entries: &[MapEntry<'_>]) -> Option<Rewrite> {
    let entry = entries.iter().find(|entry| {
        MISNAMED_IMAGE_KEYS
            .iter()
            .any(|key| names_field(&entry.key, key))
            && view
                .string(entry.value_node)
                .is_some_and(|text| !text.is_empty())
    })?;
    Some(known_mistakes::rewrite(
        view,
        entry.key_node,
        &entry.key,
        "image",
    ))
}
