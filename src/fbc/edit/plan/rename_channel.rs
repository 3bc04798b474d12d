//! `rename-channel`: changes the channel's blob, the default channel and the deprecations of it.
//! Files keep their names.

use super::add_channel::is_free;
use super::deprecate::Scope;
use super::refused::Refused;
use super::{BlobChange, CatalogView, Change, PlanStep, Presence};
use crate::edit::patch::path;

pub(super) fn plan(
    view: &CatalogView<'_>,
    package: &str,
    channel: &str,
    to: &str,
) -> Result<Vec<PlanStep>, Refused> {
    let package = view.package(package)?;
    let blob = view.channel(package, channel)?;
    if channel == to {
        return Ok(Vec::new());
    }
    is_free(view, package, to)?;
    let put = |present| Change::Put {
        value: to.into(),
        after: &["schema", "package", "name"],
        present,
    };
    let present = Presence::new(blob.name.place, blob.place);
    let renamed = BlobChange {
        path: path!["name"],
        change: put(present),
    };
    let mut steps = vec![PlanStep::Patch {
        file: blob.file,
        index: blob.index,
        changes: vec![renamed],
    }];
    // Nothing can refer to a channel without a name.
    if channel.is_empty() {
        return Ok(steps);
    }
    for definition in package
        .packages
        .iter()
        .filter(|p| p.default_channel.as_str() == channel)
    {
        let change = BlobChange {
            path: path!["defaultChannel"],
            change: put(Presence::There),
        };
        steps.push(PlanStep::Patch {
            file: definition.file,
            index: definition.index,
            changes: vec![change],
        });
    }
    for deprecations in &package.deprecations {
        let renamed = Scope::Channel(channel)
            .find(deprecations)
            .into_iter()
            .map(|at| BlobChange {
                path: path!["entries", at, "reference", "name"],
                change: put(Presence::There),
            });
        let changes: Vec<BlobChange> = renamed.collect();
        if !changes.is_empty() {
            steps.push(PlanStep::Patch {
                file: deprecations.file,
                index: deprecations.index,
                changes,
            });
        }
    }
    Ok(steps)
}
