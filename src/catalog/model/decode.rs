//! Checks whether Go's JSON decoder would accept a value for a type, and which error it would
//! report.
//!
//! Decodes nothing; facts are read where they are needed. Go reports the first error in canonical
//! order. Almost all values are valid, so they are first checked in text order, without sorting;
//! only an error triggers sorting, removing duplicates and resolving merge keys to confirm it. The
//! recursion depth depends on the types, not on the input.

use super::view::{JsonKind, View};
use std::borrow::Cow;
use syntax::base64;
use syntax::go_text::{self, names_field};
use syntax::scalar::{self, Typed};
use syntax::tree::{NodeId, NodeKind};

/// Go's message, and the value it concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DecodeError {
    pub(super) message: String,
    pub(super) node: NodeId,
}

/// Checks `node` as the whole value of a type.
pub(super) fn check(view: &View<'_>, node: NodeId, shape: &Shape) -> Result<(), DecodeError> {
    let plain = !view.tree.has_properties_or_aliases();
    if plain && Decoder::new(view, false).value(node, shape).is_ok() {
        return Ok(());
    }
    Decoder::new(view, true).value(node, shape)
}

/// Checks a mapping as a struct.
pub(super) fn check_struct(
    view: &View<'_>,
    node: NodeId,
    s: &'static Struct,
) -> Result<(), DecodeError> {
    check(view, node, &Shape::Struct(s))
}

struct Decoder<'v, 'a> {
    view: &'v View<'a>,
    canonical: bool,
    /// JSON names of the enclosing struct fields.
    path: Vec<&'static str>,
    inside: Option<&'static Struct>,
}

impl<'v, 'a> Decoder<'v, 'a> {
    fn new(view: &'v View<'a>, canonical: bool) -> Self {
        Self {
            view,
            canonical,
            path: Vec::new(),
            inside: None,
        }
    }

    fn value(&mut self, node: NodeId, shape: &Shape) -> Result<(), DecodeError> {
        if matches!(shape, Shape::Any) {
            return Ok(());
        }
        let kind = self.view.kind(node);
        match (shape, kind) {
            (_, JsonKind::Null)
            | (Shape::Text(_), JsonKind::String)
            | (Shape::Bool, JsonKind::Bool) => Ok(()),
            (Shape::Bytes, JsonKind::String) => self.base64(node),
            (Shape::Bytes, JsonKind::Array) => self.list(node, &Shape::Int("uint8", 0, 255)),
            (Shape::Int(_, low, high), JsonKind::Number) => {
                let number = self.view.canonical(node);
                match number.parse::<i64>() {
                    Ok(n) if (*low..=*high).contains(&n) => Ok(()),
                    _ => Err(self.mismatch(node, &format!("number {number}"), shape)),
                }
            }
            (Shape::TextMap, JsonKind::Object) => self.each(node, |decoder, _, value| {
                decoder.value(value, &Shape::Text("string"))
            }),
            (Shape::List(item), JsonKind::Array) => self.list(node, item),
            (Shape::Struct(s), JsonKind::Object) => {
                let outer = self.inside;
                let result = self.each(node, |decoder, key, value| {
                    let Some((name, shape)) = field(s, key) else {
                        return Ok(());
                    };
                    decoder.inside = Some(s);
                    decoder.path.push(name);
                    let result = decoder.value(value, shape);
                    decoder.path.pop();
                    result
                });
                self.inside = outer;
                result
            }
            _ => Err(self.mismatch(node, kind.word(), shape)),
        }
    }

    fn list(&mut self, node: NodeId, item: &Shape) -> Result<(), DecodeError> {
        let inside = self.inside;
        for child in self.view.items(node) {
            self.value(child, item)?;
            self.inside = inside;
        }
        Ok(())
    }

    fn each(
        &mut self,
        node: NodeId,
        mut visit: impl FnMut(&mut Self, &[u8], NodeId) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        if self.canonical {
            for entry in self.view.entries(node) {
                visit(self, entry.key.as_bytes(), entry.value_node)?;
            }
            return Ok(());
        }
        for (key, value) in self.view.tree.pairs(node) {
            let spelled = self.key(key);
            if &*spelled == b"<<" && self.view.tree.kind(key) == NodeKind::Plain {
                // A merge key: check again in canonical order.
                return Err(DecodeError {
                    message: String::new(),
                    node: key,
                });
            }
            visit(self, &spelled, value)?;
        }
        Ok(())
    }

