//! What the packages of a catalog ask of one another, which OpenShift they are for, and what has been
//! published of them: all that advice needs to know beyond one package.
//!
//! A [`Trade`] is made with a package's report and kept as long. [`advise`] lays them side by side; its cost is that of
//! the trades, not of the bundles, so that it can be paid after each edit.

use super::advice::max_openshift_version;
use super::advice::properties::{Shared, anchor, field, shared};
use super::findings::{Anchor, Finding, Findings, PackageReport};
use super::judge::Wanted;
use super::opened::Opened;
use super::rule::Check;
use super::settings::Settings;
use crate::catalog::Catalog;
use crate::hashed::HashMap;
use crate::model::blob::PropertyFact;
use crate::model::{BundleBlob, FileId, Package};
use crate::place::Text;
use crate::roots;
use crate::version::blang::Range;
use crate::version::openshift::OpenShift;
use crate::version::{Version, openshift};
use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Bundles as they were published, by package and name. Packages that are as they were need not be there.
pub type Published = BTreeMap<Text, BTreeMap<Text, Arc<BundleBlob>>>;

/// Most versions that are held against ranges for one verdict. Beyond, a range counts as met.
const BUDGET: usize = 2_000_000;
/// What it costs of that to compare a name with all others.
const COST_OF_NEAREST: usize = 10_000;

/// What one package brings.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Trade {
    /// Distinct `olm.gvk.required`, by value in canonical form.
    pub(super) api_needs: Vec<ApiNeed>,
    /// Distinct `olm.package.required`.
    pub(super) package_needs: Vec<PackageNeed>,
    /// Of the newest bundle that requires packages and APIs: their names, and its APIs.
    pub(super) mixed_needs: Option<MixedNeeds>,
    /// Bundles with `olm.bundle.object` and `olm.csv.metadata`: the first one, and how many.
    pub(super) objects: Option<(Told, usize)>,
    pub(super) metadata: Option<(Told, usize)>,
    /// Distinct limits that OLM can read.
    pub(super) limits: Vec<(OpenShift, Told)>,
}

/// A bundle that something is told at.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Told {
    pub(super) bundle: Text,
    /// The bundle in words, and how many more it is about.
    pub(super) whose: String,
    /// That, and that it (or they) require something.
    pub(super) requires: String,
    pub(super) at: Anchor,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ApiNeed {
    pub(super) told: Told,
    pub(super) value: Text,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct PackageNeed {
    pub(super) told: Told,
    pub(super) name: String,
    pub(super) range: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct MixedNeeds {
    pub(super) told: Told,
    pub(super) packages: BTreeSet<String>,
    pub(super) apis: Vec<Text>,
}

/// All packages side by side.
pub(super) struct Market<'a> {
    pub(super) opened: &'a Opened,
    stalls: BTreeMap<&'a str, Stall<'a>>,
    /// By API, the packages that provide it, in order of their names.
    providers: HashMap<&'a str, Vec<&'a str>>,
    budget: Cell<usize>,
}

/// A package at the market.
pub(super) struct Stall<'a> {
    pub(super) package: &'a Package,
    pub(super) trade: &'a Trade,
    /// APIs that it provides.
    pub(super) apis: &'a [Text],
    /// The OpenShift version that the package's folder names.
    pub(super) openshift: Option<OpenShift>,
    /// Its bundles as they were published, when they are known to have changed.
    pub(super) published: Option<&'a BTreeMap<Text, Arc<BundleBlob>>>,
    versions: OnceCell<Vec<Version>>,
}

