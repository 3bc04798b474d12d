//! Checks whether Go's JSON decoder accepts a value for a type, and which error it reports.
//!
//! Decodes nothing. Go reports the first error in canonical order. Almost all values are valid, so
//! they are first checked in text order, without sorting; only an error triggers sorting, removing
//! duplicates and resolving merge keys to confirm it. The recursion depth depends on the types, not
//! on the input.

use super::view::{JsonKind, View};
use GoType::{List, Struct};
use std::borrow::Cow;
use syntax::base64;
use syntax::go_text::names_field;
use syntax::scalar;
use syntax::tree::{NodeId, NodeKind};

/// Go's message, and the value that it concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError {
    pub message: String,
    pub node: NodeId,
}

impl DecodeError {
    /// Creates the error for a property without a value.
    pub fn absent_value(property: NodeId) -> Self {
        Self {
            message: "unexpected end of JSON input".to_owned(),
            node: property,
        }
    }
}

/// Fails if Go cannot decode `node` into a type.
pub fn check(view: &View<'_>, node: NodeId, go_type: &GoType) -> Result<(), DecodeError> {
    let is_simple = !view.tree.has_properties_or_aliases();
    if is_simple
        && Decoder::new(view, KeyOrder::Text)
            .value(node, go_type)
            .is_ok()
    {
        return Ok(());
    }
    Decoder::new(view, KeyOrder::Canonical).value(node, go_type)
}

/// Fails if Go cannot decode a mapping into a struct.
pub fn check_struct(
    view: &View<'_>,
    node: NodeId,
    go_struct: &'static GoStruct,
) -> Result<(), DecodeError> {
    check(view, node, &GoType::Struct(go_struct))
}

/// The order in which the keys of a mapping are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyOrder {
    /// As written; fast, but any error may not be the one that Go reports.
    Text,
    /// Sorted, without duplicates and merge keys.
    Canonical,
}

struct Decoder<'v, 'a> {
    view: &'v View<'a>,
    order: KeyOrder,
    /// JSON names of the enclosing struct fields.
    path: Vec<&'static str>,
    /// The innermost struct, which the error names.
    enclosing: Option<&'static GoStruct>,
}

impl<'v, 'a> Decoder<'v, 'a> {
    fn new(view: &'v View<'a>, order: KeyOrder) -> Self {
        Self {
            view,
            order,
            path: Vec::new(),
            enclosing: None,
        }
    }

    fn value(&mut self, node: NodeId, go_type: &GoType) -> Result<(), DecodeError> {
        if matches!(go_type, GoType::Any) {
            return Ok(());
        }
        let kind = self.view.kind(node);
        match (go_type, kind) {
            (_, JsonKind::Null)
            | (GoType::Text(_), JsonKind::String)
            | (GoType::Bool, JsonKind::Bool) => Ok(()),
            (GoType::Bytes, JsonKind::String) => self.base64(node),
            (GoType::Bytes, JsonKind::Array) => self.list(node, &GoType::Int("uint8", 0, 255)),
            (GoType::Int(_, min, max), JsonKind::Number) => {
                let number = self.view.canonical(node);
                match number.parse::<i64>() {
                    Ok(n) if (*min..=*max).contains(&n) => Ok(()),
                    _ => Err(self.mismatch(node, &format!("number {number}"), go_type)),
                }
            }
            (GoType::TextMap, JsonKind::Object) => self
                .for_each_entry(node, |decoder, _, value| {
                    decoder.value(value, &GoType::Text("string"))
                }),
            (GoType::List(item), JsonKind::Array) => self.list(node, item),
            (GoType::Struct(s), JsonKind::Object) => {
                let outer = self.enclosing;
                let result = self.for_each_entry(node, |decoder, key, value| {
                    let Some((name, go_type)) = field(s, key) else {
                        return Ok(());
                    };
                    decoder.enclosing = Some(s);
                    decoder.path.push(name);
                    let result = decoder.value(value, go_type);
                    decoder.path.pop();
                    result
                });
                self.enclosing = outer;
                result
            }
            _ => Err(self.mismatch(node, kind.name(), go_type)),
        }
    }

    fn list(&mut self, node: NodeId, item: &GoType) -> Result<(), DecodeError> {
        let enclosing = self.enclosing;
        for child in self.view.items(node) {
            self.value(child, item)?;
            self.enclosing = enclosing;
        }
        Ok(())
    }

