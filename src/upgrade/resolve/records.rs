//! The data of a resolution: its request and answer, and the records between them, one per
//! (package, channel, entry) of each catalog, and the existing CSVs.
//!
//! [`ResolverCache`] keeps the facts about a catalog's packages that resolutions need between
//! questions: after an edit only changed packages are read again. All states of a catalog share
//! unchanged packages, so a package is identified by its address.
//!
//! Resolving over the packages in reach gives the result of the whole catalog at a lower cost: most
//! packages require nothing.

use super::super::answer::{Answer, ErrorKind, Installed, UpgradeError};
use super::super::index::{Entry, UpgradeIndex};
use super::super::subscription::{edge, subscribed_channels};
use super::requirement::{Apis, Facts, Gvk, bundle_facts, parse_property, required_package};
use crate::subscription;
use catalog::model::Package;
use protocol::enum_with_text;
use serde_json::json;
use std::cell::{OnceCell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use syntax::hashed::{HashMap, HashSet};
use syntax::order::SortSmall;
use syntax::place::Text;

/// The namespace being resolved; catalogs and subscriptions without a namespace use it.
pub const NAMESPACE: &str = "ns";

/// Maximum number of items of a cache. Viewing a package, and the states before and after an edit,
/// use three package sets.
const MAX_CACHED: usize = 4;

/// A catalog that the namespace sees.
#[derive(Debug, Clone)]
pub struct Catalog<'a> {
    pub name: Text,
    pub namespace: Text,
    pub priority: i64,
    pub packages: Vec<&'a Package>,
}

#[derive(Debug, Clone, Default)]
pub struct Subscription {
    pub name: Text,
    pub package: Text,
    /// "" means any channel.
    pub channel: Text,
    pub catalog: Text,
    pub catalog_namespace: Text,
    /// "" if absent.
    pub starting_csv: Text,
    /// `status.installedCSV`; "" if absent.
    pub installed_csv: Text,
}

/// A ClusterServiceVersion in the namespace.
#[derive(Debug, Clone, Default)]
pub struct Csv {
    pub name: Text,
    pub version: Text,
    /// Type and JSON value of each property; `None` without the annotation that holds them.
    pub properties: Option<Vec<(Text, Text)>>,
    /// Owned and required CRDs; used only without properties.
    pub owned: Vec<Gvk>,
    pub required: Vec<Gvk>,
    pub phase: Text,
    /// "" if absent.
    pub replaces: Text,
}

/// The contents of a namespace, and its subscriptions.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Its name in messages; "" means [`NAMESPACE`].
    pub namespace: Text,
    pub subscriptions: Vec<Subscription>,
    pub installed: Vec<Csv>,
    /// Whether the operator group has the strategy `TechPreviewUnsafeFailForward`.
    pub fail_forward: bool,
}

/// A catalog bundle to install.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    pub catalog: Text,
    pub package: Text,
    pub channel: Text,
    pub name: Text,
    /// The installed CSV that it replaces; "" if none.
    pub replaces: Text,
    pub version: Text,
}

/// The bundles to install, sorted by name, each with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resolution {
    pub bundles: Vec<Chosen>,
    pub why: Vec<String>,
    /// The outcome of each subscription, by name.
    pub subscriptions: Vec<Outcome>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub subscription: Text,
    pub state: State,
    /// The installed CSV; "" if absent.
    pub installed: Text,
    /// The bundle to install; "" if none.
    pub bundle: Text,
    /// One sentence, with names in backticks.
    pub why: String,
}

enum_with_text! {
    /// Returns the spelling of the JSON contract.
    pub fn as_str;
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum State {
        Installs = "installs",
        Updates = "updates",
        /// The head of its channel is installed.
        UpToDate = "up-to-date",
        /// Entries update the installed CSV, but none of them can be installed.
        HeldBack = "held-back",
        /// No entry updates the installed CSV, and it is not the head. OLM reports nothing in this
        /// case.
        NoWayOn = "no-way-on",
    }
}

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

