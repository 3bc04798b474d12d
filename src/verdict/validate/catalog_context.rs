//! The packages of a catalog, as seen by cross-package rules.

use super::requirements::{OpenCatalogs, Requirements};
use catalog::model::{BundleBlob, Package};
use catalog::version::Version;
use catalog::version::blang::Range;
use catalog::version::openshift::OpenShift;
use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::sync::Arc;
use syntax::go_text::string_or_empty;
use syntax::place::Text;

/// Published bundles by package and name. Unchanged packages may be missing.
pub type PublishedBundles = BTreeMap<Text, BTreeMap<Text, Arc<BundleBlob>>>;

/// Maximum number of version comparisons with ranges per verdict. Beyond it, a range counts as met.
const BUDGET: usize = 2_000_000;
/// Budget cost of comparing a name with all others.
const COST_OF_NEAREST: usize = 10_000;

pub struct CatalogContext<'a> {
    pub open_catalogs: &'a OpenCatalogs,
    packages: BTreeMap<&'a str, PackageContext<'a>>,
    budget: Cell<usize>,
}

pub struct PackageContext<'a> {
    pub package: &'a Package,
    pub requirements: &'a Requirements,
    /// The OpenShift version in the package's folder name.
    pub openshift: Option<OpenShift>,
    /// Its published bundles, if they are known to have changed.
    pub published: Option<&'a BTreeMap<Text, Arc<BundleBlob>>>,
    versions: OnceCell<Vec<Version>>,
}

impl<'a> CatalogContext<'a> {
    pub fn new(open_catalogs: &'a OpenCatalogs) -> Self {
        Self {
            open_catalogs,
            packages: BTreeMap::new(),
            budget: Cell::new(BUDGET),
        }
    }

    pub fn add(
        &mut self,
        package: &'a Package,
        requirements: &'a Requirements,
        openshift: Option<OpenShift>,
        published: Option<&'a BTreeMap<Text, Arc<BundleBlob>>>,
    ) {
        let context = PackageContext {
            package,
            requirements,
            openshift,
            published,
            versions: OnceCell::new(),
        };
        self.packages.insert(&package.name, context);
    }

    /// Returns the packages, sorted by name.
    pub fn packages(&self) -> impl Iterator<Item = &PackageContext<'a>> {
        self.packages.values()
    }

    pub fn package(&self, name: &str) -> Option<&PackageContext<'a>> {
        self.packages.get(name)
    }

    /// Returns the package of any open catalog with the most similar name.
    pub fn nearest(&self, name: &str) -> Option<&'a str> {
        self.spend(COST_OF_NEAREST)
            .then(|| self.open_catalogs.nearest(name))
            .flatten()
    }

    pub fn has_version(&self, package: &PackageContext<'_>, range: &Range) -> bool {
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

    /// Returns the highest version; `None` if no bundle has one.
    pub fn highest(&self) -> Option<&Version> {
        self.versions().iter().max_by(|a, b| a.cmp_precedence(b))
    }
}

/// Formats an API as `Kind` (`group/version`).
pub fn api_in_words(value: &str) -> String {
    let json: serde_json::Value = serde_json::from_str(value).unwrap_or_default();
    format!(
        "`{}` (`{}/{}`)",
        string_or_empty(&json["kind"]),
        string_or_empty(&json["group"]),
        string_or_empty(&json["version"])
    )
}
