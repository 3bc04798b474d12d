//! Applies an operation to the facts of a package without any text, to simulate fixes. Uses the
//! same plan as the real edit, so both have the same result.

use super::{BlobChange, CatalogView, Change, PathSegment, PlanStep, Refused, Value, plan};
use catalog::Catalog;
use catalog::model::{ChannelBlob, Entry, Located, Package, PackageBlob};
use protocol::operation::EditOp;
use std::sync::Arc;
use syntax::place::{Place, Spanned, Text};

/// The package after `op`, limited to channels, the default channel and removed blobs. Positions
/// are the old ones.
///
/// # Errors
///
/// The plan's message if the package lacks what the operation names, or the operation is
/// impossible.
pub fn apply(package: &Arc<Package>, op: &EditOp) -> Result<Arc<Package>, Refused> {
    let catalog = Catalog::from_packages([package.clone()]);
    let steps = plan(op, &CatalogView::new(&catalog))?.steps;
    let mut after = Package::clone(package);
    for step in &steps {
        if let PlanStep::RemoveBlob { file, index } | PlanStep::RemoveCopy { file, index, .. } =
            step
        {
            let gone = (*file, *index);
            after.channels.retain(|c| (c.file, c.index) != gone);
            after.bundles.retain(|b| (b.file, b.index) != gone);
            after.deprecations.retain(|d| (d.file, d.index) != gone);
        }
        let PlanStep::Patch {
            file,
            index,
            changes,
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
            channel.data = Arc::new(apply_changes(&channel.data, changes));
        } else if let Some(definition) = after
            .packages
            .iter_mut()
            .find(|p| (p.file, p.index) == blob)
        {
            changes
                .iter()
                .for_each(|change| change_package(definition, change));
        }
    }
    Ok(Arc::new(after))
}

/// The channel after these changes of its blob. Positions are the old ones.
pub(super) fn apply_changes(channel: &ChannelBlob, changes: &[BlobChange]) -> ChannelBlob {
    let mut blob = channel.clone();
    changes
        .iter()
        .for_each(|change| change_channel(&mut blob, change));
    blob
}

fn change_package(definition: &mut Located<PackageBlob>, change: &BlobChange) {
    if let (
        [PathSegment::Key(key)],
        Change::Put {
            value: Value::String(text),
            ..
        },
    ) = (&change.path[..], &change.change)
        && key == "defaultChannel"
    {
        let mut blob = PackageBlob::clone(&definition.data);
        blob.default_channel.value = text.as_str().into();
        definition.data = Arc::new(blob);
    }
}

fn change_channel(channel: &mut ChannelBlob, change: &BlobChange) {
    let [PathSegment::Key(list), path @ ..] = &change.path[..] else {
        return;
    };
    if let ("name", Change::Put { value, .. }) = (list.as_str(), &change.change) {
        channel.name.value = text(value).value;
    }
    if list != "entries" {
        return;
    }
    match (path, &change.change) {
        ([], Change::Insert { at, value }) => {
            let at = (*at).min(channel.entries.len());
            channel.entries.insert(at, entry(value));
        }
        (
            [],
            Change::Put {
                value: Value::List(items),
                ..
            },
        ) => channel.entries = items.iter().map(entry).collect(),
        ([PathSegment::Index(at)], Change::Remove) if *at < channel.entries.len() => {
            channel.entries.remove(*at);
        }
        ([PathSegment::Index(at), PathSegment::Key(field), path @ ..], change) => {
            if let Some(entry) = channel.entries.get_mut(*at) {
                change_field(entry, field, path, change);
            }
        }
        _ => {}
    }
}

fn change_field(entry: &mut Entry, field: &str, path: &[PathSegment], change: &Change) {
    match (field, path, change) {
        (
            "skips",
            [],
            Change::Put {
                value: Value::List(items),
                ..
            },
        ) => entry.skips = items.iter().map(text).collect(),
        ("skips", [], Change::Insert { at, value }) => {
            let at = (*at).min(entry.skips.len());
            entry.skips.insert(at, text(value));
        }
        ("skips", [], Change::Remove) => entry.skips.clear(),
        ("skips", [PathSegment::Index(at)], Change::Remove) if *at < entry.skips.len() => {
            entry.skips.remove(*at);
        }
        ("skips", [PathSegment::Index(at)], Change::Put { value, .. }) => {
            if let Some(skip) = entry.skips.get_mut(*at) {
                skip.value = text(value).value;
            }
        }
        ("name", [], Change::Put { value, .. }) => entry.name.value = text(value).value,
        ("replaces" | "skipRange", [], change) => {
            let slot = if field == "replaces" {
                &mut entry.replaces
            } else {
                &mut entry.skip_range
            };
            match change {
                Change::Put { value, .. } => slot.value = text(value).value,
                _ => slot.value = Text::default(),
            }
        }
        _ => {}
    }
}

fn entry(value: &Value) -> Entry {
    let mut entry = Entry::default();
    let Value::Map(pairs) = value else {
        return entry;
    };
    for (key, value) in pairs {
        match (key.as_str(), value) {
            ("name", value) => entry.name = text(value),
            ("replaces", value) => entry.replaces = text(value),
            ("skipRange", value) => entry.skip_range = text(value),
            ("skips", Value::List(items)) => entry.skips = items.iter().map(text).collect(),
            _ => {}
        }
    }
    entry
}

fn text(value: &Value) -> Spanned<Text> {
    let text = match value {
        Value::String(text) => text.as_str(),
        _ => "",
    };
    Spanned::new(text.into(), Place::default())
}
