//! The records a resolution works on: one a (package, channel, entry) of each catalog, and the CSVs that exist.

use super::super::ErrorKind;
use super::super::chain;
use super::super::index::Entry;
use super::super::v0;
use super::predicate::{gvk, parse_value, string};
use super::{Csv, Gvk, NAMESPACE, Request, Subscription, UpgradeError};
use crate::fbc::model::BundleBlob;
use crate::fbc::place::Text;
use crate::fbc::upgrade::UpgradeIndex;
use crate::fbc::version::Version;
use serde_json::{Value, json};
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Everything there is, in one place.
pub(super) struct World<'a> {
    pub request: &'a Request<'a>,
    pub records: Vec<Record>,
    /// Channels of catalogs, with their records in list order.
    pub groups: Vec<Group>,
    /// Indices into `records`.
    pub existing: Vec<usize>,
}

/// A bundle in a channel, or an existing CSV.
pub(super) struct Record {
    /// Index into the request's catalogs; `None` for an existing CSV.
    pub catalog: Option<usize>,
    pub package: Text,
    pub channel: Text,
    pub name: Text,
    /// `CATALOG/NAMESPACE/CHANNEL/CSV`, by which the reference knows it.
    pub id: String,
    pub replaces: Text,
    pub version: Text,
    pub facts: Rc<Facts>,
    /// Type and value of each property.
    pub properties: Rc<Vec<(Text, Text)>>,
}

/// What the records of one bundle share.
type Shared = (Rc<Facts>, Rc<Vec<(Text, Text)>>);

/// A channel of a package of a catalog.
pub(super) struct Group {
    pub catalog: usize,
    pub package: Text,
    pub channel: Text,
    pub is_default: bool,
    pub records: Vec<usize>,
    entries: Vec<Entry>,
    index: Rc<UpgradeIndex>,
    chain: OnceCell<Result<Vec<usize>, UpgradeError>>,
}

/// What a bundle provides, for requirements to ask.
#[derive(Debug, Default)]
pub(super) struct Facts {
    package: Text,
    version: Option<Version>,
    /// Package names and versions of its `olm.package` properties.
    packages: Vec<(String, Option<Version>)>,
    /// With repetitions.
    pub gvks: Vec<Gvk>,
    pub labels: HashSet<String>,
    pub deprecated: bool,
    /// The properties as a CEL rule sees them.
    pub cel: Value,
}

impl Facts {
    fn new(package: &Text, version: &str, properties: &[(Text, Text)]) -> Self {
        let mut facts =
            Self { package: package.clone(), version: Version::parse_tolerant(version).ok(), ..Self::default() };
        let mut visible = Vec::with_capacity(properties.len());
        for (kind, text) in properties {
            if matches!(&**kind, "olm.bundle.object" | "olm.csv.metadata") {
                continue;
            }
            let value = parse_value(text);
            match &**kind {
                "olm.package" => {
                    let name = string(&value, "packageName").unwrap_or_default();
                    let version = string(&value, "version").unwrap_or_default();
                    facts.packages.push((name, Version::parse(&version).ok()));
                }
                "olm.gvk" => facts.gvks.extend(gvk(&value)),
                "olm.label" => facts.labels.extend(string(&value, "label")),
                "olm.deprecated" => facts.deprecated = true,
                _ => {}
            }
            visible.push(json!({"type": &**kind, "value": value}));
        }
        facts.cel = Value::Array(visible);
        facts
    }

    pub(super) fn belongs_to(&self, package: &str) -> bool {
        *self.package == *package || self.packages.iter().any(|(name, _)| name == package)
    }

    /// Distinct names of its `olm.package` properties.
    pub(super) fn package_names(&self) -> impl Iterator<Item = &str> {
        let names = self.packages.iter().map(|(name, _)| name.as_str());
        names.enumerate().filter(|(i, n)| self.packages.iter().take(*i).all(|(m, _)| m != n)).map(|(_, n)| n)
    }

    pub(super) fn versions(&self) -> impl Iterator<Item = &Version> {
        self.packages.iter().filter_map(|(_, v)| v.as_ref()).chain(&self.version)
    }
}

