//! The types of blobs, of the parts of a ClusterServiceVersion that `opm` decodes, in output order, and of a
//! CustomResourceDefinition in both of its versions.

use super::typed::{Field, Struct, Type};

/// A field that is omitted if empty.
const fn some(name: &'static str, go_type: Type) -> Field {
    Field {
        name,
        through: None,
        go_type,
        kept: false,
    }
}

/// A field that is written even if empty.
const fn kept(name: &'static str, go_type: Type) -> Field {
    Field {
        name,
        through: None,
        go_type,
        kept: true,
    }
}

/// A field of an embedded struct.
const fn through(inner: &'static str, name: &'static str, go_type: Type) -> Field {
    Field {
        name,
        through: Some(inner),
        go_type,
        kept: false,
    }
}

const fn new(go: &'static str, fields: &'static [Field]) -> Struct {
    Struct {
        go,
        fields,
        exact: false,
    }
}

const TEXT: Type = Type::Text("string");
const TEXTS: Type = Type::List(&TEXT);
const TEXT_MAP: Type = Type::Map(&TEXT);
const INT32: Type = Type::Int("int32", i32::MIN as i64, i32::MAX as i64);
const INT64: Type = Type::Int("int64", i64::MIN, i64::MAX);

static PROPERTY: Struct = new(
    "property.Property",
    &[kept("type", TEXT), kept("value", Type::Any)],
);
const PROPERTIES: Type = Type::List(&Type::Struct(&PROPERTY));
static ICON: Struct = new(
    "declcfg.PackageIcon",
    &[kept("base64data", Type::Bytes), kept("mediatype", TEXT)],
);
pub(super) static PACKAGE: Type = Type::Struct(&new(
    "declcfg.Package",
    &[
        kept("schema", TEXT),
        kept("name", TEXT),
        kept("defaultChannel", TEXT),
        some("icon", Type::Pointer(&Type::Struct(&ICON))),
        some("description", TEXT),
        some("properties", PROPERTIES),
    ],
));
static ENTRY: Struct = new(
    "declcfg.ChannelEntry",
    &[
        kept("name", TEXT),
        some("replaces", TEXT),
        some("skips", TEXTS),
        some("skipRange", TEXT),
    ],
);
pub(super) static CHANNEL: Type = Type::Struct(&new(
    "declcfg.Channel",
    &[
        kept("schema", TEXT),
        kept("name", TEXT),
        kept("package", TEXT),
        kept("entries", Type::List(&Type::Struct(&ENTRY))),
        some("properties", PROPERTIES),
    ],
));
static RELATED_IMAGE: Struct = new(
    "declcfg.RelatedImage",
    &[kept("name", TEXT), kept("image", TEXT)],
);
pub(super) static RELATED_IMAGES: Type = Type::List(&Type::Struct(&RELATED_IMAGE));
pub(super) static BUNDLE: Type = Type::Struct(&new(
    "declcfg.Bundle",
    &[
        kept("schema", TEXT),
        some("name", TEXT),
        some("package", TEXT),
        kept("image", TEXT),
        some("properties", PROPERTIES),
        some("relatedImages", Type::List(&Type::Struct(&RELATED_IMAGE))),
    ],
));
static REFERENCE: Struct = new(
    "declcfg.PackageScopedReference",
    &[kept("schema", TEXT), some("name", TEXT)],
);
static DEPRECATION_ENTRY: Struct = new(
    "declcfg.DeprecationEntry",
    &[
        kept("reference", Type::Struct(&REFERENCE)),
        kept("message", TEXT),
    ],
);
pub(super) static DEPRECATIONS: Type = Type::Struct(&new(
    "declcfg.Deprecation",
    &[
        kept("schema", TEXT),
        kept("package", TEXT),
        kept("entries", Type::List(&Type::Struct(&DEPRECATION_ENTRY))),
    ],
));

pub(super) static PROPERTY_PACKAGE: Type = Type::Struct(&new(
    "property.Package",
    &[
        kept("packageName", TEXT),
        kept("version", TEXT),
        some("release", TEXT),
    ],
));
pub(super) static PROPERTY_GVK: Type = Type::Struct(&new(
    "property.GVK",
    &[
        kept("group", TEXT),
        kept("kind", TEXT),
        kept("version", TEXT),
    ],
));