/// A requirement of a bundle that no bundle of a catalog set meets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnmetRequirement {
    pub bundle: Text,
    /// In words, with names in backticks; `None` if no bundle of any catalog can meet it.
    wanted: Option<String>,
    is_only_catalog: bool,
}

impl UnmetRequirement {
    /// Returns the end of a sentence about new installs of the bundle under Classic.
    pub fn condition(&self) -> &'static str {
        match self.wanted {
            Some(_) => " if another catalog meets its requirements",
            None => ", but nothing can meet its requirements",
        }
    }

    /// Describes the consequence for updates and installations of the bundle under Classic.
    pub fn consequence(&self) -> String {
        let bundle = &self.bundle;
        match self.wanted {
            Some(_) => format!(
                "{self}: OLM Classic installs `{bundle}` only if another catalog on the cluster provides it"
            ),
            None => format!("{self}: OLM Classic never installs it"),
        }
    }
}

impl fmt::Display for UnmetRequirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bundle = &self.bundle;
        match (&self.wanted, self.is_only_catalog) {
            (None, _) => write!(f, "`{bundle}` has a constraint that no bundle can meet"),
            (Some(wanted), true) => write!(
                f,
                "`{bundle}` needs {wanted}, which this catalog does not provide"
            ),
            (Some(wanted), false) => {
                write!(
                    f,
                    "`{bundle}` needs {wanted}, which no open catalog provides"
                )
            }
        }
    }
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
            if !check_excluded(request, csv)? {
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
        let catalog_records = self.catalog_set.records.len();
        if number < catalog_records {
            &self.catalog_set.records[number]
        } else {
            &self.existing[number - catalog_records]
        }
    }

    pub(super) fn existing(&self) -> std::ops::Range<usize> {
        let first = self.catalog_set.records.len();
        first..first + self.existing.len()
    }

    /// Returns the number of records that share this id.
    pub(super) fn count_of_id(&self, id: &str) -> usize {
        self.catalog_set
            .records
            .iter()
            .chain(&self.existing)
            .filter(|r| r.id == id)
            .count()
    }

    /// Returns the group's records in chain order, head first.
    pub(super) fn chain(&self, group: &Group) -> Result<Vec<usize>, UpgradeError> {
        let order = group.chain.get_or_init(|| {
            let entries: Vec<&Entry> = group.entries.iter().collect();
            subscription::chain(&entries).map_err(|e| e.explain(&group.channel, &group.package))
        });
        order
            .clone()
            .map(|order| order.into_iter().map(|i| group.records[i]).collect())
    }

    /// Returns the records named `name`, in their chain order.
    pub(super) fn chain_of_name(
        &self,
        group: &Group,
        name: &str,
    ) -> Result<Vec<usize>, UpgradeError> {
        let positions: Vec<usize> = (0..group.entries.len())
            .filter(|&position| &*group.entries[position].name == name)
            .collect();
        if positions.is_empty() {
            return Ok(Vec::new());
        }
        let entries: Vec<&Entry> = positions
            .iter()
            .map(|&position| &group.entries[position])
            .collect();
        let order =
            subscription::chain(&entries).map_err(|e| e.explain(&group.channel, &group.package))?;
        Ok(order
            .into_iter()
            .map(|i| group.records[positions[i]])
            .collect())
    }

    /// Returns the records of a subscription's catalog, package and channel, by channel: default
    /// first, then by name. `Err` names the missing part.
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
    /// Prepares a package. `index` must belong to `package`.
    pub fn new(package: &Package, index: Rc<UpgradeIndex>, apis: &mut Apis) -> Self {
        let listed = index
            .channels
            .iter()
            .flat_map(|channel| &channel.entries)
            .filter_map(|entry| entry.bundle);
        let mut facts: HashMap<usize, Rc<Facts>> = HashMap::default();
        for bundle in listed {
            if let (false, Some(blob)) = (facts.contains_key(&bundle), package.bundles.get(bundle))
            {
                facts.insert(bundle, bundle_facts(&package.name, blob, apis));
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

    /// Creates a set of one catalog; `prepared` follows the order of its packages.
    pub(super) fn prepared(catalog: Catalog<'a>, prepared: Vec<Rc<Prepared>>) -> Self {
        let mut catalog_set = Self::default();
        catalog_set.add_catalog(catalog, prepared);
        catalog_set
    }

    /// Returns the index of the package in the catalog with this name.
    pub(super) fn index(&self, catalog: &str, package: &str) -> Option<&UpgradeIndex> {
        let catalog = self.catalogs.iter().position(|c| &*c.name == catalog)?;
        self.indexes
            .get(&(catalog, package.into()))
            .map(|index| &**index)
    }

    /// Returns the first requirement of a bundle that no bundle of the set meets; `None` if each is
    /// met.
    pub fn unmet_requirement(&self, package: &str, bundle: &str) -> Option<UnmetRequirement> {
        let is_it = |record: &&Record| *record.package == *package && *record.name == *bundle;
        let record = self.records.iter().find(is_it)?;
        let properties = record.facts.properties.iter();
        let requirement = properties
            .filter_map(|(kind, value)| parse_property(kind, value)?.ok())
            .find(|wanted| !self.records.iter().any(|other| wanted.holds(&other.facts)))?;
        Some(UnmetRequirement {
            bundle: record.name.clone(),
            wanted: requirement
                .constant()
                .is_none()
                .then(|| requirement.in_words()),
            is_only_catalog: self.catalogs.len() == 1,
        })
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
            .map(|gvk| ("olm.gvk".into(), api(gvk).to_string().into()));
        let required = csv
            .required
            .iter()
            .map(|gvk| ("olm.gvk.required".into(), api(gvk).to_string().into()));
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
fn check_excluded(request: &Request, csv: &Csv) -> Result<bool, UpgradeError> {
    if !request.fail_forward {
        return Ok(false);
    }
    let namespace = own(&request.namespace);
    let mut at = csv;
    let mut seen = HashSet::default();
    while let Some(next) = request.installed.iter().find(|c| c.replaces == at.name) {
        let fault = if &*at.phase != "Replacing" {
            format!("in phase {} instead of Replacing", at.phase)
        } else if !seen.insert(&at.name) {
            "has already been seen".to_owned()
        } else {
            at = next;
            continue;
        };
        return Err(UpgradeError::new(
            ErrorKind::Invalid,
            format!(
                "error using catalogsource {namespace}/@existing: csv {namespace}/{} {fault}",
                at.name
            ),
        ));
    }
    Ok(&*csv.phase == "Replacing" && &*at.phase == "Failed")
}

/// Cached package data, by name. Valid for any state of the catalog.
#[derive(Debug, Default)]
pub struct ResolverCache {
    known: HashMap<Text, CachedPackage>,
    apis: Apis,
    /// Answers for the package sets last used, the latest last.
    answered: VecDeque<(Vec<Arc<Package>>, Rc<Answers>)>,
    /// Packages queried without their requirements, the latest last.
    indexes: VecDeque<(Arc<Package>, Rc<UpgradeIndex>)>,
}

#[derive(Debug)]
struct CachedPackage {
    package: Arc<Package>,
    interface: PackageInterface,
    prepared: Option<Rc<Prepared>>,
}

/// The requirements of a package, and the APIs that it offers. `required` and `offered` hold
/// numbers of APIs.
#[derive(Debug, Default)]
struct PackageInterface {
    packages: Vec<String>,
    required: Vec<u32>,
    /// Whether it needs an `olm.constraint` or a label, which any package may provide.
    anything: bool,
    /// Names of other packages that its bundles claim in their `olm.package` property.
    claims: Vec<Text>,
    offered: Vec<u32>,
}

impl ResolverCache {
    /// Returns a nameless catalog with the packages that a question about `start` can reach.
    pub fn catalog_set<'a>(
        &mut self,
        packages: impl IntoIterator<Item = &'a Arc<Package>>,
        start: &str,
    ) -> CatalogSet<'a> {
        let near = self.within_reach(packages, start);
        let prepared = near.iter().map(|package| self.prepare(package)).collect();
        let answers = self.answers(&near);
        let packages = near.into_iter().map(|package| &**package).collect();
        let catalog = Catalog {
            name: "".into(),
            namespace: "".into(),
            priority: 0,
            packages,
        };
        let mut catalog_set = CatalogSet::prepared(catalog, prepared);
        catalog_set.answers = answers;
        catalog_set
    }

    /// Returns the package's index, for questions that the graph alone answers.
    pub fn index(&mut self, package: &Arc<Package>) -> Rc<UpgradeIndex> {
        recall(
            &mut self.indexes,
            |known| Arc::ptr_eq(known, package),
            || (package.clone(), Rc::new(UpgradeIndex::new(package))),
        )
    }

    /// Returns the cached answers for exactly these packages.
    fn answers(&mut self, near: &[&Arc<Package>]) -> Rc<Answers> {
        recall(
            &mut self.answered,
            |packages| {
                packages.len() == near.len()
                    && packages.iter().zip(near).all(|(a, b)| Arc::ptr_eq(a, b))
            },
            || (near.iter().copied().cloned().collect(), Rc::default()),
        )
    }

    /// Returns the package `start` and, transitively, every package that could meet a requirement
    /// of an included one, in the order of `packages`. An `olm.constraint` or a label includes all
    /// packages.
    pub fn within_reach<'a>(
        &mut self,
        packages: impl IntoIterator<Item = &'a Arc<Package>>,
        start: &str,
    ) -> Vec<&'a Arc<Package>> {
        let all: Vec<&Arc<Package>> = packages.into_iter().collect();
        all.iter().for_each(|package| {
            self.cached_package(package);
        });
        let interfaces: Vec<Option<&PackageInterface>> = all
            .iter()
            .map(|p| self.known.get(&p.name).map(|known| &known.interface))
            .collect();
        let mut requirements = ReachableRequirements::default();
        let mut is_included: Vec<bool> =
            all.iter().map(|package| *package.name == *start).collect();
        let mut new: Vec<usize> = (0..all.len()).filter(|&i| is_included[i]).collect();
        while !new.is_empty() {
            new.iter()
                .filter_map(|&i| interfaces[i])
                .for_each(|interface| requirements.add(interface));
            if requirements.anything {
                return all;
            }
            let is_reachable = |i: usize| {
                interfaces[i]
                    .is_some_and(|interface| requirements.could_use(&all[i].name, interface))
            };
            new = (0..all.len())
                .filter(|&i| !is_included[i] && is_reachable(i))
                .collect();
            new.iter().for_each(|&i| is_included[i] = true);
        }
        all.into_iter()
            .zip(is_included)
            .filter_map(|(package, is_included)| is_included.then_some(package))
            .collect()
    }

    /// Whether some bundle of the package requires a package or an API by name.
    pub fn requires_by_name(&mut self, package: &Arc<Package>) -> bool {
        let interface = &self.cached_package(package).interface;
        !interface.packages.is_empty() || !interface.required.is_empty()
    }

    /// Whether a bundle requires something that any package may provide: an `olm.constraint` or a
    /// label.
    pub fn requires_anything(&mut self, package: &Arc<Package>) -> bool {
        self.cached_package(package).interface.anything
    }

    fn cached_package(&mut self, package: &Arc<Package>) -> &mut CachedPackage {
        let Self { known, apis, .. } = self;
        let fresh = |apis: &mut Apis| {
            let interface = PackageInterface::from_package(package, apis);
            CachedPackage {
                package: package.clone(),
                interface,
                prepared: None,
            }
        };
        let known = known
            .entry(package.name.clone())
            .or_insert_with(|| fresh(apis));
        if !Arc::ptr_eq(&known.package, package) {
            *known = fresh(apis);
        }
        known
    }

    fn prepare(&mut self, package: &Arc<Package>) -> Rc<Prepared> {
        if let Some(prepared) = &self.cached_package(package).prepared {
            return prepared.clone();
        }
        let index = self.index(package);
        let prepared = Rc::new(Prepared::new(package, index, &mut self.apis));
        self.cached_package(package).prepared = Some(prepared.clone());
        prepared
    }
}

