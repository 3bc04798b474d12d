//! Reads `olm.bundle.object` properties like `opm` does while loading (`opm-semantics` 1.7).

use crate::model::blob::{
    BundleBlob, CREATED_AT, Fault, ObjectMistake, ObjectProblem, SKIP_RANGE, SUBSTITUTES_FOR,
    UnsupportedByV1,
};
use crate::model::decode::{self, DecodeError, GoType};
use crate::model::json_scan::{text_at, unescaped_text_at, value_at};
use crate::model::load_rule;
use crate::model::lowering::{Lowering, WrittenProperty};
use crate::model::view::{JsonKind, View};
use std::borrow::Cow;
use syntax::document::begins_json;
use syntax::error::SyntaxError;
use syntax::go_text::{names_field, quote};
use syntax::place::Place;
use syntax::tree::{NodeId, Tree};
use syntax::value::{self, MapEntry};
use syntax::{base64, json, scalar, yaml};

const CSV_KIND: &str = "ClusterServiceVersion";
/// `opm`'s prefix for YAML errors, which its message about objects does not have.
const YAML_ERROR_PREFIX: &str = "error converting YAML to JSON: ";

/// The facts of the objects of a bundle.
#[derive(Default)]
pub struct Objects {
    /// Whether an object is a ClusterServiceVersion.
    pub has_csv: bool,
    /// Whether the ClusterServiceVersion has the annotation `olm.substitutesFor`; `None` without
    /// one.
    pub substitutes_for: Option<bool>,
    /// The annotation `createdAt` of the ClusterServiceVersion.
    pub created: Option<String>,
    /// `minKubeVersion` of the ClusterServiceVersion.
    pub min_kube_version: Option<String>,
    pub unsupported_by_v1: Option<UnsupportedByV1>,
    /// The annotation `olm.skipRange` of the ClusterServiceVersion.
    pub skip_range: Option<String>,
    pub mistakes: Vec<ObjectMistake>,
}

impl Objects {
    /// Reads all objects in order, up to the first that `opm` refuses.
    pub fn read(
        &mut self,
        lowering: &Lowering<'_, '_>,
        bundle: &BundleBlob,
        properties: &[WrittenProperty],
    ) -> Result<(), Box<Fault>> {
        let mut buffer = Buffer::default();
        let objects = properties.iter().enumerate();
        for (index, property) in objects.filter(|(_, p)| &*p.kind == "olm.bundle.object") {
            let fault = |reason: String, node: NodeId| {
                let place = lowering.view.place(node);
                Box::new(object_fault(bundle, index, &reason, place))
            };
            let decoded = match property.value {
                None => Err(DecodeError::absent_value(property.node)),
                Some(value) => {
                    let go_type = GoType::Struct(&decode::BUNDLE_OBJECT);
                    decode::check(lowering.view, value, &go_type)
                }
            };
            if let Err(error) = decoded {
                let reason = format!(
                    "parse property at index {index} as bundle object: {}",
                    error.message
                );
                return Err(fault(reason, error.node));
            }
            let entries = property
                .value
                .map_or_else(Vec::new, |value| lowering.view.entries(value));
            let mut data = None;
            for entry in entries.iter().filter(|e| names_field(&e.key, "data")) {
                buffer.read(lowering.view, entry.value_node);
                data = Some(entry.value_node);
            }
            let mistake = find_object_mistake(lowering.view, property, &entries, data, &buffer);
            self.mistakes
                .extend(mistake.map(|(place, problem)| ObjectMistake {
                    property: index as u32,
                    place,
                    problem,
                }));
            if let Some(bytes) = buffer.bytes()
                && let Err(error) = self.read_object(bytes)
            {
                let reason =
                    format!("convert bundle object property at index {index} to JSON: {error}");
                return Err(fault(reason, property.value.unwrap_or(property.node)));
            }
        }
        Ok(())
    }

    /// Reads one object. `opm` does not check text that looks like JSON; any other text must be
    /// YAML.
    fn read_object(&mut self, bytes: &[u8]) -> Result<(), String> {
        let is_json = begins_json(bytes);
        if is_json && memchr::memmem::find(bytes, SUBSTITUTES_FOR.as_bytes()).is_none() {
            self.read_plain_json(bytes);
            return Ok(());
        }
        let tree = if is_json {
            json::parse(bytes)
        } else {
            yaml::parse_whole(bytes)
        };
        match tree.and_then(|tree| value::check(&tree, bytes).map(|()| tree)) {
            Ok(tree) => self.read_tree(&tree, bytes),
            Err(_) if is_json => {}
            Err(SyntaxError { opm, .. }) => {
                return Err(opm
                    .strip_prefix(YAML_ERROR_PREFIX)
                    .unwrap_or(&opm)
                    .to_owned());
            }
        }
        Ok(())
    }

