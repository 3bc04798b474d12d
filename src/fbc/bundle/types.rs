//! The types of blobs, of the parts of a ClusterServiceVersion that `opm` decodes, in output order, and of a
//! CustomResourceDefinition in both of its versions.

use super::typed::{Field, Struct, Type};

/// A field that is omitted if empty.
const fn some(name: &'static str, of: Type) -> Field {
    Field {
        name,
        through: None,
        of,
        kept: false,
    }
}

/// A field that is written even if empty.
const fn types_field(name: &'static str, of: Type) -> Field {
    Field {
        name,
        through: None,
        of,
        kept: true,
    }
}

/// A field of an embedded struct.
const fn through(inner: &'static str, name: &'static str, of: Type) -> Field {
    Field {
        name,
        through: Some(inner),
        of,
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

const TYPES_TEXT: Type = Type::Text("string");
const TYPES_TEXTS: Type = Type::List(&TYPES_TEXT);
const TEXT_MAP: Type = Type::Map(&TYPES_TEXT);
const TYPES_INT32: Type = Type::Int("int32", i32::MIN as i64, i32::MAX as i64);
const INT64: Type = Type::Int("int64", i64::MIN, i64::MAX);

static PROPERTY: Struct = new(
    "property.Property",
    &[
        types_field("type", TYPES_TEXT),
        types_field("value", Type::Any),
    ],
);
const PROPERTIES: Type = Type::List(&Type::Struct(&PROPERTY));
static ICON: Struct = new(
    "declcfg.PackageIcon",
    &[
        types_field("base64data", Type::Bytes),
        types_field("mediatype", TYPES_TEXT),
    ],
);
pub(super) static PACKAGE: Type = Type::Struct(&new(
    "declcfg.Package",
    &[
        types_field("schema", TYPES_TEXT),
        types_field("name", TYPES_TEXT),
        types_field("defaultChannel", TYPES_TEXT),
        some("icon", Type::Pointer(&Type::Struct(&ICON))),
        some("description", TYPES_TEXT),
        some("properties", PROPERTIES),
    ],
));
static ENTRY: Struct = new(
    "declcfg.ChannelEntry",
    &[
        types_field("name", TYPES_TEXT),
        some("replaces", TYPES_TEXT),
        some("skips", TYPES_TEXTS),
        some("skipRange", TYPES_TEXT),
    ],
);
pub(super) static CHANNEL: Type = Type::Struct(&new(
    "declcfg.Channel",
    &[
        types_field("schema", TYPES_TEXT),
        types_field("name", TYPES_TEXT),
        types_field("package", TYPES_TEXT),
        types_field("entries", Type::List(&Type::Struct(&ENTRY))),
        some("properties", PROPERTIES),
    ],
));
static RELATED_IMAGE: Struct = new(
    "declcfg.RelatedImage",
    &[
        types_field("name", TYPES_TEXT),
        types_field("image", TYPES_TEXT),
    ],
);
pub(super) static RELATED_IMAGES: Type = Type::List(&Type::Struct(&RELATED_IMAGE));
pub(super) static BUNDLE: Type = Type::Struct(&new(
    "declcfg.Bundle",
    &[
        types_field("schema", TYPES_TEXT),
        some("name", TYPES_TEXT),
        some("package", TYPES_TEXT),
        types_field("image", TYPES_TEXT),
        some("properties", PROPERTIES),
        some("relatedImages", Type::List(&Type::Struct(&RELATED_IMAGE))),
    ],
));
static REFERENCE: Struct = new(
    "declcfg.PackageScopedReference",
    &[types_field("schema", TYPES_TEXT), some("name", TYPES_TEXT)],
);
static DEPRECATION_ENTRY: Struct = new(
    "declcfg.DeprecationEntry",
    &[
        types_field("reference", Type::Struct(&REFERENCE)),
        types_field("message", TYPES_TEXT),
    ],
);
pub(super) static DEPRECATIONS: Type = Type::Struct(&new(
    "declcfg.Deprecation",
    &[
        types_field("schema", TYPES_TEXT),
        types_field("package", TYPES_TEXT),
        types_field("entries", Type::List(&Type::Struct(&DEPRECATION_ENTRY))),
    ],
));

pub(super) static PROPERTY_PACKAGE: Type = Type::Struct(&new(
    "property.Package",
    &[
        types_field("packageName", TYPES_TEXT),
        types_field("version", TYPES_TEXT),
        some("release", TYPES_TEXT),
    ],
));
pub(super) static PROPERTY_GVK: Type = Type::Struct(&new(
    "property.GVK",
    &[
        types_field("group", TYPES_TEXT),
        types_field("kind", TYPES_TEXT),
        types_field("version", TYPES_TEXT),
    ],
));

// The parts of the ClusterServiceVersion needed for reading bundles.

/// A text, as read by `json.Unmarshal`.
pub(super) static A_TEXT: Type = TYPES_TEXT;
/// An object whose values are read later.
pub(super) static OBJECT_OF_RAW: Type = Type::Map(&RAW);
static RAW: Type = Type::Raw;
/// Any value, interpreted manually.
pub(super) static ANYTHING: Type = Type::Any;

static DEFINITION_KEY: Struct = new(
    "registry.DefinitionKey",
    &[
        types_field("group", TYPES_TEXT),
        types_field("kind", TYPES_TEXT),
        types_field("name", TYPES_TEXT),
        types_field("version", TYPES_TEXT),
    ],
);
const DEFINITION_KEYS: Type = Type::List(&Type::Pointer(&Type::Struct(&DEFINITION_KEY)));
/// An anonymous type is printed completely, and its fields after a bare period.
pub(super) static DEFINITIONS: Type = Type::Struct(&new(
    "struct { Owned []*registry.DefinitionKey \"json:\\\"owned\\\"\"; Required []*registry.DefinitionKey \"json:\\\"required\\\"\" }",
    &[
        types_field("owned", DEFINITION_KEYS),
        types_field("required", DEFINITION_KEYS),
    ],
));
/// Read separately first.
pub(super) static TYPE_META: Type = Type::Struct(&new(
    "v1.TypeMeta",
    &[some("kind", TYPES_TEXT), some("apiVersion", TYPES_TEXT)],
));
pub(super) static METADATA: Type = Type::Struct(&new(
    "registry.ClusterServiceVersion",
    &[types_field("metadata", Type::Struct(&OBJECT_META))],
));
static INSTALLED: Struct = new(
    "registry.dep",
    &[
        types_field("Name", TYPES_TEXT),
        types_field("Spec", Type::Struct(&DEPLOYMENT_SPEC)),
    ],
);
static STRATEGY_SPEC: Struct = new(
    "registry.strategySpec",
    &[types_field(
        "Deployments",
        Type::List(&Type::Struct(&INSTALLED)),
    )],
);
static STRATEGY: Struct = new(
    "registry.strategy",
    &[
        types_field("strategy", TYPES_TEXT),
        types_field("spec", Type::Struct(&STRATEGY_SPEC)),
    ],
);
pub(super) static INSTALL: Type = Type::Struct(&new(
    "registry.csvSpec",
    &[types_field("Install", Type::Struct(&STRATEGY))],
));

// Kubernetes.

static OWNER: Struct = new(
    "v1.OwnerReference",
    &[
        some("apiVersion", TYPES_TEXT),
        some("kind", TYPES_TEXT),
        some("name", TYPES_TEXT),
        some("uid", Type::Text("types.UID")),
        some("controller", Type::Pointer(&Type::Bool)),
        some("blockOwnerDeletion", Type::Pointer(&Type::Bool)),
    ],
);
const TIME: Type = Type::Pointer(&Type::Time);
static MANAGED: Struct = new(
    "v1.ManagedFieldsEntry",
    &[
        some("manager", TYPES_TEXT),
        some("operation", Type::Text("v1.ManagedFieldsOperationType")),
        some("apiVersion", TYPES_TEXT),
        some("time", TIME),
        some("fieldsType", TYPES_TEXT),
        some("fieldsV1", Type::Any),
        some("subresource", TYPES_TEXT),
    ],
);
pub(super) static OBJECT_META: Struct = new(
    "v1.ObjectMeta",
    &[
        some("name", TYPES_TEXT),
        some("generateName", TYPES_TEXT),
        some("namespace", TYPES_TEXT),
        some("selfLink", TYPES_TEXT),
        some("uid", Type::Text("types.UID")),
        some("resourceVersion", TYPES_TEXT),
        some("generation", INT64),
        some("creationTimestamp", TIME),
        some("deletionTimestamp", TIME),
        some("deletionGracePeriodSeconds", Type::Pointer(&INT64)),
        some("labels", TEXT_MAP),
        some("annotations", TEXT_MAP),
        some("ownerReferences", Type::List(&Type::Struct(&OWNER))),
        some("finalizers", TYPES_TEXTS),
        some("managedFields", Type::List(&Type::Struct(&MANAGED))),
    ],
);
static REQUIREMENT: Struct = new(
    "v1.LabelSelectorRequirement",
    &[
        some("key", TYPES_TEXT),
        some("operator", Type::Text("v1.LabelSelectorOperator")),
        some("values", TYPES_TEXTS),
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
        some("replicas", Type::Pointer(&TYPES_INT32)),
        some("selector", Type::Pointer(&Type::Struct(&LABEL_SELECTOR))),
        some("template", Type::Struct(&POD_TEMPLATE)),
        some("strategy", Type::Struct(&DEPLOYMENT_STRATEGY)),
        some("minReadySeconds", TYPES_INT32),
        some("revisionHistoryLimit", Type::Pointer(&TYPES_INT32)),
        some("paused", Type::Bool),
        some("progressDeadlineSeconds", Type::Pointer(&TYPES_INT32)),
    ],
);
static POD_TEMPLATE: Struct = new(
    "v1.PodTemplateSpec",
    &[
        some("metadata", Type::Struct(&OBJECT_META)),
        some("spec", Type::Struct(&POD_SPEC)),
    ],
);
static NAMED: Struct = new("v1.LocalObjectReference", &[some("name", TYPES_TEXT)]);
static VOLUME: Struct = new("v1.Volume", &[some("name", TYPES_TEXT)]);
static TOLERATION: Struct = new(
    "v1.Toleration",
    &[
        some("key", TYPES_TEXT),
        some("operator", Type::Text("v1.TolerationOperator")),
        some("value", TYPES_TEXT),
        some("effect", Type::Text("v1.TaintEffect")),
        some("tolerationSeconds", Type::Pointer(&INT64)),
    ],
);
static SECCOMP: Struct = new(
    "v1.SeccompProfile",
    &[
        some("type", Type::Text("v1.SeccompProfileType")),
        some("localhostProfile", Type::Pointer(&TYPES_TEXT)),
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
        some("serviceAccountName", TYPES_TEXT),
        some("serviceAccount", TYPES_TEXT),
        some("automountServiceAccountToken", Type::Pointer(&Type::Bool)),
        some("nodeName", TYPES_TEXT),
        some("hostNetwork", Type::Bool),
        some("hostPID", Type::Bool),
        some("hostIPC", Type::Bool),
        some("shareProcessNamespace", Type::Pointer(&Type::Bool)),
        some(
            "securityContext",
            Type::Pointer(&Type::Struct(&POD_SECURITY)),
        ),
        some("imagePullSecrets", Type::List(&Type::Struct(&NAMED))),
        some("hostname", TYPES_TEXT),
        some("subdomain", TYPES_TEXT),
        some("schedulerName", TYPES_TEXT),
        some("tolerations", Type::List(&Type::Struct(&TOLERATION))),
        some("priorityClassName", TYPES_TEXT),
        some("priority", Type::Pointer(&TYPES_INT32)),
    ],
);
static PORT: Struct = new(
    "v1.ContainerPort",
    &[
        some("name", TYPES_TEXT),
        some("hostPort", TYPES_INT32),
        some("containerPort", TYPES_INT32),
        some("protocol", Type::Text("v1.Protocol")),
        some("hostIP", TYPES_TEXT),
    ],
);
static KEY_OF: Struct = new(
    "v1.ConfigMapKeySelector",
    &[
        some("name", TYPES_TEXT),
        some("key", TYPES_TEXT),
        some("optional", Type::Pointer(&Type::Bool)),
    ],
);
static FIELD_OF: Struct = new(
    "v1.ObjectFieldSelector",
    &[
        some("apiVersion", TYPES_TEXT),
        some("fieldPath", TYPES_TEXT),
    ],
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
        some("name", TYPES_TEXT),
        some("value", TYPES_TEXT),
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
        some("name", TYPES_TEXT),
        some("readOnly", Type::Bool),
        some("mountPath", TYPES_TEXT),
        some("subPath", TYPES_TEXT),
    ],
);
static HEADER: Struct = new(
    "v1.HTTPHeader",
    &[some("name", TYPES_TEXT), some("value", TYPES_TEXT)],
);
static HTTP_GET: Struct = new(
    "v1.HTTPGetAction",
    &[
        some("path", TYPES_TEXT),
        some("port", Type::IntOrString),
        some("host", TYPES_TEXT),
        some("scheme", Type::Text("v1.URIScheme")),
        some("httpHeaders", Type::List(&Type::Struct(&HEADER))),
    ],
);
static EXEC: Struct = new("v1.ExecAction", &[some("command", TYPES_TEXTS)]);
static TCP: Struct = new(
    "v1.TCPSocketAction",
    &[some("port", Type::IntOrString), some("host", TYPES_TEXT)],
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
        some("initialDelaySeconds", TYPES_INT32),
        some("timeoutSeconds", TYPES_INT32),
        some("periodSeconds", TYPES_INT32),
        some("successThreshold", TYPES_INT32),
        some("failureThreshold", TYPES_INT32),
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
        some("name", TYPES_TEXT),
        some("image", TYPES_TEXT),
        some("command", TYPES_TEXTS),
        some("args", TYPES_TEXTS),
        some("workingDir", TYPES_TEXT),
        some("ports", Type::List(&Type::Struct(&PORT))),
        some("env", Type::List(&Type::Struct(&ENV))),
        some("resources", Type::Struct(&RESOURCES)),
        some("volumeMounts", Type::List(&Type::Struct(&MOUNT))),
        some("livenessProbe", A_PROBE),
        some("readinessProbe", A_PROBE),
        some("startupProbe", A_PROBE),
        some("terminationMessagePath", TYPES_TEXT),
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
        some("verbs", TYPES_TEXTS),
        some("apiGroups", TYPES_TEXTS),
        some("resources", TYPES_TEXTS),
        some("resourceNames", TYPES_TEXTS),
        some("nonResourceURLs", TYPES_TEXTS),
    ],
);
static PERMISSIONS: Struct = new(
    "v1alpha1.StrategyDeploymentPermissions",
    &[
        some("serviceAccountName", TYPES_TEXT),
        some("rules", Type::List(&Type::Struct(&RULE))),
    ],
);
const ALL_PERMISSIONS: Type = Type::List(&Type::Struct(&PERMISSIONS));
static STRATEGY_DEPLOYMENT: Struct = new(
    "v1alpha1.StrategyDeploymentSpec",
    &[
        some("name", TYPES_TEXT),
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
        some("strategy", TYPES_TEXT),
        some("spec", Type::Struct(&STRATEGY_DETAILS)),
    ],
);
static CSV_ICON: Struct = new(
    "v1alpha1.Icon",
    &[
        some("base64data", TYPES_TEXT),
        some("mediatype", TYPES_TEXT),
    ],
);
static INSTALL_MODE: Struct = new(
    "v1alpha1.InstallMode",
    &[
        types_field("type", Type::Text("v1alpha1.InstallModeType")),
        types_field("supported", Type::Bool),
    ],
);
static LINK: Struct = new(
    "v1alpha1.AppLink",
    &[some("name", TYPES_TEXT), some("url", TYPES_TEXT)],
);
static MAINTAINER: Struct = new(
    "v1alpha1.Maintainer",
    &[some("name", TYPES_TEXT), some("email", TYPES_TEXT)],
);
static GROUP_VERSION_KIND: Struct = new(
    "v1.GroupVersionKind",
    &[
        types_field("group", TYPES_TEXT),
        types_field("version", TYPES_TEXT),
        types_field("kind", TYPES_TEXT),
    ],
);
static API_RESOURCE: Struct = new(
    "v1alpha1.APIResourceReference",
    &[
        types_field("name", TYPES_TEXT),
        types_field("kind", TYPES_TEXT),
        types_field("version", TYPES_TEXT),
    ],
);

