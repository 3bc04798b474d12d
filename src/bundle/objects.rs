//! Reads the `manifests` of a bundle directory: its objects, and the APIs that they provide and
//! require.

use super::blobs::text_field;
use super::typed::{self, Type};
use super::value::{FirstDocument, Numbers, compact, first_document, read};
use super::{File, Refusal, types};
use serde_json::Value;
use std::collections::BTreeSet;
use syntax::go_text::string_or_empty;
use syntax::tree::NodeId;
use syntax::value::{mapping_entries, mark_offset};

pub(super) const CSV_KIND: &str = "ClusterServiceVersion";
pub(super) const CRD_KIND: &str = "CustomResourceDefinition";
/// The section of a ClusterServiceVersion's spec that names CustomResourceDefinitions.
const CRDS: &str = "customresourcedefinitions";

#[derive(Debug)]
pub(super) struct Object {
    pub value: Value,
    /// Path of its file.
    path: String,
    document: FirstDocument,
}

/// A provided or required resource, in Go's print order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Api {
    pub group: String,
    pub version: String,
    pub kind: String,
    plural: String,
}

impl Api {
    fn display_name(&self) -> String {
        format!(
            "{}/{}/{} ({})",
            self.group, self.version, self.kind, self.plural
        )
    }
}

/// The objects of a bundle, and the APIs that they provide.
#[derive(Debug)]
pub(super) struct Manifests {
    pub objects: Vec<Object>,
    /// Index of the ClusterServiceVersion among the objects.
    csv: usize,
    pub provided: BTreeSet<Api>,
}

impl Object {
    pub fn kind(&self) -> &str {
        text_field(&self.value, "kind")
    }

    /// Returns the version in its `apiVersion`, without the group.
    fn version(&self) -> &str {
        let version = text_field(&self.value, "apiVersion");
        version.rsplit('/').next().unwrap_or_default()
    }

    /// Returns the JSON text as `opm` embeds it.
    pub fn text(&self) -> String {
        compact(&self.value, true)
    }

    /// Creates a refusal of the value at a path in this object.
    pub fn refusal(&self, path: &[String], message: String, help: &str) -> Refusal {
        Refusal {
            message,
            file: Some(self.path.clone()),
            line: Some(self.document.line_of(node_at(&self.document, path))),
            help: help.to_owned(),
        }
    }
}

/// Returns the node at a path, or its last existing ancestor.
fn node_at(document: &FirstDocument, path: &[String]) -> NodeId {
    let (tree, text) = (&document.tree, &document.text);
    let mut node = NodeId(0);
    for step in path {
        let inner = tree.resolve_alias(node);
        let next = if tree.kind(inner).is_sequence() {
            step.parse()
                .ok()
                .and_then(|index| tree.children(inner).nth(index))
        } else {
            let entries = mapping_entries(tree, text, inner).unwrap_or_default();
            entries
                .into_iter()
                .find(|entry| entry.key == *step)
                .map(|entry| entry.value_node)
        };
        let Some(next) = next else { break };
        node = next;
    }
    node
}

/// Reads the objects of a bundle directory. Skips files that are not objects, and all
/// ClusterServiceVersions but the first.
pub(super) fn manifests(files: &[File]) -> Result<Manifests, Refusal> {
    let mut objects: Vec<Object> = Vec::new();
    let mut skipped_files: Vec<Refusal> = Vec::new();
    for (name, file) in super::files_in(files, "manifests") {
        if name.starts_with('.') {
            continue;
        }
        match object(file) {
            Ok(object)
                if object.kind() == CSV_KIND && objects.iter().any(|o| o.kind() == CSV_KIND) => {}
            Ok(object) => objects.push(object),
            Err(refusal) => skipped_files.push(refusal),
        }
    }
    let missing = |message: &str, help: &str| {
        let skipped = skipped_files.first();
        let help = match skipped {
            Some(file) => format!("skipped a file: {}", file.message),
            None => help.to_owned(),
        };
        Refusal {
            message: message.to_owned(),
            file: skipped.and_then(|file| file.file.clone()),
            line: skipped.and_then(|file| file.line),
            help,
        }
    };
    if objects.is_empty() {
        return Err(missing(
            "no bundle objects found",
            "put the manifests of the operator into `manifests`",
        ));
    }
    let csv = objects.iter().position(|object| object.kind() == CSV_KIND);
    if let Some(csv) = csv {
        check_csv(&objects[csv])?;
    }
    let crds = defined_apis(&objects)?;
    let Some(csv) = csv else {
        return Err(missing(
            "no csv in bundle",
            "put the ClusterServiceVersion into `manifests`",
        ));
    };
    let mut manifests = Manifests {
        objects,
        csv,
        provided: BTreeSet::new(),
    };
    manifests.read_apis(crds)?;
    Ok(manifests)
}

