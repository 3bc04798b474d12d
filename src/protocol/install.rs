//! What tries a package on a cluster: what a form says of it, and the manifests. Texts that are "" stand for the default.

use crate::views::{Approval, Lens, Policy};
use serde::{Deserialize, Serialize};

/// What is tried.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InstallRequest {
    /// Root of the catalog that has the package.
    pub root: String,
    pub package: String,
    /// The OLM that installs it.
    pub lens: Lens,
    /// Where it is installed.
    pub namespace: String,
    /// The image that the catalog is added from; `None`: the cluster has the catalog.
    pub image: Option<String>,
    /// Of the catalog on the cluster.
    pub catalog_name: String,
    /// OLM v1: the channels named; Classic: at most one.
    pub channels: Vec<String>,
    /// Classic.
    pub catalog_namespace: String,
    pub target_namespaces: Vec<String>,
    pub starting_csv: String,
    pub approval: Approval,
    /// OLM v1.
    pub range: String,
    pub policy: Policy,
    pub service_account: String,
}

/// The objects that install it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InstallManifests {
    /// YAML with a document an object, remarks as comments above them.
    pub yaml: String,
    /// What whoever applies it should know, a sentence each; names in backticks.
    pub remarks: Vec<String>,
    /// The bundle that is installed first; "" if OLM finds none.
    pub bundle: String,
}

/// Why there are no such manifests. Begins in lower case; names in backticks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InstallRefusal {
    /// The value that is at fault, where one is.
    pub value: Option<InstallValue>,
    pub reason: String,
    /// What to do.
    pub help: String,
}

/// A value of a request.
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