// The parts of the ClusterServiceVersion needed for reading bundles.

/// A text, as read by `json.Unmarshal`.
pub(super) static A_TEXT: Type = TEXT;
/// An object whose values are read later.
pub(super) static OBJECT_OF_RAW: Type = Type::Map(&RAW);
static RAW: Type = Type::Raw;
/// Any value, interpreted manually.
pub(super) static ANYTHING: Type = Type::Any;

static DEFINITION_KEY: Struct = new(
    "registry.DefinitionKey",
    &[
        kept("group", TEXT),
        kept("kind", TEXT),
        kept("name", TEXT),
        kept("version", TEXT),
    ],
);
const DEFINITION_KEYS: Type = Type::List(&Type::Pointer(&Type::Struct(&DEFINITION_KEY)));
/// An anonymous type is printed completely, and its fields after a bare period.
pub(super) static DEFINITIONS: Type = Type::Struct(&new(
    "struct { Owned []*registry.DefinitionKey \"json:\\\"owned\\\"\"; Required []*registry.DefinitionKey \"json:\\\"required\\\"\" }",
    &[
        kept("owned", DEFINITION_KEYS),
        kept("required", DEFINITION_KEYS),
    ],
));
/// Read separately first.
pub(super) static TYPE_META: Type = Type::Struct(&new(
    "v1.TypeMeta",
    &[some("kind", TEXT), some("apiVersion", TEXT)],
));
pub(super) static METADATA: Type = Type::Struct(&new(
    "registry.ClusterServiceVersion",
    &[kept("metadata", Type::Struct(&OBJECT_META))],
));
static INSTALLED: Struct = new(
    "registry.dep",
    &[
        kept("Name", TEXT),
        kept("Spec", Type::Struct(&DEPLOYMENT_SPEC)),
    ],
);
static STRATEGY_SPEC: Struct = new(
    "registry.strategySpec",
    &[kept("Deployments", Type::List(&Type::Struct(&INSTALLED)))],
);
static STRATEGY: Struct = new(
    "registry.strategy",
    &[
        kept("strategy", TEXT),
        kept("spec", Type::Struct(&STRATEGY_SPEC)),
    ],
);
pub(super) static INSTALL: Type = Type::Struct(&new(
    "registry.csvSpec",
    &[kept("Install", Type::Struct(&STRATEGY))],
));

// Kubernetes.

