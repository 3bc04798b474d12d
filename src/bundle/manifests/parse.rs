//! Parses the parts of manifests and cluster dumps that upgrade questions need.

use super::checks::{check_channel, check_starting_csv};
use super::manifest::ManifestError;
use catalog::model::Package;
use catalog::version::masterminds::{self, Constraint};
use protocol::views::Approval;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use syntax::did_you_mean::did_you_mean;
use syntax::document::{Document, Reader, Sink};
use syntax::place::LineIndex;
use syntax::scalar;
use syntax::tree::{NodeId, Tree};
use upgrade::resolve::Gvk;
use upgrade::{Lens, Options, Policy};

/// A value of a manifest with its line in the file (from 1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueAtLine {
    pub value: String,
    pub line: u32,
}

/// The upgrade question of an object.
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
    /// `status.currentCSV` of a Subscription: the bundle that OLM resolved last.
    pub current: Option<ValueAtLine>,
    /// Further conditions on the cluster, one sentence each.
    pub notes: Vec<String>,
    /// For a Subscription: name and namespace of its catalog; "" if absent.
    pub source: (String, String),
    /// For a Subscription: the content of its namespace in the files.
    pub dump: Arc<NamespaceDump>,
}

/// An error at a line (from 1) of a manifest. Texts are as in [`ManifestError`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .error.reason)]
pub struct ManifestErrorAt {
    pub line: u32,
    pub error: ManifestError,
}

/// One of several files of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedFile {
    /// `None` if none of its objects asks a question.
    pub questions: Option<Result<Vec<ParsedManifest>, ManifestErrorAt>>,
    /// Without copies from other namespaces.
    pub csvs: Vec<InstalledCsv>,
}

/// The content of a namespace in the files.
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

/// The kinds of objects that ask upgrade questions, with their API groups.
const SUBSCRIPTION: (&str, &str) = ("Subscription", "operators.coreos.com");
const EXTENSION: (&str, &str) = ("ClusterExtension", "olm.operatorframework.io");
/// A bundle installed by OLM Classic.
const CSV: (&str, &str) = ("ClusterServiceVersion", "operators.coreos.com");
/// The bundle properties that OLM writes to its ClusterServiceVersion.
const PROPERTIES: &str = "operatorframework.io/properties";
/// The label of a ClusterServiceVersion that was copied from another namespace.
const COPIED_FROM: &str = "olm.copiedFrom";

/// Parses the questions of a text, in order; there is at least one.
pub fn parse(text: &[u8]) -> Result<Vec<ParsedManifest>, ManifestErrorAt> {
    let mut collector = collect(text);
    join_namespaces(std::slice::from_mut(&mut collector));
    if let Some(error) = collector.error {
        return Err(error);
    }
    if collector.manifests.is_empty() {
        let kinds = match collector.kinds.as_slice() {
            [] => "it has no object with a kind".to_owned(),
            kinds => format!("it has {}", kinds.join(", ")),
        };
        let help = format!(
            "{kinds}; a Subscription is in API group `{}`, a ClusterExtension in `{}`",
            SUBSCRIPTION.1, EXTENSION.1
        );
        let error = ManifestError::new("found no Subscription or ClusterExtension", help);
        return Err(ManifestErrorAt { line: 1, error });
    }
    Ok(collector.manifests)
}

/// Parses files of one cluster with any content.
pub fn parse_files<'t>(texts: impl IntoIterator<Item = &'t [u8]>) -> Vec<ParsedFile> {
    let mut collectors: Vec<Collector> = texts.into_iter().map(collect).collect();
    join_namespaces(&mut collectors);
    collectors
        .into_iter()
        .map(|collector| ParsedFile {
            questions: collector
                .has_question
                .then(|| collector.error.map_or(Ok(collector.manifests), Err)),
            csvs: collector.csvs,
        })
        .collect()
}

