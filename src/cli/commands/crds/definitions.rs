//! The CRDs of a package's bundles: those embedded in the catalog's blob, else those of a bundle in
//! `--bundles`. Each bundle is read once, and bundles with equal CRDs share them. Their changes are
//! reported as text and as JSON.

use crate::error::{self, CliError};
use crate::input::disk::Disk;
use crate::output::{self, one_line};
use ::catalog::model::Package;
use bundle::{self, File};
use protocol::counting::{count_of, first_of};
use serde::Serialize;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use template::render::known::Known;
use upgrade::Lens;
use upgrade::crd::{self, Change, ChangeKind};

/// At most this many bundles are listed in an error message.
const MAX_NAMES: usize = 12;

/// Comparison results, by the indices of both sets of CRDs.
type Comparisons = HashMap<(usize, usize), Rc<Vec<Change>>>;

pub(super) struct BundleDefinitions<'a> {
    disk: &'a Disk,
    package: &'a Package,
    known: &'a Known,
    objects: Option<&'a [Value]>,
    lens: Lens,
    /// The distinct sets of CRDs that were read.
    sets: RefCell<Vec<Vec<Value>>>,
    /// The index in `sets` of each bundle's CRDs; `None` if its objects are not known.
    set_by_bundle: RefCell<HashMap<String, Option<usize>>>,
    comparisons: RefCell<Comparisons>,
}

/// The changes from one bundle to another.
#[derive(Serialize)]
pub(super) struct DefinitionStep {
    pub from: String,
    pub to: String,
    /// Bundles whose objects are not known; then the changes are unknown, too.
    pub unknown: Vec<String>,
    /// APIs that the newer bundle no longer provides, which the catalog always states.
    #[serde(rename = "lost_apis")]
    pub lost: Vec<String>,
    #[serde(rename = "crds")]
    pub changes: Rc<Vec<Change>>,
}

