//! The Go types of blobs, of the parts of a ClusterServiceVersion that `opm` decodes, and of both
//! versions of a CustomResourceDefinition. Fields are in output order.

use super::typed::Type::{
    Any, Bool, Bytes, Float, Int, IntOrString, List, Map, Named, ObjectOrBool, ObjectOrList,
    Pointer, Quantity, Release, Text, Time, Version,
};
use super::typed::{Field, Struct, Type};

/// Defines structs (`struct`) and types that are structs (`type`): our name, Go's name, and the
/// fields. A field with `:` is omitted if it is empty, and one with `=` is always written. The name
/// in parentheses is the embedded struct that declares the field.
macro_rules! go_structs {
    (case_sensitive: $exact:literal; $($kind:tt $name:ident $go:literal {
        $($field:literal $mark:tt $go_type:expr,)*
    })*) => {
        $(go_static!($kind $name Struct {
            go: $go,
            fields: &[$(go_field!($field $mark $go_type)),*],
            exact: $exact,
        });)*
    };
}

macro_rules! go_static {
    (struct $name:ident $value:expr) => {
        static $name: Struct = $value;
    };
    (type $name:ident $value:expr) => {
        pub(super) static $name: Type = Type::Struct(&$value);
    };
}

macro_rules! go_field {
    ($name:literal : $go_type:expr) => {
        go_field!($name, $go_type, None, false)
    };
    ($name:literal = $go_type:expr) => {
        go_field!($name, $go_type, None, true)
    };
    ($name:literal ($embedded:literal) $go_type:expr) => {
        go_field!($name, $go_type, Some($embedded), false)
    };
    ($name:literal, $go_type:expr, $through:expr, $kept:literal) => {
        Field {
            name: $name,
            through: $through,
            go_type: $go_type,
            kept: $kept,
        }
    };
}

macro_rules! object {
    ($name:ident) => {
        Type::Struct(&$name)
    };
}

macro_rules! pointer {
    ($name:ident) => {
        Pointer(&object!($name))
    };
}

macro_rules! list {
    ($name:ident) => {
        List(&object!($name))
    };
}

const TEXT: Type = Text("string");
const TEXTS: Type = List(&TEXT);
const TEXT_MAP: Type = Map(&TEXT);
const INT32: Type = Int("int32", i32::MIN as i64, i32::MAX as i64);
const INT64: Type = Int("int64", i64::MIN, i64::MAX);
const TIME: Type = Pointer(&Time);
const DEFINITION_KEYS: Type = List(&pointer!(DEFINITION_KEY));
const AMOUNTS: Type = Map(&Quantity);
const CAPABILITIES: Type = List(&Text("v1.Capability"));
const OPTIONAL_BOOL: Type = Pointer(&Bool);
const OPTIONAL_INT64: Type = Pointer(&INT64);
const OPTIONAL_TEXT: Type = Pointer(&TEXT);
static SCHEMA: Type = object!(JSON_SCHEMA);
static SCHEMAS: Type = List(&SCHEMA);
static RAW: Type = Type::Raw;

pub(super) static RELATED_IMAGES: Type = list!(RELATED_IMAGE);
/// A text, as read by `json.Unmarshal`.
pub(super) static A_TEXT: Type = TEXT;
/// An object whose values are decoded later.
pub(super) static OBJECT_OF_RAW: Type = Map(&RAW);
pub(super) static ANYTHING: Type = Any;