    fn for_each_entry(
        &mut self,
        node: NodeId,
        mut visit: impl FnMut(&mut Self, &[u8], NodeId) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        if self.order == KeyOrder::Canonical {
            for entry in self.view.entries(node) {
                visit(self, entry.key.as_bytes(), entry.value_node)?;
            }
            return Ok(());
        }
        for (key, value) in self.view.tree.pairs(node) {
            let name = self.key(key);
            if &*name == b"<<" && self.view.tree.kind(key) == NodeKind::Plain {
                // A merge key: check again in canonical order.
                return Err(DecodeError {
                    message: String::new(),
                    node: key,
                });
            }
            visit(self, &name, value)?;
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

    fn mismatch(&self, node: NodeId, actual: &str, go_type: &GoType) -> DecodeError {
        let message = match self.enclosing {
            Some(s) => format!(
                "json: cannot unmarshal {actual} into Go struct field {}.{} of type {}",
                s.short_name(),
                self.path.join("."),
                go_type.full_name()
            ),
            None => format!(
                "json: cannot unmarshal {actual} into Go value of type {}",
                go_type.full_name()
            ),
        };
        DecodeError { message, node }
    }
}

/// Returns the field for a key: the exact name, else case-insensitively.
fn field(s: &'static GoStruct, key: &[u8]) -> Option<(&'static str, &'static GoType)> {
    let exact = s.fields.iter().find(|(name, _)| name.as_bytes() == key);
    let field = exact.or_else(|| {
        let key = std::str::from_utf8(key).ok()?;
        s.fields.iter().find(|(name, _)| names_field(key, name))
    });
    field.map(|(name, go_type)| (*name, go_type))
}

pub enum GoType {
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
    List(&'static GoType),
    Struct(&'static GoStruct),
}

/// A struct type: its qualified name, and its fields by JSON name.
pub struct GoStruct {
    pub name: &'static str,
    pub fields: &'static [(&'static str, GoType)],
}

impl GoStruct {
    /// Returns the name without the package.
    pub fn short_name(&self) -> &'static str {
        self.name.rsplit('.').next().unwrap_or(self.name)
    }
}

impl GoType {
    /// Returns the type as printed by Go.
    pub fn full_name(&self) -> String {
        match self {
            GoType::Text(go) | GoType::Int(go, ..) => (*go).to_owned(),
            GoType::Bool => "bool".to_owned(),
            GoType::Bytes => "[]uint8".to_owned(),
            GoType::Any => "interface {}".to_owned(),
            GoType::TextMap => "map[string]string".to_owned(),
            GoType::List(item) => format!("[]{}", item.full_name()),
            GoType::Struct(s) => s.name.to_owned(),
        }
    }
}

const TEXT: GoType = GoType::Text("string");
const TEXTS: GoType = List(&TEXT);
const PROPERTIES: GoType = List(&Struct(&PROPERTY));
const STATUS_DESCRIPTORS: GoType = List(&Struct(&STATUS_DESCRIPTOR));
const SPEC_DESCRIPTORS: GoType = List(&Struct(&SPEC_DESCRIPTOR));
const ACTION_DESCRIPTORS: GoType = List(&Struct(&ACTION_DESCRIPTOR));
const API_RESOURCES: GoType = List(&Struct(&API_RESOURCE));
const CRD_DESCRIPTIONS: GoType = List(&Struct(&CRD_DESCRIPTION));
const API_SERVICE_DESCRIPTIONS: GoType = List(&Struct(&API_SERVICE_DESCRIPTION));

/// Defines struct types: our name, Go's name, and the fields.
macro_rules! go_structs {
    ($($vis:vis $name:ident $go:literal { $($field:literal: $go_type:expr,)* })*) => {
        $($vis static $name: GoStruct = GoStruct {
            name: $go,
            fields: &[$(($field, $go_type)),*],
        };)*
    };
}

go_structs! {
    PROPERTY "property.Property" {
        "type": TEXT,
        "value": GoType::Any,
    }
    ICON "declcfg.Icon" {
        "base64data": GoType::Bytes,
        "mediatype": TEXT,
    }
    pub PACKAGE "declcfg.Package" {
        "schema": TEXT,
        "name": TEXT,
        "defaultChannel": TEXT,
        "icon": Struct(&ICON),
        "description": TEXT,
        "properties": PROPERTIES,
    }
    CHANNEL_ENTRY "declcfg.ChannelEntry" {
        "name": TEXT,
        "replaces": TEXT,
        "skips": TEXTS,
        "skipRange": TEXT,
    }
    pub CHANNEL "declcfg.Channel" {
        "schema": TEXT,
        "name": TEXT,
        "package": TEXT,
        "entries": List(&Struct(&CHANNEL_ENTRY)),
        "properties": PROPERTIES,
    }
    RELATED_IMAGE "declcfg.RelatedImage" {
        "name": TEXT,
        "image": TEXT,
    }
    pub BUNDLE "declcfg.Bundle" {
        "schema": TEXT,
        "name": TEXT,
        "package": TEXT,
        "image": TEXT,
        "properties": PROPERTIES,
        "relatedImages": List(&Struct(&RELATED_IMAGE)),
    }
    REFERENCE "declcfg.PackageScopedReference" {
        "schema": TEXT,
        "name": TEXT,
    }
    DEPRECATION_ENTRY "declcfg.DeprecationEntry" {
        "reference": Struct(&REFERENCE),
        "message": TEXT,
    }
    pub DEPRECATION "declcfg.Deprecation" {
        "schema": TEXT,
        "package": TEXT,
        "entries": List(&Struct(&DEPRECATION_ENTRY)),
    }
    PROPERTY_PACKAGE "property.Package" {
        "packageName": TEXT,
        "version": TEXT,
        "release": TEXT,
    }
    PROPERTY_PACKAGE_REQUIRED "property.PackageRequired" {
        "packageName": TEXT,
        "versionRange": TEXT,
    }
    PROPERTY_GVK "property.GVK" {
        "group": TEXT,
        "kind": TEXT,
        "version": TEXT,
    }
    PROPERTY_GVK_REQUIRED "property.GVKRequired" {
        "group": TEXT,
        "kind": TEXT,
        "version": TEXT,
    }
    pub BUNDLE_OBJECT "property.BundleObject" {
        "data": GoType::Bytes,
    }
    PROPERTY_CHANNEL "property.Channel" {
        "channelName": TEXT,
        "priority": GoType::Int("int", i64::MIN, i64::MAX),
    }
    CSV_METADATA "property.CSVMetadata" {
        "annotations": GoType::TextMap,
        "apiServiceDefinitions": Struct(&API_SERVICE_DEFINITIONS),
        "crdDescriptions": Struct(&CUSTOM_RESOURCE_DEFINITIONS),
        "description": TEXT,
        "displayName": TEXT,
        "installModes": List(&Struct(&INSTALL_MODE)),
        "keywords": TEXTS,
        "labels": GoType::TextMap,
        "links": List(&Struct(&APP_LINK)),
        "maintainers": List(&Struct(&MAINTAINER)),
        "maturity": TEXT,
        "minKubeVersion": TEXT,
        "nativeAPIs": List(&Struct(&GROUP_VERSION_KIND)),
        "provider": Struct(&APP_LINK),
    }
    INSTALL_MODE "v1alpha1.InstallMode" {
        "type": GoType::Text("v1alpha1.InstallModeType"),
        "supported": GoType::Bool,
    }
    APP_LINK "v1alpha1.AppLink" {
        "name": TEXT,
        "url": TEXT,
    }
    MAINTAINER "v1alpha1.Maintainer" {
        "name": TEXT,
        "email": TEXT,
    }
    GROUP_VERSION_KIND "v1.GroupVersionKind" {
        "group": TEXT,
        "version": TEXT,
        "kind": TEXT,
    }
    API_RESOURCE "v1alpha1.APIResourceReference" {
        "name": TEXT,
        "kind": TEXT,
        "version": TEXT,
    }
    SPEC_DESCRIPTOR "v1alpha1.SpecDescriptor" {
        "path": TEXT,
        "displayName": TEXT,
        "description": TEXT,
        "x-descriptors": TEXTS,
        "value": GoType::Any,
    }
    STATUS_DESCRIPTOR "v1alpha1.StatusDescriptor" {
        "path": TEXT,
        "displayName": TEXT,
        "description": TEXT,
        "x-descriptors": TEXTS,
        "value": GoType::Any,
    }
    ACTION_DESCRIPTOR "v1alpha1.ActionDescriptor" {
        "path": TEXT,
        "displayName": TEXT,
        "description": TEXT,
        "x-descriptors": TEXTS,
        "value": GoType::Any,
    }
    CRD_DESCRIPTION "v1alpha1.CRDDescription" {
        "name": TEXT,
        "version": TEXT,
        "kind": TEXT,
        "displayName": TEXT,
        "description": TEXT,
        "resources": API_RESOURCES,
        "statusDescriptors": STATUS_DESCRIPTORS,
        "specDescriptors": SPEC_DESCRIPTORS,
        "actionDescriptors": ACTION_DESCRIPTORS,
    }
    CUSTOM_RESOURCE_DEFINITIONS "v1alpha1.CustomResourceDefinitions" {
        "owned": CRD_DESCRIPTIONS,
        "required": CRD_DESCRIPTIONS,
    }
    API_SERVICE_DESCRIPTION "v1alpha1.APIServiceDescription" {
        "name": TEXT,
        "group": TEXT,
        "version": TEXT,
        "kind": TEXT,
        "deploymentName": TEXT,
        "containerPort": GoType::Int("int32", i32::MIN as i64, i32::MAX as i64),
        "displayName": TEXT,
        "description": TEXT,
        "resources": API_RESOURCES,
        "statusDescriptors": STATUS_DESCRIPTORS,
        "specDescriptors": SPEC_DESCRIPTORS,
        "actionDescriptors": ACTION_DESCRIPTORS,
    }
    API_SERVICE_DEFINITIONS "v1alpha1.APIServiceDefinitions" {
        "owned": API_SERVICE_DESCRIPTIONS,
        "required": API_SERVICE_DESCRIPTIONS,
    }
}

/// Returns the type into which `opm` decodes the value of a property of this type.
pub fn property_value(kind: &str) -> GoType {
    match kind {
        "olm.package" => Struct(&PROPERTY_PACKAGE),
        "olm.package.required" => Struct(&PROPERTY_PACKAGE_REQUIRED),
        "olm.gvk" => Struct(&PROPERTY_GVK),
        "olm.gvk.required" => Struct(&PROPERTY_GVK_REQUIRED),
        "olm.bundle.object" => Struct(&BUNDLE_OBJECT),
        "olm.channel" => Struct(&PROPERTY_CHANNEL),
        "olm.csv.metadata" => Struct(&CSV_METADATA),
        _ => GoType::Any,
    }
}
