//! How a change of a definition is told, as text and as JSON.

use crate::output::{self, one_line};
use fbc::crd::{self, Change, ChangeKind};
use serde_json::{Value, json};

/// Lines of a change, `indent` in front of each.
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
            match (change.objections.is_empty(), change.object_errors.is_empty(), change.objects_checked) {
                (false, ..) => ("cannot replace the old one:".to_owned(), change.objections.clone()),
                (true, true, _) => (format!("can replace the old one{checked}"), Vec::new()),
                (true, false, None) => (
                    "can replace the old one if existing objects still satisfy:".to_owned(),
                    change.object_errors.clone(),
                ),
                (true, false, Some(_)) => {
                    (format!("can replace the old one{checked}, but:"), change.object_errors.clone())
                }
            }
        }
    };
    let lines: String = lines.iter().map(|line| format!("{indent}  {}\n", one_line(line))).collect();
    format!("{indent}{name} {verdict}\n{lines}")
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

/// Objects of no definition are told: a file of another kind would pass as agreement.
pub(super) fn note_unmatched_objects(definitions: &[Value], objects: Option<&[Value]>) {
    let count = objects.map_or(0, |objects| crd::unmatched_objects(definitions, objects));
    if count > 0 {
        let objects = if count == 1 { "1 object".to_owned() } else { format!("{count} objects") };
        output::note(&format!("skipped {objects}: no definition here matches"));
    }
}
