//! What is told of packages beside one another.
//!
//! A [`Trade`](super::trade::Trade) is made with a package's report and kept as long. [`advise`] lays them side by side;
//! its cost is that of the trades, not of the bundles, so that it can be paid after each edit.

use super::finding::Finding;
use super::findings::Findings;
use super::market::{Market, Published};
use super::opened::Opened;
use super::report::PackageReport;
use super::rule::{Check, Wanted};
use super::settings::Settings;
use crate::catalog::Catalog;
use crate::hashed::HashMap;
use crate::model::{FileId, Package};
use crate::place::Text;
use crate::roots;
use crate::version::openshift::OpenShift;
use std::collections::{BTreeMap, BTreeSet};

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
    let mut market = Market::new(opened);
    let mut folders = Folders { catalog, known: HashMap::default() };
    for (package, report) in reports {
        let Some(trade) = &report.trade else { continue };
        market.add(package, trade, &report.offer, folders.openshift(package), published.get(&package.name));
    }
    for stall in market.stalls() {
        let mut out = Findings::new();
        for &(rule, severity) in &rules {
            (out.rule, out.severity) = (rule.doc, severity);
            if let Check::Market(check) = rule.check {
                check(&market, stall, &mut out);
            }
        }
        for finding in out.finish().0 {
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
