//! The CRDs of a package's bundles: those embedded in the catalog's blob, else those of a given bundle. Each bundle is
//! read once, and bundles with equal CRDs share them. Their changes are reported as text and as JSON.

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

/// Comparison results, by the indices of both sets of CRDs.
type Compared = HashMap<(usize, usize), Rc<Vec<Change>>>;

pub(super) struct BundleDefinitions<'a> {
    disk: &'a Disk,
    package: &'a Package,
    known: &'a Known,
    objects: Option<&'a [Value]>,
    lens: Lens,
    read: RefCell<Vec<Rc<Vec<Value>>>>,
    /// The index in `read` of each bundle's CRDs; `None` if its objects are not known.
    by_name: RefCell<HashMap<String, Option<usize>>>,
    compared: RefCell<Compared>,
}

/// The changes from one bundle to another.
#[derive(Serialize)]
pub(super) struct DefinitionStep {
    pub(super) from: String,
    pub(super) to: String,
    /// Bundles whose objects are not known; then the changes are unknown, too.
    pub(super) unknown: Vec<String>,
    /// APIs that the newer bundle no longer provides, which the catalog always states.
    #[serde(rename = "lost_apis")]
    pub(super) lost: Vec<String>,
    #[serde(rename = "crds")]
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

    /// Returns all CRDs that were read, one per name.
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
            let text = self.disk.session.files().blob_text(
                self.disk.root()?,
                located.file,
                located.index,
            )?;
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

    /// Returns the APIs that a bundle provides according to the catalog.
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

/// Most bundles that an error message lists.
const NAMED: usize = 12;

/// Formats the lines of a change, each prefixed by `indent`.
pub(super) fn to_text(change: &Change, indent: &str) -> String {
    let name = one_line(&change.name);
    let checked = match change.objects_checked {
        Some(1) => " (1 object checked)".to_owned(),
        Some(n) => format!(" ({n} objects checked)"),
        None => String::new(),
    };
    let (verdict, lines) = match change.kind {
        ChangeKind::Added => ("is new".to_owned(), Vec::new()),
        ChangeKind::Removed => ("is not in the new bundle".to_owned(), Vec::new()),
        ChangeKind::Kept => {
            match (
                change.objections.is_empty(),
                change.object_errors.is_empty(),
                change.objects_checked,
            ) {
                (false, ..) => (
                    "cannot replace the old one:".to_owned(),
                    change.objections.clone(),
                ),
                (true, true, _) => (format!("can replace the old one{checked}"), Vec::new()),
                (true, false, None | Some(0)) => (
                    format!("can replace the old one{checked} if existing objects still satisfy:"),
                    change.object_errors.clone(),
                ),
                (true, false, Some(_)) => (
                    format!("can replace the old one{checked}, but:"),
                    change.object_errors.clone(),
                ),
            }
        }
    };
    let lines: String = lines
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
    text + &definitions_to_text(&step.changes, indent)
}

/// Formats changes. Only counts CRDs that can be replaced without remarks, unless there is just one.
fn definitions_to_text(changes: &[Change], indent: &str) -> String {
    let silent = changes.iter().filter(is_silent).count();
    if silent < 2 {
        return changes
            .iter()
            .map(|change| to_text(change, indent))
            .collect();
    }
    let remarkable = changes
        .iter()
        .filter(|change| !is_silent(change))
        .map(|change| to_text(change, indent));
    let others = if silent < changes.len() {
        "others"
    } else {
        "definitions"
    };
    format!(
        "{}{indent}{silent} {others} can replace the old ones\n",
        remarkable.collect::<String>()
    )
}

fn is_silent(change: &&Change) -> bool {
    change.kind == ChangeKind::Kept
        && change.objections.is_empty()
        && change.object_errors.is_empty()
        && change.objects_checked.is_none_or(|checked| checked == 0)
}

/// Returns the exit status. A refused CRD is a negative answer; unknown bundles mean that there is no answer.
pub(super) fn status<'s>(steps: impl IntoIterator<Item = &'s DefinitionStep>) -> u8 {
    let mut status = 0;
    for step in steps {
        if step.is_refused() {
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
            first_of(unknown.iter(), NAMED)
        );
        let hint = "pass the folder or the archive of the bundle with --bundles; catalogs with olm.csv.metadata embed no objects";
        output::print_diagnostic("incomplete", &message, None, hint);
    }
}

/// Reports objects that belong to no CRD: otherwise a wrong file would pass as agreement.
pub(super) fn note_unmatched_objects(definitions: &[Value], objects: Option<&[Value]>) {
    let count = objects.map_or(0, |objects| crd::unmatched_objects(definitions, objects));
    if count > 0 {
        let objects = count_of(count, "object");
        output::print_note(&format!("skipped {objects}: no definition here matches"));
    }
}
