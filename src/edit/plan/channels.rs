//! The operations on whole channels: add, rename and remove one, and set the default channel.

use super::Refused;
use super::catalog_view::NewBlobPlace;
use super::channel_draft::entry_value;
use super::deprecate::{Scope, remove_deprecations, rename_references};
use super::{CatalogView, PlanResult, PlanStep, catalog_view};
use crate::patch::{Patch, path};
use catalog::model::{ChannelBlob, Located, Package, PackageBlob};
use catalog::roots::{join, name_of, parent};
use serde_json::json;
use syntax::tree::Format;

/// `add-channel`: adds an empty channel, or one with the entries of another.
///
/// `opm` refuses a channel without entries; it is still created, as a target for promotion. The new
/// blob follows the copied channel, or else the package's last one. If that has its own file named
/// after it, so does the new one.
pub(super) fn add(
    view: &CatalogView<'_>,
    package: &str,
    channel: &str,
    from: Option<&str>,
) -> PlanResult {
    let package = view.package(package)?;
    check_channel_name(view, package, channel)?;
    let source = from.map(|name| view.channel(package, name)).transpose()?;
    if let Some(source) = source {
        check_readable(view, source)?;
    }
    let entries = source.map_or(&[][..], |source| &source.entries);
    let value = json!({
        "schema": "olm.channel",
        "package": &*package.name,
        "name": channel,
        "entries": entries.iter().map(entry_value).collect::<Vec<_>>(),
    });
    let Some(model) = source.or(package.channels.last()) else {
        return Ok(vec![catalog_view::add_first_of_schema(
            view, package, "channels", value,
        )?]);
    };
    let place = similar_file(view, model, channel).unwrap_or_else(|| NewBlobPlace::In {
        file: model.file,
        after: Some(model.index),
        format: view
            .catalog
            .blob(model.file, model.index)
            .map_or(Format::Yaml, |b| b.format),
    });
    Ok(vec![place.add(value)])
}

/// Refuses an empty name, and the name of another channel of the package.
pub(super) fn check_channel_name(
    view: &CatalogView<'_>,
    package: &Package,
    name: &str,
) -> Result<(), Refused> {
    if name.is_empty() {
        return Err(
            Refused::new("the new channel has no name").help("give it one, such as `stable-v1.2`")
        );
    }
    match package.channel(name) {
        None => Ok(()),
        Some(taken) => Err(
            refused!("package `{}` already has a channel `{name}`", package.name)
                .help("choose another name, or remove that channel first")
                .at(view.locate(taken, taken.name.place)),
        ),
    }
}

/// Refuses to copy a channel with unreadable parts, which the copy would lack.
fn check_readable(view: &CatalogView<'_>, source: &Located<ChannelBlob>) -> Result<(), Refused> {
    let blob = view.catalog.blob(source.file, source.index);
    match blob.and_then(|b| b.faults.first()) {
        None => Ok(()),
        Some(fault) => Err(
            refused!("part of channel `{}` cannot be read", source.name.value)
                .help(fault.message.clone())
                .at(view.locate(source, fault.place)),
        ),
    }
}

/// Returns the file of the new channel if `model` has its own file: `channel-fast.yaml` beside a
/// `channel-stable.yaml` that contains only `stable`.
fn similar_file(
    view: &CatalogView<'_>,
    model: &Located<ChannelBlob>,
    name: &str,
) -> Option<NewBlobPlace> {
    let file = view.catalog.file(model.file)?;
    let [blob] = file.blobs() else {
        return None;
    };
    let (stem, extension) = name_of(&file.path).rsplit_once('.')?;
    let old = model.name.as_str();
    let is_plain = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        && !name.starts_with('.');
    if old.is_empty() || !is_plain {
        return None;
    }
    let at = stem.rfind(old)?;
    let base = format!(
        "{}{name}{}.{extension}",
        &stem[..at],
        &stem[at + old.len()..]
    );
    NewBlobPlace::free_file(view, join(parent(&file.path), &base), blob.format)
}

/// `rename-channel`: changes the channel's blob, the default channel and the channel's
/// deprecations. Files keep their names.
pub(super) fn rename(view: &CatalogView<'_>, package: &str, channel: &str, to: &str) -> PlanResult {
    let package = view.package(package)?;
    let blob = view.channel(package, channel)?;
    if channel == to {
        return Ok(Vec::new());
    }
    check_channel_name(view, package, to)?;
    let renamed = Patch::put(path!["name"], to, &["schema", "package", "name"]);
    let mut steps = vec![PlanStep::patch(blob, vec![renamed])];
    // No default channel or deprecation can name a channel without a name.
    if channel.is_empty() {
        return Ok(steps);
    }
    for definition in package
        .packages
        .iter()
        .filter(|p| p.default_channel.as_str() == channel)
    {
        let patch = Patch::set(path!["defaultChannel"], to);
        steps.push(PlanStep::patch(definition, vec![patch]));
    }
    for deprecations in &package.deprecations {
        let references = Scope::Channel(channel).find(deprecations);
        if !references.is_empty() {
            steps.push(rename_references(deprecations, references, to));
        }
    }
    Ok(steps)
}

/// `remove-channel`: removes the channel's blob, and the deprecations that name it (`opm` refuses a
/// deprecation of a missing channel). Bundles are kept; the verdict reports the removal of a
/// default channel.
pub(super) fn remove(view: &CatalogView<'_>, package: &str, channel: &str) -> PlanResult {
    let package = view.package(package)?;
    let blob = view.channel(package, channel)?;
    let mut steps = vec![PlanStep::remove(blob)];
    if !channel.is_empty() {
        steps.extend(remove_deprecations(package, &Scope::Channel(channel)));
    }
    Ok(steps)
}

/// `set-default-channel`: changes one line of the package's blob.
pub(super) fn set_default(view: &CatalogView<'_>, package: &str, channel: &str) -> PlanResult {
    let package = view.package(package)?;
    let definition = view.definition(package)?;
    view.channel(package, channel)?;
    if definition.default_channel.as_str() == channel {
        return Ok(Vec::new());
    }
    Ok(vec![set_default_step(definition, channel)])
}

pub(super) fn set_default_step(definition: &Located<PackageBlob>, channel: &str) -> PlanStep {
    let patch = Patch::put(path!["defaultChannel"], channel, &["schema", "name"]);
    PlanStep::patch(definition, vec![patch])
}