impl<'a> World<'a> {
    pub(super) fn new(request: &'a Request<'a>) -> Result<Self, UpgradeError> {
        let mut world = Self { request, records: Vec::new(), groups: Vec::new(), existing: Vec::new() };
        for csv in &request.installed {
            if !left_out(request, csv)? {
                world.add_existing(csv);
            }
        }
        for catalog in 0..request.catalogs.len() {
            world.add_catalog(catalog);
        }
        Ok(world)
    }

    /// The group's records in chain order, head first.
    pub(super) fn chain(&self, group: &Group) -> Result<Vec<usize>, UpgradeError> {
        let order = group.chain.get_or_init(|| {
            let entries: Vec<&Entry> = group.entries.iter().collect();
            chain::chain(&entries).map_err(|e| e.explain(&group.channel, &group.package))
        });
        order.clone().map(|order| order.into_iter().map(|i| group.records[i]).collect())
    }

    /// The records named `name`, in the order that they alone would have.
    pub(super) fn chain_of(&self, group: &Group, name: &str) -> Result<Vec<usize>, UpgradeError> {
        let named = || group.entries.iter().enumerate().filter(|(_, e)| &*e.name == name);
        if named().next().is_none() {
            return Ok(Vec::new());
        }
        let entries: Vec<&Entry> = named().map(|(_, e)| e).collect();
        let order = chain::chain(&entries).map_err(|e| e.explain(&group.channel, &group.package))?;
        let records: Vec<usize> = named().map(|(i, _)| group.records[i]).collect();
        Ok(order.into_iter().map(|i| records[i]).collect())
    }

    /// The records of a subscription's catalog, package and channel, by channel: default first, then by name. `Err`
    /// tells what is missing.
    pub(super) fn subscribed(&self, subscription: &Subscription) -> Result<Vec<&Group>, String> {
        let Subscription { name, package, channel, catalog, catalog_namespace, .. } = subscription;
        let namespace = own(catalog_namespace);
        let source = self
            .request
            .catalogs
            .iter()
            .position(|c| c.name == *catalog && own(&c.namespace) == namespace)
            .filter(|&c| self.groups.iter().any(|g| g.catalog == c));
        let Some(source) = source else {
            return Err(format!(
                "no operators found from catalog {catalog} in namespace {namespace} referenced by subscription {name}"
            ));
        };
        let of_package: Vec<&Group> =
            self.groups.iter().filter(|g| g.catalog == source && g.package == *package).collect();
        if of_package.is_empty() {
            return Err(format!(
                "no operators found in package {package} in the catalog referenced by subscription {name}"
            ));
        }
        let mut groups: Vec<&Group> =
            of_package.into_iter().filter(|g| channel.is_empty() || g.channel == *channel).collect();
        if groups.is_empty() {
            return Err(format!(
                "no operators found in channel {channel} of package {package} in the catalog referenced by \
                 subscription {name}"
            ));
        }
        groups.sort_by(|a, b| (!a.is_default, &a.channel).cmp(&(!b.is_default, &b.channel)));
        Ok(groups)
    }

    /// Does the record's entry replace, skip or cover the installed CSV?
    pub(super) fn covers(&self, group: &Group, record: usize, installed: &Csv) -> bool {
        let Some(i) = group.records.iter().position(|&r| r == record) else { return false };
        let installed = super::Installed { name: installed.name.clone(), version: installed.version.clone() };
        v0::edge(&group.index, &group.entries[i], &group.index.origin(&installed)).is_some()
    }

