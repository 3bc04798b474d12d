//! `remove-channel`: removes the channel's blob, and the deprecations that name it (`opm` refuses a deprecation of a
//! missing channel). Bundles stay; the verdict reports the removal of a default channel.

use super::deprecate::{Scope, forget};
use super::refused::Refused;
use super::{CatalogView, PlanStep};

pub(super) fn plan(
    view: &CatalogView<'_>,
    package: &str,
    channel: &str,
) -> Result<Vec<PlanStep>, Refused> {
    let package = view.package(package)?;
    let blob = view.channel(package, channel)?;
    let mut steps = vec![PlanStep::RemoveBlob {
        file: blob.file,
        index: blob.index,
    }];
    if !channel.is_empty() {
        steps.extend(forget(package, &Scope::Channel(channel)));
    }
    Ok(steps)
}