impl Trade {
    pub(super) fn of(package: &Package) -> Self {
        let mut trade = Self::default();
        for (nth, bundle) in package.bundles.iter().enumerate() {
            let of_kind = |kind: &'static str| bundle.properties.iter().filter(move |p| &*p.kind == kind);
            for (kind, form) in [("olm.bundle.object", &mut trade.objects), ("olm.csv.metadata", &mut trade.metadata)] {
                let Some(fact) = of_kind(kind).next() else { continue };
                form.get_or_insert_with(|| (Told::one(nth, bundle, fact), 0)).1 += 1;
            }
        }
        for need in shared(package, &["olm.gvk.required"]) {
            if let Some(value) = need.property.value.clone() {
                trade.api_needs.push(ApiNeed { told: Told::of(&need), value });
            }
        }
        for need in shared(package, &["olm.package.required"]) {
            let (name, range) = (need.field("packageName"), need.field("versionRange"));
            trade.package_needs.push(PackageNeed { told: Told::of(&need), name, range });
        }
        for limit in shared(package, &[max_openshift_version::KIND]) {
            if let Some(Ok(version)) = limit.property.value.as_deref().map(openshift::read) {
                trade.limits.push((version, Told::of(&limit)));
            }
        }
        trade.mixed_needs = MixedNeeds::of(package);
        trade
    }
}

impl Told {
    fn one(nth: usize, bundle: &BundleBlob, fact: &PropertyFact) -> Self {
        let name = &bundle.name.value;
        let whose = format!("bundle `{name}`");
        Self { bundle: name.clone(), requires: format!("{whose} requires"), whose, at: anchor(nth, fact) }
    }

    fn of(shared: &Shared<'_>) -> Self {
        let (whose, requires) = (shared.whose(), shared.who("requires", "require"));
        Self { bundle: shared.bundle.name.value.clone(), whose, requires, at: shared.at }
    }
}

impl MixedNeeds {
    fn of(package: &Package) -> Option<Self> {
        let both = |b: &BundleBlob| {
            let has = |kind: &str| b.properties.iter().any(|p| &*p.kind == kind);
            has("olm.package.required") && has("olm.gvk.required")
        };
        let mixed = package.bundles.iter().enumerate().filter(|(_, b)| both(b));
        let (nth, bundle) = mixed.max_by(|a, b| super::suggest::compare_versions(a.1.version(), b.1.version()))?;
        let of_kind = |kind: &'static str| bundle.properties.iter().filter(move |p| &*p.kind == kind);
        let first = of_kind("olm.gvk.required").next()?;
        let name = |value: &Text| serde_json::from_str(value).ok().map(|v| field(&v, "packageName").to_owned());
        Some(Self {
            told: Told::one(nth, bundle, first),
            packages: of_kind("olm.package.required").filter_map(|p| name(p.value.as_ref()?)).collect(),
            apis: of_kind("olm.gvk.required").filter_map(|p| p.value.clone()).collect(),
        })
    }
}

impl<'a> Market<'a> {
    pub(super) fn stall(&self, package: &str) -> Option<&Stall<'a>> {
        self.stalls.get(package)
    }

    /// Packages of the catalog that provide an API, in order of their names.
    pub(super) fn providers(&self, api: &str) -> &[&'a str] {
        self.providers.get(api).map_or(&[], Vec::as_slice)
    }

    /// The package of any open catalog whose name is spelled most like `name`.
    pub(super) fn nearest(&self, name: &str) -> Option<&'a str> {
        self.spend(COST_OF_NEAREST).then(|| self.opened.nearest(name)).flatten()
    }

    /// Whether the package has a bundle in the range.
    pub(super) fn has_version(&self, package: &Stall<'_>, range: &Range) -> bool {
        let versions = package.versions();
        !self.spend(versions.len()) || versions.iter().any(|v| range.contains(v))
    }

    fn spend(&self, cost: usize) -> bool {
        let left = self.budget.get().checked_sub(cost);
        self.budget.set(left.unwrap_or(0));
        left.is_some()
    }
}