/// Gives each Subscription the content of its namespace.
///
/// Its `currentCSV` becomes its `installedCSV` as soon as that ClusterServiceVersion exists
/// (`olm-resolution` R2.3.9).
fn join_namespaces(collectors: &mut [Collector]) {
    let mut dumps: BTreeMap<String, NamespaceDump> = BTreeMap::new();
    for collector in collectors.iter() {
        for (namespace, subscription) in &collector.subscriptions {
            let dump = dumps.entry(namespace.clone()).or_default();
            dump.subscriptions.push(subscription.clone());
        }
        for csv in &collector.csvs {
            let dump = dumps.entry(csv.namespace.clone()).or_default();
            dump.csvs.push(csv.clone());
        }
    }
    let dumps: BTreeMap<String, Arc<NamespaceDump>> = dumps
        .into_iter()
        .map(|(name, mut dump)| {
            dump.name.clone_from(&name);
            let csvs: BTreeSet<&str> = dump.csvs.iter().map(|csv| &*csv.name).collect();
            for subscription in &mut dump.subscriptions {
                if subscription.installed.is_empty() && csvs.contains(&*subscription.current) {
                    subscription.installed.clone_from(&subscription.current);
                }
            }
            (name, Arc::new(dump))
        })
        .collect();
    for manifest in collectors
        .iter_mut()
        .flat_map(|collector| &mut collector.manifests)
    {
        if manifest.lens != Lens::V0 {
            continue;
        }
        if let Some(dump) = dumps.get(&manifest.dump.name) {
            manifest.dump = Arc::clone(dump);
        }
        manifest.read_current();
    }
}

fn collect(text: &[u8]) -> Collector {
    let mut collector = Collector::default();
    Reader::read_file(text, &mut collector);
    collector
}

impl ParsedManifest {
    pub fn kind(&self) -> &'static str {
        match self.lens {
            Lens::V0 => SUBSCRIPTION.0,
            Lens::V1 => EXTENSION.0,
        }
    }

    pub fn options(&self) -> Options {
        Options {
            channels: self
                .channels
                .iter()
                .map(|channel| channel.value.clone())
                .collect(),
            range: self.range.as_ref().map(|range| range.value.clone()),
            policy: self.policy,
            starting_csv: self.starting_csv.as_ref().map(|name| name.value.clone()),
            subscription: (self.lens == Lens::V0 && !self.name.is_empty())
                .then(|| self.name.clone()),
        }
    }

    /// Evaluates `status.currentCSV`: the installed version, if unknown, or a note.
    fn read_current(&mut self) {
        let Some(current) = &self.current else {
            return;
        };
        let name = &current.value;
        let csv = self.dump.csvs.iter().find(|csv| csv.name == *name);
        match (&self.installed, csv) {
            (Some(installed), _) if installed.value == *name => {}
            (None, Some(csv)) => {
                self.notes.push(format!(
                    "its status names `{name}` as currentCSV and has no installedCSV: since that ClusterServiceVersion exists, \
                     OLM takes it as installed"
                ));
                self.installed = Some(ValueAtLine {
                    value: csv.installed_name(),
                    line: current.line,
                });
            }
            _ => self.notes.push(format!(
                "its status names `{name}` as currentCSV: OLM resolves nothing new until that is installed"
            )),
        }
    }

    /// Returns the error for a package that no catalog has.
    pub fn unknown_package<'n>(
        &self,
        packages: impl IntoIterator<Item = &'n str>,
    ) -> ManifestErrorAt {
        let name = &self.package.value;
        let packages: Vec<&str> = packages.into_iter().collect();
        let channel = self.channels.first().map(|channel| channel.value.as_str());
        let swapped = channel.filter(|channel| self.lens == Lens::V0 && packages.contains(channel));
        let help = match swapped {
            Some(channel) => format!(
                "`spec.name` is the package and `spec.channel` the channel: `{channel}` is a package, so they may be swapped"
            ),
            None => did_you_mean(
                name,
                packages,
                "it belongs to another catalog, or is misspelt",
            ),
        };
        let help = match (self.lens, self.name.as_str()) {
            (Lens::V0, subscription) if !subscription.is_empty() => format!(
                "{help}; if this is its catalog, OLM says: no operators found in package {name} in the catalog referenced by \
                 subscription {subscription}"
            ),
            _ => help,
        };
        let error = ManifestError::new(format!("package `{name}` not found"), help);
        error_at(&self.package, error)
    }

    /// Reports the channels and the `startingCSV` that the package lacks, and an invalid range.
    /// `installed` is the installed bundle. The resolver still runs and reports OLM's own error.
    pub fn missing_in(&self, package: &Package, installed: Option<&str>) -> Vec<ManifestErrorAt> {
        let mut missing: Vec<ManifestErrorAt> = self
            .channels
            .iter()
            .filter_map(|channel| {
                let error = check_channel(package, &channel.value).err()?;
                Some(error_at(channel, error))
            })
            .collect();
        if let Some(name) = self
            .starting_csv
            .as_ref()
            .filter(|_| installed.is_none() && missing.is_empty())
        {
            let channel = self
                .channels
                .first()
                .map_or(package.default_channel(), |channel| &channel.value);
            missing.extend(
                check_starting_csv(package, channel, &name.value)
                    .err()
                    .map(|error| error_at(name, error)),
            );
        }
        if let Some(range) = &self.range {
            missing.extend(range_fault(&range.value).map(|error| error_at(range, error)));
        }
        missing
    }
}