/// Returns the wanted item of a cache, or creates it; it becomes the latest.
fn recall<K, V: Clone>(
    cache: &mut VecDeque<(K, V)>,
    is_wanted: impl Fn(&K) -> bool,
    create: impl FnOnce() -> (K, V),
) -> V {
    let index = cache.iter().position(|(key, _)| is_wanted(key));
    let item = index
        .and_then(|index| cache.remove(index))
        .unwrap_or_else(create);
    let value = item.1.clone();
    cache.push_back(item);
    if cache.len() > MAX_CACHED {
        cache.pop_front();
    }
    value
}

impl PackageInterface {
    fn from_package(package: &Package, apis: &mut Apis) -> Self {
        let mut interface = Self::default();
        // Bundles of a package mostly share their properties.
        let mut seen = HashSet::default();
        for fact in package.bundles.iter().flat_map(|bundle| &bundle.properties) {
            if !seen.insert(Arc::as_ptr(&fact.property)) {
                continue;
            }
            match (&*fact.kind, &fact.value) {
                ("olm.gvk", Some(value)) => interface.offered.extend(apis.number(value)),
                ("olm.gvk.required", Some(value)) => interface.required.extend(apis.number(value)),
                ("olm.package.required", Some(value)) => {
                    interface
                        .packages
                        .extend(required_package(value).map(|(name, _)| name));
                }
                // A value that is not stored is a large constraint.
                ("olm.constraint", _) | ("olm.label.required", Some(_)) => {
                    interface.anything = true
                }
                _ => {}
            }
        }
        let properties = package
            .bundles
            .iter()
            .flat_map(|bundle| &bundle.package_properties);
        let others = properties
            .map(|p| &p.package_name.value)
            .filter(|name| **name != package.name);
        interface.claims = others
            .collect::<HashSet<_>>()
            .into_iter()
            .cloned()
            .collect();
        interface
    }
}