pub(super) fn object(file: &File) -> Result<Object, Refusal> {
    let refused = |line: u32, message: String| Refusal {
        message,
        file: Some(file.path.clone()),
        line: Some(line),
        help: String::new(),
    };
    let document = first_document(&file.bytes).map_err(|(line, message)| refused(line, message))?;
    let value = match document.tree.root() {
        Some(root) => read(&document.tree, &document.text, root, Numbers::Objects),
        None => Ok(Value::Null),
    };
    let value = value.map_err(|error| refused(1, error.opm))?;
    let object = Object {
        value,
        path: file.path.clone(),
        document,
    };
    let separators = text_field(&object.value, "apiVersion").matches('/').count();
    if object.kind().is_empty() || separators > 1 {
        return Err(refused(
            1,
            format!(
                "Object 'Kind' is missing in '{}'",
                compact(&object.value, true)
            ),
        ));
    }
    Ok(object)
}

/// Decodes the parts needed for reading bundles; the error includes the whole object with a marker.
fn check_csv(csv: &Object) -> Result<(), Refusal> {
    let read =
        [&types::TYPE_META, &types::METADATA].map(|go_type| typed::decode(&csv.value, go_type));
    let Some(error) = read.into_iter().find_map(Result::err) else {
        return Ok(());
    };
    let message = if error.message.starts_with("json: ") {
        let (value, start) = locate(&csv.value, &error.path);
        // A type's own decoder counts from the value.
        let start = if error.is_own { 0 } else { start };
        mark_offset(
            &error.message,
            csv.text().as_bytes(),
            start + detection_offset(value),
        )
    } else {
        error.message
    };
    Err(csv.refusal(&error.path, message, "put the value in quotes"))
}

/// Returns the offset in a value's text where Go detects a wrong type: after a scalar, or after the
/// opening bracket of a list or object.
fn detection_offset(value: &Value) -> usize {
    if value.is_object() || value.is_array() {
        1
    } else {
        compact(value, true).len()
    }
}

/// Returns the value at a path, and its offset in the compact text of the whole value.
fn locate<'v>(value: &'v Value, path: &[String]) -> (&'v Value, usize) {
    let mut offset = 0;
    let mut value = value;
    for step in path {
        offset += 1;
        match value {
            Value::Object(map) => {
                for (index, (key, inner)) in map.iter().enumerate() {
                    let key_length = compact(&Value::from(key.as_str()), true).len();
                    offset += usize::from(index > 0) + key_length + 1;
                    if key == step {
                        value = inner;
                        break;
                    }
                    offset += compact(inner, true).len();
                }
            }
            Value::Array(items) => {
                let index = step.parse().unwrap_or(0);
                let before = items.iter().take(index);
                offset += before
                    .map(|item| compact(item, true).len() + 1)
                    .sum::<usize>();
                value = items.get(index).unwrap_or(&Value::Null);
            }
            _ => break,
        }
    }
    (value, offset)
}

/// Returns the APIs of all CustomResourceDefinitions.
fn defined_apis(objects: &[Object]) -> Result<BTreeSet<Api>, Refusal> {
    let mut provided = BTreeSet::new();
    for crd in objects.iter().filter(|object| object.kind() == CRD_KIND) {
        let go_type: &'static Type = match crd.version() {
            "v1" => &types::V1,
            "v1beta1" => &types::V1BETA1,
            _ => continue,
        };
        let refused = |path: &[String], reason: String| {
            let message = format!("error decoding {} CRD: {reason}", crd.version());
            crd.refusal(path, message, "correct the CustomResourceDefinition")
        };
        let api_version = text_field(&crd.value, "apiVersion");
        if api_version.split('/').next() != Some("apiextensions.k8s.io") {
            let message =
                format!("no kind {CRD_KIND:?} is registered for version {api_version:?} in scheme");
            return Err(refused(&["apiVersion".to_owned()], message));
        }
        let decoded = typed::decode(&crd.value, go_type)
            .map_err(|error| refused(&error.path, error.message))?;
        let spec = &decoded["spec"];
        let versions = spec["versions"].as_array().into_iter().flatten();
        let version = Some(&spec["version"]).filter(|version| !string_or_empty(version).is_empty());
        provided.extend(
            versions
                .map(|version| &version["name"])
                .chain(version)
                .map(|version| Api {
                    group: string_or_empty(&spec["group"]),
                    version: string_or_empty(version),
                    kind: string_or_empty(&spec["names"]["kind"]),
                    plural: string_or_empty(&spec["names"]["plural"]),
                }),
        );
    }
    Ok(provided)
}

/// A section of the ClusterServiceVersion's spec that is unreadable or refers to missing objects.
pub(super) struct Unreadable {
    pub path: Vec<String>,
    pub message: String,
}

impl Unreadable {
    /// `inner` is the rest of the path.
    pub fn new(path: &[&str], message: String, inner: Vec<String>) -> Self {
        let path = path.iter().map(|step| (*step).to_owned());
        Self {
            path: path.chain(inner).collect(),
            message,
        }
    }
}

impl Manifests {
    pub(super) fn csv(&self) -> &Object {
        &self.objects[self.csv]
    }

