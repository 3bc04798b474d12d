//! The records of a resolution: one per (package, channel, entry) of each catalog, and the existing
//! CSVs.

use super::super::answer::{Answer, ErrorKind, Installed, UpgradeError};
use super::super::chain;
use super::super::index::{Entry, UpgradeIndex};
use super::super::subscription::{edge, subscribed_channels};
use super::facts::{Facts, facts_of};
use super::gvk::{Apis, Gvk};
use super::request::{Catalog, Csv, NAMESPACE, Request, Subscription};
use crate::hashed::{HashMap, HashSet};
use crate::model::Package;
use crate::order::SortSmall;
use crate::place::Text;
use serde_json::json;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// Catalogs prepared for resolutions; worth keeping between questions.
#[derive(Default)]
pub struct CatalogSet<'a> {
    pub(super) catalogs: Vec<Catalog<'a>>,
    records: Vec<Record>,
    /// Channels of catalogs, with their records in list order.
    pub(super) groups: Vec<Group>,
    /// By catalog and package.
    indexes: HashMap<(usize, Text), Rc<UpgradeIndex>>,
    /// The solver's answers to [`CatalogSet::next`].
    pub(super) answers: Rc<Answers>,
}

/// Answers by question, for a fixed set of packages.
pub(super) type Answers = RefCell<HashMap<Question, Answer>>;

/// A question for the solver: catalog, package and options.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Question {
    pub catalog: Text,
    pub package: Text,
    pub installed: Option<Installed>,
    pub channel: Text,
    pub starting_csv: Text,
    pub subscription: Text,
}

/// A package prepared for any catalog set.
#[derive(Debug)]
pub(super) struct Prepared {
    index: Rc<UpgradeIndex>,
    /// Facts of the bundles that a channel lists, by index in the package.
    facts: HashMap<usize, Rc<Facts>>,
}

/// The visible catalogs and the installed CSVs of a namespace.
pub(super) struct Namespace<'a> {
    pub catalog_set: &'a CatalogSet<'a>,
    pub request: &'a Request,
    existing: Vec<Record>,
}

/// A bundle in a channel, or an existing CSV.
pub(super) struct Record {
    /// Index into the request's catalogs; `None` for an existing CSV.
    pub catalog: Option<usize>,
    pub package: Text,
    pub channel: Text,
    pub name: Text,
    /// `CATALOG/NAMESPACE/CHANNEL/CSV`, the reference's identifier.
    pub id: String,
    pub replaces: Text,
    pub version: Text,
    pub facts: Rc<Facts>,
}

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

impl<'a> Namespace<'a> {
    pub(super) fn new(
        catalog_set: &'a CatalogSet<'a>,
        request: &'a Request,
    ) -> Result<Self, UpgradeError> {
        let mut existing = Vec::new();
        for csv in &request.installed {
            if !left_out(request, csv)? {
                existing.push(existing_record(request, csv));
            }
        }
        Ok(Self {
            catalog_set,
            request,
            existing,
        })
    }

    /// Numbers the records of catalogs first, then existing CSVs.
    pub(super) fn record(&self, number: usize) -> &Record {
        let of_catalogs = self.catalog_set.records.len();
        if number < of_catalogs {
            &self.catalog_set.records[number]
        } else {
            &self.existing[number - of_catalogs]
        }
    }

    pub(super) fn existing(&self) -> std::ops::Range<usize> {
        let first = self.catalog_set.records.len();
        first..first + self.existing.len()
    }

    /// Number of records that share this id.
    pub(super) fn count_of_id(&self, id: &str) -> usize {
        self.catalog_set
            .records
            .iter()
            .chain(&self.existing)
            .filter(|r| r.id == id)
            .count()
    }

    /// The group's records in chain order, head first.
    pub(super) fn chain(&self, group: &Group) -> Result<Vec<usize>, UpgradeError> {
        let order = group.chain.get_or_init(|| {
            let entries: Vec<&Entry> = group.entries.iter().collect();
            chain::chain(&entries).map_err(|e| e.explain(&group.channel, &group.package))
        });
        order
            .clone()
            .map(|order| order.into_iter().map(|i| group.records[i]).collect())
    }

