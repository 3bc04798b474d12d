//! Advice that compares the packages of a catalog.
//!
//! A [`Requirements`] is created and cached with a package's
//! report. [`advise`] compares them; its cost grows with the number of requirements, not bundles,
//! so it can run after each edit.

use super::advice::properties::field;
use super::findings::Finding;
use super::findings::Findings;
use super::judge::PackageReport;
use super::requirements::Requirements;
use super::requirements::{OpenCatalogs, Provides};
use super::rule::{Check, EnabledRule};
use super::settings::Settings;
use crate::catalog::Catalog;
use crate::hashed::HashMap;
use crate::model::{BundleBlob, FileId, Package};
use crate::place::Text;
use crate::roots;
use crate::version::Version;
use crate::version::blang::Range;
use crate::version::openshift::OpenShift;
use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The bundles of a catalog, as a baseline for a later state.
pub(super) fn published_bundles(catalog: &Catalog) -> PublishedBundles {
    catalog
        .packages()
        .map(|package| (package.name.clone(), bundles_by_name(package)))
        .collect()
}

fn bundles_by_name(package: &Package) -> BTreeMap<Text, Arc<BundleBlob>> {
    package
        .bundles
        .iter()
        .rev()
        .map(|b| (b.name.value.clone(), b.data.clone()))
        .collect::<BTreeMap<_, _>>()
}

/// Cross-package findings. They depend on the packages' `olm.package` blobs and bundles, their file
/// names, what was published and what other catalogs provide, and may be cached while these stay
/// the same.
#[derive(Debug, Default)]
pub struct CrossPackageAdvice {
    /// By package, sorted by name.
    pub(super) findings: Vec<(Text, Finding)>,
    /// Positions of the matching suppressions in the settings.
    pub suppressed: BTreeSet<usize>,
}

/// Compares the packages of a catalog. `open_catalogs` includes this catalog.
pub fn advise<'a>(
    catalog: &Catalog,
    settings: &Settings,
    reports: impl IntoIterator<Item = (&'a Package, &'a PackageReport)>,
    published: &'a PublishedBundles,
    open_catalogs: &'a OpenCatalogs,
) -> CrossPackageAdvice {
    let mut advice = CrossPackageAdvice::default();
    let rules: Vec<EnabledRule> = settings
        .advice()
        .filter(|(rule, _)| matches!(rule.check, Check::CrossPackage(_)))
        .collect();
    if rules.is_empty() {
        return advice;
    }
    let mut packages = CatalogContext::new(open_catalogs);
    let mut folders = Folders {
        catalog,
        known: HashMap::default(),
    };
    for (package, report) in reports {
        let Some(requirements) = &report.requirements else {
            continue;
        };
        packages.add(
            package,
            requirements,
            &report.provides,
            folders.openshift(package),
            published.get(&package.name),
        );
    }
    for context in packages.packages() {
        let mut out = Findings::new();
        for &(rule, severity) in &rules {
            (out.rule, out.severity) = (rule.doc, severity);
            if let Check::CrossPackage(check) = rule.check {
                check(&packages, context, &mut out);
            }
        }
        for finding in out.finish().0 {
            let (channel, bundle) = (finding.channel.as_deref(), finding.bundle.as_deref());
            match settings.suppression(
                finding.rule.id,
                Some(&context.package.name),
                channel,
                bundle,
            ) {
                Some(at) => {
                    advice.suppressed.insert(at);
                }
                None => advice
                    .findings
                    .push((context.package.name.clone(), finding)),
            }
        }
    }
    advice
}

/// OpenShift versions by file, so that each path is parsed once.
struct Folders<'a> {
    catalog: &'a Catalog,
    known: HashMap<FileId, Option<OpenShift>>,
}

impl Folders<'_> {
    /// The version of the file that defines the package.
    fn openshift(&mut self, package: &Package) -> Option<OpenShift> {
        let file = package.packages.first()?.file;
        *self.known.entry(file).or_insert_with(|| {
            let path = &self.catalog.file(file)?.path;
            let version = roots::openshift_version(path)
                .or_else(|| roots::openshift_version(self.catalog.root()))?;
            Some(OpenShift::new(version.0, version.1))
        })
    }
}