go_structs! {
    case_sensitive: false;
    struct PROPERTY "property.Property" {
        "type" = TEXT,
        "value" = Any,
    }
    struct ICON "declcfg.PackageIcon" {
        "base64data" = Bytes,
        "mediatype" = TEXT,
    }
    type PACKAGE "declcfg.Package" {
        "schema" = TEXT,
        "name" = TEXT,
        "defaultChannel" = TEXT,
        "icon": pointer!(ICON),
        "description": TEXT,
        "properties": list!(PROPERTY),
    }
    struct ENTRY "declcfg.ChannelEntry" {
        "name" = TEXT,
        "replaces": TEXT,
        "skips": TEXTS,
        "skipRange": TEXT,
    }
    type CHANNEL "declcfg.Channel" {
        "schema" = TEXT,
        "name" = TEXT,
        "package" = TEXT,
        "entries" = list!(ENTRY),
        "properties": list!(PROPERTY),
    }
    struct RELATED_IMAGE "declcfg.RelatedImage" {
        "name" = TEXT,
        "image" = TEXT,
    }
    type BUNDLE "declcfg.Bundle" {
        "schema" = TEXT,
        "name": TEXT,
        "package": TEXT,
        "image" = TEXT,
        "properties": list!(PROPERTY),
        "relatedImages": list!(RELATED_IMAGE),
    }
    struct REFERENCE "declcfg.PackageScopedReference" {
        "schema" = TEXT,
        "name": TEXT,
    }
    struct DEPRECATION_ENTRY "declcfg.DeprecationEntry" {
        "reference" = object!(REFERENCE),
        "message" = TEXT,
    }
    type DEPRECATIONS "declcfg.Deprecation" {
        "schema" = TEXT,
        "package" = TEXT,
        "entries" = list!(DEPRECATION_ENTRY),
    }
    type PROPERTY_PACKAGE "property.Package" {
        "packageName" = TEXT,
        "version" = TEXT,
        "release": TEXT,
    }
    type PROPERTY_GVK "property.GVK" {
        "group" = TEXT,
        "kind" = TEXT,
        "version" = TEXT,
    }

    // The parts of the ClusterServiceVersion that reading a bundle decodes.
    struct DEFINITION_KEY "registry.DefinitionKey" {
        "group" = TEXT,
        "kind" = TEXT,
        "name" = TEXT,
        "version" = TEXT,
    }
    // Go prints an anonymous type completely, and its fields after a bare period.
    type DEFINITIONS "struct { Owned []*registry.DefinitionKey \"json:\\\"owned\\\"\"; Required []*registry.DefinitionKey \"json:\\\"required\\\"\" }" {
        "owned" = DEFINITION_KEYS,
        "required" = DEFINITION_KEYS,
    }
    // Decoded before the rest of the object.
    type TYPE_META "v1.TypeMeta" {
        "kind": TEXT,
        "apiVersion": TEXT,
    }
    type METADATA "registry.ClusterServiceVersion" {
        "metadata" = object!(OBJECT_META),
    }
    struct INSTALLED "registry.dep" {
        "Name" = TEXT,
        "Spec" = object!(DEPLOYMENT_SPEC),
    }
    struct STRATEGY_SPEC "registry.strategySpec" {
        "Deployments" = list!(INSTALLED),
    }
    struct STRATEGY "registry.strategy" {
        "strategy" = TEXT,
        "spec" = object!(STRATEGY_SPEC),
    }
    type INSTALL "registry.csvSpec" {
        "Install" = object!(STRATEGY),
    }

    // Kubernetes' own types.
    struct OWNER "v1.OwnerReference" {
        "apiVersion": TEXT,
        "kind": TEXT,
        "name": TEXT,
        "uid": Text("types.UID"),
        "controller": OPTIONAL_BOOL,
        "blockOwnerDeletion": OPTIONAL_BOOL,
    }
    struct MANAGED "v1.ManagedFieldsEntry" {
        "manager": TEXT,
        "operation": Text("v1.ManagedFieldsOperationType"),
        "apiVersion": TEXT,
        "time": TIME,
        "fieldsType": TEXT,
        "fieldsV1": Any,
        "subresource": TEXT,
    }
    struct OBJECT_META "v1.ObjectMeta" {
        "name": TEXT,
        "generateName": TEXT,
        "namespace": TEXT,
        "selfLink": TEXT,
        "uid": Text("types.UID"),
        "resourceVersion": TEXT,
        "generation": INT64,
        "creationTimestamp": TIME,
        "deletionTimestamp": TIME,
        "deletionGracePeriodSeconds": OPTIONAL_INT64,
        "labels": TEXT_MAP,
        "annotations": TEXT_MAP,
        "ownerReferences": list!(OWNER),
        "finalizers": TEXTS,
        "managedFields": list!(MANAGED),
    }
    struct REQUIREMENT "v1.LabelSelectorRequirement" {
        "key": TEXT,
        "operator": Text("v1.LabelSelectorOperator"),
        "values": TEXTS,
    }
    struct LABEL_SELECTOR "v1.LabelSelector" {
        "matchLabels": TEXT_MAP,
        "matchExpressions": list!(REQUIREMENT),
    }
    struct ROLLING_UPDATE "v1.RollingUpdateDeployment" {
        "maxUnavailable": Pointer(&IntOrString),
        "maxSurge": Pointer(&IntOrString),
    }
    struct DEPLOYMENT_STRATEGY "v1.DeploymentStrategy" {
        "type": Text("v1.DeploymentStrategyType"),
        "rollingUpdate": pointer!(ROLLING_UPDATE),
    }
    struct DEPLOYMENT_SPEC "v1.DeploymentSpec" {
        "replicas": Pointer(&INT32),
        "selector": pointer!(LABEL_SELECTOR),
        "template": object!(POD_TEMPLATE),
        "strategy": object!(DEPLOYMENT_STRATEGY),
        "minReadySeconds": INT32,
        "revisionHistoryLimit": Pointer(&INT32),
        "paused": Bool,
        "progressDeadlineSeconds": Pointer(&INT32),
    }
    struct POD_TEMPLATE "v1.PodTemplateSpec" {
        "metadata": object!(OBJECT_META),
        "spec": object!(POD_SPEC),
    }
    struct NAMED "v1.LocalObjectReference" {
        "name": TEXT,
    }
    struct VOLUME "v1.Volume" {
        "name": TEXT,
    }
    struct TOLERATION "v1.Toleration" {
        "key": TEXT,
        "operator": Text("v1.TolerationOperator"),
        "value": TEXT,
        "effect": Text("v1.TaintEffect"),
        "tolerationSeconds": OPTIONAL_INT64,
    }
    struct SECCOMP "v1.SeccompProfile" {
        "type": Text("v1.SeccompProfileType"),
        "localhostProfile": OPTIONAL_TEXT,
    }
    struct POD_SECURITY "v1.PodSecurityContext" {
        "runAsUser": OPTIONAL_INT64,
        "runAsGroup": OPTIONAL_INT64,
        "runAsNonRoot": OPTIONAL_BOOL,
        "supplementalGroups": List(&INT64),
        "fsGroup": OPTIONAL_INT64,
        "seccompProfile": pointer!(SECCOMP),
    }
    struct POD_SPEC "v1.PodSpec" {
        "volumes": list!(VOLUME),
        "initContainers": list!(CONTAINER),
        "containers": list!(CONTAINER),
        "restartPolicy": Text("v1.RestartPolicy"),
        "terminationGracePeriodSeconds": OPTIONAL_INT64,
        "activeDeadlineSeconds": OPTIONAL_INT64,
        "dnsPolicy": Text("v1.DNSPolicy"),
        "nodeSelector": TEXT_MAP,
        "serviceAccountName": TEXT,
        "serviceAccount": TEXT,
        "automountServiceAccountToken": OPTIONAL_BOOL,
        "nodeName": TEXT,
        "hostNetwork": Bool,
        "hostPID": Bool,
        "hostIPC": Bool,
        "shareProcessNamespace": OPTIONAL_BOOL,
        "securityContext": pointer!(POD_SECURITY),
        "imagePullSecrets": list!(NAMED),
        "hostname": TEXT,
        "subdomain": TEXT,
        "schedulerName": TEXT,
        "tolerations": list!(TOLERATION),
        "priorityClassName": TEXT,
        "priority": Pointer(&INT32),
    }
    struct PORT "v1.ContainerPort" {
        "name": TEXT,
        "hostPort": INT32,
        "containerPort": INT32,
        "protocol": Text("v1.Protocol"),
        "hostIP": TEXT,
    }
    struct KEY_OF "v1.ConfigMapKeySelector" {
        "name": TEXT,
        "key": TEXT,
        "optional": OPTIONAL_BOOL,
    }
    struct FIELD_OF "v1.ObjectFieldSelector" {
        "apiVersion": TEXT,
        "fieldPath": TEXT,
    }
    struct ENV_SOURCE "v1.EnvVarSource" {
        "fieldRef": pointer!(FIELD_OF),
        "configMapKeyRef": pointer!(KEY_OF),
        "secretKeyRef": pointer!(KEY_OF),
    }
    struct ENV "v1.EnvVar" {
        "name": TEXT,
        "value": TEXT,
        "valueFrom": pointer!(ENV_SOURCE),
    }
    struct RESOURCES "v1.ResourceRequirements" {
        "limits": AMOUNTS,
        "requests": AMOUNTS,
    }
    struct MOUNT "v1.VolumeMount" {
        "name": TEXT,
        "readOnly": Bool,
        "mountPath": TEXT,
        "subPath": TEXT,
    }
    struct HEADER "v1.HTTPHeader" {
        "name": TEXT,
        "value": TEXT,
    }
    struct HTTP_GET "v1.HTTPGetAction" {
        "path": TEXT,
        "port": IntOrString,
        "host": TEXT,
        "scheme": Text("v1.URIScheme"),
        "httpHeaders": list!(HEADER),
    }
    struct EXEC "v1.ExecAction" {
        "command": TEXTS,
    }
    struct TCP "v1.TCPSocketAction" {
        "port": IntOrString,
        "host": TEXT,
    }
    struct PROBE "v1.Probe" {
        "exec" ("ProbeHandler") pointer!(EXEC),
        "httpGet" ("ProbeHandler") pointer!(HTTP_GET),
        "tcpSocket" ("ProbeHandler") pointer!(TCP),
        "initialDelaySeconds": INT32,
        "timeoutSeconds": INT32,
        "periodSeconds": INT32,
        "successThreshold": INT32,
        "failureThreshold": INT32,
    }
    struct CAPABLE "v1.Capabilities" {
        "add": CAPABILITIES,
        "drop": CAPABILITIES,
    }
    struct SECURITY "v1.SecurityContext" {
        "capabilities": pointer!(CAPABLE),
        "privileged": OPTIONAL_BOOL,
        "runAsUser": OPTIONAL_INT64,
        "runAsGroup": OPTIONAL_INT64,
        "runAsNonRoot": OPTIONAL_BOOL,
        "readOnlyRootFilesystem": OPTIONAL_BOOL,
        "allowPrivilegeEscalation": OPTIONAL_BOOL,
        "seccompProfile": pointer!(SECCOMP),
    }
    struct CONTAINER "v1.Container" {
        "name": TEXT,
        "image": TEXT,
        "command": TEXTS,
        "args": TEXTS,
        "workingDir": TEXT,
        "ports": list!(PORT),
        "env": list!(ENV),
        "resources": object!(RESOURCES),
        "volumeMounts": list!(MOUNT),
        "livenessProbe": pointer!(PROBE),
        "readinessProbe": pointer!(PROBE),
        "startupProbe": pointer!(PROBE),
        "terminationMessagePath": TEXT,
        "terminationMessagePolicy": Text("v1.TerminationMessagePolicy"),
        "imagePullPolicy": Text("v1.PullPolicy"),
        "securityContext": pointer!(SECURITY),
        "stdin": Bool,
        "stdinOnce": Bool,
        "tty": Bool,
    }

    // The ClusterServiceVersion with OLM's own types, which migration decodes.
    struct RULE "v1.PolicyRule" {
        "verbs": TEXTS,
        "apiGroups": TEXTS,
        "resources": TEXTS,
        "resourceNames": TEXTS,
        "nonResourceURLs": TEXTS,
    }
    struct PERMISSIONS "v1alpha1.StrategyDeploymentPermissions" {
        "serviceAccountName": TEXT,
        "rules": list!(RULE),
    }
    struct STRATEGY_DEPLOYMENT "v1alpha1.StrategyDeploymentSpec" {
        "name": TEXT,
        "spec": object!(DEPLOYMENT_SPEC),
        "label": TEXT_MAP,
    }
    struct STRATEGY_DETAILS "v1alpha1.StrategyDetailsDeployment" {
        "deployments": list!(STRATEGY_DEPLOYMENT),
        "permissions": list!(PERMISSIONS),
        "clusterPermissions": list!(PERMISSIONS),
    }
    struct INSTALL_STRATEGY "v1alpha1.NamedInstallStrategy" {
        "strategy": TEXT,
        "spec": object!(STRATEGY_DETAILS),
    }
    struct CSV_ICON "v1alpha1.Icon" {
        "base64data": TEXT,
        "mediatype": TEXT,
    }
    struct INSTALL_MODE "v1alpha1.InstallMode" {
        "type" = Text("v1alpha1.InstallModeType"),
        "supported" = Bool,
    }
    struct LINK "v1alpha1.AppLink" {
        "name": TEXT,
        "url": TEXT,
    }
    struct MAINTAINER "v1alpha1.Maintainer" {
        "name": TEXT,
        "email": TEXT,
    }
    struct GROUP_VERSION_KIND "v1.GroupVersionKind" {
        "group" = TEXT,
        "version" = TEXT,
        "kind" = TEXT,
    }
    struct API_RESOURCE "v1alpha1.APIResourceReference" {
        "name" = TEXT,
        "kind" = TEXT,
        "version" = TEXT,
    }
    struct SPEC_DESCRIPTOR "v1alpha1.SpecDescriptor" {
        "path" = TEXT,
        "displayName": TEXT,
        "description": TEXT,
        "x-descriptors": TEXTS,
        "value": Any,
    }
    struct STATUS_DESCRIPTOR "v1alpha1.StatusDescriptor" {
        "path" = TEXT,
        "displayName": TEXT,
        "description": TEXT,
        "x-descriptors": TEXTS,
        "value": Any,
    }
    struct ACTION_DESCRIPTOR "v1alpha1.ActionDescriptor" {
        "path" = TEXT,
        "displayName": TEXT,
        "description": TEXT,
        "x-descriptors": TEXTS,
        "value": Any,
    }
    struct CRD_DESCRIPTION "v1alpha1.CRDDescription" {
        "name" = TEXT,
        "version" = TEXT,
        "kind" = TEXT,
        "displayName": TEXT,
        "description": TEXT,
        "resources": list!(API_RESOURCE),
        "statusDescriptors": list!(STATUS_DESCRIPTOR),
        "specDescriptors": list!(SPEC_DESCRIPTOR),
        "actionDescriptors": list!(ACTION_DESCRIPTOR),
    }
    struct CRDS "v1alpha1.CustomResourceDefinitions" {
        "owned": list!(CRD_DESCRIPTION),
        "required": list!(CRD_DESCRIPTION),
    }
    struct API_SERVICE "v1alpha1.APIServiceDescription" {
        "name" = TEXT,
        "group" = TEXT,
        "version" = TEXT,
        "kind" = TEXT,
        "deploymentName": TEXT,
        "containerPort": INT32,
        "displayName": TEXT,
        "description": TEXT,
        "resources": list!(API_RESOURCE),
        "statusDescriptors": list!(STATUS_DESCRIPTOR),
        "specDescriptors": list!(SPEC_DESCRIPTOR),
        "actionDescriptors": list!(ACTION_DESCRIPTOR),
    }
    struct API_SERVICES "v1alpha1.APIServiceDefinitions" {
        "owned": list!(API_SERVICE),
        "required": list!(API_SERVICE),
    }
    struct CSV_SPEC "v1alpha1.ClusterServiceVersionSpec" {
        "install": object!(INSTALL_STRATEGY),
        "version": Version,
        "release": Release,
        "maturity": TEXT,
        "customresourcedefinitions" = object!(CRDS),
        "apiservicedefinitions" = object!(API_SERVICES),
        "nativeAPIs": list!(GROUP_VERSION_KIND),
        "minKubeVersion": TEXT,
        "displayName": TEXT,
        "description": TEXT,
        "keywords": TEXTS,
        "maintainers": list!(MAINTAINER),
        "provider" = object!(LINK),
        "links": list!(LINK),
        "icon": list!(CSV_ICON),
        "installModes": list!(INSTALL_MODE),
        "replaces": TEXT,
        "labels": TEXT_MAP,
        "annotations": TEXT_MAP,
        "selector": pointer!(LABEL_SELECTOR),
        "skips": TEXTS,
        "relatedImages": list!(CSV_IMAGE),
    }
    struct CSV_IMAGE "v1alpha1.RelatedImage" {
        "name": TEXT,
        "image": TEXT,
    }
    type CSV "v1alpha1.ClusterServiceVersion" {
        "kind": TEXT,
        "apiVersion": TEXT,
        "metadata" = object!(OBJECT_META),
        "spec" = object!(CSV_SPEC),
    }
}

