//! `set-default-channel`: one line of the package's blob.

use super::refused::Refused;
use super::{BlobPatch, CatalogView, Change, Seg, Step};
use serde_json::Value;

pub(super) fn plan(view: &CatalogView<'_>, package: &str, channel: &str) -> Result<Vec<Step>, Refused> {
    let package = view.package(package)?;
    let definition = view.definition(package)?;
    view.channel(package, channel)?;
    if definition.default_channel.as_str() == channel {
        return Ok(Vec::new());
    }
    let patch = BlobPatch { route: vec![Seg::Key("defaultChannel")], change: Change::Set(Value::from(channel)) };
    Ok(vec![Step::Patch { file: definition.file, index: definition.index, patches: vec![patch] }])
}