/// Published bundles by package and name. Unchanged packages may be missing.
pub type PublishedBundles = BTreeMap<Text, BTreeMap<Text, Arc<BundleBlob>>>;

/// Maximum number of version comparisons with ranges per verdict. Beyond it, a range counts as met.
const BUDGET: usize = 2_000_000;
/// Budget cost of comparing a name with all others.
const COST_OF_NEAREST: usize = 10_000;

/// All packages of a catalog.
pub(super) struct CatalogContext<'a> {
    pub(super) open_catalogs: &'a OpenCatalogs,
    packages: BTreeMap<&'a str, PackageContext<'a>>,
    /// Packages that provide each API, sorted by name.
    providers: HashMap<&'a str, Vec<&'a str>>,
    budget: Cell<usize>,
}

/// A package, as cross-package rules see it.
pub(super) struct PackageContext<'a> {
    pub(super) package: &'a Package,
    pub(super) requirements: &'a Requirements,
    /// APIs that it provides.
    pub(super) apis: &'a [Text],
    /// The OpenShift version in the package's folder name.
    pub(super) openshift: Option<OpenShift>,
    /// Its published bundles, if they are known to have changed.
    pub(super) published: Option<&'a BTreeMap<Text, Arc<BundleBlob>>>,
    versions: OnceCell<Vec<Version>>,
}

impl<'a> CatalogContext<'a> {
    pub(super) fn new(open_catalogs: &'a OpenCatalogs) -> Self {
        Self {
            open_catalogs,
            packages: BTreeMap::new(),
            providers: HashMap::default(),
            budget: Cell::new(BUDGET),
        }
    }

    pub(super) fn add(
        &mut self,
        package: &'a Package,
        requirements: &'a Requirements,
        provides: &'a Provides,
        openshift: Option<OpenShift>,
        published: Option<&'a BTreeMap<Text, Arc<BundleBlob>>>,
    ) {
        for api in &provides.apis {
            self.providers.entry(api).or_default().push(&package.name);
        }
        let context = PackageContext {
            package,
            requirements,
            apis: &provides.apis,
            openshift,
            published,
            versions: OnceCell::new(),
        };
        self.packages.insert(&package.name, context);
    }

    /// Sorted by name.
    pub(super) fn packages(&self) -> impl Iterator<Item = &PackageContext<'a>> {
        self.packages.values()
    }

    pub(super) fn package(&self, name: &str) -> Option<&PackageContext<'a>> {
        self.packages.get(name)
    }

    /// Packages of the catalog that provide an API, sorted by name.
    pub(super) fn providers(&self, api: &str) -> &[&'a str] {
        self.providers.get(api).map_or(&[], Vec::as_slice)
    }

    /// The package of any open catalog with the most similar name.
    pub(super) fn nearest(&self, name: &str) -> Option<&'a str> {
        self.spend(COST_OF_NEAREST)
            .then(|| self.open_catalogs.nearest(name))
            .flatten()
    }

    /// Whether the package has a bundle in the range.
    pub(super) fn has_version(&self, package: &PackageContext<'_>, range: &Range) -> bool {
        let versions = package.versions();
        !self.spend(versions.len()) || versions.iter().any(|v| range.contains(v))
    }

    fn spend(&self, cost: usize) -> bool {
        let left = self.budget.get().checked_sub(cost);
        self.budget.set(left.unwrap_or(0));
        left.is_some()
    }
}

impl PackageContext<'_> {
    fn versions(&self) -> &[Version] {
        self.versions.get_or_init(|| {
            self.package
                .bundles
                .iter()
                .filter_map(|b| Version::parse(b.version()).ok())
                .collect()
        })
    }

    /// The highest version; `None` if no bundle has one.
    pub(super) fn highest(&self) -> Option<&Version> {
        self.versions().iter().max_by(|a, b| a.cmp_precedence(b))
    }
}

/// `Kind` (`group/version`).
pub(super) fn api_in_words(value: &str) -> String {
    let json = serde_json::from_str(value).unwrap_or_default();
    format!(
        "`{}` (`{}/{}`)",
        field(&json, "kind"),
        field(&json, "group"),
        field(&json, "version")
    )
}