// Kubernetes matches field names of these types exactly.
go_structs! {
    case_sensitive: true;
    struct DOCS "v1.ExternalDocumentation" {
        "description": TEXT,
        "url": TEXT,
    }
    struct VALIDATION "v1.ValidationRule" {
        "rule": TEXT,
        "message": TEXT,
        "messageExpression": TEXT,
        "reason": Pointer(&Text("v1.FieldValueErrorReason")),
        "fieldPath": TEXT,
        "optionalOldSelf": OPTIONAL_BOOL,
    }
    struct JSON_SCHEMA "v1.JSONSchemaProps" {
        "id": TEXT,
        "$schema": Text("v1.JSONSchemaURL"),
        "$ref": OPTIONAL_TEXT,
        "description": TEXT,
        "type": TEXT,
        "format": TEXT,
        "title": TEXT,
        "default": Any,
        "maximum": Pointer(&Float),
        "exclusiveMaximum": Bool,
        "minimum": Pointer(&Float),
        "exclusiveMinimum": Bool,
        "maxLength": OPTIONAL_INT64,
        "minLength": OPTIONAL_INT64,
        "pattern": TEXT,
        "maxItems": OPTIONAL_INT64,
        "minItems": OPTIONAL_INT64,
        "uniqueItems": Bool,
        "multipleOf": Pointer(&Float),
        "enum": List(&Named("v1.JSON", &Any)),
        "maxProperties": OPTIONAL_INT64,
        "minProperties": OPTIONAL_INT64,
        "required": TEXTS,
        "items": ObjectOrList(&SCHEMA, &SCHEMAS),
        "allOf": List(&SCHEMA),
        "oneOf": List(&SCHEMA),
        "anyOf": List(&SCHEMA),
        "not": Pointer(&SCHEMA),
        "properties": Map(&SCHEMA),
        "additionalProperties": ObjectOrBool(&SCHEMA),
        "patternProperties": Map(&SCHEMA),
        "dependencies": Named("v1.JSONSchemaDependencies", &Map(&ObjectOrList(&SCHEMA, &TEXTS)), ),
        "additionalItems": ObjectOrBool(&SCHEMA),
        "definitions": Map(&SCHEMA),
        "externalDocs": pointer!(DOCS),
        "example": Any,
        "nullable": Bool,
        "x-kubernetes-preserve-unknown-fields": OPTIONAL_BOOL,
        "x-kubernetes-embedded-resource": Bool,
        "x-kubernetes-int-or-string": Bool,
        "x-kubernetes-list-map-keys": TEXTS,
        "x-kubernetes-list-type": OPTIONAL_TEXT,
        "x-kubernetes-map-type": OPTIONAL_TEXT,
        "x-kubernetes-validations": Named("v1.ValidationRules", &list!(VALIDATION), ),
    }
    struct VALIDATED "v1.CustomResourceValidation" {
        "openAPIV3Schema": Pointer(&SCHEMA),
    }
    struct SCALE "v1.CustomResourceSubresourceScale" {
        "specReplicasPath": TEXT,
        "statusReplicasPath": TEXT,
        "labelSelectorPath": OPTIONAL_TEXT,
    }
    struct NOTHING "v1.CustomResourceSubresourceStatus" {}
    struct SUBRESOURCES "v1.CustomResourceSubresources" {
        "status": pointer!(NOTHING),
        "scale": pointer!(SCALE),
    }
    struct COLUMN "v1.CustomResourceColumnDefinition" {
        "name": TEXT,
        "type": TEXT,
        "format": TEXT,
        "description": TEXT,
        "priority": INT32,
        "jsonPath": TEXT,
        "JSONPath": TEXT,
    }
    struct SELECTABLE "v1.SelectableField" {
        "jsonPath": TEXT,
    }
    struct VERSION "v1.CustomResourceDefinitionVersion" {
        "name": TEXT,
        "served": Bool,
        "storage": Bool,
        "deprecated": Bool,
        "deprecationWarning": OPTIONAL_TEXT,
        "schema": pointer!(VALIDATED),
        "subresources": pointer!(SUBRESOURCES),
        "additionalPrinterColumns": list!(COLUMN),
        "selectableFields": list!(SELECTABLE),
    }
    struct NAMES "v1.CustomResourceDefinitionNames" {
        "plural": TEXT,
        "singular": TEXT,
        "shortNames": TEXTS,
        "kind": TEXT,
        "listKind": TEXT,
        "categories": TEXTS,
    }
    struct SERVICE "v1.ServiceReference" {
        "namespace": TEXT,
        "name": TEXT,
        "path": OPTIONAL_TEXT,
        "port": Pointer(&INT32),
    }
    struct CLIENT "v1.WebhookClientConfig" {
        "url": OPTIONAL_TEXT,
        "service": pointer!(SERVICE),
        "caBundle": Bytes,
    }
    struct WEBHOOK "v1.WebhookConversion" {
        "clientConfig": pointer!(CLIENT),
        "conversionReviewVersions": TEXTS,
    }
    struct CONVERSION "v1.CustomResourceConversion" {
        "strategy": Text("v1.ConversionStrategyType"),
        "webhook": pointer!(WEBHOOK),
        "webhookClientConfig": pointer!(CLIENT),
        "conversionReviewVersions": TEXTS,
    }
    struct SPEC "v1.CustomResourceDefinitionSpec" {
        "group": TEXT,
        "names": object!(NAMES),
        "scope": Text("v1.ResourceScope"),
        "versions": list!(VERSION),
        "conversion": pointer!(CONVERSION),
        "preserveUnknownFields": Bool,
    }
    type V1 "v1.CustomResourceDefinition" {
        "kind": TEXT,
        "apiVersion": TEXT,
        "metadata": object!(OBJECT_META),
        "spec": object!(SPEC),
    }
    struct SPEC_BETA "v1beta1.CustomResourceDefinitionSpec" {
        "group": TEXT,
        "version": TEXT,
        "names": object!(NAMES),
        "scope": Text("v1beta1.ResourceScope"),
        "validation": pointer!(VALIDATED),
        "subresources": pointer!(SUBRESOURCES),
        "versions": list!(VERSION),
        "additionalPrinterColumns": list!(COLUMN),
        "selectableFields": list!(SELECTABLE),
        "conversion": pointer!(CONVERSION),
        "preserveUnknownFields": OPTIONAL_BOOL,
    }
    type V1BETA1 "v1beta1.CustomResourceDefinition" {
        "kind": TEXT,
        "apiVersion": TEXT,
        "metadata": object!(OBJECT_META),
        "spec": object!(SPEC_BETA),
    }
}
