//! Subscriptions and ClusterExtensions that were dropped: each asks where its package will go.

use crate::views::UpgradeQuestion;
use serde::{Deserialize, Serialize};

/// The questions of dropped files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DroppedManifests {
    /// By file, in the order of the text.
    pub questions: Vec<ManifestQuestion>,
    /// What could not be read of an object that asks.
    pub refused: Vec<ManifestRemark>,
}

/// A Subscription or a ClusterExtension as a question.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ManifestQuestion {
    /// `Subscription` or `ClusterExtension`.
    pub kind: String,
    /// "" if it has none.
    pub name: String,
    /// As dropped.
    pub file: String,
    /// Where the object begins, from 1.
    pub line: u32,
    pub package: String,
    /// Filled in but for the cluster's version, which no object says.
    pub question: UpgradeQuestion,
    /// Catalogs that have the package, the one in view first.
    pub roots: Vec<String>,
    /// What the first of these lacks, and what else counts on the cluster.
    pub remarks: Vec<ManifestRemark>,
}

/// A sentence about a line of a manifest. `reason` and `help` begin in lower case and end without a period.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ManifestRemark {
    pub file: String,
    /// From 1.
    pub line: u32,
    pub reason: String,
    /// What to do; may be "".
    pub help: String,
}