    /// Returns a key as written; field names never contain escapes.
    fn key(&self, key: NodeId) -> Cow<'a, [u8]> {
        let bytes = &self.view.text[self.view.tree.range(key)];
        let inner = match self.view.tree.kind(key) {
            NodeKind::Plain => Some(bytes),
            NodeKind::DoubleQuoted if !bytes.contains(&b'\\') => {
                bytes.get(1..bytes.len().saturating_sub(1))
            }
            _ => None,
        };
        match inner {
            Some(inner) => Cow::Borrowed(inner),
            None => Cow::Owned(
                scalar::decode(self.view.tree, self.view.text, key)
                    .into_owned()
                    .into_bytes(),
            ),
        }
    }

    fn base64(&self, node: NodeId) -> Result<(), DecodeError> {
        let text = self.view.string(node).unwrap_or_default();
        base64::check(text.as_bytes()).map_err(|at| DecodeError {
            message: format!("illegal base64 data at input byte {at}"),
            node,
        })
    }

    fn mismatch(&self, node: NodeId, actual: &str, shape: &Shape) -> DecodeError {
        let message = match self.inside {
            Some(s) => format!(
                "json: cannot unmarshal {actual} into Go struct field {}.{} of type {}",
                s.name(),
                self.path.join("."),
                shape.go()
            ),
            None => format!(
                "json: cannot unmarshal {actual} into Go value of type {}",
                shape.go()
            ),
        };
        DecodeError { message, node }
    }
}

/// Returns the field for a key: the exact name, else case-insensitively.
fn field(s: &'static Struct, key: &[u8]) -> Option<(&'static str, &'static Shape)> {
    let exact = s.fields.iter().find(|(name, _)| name.as_bytes() == key);
    let field = exact.or_else(|| {
        let key = std::str::from_utf8(key).ok()?;
        s.fields.iter().find(|(name, _)| names_field(key, name))
    });
    field.map(|(name, shape)| (*name, shape))
}