    /// Returns the bundle's name.
    pub(super) fn name(&self) -> &str {
        text_field(&self.csv().value["metadata"], "name")
    }

    /// Decodes one section of the spec; `None` if it is absent or null.
    pub(super) fn section(
        &self,
        name: &str,
        go_type: &'static Type,
    ) -> Result<Option<Value>, Unreadable> {
        let Some(spec) = self.csv().value.get("spec") else {
            let message = "unexpected end of JSON input".to_owned();
            return Err(Unreadable::new(&[], message, Vec::new()));
        };
        if !spec.is_object() {
            typed::decode(spec, &types::OBJECT_OF_RAW)
                .map_err(|error| Unreadable::new(&["spec"], error.message, error.path))?;
        }
        match &spec[name] {
            Value::Null => Ok(None),
            value => typed::decode(value, go_type)
                .map(Some)
                .map_err(|error| Unreadable::new(&["spec", name], error.message, error.path)),
        }
    }

    /// Returns the API definitions in one of the two lists of a section, with their indices.
    fn definitions(&self, name: &str, list: &str) -> Result<Vec<(usize, Value)>, Unreadable> {
        let section = self.section(name, &types::DEFINITIONS)?;
        let items = section
            .and_then(|section| section[list].as_array().cloned())
            .unwrap_or_default();
        // `opm` crashes in this case.
        if let Some(index) = items.iter().position(Value::is_null) {
            let message = format!("an item of `{name}.{list}` is empty");
            let item = vec![index.to_string()];
            return Err(Unreadable::new(&["spec", name, list], message, item));
        }
        Ok(items.into_iter().enumerate().collect())
    }

    /// Returns the APIs of the CustomResourceDefinitions that the ClusterServiceVersion names, with
    /// their list indices.
    fn named_crds(&self, list: &str) -> Result<Vec<(usize, Api)>, Unreadable> {
        let definitions = self.definitions(CRDS, list)?;
        definitions
            .into_iter()
            .map(|(index, key)| {
                let name = string_or_empty(&key["name"]);
                let Some((plural, group)) = name.split_once('.') else {
                    let message = format!("couldn't parse plural.group from crd name: {name}");
                    let item = vec![index.to_string()];
                    return Err(Unreadable::new(&["spec", CRDS, list], message, item));
                };
                let (group, plural) = (group.to_owned(), plural.to_owned());
                Ok((
                    index,
                    Api {
                        group,
                        version: string_or_empty(&key["version"]),
                        kind: string_or_empty(&key["kind"]),
                        plural,
                    },
                ))
            })
            .collect()
    }

    fn api_services(&self, list: &str) -> Result<Vec<Api>, Unreadable> {
        Ok(self
            .definitions("apiservicedefinitions", list)?
            .into_iter()
            .map(|(_, key)| Api {
                group: string_or_empty(&key["group"]),
                version: string_or_empty(&key["version"]),
                kind: string_or_empty(&key["kind"]),
                plural: string_or_empty(&key["name"]),
            })
            .collect())
    }

    /// Reads the provided APIs and checks that every owned one exists.
    fn read_apis(&mut self, crds: BTreeSet<Api>) -> Result<(), Refusal> {
        let refuse = |error: Unreadable, prefix: &str, help: &str| {
            let message = format!(
                "error checking provided apis in bundle {}: {prefix}{}",
                self.name(),
                error.message
            );
            self.csv().refusal(&error.path, message, help)
        };
        let help = "correct the ClusterServiceVersion";
        let services = self.api_services("owned").map_err(|error| {
            let map = if error.path.len() < 2 {
                "error unmarshaling into object map: "
            } else {
                ""
            };
            refuse(
                error,
                &format!("error getting apiservice definitions: {map}"),
                help,
            )
        })?;
        let owned = self
            .named_crds("owned")
            .map_err(|error| refuse(error, "", "name it `plural.group`"))?;
        let mut provided = crds;
        provided.extend(services);
        let missing = owned
            .iter()
            .filter(|(_, api)| !provided.contains(api))
            .min_by(|(_, a), (_, b)| a.cmp(b));
        if let Some((index, api)) = missing {
            let known: Vec<String> = provided
                .iter()
                .map(|api| format!("{}:{{}}", api.display_name()))
                .collect();
            let message = format!(
                "couldn't find {} in bundle. found: map[{}]",
                api.display_name(),
                known.join(" ")
            );
            let item = vec![index.to_string()];
            let error = Unreadable::new(&["spec", CRDS, "owned"], message, item);
            return Err(refuse(
                error,
                "",
                "add the CustomResourceDefinition with this version, or remove it from `owned`",
            ));
        }
        self.provided = provided;
        Ok(())
    }

    /// Returns the APIs that the ClusterServiceVersion requires.
    pub(super) fn required_apis(&self) -> Result<BTreeSet<Api>, Unreadable> {
        let mut required: BTreeSet<Api> = self
            .named_crds("required")?
            .into_iter()
            .map(|(_, api)| api)
            .collect();
        required.extend(self.api_services("required")?);
        Ok(required)
    }
}