    /// Reads a JSON object without the annotation `olm.substitutesFor`, without parsing it.
    fn read_plain_json(&mut self, bytes: &[u8]) {
        if memchr::memmem::find(bytes, CSV_KIND.as_bytes()).is_some() {
            self.substitutes_for.get_or_insert(false);
        }
        if self.created.is_some() && self.has_csv {
            return;
        }
        if text_at(bytes, &["kind"]) != Some(CSV_KIND) {
            return;
        }
        self.has_csv = true;
        if self.created.is_none() {
            let created = text_at(bytes, &["metadata", "annotations", CREATED_AT]);
            self.created = created.map(str::to_owned);
            let version = text_at(bytes, &["spec", "minKubeVersion"]);
            self.min_kube_version = version.map(str::to_owned);
            self.unsupported_by_v1 = find_unsupported(bytes);
        }
        if self.skip_range.is_none() {
            self.skip_range = unescaped_text_at(bytes, &["metadata", "annotations", SKIP_RANGE]);
        }
    }

    fn read_tree(&mut self, tree: &Tree, bytes: &[u8]) {
        let get = |node: NodeId, key: &str| {
            let entries = value::mapping_entries(tree, bytes, node).unwrap_or_default();
            let entry = entries.into_iter().find(|entry| entry.key == key);
            entry.map(|entry| entry.value_node)
        };
        let text = |node: NodeId| scalar::text(tree, bytes, node);
        let Some(root) = tree.root() else {
            return;
        };
        if get(root, "kind").and_then(text).as_deref() != Some(CSV_KIND) {
            return;
        }
        self.has_csv = true;
        let metadata = get(root, "metadata");
        let annotations = metadata.and_then(|metadata| get(metadata, "annotations"));
        let annotation = |key: &str| annotations.and_then(|node| get(node, key)).and_then(text);
        let spec = get(root, "spec");
        if self.created.is_none() {
            self.created = annotation(CREATED_AT).map(Cow::into_owned);
        }
        if self.skip_range.is_none() {
            self.skip_range = annotation(SKIP_RANGE).map(Cow::into_owned);
        }
        if self.min_kube_version.is_none() {
            let version = spec.and_then(|spec| get(spec, "minKubeVersion"));
            self.min_kube_version = version.and_then(text).map(Cow::into_owned);
        }
        let substitutes = annotation(SUBSTITUTES_FOR).is_some_and(|text| !text.is_empty());
        self.substitutes_for.get_or_insert(substitutes);
    }
}

fn object_fault(bundle: &BundleBlob, index: usize, reason: &str, place: Place) -> Fault {
    let (package, name) = (&bundle.package.value, &bundle.name.value);
    Fault {
        rule: Cow::Borrowed(load_rule::BLOB_BUNDLE_OBJECT),
        opm: format!(
            "read bundle objects: package {}, bundle {}: {reason}",
            quote(package),
            quote(name)
        ),
        message: format!("embedded object {index} of bundle `{name}` cannot be read: {reason}"),
        help: "encode the object again, or remove the property if the bundle has an image"
            .to_owned(),
        place,
        correction: None,
    }
}

/// Returns why OLM v1 refuses a bundle with this ClusterServiceVersion, given as JSON.
fn find_unsupported(csv: &[u8]) -> Option<UnsupportedByV1> {
    let has = |text: &[u8]| memchr::memmem::find(csv, text).is_some();
    let read = |key: &str| -> Option<serde_json::Value> {
        let value = csv.get(value_at(csv, &["spec", key])?..)?;
        let mut values = serde_json::Deserializer::from_slice(value).into_iter();
        values.next()?.ok()
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
    let supports_all_namespaces = modes
        .iter()
        .any(|mode| mode["type"] == "AllNamespaces" && mode["supported"] == true);
    (!supports_all_namespaces).then_some(UnsupportedByV1::NotAllNamespaces)
}

/// Finds out why an object is not a manifest, without parsing it. `data` is its own data, which the
/// buffer holds.
fn find_object_mistake(
    view: &View<'_>,
    property: &WrittenProperty,
    entries: &[MapEntry<'_>],
    data: Option<NodeId>,
    buffer: &Buffer,
) -> Option<(Place, ObjectProblem)> {
    let bytes = data.and_then(|_| buffer.bytes());
    let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) else {
        if let Some(reference) = entries.iter().find(|e| names_field(&e.key, "ref")) {
            let file = view.string(reference.value_node).unwrap_or_default();
            let problem = ObjectProblem::Reference(file.into_owned());
            return Some((view.place(reference.key_node), problem));
        }
        let node = data.or(property.value).unwrap_or(property.node);
        return Some((view.place(node), ObjectProblem::NoData));
    };
    let is_manifest = ["apiVersion", "kind"]
        .iter()
        .all(|key| memchr::memmem::find(bytes, key.as_bytes()).is_some());
    let node = data.unwrap_or(property.node);
    (!is_manifest).then(|| (view.place(node), ObjectProblem::NoManifest))
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
