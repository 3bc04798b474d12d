//! The `installModes` of a bundle's ClusterServiceVersion, if the catalog contains it: which
//! namespaces an operator can watch.

use crate::bundle;
use serde_json::Value;

/// An install mode with OLM's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InstallMode {
    OwnNamespace,
    SingleNamespace,
    MultiNamespace,
    AllNamespaces,
}

/// The supported modes of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InstallModes(Vec<InstallMode>);

impl InstallMode {
    const ALL: [InstallMode; 4] = [
        InstallMode::OwnNamespace,
        InstallMode::SingleNamespace,
        InstallMode::MultiNamespace,
        InstallMode::AllNamespaces,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            InstallMode::OwnNamespace => "OwnNamespace",
            InstallMode::SingleNamespace => "SingleNamespace",
            InstallMode::MultiNamespace => "MultiNamespace",
            InstallMode::AllNamespaces => "AllNamespaces",
        }
    }
}

impl InstallModes {
    /// Reads an `olm.bundle` document: its `olm.csv.metadata`, or else the embedded
    /// ClusterServiceVersion. `None` if it has neither, or one without install modes.
    pub fn from_bundle(bundle: &Value) -> Option<Self> {
        let from_metadata = metadata(bundle).and_then(|value| modes(value.get("installModes")));
        from_metadata.or_else(|| {
            modes(bundle::cluster_service_version(bundle)?.pointer("/spec/installModes"))
        })
    }

    pub fn supports(&self, mode: InstallMode) -> bool {
        self.0.contains(&mode)
    }

    /// Their names as text.
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
    let owned = |services: Option<&Value>| {
        let owned = services.and_then(|services| services.get("owned")?.as_array());
        owned.is_some_and(|owned| !owned.is_empty())
    };
    let csv = || bundle::cluster_service_version(bundle);
    owned(metadata(bundle).and_then(|value| value.get("apiServiceDefinitions")))
        || csv().is_some_and(|csv| owned(csv.pointer("/spec/apiservicedefinitions")))
}

/// The namespace suggested by the annotation `operatorframework.io/suggested-namespace`.
pub fn suggested_namespace(bundle: &Value) -> Option<String> {
    let annotation = |annotations: Option<&Value>| {
        let name = annotations?
            .get("operatorframework.io/suggested-namespace")?
            .as_str()?;
        (!name.is_empty()).then(|| name.to_owned())
    };
    annotation(metadata(bundle).and_then(|value| value.get("annotations"))).or_else(|| {
        annotation(bundle::cluster_service_version(bundle)?.pointer("/metadata/annotations"))
    })
}

/// The value of the first `olm.csv.metadata`.
fn metadata(bundle: &Value) -> Option<&Value> {
    let mut properties = bundle.get("properties")?.as_array()?.iter();
    properties
        .find(|property| property["type"] == "olm.csv.metadata")?
        .get("value")
}

fn modes(listed: Option<&Value>) -> Option<InstallModes> {
    let listed = listed?.as_array().filter(|listed| !listed.is_empty())?;
    let is_supported = |mode: &InstallMode| {
        listed
            .iter()
            .any(|item| item["type"] == mode.as_str() && item["supported"].as_bool() == Some(true))
    };
    Some(InstallModes(
        InstallMode::ALL.into_iter().filter(is_supported).collect(),
    ))
}
