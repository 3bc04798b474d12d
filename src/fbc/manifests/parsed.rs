//! What manifests and dumps of a cluster contain, as far as questions about upgrades need it.

use super::classic::Approval;
use super::manifest::ManifestError;
use crate::upgrade::resolve::Gvk;
use crate::upgrade::{Lens, Policy};
use std::sync::Arc;

/// A value of a manifest, and its line in the file, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueAtLine {
    pub value: String,
    pub line: u32,
}

/// What an object asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedManifest {
    /// Classic for a Subscription, v1 for a ClusterExtension.
    pub lens: Lens,
    /// `metadata.name`; "" without one.
    pub name: String,
    /// Where the object begins in the file, from 1.
    pub line: u32,
    pub package: ValueAtLine,
    /// Of a Subscription at most one.
    pub channels: Vec<ValueAtLine>,
    pub starting_csv: Option<ValueAtLine>,
    pub approval: Approval,
    pub range: Option<ValueAtLine>,
    pub policy: Policy,
    /// What its status says is installed, as `NAME` or `NAME@VERSION`.
    pub installed: Option<ValueAtLine>,
    /// What else counts on the cluster, a sentence each.
    pub notes: Vec<String>,
    /// Of a Subscription: name and namespace of the catalog that it names; "" where it names none.
    pub source: (String, String),
    /// Of a Subscription: what the files have of its namespace.
    pub dump: Arc<NamespaceDump>,
}

/// What is wrong at a line (from 1) of a manifest. Texts as those of [`ManifestError`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .error.reason)]
pub struct ManifestErrorAt {
    pub line: u32,
    pub error: ManifestError,
}

/// What the objects of a file ask, and what else they tell of the cluster.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dump {
    /// In the order of the text.
    pub questions: Vec<ParsedManifest>,
    /// Without copies of those of other namespaces.
    pub csvs: Vec<InstalledCsv>,
}

/// A file among several of one cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedFile {
    /// `None` where no object of it asks.
    pub questions: Option<Result<Vec<ParsedManifest>, ManifestErrorAt>>,
    pub csvs: Vec<InstalledCsv>,
}

/// A namespace as far as the file has it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NamespaceDump {
    pub name: String,
    /// Without copies of those of other namespaces.
    pub csvs: Vec<InstalledCsv>,
    pub subscriptions: Vec<KnownSubscription>,
}

/// A ClusterServiceVersion of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InstalledCsv {
    pub name: String,
    pub namespace: String,
    /// `spec.version`; "" without one.
    pub version: String,
    /// Where the object begins in its file, from 1.
    pub line: u32,
    pub phase: String,
    pub replaces: String,
    /// Type and JSON value of each property, from the annotation that OLM writes; `None` without it.
    pub properties: Option<Vec<(String, String)>>,
    pub owned: Vec<Gvk>,
}

/// A Subscription as its neighbours see it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KnownSubscription {
    pub name: String,
    pub package: String,
    pub channel: String,
    pub starting_csv: String,
    /// `status.installedCSV` and `status.currentCSV`; "" without.
    pub installed: String,
    pub current: String,
}
