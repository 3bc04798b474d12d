//! A catalog of the session, or a template treated as one: its packages, their reports and the
//! verdict.

use super::rendered_catalogs::Rendering;
use catalog::model::{FileId, FileIndex, Located, Package, Template};
use catalog::roots::{self, name_of};
use catalog::{Catalog, Content, TreeEntry};
use protocol::diagnostic::{Diagnostic, Severity};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use syntax::place::Text;
use template::{
    self,
    unfold::{unfold, with_inferred},
};
use upgrade::resolve::ResolverCache;
use verdict::validate::config::Config;
use verdict::validate::{
    self, CrossPackageAdvice, KnownDiagnostics, OpenCatalogs, PackageReport, PublishedBundles,
};

pub use verdict::validate::Verdict;

#[derive(Debug)]
enum RootKind {
    /// A folder, as passed to `opm`.
    Catalog,
    /// A file with nested blobs, and the index of the file itself.
    Template(Option<Arc<FileIndex>>),
    /// The rendering of a template.
    Rendered(Rc<Rendering>),
}

#[derive(Debug)]
pub struct Root {
    /// Path in the session (of the file, for a template): its name in operations. "" is the whole
    /// session. A rendered catalog is named after its template.
    pub name: String,
    kind: RootKind,
    pub(super) catalog: Catalog,
    /// Cached while the package's facts are unchanged.
    judged: BTreeMap<Text, JudgedPackage>,
    /// Cached until one of its inputs may have changed.
    cross_package: Option<Rc<CrossPackageAdvice>>,
    config: Rc<Config>,
    /// The opened bundles of changed packages.
    published: Rc<PublishedBundles>,
    verdict: Rc<Verdict>,
    known_diagnostics: RefCell<KnownDiagnostics>,
    resolver_cache: RefCell<ResolverCache>,
}

/// A package and the findings of its rules.
#[derive(Debug, Clone)]
struct JudgedPackage {
    package: Arc<Package>,
    report: Rc<PackageReport>,
}

/// The results of a root for some packages. While nothing else changes, they are valid again when
/// these packages return to the same state.
#[derive(Debug)]
pub(super) struct RootSnapshot {
    /// `None`: the package does not exist.
    packages: Vec<(Text, Option<JudgedPackage>)>,
    cross_package: Option<Rc<CrossPackageAdvice>>,
    published: Rc<PublishedBundles>,
    verdict: Rc<Verdict>,
}

impl Root {
    /// Creates a root for a folder. `folder` is the argument for `opm`, which one message contains.
    /// There is no verdict before [`Root::update_verdict`].
    pub(super) fn new(
        name: String,
        folder: String,
        entries: Vec<TreeEntry>,
        config: Rc<Config>,
        open_catalogs: &mut OpenCatalogs,
        judged: &mut u64,
    ) -> Self {
        let mut root = Self::new_unjudged(
            name,
            RootKind::Catalog,
            Catalog::new(folder, entries),
            config,
        );
        let all = root.catalog.packages().map(|p| p.name.clone()).collect();
        root.judge(&all, open_catalogs, judged);
        root
    }

    /// Creates a root for a single file: a template (`rendering` is `None`), or a template's
    /// rendering. There is no verdict before [`Root::update_verdict`].
    pub(super) fn for_file(
        path: String,
        rendering: Option<Rc<Rendering>>,
        (id, content): (FileId, Content),
        config: Rc<Config>,
        open_catalogs: &mut OpenCatalogs,
        judged: &mut u64,
    ) -> Self {
        let kind = rendering.map_or(RootKind::Template(None), RootKind::Rendered);
        let catalog = Catalog::new(path.clone(), Vec::new());
        let mut root = Self::new_unjudged(path.clone(), kind, catalog, config);
        let all = root.update(id, &path, Some(content));
        root.judge(&all, open_catalogs, judged);
        root
    }

