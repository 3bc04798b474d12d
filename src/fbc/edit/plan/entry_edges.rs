//! `set-replaces`, `add-skip`, `remove-skip`, `set-skip-range`: the edges of one entry. What an edge names need not be
//! in the channel.

use super::draft::Draft;
use super::refused::{Refused, did_you_mean};
use super::{CatalogView, Step};
use crate::fbc::model::{ChannelBlob, Located};

pub(super) fn set_replaces(
    view: &CatalogView<'_>,
    package: &str,
    channel: &str,
    name: &str,
    replaces: Option<&str>,
) -> Result<Vec<Step>, Refused> {
    let (channel, at) = find(view, package, channel, name)?;
    let mut draft = Draft::new(channel);
    draft.set_replaces(at, replaces.unwrap_or_default());
    Ok(draft.finish().into_iter().collect())
}

pub(super) fn set_skip_range(
    view: &CatalogView<'_>,
    package: &str,
    channel: &str,
    name: &str,
    range: Option<&str>,
) -> Result<Vec<Step>, Refused> {
    let (channel, at) = find(view, package, channel, name)?;
    let mut draft = Draft::new(channel);
    draft.set_skip_range(at, range.unwrap_or_default());
    Ok(draft.finish().into_iter().collect())
}

pub(super) fn add_skip(
    view: &CatalogView<'_>,
    package: &str,
    channel: &str,
    name: &str,
    skip: &[String],
) -> Result<Vec<Step>, Refused> {
    let (channel, at) = find(view, package, channel, name)?;
    named(skip)?;
    let mut draft = Draft::new(channel);
    draft.add_skips(at, skip.iter().map(String::as_str));
    Ok(draft.finish().into_iter().collect())
}

pub(super) fn remove_skip(
    view: &CatalogView<'_>,
    package: &str,
    channel: &str,
    name: &str,
    skip: &[String],
) -> Result<Vec<Step>, Refused> {
    let (channel, at) = find(view, package, channel, name)?;
    if skip.is_empty() {
        return Err(Refused::new("no skip is named").help("name at least one"));
    }
    let entry = &channel.entries[at];
    if let Some(missing) = skip.iter().find(|s| entry.skips.iter().all(|e| e.as_str() != **s)) {
        let names = entry.skips.iter().map(|s| s.as_str());
        let listed = if entry.skips.is_empty() { "it skips nothing" } else { "its skips are listed in the table" };
        return Err(Refused::new(format!("`{name}` does not skip `{missing}`"))
            .help(did_you_mean(missing, names, listed))
            .at(view.location(channel.file, channel.index, entry.name.place)));
    }
    let mut draft = Draft::new(channel);
    draft.remove_skips(at, skip);
    Ok(draft.finish().into_iter().collect())
}

fn find<'a>(
    view: &CatalogView<'a>,
    package: &str,
    channel: &str,
    name: &str,
) -> Result<(&'a Located<ChannelBlob>, usize), Refused> {
    let channel = view.channel(view.package(package)?, channel)?;
    Ok((channel, view.entry(channel, name)?))
}

fn named(skip: &[String]) -> Result<(), Refused> {
    if skip.is_empty() || skip.iter().any(String::is_empty) {
        return Err(Refused::new("no skip is named").help("name at least one entry to skip"));
    }
    Ok(())
}