impl<'a> BundleDefinitions<'a> {
    pub fn new(
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
            sets: RefCell::default(),
            set_by_bundle: RefCell::default(),
            comparisons: RefCell::default(),
        }
    }

    /// Whether a bundle is in the catalog or in `--bundles`.
    pub fn has(&self, name: &str) -> Result<bool, CliError> {
        Ok(self.package.bundle(name).is_some() || self.find_set(name)?.is_some())
    }

    pub fn step(&self, from: &str, to: &str) -> Result<DefinitionStep, CliError> {
        let (old, new) = (self.find_set(from)?, self.find_set(to)?);
        let lost = match (self.provided_apis(from), self.provided_apis(to)) {
            (Some(old), Some(new)) => old.difference(&new).cloned().collect(),
            _ => Vec::new(),
        };
        let unknown = [(from, old), (to, new)]
            .into_iter()
            .filter(|(_, set)| set.is_none())
            .map(|(name, _)| name.to_owned());
        Ok(DefinitionStep {
            from: from.to_owned(),
            to: to.to_owned(),
            unknown: unknown.collect(),
            lost,
            changes: match (old, new) {
                (Some(old), Some(new)) => self.compare(old, new),
                _ => Rc::default(),
            },
        })
    }

    /// Returns all CRDs that were read, one per name.
    pub fn all_read(&self) -> Vec<Value> {
        let mut names = BTreeSet::new();
        let sets = self.sets.borrow();
        let all = sets.iter().flat_map(|set| set.iter());
        all.filter(|definition| names.insert(crd::definition_name(definition).to_owned()))
            .cloned()
            .collect()
    }

    /// Compares two sets of CRDs, by their indices.
    fn compare(&self, old: usize, new: usize) -> Rc<Vec<Change>> {
        if let Some(changes) = self.comparisons.borrow().get(&(old, new)) {
            return Rc::clone(changes);
        }
        let sets = self.sets.borrow();
        let changes = match (sets.get(old), sets.get(new)) {
            (Some(old), Some(new)) => crd::changes(old, new, self.objects, self.lens),
            _ => Vec::new(),
        };
        let changes = Rc::new(changes);
        self.comparisons
            .borrow_mut()
            .insert((old, new), Rc::clone(&changes));
        changes
    }

    /// Returns the index of a bundle's CRDs, which are read at the first call; `None` if they are
    /// not known.
    fn find_set(&self, name: &str) -> Result<Option<usize>, CliError> {
        if let Some(index) = self.set_by_bundle.borrow().get(name) {
            return Ok(*index);
        }
        let index = self.read_definitions(name)?.map(|definitions| {
            let mut sets = self.sets.borrow_mut();
            let equal = sets.iter().position(|set| *set == definitions);
            equal.unwrap_or_else(|| {
                sets.push(definitions);
                sets.len() - 1
            })
        });
        self.set_by_bundle
            .borrow_mut()
            .insert(name.to_owned(), index);
        Ok(index)
    }

    fn read_definitions(&self, name: &str) -> Result<Option<Vec<Value>>, CliError> {
        let bundle = self.package.bundle(name);
        if let Some(bundle) = bundle.filter(|bundle| bundle.has_objects) {
            let root = self.disk.root()?;
            let files = self.disk.session.files();
            let text = files.blob_text(root, bundle.file, bundle.index)?;
            let file = File {
                path: name.to_owned(),
                bytes: text.bytes,
            };
            let blobs =
                bundle::read_catalog(&[file]).map_err(|refusal| CliError::new(refusal.message))?;
            if let Some(definitions) = blobs.first().and_then(bundle::definitions) {
                return Ok(Some(definitions));
            }
        }
        let image = bundle.map_or("", |bundle| bundle.image.as_str());
        self.known
            .definitions(name, image)
            .map_err(|message| cli_error!("{name}: {message}"))
    }

    /// Returns the APIs that a bundle provides according to the catalog.
    fn provided_apis(&self, name: &str) -> Option<BTreeSet<String>> {
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

/// Formats the lines of a change, each prefixed by `indent`.
pub(super) fn to_text(change: &Change, indent: &str) -> String {
    let name = one_line(&change.name);
    let checked = match change.objects_checked {
        Some(1) => " (1 object checked)".to_owned(),
        Some(n) => format!(" ({n} objects checked)"),
        None => String::new(),
    };
    let (verdict, reasons): (String, &[String]) = match change.kind {
        ChangeKind::Added => ("is new".to_owned(), &[]),
        ChangeKind::Removed => ("is not in the new bundle".to_owned(), &[]),
        ChangeKind::Kept if !change.objections.is_empty() => {
            ("cannot replace the old one:".to_owned(), &change.objections)
        }
        ChangeKind::Kept if change.object_errors.is_empty() => {
            (format!("can replace the old one{checked}"), &[])
        }
        ChangeKind::Kept => {
            let condition = match change.objects_checked {
                None | Some(0) => " if existing objects still satisfy:",
                Some(_) => ", but:",
            };
            (
                format!("can replace the old one{checked}{condition}"),
                &change.object_errors,
            )
        }
    };
    let lines: String = reasons
        .iter()
        .map(|line| format!("{indent}  {}\n", one_line(line)))
        .collect();
    format!("{indent}{name} {verdict}\n{lines}")
}

/// Formats the changes of a step, without the line of the step itself.
pub(super) fn step_to_text(step: &DefinitionStep, indent: &str) -> String {
    let mut text = String::new();
    for lost in &step.lost {
        text.push_str(&format!(
            "{indent}{} is no longer provided\n",
            one_line(lost)
        ));
    }
    if !step.unknown.is_empty() {
        text.push_str(&format!("{indent}not compared: objects unknown\n"));
    } else if step.changes.is_empty() {
        text.push_str(&format!("{indent}no CustomResourceDefinition\n"));
    }
    text + &changes_to_text(&step.changes, indent)
}

/// Formats changes. Only counts CRDs that can be replaced without remarks, unless there is just
/// one.
fn changes_to_text(changes: &[Change], indent: &str) -> String {
    let (unremarkable, remarkable): (Vec<&Change>, Vec<&Change>) =
        changes.iter().partition(|change| is_unremarkable(change));
    if unremarkable.len() < 2 {
        return changes
            .iter()
            .map(|change| to_text(change, indent))
            .collect();
    }
    let others = if remarkable.is_empty() {
        "definitions"
    } else {
        "others"
    };
    let lines: String = remarkable
        .into_iter()
        .map(|change| to_text(change, indent))
        .collect();
    format!(
        "{lines}{indent}{} {others} can replace the old ones\n",
        unremarkable.len()
    )
}

fn is_unremarkable(change: &Change) -> bool {
    change.kind == ChangeKind::Kept
        && change.objections.is_empty()
        && change.object_errors.is_empty()
        && change.objects_checked.is_none_or(|checked| checked == 0)
}

/// Returns the exit status. A refused CRD is a negative answer; unknown bundles mean that there is
/// no answer.
pub(super) fn status<'s>(steps: impl IntoIterator<Item = &'s DefinitionStep>) -> u8 {
    let mut status = 0;
    for step in steps {
        let mut changes = step.changes.iter();
        if changes.any(|change| !change.objections.is_empty()) {
            return error::FAILED;
        }
        if !step.unknown.is_empty() {
            status = error::COULD_NOT_RUN;
        }
    }
    status
}

/// Reports bundles whose objects are not known.
pub(super) fn print_unknown<'s>(steps: impl IntoIterator<Item = &'s DefinitionStep>) {
    let unknown: BTreeSet<&str> = steps
        .into_iter()
        .flat_map(|step| &step.unknown)
        .map(String::as_str)
        .collect();
    if !unknown.is_empty() {
        let message = format!(
            "the objects of {} are unknown",
            first_of(unknown.iter(), MAX_NAMES)
        );
        let hint = "pass the folder or the archive of the bundle with --bundles; catalogs with olm.csv.metadata embed no objects";
        output::print_diagnostic("incomplete", &message, None, hint);
    }
}

/// Reports objects without a CRD. Otherwise a wrong file would look like a passed check.
pub(super) fn note_unmatched_objects(definitions: &[Value], objects: Option<&[Value]>) {
    let count = objects.map_or(0, |objects| crd::unmatched_objects(definitions, objects));
    if count > 0 {
        let objects = count_of(count, "object");
        output::print_note(&format!("skipped {objects}: no definition here matches"));
    }
}