    fn add_existing(&mut self, csv: &Csv) {
        let api = |gvk: &Gvk| json!({"group": gvk.group, "version": gvk.version, "kind": gvk.kind});
        let properties = csv.properties.clone().unwrap_or_else(|| {
            let owned = csv.owned.iter().map(|g| ("olm.gvk".into(), api(g).to_string().into()));
            let required = csv.required.iter().map(|g| ("olm.gvk.required".into(), api(g).to_string().into()));
            let mut properties: Vec<(Text, Text)> = owned.chain(required).collect();
            // Without the annotation the package is known only by the one subscription that owns it.
            let mut owners = self.request.subscriptions.iter().filter(|s| s.installed_csv == csv.name);
            if let (Some(owner), None) = (owners.next(), owners.next()) {
                let value = json!({"packageName": &*owner.package, "version": &*csv.version});
                properties.push(("olm.package".into(), value.to_string().into()));
            }
            properties
        });
        self.existing.push(self.records.len());
        self.records.push(Record {
            catalog: None,
            package: "".into(),
            channel: "".into(),
            name: csv.name.clone(),
            id: format!("@existing/{NAMESPACE}//{}", csv.name),
            replaces: csv.replaces.clone(),
            version: csv.version.clone(),
            facts: Rc::new(Facts::new(&"".into(), &csv.version, &properties)),
            properties: Rc::new(properties),
        });
    }

    fn add_catalog(&mut self, catalog: usize) {
        let source = &self.request.catalogs[catalog];
        for package in &source.packages {
            let index = Rc::new(UpgradeIndex::new(package));
            let mut known: HashMap<usize, Shared> = HashMap::new();
            for channels in v0::subscribed(&index, "") {
                let mut group = Group {
                    catalog,
                    package: package.name.clone(),
                    channel: channels[0].name.clone(),
                    is_default: channels[0].name == index.default_channel,
                    records: Vec::new(),
                    entries: Vec::new(),
                    index: index.clone(),
                    chain: OnceCell::new(),
                };
                for entry in channels.iter().flat_map(|c| &c.entries) {
                    let Some(bundle) = entry.bundle else { continue };
                    let Some(blob) = package.bundles.get(bundle) else { continue };
                    let (facts, properties) =
                        known.entry(bundle).or_insert_with(|| facts_of(&package.name, blob)).clone();
                    group.records.push(self.records.len());
                    group.entries.push(entry.clone());
                    self.records.push(Record {
                        catalog: Some(catalog),
                        package: package.name.clone(),
                        channel: group.channel.clone(),
                        name: entry.name.clone(),
                        id: format!("{}/{}/{}/{}", source.name, own(&source.namespace), group.channel, entry.name),
                        replaces: entry.replaces_text.clone(),
                        version: blob.version().into(),
                        facts,
                        properties,
                    });
                }
                if !group.records.is_empty() {
                    self.groups.push(group);
                }
            }
        }
    }
}

/// A namespace, or the one that is resolved.
pub(super) fn own(namespace: &str) -> &str {
    if namespace.is_empty() { NAMESPACE } else { namespace }
}

fn facts_of(package: &Text, blob: &BundleBlob) -> Shared {
    let value = |text: &Option<Text>| text.clone().unwrap_or_else(|| "null".into());
    let mut properties: Vec<(Text, Text)> = blob.properties.iter().map(|p| (p.kind.clone(), value(&p.value))).collect();
    if blob.package_properties.is_empty() {
        let synthesized = json!({"packageName": &**package, "version": blob.version()});
        properties.push(("olm.package".into(), synthesized.to_string().into()));
    }
    (Rc::new(Facts::new(package, blob.version(), &properties)), Rc::new(properties))
}

/// With fail-forward, a CSV that is being replaced by a chain that ends in a failed one takes no part.
fn left_out(request: &Request<'_>, csv: &Csv) -> Result<bool, UpgradeError> {
    if !request.fail_forward {
        return Ok(false);
    }
    let mut at = csv;
    let mut seen = HashSet::new();
    while let Some(next) = request.installed.iter().find(|c| c.replaces == at.name) {
        let refuse = |what: String| {
            Err(UpgradeError::new(
                ErrorKind::Invalid,
                format!("error using catalogsource {NAMESPACE}/@existing: {what}"),
            ))
        };
        if &*at.phase != "Replacing" {
            return refuse(format!("csv {NAMESPACE}/{} in phase {} instead of Replacing", at.name, at.phase));
        }
        if !seen.insert(&at.name) {
            return refuse(format!("csv {NAMESPACE}/{} has already been seen", at.name));
        }
        at = next;
    }
    Ok(&*csv.phase == "Replacing" && &*at.phase == "Failed")
}
