//! Advice that compares the packages of a catalog.
//!
//! A package's [`Requirements`] are created and cached with its report. [`advise`] compares them;
//! its cost grows with the number of requirements, not bundles, so it can run after each edit.

use super::catalog_context::{CatalogContext, PublishedBundles};
use super::findings::{Finding, Findings};
use super::report::PackageReport;
use super::requirements::OpenCatalogs;
use super::rule::{Check, EnabledRule};
use super::settings::Settings;
use catalog::Catalog;
use catalog::model::{BundleBlob, FileId, Package};
use catalog::roots;
use catalog::version::openshift::OpenShift;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use syntax::hashed::HashMap;
use syntax::place::Text;

/// Serves as the baseline for a later state.
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
/// names, what was published and what other catalogs provide, and may be cached while none of these
/// changes.
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
            let name = &context.package.name;
            if !settings.suppresses(name, &finding, &mut advice.suppressed) {
                advice.findings.push((name.clone(), finding));
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
    /// Returns the version of the file that defines the package.
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