/// The requirements of all packages in reach.
#[derive(Default)]
struct ReachableRequirements {
    packages: HashSet<String>,
    apis: HashSet<u32>,
    anything: bool,
}

impl ReachableRequirements {
    fn add(&mut self, interface: &PackageInterface) {
        self.packages.extend(interface.packages.iter().cloned());
        self.apis.extend(&interface.required);
        self.anything |= interface.anything;
    }

    fn could_use(&self, name: &str, interface: &PackageInterface) -> bool {
        let by_name = !self.packages.is_empty()
            && (self.packages.contains(name)
                || interface
                    .claims
                    .iter()
                    .any(|claim| self.packages.contains(&**claim)));
        by_name
            || (!self.apis.is_empty()
                && interface.offered.iter().any(|api| self.apis.contains(api)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Options;
    use catalog::model::blob::{Property, PropertyFact};
    use catalog::testing::versioned_package as package;

    fn with(name: &str, kind: &str, value: &str) -> Arc<Package> {
        let mut package = package(&[("stable", &["p.v1.0.0"])]);
        package.name = name.into();
        for located in &mut package.bundles {
            let bundle = Arc::make_mut(&mut located.data);
            bundle.package_properties[0].package_name.value = name.into();
            let property = Arc::new(Property {
                kind: kind.into(),
                value: Some(value.into()),
            });
            bundle.properties.push(PropertyFact {
                property,
                start: 0,
                line: 0,
            });
        }
        Arc::new(package)
    }

    fn reach(
        resolver_cache: &mut ResolverCache,
        packages: &[Arc<Package>],
        start: &str,
    ) -> Vec<String> {
        resolver_cache
            .within_reach(packages, start)
            .iter()
            .map(|package| package.name.to_string())
            .collect()
    }

    #[test]
    fn an_unmet_requirement_is_described() {
        let unmet = |constraint: &str| {
            let package = with("p", "olm.constraint", constraint);
            let catalogs = CatalogSet::new(vec![Catalog {
                name: "c".into(),
                namespace: "".into(),
                priority: 0,
                packages: vec![&package],
            }]);
            let unmet = catalogs.unmet_requirement("p", "p.v1.0.0");
            if let Some(unmet) = &unmet {
                let answer = catalogs.next("c", "p", None, &Options::for_channel("stable"));
                assert_eq!(answer.why.first(), Some(&unmet.to_string()));
            }
            unmet.map(|unmet| unmet.consequence())
        };
        assert_eq!(
            unmet(r#"{"package":{"packageName":"q","versionRange":">=1.0.0"}}"#).as_deref(),
            Some(
                "`p.v1.0.0` needs package `q` >=1.0.0, which this catalog does not provide: OLM Classic installs \
                 `p.v1.0.0` only if another catalog on the cluster provides it"
            )
        );
        let other_package =
            r#"{"not":{"constraints":[{"package":{"packageName":"p","versionRange":">=1.0.0"}}]}}"#;
        assert!(unmet(other_package).unwrap_or_default().starts_with(
            "`p.v1.0.0` needs a bundle that does not match package `p` >=1.0.0, which"
        ));
        // Children that every bundle or none meets are not named.
        for (constraint, wanted) in [
            (
                r#"{"any":{"constraints":[{"any":{}},{"package":{"packageName":"q","versionRange":">=1.0.0"}}]}}"#,
                "package `q` >=1.0.0",
            ),
            (
                r#"{"all":{"constraints":[{"all":{}},{"package":{"packageName":"q","versionRange":">=1.0.0"}}]}}"#,
                "package `q` >=1.0.0",
            ),
            (
                r#"{"not":{"constraints":[{"any":{}},{"package":{"packageName":"p","versionRange":">=1.0.0"}}]}}"#,
                "a bundle that does not match package `p` >=1.0.0",
            ),
        ] {
            let unmet = unmet(constraint).unwrap_or_default();
            assert!(
                unmet.starts_with(&format!("`p.v1.0.0` needs {wanted}, which")),
                "{unmet}"
            );
        }
        let never =
            "`p.v1.0.0` has a constraint that no bundle can meet: OLM Classic never installs it";
        for constraint in [
            r#"{"any":{"constraints":[]}}"#,
            r#"{"not":{"constraints":[{"all":{}}]}}"#,
            r#"{"all":{"constraints":[{"any":{}},{"package":{"packageName":"p","versionRange":">=1.0.0"}}]}}"#,
        ] {
            assert_eq!(unmet(constraint).as_deref(), Some(never), "{constraint}");
        }
        for constraint in [
            r#"{"all":{}}"#,
            r#"{"not":{}}"#,
            r#"{"any":{"constraints":[{"any":{}},{"not":{}}]}}"#,
        ] {
            assert_eq!(unmet(constraint), None, "{constraint}");
        }
    }

    #[test]
    fn requirements_are_followed_from_package_to_package() {
        let api = r#"{"group":"g","kind":"K","version":"v1"}"#;
        let mut packages = vec![
            with(
                "asks",
                "olm.package.required",
                r#"{"packageName":"between","versionRange":">=0.0.0"}"#,
            ),
            with("between", "olm.gvk.required", api),
            with("offers", "olm.gvk", api),
            with(
                "other",
                "olm.gvk",
                r#"{"group":"h","kind":"K","version":"v1"}"#,
            ),
        ];
        let mut resolver_cache = ResolverCache::default();
        assert_eq!(
            reach(&mut resolver_cache, &packages, "asks"),
            ["asks", "between", "offers"]
        );
        assert_eq!(reach(&mut resolver_cache, &packages, "offers"), ["offers"]);
        assert!(
            resolver_cache.requires_by_name(&packages[1])
                && !resolver_cache.requires_by_name(&packages[2])
        );

        // A new state of a package is read anew; the earlier state is still cached.
        let before = std::mem::replace(&mut packages[3], with("other", "olm.gvk", api));
        assert_eq!(
            reach(&mut resolver_cache, &packages, "between"),
            ["between", "offers", "other"]
        );
        packages[3] = before;
        assert_eq!(
            reach(&mut resolver_cache, &packages, "between"),
            ["between", "offers"]
        );
        packages[1] = with("between", "olm.constraint", "{}");
        assert_eq!(reach(&mut resolver_cache, &packages, "asks").len(), 4);
    }
}
