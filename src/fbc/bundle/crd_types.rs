//! The types of a CustomResourceDefinition in both of its versions: one that does not decode makes
//! the bundle fail.

use super::typed::{Field, Struct, Type};
use super::types::OBJECT_META;

const fn field(name: &'static str, of: Type) -> Field {
    Field {
        name,
        through: None,
        of,
        kept: false,
    }
}

/// Kubernetes decodes these types with case-sensitive names.
const fn exact(go: &'static str, fields: &'static [Field]) -> Struct {
    Struct {
        go,
        fields,
        exact: true,
    }
}

const TEXT: Type = Type::Text("string");
const TEXTS: Type = Type::List(&TEXT);
const INT32: Type = Type::Int("int32", i32::MIN as i64, i32::MAX as i64);
const LENGTH: Type = Type::Pointer(&Type::Int("int64", i64::MIN, i64::MAX));
const FLAG: Type = Type::Pointer(&Type::Bool);
static SCHEMA: Type = Type::Struct(&JSON_SCHEMA);
static SCHEMAS: Type = Type::List(&SCHEMA);

static DOCS: Struct = exact(
    "v1.ExternalDocumentation",
    &[field("description", TEXT), field("url", TEXT)],
);
static VALIDATION: Struct = exact(
    "v1.ValidationRule",
    &[
        field("rule", TEXT),
        field("message", TEXT),
        field("messageExpression", TEXT),
        field(
            "reason",
            Type::Pointer(&Type::Text("v1.FieldValueErrorReason")),
        ),
        field("fieldPath", TEXT),
        field("optionalOldSelf", FLAG),
    ],
);
static JSON_SCHEMA: Struct = exact(
    "v1.JSONSchemaProps",
    &[
        field("id", TEXT),
        field("$schema", Type::Text("v1.JSONSchemaURL")),
        field("$ref", Type::Pointer(&TEXT)),
        field("description", TEXT),
        field("type", TEXT),
        field("format", TEXT),
        field("title", TEXT),
        field("default", Type::Any),
        field("maximum", Type::Pointer(&Type::Float)),
        field("exclusiveMaximum", Type::Bool),
        field("minimum", Type::Pointer(&Type::Float)),
        field("exclusiveMinimum", Type::Bool),
        field("maxLength", LENGTH),
        field("minLength", LENGTH),
        field("pattern", TEXT),
        field("maxItems", LENGTH),
        field("minItems", LENGTH),
        field("uniqueItems", Type::Bool),
        field("multipleOf", Type::Pointer(&Type::Float)),
        field("enum", Type::List(&Type::Named("v1.JSON", &Type::Any))),
        field("maxProperties", LENGTH),
        field("minProperties", LENGTH),
        field("required", TEXTS),
        field("items", Type::ObjectOrList(&SCHEMA, &SCHEMAS)),
        field("allOf", Type::List(&SCHEMA)),
        field("oneOf", Type::List(&SCHEMA)),
        field("anyOf", Type::List(&SCHEMA)),
        field("not", Type::Pointer(&SCHEMA)),
        field("properties", Type::Map(&SCHEMA)),
        field("additionalProperties", Type::ObjectOrBool(&SCHEMA)),
        field("patternProperties", Type::Map(&SCHEMA)),
        field(
            "dependencies",
            Type::Named(
                "v1.JSONSchemaDependencies",
                &Type::Map(&Type::ObjectOrList(&SCHEMA, &TEXTS)),
            ),
        ),
        field("additionalItems", Type::ObjectOrBool(&SCHEMA)),
        field("definitions", Type::Map(&SCHEMA)),
        field("externalDocs", Type::Pointer(&Type::Struct(&DOCS))),
        field("example", Type::Any),
        field("nullable", Type::Bool),
        field("x-kubernetes-preserve-unknown-fields", FLAG),
        field("x-kubernetes-embedded-resource", Type::Bool),
        field("x-kubernetes-int-or-string", Type::Bool),
        field("x-kubernetes-list-map-keys", TEXTS),
        field("x-kubernetes-list-type", Type::Pointer(&TEXT)),
        field("x-kubernetes-map-type", Type::Pointer(&TEXT)),
        field(
            "x-kubernetes-validations",
            Type::Named(
                "v1.ValidationRules",
                &Type::List(&Type::Struct(&VALIDATION)),
            ),
        ),
    ],
);
static VALIDATED: Struct = exact(
    "v1.CustomResourceValidation",
    &[field("openAPIV3Schema", Type::Pointer(&SCHEMA))],
);
static SCALE: Struct = exact(
    "v1.CustomResourceSubresourceScale",
    &[
        field("specReplicasPath", TEXT),
        field("statusReplicasPath", TEXT),
        field("labelSelectorPath", Type::Pointer(&TEXT)),
    ],
);
static NOTHING: Struct = exact("v1.CustomResourceSubresourceStatus", &[]);
static SUBRESOURCES: Struct = exact(
    "v1.CustomResourceSubresources",
    &[
        field("status", Type::Pointer(&Type::Struct(&NOTHING))),
        field("scale", Type::Pointer(&Type::Struct(&SCALE))),
    ],
);
static COLUMN: Struct = exact(
    "v1.CustomResourceColumnDefinition",
    &[
        field("name", TEXT),
        field("type", TEXT),
        field("format", TEXT),
        field("description", TEXT),
        field("priority", INT32),
        field("jsonPath", TEXT),
        field("JSONPath", TEXT),
    ],
);
const COLUMNS: Type = Type::List(&Type::Struct(&COLUMN));
static SELECTABLE: Struct = exact("v1.SelectableField", &[field("jsonPath", TEXT)]);
static VERSION: Struct = exact(
    "v1.CustomResourceDefinitionVersion",
    &[
        field("name", TEXT),
        field("served", Type::Bool),
        field("storage", Type::Bool),
        field("deprecated", Type::Bool),
        field("deprecationWarning", Type::Pointer(&TEXT)),
        field("schema", Type::Pointer(&Type::Struct(&VALIDATED))),
        field("subresources", Type::Pointer(&Type::Struct(&SUBRESOURCES))),
        field("additionalPrinterColumns", COLUMNS),
        field("selectableFields", Type::List(&Type::Struct(&SELECTABLE))),
    ],
);
static NAMES: Struct = exact(
    "v1.CustomResourceDefinitionNames",
    &[
        field("plural", TEXT),
        field("singular", TEXT),
        field("shortNames", TEXTS),
        field("kind", TEXT),
        field("listKind", TEXT),
        field("categories", TEXTS),
    ],
);
static SERVICE: Struct = exact(
    "v1.ServiceReference",
    &[
        field("namespace", TEXT),
        field("name", TEXT),
        field("path", Type::Pointer(&TEXT)),
        field("port", Type::Pointer(&INT32)),
    ],
);
static CLIENT: Struct = exact(
    "v1.WebhookClientConfig",
    &[
        field("url", Type::Pointer(&TEXT)),
        field("service", Type::Pointer(&Type::Struct(&SERVICE))),
        field("caBundle", Type::Bytes),
    ],
);
static WEBHOOK: Struct = exact(
    "v1.WebhookConversion",
    &[
        field("clientConfig", Type::Pointer(&Type::Struct(&CLIENT))),
        field("conversionReviewVersions", TEXTS),
    ],
);
static CONVERSION: Struct = exact(
    "v1.CustomResourceConversion",
    &[
        field("strategy", Type::Text("v1.ConversionStrategyType")),
        field("webhook", Type::Pointer(&Type::Struct(&WEBHOOK))),
        field("webhookClientConfig", Type::Pointer(&Type::Struct(&CLIENT))),
        field("conversionReviewVersions", TEXTS),
    ],
);
static SPEC: Struct = exact(
    "v1.CustomResourceDefinitionSpec",
    &[
        field("group", TEXT),
        field("names", Type::Struct(&NAMES)),
        field("scope", Type::Text("v1.ResourceScope")),
        field("versions", Type::List(&Type::Struct(&VERSION))),
        field("conversion", Type::Pointer(&Type::Struct(&CONVERSION))),
        field("preserveUnknownFields", Type::Bool),
    ],
);
pub(super) static V1: Type = Type::Struct(&exact(
    "v1.CustomResourceDefinition",
    &[
        field("kind", TEXT),
        field("apiVersion", TEXT),
        field("metadata", Type::Struct(&OBJECT_META)),
        field("spec", Type::Struct(&SPEC)),
    ],
));
static SPEC_BETA: Struct = exact(
    "v1beta1.CustomResourceDefinitionSpec",
    &[
        field("group", TEXT),
        field("version", TEXT),
        field("names", Type::Struct(&NAMES)),
        field("scope", Type::Text("v1beta1.ResourceScope")),
        field("validation", Type::Pointer(&Type::Struct(&VALIDATED))),
        field("subresources", Type::Pointer(&Type::Struct(&SUBRESOURCES))),
        field("versions", Type::List(&Type::Struct(&VERSION))),
        field("additionalPrinterColumns", COLUMNS),
        field("selectableFields", Type::List(&Type::Struct(&SELECTABLE))),
        field("conversion", Type::Pointer(&Type::Struct(&CONVERSION))),
        field("preserveUnknownFields", FLAG),
    ],
);
pub(super) static V1BETA1: Type = Type::Struct(&exact(
    "v1beta1.CustomResourceDefinition",
    &[
        field("kind", TEXT),
        field("apiVersion", TEXT),
        field("metadata", Type::Struct(&OBJECT_META)),
        field("spec", Type::Struct(&SPEC_BETA)),
    ],
));
