//! `set-default-channel`: one line of the package's blob.

use super::refused::Refused;
use super::{BlobChange, CatalogView, Change, PlanStep, Presence};
use crate::edit::patch::path;

pub(super) fn plan(
    view: &CatalogView<'_>,
    package: &str,
    channel: &str,
) -> Result<Vec<PlanStep>, Refused> {
    let package = view.package(package)?;
    let definition = view.definition(package)?;
    view.channel(package, channel)?;
    if definition.default_channel.as_str() == channel {
        return Ok(Vec::new());
    }
    let present = Presence::new(definition.default_channel.place, definition.place);
    let change = Change::Put {
        value: channel.into(),
        after: &["schema", "name"],
        present,
    };
    let change = BlobChange {
        path: path!["defaultChannel"],
        change,
    };
    Ok(vec![PlanStep::Patch {
        file: definition.file,
        index: definition.index,
        changes: vec![change],
    }])
}
