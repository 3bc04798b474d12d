//! The CRDs of a package's bundles: those embedded in the catalog's blob, else those of a given bundle. Each bundle is
//! read once, and bundles with equal CRDs share them.

use crate::error::CliError;
use crate::input::disk::Disk;
use fbc::bundle::{self, File};
use fbc::crd::{self, Change};
use fbc::model::Package;
use fbc::template::render::known::Known;
use fbc::upgrade::Lens;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// Comparison results, by the indices of both sets of CRDs.
type Compared = HashMap<(usize, usize), Rc<Vec<Change>>>;

pub(super) struct BundleDefinitions<'a> {
    disk: &'a Disk,
    package: &'a Package,
    known: &'a Known,
    objects: Option<&'a [Value]>,
    lens: Lens,
    read: RefCell<Vec<Rc<Vec<Value>>>>,
    /// For each bundle the index of its CRDs in `read`; `None` if its objects are not known.
    by_name: RefCell<HashMap<String, Option<usize>>>,
    compared: RefCell<Compared>,
}

/// The changes from one bundle to another.
pub(super) struct DefinitionStep {
    pub(super) from: String,
    pub(super) to: String,
    /// Bundles whose objects are not known; then the changes are unknown, too.
    pub(super) unknown: Vec<String>,
    /// APIs that the newer bundle no longer provides, which the catalog always states.
    pub(super) lost: Vec<String>,
    pub(super) changes: Rc<Vec<Change>>,
}

impl DefinitionStep {
    pub(super) fn is_refused(&self) -> bool {
        self.changes
            .iter()
            .any(|change| !change.objections.is_empty())
    }
}

impl<'a> BundleDefinitions<'a> {
    pub(super) fn new(
        disk: &'a Disk,
        package: &'a Package,
        known: &'a Known,
        objects: Option<&'a [Value]>,
        lens: Lens,
    ) -> Self {
        Self {
            disk,
            package,
            known,
            objects,
            lens,
            read: RefCell::default(),
            by_name: RefCell::default(),
            compared: RefCell::default(),
        }
    }

    /// Whether a bundle is in the catalog, or among the given ones.
    pub(super) fn has(&self, name: &str) -> Result<bool, CliError> {
        Ok(self.package.bundle(name).is_some() || self.at(name)?.is_some())
    }

    pub(super) fn step(&self, from: &str, to: &str) -> Result<DefinitionStep, CliError> {
        let (old, new) = (self.at(from)?, self.at(to)?);
        let lost = self
            .apis(from)
            .zip(self.apis(to))
            .map_or_else(Vec::new, |(was, is)| was.difference(&is).cloned().collect());
        let unknown = [(from, old.is_none()), (to, new.is_none())];
        Ok(DefinitionStep {
            from: from.to_owned(),
            to: to.to_owned(),
            unknown: unknown
                .into_iter()
                .filter(|(_, unknown)| *unknown)
                .map(|(name, _)| name.to_owned())
                .collect(),
            lost,
            changes: old
                .zip(new)
                .map_or_else(Rc::default, |pair| self.changes(pair)),
        })
    }

    /// All CRDs that were read, one per name.
    pub(super) fn all_read(&self) -> Vec<Value> {
        let mut seen = BTreeSet::new();
        let read = self.read.borrow();
        let all = read.iter().flat_map(|definitions| definitions.iter());
        all.filter(|definition| seen.insert(crd::definition_name(definition).to_owned()))
            .cloned()
            .collect()
    }

    fn changes(&self, (old, new): (usize, usize)) -> Rc<Vec<Change>> {
        if let Some(known) = self.compared.borrow().get(&(old, new)) {
            return Rc::clone(known);
        }
        let read = self.read.borrow();
        let changes = match (read.get(old), read.get(new)) {
            (Some(old), Some(new)) => crd::changes(old, new, self.objects, self.lens),
            _ => Vec::new(),
        };
        let changes = Rc::new(changes);
        self.compared
            .borrow_mut()
            .insert((old, new), Rc::clone(&changes));
        changes
    }

    fn at(&self, name: &str) -> Result<Option<usize>, CliError> {
        if let Some(known) = self.by_name.borrow().get(name) {
            return Ok(*known);
        }
        let at = self.bundle_definitions(name)?.map(|definitions| {
            let mut read = self.read.borrow_mut();
            let known = read.iter().position(|known| **known == definitions);
            known.unwrap_or_else(|| {
                read.push(Rc::new(definitions));
                read.len() - 1
            })
        });
        self.by_name.borrow_mut().insert(name.to_owned(), at);
        Ok(at)
    }

    fn bundle_definitions(&self, name: &str) -> Result<Option<Vec<Value>>, CliError> {
        let located = self.package.bundle(name);
        if let Some(located) = located.filter(|bundle| bundle.has_objects) {
            let text =
                self.disk
                    .workspace
                    .blob_text(self.disk.root()?, located.file, located.index)?;
            let file = File {
                path: name.to_owned(),
                bytes: text.bytes,
            };
            let blobs =
                bundle::read_catalog(&[file]).map_err(|refusal| CliError::new(refusal.message))?;
            if let Some(found) = blobs.first().and_then(bundle::definitions) {
                return Ok(Some(found));
            }
        }
        let image = located.map_or("", |bundle| bundle.image.as_str());
        self.known
            .definitions(name, image)
            .map_err(|message| CliError::new(format!("{name}: {message}")))
    }

    /// The APIs that a bundle provides according to the catalog.
    fn apis(&self, name: &str) -> Option<BTreeSet<String>> {
        let provided = self
            .package
            .bundle(name)?
            .properties
            .iter()
            .filter(|property| &*property.kind == "olm.gvk");
        let apis = provided.filter_map(|property| {
            let value: Value = serde_json::from_str(property.value.as_deref()?).ok()?;
            let text = |field: &str| value[field].as_str().unwrap_or_default().to_owned();
            Some(format!(
                "{}/{} {}",
                text("group"),
                text("version"),
                text("kind")
            ))
        });
        Some(apis.collect())
    }
}