fn error_at(located: &ValueAtLine, error: ManifestError) -> ManifestErrorAt {
    ManifestErrorAt {
        line: located.line,
        error,
    }
}

fn range_fault(range: &str) -> Option<ManifestError> {
    match Constraint::parse(range) {
        Err(error) => Some(ManifestError::new(
            format!("version range `{range}` does not parse: {error}"),
            "write a range such as `>=1.2.0 <2.0.0`",
        )),
        Ok(_) if !masterminds::is_admitted(range) => Some(ManifestError::new(
            format!("the ClusterExtension API rejects version range `{range}`"),
            format!("it says: {}", masterminds::NOT_ADMITTED),
        )),
        Ok(_) => None,
    }
}

#[derive(Default)]
struct Collector {
    manifests: Vec<ParsedManifest>,
    csvs: Vec<InstalledCsv>,
    /// All Subscriptions, with their namespaces.
    subscriptions: Vec<(String, KnownSubscription)>,
    /// Kinds of other objects.
    kinds: Vec<String>,
    /// Whether an object is a question, readable or not.
    has_question: bool,
    error: Option<ManifestErrorAt>,
}

impl Sink for Collector {
    fn document(&mut self, document: Document<'_>) {
        if self.error.is_some() {
            return;
        }
        let lines = LineIndex::new(document.text);
        match &document.parsed {
            Ok(tree) => {
                let object = Object {
                    tree,
                    text: document.text,
                    lines: &lines,
                    first_line: document.line,
                };
                if let Some(root) = tree.root()
                    && let Err(error) = self.add_document(&object, root)
                {
                    self.error = Some(error);
                }
            }
            Err(error) => {
                let (line, _) = lines.line_column(document.text, error.at as usize);
                let error = ManifestError::new(
                    format!("it cannot be read: {}", error.problem),
                    "write YAML or JSON",
                );
                self.error = Some(ManifestErrorAt {
                    line: document.line + line + 1,
                    error,
                });
            }
        }
    }
}

impl Collector {
    /// Collects an object, or the objects of a list.
    fn add_document(&mut self, object: &Object<'_>, root: NodeId) -> Result<(), ManifestErrorAt> {
        let kind = object.text(root, &["kind"]);
        let items = object
            .node_at(root, &["items"])
            .filter(|_| kind.ends_with("List"));
        match items {
            Some(items) => object
                .items(items)
                .into_iter()
                .try_for_each(|item| self.add_object(object, item)),
            None => self.add_object(object, root),
        }
    }

    fn add_object(&mut self, object: &Object<'_>, root: NodeId) -> Result<(), ManifestErrorAt> {
        let [kind, api] = ["kind", "apiVersion"].map(|key| object.text(root, &[key]));
        let kind_and_group = (&*kind, api.split('/').next().unwrap_or_default());
        self.has_question |= [SUBSCRIPTION, EXTENSION].contains(&kind_and_group);
        if kind_and_group == SUBSCRIPTION {
            let manifest = object.subscription(root)?;
            let subscription = KnownSubscription {
                name: manifest.name.clone(),
                package: manifest.package.value.clone(),
                channel: object.text(root, &["spec", "channel"]),
                starting_csv: object.text(root, &["spec", "startingCSV"]),
                installed: object.text(root, &["status", "installedCSV"]),
                current: object.text(root, &["status", "currentCSV"]),
            };
            self.subscriptions
                .push((manifest.dump.name.clone(), subscription));
            self.manifests.push(manifest);
        } else if kind_and_group == CSV {
            self.csvs.extend(object.csv(root));
        } else if kind_and_group == EXTENSION {
            self.manifests.push(object.extension(root)?);
        } else if !kind.is_empty() {
            let described = format!("{kind} of `{api}`");
            if !self.kinds.contains(&described) {
                self.kinds.push(described);
            }
        }
        Ok(())
    }
}