static OWNER: Struct = new(
    "v1.OwnerReference",
    &[
        some("apiVersion", TEXT),
        some("kind", TEXT),
        some("name", TEXT),
        some("uid", Type::Text("types.UID")),
        some("controller", Type::Pointer(&Type::Bool)),
        some("blockOwnerDeletion", Type::Pointer(&Type::Bool)),
    ],
);
const TIME: Type = Type::Pointer(&Type::Time);
static MANAGED: Struct = new(
    "v1.ManagedFieldsEntry",
    &[
        some("manager", TEXT),
        some("operation", Type::Text("v1.ManagedFieldsOperationType")),
        some("apiVersion", TEXT),
        some("time", TIME),
        some("fieldsType", TEXT),
        some("fieldsV1", Type::Any),
        some("subresource", TEXT),
    ],
);
pub(super) static OBJECT_META: Struct = new(
    "v1.ObjectMeta",
    &[
        some("name", TEXT),
        some("generateName", TEXT),
        some("namespace", TEXT),
        some("selfLink", TEXT),
        some("uid", Type::Text("types.UID")),
        some("resourceVersion", TEXT),
        some("generation", INT64),
        some("creationTimestamp", TIME),
        some("deletionTimestamp", TIME),
        some("deletionGracePeriodSeconds", Type::Pointer(&INT64)),
        some("labels", TEXT_MAP),
        some("annotations", TEXT_MAP),
        some("ownerReferences", Type::List(&Type::Struct(&OWNER))),
        some("finalizers", TEXTS),
        some("managedFields", Type::List(&Type::Struct(&MANAGED))),
    ],
);
static REQUIREMENT: Struct = new(
    "v1.LabelSelectorRequirement",
    &[
        some("key", TEXT),
        some("operator", Type::Text("v1.LabelSelectorOperator")),
        some("values", TEXTS),
    ],
);
static LABEL_SELECTOR: Struct = new(
    "v1.LabelSelector",
    &[
        some("matchLabels", TEXT_MAP),
        some("matchExpressions", Type::List(&Type::Struct(&REQUIREMENT))),
    ],
);
static ROLLING_UPDATE: Struct = new(
    "v1.RollingUpdateDeployment",
    &[
        some("maxUnavailable", Type::Pointer(&Type::IntOrString)),
        some("maxSurge", Type::Pointer(&Type::IntOrString)),
    ],
);
static DEPLOYMENT_STRATEGY: Struct = new(
    "v1.DeploymentStrategy",
    &[
        some("type", Type::Text("v1.DeploymentStrategyType")),
        some(
            "rollingUpdate",
            Type::Pointer(&Type::Struct(&ROLLING_UPDATE)),
        ),
    ],
);
static DEPLOYMENT_SPEC: Struct = new(
    "v1.DeploymentSpec",
    &[
        some("replicas", Type::Pointer(&INT32)),
        some("selector", Type::Pointer(&Type::Struct(&LABEL_SELECTOR))),
        some("template", Type::Struct(&POD_TEMPLATE)),
        some("strategy", Type::Struct(&DEPLOYMENT_STRATEGY)),
        some("minReadySeconds", INT32),
        some("revisionHistoryLimit", Type::Pointer(&INT32)),
        some("paused", Type::Bool),
        some("progressDeadlineSeconds", Type::Pointer(&INT32)),
    ],
);
static POD_TEMPLATE: Struct = new(
    "v1.PodTemplateSpec",
    &[
        some("metadata", Type::Struct(&OBJECT_META)),
        some("spec", Type::Struct(&POD_SPEC)),
    ],
);
static NAMED: Struct = new("v1.LocalObjectReference", &[some("name", TEXT)]);
static VOLUME: Struct = new("v1.Volume", &[some("name", TEXT)]);
static TOLERATION: Struct = new(
    "v1.Toleration",
    &[
        some("key", TEXT),
        some("operator", Type::Text("v1.TolerationOperator")),
        some("value", TEXT),
        some("effect", Type::Text("v1.TaintEffect")),
        some("tolerationSeconds", Type::Pointer(&INT64)),
    ],
);
static SECCOMP: Struct = new(
    "v1.SeccompProfile",
    &[
        some("type", Type::Text("v1.SeccompProfileType")),
        some("localhostProfile", Type::Pointer(&TEXT)),
    ],
);
static POD_SECURITY: Struct = new(
    "v1.PodSecurityContext",
    &[
        some("runAsUser", Type::Pointer(&INT64)),
        some("runAsGroup", Type::Pointer(&INT64)),
        some("runAsNonRoot", Type::Pointer(&Type::Bool)),
        some("supplementalGroups", Type::List(&INT64)),
        some("fsGroup", Type::Pointer(&INT64)),
        some("seccompProfile", Type::Pointer(&Type::Struct(&SECCOMP))),
    ],
);
static POD_SPEC: Struct = new(
    "v1.PodSpec",
    &[
        some("volumes", Type::List(&Type::Struct(&VOLUME))),
        some("initContainers", Type::List(&Type::Struct(&CONTAINER))),
        some("containers", Type::List(&Type::Struct(&CONTAINER))),
        some("restartPolicy", Type::Text("v1.RestartPolicy")),
        some("terminationGracePeriodSeconds", Type::Pointer(&INT64)),
        some("activeDeadlineSeconds", Type::Pointer(&INT64)),
        some("dnsPolicy", Type::Text("v1.DNSPolicy")),
        some("nodeSelector", TEXT_MAP),
        some("serviceAccountName", TEXT),
        some("serviceAccount", TEXT),
        some("automountServiceAccountToken", Type::Pointer(&Type::Bool)),
        some("nodeName", TEXT),
        some("hostNetwork", Type::Bool),
        some("hostPID", Type::Bool),
        some("hostIPC", Type::Bool),
        some("shareProcessNamespace", Type::Pointer(&Type::Bool)),
        some(
            "securityContext",
            Type::Pointer(&Type::Struct(&POD_SECURITY)),
        ),
        some("imagePullSecrets", Type::List(&Type::Struct(&NAMED))),
        some("hostname", TEXT),
        some("subdomain", TEXT),
        some("schedulerName", TEXT),
        some("tolerations", Type::List(&Type::Struct(&TOLERATION))),
        some("priorityClassName", TEXT),
        some("priority", Type::Pointer(&INT32)),
    ],
);
static PORT: Struct = new(
    "v1.ContainerPort",
    &[
        some("name", TEXT),
        some("hostPort", INT32),
        some("containerPort", INT32),
        some("protocol", Type::Text("v1.Protocol")),
        some("hostIP", TEXT),
    ],
);
static KEY_OF: Struct = new(
    "v1.ConfigMapKeySelector",
    &[
        some("name", TEXT),
        some("key", TEXT),
        some("optional", Type::Pointer(&Type::Bool)),
    ],
);
static FIELD_OF: Struct = new(
    "v1.ObjectFieldSelector",
    &[some("apiVersion", TEXT), some("fieldPath", TEXT)],
);
static ENV_SOURCE: Struct = new(
    "v1.EnvVarSource",
    &[
        some("fieldRef", Type::Pointer(&Type::Struct(&FIELD_OF))),
        some("configMapKeyRef", Type::Pointer(&Type::Struct(&KEY_OF))),
        some("secretKeyRef", Type::Pointer(&Type::Struct(&KEY_OF))),
    ],
);
static ENV: Struct = new(
    "v1.EnvVar",
    &[
        some("name", TEXT),
        some("value", TEXT),
        some("valueFrom", Type::Pointer(&Type::Struct(&ENV_SOURCE))),
    ],
);
const AMOUNTS: Type = Type::Map(&Type::Quantity);
static RESOURCES: Struct = new(
    "v1.ResourceRequirements",
    &[some("limits", AMOUNTS), some("requests", AMOUNTS)],
);
static MOUNT: Struct = new(
    "v1.VolumeMount",
    &[
        some("name", TEXT),
        some("readOnly", Type::Bool),
        some("mountPath", TEXT),
        some("subPath", TEXT),
    ],
);
static HEADER: Struct = new("v1.HTTPHeader", &[some("name", TEXT), some("value", TEXT)]);
static HTTP_GET: Struct = new(
    "v1.HTTPGetAction",
    &[
        some("path", TEXT),
        some("port", Type::IntOrString),
        some("host", TEXT),
        some("scheme", Type::Text("v1.URIScheme")),
        some("httpHeaders", Type::List(&Type::Struct(&HEADER))),
    ],
);
static EXEC: Struct = new("v1.ExecAction", &[some("command", TEXTS)]);
static TCP: Struct = new(
    "v1.TCPSocketAction",
    &[some("port", Type::IntOrString), some("host", TEXT)],
);
static PROBE: Struct = new(
    "v1.Probe",
    &[
        through("ProbeHandler", "exec", Type::Pointer(&Type::Struct(&EXEC))),
        through(
            "ProbeHandler",
            "httpGet",
            Type::Pointer(&Type::Struct(&HTTP_GET)),
        ),
        through(
            "ProbeHandler",
            "tcpSocket",
            Type::Pointer(&Type::Struct(&TCP)),
        ),
        some("initialDelaySeconds", INT32),
        some("timeoutSeconds", INT32),
        some("periodSeconds", INT32),
        some("successThreshold", INT32),
        some("failureThreshold", INT32),
    ],
);
const A_PROBE: Type = Type::Pointer(&Type::Struct(&PROBE));
const CAPABILITIES: Type = Type::List(&Type::Text("v1.Capability"));
static CAPABLE: Struct = new(
    "v1.Capabilities",
    &[some("add", CAPABILITIES), some("drop", CAPABILITIES)],
);
static SECURITY: Struct = new(
    "v1.SecurityContext",
    &[
        some("capabilities", Type::Pointer(&Type::Struct(&CAPABLE))),
        some("privileged", Type::Pointer(&Type::Bool)),
        some("runAsUser", Type::Pointer(&INT64)),
        some("runAsGroup", Type::Pointer(&INT64)),
        some("runAsNonRoot", Type::Pointer(&Type::Bool)),
        some("readOnlyRootFilesystem", Type::Pointer(&Type::Bool)),
        some("allowPrivilegeEscalation", Type::Pointer(&Type::Bool)),
        some("seccompProfile", Type::Pointer(&Type::Struct(&SECCOMP))),
    ],
);
static CONTAINER: Struct = new(
    "v1.Container",
    &[
        some("name", TEXT),
        some("image", TEXT),
        some("command", TEXTS),
        some("args", TEXTS),
        some("workingDir", TEXT),
        some("ports", Type::List(&Type::Struct(&PORT))),
        some("env", Type::List(&Type::Struct(&ENV))),
        some("resources", Type::Struct(&RESOURCES)),
        some("volumeMounts", Type::List(&Type::Struct(&MOUNT))),
        some("livenessProbe", A_PROBE),
        some("readinessProbe", A_PROBE),
        some("startupProbe", A_PROBE),
        some("terminationMessagePath", TEXT),
        some(
            "terminationMessagePolicy",
            Type::Text("v1.TerminationMessagePolicy"),
        ),
        some("imagePullPolicy", Type::Text("v1.PullPolicy")),
        some("securityContext", Type::Pointer(&Type::Struct(&SECURITY))),
        some("stdin", Type::Bool),
        some("stdinOnce", Type::Bool),
        some("tty", Type::Bool),
    ],
);

