//! Caches the diagnostics of a catalog's packages between verdicts. An edit only rebuilds those of
//! changed packages and of packages whose blobs moved; the others are shared, so that comparing two
//! verdicts can skip them.

use super::cross_package::CrossPackageAdvice;
use super::diagnostic_context::{Context, OutsideCauses};
use super::findings::Finding;
use super::report::PackageReport;
use catalog::model::{FileId, FileIndex, Located, Package};
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
    compared: HashMap<Text, PackageDiagnostics<CrossPackageAdvice>>,
}

#[derive(Debug)]
struct PackageDiagnostics<T> {
    source: Rc<T>,
    /// The files with its blobs. Positions do not change unless these files do.
    files: Vec<(FileId, Option<Arc<FileIndex>>)>,
    places: Vec<BlobPlace>,
    diagnostics: Vec<Arc<Diagnostic>>,
}

/// Start of a blob: file, index in the file, line, column.
type BlobPlace = (FileId, u32, u32, u32);

impl KnownDiagnostics {
    /// Returns the diagnostics of the reports, then those of the advice. Afterwards only these
    /// packages are cached.
    pub(super) fn for_packages<'a>(
        &mut self,
        context: &Context<'_>,
        reports: Vec<(&'a Package, &'a Rc<PackageReport>)>,
        advice: &Rc<CrossPackageAdvice>,
        diagnose: impl Fn(&Package, &Finding) -> Diagnostic,
    ) -> Vec<Arc<Diagnostic>> {
        let outside_causes = context.outside_causes();
        let has_same_causes = outside_causes.is_some() && outside_causes == self.outside_causes;
        let before = std::mem::take(self);
        let (mut own, mut compared) = if has_same_causes {
            (before.own, before.compared)
        } else {
            (HashMap::default(), HashMap::default())
        };
        self.outside_causes = outside_causes;
        let mut diagnostics = Vec::new();
        for (package, report) in reports {
            let findings = || report.findings.iter().chain(&report.advice);
            if findings().next().is_none() {
                continue;
            }
            let current = PackageDiagnostics::reuse_or_build(
                own.remove(&package.name),
                report,
                (context.catalog(), package),
                || {
                    findings()
                        .map(|finding| Arc::new(diagnose(package, finding)))
                        .collect()
                },
            );
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
            let Some(package) = context.catalog().package(name) else {
                continue;
            };
            let current = PackageDiagnostics::reuse_or_build(
                compared.remove(name),
                advice,
                (context.catalog(), package),
                || {
                    findings
                        .iter()
                        .map(|(_, finding)| Arc::new(diagnose(package, finding)))
                        .collect()
                },
            );
            diagnostics.extend(current.diagnostics.iter().cloned());
            self.compared.insert(name.clone(), current);
        }
        diagnostics
    }
}

impl<T> PackageDiagnostics<T> {
    /// Returns the cached diagnostics if findings and positions are unchanged; otherwise new ones.
    fn reuse_or_build(
        known: Option<Self>,
        source: &Rc<T>,
        (catalog, package): (&Catalog, &Package),
        diagnose_all: impl FnOnce() -> Vec<Arc<Diagnostic>>,
    ) -> Self {
        let known = known.filter(|known| Rc::ptr_eq(&known.source, source));
        let known = match known {
            Some(known) if known.stays_in_place(catalog, package) => return known,
            known => known,
        };
        let places = places(catalog, package);
        let mut files: Vec<FileId> = places.iter().map(|(file, ..)| *file).collect();
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
                diagnostics: diagnose_all(),
            },
        }
    }

    /// Whether no file with a blob of the package changed; a blob in a new file counts as a change.
    fn stays_in_place(&self, catalog: &Catalog, package: &Package) -> bool {
        self.places.len() == blobs(package).count()
            && self.files.iter().all(|(file, known)| {
                let current = catalog.file(*file).and_then(CatalogFile::index);
                current
                    .zip(known.as_ref())
                    .is_some_and(|(current, known)| Arc::ptr_eq(current, known))
            })
    }
}

/// Returns the positions of all blobs of a package.
fn blobs(package: &Package) -> impl Iterator<Item = (FileId, u32)> {
    fn places<T>(blobs: &[Located<T>]) -> impl Iterator<Item = (FileId, u32)> {
        blobs.iter().map(|blob| (blob.file, blob.index))
    }
    let blobs = places(&package.packages)
        .chain(places(&package.channels))
        .chain(places(&package.bundles));
    blobs
        .chain(places(&package.deprecations))
        .chain(places(&package.others))
}

fn places(catalog: &Catalog, package: &Package) -> Vec<BlobPlace> {
    blobs(package)
        .map(|(file, index)| {
            let (line, column) = catalog
                .blob(file, index)
                .map_or((0, 0), |blob| (blob.line, blob.column));
            (file, index, line, column)
        })
        .collect()
}