impl Stall<'_> {
    fn versions(&self) -> &[Version] {
        self.versions
            .get_or_init(|| self.package.bundles.iter().filter_map(|b| Version::parse(b.version()).ok()).collect())
    }

    /// The highest version; `None` when no bundle has one.
    pub(super) fn highest(&self) -> Option<&Version> {
        self.versions().iter().max_by(|a, b| a.cmp_precedence(b))
    }
}

/// An API in words: `Kind` (`group/version`).
pub(super) fn api_in_words(value: &str) -> String {
    let json = serde_json::from_str(value).unwrap_or_default();
    format!("`{}` (`{}/{}`)", field(&json, "kind"), field(&json, "group"), field(&json, "version"))
}

/// The bundles of a catalog, to hold a later state of it against.
pub(super) fn published(catalog: &Catalog) -> Published {
    let bundles = |package: &Package| {
        package.bundles.iter().rev().map(|b| (b.name.value.clone(), b.data.clone())).collect::<BTreeMap<_, _>>()
    };
    catalog.packages().map(|package| (package.name.clone(), bundles(package))).collect()
}

/// What is told of packages beside one another. It follows from their `olm.package` blobs and bundles, the names of their
/// files, what was published and what is offered elsewhere: as long as these stay it may be kept.
#[derive(Debug, Default)]
pub struct MarketAdvice {
    /// By package, in the order of names.
    pub(super) told: Vec<(Text, Finding)>,
    /// Suppressions (by position in the settings) that something fell under.
    pub suppressed: BTreeSet<usize>,
}

/// Lays the packages of a catalog side by side. `opened` holds what this catalog offers too.
pub fn advise<'a>(
    catalog: &Catalog,
    settings: &Settings,
    reports: impl IntoIterator<Item = (&'a Package, &'a PackageReport)>,
    published: &'a Published,
    opened: &'a Opened,
) -> MarketAdvice {
    let mut advice = MarketAdvice::default();
    let rules: Vec<Wanted> = settings.advice().filter(|(rule, _)| matches!(rule.check, Check::Market(_))).collect();
    if rules.is_empty() {
        return advice;
    }
    let mut market =
        Market { opened, stalls: BTreeMap::new(), providers: HashMap::default(), budget: Cell::new(BUDGET) };
    let mut folders = Folders { catalog, known: HashMap::default() };
    for (package, report) in reports {
        let Some(trade) = &report.trade else { continue };
        for api in &report.offer.apis {
            market.providers.entry(api).or_default().push(&package.name);
        }
        let stall = Stall {
            package,
            trade,
            apis: &report.offer.apis,
            openshift: folders.openshift(package),
            published: published.get(&package.name),
            versions: OnceCell::new(),
        };
        market.stalls.insert(&package.name, stall);
    }
    for stall in market.stalls.values() {
        let mut out = Findings::new();
        for &(rule, severity) in &rules {
            (out.rule, out.severity) = (rule.doc, severity);
            if let Check::Market(check) = rule.check {
                check(&market, stall, &mut out);
            }
        }
        for finding in out.into_findings() {
            let (channel, bundle) = (finding.channel.as_deref(), finding.bundle.as_deref());
            match settings.suppression(finding.rule.id, Some(&stall.package.name), channel, bundle) {
                Some(at) => {
                    advice.suppressed.insert(at);
                }
                None => advice.told.push((stall.package.name.clone(), finding)),
            }
        }
    }
    advice
}

/// OpenShift versions by file, so that each path is looked at once.
struct Folders<'a> {
    catalog: &'a Catalog,
    known: HashMap<FileId, Option<OpenShift>>,
}

impl Folders<'_> {
    /// Of the file that defines the package.
    fn openshift(&mut self, package: &Package) -> Option<OpenShift> {
        let file = package.packages.first()?.file;
        *self.known.entry(file).or_insert_with(|| {
            let path = &self.catalog.file(file)?.path;
            let version = roots::openshift_version(path).or_else(|| roots::openshift_version(self.catalog.root()))?;
            Some(OpenShift::new(version.0, version.1))
        })
    }
}