    fn new_unjudged(name: String, kind: RootKind, catalog: Catalog, config: Rc<Config>) -> Self {
        Self {
            name,
            kind,
            catalog,
            judged: BTreeMap::new(),
            cross_package: None,
            config,
            published: Rc::default(),
            verdict: Rc::default(),
            known_diagnostics: RefCell::default(),
            resolver_cache: RefCell::default(),
        }
    }

    /// Whether it is a folder of files, rather than a template or rendering.
    pub fn is_catalog(&self) -> bool {
        matches!(self.kind, RootKind::Catalog)
    }

    /// Returns the inputs of a rendered catalog.
    pub fn rendering(&self) -> Option<&Rendering> {
        match &self.kind {
            RootKind::Rendered(rendering) => Some(rendering),
            RootKind::Catalog | RootKind::Template(_) => None,
        }
    }

    /// Records a new rendering. Its file must be updated separately.
    pub(super) fn set_rendering(&mut self, rendering: Rc<Rendering>) {
        self.kind = RootKind::Rendered(rendering);
    }

    /// Whether `opm`'s verdict is known: not for a template, nor while bundles are missing.
    fn is_judged_by_opm(&self) -> bool {
        !self.is_template()
            && self
                .rendering()
                .is_none_or(|rendering| rendering.missing.is_empty())
    }

    /// Whether it is a template, which `opm validate` does not accept.
    pub fn is_template(&self) -> bool {
        matches!(self.kind, RootKind::Template(_))
    }

    /// Returns the content of the template; `None` for a catalog, and for a file that is not a
    /// template any more.
    pub fn template(&self) -> Option<&Template> {
        match &self.kind {
            RootKind::Template(file) => template::template_of_file(file.as_ref()?),
            RootKind::Catalog | RootKind::Rendered(_) => None,
        }
    }

    /// Returns the folder that its file paths are relative to.
    pub fn folder(&self) -> &str {
        match self.kind {
            RootKind::Catalog => &self.name,
            RootKind::Template(_) | RootKind::Rendered(_) => roots::parent(&self.name),
        }
    }

    pub fn contains_file(&self, path: &str) -> bool {
        match self.kind {
            RootKind::Catalog => roots::is_below(path, &self.name),
            RootKind::Template(_) | RootKind::Rendered(_) => path == self.name,
        }
    }