// The ClusterServiceVersion as OLM's types, which migration decodes.

static RULE: Struct = new(
    "v1.PolicyRule",
    &[
        some("verbs", TEXTS),
        some("apiGroups", TEXTS),
        some("resources", TEXTS),
        some("resourceNames", TEXTS),
        some("nonResourceURLs", TEXTS),
    ],
);
static PERMISSIONS: Struct = new(
    "v1alpha1.StrategyDeploymentPermissions",
    &[
        some("serviceAccountName", TEXT),
        some("rules", Type::List(&Type::Struct(&RULE))),
    ],
);
const ALL_PERMISSIONS: Type = Type::List(&Type::Struct(&PERMISSIONS));
static STRATEGY_DEPLOYMENT: Struct = new(
    "v1alpha1.StrategyDeploymentSpec",
    &[
        some("name", TEXT),
        some("spec", Type::Struct(&DEPLOYMENT_SPEC)),
        some("label", TEXT_MAP),
    ],
);
static STRATEGY_DETAILS: Struct = new(
    "v1alpha1.StrategyDetailsDeployment",
    &[
        some(
            "deployments",
            Type::List(&Type::Struct(&STRATEGY_DEPLOYMENT)),
        ),
        some("permissions", ALL_PERMISSIONS),
        some("clusterPermissions", ALL_PERMISSIONS),
    ],
);
static INSTALL_STRATEGY: Struct = new(
    "v1alpha1.NamedInstallStrategy",
    &[
        some("strategy", TEXT),
        some("spec", Type::Struct(&STRATEGY_DETAILS)),
    ],
);
static CSV_ICON: Struct = new(
    "v1alpha1.Icon",
    &[some("base64data", TEXT), some("mediatype", TEXT)],
);
static INSTALL_MODE: Struct = new(
    "v1alpha1.InstallMode",
    &[
        kept("type", Type::Text("v1alpha1.InstallModeType")),
        kept("supported", Type::Bool),
    ],
);
static LINK: Struct = new("v1alpha1.AppLink", &[some("name", TEXT), some("url", TEXT)]);
static MAINTAINER: Struct = new(
    "v1alpha1.Maintainer",
    &[some("name", TEXT), some("email", TEXT)],
);
static GROUP_VERSION_KIND: Struct = new(
    "v1.GroupVersionKind",
    &[
        kept("group", TEXT),
        kept("version", TEXT),
        kept("kind", TEXT),
    ],
);
static API_RESOURCE: Struct = new(
    "v1alpha1.APIResourceReference",
    &[
        kept("name", TEXT),
        kept("kind", TEXT),
        kept("version", TEXT),
    ],
);