/// Parses the properties annotation: `{"properties": [{"type": …, "value": …}]}`.
fn read_properties(annotation: &str) -> Option<Vec<(String, String)>> {
    let value: serde_json::Value = serde_json::from_str(annotation).ok()?;
    Some(
        value["properties"]
            .as_array()?
            .iter()
            .filter_map(|property| {
                let kind = property["type"].as_str()?;
                Some((kind.to_owned(), property["value"].to_string()))
            })
            .collect(),
    )
}

/// A document as written.
struct Object<'a> {
    tree: &'a Tree,
    text: &'a [u8],
    lines: &'a LineIndex,
    /// The document's first line in the file, from 0.
    first_line: u32,
}

impl Object<'_> {
    fn subscription(&self, root: NodeId) -> Result<ParsedManifest, ManifestErrorAt> {
        let approval = match self.value_at(root, &["spec", "installPlanApproval"])? {
            Some(approval) if approval.value == "Manual" => Approval::Manual,
            Some(approval) if approval.value != "Automatic" => {
                let reason = format!("`spec.installPlanApproval` is `{}`", approval.value);
                let error = ManifestError::new(reason, "write Automatic or Manual");
                return Err(error_at(&approval, error));
            }
            _ => Approval::Automatic,
        };
        Ok(ParsedManifest {
            lens: Lens::V0,
            name: self.name(root)?,
            line: self.line(root),
            package: self.package(root, &["spec", "name"])?,
            channels: self
                .value_at(root, &["spec", "channel"])?
                .into_iter()
                .collect(),
            starting_csv: self.value_at(root, &["spec", "startingCSV"])?,
            approval,
            range: None,
            policy: Policy::default(),
            installed: self.value_at(root, &["status", "installedCSV"])?,
            current: self.value_at(root, &["status", "currentCSV"])?,
            notes: Vec::new(),
            source: (
                self.text(root, &["spec", "source"]),
                self.text(root, &["spec", "sourceNamespace"]),
            ),
            dump: Arc::new(NamespaceDump {
                name: self.text(root, &["metadata", "namespace"]),
                ..NamespaceDump::default()
            }),
        })
    }

    /// Reads a ClusterServiceVersion; `None` for a copy from another namespace or without a name.
    fn csv(&self, root: NodeId) -> Option<InstalledCsv> {
        let name = self.text(root, &["metadata", "name"]);
        let is_copy = self
            .node_at(root, &["metadata", "labels", COPIED_FROM])
            .is_some()
            || self.text(root, &["status", "reason"]) == "Copied";
        if name.is_empty() || is_copy {
            return None;
        }
        let properties = self.text(root, &["metadata", "annotations", PROPERTIES]);
        let owned = self.node_at(root, &["spec", "customresourcedefinitions", "owned"]);
        let owned = owned.into_iter().flat_map(|list| self.items(list));
        Some(InstalledCsv {
            namespace: self.text(root, &["metadata", "namespace"]),
            version: self.text(root, &["spec", "version"]),
            line: self.line(root),
            phase: self.text(root, &["status", "phase"]),
            replaces: self.text(root, &["spec", "replaces"]),
            properties: read_properties(&properties),
            owned: owned
                .map(|crd| {
                    let [name, version, kind] =
                        ["name", "version", "kind"].map(|key| self.text(crd, &[key]));
                    Gvk::from_crd(&name, &version, &kind)
                })
                .collect(),
            name,
        })
    }

    /// Returns the text at a path; "" if absent.
    fn text(&self, root: NodeId, path: &[&str]) -> String {
        self.node_at(root, path)
            .and_then(|node| self.string(node))
            .unwrap_or_default()
    }

    fn extension(&self, root: NodeId) -> Result<ParsedManifest, ManifestErrorAt> {
        let channels = self.node_at(root, &catalog_path("channels"));
        let channels = channels.into_iter().flat_map(|list| self.items(list));
        let channels = channels
            .map(|item| self.value(item, "spec.source.catalog.channels"))
            .collect::<Result<Vec<_>, _>>()?;
        let policy = match self.value_at(root, &catalog_path("upgradeConstraintPolicy"))? {
            Some(policy) if policy.value == "SelfCertified" => Policy::SelfCertified,
            Some(policy) if policy.value != "CatalogProvided" => {
                let reason = format!(
                    "`spec.source.catalog.upgradeConstraintPolicy` is `{}`",
                    policy.value
                );
                let error = ManifestError::new(reason, "write CatalogProvided or SelfCertified");
                return Err(error_at(&policy, error));
            }
            _ => Policy::CatalogProvided,
        };
        let version = self.value_at(root, &bundle_path("version"))?;
        let installed = self
            .value_at(root, &bundle_path("name"))?
            .map(|name| match &version {
                Some(version) => ValueAtLine {
                    value: format!("{}@{}", name.value, version.value),
                    line: name.line,
                },
                None => name,
            });
        let is_selected = self.node_at(root, &catalog_path("selector")).is_some();
        let note = "Switchyard ignores `selector` and assumes that it matches this catalog";
        Ok(ParsedManifest {
            lens: Lens::V1,
            name: self.name(root)?,
            line: self.line(root),
            package: self.package(root, &catalog_path("packageName"))?,
            channels,
            starting_csv: None,
            approval: Approval::Automatic,
            range: self.value_at(root, &catalog_path("version"))?,
            policy,
            installed,
            current: None,
            notes: is_selected.then(|| note.to_owned()).into_iter().collect(),
            source: Default::default(),
            dump: Arc::default(),
        })
    }

    fn name(&self, root: NodeId) -> Result<String, ManifestErrorAt> {
        Ok(self
            .value_at(root, &["metadata", "name"])?
            .map(|name| name.value)
            .unwrap_or_default())
    }

    fn package(&self, root: NodeId, path: &[&str]) -> Result<ValueAtLine, ManifestErrorAt> {
        self.value_at(root, path)?.ok_or_else(|| {
            let reason = format!("it has no `{}`", path.join("."));
            ManifestErrorAt {
                line: self.line(root),
                error: ManifestError::new(reason, "name the package there"),
            }
        })
    }

    /// Returns the text at a path below a node; `None` if absent or "".
    fn value_at(
        &self,
        root: NodeId,
        path: &[&str],
    ) -> Result<Option<ValueAtLine>, ManifestErrorAt> {
        let Some(node) = self.node_at(root, path) else {
            return Ok(None);
        };
        let located = self.value(node, &path.join("."))?;
        Ok(Some(located).filter(|located| !located.value.is_empty()))
    }

    fn value(&self, node: NodeId, path: &str) -> Result<ValueAtLine, ManifestErrorAt> {
        let line = self.line(node);
        match self.string(node) {
            Some(value) => Ok(ValueAtLine { value, line }),
            None => {
                let help = "put it in double quotes";
                Err(ManifestErrorAt {
                    line,
                    error: ManifestError::new(format!("`{path}` is not a string"), help),
                })
            }
        }
    }

    /// Returns the node at a path; `None` if absent or null.
    fn node_at(&self, root: NodeId, path: &[&str]) -> Option<NodeId> {
        let mut node = root;
        for key in path {
            node = self.tree.resolve_alias(node);
            if !self.tree.kind(node).is_mapping() {
                return None;
            }
            let is_named =
                |(name, _): &(NodeId, NodeId)| scalar::decode(self.tree, self.text, *name) == *key;
            node = self.tree.pairs(node).find(is_named)?.1;
        }
        let node = self.tree.resolve_alias(node);
        let is_null = matches!(
            scalar::resolve(self.tree, self.text, node),
            Ok(Some(scalar::Typed::Null))
        );
        (!is_null).then_some(node)
    }

    fn items(&self, list: NodeId) -> Vec<NodeId> {
        if !self.tree.kind(list).is_sequence() {
            return Vec::new();
        }
        let items = self.tree.children(list);
        items.map(|item| self.tree.resolve_alias(item)).collect()
    }

    /// Returns a string value as Kubernetes reads it; `None` for other types.
    fn string(&self, node: NodeId) -> Option<String> {
        match scalar::resolve(self.tree, self.text, node).ok()?? {
            scalar::Typed::Text(text) => Some(text.into_owned()),
            _ => None,
        }
    }

    fn line(&self, node: NodeId) -> u32 {
        self.first_line
            + self
                .lines
                .line_column(self.text, self.tree.range(node).start)
                .0
            + 1
    }
}

fn bundle_path(key: &'static str) -> [&'static str; 4] {
    ["status", "install", "bundle", key]
}

fn catalog_path(key: &'static str) -> [&'static str; 4] {
    ["spec", "source", "catalog", key]
}