    /// Returns a file's path in its problems, from its path in the session.
    pub fn relative<'p>(&self, path: &'p str) -> &'p str {
        roots::relative(path, self.folder())
    }

    /// Returns the last part of the path, for lists. Folders named `catalog` lie beside templates,
    /// and are named after the folder of both.
    pub fn label(&self) -> &str {
        match self.name.rsplit_once('/') {
            Some((above, roots::RENDERED_FOLDER)) => name_of(above),
            _ => name_of(&self.name),
        }
    }

    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the result of `opm validate` and every problem, ordered by file and position.
    /// `Diagnostic::catalog` is the root's name.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// Returns all problems in the order of the verdict.
    pub fn problems(&self) -> impl Iterator<Item = &Diagnostic> {
        self.verdict.diagnostics.iter().map(|problem| &**problem)
    }

    pub fn problems_of(&self, package: &str) -> impl Iterator<Item = &Diagnostic> {
        self.problems()
            .filter(move |d| d.package.as_deref() == Some(package))
    }

    /// Returns the `opm` errors; for a template or a catalog with missing bundles, all errors.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        let counts_all = !self.is_judged_by_opm();
        self.problems()
            .filter(move |d| (counts_all || d.opm) && d.severity == Severity::Error)
    }

    /// Returns cached package data for questions about requirements.
    pub fn resolver_cache(&self) -> &RefCell<ResolverCache> {
        &self.resolver_cache
    }

    /// Returns the path of a file in the session.
    pub fn full_path(&self, relative: &str) -> String {
        join(self.folder(), relative)
    }

    pub(super) fn shared_verdict(&self) -> Rc<Verdict> {
        self.verdict.clone()
    }

    /// Sets a file's content in the catalog, by its path in the session; `None` removes the file.
    /// Returns the packages with changed facts, which must be judged afterwards.
    pub(super) fn update(
        &mut self,
        id: FileId,
        path: &str,
        content: Option<Content>,
    ) -> BTreeSet<Text> {
        let content = content.map(|content| self.catalog_content(content));
        if let RootKind::Template(file) = &mut self.kind {
            *file = content.as_ref().and_then(|(_, file)| file.clone());
        }
        let path = self.relative(path).to_owned();
        replace_file(
            &mut self.catalog,
            id,
            &path,
            content.map(|(content, _)| content),
        )
    }

    /// Sets a file's content in `catalog`, a copy of this root's catalog, by the file's path in the
    /// session.
    pub(super) fn set_file_in(
        &self,
        catalog: &mut Catalog,
        id: FileId,
        path: &str,
        content: Option<Content>,
    ) {
        let content = content.map(|content| self.catalog_content(content).0);
        replace_file(catalog, id, self.relative(path), content);
    }

    /// Returns the content for the root's catalog, and the original facts if they differ.
    fn catalog_content(&self, content: Content) -> (Content, Option<Arc<FileIndex>>) {
        match (&self.kind, content) {
            (RootKind::Template(_), Content::Indexed(file)) => {
                (Content::Indexed(Arc::new(unfold(&file).index)), Some(file))
            }
            (RootKind::Rendered(rendering), Content::Indexed(file))
                if !rendering.missing.is_empty() =>
            {
                (Content::Indexed(Arc::new(with_inferred(&file))), Some(file))
            }
            (_, content) => (content, None),
        }
    }

    /// Sets the opened bundles of changed packages, for [`Root::update_verdict`].
    pub(super) fn set_published(&mut self, published: PublishedBundles) {
        if *self.published != published {
            self.published = Rc::new(published);
            self.cross_package = None;
        }
    }

    pub(super) fn snapshot(&self, packages: &BTreeSet<Text>) -> RootSnapshot {
        RootSnapshot {
            packages: packages
                .iter()
                .map(|name| (name.clone(), self.judged.get(name).cloned()))
                .collect(),
            cross_package: self.cross_package.clone(),
            published: self.published.clone(),
            verdict: self.verdict.clone(),
        }
    }

    /// Restores results after the packages and everything else that the verdict depends on returned
    /// to that state.
    pub(super) fn restore_snapshot(&mut self, snapshot: &RootSnapshot) {
        for (name, judged) in &snapshot.packages {
            match judged {
                Some(judged) => {
                    self.catalog.share(&judged.package);
                    self.judged.insert(name.clone(), judged.clone());
                }
                None => {
                    self.judged.remove(name);
                }
            }
        }
        self.cross_package.clone_from(&snapshot.cross_package);
        self.published = snapshot.published.clone();
        self.verdict = snapshot.verdict.clone();
    }

    /// Judges these packages; the verdict must be updated afterwards. Returns true if they now
    /// provide something different.
    pub(super) fn judge(
        &mut self,
        packages: &BTreeSet<Text>,
        open_catalogs: &mut OpenCatalogs,
        judged: &mut u64,
    ) -> bool {
        let mut provides_changed = false;
        for name in packages {
            let old = match self.catalog.package(name).cloned() {
                Some(package) => {
                    *judged += 1;
                    let report = self.judge_package(&package);
                    self.judged.insert(
                        name.clone(),
                        JudgedPackage {
                            package,
                            report: Rc::new(report),
                        },
                    )
                }
                None => self.judged.remove(name),
            };
            // What a template provides is checked in its rendered catalog.
            if self.is_template() {
                continue;
            }
            let new = self.judged.get(name);
            if !same_provides(
                old.as_ref().map(|old| &*old.package),
                new.map(|new| &*new.package),
            ) {
                self.cross_package = None;
            }
            let old = old.as_ref().map(|old| &old.report.provides);
            let new = new.map(|new| &new.report.provides);
            // Other catalogs use the files that the template is rendered into instead.
            if old != new && self.is_catalog() {
                provides_changed = true;
                if let Some(provides) = old {
                    open_catalogs.remove(name, provides);
                }
                if let Some(provides) = new {
                    open_catalogs.add(name, provides);
                }
            }
        }
        provides_changed
    }

    fn judge_package(&self, package: &Package) -> PackageReport {
        if !self.is_judged_by_opm() {
            validate::judge_template_package(package, &self.config.settings)
        } else {
            validate::judge_package(package, &self.config.settings)
        }
    }

    /// Returns the verdict on another state of the catalog; `open_catalogs` describes all catalogs
    /// in that state. Unchanged packages are not judged again.
    pub(super) fn judge_state(&self, catalog: &Catalog, open_catalogs: &OpenCatalogs) -> Verdict {
        let reports: Vec<_> = catalog
            .packages()
            .map(|package| (&**package, self.cached_report(package)))
            .collect();
        let reports = || {
            reports
                .iter()
                .map(|(package, report)| (*package, &**report))
        };
        if !self.is_judged_by_opm() {
            return self.localize(validate::template_verdict(catalog, reports()));
        }
        let nothing_changed = PublishedBundles::new();
        let settings = &self.config.settings;
        let advice = validate::advise(
            catalog,
            settings,
            reports(),
            &nothing_changed,
            open_catalogs,
        );
        let mut verdict = validate::verdict(catalog, reports());
        verdict.add_cross_package_advice(catalog, &advice);
        let mut used = advice.suppressed;
        used.extend(reports().flat_map(|(_, report)| &report.suppressed));
        verdict.add_config(catalog, &self.config, &used);
        self.localize(verdict)
    }

    /// Returns the report of a package from any state of the catalog.
    fn cached_report(&self, package: &Arc<Package>) -> Rc<PackageReport> {
        match self.judged.get(&package.name) {
            Some(judged) if Arc::ptr_eq(&judged.package, package) => judged.report.clone(),
            _ => Rc::new(self.judge_package(package)),
        }
    }

    /// Replaces what this catalog provides with what another state of it provides.
    pub(super) fn replace_provides(&self, other: &Catalog, open_catalogs: &mut OpenCatalogs) {
        for (name, judged) in &self.judged {
            if !other
                .package(name)
                .is_some_and(|package| Arc::ptr_eq(package, &judged.package))
            {
                open_catalogs.remove(name, &judged.report.provides);
            }
        }
        for package in other.packages() {
            let judged = self.judged.get(&package.name);
            if !judged.is_some_and(|judged| Arc::ptr_eq(&judged.package, package)) {
                open_catalogs.add(&package.name, &self.judge_package(package).provides);
            }
        }
    }

    /// Drops the cached cross-package advice because an input changed.
    pub(super) fn invalidate_cross_package(&mut self) {
        self.cross_package = None;
    }

    /// Applies another configuration of advice. `opm`'s rules only run again for another `opm`
    /// version.
    pub(super) fn configure(&mut self, config: Rc<Config>, open_catalogs: &OpenCatalogs) {
        if self.config == config {
            return;
        }
        let same_opm = self.config.settings.opm_version() == config.settings.opm_version();
        self.config = config;
        self.cross_package = None;
        let is_judged_by_opm = self.is_judged_by_opm();
        for package in self.catalog.packages() {
            let Some(judged) = self.judged.get_mut(&package.name) else {
                continue;
            };
            let settings = &self.config.settings;
            if !is_judged_by_opm {
                judged.report = Rc::new(validate::judge_template_package(package, settings));
            } else if same_opm {
                let report = Rc::make_mut(&mut judged.report);
                validate::advise_package(package, settings, report);
            } else {
                judged.report = Rc::new(validate::judge_package(package, settings));
            }
        }
        self.update_verdict(open_catalogs);
    }

    /// Computes the verdict from the reports and what the open catalogs provide.
    pub(super) fn update_verdict(&mut self, open_catalogs: &OpenCatalogs) {
        let reports = || {
            self.catalog
                .packages()
                .filter_map(|p| Some((&**p, &*self.judged.get(&p.name)?.report)))
        };
        if !self.is_judged_by_opm() {
            self.set_verdict(validate::template_verdict(&self.catalog, reports()));
            return;
        }
        let cross_package = self.cross_package.take().unwrap_or_else(|| {
            Rc::new(validate::advise(
                &self.catalog,
                &self.config.settings,
                reports(),
                &self.published,
                open_catalogs,
            ))
        });
        let mut verdict = match self.rendering() {
            // Its lines refer to the template, so each must be located again.
            Some(_) => {
                let mut verdict = validate::verdict(&self.catalog, reports());
                verdict.add_cross_package_advice(&self.catalog, &cross_package);
                verdict
            }
            None => {
                let known = &mut self.known_diagnostics.borrow_mut();
                let own = self
                    .catalog
                    .packages()
                    .filter_map(|p| Some((&**p, &self.judged.get(&p.name)?.report)));
                validate::verdict_of_known(&self.catalog, &self.name, own, &cross_package, known)
            }
        };
        let mut used = cross_package.suppressed.clone();
        self.cross_package = Some(cross_package);
        used.extend(
            self.judged
                .values()
                .flat_map(|judged| &judged.report.suppressed),
        );
        verdict.add_config(&self.catalog, &self.config, &used);
        self.set_verdict(verdict);
    }

    fn set_verdict(&mut self, verdict: Verdict) {
        let mut verdict = self.localize(verdict);
        if let Some(reason) = self
            .rendering()
            .and_then(|rendering| rendering.refused.as_ref())
        {
            (verdict.passed, verdict.opm_message) = (false, Some(reason.clone()));
        }
        self.verdict = Rc::new(verdict);
    }

    /// Returns the verdict, with problems that name this root and, if it is rendered, template
    /// lines.
    fn localize(&self, mut verdict: Verdict) -> Verdict {
        for diagnostic in verdict
            .diagnostics
            .iter_mut()
            .filter(|diagnostic| diagnostic.catalog != self.name)
        {
            Arc::make_mut(diagnostic).catalog.clone_from(&self.name);
        }
        if let Some(rendering) = self.rendering() {
            for diagnostic in &mut verdict.diagnostics {
                rendering.locate(Arc::make_mut(diagnostic));
            }
        }
        verdict
    }
}

