//! Content of manifests and cluster dumps that upgrade questions need.

use super::classic::Approval;
use super::manifest::ManifestError;
use crate::upgrade::resolve::Gvk;
use crate::upgrade::{Lens, Policy};
use std::sync::Arc;

/// A value of a manifest with its line in the file (from 1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueAtLine {
    pub value: String,
    pub line: u32,
}

/// The question of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedManifest {
    /// Classic for a Subscription, v1 for a ClusterExtension.
    pub lens: Lens,
    /// `metadata.name`; "" without one.
    pub name: String,
    /// First line of the object in the file, from 1.
    pub line: u32,
    pub package: ValueAtLine,
    /// At most one for a Subscription.
    pub channels: Vec<ValueAtLine>,
    pub starting_csv: Option<ValueAtLine>,
    pub approval: Approval,
    pub range: Option<ValueAtLine>,
    pub policy: Policy,
    /// The installed bundle according to its status, as `NAME` or `NAME@VERSION`.
    pub installed: Option<ValueAtLine>,
    /// `status.currentCSV` of a Subscription: what OLM resolved last.
    pub current: Option<ValueAtLine>,
    /// What else counts on the cluster, a sentence each.
    pub notes: Vec<String>,
    /// For a Subscription: name and namespace of its catalog; "" if absent.
    pub source: (String, String),
    /// For a Subscription: the content of its namespace in the files.
    pub dump: Arc<NamespaceDump>,
}

/// An error at a line (from 1) of a manifest. Texts as in [`ManifestError`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .error.reason)]
pub struct ManifestErrorAt {
    pub line: u32,
    pub error: ManifestError,
}

/// The questions of a file, and other facts about the cluster.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dump {
    /// In text order.
    pub questions: Vec<ParsedManifest>,
    /// Without copies from other namespaces.
    pub csvs: Vec<InstalledCsv>,
}

/// One of several files of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedFile {
    /// `None` if none of its objects asks a question.
    pub questions: Option<Result<Vec<ParsedManifest>, ManifestErrorAt>>,
    pub csvs: Vec<InstalledCsv>,
}

/// The content of a namespace in the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NamespaceDump {
    pub name: String,
    /// Without copies from other namespaces.
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
    /// First line of the object in its file, from 1.
    pub line: u32,
    pub phase: String,
    pub replaces: String,
    /// Type and JSON value of each property, from OLM's annotation; `None` without it.
    pub properties: Option<Vec<(String, String)>>,
    pub owned: Vec<Gvk>,
}

/// A Subscription as other Subscriptions see it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KnownSubscription {
    pub name: String,
    pub package: String,
    pub channel: String,
    pub starting_csv: String,
    /// `status.installedCSV` and `status.currentCSV`; "" if absent.
    pub installed: String,
    pub current: String,
}
