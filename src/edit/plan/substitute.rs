//! `substitute` and `rename-bundle`: replace a bundle's name in every channel and deprecation.
//!
//! The new entry has the position and edges of the old one. An edge from the new bundle to the old
//! name is kept: it updates users of the old name.

use super::Refused;
use super::bundles::{self, NewBundle};
use super::deprecate::{Scope, remove_positions, rename_references};
use super::{CatalogView, PlanResult, PlanStep, entry_order};
use crate::item_change::append;
use crate::patch::{Patch, path};
use catalog::model::{ChannelBlob, Located, Package};
use std::collections::HashSet;

/// The bundle that replaces another one.
pub(super) struct Substitute<'a> {
    pub name: &'a str,
    /// Required if the catalog lacks the bundle.
    pub image: Option<&'a str>,
}

/// Plans `substitute`. `skip_old`: the new entries skip the old name.
pub(super) fn plan(
    view: &CatalogView<'_>,
    package: &str,
    bundle: &str,
    substitute: &Substitute<'_>,
    skip_old: bool,
) -> PlanResult {
    let &Substitute { name: by, image } = substitute;
    let package = view.package(package)?;
    let mut steps = replace_name(view, package, bundle, by, skip_old)?;
    if view.lists_only_names(package) {
        return Ok(steps);
    }
    if package.bundle(bundle).is_some() {
        let old = view.bundle(package, bundle)?;
        steps.push(PlanStep::remove(old));
    }
    if package.bundle(by).is_some() {
        view.bundle(package, by)?;
        if let Some(image) = image {
            return Err(
                refused!("the catalog already has `{by}`, with its own image").help(format!(
                    "leave out the image, or set it to `{image}` with `set-image`"
                )),
            );
        }
        return Ok(steps);
    }
    let Some(image) = image else {
        return Err(refused!(
            "package `{}` has no bundle `{by}` to take the place of `{bundle}`",
            package.name
        )
        .help(
            "name its image with `--image`, or the bundle's directory with `--from`; to keep the bundle and change its name, use `rename-bundle`",
        ));
    };
    let new = NewBundle {
        package: &package.name,
        bundle: by,
        version: bundles::version_in_bundle_name(by)?,
        release: "",
        image,
        blob: None,
        entry: None,
    };
    let (_, added) = bundles::blob_steps(view, package, &new)?;
    steps.extend(added);
    Ok(steps)
}

pub(super) fn rename(
    view: &CatalogView<'_>,
    package: &str,
    bundle: &str,
    to: &str,
    skip_old: bool,
) -> PlanResult {
    let package = view.package(package)?;
    let mut steps = replace_name(view, package, bundle, to, skip_old)?;
    if package.bundle(to).is_some() {
        return Err(
            refused!("package `{}` already has a bundle `{to}`", package.name)
                .help("choose another name, or let that bundle take the place with `substitute`"),
        );
    }
    if !view.lists_only_names(package) && package.bundle(bundle).is_some() {
        let blob = view.bundle(package, bundle)?;
        let patch = Patch::put(path!["name"], to, &["schema"]);
        steps.push(PlanStep::patch(blob, vec![patch]));
    }
    Ok(steps)
}

/// Returns the steps that replace the name `old` with `new` in channels and deprecations.
pub fn replace_name(
    view: &CatalogView<'_>,
    package: &Package,
    old: &str,
    new: &str,
    skip_old: bool,
) -> PlanResult {
    if new.is_empty() {
        return Err(Refused::new("the new name is empty").help("name a bundle, such as `p.v1.0.1`"));
    }
    if old.is_empty() {
        return Err(Refused::new("the name of the bundle is empty").help("name a bundle"));
    }
    if old == new {
        return Err(refused!("`{old}` cannot take its own place").help("name another bundle"));
    }
    let is_listed = package
        .channels
        .iter()
        .any(|channel| channel.has_entry(old));
    if !is_listed {
        view.bundle(package, old)?;
    }
    let mut steps = Vec::new();
    for channel in &package.channels {
        if channel.has_entry(old)
            && let Some(present) = channel.entry(new)
        {
            return Err(refused!(
                "channel `{}` already lists `{new}` beside `{old}`",
                channel.name.value
            )
            .help(format!(
                "remove one of the two entries there first with `remove-entry`, or use `withdraw --bundle {old} --by {new}`"
            ))
            .at(view.locate(channel, present.name.place)));
        }
        steps.extend(rename_in_channel(channel, old, new, skip_old));
    }
    for blob in &package.deprecations {
        let references = Scope::Bundle(old).find(blob);
        if references.is_empty() {
            continue;
        }
        // Only one deprecation per bundle is allowed: the new bundle's own counts.
        if !Scope::Bundle(new).find(blob).is_empty() {
            steps.push(remove_positions(blob, references));
            continue;
        }
        steps.push(rename_references(blob, references, new));
    }
    Ok(steps)
}

fn rename_in_channel(
    channel: &Located<ChannelBlob>,
    old: &str,
    new: &str,
    skip_old: bool,
) -> Option<PlanStep> {
    let mut patches = Vec::new();
    for (at, entry) in channel.entries.iter().enumerate() {
        if entry.name.as_str() == new {
            continue;
        }
        let is_renamed = entry.name.as_str() == old;
        if is_renamed {
            patches.push(Patch::set(path!["entries", at, "name"], new));
        }
        if entry_order::replaces(entry, old) {
            patches.push(Patch::set(path!["entries", at, "replaces"], new));
        }
        let mut skipped: HashSet<&str> = entry.skips.iter().map(|s| s.as_str()).collect();
        let mut skip_count = entry.skips.len();
        for (i, skip) in entry.skips.iter().enumerate().rev() {
            if skip.as_str() != old || is_renamed {
                continue;
            }
            let path = path!["entries", at, "skips", i];
            patches.push(if skipped.insert(new) {
                Patch::set(path, new)
            } else {
                skip_count -= 1;
                Patch::remove(path)
            });
        }
        if is_renamed && skip_old && !skipped.contains(old) {
            let skip = append("skips", skip_count, old, &["name", "replaces"]);
            patches.push(skip.below(&["entries".into(), at.into()]));
        }
    }
    (!patches.is_empty()).then(|| PlanStep::patch(channel, patches))
}