/// Whether two states of a package have identical `olm.package` blobs and bundles in the same
/// files.
fn same_provides(old: Option<&Package>, new: Option<&Package>) -> bool {
    fn same<T>(old: &[Located<T>], new: &[Located<T>]) -> bool {
        old.len() == new.len()
            && old
                .iter()
                .zip(new)
                .all(|(old, new)| old.file == new.file && Arc::ptr_eq(&old.data, &new.data))
    }
    match (old, new) {
        (Some(old), Some(new)) => {
            same(&old.packages, &new.packages) && same(&old.bundles, &new.bundles)
        }
        (old, new) => old.is_none() && new.is_none(),
    }
}

/// Sets a file's content in a catalog; `None` removes the file. Returns the packages with changed
/// facts.
fn replace_file(
    catalog: &mut Catalog,
    id: FileId,
    path: &str,
    content: Option<Content>,
) -> BTreeSet<Text> {
    match content {
        None => catalog.remove_file(id),
        Some(content) if catalog.file(id).is_some() => catalog.replace_file(id, content),
        Some(content) => catalog.add_file(TreeEntry {
            id,
            path: path.to_owned(),
            content,
        }),
    }
}

/// Returns the session path of a path relative to a root. Only the configuration is above its root,
/// with `..` for each folder.
pub(super) fn join(root: &str, relative: &str) -> String {
    let (mut root, mut relative) = (root, relative);
    while let Some(rest) = relative.strip_prefix("../") {
        root = roots::parent(root);
        relative = rest;
    }
    roots::join(root, relative)
}