/// A Go type.
pub(super) enum Shape {
    /// `string`, or a named type of it.
    Text(&'static str),
    Bool,
    /// An integer type and its bounds.
    Int(&'static str, i64, i64),
    /// `[]byte`: base64 text or a list of small numbers.
    Bytes,
    /// Any value.
    Any,
    /// `map[string]string`.
    TextMap,
    List(&'static Shape),
    Struct(&'static Struct),
}

/// A struct type: its qualified name, and its fields by JSON name.
pub(super) struct Struct {
    pub(super) go: &'static str,
    pub(super) fields: &'static [(&'static str, Shape)],
}

impl Struct {
    /// Returns the name without the package.
    pub(super) fn name(&self) -> &'static str {
        self.go.rsplit('.').next().unwrap_or(self.go)
    }
}

impl Shape {
    /// Returns the type as printed by Go.
    pub(super) fn go(&self) -> String {
        match self {
            Shape::Text(go) | Shape::Int(go, ..) => (*go).to_owned(),
            Shape::Bool => "bool".to_owned(),
            Shape::Bytes => "[]uint8".to_owned(),
            Shape::Any => "interface {}".to_owned(),
            Shape::TextMap => "map[string]string".to_owned(),
            Shape::List(item) => format!("[]{}", item.go()),
            Shape::Struct(s) => s.go.to_owned(),
        }
    }
}

const TEXT: Shape = Shape::Text("string");
const TEXTS: Shape = Shape::List(&TEXT);

static PROPERTY: Struct = Struct {
    go: "property.Property",
    fields: &[("type", TEXT), ("value", Shape::Any)],
};
const PROPERTIES: Shape = Shape::List(&Shape::Struct(&PROPERTY));

static ICON: Struct = Struct {
    go: "declcfg.Icon",
    fields: &[("base64data", Shape::Bytes), ("mediatype", TEXT)],
};

pub(super) static PACKAGE: Struct = Struct {
    go: "declcfg.Package",
    fields: &[
        ("schema", TEXT),
        ("name", TEXT),
        ("defaultChannel", TEXT),
        ("icon", Shape::Struct(&ICON)),
        ("description", TEXT),
        ("properties", PROPERTIES),
    ],
};

static CHANNEL_ENTRY: Struct = Struct {
    go: "declcfg.ChannelEntry",
    fields: &[
        ("name", TEXT),
        ("replaces", TEXT),
        ("skips", TEXTS),
        ("skipRange", TEXT),
    ],
};

pub(super) static CHANNEL: Struct = Struct {
    go: "declcfg.Channel",
    fields: &[
        ("schema", TEXT),
        ("name", TEXT),
        ("package", TEXT),
        ("entries", Shape::List(&Shape::Struct(&CHANNEL_ENTRY))),
        ("properties", PROPERTIES),
    ],
};

static RELATED_IMAGE: Struct = Struct {
    go: "declcfg.RelatedImage",
    fields: &[("name", TEXT), ("image", TEXT)],
};

pub(super) static BUNDLE: Struct = Struct {
    go: "declcfg.Bundle",
    fields: &[
        ("schema", TEXT),
        ("name", TEXT),
        ("package", TEXT),
        ("image", TEXT),
        ("properties", PROPERTIES),
        ("relatedImages", Shape::List(&Shape::Struct(&RELATED_IMAGE))),
    ],
};

static REFERENCE: Struct = Struct {
    go: "declcfg.PackageScopedReference",
    fields: &[("schema", TEXT), ("name", TEXT)],
};
static DEPRECATION_ENTRY: Struct = Struct {
    go: "declcfg.DeprecationEntry",
    fields: &[("reference", Shape::Struct(&REFERENCE)), ("message", TEXT)],
};

pub(super) static DEPRECATION: Struct = Struct {
    go: "declcfg.Deprecation",
    fields: &[
        ("schema", TEXT),
        ("package", TEXT),
        ("entries", Shape::List(&Shape::Struct(&DEPRECATION_ENTRY))),
    ],
};

/// Returns the type that a property's value is decoded into.
pub(super) fn property(kind: &str) -> Shape {
    match kind {
        "olm.package" => Shape::Struct(&PROPERTY_PACKAGE),
        "olm.package.required" => Shape::Struct(&PROPERTY_PACKAGE_REQUIRED),
        "olm.gvk" => Shape::Struct(&PROPERTY_GVK),
        "olm.gvk.required" => Shape::Struct(&PROPERTY_GVK_REQUIRED),
        "olm.bundle.object" => Shape::Struct(&BUNDLE_OBJECT),
        "olm.channel" => Shape::Struct(&PROPERTY_CHANNEL),
        "olm.csv.metadata" => Shape::Struct(&CSV_METADATA),
        _ => Shape::Any,
    }
}

static PROPERTY_PACKAGE: Struct = Struct {
    go: "property.Package",
    fields: &[("packageName", TEXT), ("version", TEXT), ("release", TEXT)],
};
static PROPERTY_PACKAGE_REQUIRED: Struct = Struct {
    go: "property.PackageRequired",
    fields: &[("packageName", TEXT), ("versionRange", TEXT)],
};
static PROPERTY_GVK: Struct = Struct {
    go: "property.GVK",
    fields: &[("group", TEXT), ("kind", TEXT), ("version", TEXT)],
};
static PROPERTY_GVK_REQUIRED: Struct = Struct {
    go: "property.GVKRequired",
    fields: &[("group", TEXT), ("kind", TEXT), ("version", TEXT)],
};
pub(super) static BUNDLE_OBJECT: Struct = Struct {
    go: "property.BundleObject",
    fields: &[("data", Shape::Bytes)],
};
static PROPERTY_CHANNEL: Struct = Struct {
    go: "property.Channel",
    fields: &[
        ("channelName", TEXT),
        ("priority", Shape::Int("int", i64::MIN, i64::MAX)),
    ],
};

static CSV_METADATA: Struct = Struct {
    go: "property.CSVMetadata",
    fields: &[
        ("annotations", Shape::TextMap),
        (
            "apiServiceDefinitions",
            Shape::Struct(&API_SERVICE_DEFINITIONS),
        ),
        (
            "crdDescriptions",
            Shape::Struct(&CUSTOM_RESOURCE_DEFINITIONS),
        ),
        ("description", TEXT),
        ("displayName", TEXT),
        ("installModes", Shape::List(&Shape::Struct(&INSTALL_MODE))),
        ("keywords", TEXTS),
        ("labels", Shape::TextMap),
        ("links", Shape::List(&Shape::Struct(&APP_LINK))),
        ("maintainers", Shape::List(&Shape::Struct(&MAINTAINER))),
        ("maturity", TEXT),
        ("minKubeVersion", TEXT),
        (
            "nativeAPIs",
            Shape::List(&Shape::Struct(&GROUP_VERSION_KIND)),
        ),
        ("provider", Shape::Struct(&APP_LINK)),
    ],
};
static INSTALL_MODE: Struct = Struct {
    go: "v1alpha1.InstallMode",
    fields: &[
        ("type", Shape::Text("v1alpha1.InstallModeType")),
        ("supported", Shape::Bool),
    ],
};
static APP_LINK: Struct = Struct {
    go: "v1alpha1.AppLink",
    fields: &[("name", TEXT), ("url", TEXT)],
};
static MAINTAINER: Struct = Struct {
    go: "v1alpha1.Maintainer",
    fields: &[("name", TEXT), ("email", TEXT)],
};
static GROUP_VERSION_KIND: Struct = Struct {
    go: "v1.GroupVersionKind",
    fields: &[("group", TEXT), ("version", TEXT), ("kind", TEXT)],
};
static API_RESOURCE: Struct = Struct {
    go: "v1alpha1.APIResourceReference",
    fields: &[("name", TEXT), ("kind", TEXT), ("version", TEXT)],
};

macro_rules! descriptor {
    ($name:ident, $go:literal) => {
        static $name: Struct = Struct {
            go: $go,
            fields: &[
                ("path", TEXT),
                ("displayName", TEXT),
                ("description", TEXT),
                ("x-descriptors", TEXTS),
                ("value", Shape::Any),
            ],
        };
    };
}
descriptor!(SPEC_DESCRIPTOR, "v1alpha1.SpecDescriptor");
descriptor!(STATUS_DESCRIPTOR, "v1alpha1.StatusDescriptor");
descriptor!(ACTION_DESCRIPTOR, "v1alpha1.ActionDescriptor");

static CRD_DESCRIPTION: Struct = Struct {
    go: "v1alpha1.CRDDescription",
    fields: &[
        ("name", TEXT),
        ("version", TEXT),
        ("kind", TEXT),
        ("displayName", TEXT),
        ("description", TEXT),
        ("resources", Shape::List(&Shape::Struct(&API_RESOURCE))),
        (
            "statusDescriptors",
            Shape::List(&Shape::Struct(&STATUS_DESCRIPTOR)),
        ),
        (
            "specDescriptors",
            Shape::List(&Shape::Struct(&SPEC_DESCRIPTOR)),
        ),
        (
            "actionDescriptors",
            Shape::List(&Shape::Struct(&ACTION_DESCRIPTOR)),
        ),
    ],
};
const CRD_DESCRIPTIONS: Shape = Shape::List(&Shape::Struct(&CRD_DESCRIPTION));
static CUSTOM_RESOURCE_DEFINITIONS: Struct = Struct {
    go: "v1alpha1.CustomResourceDefinitions",
    fields: &[("owned", CRD_DESCRIPTIONS), ("required", CRD_DESCRIPTIONS)],
};

static API_SERVICE_DESCRIPTION: Struct = Struct {
    go: "v1alpha1.APIServiceDescription",
    fields: &[
        ("name", TEXT),
        ("group", TEXT),
        ("version", TEXT),
        ("kind", TEXT),
        ("deploymentName", TEXT),
        (
            "containerPort",
            Shape::Int("int32", i32::MIN as i64, i32::MAX as i64),
        ),
        ("displayName", TEXT),
        ("description", TEXT),
        ("resources", Shape::List(&Shape::Struct(&API_RESOURCE))),
        (
            "statusDescriptors",
            Shape::List(&Shape::Struct(&STATUS_DESCRIPTOR)),
        ),
        (
            "specDescriptors",
            Shape::List(&Shape::Struct(&SPEC_DESCRIPTOR)),
        ),
        (
            "actionDescriptors",
            Shape::List(&Shape::Struct(&ACTION_DESCRIPTOR)),
        ),
    ],
};
const API_SERVICE_DESCRIPTIONS: Shape = Shape::List(&Shape::Struct(&API_SERVICE_DESCRIPTION));
static API_SERVICE_DEFINITIONS: Struct = Struct {
    go: "v1alpha1.APIServiceDefinitions",
    fields: &[
        ("owned", API_SERVICE_DESCRIPTIONS),
        ("required", API_SERVICE_DESCRIPTIONS),
    ],
};

/// Formats a value with `%t` (meant for booleans) and `%v`, separated by a colon.
pub(super) fn truth_and_value(view: &View<'_>, node: NodeId) -> String {
    format!("{}: {}", print(view, node, true), print(view, node, false))
}

enum PrintPart<'a> {
    Value(NodeId),
    Text(String),
    Key(std::borrow::Cow<'a, str>),
}

fn print(view: &View<'_>, node: NodeId, as_truth: bool) -> String {
    let mut out = String::new();
    // Pending parts, last first: avoids recursion on deep values.
    let mut steps = vec![PrintPart::Value(node)];
    let mut nested = false;
    while let Some(step) = steps.pop() {
        match step {
            PrintPart::Text(text) => out.push_str(&text),
            PrintPart::Key(key) => push_scalar(&mut out, "string", &key, as_truth),
            PrintPart::Value(node) => {
                let node = view.tree.resolve_alias(node);
                let kind = view.tree.kind(node);
                if kind.is_mapping() {
                    out.push_str("map[");
                    let mut inner = Vec::new();
                    for (i, entry) in view.entries(node).into_iter().enumerate() {
                        inner.extend((i > 0).then(|| PrintPart::Text(" ".to_owned())));
                        inner.extend([
                            PrintPart::Key(entry.key),
                            PrintPart::Text(":".to_owned()),
                            PrintPart::Value(entry.value_node),
                        ]);
                    }
                    steps.push(PrintPart::Text("]".to_owned()));
                    steps.extend(inner.into_iter().rev());
                } else if kind.is_sequence() {
                    out.push('[');
                    let mut inner = Vec::new();
                    for (i, item) in view.tree.children(node).enumerate() {
                        inner.extend((i > 0).then(|| PrintPart::Text(" ".to_owned())));
                        inner.push(PrintPart::Value(item));
                    }
                    steps.push(PrintPart::Text("]".to_owned()));
                    steps.extend(inner.into_iter().rev());
                } else {
                    scalar(view, node, as_truth, nested, &mut out);
                }
                nested = true;
            }
        }
    }
    out
}

fn scalar(view: &View<'_>, node: NodeId, as_truth: bool, nested: bool, out: &mut String) {
    match scalar::resolve(view.tree, view.text, node).ok().flatten() {
        None | Some(Typed::Null) if as_truth && !nested => out.push_str("%!t(<nil>)"),
        None | Some(Typed::Null) => out.push_str("<nil>"),
        Some(Typed::Bool(value)) => out.push_str(if value { "true" } else { "false" }),
        Some(Typed::Int(value)) => push_scalar(
            out,
            "float64",
            &go_text::format_float(value as f64),
            as_truth,
        ),
        Some(Typed::Uint(value)) => push_scalar(
            out,
            "float64",
            &go_text::format_float(value as f64),
            as_truth,
        ),
        Some(Typed::Float(value)) => {
            push_scalar(out, "float64", &go_text::format_float(value), as_truth)
        }
        Some(Typed::Text(value)) => push_scalar(out, "string", &value, as_truth),
    }
}

fn push_scalar(out: &mut String, go: &str, text: &str, as_truth: bool) {
    if as_truth {
        out.extend(["%!t(", go, "=", text, ")"]);
    } else {
        out.push_str(text);
    }
}
