//! `set-description`: the package description shown by consoles.

use super::refused::Refused;
use super::{BlobChange, CatalogView, Change, PlanStep, Presence};
use crate::edit::patch::path;

pub(super) fn plan(
    view: &CatalogView<'_>,
    package: &str,
    text: &str,
) -> Result<Vec<PlanStep>, Refused> {
    let definition = view.definition(view.package(package)?)?;
    let change = if !text.is_empty() {
        Change::Put {
            value: text.into(),
            after: &["schema", "name", "defaultChannel", "icon"],
            present: Presence::Unknown,
        }
    } else if definition.has_description {
        Change::Remove
    } else {
        return Ok(Vec::new());
    };
    let change = BlobChange {
        path: path!["description"],
        change,
    };
    Ok(vec![PlanStep::Patch {
        file: definition.file,
        index: definition.index,
        changes: vec![change],
    }])
}
