//! The Go types of blobs and properties, as far as needed to find values with a wrong type
//! (`opm-semantics` 1.6, 2.2). Their names are part of `opm`'s messages.

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
    /// The name without the package.
    pub(super) fn name(&self) -> &'static str {
        self.go.rsplit('.').next().unwrap_or(self.go)
    }
}

impl Shape {
    /// The type as printed by Go.
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

/// The type that a property's value is decoded into.
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