macro_rules! descriptor {
    ($name:ident, $go:literal) => {
        static $name: Struct = new(
            $go,
            &[
                kept("path", TEXT),
                some("displayName", TEXT),
                some("description", TEXT),
                some("x-descriptors", TEXTS),
                some("value", Type::Any),
            ],
        );
    };
}
descriptor!(SPEC_DESCRIPTOR, "v1alpha1.SpecDescriptor");
descriptor!(STATUS_DESCRIPTOR, "v1alpha1.StatusDescriptor");
descriptor!(ACTION_DESCRIPTOR, "v1alpha1.ActionDescriptor");

static CRD_DESCRIPTION: Struct = new(
    "v1alpha1.CRDDescription",
    &[
        kept("name", TEXT),
        kept("version", TEXT),
        kept("kind", TEXT),
        some("displayName", TEXT),
        some("description", TEXT),
        some("resources", Type::List(&Type::Struct(&API_RESOURCE))),
        some(
            "statusDescriptors",
            Type::List(&Type::Struct(&STATUS_DESCRIPTOR)),
        ),
        some(
            "specDescriptors",
            Type::List(&Type::Struct(&SPEC_DESCRIPTOR)),
        ),
        some(
            "actionDescriptors",
            Type::List(&Type::Struct(&ACTION_DESCRIPTOR)),
        ),
    ],
);
const CRD_DESCRIPTIONS: Type = Type::List(&Type::Struct(&CRD_DESCRIPTION));
static CRDS: Struct = new(
    "v1alpha1.CustomResourceDefinitions",
    &[
        some("owned", CRD_DESCRIPTIONS),
        some("required", CRD_DESCRIPTIONS),
    ],
);
static API_SERVICE: Struct = new(
    "v1alpha1.APIServiceDescription",
    &[
        kept("name", TEXT),
        kept("group", TEXT),
        kept("version", TEXT),
        kept("kind", TEXT),
        some("deploymentName", TEXT),
        some("containerPort", INT32),
        some("displayName", TEXT),
        some("description", TEXT),
        some("resources", Type::List(&Type::Struct(&API_RESOURCE))),
        some(
            "statusDescriptors",
            Type::List(&Type::Struct(&STATUS_DESCRIPTOR)),
        ),
        some(
            "specDescriptors",
            Type::List(&Type::Struct(&SPEC_DESCRIPTOR)),
        ),
        some(
            "actionDescriptors",
            Type::List(&Type::Struct(&ACTION_DESCRIPTOR)),
        ),
    ],
);
const API_SERVICE_LIST: Type = Type::List(&Type::Struct(&API_SERVICE));
static API_SERVICES: Struct = new(
    "v1alpha1.APIServiceDefinitions",
    &[
        some("owned", API_SERVICE_LIST),
        some("required", API_SERVICE_LIST),
    ],
);
static CSV_SPEC: Struct = new(
    "v1alpha1.ClusterServiceVersionSpec",
    &[
        some("install", Type::Struct(&INSTALL_STRATEGY)),
        some("version", Type::Version),
        some("release", Type::Release),
        some("maturity", TEXT),
        kept("customresourcedefinitions", Type::Struct(&CRDS)),
        kept("apiservicedefinitions", Type::Struct(&API_SERVICES)),
        some("nativeAPIs", Type::List(&Type::Struct(&GROUP_VERSION_KIND))),
        some("minKubeVersion", TEXT),
        some("displayName", TEXT),
        some("description", TEXT),
        some("keywords", TEXTS),
        some("maintainers", Type::List(&Type::Struct(&MAINTAINER))),
        kept("provider", Type::Struct(&LINK)),
        some("links", Type::List(&Type::Struct(&LINK))),
        some("icon", Type::List(&Type::Struct(&CSV_ICON))),
        some("installModes", Type::List(&Type::Struct(&INSTALL_MODE))),
        some("replaces", TEXT),
        some("labels", TEXT_MAP),
        some("annotations", TEXT_MAP),
        some("selector", Type::Pointer(&Type::Struct(&LABEL_SELECTOR))),
        some("skips", TEXTS),
        some("relatedImages", Type::List(&Type::Struct(&CSV_IMAGE))),
    ],
);
static CSV_IMAGE: Struct = new(
    "v1alpha1.RelatedImage",
    &[some("name", TEXT), some("image", TEXT)],
);
pub(super) static CSV: Type = Type::Struct(&new(
    "v1alpha1.ClusterServiceVersion",
    &[
        some("kind", TEXT),
        some("apiVersion", TEXT),
        kept("metadata", Type::Struct(&OBJECT_META)),
        kept("spec", Type::Struct(&CSV_SPEC)),
    ],
));

