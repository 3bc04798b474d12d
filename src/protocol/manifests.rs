//! Manifests of a cluster: dropped Subscriptions and ClusterExtensions, read as questions about
//! their package's next upgrade; and the manifests that try a package. An empty text in the form
//! means the default.

use crate::views::{Approval, Lens, Policy, UpgradeQuestion};
use serde::{Deserialize, Serialize};

/// The questions of dropped files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DroppedManifests {
    /// By file, in the order of the text.
    pub questions: Vec<ManifestQuestion>,
    /// Objects that could not be read completely, with the reason.
    pub refused: Vec<ManifestRemark>,
}

/// The question that a Subscription or a ClusterExtension poses.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ManifestQuestion {
    /// `Subscription` or `ClusterExtension`.
    pub kind: String,
    /// "" if it has none.
    pub name: String,
    /// Path as dropped.
    pub file: String,
    /// First line of the object, from 1.
    pub line: u32,
    pub package: String,
    /// Complete except for the cluster's version, which no object contains.
    pub question: UpgradeQuestion,
    /// Catalogs that have the package; the one in view is first.
    pub roots: Vec<String>,
    /// What the first of `roots` lacks, and other conditions on the cluster.
    pub remarks: Vec<ManifestRemark>,
}

/// A sentence about a line of a manifest. `reason` and `help` begin in lower case and end without a
/// period.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ManifestRemark {
    pub file: String,
    /// From 1.
    pub line: u32,
    pub reason: String,
    /// A remedy; may be "".
    pub help: String,
}

/// The values of the form that creates manifests for a package.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InstallRequest {
    /// Root of the catalog that has the package.
    pub root: String,
    pub package: String,
    /// The OLM that installs it.
    pub lens: Lens,
    /// Where it is installed.
    pub namespace: String,
    /// The image of the catalog.
    pub image: String,
    /// OLM v1: the requested channels; Classic: at most one.
    pub channels: Vec<String>,
    /// Classic only.
    pub starting_csv: String,
    pub approval: Approval,
    /// OLM v1 only.
    pub range: String,
    pub policy: Policy,
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

/// Why there are no manifests. Texts start in lower case; names are in backticks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InstallRefusal {
    /// The invalid value, if one is at fault.
    pub value: Option<InstallValue>,
    pub reason: String,
    /// A remedy.
    pub help: String,
}

/// A field of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum InstallValue {
    Namespace,
    CatalogImage,
    Channel,
}