macro_rules! descriptor {
    ($name:ident, $go:literal) => {
        static $name: Struct = new(
            $go,
            &[
                types_field("path", TYPES_TEXT),
                some("displayName", TYPES_TEXT),
                some("description", TYPES_TEXT),
                some("x-descriptors", TYPES_TEXTS),
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
        types_field("name", TYPES_TEXT),
        types_field("version", TYPES_TEXT),
        types_field("kind", TYPES_TEXT),
        some("displayName", TYPES_TEXT),
        some("description", TYPES_TEXT),
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
        types_field("name", TYPES_TEXT),
        types_field("group", TYPES_TEXT),
        types_field("version", TYPES_TEXT),
        types_field("kind", TYPES_TEXT),
        some("deploymentName", TYPES_TEXT),
        some("containerPort", TYPES_INT32),
        some("displayName", TYPES_TEXT),
        some("description", TYPES_TEXT),
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
        some("maturity", TYPES_TEXT),
        types_field("customresourcedefinitions", Type::Struct(&CRDS)),
        types_field("apiservicedefinitions", Type::Struct(&API_SERVICES)),
        some("nativeAPIs", Type::List(&Type::Struct(&GROUP_VERSION_KIND))),
        some("minKubeVersion", TYPES_TEXT),
        some("displayName", TYPES_TEXT),
        some("description", TYPES_TEXT),
        some("keywords", TYPES_TEXTS),
        some("maintainers", Type::List(&Type::Struct(&MAINTAINER))),
        types_field("provider", Type::Struct(&LINK)),
        some("links", Type::List(&Type::Struct(&LINK))),
        some("icon", Type::List(&Type::Struct(&CSV_ICON))),
        some("installModes", Type::List(&Type::Struct(&INSTALL_MODE))),
        some("replaces", TYPES_TEXT),
        some("labels", TEXT_MAP),
        some("annotations", TEXT_MAP),
        some("selector", Type::Pointer(&Type::Struct(&LABEL_SELECTOR))),
        some("skips", TYPES_TEXTS),
        some("relatedImages", Type::List(&Type::Struct(&CSV_IMAGE))),
    ],
);
static CSV_IMAGE: Struct = new(
    "v1alpha1.RelatedImage",
    &[some("name", TYPES_TEXT), some("image", TYPES_TEXT)],
);
pub(super) static CSV: Type = Type::Struct(&new(
    "v1alpha1.ClusterServiceVersion",
    &[
        some("kind", TYPES_TEXT),
        some("apiVersion", TYPES_TEXT),
        types_field("metadata", Type::Struct(&OBJECT_META)),
        types_field("spec", Type::Struct(&CSV_SPEC)),
    ],
));

const fn crd_types_field(name: &'static str, of: Type) -> Field {
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

const CRD_TYPES_TEXT: Type = Type::Text("string");
const CRD_TYPES_TEXTS: Type = Type::List(&CRD_TYPES_TEXT);
const CRD_TYPES_INT32: Type = Type::Int("int32", i32::MIN as i64, i32::MAX as i64);
const LENGTH: Type = Type::Pointer(&Type::Int("int64", i64::MIN, i64::MAX));
const FLAG: Type = Type::Pointer(&Type::Bool);
static SCHEMA: Type = Type::Struct(&JSON_SCHEMA);
static SCHEMAS: Type = Type::List(&SCHEMA);

static DOCS: Struct = exact(
    "v1.ExternalDocumentation",
    &[
        crd_types_field("description", CRD_TYPES_TEXT),
        crd_types_field("url", CRD_TYPES_TEXT),
    ],
);
static VALIDATION: Struct = exact(
    "v1.ValidationRule",
    &[
        crd_types_field("rule", CRD_TYPES_TEXT),
        crd_types_field("message", CRD_TYPES_TEXT),
        crd_types_field("messageExpression", CRD_TYPES_TEXT),
        crd_types_field(
            "reason",
            Type::Pointer(&Type::Text("v1.FieldValueErrorReason")),
        ),
        crd_types_field("fieldPath", CRD_TYPES_TEXT),
        crd_types_field("optionalOldSelf", FLAG),
    ],
);
static JSON_SCHEMA: Struct = exact(
    "v1.JSONSchemaProps",
    &[
        crd_types_field("id", CRD_TYPES_TEXT),
        crd_types_field("$schema", Type::Text("v1.JSONSchemaURL")),
        crd_types_field("$ref", Type::Pointer(&CRD_TYPES_TEXT)),
        crd_types_field("description", CRD_TYPES_TEXT),
        crd_types_field("type", CRD_TYPES_TEXT),
        crd_types_field("format", CRD_TYPES_TEXT),
        crd_types_field("title", CRD_TYPES_TEXT),
        crd_types_field("default", Type::Any),
        crd_types_field("maximum", Type::Pointer(&Type::Float)),
        crd_types_field("exclusiveMaximum", Type::Bool),
        crd_types_field("minimum", Type::Pointer(&Type::Float)),
        crd_types_field("exclusiveMinimum", Type::Bool),
        crd_types_field("maxLength", LENGTH),
        crd_types_field("minLength", LENGTH),
        crd_types_field("pattern", CRD_TYPES_TEXT),
        crd_types_field("maxItems", LENGTH),
        crd_types_field("minItems", LENGTH),
        crd_types_field("uniqueItems", Type::Bool),
        crd_types_field("multipleOf", Type::Pointer(&Type::Float)),
        crd_types_field("enum", Type::List(&Type::Named("v1.JSON", &Type::Any))),
        crd_types_field("maxProperties", LENGTH),
        crd_types_field("minProperties", LENGTH),
        crd_types_field("required", CRD_TYPES_TEXTS),
        crd_types_field("items", Type::ObjectOrList(&SCHEMA, &SCHEMAS)),
        crd_types_field("allOf", Type::List(&SCHEMA)),
        crd_types_field("oneOf", Type::List(&SCHEMA)),
        crd_types_field("anyOf", Type::List(&SCHEMA)),
        crd_types_field("not", Type::Pointer(&SCHEMA)),
        crd_types_field("properties", Type::Map(&SCHEMA)),
        crd_types_field("additionalProperties", Type::ObjectOrBool(&SCHEMA)),
        crd_types_field("patternProperties", Type::Map(&SCHEMA)),
        crd_types_field(
            "dependencies",
            Type::Named(
                "v1.JSONSchemaDependencies",
                &Type::Map(&Type::ObjectOrList(&SCHEMA, &CRD_TYPES_TEXTS)),
            ),
        ),
        crd_types_field("additionalItems", Type::ObjectOrBool(&SCHEMA)),
        crd_types_field("definitions", Type::Map(&SCHEMA)),
        crd_types_field("externalDocs", Type::Pointer(&Type::Struct(&DOCS))),
        crd_types_field("example", Type::Any),
        crd_types_field("nullable", Type::Bool),
        crd_types_field("x-kubernetes-preserve-unknown-fields", FLAG),
        crd_types_field("x-kubernetes-embedded-resource", Type::Bool),
        crd_types_field("x-kubernetes-int-or-string", Type::Bool),
        crd_types_field("x-kubernetes-list-map-keys", CRD_TYPES_TEXTS),
        crd_types_field("x-kubernetes-list-type", Type::Pointer(&CRD_TYPES_TEXT)),
        crd_types_field("x-kubernetes-map-type", Type::Pointer(&CRD_TYPES_TEXT)),
        crd_types_field(
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
    &[crd_types_field("openAPIV3Schema", Type::Pointer(&SCHEMA))],
);
static SCALE: Struct = exact(
    "v1.CustomResourceSubresourceScale",
    &[
        crd_types_field("specReplicasPath", CRD_TYPES_TEXT),
        crd_types_field("statusReplicasPath", CRD_TYPES_TEXT),
        crd_types_field("labelSelectorPath", Type::Pointer(&CRD_TYPES_TEXT)),
    ],
);
static NOTHING: Struct = exact("v1.CustomResourceSubresourceStatus", &[]);
static SUBRESOURCES: Struct = exact(
    "v1.CustomResourceSubresources",
    &[
        crd_types_field("status", Type::Pointer(&Type::Struct(&NOTHING))),
        crd_types_field("scale", Type::Pointer(&Type::Struct(&SCALE))),
    ],
);
static COLUMN: Struct = exact(
    "v1.CustomResourceColumnDefinition",
    &[
        crd_types_field("name", CRD_TYPES_TEXT),
        crd_types_field("type", CRD_TYPES_TEXT),
        crd_types_field("format", CRD_TYPES_TEXT),
        crd_types_field("description", CRD_TYPES_TEXT),
        crd_types_field("priority", CRD_TYPES_INT32),
        crd_types_field("jsonPath", CRD_TYPES_TEXT),
        crd_types_field("JSONPath", CRD_TYPES_TEXT),
    ],
);
const COLUMNS: Type = Type::List(&Type::Struct(&COLUMN));
static SELECTABLE: Struct = exact(
    "v1.SelectableField",
    &[crd_types_field("jsonPath", CRD_TYPES_TEXT)],
);
static VERSION: Struct = exact(
    "v1.CustomResourceDefinitionVersion",
    &[
        crd_types_field("name", CRD_TYPES_TEXT),
        crd_types_field("served", Type::Bool),
        crd_types_field("storage", Type::Bool),
        crd_types_field("deprecated", Type::Bool),
        crd_types_field("deprecationWarning", Type::Pointer(&CRD_TYPES_TEXT)),
        crd_types_field("schema", Type::Pointer(&Type::Struct(&VALIDATED))),
        crd_types_field("subresources", Type::Pointer(&Type::Struct(&SUBRESOURCES))),
        crd_types_field("additionalPrinterColumns", COLUMNS),
        crd_types_field("selectableFields", Type::List(&Type::Struct(&SELECTABLE))),
    ],
);
static NAMES: Struct = exact(
    "v1.CustomResourceDefinitionNames",
    &[
        crd_types_field("plural", CRD_TYPES_TEXT),
        crd_types_field("singular", CRD_TYPES_TEXT),
        crd_types_field("shortNames", CRD_TYPES_TEXTS),
        crd_types_field("kind", CRD_TYPES_TEXT),
        crd_types_field("listKind", CRD_TYPES_TEXT),
        crd_types_field("categories", CRD_TYPES_TEXTS),
    ],
);
static SERVICE: Struct = exact(
    "v1.ServiceReference",
    &[
        crd_types_field("namespace", CRD_TYPES_TEXT),
        crd_types_field("name", CRD_TYPES_TEXT),
        crd_types_field("path", Type::Pointer(&CRD_TYPES_TEXT)),
        crd_types_field("port", Type::Pointer(&CRD_TYPES_INT32)),
    ],
);
static CLIENT: Struct = exact(
    "v1.WebhookClientConfig",
    &[
        crd_types_field("url", Type::Pointer(&CRD_TYPES_TEXT)),
        crd_types_field("service", Type::Pointer(&Type::Struct(&SERVICE))),
        crd_types_field("caBundle", Type::Bytes),
    ],
);
static WEBHOOK: Struct = exact(
    "v1.WebhookConversion",
    &[
        crd_types_field("clientConfig", Type::Pointer(&Type::Struct(&CLIENT))),
        crd_types_field("conversionReviewVersions", CRD_TYPES_TEXTS),
    ],
);
static CONVERSION: Struct = exact(
    "v1.CustomResourceConversion",
    &[
        crd_types_field("strategy", Type::Text("v1.ConversionStrategyType")),
        crd_types_field("webhook", Type::Pointer(&Type::Struct(&WEBHOOK))),
        crd_types_field("webhookClientConfig", Type::Pointer(&Type::Struct(&CLIENT))),
        crd_types_field("conversionReviewVersions", CRD_TYPES_TEXTS),
    ],
);
static SPEC: Struct = exact(
    "v1.CustomResourceDefinitionSpec",
    &[
        crd_types_field("group", CRD_TYPES_TEXT),
        crd_types_field("names", Type::Struct(&NAMES)),
        crd_types_field("scope", Type::Text("v1.ResourceScope")),
        crd_types_field("versions", Type::List(&Type::Struct(&VERSION))),
        crd_types_field("conversion", Type::Pointer(&Type::Struct(&CONVERSION))),
        crd_types_field("preserveUnknownFields", Type::Bool),
    ],
);
pub(super) static V1: Type = Type::Struct(&exact(
    "v1.CustomResourceDefinition",
    &[
        crd_types_field("kind", CRD_TYPES_TEXT),
        crd_types_field("apiVersion", CRD_TYPES_TEXT),
        crd_types_field("metadata", Type::Struct(&OBJECT_META)),
        crd_types_field("spec", Type::Struct(&SPEC)),
    ],
));
static SPEC_BETA: Struct = exact(
    "v1beta1.CustomResourceDefinitionSpec",
    &[
        crd_types_field("group", CRD_TYPES_TEXT),
        crd_types_field("version", CRD_TYPES_TEXT),
        crd_types_field("names", Type::Struct(&NAMES)),
        crd_types_field("scope", Type::Text("v1beta1.ResourceScope")),
        crd_types_field("validation", Type::Pointer(&Type::Struct(&VALIDATED))),
        crd_types_field("subresources", Type::Pointer(&Type::Struct(&SUBRESOURCES))),
        crd_types_field("versions", Type::List(&Type::Struct(&VERSION))),
        crd_types_field("additionalPrinterColumns", COLUMNS),
        crd_types_field("selectableFields", Type::List(&Type::Struct(&SELECTABLE))),
        crd_types_field("conversion", Type::Pointer(&Type::Struct(&CONVERSION))),
        crd_types_field("preserveUnknownFields", FLAG),
    ],
);
pub(super) static V1BETA1: Type = Type::Struct(&exact(
    "v1beta1.CustomResourceDefinition",
    &[
        crd_types_field("kind", CRD_TYPES_TEXT),
        crd_types_field("apiVersion", CRD_TYPES_TEXT),
        crd_types_field("metadata", Type::Struct(&OBJECT_META)),
        crd_types_field("spec", Type::Struct(&SPEC_BETA)),
    ],
));