/// Kubernetes decodes these types with case-sensitive names.
const fn exact(go: &'static str, fields: &'static [Field]) -> Struct {
    Struct {
        go,
        fields,
        exact: true,
    }
}

const LENGTH: Type = Type::Pointer(&Type::Int("int64", i64::MIN, i64::MAX));
const FLAG: Type = Type::Pointer(&Type::Bool);
static SCHEMA: Type = Type::Struct(&JSON_SCHEMA);
static SCHEMAS: Type = Type::List(&SCHEMA);

static DOCS: Struct = exact(
    "v1.ExternalDocumentation",
    &[some("description", TEXT), some("url", TEXT)],
);
static VALIDATION: Struct = exact(
    "v1.ValidationRule",
    &[
        some("rule", TEXT),
        some("message", TEXT),
        some("messageExpression", TEXT),
        some(
            "reason",
            Type::Pointer(&Type::Text("v1.FieldValueErrorReason")),
        ),
        some("fieldPath", TEXT),
        some("optionalOldSelf", FLAG),
    ],
);
static JSON_SCHEMA: Struct = exact(
    "v1.JSONSchemaProps",
    &[
        some("id", TEXT),
        some("$schema", Type::Text("v1.JSONSchemaURL")),
        some("$ref", Type::Pointer(&TEXT)),
        some("description", TEXT),
        some("type", TEXT),
        some("format", TEXT),
        some("title", TEXT),
        some("default", Type::Any),
        some("maximum", Type::Pointer(&Type::Float)),
        some("exclusiveMaximum", Type::Bool),
        some("minimum", Type::Pointer(&Type::Float)),
        some("exclusiveMinimum", Type::Bool),
        some("maxLength", LENGTH),
        some("minLength", LENGTH),
        some("pattern", TEXT),
        some("maxItems", LENGTH),
        some("minItems", LENGTH),
        some("uniqueItems", Type::Bool),
        some("multipleOf", Type::Pointer(&Type::Float)),
        some("enum", Type::List(&Type::Named("v1.JSON", &Type::Any))),
        some("maxProperties", LENGTH),
        some("minProperties", LENGTH),
        some("required", TEXTS),
        some("items", Type::ObjectOrList(&SCHEMA, &SCHEMAS)),
        some("allOf", Type::List(&SCHEMA)),
        some("oneOf", Type::List(&SCHEMA)),
        some("anyOf", Type::List(&SCHEMA)),
        some("not", Type::Pointer(&SCHEMA)),
        some("properties", Type::Map(&SCHEMA)),
        some("additionalProperties", Type::ObjectOrBool(&SCHEMA)),
        some("patternProperties", Type::Map(&SCHEMA)),
        some(
            "dependencies",
            Type::Named(
                "v1.JSONSchemaDependencies",
                &Type::Map(&Type::ObjectOrList(&SCHEMA, &TEXTS)),
            ),
        ),
        some("additionalItems", Type::ObjectOrBool(&SCHEMA)),
        some("definitions", Type::Map(&SCHEMA)),
        some("externalDocs", Type::Pointer(&Type::Struct(&DOCS))),
        some("example", Type::Any),
        some("nullable", Type::Bool),
        some("x-kubernetes-preserve-unknown-fields", FLAG),
        some("x-kubernetes-embedded-resource", Type::Bool),
        some("x-kubernetes-int-or-string", Type::Bool),
        some("x-kubernetes-list-map-keys", TEXTS),
        some("x-kubernetes-list-type", Type::Pointer(&TEXT)),
        some("x-kubernetes-map-type", Type::Pointer(&TEXT)),
        some(
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
    &[some("openAPIV3Schema", Type::Pointer(&SCHEMA))],
);
static SCALE: Struct = exact(
    "v1.CustomResourceSubresourceScale",
    &[
        some("specReplicasPath", TEXT),
        some("statusReplicasPath", TEXT),
        some("labelSelectorPath", Type::Pointer(&TEXT)),
    ],
);
static NOTHING: Struct = exact("v1.CustomResourceSubresourceStatus", &[]);
static SUBRESOURCES: Struct = exact(
    "v1.CustomResourceSubresources",
    &[
        some("status", Type::Pointer(&Type::Struct(&NOTHING))),
        some("scale", Type::Pointer(&Type::Struct(&SCALE))),
    ],
);
static COLUMN: Struct = exact(
    "v1.CustomResourceColumnDefinition",
    &[
        some("name", TEXT),
        some("type", TEXT),
        some("format", TEXT),
        some("description", TEXT),
        some("priority", INT32),
        some("jsonPath", TEXT),
        some("JSONPath", TEXT),
    ],
);
const COLUMNS: Type = Type::List(&Type::Struct(&COLUMN));
static SELECTABLE: Struct = exact("v1.SelectableField", &[some("jsonPath", TEXT)]);
static VERSION: Struct = exact(
    "v1.CustomResourceDefinitionVersion",
    &[
        some("name", TEXT),
        some("served", Type::Bool),
        some("storage", Type::Bool),
        some("deprecated", Type::Bool),
        some("deprecationWarning", Type::Pointer(&TEXT)),
        some("schema", Type::Pointer(&Type::Struct(&VALIDATED))),
        some("subresources", Type::Pointer(&Type::Struct(&SUBRESOURCES))),
        some("additionalPrinterColumns", COLUMNS),
        some("selectableFields", Type::List(&Type::Struct(&SELECTABLE))),
    ],
);
static NAMES: Struct = exact(
    "v1.CustomResourceDefinitionNames",
    &[
        some("plural", TEXT),
        some("singular", TEXT),
        some("shortNames", TEXTS),
        some("kind", TEXT),
        some("listKind", TEXT),
        some("categories", TEXTS),
    ],
);
static SERVICE: Struct = exact(
    "v1.ServiceReference",
    &[
        some("namespace", TEXT),
        some("name", TEXT),
        some("path", Type::Pointer(&TEXT)),
        some("port", Type::Pointer(&INT32)),
    ],
);
static CLIENT: Struct = exact(
    "v1.WebhookClientConfig",
    &[
        some("url", Type::Pointer(&TEXT)),
        some("service", Type::Pointer(&Type::Struct(&SERVICE))),
        some("caBundle", Type::Bytes),
    ],
);
static WEBHOOK: Struct = exact(
    "v1.WebhookConversion",
    &[
        some("clientConfig", Type::Pointer(&Type::Struct(&CLIENT))),
        some("conversionReviewVersions", TEXTS),
    ],
);
static CONVERSION: Struct = exact(
    "v1.CustomResourceConversion",
    &[
        some("strategy", Type::Text("v1.ConversionStrategyType")),
        some("webhook", Type::Pointer(&Type::Struct(&WEBHOOK))),
        some("webhookClientConfig", Type::Pointer(&Type::Struct(&CLIENT))),
        some("conversionReviewVersions", TEXTS),
    ],
);
static SPEC: Struct = exact(
    "v1.CustomResourceDefinitionSpec",
    &[
        some("group", TEXT),
        some("names", Type::Struct(&NAMES)),
        some("scope", Type::Text("v1.ResourceScope")),
        some("versions", Type::List(&Type::Struct(&VERSION))),
        some("conversion", Type::Pointer(&Type::Struct(&CONVERSION))),
        some("preserveUnknownFields", Type::Bool),
    ],
);
pub(super) static V1: Type = Type::Struct(&exact(
    "v1.CustomResourceDefinition",
    &[
        some("kind", TEXT),
        some("apiVersion", TEXT),
        some("metadata", Type::Struct(&OBJECT_META)),
        some("spec", Type::Struct(&SPEC)),
    ],
));
static SPEC_BETA: Struct = exact(
    "v1beta1.CustomResourceDefinitionSpec",
    &[
        some("group", TEXT),
        some("version", TEXT),
        some("names", Type::Struct(&NAMES)),
        some("scope", Type::Text("v1beta1.ResourceScope")),
        some("validation", Type::Pointer(&Type::Struct(&VALIDATED))),
        some("subresources", Type::Pointer(&Type::Struct(&SUBRESOURCES))),
        some("versions", Type::List(&Type::Struct(&VERSION))),
        some("additionalPrinterColumns", COLUMNS),
        some("selectableFields", Type::List(&Type::Struct(&SELECTABLE))),
        some("conversion", Type::Pointer(&Type::Struct(&CONVERSION))),
        some("preserveUnknownFields", FLAG),
    ],
);
pub(super) static V1BETA1: Type = Type::Struct(&exact(
    "v1beta1.CustomResourceDefinition",
    &[
        some("kind", TEXT),
        some("apiVersion", TEXT),
        some("metadata", Type::Struct(&OBJECT_META)),
        some("spec", Type::Struct(&SPEC_BETA)),
    ],
));
