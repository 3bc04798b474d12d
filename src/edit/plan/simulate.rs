//! Applies an operation to the facts of a package without any text, to simulate fixes. Uses the
//! same plan as the real edit, so both have the same result.

use super::{CatalogView, PlanStep, Refused, plan};
use crate::patch::{Action, Patch, PathSegment, Value};
use catalog::Catalog;
use catalog::model::{ChannelBlob, Entry, Located, Package, PackageBlob};
use protocol::operation::EditOp;
use std::sync::Arc;
use syntax::place::{Place, Spanned, Text};

/// Returns the package after `op`: its channels, default channel and removed blobs. Positions are
/// those before `op`.
///
/// # Errors
///
/// The plan's message if the package lacks what the operation names, or the operation is
/// impossible.
pub fn apply(package: &Arc<Package>, op: &EditOp) -> Result<Arc<Package>, Refused> {
    let catalog = Catalog::from_packages([package.clone()]);
    let steps = plan(op, &CatalogView::new(&catalog))?;
    let mut after = Package::clone(package);
    for step in &steps {
        if let PlanStep::RemoveBlob { file, index } | PlanStep::RemoveCopy { file, index, .. } =
            step
        {
            let removed = (*file, *index);
            after.channels.retain(|c| (c.file, c.index) != removed);
            after.bundles.retain(|b| (b.file, b.index) != removed);
            after.deprecations.retain(|d| (d.file, d.index) != removed);
        }
        let PlanStep::Patch {
            file,
            index,
            patches,
            ..
        } = step
        else {
            continue;
        };
        let blob = (*file, *index);
        if let Some(channel) = after
            .channels
            .iter_mut()
            .find(|c| (c.file, c.index) == blob)
        {
            channel.data = Arc::new(apply_patches(&channel.data, patches));
        } else if let Some(definition) = after
            .packages
            .iter_mut()
            .find(|p| (p.file, p.index) == blob)
        {
            for patch in patches {
                change_package(definition, patch);
            }
        }
    }
    Ok(Arc::new(after))
}

/// Positions are the old ones.
pub(super) fn apply_patches(channel: &ChannelBlob, patches: &[Patch]) -> ChannelBlob {
    let mut blob = channel.clone();
    for patch in patches {
        change_channel(&mut blob, patch);
    }
    blob
}

fn change_package(definition: &mut Located<PackageBlob>, patch: &Patch) {
    if let ([PathSegment::Key(key)], Action::Set { value, .. }) = (&patch.path[..], &patch.action)
        && key == "defaultChannel"
    {
        let mut blob = PackageBlob::clone(&definition.data);
        blob.default_channel.value = text(value).value;
        definition.data = Arc::new(blob);
    }
}

fn change_channel(channel: &mut ChannelBlob, patch: &Patch) {
    let [PathSegment::Key(list), path @ ..] = &patch.path[..] else {
        return;
    };
    if let ("name", Action::Set { value, .. }) = (list.as_str(), &patch.action) {
        channel.name.value = text(value).value;
    }
    if list != "entries" {
        return;
    }
    match (path, &patch.action) {
        ([], Action::InsertItem { at, value }) => {
            let at = (*at).min(channel.entries.len());
            channel.entries.insert(at, entry(value));
        }
        ([], Action::Set { value, .. }) => channel.entries = items(value).map(entry).collect(),
        ([PathSegment::Index(at)], Action::Remove) if *at < channel.entries.len() => {
            channel.entries.remove(*at);
        }
        ([PathSegment::Index(at), PathSegment::Key(field), path @ ..], action) => {
            if let Some(entry) = channel.entries.get_mut(*at) {
                change_field(entry, field, path, action);
            }
        }
        _ => {}
    }
}

fn change_field(entry: &mut Entry, field: &str, path: &[PathSegment], action: &Action) {
    match (field, path, action) {
        ("skips", [], Action::Set { value, .. }) => entry.skips = items(value).map(text).collect(),
        ("skips", [], Action::InsertItem { at, value }) => {
            let at = (*at).min(entry.skips.len());
            entry.skips.insert(at, text(value));
        }
        ("skips", [], Action::Remove) => entry.skips.clear(),
        ("skips", [PathSegment::Index(at)], Action::Remove) if *at < entry.skips.len() => {
            entry.skips.remove(*at);
        }
        ("skips", [PathSegment::Index(at)], Action::Set { value, .. }) => {
            if let Some(skip) = entry.skips.get_mut(*at) {
                skip.value = text(value).value;
            }
        }
        ("name", [], Action::Set { value, .. }) => entry.name.value = text(value).value,
        ("replaces" | "skipRange", [], action) => {
            let text_field = if field == "replaces" {
                &mut entry.replaces
            } else {
                &mut entry.skip_range
            };
            match action {
                Action::Set { value, .. } => text_field.value = text(value).value,
                _ => text_field.value = Text::default(),
            }
        }
        _ => {}
    }
}

fn entry(value: &Value) -> Entry {
    Entry {
        name: text(&value["name"]),
        replaces: text(&value["replaces"]),
        skips: items(&value["skips"]).map(text).collect(),
        skip_range: text(&value["skipRange"]),
        ..Entry::default()
    }
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn text(value: &Value) -> Spanned<Text> {
    let text = value.as_str().unwrap_or_default();
    Spanned::new(text.into(), Place::default())
}
