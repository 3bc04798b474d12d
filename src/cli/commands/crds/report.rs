//! Changes of CRDs as text and as JSON.

use super::bundle_definitions::DefinitionStep;
use crate::args::CrdsArgs;
use crate::error;
use crate::output::{self, one_line};
use fbc::crd::{self, Change, ChangeKind};
use fbc::upgrade::Lens;
use protocol::counting::{count_of, first_of};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Most bundles that an error message lists.
const NAMED: usize = 12;

/// The lines of a change, each prefixed by `indent`.
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

/// The changes of a step, below its own line.
pub(super) fn step_to_text(step: &DefinitionStep, indent: &str) -> String {
    let mut text = lost_to_text(step, indent);
    if !step.unknown.is_empty() {
        text.push_str(&format!("{indent}not compared: objects unknown\n"));
    } else if step.changes.is_empty() {
        text.push_str(&format!("{indent}no CustomResourceDefinition\n"));
    }
    text + &definitions_to_text(&step.changes, indent)
}

pub(super) fn lost_to_text(step: &DefinitionStep, indent: &str) -> String {
    step.lost
        .iter()
        .map(|lost| format!("{indent}{} is no longer provided\n", one_line(lost)))
        .collect()
}

/// Whether its CRDs need more than one line each.
pub(super) fn is_long(step: &DefinitionStep) -> bool {
    step.changes
        .iter()
        .any(|change| !change.objections.is_empty() || !change.object_errors.is_empty())
}

/// CRDs that can be replaced without remarks are only counted.
fn definitions_to_text(changes: &[Change], indent: &str) -> String {
    let is_silent = |change: &&Change| {
        change.kind == ChangeKind::Kept
            && change.objections.is_empty()
            && change.object_errors.is_empty()
            && change.objects_checked.is_none_or(|checked| checked == 0)
    };
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

pub(super) fn step_to_json(step: &DefinitionStep) -> Value {
    json!({
        "from": step.from,
        "to": step.to,
        "unknown": step.unknown,
        "lost_apis": step.lost,
        "crds": step.changes.iter().map(to_json).collect::<Vec<_>>(),
    })
}

/// A refused CRD is a negative answer; unknown bundles mean that there is no answer.
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

pub(super) fn lens_name(args: &CrdsArgs) -> &'static str {
    if super::lens(args) == Lens::V0 {
        "v0"
    } else {
        "v1"
    }
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

pub(super) fn to_json(change: &Change) -> Value {
    json!({
        "name": change.name,
        "change": change.kind.as_str(),
        "objections": change.objections,
        "object_errors": change.object_errors,
        "objects_checked": change.objects_checked,
    })
}

/// Reports objects that belong to no CRD: otherwise a wrong file would pass as agreement.
pub(super) fn note_unmatched_objects(definitions: &[Value], objects: Option<&[Value]>) {
    let count = objects.map_or(0, |objects| crd::unmatched_objects(definitions, objects));
    if count > 0 {
        let objects = count_of(count, "object");
        output::note(&format!("skipped {objects}: no definition here matches"));
    }
}
