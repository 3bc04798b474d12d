//! Trying a package on a cluster: the form's values and the manifests. An empty text means the default.

use crate::views::{Approval, Lens, Policy};
use serde::{Deserialize, Serialize};

/// The form's values.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InstallRequest {
    /// Root of the catalog that has the package.
    pub root: String,
    pub package: String,
    /// The OLM that installs it.
    pub lens: Lens,
    /// Where it is installed.
    pub namespace: String,
    /// The image of the catalog to add; `None`: the cluster already has the catalog.
    pub image: Option<String>,
    /// Name of the catalog on the cluster.
    pub catalog_name: String,
    /// OLM v1: the requested channels; Classic: at most one.
    pub channels: Vec<String>,
    /// Classic only.
    pub catalog_namespace: String,
    pub target_namespaces: Vec<String>,
    pub starting_csv: String,
    pub approval: Approval,
    /// OLM v1 only.
    pub range: String,
    pub policy: Policy,
    pub service_account: String,
}

/// The objects that install the package.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InstallManifests {
    /// YAML, one document per object, remarks as comments above them.
    pub yaml: String,
    /// Remarks for the user who applies it, one sentence each; names in backticks.
    pub remarks: Vec<String>,
    /// The bundle that is installed first; "" if OLM finds none.
    pub bundle: String,
}

/// Why there are no manifests. Lower-case start; names in backticks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InstallRefusal {
    /// The invalid value, if one is at fault.
    pub value: Option<InstallValue>,
    pub reason: String,
    /// A remedy.
    pub help: String,
}

/// A field of [`InstallRequest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum InstallValue {
    Namespace,
    CatalogImage,
    CatalogName,
    CatalogNamespace,
    Channel,
    StartingCsv,
    TargetNamespaces,
    Range,
    ServiceAccount,
}