    /// The records named `name`, in their chain order.
    pub(super) fn chain_of(&self, group: &Group, name: &str) -> Result<Vec<usize>, UpgradeError> {
        let entries_of_name = || {
            group
                .entries
                .iter()
                .enumerate()
                .filter(|(_, e)| &*e.name == name)
        };
        if entries_of_name().next().is_none() {
            return Ok(Vec::new());
        }
        let entries: Vec<&Entry> = entries_of_name().map(|(_, e)| e).collect();
        let order =
            chain::chain(&entries).map_err(|e| e.explain(&group.channel, &group.package))?;
        let records: Vec<usize> = entries_of_name().map(|(i, _)| group.records[i]).collect();
        Ok(order.into_iter().map(|i| records[i]).collect())
    }

    /// The records of a subscription's catalog, package and channel, by channel: default first,
    /// then by name. `Err` names the missing part.
    pub(super) fn subscribed_groups(
        &self,
        subscription: &Subscription,
    ) -> Result<Vec<&Group>, String> {
        let Subscription {
            name,
            package,
            channel,
            catalog,
            catalog_namespace,
            ..
        } = subscription;
        let namespace = own(catalog_namespace);
        let source = self
            .catalog_set
            .catalogs
            .iter()
            .position(|c| c.name == *catalog && own(&c.namespace) == namespace)
            .filter(|&c| self.catalog_set.groups.iter().any(|g| g.catalog == c));
        let Some(source) = source else {
            return Err(format!(
                "no operators found from catalog {catalog} in namespace {namespace} referenced by subscription {name}"
            ));
        };
        let of_package: Vec<&Group> = self
            .catalog_set
            .groups
            .iter()
            .filter(|g| g.catalog == source && g.package == *package)
            .collect();
        if of_package.is_empty() {
            return Err(format!(
                "no operators found in package {package} in the catalog referenced by subscription {name}"
            ));
        }
        let mut groups: Vec<&Group> = of_package
            .into_iter()
            .filter(|g| channel.is_empty() || g.channel == *channel)
            .collect();
        if groups.is_empty() {
            return Err(format!(
                "no operators found in channel {channel} of package {package} in the catalog referenced by \
                 subscription {name}"
            ));
        }
        groups.sort_small_by(|a, b| (!a.is_default, &a.channel).cmp(&(!b.is_default, &b.channel)));
        Ok(groups)
    }

    /// Whether the record's entry replaces or skips the installed CSV, by name or by range.
    pub(super) fn covers(&self, group: &Group, record: usize, installed: &Csv) -> bool {
        let Some(i) = group.records.iter().position(|&r| r == record) else {
            return false;
        };
        let installed = Installed::new(installed.name.clone(), installed.version.clone());
        edge(
            &group.index,
            &group.entries[i],
            &group.index.origin(&installed),
        )
        .is_some()
    }
}

impl Prepared {
    /// `index` must belong to `package`.
    pub(super) fn new(package: &Package, index: Rc<UpgradeIndex>, apis: &mut Apis) -> Self {
        let listed = index
            .channels
            .iter()
            .flat_map(|channel| &channel.entries)
            .filter_map(|entry| entry.bundle);
        let mut facts: HashMap<usize, Rc<Facts>> = HashMap::default();
        for bundle in listed {
            if let (false, Some(blob)) = (facts.contains_key(&bundle), package.bundles.get(bundle))
            {
                facts.insert(bundle, facts_of(&package.name, blob, apis));
            }
        }
        Self { index, facts }
    }
}

impl<'a> CatalogSet<'a> {
    pub fn new(catalogs: Vec<Catalog<'a>>) -> Self {
        let mut apis = Apis::default();
        let mut catalog_set = Self::default();
        for catalog in catalogs {
            let index = |package: &Package| Rc::new(UpgradeIndex::new(package));
            let prepared = catalog
                .packages
                .iter()
                .map(|p| Rc::new(Prepared::new(p, index(p), &mut apis)));
            let prepared: Vec<Rc<Prepared>> = prepared.collect();
            catalog_set.add_catalog(catalog, prepared);
        }
        catalog_set
    }

    /// One catalog; `prepared` follows the order of its packages.
    pub(super) fn prepared(catalog: Catalog<'a>, prepared: Vec<Rc<Prepared>>) -> Self {
        let mut catalog_set = Self::default();
        catalog_set.add_catalog(catalog, prepared);
        catalog_set
    }

