//! The types of blobs, and of the parts of a ClusterServiceVersion that `opm` decodes, in output
//! order.

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
const fn field(name: &'static str, of: Type) -> Field {
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

const TEXT: Type = Type::Text("string");
const TEXTS: Type = Type::List(&TEXT);
const TEXT_MAP: Type = Type::Map(&TEXT);
const INT32: Type = Type::Int("int32", i32::MIN as i64, i32::MAX as i64);
const INT64: Type = Type::Int("int64", i64::MIN, i64::MAX);

static PROPERTY: Struct = new(
    "property.Property",
    &[field("type", TEXT), field("value", Type::Any)],
);
const PROPERTIES: Type = Type::List(&Type::Struct(&PROPERTY));
static ICON: Struct = new(
    "declcfg.PackageIcon",
    &[field("base64data", Type::Bytes), field("mediatype", TEXT)],
);
pub(super) static PACKAGE: Type = Type::Struct(&new(
    "declcfg.Package",
    &[
        field("schema", TEXT),
        field("name", TEXT),
        field("defaultChannel", TEXT),
        some("icon", Type::Pointer(&Type::Struct(&ICON))),
        some("description", TEXT),
        some("properties", PROPERTIES),
    ],
));
static ENTRY: Struct = new(
    "declcfg.ChannelEntry",
    &[
        field("name", TEXT),
        some("replaces", TEXT),
        some("skips", TEXTS),
        some("skipRange", TEXT),
    ],
);
pub(super) static CHANNEL: Type = Type::Struct(&new(
    "declcfg.Channel",
    &[
        field("schema", TEXT),
        field("name", TEXT),
        field("package", TEXT),
        field("entries", Type::List(&Type::Struct(&ENTRY))),
        some("properties", PROPERTIES),
    ],
));
static RELATED_IMAGE: Struct = new(
    "declcfg.RelatedImage",
    &[field("name", TEXT), field("image", TEXT)],
);
pub(super) static RELATED_IMAGES: Type = Type::List(&Type::Struct(&RELATED_IMAGE));
pub(super) static BUNDLE: Type = Type::Struct(&new(
    "declcfg.Bundle",
    &[
        field("schema", TEXT),
        some("name", TEXT),
        some("package", TEXT),
        field("image", TEXT),
        some("properties", PROPERTIES),
        some("relatedImages", Type::List(&Type::Struct(&RELATED_IMAGE))),
    ],
));
static REFERENCE: Struct = new(
    "declcfg.PackageScopedReference",
    &[field("schema", TEXT), some("name", TEXT)],
);
static DEPRECATION_ENTRY: Struct = new(
    "declcfg.DeprecationEntry",
    &[
        field("reference", Type::Struct(&REFERENCE)),
        field("message", TEXT),
    ],
);
pub(super) static DEPRECATIONS: Type = Type::Struct(&new(
    "declcfg.Deprecation",
    &[
        field("schema", TEXT),
        field("package", TEXT),
        field("entries", Type::List(&Type::Struct(&DEPRECATION_ENTRY))),
    ],
));

pub(super) static PROPERTY_PACKAGE: Type = Type::Struct(&new(
    "property.Package",
    &[
        field("packageName", TEXT),
        field("version", TEXT),
        some("release", TEXT),
    ],
));
pub(super) static PROPERTY_GVK: Type = Type::Struct(&new(
    "property.GVK",
    &[
        field("group", TEXT),
        field("kind", TEXT),
        field("version", TEXT),
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
        field("group", TEXT),
        field("kind", TEXT),
        field("name", TEXT),
        field("version", TEXT),
    ],
);
const DEFINITION_KEYS: Type = Type::List(&Type::Pointer(&Type::Struct(&DEFINITION_KEY)));
/// An anonymous type is printed completely, and its fields after a bare period.
pub(super) static DEFINITIONS: Type = Type::Struct(&new(
    "struct { Owned []*registry.DefinitionKey \"json:\\\"owned\\\"\"; Required []*registry.DefinitionKey \"json:\\\"required\\\"\" }",
    &[
        field("owned", DEFINITION_KEYS),
        field("required", DEFINITION_KEYS),
    ],
));
/// Read separately first.
pub(super) static TYPE_META: Type = Type::Struct(&new(
    "v1.TypeMeta",
    &[some("kind", TEXT), some("apiVersion", TEXT)],
));
pub(super) static METADATA: Type = Type::Struct(&new(
    "registry.ClusterServiceVersion",
    &[field("metadata", Type::Struct(&OBJECT_META))],
));
static INSTALLED: Struct = new(
    "registry.dep",
    &[
        field("Name", TEXT),
        field("Spec", Type::Struct(&DEPLOYMENT_SPEC)),
    ],
);
static STRATEGY_SPEC: Struct = new(
    "registry.strategySpec",
    &[field("Deployments", Type::List(&Type::Struct(&INSTALLED)))],
);
static STRATEGY: Struct = new(
    "registry.strategy",
    &[
        field("strategy", TEXT),
        field("spec", Type::Struct(&STRATEGY_SPEC)),
    ],
);
pub(super) static INSTALL: Type = Type::Struct(&new(
    "registry.csvSpec",
    &[field("Install", Type::Struct(&STRATEGY))],
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
        field("type", Type::Text("v1alpha1.InstallModeType")),
        field("supported", Type::Bool),
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
        field("group", TEXT),
        field("version", TEXT),
        field("kind", TEXT),
    ],
);
static API_RESOURCE: Struct = new(
    "v1alpha1.APIResourceReference",
    &[
        field("name", TEXT),
        field("kind", TEXT),
        field("version", TEXT),
    ],
);

macro_rules! descriptor {
    ($name:ident, $go:literal) => {
        static $name: Struct = new(
            $go,
            &[
                field("path", TEXT),
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
        field("name", TEXT),
        field("version", TEXT),
        field("kind", TEXT),
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
        field("name", TEXT),
        field("group", TEXT),
        field("version", TEXT),
        field("kind", TEXT),
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
        field("customresourcedefinitions", Type::Struct(&CRDS)),
        field("apiservicedefinitions", Type::Struct(&API_SERVICES)),
        some("nativeAPIs", Type::List(&Type::Struct(&GROUP_VERSION_KIND))),
        some("minKubeVersion", TEXT),
        some("displayName", TEXT),
        some("description", TEXT),
        some("keywords", TEXTS),
        some("maintainers", Type::List(&Type::Struct(&MAINTAINER))),
        field("provider", Type::Struct(&LINK)),
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
        field("metadata", Type::Struct(&OBJECT_META)),
        field("spec", Type::Struct(&CSV_SPEC)),
    ],
));
