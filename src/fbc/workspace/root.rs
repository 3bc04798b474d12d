//! One catalog of the workspace: its packages, their reports and the verdict.

use crate::fbc::catalog::{Catalog, Content, TreeEntry};
use crate::fbc::diagnostic::{Diagnostic, Severity};
use crate::fbc::model::FileId;
use crate::fbc::place::Text;
use crate::fbc::roots::name_of;
use crate::fbc::upgrade::resolve::Stock;
use crate::fbc::validate::config::Config;
use crate::fbc::validate::{self, Opened, PackageReport, Published};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub use crate::fbc::validate::Verdict;

/// A catalog root.
#[derive(Debug)]
pub struct Root {
    /// Path in the workspace: the name that operations use. "" is the whole workspace.
    pub name: String,
    pub(super) catalog: Catalog,
    /// Kept as long as the package's facts do not change.
    reports: BTreeMap<Text, PackageReport>,
    config: Rc<Config>,
    /// Bundles of packages that changed, as they were opened.
    published: Published,
    verdict: Rc<Verdict>,
    stock: RefCell<Stock>,
}

impl Root {
    /// `folder` is what `opm` would be given, for the one message that names it. It has no verdict before
    /// [`Root::conclude`].
    pub(super) fn new(
        name: String,
        folder: String,
        entries: Vec<TreeEntry>,
        config: Rc<Config>,
        opened: &mut Opened,
        judged: &mut u64,
    ) -> Self {
        let catalog = Catalog::new(folder, entries);
        let (reports, verdict) = (BTreeMap::new(), Rc::new(Verdict::default()));
        let stock = RefCell::default();
        let mut root = Self { name, catalog, reports, config, published: Published::new(), verdict, stock };
        let all = root.catalog.packages().map(|p| p.name.clone()).collect();
        root.judge(&all, opened, judged);
        root
    }

    /// Last part of the path, for lists.
    pub fn label(&self) -> &str {
        name_of(&self.name)
    }

    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// What is looked for beside `opm`'s rules.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What `opm validate` says, and every problem, ordered by file and place. `Diagnostic::catalog` is the root's name.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// The problems of one package.
    pub fn problems_of(&self, package: &str) -> impl Iterator<Item = &Diagnostic> {
        self.verdict.diagnostics.iter().filter(move |d| d.package.as_deref() == Some(package))
    }

    /// Problems that are `opm`'s and errors.
    pub fn errors(&self) -> usize {
        errors(&self.verdict)
    }

    pub fn warnings(&self) -> usize {
        self.verdict.diagnostics.iter().filter(|d| d.severity == Severity::Warning).count()
    }

    /// What questions about requirements have read of the packages.
    pub fn stock(&self) -> &RefCell<Stock> {
        &self.stock
    }

    /// Path of a file in the workspace.
    pub fn full_path(&self, relative: &str) -> String {
        join(&self.name, relative)
    }

    pub(super) fn shared_verdict(&self) -> Rc<Verdict> {
        self.verdict.clone()
    }

    /// Puts a file's new content into the catalog; `None` takes the file out. The answer is the packages whose facts
    /// changed; they are still to be judged.
    pub(super) fn update(&mut self, id: FileId, path: &str, content: Option<Content>) -> BTreeSet<Text> {
        put(&mut self.catalog, id, path, content)
    }

    /// Bundles as they were opened, of which some are others now. [`Root::conclude`] looks at them.
    pub(super) fn set_published(&mut self, published: Published) {
        self.published = published;
    }

    /// Judges these packages; the whole is still to be concluded. True when they offer something else to others now.
    pub(super) fn judge(&mut self, packages: &BTreeSet<Text>, opened: &mut Opened, judged: &mut u64) -> bool {
        let mut offers_changed = false;
        for name in packages {
            let old = match self.catalog.package(name) {
                Some(package) => {
                    *judged += 1;
                    self.reports.insert(name.clone(), validate::judge_package(package, &self.config.settings))
                }
                None => self.reports.remove(name),
            };
            let (old, new) = (old.as_ref().map(|r| &r.offer), self.reports.get(name).map(|r| &r.offer));
            if old != new {
                offers_changed = true;
                old.iter().for_each(|offer| opened.remove(name, offer));
                new.iter().for_each(|offer| opened.add(name, offer));
            }
        }
        offers_changed
    }

    /// Looks for advice as another configuration wants it. Nothing of `opm`'s is judged again.
    pub(super) fn configure(&mut self, config: Rc<Config>, opened: &Opened) {
        if self.config == config {
            return;
        }
        self.config = config;
        for package in self.catalog.packages() {
            if let Some(report) = self.reports.get_mut(&package.name) {
                validate::advise_package(package, &self.config.settings, report);
            }
        }
        self.conclude(opened);
    }

    /// The whole from the reports. `opened` holds what all open catalogs offer.
    pub(super) fn conclude(&mut self, opened: &Opened) {
        let reports = || self.catalog.packages().filter_map(|p| Some((&**p, self.reports.get(&p.name)?)));
        let mut verdict = validate::verdict(&self.catalog, reports());
        let mut used = verdict.add_market(&self.catalog, &self.config.settings, reports(), &self.published, opened);
        used.extend(self.reports.values().flat_map(|report| &report.suppressed));
        verdict.add_config(&self.catalog, &self.config, &used);
        for diagnostic in &mut verdict.diagnostics {
            diagnostic.catalog.clone_from(&self.name);
        }
        self.verdict = Rc::new(verdict);
    }
}

/// Puts a file's content into a catalog; `None` takes the file out. The answer is the packages whose facts changed.
pub(super) fn put(catalog: &mut Catalog, id: FileId, path: &str, content: Option<Content>) -> BTreeSet<Text> {
    match content {
        None => catalog.remove_file(id),
        Some(content) if catalog.file(id).is_some() => catalog.replace_file(id, content),
        Some(content) => catalog.add_file(TreeEntry { id, path: path.to_owned(), content }),
    }
}

/// Problems of a verdict that are `opm`'s and errors.
pub(super) fn errors(verdict: &Verdict) -> usize {
    verdict.diagnostics.iter().filter(|d| d.opm && d.severity == Severity::Error).count()
}

/// Where a path relative to a root lies. Only the configuration lies above its root, with `..` for each folder.
pub(super) fn join(root: &str, relative: &str) -> String {
    let (mut root, mut relative) = (root, relative);
    while let Some(rest) = relative.strip_prefix("../") {
        root = root.rsplit_once('/').map_or("", |(above, _)| above);
        relative = rest;
    }
    if root.is_empty() { relative.to_owned() } else { format!("{root}/{relative}") }
}