    /// The index of the package in the catalog with this name.
    pub(super) fn index(&self, catalog: &str, package: &str) -> Option<&UpgradeIndex> {
        let catalog = self.catalogs.iter().position(|c| &*c.name == catalog)?;
        self.indexes
            .get(&(catalog, package.into()))
            .map(|index| &**index)
    }

    fn add_catalog(&mut self, source: Catalog<'a>, prepared: Vec<Rc<Prepared>>) {
        let catalog = self.catalogs.len();
        for (package, prepared) in source.packages.iter().zip(prepared) {
            let index = &prepared.index;
            self.indexes
                .insert((catalog, package.name.clone()), index.clone());
            for channels in subscribed_channels(index, "") {
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
                    let Some(blob) = package.bundles.get(bundle) else {
                        continue;
                    };
                    let Some(facts) = prepared.facts.get(&bundle) else {
                        continue;
                    };
                    group.records.push(self.records.len());
                    group.entries.push(entry.clone());
                    self.records.push(Record {
                        catalog: Some(catalog),
                        package: package.name.clone(),
                        channel: group.channel.clone(),
                        name: entry.name.clone(),
                        id: format!(
                            "{}/{}/{}/{}",
                            source.name,
                            own(&source.namespace),
                            group.channel,
                            entry.name
                        ),
                        replaces: entry.replaces_text.clone(),
                        version: blob.version().into(),
                        facts: facts.clone(),
                    });
                }
                if !group.records.is_empty() {
                    self.groups.push(group);
                }
            }
        }
        self.catalogs.push(source);
    }
}

fn existing_record(request: &Request, csv: &Csv) -> Record {
    let api = |gvk: &Gvk| json!({"group": gvk.group, "version": gvk.version, "kind": gvk.kind});
    let properties = csv.properties.clone().unwrap_or_else(|| {
        let owned = csv
            .owned
            .iter()
            .map(|g| ("olm.gvk".into(), api(g).to_string().into()));
        let required = csv
            .required
            .iter()
            .map(|g| ("olm.gvk.required".into(), api(g).to_string().into()));
        let mut properties: Vec<(Text, Text)> = owned.chain(required).collect();
        // Without the annotation, only the single owning subscription knows the package.
        let mut owners = request
            .subscriptions
            .iter()
            .filter(|s| s.installed_csv == csv.name);
        if let (Some(owner), None) = (owners.next(), owners.next()) {
            let value = json!({"packageName": &*owner.package, "version": &*csv.version});
            properties.push(("olm.package".into(), value.to_string().into()));
        }
        properties
    });
    Record {
        catalog: None,
        package: "".into(),
        channel: "".into(),
        name: csv.name.clone(),
        id: format!("@existing/{}//{}", own(&request.namespace), csv.name),
        replaces: csv.replaces.clone(),
        version: csv.version.clone(),
        facts: Rc::new(Facts::new(
            &"".into(),
            &csv.version,
            properties,
            &mut Apis::default(),
        )),
    }
}

/// Resolves "" to the request's own namespace.
pub(super) fn own(namespace: &str) -> &str {
    if namespace.is_empty() {
        NAMESPACE
    } else {
        namespace
    }
}

/// Whether fail-forward excludes the CSV: it is being replaced by a chain that ends in a failed
/// one.
fn left_out(request: &Request, csv: &Csv) -> Result<bool, UpgradeError> {
    if !request.fail_forward {
        return Ok(false);
    }
    let namespace = own(&request.namespace);
    let mut at = csv;
    let mut seen = HashSet::default();
    while let Some(next) = request.installed.iter().find(|c| c.replaces == at.name) {
        let refuse = |what: String| {
            Err(UpgradeError::new(
                ErrorKind::Invalid,
                format!("error using catalogsource {namespace}/@existing: {what}"),
            ))
        };
        if &*at.phase != "Replacing" {
            return refuse(format!(
                "csv {namespace}/{} in phase {} instead of Replacing",
                at.name, at.phase
            ));
        }
        if !seen.insert(&at.name) {
            return refuse(format!("csv {namespace}/{} has already been seen", at.name));
        }
        at = next;
    }
    Ok(&*csv.phase == "Replacing" && &*at.phase == "Failed")
}
