//! Dropped Subscriptions and ClusterExtensions, read as questions about their package's next upgrade.

use crate::views::UpgradeQuestion;
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
    /// Catalogs that have the package, the one in view first.
    pub roots: Vec<String>,
    /// What the first of `roots` lacks, and other conditions on the cluster.
    pub remarks: Vec<ManifestRemark>,
}

/// A sentence about a line of a manifest. `reason` and `help` begin in lower case and end without a period.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ManifestRemark {
    pub file: String,
    /// From 1.
    pub line: u32,
    pub reason: String,
    /// A remedy; may be "".
    pub help: String,
}
