//! Caches the diagnostics of a catalog's packages between verdicts. An edit only rebuilds those of
//! changed packages and of packages whose blobs moved; the others are shared, so that comparing two
//! verdicts can skip them.

use super::cross_package::CrossPackageAdvice;
use super::diagnostic_context::{Context, OutsideCauses};
use super::findings::Finding;
use super::report::PackageReport;
use catalog::model::{BlobLocation, FileId, FileIndex, Package};
use catalog::{Catalog, CatalogFile};
use protocol::diagnostic::Diagnostic;
use std::rc::Rc;
use std::sync::Arc;
use syntax::hashed::HashMap;
use syntax::place::Text;

/// The cached diagnostics of packages with problems.
#[derive(Debug, Default)]
pub struct KnownDiagnostics {
    /// External causes of the diagnostics; `None` if there are too many to compare.
    outside_causes: Option<OutsideCauses>,
    /// Diagnostics of the packages' own rules.
    own: HashMap<Text, PackageDiagnostics<PackageReport>>,
    /// Diagnostics of cross-package rules.
    cross_package: HashMap<Text, PackageDiagnostics<CrossPackageAdvice>>,
}

#[derive(Debug)]
struct PackageDiagnostics<T> {
    source: Rc<T>,
    /// The files with its blobs. Positions do not change unless these files do.
    files: Vec<(FileId, Option<Arc<FileIndex>>)>,
    places: Vec<BlobPlace>,
    diagnostics: Vec<Arc<Diagnostic>>,
}

/// Where a blob starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BlobPlace {
    file: FileId,
    /// Index in the file.
    index: u32,
    line: u32,
    column: u32,
}

impl KnownDiagnostics {
    /// Returns the diagnostics of the reports, then those of the advice. Afterwards only these
    /// packages are cached.
    pub(super) fn update<'a>(
        &mut self,
        context: &Context<'_>,
        reports: Vec<(&'a Package, &'a Rc<PackageReport>)>,
        advice: &Rc<CrossPackageAdvice>,
        diagnose: impl Fn(&Package, &Finding) -> Diagnostic,
    ) -> Vec<Arc<Diagnostic>> {
        let outside_causes = context.outside_causes();
        let has_same_causes = outside_causes.is_some() && outside_causes == self.outside_causes;
        let mut before = std::mem::take(self);
        if !has_same_causes {
            before = Self::default();
        }
        self.outside_causes = outside_causes;
        let catalog = context.catalog();
        let mut diagnostics = Vec::new();
        for (package, report) in reports {
            let findings = report.findings.iter().chain(&report.advice);
            if findings.clone().next().is_none() {
                continue;
            }
            let known = before.own.remove(&package.name);
            let findings = findings.map(|finding| diagnose(package, finding));
            let current =
                PackageDiagnostics::reuse_or_build(known, report, catalog, package, findings);
            diagnostics.extend(current.diagnostics.iter().cloned());
            self.own.insert(package.name.clone(), current);
        }
        for findings in advice
            .findings
            .chunk_by(|(one, _), (other, _)| one == other)
        {
            let Some((name, _)) = findings.first() else {
                continue;
            };
            let Some(package) = catalog.package(name) else {
                continue;
            };
            let known = before.cross_package.remove(name);
            let findings = findings
                .iter()
                .map(|(_, finding)| diagnose(package, finding));
            let current =
                PackageDiagnostics::reuse_or_build(known, advice, catalog, package, findings);
            diagnostics.extend(current.diagnostics.iter().cloned());
            self.cross_package.insert(name.clone(), current);
        }
        diagnostics
    }
}

impl<T> PackageDiagnostics<T> {
    /// Returns the cached diagnostics if findings and positions are unchanged; otherwise computes
    /// new ones.
    fn reuse_or_build(
        known: Option<Self>,
        source: &Rc<T>,
        catalog: &Catalog,
        package: &Package,
        diagnostics: impl Iterator<Item = Diagnostic>,
    ) -> Self {
        let known = known.filter(|known| Rc::ptr_eq(&known.source, source));
        let known = match known {
            Some(known) if known.stays_in_place(catalog, package) => return known,
            known => known,
        };
        let places = blob_places(catalog, package);
        let mut files: Vec<FileId> = places.iter().map(|place| place.file).collect();
        files.dedup();
        let files = files
            .into_iter()
            .map(|file| {
                (
                    file,
                    catalog.file(file).and_then(CatalogFile::index).cloned(),
                )
            })
            .collect();
        match known.filter(|known| known.places == places) {
            Some(known) => Self { files, ..known },
            None => Self {
                source: Rc::clone(source),
                files,
                places,
                diagnostics: diagnostics.map(Arc::new).collect(),
            },
        }
    }

    /// Whether no file with a blob of the package changed; a blob in a new file counts as a change.
    fn stays_in_place(&self, catalog: &Catalog, package: &Package) -> bool {
        self.places.len() == package.blobs().count()
            && self.files.iter().all(|(file, known)| {
                let current = catalog.file(*file).and_then(CatalogFile::index);
                current
                    .zip(known.as_ref())
                    .is_some_and(|(current, known)| Arc::ptr_eq(current, known))
            })
    }
}

fn blob_places(catalog: &Catalog, package: &Package) -> Vec<BlobPlace> {
    let places = package.blobs().map(|BlobLocation { file, index, .. }| {
        let blob = catalog.blob(file, index);
        BlobPlace {
            file,
            index,
            line: blob.map_or(0, |blob| blob.line),
            column: blob.map_or(0, |blob| blob.column),
        }
    });
    places.collect()
}
