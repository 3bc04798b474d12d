//! Install requests, the resulting objects and errors, and the install modes of a bundle, which are
//! the namespaces that an operator can watch.

use crate as bundle;
use crate::blobs::property_value;
use catalog::model::Package;
use protocol::enum_with_text;
use protocol::manifests::InstallValue;
use serde_json::{Value, json};

/// A package to install, and its catalog. `None` and "" mean the default.
#[derive(Debug, Clone, Copy)]
pub struct InstallRequest<'a> {
    pub package: &'a Package,
    pub catalog: &'a CatalogOnCluster,
    /// The target namespace; defaults to the bundle's suggestion, else to the package's name.
    pub namespace: Option<&'a str>,
}

/// How the cluster gets the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CatalogOnCluster {
    /// Added from an image. The name defaults to that of the package with the suffix `-catalog`.
    Added { image: String, name: Option<String> },
    /// Exists under this name.
    Existing { name: String },
}

/// Returns the full document of a bundle by name, which contains more than the index; `None` if it
/// is unreadable.
pub type BundleDocument<'a> = dyn Fn(&str) -> Option<Value> + 'a;

/// Objects in the order of application.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Manifests {
    pub objects: Vec<Manifest>,
    /// The first installed bundle; "" if OLM finds none.
    pub bundle: String,
}

/// An object of a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    pub object: Value,
    /// Remarks for the user, one sentence each.
    pub remarks: Vec<String>,
}

/// Why there are no manifests. Texts start in lower case; names are in backticks.
#[derive(Debug, Clone, PartialEq, Eq, Default, thiserror::Error)]
#[error("{reason}")]
pub struct ManifestError {
    pub reason: String,
    /// The remedy.
    pub help: String,
    /// The invalid value of the request, if any.
    pub value: Option<InstallValue>,
}

impl ManifestError {
    pub(super) fn new(reason: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            help: help.into(),
            value: None,
        }
    }

    pub(super) fn in_value(self, value: InstallValue) -> Self {
        Self {
            value: Some(value),
            ..self
        }
    }
}

impl Manifests {
    /// Formats one YAML document per object, with its remarks as comments above it.
    pub fn yaml(&self) -> String {
        let mut text = String::new();
        for Manifest { object, remarks } in &self.objects {
            let yaml = bundle::to_yaml(std::slice::from_ref(object));
            let body = yaml.strip_prefix("---\n").unwrap_or(&yaml);
            let remarks: String = remarks
                .iter()
                .map(|remark| format!("# {}\n", remark.replace('\n', " ")))
                .collect();
            text.push_str(&format!("---\n{remarks}{body}"));
        }
        text
    }

    /// Returns a list object with all objects, for `kubectl`.
    pub fn list(&self) -> Value {
        let items: Vec<&Value> = self
            .objects
            .iter()
            .map(|manifest| &manifest.object)
            .collect();
        json!({ "apiVersion": "v1", "kind": "List", "items": items })
    }

    /// Returns the remarks of all objects, in order.
    pub fn remarks(&self) -> impl Iterator<Item = &str> {
        self.objects
            .iter()
            .flat_map(|manifest| &manifest.remarks)
            .map(String::as_str)
    }
}

impl Manifest {
    pub(super) fn new(object: Value) -> Self {
        Self {
            object,
            remarks: Vec::new(),
        }
    }

    pub(super) fn with_remarks(object: Value, remarks: impl IntoIterator<Item = String>) -> Self {
        Self {
            object,
            remarks: remarks.into_iter().collect(),
        }
    }
}

enum_with_text! {
    pub fn as_str;
    const ALL;
    /// An install mode with OLM's names.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum InstallMode {
        OwnNamespace = "OwnNamespace",
        SingleNamespace = "SingleNamespace",
        MultiNamespace = "MultiNamespace",
        AllNamespaces = "AllNamespaces",
    }
}

/// The supported modes of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InstallModes(Vec<InstallMode>);

impl InstallModes {
    /// Reads an `olm.bundle` document: its `olm.csv.metadata`, or else the embedded
    /// ClusterServiceVersion. `None` if it has neither, or one without install modes.
    pub fn from_bundle(bundle: &Value) -> Option<Self> {
        read_csv(bundle, "installModes", "/spec/installModes", |listed| {
            let listed = listed.as_array().filter(|listed| !listed.is_empty())?;
            let is_supported = |mode: &InstallMode| {
                listed.iter().any(|item| {
                    item["type"] == mode.as_str() && item["supported"].as_bool() == Some(true)
                })
            };
            let modes = InstallMode::ALL.into_iter().filter(is_supported);
            Some(Self(modes.collect()))
        })
    }

    pub fn supports(&self, mode: InstallMode) -> bool {
        self.0.contains(&mode)
    }

    /// Joins the names of the modes; `none` if there are none.
    pub fn names(&self) -> String {
        match self.0.as_slice() {
            [] => "none".to_owned(),
            modes => modes
                .iter()
                .map(|mode| mode.as_str())
                .collect::<Vec<_>>()
                .join(", "),
        }
    }
}

/// Whether a bundle provides APIs through its own API server.
pub(super) fn owns_api_services(bundle: &Value) -> bool {
    let (key, pointer) = ("apiServiceDefinitions", "/spec/apiservicedefinitions");
    let owned = read_csv(bundle, key, pointer, |services| {
        services["owned"].as_array()?.first().cloned()
    });
    owned.is_some()
}

/// Returns the namespace suggested by the annotation `operatorframework.io/suggested-namespace`.
pub fn suggested_namespace(bundle: &Value) -> Option<String> {
    read_csv(bundle, "annotations", "/metadata/annotations", |all| {
        let name = all["operatorframework.io/suggested-namespace"].as_str()?;
        (!name.is_empty()).then(|| name.to_owned())
    })
}

/// Reads a field of a bundle's `olm.csv.metadata`, or else of its embedded ClusterServiceVersion.
fn read_csv<T>(
    bundle: &Value,
    key: &str,
    pointer: &str,
    read: impl Fn(&Value) -> Option<T>,
) -> Option<T> {
    property_value(bundle, "olm.csv.metadata")
        .and_then(|metadata| read(&metadata[key]))
        .or_else(|| read(bundle::cluster_service_version(bundle)?.pointer(pointer)?))
}
